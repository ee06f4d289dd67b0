/* SPDX-License-Identifier: Apache-2.0 */
/* split/G1. */
#include "grad/parts.h"
#include "touchstone/ops/split_glue.h"

ts_status tsi_vjp_split(tsi_vjp *v)
{
    return tsi_parts_joined(v, v->args[TS_SPLIT_DIM].i, false);
}

ts_status tsi_vjp_split_with_sizes(tsi_vjp *v)
{
    return tsi_parts_joined(v, v->args[TS_SPLIT_WITH_SIZES_DIM].i, false);
}
