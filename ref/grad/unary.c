/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the functions of one element; spec/ops/unary.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/unary_expr.h"
#include "touchstone/ops/unary_glue.h"

ts_status tsi_vjp_neg(tsi_vjp *v) /* G1 */
{
    return ts_neg(v->grads[0], &v->out[TS_NEG_SELF]);
}

ts_status tsi_vjp_exp(tsi_vjp *v) /* G2 */
{
    return ts_mul(v->grads[0], v->results[0], &v->out[TS_EXP_SELF]);
}

ts_status tsi_vjp_log(tsi_vjp *v) /* G3 */
{
    return ts_div(v->grads[0], v->args[TS_LOG_SELF].tensor, NULL, &v->out[TS_LOG_SELF]);
}

ts_status tsi_vjp_sqrt(tsi_vjp *v) /* G4 */
{
    tsi_expr e = {0};
    ts_tensor *twice = tsx_mul_number(&e, v->results[0], ts_int(2));

    return tsi_expr_give(&e, tsx_div(&e, v->grads[0], twice, NULL),
                         &v->out[TS_SQRT_SELF]);
}

ts_status tsi_vjp_tanh(tsi_vjp *v) /* G5 */
{
    return ts_tanh_backward(v->grads[0], v->results[0], &v->out[TS_TANH_SELF]);
}

ts_status tsi_vjp_reciprocal(tsi_vjp *v) /* G6 */
{
    ts_tensor *y = v->results[0];
    tsi_expr e = {0};
    ts_tensor *minus = tsx_neg(&e, v->grads[0]);

    return tsi_expr_give(&e, tsx_mul(&e, minus, tsx_mul(&e, y, y)),
                         &v->out[TS_RECIPROCAL_SELF]);
}

ts_status tsi_vjp_tanh_backward(tsi_vjp *v) /* G7 */
{
    ts_tensor *g = v->grads[0], *y = v->args[TS_TANH_BACKWARD_OUTPUT].tensor;
    ts_tensor *grad = v->args[TS_TANH_BACKWARD_GRAD_OUTPUT].tensor, *slope;
    tsi_expr e = {0};

    if (v->needs[TS_TANH_BACKWARD_GRAD_OUTPUT])
        TS_TRY(ts_tanh_backward(g, y, &v->out[TS_TANH_BACKWARD_GRAD_OUTPUT]));
    if (!v->needs[TS_TANH_BACKWARD_OUTPUT])
        return TS_OK;
    slope = tsx_mul(&e, tsx_mul_number(&e, y, ts_int(-2)), grad);
    return tsi_expr_give(&e, tsx_mul(&e, g, slope), &v->out[TS_TANH_BACKWARD_OUTPUT]);
}
