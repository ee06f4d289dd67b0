/* SPDX-License-Identifier: Apache-2.0 */
/* cummax, cummin; spec/ops/cummax.md. */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/ops/cummax_glue.h"

/* Whether element `at` of x counts rather than the one at `best` (S2, S3). */
static bool counts(const ts_tensor *x, int64_t at, int64_t best, bool largest)
{
    if (tse_is_real(x->dtype)) {
        const double v = tse_get(x, at), b = tse_get(x, best);

        return isnan(v) || (!isnan(b) && (largest ? v >= b : v <= b));
    }
    return largest ? tse_get_i64(x, at) >= tse_get_i64(x, best)
                   : tse_get_i64(x, at) <= tse_get_i64(x, best);
}

static ts_status running(const ts_kernel_call *call, bool largest)
{
    ts_tensor *x = ts_call_tensor(call, TS_CUMMAX_SELF);
    ts_tensor *values = call->results[0], *indices = call->results[1];
    const size_t bytes = (size_t)tse_bytes(x->dtype);
    ts_lines it;

    ts_lines_dim(&it, ts_call_dim(call, TS_CUMMAX_DIM, x), 3,
                 (ts_tensor *[]){x, values, indices});
    while (ts_lines_next(&it)) {
        int64_t best = 0;

        for (int64_t i = 0; i < it.n; i++) {
            if (counts(x, it.at[0] + i * it.step[0], it.at[0] + best * it.step[0],
                       largest))
                best = i;
            memcpy(tse_at(values, it.at[1] + i * it.step[1]),
                   tse_at(x, it.at[0] + best * it.step[0]), bytes);
            tse_put_i64(indices, it.at[2] + i * it.step[2], best);
        }
    }
    return TS_OK;
}

ts_status tsk_cummax(const ts_kernel_call *call)
{
    return running(call, true);
}

ts_status tsk_cummin(const ts_kernel_call *call)
{
    return running(call, false);
}
