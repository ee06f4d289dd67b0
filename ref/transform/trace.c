/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A level of trace: it follows no tensor, every call that reaches it is written down and
 * made one level down as it is. Tensors are told by their address, and so are all kept
 * until the record is closed.
 */
#include "transform/trace.h"

#include <stdlib.h>

#include "core/dispatch.h"
#include "core/value.h"

/* What a record says of a tensor: value v is v, constant k is -1 - k. */
static int64_t constant_ref(int64_t k)
{
    return -1 - k;
}

static ts_status grow(void *list, int64_t n, int64_t *room, size_t size)
{
    void **at = list;

    if (n == *room) {
        const int64_t more = *room ? 2 * *room : 16;
        void *v = realloc(*at, (size_t)more * size);

        TS_CHECK(v, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a trace");
        *at = v;
        *room = more;
    }
    return TS_OK;
}

/* --- which tensor is it --- */

static bool same_memory(const ts_tensor *a, const ts_tensor *b)
{
    return a->numel > 0 && b->numel > 0 &&
           ts_storage_id(tsi_of(a)->storage) == ts_storage_id(tsi_of(b)->storage);
}

/* a and b show the same elements, in the same way: one is the other's alias. */
static bool same_view(const ts_tensor *a, const ts_tensor *b)
{
    const tsi_body *x = tsi_of(a), *y = tsi_of(b);

    if (a->dtype != b->dtype || a->offset != b->offset || !tsi_same_sizes(a, b) ||
        !tsi_equal_sizes(a->ndim, a->strides, b->strides) || x->wrapped != y->wrapped ||
        x->wrapped_number != y->wrapped_number)
        return false;
    if (!x->wrapped)
        return same_memory(a, b);
    return x->wrap->level == y->wrap->level && x->wrap->batch_dim == y->wrap->batch_dim &&
           same_view(x->wrap->value, y->wrap->value);
}

/* The ref of the tensor, the latest it has had; or TSI_TRACE_NONE. */
static int64_t known(const ts_trace *tr, const ts_tensor *t)
{
    for (int64_t v = tr->nvalues - 1; v >= 0; v--)
        if (tr->values[v] == t)
            return v;
    for (int64_t k = 0; k < tr->nconstants; k++)
        if (tr->constants[k].t == t)
            return constant_ref(k);
    return TSI_TRACE_NONE;
}

static ts_status add_value(ts_trace *tr, ts_tensor *t)
{
    TS_TRY(grow(&tr->values, tr->nvalues, &tr->values_room, sizeof *tr->values));
    tr->values[tr->nvalues++] = ts_retain(t);
    return TS_OK;
}

static ts_status add_constant(ts_trace *tr, ts_tensor *t, int64_t *ref)
{
    TS_TRY(
        grow(&tr->constants, tr->nconstants, &tr->constants_room, sizeof *tr->constants));
    tr->constants[tr->nconstants] = (tsi_trace_constant){ts_retain(t), NULL};
    *ref = constant_ref(tr->nconstants++);
    return TS_OK;
}

/* --- a record --- */

static int count_tensors(const ts_frame *f)
{
    int n = f->form == TS_OUT ? f->nresults : 0;

    for (int i = 0; i < f->nargs; i++)
        n += f->args[i].kind == TS_ARG_TENSOR    ? f->args[i].tensor != NULL
             : f->args[i].kind == TS_ARG_TENSORS ? (int)f->args[i].tensors.n
                                                 : 0;
    return n;
}

static void drop_record(tsi_trace_record *r)
{
    for (int i = 0; i < r->nargs; i++)
        if (r->args[i].kind == TS_ARG_FUNCTION && r->args[i].function->release)
            r->args[i].function->release(r->args[i].function->self);
    free(r->shapes);
    free(r);
}

/* The call with what it was given, tensors left open. */
static ts_status keep_call(const ts_frame *f, tsi_trace_record **out)
{
    const int nrefs = count_tensors(f);
    size_t room = sizeof(tsi_trace_record) + (size_t)f->nargs * sizeof(ts_value) +
                  (size_t)nrefs * sizeof(int64_t) + 16;
    tsi_trace_record *r;
    char *at;

    for (int i = 0; i < f->nargs; i++)
        room += f->args[i].kind == TS_ARG_FUNCTION ? sizeof(ts_callable)
                                                   : tsi_value_room(&f->args[i]);
    r = calloc(1, room);
    TS_CHECK(r, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a trace");
    r->op = f->op;
    r->form = f->form;
    r->nargs = f->nargs;
    r->nrefs = nrefs;
    r->args = (ts_value *)(void *)(r + 1);
    r->refs = (int64_t *)(void *)(r->args + f->nargs);
    at = (char *)(r->refs + nrefs);
    for (int i = 0; i < f->nargs; i++) {
        ts_value *v = &r->args[i];

        *v = f->args[i];
        if (v->kind == TS_ARG_FUNCTION) {
            memcpy(at, v->function, sizeof *v->function);
            v->function = (const ts_callable *)(void *)at;
            at += sizeof *v->function;
            if (v->function->retain)
                v->function->retain(v->function->self);
        } else if (v->kind == TS_ARG_TENSORS) {
            v->tensors.v = NULL;
        } else {
            tsi_value_keep(v, &at);
        }
    }
    *out = r;
    return TS_OK;
}

static ts_status shapes_of(tsi_trace_record *r, int n, ts_tensor *const *results)
{
    size_t dims = 0;
    int64_t *at;

    for (int i = 0; i < n; i++)
        dims += (size_t)results[i]->ndim;
    r->nresults = n;
    r->shapes =
        malloc((size_t)n * sizeof *r->shapes + dims * sizeof(int64_t) + sizeof(int64_t));
    TS_CHECK(r->shapes, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a trace");
    at = (int64_t *)(void *)(r->shapes + n);
    for (int i = 0; i < n; i++) {
        const ts_tensor *t = results[i];

        r->shapes[i] = (tsi_trace_shape){t->dtype, t->device, t->ndim, at};
        memcpy(at, t->sizes, (size_t)t->ndim * sizeof *at);
        at += t->ndim;
    }
    return TS_OK;
}

/* r at the end, and its results as the next values. */
static ts_status append(ts_trace *tr, tsi_trace_record *r, int n,
                        ts_tensor *const *results)
{
    TS_TRY(grow(&tr->records, tr->nrecords, &tr->records_room, sizeof *tr->records));
    TS_TRY(shapes_of(r, n, results));
    r->first = tr->nvalues;
    tr->records[tr->nrecords++] = r;
    for (int i = 0; i < n; i++)
        TS_TRY(add_value(tr, results[i]));
    return TS_OK;
}

/* detach, and what else makes an alias without a call, is written down as detach. */
static ts_status add_alias(ts_trace *tr, int64_t of, ts_tensor *t, int64_t *ref)
{
    tsi_trace_record *r = NULL;
    const ts_op *detach = ts_op_find("detach");
    ts_frame f;
    ts_status s;

    TS_TRY(ts_frame_open(&f, detach, TS_FUNCTIONAL));
    f.args[0] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = t};
    s = keep_call(&f, &r);
    ts_frame_close(&f);
    TS_TRY(s);
    r->refs[0] = of;
    *ref = tr->nvalues;
    s = append(tr, r, 1, &t);
    if (s != TS_OK && (tr->nrecords == 0 || tr->records[tr->nrecords - 1] != r))
        drop_record(r);
    return s;
}

static ts_status refuse_part(const char *what)
{
    return ts_fail(
        TS_ERR_RUNTIME, "func/C29",
        "%s: a trace can't tell how this tensor was made of one that it knows; "
        "it shares that one's memory, but no call made it",
        what);
}

/* The ref of t, which becomes a constant where nothing is known of it. */
static ts_status ref_of(ts_trace *tr, const char *what, ts_tensor *t, int64_t *ref)
{
    bool part = false;

    *ref = known(tr, t);
    if (*ref != TSI_TRACE_NONE)
        return TS_OK;
    for (int64_t v = tr->nvalues - 1; v >= 0; v--) {
        if (same_view(tr->values[v], t))
            return add_alias(tr, v, t, ref);
        part |= same_memory(tr->values[v], t);
    }
    for (int64_t k = 0; k < tr->nconstants; k++)
        part |= tr->constants[k].copy && same_memory(tr->constants[k].t, t);
    return part ? refuse_part(what) : add_constant(tr, t, ref);
}

static ts_status refs_of(ts_trace *tr, const ts_frame *f, int64_t *refs)
{
    const char *name = f->op->name;
    int n = 0;

    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];

        if (v->kind == TS_ARG_TENSOR && v->tensor)
            TS_TRY(ref_of(tr, name, v->tensor, &refs[n++]));
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++, n++) {
            refs[n] = TSI_TRACE_NONE; /* None */
            if (v->tensors.v[k])
                TS_TRY(ref_of(tr, name, v->tensors.v[k], &refs[n]));
        }
    }
    for (int i = 0; f->form == TS_OUT && i < f->nresults; i++, n++) {
        refs[n] = TSI_TRACE_NONE;
        if (f->out[i])
            TS_TRY(ref_of(tr, name, f->out[i], &refs[n]));
    }
    return TS_OK;
}

