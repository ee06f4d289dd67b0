/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds, and this thread as a rank of one. */
#include "dist/dist.h"

#include <stdlib.h>
#include <time.h>

_Thread_local tsi_rank tsi_me;

ts_status tsi_dist_no_memory(const char *name)
{
    return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for %s", name);
}

tsi_shared *tsi_shared_new(ts_world *w, int size)
{
    tsi_shared *s = calloc(1, sizeof *s + (size_t)size * sizeof *s->ranks);

    if (s) {
        s->world = w;
        s->size = size;
        s->number = w->groups++;
        pthread_mutex_init(&s->calling, NULL);
        s->next = w->all;
        w->all = s;
    }
    return s;
}

ts_status ts_world_new(int size, double timeout, ts_world **out)
{
    ts_world *w = calloc(1, sizeof *w);
    pthread_condattr_t attributes;
    tsi_shared *all;

    TS_CHECK(size >= 1, TS_ERR_VALUE, NULL, "a world of %d ranks", size);
    if (!w)
        return tsi_dist_no_memory("a world");
    w->size = size;
    w->timeout = timeout;
    w->joined = calloc((size_t)size, sizeof *w->joined);
    w->left = calloc((size_t)size, sizeof *w->left);
    all = tsi_shared_new(w, size);
    if (!w->joined || !w->left || !all) {
        free(w->joined);
        free(w->left);
        free(all);
        free(w);
        return tsi_dist_no_memory("a world");
    }
    for (int r = 0; r < size; r++)
        all->ranks[r] = r;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->change, &attributes);
    pthread_condattr_destroy(&attributes);
    *out = w;
    return TS_OK;
}

static void shared_free(tsi_shared *g)
{
    tsi_slots_free(g);
    tsi_channels_free(g);
    pthread_mutex_destroy(&g->calling);
    free(g);
}

void ts_world_free(ts_world *w)
{
    if (!w)
        return;
    while (w->all) {
        tsi_shared *g = w->all;

        w->all = g->next;
        shared_free(g);
    }
    pthread_cond_destroy(&w->change);
    pthread_mutex_destroy(&w->lock);
    free(w->joined);
    free(w->left);
    free(w);
}

ts_status tsi_group_handle(tsi_shared *all, int rank, ts_group **out)
{
    ts_group *g = calloc(1, sizeof *g);

    if (!g)
        return tsi_dist_no_memory("a world");
    *g = (ts_group){.all = all, .rank = rank, .link = tsi_me.groups};
    tsi_me.groups = g;
    *out = g;
    return TS_OK;
}

ts_status ts_world_join(ts_world *w, int rank)
{
    tsi_shared *own;
    bool taken;

    TS_CHECK(!tsi_me.world, TS_ERR_VALUE, "dist/C1", "this thread is rank %d already",
             tsi_me.rank);
    TS_CHECK(rank >= 0 && rank < w->size, TS_ERR_VALUE, "dist/C1",
             "rank %d of a world of %d", rank, w->size);
    pthread_mutex_lock(&w->lock);
    taken = w->joined[rank];
    w->joined[rank] = true;
    for (own = w->all; own->next; own = own->next)
        ;
    pthread_mutex_unlock(&w->lock);
    TS_CHECK(!taken, TS_ERR_VALUE, "dist/C1", "rank %d has joined before", rank);
    tsi_me.world = w;
    tsi_me.rank = rank;
    return tsi_group_handle(own, rank, &tsi_me.own);
}

bool ts_world_joined(void)
{
    return tsi_me.world != NULL;
}

void ts_world_leave(void)
{
    ts_world *w = tsi_me.world;

    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->left[tsi_me.rank] = true;
    for (tsi_shared *g = w->all; g; g = g->next)
        tsi_slots_check_left(g);
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
    while (tsi_me.groups) {
        ts_group *g = tsi_me.groups;

        tsi_me.groups = g->link;
        ts_stream_release(g->stream);
        free(g);
    }
    tsi_me = (tsi_rank){0};
}
