/* SPDX-License-Identifier: Apache-2.0 */
/* where; spec/ops/where.md. */
#include "touchstone/backend.h"
#include "touchstone/ops/where_glue.h"

ts_status tsk_where(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    ts_tensor *t[] = {y, ts_call_tensor(call, TS_WHERE_CONDITION),
                      ts_call_tensor(call, TS_WHERE_SELF),
                      ts_call_tensor(call, TS_WHERE_OTHER)};
    ts_lines it;

    for (ts_lines_pointwise(&it, y, 4, t); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const int k = tse_get_i64(t[1], it.at[1] + i * it.step[1]) ? 2 : 3; /* S4 */

            tse_convert(t[k]->dtype, tse_at(t[k], it.at[k] + i * it.step[k]), y->dtype,
                        tse_at(y, it.at[0] + i * it.step[0])); /* S3 */
        }
    return TS_OK;
}
