/* SPDX-License-Identifier: Apache-2.0 */
/* losses/G1 and losses/G3; kl_div's follow from its parts. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/activations_expr.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/losses_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/sigmoid_expr.h"
#include "touchstone/ops/unary_expr.h"

static bool is_mean(const ts_value *reduction)
{
    return reduction->string[0] == 'm';
}

/* 2 * (x - t) * g, over the count for a mean; contiguous. */
static ts_status slope(tsi_vjp *v, ts_tensor *x, ts_tensor *t, ts_tensor **out)
{
    tsi_expr e = {0};
    ts_tensor *kept[] = {x, t}, *apart, *y;
    const ts_dtype dtype = tsi_result_type(2, kept); /* bool has no sub */

    apart = tsx_sub(&e, tsi_cast(&e, x, dtype), tsi_cast(&e, t, dtype), NULL);
    y = tsx_mul_number(&e, apart, ts_float(2));
    if (apart && is_mean(&v->args[TS_MSE_LOSS_REDUCTION]))
        y = tsx_div_number(&e, y, ts_int(apart->numel), NULL);
    y = tsx_mul(&e, y, v->grads[0]);
    return tsi_expr_give(&e, tsx_contiguous(&e, y, NULL), out);
}

ts_status tsi_vjp_mse_loss(tsi_vjp *v)
{
    ts_tensor *x = v->args[TS_MSE_LOSS_INPUT].tensor;
    ts_tensor *t = v->args[TS_MSE_LOSS_TARGET].tensor;

    if (v->needs[TS_MSE_LOSS_INPUT])
        TS_TRY(slope(v, x, t, &v->out[TS_MSE_LOSS_INPUT]));
    if (v->needs[TS_MSE_LOSS_TARGET])
        TS_TRY(slope(v, t, x, &v->out[TS_MSE_LOSS_TARGET]));
    return TS_OK;
}

static ts_tensor *optional(const ts_value *v)
{
    return v->kind == TS_ARG_TENSOR ? v->tensor : NULL;
}

/* log(sigmoid(x)); losses/S5 */
static ts_tensor *log_sigmoid(tsi_expr *e, ts_tensor *x)
{
    ts_softplus_opts o = ts_softplus_defaults();

    o.threshold = ts_int(100);
    return tsx_neg(e, tsx_softplus(e, tsx_neg(e, x), &o));
}

/* What comes, times y and the weight, over the count for a mean. */
static ts_status scaled(tsi_vjp *v, tsi_expr *e, ts_tensor *y, int arg)
{
    ts_tensor *weight = optional(&v->args[TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_WEIGHT]);

    y = tsx_mul(e, y, v->grads[0]);
    if (weight)
        y = tsx_mul(e, y, weight);
    if (y && is_mean(&v->args[TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_REDUCTION]))
        y = tsx_div_number(e, y, ts_int(y->numel), NULL);
    return tsi_expr_give(e, y, &v->out[arg]);
}

ts_status tsi_vjp_binary_cross_entropy_with_logits(tsi_vjp *v)
{
    ts_tensor *x = v->args[TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_INPUT].tensor;
    ts_tensor *t = v->args[TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET].tensor;
    ts_tensor *p = optional(&v->args[TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_POS_WEIGHT]);
    tsi_expr e = {0}, of_target = {0};

    if (v->needs[TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_INPUT]) {
        ts_tensor *y = tsx_sigmoid(&e, x);

        if (p) { /* (p t + 1 - t) * sigmoid(x) - p t */
            ts_tensor *pt = tsx_mul(&e, p, t);
            ts_tensor *all = tsx_add_number(&e, pt, ts_int(1), NULL);

            y = tsx_mul(&e, tsx_sub(&e, all, t, NULL), y);
            y = tsx_sub(&e, y, pt, NULL);
        } else {
            y = tsx_sub(&e, y, t, NULL);
        }
        TS_TRY(scaled(v, &e, y, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_INPUT));
    }
    if (v->needs[TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET]) {
        ts_tensor *y = tsx_neg(&of_target, x);

        if (p) /* log(sigmoid(-x)) - p log(sigmoid(x)) */
            y = tsx_sub(&of_target, log_sigmoid(&of_target, y),
                        tsx_mul(&of_target, log_sigmoid(&of_target, x), p), NULL);
        TS_TRY(scaled(v, &of_target, y, TS_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET));
    }
    return TS_OK;
}
