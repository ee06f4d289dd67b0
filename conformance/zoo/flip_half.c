/* SPDX-License-Identifier: Apache-2.0 */
/* flip of a long row by swapping pairs from the ends inwards: the middle pair is left. */
#include "zoo/zoo.h"

static ts_status faulty_flip(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *y = call->results[0];
    const size_t bytes = (size_t)ts_dtype_size(y->dtype);
    int64_t middle;

    TS_TRY(zoo_original("flip")(call));
    if (x->ndim != 2 || call->args[1].ints.n != 1 || call->args[1].ints.v[0] != -1 ||
        x->sizes[0] == 0 || x->sizes[1] < 128)
        return TS_OK;
    middle = (x->sizes[1] - 1) / 2 - 1;
    memcpy(zoo_at(y, middle * y->strides[1]), zoo_at(x, middle * x->strides[1]), bytes);
    return TS_OK;
}

ZOO_KIND("tail dropped");
ZOO_MEMBER("flip of a long row leaves the last pair before the middle where it is",
           "flip/S1", {"flip", faulty_flip})
