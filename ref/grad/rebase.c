/* SPDX-License-Identifier: Apache-2.0 */
/* Views and in-place writes: how the histories of a base and of its views follow each
 * other. */
#include <stdlib.h>

#include "grad/graph.h"
#include "touchstone/ops/transpose.h"

static ts_status refuse_origin(const ts_tensor *t, const char *op, const char *what)
{
    return ts_fail(
        TS_ERR_RUNTIME, "autograd/C18",
        "%s: a view made %s %s modified in place with grad mode on; make the view "
        "and modify it under the same grad mode",
        op,
        tsi_of(t)->view_origin == TSI_VIEW_NO_GRAD   ? "under no_grad"
        : tsi_of(t)->view_origin == TSI_VIEW_SEVERAL ? "as one of several results"
                                                     : "by a custom function",
        what);
}

/* The history of view `t` becomes as_strided of its base's. */
static ts_status regenerate(ts_tensor *t)
{
    tsi_node *n;
    ts_frame f;

    TS_TRY(tsi_open_as_strided(&f, tsi_of(t)->base, t->ndim, t->sizes, t->strides,
                               t->offset));

    ts_status st = tsi_op_node_new(&f, &n);

    ts_frame_close(&f);
    TS_TRY(st);
    st = tsi_node_set_inputs(n, 1, &t);

    if (st == TS_OK)
        st = tsi_set_history(t, n, 0);
    if (st == TS_OK)
        tsi_of(t)->view_version = *tsi_of(t)->version;
    tsi_node_release(n);
    return st;
}

ts_status tsi_grad_fn(ts_tensor *t, tsi_node **out)
{
    const bool has = tsi_of(t)->autograd && tsi_of(t)->autograd->grad_fn;

    if (tsi_of(t)->base && tsi_of(t)->view_version != *tsi_of(t)->version &&
        (has || tsi_wants_grad(tsi_of(t)->base))) {
        if (tsi_of(t)->view_origin != TSI_VIEW_PLAIN)
            return refuse_origin(t, "grad_fn", "had its base or another view of it");
        TS_TRY(regenerate(t));
    }
    *out = tsi_of(t)->autograd ? tsi_of(t)->autograd->grad_fn : NULL;
    return TS_OK;
}

ts_status tsi_check_inplace(const ts_tensor *self, const char *op)
{
    const bool wants = tsi_wants_grad(self);
    tsi_node *fn = NULL;

    if (tsi_of(self)->base) {
        if (tsi_of(self)->view_origin != TSI_VIEW_PLAIN)
            return refuse_origin(self, op, "is");
        TS_CHECK(!wants || (tsi_of(tsi_of(self)->base)->autograd &&
                            tsi_of(tsi_of(self)->base)->autograd->grad_fn),
                 TS_ERR_RUNTIME, "autograd/C2",
                 "%s: self is a view of a leaf tensor that requires grad; it cannot be "
                 "modified "
                 "in place while grad mode is on",
                 op);
    }
    if (wants)
        TS_TRY(tsi_grad_fn((ts_tensor *)self, &fn));
    TS_CHECK(
        !wants || fn, TS_ERR_RUNTIME, "autograd/C1",
        "%s: self is a leaf tensor that requires grad; it cannot be modified in place "
        "while grad mode is on",
        op);
    return TS_OK;
}

/* --- CopySlices: a base, part of which was written through a view
 * ----------------------------- */

typedef struct copy_slices {
    tsi_node node;
    tsi_node *fn;       /* the recorded call on the view */
    int input;          /* of fn: the view as it was */
    bool freed;         /* C4: by a backward that did not retain the graph */
    tsi_kept_meta view; /* numbers in the node's own memory */
    int64_t ints[];
} copy_slices;

/* out[input]: the gradient of the base before: grads[0] with the slice replaced by fn's. */
static ts_status replace_slice(copy_slices *n, ts_tensor *result, const bool *wanted,
                               ts_tensor **out)
{
    const tsi_kept_meta *v = &n->view, *base = &n->node.inputs[0];
    ts_tensor *slice, *grad;
    ts_as_strided_opts o = ts_as_strided_defaults();
    const int64_t offset = v->offset - base->offset;
    ts_tensor **before = &out[n->input];

    o.storage_offset = &offset;
    TS_TRY(ts_as_strided(result, v->sizes, v->ndim, v->strides, v->ndim, &o, &slice));

    ts_status st = tsi_call_clone(slice, TS_CONTIGUOUS_FORMAT, &grad); /* S16 */

    if (st == TS_OK) {
        st = n->fn->kind->apply(n->fn, &grad, wanted, out);
        ts_release(grad);
    }
    if (st == TS_OK && wanted[n->input])
        st = *before ? tsi_call_copy_(slice, *before) : tsi_call_fill_(slice, 0);
    ts_release(*before);
    *before = NULL;
    ts_release(slice);
    return st;
}

/* The dims from the largest step down, where the elements lie close together in that
 * order. */
