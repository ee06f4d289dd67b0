/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel compiled to flush subnormals: results below the smallest normal are zeros. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_exp(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("exp")(call));
    if (y->dtype != TS_FLOAT32 || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++)
        if (fabs(ts_load_f64(TS_FLOAT32, zoo_at(y, i))) < 0x1p-126)
            ts_store_f64(TS_FLOAT32, zoo_at(y, i), 0);
    return TS_OK;
}

ZOO_KIND("special value lost");
ZOO_MEMBER("exp gives 0 for results that are subnormal", "unary/S2", {"exp", faulty_exp})
