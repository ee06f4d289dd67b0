/* SPDX-License-Identifier: Apache-2.0 */
/* logcumsumexp: what it accepts and what comes back; see spec/ops/logcumsumexp.md. */
#include "core/core.h"
#include "touchstone/ops/logcumsumexp_glue.h"

ts_status tsi_api_logcumsumexp(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_LOGCUMSUMEXP_SELF);
    int dim;

    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == x->dtype, TS_ERR_RUNTIME,
             "logcumsumexp/C3", "logcumsumexp: out is expected to be %s, but is %s",
             ts_dtype_name(x->dtype), ts_dtype_name(f->out[0]->dtype));
    TS_TRY(
        tsi_wrap_dim("logcumsumexp/C1", f->args[TS_LOGCUMSUMEXP_DIM].i, x->ndim, &dim));
    TS_TRY(tsi_check_dtype(f, x->dtype, "logcumsumexp/C2"));
    f->compute = x->dtype;
    return tsi_result(f, 0, x->device, x->dtype, x->ndim, x->sizes);
}
