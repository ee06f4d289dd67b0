/* SPDX-License-Identifier: Apache-2.0 */
/* mul on the host; spec/ops/mul.md. */
#include "touchstone/ops/mul.h"
#include "core/cuda.h"

TSC_OP(mul, TSC_COMMON)

extern const tsc_kernel tsc_mul_flat[TS_DTYPE_COUNT], tsc_mul_strided[TS_DTYPE_COUNT];

ts_status tsc_mul(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *a = tsc_tensor(call, TS_MUL_SELF),
              *b = tsc_tensor(call, TS_MUL_OTHER);
    ts_tensor *t[] = {y, a, b};
    const ts_dtype c = call->compute;
    int single = b->numel == 1;
    tsc_operand o[3];
    tsc_walk w;

    tsc_walk_all(&w, 3, t);
    for (int k = 0; k < 3; k++)
        o[k] = tsc_operand_of(t[k]);
    if (tsc_walk_is_flat(&w, 3) && y->dtype == c && a->dtype == c && b->dtype == c &&
        o[1].data && o[2].data)
        return tsc_launch_elements(
            &tsc_mul_flat[c], w.numel,
            TSC_ARGS(&o[0].data, &o[1].data, &o[2].data, &w.numel));
    return tsc_launch_elements(&tsc_mul_strided[c], w.numel,
                               TSC_ARGS(&w, &o[0], &o[1], &o[2], &single));
}
