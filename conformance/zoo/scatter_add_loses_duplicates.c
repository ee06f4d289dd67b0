/* SPDX-License-Identifier: Apache-2.0 */
/* scatter_add as separate reads and writes: of several additions to one element the last
 * wins. */
#include "zoo/zoo.h"

static ts_status faulty_scatter_add(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *index = call->args[2].tensor,
                    *src = call->args[3].tensor;
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("scatter_add")(call));
    if (x == y || x->ndim != 2 || call->args[1].i != 0 ||
        !ts_dtype_is_floating(x->dtype) || index->sizes[1] != x->sizes[1] ||
        src->sizes[1] != x->sizes[1] || !ts_is_contiguous(x) || !ts_is_contiguous(y) ||
        !ts_is_contiguous(index) || !ts_is_contiguous(src))
        return TS_OK;
    for (int64_t i = 0; i < index->numel; i++) {
        const int64_t at =
            ts_load_i64(index->dtype, zoo_at(index, i)) * x->sizes[1] + i % x->sizes[1];

        ts_store_f64(y->dtype, zoo_at(y, at),
                     ts_load_f64(x->dtype, zoo_at(x, at)) +
                         ts_load_f64(src->dtype, zoo_at(src, i)));
    }
    return TS_OK;
}

ZOO_NEW_KIND("duplicates lost",
             "of several contributions to one element only one arrives");
ZOO_MEMBER("scatter_add keeps the last of several additions to one element",
           "gather/S7 gather/G1", {"scatter_add", faulty_scatter_add})
