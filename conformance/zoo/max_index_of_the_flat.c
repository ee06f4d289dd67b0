/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in chunks, and the index of a later chunk counts from the chunk's own start. */
#include "zoo/zoo.h"

static ts_status faulty_max_dim(const ts_kernel_call *call)
{
    enum { CHUNK = 16 };
    ts_tensor *i = call->results[1];

    TS_TRY(zoo_original("max_dim")(call));
    if (call->args[0].tensor->dtype != TS_FLOAT32 || !ts_is_contiguous(i))
        return TS_OK;
    for (int64_t k = 0; k < i->numel; k++)
        ((int64_t *)i->data)[k] %= CHUNK;
    return TS_OK;
}

ZOO_KIND("past a size");
ZOO_MEMBER("max's indices count within chunks of sixteen", "max/S1",
           {"max_dim", faulty_max_dim})
