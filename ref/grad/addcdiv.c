/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of addcdiv; spec/ops/addcdiv.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/addcdiv_glue.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/unary_expr.h"

ts_status tsi_vjp_addcdiv(tsi_vjp *v) /* G1 */
{
    const ts_scalar value = v->args[TS_ADDCDIV_VALUE].scalar;
    ts_tensor *a = v->args[TS_ADDCDIV_TENSOR1].tensor,
              *b = v->args[TS_ADDCDIV_TENSOR2].tensor, *g = v->grads[0], *slope;
    tsi_expr e = {0}, f = {0};

    if (v->needs[TS_ADDCDIV_SELF])
        v->out[TS_ADDCDIV_SELF] = ts_retain(g);
    if (v->needs[TS_ADDCDIV_TENSOR1]) {
        slope = tsx_mul_number(&e, tsx_reciprocal(&e, b), value);
        TS_TRY(tsi_expr_give(&e, tsx_mul(&e, g, slope), &v->out[TS_ADDCDIV_TENSOR1]));
    }
    if (!v->needs[TS_ADDCDIV_TENSOR2])
        return TS_OK;
    slope = tsx_div(&f, tsx_mul_number(&f, a, value), tsx_mul(&f, b, b), NULL);
    return tsi_expr_give(&f, tsx_mul(&f, tsx_neg(&f, g), slope),
                         &v->out[TS_ADDCDIV_TENSOR2]);
}
