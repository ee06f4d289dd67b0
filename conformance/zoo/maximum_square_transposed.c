/* SPDX-License-Identifier: Apache-2.0 */
/* A result whose rows and columns are told apart by their sizes: square matrices of a batch
 * come out transposed. */
#include "zoo/zoo.h"

static ts_status faulty_maximum(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const int64_t n = y->ndim > 2 ? y->sizes[y->ndim - 1] : 0;
    const size_t bytes = (size_t)ts_dtype_size(y->dtype);

    TS_TRY(zoo_original("maximum")(call));
    if (n == 0 || y->sizes[y->ndim - 2] != n || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t b = 0; b < y->numel; b += n * n)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < i; k++) {
                char held[8], *above = zoo_at(y, b + k * n + i),
                              *below = zoo_at(y, b + i * n + k);

                memcpy(held, above, bytes);
                memcpy(above, below, bytes);
                memcpy(below, held, bytes);
            }
    return TS_OK;
}

ZOO_NEW_KIND("dim mistaken", "one dim is taken for another of the same size");
ZOO_MEMBER("maximum gives the square matrices of a batch transposed", "minmax/S1",
           {"maximum", faulty_maximum})
