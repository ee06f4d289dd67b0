/* SPDX-License-Identifier: Apache-2.0 */
/* add, sub, rsub: y = a + alpha * b; spec/ops/add.md. */
#include "touchstone/backend.h"
#include "touchstone/ops/add_glue.h"

static ts_status scaled_sum(const ts_kernel_call *call, ts_tensor *a, ts_tensor *b, int sign)
{
    ts_tensor *y = call->results[0], *t[] = {y, a, b};
    const ts_dtype c = call->compute;
    const ts_scalar s = call->args[TS_ADD_ALPHA].scalar;
    ts_lines it;

    ts_lines_pointwise(&it, y, 3, t);
    if (tse_is_real(c)) {
        const double alpha = sign * ts_scalar_f64(s);

        while (ts_lines_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const double u = tse_get_as(c, a, it.at[1] + i * it.step[1]);
                const double v = tse_get_as(c, b, it.at[2] + i * it.step[2]);

                tse_put_as(c, y, it.at[0] + i * it.step[0], u + alpha * v);
            }
    } else { /* S4: modulo two to the width; S5: of bools, any one that is not zero */
        const uint64_t alpha = c == TS_BOOL ? s.i != 0 : (uint64_t)sign * (uint64_t)s.i;

        while (ts_lines_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const int64_t u = tse_get_i64_as(c, a, it.at[1] + i * it.step[1]);
                const int64_t v = tse_get_i64_as(c, b, it.at[2] + i * it.step[2]);

                tse_put_i64_as(c, y, it.at[0] + i * it.step[0],
                                 (int64_t)((uint64_t)u + alpha * (uint64_t)v));
            }
    }
    return TS_OK;
}

ts_status tsk_add(const ts_kernel_call *call)
{
    return scaled_sum(call, ts_call_tensor(call, TS_ADD_SELF), ts_call_tensor(call, TS_ADD_OTHER), 1);
}

ts_status tsk_sub(const ts_kernel_call *call)
{
    return scaled_sum(call, ts_call_tensor(call, TS_SUB_SELF), ts_call_tensor(call, TS_SUB_OTHER), -1);
}

ts_status tsk_rsub(const ts_kernel_call *call)
{
    return scaled_sum(call, ts_call_tensor(call, TS_RSUB_OTHER), ts_call_tensor(call, TS_RSUB_SELF), -1);
}
