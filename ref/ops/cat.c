/* SPDX-License-Identifier: Apache-2.0 */
/* cat: each tensor in turn, cast to the result's dtype, along dim args[1] (S1, S3). */
#include "core/core.h"
#include "touchstone/ops_glue.h"

ts_status tsk_cat(ts_frame *f)
{
    ts_tensor *y = f->results[0];
    const int dim = (int)f->args[1].i;
    int64_t at = 0; /* along dim, where the next tensor goes */

    for (int64_t k = 0; k < f->args[0].tensors.n; k++) {
        ts_tensor *x = f->args[0].tensors.v[k];
        tsi_iter it;

        if (x->ndim == 1 && x->sizes[0] == 0) /* S4 */
            continue;
        for (tsi_iter_dim(&it, dim, 2, (ts_tensor *[]){x, y}); tsi_iter_next(&it);)
            for (int64_t i = 0; i < it.n; i++)
                ts_cast(x->dtype, tsi_at(x, it.at[0] + i * it.step[0]), y->dtype,
                        tsi_at(y, it.at[1] + (at + i) * it.step[1]));
        at += x->sizes[dim];
    }
    return TS_OK;
}
