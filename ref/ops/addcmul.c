/* SPDX-License-Identifier: Apache-2.0 */
/* addcmul: self + value * tensor1 * tensor2; spec/ops/addcmul.md. */
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/addcmul_glue.h"

typedef struct factor {
    double real;
    uint64_t whole;
} factor;

TS_MAP_ELEMENT_3(addcmul, x + ((const factor *)with)->real * y * z,
                 (int64_t)((uint64_t)x + ((const factor *)with)->whole * (uint64_t)y *
                                             (uint64_t)z)) /* S3: wraps */

ts_status tsk_addcmul(const ts_kernel_call *call)
{
    const ts_scalar s = call->args[TS_ADDCMUL_VALUE].scalar;
    factor value = {ts_scalar_f64(s), (uint64_t)s.i};

    if (s.kind == TS_SCALAR_FLOAT && !tse_is_real(call->compute))
        value.whole = (uint64_t)(int64_t)s.f; /* S3 */
    return ts_map_ternary(call, ts_call_tensor(call, 0), ts_call_tensor(call, 1),
                          ts_call_tensor(call, 2), call->compute, addcmul_real,
                          addcmul_whole, &value);
}
