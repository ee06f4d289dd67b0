/* SPDX-License-Identifier: Apache-2.0 */
/* matmul: a program over mm, bmm and views; see spec/ops/matmul.md. */
#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/matmul_glue.h"
#include "touchstone/ops/mm_expr.h"
#include "touchstone/ops/transpose_expr.h"
#include "touchstone/ops/view_expr.h"

/* Sizes of the operands as stacks of matrices (S3), and of their product. */
typedef struct shapes {
    int batch; /* batch dims of the product */
    int64_t a[TS_MAX_DIMS], b[TS_MAX_DIMS], y[TS_MAX_DIMS];
    int64_t count; /* product of the batch sizes */
} shapes;

/* Whether all dims of `large` but the last fold into one without a copy, its last two dims
 * turned first where it is the right side. Strides of dims of size 1 say nothing. */
static bool folds(const ts_tensor *large, bool right)
{
    const int n = large->ndim;
    int64_t step = -1;

    for (int d = n - 2; d >= 0; d--) {
        const int from = right && d == n - 2 ? n - 1 : d;

        if (large->sizes[from] == 1)
            continue;
        if (step >= 0 && large->strides[from] != step)
            return large->numel == 0;
        step = large->strides[from] * large->sizes[from];
    }
    return true;
}

typedef enum fold { FOLD_NONE, FOLD_LEFT, FOLD_RIGHT } fold;

/* A single matrix in a stack of one that wants a gradient; its whole gradient is then one
 * product. */
static bool is_stack_of_one(const ts_tensor *t, const ts_tensor *other)
{
    return t->ndim == 3 && other->ndim == 3 && t->sizes[0] == 1 && other->sizes[0] != 1 &&
           tsi_requires_grad(t);
}

/* Which side 2.15.0 folds (S6); the layouts of the gradients tell. */
static fold folding(const ts_tensor *a, const ts_tensor *b)
{
    const bool right = a->ndim < b->ndim;
    const ts_tensor *large = right ? b : a, *small = right ? a : b;

    if (large->ndim < 3)
        return FOLD_LEFT;
    if (is_stack_of_one(a, b))
        return FOLD_RIGHT;
    if (is_stack_of_one(b, a))
        return FOLD_LEFT;
    if (small->ndim > 2 ||
        (!tsi_requires_grad(small) && ((right && a->ndim == 2) || !folds(large, right))))
        return FOLD_NONE;
    return right ? FOLD_RIGHT : FOLD_LEFT;
}

static ts_status check(const ts_frame *f, const ts_tensor *a, const ts_tensor *b)
{
    const int64_t rows_b = b->ndim > 0 ? b->sizes[b->ndim > 1 ? b->ndim - 2 : 0] : 0;

    TS_CHECK(a->ndim > 0 && b->ndim > 0, TS_ERR_RUNTIME, "matmul/C1",
             "matmul: both arguments need at least one dim, have %d and %d", a->ndim,
             b->ndim);
    TS_CHECK(a->sizes[a->ndim - 1] == rows_b, TS_ERR_RUNTIME, "matmul/C2",
             "matmul: inner sizes %" PRId64 " and %" PRId64 " differ",
             a->sizes[a->ndim - 1], rows_b);
    TS_CHECK(a->dtype == b->dtype, TS_ERR_RUNTIME, "matmul/C4",
             "matmul: self and other must have one dtype, got %s and %s",
             ts_dtype_name(a->dtype), ts_dtype_name(b->dtype));
    if ((a->numel == 0 || b->numel == 0) && (a->ndim > 1 || b->ndim > 1))
        return TS_OK; /* no terms */
    TS_TRY(tsi_check_dtype(f, a->dtype, "matmul/C5"));
    TS_CHECK(
        (b->ndim == 2 && folding(a, b) != FOLD_NONE) ||
            (ts_op_find("bmm")->dtypes_cpu & TS_DTYPE_BIT(a->dtype)),
        TS_ERR_NOT_IMPLEMENTED, "matmul/C5",
        "matmul: %s is implemented only where other is a matrix that self folds into",
        ts_dtype_name(a->dtype));
    return TS_OK;
}

/* S4: batch sizes broadcast; each operand's, then its matrix's. */
static ts_status broadcast_shapes(const ts_tensor *a, const ts_tensor *b, shapes *s)
{
    const int na = a->ndim > 2 ? a->ndim - 2 : 0;
    const int nb = b->ndim > 2 ? b->ndim - 2 : 0;

    s->batch = na > nb ? na : nb;
    s->count = 1;
    for (int d = 0; d < s->batch; d++) {
        const int64_t x = d < s->batch - na ? 1 : a->sizes[d - (s->batch - na)];
        const int64_t y = d < s->batch - nb ? 1 : b->sizes[d - (s->batch - nb)];

        TS_CHECK(x == y || x == 1 || y == 1, TS_ERR_RUNTIME, "matmul/C3",
                 "matmul: batch sizes %" PRId64 " and %" PRId64
                 " at dim %d do not broadcast",
                 x, y, d);
        s->a[d] = s->b[d] = s->y[d] = x == 1 ? y : x;
        s->count *= s->y[d];
    }
    s->a[s->batch] = s->y[s->batch] = a->ndim > 1 ? a->sizes[a->ndim - 2] : 1;
    s->a[s->batch + 1] = s->b[s->batch] = a->sizes[a->ndim - 1];
    s->b[s->batch + 1] = s->y[s->batch + 1] = b->ndim > 1 ? b->sizes[b->ndim - 1] : 1;
    return TS_OK;
}

