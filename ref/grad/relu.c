/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of relu and threshold_backward; spec/ops/relu.md. */
#include "grad/vjp.h"
#include "touchstone/ops_glue.h"

ts_status tsi_vjp_relu(tsi_vjp *v) /* G1 */
{
    return ts_threshold_backward(v->grads[0], v->results[0], ts_int(0), &v->out[0]);
}

ts_status tsi_vjp_threshold_backward(tsi_vjp *v) /* G2 */
{
    if (!v->needs[0])
        return TS_OK;
    return ts_threshold_backward(v->grads[0], v->args[1].tensor, v->args[2].scalar,
                                 &v->out[0]);
}
