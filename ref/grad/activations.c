/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of silu, leaky_relu, softplus and of their backwards; spec/ops/activations.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/activations_expr.h"
#include "touchstone/ops/activations_glue.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/sigmoid_expr.h"
#include "touchstone/ops/where_expr.h"

ts_status tsi_vjp_silu(tsi_vjp *v) /* G1 */
{
    return ts_silu_backward(v->grads[0], v->args[TS_SILU_SELF].tensor,
                            &v->out[TS_SILU_SELF]);
}

/* gg * s * (1 - s) * (2 + x * (1 - 2 s)), s the sigmoid of x */
ts_status tsi_vjp_silu_backward(tsi_vjp *v)
{
    ts_tensor *u = v->grads[0], *g = v->args[TS_SILU_BACKWARD_GRAD_OUTPUT].tensor;
    ts_tensor *x = v->args[TS_SILU_BACKWARD_SELF].tensor, *s, *turn;
    tsi_expr e = {0};

    if (v->needs[TS_SILU_BACKWARD_GRAD_OUTPUT])
        TS_TRY(ts_silu_backward(u, x, &v->out[TS_SILU_BACKWARD_GRAD_OUTPUT]));
    if (!v->needs[TS_SILU_BACKWARD_SELF])
        return TS_OK;
    s = tsx_sigmoid(&e, x);
    turn = tsx_add_number(&e, tsx_mul_number(&e, s, ts_int(-2)), ts_int(1), NULL);
    turn = tsx_add_number(&e, tsx_mul(&e, x, turn), ts_int(2), NULL);
    turn = tsx_mul(&e, tsx_mul(&e, u, g), turn);
    return tsi_expr_give(&e, tsx_sigmoid_backward(&e, turn, s),
                         &v->out[TS_SILU_BACKWARD_SELF]);
}

ts_status tsi_vjp_leaky_relu(tsi_vjp *v) /* G2 */
{
    return ts_leaky_relu_backward(v->grads[0], v->args[TS_LEAKY_RELU_SELF].tensor,
                                  v->args[TS_LEAKY_RELU_NEGATIVE_SLOPE].scalar, false,
                                  &v->out[TS_LEAKY_RELU_SELF]);
}

ts_status tsi_vjp_leaky_relu_backward(tsi_vjp *v)
{
    if (v->needs[TS_LEAKY_RELU_BACKWARD_SELF])
        TS_TRY(ts_zeros_like(v->grads[0], NULL, &v->out[TS_LEAKY_RELU_BACKWARD_SELF]));
    if (!v->needs[TS_LEAKY_RELU_BACKWARD_GRAD_OUTPUT])
        return TS_OK;
    return ts_leaky_relu_backward(v->grads[0],
                                  v->args[TS_LEAKY_RELU_BACKWARD_SELF].tensor,
                                  v->args[TS_LEAKY_RELU_BACKWARD_NEGATIVE_SLOPE].scalar,
                                  false, &v->out[TS_LEAKY_RELU_BACKWARD_GRAD_OUTPUT]);
}

ts_status tsi_vjp_softplus(tsi_vjp *v) /* G3 */
{
    return ts_softplus_backward(
        v->grads[0], v->args[TS_SOFTPLUS_SELF].tensor, v->args[TS_SOFTPLUS_BETA].scalar,
        v->args[TS_SOFTPLUS_THRESHOLD].scalar, &v->out[TS_SOFTPLUS_SELF]);
}

ts_status tsi_vjp_softplus_backward(tsi_vjp *v)
{
    ts_tensor *u = v->grads[0], *g = v->args[TS_SOFTPLUS_BACKWARD_GRAD_OUTPUT].tensor;
    ts_tensor *x = v->args[TS_SOFTPLUS_BACKWARD_SELF].tensor, *y, *bent;
    const ts_scalar beta = v->args[TS_SOFTPLUS_BACKWARD_BETA].scalar;
    const ts_scalar threshold = v->args[TS_SOFTPLUS_BACKWARD_THRESHOLD].scalar;
    tsi_expr e = {0};

    if (v->needs[TS_SOFTPLUS_BACKWARD_GRAD_OUTPUT])
        TS_TRY(ts_softplus_backward(u, x, beta, threshold,
                                    &v->out[TS_SOFTPLUS_BACKWARD_GRAD_OUTPUT]));
    if (!v->needs[TS_SOFTPLUS_BACKWARD_SELF])
        return TS_OK;
    x = tsx_mul_number(&e, x, beta);
    y = tsx_sigmoid_backward(&e, tsx_mul(&e, u, g), tsx_sigmoid(&e, x));
    bent = tsi_cast(&e, tsx_lt_number(&e, x, threshold),
                    v->arg_meta[TS_SOFTPLUS_BACKWARD_SELF].dtype);
    y = tsx_mul_number(&e, tsx_mul(&e, y, bent), beta);
    return tsi_expr_give(&e, y, &v->out[TS_SOFTPLUS_BACKWARD_SELF]);
}
