/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes: their life, and the one that records a call of an op. */
#include "core/rooms.h"
#include "core/thread.h"
#include "core/value.h"
#include "family/family.h"
#include "grad/graph.h"

#include <ctype.h>
#include <stdlib.h>

ts_status tsi_node_new(const tsi_node_kind *kind, size_t size, int nedges, tsi_node **out)
{
    const size_t head = (size + 15) / 16 * 16;
    tsi_node *n = calloc(1, head + (size_t)nedges * sizeof(tsi_edge));
    tsi_thread *t = tsi_self();

    TS_CHECK(n, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a node of the graph");
    n->kind = kind;
    n->refs = 1;
    n->nedges = nedges;
    n->edges = (tsi_edge *)((char *)n + head);
    n->sequence = t->sequence++;
    tsi_live_add(&t->live.nodes, 1);
    *out = n;
    return TS_OK;
}

/* Copies t's geometry; the numbers go to *at, which moves on. */
static void describe(tsi_kept_meta *m, const ts_tensor *t, int64_t **at)
{
    const size_t bytes = (size_t)t->ndim * sizeof(int64_t);

    *m = (tsi_kept_meta){.ndim = t->ndim,
                         .sizes = *at,
                         .strides = *at + t->ndim,
                         .offset = t->offset,
                         .dtype = t->dtype,
                         .device = t->device};
    if (bytes) {
        memcpy(m->sizes, t->sizes, bytes);
        memcpy(m->strides, t->strides, bytes);
    }
    *at += 2 * t->ndim;
}

ts_status tsi_node_set_inputs(tsi_node *n, int ninputs, ts_tensor *const *t)
{
    const size_t head = (size_t)ninputs * (sizeof(tsi_kept_meta) + sizeof(ts_tensor *));
    size_t ints = 0;

    for (int i = 0; i < ninputs; i++)
        ints += t[i] ? 2 * (size_t)t[i]->ndim : 0;
    n->inputs = calloc(1, head + ints * sizeof(int64_t));
    TS_CHECK(n->inputs, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a node of the graph");
    n->retain = (ts_tensor **)(n->inputs + ninputs);
    n->ninputs = ninputs;

    int64_t *at = (int64_t *)(n->retain + ninputs);

    for (int i = 0; i < ninputs; i++)
        if (t[i])
            describe(&n->inputs[i], t[i], &at);
    return TS_OK;
}

tsi_node *tsi_node_retain(tsi_node *n)
{
    if (n)
        n->refs++;
    return n;
}

/*
 * Destroying a node releases the nodes and tensors below it. They queue up here instead
 * of nesting, so that a chain of any length needs no stack.
 */
void tsi_node_release(tsi_node *n)
{
    tsi_thread *t;

    if (!n || --n->refs > 0)
        return;
    t = tsi_self();
    n->dying = t->dying;
    t->dying = n;
    if (t->draining)
        return;
    t->draining = true;
    while (t->dying) {
        n = t->dying;
        t->dying = n->dying;
        n->kind->free_saved(n);
        n->kind->destroy(n);
        for (int i = 0; i < n->nedges; i++)
            tsi_node_release(n->edges[i].node);
        tsi_hooks_free(&n->hooks);
        free(n->inputs);
        free(n);
        tsi_live_add(&t->live.nodes, -1);
    }
    t->draining = false;
}

/* --- a call of an op --- */

struct tsi_op_node {
    tsi_node node;
    const ts_op *op;
    int nargs, nresults, nsaved;
    int list; /* index of the Tensor[] argument, or -1 */
    int64_t list_n;
    bool freed, in_place;
    ts_value *args;           /* tensors are NULL here */
    tsi_kept_meta *meta;      /* by argument */
    tsi_kept_meta *list_meta; /* by element of the Tensor[] argument */
    int *first_edge;          /* by argument; -1 for no tensor */
    struct kept {
        int arg;    /* or, from op->nparams on, result */
        int64_t at; /* of a list */
        tsi_saved saved;
    } * saved;
};

static bool keeps(const ts_op *op, int arg, uint64_t wanted)
{
    return op->saves_arg && (op->saves_arg[arg] & wanted) != 0;
}

static void *take(char **at, size_t n)
{
    void *p = *at;

    *at += (n + 15) / 16 * 16;
    return p;
}

/* Bytes that take() needs for the arrays and copies of arguments of the call in `f`; and
 * how many of them are for the sizes and strides of tensors. */
static size_t arena_size(const ts_frame *f, int *nedges, int *list, size_t *ints)
{
    const size_t pad = 15;
    size_t metas = (size_t)f->nargs, bytes = 0;

    *ints = 0;
    *nedges = 0;
    *list = -1;
    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];

        bytes += tsi_value_room(v);
        if (v->kind == TS_ARG_TENSOR) {
            *ints += 2 * (size_t)v->tensor->ndim;
            ++*nedges;
        } else if (v->kind == TS_ARG_TENSORS) {
            for (int64_t k = 0; k < v->tensors.n; k++)
                *ints += v->tensors.v[k] ? 2 * (size_t)v->tensors.v[k]->ndim : 0;
            metas += (size_t)v->tensors.n;
            *nedges += (int)v->tensors.n;
            *list = i;
        }
    }
    bytes += (size_t)f->nargs * (sizeof(ts_value) + sizeof(int)) +
             *ints * sizeof(int64_t) + metas * sizeof(tsi_kept_meta) +
             (metas + (size_t)f->op->nresults) * sizeof(struct kept);
    return sizeof(tsi_op_node) + bytes + 8 * (pad + 1);
}

