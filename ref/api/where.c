/* SPDX-License-Identifier: Apache-2.0 */
/* What where accepts and gives; spec/ops/where.md. */
#include "family/family.h"
#include "touchstone/ops/where_glue.h"

ts_status tsi_api_where(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_WHERE_CONDITION), tsi_tensor(f, TS_WHERE_SELF),
                      tsi_tensor(f, TS_WHERE_OTHER)};
    const ts_dtype dtype = tsi_result_type(2, t + 1);

    TS_CHECK(t[0]->dtype == TS_BOOL || t[0]->dtype == TS_UINT8, TS_ERR_RUNTIME,
             "where/C2", "where: condition is bool, not %s", ts_dtype_name(t[0]->dtype));
    TS_TRY(tsi_family_three(f, t, (ts_dtype[]){TS_BOOL, dtype, dtype}, dtype));
    for (int k = 1; k < 3; k++)
        if (ts_is_wrapped_number(t[k]) && t[k]->dtype == TS_INT64 &&
            ts_dtype_is_integral(dtype))
            TS_TRY(tsi_check_number(f, "where/C3", dtype, ts_int(tse_get_i64(t[k], 0))));
        else if (ts_is_wrapped_number(t[k]) && dtype == TS_FLOAT32)
            TS_TRY(tsi_check_number(f, "where/C3", dtype, ts_float(tse_get(t[k], 0))));
    return TS_OK;
}
