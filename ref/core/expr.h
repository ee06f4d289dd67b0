/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions over ts_ ops, for programs and derivatives: every intermediate is owned by
 * one tsi_expr and released with it; after a first failure the rest does nothing, and `s`
 * says what failed. The ops, tsx_<op>, are in touchstone/ops/<page>_expr.h, made from the
 * page; here is what they stand on, and calls with some options fixed.
 *
 *     tsi_expr e = {0};
 *     ts_tensor *y = tsx_mul(&e, a, tsx_sub(&e, b, c, NULL));
 *     return tsi_expr_give(&e, y, &f->results[0]);
 */
#ifndef TSI_EXPR_H
#define TSI_EXPR_H

#include "touchstone/touchstone.h"

#define TSI_EXPR_MAX 64

typedef struct tsi_expr {
    ts_status s;
    int n;
    ts_tensor *made; /* where a call puts its result, before it is kept */
    ts_tensor *t[TSI_EXPR_MAX];
} tsi_expr;

static inline ts_tensor *tsi_expr_keep(tsi_expr *e)
{
    if (e->n < TSI_EXPR_MAX)
        return e->t[e->n++] = e->made;
    ts_release(e->made);
    e->s =
        ts_fail(TS_ERR_RUNTIME, NULL, "an expression of more than %d ops", TSI_EXPR_MAX);
    return NULL;
}

/* Keep what `call`, which writes e->made, makes. Its arguments are names, not further
 * calls: those would be made although an earlier one failed. */
#define TSI_EXPR(e, call) \
    ((e)->s == TS_OK && ((e)->s = (call)) == TS_OK ? tsi_expr_keep(e) : NULL)

/* A Python number as an operand. */
static inline ts_tensor *tsi_number(tsi_expr *e, ts_scalar v)
{
    return TSI_EXPR(e, ts_wrapped_number(v, &e->made));
}

static inline ts_tensor *tsi_cast(tsi_expr *e, ts_tensor *a, ts_dtype dtype)
{
    ts_to_opts o = ts_to_defaults();

    o.dtype = dtype;
    return TSI_EXPR(e, ts_to(a, &o, &e->made));
}

/* Over n dims, or over all when dims is NULL. */
static inline ts_tensor *tsi_sum(tsi_expr *e, ts_tensor *a, const int64_t *dims,
                                 int64_t n, bool keepdim)
{
    ts_sum_opts o = ts_sum_defaults();

    o.dim = dims;
    o.ndim = n;
    o.keepdim = keepdim;
    return TSI_EXPR(e, ts_sum(a, &o, &e->made));
}

/* The end: `result`, one of e's own or NULL after a failure, goes to *out;
 * all else is released. */
static inline ts_status tsi_expr_give(tsi_expr *e, ts_tensor *result, ts_tensor **out)
{
    if (e->s == TS_OK)
        *out = ts_retain(result);
    while (e->n > 0)
        ts_release(e->t[--e->n]);
    return e->s;
}

#endif
