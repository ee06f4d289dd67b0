/* SPDX-License-Identifier: Apache-2.0 */
/* A sort in which NaN, comparing false with everything, ends up at the front. */
#include <math.h>

#include "zoo/zoo.h"

static ts_status faulty_sort(const ts_kernel_call *call)
{
    ts_tensor *v = call->results[0], *at = call->results[1];
    const int64_t n = v->ndim > 0 ? v->sizes[v->ndim - 1] : 1;

    TS_TRY(zoo_original("sort")(call));
    if (v->ndim == 0 || ts_call_dim(call, 1, v) != v->ndim - 1 || call->args[2].b ||
        !ts_dtype_is_floating(v->dtype) || !ts_is_contiguous(v) || !ts_is_contiguous(at))
        return TS_OK;
    for (int64_t row = 0; row < v->numel; row += n) {
        int64_t turns = n; /* the NaNs at the end, one by one, to the front */

        while (turns-- > 0 && isnan(ts_load_f64(v->dtype, zoo_at(v, row + n - 1)))) {
            const double value = ts_load_f64(v->dtype, zoo_at(v, row + n - 1));
            const int64_t from = ts_load_i64(TS_INT64, zoo_at(at, row + n - 1));

            for (int64_t i = row + n - 1; i > row; i--) {
                ts_store_f64(v->dtype, zoo_at(v, i),
                             ts_load_f64(v->dtype, zoo_at(v, i - 1)));
                ts_store_i64(TS_INT64, zoo_at(at, i),
                             ts_load_i64(TS_INT64, zoo_at(at, i - 1)));
            }
            ts_store_f64(v->dtype, zoo_at(v, row), value);
            ts_store_i64(TS_INT64, zoo_at(at, row), from);
        }
    }
    return TS_OK;
}

ZOO_KIND("NaN lost");
ZOO_MEMBER("sort puts NaN before every number", "sort/S4", {"sort", faulty_sort})
