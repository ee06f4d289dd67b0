/* SPDX-License-Identifier: Apache-2.0 */
/* cumprod; spec/ops/cumprod.md. */
#include "touchstone/backend.h"
#include "touchstone/fold.h"
#include "touchstone/ops/cumprod_glue.h"

ts_status tsk_cumprod(const ts_kernel_call *call)
{
    const ts_fold start = {1, 0, 1, 0};

    return ts_fold_scan(call, &start, ts_fold_multiply, ts_fold_multiply_whole);
}
