/* SPDX-License-Identifier: Apache-2.0 */
/* _reshape_copy: y holds x's elements in row-major order of x's indices (view/S6). */
#include "touchstone/ops_glue.h"

#include "core/core.h"

ts_status tsk__reshape_copy(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, 0), *y = f->results[0];
    tsi_iter it;
    int64_t k = 0; /* y is contiguous */

    for (tsi_iter_pointwise(&it, x, 1, &x); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            ts_cast(x->dtype, tsi_at(x, it.at[0] + i * it.step[0]), y->dtype,
                    tsi_at(y, k++));
    return TS_OK;
}
