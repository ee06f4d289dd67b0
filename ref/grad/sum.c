/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of sum and mean; spec/ops/sum.md. */
#include "core/expr.h"
#include "grad/reduce.h"
#include "touchstone/ops/sum_glue.h"

ts_status tsi_vjp_sum(tsi_vjp *v) /* G1 */
{
    const tsi_kept_meta *m = &v->arg_meta[TS_SUM_SELF];
    tsi_expr e = {0};
    ts_tensor *grad = TSI_EXPR(&e, tsi_restore_dims(v, v->grads[0], &e.made));
    ts_tensor *wide = TSI_EXPR(&e, ts_expand(grad, m->sizes, m->ndim, NULL, &e.made));

    return tsi_expr_give(&e, wide, &v->out[TS_SUM_SELF]);
}

ts_status tsi_vjp_mean(tsi_vjp *v) /* G2 */
{
    ts_tensor *grad;
    ts_status s;

    TS_TRY(tsi_vjp_sum(v));
    grad = v->out[TS_MEAN_SELF];
    v->out[TS_MEAN_SELF] = NULL;
    s = ts_div_number(grad, ts_int(tsi_reduced_count(v)), NULL, &v->out[TS_MEAN_SELF]);
    ts_release(grad);
    return s;
}
