/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events over the driver table, and the current stream of each thread. */
#include <stdatomic.h>
#include <stdlib.h>

#include "device/device.h"

struct ts_stream {
    _Atomic int refs;
    int64_t id;
    tsd_stream *handle;
};

struct ts_event {
    tsd_event *handle;
    bool timing, recorded;
    tsi_clock *clock; /* for the race check */
};

static const ts_driver *driver;
static ts_stream default_stream = {1, 0, NULL};
static _Atomic int64_t last_id;
static _Thread_local ts_stream *current;
static _Atomic int sync_debug;

const ts_driver *ts_accel_driver(void)
{
    return driver;
}

ts_status ts_accel_open(const ts_driver *d)
{
    ts_status s = TS_OK;

    if (driver) {
        s = driver->device_synchronize(0);
        tsi_accel_storage_close();
    }
    driver = d;
    return s;
}

int ts_accel_device_count(void)
{
    return driver ? driver->device_count() : 0;
}

static ts_status need(bool entry, const char *what)
{
    TS_CHECK(driver, TS_ERR_RUNTIME, "tensors/C9", "%s: there is no accelerator", what);
    TS_CHECK(entry, TS_ERR_UNSUPPORTED, NULL, "%s: the driver has no such call", what);
    return TS_OK;
}

#define NEED(call) TS_TRY(need(driver && driver->call, #call))

ts_status ts_stream_new(int priority, ts_stream **out)
{
    ts_stream *s;
    ts_status st;

    NEED(stream_create);
    s = malloc(sizeof *s);
    TS_CHECK(s, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a stream");
    *s = (ts_stream){.refs = 1, .id = ++last_id};
    st = driver->stream_create(0, priority, &s->handle);
    if (st != TS_OK) {
        free(s);
        return st;
    }
    *out = s;
    return TS_OK;
}

ts_stream *ts_stream_retain(ts_stream *s)
{
    if (s)
        s->refs++;
    return s;
}

void ts_stream_release(ts_stream *s)
{
    if (!s || s == &default_stream || --s->refs > 0)
        return;
    driver->stream_destroy(0, s->handle);
    free(s);
}

ts_stream *ts_stream_default(void)
{
    return &default_stream;
}

ts_stream *ts_stream_current(void)
{
    return current ? current : &default_stream;
}

void ts_stream_set_current(ts_stream *s)
{
    ts_stream *before = current;

    current = ts_stream_retain(s);
    ts_stream_release(before);
}

int64_t ts_stream_id(const ts_stream *s)
{
    return s->id;
}

tsd_stream *ts_stream_handle(const ts_stream *s)
{
    return s->handle;
}

ts_status ts_stream_query(ts_stream *s, bool *done)
{
    NEED(stream_query);
    TS_TRY(driver->stream_query(0, s->handle, done));
    if (tsi_checking && *done)
        tsi_check_stream_done(s);
    return TS_OK;
}

ts_status ts_stream_synchronize(ts_stream *s)
{
    NEED(stream_synchronize);
    TS_TRY(ts_sync_point("Stream.synchronize"));
    TS_TRY(driver->stream_synchronize(0, s->handle));
    if (tsi_checking)
        tsi_check_stream_done(s);
    return TS_OK;
}

ts_status ts_stream_wait_stream(ts_stream *s, ts_stream *other)
{
    ts_event *e;
    ts_status st;

    TS_TRY(ts_event_new(false, &e));
    st = ts_event_record(e, other);
    if (st == TS_OK)
        st = ts_event_wait(e, s);
    ts_event_release(e);
    return st;
}

ts_status ts_event_new(bool timing, ts_event **out)
{
    ts_event *e;
    ts_status st;

    NEED(event_create);
    e = malloc(sizeof *e);
    TS_CHECK(e, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for an event");
    *e = (ts_event){.timing = timing};
    st = driver->event_create(0, timing, &e->handle);
    if (st != TS_OK) {
        free(e);
        return st;
    }
    *out = e;
    return TS_OK;
}

void ts_event_release(ts_event *e)
{
    if (!e)
        return;
    driver->event_destroy(0, e->handle);
    free(e->clock);
    free(e);
}

ts_status ts_event_record(ts_event *e, ts_stream *s)
{
    s = s ? s : ts_stream_current();
    TS_TRY(driver->event_record(0, e->handle, s->handle));
    e->recorded = true;
    if (tsi_checking)
        tsi_check_event_record(&e->clock, s);
    return TS_OK;
}

ts_status ts_event_wait(ts_event *e, ts_stream *s)
{
    s = s ? s : ts_stream_current();
    TS_TRY(driver->stream_wait_event(0, s->handle, e->handle));
    if (tsi_checking)
        tsi_check_event_wait(e->clock, s);
    return TS_OK;
}

ts_status ts_event_query(ts_event *e, bool *done)
{
    TS_TRY(driver->event_query(0, e->handle, done));
    if (tsi_checking && *done)
        tsi_check_event_wait(e->clock, NULL);
    return TS_OK;
}

ts_status ts_event_synchronize(ts_event *e)
{
    TS_TRY(driver->event_synchronize(0, e->handle));
    if (tsi_checking)
        tsi_check_event_wait(e->clock, NULL);
    return TS_OK;
}

ts_status ts_event_elapsed(ts_event *start, ts_event *end, double *ms)
{
    bool done = true;

    TS_CHECK(start->timing && end->timing, TS_ERR_VALUE, "exec/C1",
             "elapsed_time: both events must be created with enable_timing=True");
    TS_CHECK(start->recorded && end->recorded, TS_ERR_VALUE, "exec/C2",
             "elapsed_time: both events must be recorded before");
    TS_TRY(ts_event_query(start, &done));
    if (done)
        TS_TRY(ts_event_query(end, &done));
    TS_CHECK(done, TS_ERR_RUNTIME, "exec/C3",
             "elapsed_time: not ready, an event has not passed yet");
    return driver->event_elapsed_ms(0, start->handle, end->handle, ms);
}

ts_status ts_accel_synchronize(void)
{
    NEED(device_synchronize);
    TS_TRY(driver->device_synchronize(0));
    if (tsi_checking)
        tsi_check_all_done();
    return TS_OK;
}

/* --- the sync-debug mode --- */

ts_sync_debug ts_set_sync_debug(ts_sync_debug mode)
{
    return (ts_sync_debug)atomic_exchange(&sync_debug, (int)mode);
}

ts_sync_debug ts_sync_debug_now(void)
{
    return (ts_sync_debug)sync_debug;
}

ts_status ts_sync_point(const char *what)
{
    const int mode = sync_debug;

    TS_CHECK(mode != TS_SYNC_ERROR, TS_ERR_RUNTIME, "exec/C5",
             "%s: a synchronizing operation under the sync-debug mode 'error'", what);
    if (mode == TS_SYNC_WARN)
        ts_warn("exec/S18", "%s: a synchronizing operation", what);
    return TS_OK;
}
