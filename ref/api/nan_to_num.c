/* SPDX-License-Identifier: Apache-2.0 */
/* What nan_to_num accepts beyond its family; spec/ops/nan_to_num.md. */
#include "family/family.h"

ts_status tsi_api_nan_to_num(ts_frame *f)
{
    if (!ts_dtype_is_floating(tsi_tensor(f, 0)->dtype))
        f->flags |= TS_FRAME_OVERLAP_OK; /* S3: nothing is to be changed */
    return tsi_family_unary_same(f);
}
