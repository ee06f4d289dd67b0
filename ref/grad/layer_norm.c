/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm/G1 to G3. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/layer_norm_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/sum_expr.h"
#include "touchstone/ops/unary_expr.h"

static ts_tensor *row_mean(tsi_expr *e, ts_tensor *x, int64_t n)
{
    ts_mean_opts o = ts_mean_defaults();
    int64_t dims[TS_MAX_DIMS];

    for (int64_t i = 0; i < n; i++)
        dims[i] = i - n;
    o.dim = dims;
    o.ndim = n;
    o.keepdim = true;
    return tsx_mean(e, x, &o);
}

/*
 * Where the gradient is to be differentiated again: from the input alone, mean and
 * deviation computed anew so that the graph runs through them, and halves in float32.
 */
static ts_status elementary(tsi_vjp *v)
{
    const ts_dtype dtype =
        v->arg_meta[TS_LAYER_NORM_INPUT].dtype == TS_FLOAT64 ? TS_FLOAT64 : TS_FLOAT32;
    const int64_t n = v->args[TS_LAYER_NORM_NORMALIZED_SHAPE].ints.n;
    tsi_expr e = {0};
    ts_tensor *g = tsi_cast(&e, v->grads[0], dtype);
    ts_tensor *dx = NULL, *dw = NULL, *xh = NULL, *rstd = NULL;

    if (v->needs[TS_LAYER_NORM_INPUT] || v->needs[TS_LAYER_NORM_WEIGHT]) {
        ts_tensor *x = tsi_cast(&e, v->args[TS_LAYER_NORM_INPUT].tensor, dtype);
        ts_tensor *centred = tsx_sub(&e, x, row_mean(&e, x, n), NULL);
        ts_tensor *var = row_mean(&e, tsx_mul(&e, centred, centred), n);
        ts_tensor *biased =
            tsx_add_number(&e, var, ts_float(v->args[TS_LAYER_NORM_EPS].f), NULL);
        ts_tensor *sd = tsx_sqrt(&e, biased);

        rstd = tsx_reciprocal(&e, sd);
        xh = tsx_mul(&e, centred, rstd);
    }
    if (v->needs[TS_LAYER_NORM_INPUT]) { /* G1 */
        ts_tensor *w = v->args[TS_LAYER_NORM_WEIGHT].kind == TS_ARG_TENSOR
                           ? v->args[TS_LAYER_NORM_WEIGHT].tensor
                           : NULL;
        ts_tensor *h = w ? tsx_mul(&e, g, w) : g;
        ts_tensor *along = tsx_mul(&e, xh, row_mean(&e, tsx_mul(&e, h, xh), n));
        ts_tensor *rest = tsx_sub(&e, h, row_mean(&e, h, n), NULL);

        dx = tsx_mul(&e, rstd, tsx_sub(&e, rest, along, NULL));
    }
    if (v->needs[TS_LAYER_NORM_WEIGHT]) /* G2 */
        dw = tsx_mul(&e, g, xh);
    if (e.s == TS_OK) {
        v->out[TS_LAYER_NORM_WEIGHT] = ts_retain(dw);
        v->out[TS_LAYER_NORM_BIAS] =
            v->needs[TS_LAYER_NORM_BIAS] ? ts_retain(g) : NULL; /* G3 */
    }
    return tsi_expr_give(&e, dx, &v->out[TS_LAYER_NORM_INPUT]);
}

ts_status tsi_vjp_native_layer_norm(tsi_vjp *v)
{
    ts_tensor *grad[3];
    ts_tensor *x = v->args[TS_NATIVE_LAYER_NORM_INPUT].tensor;
    const int at[3] = {0, 2, 3}; /* input, weight, bias */

    if (ts_grad_enabled() || !x)
        return elementary(v);
    TS_TRY(ts_native_layer_norm_backward(
        v->grads[0], x, v->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE].ints.v,
        v->args[TS_NATIVE_LAYER_NORM_NORMALIZED_SHAPE].ints.n, v->results[1],
        v->results[2],
        v->args[TS_NATIVE_LAYER_NORM_WEIGHT].kind == TS_ARG_TENSOR
            ? v->args[TS_NATIVE_LAYER_NORM_WEIGHT].tensor
            : NULL,
        &grad[0], &grad[1], &grad[2]));
    for (int i = 0; i < 3; i++) {
        if (v->needs[at[i]])
            v->out[at[i]] = grad[i];
        else
            ts_release(grad[i]);
    }
    return TS_OK;
}
