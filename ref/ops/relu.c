/* SPDX-License-Identifier: Apache-2.0 */
/* relu, threshold_backward; spec/ops/relu.md. */
#include "touchstone/backend.h"
#include "touchstone/ops/relu_glue.h"

ts_status tsk_relu(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *x = ts_call_tensor(call, TS_RELU_SELF);
    const bool real = tse_is_real(x->dtype);
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t from = it.at[1] + i * it.step[1];
            const int64_t to = it.at[0] + i * it.step[0];

            if (real) { /* S2: NaN compares false, so it passes */
                const double v = tse_get(x, from);

                tse_put(y, to, v < 0 ? 0 : v);
            } else { /* S3 */
                const int64_t v = tse_get_i64(x, from);

                tse_put_i64(y, to, v < 0 ? 0 : v);
            }
        }
    return TS_OK;
}

ts_status tsk_threshold_backward(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *grad = ts_call_tensor(call, TS_THRESHOLD_BACKWARD_GRAD_OUTPUT), *x = ts_call_tensor(call, TS_THRESHOLD_BACKWARD_SELF);
    const ts_dtype c = call->compute;
    const bool real = tse_is_real(c);
    const double limit = ts_scalar_f64(call->args[TS_THRESHOLD_BACKWARD_THRESHOLD].scalar);
    const double at = tse_round(c == TS_FLOAT64 ? c : TS_FLOAT32, limit);
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 3, (ts_tensor *[]){y, grad, x}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) { /* S4 */
            const int64_t to = it.at[0] + i * it.step[0];
            const int64_t g = it.at[1] + i * it.step[1], v = it.at[2] + i * it.step[2];

            if (real)
                tse_put_as(c, y, to,
                             tse_get_as(c, x, v) <= at ? 0 : tse_get_as(c, grad, g));
            else
                tse_put_i64_as(c, y, to,
                                 tse_get_i64_as(c, x, v) <= (int64_t)limit
                                     ? 0
                                     : tse_get_i64_as(c, grad, g));
        }
    return TS_OK;
}
