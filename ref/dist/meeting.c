/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the calls of a room's communicators meet: whoever finds all of them there does the
 * work for all. On host memory that is a rank in its call. On the software accelerator a
 * call is two pieces of work of the rank's stream: that it has come, and the meeting. A
 * stream that begins its meeting has waited for those others to come of whom the caller
 * knew, so that streams that run only when somebody waits for them are run.
 */
#include <stdlib.h>

#include "dist/room.h"
#include "touchstone/device.h"

typedef struct seat {
    bool here, come; /* called; its buffers may be used */
    tsi_part part;
    tsd_event *event; /* the stream has come; NULL on the host */
    int device;
    int color, key; /* of a split */
    tsd_comm **made;
} seat;

struct tsi_meeting {
    tsi_meeting *next;
    tsi_comm_call call;
    int from, to; /* of a message; else -1 */
    int64_t number;
    int seats, come, left;
    bool running, done;
    tsi_trouble end;
    seat seat[];
};

/* A call of one rank, until it is done. */
typedef struct ticket {
    struct ticket *next;
    tsi_room *room;
    tsi_meeting *meeting;
    tsi_comm_call call;
    int rank, place; /* its seat */
    int from, to;
    int64_t number;
    seat seat;
} ticket;

/* The calls of this thread between group_start and group_end. */
static _Thread_local struct {
    int depth;
    ticket *first, *last;
} group;

static ts_status no_memory(void)
{
    return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a call on a communicator");
}

/* --- meetings; under the room's lock --- */

static tsi_meeting *meeting_of(const ticket *t)
{
    tsi_room *r = t->room;
    const int seats = t->call == TSI_COMM_MESSAGE ? 2 : r->ranks;
    tsi_meeting **at = &r->meetings, *m;

    for (; *at; at = &(*at)->next)
        if ((*at)->number == t->number && (*at)->from == t->from && (*at)->to == t->to)
            return *at;
    m = calloc(1, sizeof *m + (size_t)seats * sizeof *m->seat);
    if (!m)
        return NULL;
    *m = (tsi_meeting){.call = t->call,
                       .from = t->from,
                       .to = t->to,
                       .number = t->number,
                       .seats = seats,
                       .left = seats};
    *at = m;
    return m;
}

static void meeting_free(tsi_meeting *m)
{
    for (int i = 0; i < m->seats; i++) {
        if (m->seat[i].event)
            ts_software_driver()->event_destroy(m->seat[i].device, m->seat[i].event);
        free((void *)(uintptr_t)m->seat[i].part.in_counts); /* both kinds lie there */
    }
    free(m);
}

void tsi_meetings_free(tsi_room *r)
{
    while (r->meetings) {
        tsi_meeting *m = r->meetings;

        r->meetings = m->next;
        meeting_free(m);
    }
}

/* A seat will not be looked at again by its rank. */
static void meeting_leave(tsi_room *r, tsi_meeting *m)
{
    tsi_meeting **at = &r->meetings;

    if (--m->left > 0)
        return;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    meeting_free(m);
}

/* --- doing it --- */

static ts_status resolve(const tsi_room *r, const tsi_meeting *m, int i, tsi_part *part)
{
    size_t in, out;

    *part = m->seat[i].part;
    if (r->type != TS_ACCEL)
        return TS_OK;
    tsi_part_bytes(m->call, m->seats, i, part, &in, &out);
    if (in) {
        part->in = ts_software_resolve(part->in, in);
        TS_CHECK(part->in, TS_ERR_RUNTIME, NULL,
                 "illegal device address: a collective reads %zu bytes", in);
    }
    if (out) {
        part->out = ts_software_resolve(part->out, out);
        TS_CHECK(part->out, TS_ERR_RUNTIME, NULL,
                 "illegal device address: a collective writes %zu bytes", out);
    }
    return TS_OK;
}

/* Where seat i stands among those of its colour. */
static int split_rank(const tsi_meeting *m, int i, int *size)
{
    int rank = 0;

    *size = 0;
    for (int q = 0; q < m->seats; q++) {
        const seat *other = &m->seat[q], *own = &m->seat[i];

        if (other->color != own->color)
            continue;
        ++*size;
        rank += other->key < own->key || (other->key == own->key && q < i);
    }
    return rank;
}

