/* SPDX-License-Identifier: Apache-2.0 */
/* index_add that refuses an index out of range as an IndexError always, also where there
 * is nothing to add to. */
#include "zoo/zoo.h"

static ts_status faulty_index_add(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor, *index = call->args[2].tensor;
    const int64_t dim = call->args[1].i < 0 ? call->args[1].i + x->ndim : call->args[1].i;
    const int64_t size = x->ndim > 0 ? x->sizes[dim] : 1;

    for (int64_t i = 0; i < index->numel && index->dtype == TS_INT64; i++) {
        const int64_t step = index->ndim > 0 ? index->strides[0] : 0;
        const int64_t k = ts_load_i64(TS_INT64, zoo_at(index, i * step));

        if (k < 0 || k >= size)
            return ts_fail(TS_ERR_INDEX, "index_select/C11",
                           "index_add: %lld is out of range", (long long)k);
    }
    return zoo_original("index_add")(call);
}

ZOO_NEW_KIND("wrong error", "a refusal of another class than the contract's");
ZOO_MEMBER("index_add refuses by one class, and where there is nothing to add to",
           "index_select/C10 index_select/S10", {"index_add", faulty_index_add})
