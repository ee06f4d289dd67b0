/* SPDX-License-Identifier: Apache-2.0 */
/* tril, triu: what they accept; see spec/ops/tril.md. */
#include "touchstone/ops/tril_glue.h"

#include "core/core.h"

ts_status tsi_api_tril(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_TRIL_SELF);

    TS_CHECK(self->ndim >= 2, TS_ERR_RUNTIME, "tril/C1",
             "%s: at least 2 dims are expected, got %d", f->op->name, self->ndim);
    if (self->numel > 0)
        TS_TRY(tsi_check_dtype(f, self->dtype, "tril/C2"));
    f->flags |= TS_FRAME_OVERLAP_OK; /* S7 */
    return tsi_result(f, 0, self->device, self->dtype, self->ndim, self->sizes);
}

ts_status tsi_api_triu(ts_frame *f)
{
    return tsi_api_tril(f);
}
