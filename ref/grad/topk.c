/* SPDX-License-Identifier: Apache-2.0 */
/* topk/G1. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/gather_expr.h"
#include "touchstone/ops/topk_glue.h"
#include "touchstone/ops/where_expr.h"

ts_status tsi_vjp_topk(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_TOPK_SELF];
    const int64_t dim = v->args[TS_TOPK_DIM].i;
    ts_tensor *g = v->grads[0], *at = v->results[1], *moved, *taken;
    tsi_expr e = {0};

    if (m->ndim == 0) {
        v->out[TS_TOPK_SELF] = ts_retain(g);
        return TS_OK;
    }
    /* a place that is taken gets one element, and added to -0.0 that keeps its sign */
    moved = tsx_scatter_add(
        &e, tsx_new_full(&e, g, m->sizes, m->ndim, ts_float(-0.0), NULL), dim, at, g);
    taken = tsx_scatter_add(&e, tsx_new_zeros(&e, at, m->sizes, m->ndim, NULL), dim, at,
                            tsx_full_like(&e, at, ts_int(1), NULL));
    return tsi_expr_give(
        &e, tsx_where_number(&e, tsx_eq_number(&e, taken, ts_int(1)), moved, ts_int(0)),
        &v->out[TS_TOPK_SELF]);
}
