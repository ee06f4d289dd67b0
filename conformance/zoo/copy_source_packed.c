/* SPDX-License-Identifier: Apache-2.0 */
/* A copy that takes its source for packed memory: right until the source is a slice. */
#include "zoo/zoo.h"

static ts_status faulty_copy(const ts_kernel_call *call)
{
    const ts_tensor *src = call->args[1].tensor;
    ts_tensor packed = *src;
    int64_t strides[TS_MAX_DIMS], step = 1;

    for (int d = src->ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= src->sizes[d];
    }
    packed.strides = strides;
    return zoo_call_with(zoo_original("copy"), call, 1, &packed);
}

ZOO_KIND("stride ignored");
ZOO_MEMBER("copy_ reads its source as packed memory, whatever its strides", "copy/S1",
           {"copy", faulty_copy})
