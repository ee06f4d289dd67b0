/* SPDX-License-Identifier: Apache-2.0 */
/* scatter/G1 … scatter/G7. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/bitwise_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/gather_expr.h"
#include "touchstone/ops/masked_fill_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/scatter_expr.h"
#include "touchstone/ops/scatter_glue.h"
#include "touchstone/ops/where_expr.h"

static ts_status overwritten(tsi_vjp *v)
{
    if (!v->needs[TS_SCATTER_SELF])
        return TS_OK;
    return ts_scatter_value(v->grads[0], v->args[TS_SCATTER_DIM].i,
                            v->args[TS_SCATTER_INDEX].tensor, ts_int(0),
                            &v->out[TS_SCATTER_SELF]);
}

ts_status tsi_vjp_scatter(tsi_vjp *v)
{
    TS_TRY(overwritten(v));
    if (!v->needs[TS_SCATTER_SRC])
        return TS_OK;
    return ts_gather(v->grads[0], v->args[TS_SCATTER_DIM].i,
                     v->args[TS_SCATTER_INDEX].tensor, &v->out[TS_SCATTER_SRC]);
}

ts_status tsi_vjp_scatter_value(tsi_vjp *v)
{
    return overwritten(v);
}

static ts_status refused(const tsi_vjp *v)
{
    return ts_fail(TS_ERR_RUNTIME, "scatter/G3", "%s: the derivative is not implemented",
                   v->op->name);
}

ts_status tsi_vjp_scatter_src_reduce(tsi_vjp *v)
{
    return refused(v);
}

ts_status tsi_vjp_scatter_value_reduce(tsi_vjp *v)
{
    return refused(v);
}

/* --- scatter_reduce --- */

/* A call, taken apart, and its two gradients as they arise. */
typedef struct parts {
    tsi_expr e;
    ts_tensor *g, *self, *index, *src, *result;
    ts_tensor *grad_self, *grad_src;
    int64_t dim;
    const char *word;
    bool include_self;
} parts;

static ts_tensor *gathered(parts *p, ts_tensor *t)
{
    return tsx_gather(&p->e, t, p->dim, p->index);
}

static void of_sum(parts *p)
{
    p->grad_self = p->g;
    p->grad_src = gathered(p, p->g);
}

static void of_mean(parts *p)
{
    tsi_expr *e = &p->e;
    ts_tensor *first =
        p->include_self ? tsx_ones_like(e, p->g, NULL) : tsx_zeros_like(e, p->g, NULL);
    ts_tensor *count =
        tsx_scatter_add(e, first, p->dim, p->index, tsx_ones_like(e, p->src, NULL));
    ts_tensor *n =
        tsx_masked_fill_number(e, count, tsx_eq_number(e, count, ts_int(0)), ts_int(1));

    p->grad_self = tsx_div(e, p->g, n, NULL);
    p->grad_src = tsx_div(e, gathered(p, p->g), gathered(p, n), NULL);
}

static ts_tensor *product(parts *p, ts_tensor *self, ts_tensor *src)
{
    ts_scatter_reduce_opts o = ts_scatter_reduce_defaults();

    o.include_self = p->include_self;
    return tsx_scatter_reduce(&p->e, self, p->dim, p->index, src, "prod", &o);
}

/* Where t is 0, by 1. */
static ts_tensor *without(parts *p, ts_tensor *t, ts_tensor *zeros)
{
    return tsx_masked_fill_number(&p->e, t, zeros, ts_int(1));
}

/* G5: self's zeros are taken out of their product, and a source's where it is the only
 * one that points at its place. */
static void of_prod(parts *p)
{
    tsi_expr *e = &p->e;
    ts_tensor *self = without(p, p->self, tsx_eq_number(e, p->self, ts_int(0)));
    ts_tensor *zero = tsx_eq_number(e, p->src, ts_int(0));
    ts_tensor *ones = p->e.s == TS_OK ? tsi_cast(e, zero, p->self->dtype) : NULL;
    ts_tensor *zeros = gathered(
        p, tsx_scatter_add(e, tsx_zeros_like(e, p->self, NULL), p->dim, p->index, ones));
    ts_tensor *alone = tsx_bitwise_and(e, zero, tsx_eq_number(e, zeros, ts_int(1)));
    ts_tensor *others = product(p, p->self, without(p, p->src, alone));

    p->grad_self = tsx_div(e, tsx_mul(e, p->g, product(p, self, p->src)), self, NULL);
    p->grad_src = tsx_where(e, alone, gathered(p, tsx_mul(e, p->g, others)),
                            tsx_div(e, gathered(p, tsx_mul(e, p->g, p->result)),
                                    without(p, p->src, zero), NULL));
}

static void of_extreme(parts *p)
{
    tsi_expr *e = &p->e;
    ts_tensor *self = tsx_eq(e, p->self, p->result);
    ts_tensor *src = tsx_eq(e, p->src, gathered(p, p->result));
    ts_tensor *self_one = e->s == TS_OK ? tsi_cast(e, self, p->self->dtype) : NULL;
    ts_tensor *src_one = e->s == TS_OK ? tsi_cast(e, src, p->self->dtype) : NULL;
    ts_tensor *share =
        tsx_div(e, p->g, tsx_scatter_add(e, self_one, p->dim, p->index, src_one), NULL);

    p->grad_self = tsx_mul(e, self, share);
    p->grad_src = tsx_mul(e, src, gathered(p, share));
}

ts_status tsi_vjp_scatter_reduce(tsi_vjp *v)
{
    parts p = {
        .g = v->grads[0],
        .self = v->args[TS_SCATTER_REDUCE_SELF].tensor,
        .index = v->args[TS_SCATTER_REDUCE_INDEX].tensor,
        .src = v->args[TS_SCATTER_REDUCE_SRC].tensor,
        .result = v->results[0],
        .dim = v->args[TS_SCATTER_REDUCE_DIM].i,
        .word = v->args[TS_SCATTER_REDUCE_REDUCE].string,
        .include_self = v->args[TS_SCATTER_REDUCE_INCLUDE_SELF].b,
    };

    if (p.word[0] == 'm' && strcmp(p.word, "mean") != 0)
        return refused(v);
    if (strcmp(p.word, "sum") == 0)
        of_sum(&p);
    else if (strcmp(p.word, "mean") == 0)
        of_mean(&p);
    else if (strcmp(p.word, "prod") == 0)
        of_prod(&p);
    else
        of_extreme(&p);
    if (!p.include_self) /* G7 */
        p.grad_self = tsx_scatter_value(&p.e, p.grad_self, p.dim, p.index, ts_int(0));
    if (p.e.s == TS_OK && v->needs[TS_SCATTER_REDUCE_SELF])
        v->out[TS_SCATTER_REDUCE_SELF] = ts_retain(p.grad_self);
    if (p.e.s == TS_OK && v->needs[TS_SCATTER_REDUCE_SRC])
        v->out[TS_SCATTER_REDUCE_SRC] = ts_retain(p.grad_src);
    return tsi_expr_give(&p.e, NULL, &(ts_tensor *){NULL});
}
