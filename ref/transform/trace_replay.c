/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a trace once more, on other inputs. */
#include <stdlib.h>

#include "transform/trace.h"

/* --- inputs --- */

ts_status tsi_trace_input_of(const ts_tensor *t, tsi_trace_input *out)
{
    const size_t n = (size_t)t->ndim;

    *out = (tsi_trace_input){t->dtype, t->device, t->ndim, ts_is_wrapped_number(t),
                             malloc((2 * n + 1) * sizeof *out->sizes)};
    TS_CHECK(out->sizes, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a trace");
    memcpy(out->sizes, t->sizes, n * sizeof *out->sizes);
    memcpy(out->sizes + n, t->strides, n * sizeof *out->sizes);
    return TS_OK;
}

/* Strides that say nothing, those of dims of size 1, may differ. */
static bool same_strides(const tsi_trace_input *in, const ts_tensor *t)
{
    for (int d = 0; t->numel > 0 && d < t->ndim; d++)
        if (t->sizes[d] > 1 && t->strides[d] != in->sizes[in->ndim + d])
            return false;
    return true;
}

static ts_status check_input(int i, const tsi_trace_input *in, const ts_tensor *t)
{
    char have[128], want[128], here[TSI_DEVICE_TEXT], there[TSI_DEVICE_TEXT];

    TS_CHECK(t, TS_ERR_TYPE, "errors/C2", "replay: input %d is NULL", i);
    if (t->dtype == in->dtype && tsi_same_device(t->device, in->device) &&
        t->ndim == in->ndim && tsi_equal_sizes(in->ndim, in->sizes, t->sizes) &&
        ts_is_wrapped_number(t) == in->number && same_strides(in, t))
        return TS_OK;
    return ts_fail(
        TS_ERR_RUNTIME, "func/C25",
        "replay: input %d is %s%s on %s, but the trace was made of %s%s on %s, "
        "and of its strides",
        i, ts_dtype_name(t->dtype), tsi_sizes_text(have, sizeof have, t->ndim, t->sizes),
        tsi_device_text(here, t->device), ts_dtype_name(in->dtype),
        tsi_sizes_text(want, sizeof want, in->ndim, in->sizes),
        tsi_device_text(there, in->device));
}

/* --- one call --- */

typedef struct replay {
    const ts_trace *tr;
    ts_tensor **values, **constants;
    ts_tensor **given; /* room for the tensors of one call */
} replay;

static ts_tensor *tensor_of(const replay *p, int64_t ref)
{
    return ref == TSI_TRACE_NONE ? NULL
           : ref >= 0            ? p->values[ref]
                                 : p->constants[-1 - ref];
}

static void give(const replay *p, const tsi_trace_record *r, ts_frame *f)
{
    int at = 0;

    for (int k = 0; k < r->nrefs; k++)
        p->given[k] = tensor_of(p, r->refs[k]);
    for (int i = 0; i < r->nargs; i++) {
        ts_value *v = &f->args[i];

        *v = r->args[i];
        if (v->kind == TS_ARG_TENSOR && v->tensor) {
            v->tensor = p->given[at++];
        } else if (v->kind == TS_ARG_TENSORS) {
            v->tensors.v = p->given + at;
            at += (int)v->tensors.n;
        }
    }
    for (int i = 0; r->form == TS_OUT && i < f->nresults; i++)
        f->out[i] = p->given[at++];
}

static ts_status check_results(int64_t number, const tsi_trace_record *r,
                               const ts_frame *f)
{
    char have[128], want[128];

    TS_CHECK(f->nresults == r->nresults, TS_ERR_RUNTIME, "func/C26",
             "replay: %s gives %d results, where the trace has %d", r->op->name,
             f->nresults, r->nresults);
    for (int i = 0; i < r->nresults; i++) {
        const tsi_trace_shape *s = &r->shapes[i];
        const ts_tensor *t = f->results[i];

        TS_CHECK(t->dtype == s->dtype && tsi_same_device(t->device, s->device) &&
                     t->ndim == s->ndim && tsi_equal_sizes(t->ndim, t->sizes, s->sizes),
                 TS_ERR_RUNTIME, "func/C26",
                 "replay: %s, record %" PRId64 ", gives %s%s, where the trace has %s%s",
                 r->op->name, number, ts_dtype_name(t->dtype),
                 tsi_sizes_text(have, sizeof have, t->ndim, t->sizes),
                 ts_dtype_name(s->dtype),
                 tsi_sizes_text(want, sizeof want, s->ndim, s->sizes));
    }
    return TS_OK;
}

static ts_status call(const replay *p, int64_t number)
{
    const tsi_trace_record *r = p->tr->records[number];
    ts_frame f;
    ts_status s;

    TS_TRY(ts_frame_open(&f, r->op, r->form));
    give(p, r, &f);
    if (r->quiet) {
        const bool mode = ts_set_grad_enabled(false);

        s = ts_call(&f);
        ts_set_grad_enabled(mode);
    } else {
        s = ts_call(&f);
    }
    if (s == TS_OK) {
        s = check_results(number, r, &f);
        for (int i = 0; i < f.nresults; i++)
            if (s == TS_OK)
                p->values[r->first + i] = f.results[i];
            else
                ts_release(f.results[i]);
    }
    ts_frame_close(&f);
    return s;
}

/* --- all of them --- */

static void let_go(const replay *p, int64_t value, int64_t record)
{
    if (value >= 0 && p->tr->last[value] == record) {
        ts_release(p->values[value]);
        p->values[value] = NULL;
    }
}

static ts_status run(const replay *p, ts_tensor *const *inputs, ts_tensor **results)
{
    const ts_trace *tr = p->tr;

    for (int i = 0; i < tr->ninputs; i++)
        p->values[i] = ts_retain(inputs[i]);
    for (int64_t k = 0; k < tr->nconstants; k++) {
        const tsi_trace_constant *c = &tr->constants[k];

        if (c->copy)
            TS_TRY(tsi_trace_copy(c->copy, &p->constants[k]));
        else
            p->constants[k] = ts_retain(c->t);
    }
    for (int64_t i = 0; i < tr->nrecords; i++) {
        const tsi_trace_record *r = tr->records[i];

        TS_TRY(call(p, i));
        for (int k = 0; k < r->nrefs; k++)
            let_go(p, r->refs[k], i);
        for (int k = 0; k < r->nresults; k++)
            let_go(p, r->first + k, i);
    }
    for (int i = 0; i < tr->nresults; i++)
        results[i] = ts_retain(tensor_of(p, tr->results[i]));
    return TS_OK;
}

ts_status ts_trace_replay(const ts_trace *tr, int ninputs, ts_tensor *const *inputs,
                          ts_tensor **results)
{
    const int64_t n = tr->nvalues + tr->nconstants;
    replay p = {.tr = tr};
    ts_status s;

    TS_CHECK(ninputs == tr->ninputs, TS_ERR_RUNTIME, "func/C25",
             "replay: %d inputs, where the trace has %d", ninputs, tr->ninputs);
    for (int i = 0; i < ninputs; i++)
        TS_TRY(check_input(i, &tr->inputs[i], inputs[i]));
    p.values = calloc((size_t)(n + tr->most) + 1, sizeof(ts_tensor *));
    TS_CHECK(p.values, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a replay");
    p.constants = p.values + tr->nvalues;
    p.given = p.constants + tr->nconstants;
    for (int i = 0; i < tr->nresults; i++)
        results[i] = NULL;
    s = run(&p, inputs, results);
    for (int64_t v = 0; v < n; v++)
        ts_release(p.values[v]);
    free(p.values);
    return s;
}
