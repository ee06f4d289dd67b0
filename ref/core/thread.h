/* SPDX-License-Identifier: Apache-2.0 */
/* All that the runtime knows of one thread, in one struct: a call looks it up once. */
#ifndef TSI_THREAD_H
#define TSI_THREAD_H

#include "core/core.h"
#include "touchstone/door.h"
#include "touchstone/profile.h"

/* Rooms that keep something of their own for each thread. */
typedef enum tsi_room {
    TSI_ROOM_AMP,
    TSI_ROOM_DEVICE,
    TSI_ROOM_DIST,
    TSI_ROOM_COUNT
} tsi_room;

/* Memory given back in the reverse order of its taking; see tsi_arena_take. */
typedef struct tsi_chunk tsi_chunk;

/* A thread's last error, and its warnings: the count and the last one. */
typedef struct tsi_messages {
    char label[64], message[1024];
    char warning_label[64], warning[1024];
    int warnings;
} tsi_messages;

typedef struct tsi_thread {
    unsigned layers;   /* bit per tsi_layer that is on */
    bool grad_enabled; /* grad mode */
    ts_device default_device;
    struct tsi_level *level; /* the top of the stack of transforms, or NULL */
    uint64_t levels;         /* how many there were */
    const ts_frame *inside;  /* the call that a level of grad records at this moment */
    ts_profile *profiling;   /* the session that listens, or NULL */
    tsi_chunk *chunk;        /* the arena's current one */
    struct tsi_body *spare;  /* headers of tensors that ended here, for the next ones */
    int spares;
    ts_backend_counts counts;
    int64_t number;         /* the profiler's, 0 until it asks */
    uint64_t sequence;      /* of the next node of the graph */
    struct tsi_node *dying; /* nodes without references, not yet destroyed */
    bool draining;          /* somebody destroys them */
    char node_name[80];
    ts_generator *generator; /* the default one, made when it is asked for */
    ts_live live;            /* made less released here; may be negative */
    void *room[TSI_ROOM_COUNT];
    tsi_messages messages;
    struct tsi_thread *next; /* of all threads that live */
} tsi_thread;

extern _Thread_local tsi_thread *tsi_this_thread TSI_INITIAL_EXEC;

tsi_thread *tsi_thread_start(void); /* this thread's, made now; never NULL */

static inline tsi_thread *tsi_self(void)
{
    tsi_thread *t = tsi_this_thread;

    return t ? t : tsi_thread_start();
}

void tsi_spares_free(tsi_thread *t);

/*
 * `size` zeroed bytes for a room on this thread, made at the first call; `end` runs when
 * the thread ends. NULL when there is no memory.
 */
void *tsi_thread_room(tsi_room room, size_t size, void (*end)(void *state));

/* Memory from this thread's arena, aligned to 16; NULL when there is none. All that was
 * taken after a mark is given back with tsi_arena_back. */
void *tsi_arena_take(tsi_thread *t, size_t bytes);
void tsi_arena_mark(const tsi_thread *t, void **mark, size_t *used);
void tsi_arena_back(tsi_thread *t, void *mark, size_t used);

#endif
