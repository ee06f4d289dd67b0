/* SPDX-License-Identifier: Apache-2.0 */
/* Of an even number the upper one, as if counted from 1. */
#include "zoo/zoo.h"

static int64_t below(const ts_tensor *x, double v)
{
    int64_t n = 0;

    for (int64_t i = 0; i < x->numel; i++)
        n += ts_load_f64(x->dtype, zoo_at(x, i)) < v;
    return n;
}

static ts_status faulty_median(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;

    TS_TRY(zoo_original("median")(call));
    if (!ts_dtype_is_floating(x->dtype) || !ts_is_contiguous(x) || x->numel % 2)
        return TS_OK;
    for (int64_t i = 0; i < x->numel; i++) {
        const double v = ts_load_f64(x->dtype, zoo_at(x, i));

        if (below(x, v) == x->numel / 2)
            ts_store_f64(x->dtype, zoo_at(call->results[0], 0), v);
    }
    return TS_OK;
}

ZOO_KIND("wrong tie");
ZOO_MEMBER("median of an even number is the upper one", "median/S1",
           {"median", faulty_median})
