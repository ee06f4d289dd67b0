/* SPDX-License-Identifier: Apache-2.0 */
/* transpose, permute and the shorthands that are made of them: dims in another order. */
#include "touchstone/ops.h"
#include "touchstone/ops/transpose_glue.h"

#include "core/core.h"

/* The view whose dim i is self's dim order[i]. */
static ts_status reordered(ts_frame *f, const int *order)
{
    const ts_tensor *self = tsi_tensor(f, TS_TRANSPOSE_SELF);
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];

    for (int d = 0; d < self->ndim; d++) {
        sizes[d] = self->sizes[order[d]];
        strides[d] = self->strides[order[d]];
    }
    return tsi_result_view(f, 0, self, self->ndim, sizes, strides, self->offset);
}

ts_status tsi_api_transpose(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_TRANSPOSE_SELF);
    int order[TS_MAX_DIMS];
    int a, b;

    TS_TRY(tsi_wrap_dim("transpose/C1", f->args[TS_TRANSPOSE_DIM0].i, self->ndim, &a));
    TS_TRY(tsi_wrap_dim("transpose/C1", f->args[TS_TRANSPOSE_DIM1].i, self->ndim, &b));
    for (int d = 0; d < self->ndim; d++)
        order[d] = d == a ? b : d == b ? a : d;
    return reordered(f, order);
}

ts_status tsi_api_permute(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_PERMUTE_SELF);
    const ts_value *dims = &f->args[TS_PERMUTE_DIMS];
    bool seen[TS_MAX_DIMS] = {false};
    int order[TS_MAX_DIMS];

    TS_CHECK(dims->ints.n == self->ndim, TS_ERR_RUNTIME, "transpose/C2",
             "permute: %" PRId64 " dims given for a tensor of %d", dims->ints.n,
             self->ndim);
    for (int d = 0; d < self->ndim; d++) {
        TS_TRY(tsi_wrap_dim("transpose/C1", dims->ints.v[d], self->ndim, &order[d]));
        TS_CHECK(!seen[order[d]], TS_ERR_RUNTIME, "transpose/C3",
                 "permute: dim %d stands twice", order[d]);
        seen[order[d]] = true;
    }
    return reordered(f, order);
}

ts_status tsi_program_t(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_T_SELF);

    TS_CHECK(self->ndim <= 2, TS_ERR_RUNTIME, "transpose/C4",
             "t: at most 2 dims are expected, got %d", self->ndim);
    return ts_transpose(self, 0, self->ndim == 2, &f->results[0]);
}

ts_status tsi_program_numpy_T(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_NUMPY_T_SELF);
    int64_t dims[TS_MAX_DIMS];

    for (int d = 0; d < self->ndim; d++)
        dims[d] = self->ndim - 1 - d;
    return ts_permute(self, dims, self->ndim, &f->results[0]);
}

ts_status tsi_program_mT(ts_frame *f)
{
    ts_tensor *self = tsi_tensor(f, TS_MT_SELF);

    TS_CHECK(self->ndim != 1, TS_ERR_RUNTIME, "transpose/C5",
             "mT: a matrix or a batch of matrices is expected, got 1 dim");
    if (self->ndim == 0) { /* itself, and no view of it */
        f->results[0] = ts_retain(self);
        return TS_OK;
    }
    return ts_transpose(self, -2, -1, &f->results[0]);
}
