/* SPDX-License-Identifier: Apache-2.0 */
/* A level of forward mode: each call is made one level down on the values, and by the
 * op's rule on the tangents. */
#include "transform/jvp.h"

#include <stdlib.h>

#include "core/expr.h"
#include "grad/vjp.h"
#include "touchstone/ops/expand_expr.h"
#include "transform/level.h"

/* --- the rules --- */

static bool carries(const tsi_jvp *j, int i)
{
    return (j->op->result_differentiable >> (j->op->list_result ? 0 : i) & 1) != 0 &&
           ts_dtype_is_floating(j->results[i]->dtype);
}

/* The tensors of a frame by their tangents: all at once, or one alone. */
typedef struct replacing {
    tsi_level *l;
    int only; /* the argument; -1: all, zeros where there is none */
} replacing;

static ts_status to_tangent(void *self, int arg, ts_tensor *t, ts_tensor **out)
{
    const replacing *r = self;
    const tsi_wrap *w = tsi_wrap_at(r->l, t);
    ts_tensor *value = tsi_value_at(r->l, t);

    if (!ts_dtype_is_floating(t->dtype) || (r->only >= 0 && r->only != arg)) {
        *out = ts_retain(value);
    } else if (w && w->tangent) {
        *out = ts_retain(w->tangent);
    } else {
        return ts_zeros_like(value, NULL, out);
    }
    return TS_OK;
}

static ts_status apply_to(tsi_jvp *j, int only, ts_tensor **out)
{
    replacing r = {j->l, only};
    ts_frame g;
    ts_status s;

    TS_TRY(tsi_frame_map(&g, j->f, TS_FUNCTIONAL, to_tangent, &r));
    s = ts_call(&g);
    for (int i = 0; s == TS_OK && i < g.nresults; i++)
        if (carries(j, i))
            out[i] = g.results[i];
        else
            ts_release(g.results[i]);
    tsi_frame_unmap(&g);
    return s;
}

/* Takes `more`. */
static ts_status add_to(ts_tensor **sum, ts_tensor *more)
{
    ts_tensor *both = NULL;
    ts_status s;

    if (!*sum || !more) {
        *sum = more ? more : *sum;
        return TS_OK;
    }
    s = ts_add(*sum, more, NULL, &both);
    ts_release(*sum);
    ts_release(more);
    *sum = both;
    return s;
}

static ts_status product(tsi_jvp *j)
{
    for (int i = 0; i < j->f->nargs; i++) {
        ts_tensor *part = NULL;

        if (!j->tangents[i])
            continue;
        TS_TRY(apply_to(j, i, &part));
        TS_TRY(add_to(&j->out[0], part));
    }
    return TS_OK;
}

static tsi_kept_meta meta_of(const ts_tensor *t)
{
    return (tsi_kept_meta){.ndim = t->ndim,
                           .sizes = t->sizes,
                           .strides = t->strides,
                           .offset = t->offset,
                           .dtype = t->dtype,
                           .device = t->device};
}

/* t as it would be as a gradient of `result`. */
static ts_status spread(ts_tensor *t, const ts_tensor *result, ts_tensor **out)
{
    tsi_expr e = {0};
    ts_tensor *wide = t;

    if (!tsi_same_sizes(t, result))
        wide = tsx_expand(&e, t, result->sizes, result->ndim, NULL);
    if (e.s == TS_OK && t->dtype != result->dtype)
        wide = tsi_cast(&e, wide, result->dtype);
    return tsi_expr_give(&e, wide, out);
}

