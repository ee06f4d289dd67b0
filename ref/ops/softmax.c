/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax and log_softmax along one dim, and their derivatives with respect to the input.
 *
 * Rounding  everything in double; one rounding, on store (S5).
 */
#include <math.h>

#include "core/core.h"
#include "touchstone/ops_glue.h"

/* m and sum_j exp(x[j] - m) of one line of x. A NaN is larger than nothing and so never
 * m, but makes the sum NaN, as an infinite m does (S3, S4). */
static double line_sum(const ts_tensor *x, int64_t at, int64_t step, int64_t n,
                       double *max)
{
    double m = -INFINITY;
    double sum = 0;

    for (int64_t i = 0; i < n; i++) {
        const double v = tsi_load(x, at + i * step);

        m = v > m ? v : m;
    }
    for (int64_t i = 0; i < n; i++)
        sum += exp(tsi_load(x, at + i * step) - m);
    *max = m;
    return sum;
}

ts_status tsk__softmax(ts_frame *f)
{
    ts_tensor *x = f->args[0].tensor;
    ts_tensor *y = f->results[0];
    tsi_iter it;

    for (tsi_iter_dim(&it, (int)f->args[1].i, 2, (ts_tensor *[]){y, x});
         tsi_iter_next(&it);) {
        double max;
        const double sum = line_sum(x, it.at[1], it.step[1], it.n, &max);

        for (int64_t i = 0; i < it.n; i++) { /* S1 */
            const double v = tsi_load(x, it.at[1] + i * it.step[1]);

            tsi_store(y, it.at[0] + i * it.step[0], exp(v - max) / sum);
        }
    }
    return TS_OK;
}

ts_status tsk__log_softmax(ts_frame *f)
{
    ts_tensor *x = f->args[0].tensor;
    ts_tensor *y = f->results[0];
    tsi_iter it;

    for (tsi_iter_dim(&it, (int)f->args[1].i, 2, (ts_tensor *[]){y, x});
         tsi_iter_next(&it);) {
        double max;
        const double log_sum = log(line_sum(x, it.at[1], it.step[1], it.n, &max));

        for (int64_t i = 0; i < it.n; i++) { /* S2 */
            const double v = tsi_load(x, it.at[1] + i * it.step[1]);

            tsi_store(y, it.at[0] + i * it.step[0], v - max - log_sum);
        }
    }
    return TS_OK;
}

ts_status tsk__softmax_backward_data(ts_frame *f)
{
    ts_tensor *g = f->args[0].tensor;
    ts_tensor *y = f->args[1].tensor;
    ts_tensor *x = f->results[0];
    tsi_iter it;

    for (tsi_iter_dim(&it, (int)f->args[2].i, 3, (ts_tensor *[]){x, g, y});
         tsi_iter_next(&it);) {
        double sum = 0;

        for (int64_t i = 0; i < it.n; i++)
            sum += tsi_load(g, it.at[1] + i * it.step[1]) *
                   tsi_load(y, it.at[2] + i * it.step[2]);
        for (int64_t i = 0; i < it.n; i++) { /* G1 */
            const double d = tsi_load(g, it.at[1] + i * it.step[1]) - sum;

            tsi_store(x, it.at[0] + i * it.step[0],
                      tsi_load(y, it.at[2] + i * it.step[2]) * d);
        }
    }
    return TS_OK;
}

ts_status tsk__log_softmax_backward_data(ts_frame *f)
{
    ts_tensor *g = f->args[0].tensor;
    ts_tensor *y = f->args[1].tensor;
    ts_tensor *x = f->results[0];
    tsi_iter it;

    for (tsi_iter_dim(&it, (int)f->args[2].i, 3, (ts_tensor *[]){x, g, y});
         tsi_iter_next(&it);) {
        double sum = 0;

        for (int64_t i = 0; i < it.n; i++)
            sum += tsi_load(g, it.at[1] + i * it.step[1]);
        for (int64_t i = 0; i < it.n; i++) { /* G2 */
            const double p = exp(tsi_load(y, it.at[2] + i * it.step[2]));

            tsi_store(x, it.at[0] + i * it.step[0],
                      tsi_load(g, it.at[1] + i * it.step[1]) - p * sum);
        }
    }
    return TS_OK;
}
