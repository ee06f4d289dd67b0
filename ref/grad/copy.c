/* SPDX-License-Identifier: Apache-2.0 */
/* copy/G1, copy/G2: what is overwritten gets a gradient of zeros. */
#include "touchstone/ops_glue.h"

#include "grad/vjp.h"

static ts_status overwritten(tsi_vjp *v)
{
    return v->needs[0] ? ts_zeros_like(v->grads[0], NULL, &v->out[0]) : TS_OK;
}

ts_status tsi_vjp_copy(tsi_vjp *v)
{
    if (v->needs[1])
        v->out[1] = ts_retain(v->grads[0]);
    return overwritten(v);
}

ts_status tsi_vjp_fill(tsi_vjp *v)
{
    if (v->needs[1]) /* the engine sums to value's shape */
        v->out[1] = ts_retain(v->grads[0]);
    return overwritten(v);
}

ts_status tsi_vjp_zero(tsi_vjp *v)
{
    return overwritten(v);
}
