/* SPDX-License-Identifier: Apache-2.0 */
/* The door: what the backend is, and exactly what it claims. */
#include "core/cuda.h"

#ifdef TSC_SIMULATED
#define NAME "cuda-sim"
#else
#define NAME "cuda"
#endif

#define TSC_ENTRY(op, dtypes) TSC_OP(op, dtypes)
#include "ops.def"
#undef TSC_ENTRY

static const ts_kernel_entry kernels[] = {
#define TSC_ENTRY(op, dtypes) {#op, tsc_##op},
#include "ops.def"
#undef TSC_ENTRY
};

static const ts_claim claims[] = {
#define TSC_ENTRY(op, dtypes) {#op, dtypes},
#include "ops.def"
#undef TSC_ENTRY
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
