/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend of a later version of the door: its structs are longer than today's, and
 * entries stand further apart. Also: what it declares by levels and by supports().
 */
#include <string.h>

#include "touchstone/backend.h"

typedef struct later_entry {
    ts_kernel_entry now;
    uint64_t later[3];
} later_entry;

typedef struct later_claim {
    ts_claim now;
    uint64_t later[5];
} later_claim;

typedef struct later_backend {
    ts_backend now;
    uint64_t later[20];
} later_backend;

/* Without a scale and in float32: everything else is declined. */
static bool supports(const ts_kernel_call *call)
{
    return strcmp(call->op, "neg") == 0 ||
           (call->compute == TS_FLOAT32 && ts_scalar_f64(call->args[2].scalar) == 1);
}

static ts_status add(const ts_kernel_call *call)
{
    ts_tensor *t[] = {call->results[0], ts_call_tensor(call, 0), ts_call_tensor(call, 1)};
    ts_lines it;

    for (ts_lines_pointwise(&it, t[0], 3, t); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_put_as(TS_FLOAT32, t[0], it.at[0] + i * it.step[0],
                       tse_get_as(TS_FLOAT32, t[1], it.at[1] + i * it.step[1]) +
                           tse_get_as(TS_FLOAT32, t[2], it.at[2] + i * it.step[2]));
    return TS_OK;
}

static ts_status neg(const ts_kernel_call *call)
{
    return call->host->fail(TS_ERR_RUNTIME, NULL, "%s is broken here", call->op);
}

static const later_entry kernels[] = {{{"add", add}, {~0u}}, {{"neg", neg}, {~0u}}};
static const later_claim claims[] = {{{"add", 0}, {~0u}}, {{"neg", 0}, {~0u}}};

ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    later_backend *mine = (later_backend *)(void *)out;

    (void)host;
    mine->now = (ts_backend){.size = sizeof *mine,
                             .abi = TS_BACKEND_ABI,
                             .name = "later",
                             .version = "2.9",
                             .kernels = &kernels[0].now,
                             .kernel_count = 2,
                             .claims = &claims[0].now,
                             .claim_count = 2,
                             .kernel_size = sizeof(later_entry),
                             .claim_size = sizeof(later_claim),
                             .levels = TS_LEVEL_BIT(2),
                             .supports = supports};
    memset(mine->later, 0xFF, sizeof mine->later);
    return TS_OK;
}
