/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm/G1 to G4. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/layer_norm_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/sum_expr.h"

static ts_tensor *row_sum(tsi_expr *e, ts_tensor *x)
{
    return tsi_sum(e, x, (int64_t[]){1}, 1, true);
}

/* sum(x * y) of each row. */
static ts_tensor *row_dot(tsi_expr *e, ts_tensor *x, ts_tensor *y)
{
    return row_sum(e, tsx_mul(e, x, y));
}

static ts_tensor *times(tsi_expr *e, ts_tensor *x, double a)
{
    return tsx_mul_number(e, x, ts_float(a));
}

static ts_tensor *over(tsi_expr *e, ts_tensor *x, double a)
{
    return tsx_div_number(e, x, ts_float(a), NULL);
}

static ts_tensor *square(tsi_expr *e, ts_tensor *x)
{
    return tsx_mul(e, x, x);
}

static ts_tensor *cubed(tsi_expr *e, ts_tensor *x)
{
    return tsx_mul(e, square(e, x), x);
}

static ts_tensor *tensor_or_null(const ts_value *v)
{
    return v->kind == TS_ARG_TENSOR ? v->tensor : NULL;
}

ts_status tsi_vjp_native_layer_norm(tsi_vjp *v)
{
    ts_tensor *grad[3];
    const int at[3] = {TS_NATIVE_LAYER_NORM_INPUT, TS_NATIVE_LAYER_NORM_WEIGHT,
                       TS_NATIVE_LAYER_NORM_BIAS};
    const ts_value *shape = &v->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE];

    TS_TRY(ts_native_layer_norm_backward(
        v->grads[0], v->args[TS_NATIVE_LAYER_NORM_INPUT].tensor, shape->ints.v,
        shape->ints.n, v->results[1], v->results[2],
        tensor_or_null(&v->args[TS_NATIVE_LAYER_NORM_WEIGHT]),
        tensor_or_null(&v->args[TS_NATIVE_LAYER_NORM_BIAS]), &grad[0], &grad[1],
        &grad[2]));
    for (int i = 0; i < 3; i++) {
        if (v->needs[at[i]])
            v->out[at[i]] = grad[i];
        else
            ts_release(grad[i]);
    }
    return TS_OK;
}

/* What the derivative of G1 to G3 reads, as matrices of rows of n elements: g, x, w (NULL
 * where there is none), the statistics as stored; u, uw, ub: the gradients of G1's, G2's and
 * G3's result, NULL where there is none. */
typedef struct backward {
    ts_tensor *g, *x, *w, *mean, *rstd, *u, *uw, *ub;
    double n;
} backward;

/* G1 of h, by the deviations c: rstd / n * (n * h - sum(h) - c * rstd^2 * sum(h * c)) */
static ts_tensor *projected(tsi_expr *e, const backward *b, ts_tensor *scale,
                            ts_tensor *h, ts_tensor *c)
{
    ts_tensor *level = tsx_sub(e, times(e, h, b->n), row_sum(e, h), NULL);
    ts_tensor *along = tsx_mul(e, tsx_mul(e, c, square(e, b->rstd)), row_dot(e, h, c));

    return tsx_mul(e, over(e, scale, b->n), tsx_sub(e, level, along, NULL));
}

static ts_tensor *sum_of(tsi_expr *e, ts_tensor *a, ts_tensor *b)
{
    return !a ? b : !b ? a : tsx_add(e, a, b, NULL);
}

/* Of g, in which all three are linear. */
static ts_status second_grad_out(const backward *b, const int64_t *sizes, ts_tensor **out)
{
    tsi_expr e = {0};
    ts_tensor *c = tsx_sub(&e, b->x, b->mean, NULL);
    ts_tensor *y = NULL;

    if (b->u)
        y = projected(&e, b, b->w ? tsx_mul(&e, b->w, b->rstd) : b->rstd, b->u, c);
    if (b->uw)
        y = sum_of(&e, y, tsx_mul(&e, tsx_mul(&e, b->uw, c), b->rstd));
    if (b->ub) /* of every row */
        y = sum_of(&e, y, tsx_expand(&e, b->ub, sizes, 2, NULL));
    return tsi_expr_give(&e, y, out);
}

