/* SPDX-License-Identifier: Apache-2.0 */
/* bincount: what it accepts; its size the kernel finds. See spec/ops/bincount.md. */
#include "core/core.h"
#include "touchstone/ops/bincount_glue.h"

ts_status tsi_api_bincount(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_BINCOUNT_SELF);
    const ts_tensor *w = f->args[TS_BINCOUNT_WEIGHTS].tensor;

    TS_TRY(tsi_check_dtype(f, x->dtype, "bincount/C2"));
    TS_CHECK(f->args[TS_BINCOUNT_MINLENGTH].i >= 0, TS_ERR_RUNTIME, "bincount/C4",
             "bincount: minlength %" PRId64, f->args[TS_BINCOUNT_MINLENGTH].i);
    TS_CHECK(x->ndim == 1, TS_ERR_RUNTIME, "bincount/C1", "bincount: of %d dims",
             x->ndim);
    TS_CHECK(!w || (w->ndim == 1 && w->numel == x->numel), TS_ERR_RUNTIME, "bincount/C3",
             "bincount: weights have another shape than self");
    f->flags |= TS_FRAME_UNKNOWN; /* S2 */
    return TS_OK;
}
