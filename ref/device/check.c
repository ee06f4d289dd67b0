/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The race check (exec/S13 to S16): which work may see which other work done, by vector
 * clocks. A clock says of every stream how much of its work has happened before; events
 * carry a copy from one stream to another, and what the host has waited for is before
 * all that it submits. Every access to a block of device memory is held against the ones
 * before it, and against the block's end.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"

#define STREAMS 64

struct tsi_clock {
    int64_t session;
    uint64_t at[STREAMS];
};

typedef struct access {
    struct access *next;
    const char *op;
    int stream;
    uint64_t at;
    bool write;
    uintptr_t from, to;
} access;

typedef struct block {
    struct block *next;
    uintptr_t from, to;
    int owner;
    uint64_t recorded; /* bit per stream */
    access *accesses;
} block;

_Atomic bool tsi_checking;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int64_t session, ids[STREAMS]; /* of the streams met so far, and their devices */
    int devices[STREAMS], nstreams;
    tsi_clock clocks[STREAMS], host;
    block *blocks;
    bool found;
    char finding[512];
} now;

static void merge(tsi_clock *into, const tsi_clock *from)
{
    for (int i = 0; i < STREAMS; i++)
        if (into->at[i] < from->at[i])
            into->at[i] = from->at[i];
}

/* The number of a stream in this check; the streams past the last share one. */
static int number_of(const ts_stream *s)
{
    const int64_t id = ts_stream_id(s);

    for (int i = 0; i < now.nstreams; i++)
        if (now.ids[i] == id && now.devices[i] == ts_stream_device(s))
            return i;
    if (now.nstreams == STREAMS)
        return STREAMS - 1;
    now.ids[now.nstreams] = id;
    now.devices[now.nstreams] = ts_stream_device(s);
    return now.nstreams++;
}

/* "stream 3", and its device where it is not the first. */
static const char *name_of(int stream, char text[48])
{
    const int n = snprintf(text, 48, "stream %lld", (long long)now.ids[stream]);

    if (now.devices[stream] > 0)
        snprintf(text + n, 48 - (size_t)n, " of accel:%d", now.devices[stream]);
    return text;
}

static bool happened(const access *a, int stream)
{
    return a->stream == stream || a->at <= now.clocks[stream].at[a->stream] ||
           a->at <= now.host.at[a->stream];
}

TS_PRINTF(1, 2) static void find(const char *format, ...)
{
    va_list args;

    if (now.found) /* the first one is told */
        return;
    now.found = true;
    va_start(args, format);
    vsnprintf(now.finding, sizeof now.finding, format, args);
    va_end(args);
}

/* The lock is held. */
static ts_status tell(void)
{
    if (!now.found)
        return TS_OK;
    now.found = false;
    return ts_fail(TS_ERR_RUNTIME, "exec/C4", "%s", now.finding);
}

static void forget(block *b)
{
    while (b->accesses) {
        access *a = b->accesses;

        b->accesses = a->next;
        free(a);
    }
    free(b);
}

static block **find_block(uintptr_t p)
{
    block **link = &now.blocks;

    while (*link && !((*link)->from <= p && p < (*link)->to))
        link = &(*link)->next;
    return link;
}

static block *add_block(uintptr_t from, size_t bytes, int owner)
{
    block *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    *b = (block){.next = now.blocks, .from = from, .to = from + bytes, .owner = owner};
    now.blocks = b;
    return b;
}

