/* SPDX-License-Identifier: Apache-2.0 */
/* masked_fill, element by element; the value is read and cast before anything is written,
 * as it may be one of self's (S5). Errors  C4 before anything is written. */
#include "touchstone/backend.h"
#include "touchstone/ops/masked_fill_glue.h"

ts_status tsk_masked_fill(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0], *x = call->args[TS_MASKED_FILL_SELF].tensor;
    ts_tensor *mask = call->args[TS_MASKED_FILL_MASK].tensor;
    const ts_tensor *value = call->args[TS_MASKED_FILL_VALUE].tensor;
    const size_t bytes = tse_bytes(y->dtype);
    uint64_t cell;
    ts_lines it;

    TS_CHECK(tse_number_fits(y->dtype, value), TS_ERR_RUNTIME, "masked_fill/C4",
             "%s: value %g cannot be converted to %s without overflow", call->op,
             tse_get(value, 0), ts_dtype_name(y->dtype));
    tse_convert(value->dtype, tse_at(value, 0), y->dtype, &cell); /* S3 */
    for (ts_lines_pointwise(&it, y, 3, (ts_tensor *[]){y, mask, x}); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            void *to = tse_at(y, it.at[0] + i * it.step[0]);

            if (tse_get_i64(mask, it.at[1] + i * it.step[1]))
                memcpy(to, &cell, bytes);
            else if (call->form != TS_INPLACE) /* S4 */
                memcpy(to, tse_at(x, it.at[2] + i * it.step[2]), bytes);
        }
    return TS_OK;
}
