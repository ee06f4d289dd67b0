/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives that are one formula for all ops of a family. */
#include "family/family.h"

#include "core/body.h"
#include "core/expr.h"
#include "grad/scan.h"
#include "touchstone/element.h"
#include "touchstone/ops/any_expr.h"
#include "touchstone/ops/arange_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/cumsum_expr.h"
#include "touchstone/ops/factories_glue.h"
#include "touchstone/ops/index_select_expr.h"

ts_tensor *tsi_from_the_end(tsi_expr *e, const ts_tensor *like, int64_t n)
{
    const ts_scalar end = ts_int(-1), step = ts_int(-1);
    ts_arange_opts o = ts_arange_defaults();

    o.end = &end;
    o.step = &step;
    o.device = like->device;
    return tsx_arange(e, ts_int(n - 1), &o);
}

ts_tensor *tsi_turned(tsi_expr *e, ts_tensor *g, int64_t dim)
{
    if (e->s != TS_OK)
        return NULL;
    return tsx_index_select(
        e, g, dim, tsi_from_the_end(e, g, g->sizes[dim < 0 ? dim + g->ndim : dim]));
}

ts_tensor *tsi_sums_from_the_end(tsi_expr *e, ts_tensor *g, int64_t dim)
{
    return tsi_turned(e, tsx_cumsum(e, tsi_turned(e, g, dim), dim, NULL), dim);
}

ts_status tsi_may_hold_zero(ts_tensor *t, bool *out)
{
    tsi_expr e = {0};
    ts_tensor *held;

    *out = true;
    if (tsi_of(t)->wrapped || t->device.type == TS_META)
        return TS_OK;
    held = tsx_any(&e, tsx_eq_number(&e, t, ts_int(0)), NULL);
    held = TSI_EXPR(&e, ts_item(held, &e.made));
    if (e.s == TS_OK)
        *out = tse_get_i64(held, 0) != 0;
    return tsi_expr_give(&e, NULL, &held);
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
    ts_tensor *g = v->grads[0];
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
    return tsi_expr_give(&e, tsi_sums_from_the_end(&e, g, dim), &v->out[0]);
}
