/* SPDX-License-Identifier: Apache-2.0 */
/* sort/G1. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/gather_expr.h"
#include "touchstone/ops/sort_glue.h"

ts_status tsi_vjp_sort(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_SORT_SELF];
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    /* Each place gets one element; added to -0.0 it keeps its sign. */
    ts_tensor *zeros = tsx_new_full(&e, g, m->sizes, m->ndim, ts_float(-0.0), NULL);

    return tsi_expr_give(
        &e, tsx_scatter_add(&e, zeros, v->args[TS_SORT_DIM].i, v->results[1], g),
        &v->out[TS_SORT_SELF]);
}
