/* SPDX-License-Identifier: Apache-2.0 */
/* softmax/G1, softmax/G2, and the derivatives of those two derivatives. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/softmax_glue.h"
#include "touchstone/ops/unary_expr.h"

ts_status tsi_vjp__softmax(tsi_vjp *v)
{
    return ts__softmax_backward_data(
        v->grads[0], v->results[0], v->args[TS__SOFTMAX_DIM].i,
        v->arg_meta[TS__SOFTMAX_SELF].dtype, &v->out[TS__SOFTMAX_SELF]);
}

ts_status tsi_vjp__log_softmax(tsi_vjp *v)
{
    return ts__log_softmax_backward_data(
        v->grads[0], v->results[0], v->args[TS__LOG_SOFTMAX_DIM].i,
        v->arg_meta[TS__LOG_SOFTMAX_SELF].dtype, &v->out[TS__LOG_SOFTMAX_SELF]);
}

/* x = y * (g - sum(g y)): with u the gradient of x, dg = y * (u - sum(u y)) and
 * dy = u * (g - sum(g y)) - g * sum(u y). */
ts_status tsi_vjp__softmax_backward_data(tsi_vjp *v)
{
    ts_tensor *u = v->grads[0];
    ts_tensor *g = v->args[TS__SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT].tensor;
    ts_tensor *y = v->args[TS__SOFTMAX_BACKWARD_DATA_OUTPUT].tensor;
    const int64_t dim = v->args[TS__SOFTMAX_BACKWARD_DATA_DIM].i;

    if (v->needs[TS__SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT])
        TS_TRY(ts__softmax_backward_data(
            u, y, dim, v->arg_meta[TS__SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT].dtype,
            &v->out[TS__SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT]));
    if (v->needs[TS__SOFTMAX_BACKWARD_DATA_OUTPUT]) {
        tsi_expr e = {0};
        ts_tensor *gy = tsi_sum(&e, tsx_mul(&e, g, y), &dim, 1, true);
        ts_tensor *uy = tsi_sum(&e, tsx_mul(&e, u, y), &dim, 1, true);
        ts_tensor *first = tsx_mul(&e, u, tsx_sub(&e, g, gy, NULL));

        TS_TRY(tsi_expr_give(&e, tsx_sub(&e, first, tsx_mul(&e, g, uy), NULL),
                             &v->out[TS__SOFTMAX_BACKWARD_DATA_OUTPUT]));
    }
    return TS_OK;
}

/* x = g - exp(y) * sum(g): dg = u - sum(u exp(y)), dy = -u * exp(y) * sum(g). */
ts_status tsi_vjp__log_softmax_backward_data(tsi_vjp *v)
{
    ts_tensor *u = v->grads[0];
    const int64_t dim = v->args[TS__LOG_SOFTMAX_BACKWARD_DATA_DIM].i;
    tsi_expr e = {0};
    ts_tensor *p = tsx_exp(&e, v->args[TS__LOG_SOFTMAX_BACKWARD_DATA_OUTPUT].tensor);
    ts_tensor *up = tsx_mul(&e, u, p);
    ts_tensor *dg = NULL, *dy = NULL;

    if (v->needs[TS__LOG_SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT])
        dg = tsx_sub(&e, u, tsi_sum(&e, up, &dim, 1, true), NULL);
    if (v->needs[TS__LOG_SOFTMAX_BACKWARD_DATA_OUTPUT])
        dy = tsx_neg(
            &e,
            tsx_mul(&e, up,
                    tsi_sum(&e, v->args[TS__LOG_SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT].tensor,
                            &dim, 1, true)));
    if (e.s == TS_OK)
        v->out[TS__LOG_SOFTMAX_BACKWARD_DATA_OUTPUT] = ts_retain(dy);
    return tsi_expr_give(&e, dg, &v->out[TS__LOG_SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT]);
}
