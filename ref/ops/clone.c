/* SPDX-License-Identifier: Apache-2.0 */
/* clone: y[i] = x[i], bit for bit (S1, S7). */
#include "touchstone/ops/clone_glue.h"

#include "ops/copying.h"

ts_status tsk_clone(const ts_kernel_call *call)
{
    tsk_copy_elements(call->results[0], ts_call_tensor(call, TS_CLONE_SELF));
    return TS_OK;
}
