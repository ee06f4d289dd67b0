/* SPDX-License-Identifier: Apache-2.0 */
/* Custom functions: applying one, and the node that runs its backward. */
#include "grad/function.h"

#include <stdlib.h>

#include "core/rooms.h"
#include "core/thread.h"

/* --- the node
 * ----------------------------------------------------------------------------------- */

static ts_status zeros(const tsi_kept_meta *m, ts_tensor **out)
{
    TS_TRY(ts_tensor_new(m->device, m->dtype, m->ndim, m->sizes, out));

    const ts_status st = tsi_call_fill_(*out, 0);

    if (st != TS_OK) {
        ts_release(*out);
        *out = NULL;
    }
    return st;
}

/* One new reference per output, NULL for what is no tensor. */
static ts_status materialise(const ts_function_ctx *c, ts_tensor *const *grads,
                             ts_tensor **all)
{
    const tsi_node *n = &c->node;

    for (int i = 0; i < n->ninputs; i++) {
        all[i] = ts_retain(grads[i]);
        if (!all[i] && n->inputs[i].sizes && !c->plain_none)
            TS_TRY(zeros(&n->inputs[i], &all[i]));
    }
    return TS_OK;
}

static ts_status twice(tsi_node *n, ts_tensor *const *grads, const bool *wanted,
                       ts_tensor **out)
{
    (void)n, (void)grads, (void)wanted, (void)out;
    return ts_fail(TS_ERR_RUNTIME, "custom_function/C8",
                   "a custom function that can be differentiated once only is "
                   "differentiated a second time");
}

static void nothing(tsi_node *n)
{
    (void)n;
}

static const char *twice_name(const tsi_node *n)
{
    (void)n;
    return "Error";
}

static const tsi_node_kind twice_kind = {twice, nothing, nothing, twice_name};

/* Gradients made without history of gradients that have one: results of a node that
 * refuses to run. */
static ts_status refuse_to_go_on(int n, ts_tensor **out)
{
    ts_status st = TS_OK;
    tsi_node *node;

    TS_TRY(tsi_node_new(&twice_kind, sizeof *node, 0, &node));
    st = tsi_node_set_inputs(node, n, out);
    for (int i = 0; st == TS_OK && i < n; i++) {
        ts_tensor *alias;

        if (!out[i])
            continue;
        st = tsi_alias_new(out[i], &alias);
        if (st != TS_OK)
            break;
        ts_release(out[i]);
        out[i] = alias;
        st = tsi_set_history(alias, node, i);
    }
    tsi_node_release(node);
    return st;
}

static bool any_wants_grad(int n, ts_tensor *const *t)
{
    for (int i = 0; i < n; i++)
        if (t[i] && tsi_wants_grad(t[i]))
            return true;
    return false;
}

static ts_status run_backward(ts_function_ctx *c, ts_tensor *const *grads,
                              ts_tensor **out)
{
    const bool mode = ts_grad_enabled(), once = c->fn.once_differentiable;
    const int n = c->node.ninputs;
    ts_status st;

    ts_set_grad_enabled(mode && !once);
    st = c->fn.backward(c->self, c, n, grads, c->node.nedges, out);
    ts_set_grad_enabled(mode);
    TS_TRY(st);
    for (int i = 0; i < c->node.nedges; i++)
        TS_CHECK(c->is_tensor[i] || !out[i], TS_ERR_RUNTIME, "custom_function/C1",
                 "%s: backward gives a gradient for input %d, which is no tensor",
                 c->name, i);
    return once && mode && any_wants_grad(n, grads) ? refuse_to_go_on(c->node.nedges, out)
                                                    : TS_OK;
}

static ts_status function_apply(tsi_node *n, ts_tensor *const *grads, const bool *wanted,
                                ts_tensor **out)
{
    ts_function_ctx *c = (ts_function_ctx *)n;
    ts_tensor **all;
    ts_status st;

    (void)wanted; /* what nobody asks for is let go by the engine */
    TS_CHECK(c->fn.backward, TS_ERR_NOT_IMPLEMENTED, "autograd/C26",
             "%s: the custom function has no backward", c->name);
    all = calloc((size_t)n->ninputs + 1, sizeof(ts_tensor *));
    TS_CHECK(all, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "%s: no memory", c->name);
    st = materialise(c, grads, all);
    if (st == TS_OK)
        st = run_backward(c, all, out);
    for (int i = 0; i < n->ninputs; i++)
        ts_release(all[i]);
    free(all);
    return st;
}

