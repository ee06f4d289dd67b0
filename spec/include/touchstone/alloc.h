/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching allocator of device memory: PyTorch's native one, written over the driver
 * table. Freed memory stays here for the next request on the same stream; the device is
 * asked only when nothing cached fits. See spec/areas/allocator.md.
 */
#ifndef TOUCHSTONE_ALLOC_H
#define TOUCHSTONE_ALLOC_H

#include "touchstone/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_alloc ts_alloc;

/* Which blocks may serve each other: {0, 0} is every program's, others are private. */
typedef struct ts_pool_id {
    uint64_t capture, user; /* one of them 0 */
} ts_pool_id;

/* An allocator over one device. All calls but destroy may come from any thread. */
TS_API ts_status ts_alloc_new(const ts_driver *driver, int device, ts_alloc **out);
/* Everything goes back to the device, what callers still hold too. */
TS_API void ts_alloc_destroy(ts_alloc *a);
/* The one under a device's tensors, made at its first use; NULL without a driver. Of the
 * current device, or the given one. */
TS_API ts_alloc *ts_accel_allocator(void);
TS_API ts_alloc *ts_accel_allocator_of(int device);

/*
 * `stream` is one of the allocator's device. 0 bytes give address 0. Every result is a multiple of 512. OUT_OF_MEMORY only after all
 * that was cached went back to the device.
 */
TS_API ts_status ts_alloc_malloc(ts_alloc *a, size_t bytes, ts_stream *stream,
                                 ts_devptr *out);
TS_API ts_status ts_alloc_free(ts_alloc *a, ts_devptr p); /* 0 is nothing */
/* p is in use on `stream` too, of whatever device:
 * once freed it waits for what the stream has then. */
TS_API ts_status ts_alloc_record_stream(ts_alloc *a, ts_devptr p, ts_stream *stream);
TS_API ts_status ts_tensor_record_stream(ts_tensor *t, ts_stream *stream);
/* Wait for all pending frees, give whole free segments back. */
TS_API ts_status ts_alloc_empty_cache(ts_alloc *a);
/* At most this part of the device's memory, 1 for no limit; cached memory counts. */
TS_API ts_status ts_alloc_set_memory_fraction(ts_alloc *a, double fraction);
TS_API double ts_alloc_memory_fraction(ts_alloc *a);

/* --- statistics: torch.cuda.memory_stats, in the order of its keys --- */
#define TS_MEMORY_STATS 123
TS_API const char *ts_memory_stat_name(int i);
TS_API int ts_memory_stat_find(const char *name); /* -1: no such key */
TS_API void ts_alloc_stats(ts_alloc *a, int64_t values[TS_MEMORY_STATS]);
TS_API void ts_alloc_reset_peak(ts_alloc *a);
TS_API void ts_alloc_reset_accumulated(ts_alloc *a);

/* --- snapshot --- */
typedef enum ts_block_state {
    TS_BLOCK_INACTIVE,
    TS_BLOCK_ACTIVE_ALLOCATED,
    TS_BLOCK_ACTIVE_PENDING_FREE
} ts_block_state;
typedef struct ts_memory_block {
    ts_devptr address;
    size_t size, requested; /* requested: of an inactive block, the last request */
    ts_block_state state;
} ts_memory_block;
typedef struct ts_memory_segment {
    ts_devptr address;
    size_t total, allocated, active, requested;
    int64_t stream; /* its id */
    bool small;
    ts_pool_id pool;
    const ts_memory_block *blocks; /* by address, without gaps */
    size_t block_count;
} ts_memory_segment;
typedef struct ts_memory_snapshot {
    ts_memory_segment *segments; /* by address */
    size_t segment_count;
} ts_memory_snapshot;

TS_API ts_status ts_alloc_snapshot(ts_alloc *a, ts_memory_snapshot **out);
TS_API void ts_memory_snapshot_free(ts_memory_snapshot *s);
/* "active_allocated", as PyTorch writes it */
TS_API const char *ts_block_state_name(ts_block_state state);

/* --- history --- */
typedef enum ts_memory_action {
    TS_MEMORY_ALLOC,
    TS_MEMORY_FREE_REQUESTED,
    TS_MEMORY_FREE_COMPLETED,
    TS_MEMORY_SEGMENT_ALLOC,
    TS_MEMORY_SEGMENT_FREE,
    TS_MEMORY_SNAPSHOT,
    TS_MEMORY_OOM
} ts_memory_action;
typedef struct ts_memory_event {
    ts_memory_action action;
    ts_devptr address; /* of OOM: bytes free on the device */
    size_t size; /* requested bytes; of segments the device's; of OOM rounded ones */
    int64_t stream;
} ts_memory_event;

/* Keep the last `entries` events from now on; 0 stops and forgets. */
TS_API ts_status ts_alloc_record_history(ts_alloc *a, size_t entries);
/* The events kept, oldest first, to free(); what was taken is forgotten. */
TS_API ts_status ts_alloc_take_history(ts_alloc *a, ts_memory_event **out, size_t *count);
TS_API const char *ts_memory_action_name(ts_memory_action action);

/* --- private pools and captures --- */
/* Whether a request of this thread on `stream` belongs to the pool. */
typedef bool (*ts_pool_filter)(const ts_stream *stream, void *context);

/* A new id, of a user's pool or of one that a capture makes for itself. */
TS_API ts_pool_id ts_pool_id_new(bool capture);
/*
 * From now on requests that `filter` takes (NULL: all) come from the pool; of several
 * open ones the last wins. Each begin adds one to the pool's uses, release takes one off;
 * end does not. Without uses the pool's segments go back at the next empty_cache.
 */
TS_API ts_status ts_alloc_begin_pool(ts_alloc *a, ts_pool_id id, ts_pool_filter filter,
                                     void *context);
TS_API ts_status ts_alloc_end_pool(ts_alloc *a, ts_pool_id id);
TS_API ts_status ts_alloc_release_pool(ts_alloc *a, ts_pool_id id);
TS_API int64_t ts_alloc_pool_uses(ts_alloc *a, ts_pool_id id);
/* A capture begins or ends: in between, a thread whose current stream is capturing never
 * makes the device wait; frees with recorded streams are put off until after it. */
TS_API void ts_alloc_mark_capture(ts_alloc *a, bool begin);

#ifdef __cplusplus
}
#endif
#endif
