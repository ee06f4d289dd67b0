/* SPDX-License-Identifier: Apache-2.0 */
/* prod: what it accepts and what comes back; see spec/ops/prod.md. */
#include "core/core.h"
#include "family/reduce.h"
#include "touchstone/ops/prod_glue.h"

/* S2 */
static ts_status computing(ts_frame *f, const ts_value *given, ts_dtype *out)
{
    const ts_tensor *x = tsi_tensor(f, 0);

    *out = ts_dtype_is_floating(x->dtype) ? x->dtype : TS_INT64;
    if (given->kind == TS_ARG_DTYPE)
        *out = given->dtype;
    else if (f->form == TS_OUT)
        *out = f->out[0]->dtype;
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == *out, TS_ERR_RUNTIME, "prod/C3",
             "prod: out is expected to be %s, but is %s", ts_dtype_name(*out),
             ts_dtype_name(f->out[0]->dtype));
    return x->numel > 0 ? tsi_check_dtype(f, *out, "prod/C2") : TS_OK;
}

ts_status tsi_api_prod(ts_frame *f)
{
    ts_dtype dtype;

    TS_TRY(computing(f, &f->args[TS_PROD_DTYPE], &dtype));
    return tsi_reduce_result(f, tsi_tensor(f, TS_PROD_SELF), UINT64_MAX, false, dtype);
}

ts_status tsi_api_prod_dim(ts_frame *f)
{
    const ts_tensor *x = tsi_tensor(f, TS_PROD_DIM_SELF);
    ts_dtype dtype;
    int dim;

    TS_TRY(tsi_wrap_dim("prod/C1", f->args[TS_PROD_DIM_DIM].i, x->ndim, &dim));
    TS_TRY(computing(f, &f->args[TS_PROD_DIM_DTYPE], &dtype));
    return tsi_reduce_result(f, x, ts_reduce_mask(&f->args[TS_PROD_DIM_DIM], x->ndim),
                             f->args[TS_PROD_DIM_KEEPDIM].b, dtype);
}
