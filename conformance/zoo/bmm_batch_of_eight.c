/* SPDX-License-Identifier: Apache-2.0 */
/* A grid of eight: batches beyond the eighth get the eighth's product. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_bmm(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    int64_t each;

    TS_TRY(zoo_original("bmm")(call));
    if (y->sizes[0] <= 8 || !ts_is_contiguous(y))
        return TS_OK;
    each = y->numel / y->sizes[0];
    for (int64_t b = 8; b < y->sizes[0]; b++)
        memcpy(zoo_at(y, b * each), zoo_at(y, 7 * each),
               (size_t)(each * ts_dtype_size(y->dtype)));
    return TS_OK;
}

ZOO_KIND("past a size");
ZOO_MEMBER("bmm computes the first eight batches only", "mm/S2", {"bmm", faulty_bmm})
