/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, frames, and the generated tables by name. */
#include <stdlib.h>

#include "core/core.h"
#include "touchstone/rules.h"

extern const ts_op *const tsi_ops;
extern const int tsi_op_count;
extern const ts_binding *const tsi_bindings;
extern const int tsi_binding_count;
extern const ts_rule *const tsi_rules;
extern const int tsi_rule_count;
extern const ts_page *const tsi_pages;
extern const int tsi_page_count;

ts_scalar ts_int(int64_t v)
{
    return (ts_scalar){.kind = TS_SCALAR_INT, .i = v};
}

ts_scalar ts_float(double v)
{
    return (ts_scalar){.kind = TS_SCALAR_FLOAT, .f = v};
}

ts_scalar ts_bool(bool v)
{
    return (ts_scalar){.kind = TS_SCALAR_BOOL, .i = v};
}

double ts_scalar_f64(ts_scalar s)
{
    return s.kind == TS_SCALAR_FLOAT ? s.f : (double)s.i;
}

ts_status ts_wrapped_number(ts_scalar s, ts_tensor **out)
{
    const ts_dtype dtype = s.kind == TS_SCALAR_FLOAT ? TS_FLOAT64 : tsi_scalar_dtype(s);

    TS_TRY(ts_tensor_new((ts_device){TS_CPU, 0}, dtype, 0, (int64_t[]){0}, out));
    (*out)->wrapped_number = true;
    if (s.kind == TS_SCALAR_FLOAT)
        tsi_store(*out, 0, s.f);
    else
        tsi_store_i64(*out, 0, s.i);
    return TS_OK;
}

void ts_frame_init(ts_frame *f, const ts_op *op, ts_form form)
{
    f->op = op;
    f->form = form;
    f->nargs = op->nparams;
    f->compute = TS_DTYPE_NONE;
    f->flags = 0;
    for (int i = 0; i < op->nparams; i++)
        f->args[i] = op->params[i].default_value;
    for (int i = 0; i < TS_MAX_RESULTS; i++)
        f->results[i] = f->out[i] = NULL;
}

static int by_op_name(const void *key, const void *row)
{
    return strcmp(key, ((const ts_op *)row)->name);
}

const ts_op *ts_op_find(const char *name)
{
    return bsearch(name, tsi_ops, (size_t)tsi_op_count, sizeof *tsi_ops, by_op_name);
}

const ts_op *ts_op_at(int index)
{
    return index >= 0 && index < tsi_op_count ? &tsi_ops[index] : NULL;
}

int ts_op_count(void)
{
    return tsi_op_count;
}

static int by_binding_name(const void *key, const void *row)
{
    return strcmp(key, ((const ts_binding *)row)->name);
}

const ts_binding *ts_binding_find(const char *name)
{
    return bsearch(name, tsi_bindings, (size_t)tsi_binding_count, sizeof *tsi_bindings,
                   by_binding_name);
}

int ts_rule_count(void)
{
    return tsi_rule_count;
}

const ts_rule *ts_rule_at(int index)
{
    return index >= 0 && index < tsi_rule_count ? &tsi_rules[index] : NULL;
}

const ts_rule *ts_rule_find(const char *label)
{
    for (int i = 0; i < tsi_rule_count; i++)
        if (strcmp(tsi_rules[i].label, label) == 0)
            return &tsi_rules[i];
    return NULL;
}

int ts_page_count(void)
{
    return tsi_page_count;
}

const ts_page *ts_page_at(int index)
{
    return index >= 0 && index < tsi_page_count ? &tsi_pages[index] : NULL;
}
