/* SPDX-License-Identifier: Apache-2.0 */
/* Integer sums through a saturating cast, as vector units offer it. */
#include "zoo/zoo.h"

static ts_status faulty_sum(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    const ts_dtype_info *info = ts_dtype_get(y->dtype);
    int64_t sum = 0;

    if (!ts_dtype_is_integral(y->dtype) || ts_dtype_is_floating(x->dtype) ||
        y->dtype == TS_INT64 || y->numel != 1 || !ts_is_contiguous(x))
        return zoo_original("sum")(call);
    for (int64_t i = 0; i < x->numel; i++)
        sum += ts_load_i64(x->dtype, zoo_at(x, i));
    sum = sum > info->int_max ? info->int_max : sum < info->int_min ? info->int_min : sum;
    ts_store_i64(y->dtype, zoo_at(y, 0), sum);
    return TS_OK;
}

ZOO_KIND("integer range");
ZOO_MEMBER("sum of integers stops at the dtype's largest value where it should wrap",
           "sum/S4", {"sum", faulty_sum})
