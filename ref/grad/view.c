/* SPDX-License-Identifier: Apache-2.0 */
/* view/G1. */
#include "touchstone/ops/view_glue.h"

#include "grad/vjp.h"

ts_status tsi_vjp_view(tsi_vjp *v)
{
    return ts_reshape(v->grads[0], v->arg_meta[TS_VIEW_SELF].sizes,
                      v->arg_meta[TS_VIEW_SELF].ndim, &v->out[TS_VIEW_SELF]);
}

ts_status tsi_vjp__reshape_copy(tsi_vjp *v)
{
    return tsi_vjp_view(v);
}
