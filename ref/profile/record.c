/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording. A session belongs to the thread that started it: host events need no lock.
 * What its device does is told by other threads, through a sink that outlives the session
 * while work with its name on it is under way.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/core.h"
#include "core/dispatch.h"
#include "core/rooms.h"
#include "profile/record.h"
#include "touchstone/device.h"

struct tsi_sink {
    _Atomic int refs;
    pthread_mutex_t lock;
    bool closed, lost;
    ts_profile_event *events;
    size_t count, room;
};

static _Atomic int64_t last_thread;

int64_t tsi_profile_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- room
 * ------------------------------------------------------------------------------------
 */

static void *keep(ts_profile *p, const void *bytes, size_t n)
{
    tsi_block *b = p->blocks;
    const size_t whole = (n + 7) / 8 * 8;
    void *at;

    if (!b || b->used + whole > b->room) {
        const size_t room = whole > 1 << 16 ? whole : 1 << 16;

        b = malloc(sizeof *b + room);
        if (!b)
            return NULL;
        *b = (tsi_block){.next = p->blocks, .room = room};
        p->blocks = b;
    }
    at = b->bytes + b->used;
    b->used += whole;
    memcpy(at, bytes, n);
    return at;
}

static bool more_names(ts_profile *p);

static const char **slot_of(const ts_profile *p, const char *name)
{
    uint64_t h = 14695981039346656037u;
    size_t at;

    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    for (at = h & (p->name_slots - 1); p->names[at] && strcmp(p->names[at], name) != 0;)
        at = (at + 1) & (p->name_slots - 1);
    return &p->names[at];
}

/* One copy of each name. */
static const char *name_of(ts_profile *p, const char *name)
{
    const char **slot;

    if (2 * (p->nnames + 1) > p->name_slots && !more_names(p))
        return NULL;
    slot = slot_of(p, name);
    if (!*slot) {
        *slot = keep(p, name, strlen(name) + 1);
        p->nnames += *slot != NULL;
    }
    return *slot;
}

static bool more_names(ts_profile *p)
{
    const char **old = p->names;
    const size_t n = p->name_slots;

    p->names = calloc(n ? 2 * n : 256, sizeof *p->names);
    if (!p->names) {
        p->names = old;
        return false;
    }
    p->name_slots = n ? 2 * n : 256;
    for (size_t i = 0; i < n; i++)
        if (old[i])
            *slot_of(p, old[i]) = old[i];
    free(old);
    return true;
}

static bool room_for(ts_profile_event **events, size_t count, size_t *room)
{
    const size_t more = *room ? 2 * *room : 256;
    ts_profile_event *grown;

    if (count < *room)
        return true;
    grown = realloc(*events, more * sizeof **events);
    if (!grown)
        return false;
    *events = grown;
    *room = more;
    return true;
}

/* --- host events
 * -------------------------------------------------------------------------------
 */

static ts_profile_event *add(ts_profile *p, ts_event_kind kind, const char *name)
{
    ts_profile_event *e;

    if (!name || !room_for(&p->events, p->count, &p->room)) {
        p->lost = true;
        return NULL;
    }
    e = &p->events[p->count++];
    *e = (ts_profile_event){
        .kind = kind, .name = name, .lane = p->thread, .parent = p->open};
    e->start = e->end = tsi_profile_now();
    return e;
}

int64_t tsi_profile_begin(ts_profile *p, ts_event_kind kind, const char *prefix,
                          const char *name)
{
    char whole[256];

    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    if (!add(p, kind, name_of(p, whole)))
        return -1;
    p->open = (int64_t)p->count - 1;
    return p->open;
}

void tsi_profile_end(ts_profile *p, int64_t event, ts_status status)
{
    const int64_t now = tsi_profile_now();

    /* A session that stopped, or stopped and began again, in between does not know it. */
    if (p != tsi_profiling || event < 0 || event >= (int64_t)p->count)
        return;
    for (int64_t i = p->open; i > event; i = p->events[i].parent)
        p->events[i].end = now; /* a range that nobody closed ends with what is around */
    p->events[event].end = now;
    p->events[event].status = status;
    p->open = p->events[event].parent;
}

static void profile_memory(ts_profile *p, ts_device device, const void *address,
                           int64_t bytes)
{
    ts_profile_event *e;

    if (!p->options.memory)
        return;
    e = add(p, TS_EVENT_MEMORY, "[memory]");
    if (e) {
        e->device = device;
        e->address = address;
        e->bytes = bytes;
    }
}

static size_t put_shape(int64_t *at, const ts_tensor *t)
{
    if (!t) {
        if (at)
            at[0] = -1;
        return 1;
    }
    if (at) {
        at[0] = t->ndim;
        memcpy(at + 1, t->sizes, (size_t)t->ndim * sizeof *t->sizes);
    }
    return 1 + (size_t)t->ndim;
}

/* Written to `at`, or only counted where it is NULL. */
static size_t put_shapes(int64_t *at, const ts_frame *f)
{
    size_t n = 0;

    for (int i = 0; i < f->nargs; i++)
        n += put_shape(at ? at + n : NULL, tsi_tensor(f, i));
    for (int i = 0; f->form == TS_OUT && i < f->nresults; i++)
        n += put_shape(at ? at + n : NULL, f->out[i]);
    return n;
}

