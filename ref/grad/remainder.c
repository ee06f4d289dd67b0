/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of remainder and fmod; spec/ops/remainder.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/remainder_glue.h"
#include "touchstone/ops/unary_expr.h"

/* G1 */
static ts_status of_quotient(tsi_vjp *v, const char *rounding_mode)
{
    tsi_expr e = {0};
    ts_div_opts o = ts_div_defaults();
    ts_tensor *quotient;

    if (v->needs[0])
        v->out[0] = ts_retain(v->grads[0]);
    if (!v->needs[1])
        return TS_OK;
    TS_CHECK(!ts_is_wrapped_number(v->args[0].tensor), TS_ERR_RUNTIME, "remainder/C4",
             "%s: the derivative of a number's remainder is not implemented",
             v->op->name);
    o.rounding_mode = rounding_mode;
    quotient = tsx_div(&e, v->args[0].tensor, v->args[1].tensor, &o);
    return tsi_expr_give(&e, tsx_mul(&e, tsx_neg(&e, v->grads[0]), quotient), &v->out[1]);
}

ts_status tsi_vjp_remainder(tsi_vjp *v)
{
    return of_quotient(v, "floor");
}

ts_status tsi_vjp_fmod(tsi_vjp *v)
{
    return of_quotient(v, "trunc");
}
