/* SPDX-License-Identifier: Apache-2.0 */
/* Ops whose batching is their own: sizes among the arguments, and products. */
#include "core/expr.h"
#include "touchstone/ops/as_strided_glue.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/copy_glue.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/expand_glue.h"
#include "touchstone/ops/flip_glue.h"
#include "touchstone/ops/index_select_glue.h"
#include "touchstone/ops/mm_expr.h"
#include "touchstone/ops/mm_glue.h"
#include "touchstone/ops/stack_glue.h"
#include "touchstone/ops/transpose_glue.h"
#include "touchstone/ops/view_expr.h"
#include "touchstone/ops/view_glue.h"
#include "transform/level.h"

/* The tensors of the call with the batch dim in front; a tensor that is not batched stays
 * as it is where it is argument `plain`. */
static ts_status front(void *self, int arg, ts_tensor *t, ts_tensor **out)
{
    tsi_level *l = self;
    tsi_down saved;
    ts_status s;

    (void)arg;
    tsi_level_down(l, &saved);
    s = tsi_vmap_front(l, t, out);
    tsi_level_up(&saved);
    return s;
}

static ts_status open(tsi_level *l, ts_frame *f, ts_frame *g)
{
    return tsi_frame_map(g, f, f->form, front, l);
}

static ts_status done(tsi_level *l, ts_frame *f, ts_frame *g)
{
    const ts_status s = tsi_vmap_finish(l, f, g);

    tsi_frame_unmap(g);
    return s;
}

/* `first` and then v's numbers, each moved by `by`. */
static void prefix(ts_value *v, int64_t *room, int64_t first, int64_t by)
{
    room[0] = first;
    for (int64_t k = 0; k < v->ints.n; k++)
        room[k + 1] = v->ints.v[k] + by;
    v->ints.v = room;
    v->ints.n++;
}

static ts_status sized(tsi_level *l, ts_frame *f, int size)
{
    int64_t room[TS_MAX_DIMS + 1];
    ts_frame g;

    TS_TRY(open(l, f, &g));
    prefix(&g.args[size], room, l->batch_size, 0);
    return done(l, f, &g);
}

ts_status tsi_vmap_view(tsi_level *l, ts_frame *f)
{
    return sized(l, f, TS_VIEW_SIZE);
}

ts_status tsi_vmap__reshape_copy(tsi_level *l, ts_frame *f)
{
    return sized(l, f, TS__RESHAPE_COPY_SIZE);
}

/* New dims come between the batch dim and self's own. */
ts_status tsi_vmap_expand(tsi_level *l, ts_frame *f)
{
    int64_t room[TS_MAX_DIMS + 1];
    ts_frame g;
    ts_status s = TS_OK;
    tsi_down saved;

    TS_TRY(open(l, f, &g));
    tsi_level_down(l, &saved);
    for (int64_t d = f->args[0].tensor->ndim; s == TS_OK && d < f->meta[0].ndim; d++) {
        ts_tensor *wider = NULL;

        s = ts_unsqueeze(g.args[0].tensor, 1, &wider);
        if (s == TS_OK) {
            ts_release(g.args[0].tensor);
            g.args[0].tensor = wider;
        }
    }
    tsi_level_up(&saved);
    prefix(&g.args[TS_EXPAND_SIZE], room, l->batch_size, 0);
    if (s == TS_OK)
        s = tsi_vmap_finish(l, f, &g);
    tsi_frame_unmap(&g);
    return s;
}

ts_status tsi_vmap_unsqueeze(tsi_level *l, ts_frame *f)
{
    const int64_t dim = f->args[TS_UNSQUEEZE_DIM].i;
    ts_frame g;

    TS_TRY(open(l, f, &g));
    g.args[TS_UNSQUEEZE_DIM].i = dim < 0 ? dim : dim + 1;
    return done(l, f, &g);
}

ts_status tsi_vmap_stack(tsi_level *l, ts_frame *f)
{
    const int64_t dim = f->args[TS_STACK_DIM].i;
    ts_frame g;

    TS_TRY(open(l, f, &g));
    g.args[TS_STACK_DIM].i = dim < 0 ? dim : dim + 1;
    return done(l, f, &g);
}

ts_status tsi_vmap_permute(tsi_level *l, ts_frame *f)
{
    const int ndim = f->args[0].tensor->ndim;
    int64_t own[TS_MAX_DIMS], room[TS_MAX_DIMS + 1];
    ts_value *dims;
    ts_frame g;

    TS_TRY(open(l, f, &g));
    dims = &g.args[TS_PERMUTE_DIMS];
    for (int64_t k = 0; k < dims->ints.n; k++)
        own[k] = dims->ints.v[k] + (dims->ints.v[k] < 0 ? ndim : 0);
    dims->ints.v = own;
    prefix(dims, room, 0, 1);
    return done(l, f, &g);
}

/* The dims that argument `arg` lists, one further on: none listed are none, and a tensor
 * without dims has none to move along. */
static ts_status named(tsi_level *l, ts_frame *f, int arg)
{
    const int ndim = f->args[0].tensor->ndim;
    int64_t dims[TS_MAX_DIMS];
    ts_value *v;
    ts_frame g;

    if (f->args[arg].ints.n > TS_MAX_DIMS) /* a dim may stand more than once */
        return tsi_vmap_loop(l, f);
    TS_TRY(open(l, f, &g));
    v = &g.args[arg];
    for (int64_t k = 0; k < v->ints.n; k++)
        dims[k] = v->ints.v[k] + (v->ints.v[k] < 0 ? ndim : 0) + 1;
    v->ints.v = dims;
    if (ndim == 0)
        v->ints.n = 0;
    return done(l, f, &g);
}

