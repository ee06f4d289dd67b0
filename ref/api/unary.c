/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of one element accept and give; spec/ops/unary.md. */
#include "core/core.h"
#include "touchstone/ops/unary_glue.h"

ts_status tsi_api_neg(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_NEG_SELF);

    TS_CHECK(x->dtype != TS_BOOL, TS_ERR_NOT_IMPLEMENTED, "unary/C1",
             "neg: not implemented for bool; use ~ or logical_not");
    TS_TRY(tsi_check_dtype(f, x->dtype, "unary/C2"));
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == x->dtype, TS_ERR_RUNTIME,
             "unary/C3", "neg: out is %s, self %s", ts_dtype_name(f->out[0]->dtype),
             ts_dtype_name(x->dtype));
    return tsi_pointwise(f, NULL, 1, &x, x->dtype, x->dtype);
}

static ts_status real_function(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_NEG_SELF);
    const ts_dtype dtype =
        ts_dtype_is_floating(x->dtype) ? x->dtype : TS_FLOAT32; /* S7 */

    TS_TRY(tsi_check_dtype(f, x->dtype, "unary/C2"));
    return tsi_pointwise(f, NULL, 1, &x, dtype, dtype);
}

ts_status tsi_api_exp(ts_frame *f)
{
    return real_function(f);
}

ts_status tsi_api_log(ts_frame *f)
{
    return real_function(f);
}

ts_status tsi_api_sqrt(ts_frame *f)
{
    return real_function(f);
}

ts_status tsi_api_tanh(ts_frame *f)
{
    return real_function(f);
}

ts_status tsi_api_reciprocal(ts_frame *f)
{
    return real_function(f);
}

ts_status tsi_api_tanh_backward(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_TANH_BACKWARD_GRAD_OUTPUT), tsi_tensor(f, TS_TANH_BACKWARD_OUTPUT)};
    const ts_dtype dtype = tsi_result_type(2, t);

    TS_TRY(tsi_pointwise(f, NULL, 2, t, dtype, dtype));
    return tsi_check_dtype(f, dtype, "unary/C2");
}
