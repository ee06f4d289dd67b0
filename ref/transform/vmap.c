/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A level of vmap: a call on batched tensors becomes one call on the tensors as they are
 * stored. The op's api function looks at the logical call first, so that refusals and the
 * result's sizes and dtype are those of one element of the batch.
 */
#include <stdlib.h>

#include "transform/level.h"

/* --- the batch dim in front --- */

static ts_status moved_to_front(ts_tensor *value, int batch_dim, ts_tensor **out)
{
    int64_t order[TS_MAX_DIMS];
    int n = 0;

    if (batch_dim == 0) {
        *out = ts_retain(value);
        return TS_OK;
    }
    order[n++] = batch_dim;
    for (int d = 0; d < value->ndim; d++)
        if (d != batch_dim)
            order[n++] = d;
    return ts_permute(value, order, n, out);
}

ts_status tsi_vmap_front(tsi_level *l, ts_tensor *t, ts_tensor **out)
{
    const tsi_wrap *w = tsi_wrap_at(l, t);
    int64_t sizes[TS_MAX_DIMS + 1];

    if (w)
        return moved_to_front(w->value, w->batch_dim, out);
    sizes[0] = l->batch_size;
    for (int d = 0; d < t->ndim; d++)
        sizes[d + 1] = t->sizes[d];
    return ts_expand(t, sizes, t->ndim + 1, NULL, out);
}

/* The same with dims of size 1 after the batch dim, up to `rank` logical ones. */
static ts_status padded(tsi_level *l, ts_tensor *t, int rank, ts_tensor **out)
{
    ts_status s = tsi_vmap_front(l, t, out);

    for (int d = t->ndim; s == TS_OK && d < rank; d++) {
        ts_tensor *wider = NULL;

        s = ts_unsqueeze(*out, 1, &wider);
        ts_release(*out);
        *out = wider;
    }
    return s;
}

ts_status tsi_vmap_give(tsi_level *l, ts_frame *f, int i, ts_tensor *result,
                        ts_tensor *of)
{
    const ts_meta *m = &f->meta[i];
    ts_status s = TS_OK;

    if (result->ndim != m->ndim + 1) { /* a logical scalar was given a dim to name */
        int64_t sizes[TS_MAX_DIMS + 1];
        ts_tensor *fit = NULL;
        tsi_down saved;

        sizes[0] = l->batch_size;
        for (int d = 0; d < m->ndim; d++)
            sizes[d + 1] = m->sizes[d];
        tsi_level_down(l, &saved);
        s = ts_reshape(result, sizes, m->ndim + 1, &fit);
        tsi_level_up(&saved);
        ts_release(result);
        result = fit;
    }
    if (s == TS_OK)
        s = tsi_wrap_new(l, result, 0, &f->results[i]);
    if (s == TS_OK && of)
        tsi_wrap_view_of(f->results[i], of);
    ts_release(result);
    return s;
}

ts_status tsi_vmap_finish(tsi_level *l, ts_frame *f, ts_frame *g)
{
    ts_tensor *of = f->op->kind == TS_VIEW ? f->args[0].tensor : NULL;
    ts_status s;

    TS_TRY(tsi_call_down(l, g));
    if (f->form == TS_INPLACE) {
        ts_release(g->results[0]);
        f->results[0] = ts_retain(f->args[0].tensor);
        return TS_OK;
    }
    s = TS_OK;
    for (int i = 0; i < g->nresults; i++)
        if (s == TS_OK)
            s = tsi_vmap_give(l, f, i, g->results[i], of);
        else
            ts_release(g->results[i]);
    return s;
}

/* --- pointwise: ranks aligned behind the batch dim --- */

typedef struct aligning {
    tsi_level *l;
    const ts_frame *f;
    int rank;
    ts_dtype cast; /* of logical scalars, or NONE */
} aligning;

