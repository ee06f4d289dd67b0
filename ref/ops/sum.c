/* SPDX-License-Identifier: Apache-2.0 */
/* sum, mean; spec/ops/sum.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/ops/sum_glue.h"

/* The elements of one result, cast to dtype `c`, with the roundings added up apart
 * (Neumaier): an error of one unit whatever their number, which no bound of S5 is
 * narrower than. */
static double total(ts_reduce *r, const ts_tensor *x, ts_dtype c)
{
    double sum = 0, rest = 0;

    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const double v = tse_get_as(c, x, r->x + i * r->step);
            const double t = sum + v;

            rest += fabs(sum) >= fabs(v) ? sum - t + v : v - t + sum;
            sum = t;
        }
    return isfinite(sum) ? sum + rest : sum; /* S7 */
}

static int64_t total_i64(ts_reduce *r, const ts_tensor *x, ts_dtype c)
{
    uint64_t sum = 0; /* S4: wraps */

    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++)
            sum += (uint64_t)tse_get_i64_as(c, x, r->x + i * r->step);
    return (int64_t)sum;
}

ts_status tsk_sum(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, TS_SUM_SELF);
    const ts_dtype c = call->compute;
    ts_reduce r;

    ts_reduce_start(&r, y, x, ts_reduce_mask(&call->args[TS_SUM_DIM], x->ndim), call->args[TS_SUM_KEEPDIM].b);
    while (ts_reduce_next(&r)) {
        if (tse_is_real(c))
            tse_put(y, r.y, total(&r, x, c));
        else
            tse_put_i64(y, r.y, total_i64(&r, x, c));
    }
    return TS_OK;
}

ts_status tsk_mean(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, TS_MEAN_SELF);
    const ts_dtype c = tse_is_half(call->compute) ? TS_FLOAT32 : call->compute; /* S8 */
    ts_reduce r;

    ts_reduce_start(&r, y, x, ts_reduce_mask(&call->args[TS_MEAN_DIM], x->ndim), call->args[TS_MEAN_KEEPDIM].b);
    while (ts_reduce_next(&r))
        tse_put(y, r.y, total(&r, x, c) / (double)r.count);
    return TS_OK;
}
