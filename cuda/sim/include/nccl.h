/* SPDX-License-Identifier: Apache-2.0 */
/* What the host code uses of NCCL; the calls themselves are in sim/nccl.c. */
#ifndef TSC_SIM_NCCL_H
#define TSC_SIM_NCCL_H

#include <stddef.h>

#include "cuda_runtime_api.h"

#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_SPLIT_NOCOLOR (-1)

typedef struct ncclComm *ncclComm_t;
typedef struct ncclUniqueId {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;
typedef struct ncclConfig ncclConfig_t;

typedef enum ncclResult_t {
    ncclSuccess = 0,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6
} ncclResult_t;

typedef enum ncclDataType_t {
    ncclInt8 = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclInt64 = 4,
    ncclFloat16 = 6,
    ncclFloat32 = 7,
    ncclFloat64 = 8,
    ncclBfloat16 = 9
} ncclDataType_t;

typedef enum ncclRedOp_t {
    ncclSum = 0,
    ncclProd = 1,
    ncclMax = 2,
    ncclMin = 3,
    ncclAvg = 4,
    ncclMaxRedOp = 0x7fffffff /* numbers above ncclAvg are made */
} ncclRedOp_t;

typedef enum ncclScalarResidence_t { ncclScalarHostImmediate = 1 } ncclScalarResidence_t;

const char *ncclGetErrorString(ncclResult_t e);
ncclResult_t ncclGetUniqueId(ncclUniqueId *out);
ncclResult_t ncclCommInitRank(ncclComm_t *out, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommSplit(ncclComm_t c, int color, int key, ncclComm_t *out,
                           ncclConfig_t *config);
ncclResult_t ncclCommDestroy(ncclComm_t c);
ncclResult_t ncclCommAbort(ncclComm_t c);
ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *out);
ncclResult_t ncclCommCount(const ncclComm_t c, int *out);
ncclResult_t ncclCommUserRank(const ncclComm_t c, int *out);
ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *out, void *factor, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t c);
ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t c);
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);
ncclResult_t ncclAllReduce(const void *in, void *out, size_t n, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t c, cudaStream_t s);
ncclResult_t ncclReduce(const void *in, void *out, size_t n, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t c, cudaStream_t s);
ncclResult_t ncclBroadcast(const void *in, void *out, size_t n, ncclDataType_t type,
                           int root, ncclComm_t c, cudaStream_t s);
ncclResult_t ncclAllGather(const void *in, void *out, size_t n, ncclDataType_t type,
                           ncclComm_t c, cudaStream_t s);
ncclResult_t ncclReduceScatter(const void *in, void *out, size_t n, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t c, cudaStream_t s);
ncclResult_t ncclSend(const void *in, size_t n, ncclDataType_t type, int to, ncclComm_t c,
                      cudaStream_t s);
ncclResult_t ncclRecv(void *out, size_t n, ncclDataType_t type, int from, ncclComm_t c,
                      cudaStream_t s);

#endif
