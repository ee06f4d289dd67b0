/* SPDX-License-Identifier: Apache-2.0 */
/* mse_loss, kl_div, binary_cross_entropy_with_logits: programs over elementwise ops and a
 * reduction; see spec/ops/losses.md. */
#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/activations_expr.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/exponentials_expr.h"
#include "touchstone/ops/losses_glue.h"
#include "touchstone/ops/mul.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/sum_expr.h"
#include "touchstone/ops/unary_expr.h"
#include "touchstone/ops/where_expr.h"

enum { NONE, MEAN, SUM, BATCHMEAN };

static ts_status reduction_of(const ts_frame *f, int arg, int last, int *out)
{
    static const char *const names[] = {"none", "mean", "sum", "batchmean"};

    for (*out = NONE; *out <= last; (*out)++)
        if (strcmp(f->args[arg].string, names[*out]) == 0)
            return TS_OK;
    return ts_fail(TS_ERR_VALUE, "losses/C1", "%s: %s is not a valid reduction",
                   f->op->name, f->args[arg].string);
}

/* S1 */
static ts_tensor *reduced(tsi_expr *e, ts_tensor *loss, int reduction, const ts_tensor *x)
{
    if (reduction == NONE || !loss)
        return loss;
    if (reduction == MEAN)
        return tsx_mean(e, loss, NULL);
    loss = tsi_sum(e, loss, NULL, 0, false);
    if (reduction == BATCHMEAN && x->ndim > 0)
        loss = tsx_div_number(e, loss, ts_int(x->sizes[0]), NULL);
    return loss;
}

static ts_dtype wide(ts_dtype dtype)
{
    return dtype == TS_FLOAT64 ? TS_FLOAT64 : TS_FLOAT32;
}

/* Result 0 of a loss of `sizes`, or of its reduction. */
static ts_status give(ts_frame *f, const ts_tensor *x, ts_dtype dtype, int reduction)
{
    return reduction == NONE ? tsi_result_like(f, 0, x, dtype)
                             : tsi_result(f, 0, x->device, dtype, 0, NULL);
}

ts_status tsi_api_mse_loss(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_MSE_LOSS_INPUT),
                      tsi_tensor(f, TS_MSE_LOSS_TARGET)};
    const ts_dtype dtype = tsi_result_type(2, t);
    int reduction;

    TS_TRY(reduction_of(f, TS_MSE_LOSS_REDUCTION, SUM, &reduction));
    TS_TRY(tsi_pointwise(f, "losses/C6", 2, t, dtype, dtype));
    TS_TRY(tsi_check_dtype(f, dtype, "losses/C2"));
    f->flags &= ~TS_FRAME_POINTWISE;
    return reduction == NONE ? TS_OK : give(f, t[0], dtype, reduction);
}

/* The half types within float32, rounded once for each element (S2). */
ts_status tsi_program_mse_loss(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_MSE_LOSS_INPUT),
              *t = tsi_tensor(f, TS_MSE_LOSS_TARGET);
    const ts_dtype dtype = tsi_result_type(2, (ts_tensor *[]){x, t});
    tsi_expr e = {0};
    ts_tensor *apart, *loss;
    int reduction;

    TS_TRY(reduction_of(f, TS_MSE_LOSS_REDUCTION, SUM, &reduction));
    apart = tsx_sub(&e, tsi_cast(&e, x, wide(dtype)), tsi_cast(&e, t, wide(dtype)), NULL);
    loss = tsi_cast(&e, tsx_mul(&e, apart, apart), dtype);
    return tsi_expr_give(&e, reduced(&e, loss, reduction, x), &f->results[0]);
}

/* x * log(x), 0 where x is */
static ts_tensor *entropy(tsi_expr *e, ts_tensor *t)
{
    ts_tensor *x = tsi_cast(e, t, wide(t->dtype));
    ts_tensor *one = tsi_cast(e, tsi_number(e, ts_int(1)), wide(t->dtype));
    ts_tensor *safe = tsx_where(e, tsx_eq_number(e, x, ts_int(0)), one, x);

    return tsi_cast(e, tsx_mul(e, x, tsx_log(e, safe)), t->dtype);
}

