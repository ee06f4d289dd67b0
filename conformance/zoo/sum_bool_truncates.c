/* SPDX-License-Identifier: Apache-2.0 */
/* A sum in bool whose elements become integers first: 0.5 is lost. */
#include "zoo/zoo.h"

static ts_status faulty_sum(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[0].tensor, *y = call->results[0];
    bool any = false;

    if (y->dtype != TS_BOOL || y->numel != 1 || !ts_dtype_is_floating(x->dtype) ||
        !ts_is_contiguous(x))
        return zoo_original("sum")(call);
    for (int64_t i = 0; i < x->numel; i++)
        any |= (int64_t)ts_load_f64(x->dtype, zoo_at(x, i)) != 0;
    ts_store_i64(TS_BOOL, zoo_at(y, 0), any);
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("a sum in bool casts its elements to integers first", "sum/S3",
           {"sum", faulty_sum})
