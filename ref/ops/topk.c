/* SPDX-License-Identifier: Apache-2.0 */
/* topk: each line sorted whole, and the first k of it. */
#include <stdlib.h>

#include "ops/sorting.h"
#include "touchstone/backend.h"
#include "touchstone/ops/topk_glue.h"

ts_status tsk_topk(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS_TOPK_SELF);
    ts_tensor *values = call->results[0], *indices = call->results[1];
    const int64_t k = x->ndim > 0 ? call->args[TS_TOPK_K].i : 1; /* S6 */
    const size_t bytes = (size_t)tse_bytes(x->dtype);
    ts_lines it;
    tso_item *items;

    ts_lines_dim(&it, ts_call_dim(call, TS_TOPK_DIM, x), 3,
                 (ts_tensor *[]){x, values, indices});
    items = malloc(2 * (size_t)it.n * sizeof *items + 1);
    TS_CHECK(items, TS_ERR_OUT_OF_MEMORY, NULL, "topk: out of memory");
    while (ts_lines_next(&it)) {
        tso_read(items, x, it.at[0], it.step[0], it.n);
        tso_sort(items, items + it.n, it.n, tse_is_real(x->dtype),
                 call->args[TS_TOPK_LARGEST].b);
        for (int64_t i = 0; i < k; i++) {
            memcpy(tse_at(values, it.at[1] + i * it.step[1]),
                   tse_at(x, it.at[0] + items[i].from * it.step[0]), bytes);
            tse_put_i64(indices, it.at[2] + i * it.step[2], items[i].from);
        }
    }
    free(items);
    return TS_OK;
}
