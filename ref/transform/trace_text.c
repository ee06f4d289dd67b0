/* SPDX-License-Identifier: Apache-2.0 */
/* A record in one line: "%2 = mul(%0, %1)". */
#include <stdarg.h>
#include <stdio.h>

#include "transform/trace.h"

typedef struct line {
    char *text;
    size_t n, at;
} line;

__attribute__((format(printf, 2, 3))) static void put(line *o, const char *format, ...)
{
    const size_t room = o->at < o->n ? o->n - o->at : 0;
    va_list ap;
    int m;

    va_start(ap, format);
    m = vsnprintf(room ? o->text + o->at : NULL, room, format, ap);
    va_end(ap);
    o->at += m > 0 ? (size_t)m : 0;
}

static void put_ref(line *o, int64_t ref)
{
    if (ref == TSI_TRACE_NONE)
        put(o, "None");
    else if (ref >= 0)
        put(o, "%%%" PRId64, ref);
    else
        put(o, "$%" PRId64, -1 - ref);
}

static const char *truth(bool b)
{
    return b ? "True" : "False";
}

/* So that it is seen to be no int: 1.0, not 1. */
static void put_float(line *o, double v)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g", v);
    put(o, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

static void put_scalar(line *o, ts_scalar v)
{
    if (v.kind == TS_SCALAR_FLOAT)
        put_float(o, v.f);
    else if (v.kind == TS_SCALAR_BOOL)
        put(o, "%s", truth(v.i != 0));
    else
        put(o, "%" PRId64, v.i);
}

static const char *format_name(ts_memory_format f)
{
    static const char *const names[] = {"None", "contiguous_format", "preserve_format",
                                        "channels_last"};

    return names[f];
}

static void put_list(line *o, const ts_value *v, const int64_t *refs)
{
    const int64_t n = v->kind == TS_ARG_TENSORS  ? v->tensors.n
                      : v->kind == TS_ARG_FLOATS ? v->floats.n
                      : v->kind == TS_ARG_BOOLS  ? v->bools.n
                                                 : v->ints.n;

    put(o, "[");
    for (int64_t k = 0; k < n; k++) {
        put(o, k ? ", " : "");
        if (v->kind == TS_ARG_TENSORS)
            put_ref(o, refs[k]);
        else if (v->kind == TS_ARG_FLOATS)
            put_float(o, v->floats.v[k]);
        else if (v->kind == TS_ARG_BOOLS)
            put(o, "%s", truth(v->bools.v[k]));
        else
            put(o, "%" PRId64, v->ints.v[k]);
    }
    put(o, "]");
}

static void put_value(line *o, const ts_value *v, const int64_t *refs)
{
    char device[TSI_DEVICE_TEXT];

    switch (v->kind) {
    case TS_ARG_TENSOR:
        put_ref(o, v->tensor ? *refs : TSI_TRACE_NONE);
        break;
    case TS_ARG_SCALAR:
        put_scalar(o, v->scalar);
        break;
    case TS_ARG_INT:
        put(o, "%" PRId64, v->i);
        break;
    case TS_ARG_FLOAT:
        put_float(o, v->f);
        break;
    case TS_ARG_BOOL:
        put(o, "%s", truth(v->b));
        break;
    case TS_ARG_TENSORS:
    case TS_ARG_INTS:
    case TS_ARG_FLOATS:
    case TS_ARG_BOOLS:
        put_list(o, v, refs);
        break;
    case TS_ARG_DTYPE:
        put(o, "%s", ts_dtype_name(v->dtype));
        break;
    case TS_ARG_DEVICE:
        put(o, "'%s'", tsi_device_text(device, v->device));
        break;
    case TS_ARG_MEMORY_FORMAT:
        put(o, "%s", format_name(v->memory_format));
        break;
    case TS_ARG_STRING:
        put(o, "'%s'", v->string ? v->string : "");
        break;
    case TS_ARG_FUNCTION:
        put(o, "<function>");
        break;
    default:
        put(o, "None");
    }
}

/* Not worth a word: None, or the number that it is anyway. */
static bool left_out(const ts_param *p, const ts_value *v)
{
    const ts_value *d = &p->default_value;

    if (v->kind == TS_ARG_NONE || (v->kind == TS_ARG_TENSOR && !v->tensor))
        return true;
    if (v->kind == TS_ARG_GENERATOR) /* none was given: it would not be recorded */
        return true;
    if (v->kind == TS_ARG_DTYPE && v->dtype == TS_DTYPE_NONE)
        return true;
    if (v->kind == TS_ARG_DEVICE && (int)v->device.type == TS_DEVICE_NONE)
        return true;
    if (v->kind == TS_ARG_MEMORY_FORMAT && v->memory_format == TS_MEMORY_FORMAT_NONE)
        return true;
    if (!p->has_default || d->kind != v->kind)
        return false;
    switch (v->kind) {
    case TS_ARG_INT:
        return d->i == v->i;
    case TS_ARG_BOOL:
        return d->b == v->b;
    case TS_ARG_FLOAT:
        return memcmp(&d->f, &v->f, sizeof v->f) == 0;
    case TS_ARG_SCALAR:
        return d->scalar.kind == v->scalar.kind &&
               (v->scalar.kind == TS_SCALAR_FLOAT
                    ? memcmp(&d->scalar.f, &v->scalar.f, sizeof v->scalar.f) == 0
                    : d->scalar.i == v->scalar.i);
    default:
        return false;
    }
}

static int tensors_in(const ts_value *v)
{
    return v->kind == TS_ARG_TENSOR    ? v->tensor != NULL
           : v->kind == TS_ARG_TENSORS ? (int)v->tensors.n
                                       : 0;
}

static void put_args(line *o, const tsi_trace_record *r)
{
    bool named = false, first = true;
    int at = 0;

    for (int i = 0; i < r->nargs; i++) {
        const ts_param *p = &r->op->params[i];
        const ts_value *v = &r->args[i];

        if (left_out(p, v)) {
            named = true;
            continue;
        }
        put(o, first ? "" : ", ");
        if (named || p->keyword_only)
            put(o, "%s=", p->name);
        put_value(o, v, r->refs + at);
        at += tensors_in(v);
        first = false;
    }
    for (; r->form == TS_OUT && at < r->nrefs; at++) {
        put(o, "%sout=", first ? "" : ", ");
        put_ref(o, r->refs[at]);
        first = false;
    }
}

const char *ts_trace_text(const ts_trace *tr, int64_t i, char *text, size_t n)
{
    line o = {text, n, 0};

    if (n > 0)
        text[0] = '\0';
    if (i < 0 || i >= tr->nrecords)
        return text;

    const tsi_trace_record *r = tr->records[i];

    for (int k = 0; k < r->nresults; k++) {
        put(&o, k ? ", " : "");
        put_ref(&o, r->first + k);
    }
    put(&o, "%s%s%s(", r->nresults ? " = " : "", r->op->name,
        r->form == TS_INPLACE ? "_" : "");
    put_args(&o, r);
    put(&o, ")");
    return text;
}