static int common_rank(const ts_frame *f)
{
    int rank = 0;

    for (int i = 0; i < f->nargs; i++) {
        const ts_tensor *t = tsi_tensor(f, i);

        if (t && t->ndim > rank)
            rank = t->ndim;
    }
    return rank;
}

static ts_status align(void *self, int arg, ts_tensor *t, ts_tensor **out)
{
    const aligning *a = self;
    tsi_down saved;
    ts_status s;

    if (!tsi_wrap_at(a->l, t)) {
        *out = ts_retain(t);
        return TS_OK;
    }
    tsi_level_down(a->l, &saved);
    s = padded(a->l, t, a->rank, out);
    if (s == TS_OK && a->cast != TS_DTYPE_NONE && t->ndim == 0 && t->dtype != a->cast &&
        arg >= 0 && strcmp(a->f->op->params[arg].name, "condition") != 0) {
        ts_to_opts o = ts_to_defaults();
        ts_tensor *cast = NULL;

        o.dtype = a->cast;
        s = ts_to(*out, &o, &cast);
        ts_release(*out);
        *out = cast;
    }
    tsi_level_up(&saved);
    return s;
}

/* In one element of the batch a scalar's dtype yields to that of tensors with dims, but
 * the batch of it has a dim itself. */
static bool promotes_otherwise(const ts_frame *f, const ts_frame *g)
{
    bool scalar = false;

    for (int i = 0; i < f->nargs; i++) {
        const ts_tensor *t = tsi_tensor(f, i);

        scalar |= t && t->ndim == 0 && tsi_tensor(g, i)->ndim > 0;
    }
    return scalar && f->compute != g->compute;
}

static ts_status pointwise(tsi_level *l, ts_frame *f)
{
    aligning a = {l, f, common_rank(f), TS_DTYPE_NONE};
    ts_frame g;
    ts_status s;

    if (f->form == TS_INPLACE && f->meta[0].ndim != f->args[0].tensor->ndim)
        return ts_fail(TS_ERR_RUNTIME, "tensors/C1",
                       "%s_: self has %d dims, the broadcast shape %d", f->op->name,
                       f->args[0].tensor->ndim, f->meta[0].ndim);
    TS_TRY(tsi_frame_map(&g, f, f->form, align, &a));
    s = g.op->api(&g);
    if (s == TS_OK && promotes_otherwise(f, &g)) {
        tsi_frame_unmap(&g);
        a.cast = f->compute;
        TS_TRY(tsi_frame_map(&g, f, f->form, align, &a));
    }
    if (s == TS_OK)
        s = tsi_vmap_finish(l, f, &g);
    tsi_frame_unmap(&g);
    return s;
}

/* --- along dims that arguments name --- */

static ts_status in_front(void *self, int arg, ts_tensor *t, ts_tensor **out)
{
    tsi_level *l = self;
    tsi_down saved;
    ts_status s;

    (void)arg;
    tsi_level_down(l, &saved);
    s = padded(l, t, 1, out); /* a logical scalar has a dim to name */
    tsi_level_up(&saved);
    return s;
}

static bool names_dims(const ts_param *p)
{
    return strncmp(p->name, "dim", 3) == 0 ||
           (strlen(p->name) > 4 && strcmp(p->name + strlen(p->name) - 4, "_dim") == 0);
}

static int64_t shifted(int64_t dim, int rank)
{
    return (dim < 0 ? dim + rank : dim) + 1;
}

/* Every dim of a tensor of `rank` logical dims. */
static int64_t all_dims(int rank, int64_t *dims)
{
    for (int d = 0; d < rank; d++)
        dims[d] = d + 1;
    return rank;
}

