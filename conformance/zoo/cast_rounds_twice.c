/* SPDX-License-Identifier: Apache-2.0 */
/* One conversion routine for all integers, by way of double: two roundings. */
#include "zoo/zoo.h"

static ts_status faulty_to_copy(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y;

    TS_TRY(zoo_original("_to_copy")(call));
    y = call->results[0];
    if (x->dtype != TS_INT64 || y->dtype != TS_FLOAT32 || !ts_is_contiguous(x) ||
        !ts_is_contiguous(y))
        return TS_OK;
    for (int64_t i = 0; i < x->numel; i++)
        ts_store_f64(TS_FLOAT32, zoo_at(y, i),
                     (double)ts_load_i64(TS_INT64, zoo_at(x, i)));
    return TS_OK;
}

ZOO_NEW_KIND("double rounding", "a value is rounded in the middle, or twice");
ZOO_MEMBER("to(float32) rounds int64 to float64 first", "to/S8",
           {"_to_copy", faulty_to_copy})
