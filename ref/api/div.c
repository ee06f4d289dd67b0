/* SPDX-License-Identifier: Apache-2.0 */
/* What div accepts and gives; spec/ops/div.md. */
#include "family/family.h"
#include "touchstone/ops/div_glue.h"

ts_status tsi_api_div(ts_frame *f)
{
    ts_tensor *t[] = {tsi_tensor(f, TS_DIV_SELF), tsi_tensor(f, TS_DIV_OTHER)};
    const ts_value *mode = &f->args[TS_DIV_ROUNDING_MODE];
    const bool rounded = mode->kind == TS_ARG_STRING;
    ts_dtype dtype = tsi_result_type(2, t);

    TS_CHECK(!rounded || strcmp(mode->string, "floor") == 0 ||
                 strcmp(mode->string, "trunc") == 0,
             TS_ERR_RUNTIME, "div/C2",
             "div: rounding_mode is None, 'floor' or 'trunc', not '%s'", mode->string);
    if (!rounded && dtype != TS_DTYPE_NONE && !ts_dtype_is_floating(dtype))
        dtype = TS_FLOAT32; /* S1: the default dtype */
    TS_TRY(tsi_family_two(f, t[0], t[1], dtype, dtype));
    TS_CHECK(dtype != TS_BOOL, TS_ERR_NOT_IMPLEMENTED, "div/C4",
             "div: rounded division is not implemented for bool");
    return TS_OK;
}