/* Of w, which G1 alone reads. */
static ts_status second_weight(const backward *b, ts_tensor **out)
{
    tsi_expr e = {0};
    ts_tensor *c = tsx_sub(&e, b->x, b->mean, NULL);

    ts_tensor *each = tsx_mul(&e, b->g, projected(&e, b, b->rstd, b->u, c));

    return tsi_expr_give(&e, tsi_sum(&e, each, (int64_t[]){0}, 1, true), out);
}

/* Of x through G1, with h = g * w and the gradient u of G1's result. */
static ts_tensor *bend(tsi_expr *e, const backward *b, ts_tensor *c)
{
    const double n = b->n;
    ts_tensor *h = b->w ? tsx_mul(e, b->g, b->w) : b->g;
    ts_tensor *cube = cubed(e, b->rstd);
    ts_tensor *h_sum = row_sum(e, h), *hc = row_dot(e, h, c);
    ts_tensor *u_sum = row_sum(e, b->u), *uc = row_dot(e, b->u, c);
    ts_tensor *means = over(e, tsx_mul(e, u_sum, h_sum), n);
    ts_tensor *both = tsx_sub(e, means, row_dot(e, b->u, h), NULL);
    ts_tensor *along = tsx_mul(e, tsx_mul(e, square(e, b->rstd), hc), uc);
    ts_tensor *inner = tsx_add(e, both, times(e, along, 3 / n), NULL);
    ts_tensor *y = over(e, tsx_mul(e, tsx_mul(e, c, cube), inner), n);
    ts_tensor *of_h = tsx_mul(e, over(e, tsx_mul(e, uc, cube), n),
                              tsx_sub(e, over(e, h_sum, n), h, NULL));
    ts_tensor *of_u = tsx_mul(e, over(e, tsx_mul(e, hc, cube), n),
                              tsx_sub(e, over(e, u_sum, n), b->u, NULL));

    return tsx_add(e, tsx_add(e, y, of_h, NULL), of_u, NULL);
}

/* Of x through G2: G1 of g * uw. */
static ts_tensor *through_weight(tsi_expr *e, const backward *b, ts_tensor *c)
{
    ts_tensor *h = tsx_mul(e, b->g, b->uw);
    ts_tensor *level = over(e, tsx_mul(e, b->rstd, row_sum(e, h)), -b->n);
    ts_tensor *along = tsx_mul(e, tsx_mul(e, c, cubed(e, b->rstd)), row_dot(e, h, c));
    ts_tensor *y = tsx_add(e, tsx_mul(e, h, b->rstd), level, NULL);

    return tsx_add(e, y, over(e, along, -b->n), NULL);
}

static ts_status second_input(const backward *b, ts_tensor **out)
{
    tsi_expr e = {0};
    ts_tensor *y = NULL, *z = NULL;

    if (b->u) {
        ts_tensor *c = tsx_sub(&e, b->x, b->mean, NULL);

        TS_TRY(tsi_expr_give(&e, bend(&e, b, c), &y));
        e.made = y;
        y = tsi_expr_keep(&e);
    }
    if (b->uw) {
        ts_tensor *c = tsx_sub(&e, b->x, b->mean, NULL);

        z = through_weight(&e, b, c);
    }
    return tsi_expr_give(&e, sum_of(&e, y, z), out);
}

