/* SPDX-License-Identifier: Apache-2.0 */
/* eq, ne, lt, le, gt, ge; spec/ops/compare.md. */
#include "touchstone/backend.h"
#include "touchstone/ops/compare_glue.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

/* y = whether a stands to b in one of the `accepted` orders; S3, S4 */
static ts_status compare(const ts_kernel_call *call, int accepted)
{
    ts_tensor *y = call->results[0], *a = ts_call_tensor(call, TS_EQ_SELF), *b = ts_call_tensor(call, TS_EQ_OTHER);
    const ts_dtype c = call->compute;
    const bool real = tse_is_real(c);
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 3, (ts_tensor *[]){y, a, b}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t pa = it.at[1] + i * it.step[1], pb = it.at[2] + i * it.step[2];
            int order;

            if (real) {
                const double u = tse_get_as(c, a, pa), v = tse_get_as(c, b, pb);

                order = u < v ? LESS : u == v ? EQUAL : u > v ? GREATER : UNORDERED;
            } else {
                const int64_t u = tse_get_i64_as(c, a, pa),
                              v = tse_get_i64_as(c, b, pb);

                order = u < v ? LESS : u == v ? EQUAL : GREATER;
            }
            tse_put_i64(y, it.at[0] + i * it.step[0], (order & accepted) != 0);
        }
    return TS_OK;
}

ts_status tsk_eq(const ts_kernel_call *call)
{
    return compare(call, EQUAL);
}

ts_status tsk_ne(const ts_kernel_call *call)
{
    return compare(call, LESS | GREATER | UNORDERED);
}

ts_status tsk_lt(const ts_kernel_call *call)
{
    return compare(call, LESS);
}

ts_status tsk_le(const ts_kernel_call *call)
{
    return compare(call, LESS | EQUAL);
}

ts_status tsk_gt(const ts_kernel_call *call)
{
    return compare(call, GREATER);
}

ts_status tsk_ge(const ts_kernel_call *call)
{
    return compare(call, GREATER | EQUAL);
}
