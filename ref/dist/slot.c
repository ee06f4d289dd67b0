/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots where ranks meet. A group's k-th collective has slot k: every rank leaves its
 * cargo there, the last to come has the work done, the others wait. One lock guards all of
 * a world; the work itself runs without it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dist/dist.h"

typedef struct seat {
    bool here, released;
    tsi_cargo cargo;
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

void tsi_cargo_drop(tsi_cargo *cargo)
{
    if (cargo->heap) {
        if (cargo->out != cargo->in)
            free(cargo->out);
        free(cargo->in);
    }
    ts_release(cargo->in_own);
    ts_release(cargo->out_own);
    ts_event_release(cargo->done);
    ts_stream_release(cargo->stream);
    *cargo = (tsi_cargo){0};
}

static void slot_free(tsi_slot *s, int size)
{
    for (int r = 0; r < size; r++)
        tsi_cargo_drop(&s->seats[r].cargo);
    free(s);
}

void tsi_slots_free(tsi_shared *g)
{
    while (g->slots) {
        tsi_slot *s = g->slots;

        g->slots = s->next;
        slot_free(s, g->size);
    }
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
static bool is_spent(const tsi_shared *g, const tsi_slot *s)
{
    for (int r = 0; r < g->size; r++)
        if (!s->seats[r].released && !(g->world->left[g->ranks[r]] && !s->seats[r].here))
            return false;
    return true;
}

static void drop_spent(tsi_shared *g)
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
static bool missing(const tsi_shared *g, const tsi_slot *s, bool left, char *text,
                    size_t n)
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

static void check_left(const tsi_shared *g, tsi_slot *s)
{
    char who[120];

    if (!s->settled && !s->running && missing(g, s, true, who, sizeof who))
        settle(s, TS_ERR_DIST, "dist/C7",
               "%s number %lld of group %d, called by rank %d: rank %s ended before it "
               "came",
               tsi_collective_name(s->call.kind), (long long)s->sequence, g->number,
               g->ranks[s->first], who);
}

static tsi_slot *slot_at(tsi_shared *g, int64_t sequence)
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

/* Everybody is here. Lets go of the lock meanwhile. */
static void run(tsi_shared *g, tsi_slot *s)
{
    const bool data = s->call.device != TS_META && s->call.kind <= TSI_BROADCAST;
    tsi_cargo **cargoes = calloc((size_t)g->size, sizeof *cargoes);
    ts_status status = cargoes ? TS_OK : tsi_dist_no_memory("a collective");
    const char *text;

    s->running = true;
    for (int r = 0; status == TS_OK && r < g->size; r++)
        cargoes[r] = &s->seats[r].cargo;
    pthread_mutex_unlock(&g->world->lock);
    if (status == TS_OK && data)
        status = tsi_channel_run(g, &s->call, cargoes);
    free(cargoes);
    pthread_mutex_lock(&g->world->lock);
    s->running = false;
    text = ts_error_message();
    if (text[0] == '[' && strstr(text, "] "))
        text = strstr(text, "] ") + 2;
    settle(s, status, ts_error_label(), "%s", status == TS_OK ? "" : text);
}

ts_status tsi_arrive(ts_group *g, const tsi_call *call, const tsi_cargo *cargo,
                     tsi_slot **slot)
{
    tsi_shared *all = g->all;
    ts_world *w = all->world;
    char mine[240], theirs[240];
    tsi_slot *s;

    pthread_mutex_lock(&w->lock);
    s = slot_at(all, g->next);
    if (!s) {
        tsi_cargo spare = *cargo;

        pthread_mutex_unlock(&w->lock);
        tsi_cargo_drop(&spare);
        return tsi_dist_no_memory("a collective");
    }
    g->next++;
    s->seats[g->rank] = (seat){.here = true, .cargo = *cargo};
    if (s->arrived++ == 0) {
        s->first = g->rank;
        s->call = *call;
    }
    if (!s->settled && !same_call(call, &s->call)) /* dist/S18: never begun */
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

const tsi_cargo *tsi_slot_cargo(tsi_slot *s, const ts_group *g)
{
    return &s->seats[g->rank].cargo;
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

void tsi_slots_check_left(tsi_shared *g)
{
    for (tsi_slot *s = g->slots; s; s = s->next)
        check_left(g, s);
    drop_spent(g);
}
