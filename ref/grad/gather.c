/* SPDX-License-Identifier: Apache-2.0 */
/* gather/G1, gather/G2. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops_glue.h"

ts_status tsi_vjp_gather(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[0];
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *zeros = TSI_EXPR(&e, ts_new_zeros(g, m->sizes, m->ndim, NULL, &e.made));

    return tsi_expr_give(
        &e,
        TSI_EXPR(&e, ts_scatter_add(zeros, v->args[1].i, v->args[2].tensor, g, &e.made)),
        &v->out[0]);
}

ts_status tsi_vjp_scatter_add(tsi_vjp *v)
{
    if (v->needs[0])
        v->out[0] = ts_retain(v->grads[0]);
    if (v->needs[3])
        TS_TRY(ts_gather(v->grads[0], v->args[1].i, v->args[2].tensor, &v->out[3]));
    return TS_OK;
}
