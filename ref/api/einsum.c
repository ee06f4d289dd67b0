/* SPDX-License-Identifier: Apache-2.0 */
/* einsum: an equation's operands, brought to the dims of all of it, are multiplied pair by pair,
 * and what no later one has is summed; see spec/ops/einsum.md. */
#include <ctype.h>
#include <stdlib.h>

#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/diagonal_expr.h"
#include "touchstone/ops/einsum_glue.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/mm_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/transpose_expr.h"
#include "touchstone/ops/view_expr.h"

enum { LABELS = 52, ELLIPSIS = LABELS, TERM = TS_MAX_DIMS + 1 };

/* What one operand's dims are called; an ellipsis counts as one name. */
typedef struct term {
    int n;
    int8_t label[TERM];
    bool ellipsis;
} term;

/* Where every label lies among the dims of the whole, those of the result first. */
typedef struct plan {
    const ts_frame *f;
    int operands, dims, out, dots, dots_at;
    int count[LABELS], at[LABELS];
    int64_t sizes[TS_MAX_DIMS];
    int wide[TS_MAX_DIMS]; /* how many operands have more than one there */
} plan;

static ts_status malformed(const char *what, char c)
{
    return ts_fail(TS_ERR_RUNTIME, "einsum/C2", "einsum: %s at '%c'", what, c);
}

/* The label at *s, which moves on to its last character; NUL and blanks are none. */
static ts_status read_label(const char **s, bool dotted, int *label)
{
    const char c = **s;

    *label = -1;
    if (c == ' ')
        return TS_OK;
    if (c == '.') {
        if (dotted)
            return malformed("a second ellipsis", c);
        if ((*s)[1] != '.' || (*s)[2] != '.')
            return malformed("a dot that is in no ellipsis", c);
        *s += 2;
        *label = ELLIPSIS;
        return TS_OK;
    }
    if (!isalpha((unsigned char)c))
        return malformed("no letter", c);
    *label = isupper((unsigned char)c) ? c - 'A' : c - 'a' + 26;
    return TS_OK;
}

/* The left side; *s is left at "->", or at the end. */
static ts_status read_terms(const plan *p, const char **s, term *terms)
{
    int at = 0;

    for (; **s && !((*s)[0] == '-' && (*s)[1] == '>'); ++*s) {
        int label;

        if (**s == ',') {
            TS_CHECK(++at < p->operands, TS_ERR_RUNTIME, "einsum/C3",
                     "einsum: the equation has more operands than the %d given",
                     p->operands);
            continue;
        }
        TS_TRY(read_label(s, terms[at].ellipsis, &label));
        if (label < 0)
            continue;
        TS_CHECK(terms[at].n < TERM, TS_ERR_RUNTIME, "einsum/C4",
                 "einsum: operand %d has more than %d subscripts", at, TERM);
        terms[at].label[terms[at].n++] = (int8_t)label;
        terms[at].ellipsis = terms[at].ellipsis || label == ELLIPSIS;
    }
    TS_CHECK(at == p->operands - 1, TS_ERR_RUNTIME, "einsum/C3",
             "einsum: %d operands are given, the equation has %d", p->operands, at + 1);
    return TS_OK;
}

/* How often each label stands there, and how many dims the longest ellipsis has. */
static ts_status count_labels(plan *p, const term *terms, ts_tensor *const *x)
{
    for (int i = 0; i < p->operands; i++) {
        const int letters = terms[i].n - terms[i].ellipsis;

        TS_CHECK(terms[i].ellipsis ? letters <= x[i]->ndim : letters == x[i]->ndim,
                 TS_ERR_RUNTIME, "einsum/C4",
                 "einsum: %d subscripts for the %d dims of operand %d", letters,
                 x[i]->ndim, i);
        for (int k = 0; k < terms[i].n; k++)
            if (terms[i].label[k] != ELLIPSIS)
                p->count[terms[i].label[k]]++;
            else if (x[i]->ndim - letters > p->dots)
                p->dots = x[i]->ndim - letters;
    }
    return TS_OK;
}

static ts_status check_dims(const plan *p)
{
    TS_CHECK(p->dims <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "einsum: %d dims in all, at most %d are allowed", p->dims, TS_MAX_DIMS);
    return TS_OK;
}

/* S2: what is behind the arrow. */
static ts_status read_result(plan *p, const char *s)
{
    bool dotted = false;

    for (; *s; s++) {
        int label;

        TS_TRY(read_label(&s, dotted, &label));
        if (label == ELLIPSIS) {
            p->dots_at = p->dims;
            p->dims += p->dots;
            dotted = true;
        } else if (label >= 0) {
            TS_CHECK(p->count[label] > 0 &&
                             p->at[label]<0, TS_ERR_RUNTIME, "einsum/C5",
                                          "einsum: output subscript '%c' %s", *s,
                                          p->count[label]> 0
                         ? "is there twice"
                         : "is in no operand");
            p->at[label] = p->dims++;
        }
    }
    p->out = p->dims;
    if (!dotted) {
        p->dots_at = p->dims;
        p->dims += p->dots;
    }
    return TS_OK;
}

