/* SPDX-License-Identifier: Apache-2.0 */
/* A sort that turns runs of equal elements round, though asked to be stable. */
#include "zoo/zoo.h"

static void swap_indices(ts_tensor *at, int64_t a, int64_t b)
{
    const int64_t x = ts_load_i64(TS_INT64, zoo_at(at, a));

    ts_store_i64(TS_INT64, zoo_at(at, a), ts_load_i64(TS_INT64, zoo_at(at, b)));
    ts_store_i64(TS_INT64, zoo_at(at, b), x);
}

static ts_status faulty_sort(const ts_kernel_call *call)
{
    ts_tensor *v = call->results[0], *at = call->results[1];
    const int64_t n = v->ndim > 0 ? v->sizes[v->ndim - 1] : 1;

    TS_TRY(zoo_original("sort")(call));
    if (v->ndim == 0 || call->args[1].i != v->ndim - 1 || !ts_is_contiguous(v) ||
        !ts_is_contiguous(at))
        return TS_OK;
    for (int64_t row = 0; row < v->numel; row += n) {
        for (int64_t from = row, to; from < row + n; from = to) {
            for (to = from; to < row + n && ts_load_f64(v->dtype, zoo_at(v, to)) ==
                                                ts_load_f64(v->dtype, zoo_at(v, from));)
                to++;
            to += to == from; /* a NaN equals nothing */
            for (int64_t a = from, b = to - 1; a < b; a++, b--)
                swap_indices(at, a, b);
        }
    }
    return TS_OK;
}

ZOO_KIND("wrong tie");
ZOO_MEMBER("a stable sort reverses equal elements", "sort/S3", {"sort", faulty_sort})
