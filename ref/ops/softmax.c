/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax and log_softmax along one dim, and their derivatives with respect to the input.
 *
 * Rounding  everything in double; one rounding, on store (S5).
 */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/ops/softmax_glue.h"

/* m and sum_j exp(x[j] - m) of one line of x. A NaN is larger than nothing and so never
 * m, but makes the sum NaN, as an infinite m does (S3, S4). */
static double line_sum(const ts_tensor *x, int64_t at, int64_t step, int64_t n,
                       double *max)
{
    double m = -INFINITY;
    double sum = 0;

    for (int64_t i = 0; i < n; i++) {
        const double v = tse_get(x, at + i * step);

        m = v > m ? v : m;
    }
    for (int64_t i = 0; i < n; i++)
        sum += exp(tse_get(x, at + i * step) - m);
    *max = m;
    return sum;
}

ts_status tsk__softmax(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[TS__SOFTMAX_SELF].tensor;
    ts_tensor *y = call->results[0];
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, TS__SOFTMAX_DIM, x), 2,
                      (ts_tensor *[]){y, x});
         ts_lines_next(&it);) {
        double max;
        const double sum = line_sum(x, it.at[1], it.step[1], it.n, &max);

        for (int64_t i = 0; i < it.n; i++) { /* S1 */
            const double v = tse_get(x, it.at[1] + i * it.step[1]);

            tse_put(y, it.at[0] + i * it.step[0], exp(v - max) / sum);
        }
    }
    return TS_OK;
}

ts_status tsk__log_softmax(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[TS__LOG_SOFTMAX_SELF].tensor;
    ts_tensor *y = call->results[0];
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, TS__LOG_SOFTMAX_DIM, x), 2,
                      (ts_tensor *[]){y, x});
         ts_lines_next(&it);) {
        double max;
        const double log_sum = log(line_sum(x, it.at[1], it.step[1], it.n, &max));

        for (int64_t i = 0; i < it.n; i++) { /* S2 */
            const double v = tse_get(x, it.at[1] + i * it.step[1]);

            tse_put(y, it.at[0] + i * it.step[0], v - max - log_sum);
        }
    }
    return TS_OK;
}

ts_status tsk__softmax_backward_data(const ts_kernel_call *call)
{
    ts_tensor *g = call->args[TS__SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT].tensor;
    ts_tensor *y = call->args[TS__SOFTMAX_BACKWARD_DATA_OUTPUT].tensor;
    ts_tensor *x = call->results[0];
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, TS__SOFTMAX_BACKWARD_DATA_DIM, y), 3,
                      (ts_tensor *[]){x, g, y});
         ts_lines_next(&it);) {
        double sum = 0;

        for (int64_t i = 0; i < it.n; i++)
            sum += tse_get(g, it.at[1] + i * it.step[1]) *
                   tse_get(y, it.at[2] + i * it.step[2]);
        for (int64_t i = 0; i < it.n; i++) { /* G1 */
            const double d = tse_get(g, it.at[1] + i * it.step[1]) - sum;

            tse_put(x, it.at[0] + i * it.step[0],
                    tse_get(y, it.at[2] + i * it.step[2]) * d);
        }
    }
    return TS_OK;
}

ts_status tsk__log_softmax_backward_data(const ts_kernel_call *call)
{
    ts_tensor *g = call->args[TS__LOG_SOFTMAX_BACKWARD_DATA_GRAD_OUTPUT].tensor;
    ts_tensor *y = call->args[TS__LOG_SOFTMAX_BACKWARD_DATA_OUTPUT].tensor;
    ts_tensor *x = call->results[0];
    ts_lines it;

    for (ts_lines_dim(&it, ts_call_dim(call, TS__LOG_SOFTMAX_BACKWARD_DATA_DIM, y), 3,
                      (ts_tensor *[]){x, g, y});
         ts_lines_next(&it);) {
        double sum = 0;

        for (int64_t i = 0; i < it.n; i++)
            sum += tse_get(g, it.at[1] + i * it.step[1]);
        for (int64_t i = 0; i < it.n; i++) { /* G2 */
            const double p = exp(tse_get(y, it.at[2] + i * it.step[2]));

            tse_put(x, it.at[0] + i * it.step[0],
                    tse_get(g, it.at[1] + i * it.step[1]) - p * sum);
        }
    }
    return TS_OK;
}
