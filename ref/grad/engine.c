/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine: gradients flow from the roots, the latest recorded node first. A node runs
 * when all nodes above it have; what reaches one of its inputs is added in that order
 * . Nothing here nests with the depth of the graph.
 */
#include "core/observe.h"
#include "core/thread.h"
#include "grad/graph.h"

#include <stdlib.h>

typedef struct visit {
    tsi_node *node;
    int waits;      /* edges into it whose gradient is still to come */
    bool wanted;    /* its gradients are asked for: an input lies below, or it is one */
    bool runs;      /* an input lies below */
    bool captured;  /* it is an input's node */
    int next;       /* edge to look at, while the graph is walked */
    uint64_t order; /* of becoming ready */
    ts_tensor **grads; /* by input; NULL until the first */
} visit;

typedef struct task {
    visit **slots; /* a hash table by node */
    size_t nslots, nvisits;
    visit **ready; /* a heap, the latest recorded first */
    size_t nready;
    uint64_t order;
    bool retain_graph;
    int ninputs; /* 0: every leaf gets its gradient */
    const tsi_edge *inputs;
    ts_tensor **captured; /* by input */
} task;

/* --- the table of nodes
 * ------------------------------------------------------------------------ */

static size_t slot_of(const task *t, const tsi_node *n)
{
    size_t at = ((uintptr_t)n >> 4) * (size_t)0x9E3779B97F4A7C15u >> 16 & (t->nslots - 1);

    while (t->slots[at] && t->slots[at]->node != n)
        at = (at + 1) & (t->nslots - 1);
    return at;
}

