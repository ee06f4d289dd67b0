/* SPDX-License-Identifier: Apache-2.0 */
/* relu, threshold_backward; spec/ops/relu.md. */
#include "core/core.h"
#include "touchstone/ops_glue.h"

ts_status tsk_relu(ts_frame *f)
{
    ts_tensor *y = f->results[0], *x = tsi_tensor(f, 0);
    const bool real = ts_dtype_is_floating(x->dtype);
    tsi_iter it;

    for (tsi_iter_pointwise(&it, y, 2, (ts_tensor *[]){y, x}); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t from = it.at[1] + i * it.step[1];
            const int64_t to = it.at[0] + i * it.step[0];

            if (real) { /* S2: NaN compares false, so it passes */
                const double v = tsi_load(x, from);

                tsi_store(y, to, v < 0 ? 0 : v);
            } else { /* S3 */
                const int64_t v = tsi_load_i64(x, from);

                tsi_store_i64(y, to, v < 0 ? 0 : v);
            }
        }
    return TS_OK;
}

ts_status tsk_threshold_backward(ts_frame *f)
{
    ts_tensor *y = f->results[0], *grad = tsi_tensor(f, 0), *x = tsi_tensor(f, 1);
    const ts_dtype c = f->compute;
    const bool real = ts_dtype_is_floating(c);
    const double limit = ts_scalar_f64(f->args[2].scalar);
    const double at = ts_round(c == TS_FLOAT64 ? c : TS_FLOAT32, limit);
    tsi_iter it;

    for (tsi_iter_pointwise(&it, y, 3, (ts_tensor *[]){y, grad, x}); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++) { /* S4 */
            const int64_t to = it.at[0] + i * it.step[0];
            const int64_t g = it.at[1] + i * it.step[1], v = it.at[2] + i * it.step[2];

            if (real)
                tsi_store_as(c, y, to,
                             tsi_load_as(c, x, v) <= at ? 0 : tsi_load_as(c, grad, g));
            else
                tsi_store_i64_as(c, y, to,
                                 tsi_load_i64_as(c, x, v) <= (int64_t)limit
                                     ? 0
                                     : tsi_load_i64_as(c, grad, g));
        }
    return TS_OK;
}
