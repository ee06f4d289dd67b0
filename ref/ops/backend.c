/* SPDX-License-Identifier: Apache-2.0 */
/* The reference as a lib backend like any other: its kernels behind ts_backend_open. */
#include "touchstone/backend.h"

extern const ts_kernel_entry tsk_kernels[];
extern const size_t tsk_kernel_count;

static const ts_claim claims[] = {{"*", 0}};

ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    if (host->abi != TS_BACKEND_ABI)
        return host->fail(TS_ERR_VALUE, NULL, "the host speaks ABI %u, reference %u",
                          host->abi, TS_BACKEND_ABI);
    *out = (ts_backend){
        .size = sizeof *out,
        .abi = TS_BACKEND_ABI,
        .name = "reference",
        .version = "0.1.0",
        .kernels = tsk_kernels,
        .kernel_count = tsk_kernel_count,
        .claims = claims,
        .claim_count = sizeof claims / sizeof claims[0],
    };
    return TS_OK;
}
