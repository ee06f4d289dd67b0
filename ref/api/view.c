/* SPDX-License-Identifier: Apache-2.0 */
/* view, reshape, flatten: another shape; view_dtype: another dtype. */
#include "touchstone/ops.h"
#include "touchstone/ops/view_glue.h"

#include "core/core.h"

/* S2: `asked` with its -1 replaced, of as many elements as t. */
static ts_status inferred(const ts_tensor *t, const ts_value *asked, int64_t *sizes)
{
    const int ndim = (int)asked->ints.n;
    char text[256];
    int64_t product = 1;
    int unknown = -1;

    TS_CHECK(asked->ints.n <= TS_MAX_DIMS, TS_ERR_RUNTIME, "tensors/C7",
             "a view of %" PRId64 " dims, at most %d are allowed", asked->ints.n,
             TS_MAX_DIMS);
    for (int d = 0; d < ndim; d++) {
        sizes[d] = asked->ints.v[d];
        TS_CHECK(sizes[d] >= -1 && (sizes[d] != -1 || unknown < 0), TS_ERR_RUNTIME,
                 "view/C3", "size %" PRId64 " at dim %d of %s: only one may be -1",
                 sizes[d], d, tsi_sizes_text(text, sizeof text, ndim, asked->ints.v));
        if (sizes[d] == -1)
            unknown = d;
        else
            TS_CHECK(!__builtin_mul_overflow(product, sizes[d], &product), TS_ERR_RUNTIME,
                     "view/C2", "shape %s has more elements than int64 counts",
                     tsi_sizes_text(text, sizeof text, ndim, asked->ints.v));
    }
    if (unknown >= 0) {
        TS_CHECK(product != 0 || t->numel != 0, TS_ERR_RUNTIME, "view/C4",
                 "shape %s of 0 elements: the size -1 could be anything",
                 tsi_sizes_text(text, sizeof text, ndim, asked->ints.v));
        TS_CHECK(product != 0 && t->numel % product == 0, TS_ERR_RUNTIME, "view/C2",
                 "shape %s is invalid for %" PRId64 " elements",
                 tsi_sizes_text(text, sizeof text, ndim, asked->ints.v), t->numel);
        sizes[unknown] = t->numel / product;
        return TS_OK;
    }
    TS_CHECK(product == t->numel, TS_ERR_RUNTIME, "view/C2",
             "shape %s is invalid for %" PRId64 " elements",
             tsi_sizes_text(text, sizeof text, ndim, asked->ints.v), t->numel);
    return TS_OK;
}

ts_status tsi_api_view(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_VIEW_SELF);
    const int ndim = (int)f->args[TS_VIEW_SIZE].ints.n;
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];

    TS_TRY(inferred(self, &f->args[TS_VIEW_SIZE], sizes));
    TS_CHECK(tsi_view_strides(self, ndim, sizes, strides), TS_ERR_RUNTIME, "view/C1",
             "view: no strides give this shape, a dim would span two parts that are not "
             "adjacent; use reshape");
    return tsi_result_view(f, 0, self, ndim, sizes, strides, self->offset);
}

ts_status tsi_api__reshape_copy(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS__RESHAPE_COPY_SELF);
    int64_t sizes[TS_MAX_DIMS];

    TS_TRY(inferred(self, &f->args[TS__RESHAPE_COPY_SIZE], sizes));
    return tsi_result(f, 0, self->device, self->dtype,
                      (int)f->args[TS__RESHAPE_COPY_SIZE].ints.n, sizes);
}

ts_status tsi_program_reshape(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_RESHAPE_SELF);
    const int ndim = (int)f->args[TS_RESHAPE_SHAPE].ints.n;
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];

    TS_TRY(inferred(self, &f->args[TS_RESHAPE_SHAPE], sizes));
    if (tsi_view_strides(self, ndim, sizes, strides))
        return ts_view(self, sizes, ndim, &f->results[0]);
    return ts__reshape_copy(self, sizes, ndim, &f->results[0]);
}

ts_status tsi_program_flatten(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_FLATTEN_SELF);
    int64_t sizes[TS_MAX_DIMS] = {1}, n = 0;
    int start, end;

    TS_TRY(tsi_wrap_dim("view/C5", f->args[TS_FLATTEN_START_DIM].i, self->ndim, &start));
    TS_TRY(tsi_wrap_dim("view/C5", f->args[TS_FLATTEN_END_DIM].i, self->ndim, &end));
    TS_CHECK(start <= end, TS_ERR_RUNTIME, "view/C6",
             "flatten: start_dim %d comes after end_dim %d", start, end);
    if (self->ndim > 0 && start == end) {
        f->results[0] = ts_retain(self);
        return TS_OK;
    }
    for (int d = 0; d < self->ndim; d++) {
        if (d > start && d <= end)
            sizes[n - 1] *= self->sizes[d];
        else
            sizes[n++] = self->sizes[d];
    }
    return ts_reshape(self, sizes, self->ndim ? n : 1, &f->results[0]);
}

ts_status tsi_api_view_dtype(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_VIEW_DTYPE_SELF);
    const ts_dtype dtype = f->args[TS_VIEW_DTYPE_DTYPE].dtype;
    const int from = ts_dtype_size(self->dtype), to = ts_dtype_size(dtype);
    const int last = self->ndim - 1, ratio = from > to ? from / to : to / from;
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS], offset = self->offset;

    for (int d = 0; d < self->ndim; d++) {
        sizes[d] = self->sizes[d];
        strides[d] = self->strides[d];
    }
    TS_CHECK(from == to || last >= 0, TS_ERR_RUNTIME, "view/C7",
             "view: a 0-dim tensor of %s cannot be viewed as %s",
             ts_dtype_name(self->dtype), ts_dtype_name(dtype));
    TS_CHECK(from == to || strides[last] == 1, TS_ERR_RUNTIME, "view/C7",
             "view: the last stride is %" PRId64 ", 1 is needed to view %s as %s",
             strides[last], ts_dtype_name(self->dtype), ts_dtype_name(dtype));
    for (int d = 0; d <= last && to > from; d++)
        TS_CHECK(d == last ? sizes[d] % ratio == 0 : strides[d] % ratio == 0,
                 TS_ERR_RUNTIME, "view/C7",
                 "view: size or stride of dim %d is no multiple of %d to view %s as %s",
                 d, ratio, ts_dtype_name(self->dtype), ts_dtype_name(dtype));
    TS_CHECK(to <= from || offset % ratio == 0, TS_ERR_RUNTIME, "view/C7",
             "view: storage_offset %" PRId64 " is no multiple of %d", offset, ratio);
    for (int d = 0; d < last; d++)
        strides[d] = to > from ? strides[d] / ratio : strides[d] * ratio;
    if (from != to)
        sizes[last] = to > from ? sizes[last] / ratio : sizes[last] * ratio;
    offset = to > from ? offset / ratio : offset * ratio;
    f->flags |= TS_FRAME_BOUNDS;
    TS_TRY(tsi_result_view(f, 0, self, self->ndim, sizes, strides, offset));
    f->meta[0].dtype = dtype;
    return TS_OK;
}