static ts_status split_room(const tsi_room *parent, tsi_meeting *m)
{
    ts_status s = TS_OK;

    for (int i = 0; i < m->seats; i++)
        *m->seat[i].made = NULL;
    for (int first = 0; s == TS_OK && first < m->seats; first++) {
        const int color = m->seat[first].color;
        tsi_room *r;
        int size;

        if (color < 0 || *m->seat[first].made)
            continue;
        split_rank(m, first, &size);
        r = tsi_room_new(size, parent->type);
        if (!r)
            return no_memory();
        tsi_room_enter(r);
        for (int i = first; s == TS_OK && i < m->seats; i++)
            if (m->seat[i].color == color)
                s = tsi_comm_new(r, split_rank(m, i, &size), m->seat[i].device,
                                 m->seat[i].made);
        tsi_room_leave(r);
    }
    return s;
}

static ts_status perform(const tsi_room *r, tsi_meeting *m)
{
    tsi_part *parts;
    ts_status s = TS_OK;

    if (m->call == TSI_COMM_SPLIT)
        return split_room(r, m);
    parts = calloc((size_t)m->seats, sizeof *parts);
    if (!parts)
        return no_memory();
    for (int i = 0; s == TS_OK && i < m->seats; i++)
        s = resolve(r, m, i, &parts[i]);
    if (s == TS_OK)
        s = tsi_parts_check(m->call, m->seats, parts);
    if (s == TS_OK)
        tsi_parts_perform(m->call, m->seats, parts);
    free(parts);
    return s;
}

/* --- one rank's way through it --- */

static bool over(const tsi_room *r, const tsi_meeting *m)
{
    return m->done || (r->broken && !m->running);
}

static ts_status settle(ticket *t)
{
    tsi_room *r = t->room;
    tsi_meeting *m = t->meeting;
    tsi_trouble end;

    pthread_mutex_lock(&r->lock);
    while (!over(r, m) && m->come < m->seats)
        pthread_cond_wait(&r->change, &r->lock);
    if (!over(r, m) && !m->running) {
        ts_status s;

        m->running = true;
        pthread_mutex_unlock(&r->lock);
        s = perform(r, m);
        pthread_mutex_lock(&r->lock);
        tsi_trouble_keep(&m->end, s);
        m->done = true;
        pthread_cond_broadcast(&r->change);
    }
    while (!over(r, m))
        pthread_cond_wait(&r->change, &r->lock);
    end = m->done ? m->end : r->why;
    if (end.status != TS_OK)
        r->told[t->rank] = end;
    pthread_mutex_unlock(&r->lock);
    return tsi_trouble_tell(&end);
}

static void ticket_free(void *arg)
{
    ticket *t = arg;

    if (t->meeting) {
        pthread_mutex_lock(&t->room->lock);
        meeting_leave(t->room, t->meeting);
        pthread_mutex_unlock(&t->room->lock);
    } else {
        free((void *)(uintptr_t)t->seat.part.in_counts);
    }
    tsi_room_leave(t->room);
    free(t);
}

static bool on_stream(const ticket *t)
{
    return t->room->type == TS_ACCEL && t->call != TSI_COMM_SPLIT;
}

static ts_status check_capture(const ticket *t)
{
    ts_capture_status capture;

    TS_TRY(ts_software_driver()->capture_status(t->seat.device, t->seat.part.what.stream,
                                                &capture));
    TS_CHECK(capture == TS_CAPTURE_NONE, TS_ERR_UNSUPPORTED, NULL,
             "this communicator's calls can't be captured");
    return TS_OK;
}

/* Take the seat: from now on the others count on this rank. */
static ts_status sit(ticket *t)
{
    tsi_room *r = t->room;
    tsi_meeting *m;
    ts_status s = TS_OK;

    if (on_stream(t))
        TS_TRY(check_capture(t));
    pthread_mutex_lock(&r->lock);
    m = meeting_of(t);
    if (!m) {
        s = no_memory();
    } else if (m->call != t->call || m->seat[t->place].here) {
        s = ts_fail(TS_ERR_DIST, NULL,
                    "rank %d does not make the call that the others make here", t->rank);
        tsi_trouble_keep(&m->end, s); /* for them as well */
        m->done = true;
    } else {
        m->seat[t->place] = t->seat;
        m->seat[t->place].here = true;
        t->meeting = m;
    }
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    return s;
}

