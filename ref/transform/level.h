/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of levels, for the files of ref/transform. */
#ifndef TSI_TRANSFORM_LEVEL_H
#define TSI_TRANSFORM_LEVEL_H

#include "core/body.h"
#include "core/table.h"
#include "core/thread.h"
#include "touchstone/touchstone.h"

extern const tsi_level_table tsi_grad_table, tsi_jvp_table, tsi_vmap_table,
    tsi_trace_table;

/* A level of this kind on top of the stack; ts_level_end takes it off. */
ts_status tsi_level_begin(tsi_level_kind kind, tsi_level **out);

/* --- function.c: custom functions, by kind of level --- */
ts_status tsi_grad_function(tsi_level *l, const ts_function *fn, void *self, int ninputs,
                            ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs);
ts_status tsi_jvp_function(tsi_level *l, const ts_function *fn, void *self, int n,
                           ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs);
ts_status tsi_vmap_function(tsi_level *l, const ts_function *fn, void *self, int n,
                            ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs);

/* --- what runs below a level --- */

typedef struct tsi_down {
    tsi_level *level;
    unsigned layers;
    bool grad;
    const ts_frame *inside;
} tsi_down;

/* Until tsi_level_up, the top level is the one below l. */
void tsi_level_down(tsi_level *l, tsi_down *saved);
void tsi_level_up(const tsi_down *saved);
/* ts_call of g below l. */
ts_status tsi_call_down(tsi_level *l, ts_frame *g);

/* t's wrap where it is of level l, else NULL. */
static inline tsi_wrap *tsi_wrap_at(const tsi_level *l, const ts_tensor *t)
{
    return t && tsi_of(t)->wrapped && tsi_of(t)->wrap->level == l->id ? tsi_of(t)->wrap
                                                                      : NULL;
}

/* What stands at l for t: the value of a wrapper of l, or t itself. Borrowed. */
static inline ts_tensor *tsi_value_at(const tsi_level *l, ts_tensor *t)
{
    const tsi_wrap *w = tsi_wrap_at(l, t);

    return w ? w->value : t;
}

/* --- frames --- */

/* A new reference that stands for the tensor t, argument `arg` (-1: an out tensor). */
typedef ts_status (*tsi_map_fn)(void *self, int arg, ts_tensor *t, ts_tensor **out);

/* Open g as the call f of another form, each of its tensors by way of fn. The arguments of
 * g are its own until tsi_frame_unmap, which leaves g's results alone. */
ts_status tsi_frame_map(ts_frame *g, const ts_frame *f, ts_form form, tsi_map_fn fn,
                        void *self);
void tsi_frame_unmap(ts_frame *g);
/* The tsi_map_fn whose `self` is a level: values at it. */
ts_status tsi_to_value(void *self, int arg, ts_tensor *t, ts_tensor **out);
/* f's results are to be n; for a list they are made room for. */
ts_status tsi_frame_results(ts_frame *f, int n);
/* Whether some tensor of the call is a wrapper of l. */
bool tsi_is_at(const tsi_level *l, const ts_frame *f);

/* --- vmap.c, for its ops --- */

/* t at l with the batch dim in front: as it is stored, and for a tensor that is not
 * batched expanded. A new reference; below l. */
ts_status tsi_vmap_front(tsi_level *l, ts_tensor *t, ts_tensor **out);
/* The physical result of a call at l, its batch dim in front, becomes result i of f; takes
 * it. `of` is the tensor at l that it is a view of, or NULL. */
ts_status tsi_vmap_give(tsi_level *l, ts_frame *f, int i, ts_tensor *result,
                        ts_tensor *of);
/* Call g below l, and its results, whose batch dim stands in front, become f's. */
ts_status tsi_vmap_finish(tsi_level *l, ts_frame *f, ts_frame *g);
/* A factory called on a batched tensor. */
ts_status tsi_vmap_factory(tsi_level *l, ts_frame *f);
/* One element of the batch after the other. */
ts_status tsi_vmap_loop(tsi_level *l, ts_frame *f);

#endif
