/* SPDX-License-Identifier: Apache-2.0 */
/* masked_select, masked_scatter: what they accept and what comes back;
 * spec/ops/masked_select.md. */
#include "family/family.h"
#include "touchstone/ops/masked_select_glue.h"

static ts_status check_mask(const ts_frame *f)
{
    const ts_tensor *mask = tsi_tensor(f, TS_MASKED_SELECT_MASK);

    TS_CHECK(mask->dtype == TS_BOOL, TS_ERR_RUNTIME, "masked_select/C2",
             "%s: the mask is bool, not %s", f->op->name, ts_dtype_name(mask->dtype));
    return TS_OK;
}

static ts_status common_shape(const ts_frame *f, int *ndim, int64_t *sizes)
{
    ts_tensor *both[] = {tsi_tensor(f, TS_MASKED_SELECT_SELF),
                         tsi_tensor(f, TS_MASKED_SELECT_MASK)};

    return tsi_broadcast("masked_select/C1", 2, both, ndim, sizes);
}

ts_status tsi_api_masked_select(ts_frame *f)
{
    const ts_dtype dtype = tsi_tensor(f, TS_MASKED_SELECT_SELF)->dtype;
    int64_t sizes[TS_MAX_DIMS];
    int ndim;

    TS_TRY(check_mask(f));
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == dtype, TS_ERR_RUNTIME,
             "masked_select/C6", "masked_select: out is expected to be %s, but is %s",
             ts_dtype_name(dtype), ts_dtype_name(f->out[0]->dtype));
    TS_TRY(tsi_check_out_places(f));
    TS_TRY(tsi_check_out_apart(f, TS_MASKED_SELECT_SELF, "masked_select/C7"));
    TS_TRY(tsi_check_out_apart(f, TS_MASKED_SELECT_MASK, "masked_select/C7"));
    TS_TRY(common_shape(f, &ndim, sizes));
    f->flags |= TS_FRAME_UNKNOWN; /* S3 */
    return TS_OK;
}

ts_status tsi_api_masked_scatter(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_MASKED_SCATTER_SELF);
    const ts_tensor *source = tsi_tensor(f, TS_MASKED_SCATTER_SOURCE);
    int64_t sizes[TS_MAX_DIMS];
    int ndim;

    TS_TRY(common_shape(f, &ndim, sizes));
    TS_CHECK(self->dtype == source->dtype, TS_ERR_RUNTIME, "masked_select/C3",
             "masked_scatter: self is %s and source is %s", ts_dtype_name(self->dtype),
             ts_dtype_name(source->dtype));
    TS_TRY(check_mask(f));
    if (self->device.type != TS_META)
        TS_TRY(tsi_check_dtype(f, self->dtype, "masked_select/C5"));
    return tsi_result(f, 0, self->device, self->dtype, ndim, sizes);
}
