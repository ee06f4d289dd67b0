/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks on gradients of tensors, and tensors that keep theirs. */
#include "grad/graph.h"

#include <stdatomic.h>

#include <stdlib.h>

static _Atomic int64_t last_handle;

/* What the hook owns goes when nobody can call it any more. */
static void let_go(tsi_hook *h)
{
    void (*destroy)(void *self) = h->destroy;

    h->destroy = NULL;
    if (destroy)
        destroy(h->self);
}

static void hook_release(tsi_hook *h)
{
    if (--h->refs > 0)
        return;
    let_go(h);
    free(h);
}

static ts_status append(tsi_hook_list *list, tsi_hook *h, int nr)
{
    struct tsi_hook_at *v = realloc(list->v, (size_t)(list->n + 1) * sizeof *v);

    TS_CHECK(v, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a hook");
    list->v = v;
    v[list->n].hook = h;
    v[list->n++].nr = nr;
    h->refs++;
    return TS_OK;
}

void tsi_hooks_free(tsi_hook_list *list)
{
    const tsi_hook_list old = *list;

    *list = (tsi_hook_list){NULL, 0};
    for (int i = 0; i < old.n; i++)
        hook_release(old.v[i].hook);
    free(old.v);
}

/* A hook stays with the node that was grad_fn when it was registered, whatever t becomes.
 */
ts_status ts_register_hook(ts_tensor *t, ts_hook_fn fn, void *self,
                           void (*destroy)(void *self), int64_t *handle)
{
    tsi_autograd *a;
    tsi_node *n;

    TS_CHECK(tsi_wants_grad(t), TS_ERR_RUNTIME, "autograd/C15",
             "register_hook: the tensor does not require grad");
    TS_TRY(tsi_grad_fn(t, &n));
    TS_TRY(tsi_autograd_of(t, &a));

    tsi_hook *h = malloc(sizeof *h);

    TS_CHECK(h, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a hook");
    *h = (tsi_hook){1, 0, ++last_handle, fn, self, destroy};

    ts_status st = append(&a->hooks, h, 0);

    if (st == TS_OK && n)
        st = append(&n->hooks, h, a->nr);
    if (st != TS_OK)
        h->destroy = NULL; /* self stays the caller's */
    else
        *handle = h->handle;
    hook_release(h);
    return st;
}

void ts_remove_hook(ts_tensor *t, int64_t handle)
{
    for (int i = 0; tsi_of(t)->autograd && i < tsi_of(t)->autograd->hooks.n; i++) {
        tsi_hook *h = tsi_of(t)->autograd->hooks.v[i].hook;

        if (h->handle != handle || !h->fn)
            continue;
        h->fn = NULL;
        if (!h->running)
            let_go(h);
        return; /* the list may have gone with it */
    }
}

static ts_status check_replacement(const ts_tensor *grad, const ts_tensor *by)
{
    char was[128], is[128];

    TS_CHECK(by->dtype == grad->dtype, TS_ERR_RUNTIME, "autograd/C16",
             "hook: returned a %s gradient for one of %s", ts_dtype_name(by->dtype),
             ts_dtype_name(grad->dtype));
    TS_CHECK(tsi_same_sizes(by, grad), TS_ERR_RUNTIME, "autograd/C16",
             "hook: returned a gradient of shape %s for one of %s",
             tsi_sizes_text(is, sizeof is, by->ndim, by->sizes),
             tsi_sizes_text(was, sizeof was, grad->ndim, grad->sizes));
    return TS_OK;
}

ts_status tsi_hooks_run(const tsi_node *n, int nr, ts_tensor **grad)
{
    ts_tensor *leaf = tsi_accumulator_variable(n);
    const tsi_hook_list *list = leaf ? &tsi_of(leaf)->autograd->hooks : &n->hooks;

    for (int i = 0; i < list->n; i++) {
        tsi_hook *h = list->v[i].hook;
        ts_tensor *by = NULL;

        if (!h->fn || list->v[i].nr != nr)
            continue;
        h->refs++; /* it may remove itself */
        h->running++;

        ts_status st = h->fn(h->self, *grad, &by);

        if (--h->running == 0 && !h->fn)
            let_go(h);
        hook_release(h);
        TS_TRY(st);
        if (!by)
            continue;
        st = check_replacement(*grad, by);
        if (st != TS_OK) {
            ts_release(by);
            return st;
        }
        ts_release(*grad);
        *grad = by;
    }
    return TS_OK;
}

/* Adds to .grad of the tensor that retains input nr of n, after its hooks. */
ts_status tsi_retain_run(const tsi_node *n, int nr, ts_tensor *grad)
{
    ts_tensor *t = n->retain ? n->retain[nr] : NULL, *sum;

    if (!t)
        return TS_OK;
    if (tsi_of(t)->autograd->grad)
        TS_TRY(tsi_call_add(tsi_of(t)->autograd->grad, grad, false, &sum));
    else
        TS_TRY(tsi_call_clone(grad, TS_CONTIGUOUS_FORMAT, &sum));
    ts_release(tsi_of(t)->autograd->grad);
    tsi_of(t)->autograd->grad = sum;
    return TS_OK;
}

ts_status ts_retain_grad(ts_tensor *t)
{
    tsi_node *n;

    TS_CHECK(tsi_wants_grad(t), TS_ERR_RUNTIME, "autograd/C12",
             "retain_grad: the tensor does not require grad");
    TS_TRY(tsi_grad_fn(t, &n));
    if (!n)
        return TS_OK;
    tsi_of(t)->autograd->retains_grad = true;
    n->retain[tsi_of(t)->autograd->nr] = t;
    return TS_OK;
}
