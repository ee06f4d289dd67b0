/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm, bmm: out[.., i, j] = sum_k a[.., i, k] * b[.., k, j].
 *
 * Rounding  float: the sum in double, one rounding on store (S4); integers modulo 2^64,
 * wrapped on store (S5). No terms: zero (S3).
 */
#include "touchstone/backend.h"
#include "touchstone/ops/mm_glue.h"

/* One row of a by one column of b, each given by its first element and its step. */
static double dot(const ts_tensor *a, int64_t at, int64_t step, const ts_tensor *b,
                  int64_t bt, int64_t bstep, int64_t n)
{
    double sum = 0;

    for (int64_t k = 0; k < n; k++)
        sum += tse_get(a, at + k * step) * tse_get(b, bt + k * bstep);
    return sum;
}

static int64_t dot_i64(const ts_tensor *a, int64_t at, int64_t step, const ts_tensor *b,
                       int64_t bt, int64_t bstep, int64_t n)
{
    uint64_t sum = 0;

    for (int64_t k = 0; k < n; k++)
        sum += (uint64_t)tse_get_i64(a, at + k * step) *
               (uint64_t)tse_get_i64(b, bt + k * bstep);
    return (int64_t)sum;
}

/* The product of two matrices that start at elements at, bt, yt; their dims are the last
 * two. */
static void multiply(const ts_tensor *a, int64_t at, const ts_tensor *b, int64_t bt,
                     ts_tensor *y, int64_t yt)
{
    const int d = y->ndim - 2;
    const int64_t inner = a->sizes[d + 1];

    for (int64_t i = 0; i < y->sizes[d]; i++) {
        for (int64_t j = 0; j < y->sizes[d + 1]; j++) {
            const int64_t row = at + i * a->strides[d];
            const int64_t column = bt + j * b->strides[d + 1];
            const int64_t to = yt + i * y->strides[d] + j * y->strides[d + 1];

            if (tse_is_real(y->dtype))
                tse_put(y, to,
                        dot(a, row, a->strides[d + 1], b, column, b->strides[d], inner));
            else
                tse_put_i64(
                    y, to,
                    dot_i64(a, row, a->strides[d + 1], b, column, b->strides[d], inner));
        }
    }
}

ts_status tsk_mm(const ts_kernel_call *call)
{
    multiply(call->args[TS_MM_SELF].tensor, 0, call->args[TS_MM_MAT2].tensor, 0,
             call->results[0], 0);
    return TS_OK;
}

ts_status tsk_bmm(const ts_kernel_call *call)
{
    const ts_tensor *a = call->args[TS_BMM_SELF].tensor;
    const ts_tensor *b = call->args[TS_BMM_MAT2].tensor;
    ts_tensor *y = call->results[0];

    for (int64_t t = 0; t < y->sizes[0]; t++) /* S2 */
        multiply(a, t * a->strides[0], b, t * b->strides[0], y, t * y->strides[0]);
    return TS_OK;
}