ts_status tsi_vmap_flip(tsi_level *l, ts_frame *f)
{
    return named(l, f, TS_FLIP_DIMS);
}

ts_status tsi_vmap_rot90(tsi_level *l, ts_frame *f)
{
    return named(l, f, TS_ROT90_DIMS);
}

ts_status tsi_vmap_roll(tsi_level *l, ts_frame *f)
{
    return f->args[TS_ROLL_DIMS].ints.n > 0 ? named(l, f, TS_ROLL_DIMS)
                                            : tsi_vmap_loop(l, f);
}

/* By the geometry of one element of the batch; the batch keeps its stride. */
ts_status tsi_vmap_as_strided(tsi_level *l, ts_frame *f)
{
    const tsi_wrap *w = tsi_wrap_at(l, f->args[TS_AS_STRIDED_SELF].tensor);
    int64_t sizes[TS_MAX_DIMS + 1], strides[TS_MAX_DIMS + 1];
    ts_frame g;

    TS_TRY(tsi_frame_map(&g, f, f->form, tsi_to_value, l));
    prefix(&g.args[TS_AS_STRIDED_SIZE], sizes, l->batch_size, 0);
    prefix(&g.args[TS_AS_STRIDED_STRIDE], strides, w->value->strides[w->batch_dim], 0);
    return done(l, f, &g);
}

ts_status tsi_vmap_fill(tsi_level *l, ts_frame *f)
{
    ts_tensor *self = f->args[TS_FILL_SELF].tensor,
              *value = f->args[TS_FILL_VALUE].tensor;
    tsi_expr e = {0};
    ts_tensor *wide = tsx_expand(&e, value, self->sizes, self->ndim, NULL);
    ts_tensor *cast = e.s == TS_OK ? tsi_cast(&e, wide, self->dtype) : NULL;

    (void)l;
    return tsi_expr_give(&e, tsx_clone(&e, cast, NULL), &f->results[0]);
}

ts_status tsi_vmap_factory(tsi_level *l, ts_frame *f)
{
    int64_t room[TS_MAX_DIMS + 1];
    ts_frame g;
    ts_status s;

    TS_TRY(open(l, f, &g));
    for (int i = 0; i < f->nargs; i++)
        if (strcmp(f->op->params[i].name, "size") == 0)
            prefix(&g.args[i], room, l->batch_size, 0);
    s = tsi_call_down(l, &g);
    if (s == TS_OK) {
        s = tsi_wrap_new(l, g.results[0], 0, &f->results[0]);
        ts_release(g.results[0]);
    }
    tsi_frame_unmap(&g);
    return s;
}

/* --- products --- */

/* (B, n, k) by (B, k, m), in one product of batches. */
ts_status tsi_vmap_mm(tsi_level *l, ts_frame *f)
{
    ts_tensor *a = NULL, *b = NULL, *made = NULL;
    tsi_down saved;
    ts_status s;

    tsi_level_down(l, &saved);
    s = tsi_vmap_front(l, f->args[TS_MM_SELF].tensor, &a);
    if (s == TS_OK)
        s = tsi_vmap_front(l, f->args[TS_MM_MAT2].tensor, &b);
    if (s == TS_OK)
        s = ts_bmm(a, b, &made);
    tsi_level_up(&saved);
    ts_release(a);
    ts_release(b);
    return s == TS_OK ? tsi_vmap_give(l, f, 0, made, NULL) : s;
}

static ts_tensor *joined(tsi_expr *e, tsi_level *l, ts_tensor *t)
{
    ts_tensor *whole = TSI_EXPR(e, tsi_vmap_front(l, t, &e->made));

    return tsx_reshape(
        e, whole, (int64_t[]){l->batch_size * t->sizes[0], t->sizes[1], t->sizes[2]}, 3);
}

ts_status tsi_vmap_bmm(tsi_level *l, ts_frame *f)
{
    const ts_meta *m = &f->meta[0];
    tsi_expr e = {0};
    ts_tensor *a, *b, *product, *made = NULL;
    tsi_down saved;
    ts_status s;

    tsi_level_down(l, &saved);
    a = joined(&e, l, f->args[TS_BMM_SELF].tensor);
    b = joined(&e, l, f->args[TS_BMM_MAT2].tensor);
    product = tsx_bmm(&e, a, b);
    product =
        tsx_reshape(&e, product,
                    (int64_t[]){l->batch_size, m->sizes[0], m->sizes[1], m->sizes[2]}, 4);
    s = tsi_expr_give(&e, product, &made);
    tsi_level_up(&saved);
    return s == TS_OK ? tsi_vmap_give(l, f, 0, made, NULL) : s;
}

/* One index for the whole batch; else one after the other. */
ts_status tsi_vmap_index_select(tsi_level *l, ts_frame *f)
{
    const ts_tensor *self = f->args[TS_INDEX_SELECT_SELF].tensor;
    const int64_t dim = f->args[TS_INDEX_SELECT_DIM].i;
    ts_tensor *whole = NULL, *made = NULL;
    tsi_down saved;
    ts_status s;

    if (tsi_wrap_at(l, f->args[TS_INDEX_SELECT_INDEX].tensor) || self->ndim == 0)
        return tsi_vmap_loop(l, f);
    tsi_level_down(l, &saved);
    s = tsi_vmap_front(l, f->args[TS_INDEX_SELECT_SELF].tensor, &whole);
    if (s == TS_OK)
        s = ts_index_select(whole, (dim < 0 ? dim + self->ndim : dim) + 1,
                            f->args[TS_INDEX_SELECT_INDEX].tensor, &made);
    tsi_level_up(&saved);
    ts_release(whole);
    return s == TS_OK ? tsi_vmap_give(l, f, 0, made, NULL) : s;
}
