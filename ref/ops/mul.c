/* SPDX-License-Identifier: Apache-2.0 */
/* mul: y = a * b; spec/ops/mul.md. */
#include "core/core.h"
#include "touchstone/ops_glue.h"

ts_status tsk_mul(ts_frame *f)
{
    ts_tensor *y = f->results[0], *a = tsi_tensor(f, 0), *b = tsi_tensor(f, 1);
    const ts_dtype c = f->compute;
    /* S5: a single factor of a half tensor is float32 */
    const ts_dtype step = tsi_is_half(c) && b->numel == 1 ? TS_FLOAT32 : c;
    tsi_iter it;

    tsi_iter_pointwise(&it, y, 3, (ts_tensor *[]){y, a, b});
    if (ts_dtype_is_floating(c)) {
        while (tsi_iter_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const double u = tsi_load_as(c, a, it.at[1] + i * it.step[1]);
                const double v = tsi_load_as(step, b, it.at[2] + i * it.step[2]);

                tsi_store_as(c, y, it.at[0] + i * it.step[0], u * v);
            }
    } else { /* S3 */
        while (tsi_iter_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const int64_t u = tsi_load_i64_as(c, a, it.at[1] + i * it.step[1]);
                const int64_t v = tsi_load_i64_as(c, b, it.at[2] + i * it.step[2]);

                tsi_store_i64_as(c, y, it.at[0] + i * it.step[0],
                                 (int64_t)((uint64_t)u * (uint64_t)v));
            }
    }
    return TS_OK;
}
