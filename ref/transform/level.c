/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of levels: a call goes to the top one, which makes it one level down. */
#include "transform/level.h"

#include <stdlib.h>

#include "core/dispatch.h"

#define BIT (1u << TSI_LAYER_TRANSFORM)

static void set_top(tsi_thread *t, tsi_level *l)
{
    t->level = l;
    t->layers = l ? t->layers | BIT : t->layers & ~BIT;
}

ts_status tsi_level_begin(tsi_level_kind kind, tsi_level **out)
{
    static const tsi_level_table *const tables[] = {&tsi_grad_table, &tsi_jvp_table,
                                                    &tsi_vmap_table, &tsi_trace_table};
    tsi_thread *t = tsi_self();
    tsi_level *l = calloc(1, sizeof *l);

    TS_CHECK(l, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a level");
    l->kind = kind;
    l->id = ++t->levels;
    l->table = tables[kind];
    ts_level_resume(l);
    *out = l;
    return TS_OK;
}

void ts_level_resume(ts_level *l)
{
    tsi_thread *t = tsi_self();

    l->previous = t->level;
    l->grad_below = t->grad_enabled;
    if (l->kind == TSI_LEVEL_GRAD)
        t->grad_enabled = true;
    set_top(t, l);
}

void ts_level_suspend(ts_level *l)
{
    tsi_thread *t = tsi_self();

    if (l->kind == TSI_LEVEL_GRAD)
        t->grad_enabled = l->grad_below;
    set_top(t, l->previous);
}

void ts_level_free(ts_level *l)
{
    free(l);
}

void ts_level_end(ts_level *l)
{
    ts_level_suspend(l);
    ts_level_free(l);
}

bool ts_is_followed(const ts_tensor *t)
{
    return tsi_of(t)->wrapped;
}

int ts_level_count(void)
{
    int n = 0;

    for (const tsi_level *l = tsi_self()->level; l; l = l->previous)
        n++;
    return n;
}

void tsi_level_down(tsi_level *l, tsi_down *saved)
{
    tsi_thread *t = tsi_self();

    *saved = (tsi_down){t->level, t->layers, t->grad_enabled, t->inside};
    t->inside = NULL;
    if (l->kind == TSI_LEVEL_GRAD)
        t->grad_enabled = l->grad_below;
    set_top(t, l->previous);
}

void tsi_level_up(const tsi_down *saved)
{
    tsi_thread *t = tsi_self();

    t->level = saved->level;
    t->layers = saved->layers;
    t->grad_enabled = saved->grad;
    t->inside = saved->inside;
}

ts_status tsi_call_down(tsi_level *l, ts_frame *g)
{
    tsi_down saved;
    ts_status s;

    tsi_level_down(l, &saved);
    s = ts_call(g);
    tsi_level_up(&saved);
    return s;
}

/* --- frames --- */

void tsi_frame_unmap(ts_frame *g)
{
    for (int i = 0; i < g->nargs; i++) {
        const ts_value *v = &g->args[i];

        if (v->kind == TS_ARG_TENSOR)
            ts_release(v->tensor);
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++)
            ts_release(v->tensors.v[k]);
    }
    for (int i = 0; g->form == TS_OUT && i < g->nresults; i++)
        ts_release(g->out[i]);
    ts_frame_close(g);
}

static ts_status map_list(ts_value *to, const ts_value *from, int arg, tsi_map_fn fn,
                          void *self)
{
    const int64_t n = from->tensors.n;
    ts_tensor **v = tsi_arena_take(tsi_self(), (size_t)n * sizeof(ts_tensor *) + 1);

    TS_CHECK(v, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a list");
    to->kind = TS_ARG_TENSORS;
    to->tensors.v = v;
    to->tensors.n = n;
    for (int64_t k = 0; k < n; k++)
        v[k] = NULL;
    for (int64_t k = 0; k < n; k++)
        if (from->tensors.v[k])
            TS_TRY(fn(self, arg, from->tensors.v[k], &v[k]));
    return TS_OK;
}

static ts_status map_all(ts_frame *g, const ts_frame *f, tsi_map_fn fn, void *self)
{
    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];

        if (v->kind == TS_ARG_TENSORS) {
            TS_TRY(map_list(&g->args[i], v, i, fn, self));
        } else if (v->kind == TS_ARG_TENSOR && v->tensor) {
            ts_tensor *t = NULL;

            TS_TRY(fn(self, i, v->tensor, &t));
            g->args[i] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = t};
        } else {
            g->args[i] = *v;
        }
    }
    for (int i = 0; g->form == TS_OUT && i < f->nresults; i++)
        if (f->out[i])
            TS_TRY(fn(self, -1, f->out[i], &g->out[i]));
    return TS_OK;
}

ts_status tsi_frame_map(ts_frame *g, const ts_frame *f, ts_form form, tsi_map_fn fn,
                        void *self)
{
    ts_status s;

    TS_TRY(ts_frame_open(g, f->op, form));
    s = map_all(g, f, fn, self);
    if (s != TS_OK)
        tsi_frame_unmap(g);
    return s;
}

ts_status tsi_to_value(void *self, int arg, ts_tensor *t, ts_tensor **out)
{
    (void)arg;
    *out = ts_retain(tsi_value_at(self, t));
    return TS_OK;
}

ts_status tsi_frame_results(ts_frame *f, int n)
{
    return f->op->list_result ? tsi_results(f, n) : TS_OK;
}

bool tsi_is_at(const tsi_level *l, const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++) {
        const ts_value *v = &f->args[i];

        if (v->kind == TS_ARG_TENSOR && tsi_wrap_at(l, v->tensor))
            return true;
        for (int64_t k = 0; v->kind == TS_ARG_TENSORS && k < v->tensors.n; k++)
            if (tsi_wrap_at(l, v->tensors.v[k]))
                return true;
    }
    for (int i = 0; f->form == TS_OUT && i < f->nresults; i++)
        if (tsi_wrap_at(l, f->out[i]))
            return true;
    return false;
}

/* --- the layer --- */

static bool lives(const tsi_thread *t, const tsi_wrap *w)
{
    for (const tsi_level *l = t->level; l; l = l->previous)
        if (l->id == w->level)
            return true;
    return false;
}

/* What grad or jvp followed is its value once the level has ended; a batch is refused. */
static ts_status settle(const tsi_thread *t, const ts_frame *f)
{
    for (int i = 0; i < f->nargs; i++) {
        ts_value *v = &f->args[i];

        while (v->kind == TS_ARG_TENSOR && v->tensor && tsi_of(v->tensor)->wrapped &&
               !lives(t, tsi_of(v->tensor)->wrap)) {
            if (tsi_of(v->tensor)->wrap->kind == TSI_LEVEL_VMAP)
                return tsi_refuse_escaped(v->tensor, f->op->name);
            v->tensor = tsi_of(v->tensor)->wrap->value;
        }
    }
    return TS_OK;
}

static ts_status layer(ts_frame *f)
{
    tsi_thread *t = tsi_self();

    TS_TRY(settle(t, f));
    return t->level->table->call(t->level, f);
}

TSI_BEFORE_MAIN(enter)
{
    tsi_layer_set(TSI_LAYER_TRANSFORM, layer);
}
