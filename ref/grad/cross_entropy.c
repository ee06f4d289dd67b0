/* SPDX-License-Identifier: Apache-2.0 */
/* cross_entropy/G1, and the derivative of that derivative. */
#include "grad/vjp.h"
#include "touchstone/ops_glue.h"

static ts_tensor *weight_of(const ts_value *v)
{
    return v->kind == TS_ARG_TENSOR ? v->tensor : NULL;
}

ts_status tsi_vjp_nll_loss_forward(tsi_vjp *v)
{
    if (!v->needs[0])
        return TS_OK;
    return ts_nll_loss_backward(v->grads[0], v->args[0].tensor, v->args[1].tensor,
                                weight_of(&v->args[2]), v->args[3].i, v->args[4].i,
                                v->results[1], &v->out[0]);
}

/* Linear in grad_output, and its transpose is the forward; it does not depend on self. */
ts_status tsi_vjp_nll_loss_backward(tsi_vjp *v)
{
    ts_tensor *total;

    if (!v->needs[0])
        return TS_OK;
    TS_TRY(ts_nll_loss_forward(v->grads[0], v->args[2].tensor, weight_of(&v->args[3]),
                               v->args[4].i, v->args[5].i, &v->out[0], &total));
    ts_release(total);
    return TS_OK;
}
