/* SPDX-License-Identifier: Apache-2.0 */
/* index_select/G1, index_select/G2. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/index_select_expr.h"
#include "touchstone/ops/index_select_glue.h"
#include "touchstone/ops/mul_expr.h"

ts_status tsi_vjp_index_select(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_INDEX_SELECT_SELF];
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *zeros = tsx_new_zeros(&e, g, m->sizes, m->ndim, NULL);
    ts_tensor *sum = tsx_index_add(&e, zeros, v->args[TS_INDEX_SELECT_DIM].i,
                                   v->args[TS_INDEX_SELECT_INDEX].tensor, g, NULL);

    return tsi_expr_give(&e, sum, &v->out[TS_INDEX_SELECT_SELF]);
}

ts_status tsi_vjp_index_add(tsi_vjp *v)
{
    ts_tensor *g = v->grads[0];

    if (v->needs[TS_INDEX_ADD_SELF])
        v->out[TS_INDEX_ADD_SELF] = ts_retain(g);
    if (v->needs[TS_INDEX_ADD_SOURCE]) {
        tsi_expr e = {0};
        ts_tensor *slices = tsx_index_select(&e, g, v->args[TS_INDEX_ADD_DIM].i,
                                             v->args[TS_INDEX_ADD_INDEX].tensor);

        TS_TRY(tsi_expr_give(
            &e, tsx_mul_number(&e, slices, v->args[TS_INDEX_ADD_ALPHA].scalar),
            &v->out[TS_INDEX_ADD_SOURCE]));
    }
    return TS_OK;
}
