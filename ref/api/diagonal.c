/* SPDX-License-Identifier: Apache-2.0 */
/* diagonal: the view of it; see spec/ops/diagonal.md. */
#include "core/core.h"
#include "touchstone/ops/diagonal_glue.h"

ts_status tsi_api_diagonal(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_DIAGONAL_SELF);
    const int64_t offset = f->args[TS_DIAGONAL_OFFSET].i;
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS], at = self->offset, rows, columns;
    int a, b, n = 0;

    TS_TRY(tsi_wrap_dim("diagonal/C1", f->args[TS_DIAGONAL_DIM1].i, self->ndim, &a));
    TS_TRY(tsi_wrap_dim("diagonal/C1", f->args[TS_DIAGONAL_DIM2].i, self->ndim, &b));
    TS_CHECK(a != b, TS_ERR_RUNTIME, "diagonal/C2", "diagonal: dim1 and dim2 are %d", a);
    rows = self->sizes[a] + (offset < 0 ? offset : 0);
    columns = self->sizes[b] - (offset > 0 ? offset : 0);
    for (int d = 0; d < self->ndim; d++) {
        if (d == a || d == b)
            continue;
        sizes[n] = self->sizes[d];
        strides[n++] = self->strides[d];
    }
    sizes[n] = rows < columns ? rows : columns;
    strides[n] = self->strides[a] + self->strides[b];
    if (sizes[n] <= 0) /* S2 */
        sizes[n] = 0;
    else
        at += offset < 0 ? -offset * self->strides[a] : offset * self->strides[b];
    return tsi_result_view(f, 0, self, n + 1, sizes, strides, at);
}
