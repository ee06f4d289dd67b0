/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_: self[i] = src[i], src broadcast; fill_: y[i] = value; zero_: self[i] = 0.
 * Each element is cast once (S2, S4, S5) and written through the result's strides (S8).
 */
#include "touchstone/ops_glue.h"

#include "ops/copying.h"

ts_status tsk_copy(ts_frame *f)
{
    tsk_copy_elements(f->results[0], tsi_tensor(f, 1));
    return TS_OK;
}

ts_status tsk_fill(ts_frame *f)
{
    tsk_copy_elements(f->results[0], tsi_tensor(f, 1));
    return TS_OK;
}

ts_status tsk_zero(ts_frame *f)
{
    ts_tensor *y = f->results[0];
    tsi_iter it;

    for (tsi_iter_pointwise(&it, y, 1, &y); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++)
            tsi_store_i64(y, it.at[0] + i * it.step[0], 0);
    return TS_OK;
}
