/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the larger and the smaller of two; spec/ops/minmax.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/classify_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/logical_expr.h"
#include "touchstone/ops/minmax_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/where_expr.h"

typedef ts_tensor *order(tsi_expr *e, ts_tensor *a, ts_tensor *b);

/* G1: nothing where the other one was chosen, half where they are equal. */
static ts_status give(tsi_vjp *v, int arg, tsi_expr *e, ts_tensor *lost)
{
    ts_tensor *grad = v->grads[0];
    ts_tensor *equal = tsx_eq(e, v->args[0].tensor, v->args[1].tensor);
    ts_tensor *kept = tsx_where(e, equal, tsx_mul_number(e, grad, ts_float(0.5)), grad);

    return tsi_expr_give(
        e, tsx_where_number(e, tsx_logical_not(e, lost), kept, ts_int(0)), &v->out[arg]);
}

/* G2: a NaN is below and above nothing, so neither has lost. Both are compared in one order,
 * by which the layout goes. */
static ts_status nan_to_both(tsi_vjp *v, order *self_lost, order *other_lost)
{
    order *const lost[2] = {self_lost, other_lost};

    for (int arg = 0; arg < 2; arg++) {
        tsi_expr e = {0};

        if (v->needs[arg])
            TS_TRY(give(v, arg, &e, lost[arg](&e, v->args[0].tensor, v->args[1].tensor)));
    }
    return TS_OK;
}

/* G3 */
static ts_status nan_to_other(tsi_vjp *v, order *above, order *not_below)
{
    ts_tensor *self = v->args[0].tensor, *other = v->args[1].tensor;
    tsi_expr e = {0}, f = {0};

    if (v->needs[0])
        TS_TRY(give(v, 0, &e,
                    tsx_logical_not(&e, tsx_logical_or(&e, not_below(&e, self, other),
                                                       tsx_isnan(&e, other)))));
    if (v->needs[1])
        TS_TRY(give(v, 1, &f,
                    tsx_logical_or(&f, above(&f, self, other), tsx_isnan(&f, other))));
    return TS_OK;
}

ts_status tsi_vjp_maximum(tsi_vjp *v)
{
    return nan_to_both(v, tsx_lt, tsx_gt);
}

ts_status tsi_vjp_minimum(tsi_vjp *v)
{
    return nan_to_both(v, tsx_gt, tsx_lt);
}

ts_status tsi_vjp_fmax(tsi_vjp *v)
{
    return nan_to_other(v, tsx_gt, tsx_ge);
}

ts_status tsi_vjp_fmin(tsi_vjp *v)
{
    return nan_to_other(v, tsx_lt, tsx_le);
}
