/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of sum and mean; spec/ops/sum.md. */
#include "core/expr.h"
#include "grad/reduce.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/sum_glue.h"

static ts_tensor *spread(tsi_expr *e, const tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[0];
    ts_tensor *grad = TSI_EXPR(e, tsi_restore_dims(v, v->grads[0], &e->made));

    return tsx_expand(e, grad, m->sizes, m->ndim, NULL);
}

ts_status tsi_vjp_sum(tsi_vjp *v) /* G1 */
{
    tsi_expr e = {0};

    return tsi_expr_give(&e, spread(&e, v), &v->out[TS_SUM_SELF]);
}

ts_status tsi_vjp_mean(tsi_vjp *v) /* G2 */
{
    const ts_scalar count = ts_int(tsi_reduced_count(v));
    tsi_expr e = {0};

    return tsi_expr_give(&e, tsx_div_number(&e, spread(&e, v), count, NULL),
                         &v->out[TS_MEAN_SELF]);
}
