/* SPDX-License-Identifier: Apache-2.0 */
/* Several ranks: process groups and collectives; see spec/areas/dist.md. */
#ifndef TOUCHSTONE_DIST_H
#define TOUCHSTONE_DIST_H

#include "touchstone/communicator.h"
#include "touchstone/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- worlds --- */

/* A world of ranks, each a thread of this process. */
typedef struct ts_world ts_world;

/* `timeout` in seconds: how long a collective waits for the other ranks. */
TS_API ts_status ts_world_new(int size, double timeout, ts_world **out);
TS_API void ts_world_free(ts_world *w); /* after every rank has left; NULL passes */
/* This thread is `rank` until it leaves. Each rank joins once. */
TS_API ts_status ts_world_join(ts_world *w, int rank);
/* This rank is done: whoever waits for it, or will, is told. Its groups end here. */
TS_API void ts_world_leave(void);
TS_API bool ts_world_joined(void);

/* --- groups --- */

/* This rank's side of a group; NULL stands for the world everywhere. Lives until the rank
 * leaves. */
typedef struct ts_group ts_group;

/* Every rank of the world calls, in one order, with the same ranks (n 0: all of them). A
 * rank that is no member gets the marker: on it a collective warns and does nothing. */
TS_API ts_status ts_group_new(int n, const int64_t *ranks, ts_group **out);
TS_API ts_status ts_group_rank(const ts_group *g, int *rank);
TS_API ts_status ts_group_size(const ts_group *g, int *size);
TS_API ts_group *ts_group_no_member(void); /* the marker */
/* The rank in the world of rank `rank` of the group, and the other way. In the world
 * itself every number is its own; in a group one that it has not is a ValueError. */
TS_API ts_status ts_group_global_rank(const ts_group *g, int64_t rank, int64_t *global);
TS_API ts_status ts_group_rank_of(const ts_group *g, int64_t global, int64_t *rank);

/* --- collectives --- */

/*
 * A collective under way. Its results are in the tensors after a wait that succeeded; on
 * an accelerator they are there for the work that the current stream gets then.
 */
typedef struct ts_work ts_work;

TS_API ts_status ts_work_wait(ts_work *w);
TS_API bool ts_work_is_completed(ts_work *w);
TS_API ts_work *ts_work_retain(ts_work *w);
TS_API void ts_work_release(ts_work *w);

/* Each of these waits, unless `work` is given: then *work is the collective under way. */
TS_API ts_status ts_all_reduce(ts_tensor *t, ts_reduce_op op, ts_group *g,
                               ts_work **work);
/* `source` is a rank of the world. */
TS_API ts_status ts_broadcast(ts_tensor *t, int64_t source, ts_group *g, ts_work **work);
TS_API ts_status ts_all_gather(int n, ts_tensor *const *outs, ts_tensor *in, ts_group *g,
                               ts_work **work);
TS_API ts_status ts_all_gather_into_tensor(ts_tensor *out, ts_tensor *in, ts_group *g,
                                           ts_work **work);
TS_API ts_status ts_reduce_scatter(ts_tensor *out, int n, ts_tensor *const *ins,
                                   ts_reduce_op op, ts_group *g, ts_work **work);
TS_API ts_status ts_reduce_scatter_tensor(ts_tensor *out, ts_tensor *in, ts_reduce_op op,
                                          ts_group *g, ts_work **work);
TS_API ts_status ts_barrier(ts_group *g, ts_work **work);

/* For ranks of one process, on host memory or the software accelerator's: sums and copies
 * in plain C, rank after rank. What serves where a backend brings none. */
TS_API const ts_communicator *ts_reference_communicator(void);

/* --- functional collectives: new tensors, with a derivative --- */

TS_API ts_status ts_fc_all_reduce(ts_tensor *x, ts_reduce_op op, ts_group *g,
                                  ts_tensor **out);
TS_API ts_status ts_fc_all_gather(ts_tensor *x, int64_t dim, ts_group *g,
                                  ts_tensor **out);
TS_API ts_status ts_fc_reduce_scatter(ts_tensor *x, ts_reduce_op op, int64_t dim,
                                      ts_group *g, ts_tensor **out);

#ifdef __cplusplus
}
#endif
#endif