static ts_status along_dims(tsi_level *l, ts_frame *f)
{
    int64_t dims[TS_MAX_DIMS];
    const ts_tensor *first = tsi_tensor(f, 0);
    bool flat = false;
    ts_frame g;
    ts_status s;
    int rank;

    for (int i = 0; !first && i < f->nargs; i++)
        first = f->args[i].kind == TS_ARG_TENSORS ? f->args[i].tensors.v[0]
                                                  : tsi_tensor(f, i);
    rank = first->ndim > 0 ? first->ndim : 1;
    TS_TRY(tsi_frame_map(&g, f, f->form, in_front, l));
    for (int i = 0; i < g.nargs; i++) {
        ts_value *v = &g.args[i];

        if (!names_dims(&f->op->params[i]))
            continue;
        if (v->kind == TS_ARG_INT) {
            v->i = shifted(v->i, rank);
        } else if (v->kind == TS_ARG_INTS && v->ints.n > 0) {
            for (int64_t k = 0; k < v->ints.n; k++)
                dims[k] = shifted(v->ints.v[k], rank);
            v->ints.v = dims;
        } else if (v->kind == TS_ARG_INTS || f->op->params[i].kind == TS_ARG_INTS) {
            *v = (ts_value){.kind = TS_ARG_INTS, .ints = {dims, all_dims(rank, dims)}};
        } else if (f->op->params[i].kind == TS_ARG_INT) { /* over all, as one dim */
            *v = (ts_value){.kind = TS_ARG_INT, .i = 1};
            flat = true;
        }
    }
    s = TS_OK;
    if (flat) {
        ts_tensor *whole = NULL;
        tsi_down saved;

        tsi_level_down(l, &saved);
        s = ts_reshape(g.args[0].tensor, (int64_t[]){l->batch_size, first->numel}, 2,
                       &whole);
        tsi_level_up(&saved);
        if (s == TS_OK) {
            ts_release(g.args[0].tensor);
            g.args[0].tensor = whole;
        }
    }
    if (s == TS_OK)
        s = tsi_vmap_finish(l, f, &g);
    tsi_frame_unmap(&g);
    return s;
}

/* --- one after the other --- */

typedef struct slicing {
    tsi_level *l;
    int64_t at;
} slicing;

static ts_status slice(void *self, int arg, ts_tensor *t, ts_tensor **out)
{
    const slicing *s = self;
    const tsi_wrap *w = tsi_wrap_at(s->l, t);

    (void)arg;
    if (w)
        return ts_select(w->value, w->batch_dim, s->at, out);
    *out = ts_retain(t);
    return TS_OK;
}

/* Element `at` of the batch: its results go to parts[i * batch_size + at]. */
static ts_status one(tsi_level *l, ts_frame *f, int64_t at, ts_tensor **parts)
{
    slicing sl = {l, at};
    ts_frame g;
    ts_status s;

    TS_TRY(tsi_frame_map(&g, f, TS_FUNCTIONAL, slice, &sl));
    s = ts_call(&g);
    for (int i = 0; s == TS_OK && i < g.nresults; i++) {
        s = ts_unsqueeze(g.results[i], 0, &parts[i * l->batch_size + at]);
        ts_release(g.results[i]);
        if (s != TS_OK)
            while (++i < g.nresults)
                ts_release(g.results[i]);
    }
    tsi_frame_unmap(&g);
    return s;
}

/* Result i of no elements at all. */
static ts_status nothing(const ts_frame *f, int i, ts_tensor **out)
{
    const ts_meta *m = &f->meta[i];
    int64_t sizes[TS_MAX_DIMS + 1] = {0};

    for (int d = 0; d < m->ndim; d++)
        sizes[d + 1] = m->sizes[d];
    return ts_tensor_new(m->device, m->dtype, m->ndim + 1, sizes, out);
}

