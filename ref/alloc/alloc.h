/* SPDX-License-Identifier: Apache-2.0 */
/* The caching allocator's inside. */
#ifndef TSI_ALLOC_H
#define TSI_ALLOC_H

#include <pthread.h>

#include "core/core.h"
#include "touchstone/alloc.h"

#define TSI_ROUND ((size_t)512)
#define TSI_SMALL_MAX ((size_t)1 << 20)      /* the largest request of a small pool */
#define TSI_SMALL_SEGMENT ((size_t)2 << 20)  /* what it asks the device for */
#define TSI_LARGE_SEGMENT ((size_t)20 << 20) /* the same for requests below .. */
#define TSI_LARGE_MIN ((size_t)10 << 20)     /* .. this; from here on rounded to .. */
#define TSI_LARGE_ROUND ((size_t)2 << 20)    /* .. this */

typedef struct tsi_block tsi_block;
typedef struct tsi_pool tsi_pool;
typedef struct tsi_private tsi_private;

/* Use of a block on a stream that is not its own; later the event that ends it. */
typedef struct tsi_use {
    struct tsi_use *next; /* of the block's uses, then of the stream's queue */
    ts_stream *stream;
    tsi_block *block;
    int device; /* the stream's, and the event's */
    tsd_event *event;
    bool captured; /* recorded during a capture */
} tsi_use;

struct tsi_block {
    tsi_block *prev, *next; /* in the segment, by address */
    tsi_pool *pool;
    ts_devptr p;
    size_t size, requested;
    int64_t stream;
    uint64_t segment; /* the number of its segment */
    bool allocated;
    tsi_use *uses;       /* of streams that no event stands for yet */
    int events;          /* events to pass before the block is free */
    tsi_block *deferred; /* the next block freed in a capture context */
};

/* Blocks in order; there is room for one more of every block there is (tsi_set_room). */
typedef struct tsi_set {
    int (*order)(const tsi_block *a, const tsi_block *b);
    tsi_block **at;
    size_t count, room;
} tsi_set;

struct tsi_pool {
    tsi_set free;
    bool small;
    size_t blocks;
    tsi_private *owner; /* NULL: every program's */
};

struct tsi_private {
    tsi_private *next;
    ts_pool_id id;
    int64_t uses;
    size_t segments;
    tsi_pool small, large;
};

typedef struct tsi_scope {
    struct tsi_scope *next; /* the one opened before */
    tsi_private *pool;
    ts_pool_filter filter;
    void *context;
} tsi_scope;

/* Uses whose events were recorded on one stream, oldest first. */
typedef struct tsi_queue {
    struct tsi_queue *next; /* by stream id, then device */
    int64_t stream;
    int device;
    tsi_use *head, *tail;
} tsi_queue;

/* Where the four numbers of a statistic start; with a pool's own, three times four. */
enum {
    TSI_ACTIVE = 0,
    TSI_ACTIVE_BYTES = 12,
    TSI_ALLOCATED_BYTES = 24,
    TSI_ALLOCATION = 36,
    TSI_INACTIVE_SPLIT = 48,
    TSI_INACTIVE_SPLIT_BYTES = 60,
    TSI_MAX_SPLIT_SIZE = 72,
    TSI_ALLOC_RETRIES,
    TSI_DEVICE_ALLOC,
    TSI_DEVICE_FREE,
    TSI_OOM_REJECTIONS,
    TSI_OOMS,
    TSI_SYNC_ALL_STREAMS,
    TSI_OVERSIZE_ALLOCATIONS,
    TSI_OVERSIZE_SEGMENTS = 83,
    TSI_REQUESTED_BYTES = 87,
    TSI_RESERVED_BYTES = 99,
    TSI_SEGMENT = 111
};
enum { TSI_TOTAL = 0, TSI_CURRENT = 1, TSI_FREED = 2, TSI_PEAK = 3 }; /* of the four */
enum { TSI_ALL = 0, TSI_LARGE = 4, TSI_SMALL = 8 };                   /* of the three */

struct ts_alloc {
    pthread_mutex_t lock;
    const ts_driver *driver;
    int device;
    tsi_pool small, large;
    tsi_private *privates;
    tsi_scope *scopes;
    tsi_set segments;    /* their first blocks, by address */
    tsi_set live;        /* allocated blocks, by address */
    size_t blocks;       /* of all kinds */
    size_t reserved;     /* bytes had from the device */
    size_t limit;        /* on that; SIZE_MAX for none */
    uint64_t registered; /* segments so far */
    int captures;
    tsi_block *deferred;
    tsi_queue *queues;
    tsi_use *spare; /* passed uses, for their events */
    int64_t stats[TS_MEMORY_STATS];
    ts_memory_event *history; /* a ring */
    size_t history_room, history_start, history_count;
};

/* --- set.c --- */
int tsi_order_fit(const tsi_block *a,
                  const tsi_block *b); /* stream, size, age, address */
int tsi_order_address(const tsi_block *a, const tsi_block *b);
/* The index of the first block that is not before `key`. */
size_t tsi_set_lower(const tsi_set *s, const tsi_block *key);
bool tsi_set_has(const tsi_set *s, const tsi_block *b);
ts_status tsi_set_room(tsi_set *s, size_t count);
void tsi_set_add(tsi_set *s, tsi_block *b);
void tsi_set_remove(tsi_set *s, tsi_block *b);

/* --- block.c --- */
bool tsi_block_idle(const tsi_block *b); /* neither handed out nor waiting */
ts_status tsi_block_new(ts_alloc *a, tsi_pool *pool, tsi_block **out);
void tsi_block_drop(ts_alloc *a, tsi_block *b);
bool tsi_block_should_split(const tsi_block *b, size_t size);
/* The first `size` bytes stay b's; the rest becomes a free block. */
ts_status tsi_block_split(ts_alloc *a, tsi_block *b, size_t size);
/* The free of `b` is complete: join its free neighbours, offer it. */
void tsi_block_complete(ts_alloc *a, tsi_block *b);

/* --- segment.c --- */
/* A new segment for a request of `size` (rounded);
 * *out NULL when memory or limit forbid it. */
ts_status tsi_segment_new(ts_alloc *a, tsi_pool *pool, size_t size, int64_t stream,
                          bool retry, tsi_block **out);
size_t tsi_segment_size(size_t size);
/* Give all whole free segments back, those of the private pools without uses too. */
ts_status tsi_segments_release(ts_alloc *a);

/* --- wait.c --- */
bool tsi_alloc_capturing(const ts_alloc *a);
ts_status tsi_wait_add(ts_alloc *a, tsi_block *b, ts_stream *stream);
/* b was freed and has uses: an event for each, or later if a capture forbids it. */
ts_status tsi_wait_begin(ts_alloc *a, tsi_block *b);
/* Complete the frees whose events have passed; `all` waits for every one of them. */
ts_status tsi_wait_process(ts_alloc *a, bool all);
void tsi_wait_close(ts_alloc *a);

/* --- pool.c --- */
tsi_pool *tsi_pool_for(ts_alloc *a, size_t size, const ts_stream *stream);
void tsi_pool_close(ts_alloc *a);

/* --- stats.c --- */
void tsi_stat_add(ts_alloc *a, int stat, const tsi_pool *pool, int64_t by);
void tsi_stat_note(ts_alloc *a, ts_memory_action action, ts_devptr p, size_t size,
                   int64_t stream);

/* --- valid.c --- */
/* NULL when blocks tile their segments, every set and ledger says what the blocks say and
 * no free neighbours stand apart; else what is wrong. */
const char *tsi_alloc_is_valid(ts_alloc *a);

#endif
