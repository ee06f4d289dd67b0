/* SPDX-License-Identifier: Apache-2.0 */
/* nonzero: what it accepts; see spec/ops/nonzero.md. */
#include "family/family.h"
#include "touchstone/ops/nonzero_glue.h"

ts_status tsi_api_nonzero(ts_frame *f)
{
    TS_CHECK(f->form != TS_OUT || f->out[0]->dtype == TS_INT64, TS_ERR_RUNTIME,
             "nonzero/C2", "nonzero: out is expected to be int64, but is %s",
             ts_dtype_name(f->out[0]->dtype));
    TS_TRY(tsi_check_dtype(f, tsi_tensor(f, TS_NONZERO_SELF)->dtype, "nonzero/C1"));
    TS_TRY(tsi_check_out_places(f));
    f->flags |= TS_FRAME_UNKNOWN; /* S6 */
    return TS_OK;
}
