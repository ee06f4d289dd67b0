/* SPDX-License-Identifier: Apache-2.0 */
/* Segments: what the allocator has from the device. */
#include <stdlib.h>

#include "alloc/alloc.h"

/* S4 */
size_t tsi_segment_size(size_t size)
{
    if (size <= TSI_SMALL_MAX)
        return TSI_SMALL_SEGMENT;
    if (size < TSI_LARGE_MIN)
        return TSI_LARGE_SEGMENT;
    return (size + TSI_LARGE_ROUND - 1) / TSI_LARGE_ROUND * TSI_LARGE_ROUND;
}

ts_status tsi_segment_new(ts_alloc *a, tsi_pool *pool, size_t size, int64_t stream,
                          bool retry, tsi_block **out)
{
    const size_t bytes = tsi_segment_size(size);
    tsi_block *b;
    ts_status s;

    *out = NULL;
    if (retry)
        a->stats[TSI_ALLOC_RETRIES]++;
    if (a->limit < a->reserved || bytes > a->limit - a->reserved)
        return TS_OK;
    TS_TRY(tsi_block_new(a, pool, &b));
    s = a->driver->mem_alloc(a->device, bytes, &b->p);
    if (s != TS_OK) {
        tsi_block_drop(a, b);
        if (s != TS_ERR_OUT_OF_MEMORY)
            return s;
        ts_error_clear();
        return TS_OK;
    }
    b->size = bytes;
    b->stream = stream;
    b->segment = a->registered++;
    tsi_set_add(&a->segments, b);
    a->reserved += bytes;
    if (pool->owner)
        pool->owner->segments++;
    tsi_stat_add(a, TSI_SEGMENT, pool, 1);
    tsi_stat_add(a, TSI_RESERVED_BYTES, pool, (int64_t)bytes);
    a->stats[TSI_DEVICE_ALLOC]++;
    tsi_stat_note(a, TS_MEMORY_SEGMENT_ALLOC, b->p, bytes, stream);
    *out = b;
    return TS_OK;
}

static ts_status release(ts_alloc *a, tsi_block *b)
{
    tsi_pool *pool = b->pool;
    const ts_devptr p = b->p;

    a->stats[TSI_DEVICE_FREE]++;
    tsi_stat_note(a, TS_MEMORY_SEGMENT_FREE, p, b->size, b->stream);
    tsi_stat_add(a, TSI_SEGMENT, pool, -1);
    tsi_stat_add(a, TSI_RESERVED_BYTES, pool, -(int64_t)b->size);
    a->reserved -= b->size;
    if (pool->owner)
        pool->owner->segments--;
    tsi_set_remove(&pool->free, b);
    tsi_set_remove(&a->segments, b);
    tsi_block_drop(a, b);
    return a->driver->mem_free(a->device, p);
}

static ts_status release_pool(ts_alloc *a, tsi_pool *pool)
{
    ts_status first = TS_OK;

    for (size_t i = 0; i < pool->free.count;) {
        tsi_block *b = pool->free.at[i];

        if (b->prev || b->next) {
            i++;
        } else {
            const ts_status s = release(a, b);

            first = first == TS_OK ? s : first;
        }
    }
    return first;
}

ts_status tsi_segments_release(ts_alloc *a)
{
    if (!tsi_alloc_capturing(a)) {
        TS_TRY(tsi_wait_process(a, true));
        TS_TRY(release_pool(a, &a->large));
        TS_TRY(release_pool(a, &a->small));
    }
    for (tsi_private **link = &a->privates; *link;) {
        tsi_private *p = *link;

        if (p->uses == 0) {
            TS_TRY(release_pool(a, &p->small));
            TS_TRY(release_pool(a, &p->large));
        }
        if (p->uses == 0 && p->segments == 0) {
            *link = p->next;
            free(p->small.free.at);
            free(p->large.free.at);
            free(p);
        } else {
            link = &p->next;
        }
    }
    return TS_OK;
}
