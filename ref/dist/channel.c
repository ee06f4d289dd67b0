/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The communicators of a group, one a rank, made when they are first needed. Whoever comes
 * last to a collective makes the calls of all ranks, in one group: nothing that the ranks
 * do not agree on (dist/C6), or that somebody never comes to (dist/C7), is ever begun.
 * Communicators that have failed are aborted, and the next collective gets new ones.
 */
#include <stdlib.h>

#include "core/backend.h"
#include "dist/dist.h"

struct tsi_channel {
    const ts_communicator *table;
    ts_device_type type;
    int size;
    struct {
        tsd_comm *comm;
        int device;
    } rank[];
};

static ts_status lacking(const char *what)
{
    return ts_fail(TS_ERR_UNSUPPORTED, NULL, "the communicator has no %s", what);
}

/* --- making and ending them --- */

static void channel_free(tsi_channel *c)
{
    for (int r = 0; r < c->size; r++)
        if (c->rank[r].comm)
            c->table->destroy(c->rank[r].comm);
    free(c);
}

void tsi_channels_free(tsi_shared *g)
{
    for (int type = 0; type < TS_DEVICE_TYPE_COUNT; type++)
        if (g->channels[type]) {
            channel_free(g->channels[type]);
            g->channels[type] = NULL;
        }
}

/* After a failure: nobody waits in them any longer. */
static void give_up(tsi_shared *g, ts_device_type type)
{
    tsi_channel *c = g->channels[type];

    if (!c)
        return;
    for (int r = 0; r < c->size; r++)
        if (c->rank[r].comm && TS_COMM_HAS(c->table, abort))
            (void)c->table->abort(c->rank[r].comm);
    channel_free(c);
    g->channels[type] = NULL;
}

static ts_status channel_new(const tsi_shared *g, const ts_communicator *table,
                             ts_device_type type, const int *devices, tsi_channel **out)
{
    tsi_channel *c = calloc(1, sizeof *c + (size_t)g->size * sizeof *c->rank);

    if (!c)
        return tsi_dist_no_memory("communicators");
    c->table = table;
    c->type = type;
    c->size = g->size;
    for (int r = 0; r < g->size; r++)
        c->rank[r].device = devices ? devices[r] : 0;
    *out = c;
    return TS_OK;
}

static ts_status init_all(tsi_channel *c)
{
    ts_comm_config config = {.size = sizeof config, .ranks = c->size};
    ts_status s, end;

    TS_TRY(c->table->unique_id(&config.id));
    TS_TRY(c->table->group_start());
    s = TS_OK;
    for (int r = 0; s == TS_OK && r < c->size; r++) {
        config.rank = r;
        config.device = (ts_device){c->type, c->rank[r].device};
        s = c->table->init(&config, &c->rank[r].comm);
    }
    end = c->table->group_end();
    return s == TS_OK ? end : s;
}

/* The world's ranks each call split; those of g get theirs. */
static ts_status split_off(const tsi_channel *world, const tsi_shared *g, tsi_channel *c)
{
    tsd_comm **made = calloc((size_t)world->size, sizeof *made);
    ts_status s = TS_OK, end;

    if (!made)
        return tsi_dist_no_memory("communicators");
    s = c->table->group_start();
    if (s == TS_OK) {
        for (int r = 0, k = 0; s == TS_OK && r < world->size; r++) {
            const bool member = k < g->size && g->ranks[k] == r;

            s = c->table->split(world->rank[r].comm, member ? 0 : -1, k, &made[r]);
            k += member;
        }
        end = c->table->group_end();
        s = s == TS_OK ? end : s;
    }
    for (int k = 0; k < g->size; k++)
        c->rank[k].comm = made[g->ranks[k]];
    free(made);
    return s;
}

static ts_status channel_of(tsi_shared *g, const ts_communicator *table,
                            ts_device_type type, const int *devices);

