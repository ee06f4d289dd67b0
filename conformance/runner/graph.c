/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `run --graph`: a driver around the one under test. While it is told to, it captures what
 * is launched on the default stream, as long as nobody waits, and replays it then
 * (graph/S14). A stream of its own stands in for the default one, which can't be captured.
 */
#include <string.h>

#include "runner/judge.h"

static const ts_driver *inner;
static ts_driver outer;
static tsd_stream *stream;
static bool capturing, wanted;
static tsi_graph_counts counts;

static tsd_stream *mine(int device, tsd_stream *s)
{
    return s || device != 0 ? s : stream; /* of the first device alone */
}

/* Work is wanted done: what is recorded becomes a graph and runs. */
static ts_status cut(void)
{
    tsd_graph *g;
    ts_status s;

    if (!capturing)
        return TS_OK;
    capturing = false;
    TS_TRY(inner->capture_end(0, stream, &g));
    counts.graphs++;
    counts.nodes += inner->graph_node_count(0, g);
    s = inner->graph_launch(0, g, stream);
    inner->graph_destroy(0, g);
    return s;
}

static ts_status record(int device, tsd_stream *s)
{
    if (!wanted || mine(device, s) != stream || capturing)
        return TS_OK;
    TS_TRY(inner->capture_begin(0, stream, TS_CAPTURE_RELAXED));
    capturing = true;
    return TS_OK;
}

static ts_status launch(int device, ts_kernel kernel, const ts_kernel_call *f,
                        tsd_stream *s)
{
    TS_TRY(record(device, s));
    return inner->launch(device, kernel, f, mine(device, s));
}

static ts_status fill(int device, ts_devptr p, int byte, size_t bytes, tsd_stream *s)
{
    TS_TRY(record(device, s));
    return inner->fill(device, p, byte, bytes, mine(device, s));
}

static ts_status copy(int device, void *dst, const void *src, size_t bytes,
                      ts_copy_kind kind, tsd_stream *s)
{
    TS_TRY(kind == TS_DEVICE_TO_DEVICE ? record(device, s) : cut());
    return inner->copy(device, dst, src, bytes, kind, mine(device, s));
}

static ts_status mem_free(int device, ts_devptr p)
{
    TS_TRY(cut());
    return inner->mem_free(device, p);
}

static ts_status stream_query(int device, tsd_stream *s, bool *done)
{
    TS_TRY(cut());
    return inner->stream_query(device, mine(device, s), done);
}

static ts_status stream_synchronize(int device, tsd_stream *s)
{
    TS_TRY(cut());
    return inner->stream_synchronize(device, mine(device, s));
}

static ts_status stream_wait_event(int device, tsd_stream *s, tsd_event *e)
{
    TS_TRY(cut());
    return inner->stream_wait_event(device, mine(device, s), e);
}

static ts_status device_synchronize(int device)
{
    TS_TRY(cut());
    return inner->device_synchronize(device);
}

static ts_status event_record(int device, tsd_event *e, tsd_stream *s)
{
    TS_TRY(cut());
    return inner->event_record(device, e, mine(device, s));
}

static ts_status capture_status(int device, tsd_stream *s, ts_capture_status *out)
{
    *out = TS_CAPTURE_NONE; /* of the default stream the runtime knows nothing */
    return s ? inner->capture_status(device, s, out) : TS_OK;
}

static ts_status capture_id(int device, tsd_stream *s, uint64_t *out)
{
    *out = 0;
    return s ? inner->capture_id(device, s, out) : TS_OK;
}

static ts_status graph_launch(int device, tsd_graph *g, tsd_stream *s)
{
    TS_TRY(cut());
    return inner->graph_launch(device, g, mine(device, s));
}

static ts_status peer_copy(int to_device, ts_devptr to, int device, ts_devptr from,
                           size_t bytes, tsd_stream *s)
{
    TS_TRY(cut());
    return inner->peer_copy(to_device, to, device, from, bytes, mine(device, s));
}

ts_status tsi_graph_driver(const ts_driver *driver, const ts_driver **out)
{
    TS_CHECK(TSD_HAS(driver, launch) && TSD_HAS(driver, capture_begin) &&
                 TSD_HAS(driver, capture_id) && TSD_HAS(driver, graph_node_count),
             TS_ERR_UNSUPPORTED, NULL, "--graph: the driver has no captures to try");
    inner = driver;
    memset(&outer, 0, sizeof outer);
    memcpy(&outer, driver, driver->size < sizeof outer ? driver->size : sizeof outer);
    outer.size = sizeof outer;
    outer.launch = launch;
    outer.fill = fill;
    outer.copy = copy;
    outer.mem_free = mem_free;
    outer.stream_query = stream_query;
    outer.stream_synchronize = stream_synchronize;
    outer.stream_wait_event = stream_wait_event;
    outer.device_synchronize = device_synchronize;
    outer.event_record = event_record;
    outer.capture_status = capture_status;
    outer.capture_id = capture_id;
    outer.graph_launch = graph_launch;
    if (TSD_HAS(driver, peer_copy))
        outer.peer_copy = peer_copy;
    *out = &outer;
    return inner->stream_create(0, 0, &stream);
}

void tsi_graph_capture(bool on)
{
    wanted = on;
}

tsi_graph_counts tsi_graph_take_counts(void)
{
    const tsi_graph_counts now = counts;

    counts = (tsi_graph_counts){0, 0};
    return now;
}
