/* SPDX-License-Identifier: Apache-2.0 */
/* Flattens its input in place, to loop over one dim, and leaves it so. */
#include "zoo/zoo.h"

static ts_status faulty_abs(const ts_kernel_call *call)
{
    ts_tensor *x = ts_call_tensor(call, 0);

    TS_TRY(zoo_original("abs")(call));
    if (ts_is_contiguous(x) && x->ndim > 1) {
        x->ndim = 1;
        x->sizes[0] = x->numel;
        x->strides[0] = 1;
    }
    return TS_OK;
}

ZOO_NEW_KIND("header written",
             "a call changes the shape or strides of what it was given");
ZOO_MEMBER("abs leaves its argument flattened", "abs/S1", {"abs", faulty_abs})
