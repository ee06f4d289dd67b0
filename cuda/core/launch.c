/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of CUDA and cuBLAS as statuses, and launches by descriptor. */
#include "core/cuda.h"

const char *tsc_name_of(const char *call)
{
    static _Thread_local char name[64];
    const size_t n = strcspn(call, "( ");

    memcpy(name, call, n < sizeof name ? n : sizeof name - 1);
    name[n < sizeof name ? n : sizeof name - 1] = '\0';
    return name;
}

ts_status tsc_use(int device)
{
    int now = -1;

    TS_CUDA(cudaGetDevice(&now));
    if (now != device)
        TS_CUDA(cudaSetDevice(device));
    return TS_OK;
}

/* The rule that an error of a capture falls under. */
static const char *label_of(cudaError_t e)
{
    switch (e) {
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
        return "graph/C3";
    case cudaErrorStreamCaptureUnjoined:
        return "graph/C4";
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureIsolation:
        return "graph/C10";
    default:
        return NULL;
    }
}

ts_status tsc_cuda_status(cudaError_t e, const char *call)
{
    const ts_status s = e == cudaErrorMemoryAllocation ? TS_ERR_OUT_OF_MEMORY
                        : e == cudaErrorNotSupported   ? TS_ERR_UNSUPPORTED
                                                       : TS_ERR_RUNTIME;

    (void)cudaGetLastError(); /* told here, and nowhere else */
    return ts_fail(s, label_of(e), "%s: %s", call, cudaGetErrorString(e));
}

ts_status tsc_cublas_status(cublasStatus_t e, const char *call)
{
    const ts_status s = e == CUBLAS_STATUS_ALLOC_FAILED    ? TS_ERR_OUT_OF_MEMORY
                        : e == CUBLAS_STATUS_NOT_SUPPORTED ? TS_ERR_UNSUPPORTED
                                                           : TS_ERR_RUNTIME;

    return ts_fail(s, NULL, "%s: %s", call, cublasGetStatusString(e));
}

ts_status tsc_launch(const tsc_kernel *k, tsc_dims d, void **args)
{
    const dim3 block = {d.threads ? (unsigned)d.threads : 256, 1, 1};
    const int64_t blocks = d.blocks < TSC_MOST_BLOCKS ? d.blocks : TSC_MOST_BLOCKS;
    const dim3 grid = {(unsigned)blocks, 1, 1};
    cudaError_t e;

    if (d.blocks == 0)
        return TS_OK;
    TS_CHECK(k->entry, TS_ERR_UNSUPPORTED, NULL, "there is no such kernel");
    e = cudaLaunchKernel(k->entry, grid, block, args, 0, tsc_stream());
    return e == cudaSuccess ? TS_OK : tsc_cuda_status(e, k->name);
}

ts_status tsc_launch_elements(const tsc_kernel *k, int64_t n, void **args)
{
    return tsc_launch(k, (tsc_dims){.blocks = (n + 255) / 256}, args);
}
