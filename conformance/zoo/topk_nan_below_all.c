/* SPDX-License-Identifier: Apache-2.0 */
/* NaN is compared by its sign bit, so that a negative one is the least of all. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_topk(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("topk")(call));
    if (x->dtype != TS_FLOAT32 || y->numel == 0 || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++)
        if (isnan(((float *)y->data)[i]))
            ((float *)y->data)[i] = -INFINITY;
    return TS_OK;
}

ZOO_KIND("NaN lost");
ZOO_MEMBER("topk ranks NaN below all numbers", "topk/S5", {"topk", faulty_topk})
