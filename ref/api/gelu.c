/* SPDX-License-Identifier: Apache-2.0 */
/* What gelu and gelu_backward accept and give; spec/ops/gelu.md. */
#include "core/core.h"
#include "touchstone/ops/gelu_glue.h"

static ts_status check_approximate(const ts_frame *f, const char *approximate)
{
    TS_CHECK(strcmp(approximate, "none") == 0 || strcmp(approximate, "tanh") == 0,
             TS_ERR_RUNTIME, "gelu/C1", "%s: approximate is 'none' or 'tanh', not '%s'",
             f->op->name, approximate);
    return TS_OK;
}

ts_status tsi_api_gelu(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_GELU_SELF);

    TS_TRY(check_approximate(f, f->args[TS_GELU_APPROXIMATE].string));
    TS_TRY(tsi_check_dtype(f, x->dtype, "gelu/C2"));
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == x->dtype, TS_ERR_RUNTIME, "gelu/C3",
             "gelu: out is %s, self %s", ts_dtype_name(f->out[0]->dtype),
             ts_dtype_name(x->dtype));
    return tsi_pointwise(f, NULL, 1, &x, x->dtype, x->dtype);
}

ts_status tsi_api_gelu_backward(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_GELU_BACKWARD_GRAD_OUTPUT), tsi_tensor(f, TS_GELU_BACKWARD_SELF)};
    const ts_dtype dtype = tsi_result_type(2, t);

    TS_TRY(check_approximate(f, f->args[TS_GELU_BACKWARD_APPROXIMATE].string));
    TS_TRY(tsi_pointwise(f, NULL, 2, t, dtype, dtype));
    return tsi_check_dtype(f, dtype, "gelu/C2");
}
