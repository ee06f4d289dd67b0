/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of where; spec/ops/where.md. */
#include "grad/vjp.h"
#include "touchstone/ops_glue.h"

ts_status tsi_vjp_where(tsi_vjp *v) /* G1 */
{
    ts_tensor *condition = v->args[0].tensor, *zero;
    ts_status s;

    if (v->needs[1])
        TS_TRY(ts_where_number(condition, v->grads[0], ts_int(0), &v->out[1]));
    if (!v->needs[2])
        return TS_OK;
    TS_TRY(ts_wrapped_number(ts_int(0), &zero));
    s = ts_where(condition, zero, v->grads[0], &v->out[2]);
    ts_release(zero);
    return s;
}
