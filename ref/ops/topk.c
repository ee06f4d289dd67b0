/* SPDX-License-Identifier: Apache-2.0 */
/* topk: each line sorted whole, and the first k of it. */
#include "ops/sorting.h"
#include "touchstone/ops/topk_glue.h"

ts_status tsk_topk(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, TS_TOPK_SELF);
    const int64_t k = x->ndim > 0 ? call->args[TS_TOPK_K].i : 1; /* S6 */

    return tso_sort_lines(call, x, ts_call_dim(call, TS_TOPK_DIM, x), k,
                          call->args[TS_TOPK_LARGEST].b);
}
