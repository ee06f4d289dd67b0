/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of relu and threshold_backward; spec/ops/relu.md. */
#include "grad/vjp.h"
#include "touchstone/ops/relu_glue.h"

ts_status tsi_vjp_relu(tsi_vjp *v) /* G1 */
{
    return ts_threshold_backward(v->grads[0], v->results[0], ts_int(0),
                                 &v->out[TS_RELU_SELF]);
}

ts_status tsi_vjp_threshold_backward(tsi_vjp *v) /* G2 */
{
    if (v->needs[TS_THRESHOLD_BACKWARD_SELF])
        TS_TRY(ts_zeros_like(v->grads[0], NULL, &v->out[TS_THRESHOLD_BACKWARD_SELF]));
    if (!v->needs[TS_THRESHOLD_BACKWARD_GRAD_OUTPUT])
        return TS_OK;
    return ts_threshold_backward(v->grads[0], v->args[TS_THRESHOLD_BACKWARD_SELF].tensor,
                                 v->args[TS_THRESHOLD_BACKWARD_THRESHOLD].scalar,
                                 &v->out[TS_THRESHOLD_BACKWARD_GRAD_OUTPUT]);
}
