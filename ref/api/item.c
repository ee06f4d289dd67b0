/* SPDX-License-Identifier: Apache-2.0 */
/* item: what it accepts; see spec/ops/item.md. */
#include "core/core.h"
#include "touchstone/ops/item_glue.h"

ts_status tsi_api_item(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_ITEM_SELF);

    TS_CHECK(x->numel == 1, TS_ERR_RUNTIME, "item/C1",
             "item: a tensor with %" PRId64 " elements cannot be converted to a number",
             x->numel);
    TS_CHECK(x->device.type != TS_META, TS_ERR_RUNTIME, "item/C2",
             "item: a meta tensor has no data");
    f->flags |=
        TS_FRAME_UNKNOWN; /* the result is on the cpu whatever the device: the kernel's */
    return TS_OK;
}
