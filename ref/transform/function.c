/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Custom functions under levels: grad and jvp apply the same table one level down and take
 * its derivative at their own; vmap calls the table's vmap, or runs through its parts.
 */
#include "grad/function.h"

#include <stdlib.h>

#include "core/expr.h"
#include "core/rooms.h"
#include "transform/level.h"

/* One application, which several levels hold. */
typedef struct shared {
    int refs;
    ts_function fn;
    void *self;
    tsi_level *level; /* at which `forward` makes it one down */
    tsi_level *batch; /* of the generated vmap, suspended; owned */
    int ninputs;
    int *in_dims; /* of the generated vmap; owned */
} shared;

static void release(void *self)
{
    shared *s = self;

    if (--s->refs > 0)
        return;
    if (s->fn.destroy)
        s->fn.destroy(s->self);
    if (s->batch)
        ts_level_free(s->batch);
    free(s->in_dims);
    free(s);
}

static ts_status same_forward(void *self, ts_function_ctx *ctx, int ninputs,
                              ts_tensor *const *inputs, int *noutputs,
                              ts_tensor **outputs)
{
    const shared *s = self;

    return s->fn.forward(s->self, ctx, ninputs, inputs, noutputs, outputs);
}

static ts_status same_setup(void *self, ts_function_ctx *ctx, int ninputs,
                            ts_tensor *const *inputs, int noutputs,
                            ts_tensor *const *outputs)
{
    const shared *s = self;

    return s->fn.setup_context(s->self, ctx, ninputs, inputs, noutputs, outputs);
}

static ts_status same_backward(void *self, ts_function_ctx *ctx, int ngrads,
                               ts_tensor *const *grads, int ninputs, ts_tensor **out)
{
    const shared *s = self;

    return s->fn.backward(s->self, ctx, ngrads, grads, ninputs, out);
}

static ts_status same_jvp(void *self, ts_function_ctx *ctx, int ninputs,
                          ts_tensor *const *tangents, int noutputs, ts_tensor **out)
{
    const shared *s = self;

    return s->fn.jvp(s->self, ctx, ninputs, tangents, noutputs, out);
}

static ts_status same_vmap(void *self, const ts_vmap_info *info, int ninputs,
                           ts_tensor *const *inputs, const int *in_dims, int *noutputs,
                           ts_tensor **outputs, int *out_dims)
{
    const shared *s = self;

    return s->fn.vmap(s->self, info, ninputs, inputs, in_dims, noutputs, outputs,
                      out_dims);
}

/* The same function over a shared self. */
static ts_function table_of(const shared *s)
{
    ts_function f = s->fn;

    f.size = sizeof f;
    f.forward = same_forward;
    f.setup_context = f.setup_context ? same_setup : NULL;
    f.backward = f.backward ? same_backward : NULL;
    f.jvp = f.jvp ? same_jvp : NULL;
    f.vmap = f.vmap ? same_vmap : NULL;
    f.destroy = release;
    return f;
}

/* Takes self, on error too. */
static ts_status share(const ts_function *fn, void *self, tsi_level *l, shared **out)
{
    shared *s = calloc(1, sizeof *s);

    if (!s) {
        if (fn->destroy)
            fn->destroy(self);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a function");
    }
    *s = (shared){.refs = 1, .self = self, .level = l};
    memcpy(&s->fn, fn, fn->size < sizeof s->fn ? fn->size : sizeof s->fn);
    *out = s;
    return TS_OK;
}

static int place(int n, ts_tensor *const *v, const ts_tensor *t)
{
    for (int i = 0; i < n; i++)
        if (v[i] == t)
            return i;
    return -1;
}

static void drop(int n, ts_tensor **t)
{
    for (int i = 0; i < n; i++) {
        ts_release(t[i]);
        t[i] = NULL;
    }
}

/* The application one level down: results not yet wrapped. Borrowed values. */
static ts_status apply_below(shared *s, int n, ts_tensor *const *values, int *noutputs,
                             ts_tensor **outputs)
{
    const ts_function f = table_of(s);
    tsi_down saved;
    ts_status st;

    s->refs++;
    tsi_level_down(s->level, &saved);
    st = ts_function_apply(&f, s, n, values, noutputs, outputs);
    tsi_level_up(&saved);
    return st;
}