/* S3: no arrow. */
static void imply_result(plan *p)
{
    p->dims = p->dots;
    for (int label = 0; label < LABELS; label++)
        if (p->count[label] == 1)
            p->at[label] = p->dims++;
    p->out = p->dims;
}

static ts_status arrange(plan *p, const char *rest)
{
    for (int label = 0; label < LABELS; label++)
        p->at[label] = -1;
    if (*rest)
        TS_TRY(read_result(p, rest + 2));
    else
        imply_result(p);
    for (int label = 0; label < LABELS; label++)
        if (p->count[label] > 0 && p->at[label] < 0)
            p->at[label] = p->dims++;
    return check_dims(p);
}

/* C6: a size goes with what was there, as in broadcasting. */
static ts_status meet(plan *p, int operand, int dim, int64_t size)
{
    if (size == 1)
        return TS_OK;
    TS_CHECK(p->sizes[dim] == 1 || p->sizes[dim] == size, TS_ERR_RUNTIME, "einsum/C6",
             "einsum: size %" PRId64 " in operand %d does not broadcast with %" PRId64,
             size, operand, p->sizes[dim]);
    p->sizes[dim] = size;
    p->wide[dim]++;
    return TS_OK;
}

/* S5: dims `dim` and `other` of x as one, in dim's place. */
static ts_tensor *diagonal(tsi_expr *e, ts_tensor *x, int dim, int other)
{
    ts_diagonal_opts o = ts_diagonal_defaults();
    int64_t order[TS_MAX_DIMS];
    int n = 0;

    o.dim1 = dim;
    o.dim2 = other;
    x = tsx_diagonal(e, x, &o);
    for (int d = 0; x && d < x->ndim; d++)
        order[d] = d == dim ? x->ndim - 1 : n++;
    return x ? tsx_permute(e, x, order, x->ndim) : NULL;
}

/* Operand i with the dims of the whole, of size 1 where it has none. */
static ts_tensor *aligned(tsi_expr *e, plan *p, int i, const term *t, ts_tensor *x)
{
    int64_t order[TS_MAX_DIMS];
    const int dots = x->ndim - (t->n - 1);
    int dim = 0;

    for (int d = 0; d < p->dims; d++)
        order[d] = -1;
    for (int k = 0; k < t->n && x && e->s == TS_OK; k++) {
        if (t->label[k] == ELLIPSIS) {
            for (int j = p->dots - dots; j < p->dots && e->s == TS_OK; j++) {
                e->s = meet(p, i, p->dots_at + j, x->sizes[dim]);
                order[p->dots_at + j] = dim++;
            }
            continue;
        }
        const int at = p->at[t->label[k]];

        if (order[at] < 0) {
            e->s = meet(p, i, at, x->sizes[dim]);
            order[at] = dim++;
            continue;
        }
        if (x->sizes[dim] != x->sizes[order[at]])
            e->s = ts_fail(TS_ERR_RUNTIME, "einsum/C7",
                           "einsum: a repeated subscript of operand %d has sizes %" PRId64
                           " and %" PRId64,
                           i, x->sizes[order[at]], x->sizes[dim]);
        else
            x = diagonal(e, x, (int)order[at], dim);
    }
    for (int d = 0; d < p->dims && e->s == TS_OK; d++)
        if (order[d] < 0) {
            x = tsx_unsqueeze(e, x, dim);
            order[d] = dim++;
        }
    return e->s == TS_OK ? tsx_permute(e, x, order, p->dims) : NULL;
}

/* --- a pair ------------------------------------------------------------------------- */

typedef struct dims {
    int n;
    int64_t at[TS_MAX_DIMS];
} dims;

static void push(dims *d, int dim)
{
    d->at[d->n++] = dim;
}

static bool has(const dims *d, int dim)
{
    for (int i = 0; i < d->n; i++)
        if (d->at[i] == dim)
            return true;
    return false;
}

static int64_t product(const dims *d, const ts_tensor *t)
{
    int64_t size = 1;

    for (int i = 0; i < d->n; i++)
        size *= t->sizes[d->at[i]];
    return size;
}

static void append(dims *to, const dims *more)
{
    for (int i = 0; i < more->n; i++)
        push(to, (int)more->at[i]);
}

static ts_tensor *as_stack(tsi_expr *e, ts_tensor *t, const dims *first,
                           const dims *second, const dims *third, const dims *rest,
                           const int64_t *sizes)
{
    dims order = *first;

    append(&order, second);
    append(&order, third);
    append(&order, rest);
    return tsx_reshape(e, tsx_permute(e, t, order.at, order.n), sizes, 3);
}

