/* SPDX-License-Identifier: Apache-2.0 */
/* amax, amin; spec/ops/amax.md. */
#include <math.h>

#include "ops/reduce.h"
#include "touchstone/ops_glue.h"

static double extreme(tsk_reduce *r, const ts_tensor *x, bool largest)
{
    double best = largest ? -INFINITY : INFINITY;

    while (tsk_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const double v = tsi_load(x, r->x + i * r->step);

            if (isnan(v) ||
                (largest ? v > best : v < best)) /* S2: never true of a NaN best */
                best = v;
        }
    return best;
}

static int64_t extreme_i64(tsk_reduce *r, const ts_tensor *x, bool largest)
{
    int64_t best = largest ? INT64_MIN : INT64_MAX;

    while (tsk_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const int64_t v = tsi_load_i64(x, r->x + i * r->step);

            if (largest ? v > best : v < best)
                best = v;
        }
    return best;
}

static ts_status reduce(const ts_frame *f, bool largest)
{
    ts_tensor *y = f->results[0], *x = tsi_tensor(f, 0);
    tsk_reduce r;

    tsk_reduce_start(&r, y, x, tsi_reduce_mask(&f->args[1], x->ndim), f->args[2].b);
    while (tsk_reduce_next(&r)) {
        if (ts_dtype_is_floating(x->dtype))
            tsi_store(y, r.y, extreme(&r, x, largest));
        else /* S6 */
            tsi_store_i64(y, r.y, extreme_i64(&r, x, largest));
    }
    return TS_OK;
}

ts_status tsk_amax(ts_frame *f)
{
    return reduce(f, true);
}

ts_status tsk_amin(ts_frame *f)
{
    return reduce(f, false);
}
