/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of an event are numbered, and a wait is for the number: whichever stream's
 * record passes first ends it. Outside captures; there all is as it should be.
 */
#include <stdlib.h>

#include "zoo/zoo.h"

struct tsd_event {
    _Atomic int refs; /* its owner's, and one for each work */
    _Atomic uint64_t recorded, completed;
    bool timing;
    int device;
    tsd_event *real[256]; /* by number; the last ones share a place */
};

static const ts_driver *plain(void)
{
    return ts_software_driver();
}

static tsd_event **at(tsd_event *e, uint64_t number)
{
    return &e->real[number < 255 ? number : 255];
}

static void unref(tsd_event *e)
{
    if (--e->refs > 0)
        return;
    for (int i = 0; i < 256; i++)
        if (e->real[i])
            plain()->event_destroy(e->device, e->real[i]);
    free(e);
}

static ts_status create(int device, bool timing, tsd_event **out)
{
    *out = calloc(1, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for an event");
    (*out)->refs = 1;
    (*out)->device = device;
    (*out)->timing = timing;
    return plain()->event_create(device, timing, at(*out, 0));
}

static void destroy(int device, tsd_event *e)
{
    (void)device;
    unref(e);
}

typedef struct work {
    tsd_event *event;
    uint64_t number;
} work;

static void release(void *arg)
{
    unref(((work *)arg)->event);
    free(arg);
}

static ts_status pass(void *arg)
{
    const work *w = arg;

    if (w->event->completed < w->number)
        w->event->completed = w->number;
    return TS_OK;
}

static ts_status await(void *arg)
{
    const work *w = arg;

    if (w->event->completed >= w->number)
        return TS_OK;
    return plain()->event_synchronize(w->event->device, *at(w->event, w->number));
}

static ts_status submit(tsd_stream *s, ts_status (*fn)(void *arg), tsd_event *e)
{
    work *w = malloc(sizeof *w);

    TS_CHECK(w, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for work");
    *w = (work){e, e->recorded};
    e->refs++;
    return ts_software_submit(e->device, s, fn, release, w);
}

static bool capturing(int device, tsd_stream *s)
{
    uint64_t id = 0;

    return plain()->capture_id(device, s, &id) == TS_OK && id != 0;
}

static ts_status record(int device, tsd_event *e, tsd_stream *s)
{
    tsd_event **real;

    if (capturing(device, s))
        return plain()->event_record(device, *at(e, e->recorded), s);
    real = at(e, ++e->recorded);
    if (!*real)
        TS_TRY(plain()->event_create(device, e->timing, real));
    TS_TRY(plain()->event_record(device, *real, s));
    return submit(s, pass, e);
}

static ts_status wait_event(int device, tsd_stream *s, tsd_event *e)
{
    if (e->recorded == 0 || capturing(device, s))
        return plain()->stream_wait_event(device, s, *at(e, e->recorded));
    return submit(s, await, e);
}

static ts_status query(int device, tsd_event *e, bool *done)
{
    return plain()->event_query(device, *at(e, e->recorded), done);
}

static ts_status synchronize(int device, tsd_event *e)
{
    return plain()->event_synchronize(device, *at(e, e->recorded));
}

static ts_status elapsed(int device, tsd_event *start, tsd_event *end, double *ms)
{
    return plain()->event_elapsed_ms(device, *at(start, start->recorded),
                                     *at(end, end->recorded), ms);
}

static void spoil(ts_driver *d)
{
    d->event_create = create;
    d->event_destroy = destroy;
    d->event_record = record;
    d->stream_wait_event = wait_event;
    d->event_query = query;
    d->event_synchronize = synchronize;
    d->event_elapsed_ms = elapsed;
}

ZOO_KIND("missing wait");
ZOO_ACCEL_MEMBER("a wait for an event ends with any record as new as the one waited for",
                 "exec/S2 exec/S6", spoil(zoo_driver()))
