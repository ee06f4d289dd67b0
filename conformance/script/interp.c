/* SPDX-License-Identifier: Apache-2.0 */
/* Statements, and functions of the program. */
#include "interp.h"

#include <string.h>

#include "module.h"

static void bind(tsi_value *slot, tsi_value v)
{
    const tsi_value old = *slot;

    *slot = v;
    tsi_release(old);
}

/* Store v, whose reference stays the caller's. */
static ts_status assign(tsi_interp *in, const tsi_node *to, const tsi_value *v)
{
    tsi_value of, index;
    ts_status s;

    switch (to->kind) {
    case N_GLOBAL:
        bind(&in->globals[to->slot], tsi_retain(*v));
        return TS_OK;
    case N_LOCAL:
        bind(&in->locals[to->slot], tsi_retain(*v));
        return TS_OK;
    case N_ATTR:
        TS_TRY(tsi_eval(in, to->a, &of));
        s = tsi_set_attribute(in, to, &of, v);
        tsi_release(of);
        return s;
    case N_INDEX:
        TS_TRY(tsi_eval(in, to->a, &of));
        s = tsi_eval(in, to->b, &index);
        if (s == TS_OK) {
            s = tsi_set_item(in, &of, &index, v);
            tsi_release(index);
        }
        tsi_release(of);
        return s;
    default:
        break;
    }
    if (v->kind == V_TENSOR) { /* a, b = t: its rows */
        TS_CHECK(v->t->ndim > 0 && v->t->sizes[0] == to->count, TS_ERR_VALUE,
                 "case_language/C5", "expected %d rows to unpack, the tensor has %lld",
                 to->count, v->t->ndim > 0 ? (long long)v->t->sizes[0] : 0LL);
        for (int i = 0; i < to->count; i++) {
            const tsi_value row = tsi_int(i);

            TS_TRY(tsi_get_item(in, v, &row, &of));
            s = assign(in, to->list[i], &of);
            tsi_release(of);
            TS_TRY(s);
        }
        return TS_OK;
    }
    TS_CHECK(tsi_is_sequence(v), TS_ERR_TYPE, "case_language/C5", "cannot unpack '%s'",
             tsi_kind_name(v));
    TS_CHECK(v->o->n == to->count, TS_ERR_VALUE, "case_language/C5",
             "expected %d values to unpack, got %d", to->count, v->o->n);
    for (int i = 0; i < to->count; i++)
        TS_TRY(assign(in, to->list[i], &v->o->v[i]));
    return TS_OK;
}

static ts_status augment(tsi_interp *in, const tsi_node *n)
{
    tsi_value a, b, r, of, index = tsi_none();
    const tsi_node *to = n->a;
    ts_status s;

    if (to->kind == N_GLOBAL || to->kind == N_LOCAL) {
        TS_TRY(tsi_eval(in, to, &a));
        TSI_TRY_OR(tsi_release(a), tsi_eval(in, n->b, &b));
        s = tsi_augment(in, (tsi_operator)n->op, &a, &b, &r);
        tsi_release(a);
        tsi_release(b);
        if (s == TS_OK) {
            s = assign(in, to, &r);
            tsi_release(r);
        }
        return s;
    }
    /* the place is evaluated once, as in Python */
    TS_TRY(tsi_eval(in, to->a, &of));
    s = to->kind == N_INDEX ? tsi_eval(in, to->b, &index) : TS_OK;
    if (s == TS_OK)
        s = to->kind == N_INDEX ? tsi_get_item(in, &of, &index, &a)
                                : tsi_get_attribute(in, to, &of, &a);
    if (s == TS_OK) {
        s = tsi_eval(in, n->b, &b);
        if (s == TS_OK) {
            s = tsi_augment(in, (tsi_operator)n->op, &a, &b, &r);
            tsi_release(b);
        }
        if (s == TS_OK) {
            s = to->kind == N_INDEX ? tsi_set_item(in, &of, &index, &r)
                                    : tsi_set_attribute(in, to, &of, &r);
            tsi_release(r);
        }
        tsi_release(a);
    }
    tsi_release(index);
    tsi_release(of);
    return s;
}

