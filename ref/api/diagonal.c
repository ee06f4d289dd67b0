/* SPDX-License-Identifier: Apache-2.0 */
/* diagonal: its geometry; diagonal_backward: zeros with a diagonal; spec/ops/diagonal.md. */
#include "touchstone/ops.h"
#include "touchstone/ops/diagonal_glue.h"

#include "core/core.h"

/* The two dims of a tensor of `ndim`, named by arguments i and i + 1. */
static ts_status two_dims(const ts_frame *f, int i, int ndim, int *a, int *b)
{
    TS_TRY(tsi_wrap_dim("diagonal/C1", f->args[i].i, ndim, a));
    TS_TRY(tsi_wrap_dim("diagonal/C1", f->args[i + 1].i, ndim, b));
    TS_CHECK(*a != *b, TS_ERR_RUNTIME, "diagonal/C2",
             "%s: dims %" PRId64 " and %" PRId64 " are the same", f->op->name,
             f->args[i].i, f->args[i + 1].i);
    return TS_OK;
}

/* S2: how many elements stand on it. */
static int64_t length(int64_t rows, int64_t columns, int64_t offset)
{
    const int64_t r = offset < 0 ? rows + offset : rows;
    const int64_t c = offset > 0 ? columns - offset : columns;
    const int64_t n = r < c ? r : c;

    return n > 0 ? n : 0;
}

ts_status tsi_api_diagonal(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_DIAGONAL_SELF);
    const int64_t offset = f->args[TS_DIAGONAL_OFFSET].i;
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS], at = self->offset;
    int a, b, n = 0;

    TS_TRY(two_dims(f, TS_DIAGONAL_DIM1, self->ndim, &a, &b));
    for (int d = 0; d < self->ndim; d++) {
        if (d == a || d == b)
            continue;
        sizes[n] = self->sizes[d];
        strides[n++] = self->strides[d];
    }
    sizes[n] = length(self->sizes[a], self->sizes[b], offset);
    strides[n] = self->strides[a] + self->strides[b];
    if (sizes[n] > 0) /* S3 */
        at += offset > 0 ? offset * self->strides[b] : -offset * self->strides[a];
    return tsi_result_view(f, 0, self, n + 1, sizes, strides, at);
}

ts_status tsi_api_diagonal_backward(ts_frame *f)
{
    const ts_tensor *grad = tsi_tensor(f, TS_DIAGONAL_BACKWARD_GRAD);
    const ts_value *sizes = &f->args[TS_DIAGONAL_BACKWARD_INPUT_SIZES];
    int a, b;

    TS_TRY(two_dims(f, TS_DIAGONAL_BACKWARD_DIM1, (int)sizes->ints.n, &a, &b));
    return tsi_result(f, 0, grad->device, grad->dtype, (int)sizes->ints.n, sizes->ints.v);
}

ts_status tsi_program_diagonal_backward(ts_frame *f) /* S5 */
{
    ts_tensor *grad = tsi_tensor(f, TS_DIAGONAL_BACKWARD_GRAD), *all, *part = NULL;
    const ts_value *sizes = &f->args[TS_DIAGONAL_BACKWARD_INPUT_SIZES];
    ts_diagonal_opts o = ts_diagonal_defaults();
    ts_status s;

    o.offset = f->args[TS_DIAGONAL_BACKWARD_OFFSET].i;
    o.dim1 = f->args[TS_DIAGONAL_BACKWARD_DIM1].i;
    o.dim2 = f->args[TS_DIAGONAL_BACKWARD_DIM2].i;
    TS_TRY(ts_new_zeros(grad, sizes->ints.v, sizes->ints.n, NULL, &all));
    s = ts_diagonal(all, &o, &part);
    if (s == TS_OK)
        s = ts_copy_(part, grad, NULL);
    ts_release(part);
    if (s == TS_OK)
        f->results[0] = all;
    else
        ts_release(all);
    return s;
}
