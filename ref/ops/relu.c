/* SPDX-License-Identifier: Apache-2.0 */
/* relu, threshold_backward; spec/ops/relu.md. */
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/relu_glue.h"

/* S2: NaN compares false, so it passes */
TS_UNARY_SAME(tsk_relu, x < 0 ? 0 : x, x < 0 ? 0 : x)

typedef struct limit {
    double real;
    int64_t whole;
} limit;

TS_MAP_ELEMENT(passed, y <= ((const limit *)with)->real ? 0 : x,
               y <= ((const limit *)with)->whole ? 0 : x)

ts_status tsk_threshold_backward(const ts_kernel_call *call) /* S4 */
{
    const ts_dtype c = call->compute;
    const double at = ts_scalar_f64(call->args[TS_THRESHOLD_BACKWARD_THRESHOLD].scalar);
    const limit by = {tse_round(c == TS_FLOAT64 ? c : TS_FLOAT32, at), (int64_t)at};

    return ts_map_binary(call, ts_call_tensor(call, TS_THRESHOLD_BACKWARD_GRAD_OUTPUT),
                         ts_call_tensor(call, TS_THRESHOLD_BACKWARD_SELF), c, passed_real,
                         passed_whole, &by);
}