static ts_status range_bounds(tsi_interp *in, const tsi_node *call, int64_t *v)
{
    tsi_args args;
    ts_status s = tsi_arguments(in, call, &args);

    if (s == TS_OK && (args.keywords > 0 || args.n < 1 || args.n > 3))
        s = ts_fail(TS_ERR_TYPE, "case_language/C5", "range() takes 1 to 3 integers");
    for (int i = 0; s == TS_OK && i < args.n; i++) {
        if (args.v[i].kind != V_INT && args.v[i].kind != V_BOOL)
            s = ts_fail(TS_ERR_TYPE, "case_language/C5",
                        "range() takes 1 to 3 integers, not '%s'",
                        tsi_kind_name(&args.v[i]));
        else
            v[args.n == 1 ? 1 : i] = tsi_integer(&args.v[i]);
    }
    if (s == TS_OK && v[2] == 0)
        s = ts_fail(TS_ERR_VALUE, "case_language/C5", "range() with a step of 0");
    tsi_release_args(&args);
    return s;
}

static ts_status for_(tsi_interp *in, const tsi_node *n)
{
    int64_t v[3] = {0, 0, 1}; /* start, stop, step */
    int64_t i;

    TS_TRY(range_bounds(in, n->b, v));
    TS_CHECK(in->nloops < TSI_MAX_LOOPS, TS_ERR_RUNTIME, "case_language/C8",
             "more than %d loops inside each other", TSI_MAX_LOOPS);
    in->nloops++;
    in->loops[in->nloops - 1] = 0;
    for (i = v[0]; v[2] > 0 ? i < v[1] : i > v[1];) {
        const tsi_value at = tsi_int(i);

        TS_TRY(assign(in, n->a, &at));
        TS_TRY(tsi_run_body(in, n->c));
        if (in->returning)
            break;
        TS_TRY(tsi_step(in));
        in->loops[in->nloops - 1]++;
        if (__builtin_add_overflow(i, v[2], &i))
            break;
    }
    in->nloops--;
    return TS_OK;
}

static void restore_mode(const tsi_value *mode)
{
    ts_set_grad_enabled(mode->aux);
}

static ts_status with_object(tsi_interp *in, const tsi_node *n, const tsi_value *mode)
{
    const tsi_module_class *class_ = mode->o->class_;
    tsi_value as = tsi_none();
    ts_status s = TS_OK;

    if (class_->enter != NULL)
        TS_TRY(class_->enter(in, mode->o->self, &as));
    if (n->b != NULL)
        s = assign(in, n->b, &as);
    tsi_release(as);
    if (s == TS_OK)
        s = tsi_run_body(in, n->c);
    return class_->leave(in, mode->o->self, s);
}

static ts_status with(tsi_interp *in, const tsi_node *n)
{
    tsi_value mode;
    ts_status s;

    TS_TRY(tsi_eval(in, n->a, &mode));
    if (mode.kind == V_OBJECT && mode.o->class_->leave != NULL) {
        s = with_object(in, n, &mode);
        tsi_release(mode);
        return s;
    }
    if (mode.kind != V_MODE) {
        const char *kind = tsi_kind_name(&mode);

        tsi_release(mode);
        return ts_fail(TS_ERR_TYPE, "case_language/C5", "'%s' is no context manager",
                       kind);
    }
    /* set_grad_enabled has acted already, when it was called, and knows the mode before
     */
    if (mode.callee->native != NATIVE_SET_GRAD_ENABLED)
        mode.aux =
            (uint8_t)ts_set_grad_enabled(mode.callee->native == NATIVE_ENABLE_GRAD);
    s = n->b != NULL ? assign(in, n->b, &(tsi_value){.kind = V_NONE}) : TS_OK;
    if (s == TS_OK)
        s = tsi_run_body(in, n->c);
    restore_mode(&mode);
    return s;
}

static ts_status delete (tsi_interp *in, const tsi_node *n)
{
    tsi_value *slot =
        n->a->kind == N_GLOBAL ? &in->globals[n->a->slot] : &in->locals[n->a->slot];

    TS_CHECK(slot->kind != V_UNBOUND, TS_ERR_RUNTIME, "case_language/C9",
             "name '%s' has no value yet", n->a->name);
    bind(slot, (tsi_value){.kind = V_UNBOUND});
    return TS_OK;
}

