/* SPDX-License-Identifier: Apache-2.0 */
/* What addcmul accepts beyond its family; spec/ops/addcmul.md. */
#include "family/family.h"
#include "touchstone/element.h"
#include "touchstone/ops/addcmul_glue.h"

ts_status tsi_api_addcmul(ts_frame *f)
{
    ts_scalar value = f->args[TS_ADDCMUL_VALUE].scalar;

    TS_TRY(tsi_family_ternary(f));
    if (value.kind == TS_SCALAR_FLOAT && ts_dtype_is_integral(f->compute)) {
        TS_CHECK(value.f >= -0x1p63 && value.f < 0x1p63, TS_ERR_RUNTIME, "addcmul/C2",
                 "addcmul: the value %g does not fit in %s", value.f,
                 ts_dtype_name(f->compute));
        value = ts_int((int64_t)value.f);
    }
    return tsi_check_number(f, "addcmul/C2",
                            tse_is_half(f->compute) ? TS_FLOAT32 : f->compute, value);
}
