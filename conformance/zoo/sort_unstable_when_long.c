/* SPDX-License-Identifier: Apache-2.0 */
/* A sort that merges its blocks from the wrong side: equal elements of two blocks change
 * places, on rows longer than a block. */
#include "zoo/zoo.h"

enum { BLOCK = 4096 };

static ts_status faulty_sort(const ts_kernel_call *call)
{
    ts_tensor *v = call->results[0], *at = call->results[1];
    const int64_t n = v->ndim > 0 ? v->sizes[v->ndim - 1] : 1;

    TS_TRY(zoo_original("sort")(call));
    if (n <= BLOCK || !ts_is_contiguous(v) || !ts_is_contiguous(at))
        return TS_OK;
    for (int64_t i = 1; i < v->numel; i++) {
        const int64_t here = ts_load_i64(TS_INT64, zoo_at(at, i));
        const int64_t before = ts_load_i64(TS_INT64, zoo_at(at, i - 1));

        if (i % n == 0 || here < BLOCK || before >= BLOCK ||
            ts_load_f64(v->dtype, zoo_at(v, i)) !=
                ts_load_f64(v->dtype, zoo_at(v, i - 1)))
            continue;
        ts_store_i64(TS_INT64, zoo_at(at, i), before);
        ts_store_i64(TS_INT64, zoo_at(at, i - 1), here);
    }
    return TS_OK;
}

ZOO_KIND("past a size");
ZOO_MEMBER("a sort of more than 4,096 elements is not stable", "sort/S3",
           {"sort", faulty_sort})