static ts_status derivatives(tsi_vjp *v, const backward *b, const int64_t *sizes)
{
    if (v->needs[TS_NATIVE_LAYER_NORM_BACKWARD_GRAD_OUT])
        TS_TRY(
            second_grad_out(b, sizes, &v->out[TS_NATIVE_LAYER_NORM_BACKWARD_GRAD_OUT]));
    if (v->needs[TS_NATIVE_LAYER_NORM_BACKWARD_WEIGHT] && b->u)
        TS_TRY(second_weight(b, &v->out[TS_NATIVE_LAYER_NORM_BACKWARD_WEIGHT]));
    if (v->needs[TS_NATIVE_LAYER_NORM_BACKWARD_INPUT] && (b->u || b->uw))
        TS_TRY(second_input(b, &v->out[TS_NATIVE_LAYER_NORM_BACKWARD_INPUT]));
    return TS_OK;
}

/* What the derivatives are of, as matrices of a row each: a view where the layout allows one. */
typedef struct matrices {
    int64_t whole[2], column[2], row[2];
    ts_tensor *made[8];
    int n;
} matrices;

static ts_status as_matrix(matrices *m, ts_tensor **t, const int64_t *sizes)
{
    if (!*t)
        return TS_OK;
    TS_TRY(ts_reshape(*t, sizes, 2, &m->made[m->n]));
    *t = m->made[m->n++];
    return TS_OK;
}

static ts_status as_matrices(matrices *m, backward *b)
{
    ts_tensor **const whole[] = {&b->g, &b->x, &b->u},
                      **const row[] = {&b->w, &b->uw, &b->ub};

    for (int i = 0; i < 3; i++) {
        TS_TRY(as_matrix(m, whole[i], m->whole));
        TS_TRY(as_matrix(m, row[i], m->row));
    }
    TS_TRY(as_matrix(m, &b->mean, m->column));
    return as_matrix(m, &b->rstd, m->column);
}

static ts_status shaped_as(ts_tensor **t, const tsi_kept_meta *like)
{
    ts_tensor *matrix = *t;
    ts_status st = matrix ? ts_reshape(matrix, like->sizes, like->ndim, t) : TS_OK;

    ts_release(matrix);
    return st;
}

/* G4. Halves are rounded after each step, as any program's are. */
ts_status tsi_vjp_native_layer_norm_backward(tsi_vjp *v)
{
    const int at[] = {TS_NATIVE_LAYER_NORM_BACKWARD_GRAD_OUT,
                      TS_NATIVE_LAYER_NORM_BACKWARD_INPUT,
                      TS_NATIVE_LAYER_NORM_BACKWARD_WEIGHT};
    const ts_value *a = v->args;
    const ts_value *shape = &a[TS_NATIVE_LAYER_NORM_BACKWARD_NORMALIZED_SHAPE];
    const tsi_kept_meta *x = &v->arg_meta[TS_NATIVE_LAYER_NORM_BACKWARD_INPUT];
    backward b = {.g = a[TS_NATIVE_LAYER_NORM_BACKWARD_GRAD_OUT].tensor,
                  .x = a[TS_NATIVE_LAYER_NORM_BACKWARD_INPUT].tensor,
                  .w = tensor_or_null(&a[TS_NATIVE_LAYER_NORM_BACKWARD_WEIGHT]),
                  .mean = a[TS_NATIVE_LAYER_NORM_BACKWARD_MEAN].tensor,
                  .rstd = a[TS_NATIVE_LAYER_NORM_BACKWARD_RSTD].tensor,
                  .u = v->grads[0],
                  .uw = v->grads[1],
                  .ub = v->grads[2]};
    int64_t rows = 1, n = 1;

    for (int d = 0; d < x->ndim; d++)
        *(d < x->ndim - (int)shape->ints.n ? &rows : &n) *= x->sizes[d];
    b.n = (double)n;

    matrices m = {.whole = {rows, n}, .column = {rows, 1}, .row = {1, n}};
    ts_status st = as_matrices(&m, &b);

    if (st == TS_OK)
        st = derivatives(v, &b, m.whole);
    for (int i = 0; i < 3 && st == TS_OK; i++)
        if (v->needs[at[i]])
            st = shaped_as(&v->out[at[i]], &v->arg_meta[at[i]]);
    for (int i = 0; i < m.n; i++)
        ts_release(m.made[i]);
    return st;
}
