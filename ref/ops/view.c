/* SPDX-License-Identifier: Apache-2.0 */
/* _reshape_copy: y holds x's elements in row-major order of x's indices (view/S6). */
#include "touchstone/ops/view_glue.h"

#include "touchstone/backend.h"

ts_status tsk__reshape_copy(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS__RESHAPE_COPY_SELF), *y = call->results[0];
    ts_lines it;
    int64_t k = 0; /* y is contiguous */

    for (ts_lines_pointwise(&it, x, 1, &x); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tse_convert(x->dtype, tse_at(x, it.at[0] + i * it.step[0]), y->dtype,
                        tse_at(y, k++));
    return TS_OK;
}
