/* SPDX-License-Identifier: Apache-2.0 */
/* cat that reads every tensor but the first as packed memory. */
#include "zoo/zoo.h"

static ts_status faulty_cat(ts_frame *f)
{
    ts_tensor *const *tensors = f->args[0].tensors.v;
    ts_tensor packed;
    ts_tensor *two[2];
    int64_t strides[TS_MAX_DIMS], step = 1;
    ts_status s;

    if (f->args[0].tensors.n != 2)
        return zoo_original("cat")(f);
    packed = *tensors[1];
    for (int d = packed.ndim - 1; d >= 0; d--) {
        strides[d] = step;
        step *= packed.sizes[d];
    }
    packed.strides = strides;
    two[0] = tensors[0];
    two[1] = &packed;
    f->args[0].tensors.v = two;
    s = zoo_original("cat")(f);
    f->args[0].tensors.v = tensors;
    return s;
}

ZOO_NEW_KIND("stride ignored", "an operand is read as if it were packed");
ZOO_MEMBER("cat ignores the second tensor's strides", "cat/S5", {"cat", faulty_cat})
