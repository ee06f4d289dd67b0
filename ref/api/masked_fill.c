/* SPDX-License-Identifier: Apache-2.0 */
/* masked_fill: what it accepts and what comes back; spec/ops/masked_fill.md. */
#include "core/overlap.h"
#include "family/family.h"
#include "touchstone/ops/masked_fill_glue.h"

ts_status tsi_api_masked_fill(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_MASKED_FILL_SELF);
    ts_tensor *mask = tsi_tensor(f, TS_MASKED_FILL_MASK);
    const ts_tensor *value = tsi_tensor(f, TS_MASKED_FILL_VALUE);
    int64_t sizes[TS_MAX_DIMS];
    int ndim;

    TS_TRY(tsi_broadcast("masked_fill/C1", 2, (ts_tensor *[]){self, mask}, &ndim, sizes));
    TS_CHECK(mask->dtype == TS_BOOL, TS_ERR_RUNTIME, "masked_fill/C2",
             "masked_fill: the mask is bool, not %s", ts_dtype_name(mask->dtype));
    TS_CHECK(value->ndim == 0, TS_ERR_RUNTIME, "masked_fill/C3",
             "masked_fill: value is a number or a 0-dim tensor, got %d dims",
             value->ndim);
    if (self->device.type != TS_META) {
        TS_TRY(tsi_check_dtype(f, self->dtype, "masked_fill/C5"));
        TS_CHECK(!ts_is_wrapped_number(value) || tse_number_fits(self->dtype, value),
                 TS_ERR_RUNTIME, "masked_fill/C4",
                 "masked_fill: value %g cannot be converted to %s without overflow",
                 tse_get(value, 0), ts_dtype_name(self->dtype));
    }
    TS_CHECK(f->form != TS_INPLACE || tsi_overlap_of(self, mask) != TSI_OVERLAP_PARTIAL,
             TS_ERR_RUNTIME, "masked_fill/C6",
             "masked_fill_: self overlaps the mask; clone() it first");
    f->flags |= TS_FRAME_OVERLAP_OK; /* S5 */
    return tsi_result(f, 0, self->device, self->dtype, ndim, sizes);
}