/* Copies argument i; a tensor's edge goes to node->edges[*edge]. */
static ts_status record_argument(tsi_op_node *n, const ts_frame *f, int i, int64_t **ints,
                                 char **at, int *edge)
{
    ts_value *v = &n->args[i];

    *v = f->args[i];
    switch (v->kind) {
    case TS_ARG_TENSOR:
        describe(&n->meta[i], v->tensor, ints);
        n->first_edge[i] = *edge;
        TS_TRY(tsi_gradient_edge(v->tensor, &n->node.edges[(*edge)++]));
        v->tensor = NULL;
        break;
    case TS_ARG_TENSORS:
        n->first_edge[i] = *edge;
        for (int64_t k = 0; k < v->tensors.n; k++, ++*edge) {
            if (!v->tensors.v[k])
                continue;
            describe(&n->list_meta[k], v->tensors.v[k], ints);
            TS_TRY(tsi_gradient_edge(v->tensors.v[k], &n->node.edges[*edge]));
        }
        v->tensors.v = NULL;
        break;
    case TS_ARG_GENERATOR: /* what was drawn is among the results, nothing is drawn again */
        v->generator = NULL;
        break;
    case TS_ARG_FUNCTION:
        if (v->function->retain)
            v->function->retain(v->function->self);
        break;
    default:
        tsi_value_keep(v, at);
    }
    return TS_OK;
}

/* Bit k: argument k has somewhere to send a gradient. */
static uint64_t wanted_args(const tsi_op_node *n)
{
    uint64_t wanted = 0;

    for (int i = 0; i < n->nargs; i++) {
        const int64_t count = n->args[i].kind == TS_ARG_TENSORS ? n->list_n : 1;

        for (int64_t k = 0; n->first_edge[i] >= 0 && k < count; k++)
            if (n->node.edges[n->first_edge[i] + k].node)
                wanted |= UINT64_C(1) << i;
    }
    return wanted;
}

/*
 * Keep argument i. What an in-place call overwrites is kept as a copy made before;
 * other tensors of the same storage keep the version from before the call, so backward
 * will refuse.
 */
static ts_status save_argument(tsi_op_node *n, const ts_frame *f, int i)
{
    struct kept *k = &n->saved[n->nsaved];
    ts_tensor *t = f->args[i].tensor;

    k->arg = i;
    if (f->form == TS_INPLACE && i == 0) {
        TS_TRY(tsi_call_clone(t, TS_MEMORY_FORMAT_NONE, &t));
        const ts_status st = tsi_save(&k->saved, t, false, 0);
        ts_release(t);
        TS_TRY(st);
    } else {
        TS_TRY(tsi_save(&k->saved, t, false, 0));
    }
    n->nsaved++;
    return TS_OK;
}

static ts_status save_list(tsi_op_node *n, ts_tensor *const *v)
{
    for (int64_t k = 0; k < n->list_n; k++) {
        if (!v[k])
            continue;
        n->saved[n->nsaved].arg = n->list;
        n->saved[n->nsaved].at = k;
        TS_TRY(tsi_save(&n->saved[n->nsaved].saved, v[k], false, 0));
        n->nsaved++;
    }
    return TS_OK;
}