static void function_free_saved(tsi_node *n)
{
    ts_function_ctx *c = (ts_function_ctx *)n;

    for (int k = 0; k < c->nsaved; k++)
        tsi_saved_free(&c->saved[k]);
    c->freed = true;
}

static void function_destroy(tsi_node *n)
{
    ts_function_ctx *c = (ts_function_ctx *)n;

    tsi_ctx_close(c);
    free(c->saved);
    free(c->batch_dims);
    if (c->fn.destroy)
        c->fn.destroy(c->self);
}

static const char *function_name(const tsi_node *n)
{
    return ((const ts_function_ctx *)n)->name;
}

const tsi_node_kind tsi_function_kind = {function_apply, function_free_saved,
                                         function_destroy, function_name};

/* --- outputs
 * ------------------------------------------------------------------------------------ */

/* An application, once its forward has run. */
typedef struct applied {
    ts_function_ctx *c;
    int ninputs, noutputs;
    ts_tensor *const *inputs;
    ts_tensor **outputs;
} applied;

static int place(int n, ts_tensor *const *v, const ts_tensor *t)
{
    for (int i = 0; i < n; i++)
        if (v[i] == t)
            return i;
    return -1;
}

static void replace(ts_tensor **t, ts_tensor *by)
{
    ts_release(*t);
    *t = by;
}

/* An input that comes back unchanged does so as a new view of it. */
static ts_status become_view(const ts_function_ctx *c, ts_tensor **output)
{
    ts_tensor *t = *output, *view;

    TS_CHECK(!c->fn.setup_context ||
                 !(tsi_is_named(&c->to_save, t) || tsi_is_named(&c->to_forward, t)),
             TS_ERR_RUNTIME, "custom_function/C6",
             "%s: an input that is returned as it is can't be saved by setup_context; "
             "return and save a view of it",
             c->name);
    if (tsi_of(t)->wrapped) {
        TS_TRY(tsi_alias_new(t, &view));
        tsi_wrap_view_of(view, t);
    } else {
        TS_TRY(
            tsi_view_new(t, t->dtype, t->ndim, t->sizes, t->strides, t->offset, &view));
    }
    replace(output, view);
    return TS_OK;
}

static ts_status become_alias(ts_tensor **output)
{
    ts_tensor *alias;

    TS_TRY(tsi_alias_new(*output, &alias));
    replace(output, alias);
    return TS_OK;
}

/* Input `input`, marked as written, is result i of the node now, as after an in-place op. */
static ts_status rebase(const applied *a, int input, int i)
{
    ts_tensor *t = a->outputs[i];

    TS_CHECK(!tsi_of(t)->base || a->noutputs == 1, TS_ERR_RUNTIME, "custom_function/C5",
             "%s: a function that writes a view in place can't have %d results",
             a->c->name, a->noutputs);
    TS_TRY(tsi_check_inplace(t, a->c->name));
    if (tsi_of(t)->autograd)
        replace(&tsi_of(t)->autograd->grad, NULL);
    return tsi_rebase_history(t, &a->c->node, input, i);
}

static ts_status without_gradient(const applied *a, int input, bool dirty,
                                  ts_tensor **output)
{
    if (!tsi_wants_grad(*output))
        return input >= 0 && !dirty ? become_view(a->c, output) : TS_OK;
    if (input >= 0)
        return become_alias(output);
    if (!tsi_of(*output)->base)
        tsi_forget_history(*output);
    return TS_OK;
}

