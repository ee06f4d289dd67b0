/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of nan_to_num; spec/ops/nan_to_num.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/classify_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/nan_to_num_glue.h"

ts_status tsi_vjp_nan_to_num(tsi_vjp *v) /* G1 */
{
    tsi_expr e = {0};
    ts_tensor *finite = tsx_isfinite(&e, v->args[TS_NAN_TO_NUM_SELF].tensor);

    return tsi_expr_give(&e, tsx_mul(&e, v->grads[0], finite), &v->out[0]);
}
