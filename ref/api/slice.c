/* SPDX-License-Identifier: Apache-2.0 */
/* select, slice, narrow, and the two gradients that put a part back into zeros. */
#include "touchstone/ops.h"
#include "touchstone/ops/slice_glue.h"

#include "core/core.h"

static ts_status wrap_dim(const ts_frame *f, int64_t dim, int ndim, int *out)
{
    TS_CHECK(ndim > 0, TS_ERR_INDEX, "slice/C1",
             "%s: a 0-dim tensor has no dim to take a part of", f->op->name);
    return tsi_wrap_dim("slice/C1", dim, ndim, out);
}

static ts_status wrap_index(const ts_frame *f, int64_t index, int64_t size, int64_t *out)
{
    TS_CHECK(-size <= index && index < size, TS_ERR_INDEX, "slice/C2",
             "%s: index %" PRId64 " is out of range for size %" PRId64, f->op->name,
             index, size);
    *out = index < 0 ? index + size : index;
    return TS_OK;
}

/* S2: args[first ..] are start, end, step; *n elements of the dim from *from. */
static ts_status bounds(const ts_frame *f, int first, int64_t size, int64_t *from,
                        int64_t *n)
{
    const int64_t step = f->args[first + 2].i;
    int64_t start = f->args[first].kind == TS_ARG_INT ? f->args[first].i : 0;
    int64_t end = f->args[first + 1].kind == TS_ARG_INT ? f->args[first + 1].i : size;

    TS_CHECK(step > 0, TS_ERR_VALUE, "slice/C3",
             "slice: step must be greater than zero, got %" PRId64, step);
    start = start < 0 ? start + size : start;
    start = start < 0 ? 0 : start > size ? size : start;
    end = end < 0 ? end + size : end;
    end = end < start ? start : end > size ? size : end;
    *from = start;
    *n = (end - start) / step + ((end - start) % step != 0);
    return TS_OK;
}

ts_status tsi_api_select(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_SELECT_SELF);
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS], index = 0;
    int dim, n = 0;

    TS_TRY(wrap_dim(f, f->args[TS_SELECT_DIM].i, self->ndim, &dim));
    TS_TRY(wrap_index(f, f->args[TS_SELECT_INDEX].i, self->sizes[dim], &index));
    for (int d = 0; d < self->ndim; d++) {
        if (d == dim)
            continue;
        sizes[n] = self->sizes[d];
        strides[n++] = self->strides[d];
    }
    return tsi_result_view(f, 0, self, n, sizes, strides,
                           self->offset + index * self->strides[dim]);
}

ts_status tsi_api_slice(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_SLICE_SELF);
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS], from = 0, n = 0;
    int dim;

    TS_TRY(wrap_dim(f, f->args[TS_SLICE_DIM].i, self->ndim, &dim));
    TS_TRY(bounds(f, 2, self->sizes[dim], &from, &n));
    memcpy(sizes, self->sizes, (size_t)self->ndim * sizeof *sizes);
    memcpy(strides, self->strides, (size_t)self->ndim * sizeof *strides);
    sizes[dim] = n;
    TS_CHECK(
        !__builtin_mul_overflow(strides[dim], f->args[TS_SLICE_STEP].i, &strides[dim]),
        TS_ERR_RUNTIME, "tensors/C6",
        "slice: step %" PRId64 " times the stride "
        "overflows int64",
        f->args[TS_SLICE_STEP].i);
    return tsi_result_view(f, 0, self, self->ndim, sizes, strides,
                           self->offset + from * self->strides[dim]);
}

ts_status tsi_program_narrow(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_NARROW_SELF);
    const int64_t length = f->args[TS_NARROW_LENGTH].i;
    int64_t start = f->args[TS_NARROW_START].i, end, size;
    ts_slice_opts o = ts_slice_defaults();
    int dim;

    TS_CHECK(self->ndim > 0, TS_ERR_RUNTIME, "slice/C6",
             "narrow: a 0-dim tensor has no dim to take a part of");
    TS_CHECK(length >= 0, TS_ERR_RUNTIME, "slice/C5",
             "narrow: length must not be negative, got %" PRId64, length);
    TS_TRY(wrap_dim(f, f->args[TS_NARROW_DIM].i, self->ndim, &dim));
    size = self->sizes[dim];
    TS_CHECK(-size <= start && start <= size, TS_ERR_INDEX, "slice/C4",
             "narrow: start %" PRId64 " is out of [%" PRId64 ", %" PRId64 "]", start,
             -size, size);
    start = start < 0 ? start + size : start;
    TS_CHECK(length <= size - start, TS_ERR_RUNTIME, "slice/C5",
             "narrow: start %" PRId64 " and length %" PRId64 " exceed size %" PRId64,
             start, length, size);
    end = start + length;
    o.dim = dim;
    o.start = &start;
    o.end = &end;
    return ts_slice(self, &o, &f->results[0]);
}

