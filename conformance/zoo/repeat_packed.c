/* SPDX-License-Identifier: Apache-2.0 */
/* repeat that copies self as one block of memory, whatever its strides. */
#include "zoo/zoo.h"

static ts_status faulty_repeat(const ts_kernel_call *call)
{
    ts_tensor packed = *call->args[0].tensor;
    int64_t strides[TS_MAX_DIMS], step = 1;

    for (int d = packed.ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= packed.sizes[d];
    }
    packed.strides = strides;
    return zoo_call_with(zoo_original("repeat"), call, 0, &packed);
}

ZOO_KIND("stride ignored");
ZOO_MEMBER("repeat ignores self's strides", "repeat/S1", {"repeat", faulty_repeat})
