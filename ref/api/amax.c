/* SPDX-License-Identifier: Apache-2.0 */
/* What amax and amin accept and give; spec/ops/amax.md. */
#include "api/reduce.h"
#include "touchstone/ops/amax_glue.h"

static ts_status extreme(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_AMAX_SELF);
    const ts_value *dim = &f->args[TS_AMAX_DIM];

    TS_TRY(tsi_reduce_check(f, dim, x->ndim, "amax/C1", "amax/C2"));
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == x->dtype, TS_ERR_RUNTIME, "amax/C5",
             "%s: out is %s, self %s", f->op->name, ts_dtype_name(f->out[0]->dtype),
             ts_dtype_name(x->dtype));
    TS_CHECK(x->numel > 0 || (dim->kind == TS_ARG_INTS && dim->ints.n > 0),
             TS_ERR_RUNTIME, "amax/C3", "%s: a tensor without elements needs a dim",
             f->op->name);
    for (int64_t k = 0; x->numel == 0 && k < dim->ints.n; k++) {
        const int64_t d = dim->ints.v[k] < 0 ? dim->ints.v[k] + x->ndim : dim->ints.v[k];

        TS_CHECK(x->sizes[d] > 0, TS_ERR_INDEX, "amax/C4",
                 "%s: dim %" PRId64 " to be reduced has size 0", f->op->name, d);
    }
    TS_TRY(
        tsi_reduce_result(f, x, ts_reduce_mask(dim, x->ndim), f->args[TS_AMAX_KEEPDIM].b, x->dtype));
    return x->numel > 0 ? tsi_check_dtype(f, x->dtype, "amax/C6") : TS_OK;
}

ts_status tsi_api_amax(ts_frame *f)
{
    return extreme(f);
}

ts_status tsi_api_amin(ts_frame *f)
{
    return extreme(f);
}
