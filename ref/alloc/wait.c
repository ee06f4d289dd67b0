/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks used on other streams: a free waits for events there (S9 to S11, S19). */
#include <stdlib.h>

#include "alloc/alloc.h"

/* The calling thread's current stream is part of a capture. */
bool tsi_alloc_capturing(const ts_alloc *a)
{
    ts_capture_status status = TS_CAPTURE_NONE;

    return a->captures > 0 && TSD_HAS(a->driver, capture_status) &&
           a->driver->capture_status(a->device,
                                     ts_stream_handle(ts_stream_current_of(a->device)),
                                     &status) == TS_OK &&
           status != TS_CAPTURE_NONE;
}

static bool same(const ts_stream *a, const ts_stream *b)
{
    return ts_stream_id(a) == ts_stream_id(b) &&
           ts_stream_device(a) == ts_stream_device(b);
}

/* A passed use whose event, if it has one, is of that device; NULL: there is none. */
static tsi_use *take_spare(ts_alloc *a, int device)
{
    tsi_use **link = &a->spare, *u;

    while (*link && (*link)->event && (*link)->device != device)
        link = &(*link)->next;
    u = *link;
    if (u) {
        *link = u->next;
        u->device = device;
    }
    return u;
}

ts_status tsi_wait_add(ts_alloc *a, tsi_block *b, ts_stream *stream)
{
    tsi_use *u;

    TS_CHECK(TSD_HAS(a->driver, event_create) && TSD_HAS(a->driver, event_record) &&
                 TSD_HAS(a->driver, event_query),
             TS_ERR_UNSUPPORTED, NULL, "record_stream: the driver has no events");
    for (u = b->uses; u; u = u->next)
        if (same(u->stream, stream))
            break;
    if (!u) {
        u = take_spare(a, ts_stream_device(stream));
        if (!u) {
            u = calloc(1, sizeof *u);
            TS_CHECK(u, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for a use");
            u->device = ts_stream_device(stream);
        }
        u->stream = ts_stream_retain(stream);
        u->block = b;
        u->captured = false;
        u->next = b->uses;
        b->uses = u;
    }
    /* Recorded in a capture, whatever was recorded before: S19. */
    u->captured = u->captured || tsi_alloc_capturing(a);
    return TS_OK;
}

static void retire(ts_alloc *a, tsi_use *u)
{
    ts_stream_release(u->stream);
    u->stream = NULL;
    u->next = a->spare;
    a->spare = u;
}

/* The end of the queue of u's stream, made if it is not there. */
static ts_status enqueue(ts_alloc *a, tsi_use *u)
{
    const int64_t id = ts_stream_id(u->stream);
    tsi_queue **link = &a->queues, *q;

    while (*link && ((*link)->stream < id ||
                     ((*link)->stream == id && (*link)->device < u->device)))
        link = &(*link)->next;
    q = *link;
    if (!q || q->stream != id || q->device != u->device) {
        q = calloc(1, sizeof *q);
        TS_CHECK(q, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for a queue");
        q->next = *link;
        q->stream = id;
        q->device = u->device;
        *link = q;
    }
    u->next = NULL;
    if (q->tail)
        q->tail->next = u;
    else
        q->head = u;
    q->tail = u;
    return TS_OK;
}

static ts_status mark(ts_alloc *a, tsi_use *u)
{
    if (!u->event)
        TS_TRY(a->driver->event_create(u->device, false, &u->event));
    TS_TRY(a->driver->event_record(u->device, u->event, ts_stream_handle(u->stream)));
    return enqueue(a, u);
}

static ts_status mark_all(ts_alloc *a, tsi_block *b)
{
    ts_status first = TS_OK;

    while (b->uses) {
        tsi_use *u = b->uses;
        ts_status s;

        b->uses = u->next;
        s = mark(a, u);
        if (s == TS_OK) {
            b->events++;
            continue;
        }
        /* No event, so wait here: memory in use must not come back. */
        if (a->driver->device_synchronize(u->device) != TS_OK)
            first = s;
        retire(a, u);
    }
    if (b->events == 0)
        tsi_block_complete(a, b);
    return first;
}

ts_status tsi_wait_begin(ts_alloc *a, tsi_block *b)
{
    if (!tsi_alloc_capturing(a))
        return mark_all(a, b);
    b->deferred = a->deferred;
    a->deferred = b;
    return TS_OK;
}

/* Streams that joined during the capture are done with the block: their work was only
 * recorded. The others get their events now. */
static ts_status settle_deferred(ts_alloc *a)
{
    ts_status first = TS_OK;

    while (a->deferred) {
        tsi_block *b = a->deferred;
        ts_status s;

        a->deferred = b->deferred;
        b->deferred = NULL;
        for (tsi_use **link = &b->uses; *link;) {
            tsi_use *u = *link;

            if (u->captured) {
                *link = u->next;
                retire(a, u);
            } else {
                link = &u->next;
            }
        }
        s = mark_all(a, b);
        first = first == TS_OK ? s : first;
    }
    return first;
}

static ts_status process_queue(ts_alloc *a, tsi_queue *q, bool all)
{
    while (q->head) {
        tsi_use *u = q->head;
        bool passed = true;

        if (all)
            TS_TRY(a->driver->event_synchronize(u->device, u->event));
        else
            TS_TRY(a->driver->event_query(u->device, u->event, &passed));
        if (!passed)
            return TS_OK;
        q->head = u->next;
        if (!q->head)
            q->tail = NULL;
        if (--u->block->events == 0)
            tsi_block_complete(a, u->block);
        retire(a, u);
    }
    return TS_OK;
}

ts_status tsi_wait_process(ts_alloc *a, bool all)
{
    if (all)
        a->stats[TSI_SYNC_ALL_STREAMS]++;
    TS_TRY(settle_deferred(a));
    for (tsi_queue **link = &a->queues; *link;) {
        tsi_queue *q = *link;

        TS_TRY(process_queue(a, q, all));
        if (q->head) {
            link = &q->next;
        } else {
            *link = q->next;
            free(q);
        }
    }
    return TS_OK;
}

static void drop_uses(ts_alloc *a, tsi_use *u)
{
    while (u) {
        tsi_use *next = u->next;

        if (u->event)
            a->driver->event_destroy(u->device, u->event);
        ts_stream_release(u->stream);
        free(u);
        u = next;
    }
}

void tsi_wait_close(ts_alloc *a)
{
    for (size_t i = 0; i < a->segments.count; i++)
        for (tsi_block *b = a->segments.at[i]; b; b = b->next)
            drop_uses(a, b->uses);
    while (a->queues) {
        tsi_queue *next = a->queues->next;

        drop_uses(a, a->queues->head);
        free(a->queues);
        a->queues = next;
    }
    drop_uses(a, a->spare);
}
