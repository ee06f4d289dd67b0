/* SPDX-License-Identifier: Apache-2.0 */
/* One comparison kernel for all floating dtypes, which is float32's. */
#include "zoo/zoo.h"

static ts_status faulty_gt(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[0].tensor, *b = call->args[1].tensor;
    ts_tensor *y = call->results[0];

    if (a->dtype != TS_FLOAT64 || b->dtype != TS_FLOAT64 || a->numel != y->numel ||
        b->numel != y->numel || !ts_is_contiguous(a) || !ts_is_contiguous(b) ||
        !ts_is_contiguous(y))
        return zoo_original("gt")(call);
    for (int64_t i = 0; i < y->numel; i++) {
        const float u = (float)ts_load_f64(TS_FLOAT64, zoo_at(a, i));
        const float v = (float)ts_load_f64(TS_FLOAT64, zoo_at(b, i));

        ts_store_i64(y->dtype, zoo_at(y, i), u > v);
    }
    return TS_OK;
}

ZOO_KIND("wrong conversion");
ZOO_MEMBER("gt compares float64 in float32", "compare/S1", {"gt", faulty_gt})
