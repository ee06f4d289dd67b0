/* SPDX-License-Identifier: Apache-2.0 */
/* What a tensor is to autograd: leaf or result, its .grad, its .data, and this thread's
 * mode. */
#include "grad/graph.h"

#include <stdlib.h>

#include "core/rooms.h"
#include "core/thread.h"

ts_status tsi_autograd_of(ts_tensor *t, tsi_autograd **out)
{
    if (!tsi_of(t)->autograd)
        tsi_of(t)->autograd = calloc(1, sizeof *tsi_of(t)->autograd);
    TS_CHECK(tsi_of(t)->autograd, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "no memory for a tensor's gradient");
    *out = tsi_of(t)->autograd;
    return TS_OK;
}

static void leave_node(ts_tensor *t)
{
    tsi_autograd *a = tsi_of(t)->autograd;

    if (a->grad_fn && a->retains_grad)
        a->grad_fn->retain[a->nr] = NULL;
}

static void leave_accumulator(tsi_autograd *a);

static void autograd_release(ts_tensor *t)
{
    tsi_autograd *a = tsi_of(t)->autograd;

    leave_node(t);
    leave_accumulator(a);
    tsi_of(t)->autograd = NULL;
    tsi_hooks_free(&a->hooks);
    ts_release(a->grad);
    tsi_node_release(a->grad_fn);
    free(a);
}

bool tsi_wants_grad(const ts_tensor *t)
{
    for (; t; t = tsi_of(t)->base)
        if (tsi_of(t)->autograd &&
            (tsi_of(t)->autograd->requires_grad || tsi_of(t)->autograd->grad_fn))
            return true;
    return false;
}

/* A tensor that retains its gradient does so for its latest version alone. */
ts_status tsi_set_history(ts_tensor *t, tsi_node *n, int nr)
{
    tsi_autograd *a = NULL;
    tsi_node *old;

    TS_TRY(tsi_autograd_of(t, &a));
    leave_node(t);
    old = a->grad_fn;
    a->grad_fn = tsi_node_retain(n);
    a->nr = nr;
    if (a->retains_grad)
        n->retain[nr] = t;
    tsi_node_release(old);
    return TS_OK;
}

void tsi_forget_history(ts_tensor *t)
{
    tsi_autograd *a = tsi_of(t)->autograd;
    tsi_node *old;

    if (!a)
        return;
    leave_node(t);
    old = a->grad_fn;
    a->grad_fn = NULL;
    a->requires_grad = a->retains_grad = false;
    tsi_node_release(old);
}

/* --- the node that ends at a leaf
 * ------------------------------------------------------------- */

/*
 * It holds its variable, but not one that is a view: that holds its base, and the base, once
 * written to, the graph that this node is part of.
 */
typedef struct accumulator {
    tsi_node node;
    ts_tensor *variable; /* NULL: a view that is gone */
    bool holds;
} accumulator;

/*
 * The first gradient becomes .grad itself where nobody else can see it and it has the
 * variable's strides; otherwise a copy with those strides does (PyTorch's gradient layout
 * contract).
 */
static bool may_take(const ts_tensor *grad, const ts_tensor *variable)
{
    if (ts_grad_enabled() || tsi_of(grad)->refs > 1 || tsi_of(grad)->autograd ||
        tsi_of(grad)->storage->parent || /* a view's storage is its base's as well */
        atomic_load(&tsi_of(grad)->storage->refs) > 1)
        return false;
    if (!ts_is_non_overlapping_and_dense(variable))
        return ts_is_contiguous(grad);
    for (int d = 0; d < grad->ndim; d++)
        if (grad->sizes[d] != 1 && grad->strides[d] != variable->strides[d])
            return false;
    return true;
}

static ts_status copy_for(ts_tensor *grad, const ts_tensor *variable, ts_tensor **out)
{
    if (!ts_is_non_overlapping_and_dense(variable))
        return tsi_call_clone(grad, TS_CONTIGUOUS_FORMAT, out);
    TS_TRY(ts_tensor_new_strided(grad->device, grad->dtype, variable->ndim,
                                 variable->sizes, variable->strides, out));

    const ts_status st = tsi_call_copy_(*out, grad);

    if (st != TS_OK) {
        ts_release(*out);
        *out = NULL;
    }
    return st;
}

