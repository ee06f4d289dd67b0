/* SPDX-License-Identifier: Apache-2.0 */
/* Inside ref/dist: who is who, where ranks meet, and what they bring. */
#ifndef TSI_DIST_H
#define TSI_DIST_H

#include <pthread.h>

#include "core/core.h"
#include "touchstone/device.h"
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

/* A rank's part of a collective, from its call to the last rank's: the elements in
 * row-major order, on the host or on its device. */
typedef struct tsi_cargo {
    void *in, *out;              /* `out` may be `in` */
    bool heap;                   /* from malloc, the cargo's own */
    ts_tensor *in_own, *out_own; /* on a device: what keeps them, NULL for the caller's */
    size_t in_bytes, out_bytes;
    ts_device device;
    ts_stream *stream; /* where a device does it: this rank's for the group */
    ts_event *done;    /* recorded there when it has been submitted */
} tsi_cargo;

typedef struct tsi_slot tsi_slot;
typedef struct tsi_channel tsi_channel;

/* What the ranks of a group share. */
typedef struct tsi_shared {
    struct tsi_shared *next;
    ts_world *world;
    int number; /* 0: the world's own */
    tsi_slot *slots;
    pthread_mutex_t calling; /* its channels' one caller */
    tsi_channel *channels[TS_DEVICE_TYPE_COUNT];
    int size;
    int ranks[]; /* in the world, ascending */
} tsi_shared;

struct ts_group {
    tsi_shared *all;
    int rank;
    int64_t next;      /* sequence number of this rank's next collective */
    ts_stream *stream; /* of this rank's device work; NULL until there is some */
    ts_group *link;
};

struct ts_world {
    pthread_mutex_t lock;
    pthread_cond_t change;
    double timeout;
    int size, groups;
    tsi_shared *all; /* the world's own group is the last */
    bool *joined, *left;
};

/* This thread as a rank. */
typedef struct tsi_rank {
    ts_world *world;
    int rank;
    ts_group *groups; /* newest first; the world's own is the last */
    ts_group *own;
    tsi_shared *outside; /* the newest group that the rank is no member of */
} tsi_rank;

extern _Thread_local tsi_rank tsi_me;

/* --- world.c --- */
ts_status tsi_dist_no_memory(const char *name);
/* Under the world's lock. */
tsi_shared *tsi_shared_new(ts_world *w, int size);
ts_status tsi_group_handle(tsi_shared *all, int rank, ts_group **out);

/* --- group.c --- */
/* g, or the world's group for NULL. ValueError where this thread is no rank (dist/C1). */
ts_status tsi_group_of(ts_group *g, ts_group **out);
int tsi_group_rank(const ts_group *g);
int tsi_group_size(const ts_group *g);
/* The rank in g of rank `global` of the world, which the call `what` names: a ValueError
 * where a group has it not (dist/C17), -1 where the world has not. */
ts_status tsi_group_root(const char *what, const ts_group *g, int64_t global, int *root);

/* --- slot.c --- */
const char *tsi_collective_name(tsi_collective_kind kind);
const char *tsi_reduce_op_name(ts_reduce_op op);
/* This rank comes to its next collective in g with its cargo, which is the slot's from now
 * on, error or not. */
ts_status tsi_arrive(ts_group *g, const tsi_call *call, const tsi_cargo *cargo,
                     tsi_slot **slot);
/* Until all have come and the work is done, or, on a device, submitted. */
ts_status tsi_slot_wait(tsi_slot *s, ts_group *g);
bool tsi_slot_settled(tsi_slot *s, const ts_group *g);
/* This rank's cargo, after a wait that succeeded. */
const tsi_cargo *tsi_slot_cargo(tsi_slot *s, const ts_group *g);
/* This rank needs the slot no more. */
void tsi_slot_release(tsi_slot *s, ts_group *g);
int64_t tsi_slot_sequence(const tsi_slot *s);
void tsi_cargo_drop(tsi_cargo *cargo);
/* Under the world's lock: a rank has left, or a group ends. */
void tsi_slots_check_left(tsi_shared *g);
void tsi_slots_free(tsi_shared *g);

/* --- channel.c --- */
/* All cargoes, in the order of ranks, through the group's communicators. */
ts_status tsi_channel_run(tsi_shared *g, const tsi_call *call, tsi_cargo *const *cargoes);
void tsi_channels_free(tsi_shared *g);

/* --- work.c --- */
/* This rank's part of `call`: the elements of nins tensors one after the other, and the
 * results for nouts. Waits, unless `work` is given. */
ts_status tsi_launch(ts_group *g, const tsi_call *call, int nins, ts_tensor *const *ins,
                     int nouts, ts_tensor *const *outs, ts_work **work);
static inline size_t tsi_bytes_of(const ts_tensor *t)
{
    return (size_t)(t->numel * ts_dtype_size(t->dtype));
}

/* --- collectives.c --- */
/* The next collectives of this thread are a derivative's; returns what held before. */
bool tsi_dist_backward(bool on);
/* all_reduce with another tensor of in's sizes for the result. */
ts_status tsi_all_reduce_into(ts_tensor *out, ts_tensor *in, ts_reduce_op op, ts_group *g,
                              ts_work **work);

#endif
