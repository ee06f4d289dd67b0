/* SPDX-License-Identifier: Apache-2.0 */
/* eq, ne, lt, le, gt, ge; spec/ops/compare.md. */
#include "core/core.h"
#include "touchstone/ops_glue.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

/* y = whether a stands to b in one of the `accepted` orders; S3, S4 */
static ts_status compare(const ts_frame *f, int accepted)
{
    ts_tensor *y = f->results[0], *a = tsi_tensor(f, 0), *b = tsi_tensor(f, 1);
    const ts_dtype c = f->compute;
    const bool real = ts_dtype_is_floating(c);
    tsi_iter it;

    for (tsi_iter_pointwise(&it, y, 3, (ts_tensor *[]){y, a, b}); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const int64_t pa = it.at[1] + i * it.step[1], pb = it.at[2] + i * it.step[2];
            int order;

            if (real) {
                const double u = tsi_load_as(c, a, pa), v = tsi_load_as(c, b, pb);

                order = u < v ? LESS : u == v ? EQUAL : u > v ? GREATER : UNORDERED;
            } else {
                const int64_t u = tsi_load_i64_as(c, a, pa),
                              v = tsi_load_i64_as(c, b, pb);

                order = u < v ? LESS : u == v ? EQUAL : GREATER;
            }
            tsi_store_i64(y, it.at[0] + i * it.step[0], (order & accepted) != 0);
        }
    return TS_OK;
}

ts_status tsk_eq(ts_frame *f)
{
    return compare(f, EQUAL);
}

ts_status tsk_ne(ts_frame *f)
{
    return compare(f, LESS | GREATER | UNORDERED);
}

ts_status tsk_lt(ts_frame *f)
{
    return compare(f, LESS);
}

ts_status tsk_le(ts_frame *f)
{
    return compare(f, LESS | EQUAL);
}

ts_status tsk_gt(ts_frame *f)
{
    return compare(f, GREATER);
}

ts_status tsk_ge(ts_frame *f)
{
    return compare(f, GREATER | EQUAL);
}
