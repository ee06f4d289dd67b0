/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/quality_norm.h"

#include <math.h>

static const double *data_of(const ts_value *v)
{
    return v->kind == TS_ARG_TENSOR && v->tensor ? v->tensor->data : NULL;
}

/* |x|'s and the mean's part of one normalised element. */
static double part(double x, double mean, double rstd)
{
    return (fabs(x) + fabs(mean)) * rstd;
}

static void forward(const ts_value *args, ts_tensor *const *results)
{
    const double *x = data_of(&args[0]), *weight = data_of(&args[2]),
                 *bias = data_of(&args[3]), *rstd = results[2]->data;
    const int64_t rows = results[1]->numel, n = rows > 0 ? results[0]->numel / rows : 0;
    double *y = results[0]->data, *mean = results[1]->data;

    for (int64_t r = 0; r < rows; r++) {
        double sum = 0;

        for (int64_t i = 0; i < n; i++) {
            sum += fabs(x[r * n + i]);
            y[r * n + i] =
                part(x[r * n + i], mean[r], rstd[r]) * (weight ? fabs(weight[i]) : 1) +
                (bias ? fabs(bias[i]) : 0);
        }
        mean[r] = n > 0 ? sum / (double)n : 0;
    }
}

static void backward(const ts_value *args, ts_tensor *const *results)
{
    const double *g = data_of(&args[0]), *x = data_of(&args[1]),
                 *mean = data_of(&args[3]), *rstd = data_of(&args[4]),
                 *weight = data_of(&args[5]);
    const int64_t rows = args[3].tensor->numel,
                  n = rows > 0 ? args[1].tensor->numel / rows : 0;
    double *of[3] = {NULL};

    for (int k = 0; k < 3; k++) /* what the output_mask leaves out is not there */
        of[k] = results[k] && results[k]->numel > 0 ? results[k]->data : NULL;
    for (int k = 1; k < 3; k++)
        for (int64_t i = 0; i < n && of[k]; i++)
            of[k][i] = 0;
    for (int64_t r = 0; r < rows; r++) {
        double plain = 0, normalised = 0;

        for (int64_t i = 0; i < n; i++) {
            const double at = fabs(g[r * n + i]), w = weight ? fabs(weight[i]) : 1,
                         xhat = part(x[r * n + i], mean[r], rstd[r]);

            plain += at * w / (double)n;
            normalised += at * w * xhat / (double)n;
            if (of[1])
                of[1][i] += at * xhat;
            if (of[2])
                of[2][i] += at;
        }
        for (int64_t i = 0; i < n && of[0]; i++)
            of[0][r * n + i] =
                rstd[r] * (fabs(g[r * n + i]) * (weight ? fabs(weight[i]) : 1) + plain +
                           part(x[r * n + i], mean[r], rstd[r]) * normalised);
    }
}

void tsi_quality_norm(const ts_value *args, ts_tensor *const *results, bool derivative)
{
    (derivative ? backward : forward)(args, results);
}
