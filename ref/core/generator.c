/* SPDX-License-Identifier: Apache-2.0 */
/* Generators: their life, and their state as bytes. Drawing is generator.h's. */
#include "touchstone/generator.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/thread.h"

#define FIRST_SEED UINT64_C(67280421310721)

/* What get_state() of PyTorch's CPU generator gives, field by field. */
typedef struct laid_out {
    uint64_t seed;
    int32_t left, seeded;
    uint64_t next, state[TS_MT_WORDS];
    double unused, normal, unused_too;
    int32_t has_normal, padding;
    float other_normal; /* of PyTorch's float32 pairs, which none of these ops draws */
    uint32_t has_other_normal;
} laid_out;

_Static_assert(sizeof(laid_out) == TS_GENERATOR_STATE_BYTES, "PyTorch's size");

ts_status ts_generator_new(ts_device device, ts_generator **out)
{
    ts_generator *g;

    TS_CHECK(device.type == TS_CPU, TS_ERR_RUNTIME, "random/C13",
             "Generator: the generators of %s are not there",
             device.type == TS_META ? "meta" : "accel");
    g = calloc(1, sizeof *g);
    TS_CHECK(g, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a generator");
    g->size = sizeof *g;
    g->device = device;
    ts_generator_seed(g, FIRST_SEED);
    *out = g;
    return TS_OK;
}

void ts_generator_free(ts_generator *g)
{
    free(g);
}

void ts_generator_seed(ts_generator *g, uint64_t seed)
{
    g->seed = seed;
    g->left = 1;
    g->next = 0;
    g->unmade = true; /* many are seeded and never drawn from */
    g->has_normal = false;
    g->normal = 0;
}

uint64_t ts_generator_initial_seed(const ts_generator *g)
{
    return g->seed;
}

void ts_generator_state(ts_generator *g, void *bytes)
{
    laid_out s = {.seed = g->seed, .seeded = 1};

    if (g->unmade)
        ts_generator_make(g);
    s.left = g->left;
    s.next = g->next;
    for (int i = 0; i < TS_MT_WORDS; i++)
        s.state[i] = g->state[i];
    s.has_normal = g->has_normal;
    s.normal = g->has_normal ? g->normal : 0;
    memcpy(bytes, &s, sizeof s);
}

ts_status ts_generator_set_state(ts_generator *g, const void *bytes, int64_t size)
{
    laid_out s;

    TS_CHECK(size == TS_GENERATOR_STATE_BYTES, TS_ERR_RUNTIME, "random/C11",
             "set_state: a state has %d bytes, not %" PRId64, TS_GENERATOR_STATE_BYTES,
             size);
    memcpy(&s, bytes, sizeof s);
    TS_CHECK(s.seeded && s.left > 0 && s.left <= TS_MT_WORDS && s.next <= TS_MT_WORDS,
             TS_ERR_RUNTIME, "random/C11", "set_state: the bytes are no mt19937 state");
    g->seed = s.seed;
    g->left = s.left;
    g->next = (uint32_t)s.next;
    g->unmade = false;
    for (int i = 0; i < TS_MT_WORDS; i++)
        g->state[i] = (uint32_t)s.state[i];
    g->has_normal = s.has_normal != 0;
    g->normal = g->has_normal ? s.normal : 0;
    return TS_OK;
}

ts_generator *ts_default_generator(void)
{
    tsi_thread *t = tsi_self();

    if (!t->generator)
        (void)ts_generator_new((ts_device){TS_CPU, 0}, &t->generator);
    return t->generator;
}