/* From the world's, where they are of the same devices; else with an id of their own. */
static ts_status populate(tsi_shared *g, tsi_channel *c)
{
    tsi_shared *all = tsi_me.own->all;
    tsi_channel *world;
    bool same;
    ts_status s;

    if (all == g || !TS_COMM_HAS(c->table, split))
        return init_all(c);
    pthread_mutex_lock(&all->calling);
    world = all->channels[c->type];
    s = world || c->type != TS_CPU ? TS_OK : channel_of(all, c->table, c->type, NULL);
    world = all->channels[c->type];
    same = world && world->table == c->table;
    for (int k = 0; same && k < g->size; k++)
        same = world->rank[g->ranks[k]].device == c->rank[k].device;
    if (s == TS_OK && same)
        s = split_off(world, g, c);
    pthread_mutex_unlock(&all->calling);
    return s == TS_OK && !same ? init_all(c) : s;
}

/* g's communicators of these devices (NULL: the host) are in its channels. */
static ts_status channel_of(tsi_shared *g, const ts_communicator *table,
                            ts_device_type type, const int *devices)
{
    tsi_channel *c = g->channels[type];
    bool fits = c && c->table == table;
    ts_status s;

    for (int r = 0; fits && r < g->size; r++)
        fits = !devices || c->rank[r].device == devices[r];
    if (fits)
        return TS_OK;
    give_up(g, type);
    TS_TRY(channel_new(g, table, type, devices, &c));
    s = populate(g, c);
    if (s != TS_OK) {
        channel_free(c);
        return s;
    }
    g->channels[type] = c;
    return TS_OK;
}

/* --- calling --- */

static ts_status call_one(const ts_communicator *t, const tsi_call *call,
                          const ts_collective *what, tsd_comm *c, const tsi_cargo *cargo)
{
    switch (call->kind) {
    case TSI_ALL_REDUCE:
        return TS_COMM_HAS(t, all_reduce) ? t->all_reduce(c, what, cargo->in, cargo->out)
                                          : lacking("all_reduce");
    case TSI_ALL_GATHER:
        return TS_COMM_HAS(t, all_gather) ? t->all_gather(c, what, cargo->in, cargo->out)
                                          : lacking("all_gather");
    case TSI_REDUCE_SCATTER:
        return TS_COMM_HAS(t, reduce_scatter)
                   ? t->reduce_scatter(c, what, cargo->in, cargo->out)
                   : lacking("reduce_scatter");
    case TSI_BROADCAST:
        return TS_COMM_HAS(t, broadcast) ? t->broadcast(c, what, cargo->in, cargo->out)
                                         : lacking("broadcast");
    default:
        return TS_OK;
    }
}

static ts_status call_all(const tsi_channel *c, const tsi_call *call,
                          tsi_cargo *const *cargoes)
{
    ts_collective what = {.size = sizeof what,
                          .dtype = call->dtype,
                          .op = call->op,
                          .n = call->n,
                          .root = call->source,
                          .backward = call->backward};
    ts_status s = TS_OK, end;

    for (int r = 0; TS_COMM_HAS(c->table, async_error) && r < c->size; r++)
        TS_TRY(c->table->async_error(c->rank[r].comm));
    TS_TRY(c->table->group_start());
    for (int r = 0; s == TS_OK && r < c->size; r++) {
        what.stream = cargoes[r]->stream && c->type != TS_CPU
                          ? ts_stream_handle(cargoes[r]->stream)
                          : NULL;
        s = call_one(c->table, call, &what, c->rank[r].comm, cargoes[r]);
    }
    end = c->table->group_end();
    return s == TS_OK ? end : s;
}

static ts_status run(tsi_shared *g, const ts_communicator *table, ts_device_type type,
                     const tsi_call *call, tsi_cargo *const *cargoes, const int *devices)
{
    ts_status s = channel_of(g, table, type, devices);

    if (s == TS_OK)
        s = call_all(g->channels[type], call, cargoes);
    if (s != TS_OK && s != TS_ERR_UNSUPPORTED)
        give_up(g, type);
    return s;
}

