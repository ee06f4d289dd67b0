/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host side of the backend: errors of foreign calls, launches, operands. The same
 * sources are built twice: against CUDA, and against the stand-ins of sim/include.
 */
#ifndef TSC_CUDA_H
#define TSC_CUDA_H

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <string.h>

#include "core/kernel.h"
#include "touchstone/backend.h"
#include "touchstone/device.h"

/* --- errors: translated at the call, the sticky error cleared --- */

ts_status tsc_cuda_status(cudaError_t e, const char *call);
ts_status tsc_cublas_status(cublasStatus_t e, const char *call);

#define TS_CUDA(call)                                             \
    do {                                                          \
        const cudaError_t ts_cuda_ = (call);                      \
        if (ts_cuda_ != cudaSuccess)                              \
            return tsc_cuda_status(ts_cuda_, tsc_name_of(#call)); \
    } while (0)

#define TS_CUBLAS(call)                                               \
    do {                                                              \
        const cublasStatus_t ts_cublas_ = (call);                     \
        if (ts_cublas_ != CUBLAS_STATUS_SUCCESS)                      \
            return tsc_cublas_status(ts_cublas_, tsc_name_of(#call)); \
    } while (0)

/* "cudaFree" of "cudaFree(p)". */
const char *tsc_name_of(const char *call);

/* --- the device --- */

const ts_driver *tsc_driver(void);
const ts_communicator *tsc_communicator(void); /* NCCL's; where that is built in */
/* dlsym in the driver library, or the stand-ins; NULL when it is not there. */
void *tsc_driver_symbol(const char *name);
/* Make it CUDA's current device on this thread; that is all the backend does to it. */
ts_status tsc_use(int device);
/* Where kernels of the runtime's current device put a fault: of both the host and the
 * device. */
ts_status tsc_fault_word(tsc_fault **out);
/* After a synchronisation: what the device had to say, once. */
ts_status tsc_fault_take(int device);

/* --- work --- */

/* Where a kernel puts its work; its device becomes CUDA's current one. */
static inline cudaStream_t tsc_stream(void)
{
    (void)tsc_use(ts_accel_device()); /* a failure shows in the work's own call */
    return (cudaStream_t)(void *)ts_stream_handle(ts_stream_current());
}

typedef struct tsc_dims {
    int64_t blocks;
    int threads; /* 0: 256 */
} tsc_dims;

#define TSC_MOST_BLOCKS \
    4096 /* several for each multiprocessor; kernels stride over more */

ts_status tsc_launch(const tsc_kernel *k, tsc_dims d, void **args);
/* One thread an element, 256 a block. */
ts_status tsc_launch_elements(const tsc_kernel *k, int64_t n, void **args);
#define TSC_ARGS(...) \
    (void *[])        \
    {                 \
        __VA_ARGS__   \
    }

/* --- operands --- */

static inline ts_tensor *tsc_tensor(const ts_kernel_call *call, int i)
{
    return call->args[i].kind == TS_ARG_TENSOR ? call->args[i].tensor : NULL;
}

/* t as an operand; a 0-dim tensor on the host becomes a number. */
tsc_operand tsc_operand_of(const ts_tensor *t);
/* All of t[0]'s indices, the others broadcast to them. */
void tsc_walk_all(tsc_walk *w, int n, ts_tensor *const *t);
/* The indices of dims [from, to), the others as if of size 1; t of one ndim. */
void tsc_walk_dims(tsc_walk *w, int n, ts_tensor *const *t, int from, int to);
/* One dim left out. */
void tsc_walk_but(tsc_walk *w, int n, ts_tensor *const *t, int dim);
/* Add a dim to an empty walk (w->numel = 1, ndim = 0), and merge what can be. */
void tsc_walk_start(tsc_walk *w);
void tsc_walk_add(tsc_walk *w, int n, int64_t size, const int64_t *strides);
/* Whether every operand's elements lie in a row, in the order of the walk. */
bool tsc_walk_is_flat(const tsc_walk *w, int n);

/* t's elements in row-major order: t itself, or a copy. New reference. */
ts_status tsc_contiguous(ts_tensor *t, ts_tensor **out);
/* dst = src, cast and broadcast; on the current stream. */
ts_status tsc_copy_elements(ts_tensor *dst, ts_tensor *src);
/* Every element of dst is zero. */
ts_status tsc_zero_elements(ts_tensor *dst);

/*
 * Host sides of the ops, one file a page, which opens with what it brings:
 *     TSC_OP(mm, TSC_FLOATS)
 * cuda/gather.py makes the kernel table and the claims of these lines.
 */
#define TSC_OP(op, dtypes) ts_status tsc_##op(const ts_kernel_call *call);

/* Dtypes of a claim; ALL is 0, as ts_claim has it. */
#define TSC_FLOATS                                                                     \
    (TS_DTYPE_BIT(TS_FLOAT64) | TS_DTYPE_BIT(TS_FLOAT32) | TS_DTYPE_BIT(TS_BFLOAT16) | \
     TS_DTYPE_BIT(TS_FLOAT16))
#define TSC_NUMBERS                                                 \
    (TSC_FLOATS | TS_DTYPE_BIT(TS_INT64) | TS_DTYPE_BIT(TS_INT32) | \
     TS_DTYPE_BIT(TS_INT16) | TS_DTYPE_BIT(TS_INT8) | TS_DTYPE_BIT(TS_UINT8))
#define TSC_COMMON (TSC_NUMBERS | TS_DTYPE_BIT(TS_BOOL))
#define TSC_ALL 0

#endif
