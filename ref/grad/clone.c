/* SPDX-License-Identifier: Apache-2.0 */
/* clone/G1. */
#include "touchstone/ops/clone_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_clone(tsi_vjp *v)
{
    v->out[TS_CLONE_SELF] = ts_retain(v->grads[0]);
    return TS_OK;
}
