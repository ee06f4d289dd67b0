/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that walks its input as if it were contiguous: right for every fresh tensor.
 */
#include "zoo/zoo.h"

static ts_status faulty_relu(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor flat = *x;
    int64_t strides[TS_MAX_DIMS], step = 1;

    for (int d = x->ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= x->sizes[d];
    }
    flat.strides = strides;
    return zoo_call_with(zoo_original("relu"), call, 0, &flat);
}

ZOO_KIND("stride ignored");
ZOO_MEMBER("relu reads its input as contiguous, whatever its strides", "relu/S1",
           {"relu", faulty_relu})
