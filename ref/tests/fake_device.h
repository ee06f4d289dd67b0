/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device without work: memory is addresses that ascend by 2 MiB units and never come
 * again, an event has passed unless its stream was held when it was recorded. The same
 * rules as golden/standin, so that traces agree down to the address.
 */
#ifndef TSI_FAKE_DEVICE_H
#define TSI_FAKE_DEVICE_H

#include <stdlib.h>

#include "touchstone/device.h"

#define FAKE_BASE ((ts_devptr)1 << 40)
#define FAKE_UNIT ((size_t)2 << 20)

struct tsd_stream {
    bool held;
    int holds; /* so far: what waited for an earlier one has passed */
};
struct tsd_event {
    tsd_stream *stream; /* held at the last record; NULL when it has passed */
    int hold;
};

static struct {
    size_t capacity, used;
    ts_devptr next;
    struct {
        ts_devptr p;
        size_t bytes;
    } ranges[1024];
    int count;
    struct tsd_stream streams[32];
    int stream_count;
    bool capturing; /* every stream but the default one */
    int waits;      /* calls that waited for an event */
} fake = {.capacity = (size_t)1 << 30, .next = FAKE_BASE};

static void fake_hold(int stream, bool held)
{
    fake.streams[stream].held = held;
    fake.streams[stream].holds += held;
}

static int fake_count(void)
{
    return 1;
}

static ts_status fake_mem_alloc(int device, size_t bytes, ts_devptr *out)
{
    const size_t whole = (bytes + FAKE_UNIT - 1) / FAKE_UNIT * FAKE_UNIT;

    (void)device;
    if (whole > fake.capacity - fake.used || fake.count == 1024)
        return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "%zu bytes are not there", bytes);
    fake.ranges[fake.count].p = *out = fake.next;
    fake.ranges[fake.count++].bytes = whole;
    fake.next += whole;
    fake.used += whole;
    return TS_OK;
}

static ts_status fake_mem_free(int device, ts_devptr p)
{
    (void)device;
    for (int i = 0; i < fake.count; i++)
        if (fake.ranges[i].p == p) {
            fake.used -= fake.ranges[i].bytes;
            fake.ranges[i] = fake.ranges[--fake.count];
            return TS_OK;
        }
    return ts_fail(TS_ERR_VALUE, NULL, "%#llx is not allocated", (unsigned long long)p);
}

static ts_status fake_mem_info(int device, size_t *left, size_t *total)
{
    (void)device;
    *left = fake.capacity - fake.used;
    *total = fake.capacity;
    return TS_OK;
}

static ts_status fake_stream_create(int device, int priority, tsd_stream **out)
{
    (void)device;
    (void)priority;
    *out = &fake.streams[fake.stream_count++];
    return TS_OK;
}

static void fake_stream_destroy(int device, tsd_stream *s)
{
    (void)device;
    (void)s;
}

static ts_status fake_synchronize(int device)
{
    (void)device;
    return TS_OK;
}

static ts_status fake_event_create(int device, bool timing, tsd_event **out)
{
    (void)device;
    (void)timing;
    *out = calloc(1, sizeof **out);
    return *out ? TS_OK : TS_ERR_OUT_OF_MEMORY;
}

static void fake_event_destroy(int device, tsd_event *e)
{
    (void)device;
    free(e);
}

static ts_status fake_event_record(int device, tsd_event *e, tsd_stream *s)
{
    (void)device;
    e->stream = s && s->held ? s : NULL;
    e->hold = s ? s->holds : 0;
    return TS_OK;
}

static ts_status fake_event_query(int device, tsd_event *e, bool *done)
{
    (void)device;
    *done = !e->stream || !e->stream->held || e->stream->holds != e->hold;
    return TS_OK;
}

static ts_status fake_event_synchronize(int device, tsd_event *e)
{
    (void)device;
    e->stream = NULL;
    fake.waits++;
    return TS_OK;
}

static ts_status fake_capture_status(int device, tsd_stream *s, ts_capture_status *out)
{
    (void)device;
    *out = s && fake.capturing ? TS_CAPTURE_ACTIVE : TS_CAPTURE_NONE;
    return TS_OK;
}

static const ts_driver fake_driver = {
    .size = sizeof fake_driver,
    .device_count = fake_count,
    .mem_alloc = fake_mem_alloc,
    .mem_free = fake_mem_free,
    .mem_info = fake_mem_info,
    .stream_create = fake_stream_create,
    .stream_destroy = fake_stream_destroy,
    .device_synchronize = fake_synchronize,
    .event_create = fake_event_create,
    .event_destroy = fake_event_destroy,
    .event_record = fake_event_record,
    .event_query = fake_event_query,
    .event_synchronize = fake_event_synchronize,
    .capture_status = fake_capture_status,
};

#endif
