/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions. */
#include "interp.h"

#include <string.h>

ts_status tsi_truth(tsi_interp *in, const tsi_value *v, bool *out)
{
    tsi_value item;

    switch (v->kind) {
    case V_NONE:
        *out = false;
        return TS_OK;
    case V_BOOL:
        *out = v->b;
        return TS_OK;
    case V_INT:
        *out = v->i != 0;
        return TS_OK;
    case V_FLOAT:
        *out = v->f != 0;
        return TS_OK;
    case V_STR:
        *out = *v->s != '\0';
        return TS_OK;
    case V_TUPLE:
    case V_LIST:
        *out = v->o->n > 0;
        return TS_OK;
    case V_TENSOR:
        TS_CHECK(v->t->numel == 1, TS_ERR_RUNTIME, "item/C1",
                 "the truth of a tensor of %lld elements is ambiguous",
                 (long long)v->t->numel);
        TS_TRY(tsi_item(in, v->t, &item));
        *out = tsi_number(&item) != 0;
        return TS_OK;
    default:
        *out = true;
        return TS_OK;
    }
}

static ts_status load(const tsi_value *slot, const tsi_node *n, tsi_value *out)
{
    TS_CHECK(slot->kind != V_UNBOUND, TS_ERR_RUNTIME, "case_language/C9",
             "name '%s' has no value yet", n->name);
    *out = tsi_retain(*slot);
    return TS_OK;
}

static ts_status sequence(tsi_interp *in, const tsi_node *n, tsi_value *out)
{
    TS_TRY(tsi_object_new(in, n->kind == N_TUPLE ? V_TUPLE : V_LIST, n->count, out));
    for (int i = 0; i < n->count; i++) {
        TSI_TRY_OR(tsi_release(*out), tsi_eval(in, n->list[i], &out->o->v[i]));
        out->o->n++;
    }
    return TS_OK;
}

static ts_status slice(tsi_interp *in, const tsi_node *n, tsi_value *out)
{
    const tsi_node *parts[3] = {n->a, n->b, n->c};

    TS_TRY(tsi_object_new(in, V_SLICE, 3, out));
    for (int i = 0; i < 3; i++) {
        out->o->v[i] = tsi_none();
        if (parts[i] != NULL)
            TSI_TRY_OR(tsi_release(*out), tsi_eval(in, parts[i], &out->o->v[i]));
        out->o->n++;
    }
    return TS_OK;
}

ts_status tsi_arguments(tsi_interp *in, const tsi_node *n, tsi_args *args)
{
    args->n = 0;
    args->keywords = n->keywords;
    args->names = (const char *const *)n->names;
    for (int i = 0; i < n->count; i++) {
        const tsi_node *a = n->list[i];
        tsi_value v;

        if (a->kind != N_STAR) {
            if (args->n == TSI_MAX_CALL_ARGS)
                goto too_many;
            TS_TRY(tsi_eval(in, a, &args->v[args->n]));
            args->n++;
            continue;
        }
        TS_TRY(tsi_eval(in, a->a, &v));
        if (!tsi_is_sequence(&v)) {
            const char *kind = tsi_kind_name(&v);

            tsi_release(v);
            return ts_fail(TS_ERR_TYPE, "case_language/C5",
                           "argument after * must be a list or tuple, not '%s'", kind);
        }
        if (v.o->n > TSI_MAX_CALL_ARGS - args->n) {
            tsi_release(v);
            goto too_many;
        }
        for (int k = 0; k < v.o->n; k++)
            args->v[args->n++] = tsi_retain(v.o->v[k]);
        tsi_release(v);
    }
    return TS_OK;
too_many:
    return ts_fail(TS_ERR_TYPE, "case_language/C8", "more than %d arguments",
                   TSI_MAX_CALL_ARGS);
}

static ts_status call(tsi_interp *in, const tsi_node *n, tsi_value *out)
{
    const tsi_node *callee = n->a;
    const bool method = callee->kind == N_ATTR;
    tsi_value f;
    tsi_args args;
    ts_status s;

    TS_TRY(tsi_eval(in, method ? callee->a : callee, &f));
    s = tsi_arguments(in, n, &args);
    in->line = n->line;
    in->called = n;
    if (s == TS_OK)
        s = method ? tsi_call_method(in, callee, &f, &args, out)
                   : tsi_call_value(in, &f, &args, out);
    if (s != TS_OK && in->error_line == 0)
        in->error_line = n->line;
    tsi_release_args(&args);
    tsi_release(f);
    return s;
}

static ts_status two(tsi_interp *in, const tsi_node *n, tsi_value *out)
{
    tsi_value a, b;
    ts_status s;

    TS_TRY(tsi_eval(in, n->a, &a));
    s = tsi_eval(in, n->b, &b);
    if (s == TS_OK) {
        in->line = n->line;
        if (n->kind == N_BINARY)
            s = tsi_binary(in, (tsi_operator)n->op, &a, &b, out);
        else if (n->kind == N_COMPARE)
            s = tsi_compare(in, (tsi_operator)n->op, &a, &b, out);
        else
            s = tsi_get_item(in, &a, &b, out);
        tsi_release(b);
    }
    tsi_release(a);
    return s;
}

static ts_status logical(tsi_interp *in, const tsi_node *n, tsi_value *out)
{
    bool truth;

    TS_TRY(tsi_eval(in, n->a, out));
    TSI_TRY_OR(tsi_release(*out), tsi_truth(in, out, &truth));
    if (truth == (n->kind == N_OR))
        return TS_OK;
    tsi_release(*out);
    return tsi_eval(in, n->b, out);
}

static ts_status one(tsi_interp *in, const tsi_node *n, tsi_value *out)
{
    tsi_value a;
    ts_status s;
    bool truth;

    TS_TRY(tsi_eval(in, n->a, &a));
    if (n->kind == N_UNARY) {
        s = tsi_unary(in, (tsi_operator)n->op, &a, out);
    } else if (n->kind == N_ATTR) {
        s = tsi_get_attribute(in, n, &a, out);
    } else {
        s = tsi_truth(in, &a, &truth);
        if (s == TS_OK)
            *out = tsi_bool(!truth);
    }
    tsi_release(a);
    return s;
}

/* One step of the budget. */
ts_status tsi_step(tsi_interp *in)
{
    if (--in->steps >= 0)
        return TS_OK;
    return ts_fail(
        TS_ERR_RUNTIME, "case_language/C8", "the program needs more than %lld steps",
        (long long)(in->options->steps ? in->options->steps : TSI_DEFAULT_STEPS));
}

ts_status tsi_eval(tsi_interp *in, const tsi_node *n, tsi_value *out)
{
    TS_TRY(tsi_step(in));
    switch (n->kind) {
    case N_CONST:
        *out = n->value;
        return TS_OK;
    case N_GLOBAL:
        return load(&in->globals[n->slot], n, out);
    case N_LOCAL:
        return load(&in->locals[n->slot], n, out);
    case N_CALL:
        return call(in, n, out);
    case N_BINARY:
    case N_COMPARE:
    case N_INDEX:
        return two(in, n, out);
    case N_ATTR:
    case N_UNARY:
    case N_NOT:
        return one(in, n, out);
    case N_AND:
    case N_OR:
        return logical(in, n, out);
    case N_SLICE:
        return slice(in, n, out);
    default:
        return sequence(in, n, out);
    }
}