static ts_status enter(const char *op, int stream, bool write, uintptr_t from,
                       size_t bytes, const ts_storage *s)
{
    const uintptr_t to = from + bytes;
    block *b = *find_block(from);
    access *a, **link;
    char here[48], there[48];

    if (bytes == 0)
        return TS_OK;
    if (!b && s) /* older than the check */
        b = add_block((uintptr_t)ts_storage_data((ts_storage *)(uintptr_t)s),
                      (size_t)ts_storage_bytes(s), stream);
    if (!b)
        return TS_OK;
    for (link = &b->accesses; (a = *link);) {
        const bool meets = a->from < to && from < a->to && (write || a->write);

        if (meets && !happened(a, stream))
            find("%s on %s %s memory that %s on %s %s, and neither waits for the other",
                 op, name_of(stream, here), write ? "writes" : "reads", a->op,
                 name_of(a->stream, there), a->write ? "writes" : "reads");
        if (a->from >= from && a->to <= to && (write || !a->write) &&
            happened(a, stream)) { /* who is after this one is after that one too */
            *link = a->next;
            free(a);
        } else {
            link = &a->next;
        }
    }
    a = malloc(sizeof *a);
    TS_CHECK(a, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for the race check");
    *a =
        (access){b->accesses, op, stream, now.clocks[stream].at[stream], write, from, to};
    b->accesses = a;
    return TS_OK;
}

/* Bytes from data to the end of the last element. */
static size_t reach(const ts_tensor *t)
{
    int64_t last = 0;

    if (t->numel == 0)
        return 0;
    for (int d = 0; d < t->ndim; d++)
        last += (t->sizes[d] - 1) * t->strides[d];
    return (size_t)((last + 1) * ts_dtype_size(t->dtype));
}

static ts_status enter_tensor(const char *op, int stream, bool write, const ts_tensor *t)
{
    if (!t || t->device.type != TS_ACCEL)
        return TS_OK;
    return enter(op, stream, write, (uintptr_t)t->data, reach(t), ts_tensor_storage(t));
}

/* A piece of work is about to be submitted: it comes after all that its stream and the
 * host know of. */
static int begin(const ts_stream *s)
{
    const int stream = number_of(s);

    merge(&now.clocks[stream], &now.host);
    now.clocks[stream].at[stream]++;
    return stream;
}

ts_status tsi_check_launch(const ts_frame *f, const ts_stream *s)
{
    ts_status st = TS_OK;
    int stream;

    pthread_mutex_lock(&lock);
    stream = begin(s);
    for (int i = 0; st == TS_OK && i < f->nargs; i++) {
        const ts_value *v = &f->args[i];

        if (v->kind == TS_ARG_TENSOR && (f->nresults == 0 || v->tensor != f->results[0]))
            st = enter_tensor(f->op->name, stream, false, v->tensor);
        for (int64_t k = 0; st == TS_OK && v->kind == TS_ARG_TENSORS && k < v->tensors.n;
             k++)
            if (v->tensors.v[k])
                st = enter_tensor(f->op->name, stream, false, v->tensors.v[k]);
    }
    for (int i = 0; st == TS_OK && i < f->nresults; i++)
        st = enter_tensor(f->op->name, stream, true, f->results[i]);
    if (st == TS_OK)
        st = tell();
    pthread_mutex_unlock(&lock);
    return st;
}

ts_status tsi_check_copy(const char *what, const void *p, int64_t bytes, bool write,
                         const ts_stream *s)
{
    ts_status st;

    pthread_mutex_lock(&lock);
    st = enter(what, begin(s), write, (uintptr_t)p, (size_t)bytes, NULL);
    if (st == TS_OK)
        st = tell();
    pthread_mutex_unlock(&lock);
    return st;
}

void tsi_check_alloc(const void *p, int64_t bytes, const ts_stream *s)
{
    pthread_mutex_lock(&lock);
    if (bytes > 0)
        (void)add_block((uintptr_t)p, (size_t)bytes, number_of(s));
    pthread_mutex_unlock(&lock);
}

void tsi_check_free(const void *p)
{
    block **link, *b;
    char own[48], there[48];

    pthread_mutex_lock(&lock);
    link = find_block((uintptr_t)p);
    b = *link;
    if (b) {
        for (const access *a = b->accesses; a; a = a->next)
            if (!happened(a, b->owner) && !(b->recorded >> a->stream & 1))
                find("memory of %s is freed while %s on %s may still use it: "
                     "record_stream, or a wait, is missing",
                     name_of(b->owner, own), a->op, name_of(a->stream, there));
        *link = b->next;
        forget(b);
    }
    pthread_mutex_unlock(&lock);
}

void tsi_check_record_stream(const void *p, const ts_stream *s)
{
    block *b;

    pthread_mutex_lock(&lock);
    b = *find_block((uintptr_t)p);
    if (b)
        b->recorded |= (uint64_t)1 << number_of(s);
    pthread_mutex_unlock(&lock);
}

void tsi_check_event_record(tsi_clock **clock, const ts_stream *s)
{
    pthread_mutex_lock(&lock);
    if (!*clock)
        *clock = malloc(sizeof **clock);
    if (*clock) {
        const int stream = number_of(s);

        merge(&now.clocks[stream], &now.host);
        **clock = now.clocks[stream];
        (*clock)->session = now.session;
    }
    pthread_mutex_unlock(&lock);
}

void tsi_check_event_wait(const tsi_clock *clock, const ts_stream *s)
{
    pthread_mutex_lock(&lock);
    if (clock && clock->session == now.session)
        merge(s ? &now.clocks[number_of(s)] : &now.host, clock);
    pthread_mutex_unlock(&lock);
}

void tsi_check_stream_done(const ts_stream *s)
{
    pthread_mutex_lock(&lock);
    merge(&now.host, &now.clocks[number_of(s)]);
    pthread_mutex_unlock(&lock);
}

void tsi_check_all_done(int device)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < now.nstreams; i++)
        if (now.devices[i] == device)
            merge(&now.host, &now.clocks[i]);
    pthread_mutex_unlock(&lock);
}

ts_status ts_race_check_begin(void)
{
    TS_TRY(ts_accel_synchronize_all()); /* what is older is done */
    tsi_checking = true;
    return TS_OK;
}

ts_status ts_race_check_end(void)
{
    ts_status s;

    pthread_mutex_lock(&lock);
    tsi_checking = false;
    s = tell();
    while (now.blocks) {
        block *b = now.blocks;

        now.blocks = b->next;
        forget(b);
    }
    now.nstreams = 0;
    memset(now.clocks, 0, sizeof now.clocks);
    memset(&now.host, 0, sizeof now.host);
    now.session++;
    pthread_mutex_unlock(&lock);
    return s;
}