static ts_status accumulate(tsi_node *n, ts_tensor *const *grads, const bool *wanted,
                            ts_tensor **out)
{
    ts_tensor *variable = ((accumulator *)n)->variable, *grad = grads[0], *sum;
    tsi_autograd *a;

    (void)wanted;
    (void)out;
    if (!grad || !variable)
        return TS_OK;
    a = tsi_of(variable)->autograd;
    if (a->grad && !ts_grad_enabled()) {
        TS_TRY(tsi_call_add(a->grad, grad, true, &sum));
    } else if (a->grad) {
        TS_TRY(tsi_call_add(a->grad, grad, false, &sum));
    } else if (may_take(grad, variable)) {
        sum = ts_retain(grad);
    } else {
        TS_TRY(copy_for(grad, variable, &sum));
    }
    ts_release(a->grad);
    a->grad = sum;
    return TS_OK;
}

static void nothing_saved(tsi_node *n)
{
    (void)n;
}

static void accumulator_destroy(tsi_node *n)
{
    ts_tensor *variable = ((accumulator *)n)->variable;

    if (variable && tsi_of(variable)->autograd->accumulator == n)
        tsi_of(variable)->autograd->accumulator = NULL;
    if (((accumulator *)n)->holds)
        ts_release(variable);
}

static const char *accumulator_name(const tsi_node *n)
{
    (void)n;
    return "AccumulateGrad";
}

static const tsi_node_kind accumulator_kind = {accumulate, nothing_saved,
                                               accumulator_destroy, accumulator_name};

ts_tensor *tsi_accumulator_variable(const tsi_node *n)
{
    return n->kind == &accumulator_kind ? ((const accumulator *)n)->variable : NULL;
}

bool tsi_accumulator_holds(const tsi_node *n)
{
    return n->kind == &accumulator_kind && ((const accumulator *)n)->holds;
}

/* A variable that is not held goes: its hooks stay where its gradient still comes to. */
static void leave_accumulator(tsi_autograd *a)
{
    if (!a->accumulator)
        return;
    ((accumulator *)a->accumulator)->variable = NULL;
    a->accumulator->hooks = a->hooks;
    a->hooks = (tsi_hook_list){NULL, 0};
}

static ts_status accumulator_of(ts_tensor *t, tsi_node **out)
{
    tsi_autograd *a = tsi_of(t)->autograd;
    tsi_node *n;

    if (a->accumulator) {
        *out = tsi_node_retain(a->accumulator);
        return TS_OK;
    }
    TS_TRY(tsi_node_new(&accumulator_kind, sizeof(accumulator), 0, &n));
    ((accumulator *)n)->variable = t;
    ((accumulator *)n)->holds = !tsi_of(t)->base;
    if (((accumulator *)n)->holds)
        ts_retain(t);
    a->accumulator = n;
    n->sequence = UINT64_MAX; /* gradients reach leaves as soon as they are complete */

    const ts_status st = tsi_node_set_inputs(n, 1, &t);

    if (st != TS_OK) {
        tsi_node_release(n);
        return st;
    }
    *out = n;
    return TS_OK;
}

ts_status tsi_gradient_edge(ts_tensor *t, tsi_edge *keep)
{
    tsi_node *n;

    *keep = (tsi_edge){NULL, 0};
    TS_TRY(tsi_grad_fn(t, &n));
    if (n)
        *keep = (tsi_edge){tsi_node_retain(n), tsi_of(t)->autograd->nr};
    else if (tsi_of(t)->autograd && tsi_of(t)->autograd->requires_grad)
        TS_TRY(accumulator_of(t, &keep->node));
    return TS_OK;
}

/* --- what callers see
 * ------------------------------------------------------------------------- */

bool ts_requires_grad(const ts_tensor *t)
{
    return tsi_wants_grad(t);
}

bool ts_is_leaf(const ts_tensor *t)
{
    tsi_node *n;

    /* A view that may not follow its base counts as what it was. */
    if (tsi_grad_fn((ts_tensor *)t, &n) != TS_OK)
        return !tsi_of(t)->autograd || !tsi_of(t)->autograd->grad_fn;
    return !n;
}

ts_status ts_set_requires_grad(ts_tensor *t, bool on)
{
    TS_CHECK(!tsi_self()->level, TS_ERR_RUNTIME, "func/C19",
             "requires_grad: not inside of a function that is transformed; let the "
             "transform differentiate");
    return tsi_require_grad(t, on);
}

