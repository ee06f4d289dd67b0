/* SPDX-License-Identifier: Apache-2.0 */
/* logsumexp; spec/ops/logsumexp.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/logsumexp_glue.h"

static double of_one(ts_reduce *r, const ts_tensor *x, ts_dtype c)
{
    ts_fold s = {0, 0, 0, 0};
    double max = -INFINITY;

    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const double v = tse_get_as(c, x, r->x + i * r->step);

            max = isnan(v) || v > max ? v : max;
        }
    if (!isfinite(max)) /* S3 */
        return max;
    r->reduced.started = false; /* once more from its first line */
    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++)
            ts_fold_add(&s, exp(tse_get_as(c, x, r->x + i * r->step) - max), i); /* S2 */
    return max + log(ts_fold_value(&s));
}

ts_status tsk_logsumexp(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS_LOGSUMEXP_SELF), *y = call->results[0];
    ts_reduce r;

    ts_reduce_start(&r, y, x, ts_reduce_mask(&call->args[TS_LOGSUMEXP_DIM], x->ndim),
                    call->args[TS_LOGSUMEXP_KEEPDIM].b);
    while (ts_reduce_next(&r))
        tse_put(y, r.y, of_one(&r, x, call->compute));
    return TS_OK;
}
