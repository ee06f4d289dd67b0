/* SPDX-License-Identifier: Apache-2.0 */
/* unbind: the slices along a dim; spec/ops/unbind.md. */
#include "core/core.h"
#include "touchstone/ops/unbind_glue.h"

ts_status tsi_api_unbind(ts_frame *f)
{
    const ts_tensor *self = tsi_tensor(f, TS_UNBIND_SELF);
    int64_t sizes[TS_MAX_DIMS], strides[TS_MAX_DIMS];
    int dim;

    TS_CHECK(self->ndim > 0, TS_ERR_INDEX, "unbind/C1",
             "unbind: a 0-dim tensor has no dim %" PRId64, f->args[TS_UNBIND_DIM].i);
    TS_TRY(tsi_wrap_dim("unbind/C1", f->args[TS_UNBIND_DIM].i, self->ndim, &dim));
    for (int d = 0, n = 0; d < self->ndim; d++) {
        if (d == dim)
            continue;
        sizes[n] = self->sizes[d];
        strides[n++] = self->strides[d];
    }
    TS_TRY(tsi_results(f, (int)self->sizes[dim]));
    for (int i = 0; i < f->nresults; i++)
        TS_TRY(tsi_result_view(f, i, self, self->ndim - 1, sizes, strides,
                               self->offset + i * self->strides[dim]));
    return TS_OK;
}
