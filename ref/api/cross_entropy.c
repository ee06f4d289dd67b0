/* SPDX-License-Identifier: Apache-2.0 */
/* cross_entropy and nll_loss: programs over nll_loss_forward; see
 * spec/ops/cross_entropy.md. */
#include <math.h>

#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/cross_entropy_glue.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/index_select_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/softmax_expr.h"
#include "touchstone/ops/transpose_expr.h"
#include "touchstone/ops/unary_expr.h"
#include "touchstone/ops/view_expr.h"
#include "touchstone/ops/where_expr.h"

enum { NONE, MEAN, SUM };

static ts_status reduction_of(const ts_frame *f, int arg, int *out)
{
    static const char *const names[] = {"none", "mean", "sum"};

    for (*out = NONE; *out <= SUM; (*out)++)
        if (strcmp(f->args[arg].string, names[*out]) == 0)
            return TS_OK;
    return ts_fail(TS_ERR_VALUE, "cross_entropy/C2", "%s: %s is not a valid reduction",
                   f->op->name, f->args[arg].string);
}

static ts_status check_index_target(const ts_frame *f, const ts_tensor *t)
{
    TS_CHECK(t->dtype == TS_INT64 || t->dtype == TS_UINT8, TS_ERR_RUNTIME,
             "cross_entropy/C7", "%s: target is expected to be int64 or uint8, but is %s",
             f->op->name, ts_dtype_name(t->dtype));
    return TS_OK;
}

static ts_status check_weight(const ts_frame *f, const ts_tensor *w, int64_t classes)
{
    char text[256];

    TS_CHECK(
        !w || (w->ndim == 1 && w->numel == classes), TS_ERR_RUNTIME, "cross_entropy/C5",
        "%s: weight of shape %s, one number for each of %" PRId64 " classes is expected",
        f->op->name, tsi_sizes_text(text, sizeof text, w->ndim, w->sizes), classes);
    return TS_OK;
}

ts_status tsi_api_nll_loss_forward(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_NLL_LOSS_FORWARD_SELF);
    const ts_tensor *t = tsi_tensor(f, TS_NLL_LOSS_FORWARD_TARGET);
    const ts_tensor *w = tsi_tensor(f, TS_NLL_LOSS_FORWARD_WEIGHT);
    const bool rows = x->ndim == 2;

    TS_CHECK(x->ndim == 1 || x->ndim == 2, TS_ERR_RUNTIME, "cross_entropy/C4",
             "%s: input has %d dims, 1 or 2 are expected", f->op->name, x->ndim);
    TS_CHECK(t->ndim <= 1 && t->numel == (rows ? x->sizes[0] : 1), TS_ERR_RUNTIME,
             "cross_entropy/C4",
             "%s: %" PRId64 " targets in %d dims do not match the input", f->op->name,
             t->numel, t->ndim);
    TS_TRY(check_weight(f, w, x->sizes[x->ndim - 1]));
    TS_TRY(check_index_target(f, t));
    TS_TRY(tsi_check_dtype(f, x->dtype, "cross_entropy/C11"));
    TS_CHECK(!w || w->dtype == x->dtype, TS_ERR_RUNTIME, "cross_entropy/C12",
             "%s: weight is expected to be %s, but is %s", f->op->name,
             ts_dtype_name(x->dtype), ts_dtype_name(w->dtype));
    TS_TRY(tsi_result(f, 0, x->device, x->dtype,
                      rows && f->args[TS_NLL_LOSS_FORWARD_REDUCTION].i == NONE,
                      x->sizes));
    return tsi_result(f, 1, x->device, x->dtype, 0, x->sizes);
}

ts_status tsi_api_nll_loss_backward(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_NLL_LOSS_BACKWARD_SELF);

    return tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes);
}

/* x of (N, C, d...) as (N * d..., C). */
static ts_tensor *as_rows(tsi_expr *e, ts_tensor *x, int64_t rows)
{
    int64_t dims[TS_MAX_DIMS] = {0};
    ts_tensor *moved;

    for (int d = 1; d < x->ndim; d++)
        dims[d] = d < x->ndim - 1 ? d + 1 : 1;
    moved = tsx_permute(e, x, dims, x->ndim);
    return tsx_reshape(e, moved, (int64_t[]){rows, x->sizes[1]}, 2);
}