/* a * b summed over `sum`, which both have, as one bmm over what both have besides. */
static ts_tensor *contracted(tsi_expr *e, ts_tensor *a, ts_tensor *b, const dims *sum)
{
    dims both = {0}, left = {0}, right = {0}, order;
    int64_t sizes[TS_MAX_DIMS], back[TS_MAX_DIMS];
    ts_tensor *y;

    for (int d = 0; d < a->ndim; d++)
        if (!has(sum, d))
            push(a->sizes[d] == 1 ? &right : b->sizes[d] == 1 ? &left : &both, d);
    if (left.n > 0 && right.n > 0 && right.at[right.n - 1] < left.at[0]) {
        const dims other = left; /* S8: so the result needs no turning */
        ts_tensor *t = a;

        a = b;
        b = t;
        left = right;
        right = other;
    }
    const int64_t batch = product(&both, a), inner = product(sum, a);

    y = tsx_bmm(e,
                as_stack(e, a, &both, &left, sum, &right,
                         (int64_t[]){batch, product(&left, a), inner}),
                as_stack(e, b, &both, sum, &right, &left,
                         (int64_t[]){batch, inner, product(&right, b)}));
    order = both;
    append(&order, &left);
    append(&order, sum);
    append(&order, &right);
    for (int i = 0; i < order.n; i++) {
        const int d = (int)order.at[i];

        sizes[i] = has(sum, d) ? 1 : has(&right, d) ? b->sizes[d] : a->sizes[d];
        back[d] = i;
    }
    return tsx_permute(e, tsx_view(e, y, sizes, order.n), back, order.n);
}

/* S4, S6: what neither the result nor a later operand has is summed. */
static ts_tensor *pair(tsi_expr *e, plan *p, ts_tensor *a, ts_tensor *b)
{
    dims sum = {0}, of_a = {0}, of_b = {0};

    for (int d = p->out; d < p->dims; d++) {
        const bool in_a = a->sizes[d] != 1, in_b = b->sizes[d] != 1;

        if (in_a && in_b) {
            if (--p->wide[d] == 1) {
                push(&sum, d);
                p->wide[d] = 0;
            }
        } else if (p->wide[d] == 1 && (in_a || in_b)) {
            push(in_a ? &of_a : &of_b, d);
            p->wide[d] = 0;
        }
    }
    if (of_a.n > 0)
        a = tsi_sum(e, a, of_a.at, of_a.n, true);
    if (of_b.n > 0)
        b = tsi_sum(e, b, of_b.at, of_b.n, true);
    if (e->s != TS_OK)
        return NULL;
    return sum.n > 0 ? contracted(e, a, b, &sum) : tsx_mul(e, a, b);
}

/* --- the whole ---------------------------------------------------------------------- */

/* *y becomes the product of *y and b. */
static ts_status take(plan *p, ts_tensor **y, ts_tensor *b)
{
    tsi_expr e = {0};
    ts_tensor *a = *y;
    ts_status st = tsi_expr_give(&e, pair(&e, p, a, b), y);

    if (st == TS_OK)
        ts_release(a);
    return st;
}

/* The dims that are summed: of one operand they still are there. */
static ts_status finish(const plan *p, ts_tensor *y, ts_tensor **out)
{
    tsi_expr e = {0};
    int64_t summed[TS_MAX_DIMS];

    if (p->dims == p->out) {
        *out = ts_retain(y);
        return TS_OK;
    }
    for (int d = p->out; d < p->dims; d++)
        summed[d - p->out] = d;
    return tsi_expr_give(&e,
                         p->operands > 1
                             ? tsx_view(&e, y, y->sizes, p->out)
                             : tsi_sum(&e, y, summed, p->dims - p->out, false),
                         out);
}

static ts_status contract(plan *p, const term *terms, ts_tensor *const *x,
                          ts_tensor **made, ts_tensor **out)
{
    ts_tensor *y;
    ts_status st = TS_OK;

    for (int i = 0; i < p->operands; i++) {
        tsi_expr e = {0};

        TS_TRY(tsi_expr_give(&e, aligned(&e, p, i, &terms[i], x[i]), &made[i]));
    }
    y = ts_retain(made[0]);
    for (int i = 1; i < p->operands && st == TS_OK; i++)
        st = take(p, &y, made[i]);
    if (st == TS_OK)
        st = finish(p, y, out);
    ts_release(y);
    return st;
}

ts_status tsi_program_einsum(ts_frame *f)
{
    const ts_value *list = &f->args[TS_EINSUM_TENSORS];
    const char *s = f->args[TS_EINSUM_EQUATION].string;
    plan p = {.f = f, .operands = (int)list->tensors.n};
    ts_status st;

    TS_CHECK(p.operands > 0, TS_ERR_VALUE, "einsum/C1",
             "einsum: an equation and at least one operand are needed");
    term *terms = calloc((size_t)p.operands, sizeof *terms);
    ts_tensor **made = calloc((size_t)p.operands, sizeof *made);

    for (int d = 0; d < TS_MAX_DIMS; d++)
        p.sizes[d] = 1;
    st = terms && made ? read_terms(&p, &s, terms)
                       : ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "einsum: out of memory");
    if (st == TS_OK)
        st = count_labels(&p, terms, list->tensors.v);
    if (st == TS_OK)
        st = arrange(&p, s);
    if (st == TS_OK)
        st = contract(&p, terms, list->tensors.v, made, &f->results[0]);
    for (int i = 0; made && i < p.operands; i++)
        ts_release(made[i]);
    free(terms);
    free(made);
    return st;
}
