/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels: the functional transforms that are under way on a thread, innermost on top. A
 * tensor that a level follows is a wrapper: the public part tells the logical sizes, and
 * the value below hangs on the body. Wrappers of one level hold values of lower levels
 * only. What a level does with a call stands in ref/transform.
 */
#ifndef TSI_LEVEL_H
#define TSI_LEVEL_H

#include "core/core.h"

typedef enum tsi_level_kind {
    TSI_LEVEL_GRAD, /* records on its wrappers with the nodes of ref/grad */
    TSI_LEVEL_JVP,
    TSI_LEVEL_VMAP,
    TSI_LEVEL_TRACE /* follows no tensor: it has no wrappers */
} tsi_level_kind;

struct tsi_level;

typedef struct tsi_level_table {
    ts_status (*call)(struct tsi_level *l, ts_frame *f);
    /* A custom function on inputs of which this level is the top one. */
    ts_status (*apply)(struct tsi_level *l, const ts_function *fn, void *self,
                       int ninputs, ts_tensor *const *inputs, int *noutputs,
                       ts_tensor **outputs);
} tsi_level_table;

typedef struct tsi_level {
    tsi_level_kind kind;
    uint64_t id; /* never given twice on a thread */
    const tsi_level_table *table;
    struct tsi_level *previous;
    bool grad_below;    /* grad mode where the level began: that of everything below it */
    int64_t batch_size; /* VMAP */
    const char *randomness; /* VMAP */
    struct ts_trace *trace; /* TRACE; the recorder's */
} tsi_level;

/* What makes a tensor a wrapper. */
typedef struct tsi_wrap {
    tsi_level_kind kind;
    uint64_t level;
    ts_tensor *value;
    ts_tensor *tangent; /* JVP; NULL: zero */
    int batch_dim;      /* VMAP: of value */
} tsi_wrap;

/* A wrapper around value, of which a reference is kept; a batch_dim below 0 for none. */
ts_status tsi_wrap_new(const tsi_level *l, ts_tensor *value, int batch_dim,
                       ts_tensor **out);
/* The same value at the same level as another tensor, without history. */
ts_status tsi_wrap_again(ts_tensor *t, ts_tensor *value, ts_tensor **out);
/* `view` was made of `of`, a wrapper of its level. */
void tsi_wrap_view_of(ts_tensor *view, ts_tensor *of);
/* A wrapper that reached the bottom: of a level that has ended. */
ts_status tsi_refuse_escaped(const ts_tensor *t, const char *what);

#endif
