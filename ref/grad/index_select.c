/* SPDX-License-Identifier: Apache-2.0 */
/* index_select/G1, index_select/G2. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/index_select_glue.h"

ts_status tsi_vjp_index_select(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_INDEX_SELECT_SELF];
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *zeros = TSI_EXPR(&e, ts_new_zeros(g, m->sizes, m->ndim, NULL, &e.made));
    ts_tensor *sum = TSI_EXPR(
        &e, ts_index_add(zeros, v->args[TS_INDEX_SELECT_DIM].i, v->args[TS_INDEX_SELECT_INDEX].tensor, g, NULL, &e.made));

    return tsi_expr_give(&e, sum, &v->out[TS_INDEX_SELECT_SELF]);
}

ts_status tsi_vjp_index_add(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];

    if (v->needs[TS_INDEX_ADD_SELF])
        v->out[TS_INDEX_ADD_SELF] = ts_retain(g);
    if (v->needs[TS_INDEX_ADD_SOURCE]) {
        tsi_expr e = {0};
        ts_tensor *slices =
            TSI_EXPR(&e, ts_index_select(g, v->args[TS_INDEX_ADD_DIM].i, v->args[TS_INDEX_ADD_INDEX].tensor, &e.made));

        TS_TRY(tsi_expr_give(&e, tsi_mul(&e, slices, tsi_number(&e, v->args[TS_INDEX_ADD_ALPHA].scalar)),
                             &v->out[TS_INDEX_ADD_SOURCE]));
    }
    return TS_OK;
}
