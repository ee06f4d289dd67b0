/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nll_loss_forward and its backward, on rows.
 *
 * Rounding  sums in double, one rounding on store. Errors  C1 before anything is written.
 */
#include "ops/wide.h"
#include "touchstone/backend.h"
#include "touchstone/ops/cross_entropy_glue.h"

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
    return tse_get_i64(r->target, i * r->target_step);
}

static double weight_of(const rows *r, int64_t target)
{
    return r->weight ? tse_get(r->weight, target * r->weight->strides[0]) : 1;
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

ts_status tsk_nll_loss_forward(const ts_kernel_call *call)
{
    const rows r = rows_of(call->args[TS_NLL_LOSS_FORWARD_SELF].tensor,
                           &call->args[TS_NLL_LOSS_FORWARD_TARGET],
                           &call->args[TS_NLL_LOSS_FORWARD_WEIGHT],
                           call->args[TS_NLL_LOSS_FORWARD_IGNORE_INDEX].i);
    ts_tensor *y = call->results[0];
    tsk_wide sum = {0, 0}, total = {0, 0};
    double result;

    TS_TRY(check_targets(&r));
    for (int64_t i = 0; i < r.n; i++) {
        const int64_t t = target_at(&r, i);
        const double w = t == r.ignore ? 0 : weight_of(&r, t);
        double loss = 0; /* S3 */

        if (t != r.ignore)
            loss = -w * tse_get(r.x, i * r.row_step + t * r.class_step);
        if (call->args[TS_NLL_LOSS_FORWARD_REDUCTION].i == NONE)
            tse_put(y, y->ndim > 0 ? i * y->strides[0] : 0, loss);
        tsk_wide_add(&sum, loss);
        tsk_wide_add(&total, w);
    }
    result = tsk_wide_get(&sum);
    if (call->args[TS_NLL_LOSS_FORWARD_REDUCTION].i == MEAN) /* S4: 0/0 is NaN */
        result /= tsk_wide_get(&total);
    if (call->args[TS_NLL_LOSS_FORWARD_REDUCTION].i != NONE)
        tse_put(y, 0, result);
    tse_put(call->results[1], 0,
            call->args[TS_NLL_LOSS_FORWARD_REDUCTION].i == NONE ? 0
                                                                : tsk_wide_get(&total));
    return TS_OK;
}

ts_status tsk_nll_loss_backward(const ts_kernel_call *call)
{
    const ts_tensor *g = call->args[TS_NLL_LOSS_BACKWARD_GRAD_OUTPUT].tensor;
    ts_tensor *x = call->results[0];
    const rows r = rows_of(x, &call->args[TS_NLL_LOSS_BACKWARD_TARGET],
                           &call->args[TS_NLL_LOSS_BACKWARD_WEIGHT],
                           call->args[TS_NLL_LOSS_BACKWARD_IGNORE_INDEX].i);
    const double total =
        call->args[TS_NLL_LOSS_BACKWARD_REDUCTION].i == MEAN
            ? tse_get(call->args[TS_NLL_LOSS_BACKWARD_TOTAL_WEIGHT].tensor, 0)
            : 1;

    TS_TRY(check_targets(&r));
    for (int64_t i = 0; i < r.n; i++) {
        const int64_t t = target_at(&r, i);
        const double gi = tse_get(g, g->ndim > 0 ? i * g->strides[0] : 0);

        for (int64_t c = 0; c < r.classes; c++) /* G1, G2 */
            tse_put(x, i * r.row_step + c * r.class_step,
                    c == t && t != r.ignore ? -weight_of(&r, t) * gi / total : 0);
    }
    return TS_OK;
}
