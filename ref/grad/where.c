/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of where; spec/ops/where.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/where_expr.h"
#include "touchstone/ops/where_glue.h"

ts_status tsi_vjp_where(tsi_vjp *v) /* G1 */
{
    ts_tensor *condition = v->args[TS_WHERE_CONDITION].tensor;
    tsi_expr e = {0};

    if (v->needs[TS_WHERE_SELF])
        TS_TRY(
            ts_where_number(condition, v->grads[0], ts_int(0), &v->out[TS_WHERE_SELF]));
    if (!v->needs[TS_WHERE_OTHER])
        return TS_OK;
    return tsi_expr_give(&e,
                         tsx_where(&e, condition, tsi_number(&e, ts_int(0)), v->grads[0]),
                         &v->out[TS_WHERE_OTHER]);
}
