/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of products of matrices; mm/G1, mm/G3. */
#ifndef TSI_GRAD_PRODUCT_H
#define TSI_GRAD_PRODUCT_H

#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/mm_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/transpose_expr.h"

static inline ts_tensor *tsi_turned(tsi_expr *e, ts_tensor *t)
{
    return tsx_transpose(e, t, -2, -1);
}

static inline bool tsi_column_major(const tsi_kept_meta *m)
{
    return m->strides[0] == 1 && m->strides[1] == m->sizes[0];
}

/* What the left factor of a product gets, g being the product's gradient. */
static inline ts_tensor *tsi_left_gradient(tsi_expr *e, ts_tensor *g, ts_tensor *right,
                                           const tsi_kept_meta *left)
{
    return tsi_column_major(left) ? tsi_turned(e, tsx_mm(e, right, tsi_turned(e, g)))
                                  : tsx_mm(e, g, tsi_turned(e, right));
}

static inline ts_tensor *tsi_right_gradient(tsi_expr *e, ts_tensor *g, ts_tensor *left,
                                            const tsi_kept_meta *right)
{
    return tsi_column_major(right) ? tsi_turned(e, tsx_mm(e, tsi_turned(e, g), left))
                                   : tsx_mm(e, tsi_turned(e, left), g);
}

/* t times a number, which 1 leaves alone. */
static inline ts_tensor *tsi_times(tsi_expr *e, ts_tensor *t, ts_scalar by)
{
    return ts_scalar_f64(by) == 1 ? t : tsx_mul_number(e, t, by);
}

#endif
