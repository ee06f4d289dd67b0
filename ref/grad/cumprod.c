/* SPDX-License-Identifier: Apache-2.0 */
/* cumprod/G1 to G3. */
#include <stdlib.h>

#include "grad/scan.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/any_expr.h"
#include "touchstone/ops/argmax_expr.h"
#include "touchstone/ops/cat_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/cumprod_expr.h"
#include "touchstone/ops/cumprod_glue.h"
#include "touchstone/ops/cumsum_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/gather_expr.h"
#include "touchstone/ops/logical_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/relu_expr.h"
#include "touchstone/ops/slice_expr.h"
#include "touchstone/ops/where_expr.h"

/* --- with a zero in a line ---------------------------------------------------------- */

/* What dim's first `true` stands behind: the product of all before it. */
static ts_tensor *before_first(tsi_expr *e, ts_tensor *y, ts_tensor *first, int64_t dim)
{
    ts_argmax_opts o = ts_argmax_defaults();
    ts_tensor *at, *there;

    o.dim = &dim;
    o.keepdim = true;
    at = tsx_argmax(e, tsi_cast(e, first, TS_UINT8), &o);
    there = tsx_gather(e, y, dim, tsx_relu(e, tsx_sub_number(e, at, ts_int(1), NULL)));
    return tsx_where(e, tsx_eq_number(e, at, ts_int(0)),
                     tsx_full_like(e, there, ts_float(1), NULL), there);
}

/* G2: until the first zero as without one; the zero itself by what it is multiplied with;
 * behind it nothing. */
static ts_tensor *around_zeros(tsi_expr *e, ts_tensor *g, ts_tensor *x, ts_tensor *y,
                               int64_t dim)
{
    ts_tensor *zero = tsx_eq_number(e, x, ts_int(0));
    ts_tensor *seen = tsx_cumsum(e, zero, dim, NULL);
    ts_tensor *before = tsx_eq_number(e, seen, ts_int(0));
    ts_tensor *one = tsx_eq_number(e, seen, ts_int(1));
    ts_tensor *first = tsx_logical_and(e, one, zero);
    ts_tensor *between = tsx_logical_and(e, one, tsx_logical_not(e, zero));
    ts_tensor *w = tsx_where_number(e, before, tsx_mul(e, y, g), ts_float(0));
    ts_tensor *left = tsx_div(e, tsi_sums_from_the_end(e, w, dim), x, NULL);
    ts_tensor *behind =
        tsx_cumprod(e, tsx_where_number(e, between, x, ts_float(1)), dim, NULL);
    ts_tensor *felt = tsx_where_number(e, one, g, ts_float(0));
    ts_tensor *sum = tsi_sum(e, tsx_mul(e, behind, felt), &dim, 1, true);
    ts_tensor *at = tsx_mul(e, sum, before_first(e, y, first, dim));

    return tsx_where(e, before, left,
                     tsx_where(e, first, at, tsx_full_like(e, x, ts_float(0), NULL)));
}

/* The gradient of element k: the products in which it stands, without it. `whole` is
 * cumprod(x). */
static ts_status of_one(ts_tensor *g, ts_tensor *x, ts_tensor *whole, int64_t dim,
                        int64_t n, int64_t k, ts_tensor **out)
{
    tsi_expr e = {0};
    ts_cat_opts o = ts_cat_defaults();
    ts_tensor *parts[2], *lead, *rest, *without;

    o.dim = dim;
    lead = k > 0 ? tsx_narrow(&e, whole, dim, k - 1, 1)
                 : tsx_full_like(&e, tsx_narrow(&e, x, dim, 0, 1), ts_float(1), NULL);
    parts[0] = without = lead;
    if (k + 1 < n) {
        rest = tsx_cumprod(&e, tsx_narrow(&e, x, dim, k + 1, n - k - 1), dim, NULL);
        parts[1] = tsx_mul(&e, lead, rest);
        without = e.s == TS_OK ? tsx_cat(&e, parts, 2, &o) : NULL;
    }
    return tsi_expr_give(&e,
                         tsi_sum(&e,
                                 tsx_mul(&e, tsx_narrow(&e, g, dim, k, n - k), without),
                                 &dim, 1, true),
                         out);
}

/* G3: one element after the other, which can be differentiated once more. */
static ts_status one_by_one(ts_tensor *g, ts_tensor *x, int64_t dim, int64_t n,
                            ts_tensor **out)
{
    ts_tensor **parts = calloc((size_t)n, sizeof *parts), *whole = NULL;
    ts_cat_opts o = ts_cat_defaults();
    ts_status s = TS_OK;

    TS_CHECK(parts, TS_ERR_OUT_OF_MEMORY, NULL, "cumprod: out of memory");
    o.dim = dim;
    s = ts_cumprod(x, dim, NULL, &whole);
    for (int64_t k = 0; s == TS_OK && k < n; k++)
        s = of_one(g, x, whole, dim, n, k, &parts[k]);
    if (s == TS_OK)
        s = ts_cat(parts, n, &o, out);
    for (int64_t k = 0; k < n; k++)
        ts_release(parts[k]);
    ts_release(whole);
    free(parts);
    return s;
}

/* --- the whole ---------------------------------------------------------------------- */

ts_status tsi_vjp_cumprod(tsi_vjp *v)
{
    const tsi_kept_meta *m = &v->arg_meta[TS_CUMPROD_SELF];
    const int64_t dim = v->args[TS_CUMPROD_DIM].i;
    ts_tensor *g = v->grads[0], *x = v->args[TS_CUMPROD_SELF].tensor, *y = v->results[0];
    const int64_t n = m->ndim > 0 ? m->sizes[dim < 0 ? dim + m->ndim : dim] : 1;
    tsi_expr e = {0};
    ts_tensor *w, *made = NULL;
    bool zero;
    ts_status s;

    if (g->numel <= 1 || n == 1) { /* nothing was multiplied */
        v->out[TS_CUMPROD_SELF] = ts_retain(g);
        return TS_OK;
    }
    g = tsi_cast(&e, g, m->dtype);
    if (e.s != TS_OK || (e.s = tsi_may_hold_zero(x, &zero)) != TS_OK)
        return tsi_expr_give(&e, NULL, NULL);
    if (!zero) {
        w = tsi_sums_from_the_end(&e, tsx_mul(&e, y, g), dim);
        return tsi_expr_give(&e, tsx_div(&e, w, x, NULL), &v->out[TS_CUMPROD_SELF]);
    }
    if (!ts_grad_enabled())
        return tsi_expr_give(&e, around_zeros(&e, g, x, y, dim),
                             &v->out[TS_CUMPROD_SELF]);
    s = one_by_one(g, x, dim, n, &made);
    v->out[TS_CUMPROD_SELF] = made;
    while (e.n > 0)
        ts_release(e.t[--e.n]);
    return s;
}
