/* SPDX-License-Identifier: Apache-2.0 */
/* cross_entropy/G1, and the derivative of that derivative. */
#include "grad/vjp.h"
#include "touchstone/ops/cross_entropy_glue.h"

static ts_tensor *weight_of(const ts_value *v)
{
    return v->kind == TS_ARG_TENSOR ? v->tensor : NULL;
}

ts_status tsi_vjp_nll_loss_forward(tsi_vjp *v)
{
    if (!v->needs[TS_NLL_LOSS_FORWARD_SELF])
        return TS_OK;
    return ts_nll_loss_backward(v->grads[0], v->args[TS_NLL_LOSS_FORWARD_SELF].tensor,
                                v->args[TS_NLL_LOSS_FORWARD_TARGET].tensor,
                                weight_of(&v->args[TS_NLL_LOSS_FORWARD_WEIGHT]),
                                v->args[TS_NLL_LOSS_FORWARD_REDUCTION].i,
                                v->args[TS_NLL_LOSS_FORWARD_IGNORE_INDEX].i,
                                v->results[1], &v->out[TS_NLL_LOSS_FORWARD_SELF]);
}

/* Linear in grad_output, and its transpose is the forward; it does not depend on self. */
ts_status tsi_vjp_nll_loss_backward(tsi_vjp *v)
{
    ts_tensor *total;

    if (!v->needs[TS_NLL_LOSS_BACKWARD_GRAD_OUTPUT])
        return TS_OK;
    TS_TRY(ts_nll_loss_forward(v->grads[0], v->args[TS_NLL_LOSS_BACKWARD_TARGET].tensor,
                               weight_of(&v->args[TS_NLL_LOSS_BACKWARD_WEIGHT]),
                               v->args[TS_NLL_LOSS_BACKWARD_REDUCTION].i,
                               v->args[TS_NLL_LOSS_BACKWARD_IGNORE_INDEX].i,
                               &v->out[TS_NLL_LOSS_BACKWARD_GRAD_OUTPUT], &total));
    ts_release(total);
    return TS_OK;
}