ts_status tsi_require_grad(ts_tensor *t, bool on)
{
    tsi_autograd *a = NULL;
    tsi_node *n;

    TS_TRY(tsi_grad_fn(t, &n));
    TS_CHECK(
        on || !n, TS_ERR_RUNTIME, "autograd/C11",
        "requires_grad: only a leaf can stop requiring grad, this tensor is output %d of "
        "%s; detach() it instead",
        tsi_of(t)->autograd->nr, n->kind->name(n));
    TS_CHECK(!on || ts_dtype_is_floating(t->dtype), TS_ERR_RUNTIME, "autograd/C10",
             "requires_grad: only floating point tensors can require grad, not %s",
             ts_dtype_name(t->dtype));
    if (n || (!on && !tsi_of(t)->autograd))
        return TS_OK;
    TS_TRY(tsi_autograd_of(t, &a));
    a->requires_grad = on;
    return TS_OK;
}

ts_tensor *ts_grad_get(const ts_tensor *t)
{
    return tsi_of(t)->autograd ? tsi_of(t)->autograd->grad : NULL;
}

ts_status ts_grad_set(ts_tensor *t, ts_tensor *grad)
{
    char have[128], want[128];
    tsi_autograd *a = NULL;

    if (!grad && !tsi_of(t)->autograd)
        return TS_OK;
    TS_CHECK(grad != t, TS_ERR_RUNTIME, "autograd/C13",
             "grad: a tensor can't be its own grad");
    TS_CHECK(!grad || grad->dtype == t->dtype, TS_ERR_RUNTIME, "autograd/C13",
             "grad: a %s gradient for a %s tensor", ts_dtype_name(grad->dtype),
             ts_dtype_name(t->dtype));
    TS_CHECK(!grad || (grad->device.type == t->device.type &&
                       grad->device.index == t->device.index),
             TS_ERR_RUNTIME, "autograd/C13", "grad: the gradient is on another device");
    TS_CHECK(!grad || tsi_same_sizes(grad, t), TS_ERR_RUNTIME, "autograd/C13",
             "grad: a gradient of shape %s for a tensor of shape %s",
             tsi_sizes_text(have, sizeof have, grad->ndim, grad->sizes),
             tsi_sizes_text(want, sizeof want, t->ndim, t->sizes));
    TS_TRY(tsi_autograd_of(t, &a));
    ts_retain(grad);
    ts_release(a->grad);
    a->grad = grad;
    return TS_OK;
}

const char *ts_grad_fn_name(const ts_tensor *t)
{
    tsi_node *n;

    if (tsi_grad_fn((ts_tensor *)t, &n) != TS_OK || !n)
        return NULL;
    return n->kind->name(n);
}

/* The same elements over a storage of its own standing: no history, a version from 0
 * (A-07). */
ts_status ts_data_get(ts_tensor *t, ts_tensor **out)
{
    ts_storage *s;

    TS_TRY(tsi_storage_alias(tsi_of(t)->storage, &s));

    const ts_status st =
        ts_tensor_over(s, t->dtype, t->ndim, t->sizes, t->strides, t->offset, out);

    ts_storage_release(s);
    return st;
}

/* The accumulator that there is knows the old shape and dtype: t gets a new one. */
static void part_from_accumulator(ts_tensor *t)
{
    accumulator *old = (accumulator *)tsi_of(t)->autograd->accumulator;

    if (old && !old->holds) { /* t would not tell it any more that it goes */
        old->holds = true;
        ts_retain(t);
    }
    tsi_of(t)->autograd->accumulator = NULL;
}

ts_status ts_data_set(ts_tensor *t, ts_tensor *value)
{
    TS_CHECK(value->device.type == t->device.type &&
                 value->device.index == t->device.index,
             TS_ERR_RUNTIME, "autograd/C20", "data: the new data is on another device");
    TS_CHECK(!tsi_wants_grad(t) || ts_dtype_is_floating(value->dtype), TS_ERR_RUNTIME,
             "autograd/C20", "data: a tensor that requires grad can't take %s data",
             ts_dtype_name(value->dtype));
    if (tsi_of(t)->autograd)
        part_from_accumulator(t);
    return tsi_take_data(t, value);
}

TSI_BEFORE_MAIN(enter)
{
    tsi_rooms.autograd_release = autograd_release;
    tsi_rooms.wants_grad = tsi_wants_grad;
}
