/* SPDX-License-Identifier: Apache-2.0 */
/* What a custom function keeps between forward and backward. */
#include "grad/function.h"

#include <stdlib.h>

ts_status tsi_ctx_new(const ts_function *fn, void *self, int ninputs,
                      ts_tensor *const *inputs, ts_function_ctx **out)
{
    static const char suffix[] = "Backward";
    ts_function given = {0};
    ts_function_ctx *c;
    tsi_node *node;

    memcpy(&given, fn, fn->size < sizeof given ? fn->size : sizeof given);

    const char *name = given.name ? given.name : "Function";
    const size_t length = strlen(name);
    const ts_status st = tsi_node_new(
        &tsi_function_kind, sizeof *c + 2 * (size_t)ninputs + length + sizeof suffix,
        ninputs, &node);

    if (st != TS_OK) {
        if (given.destroy)
            given.destroy(self);
        return st;
    }
    c = (ts_function_ctx *)node;
    c->fn = given;
    c->self = self;
    c->open = true;
    c->is_tensor = (bool *)(c + 1);
    c->needs_grad = c->is_tensor + ninputs;
    c->name = memcpy(c->needs_grad + ninputs, name, length);
    memcpy(c->needs_grad + ninputs + length, suffix, sizeof suffix);
    c->fn.name = c->name; /* the caller's may go */
    for (int i = 0; i < ninputs; i++) {
        c->is_tensor[i] = inputs[i] != NULL;
        c->needs_grad[i] = inputs[i] && tsi_wants_grad(inputs[i]);
        c->recorded |= c->needs_grad[i] && ts_grad_enabled();
    }
    *out = c;
    return TS_OK;
}

/* --- what forward names
 * ------------------------------------------------------------------------- */

static void forget(tsi_named *list)
{
    const tsi_named old = *list;

    *list = (tsi_named){NULL, 0};
    for (int i = 0; i < old.n; i++)
        ts_release(old.v[i]);
    free(old.v);
}

static ts_status name(ts_function_ctx *c, tsi_named *list, int n, ts_tensor *const *t)
{
    tsi_named fresh = {NULL, n};

    if (!c->open)
        return TS_OK;
    fresh.v = calloc((size_t)n + 1, sizeof *fresh.v);
    TS_CHECK(fresh.v, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "%s: no memory", c->name);
    for (int i = 0; i < n; i++)
        fresh.v[i] = ts_retain(t[i]);
    forget(list);
    *list = fresh;
    return TS_OK;
}

bool tsi_is_named(const tsi_named *in, const ts_tensor *t)
{
    for (int i = 0; i < in->n; i++)
        if (in->v[i] == t)
            return true;
    return false;
}

ts_status ts_ctx_save_for_backward(ts_function_ctx *c, int n, ts_tensor *const *tensors)
{
    return name(c, &c->to_save, n, tensors);
}

ts_status ts_ctx_save_for_forward(ts_function_ctx *c, int n, ts_tensor *const *tensors)
{
    return name(c, &c->to_forward, n, tensors);
}

ts_status ts_ctx_mark_dirty(ts_function_ctx *c, int n, ts_tensor *const *inputs)
{
    return name(c, &c->dirty, n, inputs);
}

ts_status ts_ctx_mark_non_differentiable(ts_function_ctx *c, int n,
                                         ts_tensor *const *outputs)
{
    return name(c, &c->without_grad, n, outputs);
}

void ts_ctx_set_materialize_grads(ts_function_ctx *c, bool on)
{
    if (c->open)
        c->plain_none = !on;
}

bool ts_ctx_is_recorded(const ts_function_ctx *c)
{
    return c->recorded;
}

bool ts_ctx_needs_input_grad(const ts_function_ctx *c, int i)
{
    return i >= 0 && i < c->node.nedges && c->needs_grad[i];
}

void tsi_ctx_close(ts_function_ctx *c)
{
    c->open = false;
    forget(&c->to_save);
    forget(&c->to_forward);
    forget(&c->dirty);
    forget(&c->without_grad);
}

/* --- saved tensors
 * ------------------------------------------------------------------------------ */

bool tsi_ctx_carries(const ts_function_ctx *c, const ts_tensor *t)
{
    return c->recorded && ts_dtype_is_floating(t->dtype) &&
           !tsi_is_named(&c->without_grad, t);
}

/*
 * An output is saved without the node, which is this one: no cycle. That holds for a view
 * written in place too, whose own grad_fn leads over its base back to here.
 */
ts_status tsi_ctx_save(ts_function_ctx *c, int noutputs, ts_tensor *const *outputs)
{
    c->saved = calloc((size_t)c->to_save.n + 1, sizeof *c->saved);
    c->batch_dims = calloc((size_t)c->to_save.n + 1, sizeof *c->batch_dims);
    TS_CHECK(c->saved && c->batch_dims, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "%s: no memory", c->name);
    for (int k = 0; k < c->to_save.n; k++) {
        ts_tensor *t = c->to_save.v[k];
        int nr = -1;

        c->batch_dims[k] = -1;
        if (c->batch && t && tsi_of(t)->wrapped &&
            tsi_of(t)->wrap->level == c->batch->id) {
            c->batch_dims[k] = tsi_of(t)->wrap->batch_dim;
            t = tsi_of(t)->wrap->value;
        }

        c->nsaved = k + 1;
        if (!t)
            continue;
        for (int i = 0; i < noutputs; i++) /* the last of several places is its own */
            if (outputs[i] == t && tsi_ctx_carries(c, t))
                nr = i;
        TS_TRY(tsi_save(&c->saved[k], t, nr >= 0, nr >= 0 ? nr : 0));
    }
    return TS_OK;
}

static ts_status take_out(ts_function_ctx *c, int k, ts_tensor **out)
{
    const tsi_saved *s = &c->saved[k];

    *out = NULL;
    if (c->open)
        *out = ts_retain(c->to_forward.v[k]);
    else if (s->tensor || s->grad_fn)
        TS_TRY(tsi_unpack(s, &c->node, true, out));
    if (!c->open && *out && c->batch_dims[k] >= 0) {
        ts_tensor *whole = *out;
        const ts_status st = tsi_wrap_new(c->batch, whole, c->batch_dims[k], out);

        ts_release(whole);
        return st;
    }
    return TS_OK;
}

ts_status ts_ctx_saved_tensors(ts_function_ctx *c, int room, ts_tensor **out, int *n)
{
    const int count = c->open ? c->to_forward.n : c->nsaved;

    if (c->freed)
        return tsi_refuse_second(c->name);
    TS_CHECK(count <= room, TS_ERR_VALUE, NULL, "%s: %d saved tensors, room for %d",
             c->name, count, room);
    for (int k = 0; k < count; k++) {
        const ts_status st = take_out(c, k, &out[k]);

        if (st != TS_OK) {
            while (k > 0)
                ts_release(out[--k]);
            return st;
        }
    }
    if (n)
        *n = count;
    return TS_OK;
}
