/* SPDX-License-Identifier: Apache-2.0 */
/* What threshold_backward accepts and gives; spec/ops/relu.md. */
#include "family/family.h"
#include "touchstone/ops/relu_glue.h"

ts_status tsi_api_threshold_backward(ts_frame *f)
{
    ts_tensor *x = tsi_tensor(f, TS_THRESHOLD_BACKWARD_SELF),
              *grad = tsi_tensor(f, TS_THRESHOLD_BACKWARD_GRAD_OUTPUT);
    ts_tensor *t[] = {x, grad};
    const ts_dtype dtype = tsi_result_type(2, t);

    return tsi_family_two(f, x, grad, dtype, dtype); /* S5: self's layout comes first */
}
