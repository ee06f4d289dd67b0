/* SPDX-License-Identifier: Apache-2.0 */
/* Private pools and the scopes that send requests there (S17, S18). */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "alloc/alloc.h"

ts_pool_id ts_pool_id_new(bool capture)
{
    static _Atomic uint64_t captures, users;

    return capture ? (ts_pool_id){++captures, 0} : (ts_pool_id){0, ++users};
}

static tsi_private *find(const ts_alloc *a, ts_pool_id id)
{
    tsi_private *p = a->privates;

    while (p && !(p->id.capture == id.capture && p->id.user == id.user))
        p = p->next;
    return p;
}

tsi_pool *tsi_pool_for(ts_alloc *a, size_t size, const ts_stream *stream)
{
    for (const tsi_scope *s = a->scopes; s; s = s->next)
        if (!s->filter || s->filter(stream, s->context))
            return size <= TSI_SMALL_MAX ? &s->pool->small : &s->pool->large;
    return size <= TSI_SMALL_MAX ? &a->small : &a->large;
}

static ts_status use(ts_alloc *a, ts_pool_id id, tsi_private **out)
{
    tsi_private *p = find(a, id), **link;

    if (!p) {
        p = calloc(1, sizeof *p);
        TS_CHECK(p, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for a pool");
        p->id = id;
        p->small = (tsi_pool){.free = {tsi_order_fit, NULL, 0, 0}, true, 0, p};
        p->large = (tsi_pool){.free = {tsi_order_fit, NULL, 0, 0}, false, 0, p};
        for (link = &a->privates; *link; link = &(*link)->next)
            ;
        *link = p; /* the oldest gives back first */
    }
    p->uses++;
    *out = p;
    return TS_OK;
}

static ts_status begin(ts_alloc *a, ts_pool_id id, ts_pool_filter filter, void *context)
{
    tsi_private *p = find(a, id);
    tsi_scope *s;

    TS_CHECK(id.capture || id.user, TS_ERR_VALUE, "allocator/C4",
             "pool (0, 0) is every program's and cannot be begun");
    TS_CHECK(!p || p->uses > 0, TS_ERR_RUNTIME, "allocator/C4",
             "pool (%" PRIu64 ", %" PRIu64 ") has been released", id.capture, id.user);
    for (s = a->scopes; s; s = s->next)
        TS_CHECK(s->pool != p, TS_ERR_RUNTIME, "allocator/C4",
                 "pool (%" PRIu64 ", %" PRIu64 ") is begun already", id.capture, id.user);
    s = malloc(sizeof *s);
    TS_CHECK(s, TS_ERR_OUT_OF_MEMORY, NULL, "no host memory for a scope");
    *s = (tsi_scope){a->scopes, NULL, filter, context};
    if (use(a, id, &s->pool) != TS_OK) {
        free(s);
        return TS_ERR_OUT_OF_MEMORY;
    }
    a->scopes = s;
    return TS_OK;
}

ts_status ts_alloc_begin_pool(ts_alloc *a, ts_pool_id id, ts_pool_filter filter,
                              void *context)
{
    ts_status s;

    pthread_mutex_lock(&a->lock);
    s = begin(a, id, filter, context);
    pthread_mutex_unlock(&a->lock);
    return s;
}

static ts_status end(ts_alloc *a, ts_pool_id id)
{
    const tsi_private *p = find(a, id);
    tsi_scope **link = &a->scopes, *s;

    while (*link && (!p || (*link)->pool != p))
        link = &(*link)->next;
    s = *link;
    TS_CHECK(s, TS_ERR_RUNTIME, "allocator/C5",
             "pool (%" PRIu64 ", %" PRIu64 ") is not begun", id.capture, id.user);
    *link = s->next;
    free(s);
    return TS_OK;
}

ts_status ts_alloc_end_pool(ts_alloc *a, ts_pool_id id)
{
    ts_status s;

    pthread_mutex_lock(&a->lock);
    s = end(a, id);
    pthread_mutex_unlock(&a->lock);
    return s;
}

static ts_status release(ts_alloc *a, ts_pool_id id)
{
    tsi_private *p = find(a, id);

    TS_CHECK(p && p->uses > 0, TS_ERR_RUNTIME, "allocator/C5",
             "pool (%" PRIu64 ", %" PRIu64 ") has no use to release", id.capture,
             id.user);
    p->uses--;
    return TS_OK;
}

ts_status ts_alloc_release_pool(ts_alloc *a, ts_pool_id id)
{
    ts_status s;

    pthread_mutex_lock(&a->lock);
    s = release(a, id);
    pthread_mutex_unlock(&a->lock);
    return s;
}

int64_t ts_alloc_pool_uses(ts_alloc *a, ts_pool_id id)
{
    const tsi_private *p;
    int64_t uses;

    pthread_mutex_lock(&a->lock);
    p = find(a, id);
    uses = p ? p->uses : 0;
    pthread_mutex_unlock(&a->lock);
    return uses;
}

void ts_alloc_mark_capture(ts_alloc *a, bool begin)
{
    pthread_mutex_lock(&a->lock);
    a->captures += begin ? 1 : -1;
    pthread_mutex_unlock(&a->lock);
}

void tsi_pool_close(ts_alloc *a)
{
    while (a->scopes) {
        tsi_scope *next = a->scopes->next;

        free(a->scopes);
        a->scopes = next;
    }
    while (a->privates) {
        tsi_private *next = a->privates->next;

        free(a->privates->small.free.at);
        free(a->privates->large.free.at);
        free(a->privates);
        a->privates = next;
    }
}
