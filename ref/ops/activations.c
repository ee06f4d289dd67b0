/* SPDX-License-Identifier: Apache-2.0 */
/* silu, leaky_relu, softplus and their backwards; spec/ops/activations.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/activations_glue.h"

static double silu_real(double x, double y, const void *with) /* S1 */
{
    (void)y;
    (void)with;
    return x / (1 + exp(-x));
}

static double silu_backward_real(double g, double x, const void *with) /* G1 */
{
    const double s = 1 / (1 + exp(-x));

    (void)with;
    return g * s * (1 + x * (1 - s));
}

ts_status tsk_silu(const ts_kernel_call *call)
{
    return ts_map_unary(call, ts_call_tensor(call, TS_SILU_SELF), silu_real, NULL, NULL);
}

ts_status tsk_silu_backward(const ts_kernel_call *call)
{
    return ts_map_binary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1),
                         call->compute, silu_backward_real, NULL, NULL);
}

/* S4 */
static double number(const ts_kernel_call *call, int arg)
{
    const double v = ts_scalar_f64(call->args[arg].scalar);

    return call->results[0]->dtype == TS_FLOAT64 ? v : (double)(float)v;
}

static double leaky_real(double x, double y, const void *with) /* S2 */
{
    (void)y;
    return x > 0 ? x : x * *(const double *)with;
}

static double leaky_backward_real(double g, double x, const void *with) /* G2 */
{
    return x > 0 ? g : g * *(const double *)with;
}

ts_status tsk_leaky_relu(const ts_kernel_call *call)
{
    const double slope = number(call, TS_LEAKY_RELU_NEGATIVE_SLOPE);

    return ts_map_unary(call, ts_call_tensor(call, TS_LEAKY_RELU_SELF), leaky_real, NULL,
                        &slope);
}

ts_status tsk_leaky_relu_backward(const ts_kernel_call *call)
{
    const double slope = number(call, TS_LEAKY_RELU_BACKWARD_NEGATIVE_SLOPE);

    return ts_map_binary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1),
                         call->compute, leaky_backward_real, NULL, &slope);
}

typedef struct bend {
    double beta, threshold;
} bend;

static double softplus_real(double x, double y, const void *with) /* S3 */
{
    const bend *b = with;

    (void)y;
    return x * b->beta > b->threshold ? x : log1p(exp(x * b->beta)) / b->beta;
}

static double softplus_backward_real(double g, double x, const void *with) /* G3 */
{
    const bend *b = with;
    const double z = exp(x * b->beta);

    return x * b->beta > b->threshold ? g : g * z / (z + 1);
}

ts_status tsk_softplus(const ts_kernel_call *call)
{
    const bend b = {number(call, TS_SOFTPLUS_BETA), number(call, TS_SOFTPLUS_THRESHOLD)};

    return ts_map_unary(call, ts_call_tensor(call, TS_SOFTPLUS_SELF), softplus_real, NULL,
                        &b);
}

ts_status tsk_softplus_backward(const ts_kernel_call *call)
{
    const bend b = {number(call, TS_SOFTPLUS_BACKWARD_BETA),
                    number(call, TS_SOFTPLUS_BACKWARD_THRESHOLD)};

    return ts_map_binary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1),
                         call->compute, softplus_backward_real, NULL, &b);
}
