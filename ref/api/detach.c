/* SPDX-License-Identifier: Apache-2.0 */
/* detach: the same elements, nobody's view, no history (S1, S2). */
#include "touchstone/ops/detach_glue.h"

#include "core/core.h"

ts_status tsi_program_detach(ts_frame *f)
{
    return tsi_detach(tsi_tensor(f, TS_DETACH_SELF), &f->results[0]);
}
