/* SPDX-License-Identifier: Apache-2.0 */
/* sum, mean; spec/ops/sum.md. */
#include <math.h>

#include "ops/reduce.h"
#include "touchstone/ops_glue.h"

/* The elements of one result, cast to dtype `c`, with the roundings added up apart
 * (Neumaier): an error of one unit whatever their number, which no bound of S5 is
 * narrower than. */
static double total(tsk_reduce *r, const ts_tensor *x, ts_dtype c)
{
    double sum = 0, rest = 0;

    while (tsk_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const double v = tsi_load_as(c, x, r->x + i * r->step);
            const double t = sum + v;

            rest += fabs(sum) >= fabs(v) ? sum - t + v : v - t + sum;
            sum = t;
        }
    return isfinite(sum) ? sum + rest : sum; /* S7 */
}

static int64_t total_i64(tsk_reduce *r, const ts_tensor *x, ts_dtype c)
{
    uint64_t sum = 0; /* S4: wraps */

    while (tsk_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++)
            sum += (uint64_t)tsi_load_i64_as(c, x, r->x + i * r->step);
    return (int64_t)sum;
}

ts_status tsk_sum(ts_frame *f)
{
    ts_tensor *y = f->results[0], *x = tsi_tensor(f, 0);
    const ts_dtype c = f->compute;
    tsk_reduce r;

    tsk_reduce_start(&r, y, x, tsi_reduce_mask(&f->args[1], x->ndim), f->args[2].b);
    while (tsk_reduce_next(&r)) {
        if (ts_dtype_is_floating(c))
            tsi_store(y, r.y, total(&r, x, c));
        else
            tsi_store_i64(y, r.y, total_i64(&r, x, c));
    }
    return TS_OK;
}

ts_status tsk_mean(ts_frame *f)
{
    ts_tensor *y = f->results[0], *x = tsi_tensor(f, 0);
    const ts_dtype c = tsi_is_half(f->compute) ? TS_FLOAT32 : f->compute; /* S8 */
    tsk_reduce r;

    tsk_reduce_start(&r, y, x, tsi_reduce_mask(&f->args[1], x->ndim), f->args[2].b);
    while (tsk_reduce_next(&r))
        tsi_store(y, r.y, total(&r, x, c) / (double)r.count);
    return TS_OK;
}
