/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NCCL as a communicator table: the calls are its own; what it has not (gather, scatter,
 * all_to_all, sums of bool) is made of what it has.
 */
#include <nccl.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/cuda.h"

struct tsd_comm {
    _Atomic(ncclComm_t) nccl; /* NULL once it is aborted */
    int device;
};

static ts_status status_of(ncclResult_t e, const char *call)
{
    const ts_status s =
        e == ncclInvalidArgument || e == ncclInvalidUsage ? TS_ERR_VALUE : TS_ERR_DIST;

    (void)cudaGetLastError(); /* of what NCCL met: told here, and nowhere else */
    return ts_fail(s, NULL, "%s: %s", call, ncclGetErrorString(e));
}

#define TS_NCCL(call)                                       \
    do {                                                    \
        const ncclResult_t ts_nccl_ = (call);               \
        if (ts_nccl_ != ncclSuccess)                        \
            return status_of(ts_nccl_, tsc_name_of(#call)); \
    } while (0)

static ts_status whole(tsd_comm *c, ncclComm_t *out)
{
    *out = c->nccl;
    TS_CHECK(*out, TS_ERR_DIST, NULL, "this rank has aborted the communicator");
    return TS_OK;
}

static cudaStream_t stream_of(const ts_collective *w)
{
    return (cudaStream_t)(void *)w->stream;
}

/* --- communicators --- */

static ts_status unique_id(ts_unique_id *out)
{
    ncclUniqueId id;

    memset(out, 0, sizeof *out);
    TS_NCCL(ncclGetUniqueId(&id));
    memcpy(out->bytes, &id, sizeof id < sizeof *out ? sizeof id : sizeof *out);
    return TS_OK;
}

static ts_status comm_new(int device, tsd_comm **out)
{
    *out = calloc(1, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a communicator");
    (*out)->device = device;
    return TS_OK;
}

/* NCCL writes the communicator's address when the group ends, where there is one. */
static ncclComm_t *place_of(tsd_comm *c)
{
    return (ncclComm_t *)&c->nccl;
}

static ts_status init(const ts_comm_config *config, tsd_comm **out)
{
    ncclUniqueId id;
    ncclResult_t e;
    tsd_comm *c;

    memcpy(&id, config->id.bytes,
           sizeof id < sizeof config->id ? sizeof id : sizeof config->id);
    TS_CUDA(cudaSetDevice(config->device.index));
    TS_TRY(comm_new(config->device.index, &c));
    e = ncclCommInitRank(place_of(c), config->ranks, id, config->rank);
    if (e != ncclSuccess) {
        free(c);
        return status_of(e, "ncclCommInitRank");
    }
    *out = c;
    return TS_OK;
}

static ts_status split(tsd_comm *c, int color, int key, tsd_comm **out)
{
    static _Thread_local ncclComm_t none;
    ncclComm_t from;
    ncclResult_t e;

    *out = NULL;
    TS_TRY(whole(c, &from));
    if (color < 0) {
        TS_NCCL(ncclCommSplit(from, NCCL_SPLIT_NOCOLOR, key, &none, NULL));
        return TS_OK;
    }
    TS_TRY(comm_new(c->device, out));
    e = ncclCommSplit(from, color, key, place_of(*out), NULL);
    if (e != ncclSuccess) {
        free(*out);
        *out = NULL;
        return status_of(e, "ncclCommSplit");
    }
    return TS_OK;
}

static ts_status query(tsd_comm *c, int *ranks, int *rank)
{
    ncclComm_t nccl;

    TS_TRY(whole(c, &nccl));
    TS_NCCL(ncclCommCount(nccl, ranks));
    TS_NCCL(ncclCommUserRank(nccl, rank));
    return TS_OK;
}

static void destroy(tsd_comm *c)
{
    const ncclComm_t nccl = atomic_exchange(&c->nccl, NULL);

    if (nccl)
        (void)ncclCommDestroy(nccl);
    free(c);
}

static ts_status abort_(tsd_comm *c)
{
    const ncclComm_t nccl = atomic_exchange(&c->nccl, NULL);

    if (nccl)
        TS_NCCL(ncclCommAbort(nccl));
    return TS_OK;
}

static ts_status async_error(tsd_comm *c)
{
    ncclResult_t met = ncclSuccess;
    ncclComm_t nccl;

    TS_TRY(whole(c, &nccl));
    TS_NCCL(ncclCommGetAsyncError(nccl, &met));
    return met == ncclSuccess ? TS_OK
                              : status_of(met, "an earlier call on the communicator");
}

static ts_status group_start(void)
{
    TS_NCCL(ncclGroupStart());
    return TS_OK;
}

static ts_status group_end(void)
{
    TS_NCCL(ncclGroupEnd());
    return TS_OK;
}

/* --- dtypes and ops --- */

static ts_status dtype_of(ts_dtype dtype, ncclDataType_t *out)
{
    switch (dtype) {
    case TS_FLOAT64:
        *out = ncclFloat64;
        return TS_OK;
    case TS_FLOAT32:
        *out = ncclFloat32;
        return TS_OK;
    case TS_FLOAT16:
        *out = ncclFloat16;
        return TS_OK;
    case TS_BFLOAT16:
        *out = ncclBfloat16;
        return TS_OK;
    case TS_INT64:
        *out = ncclInt64;
        return TS_OK;
    case TS_INT32:
        *out = ncclInt32;
        return TS_OK;
    case TS_INT8:
        *out = ncclInt8;
        return TS_OK;
    case TS_UINT8:
    case TS_BOOL:
        *out = ncclUint8;
        return TS_OK;
    default:
        return ts_fail(TS_ERR_UNSUPPORTED, NULL, "NCCL has no %s", ts_dtype_name(dtype));
    }
}

/* Of bool, which is 0 or 1: or is the larger, and the smaller. */
static ts_reduce_op plain(ts_dtype dtype, ts_reduce_op op)
{
    if (dtype != TS_BOOL)
        return op;
    return op == TS_REDUCE_SUM || op == TS_REDUCE_BOR        ? TS_REDUCE_MAX
           : op == TS_REDUCE_PRODUCT || op == TS_REDUCE_BAND ? TS_REDUCE_MIN
                                                             : op;
}

static ts_status op_of(const ts_collective *w, ncclRedOp_t *out)
{
    switch (plain(w->dtype, w->op)) {
    case TS_REDUCE_SUM:
        *out = ncclSum;
        return TS_OK;
    case TS_REDUCE_PRODUCT:
        *out = ncclProd;
        return TS_OK;
    case TS_REDUCE_MIN:
        *out = ncclMin;
        return TS_OK;
    case TS_REDUCE_MAX:
        *out = ncclMax;
        return TS_OK;
    case TS_REDUCE_AVG:
        *out = ncclAvg;
        if (ts_dtype_is_floating(w->dtype))
            return TS_OK;
        break;
    default:
        break;
    }
    return ts_fail(TS_ERR_UNSUPPORTED, NULL, "NCCL has no reduce op %d of %s", (int)w->op,
                   ts_dtype_name(w->dtype));
}

/* --- calls --- */

typedef struct call {
    ncclComm_t nccl;
    ncclDataType_t dtype;
    size_t n;
    cudaStream_t stream;
    int64_t size; /* of an element */
} call;

static ts_status call_of(tsd_comm *c, const ts_collective *w, call *out)
{
    *out = (call){.n = (size_t)w->n, .stream = stream_of(w)};
    out->size = ts_dtype_size(w->dtype);
    TS_TRY(whole(c, &out->nccl));
    return dtype_of(w->dtype, &out->dtype);
}

typedef enum reduction { ALL_REDUCE, REDUCE, REDUCE_SCATTER } reduction;

static ncclResult_t reduce_by(reduction kind, const call *k, ncclRedOp_t op, int root,
                              const void *in, void *out)
{
    switch (kind) {
    case ALL_REDUCE:
        return ncclAllReduce(in, out, k->n, k->dtype, op, k->nccl, k->stream);
    case REDUCE:
        return ncclReduce(in, out, k->n, k->dtype, op, root, k->nccl, k->stream);
    default:
        return ncclReduceScatter(in, out, k->n, k->dtype, op, k->nccl, k->stream);
    }
}

static ts_status reduction_of(reduction kind, tsd_comm *c, const ts_collective *w,
                              const void *in, void *out)
{
    static const char *const names[] = {"ncclAllReduce", "ncclReduce",
                                        "ncclReduceScatter"};
    unsigned char factor[8];
    ncclRedOp_t op;
    ncclResult_t e;
    call k;

    TS_TRY(call_of(c, w, &k));
    if (w->op == TS_REDUCE_PREMUL_SUM && ts_dtype_is_floating(w->dtype)) {
        ts_store_f64(w->dtype, factor, w->factor);
        TS_NCCL(ncclRedOpCreatePreMulSum(&op, factor, k.dtype, ncclScalarHostImmediate,
                                         k.nccl));
        e = reduce_by(kind, &k, op, w->root, in, out);
        (void)ncclRedOpDestroy(op, k.nccl);
    } else {
        TS_TRY(op_of(w, &op));
        e = reduce_by(kind, &k, op, w->root, in, out);
    }
    return e == ncclSuccess ? TS_OK : status_of(e, names[kind]);
}

static ts_status all_reduce(tsd_comm *c, const ts_collective *w, const void *in,
                            void *out)
{
    return reduction_of(ALL_REDUCE, c, w, in, out);
}

static ts_status reduce(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    return reduction_of(REDUCE, c, w, in, out);
}

static ts_status reduce_scatter(tsd_comm *c, const ts_collective *w, const void *in,
                                void *out)
{
    return reduction_of(REDUCE_SCATTER, c, w, in, out);
}

static ts_status broadcast(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    call k;

    TS_TRY(call_of(c, w, &k));
    TS_NCCL(ncclBroadcast(in, out, k.n, k.dtype, w->root, k.nccl, k.stream));
    return TS_OK;
}

static ts_status all_gather(tsd_comm *c, const ts_collective *w, const void *in,
                            void *out)
{
    call k;

    TS_TRY(call_of(c, w, &k));
    TS_NCCL(ncclAllGather(in, out, k.n, k.dtype, k.nccl, k.stream));
    return TS_OK;
}

static ts_status send(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    call k;

    (void)out;
    TS_TRY(call_of(c, w, &k));
    TS_NCCL(ncclSend(in, k.n, k.dtype, w->root, k.nccl, k.stream));
    return TS_OK;
}

static ts_status recv(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    call k;

    (void)in;
    TS_TRY(call_of(c, w, &k));
    TS_NCCL(ncclRecv(out, k.n, k.dtype, w->root, k.nccl, k.stream));
    return TS_OK;
}

/* A piece to each rank and one from each, of so many elements; NULL: nothing. */
static ts_status exchange(const call *k, int ranks, const void *in,
                          const int64_t *in_counts, void *out, const int64_t *out_counts)
{
    const char *from = in;
    char *to = out;
    ncclResult_t e = ncclSuccess;

    TS_NCCL(ncclGroupStart());
    for (int r = 0; e == ncclSuccess && r < ranks; r++) {
        if (in_counts && in_counts[r] > 0) {
            e = ncclSend(from, (size_t)in_counts[r], k->dtype, r, k->nccl, k->stream);
            from += in_counts[r] * k->size;
        }
        if (e == ncclSuccess && out_counts && out_counts[r] > 0) {
            e = ncclRecv(to, (size_t)out_counts[r], k->dtype, r, k->nccl, k->stream);
            to += out_counts[r] * k->size;
        }
    }
    TS_NCCL(ncclGroupEnd());
    return e == ncclSuccess ? TS_OK : status_of(e, "ncclSend or ncclRecv");
}

static ts_status all_to_all_v(tsd_comm *c, const ts_collective *w, const void *in,
                              const int64_t *in_counts, void *out,
                              const int64_t *out_counts)
{
    int ranks, rank;
    call k;

    TS_TRY(query(c, &ranks, &rank));
    TS_TRY(call_of(c, w, &k));
    return exchange(&k, ranks, in, in_counts, out, out_counts);
}

/* n elements to each of the ranks, or to `only` one of them. */
static ts_status counts_new(int ranks, int64_t n, int only, int64_t **out)
{
    *out = calloc((size_t)ranks, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a collective");
    for (int r = 0; r < ranks; r++)
        (*out)[r] = only < 0 || r == only ? n : 0;
    return TS_OK;
}

enum { EACH = -1, NONE = -2 };

/* A piece of `in` to rank `to`, or EACH or NONE of them; one of `out` from `from`. */
static ts_status pieces(tsd_comm *c, const ts_collective *w, int ranks, const void *in,
                        int to, void *out, int from)
{
    int64_t *sent = NULL, *gotten = NULL;
    ts_status s = TS_OK;
    call k;

    TS_TRY(call_of(c, w, &k));
    if (to != NONE)
        s = counts_new(ranks, w->n, to, &sent);
    if (s == TS_OK && from != NONE)
        s = counts_new(ranks, w->n, from, &gotten);
    if (s == TS_OK)
        s = exchange(&k, ranks, in, sent, out, gotten);
    free(sent);
    free(gotten);
    return s;
}

static ts_status all_to_all(tsd_comm *c, const ts_collective *w, const void *in,
                            void *out)
{
    int ranks, rank;

    TS_TRY(query(c, &ranks, &rank));
    return pieces(c, w, ranks, in, EACH, out, EACH);
}

static ts_status gather(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    int ranks, rank;

    TS_TRY(query(c, &ranks, &rank));
    return pieces(c, w, ranks, in, w->root, out, rank == w->root ? EACH : NONE);
}

static ts_status scatter(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    int ranks, rank;

    TS_TRY(query(c, &ranks, &rank));
    return pieces(c, w, ranks, in, rank == w->root ? EACH : NONE, out, w->root);
}

const ts_communicator *tsc_communicator(void)
{
    static const ts_communicator table = {
        .size = sizeof table,
#ifndef TSC_SIMULATED /* the stand-in does not mind */
        .one_rank_a_device = true,
#endif
        .unique_id = unique_id,
        .init = init,
        .split = split,
        .query = query,
        .destroy = destroy,
        .abort = abort_,
        .async_error = async_error,
        .group_start = group_start,
        .group_end = group_end,
        .all_reduce = all_reduce,
        .reduce = reduce,
        .broadcast = broadcast,
        .all_gather = all_gather,
        .gather = gather,
        .reduce_scatter = reduce_scatter,
        .scatter = scatter,
        .all_to_all = all_to_all,
        .all_to_all_v = all_to_all_v,
        .send = send,
        .recv = recv,
    };

    return &table;
}
