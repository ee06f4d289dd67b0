/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives that are one formula for all ops of a family. */
#include "family/family.h"

#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/arange_expr.h"
#include "touchstone/ops/cumsum_expr.h"
#include "touchstone/ops/factories_glue.h"
#include "touchstone/ops/index_select_expr.h"

/* n - 1 to 0, on the device of `like`: what index_select turns a dim round by. */
static ts_tensor *from_the_end(tsi_expr *e, const ts_tensor *like, int64_t n)
{
    const ts_scalar end = ts_int(-1), step = ts_int(-1);
    ts_arange_opts o = ts_arange_defaults();

    o.end = &end;
    o.step = &step;
    o.device = like->device;
    return tsx_arange(e, ts_int(n - 1), &o);
}

/* In place, where the result is one of two numbers whatever is near. */
ts_status tsi_family_vjp_comparison(tsi_vjp *v)
{
    for (int i = 0; i < 2; i++)
        if (v->needs[i])
            TS_TRY(ts_new_zeros(v->grads[0], v->arg_meta[i].sizes, v->arg_meta[i].ndim,
                                NULL, &v->out[i]));
    return TS_OK;
}

/* Where each element adds to all after it, each gets the gradients of all after it. */
ts_status tsi_family_vjp_scan(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[0];
    const int64_t dim = v->args[1].i;
    tsi_expr e = {0};
    ts_tensor *g = v->grads[0], *order, *turned, *sums;
    const bool alone = /* nothing was added */
        m->ndim == 0 || g->numel <= 1 || g->sizes[dim < 0 ? dim + m->ndim : dim] == 1;

    if (alone && g->dtype == m->dtype) {
        v->out[0] = ts_retain(g);
        return TS_OK;
    }
    if (g->dtype != m->dtype)
        g = tsi_cast(&e, g, m->dtype);
    if (alone)
        return tsi_expr_give(&e, g, &v->out[0]);
    order = from_the_end(&e, v->grads[0], m->sizes[dim < 0 ? dim + m->ndim : dim]);
    turned = tsx_index_select(&e, g, dim, order);
    sums = tsx_cumsum(&e, turned, dim, NULL);
    return tsi_expr_give(&e, tsx_index_select(&e, sums, dim, order), &v->out[0]);
}