/* --- device memory through the host --- */

static ts_status copy(const tsi_cargo *l, void *dst, const void *src, size_t bytes,
                      ts_copy_kind kind)
{
    const ts_driver *d = ts_accel_driver();
    tsd_stream *s = ts_stream_handle(l->stream);

    if (bytes == 0)
        return TS_OK;
    TS_TRY(d->copy(l->device.index, dst, src, bytes, kind, s));
    return d->stream_synchronize(l->device.index, s);
}

static ts_status run_staged(tsi_shared *g, const ts_communicator *table,
                            const tsi_call *call, tsi_cargo *const *cargoes)
{
    tsi_cargo *host = calloc((size_t)g->size, sizeof *host);
    tsi_cargo **at = calloc((size_t)g->size, sizeof *at);
    ts_status s = host && at ? TS_OK : tsi_dist_no_memory("a collective");

    for (int r = 0; s == TS_OK && r < g->size; r++) {
        at[r] = &host[r];
        host[r].heap = true;
        host[r].in = malloc(cargoes[r]->in_bytes + 1);
        host[r].out = malloc(cargoes[r]->out_bytes + 1);
        if (!host[r].in || !host[r].out)
            s = tsi_dist_no_memory("a collective");
        else
            s = copy(cargoes[r], host[r].in, cargoes[r]->in, cargoes[r]->in_bytes,
                     TS_DEVICE_TO_HOST);
    }
    if (s == TS_OK)
        s = run(g, table, TS_CPU, call, at, NULL);
    for (int r = 0; s == TS_OK && r < g->size; r++)
        s = copy(cargoes[r], cargoes[r]->out, host[r].out, cargoes[r]->out_bytes,
                 TS_HOST_TO_DEVICE);
    for (int r = 0; host && r < g->size; r++)
        tsi_cargo_drop(&host[r]);
    free(host);
    free(at);
    return s;
}

/* Which table serves device memory of these ranks; NULL: one for host memory must do. */
static const ts_communicator *device_table(int n, const int *devices)
{
    const ts_communicator *t = tsi_communicator_of(TS_ACCEL);

    if (!t)
        return ts_accel_driver()->mem_alloc == ts_software_driver()->mem_alloc
                   ? ts_reference_communicator()
                   : NULL;
    for (int r = 1; t->one_rank_a_device && r < n; r++)
        for (int q = 0; q < r; q++)
            if (devices[q] == devices[r])
                return NULL;
    return t;
}

static ts_status run_on_device(tsi_shared *g, const tsi_call *call,
                               tsi_cargo *const *cargoes)
{
    const ts_communicator *host = tsi_communicator_of(TS_CPU), *table;
    int *devices = calloc((size_t)g->size, sizeof *devices);
    ts_status s;

    if (!devices)
        return tsi_dist_no_memory("a collective");
    for (int r = 0; r < g->size; r++)
        devices[r] = cargoes[r]->device.index;
    table = device_table(g->size, devices);
    s = table ? run(g, table, TS_ACCEL, call, cargoes, devices) : TS_ERR_UNSUPPORTED;
    if (s == TS_ERR_UNSUPPORTED)
        s = run_staged(g, host ? host : ts_reference_communicator(), call, cargoes);
    free(devices);
    for (int r = 0; s == TS_OK && r < g->size; r++)
        s = ts_event_record(cargoes[r]->done, cargoes[r]->stream);
    return s;
}

ts_status tsi_channel_run(tsi_shared *g, const tsi_call *call, tsi_cargo *const *cargoes)
{
    const ts_communicator *host = tsi_communicator_of(TS_CPU);
    ts_status s;

    pthread_mutex_lock(&g->calling);
    s = call->device == TS_ACCEL ? run_on_device(g, call, cargoes)
                                 : run(g, host ? host : ts_reference_communicator(),
                                       TS_CPU, call, cargoes, NULL);
    pthread_mutex_unlock(&g->calling);
    tsi_backend_count(call->device, false);
    return s;
}
