/* SPDX-License-Identifier: Apache-2.0 */
/* bincount; spec/ops/bincount.md. */
#include <stdlib.h>

#include "touchstone/backend.h"
#include "touchstone/ops/bincount_glue.h"

static ts_status length(const ts_tensor *x, int64_t least, int64_t *n)
{
    *n = least;
    for (int64_t i = 0; i < x->numel; i++) {
        const int64_t v = tse_get_i64(x, i * x->strides[0]);

        TS_CHECK(v >= 0, TS_ERR_RUNTIME, "bincount/C1",
                 "bincount: a negative element, %" PRId64, v);
        *n = v >= *n ? v + 1 : *n;
    }
    return TS_OK;
}

static void counts(const ts_tensor *x, ts_tensor *y)
{
    for (int64_t i = 0; i < x->numel; i++) {
        const int64_t k = tse_get_i64(x, i * x->strides[0]);

        tse_put_i64(y, k, tse_get_i64(y, k) + 1);
    }
}

static ts_status sums(const ts_tensor *x, const ts_tensor *w, ts_tensor *y)
{
    double *sum = calloc((size_t)y->numel + 1, sizeof *sum);

    TS_CHECK(sum, TS_ERR_OUT_OF_MEMORY, NULL, "bincount: out of memory");
    for (int64_t i = 0; i < x->numel; i++)
        sum[tse_get_i64(x, i * x->strides[0])] +=
            tse_get_as(y->dtype, w, i * w->strides[0]);
    for (int64_t k = 0; k < y->numel; k++)
        tse_put(y, k, sum[k]);
    free(sum);
    return TS_OK;
}

ts_status tsk_bincount(const ts_kernel_call *call)
{
    const ts_tensor *x = ts_call_tensor(call, TS_BINCOUNT_SELF);
    const ts_tensor *w = ts_call_tensor(call, TS_BINCOUNT_WEIGHTS);
    const bool weighted = w && x->numel > 0; /* S2 */
    const ts_dtype dtype = !weighted                ? TS_INT64
                           : w->dtype == TS_FLOAT32 ? TS_FLOAT32
                                                    : TS_FLOAT64; /* S3 */
    ts_tensor *y;
    int64_t n;

    TS_TRY(length(x, call->args[TS_BINCOUNT_MINLENGTH].i, &n));
    TS_TRY(call->make_result(call, 0, dtype, 1, &n, (int64_t[]){1}, &y));
    if (weighted)
        return sums(x, w, y);
    for (int64_t k = 0; k < n; k++)
        tse_put_i64(y, k, 0);
    counts(x, y);
    return TS_OK;
}