ts_status tsi_vmap_loop(tsi_level *l, ts_frame *f)
{
    const int64_t n = l->batch_size;
    const int count = f->nresults;
    ts_tensor **parts = calloc((size_t)(n * count) + 1, sizeof(ts_tensor *));
    ts_status s = TS_OK;
    tsi_down saved;

    TS_CHECK(parts, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a batch");
    tsi_level_down(l, &saved);
    for (int64_t k = 0; s == TS_OK && k < n; k++)
        s = one(l, f, k, parts);
    tsi_level_up(&saved);
    for (int i = 0; s == TS_OK && i < count; i++) {
        ts_tensor *whole = NULL;

        tsi_level_down(l, &saved);
        s = n > 0 ? ts_cat(parts + i * n, n, NULL, &whole) : nothing(f, i, &whole);
        tsi_level_up(&saved);
        if (s == TS_OK)
            s = tsi_vmap_give(l, f, i, whole, NULL);
    }
    for (int64_t k = 0; k < n * count; k++)
        ts_release(parts[k]);
    free(parts);
    return s;
}

/* --- the call --- */

static ts_status functional(tsi_level *l, ts_frame *f)
{
    const ts_op *op = f->op;

    if (op->vmap_rule == TS_VMAP_OWN)
        return op->vmap(l, f);
    if (op->vmap_rule == TS_VMAP_REDUCE || op->vmap_rule == TS_VMAP_VIEW)
        return along_dims(l, f);
    return op->program ? op->program(f) : tsi_vmap_loop(l, f);
}

/* What has no rule to write where self stands: its result, and that is written. */
static ts_status by_copy(tsi_level *l, ts_frame *f)
{
    const tsi_wrap *self = tsi_wrap_at(l, f->args[0].tensor);
    ts_tensor *made, *front = NULL;
    tsi_down saved;
    ts_status s;

    f->form = TS_FUNCTIONAL;
    s = functional(l, f);
    f->form = TS_INPLACE;
    TS_TRY(s);
    made = f->results[0];
    f->results[0] = NULL;
    tsi_level_down(l, &saved);
    s = moved_to_front(self->value, self->batch_dim, &front);
    if (s == TS_OK)
        s = ts_copy_(front, tsi_of(made)->wrap->value, NULL);
    tsi_level_up(&saved);
    ts_release(front);
    ts_release(made);
    if (s == TS_OK)
        f->results[0] = ts_retain(f->args[0].tensor);
    return s;
}

static ts_status refuse(const tsi_level *l, const ts_frame *f)
{
    const char *name = f->op->name;

    TS_CHECK(f->form != TS_OUT, TS_ERR_RUNTIME, "func/C6",
             "%s: the out= form is not for batched tensors", name);
    TS_CHECK(
        !f->op->scalar_result, TS_ERR_RUNTIME, "func/C7",
        "%s: vmap can't take a Python number out of a batched tensor, and no program "
        "can decide by its elements",
        name);
    TS_CHECK(f->form != TS_INPLACE || tsi_wrap_at(l, f->args[0].tensor), TS_ERR_RUNTIME,
             "func/C8",
             "%s_: a tensor that is not batched can't be written with one that is", name);
    return TS_OK;
}

/* random/S13: what an op that draws is under `randomness`. */
static ts_status drawn(tsi_level *l, ts_frame *f)
{
    const bool batched = tsi_is_at(l, f), same = strcmp(l->randomness, "same") == 0;

    TS_CHECK(strcmp(l->randomness, "error") != 0, TS_ERR_RUNTIME, "random/C18",
             "%s: vmap with randomness 'error' draws no random numbers", f->op->name);
    if (same && !batched)
        return tsi_call_down(l, f);
    TS_CHECK(!same && batched, TS_ERR_UNSUPPORTED, NULL,
             "%s: vmap with randomness '%s' does not draw here yet", f->op->name,
             l->randomness);
    TS_TRY(refuse(l, f));
    if (f->op->factory)
        return tsi_vmap_factory(l, f);
    TS_TRY(f->op->api(f));
    return pointwise(l, f);
}

static ts_status call(tsi_level *l, ts_frame *f)
{
    if (f->op->generator > 0)
        return drawn(l, f);
    if (!tsi_is_at(l, f))
        return tsi_call_down(l, f);
    TS_TRY(refuse(l, f));
    if (f->op->factory)
        return tsi_vmap_factory(l, f);
    TS_TRY(f->op->api(f));
    TS_CHECK(!(f->flags & TS_FRAME_UNKNOWN), TS_ERR_RUNTIME, "func/C9",
             "%s: the result's size depends on data, which differs over the batch",
             f->op->name);
    if (f->op->vmap_rule == TS_VMAP_POINTWISE ||
        (f->op->vmap_rule == TS_VMAP_DEFAULT && f->flags & TS_FRAME_POINTWISE))
        return pointwise(l, f);
    return f->form == TS_INPLACE ? by_copy(l, f) : functional(l, f);
}

const tsi_level_table tsi_vmap_table = {call, tsi_vmap_function};

/* --- in and out --- */

ts_status ts_vmap_begin(int64_t batch_size, const char *randomness, ts_level **out)
{
    static const char *const words[] = {"error", "different", "same"};
    const char *mode = NULL;

    for (int i = 0; i < 3; i++)
        if (strcmp(randomness ? randomness : "error", words[i]) == 0)
            mode = words[i];
    TS_CHECK(mode, TS_ERR_RUNTIME, "func/C4",
             "vmap: randomness is 'error', 'different' or 'same', not '%.40s'",
             randomness);
    TS_TRY(tsi_level_begin(TSI_LEVEL_VMAP, out));
    (*out)->batch_size = batch_size;
    (*out)->randomness = mode;
    return TS_OK;
}

ts_status ts_vmap_enter(ts_level *l, ts_tensor *t, int64_t in_dim, ts_tensor **out)
{
    const int64_t dim = in_dim < 0 ? in_dim + t->ndim : in_dim;

    if (in_dim == TS_NO_DIM) {
        *out = ts_retain(t);
        return TS_OK;
    }
    TS_CHECK(0 <= dim && dim < t->ndim, TS_ERR_VALUE, "func/C2",
             "vmap: in_dim %" PRId64 " for a tensor of %d dims", in_dim, t->ndim);
    TS_CHECK(t->sizes[dim] == l->batch_size, TS_ERR_VALUE, "func/C3",
             "vmap: sizes %" PRId64 " and %" PRId64 " of the mapped dims differ",
             t->sizes[dim], l->batch_size);
    return tsi_wrap_new(l, t, (int)dim, out);
}

ts_status ts_vmap_leave(ts_level *l, ts_tensor *t, int64_t out_dim, ts_tensor **out)
{
    const tsi_wrap *w = tsi_wrap_at(l, t);
    const int64_t n = t->ndim + 1;
    const int64_t dim = out_dim < 0 ? out_dim + n : out_dim;
    int64_t order[TS_MAX_DIMS];
    tsi_down saved;
    ts_tensor *front = NULL;
    ts_status s;

    if (out_dim == TS_NO_DIM) {
        TS_CHECK(!w, TS_ERR_VALUE, "func/C11",
                 "vmap: a batched result whose out_dim is None");
        *out = ts_retain(t);
        return TS_OK;
    }
    TS_CHECK(0 <= dim && dim < n, TS_ERR_INDEX, "func/C12",
             "vmap: out_dim %" PRId64 " for a result of %" PRId64 " dims with the batch",
             out_dim, n);
    tsi_level_down(l, &saved);
    if (w && w->batch_dim == dim) {
        *out = ts_retain(w->value);
        tsi_level_up(&saved);
        return TS_OK;
    }
    s = tsi_vmap_front(l, t, &front);
    for (int64_t d = 0, at = 1; d < n; d++)
        order[d] = d == dim ? 0 : at++;
    if (s == TS_OK)
        s = ts_permute(front, order, n, out);
    ts_release(front);
    tsi_level_up(&saved);
    return s;
}