/* Pointwise, the Jacobian is a diagonal: the derivative's function of the tangent. */
static ts_status elementwise(tsi_jvp *j)
{
    const int n = j->f->nargs;
    tsi_thread *t = tsi_self();
    tsi_kept_meta *metas, inputs = meta_of(j->results[0]);
    ts_tensor **out;
    bool *needs;
    ts_status s = TS_OK;
    size_t used;
    void *mark;

    tsi_arena_mark(t, &mark, &used);
    metas = tsi_arena_take(t, (size_t)n * (sizeof *metas + sizeof *out + sizeof *needs));
    TS_CHECK(metas, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a tangent");
    out = (ts_tensor **)(void *)(metas + n);
    needs = (bool *)(out + n);
    for (int i = 0; i < n; i++)
        metas[i] = j->args[i].kind == TS_ARG_TENSOR ? meta_of(j->args[i].tensor)
                                                    : (tsi_kept_meta){0};
    for (int i = 0; s == TS_OK && i < n; i++) {
        ts_tensor *grad = NULL;
        tsi_vjp v = {.op = j->op,
                     .args = (ts_value *)(uintptr_t)j->args,
                     .arg_meta = metas,
                     .results = j->results,
                     .grads = &grad,
                     .ngrads = 1,
                     .inputs = &inputs,
                     .needs = needs,
                     .out = out};

        if (!j->tangents[i])
            continue;
        for (int k = 0; k < n; k++) {
            needs[k] = k == i;
            out[k] = NULL;
        }
        s = spread(j->tangents[i], j->results[0], &grad);
        if (s == TS_OK)
            s = j->op->vjp(&v);
        ts_release(grad);
        for (int k = 0; k < n; k++)
            if (k == i && s == TS_OK)
                s = add_to(&j->out[0], out[k]);
            else
                ts_release(out[k]);
    }
    tsi_arena_back(t, mark, used);
    return s;
}

/* --- twice backward: u -> J^T u is linear, and its derivative by u at t is J t --- */

typedef struct twice {
    tsi_level *at, *tangents; /* a level of grad of its own; the level of the call */
    ts_tensor *x[64], *t[64], *v[64]; /* arguments that move, how they do, J^T u */
    ts_tensor *u[64], *y[64], *moved[64];
    int nx, ny;
} twice;

static ts_status as_leaf(void *self, int arg, ts_tensor *t, ts_tensor **out)
{
    twice *w = self;
    const tsi_wrap *wrap = tsi_wrap_at(w->tangents, t);

    (void)arg;
    if (!wrap || !wrap->tangent || !ts_dtype_is_floating(t->dtype)) {
        *out = ts_retain(tsi_value_at(w->tangents, t));
        return TS_OK;
    }
    TS_CHECK(w->nx < 64, TS_ERR_RUNTIME, NULL, "jvp: more than 64 tensors move");
    TS_TRY(ts_grad_enter(w->at, wrap->value, out));
    w->x[w->nx] = ts_retain(*out);
    w->t[w->nx++] = wrap->tangent;
    return TS_OK;
}

static ts_status both_ways(twice *w)
{
    ts_tensor *roots[64], *along[64];
    int n = 0;

    TS_TRY(ts_grad(w->ny, w->y, w->u, w->nx, w->x, true, true, true, w->v));
    for (int i = 0; i < w->nx; i++)
        if (w->v[i] && ts_requires_grad(w->v[i])) {
            roots[n] = w->v[i];
            along[n++] = w->t[i];
        }
    if (n == 0)
        return TS_OK;
    return ts_grad(n, roots, along, w->ny, w->u, false, true, true, w->moved);
}

static ts_status twice_backward(tsi_jvp *j, twice *w, int *place)
{
    ts_frame g;
    ts_status s;

    TS_TRY(tsi_frame_map(&g, j->f, TS_FUNCTIONAL, as_leaf, w));
    s = ts_call(&g);
    for (int i = 0; s == TS_OK && i < g.nresults; i++) {
        if (w->ny < 64 && ts_requires_grad(g.results[i])) {
            ts_tensor *zeros = NULL;

            s = ts_zeros_like(j->results[i], NULL, &zeros);
            if (s == TS_OK)
                s = ts_grad_enter(w->at, tsi_value_at(w->at, zeros), &w->u[w->ny]);
            ts_release(zeros);
            if (s == TS_OK) {
                place[w->ny] = i;
                w->y[w->ny++] = ts_retain(g.results[i]);
            }
        }
    }
    for (int i = 0; i < g.nresults; i++)
        ts_release(g.results[i]);
    tsi_frame_unmap(&g);
    return s == TS_OK && w->ny > 0 ? both_ways(w) : s;
}

static ts_status general(tsi_jvp *j)
{
    twice *w = calloc(1, sizeof *w);
    int place[64];
    ts_status s;

    TS_CHECK(w, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a tangent");
    w->tangents = j->l;
    s = ts_grad_begin(&w->at);
    if (s == TS_OK) {
        s = twice_backward(j, w, place);
        for (int k = 0; s == TS_OK && k < w->ny; k++)
            if (w->moved[k])
                j->out[place[k]] = ts_retain(tsi_value_at(w->at, w->moved[k]));
        for (int k = 0; k < 64; k++) {
            ts_release(w->x[k]);
            ts_release(w->v[k]);
            ts_release(w->u[k]);
            ts_release(w->y[k]);
            ts_release(w->moved[k]);
        }
        ts_level_end(w->at);
    }
    free(w);
    return s;
}

static ts_status by_rule(tsi_jvp *j)
{
    const ts_op *op = j->op;
    ts_frame *f = (ts_frame *)(uintptr_t)j->f;

    switch (op->jvp_rule) {
    case TS_JVP_OWN:
        return op->jvp(j);
    case TS_JVP_LINEAR:
        return apply_to(j, -1, j->out);
    case TS_JVP_PRODUCT:
        return product(j);
    case TS_JVP_ELEMENTWISE:
        return elementwise(j);
    default:
        break;
    }
    if (op->api && op->vjp) {
        TS_TRY(op->api(f));
        if (f->flags & TS_FRAME_POINTWISE)
            return elementwise(j);
    }
    return general(j);
}

/* --- the call --- */

static ts_tensor *tangent_at(const tsi_level *l, const ts_tensor *t)
{
    const tsi_wrap *w = tsi_wrap_at(l, t);

    return w ? w->tangent : NULL;
}

static bool moves(const tsi_level *l, const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];

        if (v->kind == TS_ARG_TENSOR && tangent_at(l, v->tensor))
            return true;
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++)
            if (tangent_at(l, v->tensors.v[k]))
                return true;
    }
    return false;
}

