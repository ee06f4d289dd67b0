/* SPDX-License-Identifier: Apache-2.0 */
/* A level of grad: calls are recorded by ref/grad on wrappers of the level, and made one
 * level down. */
#include "core/rooms.h"
#include "grad/graph.h"
#include "transform/level.h"

/* --- one level down --- */

static ts_status wrap_results(tsi_level *l, ts_frame *f, ts_frame *g)
{
    ts_status s = tsi_frame_results(f, g->nresults);

    for (int i = 0; s == TS_OK && i < f->nresults; i++) {
        if (f->form == TS_INPLACE || f->form == TS_OUT) {
            f->results[i] = ts_retain(f->form == TS_OUT ? f->out[i] : f->args[0].tensor);
            continue;
        }
        if (f->op->scalar_result) {
            f->results[i] = ts_retain(g->results[i]);
            continue;
        }
        s = tsi_wrap_new(l, g->results[i], -1, &f->results[i]);
        if (s == TS_OK && f->op->kind == TS_VIEW)
            tsi_wrap_view_of(f->results[i], f->args[0].tensor);
    }
    return s;
}

static ts_status below(ts_frame *f)
{
    tsi_level *l = tsi_self()->level;
    ts_frame g;
    ts_status s;

    TS_TRY(tsi_frame_map(&g, f, f->form, tsi_to_value, l));
    s = tsi_call_down(l, &g);
    if (s == TS_OK) {
        s = wrap_results(l, f, &g);
        for (int i = 0; i < g.nresults; i++)
            ts_release(g.results[i]);
    }
    tsi_frame_unmap(&g);
    return s;
}

/* --- the call --- */

static ts_status lift(void *self, int arg, ts_tensor *t, ts_tensor **out)
{
    (void)arg;
    if (!tsi_wrap_at(self, t))
        return tsi_wrap_new(self, t, -1, out);
    *out = ts_retain(t);
    return TS_OK;
}

static bool writes_captured(const tsi_level *l, const ts_frame *f)
{
    return f->form == TS_INPLACE && f->args[0].kind == TS_ARG_TENSOR &&
           !tsi_wrap_at(l, f->args[0].tensor);
}

static ts_status call(tsi_level *l, ts_frame *f)
{
    tsi_thread *t = tsi_self();
    const ts_frame *before = t->inside;
    ts_frame g;
    ts_status s;

    if (writes_captured(l, f)) {
        TS_CHECK(!tsi_is_at(l, f), TS_ERR_RUNTIME, "func/C5",
                 "%s_: a tensor from outside of a function under grad can't be written "
                 "in place in it",
                 f->op->name);
        return tsi_call_down(l, f);
    }
    TS_TRY(tsi_frame_map(&g, f, f->form, lift, l));
    t->inside = &g;
    s = f->op->factory ? below(&g) : tsi_autograd_layer(&g);
    t->inside = before;
    if (s == TS_OK && f->op->list_result)
        s = tsi_frame_results(f, g.nresults);
    for (int i = 0; s == TS_OK && i < g.nresults; i++) {
        f->results[i] = g.results[i];
        g.results[i] = NULL;
    }
    tsi_frame_unmap(&g);
    return s;
}

const tsi_level_table tsi_grad_table = {call, tsi_grad_function};

TSI_BEFORE_MAIN(enter)
{
    tsi_rooms.level_below = below;
}

/* --- in and out --- */

ts_status ts_grad_begin(ts_level **out)
{
    return tsi_level_begin(TSI_LEVEL_GRAD, out);
}

ts_status ts_grad_enter(ts_level *l, ts_tensor *t, ts_tensor **out)
{
    ts_status s;

    TS_CHECK(ts_dtype_is_floating(t->dtype), TS_ERR_RUNTIME, "func/C10",
             "grad: only floating point tensors can require gradients, not %s",
             ts_dtype_name(t->dtype));
    TS_TRY(tsi_wrap_new(l, t, -1, out));
    s = tsi_require_grad(*out, true);
    if (s != TS_OK) {
        ts_release(*out);
        *out = NULL;
    }
    return s;
}

ts_status ts_grad_leave(ts_level *l, ts_tensor *t, ts_tensor **out)
{
    *out = ts_retain(tsi_value_at(l, t));
    return TS_OK;
}
