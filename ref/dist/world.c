/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds, groups, and the slots where ranks meet. A group's k-th collective has slot k:
 * every rank leaves its buffers there, the last to come does the work, the others wait.
 * One lock guards all of a world; the work itself runs without it.
 */
#include "dist/dist.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/backend.h"

typedef struct seat {
    bool here, released;
    void *in, *out;
} seat;

struct tsi_slot {
    tsi_slot *next;
    int64_t sequence;
    int arrived, first; /* how many came; who was the first */
    bool running, settled;
    ts_status status;
    char label[32], message[480];
    tsi_call call; /* the first one's */
    seat seats[];
};

/* What the ranks of a group share. */
typedef struct shared {
    struct shared *next;
    ts_world *world;
    int number; /* 0: the world's own */
    tsi_slot *slots;
    int size;
    int ranks[]; /* in the world, ascending */
} shared;

struct ts_group {
    shared *all;
    int rank;
    int64_t next; /* sequence number of this rank's next collective */
    ts_group *link;
};

struct ts_world {
    pthread_mutex_t lock;
    pthread_cond_t change;
    double timeout;
    int size, groups;
    shared *all; /* the world's own group is the last */
    bool *joined, *left;
};

static _Thread_local struct {
    ts_world *world;
    int rank;
    ts_group *groups; /* newest first; the world's own is the last */
    ts_group *own;
} me;

static ts_group no_member = {.rank = -1};

ts_group *ts_group_no_member(void)
{
    return &no_member;
}

static ts_status no_memory(void)
{
    return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a collective");
}

const char *tsi_collective_name(tsi_collective_kind kind)
{
    static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter",
                                        "broadcast",  "barrier",    "new_group"};

    return names[kind];
}

const char *tsi_reduce_op_name(ts_reduce_op op)
{
    static const char *const names[] = {"SUM", "AVG",  "PRODUCT", "MIN",
                                        "MAX", "BAND", "BOR",     "BXOR"};

    return names[op];
}

/* --- worlds --- */

static shared *shared_new(ts_world *w, int size)
{
    shared *s = calloc(1, sizeof *s + (size_t)size * sizeof *s->ranks);

    if (s) {
        s->world = w;
        s->size = size;
        s->number = w->groups++;
        s->next = w->all;
        w->all = s;
    }
    return s;
}