/* --- gradients: zeros of input_sizes with grad at the part (S7) --- */

static ts_status whole(ts_frame *f, int *dim)
{
    const ts_value *sizes = &f->args[TS_SELECT_BACKWARD_INPUT_SIZES];
    const ts_tensor *grad = tsi_tensor(f, TS_SELECT_BACKWARD_GRAD);

    TS_TRY(
        tsi_result(f, 0, grad->device, grad->dtype, (int)sizes->ints.n, sizes->ints.v));
    return wrap_dim(f, f->args[TS_SELECT_BACKWARD_DIM].i, (int)sizes->ints.n, dim);
}

/* grad has the whole's sizes, dim `dim` being n, or absent where n < 0. */
static ts_status check_part(const ts_frame *f, int dim, int64_t n)
{
    const ts_tensor *grad = tsi_tensor(f, TS_SELECT_BACKWARD_GRAD);
    const ts_meta *m = &f->meta[0];
    bool same = grad->ndim == m->ndim - (n < 0);

    for (int d = 0, k = 0; same && d < m->ndim; d++)
        if (d != dim || n >= 0)
            same = grad->sizes[k++] == (d == dim ? n : m->sizes[d]);
    TS_CHECK(same, TS_ERR_RUNTIME, NULL, "%s: grad does not have the sizes of that part",
             f->op->name);
    return TS_OK;
}

ts_status tsi_api_select_backward(ts_frame *f)
{
    int64_t index = 0;
    int dim;

    TS_TRY(whole(f, &dim));
    TS_TRY(wrap_index(f, f->args[TS_SELECT_BACKWARD_INDEX].i, f->meta[0].sizes[dim],
                      &index));
    return check_part(f, dim, -1);
}

ts_status tsi_api_slice_backward(ts_frame *f)
{
    int64_t from = 0, n = 0;
    int dim;

    TS_TRY(whole(f, &dim));
    TS_TRY(bounds(f, 3, f->meta[0].sizes[dim], &from, &n));
    return check_part(f, dim, n);
}

static ts_status zeros(ts_frame *f, ts_tensor **out)
{
    const ts_value *sizes = &f->args[TS_SELECT_BACKWARD_INPUT_SIZES];

    return ts_new_zeros(tsi_tensor(f, TS_SELECT_BACKWARD_GRAD), sizes->ints.v,
                        sizes->ints.n, NULL, out);
}

/* Copy grad into `part`, a view of `all`; both references are this function's to give on.
 */
static ts_status put(ts_frame *f, ts_status made, ts_tensor *all, ts_tensor *part)
{
    const ts_status s = made == TS_OK
                            ? ts_copy_(part, tsi_tensor(f, TS_SELECT_BACKWARD_GRAD), NULL)
                            : made;

    ts_release(part);
    if (s == TS_OK)
        f->results[0] = all;
    else
        ts_release(all);
    return s;
}

ts_status tsi_program_select_backward(ts_frame *f)
{
    ts_tensor *all, *part = NULL;

    TS_TRY(zeros(f, &all));

    const ts_status made = ts_select(all, f->args[TS_SELECT_BACKWARD_DIM].i,
                                     f->args[TS_SELECT_BACKWARD_INDEX].i, &part);

    return put(f, made, all, part);
}

ts_status tsi_program_slice_backward(ts_frame *f)
{
    ts_slice_opts o = ts_slice_defaults();
    ts_tensor *all, *part = NULL;

    o.dim = f->args[TS_SLICE_BACKWARD_DIM].i;
    o.start = f->args[TS_SLICE_BACKWARD_START].kind == TS_ARG_INT
                  ? &f->args[TS_SLICE_BACKWARD_START].i
                  : NULL;
    o.end = f->args[TS_SLICE_BACKWARD_END].kind == TS_ARG_INT
                ? &f->args[TS_SLICE_BACKWARD_END].i
                : NULL;
    o.step = f->args[TS_SLICE_BACKWARD_STEP].i;
    TS_TRY(zeros(f, &all));

    const ts_status made = ts_slice(all, &o, &part);

    return put(f, made, all, part);
}
