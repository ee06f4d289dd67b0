/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_: self[i] = src[i], src broadcast; fill_: y[i] = value; zero_: self[i] = 0.
 * Each element is cast once (S2, S4, S5) and written through the result's strides (S8).
 */
#include "touchstone/ops/copy_glue.h"

#include "ops/copying.h"

ts_status tsk_copy(const ts_kernel_call *call)
{
    tsk_copy_elements(call->results[0], ts_call_tensor(call, TS_COPY_SRC));
    return TS_OK;
}

ts_status tsk_fill(const ts_kernel_call *call)
{
    tsk_copy_elements(call->results[0], ts_call_tensor(call, TS_FILL_VALUE));
    return TS_OK;
}

ts_status tsk_zero(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 1, &y); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_put_i64(y, it.at[0] + i * it.step[0], 0);
    return TS_OK;
}
