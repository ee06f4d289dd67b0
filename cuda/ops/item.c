/* SPDX-License-Identifier: Apache-2.0 */
/* item: the one element, copied to a 0-dim tensor on the host; waits for the stream. */
#include "core/cuda.h"

ts_status tsc_item(ts_frame *f)
{
    const ts_tensor *x = tsc_tensor(f, 0);
    ts_tensor *y;
    ts_status s;

    /* Waits by itself: in a capture that is the refusal, rather than the copy's. */
    TS_TRY(tsc_driver()->stream_synchronize(ts_accel_device(),
                                            ts_stream_handle(ts_stream_current())));
    TS_TRY(ts_tensor_new((ts_device){TS_CPU, 0}, x->dtype, 0, x->sizes, &y));
    s = ts_storage_read(x->storage, x->offset * ts_dtype_size(x->dtype),
                        ts_dtype_size(x->dtype), y->data);
    if (s != TS_OK) {
        ts_release(y);
        return s;
    }
    f->results[0] = y;
    return TS_OK;
}
