/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of where; spec/ops/where.md. */
#include "grad/vjp.h"
#include "touchstone/ops/where_glue.h"

ts_status tsi_vjp_where(tsi_vjp *v) /* G1 */
{
    ts_tensor *condition = v->args[TS_WHERE_CONDITION].tensor, *zero;
    ts_status s;

    if (v->needs[TS_WHERE_SELF])
        TS_TRY(ts_where_number(condition, v->grads[0], ts_int(0), &v->out[TS_WHERE_SELF]));
    if (!v->needs[TS_WHERE_OTHER])
        return TS_OK;
    TS_TRY(ts_wrapped_number(ts_int(0), &zero));
    s = ts_where(condition, zero, v->grads[0], &v->out[TS_WHERE_OTHER]);
    ts_release(zero);
    return s;
}
