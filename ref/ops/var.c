/* SPDX-License-Identifier: Apache-2.0 */
/* var, std, var_mean, std_mean: the mean first, then the squared distances from it (S5). */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/var_glue.h"

enum { SELF, DIM, CORRECTION, KEEPDIM }; /* the arguments of all four */

/* The sum of (x - about)^power over what goes into the result that r stands at. */
static double sum_of(ts_reduce *r, const ts_tensor *x, double about, bool squared)
{
    ts_fold s = {0, 0, 0, 0};

    r->reduced.started = false; /* once more from its first line */
    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const double v = tse_get(x, r->x + i * r->step) - about;

            ts_fold_add(&s, squared ? v * v : v, i);
        }
    return ts_fold_value(&s);
}

static ts_status spread(const ts_kernel_call *call, bool root)
{
    ts_tensor *x = ts_call_tensor(call, SELF), *y = call->results[0];
    const ts_value *given = &call->args[CORRECTION];
    const double correction =
        given->kind == TS_ARG_SCALAR ? ts_scalar_f64(given->scalar) : 1;
    ts_reduce r;

    ts_reduce_start(&r, y, x, ts_reduce_mask(&call->args[DIM], x->ndim),
                    call->args[KEEPDIM].b);
    while (ts_reduce_next(&r)) {
        const double n = (double)r.count;
        const double mean = sum_of(&r, x, 0, false) / n;
        const double squares = sum_of(&r, x, mean, true);
        const double var = /* S4 */
            n > 0 ? squares / (n > correction ? n - correction : 0) : NAN;

        tse_put(y, r.y, root ? sqrt(var) : var);
        if (call->nresults > 1)
            tse_put(call->results[1], r.y, mean);
    }
    return TS_OK;
}

ts_status tsk_var(const ts_kernel_call *call)
{
    return spread(call, false);
}

ts_status tsk_std(const ts_kernel_call *call)
{
    return spread(call, true);
}

ts_status tsk_var_mean(const ts_kernel_call *call)
{
    return spread(call, false);
}

ts_status tsk_std_mean(const ts_kernel_call *call)
{
    return spread(call, true);
}
