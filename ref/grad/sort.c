/* SPDX-License-Identifier: Apache-2.0 */
/* sort/G1. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/sort_glue.h"

ts_status tsi_vjp_sort(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_SORT_SELF];
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *zeros = TSI_EXPR(&e, ts_new_zeros(g, m->sizes, m->ndim, NULL, &e.made));

    return tsi_expr_give(
        &e, TSI_EXPR(&e, ts_scatter_add(zeros, v->args[TS_SORT_DIM].i, v->results[1], g, &e.made)),
        &v->out[TS_SORT_SELF]);
}
