/* SPDX-License-Identifier: Apache-2.0 */
/* sort: a merge sort of each line, stable always (S3 asks it only with stable=True). */
#include "ops/sorting.h"
#include "touchstone/ops/sort_glue.h"

ts_status tsk_sort(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS_SORT_SELF);

    return tso_sort_lines(call, x, ts_call_dim(call, TS_SORT_DIM, x), INT64_MAX,
                          call->args[TS_SORT_DESCENDING].b);
}
