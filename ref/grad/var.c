/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of var, std, var_mean and std_mean; spec/ops/var.md. */
#include <math.h>

#include "core/expr.h"
#include "grad/reduce.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/sum_expr.h"
#include "touchstone/ops/var_glue.h"
#include "touchstone/ops/where_expr.h"

enum { SELF, DIM, CORRECTION, KEEPDIM }; /* the arguments of all four */

static ts_tensor *restored(tsi_expr *e, const tsi_vjp *v, ts_tensor *t)
{
    const tsi_kept_meta *m = &v->arg_meta[SELF];
    const uint64_t mask = ts_reduce_mask(&v->args[DIM], m->ndim);

    for (int d = 0; d < m->ndim && !v->args[KEEPDIM].b && e->s == TS_OK; d++)
        if (ts_reduces(mask, d))
            t = TSI_EXPR(e, ts_unsqueeze(t, d, &e->made));
    return t;
}

/* G1 */
static ts_tensor *of_var(tsi_expr *e, const tsi_vjp *v, ts_tensor *g)
{
    const tsi_kept_meta *m = &v->arg_meta[SELF];
    const ts_value *dim = &v->args[DIM], *given = &v->args[CORRECTION];
    const bool named = dim->kind == TS_ARG_INTS;
    const double correction =
        given->kind == TS_ARG_SCALAR ? ts_scalar_f64(given->scalar) : 1;
    const uint64_t mask = ts_reduce_mask(dim, m->ndim);
    ts_tensor *x = v->args[SELF].tensor, *mean, *apart;
    ts_mean_opts o = ts_mean_defaults();
    double n = 1;

    for (int d = 0; d < m->ndim && !(named && dim->ints.n == 0); d++)
        n *= ts_reduces(mask, d) ? (double)m->sizes[d] : 1;
    o.dim = named ? dim->ints.v : NULL;
    o.ndim = named ? dim->ints.n : 0;
    o.keepdim = true;
    g = restored(e, v, g);
    mean = tsx_mean(e, x, &o);
    if (!named && n <= correction)
        return tsx_mul(e, g,
                       tsx_where_number(e, tsx_eq(e, x, mean),
                                        tsx_full_like(e, x, ts_float(NAN), NULL),
                                        ts_float(INFINITY)));
    apart = tsx_sub(e, x, mean, NULL);
    return tsx_mul(e, tsx_mul_number(e, g, ts_float(2 / (n - correction))), apart);
}

/* G2 */
static ts_tensor *of_std(tsi_expr *e, const tsi_vjp *v, ts_tensor *g)
{
    ts_tensor *y = v->results[0];
    ts_tensor *half = tsx_div(e, g, tsx_mul_number(e, y, ts_int(2)), NULL);
    ts_tensor *zero = tsx_full_like(e, half, ts_int(0), NULL);

    return of_var(e, v, tsx_where(e, tsx_eq_number(e, y, ts_int(0)), zero, half));
}

/* G3: both results' gradients, of which one may be missing. */
static ts_status both(tsi_vjp *v, bool root)
{
    const tsi_kept_meta *m = &v->arg_meta[SELF];
    const ts_scalar n = ts_int(tsi_reduced_count(v));
    tsi_expr e = {0};
    ts_tensor *spread = NULL, *mean = NULL;

    if (v->grads[0])
        spread = root ? of_std(&e, v, v->grads[0]) : of_var(&e, v, v->grads[0]);
    if (v->grads[1])
        mean = tsx_div_number(
            &e, tsx_expand(&e, restored(&e, v, v->grads[1]), m->sizes, m->ndim, NULL), n,
            NULL);
    return tsi_expr_give(&e,
                         spread && mean ? tsx_add(&e, spread, mean, NULL)
                         : spread       ? spread
                                        : mean,
                         &v->out[SELF]);
}

ts_status tsi_vjp_var(tsi_vjp *v)
{
    tsi_expr e = {0};

    return tsi_expr_give(&e, of_var(&e, v, v->grads[0]), &v->out[SELF]);
}

ts_status tsi_vjp_std(tsi_vjp *v)
{
    tsi_expr e = {0};

    return tsi_expr_give(&e, of_std(&e, v, v->grads[0]), &v->out[SELF]);
}

ts_status tsi_vjp_var_mean(tsi_vjp *v)
{
    return both(v, false);
}

ts_status tsi_vjp_std_mean(tsi_vjp *v)
{
    return both(v, true);
}
