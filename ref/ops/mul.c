/* SPDX-License-Identifier: Apache-2.0 */
/* mul: y = a * b; spec/ops/mul.md. */
#include "touchstone/backend.h"
#include "touchstone/ops/mul_glue.h"

ts_status tsk_mul(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *a = ts_call_tensor(call, TS_MUL_SELF), *b = ts_call_tensor(call, TS_MUL_OTHER);
    const ts_dtype c = call->compute;
    /* S5: a single factor of a half tensor is float32 */
    const ts_dtype step = tse_is_half(c) && b->numel == 1 ? TS_FLOAT32 : c;
    ts_lines it;

    ts_lines_pointwise(&it, y, 3, (ts_tensor *[]){y, a, b});
    if (tse_is_real(c)) {
        while (ts_lines_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const double u = tse_get_as(c, a, it.at[1] + i * it.step[1]);
                const double v = tse_get_as(step, b, it.at[2] + i * it.step[2]);

                tse_put_as(c, y, it.at[0] + i * it.step[0], u * v);
            }
    } else { /* S3 */
        while (ts_lines_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const int64_t u = tse_get_i64_as(c, a, it.at[1] + i * it.step[1]);
                const int64_t v = tse_get_i64_as(c, b, it.at[2] + i * it.step[2]);

                tse_put_i64_as(c, y, it.at[0] + i * it.step[0],
                                 (int64_t)((uint64_t)u * (uint64_t)v));
            }
    }
    return TS_OK;
}