/* The tangents of g's results, g being the call f below l. */
static ts_status tangents_of(tsi_level *l, const ts_frame *f, const ts_frame *g,
                             ts_tensor **out)
{
    tsi_thread *t = tsi_self();
    tsi_jvp j = {.op = f->op,
                 .args = g->args,
                 .results = g->results,
                 .nresults = g->nresults,
                 .out = out,
                 .f = f,
                 .l = l};
    ts_tensor **tangents;
    tsi_down saved;
    ts_status s;
    size_t used;
    void *mark;

    if (!f->op->differentiable)
        return TS_OK;
    tsi_arena_mark(t, &mark, &used);
    tangents = tsi_arena_take(t, (size_t)f->nargs * sizeof *tangents + 1);
    TS_CHECK(tangents, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for tangents");
    for (int i = 0; i < f->nargs; i++)
        tangents[i] = tangent_at(l, tsi_tensor(f, i));
    j.tangents = tangents;
    tsi_level_down(l, &saved);
    s = by_rule(&j);
    tsi_level_up(&saved);
    tsi_arena_back(t, mark, used);
    return s;
}

static ts_status wrap_result(tsi_level *l, ts_frame *f, int i, ts_tensor *value,
                             ts_tensor *tangent)
{
    if (f->op->scalar_result) {
        f->results[i] = ts_retain(value);
        return TS_OK;
    }
    TS_TRY(tsi_wrap_new(l, value, -1, &f->results[i]));
    tsi_of(f->results[i])->wrap->tangent = ts_retain(tangent);
    if (f->op->kind == TS_VIEW)
        tsi_wrap_view_of(f->results[i], f->args[0].tensor);
    return TS_OK;
}

static ts_status functional(tsi_level *l, ts_frame *f, bool moving)
{
    ts_tensor **out;
    ts_frame g;
    ts_status s;

    TS_TRY(tsi_frame_map(&g, f, TS_FUNCTIONAL, tsi_to_value, l));
    s = tsi_call_down(l, &g);
    if (s != TS_OK) {
        tsi_frame_unmap(&g);
        return s;
    }
    out = calloc((size_t)g.nresults + 1, sizeof *out);
    if (!out)
        s = ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for tangents");
    if (s == TS_OK && moving)
        s = tangents_of(l, f, &g, out);
    if (s == TS_OK && f->op->list_result)
        s = tsi_frame_results(f, g.nresults);
    for (int i = 0; i < g.nresults; i++) {
        if (s == TS_OK)
            s = wrap_result(l, f, i, g.results[i], out[i]);
        ts_release(g.results[i]);
        if (out)
            ts_release(out[i]);
    }
    free(out);
    tsi_frame_unmap(&g);
    return s;
}

/* A tangent for what is about to be written with one: its own, or that part of its base's
 * of which it is a view. Below l. */
static ts_status room_for(tsi_level *l, ts_tensor *self)
{
    tsi_wrap *w = tsi_of(self)->wrap;
    ts_tensor *base = tsi_of(self)->base;
    tsi_wrap *b = base ? tsi_wrap_at(l, base) : NULL;
    ts_as_strided_opts o = ts_as_strided_defaults();
    int64_t offset;

    if (w->tangent)
        return TS_OK;
    if (!b)
        return ts_zeros_like(w->value, NULL, &w->tangent);
    if (!b->tangent) {
        ts_status s;

        TS_TRY(ts_tensor_new_strided(base->device, base->dtype, base->ndim, base->sizes,
                                     base->strides, &b->tangent));
        s = ts_zero_(b->tangent);
        TS_TRY(s);
    }
    offset = b->tangent->offset + self->offset - base->offset;
    o.storage_offset = &offset;
    return ts_as_strided(b->tangent, self->sizes, self->ndim, self->strides, self->ndim,
                         &o, &w->tangent);
}

/* An op that there is in place only is linear: it does the same to the tangents. */
static ts_status on_tangents(tsi_level *l, const ts_frame *f)
{
    replacing r = {l, -1};
    tsi_down saved;
    ts_frame g;
    ts_status s;

    tsi_level_down(l, &saved);
    s = room_for(l, f->args[0].tensor);
    if (s == TS_OK && !f->op->differentiable)
        s = ts_zero_(tsi_of(f->args[0].tensor)->wrap->tangent);
    else if (s == TS_OK)
        s = tsi_frame_map(&g, f, TS_INPLACE, to_tangent, &r);
    if (s == TS_OK && f->op->differentiable) {
        s = ts_call(&g);
        if (s == TS_OK)
            ts_release(g.results[0]);
        tsi_frame_unmap(&g);
    }
    tsi_level_up(&saved);
    return s;
}

/* What the call would give as a function says how self moves. */
static ts_status in_place(tsi_level *l, ts_frame *f, bool moving)
{
    ts_tensor *self = f->args[0].tensor, *made = NULL;
    tsi_down saved;
    ts_frame g;
    ts_status s;

    if (moving && !(f->op->forms & TS_FORM_BIT(TS_FUNCTIONAL))) {
        TS_TRY(on_tangents(l, f));
    } else if (moving) {
        f->form = TS_FUNCTIONAL;
        s = functional(l, f, true);
        f->form = TS_INPLACE;
        TS_TRY(s);
        made = f->results[0];
        f->results[0] = NULL;
    }
    s = tsi_frame_map(&g, f, TS_INPLACE, tsi_to_value, l);
    if (s == TS_OK) {
        s = tsi_call_down(l, &g);
        if (s == TS_OK)
            ts_release(g.results[0]);
        tsi_frame_unmap(&g);
    }
    if (s == TS_OK && made && ts_dtype_is_floating(self->dtype)) {
        ts_tensor *tangent = tsi_of(made)->wrap->tangent;

        tsi_level_down(l, &saved);
        if (tangent) {
            s = room_for(l, self);
            if (s == TS_OK)
                s = ts_copy_(tsi_of(self)->wrap->tangent, tangent, NULL);
        } else if (tsi_of(self)->wrap->tangent) {
            s = ts_zero_(tsi_of(self)->wrap->tangent);
        }
        tsi_level_up(&saved);
    }
    ts_release(made);
    if (s == TS_OK)
        f->results[0] = ts_retain(self);
    return s;
}

static ts_status call(tsi_level *l, ts_frame *f)
{
    const bool moving = moves(l, f);

    if (f->form == TS_INPLACE) {
        if (!tsi_wrap_at(l, f->args[0].tensor)) {
            TS_CHECK(
                !tsi_is_at(l, f), TS_ERR_RUNTIME, "func/C5",
                "%s_: a tensor from outside of a function under jvp can't be written "
                "in place in it",
                f->op->name);
            return tsi_call_down(l, f);
        }
        return in_place(l, f, moving);
    }
    if (f->form == TS_OUT) {
        TS_CHECK(!tsi_is_at(l, f), TS_ERR_RUNTIME, "func/C6",
                 "%s: the out= form has no tangent", f->op->name);
        return tsi_call_down(l, f);
    }
    return functional(l, f, moving);
}

const tsi_level_table tsi_jvp_table = {call, tsi_jvp_function};

/* --- in and out --- */

ts_status ts_jvp_begin(ts_level **out)
{
    return tsi_level_begin(TSI_LEVEL_JVP, out);
}

ts_status ts_jvp_enter(ts_level *l, ts_tensor *primal, ts_tensor *tangent,
                       ts_tensor **out)
{
    char have[128], want[128];

    TS_CHECK(!tangent || tsi_same_sizes(primal, tangent), TS_ERR_RUNTIME, "func/C13",
             "jvp: a tangent of shape %s for a tensor of shape %s",
             tsi_sizes_text(have, sizeof have, tangent->ndim, tangent->sizes),
             tsi_sizes_text(want, sizeof want, primal->ndim, primal->sizes));
    TS_TRY(tsi_wrap_new(l, primal, -1, out));
    tsi_of(*out)->wrap->tangent = ts_retain(tangent);
    return TS_OK;
}

ts_status ts_jvp_leave(ts_level *l, ts_tensor *t, ts_tensor **primal, ts_tensor **tangent)
{
    ts_tensor *value = tsi_value_at(l, t), *moved = tangent_at(l, t), *zeros = NULL;
    tsi_down saved;
    ts_status s = TS_OK;

    if (!moved) {
        tsi_level_down(l, &saved);
        s = ts_zeros_like(value, NULL, &zeros);
        tsi_level_up(&saved);
    }
    if (s == TS_OK) {
        *primal = ts_retain(value);
        *tangent = moved ? ts_retain(moved) : zeros;
    }
    return s;
}
