/* SPDX-License-Identifier: Apache-2.0 */
/* vector_norm; spec/ops/norm.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/norm_glue.h"

/* --- what one more element does ------------------------------------------------------ */

static inline void squares(ts_fold *s, double x, int64_t i)
{
    ts_fold_add(s, x * x, i);
}

static inline void sizes(ts_fold *s, double x, int64_t i)
{
    ts_fold_add(s, fabs(x), i);
}

static inline void count(ts_fold *s, double x, int64_t i) /* S2 */
{
    (void)i;
    s->real += x != 0;
}

static inline void largest(ts_fold *s, double x, int64_t i)
{
    (void)i;
    s->real = isnan(x) || fabs(x) > s->real ? fabs(x) : s->real;
}

static inline void least(ts_fold *s, double x, int64_t i)
{
    (void)i;
    s->real = isnan(x) || fabs(x) < s->real ? fabs(x) : s->real;
}

/* --- the norms ---------------------------------------------------------------------- */

static ts_fold_real *taken_in(double p)
{
    return p == 2     ? squares
           : p == 1   ? sizes
           : p == 0   ? count
           : isinf(p) ? (p > 0 ? largest : least)
                      : NULL;
}

/* The sum of |x|^p, or what `take` makes, of what goes into the result that r stands at. */
static double of_one(ts_reduce *r, const ts_tensor *x, ts_dtype c, double p,
                     ts_fold_real *take)
{
    ts_fold s = {p < 0 && isinf(p) ? INFINITY : 0, 0, 0, 0};

    while (ts_reduce_line(r))
        for (int64_t i = 0; i < r->n; i++) {
            const double v = tse_get_as(c, x, r->x + i * r->step);

            if (take)
                take(&s, v, i);
            else
                ts_fold_add(&s, pow(fabs(v), p), i);
        }
    return ts_fold_value(&s);
}

ts_status tsk_linalg_vector_norm(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS_LINALG_VECTOR_NORM_SELF);
    ts_tensor *y = call->results[0];
    const double p = ts_scalar_f64(call->args[TS_LINALG_VECTOR_NORM_ORD].scalar);
    ts_fold_real *take = taken_in(p);
    ts_reduce r;

    ts_reduce_start(&r, y, x,
                    ts_reduce_mask(&call->args[TS_LINALG_VECTOR_NORM_DIM], x->ndim),
                    call->args[TS_LINALG_VECTOR_NORM_KEEPDIM].b);
    while (ts_reduce_next(&r)) {
        const double v = of_one(&r, x, call->compute, p, take);

        tse_put(y, r.y, p == 2 ? sqrt(v) : take ? v : pow(v, 1 / p));
    }
    return TS_OK;
}
