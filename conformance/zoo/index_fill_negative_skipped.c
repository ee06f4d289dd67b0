/* SPDX-License-Identifier: Apache-2.0 */
/* index_fill that guards its writes by 0 <= number: a negative one, which counts from the
 * end, fills nothing. */
#include <string.h>

#include "zoo/zoo.h"

static ts_status faulty_index_fill(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *index = call->args[2].tensor;
    ts_tensor *y = call->results[0];
    const int64_t size = x->ndim == 1 ? x->sizes[0] : 0;

    TS_TRY(zoo_original("index_fill")(call));
    if (x == y || x->ndim != 1 || !ts_is_contiguous(x) || !ts_is_contiguous(y) ||
        !ts_is_contiguous(index))
        return TS_OK;
    for (int64_t i = 0; i < index->numel; i++) {
        const int64_t k = ts_load_i64(index->dtype, zoo_at(index, i));

        if (k < 0)
            memcpy(zoo_at(y, k + size), zoo_at(x, k + size),
                   (size_t)ts_dtype_size(y->dtype));
    }
    return TS_OK;
}

ZOO_KIND("wrong convention");
ZOO_MEMBER("index_fill of a vector passes over negative numbers", "index_fill/S1",
           {"index_fill", faulty_index_fill})
