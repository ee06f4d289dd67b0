/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm by cuBLAS, which counts columns first: the row-major C = A B is its C' = B' A'. An
 * operand of other than unit stride in one dim is copied first; so is a strided result,
 * afterwards. Half types add in float32, float32 never in TF32 (S4).
 */
#include <pthread.h>

#include "core/cuda.h"
#include "touchstone/ops/mm.h"

TSC_OP(mm, TSC_FLOATS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cublasHandle_t handles[TS_ACCEL_MAX_DEVICES]; /* used under the lock */

typedef struct matrix {
    ts_tensor *t; /* a reference */
    cublasOperation_t op;
    int ld;
} matrix;

/* Row-major with a leading dim, as cuBLAS's transposed view of it takes it. */
static bool takes(const ts_tensor *t, int row, int column)
{
    const int64_t least = t->sizes[column] > 1 ? t->sizes[column] : 1;

    return (t->strides[column] == 1 || t->sizes[column] == 1) &&
           (t->strides[row] >= least || t->sizes[row] == 1) &&
           t->strides[row] <= INT32_MAX;
}

static int leading(const ts_tensor *t, int row, int column)
{
    const int64_t least = t->sizes[column] > 1 ? t->sizes[column] : 1;

    return (int)(t->strides[row] > least ? t->strides[row] : least);
}

static ts_status matrix_of(ts_tensor *t, matrix *out)
{
    if (takes(t, 0, 1))
        *out = (matrix){ts_retain(t), CUBLAS_OP_N, leading(t, 0, 1)};
    else if (takes(t, 1, 0))
        *out = (matrix){ts_retain(t), CUBLAS_OP_T, leading(t, 1, 0)};
    else {
        TS_TRY(tsc_contiguous(t, &out->t));
        out->op = CUBLAS_OP_N;
        out->ld = leading(out->t, 0, 1);
    }
    return TS_OK;
}

static cudaDataType_t type_of(ts_dtype d)
{
    return d == TS_FLOAT64    ? CUDA_R_64F
           : d == TS_FLOAT32  ? CUDA_R_32F
           : d == TS_BFLOAT16 ? CUDA_R_16BF
                              : CUDA_R_16F;
}

static ts_status gemm_locked(const matrix *a, const matrix *b, ts_tensor *y)
{
    const bool wide = y->dtype == TS_FLOAT64;
    const cudaDataType_t type = type_of(y->dtype);
    const double one64 = 1, zero64 = 0;
    const float one32 = 1, zero32 = 0;
    cublasHandle_t *handle = &handles[ts_accel_device()];

    TS_TRY(tsc_use(ts_accel_device()));
    if (!*handle) {
        TS_CUBLAS(cublasCreate(handle));
        TS_CUBLAS(cublasSetMathMode(
            *handle, (cublasMath_t)(CUBLAS_DEFAULT_MATH |
                                    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
    }
    TS_CUBLAS(cublasSetStream(*handle, tsc_stream()));
    TS_CUBLAS(cublasGemmEx(
        *handle, b->op, a->op, (int)y->sizes[1], (int)y->sizes[0], (int)a->t->sizes[1],
        wide ? (const void *)&one64 : &one32, b->t->data, type, b->ld, a->t->data, type,
        a->ld, wide ? (const void *)&zero64 : &zero32, y->data, type, leading(y, 0, 1),
        wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    return TS_OK;
}

static ts_status gemm(ts_tensor *a, ts_tensor *b, ts_tensor *y)
{
    matrix ma = {0}, mb = {0};
    ts_status s = matrix_of(a, &ma);

    if (s == TS_OK)
        s = matrix_of(b, &mb);
    if (s == TS_OK) {
        pthread_mutex_lock(&lock);
        s = gemm_locked(&ma, &mb, y);
        pthread_mutex_unlock(&lock);
    }
    ts_release(ma.t);
    ts_release(mb.t);
    return s;
}

ts_status tsc_mm(const ts_kernel_call *call)
{
    ts_tensor *a = tsc_tensor(call, TS_MM_SELF), *b = tsc_tensor(call, TS_MM_MAT2),
              *y = call->results[0], *dense;
    ts_status s;

    if (!(y->dtype <= TS_FLOAT16) || a->sizes[0] > INT32_MAX || a->sizes[1] > INT32_MAX ||
        b->sizes[1] > INT32_MAX)
        return TS_ERR_UNSUPPORTED;
    if (y->numel == 0)
        return TS_OK;
    if (a->sizes[1] == 0) /* S3 */
        return tsc_zero_elements(y);
    if (takes(y, 0, 1))
        return gemm(a, b, y);
    TS_TRY(ts_tensor_new(y->device, y->dtype, 2, y->sizes, &dense));
    s = gemm(a, b, dense);
    if (s == TS_OK)
        s = tsc_copy_elements(y, dense);
    ts_release(dense);
    return s;
}
