/* SPDX-License-Identifier: Apache-2.0 */
/* What div and floor_divide accept and give; spec/ops/div.md. */
#include "core/core.h"
#include "touchstone/ops/div_glue.h"

static ts_status quotient(ts_frame *f, bool rounded)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_DIV_SELF), tsi_tensor(f, TS_DIV_OTHER)};
    ts_dtype dtype = tsi_result_type(2, t);

    if (!rounded && dtype != TS_DTYPE_NONE && !ts_dtype_is_floating(dtype))
        dtype = TS_FLOAT32; /* S1: the default dtype */
    TS_TRY(tsi_pointwise(f, "div/C1", 2, t, dtype, dtype));
    TS_TRY(tsi_check_dtype(f, dtype, "div/C4"));
    TS_CHECK(dtype != TS_BOOL, TS_ERR_NOT_IMPLEMENTED, "div/C4",
             "%s: rounded division is not implemented for bool", f->op->name);
    return TS_OK;
}

ts_status tsi_api_div(ts_frame *f)
{
    const ts_value *mode = &f->args[TS_DIV_ROUNDING_MODE];
    const bool rounded = mode->kind == TS_ARG_STRING;

    TS_CHECK(!rounded || strcmp(mode->string, "floor") == 0 ||
                 strcmp(mode->string, "trunc") == 0,
             TS_ERR_RUNTIME, "div/C2",
             "div: rounding_mode is None, 'floor' or 'trunc', not '%s'", mode->string);
    return quotient(f, rounded);
}

ts_status tsi_api_floor_divide(ts_frame *f)
{
    return quotient(f, true);
}
