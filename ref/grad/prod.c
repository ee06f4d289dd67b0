/* SPDX-License-Identifier: Apache-2.0 */
/* prod/G1 and G2. */
#include "grad/reduce.h"
#include "grad/scan.h"
#include "touchstone/ops/cat_expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/cumprod_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/prod_glue.h"
#include "touchstone/ops/slice_expr.h"
#include "touchstone/ops/sum_expr.h"
#include "touchstone/ops/view_expr.h"
#include "touchstone/ops/where_expr.h"

/* The running products of x along dim without the element itself: 1, x0, x0 x1, … */
static ts_tensor *of_those_before(tsi_expr *e, ts_tensor *x, int64_t dim, int64_t n)
{
    ts_cat_opts o = ts_cat_defaults();
    ts_tensor *parts[2];

    parts[1] = tsx_narrow(e, x, dim, 0, n - 1);
    parts[0] = tsx_full_like(e, tsx_narrow(e, x, dim, 0, 1), ts_float(1), NULL);
    o.dim = dim;
    return e->s == TS_OK ? tsx_cumprod(e, tsx_cat(e, parts, 2, &o), dim, NULL) : NULL;
}

/* G2 */
static ts_tensor *without_each(tsi_expr *e, ts_tensor *g, ts_tensor *x, int64_t dim)
{
    const int64_t n = x->sizes[dim < 0 ? dim + x->ndim : dim];
    ts_tensor *before, *behind;

    if (n == 1)
        return tsx_mul(e, g, tsx_full_like(e, x, ts_float(1), NULL));
    before = of_those_before(e, x, dim, n);
    behind = tsi_turned(e, of_those_before(e, tsi_turned(e, x, dim), dim, n), dim);
    return tsx_mul(e, g, tsx_mul(e, before, behind));
}

ts_status tsi_vjp_prod(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_PROD_SELF];
    const int64_t flat = -1;
    ts_tensor *g = v->grads[0], *x, *zeros, *y, *in_a_row;
    tsi_expr e = {0};
    bool zero;

    x = tsi_cast(&e, v->args[TS_PROD_SELF].tensor, g->dtype);
    if (m->ndim == 0)
        return tsi_expr_give(&e, tsx_clone(&e, g, NULL), &v->out[TS_PROD_SELF]);
    if (e.s != TS_OK || (e.s = tsi_may_hold_zero(x, &zero)) != TS_OK)
        return tsi_expr_give(&e, NULL, NULL);
    if (!zero || x->numel == 0)
        return tsi_expr_give(&e, tsx_mul(&e, g, tsx_div(&e, v->results[0], x, NULL)),
                             &v->out[TS_PROD_SELF]);
    in_a_row = tsx_reshape(&e, x, &flat, 1);
    y = tsx_view(&e, without_each(&e, g, in_a_row, 0), m->sizes, m->ndim);
    zeros = tsx_sum(&e, tsx_eq_number(&e, x, ts_int(0)), NULL);
    y = tsx_where(&e, tsx_gt_number(&e, zeros, ts_int(1)),
                  tsx_full_like(&e, y, ts_float(0), NULL), y);
    return tsi_expr_give(&e, y, &v->out[TS_PROD_SELF]);
}

ts_status tsi_vjp_prod_dim(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_PROD_DIM_SELF];
    tsi_expr e = {0};
    ts_tensor *g, *y, *x;
    bool zero;

    if (m->ndim == 0)
        return tsi_expr_give(&e, tsx_clone(&e, v->grads[0], NULL),
                             &v->out[TS_PROD_DIM_SELF]);
    x = tsi_cast(&e, v->args[TS_PROD_DIM_SELF].tensor, v->grads[0]->dtype);
    if (e.s != TS_OK || (e.s = tsi_may_hold_zero(x, &zero)) != TS_OK)
        return tsi_expr_give(&e, NULL, NULL);
    g = TSI_EXPR(&e, tsi_restore_dims(v, v->grads[0], &e.made));
    if (zero && x->numel > 0)
        return tsi_expr_give(&e, without_each(&e, g, x, v->args[TS_PROD_DIM_DIM].i),
                             &v->out[TS_PROD_DIM_SELF]);
    y = TSI_EXPR(&e, tsi_restore_dims(v, v->results[0], &e.made));
    return tsi_expr_give(&e, tsx_mul(&e, g, tsx_div(&e, y, x, NULL)),
                         &v->out[TS_PROD_DIM_SELF]);
}
