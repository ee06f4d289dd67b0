/* SPDX-License-Identifier: Apache-2.0 */
/* copy/G1, copy/G2: what is overwritten gets no gradient (out[0] stays NULL). */
#include "touchstone/ops_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_copy(tsi_vjp *v)
{
    if (v->needs[1])
        v->out[1] = ts_retain(v->grads[0]);
    return TS_OK;
}

ts_status tsi_vjp_fill(tsi_vjp *v)
{
    if (v->needs[1]) /* the engine sums to value's shape */
        v->out[1] = ts_retain(v->grads[0]);
    return TS_OK;
}

ts_status tsi_vjp_zero(tsi_vjp *v)
{
    (void)v;
    return TS_OK;
}
