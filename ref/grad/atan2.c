/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of atan2; spec/ops/atan2.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/atan2_glue.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/unary_expr.h"
#include "touchstone/ops/where_expr.h"

/* grad * (by / (self² + other²)) */
static ts_status over_square(tsi_vjp *v, int arg, tsi_expr *e, ts_tensor *by)
{
    ts_tensor *y = v->args[TS_ATAN2_SELF].tensor, *x = v->args[TS_ATAN2_OTHER].tensor;
    ts_tensor *square = tsx_add(e, tsx_mul(e, y, y), tsx_mul(e, x, x), NULL);
    ts_tensor *far = tsx_ne_number(e, square, ts_int(0));
    ts_tensor *r = tsx_where_number(e, far, tsx_reciprocal(e, square), ts_int(0));

    return tsi_expr_give(e, tsx_mul(e, v->grads[0], tsx_mul(e, by, r)), &v->out[arg]);
}

ts_status tsi_vjp_atan2(tsi_vjp *v) /* G1 */
{
    tsi_expr e = {0}, f = {0};

    if (v->needs[TS_ATAN2_SELF])
        TS_TRY(over_square(v, TS_ATAN2_SELF, &e, v->args[TS_ATAN2_OTHER].tensor));
    if (v->needs[TS_ATAN2_OTHER])
        TS_TRY(over_square(v, TS_ATAN2_OTHER, &f,
                           tsx_neg(&f, v->args[TS_ATAN2_SELF].tensor)));
    return TS_OK;
}
