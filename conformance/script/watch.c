/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include <stdio.h>

#include "interp.h"
#include "print.h"

enum { MOST_WATCHED = 64 };

typedef struct watched {
    const ts_tensor *t;
    int arg;
    tsi_print before;
} watched;

/* What is watched in one call. */
typedef struct watch {
    int n;
    watched of[MOST_WATCHED];
} watch;

static _Thread_local bool watching;

bool tsi_call_is_watched(void)
{
    return watching;
}

static bool is_written(const ts_frame *f, const ts_tensor *t)
{
    const int64_t id = ts_storage_id(ts_tensor_storage(t));
    const ts_value *self = &f->args[0];

    if (f->form == TS_INPLACE && self->kind == TS_ARG_TENSOR &&
        ts_storage_id(ts_tensor_storage(self->tensor)) == id)
        return true;
    for (int64_t k = 0;
         f->form == TS_INPLACE && self->kind == TS_ARG_TENSORS && k < self->tensors.n;
         k++)
        if (ts_storage_id(ts_tensor_storage(self->tensors.v[k])) == id)
            return true;
    for (int i = 0; f->form == TS_OUT && i < f->op->nresults; i++)
        if (f->out[i] != NULL && ts_storage_id(ts_tensor_storage(f->out[i])) == id)
            return true;
    return false;
}

static ts_status add(const ts_frame *f, const ts_tensor *t, int arg, watch *w)
{
    if (t == NULL || w->n == MOST_WATCHED || !tsi_may_look(t) || ts_is_followed(t) ||
        is_written(f, t))
        return TS_OK;
    TS_TRY(tsi_print_take(t, &w->of[w->n].before));
    w->of[w->n].t = t;
    w->of[w->n++].arg = arg;
    return TS_OK;
}

static ts_status add_all(const ts_frame *f, watch *w)
{
    for (int i = 0; i < f->nargs; i++) {
        if (f->args[i].kind == TS_ARG_TENSOR)
            TS_TRY(add(f, f->args[i].tensor, i, w));
        for (int64_t k = 0; f->args[i].kind == TS_ARG_TENSORS && k < f->args[i].tensors.n;
             k++)
            TS_TRY(add(f, f->args[i].tensors.v[k], i, w));
    }
    return TS_OK;
}

static ts_status check(tsi_interp *in, const ts_frame *f, const watch *w)
{
    for (int i = 0; i < w->n; i++) {
        char where[120], reason[400];
        bool same;

        TS_TRY(tsi_print_same(w->of[i].t, &w->of[i].before, &same, where, sizeof where));
        if (same)
            continue;
        snprintf(reason, sizeof reason, "%.60s wrote to its argument '%.60s': %s",
                 f->op->name, f->op->params[w->of[i].arg].name, where);
        TS_TRY(tsi_report_fault(in, TSI_EXPECT_INPUTS, reason));
    }
    return TS_OK;
}

/* A program's gradients may run inside the call, and free what they like: only storages
 * that the arguments themselves hold are compared. */
ts_status tsi_call_watched(tsi_interp *in, ts_frame *f)
{
    watch w;
    ts_status s, checked = TS_OK;

    w.n = 0;
    s = add_all(f, &w);
    if (s == TS_OK) {
        const bool before = watching;

        watching = true;
        s = ts_call(f);
        watching = before;
        if (s != TS_ERR_UNSUPPORTED)
            checked = check(in, f, &w);
        if (s == TS_OK && checked != TS_OK) {
            for (int i = 0; i < f->nresults; i++)
                ts_release(f->results[i]);
            s = checked;
        }
    }
    for (int i = 0; i < w.n; i++)
        tsi_print_free(&w.of[i].before);
    return s;
}
