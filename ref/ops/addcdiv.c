/* SPDX-License-Identifier: Apache-2.0 */
/* addcdiv: self + value * tensor1 / tensor2; spec/ops/addcdiv.md. */
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/addcdiv_glue.h"

TS_MAP_ELEMENT_3(addcdiv, x + *(const double *)with * y / z, 0)

ts_status tsk_addcdiv(const ts_kernel_call *call)
{
    const double value = ts_scalar_f64(call->args[TS_ADDCDIV_VALUE].scalar);

    return ts_map_ternary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1),
                          ts_call_tensor(call, 2), call->compute, addcdiv_real,
                          addcdiv_whole, &value);
}