static ts_status check_nd(const ts_frame *f, const ts_tensor *x, const ts_tensor *t)
{
    char have[256], want[256];
    int64_t sizes[TS_MAX_DIMS];

    TS_CHECK(x->ndim > 0, TS_ERR_VALUE, "cross_entropy/C10", "%s: input has no dims",
             f->op->name);
    TS_CHECK(x->ndim == 1 || (t->ndim > 0 && x->sizes[0] == t->sizes[0]), TS_ERR_VALUE,
             "cross_entropy/C3",
             "%s: batch size %" PRId64 " of input does not match target's %s",
             f->op->name, x->sizes[0],
             tsi_sizes_text(have, sizeof have, t->ndim, t->sizes));
    if (x->ndim <= 2)
        return TS_OK;
    sizes[0] = x->sizes[0];
    memcpy(sizes + 1, x->sizes + 2, (size_t)(x->ndim - 2) * sizeof *sizes);
    TS_CHECK(t->ndim == x->ndim - 1 &&
                 memcmp(t->sizes, sizes, (size_t)t->ndim * sizeof *sizes) == 0,
             TS_ERR_RUNTIME, "cross_entropy/C4", "%s: target of sizes %s, expected %s",
             f->op->name, tsi_sizes_text(have, sizeof have, t->ndim, t->sizes),
             tsi_sizes_text(want, sizeof want, x->ndim - 1, sizes));
    return TS_OK;
}

/* S1 to S4 over log-probabilities of any number of dims. */
static ts_tensor *nll(tsi_expr *e, const ts_frame *f, ts_tensor *x, ts_tensor *t,
                      ts_tensor *w, int reduction, int64_t ignore)
{
    const bool spatial = x && x->ndim > 2;
    ts_tensor *loss, *total, *rows = x, *targets = t;

    if (e->s == TS_OK)
        e->s = check_nd(f, x, t);
    if (e->s != TS_OK)
        return NULL;
    if (spatial) {
        rows = as_rows(e, x, t->numel);
        targets = tsx_reshape(e, t, (int64_t[]){t->numel}, 1);
    }
    loss = TSI_EXPR(
        e, ts_nll_loss_forward(rows, targets, w, reduction, ignore, &e->made, &total));
    if (!loss)
        return NULL;
    ts_release(total);
    if (spatial && reduction == NONE)
        return tsx_reshape(e, loss, t->sizes, t->ndim);
    return loss;
}

static ts_status check_constant_weight(const ts_frame *f, const ts_tensor *w)
{
    TS_CHECK(!w || !tsi_records(w), TS_ERR_RUNTIME, "cross_entropy/C13",
             "%s: weight requires grad, but has no derivative", f->op->name);
    return TS_OK;
}

ts_status tsi_program_nll_loss(ts_frame *f)
{
    int reduction;
    tsi_expr e = {0};

    TS_TRY(reduction_of(f, 4, &reduction));
    TS_TRY(check_constant_weight(f, tsi_tensor(f, TS_NLL_LOSS_WEIGHT)));
    return tsi_expr_give(&e,
                         nll(&e, f, tsi_tensor(f, TS_NLL_LOSS_INPUT),
                             tsi_tensor(f, TS_NLL_LOSS_TARGET),
                             tsi_tensor(f, TS_NLL_LOSS_WEIGHT), reduction,
                             f->args[TS_NLL_LOSS_IGNORE_INDEX].i),
                         &f->results[0]);
}

/* weight as (1, C, 1, ...), to go with an input of ndim dims. */
static ts_tensor *broadcast_weight(tsi_expr *e, ts_tensor *w, int ndim)
{
    int64_t sizes[TS_MAX_DIMS];

    if (ndim < 2)
        return w;
    for (int d = 0; d < ndim; d++)
        sizes[d] = d == 1 ? w->numel : 1;
    return tsx_reshape(e, w, sizes, ndim);
}

/* log_p summed over the classes, weighted, negated. */
static ts_tensor *all_classes(tsi_expr *e, ts_tensor *log_p, ts_tensor *w, int64_t dim)
{
    if (w && log_p)
        log_p = tsx_mul(e, log_p, broadcast_weight(e, w, log_p->ndim));
    return tsx_neg(e, tsi_sum(e, log_p, &dim, 1, false));
}

/* S2's denominator: the sum of weight[t], or the count, of the targets kept. */
static ts_tensor *kept_weight(tsi_expr *e, ts_tensor *t, ts_tensor *ignored, ts_tensor *w)
{
    ts_tensor *zero = tsi_number(e, ts_int(0));
    ts_tensor *one = tsi_number(e, ts_int(1));
    ts_tensor *index, *each;

    if (!w)
        return tsi_sum(e, tsx_where(e, ignored, zero, one), NULL, 0, false);
    index = tsx_where(e, ignored, zero, t);
    index = tsx_reshape(e, tsi_cast(e, index, TS_INT64), (int64_t[]){t->numel}, 1);
    each = tsx_index_select(e, w, 0, index);
    each = tsx_reshape(e, each, t->sizes, t->ndim);
    return tsi_sum(e, tsx_where(e, ignored, zero, each), NULL, 0, false);
}