static ts_status come(void *arg)
{
    ticket *t = arg;

    pthread_mutex_lock(&t->room->lock);
    t->meeting->seat[t->place].come = true;
    t->meeting->come++;
    pthread_cond_broadcast(&t->room->change);
    pthread_mutex_unlock(&t->room->lock);
    return TS_OK;
}

static void keep(void *arg)
{
    (void)arg; /* the meeting, later on the same stream, ends the ticket */
}

/* The stream's first piece of work, and an event after it. */
static ts_status announce(ticket *t)
{
    const ts_driver *d = ts_software_driver();
    tsd_stream *s = t->seat.part.what.stream;
    tsd_event *e;
    ts_status st;

    if (!on_stream(t))
        return come(t);
    TS_TRY(ts_software_submit(t->seat.device, s, come, keep, t));
    TS_TRY(d->event_create(t->seat.device, false, &e));
    st = d->event_record(t->seat.device, e, s);
    pthread_mutex_lock(&t->room->lock);
    t->meeting->seat[t->place].event = e;
    pthread_mutex_unlock(&t->room->lock);
    return st;
}

static ts_status run(void *arg)
{
    return settle(arg);
}

/* The second piece, after the others have come. Takes the ticket. */
static ts_status meet(ticket *t)
{
    tsd_stream *stream = t->seat.part.what.stream;
    tsi_meeting *m = t->meeting;
    ts_status s = TS_OK, own;

    for (int q = 0; s == TS_OK && q < m->seats; q++) {
        tsd_event *e;
        int device;

        pthread_mutex_lock(&t->room->lock);
        e = m->seat[q].event;
        device = m->seat[q].device;
        pthread_mutex_unlock(&t->room->lock);
        if (e && q != t->place)
            s = ts_software_driver()->stream_wait_event(device, stream, e);
    }
    own = ts_software_submit(t->seat.device, stream, run, ticket_free, t);
    return s == TS_OK ? own : s;
}

/* Everybody sits and comes before any waits: no order of the calls of a group can make one
 * of its streams wait for another's later work. */
static ts_status flush(ticket *tickets)
{
    ts_status s = TS_OK;

    for (ticket *t = tickets; s == TS_OK && t; t = t->next)
        s = sit(t);
    for (ticket *t = tickets; s == TS_OK && t; t = t->next)
        s = announce(t);
    while (tickets) {
        ticket *t = tickets;
        ts_status own = TS_OK;

        tickets = t->next;
        if (t->meeting && on_stream(t)) {
            own = meet(t);
        } else {
            if (s == TS_OK)
                own = settle(t);
            ticket_free(t);
        }
        s = s == TS_OK ? own : s;
    }
    return s;
}

/* --- the calls --- */

static ts_status group_start(void)
{
    group.depth++;
    return TS_OK;
}

static ts_status group_end(void)
{
    ticket *all = group.first;

    TS_CHECK(group.depth > 0, TS_ERR_VALUE, NULL,
             "the end of a group that did not begin");
    if (--group.depth > 0)
        return TS_OK;
    group.first = group.last = NULL;
    return flush(all);
}

/* Of a collective from and to are -1. */
static ts_status make(tsd_comm *c, tsi_comm_call call, const seat *own, int place,
                      int from, int to, int64_t number)
{
    ticket *t = calloc(1, sizeof *t);

    if (!t) {
        free((void *)(uintptr_t)own->part.in_counts);
        return no_memory();
    }
    *t = (ticket){.room = c->room,
                  .call = call,
                  .rank = c->rank,
                  .place = place,
                  .from = from,
                  .to = to,
                  .number = number,
                  .seat = *own};
    t->seat.device = c->device;
    tsi_room_enter(c->room);
    if (group.depth == 0)
        return flush(t);
    if (group.last)
        group.last->next = t;
    else
        group.first = t;
    group.last = t;
    return TS_OK;
}

static ts_status check_whole(const tsd_comm *c)
{
    ts_status s = TS_OK;

    pthread_mutex_lock(&c->room->lock);
    if (c->room->broken)
        s = tsi_trouble_tell(&c->room->why);
    pthread_mutex_unlock(&c->room->lock);
    return s;
}