/* --- constants that are written --- */

ts_status tsi_trace_copy(ts_tensor *t, ts_tensor **out)
{
    const bool mode = ts_set_grad_enabled(false);
    const ts_status s = ts_clone(t, NULL, out);

    ts_set_grad_enabled(mode);
    return s;
}

/* Before the first write to a constant's memory: each replay begins with what it held. */
static ts_status before_write(tsi_level *l, const char *name, const ts_tensor *t)
{
    ts_trace *tr = l->trace;
    tsi_trace_constant *written = NULL;
    tsi_down saved;
    ts_status s;

    for (int64_t k = 0; k < tr->nconstants; k++) {
        tsi_trace_constant *c = &tr->constants[k];

        if (!same_memory(c->t, t))
            continue;
        if (written)
            return refuse_part(name);
        written = c;
    }
    if (!written || written->copy)
        return TS_OK;
    tsi_level_down(l, &saved);
    s = tsi_trace_copy(written->t, &written->copy);
    tsi_level_up(&saved);
    return s;
}

static ts_status before_writes(tsi_level *l, const ts_frame *f)
{
    if (f->form == TS_INPLACE)
        return before_write(l, f->op->name, f->args[0].tensor);
    for (int i = 0; f->form == TS_OUT && i < f->nresults; i++)
        if (f->out[i])
            TS_TRY(before_write(l, f->op->name, f->out[i]));
    return TS_OK;
}

