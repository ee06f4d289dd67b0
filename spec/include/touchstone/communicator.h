/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What moves and reduces the ranks' elements: a table of calls on communicators, one a
 * rank, in the words of NCCL. The reference brings one for ranks of one process; a
 * backend may bring its own. See spec/areas/backend.md.
 */
#ifndef TOUCHSTONE_COMMUNICATOR_H
#define TOUCHSTONE_COMMUNICATOR_H

#include <stddef.h>
#include <stdint.h>

#include "touchstone/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of torch.distributed.ReduceOp. */
typedef enum ts_reduce_op {
    TS_REDUCE_SUM,
    TS_REDUCE_AVG,
    TS_REDUCE_PRODUCT,
    TS_REDUCE_MIN,
    TS_REDUCE_MAX,
    TS_REDUCE_BAND,
    TS_REDUCE_BOR,
    TS_REDUCE_BXOR,
    TS_REDUCE_COUNT,                       /* of those that programs name */
    TS_REDUCE_PREMUL_SUM = TS_REDUCE_COUNT /* every rank's input times its factor */
} ts_reduce_op;

/* What the ranks of one communicator have in common: made by one of them, given to the
 * others as bytes, by whatever way. */
#define TS_UNIQUE_ID_BYTES 128
typedef struct ts_unique_id {
    unsigned char bytes[TS_UNIQUE_ID_BYTES];
} ts_unique_id;

typedef struct ts_comm_config {
    size_t size; /* of this struct */
    ts_unique_id id;
    int ranks, rank;
    /* Whose memory this rank's buffers are. TS_CPU: the host's, and streams are NULL. */
    ts_device device;
} ts_comm_config;

typedef struct tsd_comm tsd_comm; /* one rank's side; the table's own */

/* One call of one rank. All ranks make it alike, but for stream and factor. */
typedef struct ts_collective {
    size_t size; /* of this struct */
    ts_dtype dtype;
    ts_reduce_op op;
    double factor; /* of PREMUL_SUM: this rank's */
    /* Elements: of in for all_reduce, reduce, broadcast, all_gather, gather, send; of out
     * for reduce_scatter, scatter, recv; for all_to_all what goes from each to each. */
    int64_t n;
    int root;           /* a rank of this communicator; of send and recv the other side */
    tsd_stream *stream; /* of the communicator's device; NULL: its default one */
    bool backward;      /* a derivative asks for it */
} ts_collective;

typedef ts_status (*ts_collective_fn)(tsd_comm *c, const ts_collective *w, const void *in,
                                      void *out);

/*
 * Every call returns TS_OK or an error made by ts_host.fail. A table ends where its `size`
 * ends: entries beyond it, and NULL ones, are absent (TS_COMM_HAS).
 *
 * Order. The k-th call on a communicator is one with the k-th call on those of the other
 * ranks; sends and receives pair off by (sender, receiver) instead, in order. A call is
 * work of its stream: it reads `in` after what the stream holds already, what the stream
 * gets later comes after it, and it returns before it is done. On host memory it is done
 * when it returns, or, between group_start and group_end, when group_end does. Calls of
 * one thread on communicators of several ranks, and sends that meet each other, stand in
 * a group; groups nest, and the outermost end counts. One thread at a time uses a
 * communicator, abort excepted.
 *
 * Ownership. Buffers are the caller's and stay until the work is done. `w`, a config and
 * arrays of counts may go when the call returns. `in` may be `out`, or, in all_gather,
 * gather, reduce_scatter and scatter, this rank's part of the larger buffer; other
 * overlaps are none of the table's business.
 */
typedef struct ts_communicator {
    size_t size; /* of this struct, as the backend was built */

    /* Where the ranks of a communicator must each have a device of their own. */
    bool one_rank_a_device;

    ts_status (*unique_id)(ts_unique_id *out);
    /* This rank's communicator; may wait for the other ranks. In a group *out is set when
     * the group has ended. */
    ts_status (*init)(const ts_comm_config *config, tsd_comm **out);
    /* Every rank of c calls: those of one colour become a communicator, ranked by key and
     * then by rank in c. A negative colour gets NULL. In a group as init. */
    ts_status (*split)(tsd_comm *c, int color, int key, tsd_comm **out);
    /* How many ranks c has, and which is this one. */
    ts_status (*query)(tsd_comm *c, int *ranks, int *rank);
    void (*destroy)(tsd_comm *c); /* aborted or not; work that is under way goes on */
    /* From any thread: pending and later calls on c end with an error, those of the other
     * ranks that need c too. c is still to be destroyed. */
    ts_status (*abort)(tsd_comm *c);
    /* TS_OK, or what went wrong in work since the last call returned. */
    ts_status (*async_error)(tsd_comm *c);

    ts_status (*group_start)(void); /* of the calling thread */
    ts_status (*group_end)(void);

    ts_collective_fn all_reduce;     /* out[i] = op over the ranks q of in_q[i] */
    ts_collective_fn reduce;         /* the same; out counts on root only */
    ts_collective_fn broadcast;      /* out[i] = in_root[i] */
    ts_collective_fn all_gather;     /* out[q * n + i] = in_q[i] */
    ts_collective_fn gather;         /* the same; out counts on root only */
    ts_collective_fn reduce_scatter; /* out[i] = op over q of in_q[rank * n + i] */
    ts_collective_fn scatter;        /* out[i] = in_root[rank * n + i] */
    ts_collective_fn all_to_all;     /* out[q * n + i] = in_q[rank * n + i] */
    /* Pieces of given numbers of elements, one for each rank, one after the other. */
    ts_status (*all_to_all_v)(tsd_comm *c, const ts_collective *w, const void *in,
                              const int64_t *in_counts, void *out,
                              const int64_t *out_counts);
    ts_collective_fn send; /* in, to rank root */
    ts_collective_fn recv; /* out, from rank root */
    ts_status (*barrier)(tsd_comm *c, const ts_collective *w);
} ts_communicator;

/* Whether the table has the entry `member`. */
#define TS_COMM_HAS(table, member) (TS_HAS(table, member) && (table)->member)

#ifdef __cplusplus
}
#endif
#endif
