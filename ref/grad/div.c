/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of div and floor_divide; spec/ops/div.md. */
#include "grad/vjp.h"
#include "touchstone/ops/div_glue.h"

/* G1: -grad * ((a / b) / b) */
static ts_status for_divisor(ts_tensor *grad, ts_tensor *a, ts_tensor *b, ts_tensor **out)
{
    ts_tensor *q = NULL, *qq = NULL, *minus = NULL;
    ts_status s = ts_div(a, b, NULL, &q);

    if (s == TS_OK)
        s = ts_div(q, b, NULL, &qq);
    if (s == TS_OK)
        s = ts_neg(grad, &minus);
    if (s == TS_OK)
        s = ts_mul(minus, qq, out);
    ts_release(q);
    ts_release(qq);
    ts_release(minus);
    return s;
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