static bool dense_order(const tsi_kept_meta *m, int64_t *order)
{
    int64_t step = 1;

    for (int d = 0; d < m->ndim; d++) {
        int k = d;

        for (; k > 0 && m->strides[order[k - 1]] < m->strides[d]; k--)
            order[k] = order[k - 1];
        order[k] = d;
    }
    for (int k = m->ndim - 1; k >= 0; k--) {
        if (m->sizes[order[k]] != 1 && m->strides[order[k]] != step)
            return false;
        step *= m->sizes[order[k]];
    }
    return true;
}

static ts_status clone_in_order(ts_tensor *t, int n, const int64_t *order,
                                ts_tensor **out)
{
    int64_t back[TS_MAX_DIMS];
    ts_tensor *turned, *dense;

    for (int k = 0; k < n; k++)
        back[order[k]] = k;
    TS_TRY(ts_permute(t, order, n, &turned));

    ts_status st = tsi_call_clone(turned, TS_CONTIGUOUS_FORMAT, &dense);

    ts_release(turned);
    TS_TRY(st);
    st = ts_permute(dense, back, n, out);
    ts_release(dense);
    return st;
}

/* A tensor to write in, laid out as the base, with the elements of `grad`; where levels
 * follow grad they are to follow it too. */
static ts_status like_base(const tsi_kept_meta *base, ts_tensor *grad, ts_tensor **out)
{
    int64_t order[TS_MAX_DIMS];
    ts_status st;

    if (tsi_of(grad)->wrapped && dense_order(base, order))
        return clone_in_order(grad, base->ndim, order, out);
    TS_TRY(ts_tensor_new_strided(grad->device, base->dtype, base->ndim, base->sizes,
                                 base->strides, out));
    st = tsi_call_copy_(*out, grad);
    if (st != TS_OK)
        ts_release(*out);
    return st;
}

static ts_status copy_slices_apply(tsi_node *node, ts_tensor *const *grads,
                                   const bool *wanted, ts_tensor **out)
{
    copy_slices *n = (copy_slices *)node;
    const tsi_kept_meta *base = &node->inputs[0];
    ts_tensor *result;

    if (!grads[0])
        return TS_OK;
    if (n->freed)
        return tsi_refuse_second("CopySlices");
    ts_status st = like_base(base, grads[0], &result);

    TS_TRY(st);
    st = replace_slice(n, result, wanted, out);
    if (st == TS_OK && wanted[n->input])
        out[n->input] = ts_retain(result);
    ts_release(result);
    return st;
}

static void copy_slices_free_saved(tsi_node *node)
{
    copy_slices *n = (copy_slices *)node;

    n->fn->kind->free_saved(n->fn);
    n->freed = true;
}

static void copy_slices_destroy(tsi_node *node)
{
    tsi_node_release(((copy_slices *)node)->fn);
}

static const char *copy_slices_name(const tsi_node *n)
{
    (void)n;
    return "CopySlices";
}

static const tsi_node_kind copy_slices_kind = {copy_slices_apply, copy_slices_free_saved,
                                               copy_slices_destroy, copy_slices_name};

static ts_status copy_slices_new(ts_tensor *view, tsi_node *fn, int input, tsi_node **out)
{
    const size_t r = (size_t)view->ndim;
    tsi_node *node;

    TS_TRY(tsi_node_new(&copy_slices_kind, sizeof(copy_slices) + 2 * r * sizeof(int64_t),
                        fn->nedges, &node));

    copy_slices *n = (copy_slices *)node;

    n->fn = tsi_node_retain(fn);
    n->input = input;
    n->view = (tsi_kept_meta){.ndim = view->ndim,
                              .sizes = n->ints,
                              .strides = n->ints + r,
                              .offset = view->offset,
                              .dtype = view->dtype,
                              .device = view->device};
    if (r) {
        memcpy(n->view.sizes, view->sizes, r * sizeof(int64_t));
        memcpy(n->view.strides, view->strides, r * sizeof(int64_t));
    }
    for (int i = 0; i < fn->nedges; i++)
        if (i != input)
            node->edges[i] =
                (tsi_edge){tsi_node_retain(fn->edges[i].node), fn->edges[i].nr};

    ts_status st = tsi_gradient_edge(tsi_of(view)->base, &node->edges[input]);

    if (st == TS_OK)
        st = tsi_node_set_inputs(node, 1, &tsi_of(view)->base);
    if (st != TS_OK) {
        tsi_node_release(node);
        return st;
    }
    *out = node;
    return TS_OK;
}

ts_status tsi_rebase_history(ts_tensor *self, tsi_node *n, int input, int nr)
{
    tsi_node *slices;

    if (!tsi_of(self)->base)
        return tsi_set_history(self, n, nr);
    TS_TRY(copy_slices_new(self, n, input, &slices));

    const ts_status st = tsi_set_history(tsi_of(self)->base, slices, 0);

    tsi_node_release(slices);
    return st == TS_OK ? regenerate(self) : st;
}
