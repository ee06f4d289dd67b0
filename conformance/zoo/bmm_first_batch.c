/* SPDX-License-Identifier: Apache-2.0 */
/* A batched product whose second operand never moves on: right with a batch of one. */
#include "zoo/zoo.h"

static ts_status faulty_bmm(const ts_kernel_call *call)
{
    ts_tensor b = *call->args[1].tensor;
    const int64_t strides[3] = {0, b.strides[1], b.strides[2]};

    b.strides = (int64_t *)strides;
    return zoo_call_with(zoo_original("bmm"), call, 1, &b);
}

ZOO_NEW_KIND("wrong broadcast", "an operand is repeated along the wrong dims");
ZOO_MEMBER("bmm multiplies every batch by the first batch of mat2", "mm/S2 matmul/S4",
           {"bmm", faulty_bmm})
