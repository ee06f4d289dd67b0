/* SPDX-License-Identifier: Apache-2.0 */
/* take, put: what they accept and what comes back; spec/ops/take.md. */
#include "family/family.h"
#include "touchstone/ops/take_glue.h"

static ts_status check_index(const ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_TAKE_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_TAKE_INDEX);

    TS_CHECK(index->dtype == TS_INT64, TS_ERR_RUNTIME, "take/C1",
             "%s: the index is int64, not %s", f->op->name, ts_dtype_name(index->dtype));
    TS_CHECK(self->numel > 0 || index->numel == 0, TS_ERR_INDEX, "take/C2",
             "%s: self has no elements", f->op->name);
    return TS_OK;
}

static ts_status check_taken(const ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_TAKE_SELF);

    if (self->device.type == TS_META || tsi_tensor(f, TS_TAKE_INDEX)->numel == 0)
        return TS_OK;
    return tsi_check_dtype(f, self->dtype, "take/C5");
}

ts_status tsi_api_take(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_TAKE_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_TAKE_INDEX);

    TS_TRY(check_index(f));
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == self->dtype, TS_ERR_RUNTIME,
             "take/C6", "take: out is expected to be %s, but is %s",
             ts_dtype_name(self->dtype), ts_dtype_name(f->out[0]->dtype));
    TS_TRY(tsi_check_out_places(f));
    TS_TRY(tsi_check_out_apart(f, TS_TAKE_SELF, "take/C7"));
    TS_TRY(tsi_check_out_apart(f, TS_TAKE_INDEX, "take/C7"));
    TS_TRY(check_taken(f));
    return tsi_result(f, 0, self->device, self->dtype, index->ndim, index->sizes);
}

ts_status tsi_api_put(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_PUT_SELF);
    const ts_tensor *index = tsi_tensor(f, TS_PUT_INDEX);
    const ts_tensor *source = tsi_tensor(f, TS_PUT_SOURCE);

    TS_CHECK(index->dtype == TS_INT64, TS_ERR_RUNTIME, "take/C1",
             "put: the index is int64, not %s", ts_dtype_name(index->dtype));
    TS_CHECK(self->dtype == source->dtype, TS_ERR_RUNTIME, "take/C4",
             "put: self is %s and source is %s", ts_dtype_name(self->dtype),
             ts_dtype_name(source->dtype));
    TS_CHECK(index->numel == source->numel, TS_ERR_INDEX, "take/C3",
             "put: %" PRId64 " numbers for the %" PRId64 " elements of source",
             index->numel, source->numel);
    TS_TRY(check_index(f));
    TS_TRY(tsi_check_written_apart(f, TS_PUT_INDEX, "take/C7"));
    TS_TRY(tsi_check_written_apart(f, TS_PUT_SOURCE, "take/C7"));
    TS_TRY(check_taken(f));
    return tsi_result_like(f, 0, self, self->dtype);
}
