/* SPDX-License-Identifier: Apache-2.0 */
/* An absolute value by comparison: -0.0 is not below zero, so it keeps its sign. */
#include "zoo/zoo.h"

static ts_status faulty_abs(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];

    if (!ts_dtype_is_floating(x->dtype) || !ts_is_contiguous(x) || !ts_is_contiguous(y))
        return zoo_original("abs")(call);
    for (int64_t i = 0; i < x->numel; i++) {
        const double v = ts_load_f64(x->dtype, zoo_at(x, i));

        ts_store_f64(y->dtype, zoo_at(y, i), v < 0 ? -v : v);
    }
    return TS_OK;
}

ZOO_KIND("unstable formula");
ZOO_MEMBER("abs leaves -0.0 as it is", "abs/S1", {"abs", faulty_abs})
