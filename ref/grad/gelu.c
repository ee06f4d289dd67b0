/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of gelu and gelu_backward; spec/ops/gelu.md. */
#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/gelu_glue.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/unary_expr.h"

#define CUBIC 0.044715
#define ROOT_2_PI 0x1.9884533d43651p-1    /* sqrt(2 / pi) */
#define ROOT_HALF_PI 0x1.9884533d43651p-2 /* 1 / sqrt(2 pi) */

static ts_status again(ts_tensor *grad, ts_tensor *x, const char *approximate,
                       ts_tensor **out)
{
    ts_gelu_backward_opts o = ts_gelu_backward_defaults();

    o.approximate = approximate;
    return ts_gelu_backward(grad, x, &o, out);
}

ts_status tsi_vjp_gelu(tsi_vjp *v) /* G1 */
{
    return again(v->grads[0], v->args[TS_GELU_SELF].tensor,
                 v->args[TS_GELU_APPROXIMATE].string, &v->out[TS_GELU_SELF]);
}

static ts_tensor *times(tsi_expr *e, ts_tensor *x, double a)
{
    return tsx_mul_number(e, x, ts_float(a));
}

/* a * x + b */
static ts_tensor *line(tsi_expr *e, ts_tensor *x, double a, double b)
{
    ts_tensor *ax = times(e, x, a);

    return tsx_add_number(e, ax, ts_float(b), NULL);
}

/* gg * p(x) * (2 - x^2) */
static ts_tensor *second_none(tsi_expr *e, ts_tensor *gg, ts_tensor *x)
{
    ts_tensor *square = tsx_mul(e, x, x);
    ts_tensor *half = times(e, square, -0.5);
    ts_tensor *density = tsx_exp(e, half);
    ts_tensor *slope = line(e, square, -ROOT_HALF_PI, 2 * ROOT_HALF_PI);

    return tsx_mul(e, gg, tsx_mul(e, density, slope));
}

/* gg * (1 - t^2) * (u' + x * (u'' / 2 - t * u'^2)) with u = k * (x + c * x^3), t =
 * tanh(u) */
static ts_tensor *second_tanh(tsi_expr *e, ts_tensor *gg, ts_tensor *x)
{
    ts_tensor *square = tsx_mul(e, x, x);
    ts_tensor *u = tsx_mul(e, x, line(e, square, ROOT_2_PI * CUBIC, ROOT_2_PI));
    ts_tensor *t = tsx_tanh(e, u);
    ts_tensor *du = line(e, square, ROOT_2_PI * 3 * CUBIC, ROOT_2_PI);
    ts_tensor *tdu = tsx_mul(e, t, tsx_mul(e, du, du));
    ts_tensor *bend = tsx_sub(e, times(e, x, ROOT_2_PI * 3 * CUBIC), tdu, NULL);
    ts_tensor *along = tsx_mul(e, gg, tsx_add(e, du, tsx_mul(e, x, bend), NULL));

    return tsx_tanh_backward(e, along, t);
}

ts_status tsi_vjp_gelu_backward(tsi_vjp *v) /* G2 */
{
    ts_tensor *x = v->args[TS_GELU_BACKWARD_SELF].tensor;
    ts_tensor *grad = v->args[TS_GELU_BACKWARD_GRAD_OUTPUT].tensor;
    const char *approximate = v->args[TS_GELU_BACKWARD_APPROXIMATE].string;
    tsi_expr e = {0};
    ts_tensor *gg;

    if (v->needs[TS_GELU_BACKWARD_GRAD_OUTPUT])
        TS_TRY(again(v->grads[0], x, approximate, &v->out[TS_GELU_BACKWARD_GRAD_OUTPUT]));
    if (!v->needs[TS_GELU_BACKWARD_SELF])
        return TS_OK;
    gg = tsx_mul(&e, v->grads[0], grad);
    return tsi_expr_give(&e,
                         (approximate[0] == 't' ? second_tanh : second_none)(&e, gg, x),
                         &v->out[TS_GELU_BACKWARD_SELF]);
}
