/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators for the zoo: the reference's table to spoil, and one on host memory that
 * gathers the calls of all ranks and does them with one function. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "zoo/zoo.h"

enum { MOST_RANKS = 64 };

ts_communicator *zoo_communicator(void)
{
    static ts_communicator table;

    if (table.size == 0)
        table = *ts_reference_communicator();
    return &table;
}

/* --- what the reference does, for all ranks at once --- */

static ts_status by_reference(ts_collective_fn call, const zoo_collective *c,
                              const void *const *in, void *const *out)
{
    const ts_communicator *t = ts_reference_communicator();
    const ts_collective what = {.size = sizeof what,
                                .dtype = c->dtype,
                                .op = c->op,
                                .n = c->n,
                                .backward = c->backward};
    ts_comm_config config = {.size = sizeof config, .ranks = c->ranks};
    tsd_comm *comms[MOST_RANKS];
    ts_status s;

    TS_TRY(t->unique_id(&config.id));
    for (config.rank = 0; config.rank < c->ranks; config.rank++)
        TS_TRY(t->init(&config, &comms[config.rank]));
    TS_TRY(t->group_start());
    for (int r = 0; r < c->ranks; r++)
        TS_TRY(call(comms[r], &what, in[r], out[r]));
    s = t->group_end();
    for (int r = 0; r < c->ranks; r++)
        t->destroy(comms[r]);
    return s;
}

ts_status zoo_all_reduce(const zoo_collective *c, const void *const *in, void *const *out)
{
    return by_reference(ts_reference_communicator()->all_reduce, c, in, out);
}

ts_status zoo_all_gather(const zoo_collective *c, const void *const *in, void *const *out)
{
    return by_reference(ts_reference_communicator()->all_gather, c, in, out);
}

ts_status zoo_reduce_scatter(const zoo_collective *c, const void *const *in,
                             void *const *out)
{
    return by_reference(ts_reference_communicator()->reduce_scatter, c, in, out);
}

/* --- a table over such functions --- */

typedef struct hall {
    struct hall *next;
    ts_unique_id id;
    int ranks, users, come;
    const void *in[MOST_RANKS];
    void *out[MOST_RANKS];
} hall;

struct tsd_comm {
    hall *hall;
    int rank;
};

static zoo_collectives functions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hall *halls;

static ts_status init(const ts_comm_config *config, tsd_comm **out)
{
    tsd_comm *c = calloc(1, sizeof *c);
    hall *h;

    if (!c || config->ranks > MOST_RANKS || config->device.type != TS_CPU)
        abort();
    pthread_mutex_lock(&lock);
    for (h = halls; h && memcmp(&h->id, &config->id, sizeof h->id) != 0; h = h->next)
        ;
    if (!h) {
        h = calloc(1, sizeof *h);
        if (!h)
            abort();
        *h = (hall){.next = halls, .id = config->id, .ranks = config->ranks};
        halls = h;
    }
    h->users++;
    pthread_mutex_unlock(&lock);
    *c = (tsd_comm){h, config->rank};
    *out = c;
    return TS_OK;
}

static void destroy(tsd_comm *c)
{
    hall **at = &halls, *h = c->hall;

    pthread_mutex_lock(&lock);
    if (--h->users == 0) {
        while (*at != h)
            at = &(*at)->next;
        *at = h->next;
        free(h);
    }
    pthread_mutex_unlock(&lock);
    free(c);
}

/* The ranks' calls are in one group, of one thread: the last does it. */
static ts_status come(tsd_comm *c, const ts_collective *w, const void *in, void *out,
                      zoo_collective_fn fn)
{
    hall *h = c->hall;
    const zoo_collective all = {.ranks = h->ranks,
                                .dtype = w->dtype,
                                .op = w->op,
                                .n = w->n,
                                .backward = w->backward};

    h->in[c->rank] = in;
    h->out[c->rank] = out;
    if (++h->come < h->ranks)
        return TS_OK;
    h->come = 0;
    return fn(&all, h->in, h->out);
}

static ts_status all_reduce(tsd_comm *c, const ts_collective *w, const void *in,
                            void *out)
{
    return come(c, w, in, out,
                functions.all_reduce ? functions.all_reduce : zoo_all_reduce);
}

static ts_status all_gather(tsd_comm *c, const ts_collective *w, const void *in,
                            void *out)
{
    return come(c, w, in, out,
                functions.all_gather ? functions.all_gather : zoo_all_gather);
}

static ts_status reduce_scatter(tsd_comm *c, const ts_collective *w, const void *in,
                                void *out)
{
    return come(c, w, in, out,
                functions.reduce_scatter ? functions.reduce_scatter : zoo_reduce_scatter);
}

static ts_status broadcast(tsd_comm *c, const ts_collective *w, const void *in, void *out)
{
    hall *h = c->hall;
    const size_t bytes = (size_t)(w->n * ts_dtype_size(w->dtype));

    h->in[c->rank] = in;
    h->out[c->rank] = out;
    if (++h->come < h->ranks)
        return TS_OK;
    h->come = 0;
    for (int r = 0; r < h->ranks; r++)
        memmove(h->out[r], h->in[w->root], bytes);
    return TS_OK;
}

static ts_status group(void)
{
    return TS_OK;
}

ts_status zoo_open_collectives(const ts_host *host, ts_backend *out,
                               const zoo_collectives *given)
{
    static ts_communicator table;

    TS_TRY(zoo_open(host, out, NULL, 0));
    functions = *given;
    table = (ts_communicator){.size = sizeof table,
                              .unique_id = ts_reference_communicator()->unique_id,
                              .init = init,
                              .destroy = destroy,
                              .group_start = group,
                              .group_end = group,
                              .all_reduce = all_reduce,
                              .all_gather = all_gather,
                              .reduce_scatter = reduce_scatter,
                              .broadcast = broadcast};
    out->communicator = &table;
    return TS_OK;
}
