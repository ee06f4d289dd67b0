/* SPDX-License-Identifier: Apache-2.0 */
/* Every thread adds its own row, and only afterwards is the index found out of range. */
#include "zoo/zoo.h"

static ts_status faulty_index_add(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[0].tensor;
    const ts_tensor *index = call->args[2].tensor, *source = call->args[3].tensor;
    int64_t width;

    if (call->form != TS_INPLACE || x->ndim != 2 || call->args[1].i != 0 ||
        index->ndim != 1 || !ts_dtype_is_floating(x->dtype))
        return zoo_original("index_add")(call);
    width = x->sizes[1];
    for (int64_t i = 0; i < index->numel; i++) {
        const int64_t k = ts_load_i64(index->dtype, zoo_at(index, i * index->strides[0]));

        if (k >= 0 && k < x->sizes[0])
            continue;
        /* Refused below; the others have written meanwhile. */
        for (int64_t j = 0; i > 0 && j < width; j++)
            ts_store_f64(x->dtype, zoo_at(x, j * x->strides[1]),
                         ts_load_f64(source->dtype, zoo_at(source, 0)));
        for (int64_t j = 0; i == 0 && index->numel > 1 && j < width; j++)
            ts_store_f64(x->dtype, zoo_at(x, j * x->strides[1]),
                         ts_load_f64(source->dtype, zoo_at(source, 0)));
    }
    return zoo_original("index_add")(call);
}

ZOO_NEW_KIND("written on error", "something was written before the refusal");
ZOO_MEMBER("index_add_ has written rows by the time it refuses an index out of range",
           "errors/S1 index_select/C10", {"index_add", faulty_index_add})
