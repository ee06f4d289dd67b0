/* SPDX-License-Identifier: Apache-2.0 */
/* Greater where greater or equal was meant: the first of equals stays the place. */
#include "zoo/zoo.h"

static ts_status faulty_cummax(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0], *at = call->results[1];
    int64_t best = 0;

    if (x->ndim != 1 || !ts_is_contiguous(x) || !ts_is_contiguous(y) ||
        !ts_is_contiguous(at))
        return zoo_original("cummax")(call);
    for (int64_t i = 0; i < x->numel; i++) {
        const double v = ts_load_f64(x->dtype, zoo_at(x, i));
        const double b = ts_load_f64(x->dtype, zoo_at(x, best));

        if (v > b || v != v)
            best = i;
        ts_store_f64(y->dtype, zoo_at(y, i), ts_load_f64(x->dtype, zoo_at(x, best)));
        ts_store_i64(TS_INT64, zoo_at(at, i), best);
    }
    return TS_OK;
}

ZOO_KIND("wrong tie");
ZOO_MEMBER("cummax keeps the first of several maxima", "cummax/S2",
           {"cummax", faulty_cummax})
