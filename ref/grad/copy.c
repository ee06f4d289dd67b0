/* SPDX-License-Identifier: Apache-2.0 */
/* copy/G1, copy/G2: what is overwritten gets a gradient of zeros. */
#include "touchstone/ops/copy_glue.h"

#include "grad/vjp.h"

static ts_status overwritten(tsi_vjp *v)
{
    return v->needs[TS_COPY_SELF]
               ? ts_zeros_like(v->grads[0], NULL, &v->out[TS_COPY_SELF])
               : TS_OK;
}

ts_status tsi_vjp_copy(tsi_vjp *v)
{
    if (v->needs[TS_COPY_SRC])
        v->out[TS_COPY_SRC] = ts_retain(v->grads[0]);
    return overwritten(v);
}

ts_status tsi_vjp_fill(tsi_vjp *v)
{
    if (v->needs[TS_FILL_VALUE]) /* the engine sums to value's shape */
        v->out[TS_FILL_VALUE] = ts_retain(v->grads[0]);
    return overwritten(v);
}

ts_status tsi_vjp_zero(tsi_vjp *v)
{
    return overwritten(v);
}
