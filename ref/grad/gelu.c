/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of gelu and gelu_backward; spec/ops/gelu.md. */
#include "grad/vjp.h"
#include "touchstone/ops/gelu_glue.h"

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
    return again(v->grads[0], v->args[TS_GELU_SELF].tensor, v->args[TS_GELU_APPROXIMATE].string, &v->out[TS_GELU_SELF]);
}

/* a * x + b */
static ts_status line(ts_tensor *x, double a, double b, ts_tensor **out)
{
    ts_tensor *ax;
    ts_status s;

    TS_TRY(ts_mul_number(x, ts_float(a), &ax));
    s = ts_add_number(ax, ts_float(b), NULL, out);
    ts_release(ax);
    return s;
}

/* gg * p(x) * (2 - x^2) */
static ts_status second_none(ts_tensor *gg, ts_tensor *x, ts_tensor **out)
{
    ts_tensor *t[5] = {NULL};
    ts_status s = ts_mul(x, x, &t[0]);

    if (s == TS_OK)
        s = ts_mul_number(t[0], ts_float(-0.5), &t[1]);
    if (s == TS_OK)
        s = ts_exp(t[1], &t[2]);
    if (s == TS_OK)
        s = line(t[0], -ROOT_HALF_PI, 2 * ROOT_HALF_PI, &t[3]);
    if (s == TS_OK)
        s = ts_mul(t[2], t[3], &t[4]);
    if (s == TS_OK)
        s = ts_mul(gg, t[4], out);
    for (int i = 0; i < 5; i++)
        ts_release(t[i]);
    return s;
}

/* gg * (1 - t^2) * (u' + x * (u'' / 2 - t * u'^2)) with u = k * (x + c * x^3), t =
 * tanh(u) */
static ts_status second_tanh(ts_tensor *gg, ts_tensor *x, ts_tensor **out)
{
    ts_tensor *t[12] = {NULL};
    ts_status s = ts_mul(x, x, &t[0]);

    if (s == TS_OK)
        s = line(t[0], ROOT_2_PI * CUBIC, ROOT_2_PI, &t[1]);
    if (s == TS_OK)
        s = ts_mul(x, t[1], &t[2]); /* u */
    if (s == TS_OK)
        s = ts_tanh(t[2], &t[3]);
    if (s == TS_OK)
        s = line(t[0], ROOT_2_PI * 3 * CUBIC, ROOT_2_PI, &t[4]); /* u' */
    if (s == TS_OK)
        s = ts_mul(t[4], t[4], &t[5]);
    if (s == TS_OK)
        s = ts_mul(t[3], t[5], &t[6]);
    if (s == TS_OK)
        s = ts_mul_number(x, ts_float(ROOT_2_PI * 3 * CUBIC), &t[7]); /* u'' / 2 */
    if (s == TS_OK)
        s = ts_sub(t[7], t[6], NULL, &t[8]);
    if (s == TS_OK)
        s = ts_mul(x, t[8], &t[9]);
    if (s == TS_OK)
        s = ts_add(t[4], t[9], NULL, &t[10]);
    if (s == TS_OK)
        s = ts_mul(gg, t[10], &t[11]);
    if (s == TS_OK)
        s = ts_tanh_backward(t[11], t[3], out);
    for (int i = 0; i < 12; i++)
        ts_release(t[i]);
    return s;
}

ts_status tsi_vjp_gelu_backward(tsi_vjp *v) /* G2 */
{
    ts_tensor *x = v->args[TS_GELU_BACKWARD_SELF].tensor, *gg;
    const char *approximate = v->args[TS_GELU_BACKWARD_APPROXIMATE].string;
    ts_status s;

    if (v->needs[TS_GELU_BACKWARD_GRAD_OUTPUT])
        TS_TRY(again(v->grads[0], x, approximate, &v->out[TS_GELU_BACKWARD_GRAD_OUTPUT]));
    if (!v->needs[TS_GELU_BACKWARD_SELF])
        return TS_OK;
    TS_TRY(ts_mul(v->grads[0], v->args[TS_GELU_BACKWARD_GRAD_OUTPUT].tensor, &gg));
    s = (approximate[0] == 't' ? second_tanh : second_none)(gg, x, &v->out[TS_GELU_BACKWARD_SELF]);
    ts_release(gg);
    return s;
}