static ts_status settle(const applied *a, int i)
{
    ts_tensor **output = &a->outputs[i];
    const int input = place(a->ninputs, a->inputs, *output);
    const bool dirty = input >= 0 && tsi_is_named(&a->c->dirty, *output);

    if (!tsi_ctx_carries(a->c, *output)) {
        TS_TRY(without_gradient(a, input, dirty, output));
    } else if (dirty) {
        TS_TRY(rebase(a, input, i));
    } else {
        if (input >= 0)
            TS_TRY(become_view(a->c, output));
        TS_TRY(tsi_set_history(*output, &a->c->node, i));
    }
    if (tsi_of(*output)->base && !dirty) {
        tsi_of(*output)->view_origin = TSI_VIEW_FUNCTION;
        tsi_of(*output)->view_version = *tsi_of(*output)->version;
    }
    return TS_OK;
}

static ts_status settle_all(const applied *a)
{
    const tsi_named *dirty = &a->c->dirty;

    for (int k = 0; k < dirty->n; k++)
        if (dirty->v[k])
            tsi_bump_version(dirty->v[k]);
    for (int k = 0; k < dirty->n; k++)
        TS_CHECK(!dirty->v[k] || place(a->noutputs, a->outputs, dirty->v[k]) >= 0,
                 TS_ERR_RUNTIME, "custom_function/C4",
                 "%s: what is marked as written in place must be returned", a->c->name);
    TS_TRY(tsi_node_set_inputs(&a->c->node, a->noutputs, a->outputs));
    for (int i = 0; i < a->noutputs; i++)
        if (a->outputs[i])
            TS_TRY(settle(a, i));
    return a->c->recorded ? tsi_ctx_save(a->c, a->noutputs, a->outputs) : TS_OK;
}

/* --- applying
 * ----------------------------------------------------------------------------------- */

static ts_status run_forward(applied *a)
{
    ts_function_ctx *c = a->c;
    const ts_function *fn = &c->fn;
    const int room = a->noutputs;

    TS_TRY(fn->forward(c->self, fn->setup_context ? NULL : c, a->ninputs, a->inputs,
                       &a->noutputs, a->outputs));
    TS_CHECK(a->noutputs >= 0 && a->noutputs <= room, TS_ERR_VALUE, NULL,
             "%s: forward gives %d results, room for %d", c->name, a->noutputs, room);
    return fn->setup_context ? fn->setup_context(c->self, c, a->ninputs, a->inputs,
                                                 a->noutputs, a->outputs)
                             : TS_OK;
}

static ts_status run(applied *a)
{
    ts_function_ctx *c = a->c;
    ts_status st;

    TS_CHECK(c->fn.forward, TS_ERR_NOT_IMPLEMENTED, NULL, "%s has no forward", c->name);
    for (int i = 0; c->recorded && i < a->ninputs; i++)
        if (a->inputs[i])
            TS_TRY(tsi_gradient_edge(a->inputs[i], &c->node.edges[i]));

    const bool mode = ts_set_grad_enabled(false);

    st = run_forward(a);
    ts_set_grad_enabled(mode);
    return st == TS_OK ? settle_all(a) : st;
}

ts_status ts_function_apply(const ts_function *function, void *self, int ninputs,
                            ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs)
{
    if (!tsi_self()->level)
        return tsi_function_record(function, self, ninputs, inputs, noutputs, outputs);
    for (int i = 0; i < *noutputs; i++)
        outputs[i] = NULL;
    return tsi_rooms.level_apply(function, self, ninputs, inputs, noutputs, outputs);
}

ts_status tsi_function_record(const ts_function *function, void *self, int ninputs,
                              ts_tensor *const *inputs, int *noutputs,
                              ts_tensor **outputs)
{
    const int room = *noutputs;
    applied a = {.ninputs = ninputs, .noutputs = room, .inputs = inputs};
    ts_status st;

    for (int i = 0; i < room; i++)
        outputs[i] = NULL;
    a.outputs = outputs;
    TS_TRY(tsi_ctx_new(function, self, ninputs, inputs, &a.c));
    st = run(&a);
    tsi_ctx_close(a.c);
    for (int i = 0; st != TS_OK && i < room; i++)
        replace(&outputs[i], NULL);
    if (st == TS_OK)
        *noutputs = a.noutputs;
    tsi_node_release(&a.c->node);
    return st;
}
