/* SPDX-License-Identifier: Apache-2.0 */
/* norm/G1 to G4. */
#include <math.h>

#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/element.h"
#include "touchstone/ops/abs_expr.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/classify_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/logical_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/norm_glue.h"
#include "touchstone/ops/sum_expr.h"
#include "touchstone/ops/unary_expr.h"
#include "touchstone/ops/where_expr.h"

enum { SELF, ORD, DIM, KEEPDIM };

static ts_tensor *restored(tsi_expr *e, const tsi_vjp *v, ts_tensor *t)
{
    const tsi_kept_meta *m = &v->arg_meta[SELF];
    const uint64_t mask = ts_reduce_mask(&v->args[DIM], m->ndim);

    for (int d = 0; d < m->ndim && !v->args[KEEPDIM].b && e->s == TS_OK; d++)
        if (ts_reduces(mask, d))
            t = TSI_EXPR(e, ts_unsqueeze(t, d, &e->made));
    return t;
}

/* t, and 0 where `of` is 0 */
static ts_tensor *but_at_zero(tsi_expr *e, ts_tensor *t, ts_tensor *of)
{
    return tsx_where(e, tsx_eq_number(e, of, ts_int(0)),
                     tsx_full_like(e, t, ts_int(0), NULL), t);
}

/* G4 */
static ts_tensor *shared(tsi_expr *e, const tsi_vjp *v, ts_tensor *g, ts_tensor *y)
{
    const ts_value *dim = &v->args[DIM];
    const bool named = dim->kind == TS_ARG_INTS;
    ts_tensor *x = v->args[SELF].tensor, *size = tsx_abs(e, x);
    ts_tensor *mask = tsx_logical_or(e, tsx_eq(e, size, y), tsx_isnan(e, size));
    ts_tensor *count =
        tsi_sum(e, mask, named ? dim->ints.v : NULL, named ? dim->ints.n : 0, true);

    return tsx_mul(e, tsx_sgn(e, x), tsx_mul(e, tsx_div(e, g, count, NULL), mask));
}

/* G2: (|x| / y)^(p - 1) by its logarithm, which no half type holds */
static ts_tensor *by_power(tsi_expr *e, const tsi_vjp *v, ts_tensor *g, ts_tensor *y,
                           double p)
{
    ts_tensor *x = v->args[SELF].tensor;
    const bool half = tse_is_half(x->dtype);
    ts_tensor *size = tsx_abs(e, x), *ratio, *power, *grad;

    ratio = tsx_div(e, half ? tsi_cast(e, size, TS_FLOAT32) : size, y, NULL);
    power = tsx_exp(e, tsx_mul_number(e, tsx_log(e, ratio), ts_float(p - 1)));
    power = but_at_zero(e, power, x);
    grad = tsx_mul(e, tsx_mul(e, tsx_sgn(e, x), power), g);
    return but_at_zero(e, grad, y);
}

ts_status tsi_vjp_linalg_vector_norm(tsi_vjp *v)
{
    const double p = ts_scalar_f64(v->args[ORD].scalar);
    tsi_expr e = {0};
    ts_tensor *x = v->args[SELF].tensor, *g, *y, *grad;

    if (p == 0)
        return TS_OK; /* G1 */
    g = restored(&e, v, v->grads[0]);
    y = restored(&e, v, v->results[0]);
    if (p == 1)
        grad = tsx_mul(&e, tsx_sgn(&e, x), g);
    else if (p == 2)
        grad = tsx_mul(&e, g, but_at_zero(&e, tsx_div(&e, x, y, NULL), y));
    else
        grad = isinf(p) ? shared(&e, v, g, y) : by_power(&e, v, g, y, p);
    return tsi_expr_give(&e, grad, &v->out[SELF]);
}
