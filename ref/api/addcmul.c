/* SPDX-License-Identifier: Apache-2.0 */
/* What addcmul accepts beyond its family; spec/ops/addcmul.md. */
#include "family/family.h"
#include "touchstone/element.h"
#include "touchstone/ops/addcmul_glue.h"

ts_status tsi_api_addcmul(ts_frame *f)
{
    TS_TRY(tsi_family_ternary(f));
    return tsi_check_cut_number(f, "addcmul/C2",
                                tse_is_half(f->compute) ? TS_FLOAT32 : f->compute,
                                f->args[TS_ADDCMUL_VALUE].scalar);
}
