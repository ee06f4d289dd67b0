/* SPDX-License-Identifier: Apache-2.0 */
/* cat: each tensor in turn, cast to the result's dtype, along dim (S1, S3). */
#include "touchstone/backend.h"
#include "touchstone/ops/cat_glue.h"

ts_status tsk_cat(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const int dim = ts_call_dim(call, TS_CAT_DIM, y);
    int64_t at = 0; /* along dim, where the next tensor goes */

    for (int64_t k = 0; k < call->args[TS_CAT_TENSORS].tensors.n; k++) {
        ts_tensor *x = call->args[TS_CAT_TENSORS].tensors.v[k];
        ts_lines it;

        if (x->ndim == 1 && x->sizes[0] == 0) /* S4 */
            continue;
        for (ts_lines_dim(&it, dim, 2, (ts_tensor *[]){x, y}); ts_lines_next(&it);)
            for (int64_t i = 0; i < it.n; i++)
                tse_convert(x->dtype, tse_at(x, it.at[0] + i * it.step[0]), y->dtype,
                            tse_at(y, it.at[1] + (at + i) * it.step[1]));
        at += x->sizes[dim];
    }
    return TS_OK;
}