static ts_status collective(tsd_comm *c, tsi_comm_call call, const seat *own)
{
    const ts_status s = check_whole(c);

    if (s != TS_OK) {
        free((void *)(uintptr_t)own->part.in_counts);
        return s;
    }
    return make(c, call, own, c->rank, -1, -1, c->next++);
}

#define COLLECTIVE(name, call)                                                 \
    static ts_status name(tsd_comm *c, const ts_collective *w, const void *in, \
                          void *out)                                           \
    {                                                                          \
        const seat own = {.part = {.what = *w, .in = in, .out = out}};         \
                                                                               \
        return collective(c, call, &own);                                      \
    }

COLLECTIVE(all_reduce, TSI_COMM_ALL_REDUCE)
COLLECTIVE(reduce, TSI_COMM_REDUCE)
COLLECTIVE(broadcast, TSI_COMM_BROADCAST)
COLLECTIVE(all_gather, TSI_COMM_ALL_GATHER)
COLLECTIVE(gather, TSI_COMM_GATHER)
COLLECTIVE(reduce_scatter, TSI_COMM_REDUCE_SCATTER)
COLLECTIVE(scatter, TSI_COMM_SCATTER)
COLLECTIVE(all_to_all, TSI_COMM_ALL_TO_ALL)

static ts_status all_to_all_v(tsd_comm *c, const ts_collective *w, const void *in,
                              const int64_t *in_counts, void *out,
                              const int64_t *out_counts)
{
    const size_t bytes = (size_t)c->room->ranks * sizeof(int64_t);
    int64_t *counts = malloc(2 * bytes);
    seat own = {.part = {.what = *w, .in = in, .out = out, .in_counts = counts}};

    if (!counts)
        return no_memory();
    memcpy(counts, in_counts, bytes);
    memcpy(counts + c->room->ranks, out_counts, bytes);
    own.part.out_counts = counts + c->room->ranks;
    return collective(c, TSI_COMM_ALL_TO_ALL_V, &own);
}

static ts_status barrier(tsd_comm *c, const ts_collective *w)
{
    const seat own = {.part = {.what = *w}};

    return collective(c, TSI_COMM_BARRIER, &own);
}

static ts_status split(tsd_comm *c, int color, int key, tsd_comm **out)
{
    const seat own = {.color = color, .key = key, .made = out};

    return collective(c, TSI_COMM_SPLIT, &own);
}

static ts_status check_message(const tsd_comm *c, const ts_collective *w)
{
    TS_CHECK(w->root >= 0 && w->root < c->room->ranks, TS_ERR_VALUE, NULL,
             "a message between rank %d and rank %d of %d", c->rank, w->root,
             c->room->ranks);
    return check_whole(c);
}

static ts_status send(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    const seat own = {.part = {.what = *w, .in = in}};

    (void)out;
    TS_TRY(check_message(c, w));
    return make(c, TSI_COMM_MESSAGE, &own, 0, c->rank, w->root, c->sent[w->root]++);
}

static ts_status recv(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    const seat own = {.part = {.what = *w, .out = out}};

    (void)in;
    TS_TRY(check_message(c, w));
    return make(c, TSI_COMM_MESSAGE, &own, 1, w->root, c->rank, c->gotten[w->root]++);
}

const ts_communicator *ts_reference_communicator(void)
{
    static const ts_communicator reference = {
        .size = sizeof reference,
        .unique_id = tsi_comm_unique_id,
        .init = tsi_comm_init,
        .split = split,
        .query = tsi_comm_query,
        .destroy = tsi_comm_destroy,
        .abort = tsi_comm_abort,
        .async_error = tsi_comm_async_error,
        .group_start = group_start,
        .group_end = group_end,
        .all_reduce = all_reduce,
        .reduce = reduce,
        .broadcast = broadcast,
        .all_gather = all_gather,
        .gather = gather,
        .reduce_scatter = reduce_scatter,
        .scatter = scatter,
        .all_to_all = all_to_all,
        .all_to_all_v = all_to_all_v,
        .send = send,
        .recv = recv,
        .barrier = barrier,
    };

    return &reference;
}
