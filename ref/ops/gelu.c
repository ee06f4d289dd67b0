/* SPDX-License-Identifier: Apache-2.0 */
/* gelu, gelu_backward; spec/ops/gelu.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
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

static double gelu_real(double x, double y, const void *with)
{
    (void)y;
    return gelu(*(const bool *)with, x);
}

static double gelu_backward_real(double x, double y, const void *with)
{
    return x * slope(*(const bool *)with, y);
}

ts_status tsk_gelu(const ts_kernel_call *call)
{
    const bool by_tanh = call->args[TS_GELU_APPROXIMATE].string[0] == 't';

    return ts_map_unary(call, ts_call_tensor(call, TS_GELU_SELF), gelu_real, NULL,
                        &by_tanh);
}

ts_status tsk_gelu_backward(const ts_kernel_call *call)
{
    const bool by_tanh = call->args[TS_GELU_BACKWARD_APPROXIMATE].string[0] == 't';

    return ts_map_binary(call, ts_call_tensor(call, TS_GELU_BACKWARD_GRAD_OUTPUT),
                         ts_call_tensor(call, TS_GELU_BACKWARD_SELF), call->compute,
                         gelu_backward_real, NULL, &by_tanh);
}
