/* SPDX-License-Identifier: Apache-2.0 */
/* Inside ref/dist: where ranks meet, and what they bring. */
#ifndef TSI_DIST_H
#define TSI_DIST_H

#include "core/core.h"
#include "touchstone/dist.h"

typedef enum tsi_collective_kind {
    TSI_ALL_REDUCE,
    TSI_ALL_GATHER,
    TSI_REDUCE_SCATTER,
    TSI_BROADCAST,
    TSI_BARRIER,
    TSI_NEW_GROUP
} tsi_collective_kind;

/* What a rank calls; every rank of the group must call the same (dist/C6). */
typedef struct tsi_call {
    tsi_collective_kind kind;
    ts_dtype dtype;
    ts_device_type device;
    ts_reduce_op op;
    int source;
    bool backward;
    int64_t n; /* as ts_collective.n */
    int ndim;
    int64_t sizes[TS_MAX_DIMS]; /* of the rank's input; a new group's ranks */
} tsi_call;

typedef struct tsi_slot tsi_slot;

const char *tsi_collective_name(tsi_collective_kind kind);
const char *tsi_reduce_op_name(ts_reduce_op op);

/* --- world.c --- */
/* g, or the world's group for NULL. ValueError where this thread is no rank (dist/C1). */
ts_status tsi_group_of(ts_group *g, ts_group **out);
int tsi_group_rank(const ts_group *g);
int tsi_group_size(const ts_group *g);

/* This rank comes to its next collective in g, with host buffers from malloc that are
 * the slot's from now on, error or not. */
ts_status tsi_arrive(ts_group *g, const tsi_call *call, void *in, void *out,
                     tsi_slot **slot);
/* Until all have come and the results are there. */
ts_status tsi_slot_wait(tsi_slot *s, ts_group *g);
bool tsi_slot_settled(tsi_slot *s, const ts_group *g);
/* This rank's `out`, after a wait that succeeded. */
void *tsi_slot_out(tsi_slot *s, const ts_group *g);
/* This rank needs the slot no more. */
void tsi_slot_release(tsi_slot *s, ts_group *g);
int64_t tsi_slot_sequence(const tsi_slot *s);

/* --- collectives.c --- */
/* The next collectives of this thread are a derivative's; returns what held before. */
bool tsi_dist_backward(bool on);
/* all_reduce with another tensor of in's sizes for the result. */
ts_status tsi_all_reduce_into(ts_tensor *out, ts_tensor *in, ts_reduce_op op, ts_group *g,
                              ts_work **work);

#endif
