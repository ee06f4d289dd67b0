/* SPDX-License-Identifier: Apache-2.0 */
/* sort: a merge sort of each line, stable always (S3 asks it only with stable=True). */
#include <stdlib.h>

#include "ops/sorting.h"
#include "touchstone/backend.h"
#include "touchstone/ops/sort_glue.h"

ts_status tsk_sort(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[TS_SORT_SELF].tensor;
    ts_tensor *values = call->results[0];
    ts_tensor *indices = call->results[1];
    const bool floating = tse_is_real(x->dtype);
    const size_t bytes = (size_t)tse_bytes(x->dtype);
    ts_lines it;
    tso_item *items;

    ts_lines_dim(&it, ts_call_dim(call, TS_SORT_DIM, x), 3,
                 (ts_tensor *[]){x, values, indices});
    items = malloc(2 * (size_t)it.n * sizeof *items + 1);
    TS_CHECK(items, TS_ERR_OUT_OF_MEMORY, NULL, "sort: out of memory");
    while (ts_lines_next(&it)) {
        tso_read(items, x, it.at[0], it.step[0], it.n);
        tso_sort(items, items + it.n, it.n, floating, call->args[TS_SORT_DESCENDING].b);
        for (int64_t i = 0; i < it.n; i++) {
            memcpy(tse_at(values, it.at[1] + i * it.step[1]),
                   tse_at(x, it.at[0] + items[i].from * it.step[0]), bytes);
            tse_put_i64(indices, it.at[2] + i * it.step[2], items[i].from);
        }
    }
    free(items);
    return TS_OK;
}