static ts_status record(tsi_op_node *n, const ts_frame *f, size_t ints, char *at)
{
    const size_t nargs = (size_t)n->nargs;
    uint64_t wanted;
    int edge = 0;

    n->args = take(&at, nargs * sizeof(ts_value));
    n->meta = take(&at, nargs * sizeof(tsi_kept_meta));
    n->list_meta = take(&at, (size_t)n->list_n * sizeof(tsi_kept_meta));
    n->first_edge = take(&at, nargs * sizeof(int));
    n->saved = take(&at, (nargs + (size_t)n->list_n + (size_t)f->op->nresults) *
                             sizeof(struct kept));

    int64_t *at_ints = take(&at, ints * sizeof(int64_t));

    for (int i = 0; i < n->nargs; i++) {
        n->args[i].kind = TS_ARG_NONE; /* until it is recorded */
        n->first_edge[i] = -1;
    }
    for (int i = 0; i < n->nargs; i++)
        TS_TRY(record_argument(n, f, i, &at_ints, &at, &edge));
    wanted = wanted_args(n);
    for (int i = 0; i < n->nargs; i++)
        if (f->args[i].kind == TS_ARG_TENSOR && keeps(f->op, i, wanted))
            TS_TRY(save_argument(n, f, i));
    if (n->list >= 0 && keeps(f->op, n->list, wanted))
        TS_TRY(save_list(n, f->args[n->list].tensors.v));
    return TS_OK;
}

ts_status tsi_op_node_new(const ts_frame *f, tsi_node **out)
{
    int nedges, list;
    size_t ints;
    const size_t size = arena_size(f, &nedges, &list, &ints);
    tsi_node *node;

    TS_TRY(tsi_node_new(&tsi_op_kind, size, nedges, &node));

    tsi_op_node *n = (tsi_op_node *)node;

    n->op = f->op;
    n->in_place = f->form == TS_INPLACE;
    n->nargs = f->nargs;
    n->list = list;
    n->list_n = list >= 0 ? f->args[list].tensors.n : 0;

    const ts_status st = record(n, f, ints, (char *)n + (sizeof *n + 15) / 16 * 16);

    if (st != TS_OK) {
        tsi_node_release(node);
        return st;
    }
    *out = node;
    return TS_OK;
}

ts_status tsi_op_node_save_results(tsi_node *node, ts_tensor *const *results)
{
    tsi_op_node *n = (tsi_op_node *)node;
    const uint64_t wanted = wanted_args(n);

    for (int i = 0; n->op->saves_result && i < n->op->nresults; i++) {
        if (!(n->op->saves_result[i] & wanted))
            continue;
        n->saved[n->nsaved].arg = n->op->nparams + i;
        TS_TRY(tsi_save(&n->saved[n->nsaved].saved, results[i], true, i));
        n->saved[n->nsaved].saved.carries =
            ts_dtype_is_floating(results[i]->dtype) && /* indices do not */
            (n->op->result_differentiable >> i & 1);
        n->nsaved++;
    }
    return TS_OK;
}

static void op_free_saved(tsi_node *node)
{
    tsi_op_node *n = (tsi_op_node *)node;

    int left = 0; /* numbers, which were no tensors to begin with */

    for (int i = 0; i < n->nsaved; i++) {
        const ts_tensor *t = n->saved[i].saved.tensor;

        if (n->op->scalar_numbers && t && ts_is_wrapped_number(t))
            n->saved[left++] = n->saved[i];
        else
            tsi_saved_free(&n->saved[i].saved);
    }
    n->freed = n->freed || left < n->nsaved;
    n->nsaved = left;
}

static void op_destroy(tsi_node *node)
{
    const tsi_op_node *n = (const tsi_op_node *)node;

    for (int i = 0; i < n->nsaved; i++)
        tsi_saved_free(&n->saved[i].saved);
    for (int i = 0; n->args && i < n->nargs; i++)
        if (n->args[i].kind == TS_ARG_FUNCTION && n->args[i].function->release)
            n->args[i].function->release(n->args[i].function->self);
}

/* "MulBackward0" of "mul", "IndexSelectBackward0" of "index_select". */
static const char *op_name(const tsi_node *node)
{
    char *name = tsi_self()->node_name;
    size_t n = 0;
    bool up = true;

    for (const char *p = ((const tsi_op_node *)node)->op->name; *p && n < 60; p++) {
        if (*p != '_')
            name[n++] = (char)(up ? toupper((unsigned char)*p) : *p);
        up = *p == '_';
    }
    strcpy(name + n, "Backward0");
    return name;
}

ts_status tsi_refuse_second(const char *name)
{
    return ts_fail(
        TS_ERR_RUNTIME, "autograd/C4",
        "%s: backward through this graph a second time: its saved tensors were "
        "freed by the first; pass retain_graph=True there",
        name);
}

