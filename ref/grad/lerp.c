/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of lerp; spec/ops/lerp.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/lerp_glue.h"
#include "touchstone/ops/mul_expr.h"

ts_status tsi_vjp_lerp(tsi_vjp *v) /* G1 */
{
    ts_tensor *grad = v->grads[0], *self = v->args[TS_LERP_SELF].tensor,
              *end = v->args[TS_LERP_END].tensor,
              *weight = v->args[TS_LERP_WEIGHT].tensor;
    tsi_expr e = {0}, f = {0};

    if (v->needs[TS_LERP_SELF]) {
        ts_tensor *w = ts_is_wrapped_number(weight) && weight->dtype == TS_BOOL
                           ? tsi_cast(&e, weight, TS_INT64)
                           : weight;
        ts_tensor *rest = tsx_rsub_number(&e, w, ts_int(1), NULL);

        TS_TRY(tsi_expr_give(&e, tsx_mul(&e, grad, rest), &v->out[TS_LERP_SELF]));
    }
    if (v->needs[TS_LERP_END])
        TS_TRY(ts_mul(grad, weight, &v->out[TS_LERP_END]));
    if (!v->needs[TS_LERP_WEIGHT])
        return TS_OK;
    return tsi_expr_give(&f, tsx_mul(&f, grad, tsx_sub(&f, end, self, NULL)),
                         &v->out[TS_LERP_WEIGHT]);
}
