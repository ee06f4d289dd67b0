/* SPDX-License-Identifier: Apache-2.0 */
/* tril, triu: what they accept; see spec/ops/tril.md. */
#include "touchstone/ops/tril_glue.h"

#include "core/core.h"

/* S7: whether 2.15.0 writes self where it lies. What it writes by way of a copy goes
 * through copy_'s check. */
static bool written_in_place(const ts_tensor *self)
{
    int64_t step = self->sizes[self->ndim - 1] * self->sizes[self->ndim - 2];

    if (self->ndim <= 3)
        return true;
    for (int d = self->ndim - 3; d >= 0; d--) {
        if (d == 0 && (self->strides[d] == 0 || self->sizes[d] == 1))
            continue;
        if (self->strides[d] != step)
            return false;
        step *= self->sizes[d];
    }
    return true;
}

ts_status tsi_api_tril(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_TRIL_SELF);

    TS_CHECK(self->ndim >= 2, TS_ERR_RUNTIME, "tril/C1",
             "%s: at least 2 dims are expected, got %d", f->op->name, self->ndim);
    if (self->numel > 0)
        TS_TRY(tsi_check_dtype(f, self->dtype, "tril/C2"));
    if (f->form != TS_INPLACE || written_in_place(self))
        f->flags |= TS_FRAME_OVERLAP_OK;
    return tsi_result(f, 0, self->device, self->dtype, self->ndim, self->sizes);
}

ts_status tsi_api_triu(ts_frame *f)
{
    return tsi_api_tril(f);
}
