/* SPDX-License-Identifier: Apache-2.0 */
/* argmax, argmin; spec/ops/argmax.md. */
#include <math.h>

#include "ops/reduce.h"
#include "touchstone/ops_glue.h"

/* S3: only what is strictly further replaces the best; S4: the first NaN stays. */
static int64_t position(tsk_reduce *r, const ts_tensor *x, bool largest)
{
    double best = largest ? -INFINITY : INFINITY;
    int64_t at = 0, k = 0;

    while (tsk_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++, k++) {
            const double v = tsi_load(x, r->x + i * r->step);

            if ((largest ? v > best : v < best) || (isnan(v) && !isnan(best))) {
                best = v;
                at = k;
            }
        }
    return at;
}

static int64_t position_i64(tsk_reduce *r, const ts_tensor *x, bool largest) /* S7 */
{
    int64_t best = largest ? INT64_MIN : INT64_MAX, at = 0, k = 0;

    while (tsk_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++, k++) {
            const int64_t v = tsi_load_i64(x, r->x + i * r->step);

            if (largest ? v > best : v < best) {
                best = v;
                at = k;
            }
        }
    return at;
}

static ts_status reduce(const ts_frame *f, bool largest)
{
    ts_tensor *y = f->results[0], *x = tsi_tensor(f, 0);
    const bool real = ts_dtype_is_floating(x->dtype);
    tsk_reduce r;

    tsk_reduce_start(&r, y, x, tsi_reduce_mask(&f->args[1], x->ndim), f->args[2].b);
    while (tsk_reduce_next(&r))
        tsi_store_i64(y, r.y,
                      real ? position(&r, x, largest) : position_i64(&r, x, largest));
    return TS_OK;
}

ts_status tsk_argmax(ts_frame *f)
{
    return reduce(f, true);
}

ts_status tsk_argmin(ts_frame *f)
{
    return reduce(f, false);
}
