/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and expressions: one case, one layout, one device. */
#include "interp.h"
#include "module.h"

#include <stdio.h>
#include <string.h>

#define TRY_OR(cleanup, call)             \
    do {                                  \
        const ts_status status_ = (call); \
        if (status_ != TS_OK) {           \
            cleanup;                      \
            return status_;               \
        }                                 \
    } while (0)

/* --- expressions
 * ------------------------------------------------------------------------ */

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
        TRY_OR(tsi_release(*out), tsi_eval(in, n->list[i], &out->o->v[i]));
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
            TRY_OR(tsi_release(*out), tsi_eval(in, parts[i], &out->o->v[i]));
        out->o->n++;
    }
    return TS_OK;
}

static ts_status arguments(tsi_interp *in, const tsi_node *n, tsi_args *args)
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
    s = arguments(in, n, &args);
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
    TRY_OR(tsi_release(*out), tsi_truth(in, out, &truth));
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
static ts_status step(tsi_interp *in)
{
    if (--in->steps >= 0)
        return TS_OK;
    return ts_fail(
        TS_ERR_RUNTIME, "case_language/C8", "the program needs more than %lld steps",
        (long long)(in->options->steps ? in->options->steps : TSI_DEFAULT_STEPS));
}

ts_status tsi_eval(tsi_interp *in, const tsi_node *n, tsi_value *out)
{
    TS_TRY(step(in));
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

/* --- statements
 * --------------------------------------------------------------------------- */

static ts_status execute(tsi_interp *in, const tsi_node *body);

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
        TRY_OR(tsi_release(a), tsi_eval(in, n->b, &b));
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
    ts_status s = arguments(in, call, &args);

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
        TS_TRY(execute(in, n->c));
        if (in->returning)
            break;
        TS_TRY(step(in));
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
        s = execute(in, n->c);
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
        s = execute(in, n->c);
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
        return execute(in, truth ? n->c : n->b);
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

static ts_status execute(tsi_interp *in, const tsi_node *body)
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

/* --- functions of the program
 * ------------------------------------------------------------------ */

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
        s = execute(in, def->c);
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

/* --- runs
 * -------------------------------------------------------------------------------------
 */

static const char *const known_names[K_COUNT] = {
    [K_ADD] = "add",
    [K_SUB] = "sub",
    [K_MUL] = "mul",
    [K_DIV] = "div",
    [K_FLOOR_DIVIDE] = "floor_divide",
    [K_REMAINDER] = "remainder",
    [K_POW] = "pow",
    [K_MATMUL] = "matmul",
    [K_BITWISE_AND] = "bitwise_and",
    [K_BITWISE_OR] = "bitwise_or",
    [K_BITWISE_XOR] = "bitwise_xor",
    [K_LEFT_SHIFT] = "bitwise_left_shift",
    [K_RIGHT_SHIFT] = "bitwise_right_shift",
    [K_EQ] = "eq",
    [K_NE] = "ne",
    [K_LT] = "lt",
    [K_LE] = "le",
    [K_GT] = "gt",
    [K_GE] = "ge",
    [K_NEG] = "neg",
    [K_BITWISE_NOT] = "bitwise_not",
    [K_ABS] = "abs",
    [K_SELECT] = "select",
    [K_SLICE] = "slice",
    [K_UNSQUEEZE] = "unsqueeze",
    [K_VIEW] = "view",
    [K_INDEX] = "index",
    [K_FILL] = "fill",
    [K_COPY] = "copy",
    [K_PERMUTE] = "permute",
    [K_TRANSPOSE] = "transpose",
    [K_TO] = "to",
    [K_RSUB] = "rsub",
    [K_RECIPROCAL] = "reciprocal",
    [K_VIEW_DTYPE] = "view_dtype",
    [K_NUMPY_T] = "numpy_T",
    [K_MT] = "mT",
    [K_ITEM] = "item",
};

const char *tsi_known_name(tsi_known_op k)
{
    return known_names[k];
}

ts_status tsi_interp_new(tsi_interp **out)
{
    tsi_pool *pool = tsi_pool_new(TSI_RUN_MEMORY);
    tsi_interp *in = pool != NULL ? tsi_pool_alloc(pool, sizeof *in) : NULL;

    if (in == NULL) {
        tsi_pool_free(pool);
        return tsi_no_memory();
    }
    in->pool = pool;
    for (int k = 0; k < K_COUNT; k++)
        in->known[k] = ts_op_find(known_names[k]);
    *out = in;
    return TS_OK;
}

void tsi_interp_free(tsi_interp *in)
{
    if (in != NULL)
        tsi_pool_free(in->pool);
}

/* Everything the run holds, let go: names, then what is left in cycles. */
static void finish(tsi_interp *in)
{
    tsi_modules_run_end(in);
    for (int i = 0; i < in->c->ast->nglobals; i++) {
        const tsi_value v = in->globals[i];

        in->globals[i].kind = V_UNBOUND;
        tsi_release(v);
    }
    for (tsi_kept *k = in->leaves; k != NULL; k = k->next) {
        (void)ts_grad_set(k->tensor, NULL);
        ts_release(k->tensor);
    }
    for (tsi_object *o = in->objects; o != NULL; o = o->next)
        tsi_clear_object(o);
    for (tsi_input *i = in->inputs; i != NULL; i = i->next)
        ts_release(i->tensor);
    for (tsi_made *m = in->made; m != NULL; m = m->next)
        ts_storage_release(m->storage);
}

static ts_status start(tsi_interp *in, const tsi_case *c, const tsi_run_options *options,
                       const tsi_judge *judge)
{
    tsi_pool *pool = in->pool;
    const ts_op *known[K_COUNT];

    memcpy(known, in->known, sizeof known);
    tsi_pool_reset_to(pool, in, sizeof *in);
    memset(in, 0, sizeof *in);
    in->pool = pool;
    memcpy(in->known, known, sizeof known);
    in->c = c;
    in->options = options;
    in->judge = judge;
    in->steps = options->steps ? options->steps : TSI_DEFAULT_STEPS;
    in->inputs_end = &in->inputs;
    in->globals =
        tsi_pool_alloc(pool, (size_t)(c->ast->nglobals + 1) * sizeof *in->globals);
    in->active = tsi_pool_alloc(pool, (size_t)c->ast->nfunctions + 1);
    if (in->globals == NULL || in->active == NULL)
        return tsi_no_memory();
    return TS_OK;
}

ts_status tsi_case_run(tsi_interp *in, const tsi_case *c, const tsi_run_options *options,
                       const tsi_judge *judge, tsi_run_result *result)
{
    const ts_device device = ts_default_device();
    const bool grad = ts_set_grad_enabled(true);
    ts_status s;

    ts_error_clear();
    ts_set_default_device(options->device);
    result->message[0] = result->label[0] = '\0';
    result->line = 0;
    s = start(in, c, options, judge);
    if (s == TS_OK) {
        s = tsi_modules_run_begin(in);
        if (s == TS_OK)
            s = execute(in, c->ast->body);
        if (s != TS_OK) {
            result->line = in->error_line ? in->error_line : c->program_line;
            snprintf(result->message, sizeof result->message, "%s", ts_error_message());
            snprintf(result->label, sizeof result->label, "%s", ts_error_label());
        }
        const ts_status gaps = tsi_check_gaps(in);

        if (s == TS_OK)
            s = gaps;
        finish(in);
    }
    ts_set_default_device(device);
    ts_set_grad_enabled(grad);
    result->status = s;
    return s;
}
