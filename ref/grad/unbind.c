/* SPDX-License-Identifier: Apache-2.0 */
/* unbind/G1. */
#include "grad/parts.h"
#include "touchstone/ops/unbind_glue.h"

ts_status tsi_vjp_unbind(tsi_vjp *v)
{
    return tsi_parts_joined(v, v->args[TS_UNBIND_DIM].i, true);
}
