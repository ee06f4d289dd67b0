/* SPDX-License-Identifier: Apache-2.0 */
/* tril: y[i, j] = j - i <= diagonal ? x[i, j] : 0 (S1); triu the other way (S2). */
#include "touchstone/backend.h"
#include "touchstone/ops/tril_glue.h"

static ts_status triangle(const ts_kernel_call *call, bool upper)
{
    const int64_t diagonal = call->args[TS_TRIL_DIAGONAL].i;
    const bool in_place = call->form == TS_INPLACE; /* S7: what is kept is not written */
    ts_tensor *x = ts_call_tensor(call, TS_TRIL_SELF), *y = call->results[0];
    const size_t bytes = (size_t)tse_bytes(y->dtype);
    ts_lines it;

    for (ts_lines_dim(&it, y->ndim - 1, 2, (ts_tensor *[]){y, x}); ts_lines_next(&it);) {
        const int64_t row = it.index[it.ndim - 1];

        for (int64_t j = 0; j < it.n; j++) {
            void *element = tse_at(y, it.at[0] + j * it.step[0]);

            if (upper ? j - row < diagonal : j - row > diagonal)
                memset(element, 0, bytes); /* S4: +0 */
            else if (!in_place)
                memmove(element, tse_at(x, it.at[1] + j * it.step[1]), bytes);
        }
    }
    return TS_OK;
}

ts_status tsk_tril(const ts_kernel_call *call)
{
    return triangle(call, false);
}

ts_status tsk_triu(const ts_kernel_call *call)
{
    return triangle(call, true);
}
