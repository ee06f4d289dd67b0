/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of sigmoid; spec/ops/sigmoid.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/sigmoid_expr.h"
#include "touchstone/ops/sigmoid_glue.h"

ts_status tsi_vjp_sigmoid(tsi_vjp *v) /* G1 */
{
    return ts_sigmoid_backward(v->grads[0], v->results[0], &v->out[TS_SIGMOID_SELF]);
}

ts_status tsi_vjp_sigmoid_backward(tsi_vjp *v) /* G2 */
{
    ts_tensor *g = v->grads[0], *y = v->args[TS_SIGMOID_BACKWARD_OUTPUT].tensor;
    ts_tensor *grad = v->args[TS_SIGMOID_BACKWARD_GRAD_OUTPUT].tensor, *slope;
    tsi_expr e = {0};

    if (v->needs[TS_SIGMOID_BACKWARD_GRAD_OUTPUT])
        TS_TRY(ts_sigmoid_backward(g, y, &v->out[TS_SIGMOID_BACKWARD_GRAD_OUTPUT]));
    if (!v->needs[TS_SIGMOID_BACKWARD_OUTPUT])
        return TS_OK;
    slope = tsx_add_number(&e, tsx_mul_number(&e, y, ts_int(-2)), ts_int(1), NULL);
    slope = tsx_mul(&e, tsx_mul(&e, g, grad), slope);
    return tsi_expr_give(&e, slope, &v->out[TS_SIGMOID_BACKWARD_OUTPUT]);
}
