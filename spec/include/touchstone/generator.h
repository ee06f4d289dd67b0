/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where random numbers come from: mt19937, seeded, and turned into numbers, as by
 * PyTorch's CPU generator (spec/ops/random.md). Drawing is inline, so that a kernel that
 * came through the door draws from the caller's generator without calling the runtime.
 */
#ifndef TOUCHSTONE_GENERATOR_H
#define TOUCHSTONE_GENERATOR_H

#include "touchstone/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TS_MT_WORDS 624
#define TS_MT_AHEAD 397
#define TS_GENERATOR_STATE_BYTES 5056 /* of what ts_generator_state writes */

/* Its layout is part of the door: a kernel draws from it. It belongs to one thread at a
 * time. */
struct ts_generator {
    size_t size; /* of this struct, as the runtime was built */
    uint64_t seed;
    uint32_t state[TS_MT_WORDS];
    int32_t left;    /* words of this round, plus one; 1: the next draw makes a round */
    uint32_t next;   /* the next word of this round */
    bool unmade;     /* seeded, and the words not made yet */
    bool has_normal; /* of a pair of normals the second is still to be had: */
    double normal;
    ts_device device;
    void *runtime; /* the runtime's own */
};

/* The words that a seed stands for; of the seed its low half. */
static inline void ts_generator_make(ts_generator *g)
{
    g->state[0] = (uint32_t)g->seed;
    for (uint32_t i = 1; i < TS_MT_WORDS; i++)
        g->state[i] =
            UINT32_C(1812433253) * (g->state[i - 1] ^ (g->state[i - 1] >> 30)) + i;
    g->left = 1;
    g->next = 0;
    g->unmade = false;
}

static inline uint32_t ts_mt_mixed(uint32_t high, uint32_t low)
{
    return (((high & UINT32_C(0x80000000)) | (low & UINT32_C(0x7fffffff))) >> 1) ^
           (low & 1 ? UINT32_C(0x9908b0df) : 0);
}

static inline void ts_generator_round(ts_generator *g)
{
    uint32_t *s = g->state;

    if (g->unmade)
        ts_generator_make(g);
    for (int i = 0; i < TS_MT_WORDS; i++)
        s[i] = s[(i + TS_MT_AHEAD) % TS_MT_WORDS] ^
               ts_mt_mixed(s[i], s[(i + 1) % TS_MT_WORDS]);
    g->left = TS_MT_WORDS;
    g->next = 0;
}

/* 32 random bits. */
static inline uint32_t ts_draw32(ts_generator *g)
{
    uint32_t y;

    if (--g->left == 0)
        ts_generator_round(g);
    y = g->state[g->next++];
    y ^= y >> 11;
    y ^= (y << 7) & UINT32_C(0x9d2c5680);
    y ^= (y << 15) & UINT32_C(0xefc60000);
    return y ^ (y >> 18);
}

/* 64 random bits: two draws, the first of them above. */
static inline uint64_t ts_draw64(ts_generator *g)
{
    const uint64_t high = ts_draw32(g);

    return high << 32 | ts_draw32(g);
}

/* In [0, 1): 24 bits of one draw, as a float32 has them. */
static inline float ts_draw_float(ts_generator *g)
{
    return (float)(ts_draw32(g) & UINT32_C(0xffffff)) * 0x1p-24f;
}

/* In [0, 1): 53 bits of two draws. */
static inline double ts_draw_double(ts_generator *g)
{
    return (double)(ts_draw64(g) & UINT64_C(0x1fffffffffffff)) * 0x1p-53;
}

/* --- the runtime's side --- */

/* A new generator of the CPU, seeded with 67280421310721. RuntimeError for another
 * device. */
TS_API ts_status ts_generator_new(ts_device device, ts_generator **out);
TS_API void ts_generator_free(ts_generator *g); /* NULL is fine */

/* Start the sequence that `seed` stands for. */
TS_API void ts_generator_seed(ts_generator *g, uint64_t seed);
TS_API uint64_t ts_generator_initial_seed(const ts_generator *g);

/* All that later draws depend on, as PyTorch's get_state() lays it out; `bytes` has
 * TS_GENERATOR_STATE_BYTES of room. */
TS_API void ts_generator_state(ts_generator *g, void *bytes);
/* Go on where a state was taken. RuntimeError for bytes that are no state. */
TS_API ts_status ts_generator_set_state(ts_generator *g, const void *bytes, int64_t size);

/*
 * The generator that an op without one draws from. Each thread has its own, as each
 * process of PyTorch has: ranks are threads here. It begins with the seed
 * 67280421310721. NULL when there is no memory.
 */
TS_API ts_generator *ts_default_generator(void);

#ifdef __cplusplus
}
#endif
#endif
