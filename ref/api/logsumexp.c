/* SPDX-License-Identifier: Apache-2.0 */
/* logsumexp: what it accepts and what comes back; see spec/ops/logsumexp.md. */
#include "core/core.h"
#include "family/reduce.h"
#include "touchstone/ops/logsumexp_glue.h"

ts_status tsi_api_logsumexp(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_LOGSUMEXP_SELF);
    const ts_value *dim = &f->args[TS_LOGSUMEXP_DIM];
    const ts_dtype dtype = ts_dtype_is_floating(x->dtype) ? x->dtype : TS_FLOAT32;
    const ts_dtype to = f->form == TS_OUT ? f->out[0]->dtype : dtype;

    TS_CHECK(ts_dtype_is_floating(to), TS_ERR_RUNTIME, "logsumexp/C5",
             "logsumexp: out is expected to be floating, but is %s", ts_dtype_name(to));
    TS_TRY(tsi_reduce_check(f, dim, x->ndim, "logsumexp/C1", "logsumexp/C2"));
    TS_TRY(tsi_check_dtype(f, x->dtype, "logsumexp/C4"));
    TS_CHECK(dim->ints.n > 0 || x->ndim == 0 || x->numel == 0 ||
                 f->args[TS_LOGSUMEXP_KEEPDIM].b,
             TS_ERR_RUNTIME, "logsumexp/C3",
             "logsumexp: an empty list of dims for a tensor of %d", x->ndim);
    TS_TRY(tsi_reduce_result(f, x, ts_reduce_mask(dim, x->ndim),
                             f->args[TS_LOGSUMEXP_KEEPDIM].b, to));
    f->compute = dtype;
    return TS_OK;
}
