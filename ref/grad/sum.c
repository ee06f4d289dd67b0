/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of sum and mean; spec/ops/sum.md. */
#include "grad/reduce.h"
#include "touchstone/ops/sum_glue.h"

ts_status tsi_vjp_sum(tsi_vjp *v) /* G1 */
{
    const tsi_kept_meta *m = &v->arg_meta[TS_SUM_SELF];
    ts_tensor *grad;
    ts_status s;

    TS_TRY(tsi_restore_dims(v, v->grads[0], &grad));
    s = ts_expand(grad, m->sizes, m->ndim, NULL, &v->out[TS_SUM_SELF]);
    ts_release(grad);
    return s;
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
