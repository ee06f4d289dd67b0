/* SPDX-License-Identifier: Apache-2.0 */
/* prod; spec/ops/prod.md. */
#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/prod_glue.h"

static const ts_fold one = {1, 0, 1, 0};

ts_status tsk_prod(const ts_kernel_call *call)
{
    return ts_fold_over(call, UINT64_MAX, false, call->compute, &one, ts_fold_multiply,
                        ts_fold_multiply_whole, TS_FOLD_VALUE);
}

ts_status tsk_prod_dim(const ts_kernel_call *call)
{
    return ts_fold_reduction(call, call->compute, &one, ts_fold_multiply,
                             ts_fold_multiply_whole, TS_FOLD_VALUE);
}
