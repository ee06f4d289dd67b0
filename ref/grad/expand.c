/* SPDX-License-Identifier: Apache-2.0 */
/* expand/G1, expand/G2. */
#include "touchstone/ops.h"
#include "touchstone/ops/expand_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_expand(tsi_vjp *v)
{
    if (v->arg_meta[TS_EXPAND_SELF].ndim == 0) /* a sum, even of a single element */
        return ts_sum(v->grads[0], NULL, &v->out[TS_EXPAND_SELF]);
    v->out[TS_EXPAND_SELF] = ts_retain(v->grads[0]); /* the engine sums to self's shape */
    return TS_OK;
}

ts_status tsi_vjp_unsqueeze(tsi_vjp *v)
{
    return ts_reshape(v->grads[0], v->arg_meta[TS_UNSQUEEZE_SELF].sizes,
                      v->arg_meta[TS_UNSQUEEZE_SELF].ndim, &v->out[TS_UNSQUEEZE_SELF]);
}

ts_status tsi_vjp_squeeze(tsi_vjp *v)
{
    if (v->grads[0]->ndim ==
        v->arg_meta[TS_SQUEEZE_SELF].ndim) { /* nothing was squeezed */
        v->out[TS_SQUEEZE_SELF] = ts_retain(v->grads[0]);
        return TS_OK;
    }
    return tsi_vjp_unsqueeze(v);
}
