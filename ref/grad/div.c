/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of div and floor_divide; spec/ops/div.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/div_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/unary_expr.h"

/* G1: -grad * ((a / b) / b) */
static ts_status for_divisor(ts_tensor *grad, ts_tensor *a, ts_tensor *b, ts_tensor **out)
{
    tsi_expr e = {0};
    ts_tensor *slope = tsx_div(&e, tsx_div(&e, a, b, NULL), b, NULL);

    return tsi_expr_give(&e, tsx_mul(&e, tsx_neg(&e, grad), slope), out);
}

ts_status tsi_vjp_div(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0], *b = v->args[TS_DIV_OTHER].tensor;

    if (v->args[TS_DIV_ROUNDING_MODE].kind == TS_ARG_STRING) { /* G2 */
        for (int k = 0; k < 2; k++)
            if (v->needs[k])
                TS_TRY(ts_zeros_like(g, NULL, &v->out[k]));
        return TS_OK;
    }
    if (v->needs[TS_DIV_SELF])
        TS_TRY(ts_div(g, b, NULL, &v->out[TS_DIV_SELF]));
    if (v->needs[TS_DIV_OTHER])
        TS_TRY(for_divisor(g, v->args[TS_DIV_SELF].tensor, b, &v->out[TS_DIV_OTHER]));
    return TS_OK;
}

ts_status tsi_vjp_floor_divide(tsi_vjp *v)
{
    return ts_fail(TS_ERR_RUNTIME, "div/G3", "%s: the derivative is not implemented",
                   v->op->name);
}
