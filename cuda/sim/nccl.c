/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's calls for ranks of one process, on the reference's communicator. */
#include <nccl.h>
#include <stdlib.h>
#include <string.h>

#include "touchstone/device.h"
#include "touchstone/dist.h"

enum { MOST_FACTORS = 4 };

struct ncclComm {
    tsd_comm *inner;
    double factors[MOST_FACTORS]; /* the last ones made */
    unsigned made;
};

static const ts_communicator *table(void)
{
    return ts_reference_communicator();
}

static ncclResult_t result(ts_status s)
{
    return s == TS_OK          ? ncclSuccess
           : s == TS_ERR_VALUE ? ncclInvalidArgument
           : s == TS_ERR_DIST  ? ncclRemoteError
                               : ncclInternalError;
}

const char *ncclGetErrorString(ncclResult_t e)
{
    return e == ncclSuccess           ? "no error"
           : e == ncclInvalidArgument ? "invalid argument"
           : e == ncclInvalidUsage    ? "invalid usage"
           : e == ncclRemoteError     ? "the error is another rank's"
                                      : "internal error";
}

/* --- communicators --- */

ncclResult_t ncclGetUniqueId(ncclUniqueId *out)
{
    ts_unique_id id;
    const ts_status s = table()->unique_id(&id);

    memcpy(out->internal, id.bytes, sizeof out->internal);
    return result(s);
}

ncclResult_t ncclCommInitRank(ncclComm_t *out, int ranks, ncclUniqueId id, int rank)
{
    ts_comm_config config = {
        .size = sizeof config, .ranks = ranks, .rank = rank, .device = {TS_ACCEL, 0}};
    struct ncclComm *c = calloc(1, sizeof *c);
    ts_status s;

    if (!c)
        return ncclSystemError;
    (void)cudaGetDevice(&config.device.index);
    memcpy(config.id.bytes, id.internal, sizeof id.internal);
    s = table()->init(&config, &c->inner);
    if (s == TS_OK)
        *out = c;
    else
        free(c);
    return result(s);
}

ncclResult_t ncclCommSplit(ncclComm_t c, int color, int key, ncclComm_t *out,
                           ncclConfig_t *config)
{
    static _Thread_local tsd_comm *none;
    struct ncclComm *made;
    ts_status s;

    (void)config;
    *out = NULL;
    if (color < 0)
        return result(table()->split(c->inner, -1, key, &none));
    made = calloc(1, sizeof *made);
    if (!made)
        return ncclSystemError;
    s = table()->split(c->inner, color, key, &made->inner);
    if (s == TS_OK)
        *out = made;
    else
        free(made);
    return result(s);
}

static void end(ncclComm_t c)
{
    if (c->inner)
        table()->destroy(c->inner);
    free(c);
}

ncclResult_t ncclCommDestroy(ncclComm_t c)
{
    end(c);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t c)
{
    const ts_status s = c->inner ? table()->abort(c->inner) : TS_OK;

    end(c);
    return result(s);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *out)
{
    *out = result(table()->async_error(c->inner));
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t c, int *out)
{
    int rank;

    return result(table()->query(c->inner, out, &rank));
}

ncclResult_t ncclCommUserRank(const ncclComm_t c, int *out)
{
    int ranks;

    return result(table()->query(c->inner, &ranks, out));
}

/* --- groups and calls --- */

ncclResult_t ncclGroupStart(void)
{
    return result(table()->group_start());
}

ncclResult_t ncclGroupEnd(void)
{
    return result(table()->group_end());
}

static ts_dtype dtype_of(ncclDataType_t type)
{
    switch (type) {
    case ncclFloat64:
        return TS_FLOAT64;
    case ncclFloat32:
        return TS_FLOAT32;
    case ncclFloat16:
        return TS_FLOAT16;
    case ncclBfloat16:
        return TS_BFLOAT16;
    case ncclInt64:
        return TS_INT64;
    case ncclInt32:
        return TS_INT32;
    case ncclInt8:
        return TS_INT8;
    default:
        return TS_UINT8;
    }
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *out, void *factor, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t c)
{
    const unsigned at = c->made++ % MOST_FACTORS;

    (void)residence;
    c->factors[at] = ts_load_f64(dtype_of(type), factor);
    *out = (ncclRedOp_t)(ncclAvg + 1 + (int)at);
    return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t c)
{
    (void)c;
    return op > ncclAvg ? ncclSuccess : ncclInvalidArgument;
}

static ts_collective what(size_t n, ncclDataType_t type, int root, cudaStream_t s)
{
    return (ts_collective){.size = sizeof(ts_collective),
                           .dtype = dtype_of(type),
                           .n = (int64_t)n,
                           .root = root,
                           .stream = (tsd_stream *)(void *)s};
}

static ncclResult_t reduce(ts_collective_fn call, ncclComm_t c, ts_collective w,
                           ncclRedOp_t op, const void *in, void *out)
{
    static const ts_reduce_op ops[] = {[ncclSum] = TS_REDUCE_SUM,
                                       [ncclProd] = TS_REDUCE_PRODUCT,
                                       [ncclMax] = TS_REDUCE_MAX,
                                       [ncclMin] = TS_REDUCE_MIN,
                                       [ncclAvg] = TS_REDUCE_AVG};

    w.op = op > ncclAvg ? TS_REDUCE_PREMUL_SUM : ops[op];
    if (op > ncclAvg)
        w.factor = c->factors[op - ncclAvg - 1];
    return result(call(c->inner, &w, in, out));
}

ncclResult_t ncclAllReduce(const void *in, void *out, size_t n, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
    return reduce(table()->all_reduce, c, what(n, type, 0, s), op, in, out);
}

ncclResult_t ncclReduce(const void *in, void *out, size_t n, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t c, cudaStream_t s)
{
    return reduce(table()->reduce, c, what(n, type, root, s), op, in, out);
}

ncclResult_t ncclReduceScatter(const void *in, void *out, size_t n, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
    return reduce(table()->reduce_scatter, c, what(n, type, 0, s), op, in, out);
}

ncclResult_t ncclBroadcast(const void *in, void *out, size_t n, ncclDataType_t type,
                           int root, ncclComm_t c, cudaStream_t s)
{
    const ts_collective w = what(n, type, root, s);

    return result(table()->broadcast(c->inner, &w, in, out));
}

ncclResult_t ncclAllGather(const void *in, void *out, size_t n, ncclDataType_t type,
                           ncclComm_t c, cudaStream_t s)
{
    const ts_collective w = what(n, type, 0, s);

    return result(table()->all_gather(c->inner, &w, in, out));
}

ncclResult_t ncclSend(const void *in, size_t n, ncclDataType_t type, int to, ncclComm_t c,
                      cudaStream_t s)
{
    const ts_collective w = what(n, type, to, s);

    return result(table()->send(c->inner, &w, in, NULL));
}

ncclResult_t ncclRecv(void *out, size_t n, ncclDataType_t type, int from, ncclComm_t c,
                      cudaStream_t s)
{
    const ts_collective w = what(n, type, from, s);

    return result(table()->recv(c->inner, &w, NULL, out));
}