static ts_status values_of(const tsi_level *l, int n, ts_tensor *const *t,
                           ts_tensor ***out)
{
    *out = calloc((size_t)n + 1, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a function");
    for (int i = 0; i < n; i++)
        (*out)[i] = t[i] ? tsi_value_at(l, t[i]) : NULL;
    return TS_OK;
}

/* Results of the level below at l, an input that came back as itself. */
static ts_status wrap_all(tsi_level *l, int n, ts_tensor *const *inputs,
                          ts_tensor *const *values, int noutputs, ts_tensor **outputs)
{
    ts_status s = TS_OK;

    for (int i = 0; s == TS_OK && i < noutputs; i++) {
        ts_tensor *value = outputs[i];
        const int at = value ? place(n, values, value) : -1;

        if (!value)
            continue;
        outputs[i] = NULL;
        if (at >= 0)
            outputs[i] = ts_retain(inputs[at]);
        else
            s = tsi_wrap_new(l, value, -1, &outputs[i]);
        ts_release(value);
    }
    return s;
}

static ts_status check_style(const ts_function *fn)
{
    TS_CHECK(fn->setup_context, TS_ERR_RUNTIME, "func/C22",
             "%s: a custom function in a transform needs a setup_context, and a forward "
             "without ctx",
             fn->name ? fn->name : "Function");
    return TS_OK;
}

/* --- grad --- */

static ts_status forward_below(void *self, ts_function_ctx *ctx, int ninputs,
                               ts_tensor *const *inputs, int *noutputs,
                               ts_tensor **outputs)
{
    shared *s = self;
    ts_tensor **values;
    ts_status st;

    (void)ctx;
    TS_TRY(values_of(s->level, ninputs, inputs, &values));
    st = apply_below(s, ninputs, values, noutputs, outputs);
    if (st == TS_OK)
        st = wrap_all(s->level, ninputs, inputs, values, *noutputs, outputs);
    free(values);
    return st;
}

ts_status tsi_grad_function(tsi_level *l, const ts_function *fn, void *self, int ninputs,
                            ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs)
{
    ts_function f;
    ts_tensor **lifted;
    shared *s;
    ts_status st;

    TS_TRY(share(fn, self, l, &s));
    st = check_style(&s->fn);
    if (st == TS_OK)
        st = values_of(l, ninputs, inputs, &lifted);
    if (st != TS_OK) {
        release(s);
        return st;
    }
    for (int i = 0; i < ninputs; i++) {
        lifted[i] = NULL;
        if (st != TS_OK || !inputs[i])
            continue;
        if (tsi_wrap_at(l, inputs[i]))
            lifted[i] = ts_retain(inputs[i]);
        else
            st = tsi_wrap_new(l, inputs[i], -1, &lifted[i]);
    }
    f = table_of(s);
    f.forward = forward_below;
    if (st == TS_OK)
        st = tsi_function_record(&f, s, ninputs, lifted, noutputs, outputs);
    else
        release(s);
    drop(ninputs, lifted);
    free(lifted);
    return st;
}

/* --- jvp --- */

static ts_status tangents_in(const tsi_level *l, const ts_function_ctx *c, int n,
                             ts_tensor *const *inputs, ts_tensor **tangents)
{
    for (int i = 0; i < n; i++) {
        const tsi_wrap *w = tsi_wrap_at(l, inputs[i]);

        if (!inputs[i])
            continue;
        if (w && w->tangent)
            tangents[i] = ts_retain(w->tangent);
        else if (!c->plain_none)
            TS_TRY(ts_zeros_like(tsi_value_at(l, inputs[i]), NULL, &tangents[i]));
    }
    return TS_OK;
}

/* Below l: setup_context and jvp on what forward saw and gave. */
static ts_status push(const tsi_level *l, shared *s, ts_function_ctx *c, int n,
                      ts_tensor *const *inputs, ts_tensor *const *values, int noutputs,
                      ts_tensor *const *outputs, ts_tensor **tangents, ts_tensor **moved)
{
    const bool mode = ts_set_grad_enabled(false);
    ts_status st = s->fn.setup_context(s->self, c, n, values, noutputs, outputs);

    ts_set_grad_enabled(mode);
    if (st == TS_OK)
        st = tangents_in(l, c, n, inputs, tangents);
    if (st == TS_OK)
        st = s->fn.jvp(s->self, c, n, tangents, noutputs, moved);
    for (int i = 0; st == TS_OK && i < noutputs; i++)
        if (moved[i] && outputs[i] && !tsi_same_sizes(moved[i], outputs[i]))
            st = ts_fail(TS_ERR_RUNTIME, "func/C13",
                         "%s: jvp gives a tangent of another shape for result %d",
                         c->name, i);
    return st;
}

ts_status tsi_jvp_function(tsi_level *l, const ts_function *fn, void *self, int n,
                           ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs)
{
    const int room = *noutputs;
    ts_tensor **values = NULL, **tangents = NULL, **moved = NULL;
    ts_function_ctx *c = NULL;
    ts_function f;
    tsi_down saved;
    shared *s;
    ts_status st;

    TS_TRY(share(fn, self, l, &s));
    st = check_style(&s->fn);
    if (st == TS_OK && !s->fn.jvp)
        st = ts_fail(TS_ERR_NOT_IMPLEMENTED, "func/C24",
                     "%s: the custom function has no jvp",
                     s->fn.name ? s->fn.name : "Function");
    if (st == TS_OK)
        st = values_of(l, n, inputs, &values);
    if (st == TS_OK)
        st = values_of(l, n, inputs, &tangents);
    for (int i = 0; st == TS_OK && i < n; i++)
        tangents[i] = NULL;
    if (st == TS_OK && !(moved = calloc((size_t)room + 1, sizeof *moved)))
        st = ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a function");
    if (st == TS_OK)
        st = apply_below(s, n, values, noutputs, outputs);
    if (st == TS_OK) {
        f = table_of(s);
        s->refs++;
        tsi_level_down(l, &saved);
        st = tsi_ctx_new(&f, s, n, values, &c);
        if (st == TS_OK)
            st = push(l, s, c, n, inputs, values, *noutputs, outputs, tangents, moved);
        tsi_level_up(&saved);
    }
    if (st == TS_OK)
        for (int i = 0; i < *noutputs; i++)
            if (outputs[i] && tsi_is_named(&c->without_grad, outputs[i]))
                drop(1, &moved[i]);
    if (st == TS_OK)
        st = wrap_all(l, n, inputs, values, *noutputs, outputs);
    for (int i = 0; st == TS_OK && i < *noutputs; i++)
        if (outputs[i]) {
            tsi_wrap *w = tsi_wrap_at(l, outputs[i]);

            if (w) { /* an input from outside may have come back */
                ts_release(w->tangent);
                w->tangent = ts_retain(moved[i]);
            }
        }
    if (st != TS_OK)
        drop(room, outputs);
    if (c) {
        tsi_ctx_close(c);
        tsi_node_release(&c->node);
    }
    if (tangents)
        drop(n, tangents);
    if (moved)
        drop(room, moved);
    free(values);
    free(tangents);
    free(moved);
    release(s);
    return st;
}

/* --- vmap by the table's own rule --- */

static ts_status by_table(tsi_level *l, shared *s, int n, ts_tensor *const *inputs,
                          int *noutputs, ts_tensor **outputs)
{
    const int room = *noutputs;
    const ts_vmap_info info = {sizeof info, l->batch_size, l->randomness};
    int *dims = calloc((size_t)(n + room) + 1, sizeof *dims), *out_dims = dims + n;
    ts_tensor **values = NULL;
    tsi_down saved;
    ts_status st;

    TS_CHECK(dims, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a function");
    for (int i = 0; i < n; i++) {
        const tsi_wrap *w = tsi_wrap_at(l, inputs[i]);

        dims[i] = w ? w->batch_dim : TS_NO_BATCH;
    }
    for (int i = 0; i < room; i++)
        out_dims[i] = TS_NO_BATCH;
    st = values_of(l, n, inputs, &values);
    if (st == TS_OK) {
        tsi_level_down(l, &saved);
        st = s->fn.vmap(s->self, &info, n, values, dims, noutputs, outputs, out_dims);
        tsi_level_up(&saved);
    }
    for (int i = 0; st == TS_OK && i < *noutputs; i++) {
        ts_tensor *made = outputs[i];

        if (!made || out_dims[i] == TS_NO_BATCH)
            continue;
        outputs[i] = NULL;
        st = ts_vmap_enter(l, made, out_dims[i], &outputs[i]);
        ts_release(made);
    }
    free(values);
    free(dims);
    return st;
}

/* --- vmap through the parts --- */

/* n tensors at the batch's level: batched where dims says so. New references. */
static ts_status into_batch(tsi_level *l, int n, ts_tensor *const *t, const int *dims,
                            ts_tensor ***out)
{
    ts_status s = TS_OK;

    *out = calloc((size_t)n + 1, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a function");
    for (int i = 0; s == TS_OK && i < n; i++) {
        const int dim = dims ? dims[i] : 0;

        if (t[i])
            s = ts_vmap_enter(l, t[i], dim == TS_NO_BATCH ? TS_NO_DIM : dim, &(*out)[i]);
    }
    if (s != TS_OK) {
        drop(n, *out);
        free(*out);
        *out = NULL;
    }
    return s;
}

static ts_status out_of_batch(tsi_level *l, int n, ts_tensor **t)
{
    for (int i = 0; i < n; i++) {
        ts_tensor *whole = NULL;

        if (!t[i])
            continue;
        TS_TRY(ts_vmap_leave(l, t[i], 0, &whole));
        ts_release(t[i]);
        t[i] = whole;
    }
    return TS_OK;
}

static ts_status batched_forward(void *self, ts_function_ctx *ctx, int n,
                                 ts_tensor *const *inputs, int *noutputs,
                                 ts_tensor **outputs)
{
    shared *s = self;
    ts_tensor **in;
    ts_status st;

    ts_level_resume(s->batch);
    st = into_batch(s->batch, n, inputs, s->in_dims, &in);
    if (st == TS_OK) {
        st = s->fn.forward(s->self, ctx, n, in, noutputs, outputs);
        if (st == TS_OK)
            st = out_of_batch(s->batch, *noutputs, outputs);
        drop(n, in);
        free(in);
    }
    ts_level_suspend(s->batch);
    return st;
}

/* What was named inside of the batch, as it stands outside. */
static void outside(const tsi_level *l, const tsi_named *list)
{
    for (int i = 0; i < list->n; i++) {
        const tsi_wrap *w = tsi_wrap_at(l, list->v[i]);

        if (w) {
            ts_tensor *value = ts_retain(w->value);

            ts_release(list->v[i]);
            list->v[i] = value;
        }
    }
}

static ts_status batched_setup(void *self, ts_function_ctx *ctx, int n,
                               ts_tensor *const *inputs, int noutputs,
                               ts_tensor *const *outputs)
{
    shared *s = self;
    ts_tensor **in, **out;
    ts_status st;

    ts_level_resume(s->batch);
    ctx->batch = s->batch;
    st = into_batch(s->batch, n, inputs, s->in_dims, &in);
    if (st == TS_OK) {
        st = into_batch(s->batch, noutputs, outputs, NULL, &out);
        if (st == TS_OK) {
            st = s->fn.setup_context(s->self, ctx, n, in, noutputs, out);
            drop(noutputs, out);
            free(out);
        }
        drop(n, in);
        free(in);
    }
    ts_level_suspend(s->batch);
    outside(s->batch, &ctx->dirty);
    outside(s->batch, &ctx->without_grad);
    return st;
}

/* Batched gradients of what was not batched are summed over the batch. */
static ts_status fit(const shared *s, int n, ts_tensor **out)
{
    const int64_t front = 0;

    for (int i = 0; i < n; i++) {
        ts_tensor *made = NULL;

        if (!out[i])
            continue;
        if (s->in_dims[i] == TS_NO_BATCH) {
            ts_sum_opts o = ts_sum_defaults();

            o.dim = &front;
            o.ndim = 1;
            TS_TRY(ts_sum(out[i], &o, &made));
        } else if (s->in_dims[i] > 0) {
            int64_t order[TS_MAX_DIMS];

            for (int d = 0, at = 1; d < out[i]->ndim; d++)
                order[d] = d == s->in_dims[i] ? 0 : at++;
            TS_TRY(ts_permute(out[i], order, out[i]->ndim, &made));
        } else {
            continue;
        }
        ts_release(out[i]);
        out[i] = made;
    }
    return TS_OK;
}

static ts_status batched_backward(void *self, ts_function_ctx *ctx, int ngrads,
                                  ts_tensor *const *grads, int n, ts_tensor **out)
{
    shared *s = self;
    ts_tensor **in;
    ts_status st;

    ts_level_resume(s->batch);
    st = into_batch(s->batch, ngrads, grads, NULL, &in);
    if (st == TS_OK) {
        st = s->fn.backward(s->self, ctx, ngrads, in, n, out);
        if (st == TS_OK)
            st = out_of_batch(s->batch, n, out);
        drop(ngrads, in);
        free(in);
    }
    ts_level_suspend(s->batch);
    return st == TS_OK ? fit(s, n, out) : st;
}

static ts_status batched_jvp(void *self, ts_function_ctx *ctx, int n,
                             ts_tensor *const *tangents, int noutputs, ts_tensor **out)
{
    shared *s = self;
    ts_tensor **in;
    ts_status st;

    ts_level_resume(s->batch);
    st = into_batch(s->batch, n, tangents, s->in_dims, &in);
    if (st == TS_OK) {
        st = s->fn.jvp(s->self, ctx, n, in, noutputs, out);
        if (st == TS_OK)
            st = out_of_batch(s->batch, noutputs, out);
        drop(n, in);
        free(in);
    }
    ts_level_suspend(s->batch);
    return st;
}

static ts_status by_parts(tsi_level *l, shared *s, int n, ts_tensor *const *inputs,
                          int *noutputs, ts_tensor **outputs)
{
    ts_function f = table_of(s);
    ts_tensor **values = NULL;
    tsi_down saved;
    ts_status st;

    f.forward = batched_forward;
    f.setup_context = batched_setup;
    f.backward = f.backward ? batched_backward : NULL;
    f.jvp = f.jvp ? batched_jvp : NULL;
    s->in_dims = calloc((size_t)n + 1, sizeof *s->in_dims);
    TS_CHECK(s->in_dims, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a function");
    for (int i = 0; i < n; i++) {
        const tsi_wrap *w = tsi_wrap_at(l, inputs[i]);

        s->in_dims[i] = w ? w->batch_dim : TS_NO_BATCH;
    }
    TS_TRY(ts_vmap_begin(l->batch_size, l->randomness, &s->batch));
    ts_level_suspend(s->batch);
    TS_TRY(values_of(l, n, inputs, &values));
    s->refs++;
    tsi_level_down(l, &saved);
    st = ts_function_apply(&f, s, n, values, noutputs, outputs);
    tsi_level_up(&saved);
    free(values);
    for (int i = 0; st == TS_OK && i < *noutputs; i++) {
        ts_tensor *made = outputs[i];

        if (!made)
            continue;
        outputs[i] = NULL;
        st = ts_vmap_enter(l, made, 0, &outputs[i]);
        ts_release(made);
    }
    return st;
}

ts_status tsi_vmap_function(tsi_level *l, const ts_function *fn, void *self, int n,
                            ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs)
{
    const int room = *noutputs;
    shared *s;
    ts_status st;

    TS_TRY(share(fn, self, l, &s));
    st = check_style(&s->fn);
    if (st == TS_OK && s->fn.vmap && s->fn.generate_vmap_rule)
        st = ts_fail(TS_ERR_RUNTIME, "func/C23",
                     "%s: generate_vmap_rule and a vmap of its own exclude each other",
                     s->fn.name ? s->fn.name : "Function");
    else if (st == TS_OK && !s->fn.vmap && !s->fn.generate_vmap_rule)
        st = ts_fail(TS_ERR_RUNTIME, "func/C23",
                     "%s: the custom function has no vmap, nor generate_vmap_rule",
                     s->fn.name ? s->fn.name : "Function");
    if (st == TS_OK)
        st = (s->fn.vmap ? by_table : by_parts)(l, s, n, inputs, noutputs, outputs);
    if (st != TS_OK)
        drop(room, outputs);
    release(s);
    return st;
}

/* --- the way in --- */

/* A trace sees the calls of forward: it stays on, and autograd records the function. */
static ts_status traced(tsi_level *l, const ts_function *fn, void *self, int n,
                        ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs)
{
    const tsi_level *below = l->previous;
    shared *s;

    while (below && below->kind == TSI_LEVEL_TRACE)
        below = below->previous;
    if (!below)
        return tsi_function_record(fn, self, n, inputs, noutputs, outputs);
    TS_TRY(share(fn, self, l, &s));
    release(s);
    return ts_fail(TS_ERR_NOT_IMPLEMENTED, "func/C30",
                   "a trace inside of another transform can't follow a custom function");
}

static ts_status apply(const ts_function *fn, void *self, int n, ts_tensor *const *inputs,
                       int *noutputs, ts_tensor **outputs)
{
    tsi_level *l = tsi_self()->level;
    tsi_down saved;
    ts_status s;

    for (int i = 0; i < n; i++)
        if (tsi_wrap_at(l, inputs[i]))
            return l->table->apply(l, fn, self, n, inputs, noutputs, outputs);
    if (l->kind == TSI_LEVEL_TRACE)
        return traced(l, fn, self, n, inputs, noutputs, outputs);
    tsi_level_down(l, &saved);
    s = ts_function_apply(fn, self, n, inputs, noutputs, outputs);
    tsi_level_up(&saved);
    return s;
}

TSI_BEFORE_MAIN(enter)
{
    tsi_rooms.level_apply = apply;
}