/* --- the call --- */

static bool reads_a_value(const tsi_trace_record *r)
{
    for (int i = 0; i < r->nrefs; i++)
        if (r->refs[i] >= 0)
            return true;
    return false;
}

static ts_status refuse(const ts_frame *f, const tsi_trace_record *r)
{
    const char *name = f->op->name;

    TS_CHECK(!f->op->scalar_result || !reads_a_value(r), TS_ERR_RUNTIME, "func/C27",
             "%s: a trace can't follow what a program does with a Python number", name);
    TS_CHECK(!(tsi_layer_mask() & 1u << TSI_LAYER_AUTOCAST), TS_ERR_RUNTIME, "func/C28",
             "%s: an autocast region is no part of a trace", name);
    for (int i = 0; i < f->nargs; i++)
        TS_CHECK(f->args[i].kind != TS_ARG_GENERATOR || !f->args[i].generator,
                 TS_ERR_RUNTIME, "func/C28", "%s: a generator is no part of a trace",
                 name);
    return TS_OK;
}

static ts_status record(tsi_level *l, ts_frame *f, tsi_trace_record *r)
{
    ts_trace *tr = l->trace;
    ts_status s;

    TS_TRY(refs_of(tr, f, r->refs));
    TS_TRY(refuse(f, r));
    TS_TRY(before_writes(l, f));
    r->quiet = l->grad_below && !ts_grad_enabled();
    TS_TRY(tsi_call_down(l, f));
    s = append(tr, r, f->nresults, f->results);
    for (int i = 0; s != TS_OK && i < f->nresults; i++) {
        ts_release(f->results[i]);
        f->results[i] = NULL;
    }
    return s;
}

static ts_status call(tsi_level *l, ts_frame *f)
{
    const ts_trace *tr = l->trace;
    tsi_trace_record *r = NULL;
    ts_status s;

    TS_TRY(keep_call(f, &r));
    s = record(l, f, r);
    if (s != TS_OK && (tr->nrecords == 0 || tr->records[tr->nrecords - 1] != r))
        drop_record(r);
    return s;
}

const tsi_level_table tsi_trace_table = {call, NULL};

/* --- from begin to end --- */

static bool lives(const tsi_wrap *w)
{
    for (const tsi_level *l = tsi_self()->level; l; l = l->previous)
        if (l->id == w->level)
            return true;
    return false;
}

static ts_status results_of(ts_trace *tr, int n, ts_tensor *const *made,
                            ts_tensor **results)
{
    for (int i = 0; i < n; i++) {
        ts_tensor *t = made[i];

        while (tsi_of(t)->wrapped && !lives(tsi_of(t)->wrap)) {
            if (tsi_of(t)->wrap->kind == TSI_LEVEL_VMAP)
                return tsi_refuse_escaped(t, "trace");
            t = tsi_of(t)->wrap->value;
        }
        TS_TRY(ref_of(tr, "trace", t, &tr->results[i]));
        if (results)
            results[i] = ts_retain(t);
    }
    return TS_OK;
}