/* S5. */
static ts_tensor *smoothed(tsi_expr *e, const ts_frame *f, ts_tensor *log_p, int64_t dim,
                           int reduction)
{
    ts_tensor *t = tsi_tensor(f, TS_CROSS_ENTROPY_TARGET);
    ts_tensor *w = tsi_tensor(f, TS_CROSS_ENTROPY_WEIGHT);
    const double smoothing = f->args[TS_CROSS_ENTROPY_LABEL_SMOOTHING].f;
    ts_tensor *picked =
        nll(e, f, log_p, t, w, reduction, f->args[TS_CROSS_ENTROPY_IGNORE_INDEX].i);
    ts_tensor *every = all_classes(e, log_p, w, dim);
    ts_tensor *ignored =
        tsx_eq_number(e, t, ts_int(f->args[TS_CROSS_ENTROPY_IGNORE_INDEX].i));

    every = tsx_where(e, ignored, tsi_number(e, ts_float(0)), every);
    if (reduction != NONE)
        every = tsi_sum(e, every, NULL, 0, false);
    if (reduction == MEAN)
        every = tsx_div(e, every, kept_weight(e, t, ignored, w), NULL);
    if (e->s != TS_OK)
        return NULL;
    picked = tsx_mul_number(e, picked, ts_float(1 - smoothing));
    every = tsx_mul_number(e, every, ts_float(smoothing / (double)log_p->sizes[dim]));
    return tsx_add(e, picked, every, NULL);
}

/* S6. */
static ts_tensor *probabilities(tsi_expr *e, const ts_frame *f, ts_tensor *log_p,
                                int64_t dim, int reduction)
{
    ts_tensor *t = tsi_tensor(f, TS_CROSS_ENTROPY_TARGET);
    const double smoothing = f->args[TS_CROSS_ENTROPY_LABEL_SMOOTHING].f;
    const double classes = (double)log_p->sizes[dim];
    ts_tensor *loss;

    if (smoothing > 0)
        t = tsx_add_number(e, tsx_mul_number(e, t, ts_float(1 - smoothing)),
                           ts_float(smoothing / classes), NULL);
    loss = tsx_mul(e, log_p, t);
    if (tsi_tensor(f, TS_CROSS_ENTROPY_WEIGHT))
        loss = tsx_mul(
            e, loss,
            broadcast_weight(e, tsi_tensor(f, TS_CROSS_ENTROPY_WEIGHT), log_p->ndim));
    if (reduction == NONE)
        return tsx_neg(e, tsi_sum(e, loss, &dim, 1, false));
    loss = tsx_neg(e, tsi_sum(e, loss, NULL, 0, false));
    if (reduction == SUM)
        return loss;
    return tsx_div_number(e, loss, ts_float((double)log_p->numel / classes), NULL);
}

ts_status tsi_program_cross_entropy(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_CROSS_ENTROPY_INPUT);
    ts_tensor *t = tsi_tensor(f, TS_CROSS_ENTROPY_TARGET);
    ts_tensor *w = tsi_tensor(f, TS_CROSS_ENTROPY_WEIGHT);
    const bool soft = tsi_same_sizes(x, t);
    tsi_expr e = {0};
    ts_tensor *log_p, *loss;
    int reduction, dim;

    TS_TRY(reduction_of(f, 4, &reduction));
    if (soft) {
        TS_CHECK(ts_dtype_is_floating(t->dtype), TS_ERR_RUNTIME, "cross_entropy/C6",
                 "cross_entropy: a target of class probabilities is floating, got %s",
                 ts_dtype_name(t->dtype));
        TS_CHECK(f->args[TS_CROSS_ENTROPY_IGNORE_INDEX].i < 0, TS_ERR_RUNTIME,
                 "cross_entropy/C9",
                 "cross_entropy: ignore_index %" PRId64
                 " does not go with class probabilities",
                 f->args[TS_CROSS_ENTROPY_IGNORE_INDEX].i);
    }
    TS_TRY(tsi_wrap_dim("cross_entropy/C14", x->ndim == 1 ? 0 : 1, x->ndim, &dim));
    TS_TRY(soft ? check_weight(f, w, x->sizes[dim]) : check_constant_weight(f, w));
    TS_CHECK(f->args[TS_CROSS_ENTROPY_LABEL_SMOOTHING].f <= 1, TS_ERR_RUNTIME,
             "cross_entropy/C8",
             "cross_entropy: label_smoothing must be between 0 and 1, got %g",
             f->args[TS_CROSS_ENTROPY_LABEL_SMOOTHING].f);
    TS_TRY(tsi_check_dtype(f, x->dtype, "cross_entropy/C11"));
    log_p = tsx_log_softmax(&e, x, dim, NULL);
    if (!log_p)
        return tsi_expr_give(&e, NULL, &f->results[0]);
    if (soft)
        loss = probabilities(&e, f, log_p, dim, reduction);
    else if (f->args[TS_CROSS_ENTROPY_LABEL_SMOOTHING].f > 0)
        loss = smoothed(&e, f, log_p, dim, reduction);
    else
        loss =
            nll(&e, f, log_p, t, w, reduction, f->args[TS_CROSS_ENTROPY_IGNORE_INDEX].i);
    return tsi_expr_give(&e, loss, &f->results[0]);
}
