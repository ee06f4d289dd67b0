/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm, bmm: out[.., i, j] = sum_k a[.., i, k] * b[.., k, j].
 *
 * Rounding  float: the sum in double, one rounding on store (S4); integers modulo 2^64,
 * wrapped on store (S5). No terms: zero (S3).
 */
#include "ops/product.h"
#include "touchstone/ops/mm_glue.h"

/* The product of two matrices that start at elements at, bt, yt; their dims are the last
 * two. */
static void multiply(const ts_tensor *a, int64_t at, const ts_tensor *b, int64_t bt,
                     ts_tensor *y, int64_t yt)
{
    const int d = y->ndim - 2;
    const tsk_extent n = {1, y->sizes[d], a->sizes[d + 1], y->sizes[d + 1]};

    tsk_multiply(tsk_matrix_of(a, at), tsk_matrix_of(b, bt), n, y, yt, y->strides[d],
                 y->strides[d + 1], NULL);
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
