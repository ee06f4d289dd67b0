/* SPDX-License-Identifier: Apache-2.0 */
/* item: the one element, copied to a 0-dim tensor on the cpu. */
#include "core/core.h"
#include "touchstone/ops_glue.h"

ts_status tsk_item(ts_frame *f)
{
    const ts_tensor *x = f->args[0].tensor;

    TS_TRY(ts_tensor_new((ts_device){TS_CPU, 0}, x->dtype, 0, x->sizes, &f->results[0]));
    memcpy(f->results[0]->data, x->data, (size_t)ts_dtype_size(x->dtype));
    return TS_OK;
}