/* Everything a derivative reads, in one place so that it is given back in one place. */
typedef struct call {
    tsi_vjp v;
    ts_tensor **results, **out, **list;
    bool *needs;
} call;

/* The call's arrays, from the arena. */
static ts_status call_arrays(tsi_thread *t, const tsi_op_node *n, call *c)
{
    const size_t nargs = (size_t)n->nargs, nresults = (size_t)n->op->nresults;
    const size_t list = (size_t)n->list_n;
    const size_t bytes = nargs * sizeof(ts_value) +
                         (nargs + nresults + list) * sizeof(ts_tensor *) + nargs;
    char *at = tsi_arena_take(t, bytes);

    TS_CHECK(at, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for backward");
    memset(at, 0, bytes);
    c->v.args = (ts_value *)(void *)at;
    c->out = (ts_tensor **)(void *)(c->v.args + nargs);
    c->results = c->out + nargs;
    c->list = c->results + nresults;
    c->needs = (bool *)(c->list + list);
    memcpy(c->v.args, n->args, nargs * sizeof(ts_value));
    if (n->list >= 0)
        c->v.args[n->list].tensors.v = c->list;
    c->v.results = c->results;
    c->v.needs = c->needs;
    c->v.out = c->out;
    return TS_OK;
}

/* Where the kept tensor k stands in the call. */
static ts_tensor **place_of(const tsi_op_node *n, call *c, const struct kept *k)
{
    if (k->arg >= n->op->nparams)
        return &c->results[k->arg - n->op->nparams];
    return k->arg == n->list ? &c->list[k->at] : &c->v.args[k->arg].tensor;
}

static ts_status unpack_all(tsi_op_node *n, call *c)
{
    for (int i = 0; i < n->nsaved; i++)
        TS_TRY(tsi_unpack(&n->saved[i].saved, &n->node, ts_grad_enabled(),
                          place_of(n, c, &n->saved[i])));
    return TS_OK;
}

static ts_status derive(tsi_op_node *n, call *c, ts_tensor *const *grads,
                        const bool *wanted, ts_tensor **out)
{
    bool any = false;
    ts_status st;

    for (int i = 0; i < n->nargs; i++)
        c->needs[i] = n->args[i].kind == TS_ARG_TENSOR && wanted[n->first_edge[i]];
    if (n->list >= 0) {
        c->v.list_n = n->list_n;
        c->v.list_meta = n->list_meta;
        c->v.list_needs = wanted + n->first_edge[n->list];
        c->v.list_out = out + n->first_edge[n->list];
        for (int64_t k = 0; k < n->list_n; k++)
            c->needs[n->list] |= c->v.list_needs[k];
    }
    st = unpack_all(n, c);
    for (int i = 0; i < n->node.ninputs; i++)
        any |= grads[i] != NULL;
    if (st == TS_OK && any && n->op->vjp)
        st = n->op->vjp(&c->v);
    for (int i = 0; i < n->nsaved; i++)
        ts_release(*place_of(n, c, &n->saved[i]));
    for (int i = 0; i < n->nargs; i++)
        if (n->args[i].kind == TS_ARG_TENSOR)
            out[n->first_edge[i]] = c->out[i];
    return st;
}

/* Of some functions 2.15.0 has the derivative, but not of the in-place form. */
static ts_status refuse_in_place(const ts_op *op)
{
    const char *label = op->labels ? op->labels[TSI_REFUSES_GRADIENT_INPLACE] : NULL;

    TS_CHECK(!label, TS_ERR_NOT_IMPLEMENTED, label,
             "the derivative for 'inplace version of %s' is not implemented", op->name);
    return TS_OK;
}

static ts_status op_apply(tsi_node *node, ts_tensor *const *grads, const bool *wanted,
                          ts_tensor **out)
{
    tsi_op_node *n = (tsi_op_node *)node;
    tsi_thread *t = tsi_self();
    call c = {.v = {.op = n->op,
                    .arg_meta = n->meta,
                    .grads = grads,
                    .ngrads = node->ninputs,
                    .inputs = node->inputs}};
    size_t used;
    void *mark;
    ts_status st;

    if (n->freed)
        return tsi_refuse_second(op_name(node));
    if (n->in_place)
        TS_TRY(refuse_in_place(n->op));
    tsi_arena_mark(t, &mark, &used);
    st = call_arrays(t, n, &c);
    if (st == TS_OK)
        st = derive(n, &c, grads, wanted, out);
    tsi_arena_back(t, mark, used);
    return st;
}

const tsi_node_kind tsi_op_kind = {op_apply, op_free_saved, op_destroy, op_name};
