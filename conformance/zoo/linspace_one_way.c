/* SPDX-License-Identifier: Apache-2.0 */
/* linspace all from its start: the last element is not quite the end. */
#include "zoo/zoo.h"

static ts_status faulty_linspace(const ts_kernel_call *call)
{
    const ts_tensor *y = call->results[0];
    double start, step;

    TS_TRY(zoo_original("linspace")(call));
    if (!ts_dtype_is_floating(y->dtype) || y->numel < 3 || !ts_is_contiguous(y))
        return TS_OK;
    start = ts_load_f64(y->dtype, zoo_at(y, 0));
    step = ts_dtype_round(y->dtype,
                          (ts_load_f64(y->dtype, zoo_at(y, y->numel - 1)) - start) /
                              (double)(y->numel - 1));
    for (int64_t i = 1; i < y->numel; i++)
        ts_store_f64(y->dtype, zoo_at(y, i), start + step * (double)i);
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("linspace counts from its start alone and misses its end", "linspace/S4",
           {"linspace", faulty_linspace})
