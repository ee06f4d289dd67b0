/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events over the driver table, and the current stream of each thread. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

struct ts_stream {
    _Atomic int refs;
    int64_t id;
    int device;
    tsd_stream *handle;
};

struct ts_event {
    int device;        /* once it has a handle */
    tsd_event *handle; /* NULL until the first record, which says the device */
    bool timing;
    tsi_clock *clock; /* for the race check */
};

static ts_driver table; /* the open driver's, as far as it goes */
static const ts_driver *driver;
static ts_stream default_streams[TS_ACCEL_MAX_DEVICES]; /* that they are 0 is enough */
static _Atomic int64_t last_id;
static _Thread_local struct {
    int device;
    ts_stream *streams[TS_ACCEL_MAX_DEVICES]; /* NULL: the default one */
} current;
static _Atomic int sync_debug;

const ts_driver *ts_accel_driver(void)
{
    return driver;
}

ts_status ts_accel_open(const ts_driver *d)
{
    ts_status s = TS_OK;

    if (d)
        TS_CHECK(TSD_HAS(d, device_count) && TSD_HAS(d, device_synchronize),
                 TS_ERR_UNSUPPORTED, NULL,
                 "the driver's table of %zu bytes lacks device_count or "
                 "device_synchronize",
                 d->size);
    if (driver) {
        s = ts_accel_synchronize_all();
        tsi_accel_storage_close();
    }
    driver = NULL;
    if (d) {
        memset(&table, 0, sizeof table);
        memcpy(&table, d, d->size < sizeof table ? d->size : sizeof table);
        table.size = sizeof table;
        driver = &table;
    }
    for (int i = 0; i < TS_ACCEL_MAX_DEVICES; i++)
        default_streams[i].device = i;
    return s;
}

int ts_accel_device_count(void)
{
    const int n = driver ? driver->device_count() : 0;

    return n < TS_ACCEL_MAX_DEVICES ? n : TS_ACCEL_MAX_DEVICES;
}

int ts_accel_device(void)
{
    return current.device;
}

static ts_status check_device(int index)
{
    TS_CHECK(index >= 0 && index < ts_accel_device_count(), TS_ERR_RUNTIME, "tensors/C9",
             "there is no device accel:%d, there are %d", index, ts_accel_device_count());
    return TS_OK;
}

ts_status ts_accel_set_device(int index)
{
    TS_TRY(check_device(index));
    current.device = index;
    return TS_OK;
}

int tsi_device_swap(int index)
{
    const int before = current.device;

    current.device = index;
    return before;
}

static ts_status need(bool entry, const char *what)
{
    TS_CHECK(driver, TS_ERR_RUNTIME, "tensors/C9", "%s: there is no accelerator", what);
    TS_CHECK(entry, TS_ERR_UNSUPPORTED, NULL, "%s: the driver has no such call", what);
    return TS_OK;
}

#define NEED(call) TS_TRY(need(driver && driver->call, #call))

