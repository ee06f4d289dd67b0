/* SPDX-License-Identifier: Apache-2.0 */
/* logical_not: what it accepts beside its family; spec/ops/logical.md. */
#include "family/family.h"
#include "touchstone/ops/logical_glue.h"

ts_status tsi_api_logical_not(ts_frame *f)
{
    if (f->form == TS_OUT)
        TS_TRY(tsi_check_dtype(f, f->out[0]->dtype, "logical/C2"));
    return tsi_family_predicate(f);
}
