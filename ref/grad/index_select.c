/* SPDX-License-Identifier: Apache-2.0 */
/* index_select/G1, index_select/G2. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops_glue.h"

ts_status tsi_vjp_index_select(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[0];
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *zeros = TSI_EXPR(&e, ts_new_zeros(g, m->sizes, m->ndim, NULL, &e.made));
    ts_tensor *sum = TSI_EXPR(
        &e, ts_index_add(zeros, v->args[1].i, v->args[2].tensor, g, NULL, &e.made));

    return tsi_expr_give(&e, sum, &v->out[0]);
}

ts_status tsi_vjp_index_add(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];

    if (v->needs[0])
        v->out[0] = ts_retain(g);
    if (v->needs[3]) {
        tsi_expr e = {0};
        ts_tensor *slices =
            TSI_EXPR(&e, ts_index_select(g, v->args[1].i, v->args[2].tensor, &e.made));

        TS_TRY(tsi_expr_give(&e, tsi_mul(&e, slices, tsi_number(&e, v->args[4].scalar)),
                             &v->out[3]));
    }
    return TS_OK;
}
