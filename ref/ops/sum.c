/* SPDX-License-Identifier: Apache-2.0 */
/* sum, mean; spec/ops/sum.md. */
#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/sum_glue.h"

static const ts_fold nothing = {0, 0, 0, 0};

ts_status tsk_sum(const ts_kernel_call *call) /* S4, S5, S7 */
{
    return ts_fold_reduction(call, call->compute, &nothing, ts_fold_add,
                             ts_fold_add_whole, TS_FOLD_VALUE);
}

ts_status tsk_mean(const ts_kernel_call *call)
{
    const ts_dtype c = tse_is_half(call->compute) ? TS_FLOAT32 : call->compute; /* S8 */

    return ts_fold_reduction(call, c, &nothing, ts_fold_add, ts_fold_add_whole,
                             TS_FOLD_MEAN);
}
