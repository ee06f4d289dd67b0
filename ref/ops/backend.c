/* SPDX-License-Identifier: Apache-2.0 */
/* The reference as a lib backend like any other: its kernels behind ts_backend_open. */
#include "touchstone/backend.h"

extern const ts_kernel_entry
    *const tsk_pages[]; /* a list for each page, NULL at the end */

enum { MOST_KERNELS = 4096 };

static ts_kernel_entry kernels[MOST_KERNELS];
static const ts_claim claims[] = {{"*", 0}};

static size_t join(void)
{
    size_t n = 0;

    for (const ts_kernel_entry *const *page = tsk_pages; *page; page++)
        for (const ts_kernel_entry *k = *page; k->op && n < MOST_KERNELS; k++)
            kernels[n++] = *k;
    return n;
}

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
        .kernels = kernels,
        .kernel_count = join(),
        .claims = claims,
        .claim_count = sizeof claims / sizeof claims[0],
        .kernel_size = sizeof kernels[0],
        .claim_size = sizeof claims[0],
    };
    return TS_OK;
}
