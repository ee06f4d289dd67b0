/* SPDX-License-Identifier: Apache-2.0 */
/* gather/G1, gather/G2. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/gather_expr.h"
#include "touchstone/ops/gather_glue.h"

ts_status tsi_vjp_gather(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_GATHER_SELF];
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *zeros = tsx_new_zeros(&e, g, m->sizes, m->ndim, NULL);

    return tsi_expr_give(&e,
                         tsx_scatter_add(&e, zeros, v->args[TS_GATHER_DIM].i,
                                         v->args[TS_GATHER_INDEX].tensor, g),
                         &v->out[TS_GATHER_SELF]);
}

ts_status tsi_vjp_scatter_add(tsi_vjp *v)
{
    if (v->needs[TS_SCATTER_ADD_SELF])
        v->out[TS_SCATTER_ADD_SELF] = ts_retain(v->grads[0]);
    if (v->needs[TS_SCATTER_ADD_SRC])
        TS_TRY(ts_gather(v->grads[0], v->args[TS_SCATTER_ADD_DIM].i,
                         v->args[TS_SCATTER_ADD_INDEX].tensor,
                         &v->out[TS_SCATTER_ADD_SRC]));
    return TS_OK;
}
