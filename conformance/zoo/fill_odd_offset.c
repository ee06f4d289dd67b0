/* SPDX-License-Identifier: Apache-2.0 */
/* A vector fill of one-byte elements that aligns its end up: one neighbour is overwritten
 * where the view starts at an odd address. */
#include "zoo/zoo.h"

static ts_status faulty_fill(const ts_kernel_call *call)
{
    const ts_tensor *y;
    int64_t behind;

    TS_TRY(zoo_original("fill")(call));
    y = call->results[0];
    behind = y->offset + y->numel;
    if (y->ndim == 1 && y->numel > 1 && ts_dtype_size(y->dtype) == 1 &&
        y->strides[0] == 1 && y->offset % 2 == 1 &&
        behind < ts_storage_bytes(ts_tensor_storage(y)))
        *zoo_at(y, y->numel) = *zoo_at(y, 0);
    return TS_OK;
}

ZOO_NEW_KIND("off-by-one write", "one element too many is written");
ZOO_MEMBER("fill_ of a one-byte view at an odd offset writes one element too many",
           "copy/S8 slice/S5", {"fill", faulty_fill})