/* t as (sizes[0..batch), rows, columns), expanded, then as (count, rows, columns). */
static ts_tensor *as_stack(tsi_expr *e, ts_tensor *t, const shapes *s,
                           const int64_t *sizes)
{
    const int64_t *matrix = sizes + s->batch;
    int64_t own[TS_MAX_DIMS];
    int n = 0;
    ts_tensor *matrices, *expanded;

    for (int d = 0; d < t->ndim - 2; d++)
        own[n++] = t->sizes[d];
    own[n++] = matrix[0];
    own[n++] = matrix[1];
    matrices = tsx_reshape(e, t, own, n);
    expanded = tsx_expand(e, matrices, sizes, s->batch + 2, NULL);
    return tsx_reshape(e, expanded, (int64_t[]){s->count, matrix[0], matrix[1]}, 3);
}

static ts_tensor *batched(tsi_expr *e, ts_tensor *a, ts_tensor *b, const shapes *s)
{
    ts_tensor *x = as_stack(e, a, s, s->a);
    ts_tensor *y = as_stack(e, b, s, s->b);

    return tsx_bmm(e, x, y);
}

/* One product of two matrices. Where one of them is a vector its derivative is an outer
 * product, row-major whatever the layout, as that of bmm. */
static ts_tensor *single(tsi_expr *e, ts_tensor *x, ts_tensor *y, bool vector)
{
    return vector ? tsx_bmm(e, tsx_unsqueeze(e, x, 0), tsx_unsqueeze(e, y, 0))
                  : tsx_mm(e, x, y);
}

/* S6: where one side is a single matrix or vector, the other's batches fold into rows of
 * one product. */
static ts_tensor *folded_left(tsi_expr *e, ts_tensor *a, ts_tensor *b, const shapes *s)
{
    const int64_t *m = s->b + s->batch;
    ts_tensor *x = tsx_reshape(e, a, (int64_t[]){s->count * s->a[s->batch], m[0]}, 2);
    ts_tensor *y = tsx_reshape(e, b, m, 2);

    return single(e, x, y, b->ndim == 1);
}

/* The same on the other side: (b.mT @ a.T).mT. */
static ts_tensor *folded_right(tsi_expr *e, ts_tensor *a, ts_tensor *b, const shapes *s)
{
    const int64_t *m = s->a + s->batch; /* rows, inner */
    const int64_t columns = s->y[s->batch + 1];
    ts_tensor *bt = tsx_transpose(e, b, -2, -1);
    ts_tensor *x = tsx_reshape(e, bt, (int64_t[]){s->count * columns, m[1]}, 2);
    ts_tensor *y = tsx_transpose(e, tsx_reshape(e, a, m, 2), 0, 1);
    ts_tensor *p = single(e, x, y, a->ndim == 1);
    ts_tensor *turned;

    p = tsx_reshape(e, p, (int64_t[]){s->count, columns, m[0]}, 3);
    turned = tsx_transpose(e, p, 1, 2);
    return tsx_contiguous(e, turned, NULL);
}

ts_status tsi_program_matmul(ts_frame *f)
{
    ts_tensor *a = tsi_tensor(f, TS_MATMUL_SELF);
    ts_tensor *b = tsi_tensor(f, TS_MATMUL_OTHER);
    tsi_expr e = {0};
    ts_tensor *product;
    shapes s;
    int n;

    TS_TRY(check(f, a, b));
    TS_TRY(broadcast_shapes(a, b, &s));
    switch (folding(a, b)) {
    case FOLD_LEFT:
        product = folded_left(&e, a, b, &s);
        break;
    case FOLD_RIGHT:
        product = folded_right(&e, a, b, &s);
        break;
    default:
        product = batched(&e, a, b, &s);
    }
    n = s.batch;
    if (a->ndim > 1) /* S3: a vector's own dim is gone */
        s.y[n++] = s.y[s.batch];
    if (b->ndim > 1)
        s.y[n++] = s.y[s.batch + 1];
    TS_TRY(tsi_expr_give(&e, tsx_reshape(&e, product, s.y, n), &f->results[0]));
    tsi_forget_base(f->results[0]);
    return TS_OK;
}
