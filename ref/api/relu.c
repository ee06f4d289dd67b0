/* SPDX-License-Identifier: Apache-2.0 */
/* What relu and threshold_backward accept and give; spec/ops/relu.md. */
#include "core/core.h"
#include "touchstone/ops/relu_glue.h"

ts_status tsi_api_relu(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_RELU_SELF);

    TS_CHECK(x->dtype != TS_BOOL, TS_ERR_NOT_IMPLEMENTED, "relu/C1",
             "relu: not implemented for bool");
    TS_TRY(tsi_check_dtype(f, x->dtype, "relu/C2"));
    return tsi_pointwise(f, NULL, 1, &x, x->dtype, x->dtype);
}

ts_status tsi_api_threshold_backward(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_THRESHOLD_BACKWARD_GRAD_OUTPUT), tsi_tensor(f, TS_THRESHOLD_BACKWARD_SELF)};
    const ts_dtype dtype = tsi_result_type(2, t);

    TS_TRY(tsi_pointwise(f, NULL, 2, t, dtype, dtype));
    return tsi_check_dtype(f, dtype, "relu/C2");
}
