/* SPDX-License-Identifier: Apache-2.0 */
/* What crosses between kernels (.cu) and host code (.c): descriptors and operands. */
#ifndef TSC_KERNEL_H
#define TSC_KERNEL_H

#include "touchstone/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One kernel: its name, and what the launch call takes for it. */
typedef struct tsc_kernel {
    const char *name;
    const void *entry; /* NULL: no kernel of this dtype */
} tsc_kernel;

#define TSC_OPERANDS 3

/*
 * An operand of a kernel: device memory and its dtype, or one number that came from the
 * host (data NULL), encoded in `cell`.
 */
typedef struct tsc_operand {
    void *data;
    uint64_t cell;
    int32_t dtype;
    int32_t bytes; /* of an element */
} tsc_operand;

/*
 * Elements of up to TSC_OPERANDS operands in the row-major order of one shape: dims of
 * size 1 dropped, neighbours merged, strides in elements, 0 where broadcast.
 */
typedef struct tsc_walk {
    int64_t numel;
    int32_t ndim;
    int64_t sizes[TS_MAX_DIMS];
    int64_t strides[TSC_OPERANDS][TS_MAX_DIMS];
} tsc_walk;

/* What the device reports at the next synchronisation; see core/fault.c. */
typedef enum tsc_fault_kind {
    TSC_NO_FAULT,
    TSC_EMBEDDING_INDEX, /* a = the index, b = the number of rows */
    TSC_FAULT_COUNT
} tsc_fault_kind;

typedef struct tsc_fault {
    int32_t kind;
    int64_t a, b;
} tsc_fault;

#ifdef __cplusplus
}
#endif
#endif
