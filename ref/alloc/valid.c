/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator's invariants, recomputed from its blocks (M-13). */
#include "alloc/alloc.h"

/* What the statistics must say, by pool: [0] large, [1] small. */
typedef struct sums {
    int64_t active, active_bytes, allocated_bytes, allocation, inactive, inactive_bytes,
        requested, reserved, segment;
} sums;

static const char *check_block(const ts_alloc *a, const tsi_block *b)
{
    if (b->size == 0 || b->size % TSI_ROUND || b->p % TSI_ROUND)
        return "a block is not made of whole units";
    if (b->next && (b->next->prev != b || b->next->p != b->p + b->size))
        return "blocks do not tile their segment";
    if (b->next && (b->next->pool != b->pool || b->next->stream != b->stream ||
                    b->next->segment != b->segment))
        return "the blocks of a segment disagree on pool, stream or segment";
    if (tsi_block_idle(b) && b->next && tsi_block_idle(b->next))
        return "two free neighbours stand apart";
    if (b->allocated != tsi_set_has(&a->live, b))
        return "the live set and the blocks disagree";
    if (tsi_block_idle(b) != tsi_set_has(&b->pool->free, b))
        return "a free set and the blocks disagree";
    if (b->allocated && b->requested > b->size)
        return "a block is smaller than its request";
    return NULL;
}

static void count_block(const tsi_block *b, sums *s)
{
    const int64_t size = (int64_t)b->size;

    s->reserved += size;
    if (b->allocated) {
        s->allocation++;
        s->allocated_bytes += size;
    }
    if (!tsi_block_idle(b)) {
        s->active++;
        s->active_bytes += size;
        s->requested += (int64_t)b->requested;
    } else if (b->prev || b->next) {
        s->inactive++;
        s->inactive_bytes += size;
    }
}

static bool agrees(const ts_alloc *a, int stat, int64_t large, int64_t small)
{
    const int64_t *v = a->stats + stat + TSI_CURRENT;

    return v[TSI_ALL] == large + small && v[TSI_LARGE] == large && v[TSI_SMALL] == small;
}

static bool ledgers_agree(const ts_alloc *a, const sums s[2])
{
    return agrees(a, TSI_ACTIVE, s[0].active, s[1].active) &&
           agrees(a, TSI_ACTIVE_BYTES, s[0].active_bytes, s[1].active_bytes) &&
           agrees(a, TSI_ALLOCATED_BYTES, s[0].allocated_bytes, s[1].allocated_bytes) &&
           agrees(a, TSI_ALLOCATION, s[0].allocation, s[1].allocation) &&
           agrees(a, TSI_INACTIVE_SPLIT, s[0].inactive, s[1].inactive) &&
           agrees(a, TSI_INACTIVE_SPLIT_BYTES, s[0].inactive_bytes,
                  s[1].inactive_bytes) &&
           agrees(a, TSI_REQUESTED_BYTES, s[0].requested, s[1].requested) &&
           agrees(a, TSI_RESERVED_BYTES, s[0].reserved, s[1].reserved) &&
           agrees(a, TSI_SEGMENT, s[0].segment, s[1].segment) &&
           (int64_t)a->reserved == s[0].reserved + s[1].reserved;
}

static bool in_order(const tsi_set *s)
{
    for (size_t i = 1; i < s->count; i++)
        if (s->order(s->at[i - 1], s->at[i]) >= 0)
            return false;
    return true;
}

static const char *check(const ts_alloc *a)
{
    sums s[2] = {{0}, {0}};
    size_t blocks = 0, idle = 0, live = 0, offered = 0;
    int64_t events = 0, queued = 0;

    for (size_t i = 0; i < a->segments.count; i++) {
        const tsi_block *head = a->segments.at[i], *last = head;
        sums *to = &s[head->pool->small];

        if (head->prev)
            return "a segment starts in the middle";
        to->segment++;
        for (const tsi_block *b = head; b; last = b, b = b->next) {
            const char *wrong = check_block(a, b);

            if (wrong)
                return wrong;
            count_block(b, to);
            blocks++;
            idle += tsi_block_idle(b);
            live += b->allocated;
            events += b->events;
        }
        if (i + 1 < a->segments.count && last->p + last->size > a->segments.at[i + 1]->p)
            return "two segments overlap";
    }
    for (const tsi_queue *q = a->queues; q; q = q->next)
        for (const tsi_use *u = q->head; u; u = u->next)
            queued++;
    offered = a->small.free.count + a->large.free.count;
    for (const tsi_private *p = a->privates; p; p = p->next) {
        offered += p->small.free.count + p->large.free.count;
        if (!in_order(&p->small.free) || !in_order(&p->large.free))
            return "a private pool's free set is out of order";
    }
    if (!in_order(&a->small.free) || !in_order(&a->large.free) || !in_order(&a->live) ||
        !in_order(&a->segments))
        return "a set is out of order";
    if (blocks != a->blocks || idle != offered || live != a->live.count)
        return "a set holds blocks of no segment";
    if (events != queued)
        return "queued events and waiting blocks disagree";
    return ledgers_agree(a, s) ? NULL : "a ledger differs from its recomputation";
}

const char *tsi_alloc_is_valid(ts_alloc *a)
{
    const char *wrong;

    pthread_mutex_lock(&a->lock);
    wrong = check(a);
    pthread_mutex_unlock(&a->lock);
    return wrong;
}
