/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of add, sub, rsub: grad and alpha * grad; spec/ops/add.md. */
#include "grad/vjp.h"
#include "touchstone/ops/add_glue.h"

/* sign * alpha * grad, without a multiplication where that is grad itself */
static ts_status scaled(ts_tensor *grad, ts_scalar alpha, int sign, ts_tensor **out)
{
    if (ts_scalar_f64(alpha) == 1) {
        if (sign < 0)
            return ts_neg(grad, out);
        *out = ts_retain(grad);
        return TS_OK;
    }
    if (alpha.kind == TS_SCALAR_FLOAT)
        alpha.f *= sign;
    else
        alpha = ts_int(sign < 0 ? (int64_t) - (uint64_t)alpha.i : alpha.i);
    return ts_mul_number(grad, alpha, out);
}

static ts_status scaled_sum(tsi_vjp *v, int plain, int with_alpha, int sign)
{
    if (v->needs[plain])
        v->out[plain] = ts_retain(v->grads[0]);
    if (v->needs[with_alpha])
        TS_TRY(
            scaled(v->grads[0], v->args[TS_ADD_ALPHA].scalar, sign, &v->out[with_alpha]));
    return TS_OK;
}

ts_status tsi_vjp_add(tsi_vjp *v) /* G1 */
{
    return scaled_sum(v, 0, 1, 1);
}

ts_status tsi_vjp_sub(tsi_vjp *v) /* G1 */
{
    return scaled_sum(v, 0, 1, -1);
}

ts_status tsi_vjp_rsub(tsi_vjp *v) /* G2 */
{
    return scaled_sum(v, 1, 0, -1);
}
