/* SPDX-License-Identifier: Apache-2.0 */
/* A search that starts from the largest finite number: nothing has to be below infinity. */
#include <float.h>

#include "zoo/zoo.h"

static ts_status faulty_argmin(const ts_kernel_call *call)
{
    const ts_tensor *x = call->args[0].tensor;
    ts_tensor *y = call->results[0];
    const int64_t n = x->ndim > 0 ? x->sizes[x->ndim - 1] : 0;

    /* The last dim of float32 matrices alone. */
    if (x->dtype != TS_FLOAT32 || n == 0 || y->numel * n != x->numel || x->ndim < 2 ||
        call->args[1].kind != TS_ARG_INT ||
        (call->args[1].i != -1 && call->args[1].i != x->ndim - 1) ||
        !ts_is_contiguous(x) || !ts_is_contiguous(y))
        return zoo_original("argmin")(call);
    for (int64_t r = 0; r < y->numel; r++) {
        double best = FLT_MAX;
        int64_t at = 0;

        for (int64_t i = 0; i < n; i++) {
            const double v = ts_load_f64(x->dtype, zoo_at(x, r * n + i));

            if (v < best || (v != v && best == best)) {
                best = v;
                at = i;
            }
        }
        ts_store_i64(TS_INT64, zoo_at(y, r), at);
    }
    return TS_OK;
}

ZOO_NEW_KIND("wrong start",
             "a reduction starts from a number that elements can lie beyond");
ZOO_MEMBER("argmin looks for something below the largest finite number", "argmax/S1",
           {"argmin", faulty_argmin})
