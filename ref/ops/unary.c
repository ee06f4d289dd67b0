/* SPDX-License-Identifier: Apache-2.0 */
/* neg, exp, log, sqrt, tanh, reciprocal, tanh_backward; spec/ops/unary.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/ops/unary_glue.h"

/* S7, S8: cast, compute in double, round once */
static inline ts_status map(const ts_kernel_call *call, double (*fn)(double))
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, TS_NEG_SELF);
    const ts_dtype c = call->compute;
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_put_as(c, y, it.at[0] + i * it.step[0],
                         fn(tse_get_as(c, x, it.at[1] + i * it.step[1])));
    return TS_OK;
}

static double negative(double v)
{
    return -v;
}

ts_status tsk_neg(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, TS_NEG_SELF);
    ts_lines it;

    if (tse_is_real(call->compute))
        return map(call, negative);
    for (ts_lines_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) /* S1: wraps */
            tse_put_i64_as(call->compute, y, it.at[0] + i * it.step[0],
                             (int64_t) -
                                 (uint64_t)tse_get_i64(x, it.at[1] + i * it.step[1]));
    return TS_OK;
}

ts_status tsk_exp(const ts_kernel_call *call)
{
    return map(call, exp);
}

ts_status tsk_log(const ts_kernel_call *call)
{
    return map(call, log);
}

ts_status tsk_sqrt(const ts_kernel_call *call)
{
    return map(call, sqrt);
}

ts_status tsk_tanh(const ts_kernel_call *call)
{
    return map(call, tanh);
}

static double inverse(double v)
{
    return 1 / v;
}

ts_status tsk_reciprocal(const ts_kernel_call *call)
{
    return map(call, inverse);
}

ts_status tsk_tanh_backward(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *grad = ts_call_tensor(call, TS_TANH_BACKWARD_GRAD_OUTPUT), *out = ts_call_tensor(call, TS_TANH_BACKWARD_OUTPUT);
    const ts_dtype c = call->compute;
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 3, (ts_tensor *[]){y, grad, out});
         ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const double g = tse_get_as(c, grad, it.at[1] + i * it.step[1]);
            const double t = tse_get_as(c, out, it.at[2] + i * it.step[2]);

            tse_put_as(c, y, it.at[0] + i * it.step[0], g * (1 - t * t)); /* S9 */
        }
    return TS_OK;
}
