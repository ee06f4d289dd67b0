/* SPDX-License-Identifier: Apache-2.0 */
/* What the comparisons accept and give; spec/ops/compare.md. */
#include "core/core.h"
#include "touchstone/ops/compare_glue.h"

static ts_status comparison(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_EQ_SELF), tsi_tensor(f, TS_EQ_OTHER)};
    const ts_dtype dtype = tsi_result_type(2, t);

    TS_TRY(tsi_pointwise(f, "compare/C1", 2, t, dtype, TS_BOOL));
    return tsi_check_dtype(f, dtype, "compare/C2");
}

ts_status tsi_api_eq(ts_frame *f)
{
    return comparison(f);
}

ts_status tsi_api_ne(ts_frame *f)
{
    return comparison(f);
}

ts_status tsi_api_lt(ts_frame *f)
{
    return comparison(f);
}

ts_status tsi_api_le(ts_frame *f)
{
    return comparison(f);
}

ts_status tsi_api_gt(ts_frame *f)
{
    return comparison(f);
}

ts_status tsi_api_ge(ts_frame *f)
{
    return comparison(f);
}
