/* SPDX-License-Identifier: Apache-2.0 */
/* arange as a running sum in the result's own precision. */
#include "zoo/zoo.h"

static ts_status faulty_arange(const ts_kernel_call *call)
{
    const ts_tensor *y;
    double v, step;

    TS_TRY(zoo_original("arange")(call));
    y = call->results[0];
    if (!ts_dtype_is_floating(y->dtype) || y->numel < 2 || !ts_is_contiguous(y))
        return TS_OK;
    v = ts_load_f64(y->dtype, zoo_at(y, 0));
    step = ts_load_f64(y->dtype, zoo_at(y, 1)) - v;
    for (int64_t i = 1; i < y->numel; i++) {
        v = ts_dtype_round(y->dtype, v + step);
        ts_store_f64(y->dtype, zoo_at(y, i), v);
    }
    return TS_OK;
}

ZOO_NEW_KIND("unstable formula", "right on paper, wrong in floating point");
ZOO_MEMBER("arange is a running sum and drifts", "arange/S4", {"arange", faulty_arange})
