/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of addcmul; spec/ops/addcmul.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/addcmul_glue.h"
#include "touchstone/ops/mul_expr.h"

/* value * grad * factor */
static ts_status scaled(tsi_vjp *v, int arg, ts_tensor *factor)
{
    tsi_expr e = {0};

    if (!v->needs[arg])
        return TS_OK;
    factor = tsx_mul_number(&e, factor, v->args[TS_ADDCMUL_VALUE].scalar);
    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], factor), &v->out[arg]);
}

ts_status tsi_vjp_addcmul(tsi_vjp *v) /* G1 */
{
    if (v->needs[TS_ADDCMUL_SELF])
        v->out[TS_ADDCMUL_SELF] = ts_retain(v->grads[0]);
    TS_TRY(scaled(v, TS_ADDCMUL_TENSOR1, v->args[TS_ADDCMUL_TENSOR2].tensor));
    return scaled(v, TS_ADDCMUL_TENSOR2, v->args[TS_ADDCMUL_TENSOR1].tensor);
}
