/* SPDX-License-Identifier: Apache-2.0 */
/* What the host code uses of CUDA's driver: virtual memory. Calls are in sim/runtime.c. */
#ifndef TSC_SIM_CUDA_DRIVER_H
#define TSC_SIM_CUDA_DRIVER_H

#include <stddef.h>

typedef enum CUresult {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2
} CUresult;

typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;

typedef enum CUmemAllocationGranularity_flags {
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} CUmemAllocationGranularity_flags;

typedef enum CUmemAllocationHandleType {
    CU_MEM_HANDLE_TYPE_NONE = 0,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1
} CUmemAllocationHandleType;

typedef struct CUmemLocation {
    enum { CU_MEM_LOCATION_TYPE_DEVICE = 1 } type;
    int id;
} CUmemLocation;

typedef struct CUmemAllocationProp {
    enum { CU_MEM_ALLOCATION_TYPE_PINNED = 1 } type;
    CUmemAllocationHandleType requestedHandleTypes;
    CUmemLocation location;
} CUmemAllocationProp;

typedef struct CUmemAccessDesc {
    CUmemLocation location;
    enum { CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 } flags;
} CUmemAccessDesc;

#endif
