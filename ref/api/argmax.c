/* SPDX-License-Identifier: Apache-2.0 */
/* What argmax and argmin accept and give; spec/ops/argmax.md. */
#include "api/reduce.h"
#include "touchstone/ops/argmax_glue.h"

static ts_status arg_extreme(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_ARGMAX_SELF);
    const ts_value *dim = &f->args[TS_ARGMAX_DIM];

    TS_TRY(tsi_check_dtype(f, x->dtype, "argmax/C3"));
    if (dim->kind == TS_ARG_INT) {
        int d;

        TS_TRY(tsi_wrap_dim("argmax/C1", dim->i, x->ndim, &d));
        TS_CHECK(x->ndim == 0 || x->sizes[d] > 0, TS_ERR_INDEX, "argmax/C2",
                 "%s: dim %d has size 0", f->op->name, d);
    } else {
        TS_CHECK(x->numel > 0, TS_ERR_INDEX, "argmax/C2",
                 "%s: a tensor without elements needs a dim", f->op->name);
    }
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == TS_INT64, TS_ERR_RUNTIME,
             "argmax/C4", "%s: out is %s, not int64", f->op->name,
             ts_dtype_name(f->out[0]->dtype));
    return tsi_reduce_result(f, x, ts_reduce_mask(dim, x->ndim), f->args[TS_ARGMAX_KEEPDIM].b, TS_INT64);
}

ts_status tsi_api_argmax(ts_frame *f)
{
    return arg_extreme(f);
}

ts_status tsi_api_argmin(ts_frame *f)
{
    return arg_extreme(f);
}