static void record_shapes(ts_profile *p, ts_profile_event *e, const ts_frame *f)
{
    const size_t n = put_shapes(NULL, f);
    int64_t *shapes = malloc((n + 1) * sizeof *shapes);

    if (shapes) {
        put_shapes(shapes, f);
        e->shapes = keep(p, shapes, n * sizeof *shapes);
        e->nshapes = f->nargs + (f->form == TS_OUT ? f->nresults : 0);
    }
    p->lost |= !e->shapes;
    free(shapes);
}

static ts_status layer(ts_frame *f)
{
    ts_profile *p = tsi_profiling;
    char name[96];
    int64_t at;
    ts_status s;

    snprintf(name, sizeof name, "%s%s", f->op->name, f->form == TS_INPLACE ? "_" : "");
    at = tsi_profile_begin(p, TS_EVENT_OP, "aten::", name);
    if (at >= 0) {
        p->events[at].op = f->op;
        if (p->options.shapes)
            record_shapes(p, &p->events[at], f);
    }
    s = tsi_call_below(TSI_LAYER_PROFILER, f);
    tsi_profile_end(p, at, s);
    return s;
}

void ts_range_push(const char *name)
{
    if (tsi_profiling)
        tsi_profile_begin(tsi_profiling, TS_EVENT_RANGE, "", name);
}

void ts_range_pop(void)
{
    ts_profile *p = tsi_profiling;
    int64_t at = p ? p->open : -1;

    while (at >= 0 && p->events[at].kind != TS_EVENT_RANGE)
        at = p->events[at].parent;
    if (at >= 0 && at != p->step_range)
        tsi_profile_end(p, at, TS_OK);
}

/* --- work of the device
 * ------------------------------------------------------------------------
 */

tsi_sink *tsi_profile_sink(int64_t *event)
{
    ts_profile *p = tsi_profiling;

    if (!p || !p->sink)
        return NULL;
    *event = p->open;
    p->sink->refs++;
    return p->sink;
}

void tsi_sink_add(tsi_sink *s, int64_t event, ts_event_kind kind, const char *name,
                  int64_t bytes, int64_t stream, int64_t start, int64_t end)
{
    pthread_mutex_lock(&s->lock);
    if (!s->closed && room_for(&s->events, s->count, &s->room))
        s->events[s->count++] = (ts_profile_event){.kind = kind,
                                                   .name = name,
                                                   .start = start,
                                                   .end = end,
                                                   .lane = stream,
                                                   .parent = event,
                                                   .bytes = bytes};
    else
        s->lost = !s->closed;
    pthread_mutex_unlock(&s->lock);
}

void tsi_sink_release(tsi_sink *s)
{
    if (!s || --s->refs > 0)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s->events);
    free(s);
}

static ts_status sink_new(tsi_sink **out)
{
    *out = calloc(1, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a profile");
    (*out)->refs = 1;
    pthread_mutex_init(&(*out)->lock, NULL);
    return TS_OK;
}

static void take_sink(ts_profile *p)
{
    tsi_sink *s = p->sink;

    pthread_mutex_lock(&s->lock);
    s->closed = true;
    for (size_t i = 0; i < s->count; i++) {
        if (room_for(&p->events, p->count, &p->room))
            p->events[p->count++] = s->events[i];
        else
            p->lost = true;
    }
    p->lost |= s->lost;
    pthread_mutex_unlock(&s->lock);
    tsi_sink_release(s);
    p->sink = NULL;
}

/* --- on and off
 * --------------------------------------------------------------------------------
 */

static void forget(ts_profile *p)
{
    for (tsi_block *b = p->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(p->names);
    p->blocks = NULL;
    p->names = NULL;
    p->nnames = p->name_slots = 0;
    p->count = 0;
    p->open = p->step_range = -1;
    p->lost = false;
}

ts_status tsi_record_start(ts_profile *p)
{
    TS_CHECK(!tsi_profiling, TS_ERR_RUNTIME, "profiler/C3",
             "a profile is being recorded on this thread already");
    forget(p);
    if (p->options.device)
        TS_TRY(sink_new(&p->sink));
    if (!tsi_self()->number)
        tsi_self()->number = ++last_thread;
    p->thread = tsi_self()->number;
    p->on = p->recorded = true;
    tsi_profiling = p;
    if (p->options.host) {
        tsi_layer_set_mask(tsi_layer_mask() | 1u << TSI_LAYER_PROFILER);
    }
    return TS_OK;
}

ts_status tsi_record_stop(ts_profile *p)
{
    const ts_driver *d = ts_accel_driver();
    ts_status s = TS_OK;

    TS_CHECK(tsi_profiling == p, TS_ERR_RUNTIME, "profiler/C3",
             "the profile was started on another thread");
    tsi_layer_set_mask(tsi_layer_mask() & ~(1u << TSI_LAYER_PROFILER));
    tsi_profiling = NULL;
    p->on = false;
    for (int64_t i = p->open; i >= 0; i = p->events[i].parent)
        p->events[i].end = tsi_profile_now();
    p->open = -1;
    if (p->sink) {
        for (int i = 0; d && i < ts_accel_device_count(); i++) {
            const ts_status one = d->device_synchronize(i);

            s = s == TS_OK ? one : s;
        }
        take_sink(p);
    }
    TS_TRY(s);
    TS_CHECK(!p->lost, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "memory was short for a profile: events are missing");
    return TS_OK;
}

void tsi_record_free(ts_profile *p)
{
    if (p->on && tsi_profiling == p)
        (void)tsi_record_stop(p);
    forget(p);
    free(p->events);
}

TSI_BEFORE_MAIN(enter)
{
    tsi_rooms.profile_memory = profile_memory;
    tsi_layer_set(TSI_LAYER_PROFILER, layer);
}
