/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: the pieces that tile a segment. */
#include <stdlib.h>

#include "alloc/alloc.h"

bool tsi_block_idle(const tsi_block *b)
{
    return !b->allocated && b->events == 0 && !b->uses;
}

static bool is_piece(const tsi_block *b)
{
    return b->prev || b->next;
}

ts_status tsi_block_new(ts_alloc *a, tsi_pool *pool, tsi_block **out)
{
    tsi_block *b;

    /* Room now, so that no later move between sets can fail. */
    TS_TRY(tsi_set_room(&a->segments, a->blocks + 1));
    TS_TRY(tsi_set_room(&a->live, a->blocks + 1));
    TS_TRY(tsi_set_room(&pool->free, pool->blocks + 1));
    b = calloc(1, sizeof *b);
    TS_CHECK(b, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for a block");
    b->pool = pool;
    a->blocks++;
    pool->blocks++;
    *out = b;
    return TS_OK;
}

void tsi_block_drop(ts_alloc *a, tsi_block *b)
{
    a->blocks--;
    b->pool->blocks--;
    free(b);
}

/* S5 */
bool tsi_block_should_split(const tsi_block *b, size_t size)
{
    const size_t rest = b->size - size;

    return b->pool->small ? rest >= TSI_ROUND : rest > TSI_SMALL_MAX;
}

ts_status tsi_block_split(ts_alloc *a, tsi_block *b, size_t size)
{
    const bool piece = is_piece(b);
    tsi_block *rest = NULL;

    TS_TRY(tsi_block_new(a, b->pool, &rest));
    rest->prev = b;
    rest->next = b->next;
    if (b->next)
        b->next->prev = rest;
    b->next = rest;
    rest->p = b->p + size;
    rest->size = b->size - size;
    rest->requested = b->requested;
    rest->stream = b->stream;
    rest->segment = b->segment;
    b->size = size;
    tsi_set_add(&b->pool->free, rest);
    if (piece) { /* the free piece became smaller */
        tsi_stat_add(a, TSI_INACTIVE_SPLIT_BYTES, b->pool, -(int64_t)size);
    } else {
        tsi_stat_add(a, TSI_INACTIVE_SPLIT, b->pool, 1);
        tsi_stat_add(a, TSI_INACTIVE_SPLIT_BYTES, b->pool, (int64_t)rest->size);
    }
    return TS_OK;
}

/* The block that b and its free right neighbour make. */
static tsi_block *join(ts_alloc *a, tsi_block *b)
{
    tsi_block *right = b->next;

    b->size += right->size;
    b->next = right->next;
    if (b->next)
        b->next->prev = b;
    tsi_block_drop(a, right);
    return b;
}

void tsi_block_complete(ts_alloc *a, tsi_block *b)
{
    tsi_pool *pool = b->pool;
    const size_t size = b->size, requested = b->requested;
    int64_t pieces = 0, bytes = 0; /* what becomes of the inactive split ones */

    tsi_stat_note(a, TS_MEMORY_FREE_COMPLETED, b->p, requested, b->stream);
    if (b->prev && tsi_block_idle(b->prev)) {
        pieces--;
        bytes -= (int64_t)b->prev->size;
        tsi_set_remove(&pool->free, b->prev);
        b = join(a, b->prev);
    }
    if (b->next && tsi_block_idle(b->next)) {
        pieces--;
        bytes -= (int64_t)b->next->size;
        tsi_set_remove(&pool->free, b->next);
        join(a, b);
    }
    b->requested = requested;
    tsi_set_add(&pool->free, b);
    if (is_piece(b)) {
        pieces++;
        bytes += (int64_t)b->size;
    }
    tsi_stat_add(a, TSI_INACTIVE_SPLIT, pool, pieces);
    tsi_stat_add(a, TSI_INACTIVE_SPLIT_BYTES, pool, bytes);
    tsi_stat_add(a, TSI_ACTIVE, pool, -1);
    tsi_stat_add(a, TSI_ACTIVE_BYTES, pool, -(int64_t)size);
    tsi_stat_add(a, TSI_REQUESTED_BYTES, pool, -(int64_t)requested);
}
