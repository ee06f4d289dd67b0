/* SPDX-License-Identifier: Apache-2.0 */
/* eye: y[i, j] = i == j (S2); zeros first, then the ones (S5). */
#include "touchstone/backend.h"
#include "touchstone/ops/eye_glue.h"

ts_status tsk_eye(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const int64_t n = y->sizes[0] < y->sizes[1] ? y->sizes[0] : y->sizes[1];
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 1, &y); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_put_i64(y, it.at[0] + i * it.step[0], 0);
    for (int64_t i = 0; i < n; i++)
        tse_put_i64(y, i * (y->strides[0] + y->strides[1]), 1);
    return TS_OK;
}
