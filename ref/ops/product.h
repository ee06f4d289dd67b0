/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices: y[i, j] = sum over t and k of a[t, i, k] * b[t, k, j], or beta * self
 * plus alpha times that. A vector is a matrix whose other step is never taken.
 *
 * Rounding  float: all of it in double, one rounding on store; integers modulo 2^64, wrapped
 * on store.
 */
#ifndef TSK_PRODUCT_H
#define TSK_PRODUCT_H

#include "touchstone/backend.h"

/* Elements of t from the at-th on: `stack` apart from matrix to matrix, `row` from one row to
 * the next, `column` from one column to the next. */
typedef struct tsk_matrix {
    const ts_tensor *t;
    int64_t at, stack, row, column;
} tsk_matrix;

typedef struct tsk_extent {
    int64_t stacks, rows, inner, columns;
} tsk_extent;

/* What goes into each element beside the product. */
typedef struct tsk_scaled {
    tsk_matrix self;
    double beta, alpha;
    int64_t whole_beta, whole_alpha;
} tsk_scaled;

/* The matrices of the last two dims of t, the dim before them counting them. */
static inline tsk_matrix tsk_matrix_of(const ts_tensor *t, int64_t at)
{
    const int d = t->ndim - 2;

    return (tsk_matrix){t, at, d > 0 ? t->strides[d - 1] : 0, t->strides[d],
                        t->strides[d + 1]};
}

static inline double tsk_products(const tsk_matrix *a, int64_t at, const tsk_matrix *b,
                                  int64_t bt, const tsk_extent *n)
{
    double sum = 0;

    for (int64_t t = 0; t < n->stacks; t++, at += a->stack, bt += b->stack)
        for (int64_t k = 0; k < n->inner; k++)
            sum += tse_get(a->t, at + k * a->column) * tse_get(b->t, bt + k * b->row);
    return sum;
}

static inline int64_t tsk_products_whole(const tsk_matrix *a, int64_t at,
                                         const tsk_matrix *b, int64_t bt,
                                         const tsk_extent *n)
{
    uint64_t sum = 0;

    for (int64_t t = 0; t < n->stacks; t++, at += a->stack, bt += b->stack)
        for (int64_t k = 0; k < n->inner; k++)
            sum += (uint64_t)tse_get_i64(a->t, at + k * a->column) *
                   (uint64_t)tse_get_i64(b->t, bt + k * b->row);
    return (int64_t)sum;
}

/* beta of 0 reads no self. */
static inline double tsk_plus_self(const tsk_scaled *s, int64_t at, double sum)
{
    return s->alpha * sum + (s->beta == 0 ? 0 : s->beta * tse_get(s->self.t, at));
}

static inline int64_t tsk_plus_self_whole(const tsk_scaled *s, int64_t at, int64_t sum)
{
    const uint64_t self = s->whole_beta == 0 ? 0 : (uint64_t)tse_get_i64(s->self.t, at);

    return (int64_t)((uint64_t)s->whole_alpha * (uint64_t)sum +
                     (uint64_t)s->whole_beta * self);
}

/* plus: NULL for the product alone. y may be its self. */
static inline void tsk_multiply(tsk_matrix a, tsk_matrix b, tsk_extent n, ts_tensor *y,
                                int64_t y_at, int64_t y_row, int64_t y_column,
                                const tsk_scaled *plus)
{
    for (int64_t i = 0; i < n.rows; i++) {
        for (int64_t j = 0; j < n.columns; j++) {
            const int64_t at = a.at + i * a.row, bt = b.at + j * b.column;
            const int64_t to = y_at + i * y_row + j * y_column;
            const int64_t from =
                plus ? plus->self.at + i * plus->self.row + j * plus->self.column : 0;

            if (tse_is_real(y->dtype)) {
                const double sum = tsk_products(&a, at, &b, bt, &n);

                tse_put(y, to, plus ? tsk_plus_self(plus, from, sum) : sum);
            } else {
                const int64_t sum = tsk_products_whole(&a, at, &b, bt, &n);

                tse_put_i64(y, to, plus ? tsk_plus_self_whole(plus, from, sum) : sum);
            }
        }
    }
}

#endif
