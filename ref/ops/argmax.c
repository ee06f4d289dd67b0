/* SPDX-License-Identifier: Apache-2.0 */
/* argmax, argmin; spec/ops/argmax.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/ops/argmax_glue.h"

/* S3: only what is strictly further replaces the best; S4: the first NaN stays. */
static int64_t position(ts_reduce *r, const ts_tensor *x, bool largest)
{
    double best = largest ? -INFINITY : INFINITY;
    int64_t at = 0, k = 0;

    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++, k++) {
            const double v = tse_get(x, r->x + i * r->step);

            if ((largest ? v > best : v < best) || (isnan(v) && !isnan(best))) {
                best = v;
                at = k;
            }
        }
    return at;
}

static int64_t position_i64(ts_reduce *r, const ts_tensor *x, bool largest) /* S7 */
{
    int64_t best = largest ? INT64_MIN : INT64_MAX, at = 0, k = 0;

    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++, k++) {
            const int64_t v = tse_get_i64(x, r->x + i * r->step);

            if (largest ? v > best : v < best) {
                best = v;
                at = k;
            }
        }
    return at;
}

static ts_status reduce(const ts_kernel_call *call, bool largest)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, TS_ARGMAX_SELF);
    const bool real = tse_is_real(x->dtype);
    ts_reduce r;

    ts_reduce_start(&r, y, x, ts_reduce_mask(&call->args[TS_ARGMAX_DIM], x->ndim), call->args[TS_ARGMAX_KEEPDIM].b);
    while (ts_reduce_next(&r))
        tse_put_i64(y, r.y,
                      real ? position(&r, x, largest) : position_i64(&r, x, largest));
    return TS_OK;
}

ts_status tsk_argmax(const ts_kernel_call *call)
{
    return reduce(call, true);
}

ts_status tsk_argmin(const ts_kernel_call *call)
{
    return reduce(call, false);
}
