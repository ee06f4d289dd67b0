/* SPDX-License-Identifier: Apache-2.0 */
/* A gather written as a product with a mask of ones and zeros: -0.0 comes out as 0.0. */
#include "zoo/zoo.h"

static ts_status faulty_index_select(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];

    TS_TRY(zoo_original("index_select")(call));
    if (!ts_dtype_is_floating(y->dtype) || !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < y->numel; i++)
        ts_store_f64(y->dtype, zoo_at(y, i), ts_load_f64(y->dtype, zoo_at(y, i)) + 0.0);
    return TS_OK;
}

ZOO_NEW_KIND(
    "special value lost",
    "a signed zero, a subnormal, an infinity or a NaN comes out as another value");
ZOO_MEMBER("index_select loses the sign of zero", "index_select/S1",
           {"index_select", faulty_index_select})
