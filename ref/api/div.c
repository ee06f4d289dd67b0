/* SPDX-License-Identifier: Apache-2.0 */
/* What div accepts and gives; spec/ops/div.md. */
#include "family/family.h"
#include "touchstone/ops/div_glue.h"

ts_status tsi_api_div(ts_frame *f)
{
    const ts_value *mode = &f->args[TS_DIV_ROUNDING_MODE];
    const bool rounded = mode->kind == TS_ARG_STRING;

    TS_CHECK(!rounded || strcmp(mode->string, "floor") == 0 ||
                 strcmp(mode->string, "trunc") == 0,
             TS_ERR_RUNTIME, "div/C2",
             "div: rounding_mode is None, 'floor' or 'trunc', not '%s'", mode->string);
    if (!rounded)
        return tsi_family_binary_float(f); /* S1 */
    TS_TRY(tsi_family_binary(f));
    TS_CHECK(f->compute != TS_BOOL, TS_ERR_NOT_IMPLEMENTED, "div/C4",
             "div: rounded division is not implemented for bool");
    return TS_OK;
}
