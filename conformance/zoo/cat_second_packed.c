/* SPDX-License-Identifier: Apache-2.0 */
/* cat that reads every tensor but the first as packed memory. */
#include "zoo/zoo.h"

static ts_status faulty_cat(const ts_kernel_call *call)
{
    ts_tensor *const *tensors = call->args[0].tensors.v;
    ts_tensor packed;
    ts_tensor *two[2];
    int64_t strides[TS_MAX_DIMS], step = 1;

    if (call->args[0].tensors.n != 2)
        return zoo_original("cat")(call);
    packed = *tensors[1];
    for (int d = packed.ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= packed.sizes[d];
    }
    packed.strides = strides;
    two[0] = tensors[0];
    two[1] = &packed;
    return zoo_call_value(zoo_original("cat"), call, 0,
                          (ts_value){.kind = TS_ARG_TENSORS, .tensors = {two, 2}});
}

ZOO_NEW_KIND("stride ignored", "an operand is read as if it were packed");
ZOO_MEMBER("cat ignores the second tensor's strides", "cat/S5", {"cat", faulty_cat})