ts_status ts_world_new(int size, double timeout, ts_world **out)
{
    ts_world *w = calloc(1, sizeof *w);
    pthread_condattr_t attributes;
    shared *all;

    TS_CHECK(size >= 1, TS_ERR_VALUE, NULL, "a world of %d ranks", size);
    if (!w)
        return no_memory();
    w->size = size;
    w->timeout = timeout;
    w->joined = calloc((size_t)size, sizeof *w->joined);
    w->left = calloc((size_t)size, sizeof *w->left);
    all = shared_new(w, size);
    if (!w->joined || !w->left || !all) {
        free(w->joined);
        free(w->left);
        free(all);
        free(w);
        return no_memory();
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

static void slot_free(tsi_slot *s, int size)
{
    for (int r = 0; r < size; r++) {
        if (s->seats[r].out != s->seats[r].in)
            free(s->seats[r].out);
        free(s->seats[r].in);
    }
    free(s);
}

void ts_world_free(ts_world *w)
{
    if (!w)
        return;
    while (w->all) {
        shared *g = w->all;

        while (g->slots) {
            tsi_slot *s = g->slots;

            g->slots = s->next;
            slot_free(s, g->size);
        }
        w->all = g->next;
        free(g);
    }
    pthread_cond_destroy(&w->change);
    pthread_mutex_destroy(&w->lock);
    free(w->joined);
    free(w->left);
    free(w);
}

static ts_status group_handle(shared *all, int rank, ts_group **out)
{
    ts_group *g = calloc(1, sizeof *g);

    if (!g)
        return no_memory();
    *g = (ts_group){.all = all, .rank = rank, .link = me.groups};
    me.groups = g;
    *out = g;
    return TS_OK;
}

ts_status ts_world_join(ts_world *w, int rank)
{
    shared *own;
    bool taken;

    TS_CHECK(!me.world, TS_ERR_VALUE, "dist/C1", "this thread is rank %d already",
             me.rank);
    TS_CHECK(rank >= 0 && rank < w->size, TS_ERR_VALUE, "dist/C1",
             "rank %d of a world of %d", rank, w->size);
    pthread_mutex_lock(&w->lock);
    taken = w->joined[rank];
    w->joined[rank] = true;
    for (own = w->all; own->next; own = own->next)
        ;
    pthread_mutex_unlock(&w->lock);
    TS_CHECK(!taken, TS_ERR_VALUE, "dist/C1", "rank %d has joined before", rank);
    me.world = w;
    me.rank = rank;
    return group_handle(own, rank, &me.own);
}

bool ts_world_joined(void)
{
    return me.world != NULL;
}

/* --- slots; all of it under the lock --- */

TS_PRINTF(4, 5)
static void settle(tsi_slot *s, ts_status status, const char *label, const char *format,
                   ...)
{
    va_list args;

    s->settled = true;
    s->status = status;
    snprintf(s->label, sizeof s->label, "%s", label ? label : "");
    va_start(args, format);
    vsnprintf(s->message, sizeof s->message, format, args);
    va_end(args);
}

/* Nobody will ask for it again. */
static bool is_spent(const shared *g, const tsi_slot *s)
{
    for (int r = 0; r < g->size; r++)
        if (!s->seats[r].released && !(g->world->left[g->ranks[r]] && !s->seats[r].here))
            return false;
    return true;
}

static void drop_spent(shared *g)
{
    for (tsi_slot **at = &g->slots; *at;) {
        tsi_slot *s = *at;

        if (!s->running && is_spent(g, s)) {
            *at = s->next;
            slot_free(s, g->size);
        } else {
            at = &s->next;
        }
    }
}

/* "rank 1", "ranks 1, 3": who has not come, of those only who have left if `left`. */
static bool missing(const shared *g, const tsi_slot *s, bool left, char *text, size_t n)
{
    int found = 0;
    size_t used = 0;

    text[0] = '\0';
    for (int r = 0; r < g->size; r++) {
        if (s->seats[r].here || (left && !g->world->left[g->ranks[r]]))
            continue;
        if (used < n)
            used += (size_t)snprintf(text + used, n - used, "%s%d", found++ ? ", " : "",
                                     g->ranks[r]);
    }
    return found > 0;
}

static void check_left(const shared *g, tsi_slot *s)
{
    char who[120];

    if (!s->settled && !s->running && missing(g, s, true, who, sizeof who))
        settle(s, TS_ERR_DIST, "dist/C7",
               "%s number %lld of group %d, called by rank %d: rank %s ended before it "
               "came",
               tsi_collective_name(s->call.kind), (long long)s->sequence, g->number,
               g->ranks[s->first], who);
}

static tsi_slot *slot_at(shared *g, int64_t sequence)
{
    tsi_slot **at = &g->slots;
    tsi_slot *s;

    for (; *at; at = &(*at)->next)
        if ((*at)->sequence == sequence)
            return *at;
    s = calloc(1, sizeof *s + (size_t)g->size * sizeof *s->seats);
    if (s) {
        s->sequence = sequence;
        *at = s;
    }
    return s;
}

static const char *call_text(const tsi_call *c, char *buf, size_t n)
{
    char sizes[160];
    int used = snprintf(buf, n, "%s", tsi_collective_name(c->kind));

    if (c->kind == TSI_BARRIER || used < 0)
        return buf;
    tsi_sizes_text(sizes, sizeof sizes, c->ndim, c->sizes);
    if (c->kind == TSI_NEW_GROUP)
        snprintf(buf + used, n - (size_t)used, " of ranks %s", sizes);
    else
        snprintf(buf + used, n - (size_t)used, "%s%s%s of %s %s on %s",
                 c->kind == TSI_ALL_REDUCE || c->kind == TSI_REDUCE_SCATTER ? " " : "",
                 c->kind == TSI_ALL_REDUCE || c->kind == TSI_REDUCE_SCATTER
                     ? tsi_reduce_op_name(c->op)
                     : "",
                 c->kind == TSI_BROADCAST ? " from one rank" : "",
                 ts_dtype_name(c->dtype), sizes,
                 c->device == TS_CPU    ? "cpu"
                 : c->device == TS_META ? "meta"
                                        : "accel");
    return buf;
}

static bool same_call(const tsi_call *a, const tsi_call *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && a->device == b->device &&
           a->op == b->op && a->source == b->source && a->ndim == b->ndim &&
           (a->ndim == 0 ||
            memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0);
}

static ts_status perform(shared *g, const tsi_slot *s, const void **in, void **out)
{
    const tsi_call *c = &s->call;
    const ts_communicator *k = tsi_communicator_of(c->device);
    const ts_collective what = {.size = sizeof what,
                                .ranks = g->size,
                                .dtype = c->dtype,
                                .op = c->op,
                                .n = c->n,
                                .backward = c->backward};
    const size_t bytes = (size_t)(c->n * ts_dtype_size(c->dtype));

    if (!k)
        k = ts_reference_communicator();
    switch (c->kind) {
    case TSI_ALL_REDUCE:
        return k->all_reduce(&what, in, out);
    case TSI_ALL_GATHER:
        return k->all_gather(&what, in, out);
    case TSI_REDUCE_SCATTER:
        return k->reduce_scatter(&what, in, out);
    default:
        for (int r = 0; c->kind == TSI_BROADCAST && r < g->size && bytes > 0; r++)
            if (r != c->source)
                memcpy(out[r], in[c->source], bytes);
        return TS_OK;
    }
}

/* Everybody is here. Lets go of the lock meanwhile. */
static void run(shared *g, tsi_slot *s)
{
    const bool data = s->call.device != TS_META && s->call.kind <= TSI_BROADCAST;
    const void **in = calloc((size_t)g->size, sizeof *in);
    void **out = calloc((size_t)g->size, sizeof *out);
    ts_status status = in && out ? TS_OK : no_memory();
    const char *text;

    s->running = true;
    for (int r = 0; status == TS_OK && r < g->size; r++) {
        in[r] = s->seats[r].in;
        out[r] = s->seats[r].out;
    }
    pthread_mutex_unlock(&g->world->lock);
    if (status == TS_OK && data) {
        status = perform(g, s, in, out);
        tsi_backend_count(s->call.device, false);
    }
    free(in);
    free(out);
    pthread_mutex_lock(&g->world->lock);
    s->running = false;
    text = ts_error_message();
    if (text[0] == '[' && strstr(text, "] "))
        text = strstr(text, "] ") + 2;
    settle(s, status, ts_error_label(), "%s", status == TS_OK ? "" : text);
}

ts_status tsi_arrive(ts_group *g, const tsi_call *call, void *in, void *out,
                     tsi_slot **slot)
{
    shared *all = g->all;
    ts_world *w = all->world;
    char mine[240], theirs[240];
    tsi_slot *s;

    pthread_mutex_lock(&w->lock);
    s = slot_at(all, g->next);
    if (!s) {
        pthread_mutex_unlock(&w->lock);
        if (out != in)
            free(out);
        free(in);
        return no_memory();
    }
    g->next++;
    s->seats[g->rank] = (seat){.here = true, .in = in, .out = out};
    if (s->arrived++ == 0) {
        s->first = g->rank;
        s->call = *call;
    }
    if (!s->settled && !same_call(call, &s->call))
        settle(s, TS_ERR_DIST, "dist/C6",
               "number %lld of group %d: rank %d calls %s, rank %d %s",
               (long long)s->sequence, all->number, all->ranks[s->first],
               call_text(&s->call, theirs, sizeof theirs), all->ranks[g->rank],
               call_text(call, mine, sizeof mine));
    check_left(all, s);
    if (!s->settled && s->arrived == all->size)
        run(all, s);
    if (s->settled)
        pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
    *slot = s;
    return TS_OK;
}

static struct timespec after(double seconds)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)seconds;
    t.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

ts_status tsi_slot_wait(tsi_slot *s, ts_group *g)
{
    ts_world *w = g->all->world;
    const struct timespec deadline = after(w->timeout);
    char who[120];
    ts_status status;

    pthread_mutex_lock(&w->lock);
    while (!s->settled) {
        const int e = pthread_cond_timedwait(&w->change, &w->lock, &deadline);

        if (e == 0 || s->settled || s->running)
            continue;
        missing(g->all, s, false, who, sizeof who);
        settle(s, TS_ERR_DIST, "dist/C7",
               "%s number %lld of group %d, called by rank %d: rank %s did not come "
               "within %g s",
               tsi_collective_name(s->call.kind), (long long)s->sequence, g->all->number,
               g->all->ranks[s->first], who, w->timeout);
        pthread_cond_broadcast(&w->change);
    }
    status = s->status;
    pthread_mutex_unlock(&w->lock);
    if (status != TS_OK) /* settled: nobody writes to it any more */
        return ts_fail(status, s->label[0] ? s->label : NULL, "%s", s->message);
    return TS_OK;
}

bool tsi_slot_settled(tsi_slot *s, const ts_group *g)
{
    bool settled;

    pthread_mutex_lock(&g->all->world->lock);
    settled = s->settled;
    pthread_mutex_unlock(&g->all->world->lock);
    return settled;
}

void *tsi_slot_out(tsi_slot *s, const ts_group *g)
{
    return s->seats[g->rank].out;
}

int64_t tsi_slot_sequence(const tsi_slot *s)
{
    return s->sequence;
}

void tsi_slot_release(tsi_slot *s, ts_group *g)
{
    pthread_mutex_lock(&g->all->world->lock);
    s->seats[g->rank].released = true;
    drop_spent(g->all);
    pthread_mutex_unlock(&g->all->world->lock);
}

void ts_world_leave(void)
{
    ts_world *w = me.world;

    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->left[me.rank] = true;
    for (shared *g = w->all; g; g = g->next) {
        for (tsi_slot *s = g->slots; s; s = s->next)
            check_left(g, s);
        drop_spent(g);
    }
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
    while (me.groups) {
        ts_group *g = me.groups;

        me.groups = g->link;
        free(g);
    }
    me.world = NULL;
    me.own = NULL;
}

/* --- groups --- */

ts_status tsi_group_of(ts_group *g, ts_group **out)
{
    TS_CHECK(me.world, TS_ERR_VALUE, "dist/C1",
             "there is no process group: this thread is no rank of a world");
    *out = g ? g : me.own;
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
    TS_CHECK(me.world, TS_ERR_VALUE, "dist/C1", "get_rank: there is no process group");
    *rank = g ? g->rank : me.own->rank;
    return TS_OK;
}

ts_status ts_group_size(const ts_group *g, int *size)
{
    TS_CHECK(me.world, TS_ERR_VALUE, "dist/C1",
             "get_world_size: there is no process group");
    *size = !g ? me.own->all->size : g->all ? g->all->size : -1;
    return TS_OK;
}

ts_status ts_group_global_rank(const ts_group *g, int rank, int *global)
{
    TS_CHECK(me.world, TS_ERR_VALUE, "dist/C1",
             "get_global_rank: there is no process group");
    g = g ? g : me.own;
    TS_CHECK(g->all && rank >= 0 && rank < g->all->size, TS_ERR_VALUE, "dist/C8",
             "group rank %d of a group of %d", rank, g->all ? g->all->size : 0);
    *global = g->all->ranks[rank];
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
    ts_world *w = me.world;
    shared *all = NULL;
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
        if (r == me.rank)
            mine = i;
    }
    TS_TRY(tsi_arrive(me.own, &call, NULL, NULL, &s));

    const int64_t sequence = s->sequence;
    const ts_status status = tsi_slot_wait(s, me.own);

    tsi_slot_release(s, me.own);
    TS_TRY(status);
    /* The first to come here makes it; its number is the slot's, alike on every rank. */
    pthread_mutex_lock(&w->lock);
    number = (int)sequence + 1;
    for (all = w->all; all && all->number != number; all = all->next)
        ;
    if (!all && (all = shared_new(w, call.ndim))) {
        all->number = number;
        for (int i = 0; i < call.ndim; i++)
            all->ranks[i] = (int)call.sizes[i];
    }
    pthread_mutex_unlock(&w->lock);
    if (!all)
        return no_memory();
    if (mine < 0) {
        *out = &no_member;
        return TS_OK;
    }
    return group_handle(all, mine, out);
}
