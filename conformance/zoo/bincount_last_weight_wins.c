/* SPDX-License-Identifier: Apache-2.0 */
/* Weights are written to their places and not added there. */
#include "zoo/zoo.h"

static ts_status faulty_bincount(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *w = call->args[1].tensor;
    ts_tensor *y;

    TS_TRY(zoo_original("bincount")(call));
    y = call->results[0];
    if (!w || x->dtype != TS_INT64 || w->dtype != TS_FLOAT32 || y->dtype != w->dtype ||
        !ts_is_contiguous(x) || !ts_is_contiguous(w))
        return TS_OK;
    for (int64_t i = 0; i < x->numel; i++)
        ((float *)y->data)[((const int64_t *)x->data)[i]] = ((const float *)w->data)[i];
    return TS_OK;
}

ZOO_KIND("duplicates lost");
ZOO_MEMBER("of bincount's weights the last one wins", "bincount/S1",
           {"bincount", faulty_bincount})
