/* SPDX-License-Identifier: Apache-2.0 */
/* add, sub, rsub on the host; spec/ops/add.md. */
#include "touchstone/ops/add.h"
#include "core/cuda.h"
#include "ops/number.h"

TSC_OP(add, TSC_COMMON)
TSC_OP(sub, TSC_NUMBERS)
TSC_OP(rsub, TSC_NUMBERS)

extern const tsc_kernel tsc_add_flat[TS_DTYPE_COUNT], tsc_add_strided[TS_DTYPE_COUNT];

static ts_status scaled_sum(const ts_kernel_call *call, ts_tensor *a, ts_tensor *b,
                            int sign)
{
    ts_tensor *y = call->results[0], *t[] = {y, a, b};
    const ts_dtype c = call->compute;
    const ts_scalar s = call->args[TS_ADD_ALPHA].scalar;
    tsc_number alpha = {.f = sign * ts_scalar_f64(s),
                        .i = (int64_t)((uint64_t)sign * (uint64_t)s.i)};
    tsc_operand o[3];
    tsc_walk w;

    if (c == TS_BOOL) /* S5 */
        alpha.i = s.i != 0;
    tsc_walk_all(&w, 3, t);
    for (int k = 0; k < 3; k++)
        o[k] = tsc_operand_of(t[k]);
    if (tsc_walk_is_flat(&w, 3) && y->dtype == c && a->dtype == c && b->dtype == c &&
        o[1].data && o[2].data)
        return tsc_launch_elements(
            &tsc_add_flat[c], w.numel,
            TSC_ARGS(&o[0].data, &o[1].data, &o[2].data, &w.numel, &alpha));
    return tsc_launch_elements(&tsc_add_strided[c], w.numel,
                               TSC_ARGS(&w, &o[0], &o[1], &o[2], &alpha));
}

ts_status tsc_add(const ts_kernel_call *call)
{
    return scaled_sum(call, tsc_tensor(call, TS_ADD_SELF), tsc_tensor(call, TS_ADD_OTHER),
                      1);
}

ts_status tsc_sub(const ts_kernel_call *call)
{
    return scaled_sum(call, tsc_tensor(call, TS_SUB_SELF), tsc_tensor(call, TS_SUB_OTHER),
                      -1);
}

ts_status tsc_rsub(const ts_kernel_call *call)
{
    return scaled_sum(call, tsc_tensor(call, TS_RSUB_OTHER),
                      tsc_tensor(call, TS_RSUB_SELF), -1);
}
