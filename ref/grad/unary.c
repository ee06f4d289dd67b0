/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the functions of one element; spec/ops/unary.md. */
#include "grad/vjp.h"
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
    ts_tensor *twice;
    ts_status s;

    TS_TRY(ts_mul_number(v->results[0], ts_int(2), &twice));
    s = ts_div(v->grads[0], twice, NULL, &v->out[TS_SQRT_SELF]);
    ts_release(twice);
    return s;
}

ts_status tsi_vjp_tanh(tsi_vjp *v) /* G5 */
{
    return ts_tanh_backward(v->grads[0], v->results[0], &v->out[TS_TANH_SELF]);
}

ts_status tsi_vjp_reciprocal(tsi_vjp *v) /* G6 */
{
    ts_tensor *minus = NULL, *square = NULL, *y = v->results[0];
    ts_status s = ts_neg(v->grads[0], &minus);

    if (s == TS_OK)
        s = ts_mul(y, y, &square);
    if (s == TS_OK)
        s = ts_mul(minus, square, &v->out[TS_RECIPROCAL_SELF]);
    ts_release(minus);
    ts_release(square);
    return s;
}

ts_status tsi_vjp_tanh_backward(tsi_vjp *v) /* G7 */
{
    ts_tensor *g = v->grads[0], *y = v->args[TS_TANH_BACKWARD_OUTPUT].tensor, *twice = NULL, *slope = NULL;
    ts_status s = TS_OK;

    if (v->needs[TS_TANH_BACKWARD_GRAD_OUTPUT])
        TS_TRY(ts_tanh_backward(g, y, &v->out[TS_TANH_BACKWARD_GRAD_OUTPUT]));
    if (!v->needs[TS_TANH_BACKWARD_OUTPUT])
        return TS_OK;
    s = ts_mul_number(y, ts_int(-2), &twice);
    if (s == TS_OK)
        s = ts_mul(twice, v->args[TS_TANH_BACKWARD_GRAD_OUTPUT].tensor, &slope);
    if (s == TS_OK)
        s = ts_mul(g, slope, &v->out[TS_TANH_BACKWARD_OUTPUT]);
    ts_release(twice);
    ts_release(slope);
    return s;
}
