/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of mul; spec/ops/mul.md. */
#include "grad/vjp.h"
#include "touchstone/ops_glue.h"

ts_status tsi_vjp_mul(tsi_vjp *v) /* G1 */
{
    if (v->needs[0])
        TS_TRY(ts_mul(v->grads[0], v->args[1].tensor, &v->out[0]));
    if (v->needs[1])
        TS_TRY(ts_mul(v->grads[0], v->args[0].tensor, &v->out[1]));
    return TS_OK;
}
