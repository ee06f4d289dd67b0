/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of mul; spec/ops/mul.md. */
#include "grad/vjp.h"
#include "touchstone/ops/mul_glue.h"

ts_status tsi_vjp_mul(tsi_vjp *v) /* G1 */
{
    if (v->needs[TS_MUL_SELF])
        TS_TRY(ts_mul(v->grads[0], v->args[TS_MUL_OTHER].tensor, &v->out[TS_MUL_SELF]));
    if (v->needs[TS_MUL_OTHER])
        TS_TRY(ts_mul(v->grads[0], v->args[TS_MUL_SELF].tensor, &v->out[TS_MUL_OTHER]));
    return TS_OK;
}
