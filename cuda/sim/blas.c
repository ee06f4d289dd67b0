/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS's GemmEx as plain loops on a stream of the software accelerator: columns first,
 * halves and float32 accumulated in float32, float64 in float64. */
#include <stdlib.h>
#include <string.h>

#include "core/cuda.h"

struct cublasContext {
    cudaStream_t stream;
};

typedef struct operand {
    const void *data;
    ts_dtype dtype;
    int64_t down, right; /* elements to the next row, to the next column */
} operand;

typedef struct gemm {
    operand a, b;
    void *c;
    ts_dtype dtype;
    int m, n, k, ldc;
    double alpha, beta;
} gemm;

cublasStatus_t cublasCreate(cublasHandle_t *out)
{
    *out = calloc(1, sizeof **out);
    return *out ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t mode)
{
    (void)h;
    (void)mode; /* nothing here is faster and less exact */
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t h, cudaStream_t s)
{
    h->stream = s;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t s)
{
    switch (s) {
    case CUBLAS_STATUS_SUCCESS:
        return "success";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "out of memory";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "an argument is out of range";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "not supported";
    default:
        return "it failed on the device";
    }
}

static double element(const operand *o, const char *base, int64_t row, int64_t column)
{
    return ts_load_f64(o->dtype, base + (row * o->down + column * o->right) *
                                            ts_dtype_size(o->dtype));
}

/* Bytes from an operand's first element to the end of its last. */
static size_t reach(const operand *o, int rows, int columns)
{
    return (size_t)((rows - 1) * o->down + (columns - 1) * o->right + 1) *
           (size_t)ts_dtype_size(o->dtype);
}

static ts_status run(void *arg)
{
    const gemm *g = arg;
    const operand c = {g->c, g->dtype, 1, g->ldc};
    const char *a = ts_software_resolve(g->a.data, reach(&g->a, g->m, g->k));
    const char *b = ts_software_resolve(g->b.data, reach(&g->b, g->k, g->n));
    char *to = ts_software_resolve(c.data, reach(&c, g->m, g->n));

    TS_CHECK(a && b && to, TS_ERR_RUNTIME, NULL,
             "cublasGemmEx: an operand reaches memory that is not there");
    for (int j = 0; j < g->n; j++)
        for (int i = 0; i < g->m; i++) {
            char *cell = to + ((int64_t)j * g->ldc + i) * ts_dtype_size(g->dtype);
            double wide = 0;
            float narrow = 0;

            for (int l = 0; l < g->k; l++) {
                const double u = element(&g->a, a, i, l), v = element(&g->b, b, l, j);

                if (g->dtype == TS_FLOAT64)
                    wide += u * v;
                else
                    narrow += (float)u * (float)v;
            }
            wide = g->alpha * (g->dtype == TS_FLOAT64 ? wide : (double)narrow);
            if (g->beta != 0)
                wide += g->beta * ts_load_f64(g->dtype, cell);
            ts_store_f64(g->dtype, cell, wide);
        }
    return TS_OK;
}

static ts_dtype dtype_of(cudaDataType_t t)
{
    return t == CUDA_R_64F    ? TS_FLOAT64
           : t == CUDA_R_32F  ? TS_FLOAT32
           : t == CUDA_R_16BF ? TS_BFLOAT16
                              : TS_FLOAT16;
}

static operand operand_of(const void *data, cudaDataType_t type, cublasOperation_t op,
                          int ld)
{
    return (operand){data, dtype_of(type), op == CUBLAS_OP_N ? 1 : ld,
                     op == CUBLAS_OP_N ? ld : 1};
}

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a,
                            cublasOperation_t op_b, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType_t a_type,
                            int lda, const void *b, cudaDataType_t b_type, int ldb,
                            const void *beta, void *c, cudaDataType_t c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    const bool wide = compute == CUBLAS_COMPUTE_64F;
    int device = 0;
    gemm *g;

    (void)algorithm;
    if (m < 0 || n < 0 || k < 0 || lda < (op_a == CUBLAS_OP_N ? m : k) ||
        ldb < (op_b == CUBLAS_OP_N ? k : n) || ldc < m || lda < 1 || ldb < 1 || ldc < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (a_type != b_type || a_type != c_type || wide != (c_type == CUDA_R_64F))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (m == 0 || n == 0)
        return CUBLAS_STATUS_SUCCESS;
    g = malloc(sizeof *g);
    if (!g)
        return CUBLAS_STATUS_ALLOC_FAILED;
    *g = (gemm){.a = operand_of(a, a_type, op_a, lda),
                .b = operand_of(b, b_type, op_b, ldb),
                .c = c,
                .dtype = dtype_of(c_type),
                .m = m,
                .n = n,
                .k = k,
                .ldc = ldc,
                .alpha = wide ? *(const double *)alpha : *(const float *)alpha,
                .beta = wide ? *(const double *)beta : *(const float *)beta};
    (void)cudaGetDevice(&device);
    return ts_software_submit(device, (tsd_stream *)(void *)h->stream, run, free, g) ==
                   TS_OK
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
}