static ts_status no_memory(void)
{
    return ts_fail(TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for backward");
}

static ts_status grow(task *t)
{
    const size_t before = t->nslots;
    visit **old = t->slots;
    visit **slots = calloc(before ? 2 * before : 64, sizeof *slots);

    if (!slots)
        return no_memory();
    t->slots = slots;
    t->nslots = before ? 2 * before : 64;
    for (size_t i = 0; i < before; i++)
        if (old[i])
            slots[slot_of(t, old[i]->node)] = old[i];
    free(old);
    return TS_OK;
}

static visit *find(const task *t, const tsi_node *n)
{
    return t->nslots ? t->slots[slot_of(t, n)] : NULL;
}

static ts_status enter(task *t, tsi_node *n, visit **out, bool *fresh)
{
    if (2 * (t->nvisits + 1) > t->nslots)
        TS_TRY(grow(t));

    visit **slot = &t->slots[slot_of(t, n)];

    *fresh = !*slot;
    if (*fresh) {
        *slot = calloc(1, sizeof **slot);
        if (!*slot)
            return no_memory();
        (*slot)->node = n;
        t->nvisits++;
    }
    *out = *slot;
    return TS_OK;
}

static void task_free(task *t)
{
    for (size_t i = 0; i < t->nslots; i++) {
        visit *v = t->slots[i];

        for (int k = 0; v && v->grads && k < v->node->ninputs; k++)
            ts_release(v->grads[k]);
        if (v)
            free(v->grads);
        free(v);
    }
    free(t->slots);
    free(t->ready);
}

/* --- the walk that finds what waits for what
 * --------------------------------------------------- */

static void mark_inputs(const task *t, visit *v)
{
    for (int i = 0; i < t->ninputs; i++)
        v->captured |= t->inputs[i].node == v->node;
    v->runs = t->ninputs == 0;
    v->wanted = v->runs || v->captured;
}

/* Depth first from `root`, with a stack of its own; a node is done when all below it are.
 */
static ts_status walk(task *t, tsi_node *root, visit ***stack, size_t *room)
{
    size_t depth = 0;
    bool fresh;
    visit *v;

    TS_TRY(enter(t, root, &v, &fresh));
    v->waits++;
    if (!fresh)
        return TS_OK;
    mark_inputs(t, v);
    for (;;) {
        if (v->next < v->node->nedges) {
            tsi_node *below = v->node->edges[v->next++].node;
            visit *b;

            if (!below)
                continue;
            TS_TRY(enter(t, below, &b, &fresh));
            b->waits++;
            if (!fresh) {
                v->runs |= b->wanted;
                continue;
            }
            mark_inputs(t, b);
            if (depth == *room) {
                const size_t more = *room ? 2 * *room : 64;
                visit **grown = realloc(*stack, more * sizeof *grown);

                if (!grown)
                    return no_memory();
                *stack = grown;
                *room = more;
            }
            (*stack)[depth++] = v;
            v = b;
            continue;
        }
        v->wanted |= v->runs;
        if (depth == 0)
            return TS_OK;
        visit *above = (*stack)[--depth];

        above->runs |= v->wanted;
        v = above;
    }
}

/* --- what is ready
 * ----------------------------------------------------------------------------- */

static bool before(const visit *a, const visit *b)
{
    if (a->node->sequence != b->node->sequence)
        return a->node->sequence > b->node->sequence;
    return a->order < b->order;
}

static void push(task *t, visit *v)
{
    size_t at = t->nready++;

    v->order = t->order++;
    for (; at > 0 && before(v, t->ready[(at - 1) / 2]); at = (at - 1) / 2)
        t->ready[at] = t->ready[(at - 1) / 2];
    t->ready[at] = v;
}

static visit *pop(task *t)
{
    visit *top = t->ready[0], *last = t->ready[--t->nready];
    size_t at = 0, child;

    while ((child = 2 * at + 1) < t->nready) {
        if (child + 1 < t->nready && before(t->ready[child + 1], t->ready[child]))
            child++;
        if (!before(t->ready[child], last))
            break;
        t->ready[at] = t->ready[child];
        at = child;
    }
    if (t->nready)
        t->ready[at] = last;
    return top;
}

/* --- gradients
 * --------------------------------------------------------------------------------- */

static ts_status refuse_shape(const tsi_node *from, const tsi_kept_meta *m,
                              const ts_tensor *grad)
{
    char have[128], want[128];

    return ts_fail(TS_ERR_RUNTIME, "autograd/C17",
                   "%s: returned a gradient of shape %s for an argument of shape %s",
                   from ? from->kind->name(from) : "backward",
                   tsi_sizes_text(have, sizeof have, grad->ndim, grad->sizes),
                   tsi_sizes_text(want, sizeof want, m->ndim, m->sizes));
}

/* The dims along which grad is summed to m's shape; false when that is no broadcast of
 * m's. */
static bool summed_dims(const tsi_kept_meta *m, const ts_tensor *grad, int *n,
                        int64_t *dims)
{
    const int lead = grad->ndim - m->ndim;

    *n = 0;
    if (lead < 0)
        return false;
    for (int d = 0; d < grad->ndim; d++) {
        if (d >= lead && grad->sizes[d] == m->sizes[d - lead])
            continue;
        if (d >= lead && m->sizes[d - lead] != 1)
            return false;
        dims[(*n)++] = d;
    }
    return true;
}

static void replace(ts_tensor **t, ts_tensor *by)
{
    ts_release(*t);
    *t = by;
}

ts_status tsi_grad_fit(const tsi_node *from, const tsi_kept_meta *m, ts_tensor **grad)
{
    int64_t dims[TS_MAX_DIMS];
    ts_tensor *g;
    int n;

    TS_CHECK((*grad)->device.type == m->device.type &&
                 (*grad)->device.index == m->device.index,
             TS_ERR_RUNTIME, "autograd/C17", "%s: returned a gradient on another device",
             from ? from->kind->name(from) : "backward");
    if (!summed_dims(m, *grad, &n, dims))
        return refuse_shape(from, m, *grad);
    if (n) { /* to a 0-dim tensor at once, which then is no view */
        TS_TRY(tsi_call_sum(*grad, n, dims, m->ndim > 0, &g));
        replace(grad, g);
    }
    if ((*grad)->ndim != m->ndim) {
        TS_TRY(tsi_call_view(*grad, m->ndim, m->sizes, &g));
        replace(grad, g);
    }
    if ((*grad)->dtype != m->dtype) {
        TS_TRY(tsi_call_cast(*grad, m->dtype, &g));
        replace(grad, g);
    }
    return TS_OK;
}

/* Takes grad (NULL: zero), which goes along `e`. */
static ts_status deliver(task *t, const tsi_node *from, const tsi_edge *e,
                         ts_tensor *grad)
{
    visit *v = find(t, e->node);
    ts_status st = TS_OK;

    v->waits--;
    if (!v->wanted) {
        if (!from && grad) /* a root's own is looked at in any case */
            st = tsi_grad_fit(from, &e->node->inputs[e->nr], &grad);
        ts_release(grad);
        return st;
    }
    if (!v->grads) {
        v->grads = calloc((size_t)e->node->ninputs, sizeof(ts_tensor *));
        if (!v->grads) {
            ts_release(grad);
            return no_memory();
        }
    }
    if (grad && (st = tsi_grad_fit(from, &e->node->inputs[e->nr], &grad)) != TS_OK) {
        ts_release(grad);
        return st;
    }
    if (grad && v->grads[e->nr]) {
        ts_tensor *sum = NULL;

        st = tsi_call_add(v->grads[e->nr], grad, false, &sum);
        ts_release(grad);
        TS_TRY(st);
        replace(&v->grads[e->nr], sum);
    } else if (grad) {
        v->grads[e->nr] = grad;
    }
    if (v->waits == 0)
        push(t, v);
    return TS_OK;
}

/* --- running one node
 * -------------------------------------------------------------------------- */

static ts_status run_hooks(const visit *v)
{
    for (int i = 0; i < v->node->ninputs; i++) {
        if (!v->grads[i])
            continue;
        TS_TRY(tsi_hooks_run(v->node, i, &v->grads[i]));
        TS_TRY(tsi_retain_run(v->node, i, v->grads[i]));
    }
    return TS_OK;
}

static void capture(task *t, const visit *v)
{
    for (int i = 0; i < t->ninputs; i++)
        if (t->inputs[i].node == v->node) {
            ts_release(t->captured[i]);
            t->captured[i] = ts_retain(v->grads[t->inputs[i].nr]);
        }
}

static ts_status apply(task *t, const visit *v, bool *wanted, ts_tensor **out)
{
    tsi_node *n = v->node;
    int64_t event = -1;
    ts_status st;
    int i = 0;

    for (int e = 0; e < n->nedges; e++) {
        const visit *below = n->edges[e].node ? find(t, n->edges[e].node) : NULL;

        wanted[e] = below && below->wanted;
    }
    if (tsi_profiling)
        event = tsi_profile_begin(tsi_profiling, TS_EVENT_NODE, "", n->kind->name(n));
    st = n->kind->apply(n, v->grads, wanted, out);
    if (tsi_profiling)
        tsi_profile_end(tsi_profiling, event, st);
    if (!t->retain_graph && st == TS_OK) /* a node that failed may run again */
        n->kind->free_saved(n);
    for (; st == TS_OK && i < n->nedges; i++)
        if (n->edges[i].node)
            st = deliver(t, n, &n->edges[i], out[i]);
        else
            ts_release(out[i]);
    for (; i < n->nedges; i++)
        ts_release(out[i]);
    return st;
}

static ts_status run_node(task *t, visit *v)
{
    tsi_node *n = v->node;
    ts_tensor **out;
    ts_status st;

    /* As in PyTorch, a captured gradient has passed the hooks only where nothing runs
     * below it. */
    if (v->captured && v->runs)
        capture(t, v);
    TS_TRY(run_hooks(v));
    if (v->captured && !v->runs)
        capture(t, v);
    if (!v->runs)
        return TS_OK;
    out = calloc((size_t)n->nedges + 1, sizeof *out + sizeof(bool));
    if (!out)
        return no_memory();
    st = apply(t, v, (bool *)(out + n->nedges), out);
    free(out);
    return st;
}

static ts_status run(task *t, visit *v)
{
    ts_profile *p = tsi_profiling;
    int64_t event;
    ts_status st;

    if (!p)
        return run_node(t, v);
    event = tsi_profile_begin(p, TS_EVENT_NODE, "autograd::engine::evaluate_function: ",
                              v->node->kind->name(v->node));
    st = run_node(t, v);
    if (p == tsi_profiling)
        tsi_profile_end(p, event, st);
    return st;
}

static void forget_grads(visit *v)
{
    for (int i = 0; v->grads && i < v->node->ninputs; i++)
        ts_release(v->grads[i]);
    free(v->grads);
    v->grads = NULL;
}

/* roots[i].node is set; takes each grads[i] and leaves NULL. */
static ts_status execute(task *t, int nroots, const tsi_edge *roots, ts_tensor **grads)
{
    visit **stack = NULL;
    size_t room = 0;
    ts_status st = TS_OK;

    for (int i = 0; st == TS_OK && i < nroots; i++)
        st = walk(t, roots[i].node, &stack, &room);
    free(stack);
    TS_TRY(st);
    t->ready = malloc((t->nvisits + 1) * sizeof *t->ready);
    if (!t->ready)
        return no_memory();
    for (int i = 0; i < nroots; i++) {
        ts_tensor *g = grads[i];

        grads[i] = NULL;
        TS_TRY(deliver(t, NULL, &roots[i], g));
    }
    while (t->nready) {
        visit *v = pop(t);

        st = run(t, v);
        forget_grads(v);
        TS_TRY(st);
    }
    return TS_OK;
}

/* --- the two entries
 * --------------------------------------------------------------------------- */

/* grad of root i as given, checked, or ones. New reference. */
static ts_status root_grad(int i, ts_tensor *root, ts_tensor *given, ts_tensor **out)
{
    char have[128], want[128];

    if (given) {
        TS_CHECK(tsi_same_sizes(given, root), TS_ERR_RUNTIME, "autograd/C7",
                 "backward: gradient %d has shape %s, its root %s", i,
                 tsi_sizes_text(have, sizeof have, given->ndim, given->sizes),
                 tsi_sizes_text(want, sizeof want, root->ndim, root->sizes));
        *out = ts_retain(given);
        return TS_OK;
    }
    if (!tsi_wants_grad(root))
        return TS_OK;
    TS_CHECK(root->numel == 1, TS_ERR_RUNTIME, "autograd/C5",
             "backward: a gradient is made up only for roots of one element, root %d has "
             "shape "
             "%s",
             i, tsi_sizes_text(want, sizeof want, root->ndim, root->sizes));
    TS_TRY(ts_tensor_new_strided(root->device, root->dtype, root->ndim, root->sizes,
                                 root->strides, out));

    const ts_status st = tsi_call_fill_(*out, 1);

    if (st != TS_OK)
        replace(out, NULL);
    return st;
}

static ts_status root_edge(int i, ts_tensor *root, tsi_edge *out)
{
    TS_TRY(tsi_gradient_edge(root, out));
    TS_CHECK(out->node, TS_ERR_RUNTIME, "autograd/C6",
             "backward: root %d does not require grad and has no grad_fn", i);
    return TS_OK;
}

static ts_status from_roots(task *t, int nroots, ts_tensor *const *roots,
                            ts_tensor *const *grads)
{
    tsi_edge *edges = calloc((size_t)nroots + 1, sizeof *edges);
    ts_tensor **given = calloc((size_t)nroots + 1, sizeof(ts_tensor *));
    ts_status st = edges && given ? TS_OK : no_memory();

    for (int i = 0; st == TS_OK && i < nroots; i++)
        st = root_grad(i, roots[i], grads ? grads[i] : NULL, &given[i]);
    for (int i = 0; st == TS_OK && i < nroots; i++)
        st = root_edge(i, roots[i], &edges[i]);
    if (st == TS_OK)
        st = execute(t, nroots, edges, given);
    task_free(t);
    for (int i = 0; edges && given && i < nroots; i++) {
        ts_release(given[i]);
        tsi_node_release(edges[i].node);
    }
    free(edges);
    free(given);
    return st;
}

ts_status ts_backward(int nroots, ts_tensor *const *roots, ts_tensor *const *grads,
                      bool retain_graph, bool create_graph)
{
    TS_CHECK(!tsi_self()->level, TS_ERR_RUNTIME, "func/C20",
             "backward: not inside of a function that is transformed; use grad or vjp");

    task t = {.retain_graph = retain_graph};
    const bool mode = ts_set_grad_enabled(create_graph);
    const ts_status st = from_roots(&t, nroots, roots, grads);

    ts_set_grad_enabled(mode);
    return st;
}

static ts_status check_used(int ninputs, ts_tensor *const *out)
{
    for (int i = 0; i < ninputs; i++)
        TS_CHECK(
            out[i], TS_ERR_RUNTIME, "autograd/C9",
            "grad: input %d was not used in the graph; allow_unused=True gives None for "
            "it",
            i);
    return TS_OK;
}

ts_status ts_grad(int nroots, ts_tensor *const *roots, ts_tensor *const *grads,
                  int ninputs, ts_tensor *const *inputs, bool retain_graph,
                  bool create_graph, bool allow_unused, ts_tensor **out)
{
    tsi_edge *edges;
    ts_status st = TS_OK;

    TS_CHECK(ninputs > 0, TS_ERR_RUNTIME, "autograd/C19", "grad: no inputs given");
    for (int i = 0; i < ninputs; i++)
        TS_CHECK(tsi_wants_grad(inputs[i]), TS_ERR_RUNTIME, "autograd/C8",
                 "grad: input %d does not require grad", i);
    edges = calloc((size_t)ninputs, sizeof *edges);
    if (!edges)
        return no_memory();
    memset(out, 0, (size_t)ninputs * sizeof *out);
    for (int i = 0; st == TS_OK && i < ninputs; i++)
        st = tsi_gradient_edge(inputs[i], &edges[i]);

    task t = {.retain_graph = retain_graph,
              .ninputs = ninputs,
              .inputs = edges,
              .captured = out};
    const bool mode = ts_set_grad_enabled(create_graph);

    if (st == TS_OK)
        st = from_roots(&t, nroots, roots, grads);
    ts_set_grad_enabled(mode);
    if (st == TS_OK && !allow_unused)
        st = check_used(ninputs, out);
    for (int i = 0; i < ninputs; i++) {
        tsi_node_release(edges[i].node);
        if (st != TS_OK)
            replace(&out[i], NULL);
    }
    free(edges);
    return st;
}
