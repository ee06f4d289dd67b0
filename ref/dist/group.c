/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of ranks: who is in them, and how ranks are named. */
#include <stdlib.h>

#include "dist/dist.h"

static ts_group no_member = {.rank = -1};

ts_group *ts_group_no_member(void)
{
    return &no_member;
}

ts_status tsi_group_of(ts_group *g, ts_group **out)
{
    TS_CHECK(tsi_me.world, TS_ERR_VALUE, "dist/C1",
             "there is no process group: this thread is no rank of a world");
    *out = g ? g : tsi_me.own;
    return TS_OK;
}

int tsi_group_rank(const ts_group *g)
{
    return g->rank;
}

int tsi_group_size(const ts_group *g)
{
    return g->all->size;
}

ts_status ts_group_rank(const ts_group *g, int *rank)
{
    TS_CHECK(tsi_me.world, TS_ERR_VALUE, "dist/C1",
             "get_rank: there is no process group");
    *rank = g ? g->rank : tsi_me.own->rank;
    return TS_OK;
}

ts_status ts_group_size(const ts_group *g, int *size)
{
    TS_CHECK(tsi_me.world, TS_ERR_VALUE, "dist/C1",
             "get_world_size: there is no process group");
    *size = !g ? tsi_me.own->all->size : g->all ? g->all->size : -1;
    return TS_OK;
}

/* The group whose ranks g stands for, NULL for the world, in which a number is itself,
 * asked for or not (dist/S1). A marker stands for the newest group without this rank. */
static ts_status ranks_of(const char *what, const ts_group *g, const tsi_shared **out)
{
    TS_CHECK(tsi_me.world, TS_ERR_VALUE, "dist/C1", "%s: there is no process group",
             what);
    *out = NULL;
    if (g && g != tsi_me.own) {
        *out = g->all ? g->all : tsi_me.outside;
        TS_CHECK(*out, TS_ERR_VALUE, "dist/C8", "%s: there is no such group", what);
    }
    return TS_OK;
}

static int find(const tsi_shared *all, int64_t global)
{
    for (int r = 0; r < all->size; r++)
        if (all->ranks[r] == global)
            return r;
    return -1;
}

ts_status ts_group_global_rank(const ts_group *g, int64_t rank, int64_t *global)
{
    const tsi_shared *all = NULL;

    TS_TRY(ranks_of("get_global_rank", g, &all));
    TS_CHECK(!all || (rank >= 0 && rank < all->size), TS_ERR_VALUE, "dist/C8",
             "get_global_rank: rank %" PRId64 " of a group of %d", rank, all->size);
    *global = all ? all->ranks[rank] : rank;
    return TS_OK;
}

ts_status ts_group_rank_of(const ts_group *g, int64_t global, int64_t *rank)
{
    const tsi_shared *all = NULL;

    TS_TRY(ranks_of("get_group_rank", g, &all));
    *rank = all ? find(all, global) : global;
    TS_CHECK(!all || *rank >= 0, TS_ERR_VALUE, "dist/C8",
             "get_group_rank: rank %" PRId64 " is no member of the group", global);
    return TS_OK;
}

ts_status tsi_group_root(const char *what, const ts_group *g, int64_t global, int *root)
{
    const tsi_shared *all = NULL;

    TS_TRY(ranks_of(what, g, &all));
    if (!all) {
        *root = global >= 0 && global < tsi_me.world->size ? (int)global : -1;
        return TS_OK;
    }
    *root = find(all, global);
    TS_CHECK(*root >= 0, TS_ERR_VALUE, "dist/C17",
             "%s: rank %" PRId64 " is no member of the group", what, global);
    return TS_OK;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

ts_status ts_group_new(int n, const int64_t *ranks, ts_group **out)
{
    tsi_call call = {.kind = TSI_NEW_GROUP, .ndim = n};
    const tsi_cargo nothing = {0};
    ts_world *w = tsi_me.world;
    tsi_shared *all = NULL;
    int mine = -1, number;
    tsi_slot *s;

    TS_CHECK(w, TS_ERR_VALUE, "dist/C1", "new_group: there is no process group");
    TS_CHECK(n <= TS_MAX_DIMS && w->size <= TS_MAX_DIMS, TS_ERR_VALUE, "dist/C8",
             "new_group: a group of more than %d ranks", TS_MAX_DIMS);
    if (n == 0)
        for (call.ndim = 0; call.ndim < w->size; call.ndim++)
            call.sizes[call.ndim] = call.ndim;
    else
        memcpy(call.sizes, ranks, (size_t)n * sizeof *ranks);
    qsort(call.sizes, (size_t)call.ndim, sizeof *call.sizes, by_value);
    for (int i = 0; i < call.ndim; i++) {
        const int64_t r = call.sizes[i];

        TS_CHECK(r >= 0 && r < w->size, TS_ERR_VALUE, "dist/C8",
                 "new_group: rank %" PRId64 " of a world of %d", r, w->size);
        TS_CHECK(i == 0 || r != call.sizes[i - 1], TS_ERR_VALUE, "dist/C8",
                 "new_group: rank %" PRId64 " stands twice", r);
        if (r == tsi_me.rank)
            mine = i;
    }
    TS_TRY(tsi_arrive(tsi_me.own, &call, &nothing, &s));

    const int64_t sequence = tsi_slot_sequence(s);
    const ts_status status = tsi_slot_wait(s, tsi_me.own);

    tsi_slot_release(s, tsi_me.own);
    TS_TRY(status);
    /* The first to come here makes it; its number is the slot's, alike on every rank. */
    pthread_mutex_lock(&w->lock);
    number = (int)sequence + 1;
    for (all = w->all; all && all->number != number; all = all->next)
        ;
    if (!all && (all = tsi_shared_new(w, call.ndim))) {
        all->number = number;
        for (int i = 0; i < call.ndim; i++)
            all->ranks[i] = (int)call.sizes[i];
    }
    pthread_mutex_unlock(&w->lock);
    if (!all)
        return tsi_dist_no_memory("a group");
    if (mine < 0) {
        tsi_me.outside = all;
        *out = &no_member;
        return TS_OK;
    }
    return tsi_group_handle(all, mine, out);
}
