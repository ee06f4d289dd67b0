/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams, events and captures of the software accelerator. A stream is a queue of work;
 * a thread of its own runs it, or, with TOUCHSTONE_ACCEL_STREAMS=lazy, whoever waits
 * does, as late as the rules allow: a missing wait then shows every time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device/accel.h"

typedef struct capture capture;

struct tsd_stream {
    tsd_stream *next; /* of all streams */
    _Atomic int refs; /* its maker's, and one for each record on it */
    int64_t id;       /* 0: the default one */
    int device;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    tsi_work *head, *tail;
    uint64_t submitted, completed;
    bool busy, stop, threaded;
    pthread_t thread;
    capture *capture;   /* being recorded into, or NULL */
    uint64_t captured;  /* works recorded since it joined the capture */
    uint64_t joined_at; /* value of `captured` that another stream has waited for */
    tsd_stream *joined_to;
    tsd_stream *fork_next; /* of the streams in one capture */
};

/*
 * What one call of event_record stands for. Waits hold on to the record of their time, so
 * that recording the event anew leaves them alone.
 */
typedef struct record {
    _Atomic int refs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool passed;
    double time_ms; /* when it passed */
    tsd_stream *stream;
    uint64_t capture;  /* the capture it is part of, or 0 */
    uint64_t captured; /* how much of its stream it covers there */
} record;

struct tsd_event {
    int device;
    bool timing;
    pthread_mutex_t lock;
    record *latest; /* NULL: never recorded */
};

struct capture {
    uint64_t id;
    ts_capture_mode mode;
    pthread_t thread;
    tsd_stream *origin, *streams;
    tsi_work *head, *tail;
    int64_t count;
    bool invalid;
};

/* Recorded work in the order of submission, which every dependency respects. */
struct tsd_graph {
    _Atomic int refs;
    tsi_work *head;
    int64_t count;
};

/* What each device will report at its next synchronisation. */
static pthread_mutex_t words_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    ts_status status;
    char label[64], message[512];
} error_words[TS_ACCEL_MAX_DEVICES];

static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;
static tsd_stream *all_streams, *default_streams[TS_ACCEL_MAX_DEVICES];
static _Atomic uint64_t last_capture;
static _Atomic int64_t last_stream;

