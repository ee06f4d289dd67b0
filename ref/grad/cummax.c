/* SPDX-License-Identifier: Apache-2.0 */
/* cummax/G1. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/cummax_glue.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/gather_expr.h"

static ts_status added_up(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_CUMMAX_SELF];
    ts_tensor *g = v->grads[0];
    tsi_expr e = {0};
    ts_tensor *zeros = tsx_new_zeros(&e, g, m->sizes, m->ndim, NULL);

    return tsi_expr_give(
        &e, tsx_scatter_add(&e, zeros, v->args[TS_CUMMAX_DIM].i, v->results[1], g),
        &v->out[TS_CUMMAX_SELF]);
}

ts_status tsi_vjp_cummax(tsi_vjp *v)
{
    return added_up(v);
}

ts_status tsi_vjp_cummin(tsi_vjp *v)
{
    return added_up(v);
}
