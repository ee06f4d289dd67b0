/* SPDX-License-Identifier: Apache-2.0 */
/* where; spec/ops/where.md. */
#include "core/core.h"
#include "touchstone/ops_glue.h"

ts_status tsk_where(ts_frame *f)
{
    ts_tensor *y = f->results[0];
    ts_tensor *t[] = {y, tsi_tensor(f, 0), tsi_tensor(f, 1), tsi_tensor(f, 2)};
    tsi_iter it;

    for (tsi_iter_pointwise(&it, y, 4, t); tsi_iter_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const int k = tsi_load_i64(t[1], it.at[1] + i * it.step[1]) ? 2 : 3; /* S4 */

            ts_cast(t[k]->dtype, tsi_at(t[k], it.at[k] + i * it.step[k]), y->dtype,
                    tsi_at(y, it.at[0] + i * it.step[0])); /* S3 */
        }
    return TS_OK;
}
