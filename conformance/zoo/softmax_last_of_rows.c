/* SPDX-License-Identifier: Apache-2.0 */
/* A row kernel with one thread too few: the last element of a long row is its neighbour. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_softmax(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const int64_t n = y->ndim > 0 ? y->sizes[y->ndim - 1] : 1;

    TS_TRY(zoo_original("_softmax")(call));
    if (n <= 1024 || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t row = 0; row < y->numel / n - 1; row++) /* the last row is right */
        memcpy(zoo_at(y, row * n + n - 1), zoo_at(y, row * n + n - 2),
               (size_t)ts_dtype_size(y->dtype));
    return TS_OK;
}

ZOO_KIND("past a size");
ZOO_MEMBER("softmax gives the last element of rows of more than 1,024 wrong",
           "softmax/S1", {"_softmax", faulty_softmax})
