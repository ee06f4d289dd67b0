/* SPDX-License-Identifier: Apache-2.0 */
/* item: the one element, copied to a 0-dim tensor on the cpu. */
#include "touchstone/backend.h"
#include "touchstone/ops/item_glue.h"

ts_status tsk_item(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[TS_ITEM_SELF].tensor;
    ts_tensor *y;

    TS_TRY(call->make_result(call, 0, x->dtype, 0, x->sizes, NULL, &y));
    memcpy(y->data, x->data, tse_bytes(x->dtype));
    return TS_OK;
}
