/* SPDX-License-Identifier: Apache-2.0 */
/* One loop for all dtypes, over double: integers beyond 2^53 come out rounded. */
#include "zoo/zoo.h"

static ts_status faulty_cat(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("cat")(call));
    if (y->dtype != TS_INT64 || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++) {
        const double v = (double)ts_load_i64(y->dtype, zoo_at(y, i));

        if (v < 0x1p63)
            ts_store_i64(y->dtype, zoo_at(y, i), (int64_t)v);
    }
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("cat takes integers through double", "cat/S1", {"cat", faulty_cat})
