/* SPDX-License-Identifier: Apache-2.0 */
/* _to_copy: y[i] = x[i], each element cast once (S3 to S8). */
#include "touchstone/ops/to_glue.h"

#include "ops/copying.h"

ts_status tsk__to_copy(const ts_kernel_call *call)
{
    tsk_copy_elements(call->results[0], ts_call_tensor(call, TS__TO_COPY_SELF));
    return TS_OK;
}
