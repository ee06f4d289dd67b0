/* SPDX-License-Identifier: Apache-2.0 */
/* What the allocator holds at one moment (S14). */
#include <stdlib.h>

#include "alloc/alloc.h"

const char *ts_block_state_name(ts_block_state state)
{
    static const char *const text[] = {"inactive", "active_allocated",
                                       "active_pending_free"};

    return text[state];
}

static void describe(const tsi_block *head, ts_memory_segment *s, ts_memory_block *to)
{
    const tsi_private *owner = head->pool->owner;

    *s = (ts_memory_segment){.address = head->p,
                             .stream = head->stream,
                             .small = head->pool->small,
                             .pool = owner ? owner->id : (ts_pool_id){0, 0},
                             .blocks = to};
    for (const tsi_block *b = head; b; b = b->next, to++) {
        *to = (ts_memory_block){b->p, b->size, b->requested, TS_BLOCK_INACTIVE};
        s->total += b->size;
        s->block_count++;
        if (b->allocated) {
            to->state = TS_BLOCK_ACTIVE_ALLOCATED;
            s->allocated += b->size;
        } else if (!tsi_block_idle(b)) {
            to->state = TS_BLOCK_ACTIVE_PENDING_FREE;
        }
        if (to->state != TS_BLOCK_INACTIVE) {
            s->active += b->size;
            s->requested += b->requested;
        }
    }
}

ts_status ts_alloc_snapshot(ts_alloc *a, ts_memory_snapshot **out)
{
    ts_memory_snapshot *all;
    ts_memory_block *blocks;
    size_t active = 0;

    pthread_mutex_lock(&a->lock);
    all = malloc(sizeof *all + a->segments.count * sizeof *all->segments +
                 a->blocks * sizeof *blocks);
    if (all) {
        all->segments = (ts_memory_segment *)(all + 1);
        all->segment_count = a->segments.count;
        blocks = (ts_memory_block *)(all->segments + a->segments.count);
        for (size_t i = 0; i < a->segments.count; i++) {
            ts_memory_segment *s = &all->segments[i];

            describe(a->segments.at[i], s, blocks);
            blocks += s->block_count;
            active += s->active;
        }
        tsi_stat_note(a, TS_MEMORY_SNAPSHOT, 0, active, 0);
    }
    pthread_mutex_unlock(&a->lock);
    TS_CHECK(all, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for a snapshot");
    *out = all;
    return TS_OK;
}

void ts_memory_snapshot_free(ts_memory_snapshot *s)
{
    free(s);
}
