/* SPDX-License-Identifier: Apache-2.0 */
/* topk: what it accepts and what comes back; see spec/ops/topk.md. */
#include "core/core.h"
#include "touchstone/ops/topk_glue.h"

ts_status tsi_api_topk(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_TOPK_SELF);
    const int64_t k = f->args[TS_TOPK_K].i;
    const ts_dtype dtypes[] = {x->dtype, TS_INT64};
    int64_t sizes[TS_MAX_DIMS];
    int dim;

    TS_TRY(tsi_wrap_dim("topk/C1", f->args[TS_TOPK_DIM].i, x->ndim, &dim));
    TS_CHECK(k >= 0 && k <= (x->ndim > 0 ? x->sizes[dim] : 1), TS_ERR_RUNTIME, "topk/C2",
             "topk: k = %" PRId64 " is out of range", k);
    for (int r = 0; f->form == TS_OUT && r < 2; r++)
        TS_CHECK(f->out[r]->dtype == dtypes[r], TS_ERR_RUNTIME, "topk/C4",
                 "topk: out %d is expected to be %s, but is %s", r,
                 ts_dtype_name(dtypes[r]), ts_dtype_name(f->out[r]->dtype));
    TS_TRY(tsi_check_dtype(f, x->dtype, "topk/C3"));
    for (int d = 0; d < x->ndim; d++)
        sizes[d] = d == dim ? k : x->sizes[d];
    for (int r = 0; r < 2; r++)
        TS_TRY(tsi_result(f, r, x->device, dtypes[r], x->ndim, sizes));
    return TS_OK;
}