ts_status ts_stream_new_on(int device, int priority, ts_stream **out)
{
    ts_stream *s;
    ts_status st;

    NEED(stream_create);
    TS_TRY(check_device(device));
    s = malloc(sizeof *s);
    TS_CHECK(s, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a stream");
    *s = (ts_stream){.refs = 1, .id = ++last_id, .device = device};
    st = driver->stream_create(device, priority, &s->handle);
    if (st != TS_OK) {
        free(s);
        return st;
    }
    *out = s;
    return TS_OK;
}

ts_status ts_stream_new(int priority, ts_stream **out)
{
    return ts_stream_new_on(current.device, priority, out);
}

ts_stream *ts_stream_retain(ts_stream *s)
{
    if (s)
        s->refs++;
    return s;
}

void ts_stream_release(ts_stream *s)
{
    if (!s || s->id == 0 || --s->refs > 0)
        return;
    driver->stream_destroy(s->device, s->handle);
    free(s);
}

ts_stream *ts_stream_default_of(int device)
{
    return &default_streams[device];
}

ts_stream *ts_stream_default(void)
{
    return ts_stream_default_of(current.device);
}

ts_stream *ts_stream_current_of(int device)
{
    ts_stream *s = current.streams[device];

    return s ? s : &default_streams[device];
}

ts_stream *ts_stream_current(void)
{
    return ts_stream_current_of(current.device);
}

static void make_current(int device, ts_stream *s)
{
    ts_stream *before = current.streams[device];

    current.streams[device] = ts_stream_retain(s);
    current.device = device;
    ts_stream_release(before);
}

void ts_stream_set_current(ts_stream *s)
{
    make_current(s ? s->device : current.device, s);
}

void ts_stream_reset_current(void)
{
    for (int i = TS_ACCEL_MAX_DEVICES - 1; i >= 0; i--)
        make_current(i, NULL);
}

int ts_stream_device(const ts_stream *s)
{
    return s->device;
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
    TS_TRY(driver->stream_query(s->device, s->handle, done));
    if (tsi_checking && *done)
        tsi_check_stream_done(s);
    return TS_OK;
}

ts_status ts_stream_synchronize(ts_stream *s)
{
    NEED(stream_synchronize);
    TS_TRY(ts_sync_point("Stream.synchronize"));
    TS_TRY(driver->stream_synchronize(s->device, s->handle));
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

    NEED(event_create);
    e = malloc(sizeof *e);
    TS_CHECK(e, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for an event");
    *e = (ts_event){.timing = timing};
    *out = e;
    return TS_OK;
}

void ts_event_release(ts_event *e)
{
    if (!e)
        return;
    if (e->handle)
        driver->event_destroy(e->device, e->handle);
    free(e->clock);
    free(e);
}

ts_status ts_event_record(ts_event *e, ts_stream *s)
{
    s = s ? s : ts_stream_current();
    if (!e->handle) {
        TS_TRY(driver->event_create(s->device, e->timing, &e->handle));
        e->device = s->device;
    }
    TS_CHECK(e->device == s->device, TS_ERR_RUNTIME, "exec/C7",
             "record: the event is accel:%d's, the stream accel:%d's", e->device,
             s->device);
    TS_TRY(driver->event_record(e->device, e->handle, s->handle));
    if (tsi_checking)
        tsi_check_event_record(&e->clock, s);
    return TS_OK;
}

ts_status ts_event_wait(ts_event *e, ts_stream *s)
{
    s = s ? s : ts_stream_current();
    if (!e->handle) /* never recorded (exec/S7) */
        return TS_OK;
    TS_TRY(driver->stream_wait_event(s->device, s->handle, e->handle));
    if (tsi_checking)
        tsi_check_event_wait(e->clock, s);
    return TS_OK;
}

ts_status ts_event_query(ts_event *e, bool *done)
{
    *done = true;
    if (!e->handle)
        return TS_OK;
    TS_TRY(driver->event_query(e->device, e->handle, done));
    if (tsi_checking && *done)
        tsi_check_event_wait(e->clock, NULL);
    return TS_OK;
}

ts_status ts_event_synchronize(ts_event *e)
{
    if (!e->handle)
        return TS_OK;
    TS_TRY(driver->event_synchronize(e->device, e->handle));
    if (tsi_checking)
        tsi_check_event_wait(e->clock, NULL);
    return TS_OK;
}

ts_status ts_event_elapsed(ts_event *start, ts_event *end, double *ms)
{
    bool done = true;

    TS_CHECK(start->timing && end->timing, TS_ERR_VALUE, "exec/C1",
             "elapsed_time: both events must be created with enable_timing=True");
    TS_CHECK(start->handle && end->handle, TS_ERR_VALUE, "exec/C2",
             "elapsed_time: both events must be recorded before");
    TS_TRY(ts_event_query(start, &done));
    if (done)
        TS_TRY(ts_event_query(end, &done));
    TS_CHECK(done, TS_ERR_RUNTIME, "exec/C3",
             "elapsed_time: not ready, an event has not passed yet");
    TS_CHECK(start->device == end->device, TS_ERR_RUNTIME, "exec/C7",
             "elapsed_time: one event is accel:%d's, the other accel:%d's", start->device,
             end->device);
    return driver->event_elapsed_ms(start->device, start->handle, end->handle, ms);
}

ts_status ts_accel_synchronize_device(int device)
{
    NEED(device_synchronize);
    TS_TRY(check_device(device));
    TS_TRY(driver->device_synchronize(device));
    if (tsi_checking)
        tsi_check_all_done(device);
    return TS_OK;
}

ts_status ts_accel_synchronize(void)
{
    return ts_accel_synchronize_device(current.device);
}

ts_status ts_accel_synchronize_all(void)
{
    ts_status first = TS_OK;

    NEED(device_synchronize);
    for (int i = ts_accel_device_count() - 1; i >= 0; i--) {
        const ts_status s = ts_accel_synchronize_device(i);

        first = s != TS_OK ? s : first; /* its message is the last one made */
    }
    return first;
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
