/* SPDX-License-Identifier: Apache-2.0 */
/* expand/G1, expand/G2. */
#include "touchstone/ops.h"
#include "touchstone/ops_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_expand(tsi_vjp *v)
{
    v->out[0] = ts_retain(v->grads[0]); /* the engine sums to self's shape */
    return TS_OK;
}

ts_status tsi_vjp_unsqueeze(tsi_vjp *v)
{
    return ts_reshape(v->grads[0], v->arg_meta[0].sizes, v->arg_meta[0].ndim, &v->out[0]);
}

ts_status tsi_vjp_squeeze(tsi_vjp *v)
{
    return tsi_vjp_unsqueeze(v);
}
