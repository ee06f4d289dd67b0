/* SPDX-License-Identifier: Apache-2.0 */
/* gather that moves an index out of range to the nearest legal one, and says nothing. */
#include <stdlib.h>

#include "zoo/zoo.h"

static ts_status faulty_gather(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor index = *call->args[2].tensor;
    const int64_t size = x->ndim > 0 ? x->sizes[call->args[1].i] : 1;
    int64_t *clamped;
    ts_status s;

    if (!ts_is_contiguous(&index) || index.dtype != TS_INT64 || size == 0)
        return zoo_original("gather")(call);
    clamped = malloc((size_t)index.numel * sizeof *clamped + 1);
    for (int64_t i = 0; clamped && i < index.numel; i++) {
        const int64_t k = ts_load_i64(TS_INT64, zoo_at(&index, i));

        clamped[i] = k < 0 ? 0 : k >= size ? size - 1 : k;
    }
    index.data = clamped;
    s = clamped ? zoo_call_with(zoo_original("gather"), call, 2, &index)
                : TS_ERR_OUT_OF_MEMORY;
    free(clamped);
    return s;
}

ZOO_NEW_KIND("index unchecked", "an index out of range is not refused");
ZOO_MEMBER("gather clamps an index out of range instead of refusing it", "gather/C5",
           {"gather", faulty_gather})
