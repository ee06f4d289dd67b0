/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of what picks elements. */
#include "grad/reduce.h"

#include "core/expr.h"
#include "touchstone/ops/arange_expr.h"
#include "touchstone/ops/classify_expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/logical_expr.h"
#include "touchstone/ops/sum_expr.h"
#include "touchstone/ops/view_expr.h"
#include "touchstone/ops/where_expr.h"

ts_status tsi_to_where_they_stood(tsi_vjp *v, int64_t dim, bool keepdim,
                                  ts_tensor *indices)
{
    const tsi_kept_meta *m = &v->arg_meta[0];
    const int at = (int)(dim < 0 ? dim + m->ndim : dim);
    ts_arange_opts o = ts_arange_defaults();
    int64_t sizes[TS_MAX_DIMS];
    tsi_expr e = {0};
    ts_tensor *g, *picked, *positions;

    if (m->ndim == 0) {
        v->out[0] = ts_retain(v->grads[0]);
        return TS_OK;
    }
    for (int d = 0; d < m->ndim; d++)
        sizes[d] = d == at ? m->sizes[d] : 1;
    o.device = m->device;
    positions = tsx_view(&e, tsx_arange(&e, ts_int(m->sizes[at]), &o), sizes, m->ndim);
    g = TSI_EXPR(&e, tsi_restore_dim(v, v->grads[0], dim, keepdim, &e.made));
    picked = TSI_EXPR(&e, tsi_restore_dim(v, indices, dim, keepdim, &e.made));
    return tsi_expr_give(
        &e, tsx_where_number(&e, tsx_eq(&e, picked, positions), g, ts_int(0)),
        &v->out[0]);
}

ts_status tsi_share_among_equals(tsi_vjp *v)
{
    ts_tensor *x = v->args[0].tensor, *y = v->results[0];
    tsi_expr e = {0};
    ts_tensor *mask = tsx_logical_or(
        &e, tsx_eq(&e, x, y), tsx_logical_and(&e, tsx_isnan(&e, x), tsx_isnan(&e, y)));
    ts_tensor *share = tsx_div(&e, v->grads[0], tsx_sum(&e, mask, NULL), NULL);

    /* contiguous, as PyTorch's zeros are which it fills */
    mask = tsx_contiguous(&e, mask, NULL);
    return tsi_expr_give(&e, tsx_where_number(&e, mask, share, ts_int(0)), &v->out[0]);
}