static bool lazy(void)
{
    const char *mode = getenv("TOUCHSTONE_ACCEL_STREAMS");

    return mode && strcmp(mode, "lazy") == 0;
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* --- the error word
 * ------------------------------------------------------------------------- */

static void word_set(int device, ts_status status)
{
    const char *message = ts_error_message();
    const char *text = message[0] == '[' ? strstr(message, "] ") : NULL;

    pthread_mutex_lock(&words_lock);
    if (error_words[device].status == TS_OK) { /* the first one is told */
        error_words[device].status = status;
        snprintf(error_words[device].label, sizeof error_words->label, "%s",
                 ts_error_label());
        snprintf(error_words[device].message, sizeof error_words->message, "%s",
                 text ? text + 2 : message);
    }
    pthread_mutex_unlock(&words_lock);
}

static ts_status word_take(int device)
{
    ts_status s;

    pthread_mutex_lock(&words_lock);
    s = error_words[device].status;
    if (s != TS_OK)
        ts_fail(s, error_words[device].label[0] ? error_words[device].label : NULL, "%s",
                error_words[device].message);
    error_words[device].status = TS_OK;
    pthread_mutex_unlock(&words_lock);
    return s;
}

/* --- running
 * -------------------------------------------------------------------------------- */

/* `told` is what a profiler's sink is known to: w, or the launch of its graph. */
static ts_status run_told(tsi_work *w, const tsi_work *told)
{
    const int64_t start = told->sink && w->name ? tsi_profile_now() : 0;
    const ts_status s = w->run(w);

    if (start)
        tsi_sink_add(told->sink, told->event, w->kind, w->name, (int64_t)w->bytes,
                     told->stream, start, tsi_profile_now());
    return s;
}

static void run_one(tsi_work *w)
{
    const ts_status s = run_told(w, w);

    if (s != TS_OK)
        word_set(w->device, s);
}

/* Take and run the first work of s, if there is one and nobody else is at it. Called and
 * left with the lock held. */
static bool step(tsd_stream *s)
{
    tsi_work *w = s->head;

    if (!w || s->busy)
        return false;
    s->head = w->next;
    if (!s->head)
        s->tail = NULL;
    s->busy = true;
    pthread_mutex_unlock(&s->lock);
    run_one(w);
    tsi_sink_release(w->sink);
    w->destroy(w);
    pthread_mutex_lock(&s->lock);
    s->busy = false;
    s->completed++;
    pthread_cond_broadcast(&s->changed);
    return true;
}

static void *worker(void *arg)
{
    tsd_stream *s = arg;

    pthread_mutex_lock(&s->lock);
    while (!s->stop || s->head)
        if (!step(s))
            pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void enqueue(tsd_stream *s, tsi_work *w)
{
    w->next = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->tail)
        s->tail->next = w;
    else
        s->head = w;
    s->tail = w;
    s->submitted++;
    if (!s->threaded && !lazy())
        s->threaded = pthread_create(&s->thread, NULL, worker, s) == 0;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* Until everything submitted before the call has run. */
static void drain(tsd_stream *s)
{
    uint64_t target;

    pthread_mutex_lock(&s->lock);
    target = s->submitted;
    while (s->completed < target)
        if (s->threaded || !step(s))
            pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

static ts_status new_stream(int device, int64_t id, tsd_stream **out);

/* *s itself, or the device's default stream. */
static ts_status get(int device, tsd_stream **s)
{
    ts_status st = TS_OK;

    if (*s)
        return TS_OK;
    TS_TRY(tsi_accel_check(device));
    pthread_mutex_lock(&streams_lock);
    if (!default_streams[device])
        st = new_stream(device, 0, &default_streams[device]);
    *s = default_streams[device];
    pthread_mutex_unlock(&streams_lock);
    return st;
}

static void stream_unref(tsd_stream *s)
{
    if (--s->refs > 0)
        return;
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s);
}

int tsi_accel_stream_device(const tsd_stream *s)
{
    return s->device;
}

/* --- capture
 * -------------------------------------------------------------------------------- */

/* A call that a capture forbids: it fails, and the capture is lost. */
static ts_status forbidden(capture *c, const char *what)
{
    c->invalid = true;
    return ts_fail(TS_ERR_RUNTIME, "graph/C3",
                   "%s is not permitted while a stream is capturing", what);
}

/* The capture that forbids this thread to wait, by its mode; NULL: there is none. */
static capture *forbidding(void)
{
    capture *found = NULL;

    pthread_mutex_lock(&streams_lock);
    for (tsd_stream *s = all_streams; s && !found; s = s->next) {
        capture *c = s->capture;

        if (c &&
            (c->mode == TS_CAPTURE_GLOBAL || (c->mode == TS_CAPTURE_THREAD_LOCAL &&
                                              pthread_equal(c->thread, pthread_self()))))
            found = c;
    }
    pthread_mutex_unlock(&streams_lock);
    return found;
}

/* Waiting for what a capture holds, or at all, where one forbids it (graph/S13). */
static ts_status check_no_capture(const tsd_stream *s, const char *what)
{
    capture *c = s && s->capture ? s->capture : forbidding();

    return c ? forbidden(c, what) : TS_OK;
}

/* The capture of that number, if it has not ended. */
static capture *capture_find(uint64_t id)
{
    capture *found = NULL;

    pthread_mutex_lock(&streams_lock);
    for (tsd_stream *s = all_streams; s && !found; s = s->next)
        if (s->capture && s->capture->id == id)
            found = s->capture;
    pthread_mutex_unlock(&streams_lock);
    return found;
}

/* A record that the host wants to hear of; NULL: there is none. */
static ts_status check_record(const record *r, const char *what)
{
    capture *c = r && r->capture ? capture_find(r->capture) : NULL;

    if (c)
        return forbidden(c, what);
    TS_CHECK(!r || !r->capture, TS_ERR_RUNTIME, "graph/C3",
             "%s: it was recorded in a capture", what);
    return check_no_capture(NULL, what);
}

ts_status tsi_accel_submit(int device, tsd_stream *s, tsi_work *w)
{
    const ts_status st = get(device, &s);

    if (st != TS_OK) {
        w->destroy(w);
        return st;
    }
    w->device = s->device;
    if (!s->capture) {
        w->sink = tsi_profile_sink(&w->event);
        w->stream = s->id;
        enqueue(s, w);
        return TS_OK;
    }
    w->next = NULL;
    if (s->capture->tail)
        s->capture->tail->next = w;
    else
        s->capture->head = w;
    s->capture->tail = w;
    s->capture->count++;
    s->captured++;
    return TS_OK;
}

static void join(capture *c, tsd_stream *s)
{
    s->capture = c;
    s->captured = s->joined_at = 0;
    s->joined_to = NULL;
    s->fork_next = c->streams;
    c->streams = s;
}

/* A stream that ends before its capture spoils it. */
static void leave_capture(tsd_stream *s)
{
    tsd_stream **link = &s->capture->streams;

    s->capture->invalid = true;
    while (*link != s)
        link = &(*link)->fork_next;
    *link = s->fork_next;
    s->capture = NULL;
}

ts_status tsi_accel_capture_begin(int device, tsd_stream *s, ts_capture_mode mode)
{
    capture *c;

    (void)device;
    TS_CHECK(s, TS_ERR_RUNTIME, "graph/C2", "the default stream can't be captured");
    TS_CHECK(!s->capture, TS_ERR_RUNTIME, "graph/C5", "the stream is capturing already");
    c = calloc(1, sizeof *c);
    TS_CHECK(c, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a capture");
    c->id = ++last_capture;
    c->mode = mode;
    c->thread = pthread_self();
    c->origin = s;
    join(c, s);
    return TS_OK;
}

static bool joined(const capture *c, const tsd_stream *s)
{
    for (int hops = 0; s != c->origin; hops++) {
        if (!s->joined_to || s->joined_at != s->captured || hops > 64)
            return false;
        s = s->joined_to;
    }
    return true;
}

static void free_works(tsi_work *w)
{
    while (w) {
        tsi_work *next = w->next;

        w->destroy(w);
        w = next;
    }
}

ts_status tsi_accel_capture_end(int device, tsd_stream *s, tsd_graph **out)
{
    capture *c = s ? s->capture : NULL;
    tsd_graph *g = NULL;
    bool all_joined = true;

    (void)device;
    TS_CHECK(c && c->origin == s, TS_ERR_RUNTIME, "graph/C6",
             "capture end: the stream did not begin a capture");
    for (tsd_stream *f = c->streams, *next; f; f = next) {
        next = f->fork_next;
        all_joined &= joined(c, f);
    }
    for (tsd_stream *f = c->streams, *next; f; f = next) {
        next = f->fork_next;
        f->capture = NULL;
    }
    if (!c->invalid && all_joined)
        g = malloc(sizeof *g);
    if (g)
        *g = (tsd_graph){1, c->head, c->count};
    else
        free_works(c->head);
    const bool invalid = c->invalid;

    free(c);
    TS_CHECK(!invalid, TS_ERR_RUNTIME, "graph/C3",
             "the capture was invalidated by an earlier error");
    TS_CHECK(all_joined, TS_ERR_RUNTIME, "graph/C4",
             "capture end: a stream that joined the capture was not joined back");
    TS_CHECK(g, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a graph");
    *out = g;
    return TS_OK;
}

ts_status tsi_accel_capture_status(int device, tsd_stream *s, ts_capture_status *out)
{
    (void)device;
    *out = !s || !s->capture     ? TS_CAPTURE_NONE
           : s->capture->invalid ? TS_CAPTURE_INVALIDATED
                                 : TS_CAPTURE_ACTIVE;
    return TS_OK;
}

ts_status tsi_accel_capture_id(int device, tsd_stream *s, uint64_t *out)
{
    (void)device;
    *out = s && s->capture ? s->capture->id : 0;
    return TS_OK;
}

typedef struct replay {
    tsi_work work;
    tsd_graph *graph;
} replay;

static ts_status replay_run(tsi_work *w)
{
    ts_status s = TS_OK;

    for (tsi_work *n = ((replay *)w)->graph->head; n; n = n->next) {
        const ts_status one = run_told(n, w);

        s = s == TS_OK ? one : s;
    }
    return s;
}

static void graph_release(tsd_graph *g)
{
    if (--g->refs > 0)
        return;
    free_works(g->head);
    free(g);
}

static void replay_destroy(tsi_work *w)
{
    graph_release(((replay *)w)->graph);
    free(w);
}

ts_status tsi_accel_graph_launch(int device, tsd_graph *g, tsd_stream *s)
{
    replay *r = malloc(sizeof *r);

    TS_CHECK(r, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a graph launch");
    *r = (replay){{.run = replay_run, .destroy = replay_destroy}, g};
    g->refs++;
    return tsi_accel_submit(device, s, &r->work);
}

void tsi_accel_graph_destroy(int device, tsd_graph *g)
{
    (void)device;
    graph_release(g);
}

int64_t tsi_accel_graph_node_count(int device, tsd_graph *g)
{
    (void)device;
    return g->count;
}

/* --- streams
 * -------------------------------------------------------------------------------- */

/* streams_lock is held. */
static ts_status new_stream(int device, int64_t id, tsd_stream **out)
{
    tsd_stream *s = calloc(1, sizeof *s);

    TS_CHECK(s, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a stream");
    s->refs = 1;
    s->id = id;
    s->device = device;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->next = all_streams;
    all_streams = s;
    *out = s;
    return TS_OK;
}

ts_status tsi_accel_stream_create(int device, int priority, tsd_stream **out)
{
    ts_status s;

    (void)priority; /* threads of one process: the scheduler's own order */
    TS_TRY(tsi_accel_check(device));
    pthread_mutex_lock(&streams_lock);
    s = new_stream(device, ++last_stream, out);
    pthread_mutex_unlock(&streams_lock);
    return s;
}

void tsi_accel_stream_destroy(int device, tsd_stream *s)
{
    tsd_stream **link = &all_streams;

    (void)device;
    if (s->capture)
        leave_capture(s);
    drain(s);
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->threaded)
        pthread_join(s->thread, NULL);
    pthread_mutex_lock(&streams_lock);
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    pthread_mutex_unlock(&streams_lock);
    stream_unref(s);
}

ts_status tsi_accel_stream_query(int device, tsd_stream *s, bool *done)
{
    TS_TRY(get(device, &s));
    TS_TRY(check_no_capture(s, "a stream query"));
    pthread_mutex_lock(&s->lock);
    *done = s->completed == s->submitted;
    pthread_mutex_unlock(&s->lock);
    return TS_OK;
}

ts_status tsi_accel_stream_synchronize(int device, tsd_stream *s)
{
    TS_TRY(get(device, &s));
    TS_TRY(check_no_capture(s, "synchronising a stream"));
    drain(s);
    return word_take(s->device);
}

/* The device's stream of the smallest id above `after`, with a reference; NULL: none. */
static tsd_stream *next_of(int device, int64_t after)
{
    tsd_stream *found = NULL;

    pthread_mutex_lock(&streams_lock);
    for (tsd_stream *s = all_streams; s; s = s->next)
        if (s->device == device && s->id > after && (!found || s->id < found->id))
            found = s;
    if (found)
        found->refs++;
    pthread_mutex_unlock(&streams_lock);
    return found;
}

ts_status tsi_accel_settle(int device)
{
    tsd_stream *s;
    int64_t id = -1;

    TS_TRY(tsi_accel_check(device));
    TS_TRY(check_no_capture(NULL, "synchronising the device"));
    while ((s = next_of(device, id))) { /* unlocked: work may ask for streams itself */
        id = s->id;
        drain(s);
        stream_unref(s);
    }
    return TS_OK;
}

ts_status tsi_accel_device_synchronize(int device)
{
    TS_TRY(tsi_accel_settle(device));
    return word_take(device);
}

/* --- events
 * --------------------------------------------------------------------------------- */

static void record_unref(record *r)
{
    if (!r || --r->refs > 0)
        return;
    stream_unref(r->stream);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->changed);
    free(r);
}

/* A record on s, in whatever capture s is part of: one reference. */
static ts_status record_new(tsd_stream *s, record **out)
{
    record *r = calloc(1, sizeof *r);

    TS_CHECK(r, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a record of an event");
    r->refs = 1;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->stream = s;
    s->refs++;
    if (s->capture) {
        r->capture = s->capture->id;
        r->captured = s->captured + 1; /* with the record itself */
    }
    *out = r;
    return TS_OK;
}

/* The event's latest record, with a reference; NULL: never recorded. */
static record *latest(tsd_event *e)
{
    record *r;

    pthread_mutex_lock(&e->lock);
    r = e->latest;
    if (r)
        r->refs++;
    pthread_mutex_unlock(&e->lock);
    return r;
}

ts_status tsi_accel_event_create(int device, bool timing, tsd_event **out)
{
    tsd_event *e;

    TS_TRY(tsi_accel_check(device));
    e = calloc(1, sizeof *e);
    TS_CHECK(e, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for an event");
    e->device = device;
    e->timing = timing;
    pthread_mutex_init(&e->lock, NULL);
    *out = e;
    return TS_OK;
}

void tsi_accel_event_destroy(int device, tsd_event *e)
{
    (void)device;
    record_unref(e->latest);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

/* A record taking place, or a wait for one. */
typedef struct mark {
    tsi_work work;
    record *record;
} mark;

static void mark_destroy(tsi_work *w)
{
    record_unref(((mark *)w)->record);
    free(w);
}

static ts_status mark_new(record *r, ts_status (*run)(tsi_work *w), mark **out)
{
    *out = malloc(sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for work on an event");
    **out = (mark){{.run = run, .destroy = mark_destroy}, r};
    r->refs++;
    return TS_OK;
}

static ts_status record_run(tsi_work *w)
{
    record *r = ((mark *)w)->record;

    pthread_mutex_lock(&r->lock);
    r->passed = true;
    r->time_ms = now_ms();
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return TS_OK;
}

/* Wait, or do the other stream's work oneself, until r has passed. */
static void reach(record *r)
{
    pthread_mutex_lock(&r->lock);
    while (!r->passed) {
        bool own = false;

        pthread_mutex_unlock(&r->lock);
        pthread_mutex_lock(&r->stream->lock);
        own = !r->stream->threaded && step(r->stream);
        if (!own && !r->stream->threaded && r->stream->busy) {
            pthread_cond_wait(&r->stream->changed, &r->stream->lock);
            own = true; /* it was another thread's step, maybe that thread's last */
        }
        pthread_mutex_unlock(&r->stream->lock);
        pthread_mutex_lock(&r->lock);
        if (!own && !r->passed)
            pthread_cond_wait(&r->changed, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
}

static ts_status wait_run(tsi_work *w)
{
    reach(((mark *)w)->record);
    return TS_OK;
}

/* In a graph the order of the works is all that an event stands for. */
static ts_status captured_run(tsi_work *w)
{
    (void)w;
    return TS_OK;
}

static ts_status record_on(tsd_event *e, tsd_stream *s, record *r)
{
    record *before;
    mark *m;

    TS_TRY(mark_new(r, s->capture ? captured_run : record_run, &m));
    TS_TRY(tsi_accel_submit(s->device, s, &m->work));
    pthread_mutex_lock(&e->lock);
    before = e->latest;
    e->latest = r;
    r->refs++;
    pthread_mutex_unlock(&e->lock);
    record_unref(before);
    return TS_OK;
}

ts_status tsi_accel_event_record(int device, tsd_event *e, tsd_stream *s)
{
    record *r = NULL;
    ts_status st;

    TS_TRY(get(device, &s));
    TS_CHECK(e->device == s->device, TS_ERR_VALUE, NULL,
             "an event of accel:%d is recorded on a stream of accel:%d", e->device,
             s->device);
    TS_TRY(record_new(s, &r));
    st = record_on(e, s, r);
    record_unref(r);
    return st;
}

static ts_status wait_captured(tsd_stream *s, record *r)
{
    capture *c = capture_find(r->capture);
    mark *m;

    TS_CHECK(c && (!s->capture || s->capture == c), TS_ERR_RUNTIME, "graph/C10",
             "a wait for an event of %s",
             c ? "another capture" : "a capture that has ended");
    if (!s->capture)
        join(c, s);
    if (r->stream != s && r->captured >= r->stream->joined_at) {
        r->stream->joined_at = r->captured;
        r->stream->joined_to = s;
    }
    TS_TRY(mark_new(r, captured_run, &m));
    return tsi_accel_submit(s->device, s, &m->work);
}

static ts_status wait_for(tsd_stream *s, record *r)
{
    mark *m;

    if (r->capture)
        return wait_captured(s, r);
    if (s->capture) {
        s->capture->invalid = true;
        return ts_fail(
            TS_ERR_RUNTIME, "graph/C10",
            "a captured stream can't depend on an event recorded outside the capture");
    }
    TS_TRY(mark_new(r, wait_run, &m));
    return tsi_accel_submit(s->device, s, &m->work);
}

ts_status tsi_accel_stream_wait_event(int device, tsd_stream *s, tsd_event *e)
{
    record *r = latest(e);
    ts_status st = get(device, &s);

    if (r && st == TS_OK) /* never recorded: nothing to wait for */
        st = wait_for(s, r);
    record_unref(r);
    return st;
}

static bool has_passed(record *r)
{
    bool passed;

    if (!r)
        return true;
    pthread_mutex_lock(&r->lock);
    passed = r->passed;
    pthread_mutex_unlock(&r->lock);
    return passed;
}

ts_status tsi_accel_event_query(int device, tsd_event *e, bool *done)
{
    record *r = latest(e);
    const ts_status s = check_record(r, "an event query");

    (void)device;
    if (s == TS_OK)
        *done = has_passed(r);
    record_unref(r);
    return s;
}

ts_status tsi_accel_event_synchronize(int device, tsd_event *e)
{
    record *r = latest(e);
    ts_status s = check_record(r, "synchronising an event");

    (void)device;
    if (s == TS_OK && r)
        reach(r);
    record_unref(r);
    return s == TS_OK ? word_take(e->device) : s;
}

static ts_status elapsed(const tsd_event *start, record *a, const tsd_event *end,
                         record *b, double *ms)
{
    TS_CHECK(start->timing && end->timing, TS_ERR_VALUE, NULL,
             "elapsed time needs both events made with timing");
    TS_CHECK(start->device == end->device, TS_ERR_VALUE, NULL,
             "elapsed time is of two events of one device");
    TS_CHECK(a && b, TS_ERR_VALUE, NULL, "elapsed time needs both events recorded");
    TS_TRY(check_record(a, "elapsed time"));
    TS_TRY(check_record(b, "elapsed time"));
    TS_CHECK(has_passed(a) && has_passed(b), TS_ERR_RUNTIME, NULL,
             "elapsed time: an event has not passed yet");
    *ms = b->time_ms - a->time_ms;
    return TS_OK;
}

ts_status tsi_accel_event_elapsed_ms(int device, tsd_event *start, tsd_event *end,
                                     double *ms)
{
    record *a = latest(start), *b = latest(end);
    const ts_status s = elapsed(start, a, end, b, ms);

    (void)device;
    record_unref(a);
    record_unref(b);
    return s;
}
