/* SPDX-License-Identifier: Apache-2.0 */
/* Unequal as "less or greater", which no NaN is. */
#include "zoo/zoo.h"

static ts_status faulty_ne(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[0].tensor, *b = call->args[1].tensor;
    ts_tensor *y = call->results[0];

    if (!ts_dtype_is_floating(call->compute) || a->dtype != b->dtype ||
        a->numel != y->numel || b->numel != y->numel || !ts_is_contiguous(a) ||
        !ts_is_contiguous(b) || !ts_is_contiguous(y))
        return zoo_original("ne")(call);
    for (int64_t i = 0; i < y->numel; i++) {
        const double u = ts_load_f64(a->dtype, zoo_at(a, i));
        const double v = ts_load_f64(b->dtype, zoo_at(b, i));

        ts_store_i64(y->dtype, zoo_at(y, i), u < v || u > v);
    }
    return TS_OK;
}

ZOO_KIND("NaN lost");
ZOO_MEMBER("ne is false for NaN", "compare/S3", {"ne", faulty_ne})
