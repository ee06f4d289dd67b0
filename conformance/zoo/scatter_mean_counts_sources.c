/* SPDX-License-Identifier: Apache-2.0 */
/* A mean that divides by the number of sources alone: self is in the sum and not in the
 * count. */
#include "zoo/zoo.h"

static ts_status faulty_scatter_reduce(const ts_kernel_call *call)
{
    const ts_tensor *index = call->args[2].tensor, *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("scatter_reduce")(call));
    if (call->args[4].string[0] != 'm' || !call->args[5].b || x == y || x->ndim != 1 ||
        !ts_dtype_is_floating(y->dtype) || !ts_is_contiguous(y) ||
        !ts_is_contiguous(index))
        return TS_OK;
    for (int64_t k = 0; k < y->numel; k++) {
        double n = 0;

        for (int64_t i = 0; i < index->numel; i++)
            n += ts_load_i64(index->dtype, zoo_at(index, i)) == k;
        if (n > 0)
            ts_store_f64(y->dtype, zoo_at(y, k),
                         ts_load_f64(y->dtype, zoo_at(y, k)) * (n + 1) / n);
    }
    return TS_OK;
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("the mean of scatter_reduce counts the sources and not self", "scatter/S11",
           {"scatter_reduce", faulty_scatter_reduce})
