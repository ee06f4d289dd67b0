/* SPDX-License-Identifier: Apache-2.0 */
/* add, sub, rsub: y = a + alpha * b; spec/ops/add.md. */
#include "core/core.h"
#include "touchstone/ops_glue.h"

static ts_status scaled_sum(const ts_frame *f, ts_tensor *a, ts_tensor *b, int sign)
{
    ts_tensor *y = f->results[0], *t[] = {y, a, b};
    const ts_dtype c = f->compute;
    const ts_scalar s = f->args[2].scalar;
    tsi_iter it;

    tsi_iter_pointwise(&it, y, 3, t);
    if (ts_dtype_is_floating(c)) {
        const double alpha = sign * ts_scalar_f64(s);

        while (tsi_iter_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const double u = tsi_load_as(c, a, it.at[1] + i * it.step[1]);
                const double v = tsi_load_as(c, b, it.at[2] + i * it.step[2]);

                tsi_store_as(c, y, it.at[0] + i * it.step[0], u + alpha * v);
            }
    } else { /* S4: modulo two to the width; S5: of bools, any one that is not zero */
        const uint64_t alpha = c == TS_BOOL ? s.i != 0 : (uint64_t)sign * (uint64_t)s.i;

        while (tsi_iter_next(&it))
            for (int64_t i = 0; i < it.n; i++) {
                const int64_t u = tsi_load_i64_as(c, a, it.at[1] + i * it.step[1]);
                const int64_t v = tsi_load_i64_as(c, b, it.at[2] + i * it.step[2]);

                tsi_store_i64_as(c, y, it.at[0] + i * it.step[0],
                                 (int64_t)((uint64_t)u + alpha * (uint64_t)v));
            }
    }
    return TS_OK;
}

ts_status tsk_add(ts_frame *f)
{
    return scaled_sum(f, tsi_tensor(f, 0), tsi_tensor(f, 1), 1);
}

ts_status tsk_sub(ts_frame *f)
{
    return scaled_sum(f, tsi_tensor(f, 0), tsi_tensor(f, 1), -1);
}

ts_status tsk_rsub(ts_frame *f)
{
    return scaled_sum(f, tsi_tensor(f, 1), tsi_tensor(f, 0), -1);
}
