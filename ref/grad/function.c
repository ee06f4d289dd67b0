/* SPDX-License-Identifier: Apache-2.0 */
/* Custom functions: a node whose derivative is the caller's. */
#include "grad/graph.h"

typedef struct function {
    tsi_node node;
    ts_function_backward_fn backward;
    void *self;
    void (*destroy)(void *self);
    char name[];
} function;

static ts_status function_apply(tsi_node *n, ts_tensor *const *grads, const bool *wanted,
                                ts_tensor **out)
{
    const function *fn = (const function *)n;

    (void)wanted;
    return fn->backward(fn->self, n->ninputs, grads, n->nedges, out);
}

/* What backward needs is in self, which knows itself what it may free. */
static void function_free_saved(tsi_node *n)
{
    (void)n;
}

static void function_destroy(tsi_node *n)
{
    const function *fn = (const function *)n;

    if (fn->destroy)
        fn->destroy(fn->self);
}

static const char *function_name(const tsi_node *n)
{
    return ((const function *)n)->name;
}

static const tsi_node_kind function_kind = {function_apply, function_free_saved,
                                            function_destroy, function_name};

/* An output that is an input itself comes back as a new view of it. */
static ts_status part_from_inputs(int ninputs, ts_tensor *const *inputs,
                                  ts_tensor **output)
{
    for (int i = 0; i < ninputs; i++) {
        ts_tensor *t = inputs[i], *view;

        if (t != *output)
            continue;
        TS_TRY(
            tsi_view_new(t, t->dtype, t->ndim, t->sizes, t->strides, t->offset, &view));
        ts_release(*output);
        *output = view;
        return TS_OK;
    }
    return TS_OK;
}

static ts_status attach(tsi_node *n, int ninputs, ts_tensor *const *inputs, int noutputs,
                        ts_tensor **outputs)
{
    for (int i = 0; i < ninputs; i++)
        if (inputs[i])
            TS_TRY(tsi_gradient_edge(inputs[i], &n->edges[i]));
    TS_TRY(tsi_node_set_inputs(n, noutputs, outputs));
    for (int i = 0; i < noutputs; i++) {
        if (!ts_dtype_is_floating(outputs[i]->dtype))
            continue;
        TS_TRY(tsi_set_history(outputs[i], n, i));
        if (tsi_of(outputs[i])->base) {
            tsi_of(outputs[i])->view_origin = TSI_VIEW_FUNCTION;
            tsi_of(outputs[i])->view_version = *tsi_of(outputs[i])->version;
        }
    }
    return TS_OK;
}

ts_status ts_function_attach(const char *name, int ninputs, ts_tensor *const *inputs,
                             int noutputs, ts_tensor **outputs,
                             ts_function_backward_fn backward, void *self,
                             void (*destroy)(void *self))
{
    bool wants = false;
    tsi_node *n;

    for (int i = 0; i < noutputs; i++)
        TS_TRY(part_from_inputs(ninputs, inputs, &outputs[i]));
    for (int i = 0; ts_grad_enabled() && i < ninputs; i++)
        wants |= inputs[i] && tsi_wants_grad(inputs[i]);
    if (!wants) {
        if (destroy)
            destroy(self);
        return TS_OK;
    }
    TS_TRY(
        tsi_node_new(&function_kind, sizeof(function) + strlen(name) + 1, ninputs, &n));

    function *fn = (function *)n;

    strcpy(fn->name, name);
    fn->backward = backward;
    fn->self = self;

    const ts_status st = attach(n, ninputs, inputs, noutputs, outputs);

    if (st ==
        TS_OK) /* from here on self is the node's; after an error still the caller's */
        fn->destroy = destroy;
    tsi_node_release(n);
    return st;
}
