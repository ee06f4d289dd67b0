/* SPDX-License-Identifier: Apache-2.0 */
/* The door: what the backend is, and exactly what it claims. */
#include "core/cuda.h"

#ifdef TSC_SIMULATED
#define NAME "cuda-sim"
#else
#define NAME "cuda"
#endif

#define BIT(id) TS_DTYPE_BIT(TS_##id)
#define FLOATS (BIT(FLOAT64) | BIT(FLOAT32) | BIT(BFLOAT16) | BIT(FLOAT16))
#define INTEGERS (BIT(INT64) | BIT(INT32) | BIT(INT16) | BIT(INT8) | BIT(UINT8))
#define COMMON (FLOATS | INTEGERS | BIT(BOOL))

static const ts_kernel_entry kernels[] = {
#define TSC_OP(op) {#op, tsc_##op},
#include "core/ops.def"
#undef TSC_OP
};

static const ts_claim claims[] = {
    {"_softmax", FLOATS},
    {"_softmax_backward_data", FLOATS},
    {"_to_copy", 0},
    {"add", COMMON},
    {"clone", 0},
    {"copy", 0},
    {"embedding", 0},
    {"fill", 0},
    {"item", 0},
    {"mm", FLOATS},
    {"mul", COMMON},
    {"native_layer_norm", FLOATS},
    {"rsub", FLOATS | INTEGERS},
    {"sub", FLOATS | INTEGERS},
    {"sum", COMMON},
    {"zero", 0},
};

ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    int devices = 0;
    cudaError_t e;

    if (host->abi != TS_BACKEND_ABI)
        return host->fail(TS_ERR_VALUE, NULL, "the host speaks ABI %u, " NAME " %u",
                          host->abi, TS_BACKEND_ABI);
    e = cudaGetDeviceCount(&devices);
    if (e != cudaSuccess || devices == 0) {
        (void)cudaGetLastError();
        return host->fail(TS_ERR_RUNTIME, NULL, "there is no CUDA device here: %s",
                          e != cudaSuccess ? cudaGetErrorString(e) : "none was found");
    }
    *out = (ts_backend){
        .size = sizeof *out,
        .abi = TS_BACKEND_ABI,
        .name = NAME,
        .version = "0.1.0",
        .kernels = kernels,
        .kernel_count = sizeof kernels / sizeof *kernels,
        .claims = claims,
        .claim_count = sizeof claims / sizeof *claims,
        .driver = tsc_driver(),
        .kernel_size = sizeof *kernels,
        .claim_size = sizeof *claims,
#ifdef TSC_SIMULATED
        .simulated = true,
#endif
    };
#if defined TSC_SIMULATED || defined TSC_NCCL
    out->communicator = tsc_communicator();
#endif
    return TS_OK;
}
