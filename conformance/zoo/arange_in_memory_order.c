/* SPDX-License-Identifier: Apache-2.0 */
/* arange that fills a transposed out as its memory lies, not row by row. */
#include <string.h>

#include "zoo/zoo.h"

enum { MOST = 64 };

static ts_status faulty_arange(const ts_kernel_call *call)
{
    char values[MOST * 8];
    ts_tensor *y;
    size_t size;

    TS_TRY(zoo_original("arange")(call));
    y = call->results[0];
    size = (size_t)ts_dtype_size(y->dtype);
    if (y->ndim != 2 || y->strides[0] != 1 || y->strides[1] != y->sizes[0] ||
        y->numel > MOST)
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++)
        memcpy(values + (size_t)i * size,
               zoo_at(y, i / y->sizes[1] + i % y->sizes[1] * y->strides[1]), size);
    memcpy(zoo_at(y, 0), values, (size_t)y->numel * size);
    return TS_OK;
}

ZOO_KIND("stride ignored");
ZOO_MEMBER("arange fills a transposed out in the order of its memory", "arange/S6",
           {"arange", faulty_arange})
