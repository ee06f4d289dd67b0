/* SPDX-License-Identifier: Apache-2.0 */
/* Threads come and go: their state, their arena, and what is alive over all of them. */
#include <pthread.h>
#include <stdlib.h>

#include "core/core.h"
#include "core/dispatch.h"
#include "core/rooms.h"
#include "core/thread.h"
#include "touchstone/generator.h"

#define CHUNK_BYTES ((size_t)64 << 10)

struct tsi_chunk {
    tsi_chunk *below;
    size_t used, size;
    _Alignas(16) char bytes[];
};

_Thread_local tsi_thread *tsi_this_thread TSI_INITIAL_EXEC;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tsi_thread *threads;
static ts_live ended; /* of threads that are gone */
static void (*room_end[TSI_ROOM_COUNT])(void *state);
static tsi_thread last_resort; /* where not even a thread's state can be had */

static void add(ts_live *to, const ts_live *of)
{
    to->tensors += __atomic_load_n(&of->tensors, __ATOMIC_RELAXED);
    to->storages += __atomic_load_n(&of->storages, __ATOMIC_RELAXED);
    to->bytes += __atomic_load_n(&of->bytes, __ATOMIC_RELAXED);
    to->nodes += __atomic_load_n(&of->nodes, __ATOMIC_RELAXED);
}

static void thread_end(void *p)
{
    tsi_thread *t = p, **link;

    tsi_this_thread = t; /* whoever cleans up may still look things up */
    for (int r = 0; r < TSI_ROOM_COUNT; r++) {
        void *state = t->room[r];

        if (state && room_end[r])
            room_end[r](state);
        free(state);
        t->room[r] = NULL;
    }
    ts_generator_free(t->generator);
    t->generator = NULL;
    while (t->chunk) {
        tsi_chunk *c = t->chunk;

        t->chunk = c->below;
        free(c);
    }
    tsi_spares_free(t);
    pthread_mutex_lock(&lock);
    add(&ended, &t->live);
    for (link = &threads; *link && *link != t; link = &(*link)->next)
        ;
    if (*link)
        *link = t->next;
    pthread_mutex_unlock(&lock);
    tsi_this_thread = NULL;
    free(t);
}

static void make_key(void)
{
    (void)pthread_key_create(&key, thread_end);
}

tsi_thread *tsi_thread_start(void)
{
    tsi_thread *t = calloc(1, sizeof *t);

    if (!t)
        t = &last_resort;
    t->layers = 1u << TSI_LAYER_AUTOGRAD;
    t->grad_enabled = true;
    t->default_device = (ts_device){TS_CPU, 0};
    tsi_this_thread = t;
    if (t == &last_resort)
        return t;
    (void)pthread_once(&once, make_key);
    (void)pthread_setspecific(key, t);
    pthread_mutex_lock(&lock);
    t->next = threads;
    threads = t;
    pthread_mutex_unlock(&lock);
    return t;
}

void *tsi_thread_room(tsi_room room, size_t size, void (*end)(void *state))
{
    tsi_thread *t = tsi_self();

    if (!t->room[room]) {
        t->room[room] = calloc(1, size);
        pthread_mutex_lock(&lock);
        room_end[room] = end;
        pthread_mutex_unlock(&lock);
    }
    return t->room[room];
}

bool ts_grad_enabled(void)
{
    return tsi_self()->grad_enabled;
}

bool ts_set_grad_enabled(bool on)
{
    tsi_thread *t = tsi_self();
    const bool before = t->grad_enabled;

    t->grad_enabled = on;
    return before;
}

bool tsi_requires_grad(const ts_tensor *t)
{
    return tsi_rooms.wants_grad && tsi_rooms.wants_grad(t);
}

bool tsi_records(const ts_tensor *t)
{
    return tsi_self()->grad_enabled && tsi_requires_grad(t);
}

ts_live ts_live_now(void)
{
    ts_live live;

    pthread_mutex_lock(&lock);
    live = ended;
    for (const tsi_thread *t = threads; t; t = t->next)
        add(&live, &t->live);
    add(&live, &last_resort.live);
    pthread_mutex_unlock(&lock);
    return live;
}

/* --- the arena --- */

void *tsi_arena_take(tsi_thread *t, size_t bytes)
{
    tsi_chunk *c = t->chunk;

    bytes = (bytes + 15) / 16 * 16;
    if (!c || c->size - c->used < bytes) {
        const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

        c = malloc(sizeof *c + size);
        if (!c)
            return NULL;
        c->below = t->chunk;
        c->size = size;
        c->used = 0;
        t->chunk = c;
    }
    c->used += bytes;
    return c->bytes + c->used - bytes;
}

void tsi_arena_mark(const tsi_thread *t, void **mark, size_t *used)
{
    *mark = t->chunk;
    *used = t->chunk ? t->chunk->used : 0;
}

void tsi_arena_back(tsi_thread *t, void *mark, size_t used)
{
    while (t->chunk != mark &&
           t->chunk->below) { /* the lowest chunk stays for the next */
        tsi_chunk *c = t->chunk;

        t->chunk = c->below;
        free(c);
    }
    if (t->chunk)
        t->chunk->used = t->chunk == mark ? used : 0;
}
