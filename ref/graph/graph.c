/* SPDX-License-Identifier: Apache-2.0 */
/* A graph object: capture, replay, and the private pool under it (graph/S1 to S9). */
#include "touchstone/graph.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/core.h"

typedef enum state { FRESH, CAPTURING, READY } state;

static _Atomic int under_way;

struct ts_graph {
    state state;
    ts_pool_id pool; /* in use unless FRESH */
    int device;      /* the stream's */
    ts_stream *stream;
    uint64_t capture; /* the driver's number of the capture, once begun */
    tsd_graph *handle;
};

ts_status ts_graph_new(ts_graph **out)
{
    const ts_driver *d = ts_accel_driver();

    TS_CHECK(d && d->capture_begin && d->capture_end && d->capture_id && d->graph_launch,
             TS_ERR_RUNTIME, "tensors/C9", "there is no accelerator that captures");
    *out = calloc(1, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a graph");
    return TS_OK;
}

static uint64_t capture_of(const ts_stream *s)
{
    const ts_driver *d = ts_accel_driver();
    uint64_t id = 0;

    if (d && d->capture_id &&
        d->capture_id(ts_stream_device(s), ts_stream_handle(s), &id) != TS_OK)
        id = 0;
    return id;
}

bool ts_stream_is_capturing(void)
{
    return capture_of(ts_stream_current()) != 0;
}

bool ts_capture_is_under_way(void)
{
    return under_way > 0;
}

/* Requests of the capture, on whichever of its streams, and no others (S7). */
static bool is_mine(const ts_stream *s, void *context)
{
    const ts_graph *g = context;

    return g->capture != 0 && capture_of(s) == g->capture;
}

/* The allocator's part of a capture's end, however that went. */
static void close_scope(ts_graph *g, bool keep)
{
    ts_alloc *a = ts_accel_allocator_of(g->device);

    under_way--;
    ts_alloc_mark_capture(a, false);
    (void)ts_alloc_end_pool(a, g->pool);
    if (!keep)
        (void)ts_alloc_release_pool(a, g->pool);
    ts_stream_release(g->stream);
    g->stream = NULL;
    g->capture = 0;
    g->state = keep ? READY : FRESH;
}

ts_status ts_graph_capture_begin(ts_graph *g, ts_pool_id pool, ts_capture_mode mode)
{
    const ts_driver *d = ts_accel_driver();
    ts_stream *s = ts_stream_current();
    ts_alloc *a = ts_accel_allocator();
    ts_status st;

    TS_CHECK(g->state != READY, TS_ERR_RUNTIME, "graph/C1",
             "capture_begin: the graph has been captured; reset() it first");
    TS_CHECK(s != ts_stream_default_of(ts_stream_device(s)), TS_ERR_RUNTIME, "graph/C2",
             "capture_begin: the default stream can't be captured; make another current");
    TS_CHECK(g->state == FRESH && capture_of(s) == 0, TS_ERR_RUNTIME, "graph/C5",
             "capture_begin: a capture is under way already");
    TS_CHECK(a, TS_ERR_RUNTIME, "tensors/C9", "there is no accelerator with memory");
    TS_CHECK(!pool.capture || !pool.user, TS_ERR_RUNTIME, "graph/C9",
             "capture_begin: there is no pool (%" PRIu64 ", %" PRIu64 ")", pool.capture,
             pool.user);
    g->pool = pool.capture || pool.user ? pool : ts_pool_id_new(true);
    /* The allocator takes the capture for active a little longer than the driver does, so
     * that no request falls between the two. */
    TS_TRY(ts_alloc_begin_pool(a, g->pool, is_mine, g));
    ts_alloc_mark_capture(a, true);
    g->stream = ts_stream_retain(s);
    g->device = ts_stream_device(s);
    g->state = CAPTURING;
    under_way++;
    st = d->capture_begin(g->device, ts_stream_handle(s), mode);
    if (st != TS_OK)
        close_scope(g, false);
    else
        g->capture = capture_of(s);
    return st;
}

ts_status ts_graph_capture_end(ts_graph *g)
{
    const ts_driver *d = ts_accel_driver();
    ts_status st;

    TS_CHECK(g->state == CAPTURING, TS_ERR_RUNTIME, "graph/C6",
             "capture_end: no capture of this graph is under way");
    TS_CHECK(ts_stream_current() == g->stream, TS_ERR_RUNTIME, "graph/C6",
             "capture_end: the current stream is not the one where the capture began");
    st = d->capture_end(g->device, ts_stream_handle(g->stream), &g->handle);
    close_scope(g, st == TS_OK);
    if (st == TS_OK && ts_graph_node_count(g) == 0)
        ts_warn("graph/S12", "capture_end: the graph is empty: no work was captured");
    return st;
}

ts_status ts_graph_replay(ts_graph *g)
{
    TS_CHECK(g->state == READY, TS_ERR_RUNTIME, "graph/C7",
             "replay: no capture of this graph has ended");
    return ts_accel_driver()->graph_launch(
        g->device, g->handle, ts_stream_handle(ts_stream_current_of(g->device)));
}

ts_status ts_graph_reset(ts_graph *g)
{
    const ts_driver *d = ts_accel_driver();
    const state was = g->state;

    g->state = FRESH;
    if (!d) /* the driver took everything with it */
        return TS_OK;
    if (was == CAPTURING) {
        if (d->capture_end(g->device, ts_stream_handle(g->stream), &g->handle) == TS_OK)
            d->graph_destroy(g->device, g->handle);
        else
            ts_error_clear(); /* nobody wants what was recorded */
        close_scope(g, false);
    } else if (was == READY) {
        d->graph_destroy(g->device, g->handle); /* what was launched keeps its own hold */
        (void)ts_alloc_release_pool(ts_accel_allocator_of(g->device), g->pool);
    }
    g->handle = NULL;
    return TS_OK;
}

void ts_graph_release(ts_graph *g)
{
    if (!g)
        return;
    (void)ts_graph_reset(g);
    free(g);
}

ts_status ts_graph_pool(const ts_graph *g, ts_pool_id *out)
{
    TS_CHECK(g->state == READY, TS_ERR_RUNTIME, "graph/C8",
             "pool: no capture of this graph has ended");
    *out = g->pool;
    return TS_OK;
}

int64_t ts_graph_node_count(const ts_graph *g)
{
    const ts_driver *d = ts_accel_driver();

    return g->handle && d->graph_node_count ? d->graph_node_count(g->device, g->handle)
                                            : 0;
}

ts_pool_id ts_graph_pool_handle(void)
{
    return ts_pool_id_new(false);
}
