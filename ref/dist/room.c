/* SPDX-License-Identifier: Apache-2.0 */
/* Rooms and the communicators in them: made by id, broken by abort, gone with the last. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "dist/room.h"

static pthread_mutex_t rooms_lock = PTHREAD_MUTEX_INITIALIZER;
static tsi_room *rooms;

static ts_status no_memory(void)
{
    return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a communicator");
}

void tsi_trouble_keep(tsi_trouble *t, ts_status status)
{
    const char *text = ts_error_message();

    if (text[0] == '[' && strstr(text, "] "))
        text = strstr(text, "] ") + 2;
    t->status = status;
    snprintf(t->message, sizeof t->message, "%s", status == TS_OK ? "" : text);
}

ts_status tsi_trouble_tell(const tsi_trouble *t)
{
    return t->status == TS_OK ? TS_OK : ts_fail(t->status, NULL, "%s", t->message);
}

/* --- rooms --- */

tsi_room *tsi_room_new(int ranks, ts_device_type type)
{
    tsi_room *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->ranks = ranks;
    r->type = type;
    r->seated = calloc((size_t)ranks, sizeof *r->seated);
    r->told = calloc((size_t)ranks, sizeof *r->told);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->change, NULL);
    if (r->seated && r->told)
        return r;
    r->users = 1;
    tsi_room_leave(r);
    return NULL;
}

void tsi_room_enter(tsi_room *r)
{
    pthread_mutex_lock(&r->lock);
    r->users++;
    pthread_mutex_unlock(&r->lock);
}

void tsi_room_leave(tsi_room *r)
{
    tsi_room **at = &rooms;
    bool last;

    pthread_mutex_lock(&rooms_lock); /* before the id leads somebody in */
    pthread_mutex_lock(&r->lock);
    last = --r->users == 0;
    pthread_mutex_unlock(&r->lock);
    while (last && r->listed && *at != r)
        at = &(*at)->next;
    if (last && r->listed)
        *at = r->next;
    pthread_mutex_unlock(&rooms_lock);
    if (!last)
        return;
    tsi_meetings_free(r);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->change);
    free(r->seated);
    free(r->told);
    free(r);
}

/* --- communicators --- */

ts_status tsi_comm_new(tsi_room *r, int rank, int device, tsd_comm **out)
{
    tsd_comm *c = calloc(1, sizeof *c + 2 * (size_t)r->ranks * sizeof *c->sent);
    bool taken;

    if (!c)
        return no_memory();
    *c = (tsd_comm){.room = r, .rank = rank, .device = device};
    c->sent = (int64_t *)(c + 1);
    c->gotten = c->sent + r->ranks;
    pthread_mutex_lock(&r->lock);
    taken = r->seated[rank];
    r->seated[rank] = true;
    r->users += !taken;
    pthread_mutex_unlock(&r->lock);
    if (taken) {
        free(c);
        return ts_fail(TS_ERR_VALUE, NULL, "rank %d has a communicator of this id", rank);
    }
    *out = c;
    return TS_OK;
}

/* Unlike any other of this process; other processes' ids lead nowhere here. */
ts_status tsi_comm_unique_id(ts_unique_id *out)
{
    static _Atomic long long last;
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    memset(out, 0, sizeof *out);
    snprintf((char *)out->bytes, sizeof out->bytes, "threads %lld of %lld at %lld.%09ld",
             ++last, (long long)getpid(), (long long)t.tv_sec, t.tv_nsec);
    return TS_OK;
}

/* The room of an id, made by the first who asks for it; the caller is a user of it. */
static tsi_room *room_of(const ts_comm_config *config)
{
    tsi_room *r;

    pthread_mutex_lock(&rooms_lock);
    for (r = rooms; r; r = r->next)
        if (memcmp(&r->id, &config->id, sizeof r->id) == 0)
            break;
    if (r) {
        tsi_room_enter(r);
    } else if ((r = tsi_room_new(config->ranks, config->device.type))) {
        r->id = config->id;
        r->users = 1;
        r->listed = true;
        r->next = rooms;
        rooms = r;
    }
    pthread_mutex_unlock(&rooms_lock);
    return r;
}

ts_status tsi_comm_init(const ts_comm_config *config, tsd_comm **out)
{
    tsi_room *r;
    ts_status s;

    TS_CHECK(config->ranks >= 1 && config->rank >= 0 && config->rank < config->ranks,
             TS_ERR_VALUE, NULL, "a communicator for rank %d of %d", config->rank,
             config->ranks);
    TS_CHECK(config->device.type == TS_CPU || config->device.type == TS_ACCEL,
             TS_ERR_VALUE, NULL, "a communicator for a device without memory");
    r = room_of(config);
    if (!r)
        return no_memory();
    if (r->ranks != config->ranks || r->type != config->device.type)
        s = ts_fail(TS_ERR_VALUE, NULL,
                    "rank %d of %d: another rank said %d, or another kind of device",
                    config->rank, config->ranks, r->ranks);
    else
        s = tsi_comm_new(r, config->rank, config->device.index, out);
    tsi_room_leave(r);
    return s;
}

ts_status tsi_comm_query(tsd_comm *c, int *ranks, int *rank)
{
    *ranks = c->room->ranks;
    *rank = c->rank;
    return TS_OK;
}

void tsi_comm_destroy(tsd_comm *c)
{
    tsi_room *r = c->room;

    pthread_mutex_lock(&r->lock);
    r->seated[c->rank] = false;
    pthread_mutex_unlock(&r->lock);
    tsi_room_leave(r);
    free(c);
}

ts_status tsi_comm_abort(tsd_comm *c)
{
    tsi_room *r = c->room;

    pthread_mutex_lock(&r->lock);
    if (!r->broken) {
        r->broken = true;
        r->why.status = TS_ERR_DIST;
        snprintf(r->why.message, sizeof r->why.message,
                 "rank %d has aborted the communicator", c->rank);
        for (int q = 0; q < r->ranks; q++)
            if (r->told[q].status == TS_OK)
                r->told[q] = r->why;
    }
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    return TS_OK;
}

ts_status tsi_comm_async_error(tsd_comm *c)
{
    tsi_trouble t;

    pthread_mutex_lock(&c->room->lock);
    t = c->room->told[c->rank];
    c->room->told[c->rank].status = TS_OK;
    pthread_mutex_unlock(&c->room->lock);
    return tsi_trouble_tell(&t);
}
