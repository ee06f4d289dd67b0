/* SPDX-License-Identifier: Apache-2.0 */
/* A division rewritten as a multiplication by the reciprocal: two roundings in place of
 * one. */
#include "zoo/zoo.h"

static ts_status faulty_div(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[0].tensor, *b = call->args[1].tensor;
    ts_tensor *y = call->results[0];

    if (call->args[2].kind == TS_ARG_STRING || y->dtype != TS_FLOAT32 ||
        a->dtype != TS_FLOAT32 || b->dtype != TS_FLOAT32 || a->numel != y->numel ||
        b->numel != y->numel || !ts_is_contiguous(a) || !ts_is_contiguous(b) ||
        !ts_is_contiguous(y))
        return zoo_original("div")(call);
    for (int64_t i = 0; i < y->numel; i++) {
        const double r =
            ts_dtype_round(TS_FLOAT32, 1 / ts_load_f64(TS_FLOAT32, zoo_at(b, i)));

        ts_store_f64(TS_FLOAT32, zoo_at(y, i), ts_load_f64(TS_FLOAT32, zoo_at(a, i)) * r);
    }
    return TS_OK;
}

ZOO_KIND("double rounding");
ZOO_MEMBER("float32 division multiplies by the reciprocal", "div/S2", {"div", faulty_div})
