/* SPDX-License-Identifier: Apache-2.0 */
/* item: the one element, copied to a 0-dim tensor on the host; waits for the stream. */
#include "touchstone/ops/item.h"
#include "core/cuda.h"

TSC_OP(item, TSC_ALL)

ts_status tsc_item(const ts_kernel_call *call)
{
    const ts_tensor *x = tsc_tensor(call, TS_ITEM_SELF);
    ts_tensor *y;

    /* Waits by itself: in a capture that is the refusal, rather than the copy's. */
    TS_TRY(tsc_driver()->stream_synchronize(x->device.index,
                                            ts_stream_handle(ts_stream_current())));
    TS_TRY(call->make_result(call, 0, x->dtype, 0, x->sizes, NULL, &y));
    return ts_storage_read(ts_tensor_storage(x), x->offset * ts_dtype_size(x->dtype),
                           ts_dtype_size(x->dtype), y->data);
}
