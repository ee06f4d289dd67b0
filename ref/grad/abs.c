/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of abs, sgn and sign; spec/ops/abs.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/abs_expr.h"
#include "touchstone/ops/abs_glue.h"
#include "touchstone/ops/factories.h"
#include "touchstone/ops/mul_expr.h"

ts_status tsi_vjp_abs(tsi_vjp *v) /* G1 */
{
    tsi_expr e = {0};
    ts_tensor *sign = tsx_sgn(&e, v->args[TS_ABS_SELF].tensor);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], sign), &v->out[TS_ABS_SELF]);
}

ts_status tsi_vjp_sgn(tsi_vjp *v) /* G2 */
{
    const tsi_kept_meta *self = &v->arg_meta[TS_SGN_SELF];

    return ts_new_zeros(v->grads[0], self->sizes, self->ndim, NULL, &v->out[TS_SGN_SELF]);
}

ts_status tsi_vjp_sign(tsi_vjp *v) /* G3 */
{
    return ts_zeros_like(v->grads[0], NULL, &v->out[TS_SIGN_SELF]);
}
