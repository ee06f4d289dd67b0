/* SPDX-License-Identifier: Apache-2.0 */
/* copy_, fill_, zero_: what they accept. The tensor written keeps its dtype and layout.
 */
#include "touchstone/ops/copy_glue.h"

#include "core/core.h"

/* copy/C3: whether a Python number goes into `count` elements of `dtype`. */
static bool fits(ts_dtype dtype, int64_t count, const ts_tensor *number)
{
    return (count == 1 && tse_is_narrow(dtype)) /* S10 */ ||
           tse_number_fits(dtype, number);
}

ts_status tsi_api_fill(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_FILL_SELF),
                    *value = tsi_tensor(f, TS_FILL_VALUE);

    TS_CHECK(value->ndim == 0, TS_ERR_RUNTIME, "copy/C2",
             "fill: value must be a number or a 0-dim tensor, got %d dims", value->ndim);
    TS_CHECK(!ts_is_wrapped_number(value) || self->device.type == TS_META ||
                 fits(self->dtype, self->numel, value),
             TS_ERR_RUNTIME, "copy/C3",
             "fill: value %g cannot be converted to %s without overflow",
             tse_get(value, 0), ts_dtype_name(self->dtype));
    if (ts_is_wrapped_number(value))
        f->flags |= TS_FRAME_OVERLAP_OK; /* S7 */
    return tsi_result_like(f, 0, self, self->dtype);
}

ts_status tsi_api_zero(ts_frame *f)
{
    f->flags |= TS_FRAME_OVERLAP_OK; /* S7 */
    return tsi_result_like(f, 0, tsi_tensor(f, TS_ZERO_SELF),
                           tsi_tensor(f, TS_ZERO_SELF)->dtype);
}

/* The same elements under the same strides: copying them changes nothing (S3). */
static bool same_elements(const ts_tensor *a, const ts_tensor *b)
{
    return ts_storage_id(ts_tensor_storage(a)) == ts_storage_id(ts_tensor_storage(b)) &&
           a->dtype == b->dtype && a->offset == b->offset && tsi_same_sizes(a, b) &&
           memcmp(a->strides, b->strides, (size_t)a->ndim * sizeof *a->strides) == 0;
}

ts_status tsi_api_copy(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_COPY_SELF), *src = tsi_tensor(f, TS_COPY_SRC);
    int64_t sizes[TS_MAX_DIMS];
    char have[256], got[256];
    int ndim;

    TS_CHECK(src->device.type != TS_META || self->device.type == TS_META,
             TS_ERR_NOT_IMPLEMENTED, "copy/C4",
             "copy_: src is on meta and has no data to copy");
    TS_TRY(tsi_broadcast("copy/C1", 2, (ts_tensor *[]){self, src}, &ndim, sizes));
    TS_CHECK(ndim == self->ndim &&
                 memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) == 0,
             TS_ERR_RUNTIME, "copy/C1", "copy_: src of sizes %s does not broadcast to %s",
             tsi_sizes_text(got, sizeof got, src->ndim, src->sizes),
             tsi_sizes_text(have, sizeof have, self->ndim, self->sizes));
    f->flags |= TS_FRAME_POINTWISE; /* src may be self, but not overlap it in part */
    if (same_elements(self, src))
        f->flags |= TS_FRAME_OVERLAP_OK;
    return tsi_result(f, 0, self->device, self->dtype, ndim, sizes);
}
