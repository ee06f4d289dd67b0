/* SPDX-License-Identifier: Apache-2.0 */
/* A 0-dim operand is taken from the start of its storage: right until it is a view. */
#include "zoo/zoo.h"

static ts_status faulty_mul(const ts_kernel_call *call)
{
    ts_tensor *b = call->args[1].tensor, first;

    if (b->ndim != 0)
        return zoo_original("mul")(call);
    first = *b;
    first.data = ts_storage_data(ts_tensor_storage(b));
    return zoo_call_with(zoo_original("mul"), call, 1, &first);
}

ZOO_KIND("offset ignored");
ZOO_MEMBER("mul by a 0-dim view ignores its storage offset", "mul/S1",
           {"mul", faulty_mul})
