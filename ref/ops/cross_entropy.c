/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nll_loss_forward and its backward, on rows.
 *
 * Rounding  sums in double, one rounding on store. Errors  C1 before anything is written.
 */
#include "core/core.h"
#include "ops/wide.h"
#include "touchstone/ops_glue.h"

enum { NONE, MEAN };

/* The rows of (N, C), or the one of (C,). */
typedef struct rows {
    const ts_tensor *x, *target, *weight;
    int64_t n, classes, row_step, class_step, target_step, ignore;
} rows;

static rows rows_of(const ts_tensor *x, const ts_value *target, const ts_value *weight,
                    int64_t ignore)
{
    const bool many = x->ndim == 2;

    return (rows){
        .x = x,
        .target = target->tensor,
        .weight = weight->kind == TS_ARG_TENSOR ? weight->tensor : NULL,
        .n = many ? x->sizes[0] : 1,
        .classes = x->sizes[x->ndim - 1],
        .row_step = many ? x->strides[0] : 0,
        .class_step = x->strides[x->ndim - 1],
        .target_step = target->tensor->ndim > 0 ? target->tensor->strides[0] : 0,
        .ignore = ignore,
    };
}

static int64_t target_at(const rows *r, int64_t i)
{
    return tsi_load_i64(r->target, i * r->target_step);
}

static double weight_of(const rows *r, int64_t target)
{
    return r->weight ? tsi_load(r->weight, target * r->weight->strides[0]) : 1;
}

static ts_status check_targets(const rows *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t t = target_at(r, i);

        TS_CHECK(t == r->ignore || (t >= 0 && t < r->classes), TS_ERR_INDEX,
                 "cross_entropy/C1",
                 "nll_loss: target %" PRId64 " is out of bounds for %" PRId64 " classes",
                 t, r->classes);
    }
    return TS_OK;
}

ts_status tsk_nll_loss_forward(ts_frame *f)
{
    const rows r = rows_of(f->args[0].tensor, &f->args[1], &f->args[2], f->args[4].i);
    ts_tensor *y = f->results[0];
    tsk_wide sum = {0, 0}, total = {0, 0};
    double result;

    TS_TRY(check_targets(&r));
    for (int64_t i = 0; i < r.n; i++) {
        const int64_t t = target_at(&r, i);
        const double w = t == r.ignore ? 0 : weight_of(&r, t);
        double loss = 0; /* S3 */

        if (t != r.ignore)
            loss = -w * tsi_load(r.x, i * r.row_step + t * r.class_step);
        if (f->args[3].i == NONE)
            tsi_store(y, y->ndim > 0 ? i * y->strides[0] : 0, loss);
        tsk_wide_add(&sum, loss);
        tsk_wide_add(&total, w);
    }
    result = tsk_wide_get(&sum);
    if (f->args[3].i == MEAN) /* S4: 0/0 is NaN */
        result /= tsk_wide_get(&total);
    if (f->args[3].i != NONE)
        tsi_store(y, 0, result);
    tsi_store(f->results[1], 0, f->args[3].i == NONE ? 0 : tsk_wide_get(&total));
    return TS_OK;
}

ts_status tsk_nll_loss_backward(ts_frame *f)
{
    const ts_tensor *g = f->args[0].tensor;
    ts_tensor *x = f->results[0];
    const rows r = rows_of(x, &f->args[2], &f->args[3], f->args[5].i);
    const double total = f->args[4].i == MEAN ? tsi_load(f->args[6].tensor, 0) : 1;

    TS_TRY(check_targets(&r));
    for (int64_t i = 0; i < r.n; i++) {
        const int64_t t = target_at(&r, i);
        const double gi = tsi_load(g, g->ndim > 0 ? i * g->strides[0] : 0);

        for (int64_t c = 0; c < r.classes; c++) /* G1, G2 */
            tsi_store(x, i * r.row_step + c * r.class_step,
                      c == t && t != r.ignore ? -weight_of(&r, t) * gi / total : 0);
    }
    return TS_OK;
}
