/* SPDX-License-Identifier: Apache-2.0 */
/* gelu, gelu_backward; spec/ops/gelu.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/ops/gelu_glue.h"

static const double cubic = 0.044715;
static const double root_half = 0x1.6a09e667f3bcdp-1;    /* sqrt(1 / 2) */
static const double root_2_pi = 0x1.9884533d43651p-1;    /* sqrt(2 / pi) */
static const double root_half_pi = 0x1.9884533d43651p-2; /* 1 / sqrt(2 pi) */

static double below(double x) /* P(x); erfc keeps its precision far below zero */
{
    return 0.5 * erfc(-x * root_half);
}

static double gelu(bool by_tanh, double x) /* S1, S2 */
{
    if (!by_tanh)
        return x * below(x);
    return 0.5 * x * (1 + tanh(root_2_pi * (x + cubic * x * x * x)));
}

static double slope(bool by_tanh, double x) /* S4 */
{
    double t, inner;

    if (!by_tanh)
        return below(x) + x * root_half_pi * exp(-0.5 * x * x);
    t = tanh(root_2_pi * (x + cubic * x * x * x));
    inner = root_2_pi * (1 + 3 * cubic * x * x);
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
}

ts_status tsk_gelu(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, TS_GELU_SELF);
    const bool by_tanh = call->args[TS_GELU_APPROXIMATE].string[0] == 't';
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_put(y, it.at[0] + i * it.step[0],
                      gelu(by_tanh, tse_get(x, it.at[1] + i * it.step[1])));
    return TS_OK;
}

ts_status tsk_gelu_backward(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *grad = ts_call_tensor(call, TS_GELU_BACKWARD_GRAD_OUTPUT), *x = ts_call_tensor(call, TS_GELU_BACKWARD_SELF);
    const bool by_tanh = call->args[TS_GELU_BACKWARD_APPROXIMATE].string[0] == 't';
    const ts_dtype c = call->compute;
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 3, (ts_tensor *[]){y, grad, x}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_put_as(
                c, y, it.at[0] + i * it.step[0],
                tse_get_as(c, grad, it.at[1] + i * it.step[1]) *
                    slope(by_tanh, tse_get_as(c, x, it.at[2] + i * it.step[2])));
    return TS_OK;
}
