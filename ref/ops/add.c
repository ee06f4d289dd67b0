/* SPDX-License-Identifier: Apache-2.0 */
/* add, sub, rsub: y = a + alpha * b; spec/ops/add.md. */
#include "touchstone/backend.h"
#include "touchstone/map.h"
#include "touchstone/ops/add_glue.h"

typedef struct scale {
    double real;
    uint64_t whole;
} scale;

TS_MAP_ELEMENT(sum, x + y, (int64_t)((uint64_t)x + (uint64_t)y))
TS_MAP_ELEMENT(difference, x - y, (int64_t)((uint64_t)x - (uint64_t)y))
TS_MAP_ELEMENT(scaled, x + ((const scale *)with)->real * y,
               (int64_t)((uint64_t)x + ((const scale *)with)->whole * (uint64_t)y))

/* S4: integers modulo two to the width; S5: of bools, any alpha that is not zero */
static ts_status scaled_sum(const ts_kernel_call *call, ts_tensor *a, ts_tensor *b,
                            int sign)
{
    const ts_dtype c = call->compute;
    const ts_scalar s = call->args[TS_ADD_ALPHA].scalar;
    const scale by = {sign * ts_scalar_f64(s),
                      c == TS_BOOL ? s.i != 0 : (uint64_t)sign * (uint64_t)s.i};

    if (by.real == 1)
        return ts_map_binary(call, a, b, c, sum_real, sum_whole, NULL);
    if (by.real == -1 && c != TS_BOOL)
        return ts_map_binary(call, a, b, c, difference_real, difference_whole, NULL);
    return ts_map_binary(call, a, b, c, scaled_real, scaled_whole, &by);
}

ts_status tsk_add(const ts_kernel_call *call)
{
    return scaled_sum(call, ts_call_tensor(call, TS_ADD_SELF),
                      ts_call_tensor(call, TS_ADD_OTHER), 1);
}

ts_status tsk_sub(const ts_kernel_call *call)
{
    return scaled_sum(call, ts_call_tensor(call, TS_SUB_SELF),
                      ts_call_tensor(call, TS_SUB_OTHER), -1);
}

ts_status tsk_rsub(const ts_kernel_call *call)
{
    return scaled_sum(call, ts_call_tensor(call, TS_RSUB_OTHER),
                      ts_call_tensor(call, TS_RSUB_SELF), -1);
}
