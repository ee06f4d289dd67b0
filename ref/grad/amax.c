/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of amax and amin; spec/ops/amax.md. */
#include "core/expr.h"
#include "grad/reduce.h"
#include "touchstone/ops/amax_glue.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/mul_expr.h"

/* G1: (grad * (result == self)) / how many those are; the order decides the layout */
static ts_status shared_evenly(tsi_vjp *v)
{
    const ts_value *dim = &v->args[TS_AMAX_DIM];
    const bool named = dim->kind == TS_ARG_INTS;
    ts_tensor *x = v->args[TS_AMAX_SELF].tensor;
    tsi_expr e = {0};
    ts_tensor *grad = TSI_EXPR(&e, tsi_restore_dims(v, v->grads[0], &e.made));
    ts_tensor *result = TSI_EXPR(&e, tsi_restore_dims(v, v->results[0], &e.made));
    ts_tensor *mask = tsx_eq(&e, result, x);
    ts_tensor *count =
        tsi_sum(&e, mask, named ? dim->ints.v : NULL, named ? dim->ints.n : 0, true);

    return tsi_expr_give(&e, tsx_div(&e, tsx_mul(&e, grad, mask), count, NULL),
                         &v->out[TS_AMAX_SELF]);
}

ts_status tsi_vjp_amax(tsi_vjp *v)
{
    return shared_evenly(v);
}

ts_status tsi_vjp_amin(tsi_vjp *v)
{
    return shared_evenly(v);
}
