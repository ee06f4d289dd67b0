/* SPDX-License-Identifier: Apache-2.0 */
/* A product that hands its vector on by its first element alone: a column is read as a row. */
#include "zoo/zoo.h"

static ts_status faulty_mv(const ts_kernel_call *call)
{
    ts_tensor packed = *call->args[1].tensor;
    int64_t one = 1;

    if (packed.strides[0] < 2)
        return zoo_original("mv")(call);
    packed.strides = &one;
    return zoo_call_with(zoo_original("mv"), call, 1, &packed);
}

ZOO_KIND("stride ignored");
ZOO_MEMBER("mv reads its vector as packed", "dot/S4", {"mv", faulty_mv})