/* Where each value is read for the last time; then nothing but constants is kept. */
static ts_status close(ts_trace *tr)
{
    tr->last = calloc((size_t)tr->nvalues + 1, sizeof *tr->last);
    TS_CHECK(tr->last, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a trace");
    for (int64_t i = 0; i < tr->nrecords; i++) {
        const tsi_trace_record *r = tr->records[i];

        for (int k = 0; k < r->nresults; k++)
            tr->last[r->first + k] = i;
        for (int k = 0; k < r->nrefs; k++)
            if (r->refs[k] >= 0)
                tr->last[r->refs[k]] = i;
        if (r->nrefs > tr->most)
            tr->most = r->nrefs;
    }
    for (int i = 0; i < tr->nresults; i++)
        if (tr->results[i] >= 0)
            tr->last[tr->results[i]] = tr->nrecords;
    return TS_OK;
}

static void forget_values(ts_trace *tr)
{
    for (int64_t v = 0; tr->values && v < tr->nvalues; v++)
        ts_release(tr->values[v]);
    free(tr->values);
    tr->values = NULL;
    for (int64_t k = 0; k < tr->nconstants; k++) {
        tsi_trace_constant *c = &tr->constants[k];

        if (c->copy) {
            ts_release(c->t);
            c->t = NULL;
        }
    }
}

static ts_status begin(int ninputs, ts_tensor *const *inputs, int nresults,
                       ts_trace **out)
{
    ts_trace *tr = calloc(1, sizeof *tr);

    *out = tr;
    TS_CHECK(tr, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a trace");
    tr->ninputs = ninputs;
    tr->nresults = nresults;
    tr->inputs = calloc((size_t)ninputs + 1, sizeof *tr->inputs);
    tr->results = calloc((size_t)nresults + 1, sizeof *tr->results);
    TS_CHECK(tr->inputs && tr->results, TS_ERR_OUT_OF_MEMORY, "tensors/C10",
             "no memory for a trace");
    for (int i = 0; i < ninputs; i++) {
        TS_TRY(tsi_trace_input_of(inputs[i], &tr->inputs[i]));
        TS_TRY(add_value(tr, inputs[i]));
    }
    return TS_OK;
}

static ts_status recorded(ts_trace *tr, const ts_callable *f, int ninputs,
                          ts_tensor *const *inputs, int nresults, ts_tensor **results)
{
    ts_tensor **made = calloc((size_t)nresults + 1, sizeof(ts_tensor *));
    tsi_level *l = NULL;
    ts_status s;

    TS_CHECK(made, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a trace");
    s = tsi_level_begin(TSI_LEVEL_TRACE, &l);
    if (s == TS_OK) {
        l->trace = tr;
        s = f->call(f->self, ninputs, inputs, nresults, made);
        if (s == TS_OK)
            s = results_of(tr, nresults, made, results);
        ts_level_end(l);
    }
    for (int i = 0; i < nresults; i++)
        ts_release(made[i]);
    free(made);
    return s == TS_OK ? close(tr) : s;
}

ts_status ts_trace_record(const ts_callable *f, int ninputs, ts_tensor *const *inputs,
                          int nresults, ts_tensor **results, ts_trace **out)
{
    ts_trace *tr = NULL;
    ts_status s = begin(ninputs, inputs, nresults, &tr);

    for (int i = 0; results && i < nresults; i++)
        results[i] = NULL;
    if (s == TS_OK)
        s = recorded(tr, f, ninputs, inputs, nresults, results);
    if (s != TS_OK) {
        for (int i = 0; results && i < nresults; i++) {
            ts_release(results[i]);
            results[i] = NULL;
        }
        ts_trace_release(tr);
        return s;
    }
    forget_values(tr);
    *out = tr;
    return TS_OK;
}

void ts_trace_release(ts_trace *tr)
{
    if (!tr)
        return;
    forget_values(tr);
    for (int64_t k = 0; k < tr->nconstants; k++) {
        ts_release(tr->constants[k].t);
        ts_release(tr->constants[k].copy);
    }
    for (int64_t i = 0; i < tr->nrecords; i++)
        drop_record(tr->records[i]);
    for (int i = 0; tr->inputs && i < tr->ninputs; i++)
        free(tr->inputs[i].sizes);
    free(tr->inputs);
    free(tr->results);
    free(tr->constants);
    free(tr->records);
    free(tr->last);
    free(tr);
}

int64_t ts_trace_count(const ts_trace *tr)
{
    return tr->nrecords;
}

const ts_op *ts_trace_op(const ts_trace *tr, int64_t i)
{
    return 0 <= i && i < tr->nrecords ? tr->records[i]->op : NULL;
}