static ts_status statement(tsi_interp *in, const tsi_node *n)
{
    tsi_value v;
    ts_status s;
    bool truth;

    switch (n->kind) {
    case S_ASSIGN:
        TS_TRY(tsi_eval(in, n->b, &v));
        s = assign(in, n->a, &v);
        tsi_release(v);
        return s;
    case S_AUGMENT:
        return augment(in, n);
    case S_EXPR:
        TS_TRY(tsi_eval(in, n->a, &v));
        tsi_release(v);
        return TS_OK;
    case S_DEF:
        return assign(in, &(tsi_node){.kind = N_GLOBAL, .slot = n->slot},
                      &(tsi_value){.kind = V_DEF, .node = n});
    case S_CLASS:
        return assign(in, &(tsi_node){.kind = N_GLOBAL, .slot = n->slot},
                      &(tsi_value){.kind = V_CLASS, .node = n});
    case S_RETURN:
        in->result = tsi_none();
        if (n->a != NULL)
            TS_TRY(tsi_eval(in, n->a, &in->result));
        in->returning = true;
        return TS_OK;
    case S_IF:
        TS_TRY(tsi_eval(in, n->a, &v));
        s = tsi_truth(in, &v, &truth);
        tsi_release(v);
        TS_TRY(s);
        return tsi_run_body(in, truth ? n->c : n->b);
    case S_FOR:
        return for_(in, n);
    case S_WITH:
        return with(in, n);
    case S_DEL:
        return delete (in, n);
    default:
        return TS_OK;
    }
}

ts_status tsi_run_body(tsi_interp *in, const tsi_node *body)
{
    for (const tsi_node *n = body; n != NULL && !in->returning; n = n->next) {
        ts_status s;

        in->line = n->line;
        s = statement(in, n);
        if (s != TS_OK) {
            if (in->error_line == 0)
                in->error_line = n->line;
            return s;
        }
    }
    return TS_OK;
}

/* --- functions of the program */

static ts_status bind_parameters(tsi_interp *in, const tsi_function *f,
                                 const tsi_value *first, const tsi_args *args,
                                 tsi_value *locals)
{
    const int positional = args->n - args->keywords, lead = first != NULL;
    const int plain = f->nparams - f->varargs;
    tsi_value rest;

    if (lead)
        locals[0] = tsi_retain(*first);
    TS_CHECK(positional + lead <= plain || f->varargs, TS_ERR_TYPE, "case_language/C5",
             "%s() takes %d arguments, got %d", f->name, plain, positional + lead);
    for (int i = 0; i < positional && i + lead < plain; i++)
        locals[i + lead] = tsi_retain(args->v[i]);
    for (int k = 0; k < args->keywords; k++) {
        int i = 0;

        while (i < plain && f->params[i] != args->names[k] &&
               strcmp(f->params[i], args->names[k]) != 0)
            i++;
        TS_CHECK(i < plain, TS_ERR_TYPE, "case_language/C5", "%s() has no parameter '%s'",
                 f->name, args->names[k]);
        TS_CHECK(locals[i].kind == V_UNBOUND, TS_ERR_TYPE, "case_language/C5",
                 "%s() got two values for '%s'", f->name, args->names[k]);
        locals[i] = tsi_retain(args->v[positional + k]);
    }
    for (int i = 0; i < plain; i++) {
        if (locals[i].kind != V_UNBOUND)
            continue;
        TS_CHECK(f->defaults[i] != NULL, TS_ERR_TYPE, "case_language/C5",
                 "%s() lacks a value for '%s'", f->name, f->params[i]);
        TS_TRY(tsi_eval(in, f->defaults[i], &locals[i]));
    }
    if (!f->varargs)
        return TS_OK;
    TS_TRY(tsi_object_new(in, V_TUPLE, positional, &rest));
    for (int i = plain - lead < 0 ? 0 : plain - lead; i < positional; i++)
        rest.o->v[rest.o->n++] = tsi_retain(args->v[i]);
    locals[plain] = rest;
    return TS_OK;
}

ts_status tsi_run_function(tsi_interp *in, const tsi_node *def, const tsi_value *first,
                           const tsi_args *args, tsi_value *out)
{
    const tsi_function *f = def->function;
    tsi_value *before = in->locals, *locals;
    const int loops = in->nloops;
    ts_status s;

    TS_CHECK(!in->active[f->index] && in->calls < TSI_MAX_CALLS, TS_ERR_RUNTIME,
             "case_language/C8", "%s() calls itself", f->name);
    locals = tsi_pool_alloc(in->pool, (size_t)(f->nlocals + 1) * sizeof *locals);
    if (locals == NULL)
        return tsi_no_memory();
    s = bind_parameters(in, f, first, args, locals);
    if (s == TS_OK) {
        in->active[f->index] = true;
        in->calls++;
        in->locals = locals;
        in->result = tsi_none();
        s = tsi_run_body(in, def->c);
        in->locals = before;
        in->calls--;
        in->active[f->index] = false;
        in->returning = false;
        in->nloops = loops;
        if (s == TS_OK)
            *out = in->result;
        else if (in->result.kind >= V_TENSOR)
            tsi_release(in->result);
        in->result = tsi_none();
    }
    for (int i = 0; i < f->nlocals; i++)
        tsi_release(locals[i]);
    return s;
}
