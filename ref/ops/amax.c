/* SPDX-License-Identifier: Apache-2.0 */
/* amax, amin; spec/ops/amax.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/ops/amax_glue.h"

static double extreme(ts_reduce *r, const ts_tensor *x, bool largest)
{
    double best = largest ? -INFINITY : INFINITY;

    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const double v = tse_get(x, r->x + i * r->step);

            if (isnan(v) ||
                (largest ? v > best : v < best)) /* S2: never true of a NaN best */
                best = v;
        }
    return best;
}

static int64_t extreme_i64(ts_reduce *r, const ts_tensor *x, bool largest)
{
    int64_t best = largest ? INT64_MIN : INT64_MAX;

    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const int64_t v = tse_get_i64(x, r->x + i * r->step);

            if (largest ? v > best : v < best)
                best = v;
        }
    return best;
}

static ts_status reduce(const ts_kernel_call *call, bool largest)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, TS_AMAX_SELF);
    ts_reduce r;

    ts_reduce_start(&r, y, x, ts_reduce_mask(&call->args[TS_AMAX_DIM], x->ndim), call->args[TS_AMAX_KEEPDIM].b);
    while (ts_reduce_next(&r)) {
        if (tse_is_real(x->dtype))
            tse_put(y, r.y, extreme(&r, x, largest));
        else /* S6 */
            tse_put_i64(y, r.y, extreme_i64(&r, x, largest));
    }
    return TS_OK;
}

ts_status tsk_amax(const ts_kernel_call *call)
{
    return reduce(call, true);
}

ts_status tsk_amin(const ts_kernel_call *call)
{
    return reduce(call, false);
}
