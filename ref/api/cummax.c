/* SPDX-License-Identifier: Apache-2.0 */
/* cummax, cummin: what they accept and what comes back; see spec/ops/cummax.md. */
#include "core/core.h"
#include "touchstone/ops/cummax_glue.h"

static ts_status running(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_CUMMAX_SELF);
    const ts_dtype dtypes[] = {x->dtype, TS_INT64};
    int dim;

    TS_TRY(tsi_wrap_dim("cummax/C1", f->args[TS_CUMMAX_DIM].i, x->ndim, &dim));
    for (int r = 0; f->form == TS_OUT && r < 2; r++)
        TS_CHECK(f->out[r]->dtype == dtypes[r], TS_ERR_RUNTIME, "cummax/C3",
                 "%s: out %d is expected to be %s, but is %s", f->op->name, r,
                 ts_dtype_name(dtypes[r]), ts_dtype_name(f->out[r]->dtype));
    if (x->numel > 0 && x->ndim > 0)
        TS_TRY(tsi_check_dtype(f, x->dtype, "cummax/C2"));
    for (int r = 0; r < 2; r++)
        TS_TRY(tsi_result(f, r, x->device, dtypes[r], x->ndim, x->sizes));
    return TS_OK;
}

ts_status tsi_api_cummax(ts_frame *f)
{
    return running(f);
}

ts_status tsi_api_cummin(ts_frame *f)
{
    return running(f);
}