ts_status tsi_program_kl_div(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_KL_DIV_INPUT), *t = tsi_tensor(f, TS_KL_DIV_TARGET);
    tsi_expr e = {0};
    ts_tensor *loss;
    int reduction;

    TS_TRY(reduction_of(f, TS_KL_DIV_REDUCTION, BATCHMEAN, &reduction));
    TS_CHECK(ts_dtype_is_floating(x->dtype) && ts_dtype_is_floating(t->dtype),
             TS_ERR_RUNTIME, "losses/C3",
             "kl_div: input is %s and target %s, not floating", ts_dtype_name(x->dtype),
             ts_dtype_name(t->dtype));
    TS_TRY(tsi_check_dtype(f, x->dtype, "losses/C2"));
    TS_TRY(tsi_check_dtype(f, t->dtype, "losses/C2"));
    loss = f->args[TS_KL_DIV_LOG_TARGET].b
               ? tsx_mul(&e, tsx_exp(&e, t), tsx_sub(&e, t, x, NULL))
               : tsx_sub(&e, entropy(&e, t), tsx_mul(&e, t, x), NULL);
    return tsi_expr_give(&e, reduced(&e, loss, reduction, x), &f->results[0]);
}

/* S6: log(sigmoid(x)), times log_weight where there is one. */
static ts_tensor *log_sigmoid(tsi_expr *e, ts_tensor *x, ts_tensor *t,
                              ts_tensor *positive)
{
    ts_softplus_opts o = ts_softplus_defaults();
    ts_tensor *y, *weight;

    o.threshold = ts_int(100); /* above which no dtype has digits for the difference */
    y = tsx_neg(e, tsx_softplus(e, tsx_neg(e, x), &o));
    if (!positive)
        return y;
    weight = tsx_add_number(e, positive, ts_int(-1), NULL);
    weight = tsx_add_number(e, tsx_mul(e, weight, t), ts_int(1), NULL);
    if (y && weight)
        e->s = ts_mul_(y, weight);
    return y;
}

ts_status tsi_api_binary_cross_entropy_with_logits(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_INPUT);
    const ts_tensor *t = tsi_tensor(f, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET);
    int reduction;

    TS_TRY(
        reduction_of(f, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_REDUCTION, SUM, &reduction));
    TS_CHECK(tsi_same_sizes(x, t), TS_ERR_VALUE, "losses/C4",
             "binary_cross_entropy_with_logits: input and target differ in their sizes");
    TS_TRY(tsi_check_dtype(f, x->dtype, "losses/C2"));
    TS_CHECK(t->dtype != TS_BOOL, TS_ERR_NOT_IMPLEMENTED, "losses/C2",
             "binary_cross_entropy_with_logits: 1 - target of bool");
    TS_CHECK(ts_dtype_is_floating(t->dtype), TS_ERR_RUNTIME, "losses/C5",
             "binary_cross_entropy_with_logits: target is %s, not floating",
             ts_dtype_name(t->dtype));
    for (int k = TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_WEIGHT; k < f->op->nparams; k++)
        TS_CHECK(!tsi_tensor(f, k) || !tsi_records(tsi_tensor(f, k)), TS_ERR_RUNTIME,
                 "losses/C7", "%s: %s requires grad, but has no derivative", f->op->name,
                 f->op->params[k].name);
    return give(f, t, t->dtype, reduction);
}

ts_status tsi_program_binary_cross_entropy_with_logits(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_INPUT);
    ts_tensor *t = tsi_tensor(f, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET);
    ts_tensor *weight = tsi_tensor(f, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_WEIGHT);
    ts_tensor *positive = tsi_tensor(f, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_POS_WEIGHT);
    tsi_expr e = {0};
    ts_tensor *loss, *log;
    int reduction;

    TS_TRY(
        reduction_of(f, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_REDUCTION, SUM, &reduction));
    log = log_sigmoid(&e, x, t, positive);
    loss = tsx_add_number(&e, tsx_neg(&e, t), ts_int(1), NULL);
    loss = tsi_cast(&e, tsx_mul(&e, loss, x), t->dtype);
    loss = tsi_cast(&e, tsx_sub(&e, loss, log, NULL), t->dtype);
    if (weight && loss) {
        e.s = ts_mul_(loss, weight);
        tsi_version_reset(loss);
    }
    return tsi_expr_give(&e, reduced(&e, loss, reduction, x), &f->results[0]);
}
