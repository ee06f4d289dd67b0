/* SPDX-License-Identifier: Apache-2.0 */
/* neg, exp, log, sqrt, tanh, reciprocal, tanh_backward; spec/ops/unary.md. */
#include <math.h>

#include "core/core.h"
#include "touchstone/ops_glue.h"

/* S7, S8: cast, compute in double, round once */
static inline ts_status map(const ts_frame *f, double (*fn)(double))
{
    ts_tensor *y = f->results[0], *x = tsi_tensor(f, 0);
    const ts_dtype c = f->compute;
    tsi_iter it;

    for (tsi_iter_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tsi_store_as(c, y, it.at[0] + i * it.step[0],
                         fn(tsi_load_as(c, x, it.at[1] + i * it.step[1])));
    return TS_OK;
}

static double negative(double v)
{
    return -v;
}

ts_status tsk_neg(ts_frame *f)
{
    ts_tensor *y = f->results[0], *x = tsi_tensor(f, 0);
    tsi_iter it;

    if (ts_dtype_is_floating(f->compute))
        return map(f, negative);
    for (tsi_iter_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++) /* S1: wraps */
            tsi_store_i64_as(f->compute, y, it.at[0] + i * it.step[0],
                             (int64_t) -
                                 (uint64_t)tsi_load_i64(x, it.at[1] + i * it.step[1]));
    return TS_OK;
}

ts_status tsk_exp(ts_frame *f)
{
    return map(f, exp);
}

ts_status tsk_log(ts_frame *f)
{
    return map(f, log);
}

ts_status tsk_sqrt(ts_frame *f)
{
    return map(f, sqrt);
}

ts_status tsk_tanh(ts_frame *f)
{
    return map(f, tanh);
}

static double inverse(double v)
{
    return 1 / v;
}

ts_status tsk_reciprocal(ts_frame *f)
{
    return map(f, inverse);
}

ts_status tsk_tanh_backward(ts_frame *f)
{
    ts_tensor *y = f->results[0], *grad = tsi_tensor(f, 0), *out = tsi_tensor(f, 1);
    const ts_dtype c = f->compute;
    tsi_iter it;

    for (tsi_iter_pointwise(&it, y, 3, (ts_tensor *[]){y, grad, out});
         tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const double g = tsi_load_as(c, grad, it.at[1] + i * it.step[1]);
            const double t = tsi_load_as(c, out, it.at[2] + i * it.step[2]);

            tsi_store_as(c, y, it.at[0] + i * it.step[0], g * (1 - t * t)); /* S9 */
        }
    return TS_OK;
}
