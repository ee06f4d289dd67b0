/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: arguments to an op's frame, as PyTorch's binder does it (errors/C2). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interp.h"
#include "module.h"
#include "watch.h"

#define MAX_ARGS 64 /* spec/gen refuses an op with more */
#define MAX_INTS 192
#define MAX_TENSORS 64

/* One call being bound. */
typedef struct binder {
    tsi_interp *in;
    ts_frame f;
    bool given[MAX_ARGS];
    int wrapped_count, int_count, tensor_count;
    bool requires_grad;
    bool wrap; /* an operator: any tensor parameter takes a number */
    ts_tensor *wrapped[MAX_ARGS];
    int64_t ints[MAX_INTS];
    ts_tensor *tensors[MAX_TENSORS];
} binder;

static ts_status wrong(const binder *b, const ts_param *p, const char *want,
                       const tsi_value *v)
{
    return ts_fail(TS_ERR_TYPE, "errors/C2", "%s(): argument '%s' must be %s, not %s",
                   b->f.op->name, p->name, want, tsi_kind_name(v));
}

ts_status tsi_device_of(const tsi_value *v, ts_device *out)
{
    static const char *const names[] = {"cpu", "meta", "accel"};
    int index;
    char more;

    if (v->kind == V_DEVICE) {
        *out = v->device;
        return TS_OK;
    }
    for (int i = 0; i < TS_DEVICE_TYPE_COUNT; i++)
        if (strcmp(v->s, names[i]) ==
            0) { /* accel alone is the current one of its time */
            *out = (ts_device){(ts_device_type)i, i == TS_ACCEL ? -1 : 0};
            return TS_OK;
        }
    if (sscanf(v->s, "accel:%2d%c", &index, &more) == 1 && v->s[6] != '-' &&
        v->s[6] != '+' && v->s[6] != ' ') {
        *out = (ts_device){TS_ACCEL, index};
        return TS_OK;
    }
    return ts_fail(TS_ERR_RUNTIME, "tensors/C9", "there is no device '%.60s'", v->s);
}

static ts_status int_of(const binder *b, const ts_param *p, const tsi_value *v,
                        int64_t *out)
{
    tsi_value item;

    if (v->kind == V_INT) {
        *out = v->i;
        return TS_OK;
    }
    if (v->kind == V_TENSOR && v->t->numel == 1 && v->t->dtype != TS_BOOL &&
        !ts_dtype_is_floating(v->t->dtype)) { /* a tensor of one integer is an index */
        TS_TRY(tsi_item(b->in, v->t, &item));
        *out = item.i;
        return TS_OK;
    }
    return wrong(b, p, "int", v);
}

static ts_status put_tensor(binder *b, const ts_param *p, const tsi_value *v, ts_value *a)
{
    if (v->kind == V_TENSOR) {
        a->kind = TS_ARG_TENSOR;
        a->tensor = v->t;
        return TS_OK;
    }
    if (tsi_is_number(v) && (p->number || b->wrap)) {
        ts_tensor **w = &b->wrapped[b->wrapped_count];

        TS_TRY(ts_wrapped_number(tsi_scalar_of(v), w));
        b->wrapped_count++;
        a->kind = TS_ARG_TENSOR;
        a->tensor = *w;
        return TS_OK;
    }
    return wrong(b, p, "Tensor", v);
}

static ts_status put_tensor_list(binder *b, const ts_param *p, int n, const tsi_value *v,
                                 ts_value *a)
{
    ts_tensor **list = &b->tensors[b->tensor_count];

    if (n > MAX_TENSORS - b->tensor_count) {
        list = tsi_pool_alloc(b->in->pool, (size_t)n * sizeof *list);
        if (list == NULL)
            return tsi_no_memory();
    } else {
        b->tensor_count += n;
    }
    for (int i = 0; i < n; i++) {
        if (v[i].kind == V_NONE && p->entry_optional) {
            list[i] = NULL;
            continue;
        }
        if (v[i].kind != V_TENSOR)
            return wrong(b, p, "tuple of Tensors", &v[i]);
        list[i] = v[i].t;
    }
    a->kind = TS_ARG_TENSORS;
    a->tensors.v = list;
    a->tensors.n = n;
    return TS_OK;
}

static ts_status put_tensors(binder *b, const ts_param *p, const tsi_value *v,
                             ts_value *a)
{
    if (!tsi_is_sequence(v))
        return wrong(b, p, "tuple of Tensors", v);
    return put_tensor_list(b, p, v->o->n, v->o->v, a);
}

static ts_status put_ints(binder *b, const ts_param *p, int n, const tsi_value *v,
                          ts_value *a)
{
    int64_t *list = &b->ints[b->int_count];

    TS_CHECK(n <= MAX_INTS - b->int_count, TS_ERR_RUNTIME, "tensors/C7",
             "%s(): argument '%s' has %d entries, more than a tensor has dims",
             b->f.op->name, p->name, n);
    b->int_count += n;
    for (int i = 0; i < n; i++)
        TS_TRY(int_of(b, p, &v[i], &list[i]));
    a->kind = TS_ARG_INTS;
    a->ints.v = list;
    a->ints.n = n;
    return TS_OK;
}

static ts_status put_floats(binder *b, const ts_param *p, const tsi_value *v, ts_value *a)
{
    double *list;

    if (!tsi_is_sequence(v))
        return wrong(b, p, "tuple of floats", v);
    list = tsi_pool_alloc(b->in->pool, ((size_t)v->o->n + 1) * sizeof *list);
    if (list == NULL)
        return tsi_no_memory();
    for (int i = 0; i < v->o->n; i++) {
        if (!tsi_is_number(&v->o->v[i]))
            return wrong(b, p, "tuple of floats", &v->o->v[i]);
        list[i] = tsi_number(&v->o->v[i]);
    }
    a->kind = TS_ARG_FLOATS;
    a->floats.v = list;
    a->floats.n = v->o->n;
    return TS_OK;
}

static ts_status put_bools(binder *b, const ts_param *p, const tsi_value *v, ts_value *a)
{
    bool *list;

    if (!tsi_is_sequence(v))
        return wrong(b, p, "tuple of bools", v);
    list = tsi_pool_alloc(b->in->pool, ((size_t)v->o->n + 1) * sizeof *list);
    if (list == NULL)
        return tsi_no_memory();
    for (int i = 0; i < v->o->n; i++) {
        if (v->o->v[i].kind != V_BOOL)
            return wrong(b, p, "tuple of bools", &v->o->v[i]);
        list[i] = v->o->v[i].b;
    }
    a->kind = TS_ARG_BOOLS;
    a->bools.v = list;
    a->bools.n = v->o->n;
    return TS_OK;
}

static ts_status put(binder *b, int i, const tsi_value *v)
{
    const ts_param *p = &b->f.op->params[i];
    ts_value *a = &b->f.args[i];
    tsi_value item;

    b->given[i] = true;
    if (v->kind == V_NONE && p->optional) {
        a->kind = TS_ARG_NONE;
        return TS_OK;
    }
    switch (p->kind) {
    case TS_ARG_TENSOR:
        return put_tensor(b, p, v, a);
    case TS_ARG_TENSORS:
        return put_tensors(b, p, v, a);
    case TS_ARG_SCALAR:
        if (v->kind == V_TENSOR && v->t->ndim == 0 && !ts_requires_grad(v->t)) {
            TS_TRY(tsi_item(b->in, v->t, &item));
            v = &item;
        }
        if (!tsi_is_number(v))
            return wrong(b, p, "Number", v);
        a->scalar = tsi_scalar_of(v);
        break;
    case TS_ARG_INT:
        TS_TRY(int_of(b, p, v, &a->i));
        break;
    case TS_ARG_FLOAT:
        if (!tsi_is_number(v))
            return wrong(b, p, "float", v);
        a->f = tsi_number(v);
        break;
    case TS_ARG_BOOL:
        if (v->kind != V_BOOL)
            return wrong(b, p, "bool", v);
        a->b = v->b;
        break;
    case TS_ARG_INTS:
        if (tsi_is_sequence(v))
            return put_ints(b, p, v->o->n, v->o->v, a);
        if (v->kind == V_INT && p->varargs)
            return put_ints(b, p, 1, v, a);
        return wrong(b, p, "tuple of ints", v);
    case TS_ARG_DTYPE:
        if (v->kind != V_DTYPE)
            return wrong(b, p, "torch.dtype", v);
        a->dtype = v->dtype;
        break;
    case TS_ARG_DEVICE:
        if (v->kind != V_STR && v->kind != V_DEVICE)
            return wrong(b, p, "torch.device", v);
        TS_TRY(tsi_device_of(v, &a->device));
        break;
    case TS_ARG_MEMORY_FORMAT:
        if (v->kind != V_FORMAT)
            return wrong(b, p, "torch.memory_format", v);
        a->memory_format = v->format;
        break;
    case TS_ARG_STRING:
        if (v->kind != V_STR)
            return wrong(b, p, "str", v);
        a->string = v->s;
        break;
    case TS_ARG_FLOATS:
        return put_floats(b, p, v, a);
    case TS_ARG_BOOLS:
        return put_bools(b, p, v, a);
    case TS_ARG_GENERATOR:
        a->generator = tsi_module_generator(v);
        if (a->generator == NULL)
            return wrong(b, p, "Generator", v);
        break;
    default: /* a function, which no op of PyTorch's takes */
        return ts_fail(TS_ERR_UNSUPPORTED, NULL,
                       "%s(): argument '%s' is of a kind that programs can't give yet",
                       b->f.op->name, p->name);
    }
    a->kind = p->kind;
    return TS_OK;
}

/* The parameter that a method's receiver is. */
static int self_index(const ts_op *op)
{
    for (int i = 0; i < op->nparams; i++)
        if (strcmp(op->params[i].name, "self") == 0)
            return i;
    return 0;
}

/* Where x.view(2, 3) takes several ints for one list: it is the only positional
 * parameter. */
static int varargs_index(const ts_op *op, int self)
{
    int found = -1;

    for (int i = 0; i < op->nparams; i++) {
        if (i == self || op->params[i].keyword_only)
            continue;
        if (found >= 0 || op->params[i].kind != TS_ARG_INTS)
            return -1;
        found = i;
    }
    return found >= 0 && op->params[found].varargs ? found : -1;
}

/* Where einsum("ij,jk", x, y) takes the n last arguments for one list of tensors. */
static bool spreads(const ts_param *p, int n, const tsi_value *v)
{
    return p->kind == TS_ARG_TENSORS && p->varargs && (n == 0 || v->kind == V_TENSOR);
}

/* How many parameters of PyTorch's call are not built. */
static int unbuilt_count(const ts_op *op)
{
    int n = 0;

    while (op->unbuilt != NULL && op->unbuilt[n] != NULL)
        n++;
    return n;
}

static bool is_unbuilt(const ts_op *op, const char *name)
{
    for (int k = 0; k < unbuilt_count(op); k++)
        if (strcmp(op->unbuilt[k], name) == 0)
            return true;
    return false;
}

static ts_status positional(binder *b, int self, const tsi_args *args)
{
    const ts_op *op = b->f.op;
    const int n = args->n - args->keywords;
    const int varargs = varargs_index(op, self);
    int at = 0;

    if (varargs >= 0 && n > 0 && args->v[0].kind == V_INT) {
        b->given[varargs] = true;
        return put_ints(b, &op->params[varargs], n, args->v, &b->f.args[varargs]);
    }
    for (int i = 0; i < n; i++, at++) {
        while (at < op->nparams && at == self)
            at++;
        const bool taken = at < op->nparams && !op->params[at].keyword_only;

        TS_CHECK(taken || n > op->nparams + unbuilt_count(op) || unbuilt_count(op) == 0,
                 TS_ERR_UNSUPPORTED, NULL,
                 "%s() with %d positional arguments is not part of this build", op->name,
                 n);
        TS_CHECK(taken, TS_ERR_TYPE, "errors/C2",
                 "%s(): takes %d positional arguments, got %d", op->name, i, n);
        if (spreads(&op->params[at], n - i, &args->v[i])) {
            b->given[at] = true;
            return put_tensor_list(b, &op->params[at], n - i, &args->v[i],
                                   &b->f.args[at]);
        }
        TS_TRY(put(b, at, &args->v[i]));
    }
    if (at < op->nparams && spreads(&op->params[at], 0, NULL)) {
        b->given[at] = true;
        return put_tensor_list(b, &op->params[at], 0, NULL, &b->f.args[at]);
    }
    return TS_OK;
}

static int find_param(const ts_op *op, const char *name)
{
    static const char *const aliases[][2] = {{"input", "self"},
                                             {"axis", "dim"},
                                             {"keepdims", "keepdim"},
                                             {"tensor", "tensors"},
                                             {"split_size_or_sections", "split_size"},
                                             {"split_size_or_sections", "split_sizes"}};
    int found = -1;

    for (int i = 0; i < op->nparams; i++)
        if (strcmp(op->params[i].name, name) == 0)
            return i;
    for (size_t k = 0; found < 0 && k < sizeof aliases / sizeof aliases[0]; k++)
        if (strcmp(aliases[k][0], name) == 0)
            found = find_param(op, aliases[k][1]);
    return found;
}

static ts_status put_out(binder *b, const tsi_value *v)
{
    ts_frame *f = &b->f;

    if (v->kind == V_NONE)
        return TS_OK;
    TS_CHECK(f->op->forms & TS_FORM_BIT(TS_OUT), TS_ERR_TYPE, "errors/C2",
             "%s() has no argument 'out'", f->op->name);
    f->form = TS_OUT;
    if (v->kind == V_TENSOR && f->op->nresults == 1) {
        f->out[0] = v->t;
        return TS_OK;
    }
    TS_CHECK(tsi_is_sequence(v) && v->o->n == f->op->nresults, TS_ERR_TYPE, "errors/C2",
             "%s(): argument 'out' must be %d tensors, not %s", f->op->name,
             f->op->nresults, tsi_kind_name(v));
    for (int i = 0; i < v->o->n; i++) {
        TS_CHECK(v->o->v[i].kind == V_TENSOR, TS_ERR_TYPE, "errors/C2",
                 "%s(): argument 'out' must be tensors, not %s", f->op->name,
                 tsi_kind_name(&v->o->v[i]));
        f->out[i] = v->o->v[i].t;
    }
    return TS_OK;
}

static ts_status keyword(binder *b, const char *name, const tsi_value *v)
{
    const ts_op *op = b->f.op;
    const int i = find_param(op, name);

    if (i >= 0) {
        TS_CHECK(!b->given[i], TS_ERR_TYPE, "errors/C2", "%s() got two values for '%s'",
                 op->name, name);
        return put(b, i, v);
    }
    if (strcmp(name, "out") == 0 && b->f.form != TS_INPLACE && !is_unbuilt(op, name))
        return put_out(b, v);
    if (strcmp(name, "requires_grad") == 0 && find_param(op, "dtype") >= 0) {
        TS_CHECK(v->kind == V_BOOL, TS_ERR_TYPE, "errors/C2",
                 "%s(): argument 'requires_grad' must be bool, not %s", op->name,
                 tsi_kind_name(v));
        b->requires_grad = v->b;
        return TS_OK;
    }
    TS_CHECK(!is_unbuilt(op, name), TS_ERR_UNSUPPORTED, NULL,
             "%s(): argument '%s' is not part of this build", op->name, name);
    return ts_fail(TS_ERR_TYPE, "errors/C2", "%s() has no argument '%s'", op->name, name);
}

/* PyTorch's overloads do not have every combination of arguments that one schema has. */
static ts_status overloads(const binder *b, uint64_t by_position)
{
    const ts_op *op = b->f.op;
    uint64_t all = 0;

    for (int i = 0; i < op->nparams; i++)
        all |= (uint64_t)b->given[i] << i;
    for (int i = 0; i <= op->nparams; i++) {
        if (i < op->nparams ? !b->given[i] : b->f.form != TS_OUT)
            continue;
        TS_CHECK(
            (!op->beside || (op->beside[i] & ~all) == 0) &&
                (!op->keywords_beside || (op->keywords_beside[i] & by_position) == 0),
            TS_ERR_TYPE, "errors/C2", "%s(): no overload takes these arguments with '%s'",
            op->name, i < op->nparams ? op->params[i].name : "out");
    }
    return TS_OK;
}

static ts_status bind(binder *b, const tsi_value *self, const tsi_args *args)
{
    const ts_op *op = b->f.op;
    uint64_t by_position = 0;
    int at = -1;

    if (self != NULL) {
        at = self_index(op);
        TS_TRY(put(b, at, self));
    }
    TS_TRY(positional(b, at, args));
    for (int i = 0; i < op->nparams; i++)
        by_position |= (uint64_t)(b->given[i] && i != at) << i;
    for (int k = 0; k < args->keywords; k++)
        TS_TRY(keyword(b, args->names[k], &args->v[args->n - args->keywords + k]));
    for (int i = 0; i < op->nparams; i++)
        TS_CHECK(b->given[i] || op->params[i].has_default, TS_ERR_TYPE, "errors/C2",
                 "%s() lacks a value for '%s'", op->name, op->params[i].name);
    for (int i = 0; op->tensors_beside_out && b->f.form == TS_OUT && i < op->nparams; i++)
        TS_CHECK(b->f.args[i].kind != TS_ARG_TENSOR ||
                     !ts_is_wrapped_number(b->f.args[i].tensor),
                 TS_ERR_TYPE, "errors/C2",
                 "%s(): beside out= '%s' is a tensor, no number", op->name,
                 op->params[i].name);
    return op->beside || op->keywords_beside ? overloads(b, by_position) : TS_OK;
}

/* --- which of the ops of one name is meant
 * -----------------------------------------------------
 */

static bool is_int(const tsi_value *v)
{
    return v->kind == V_INT ||
           (v->kind == V_TENSOR && v->t->numel == 1 && v->t->dtype != TS_BOOL &&
            !ts_dtype_is_floating(v->t->dtype));
}

static bool all_ints(const tsi_value *v)
{
    for (int i = 0; i < v->o->n; i++)
        if (!is_int(&v->o->v[i]))
            return false;
    return true;
}

/* Whether p takes what v is, by its kind alone. */
static bool takes(const ts_param *p, const tsi_value *v)
{
    switch (v->kind == V_NONE ? TS_ARG_NONE : p->kind) {
    case TS_ARG_NONE:
        return p->optional;
    case TS_ARG_TENSOR:
        return v->kind == V_TENSOR || (tsi_is_number(v) && p->number);
    case TS_ARG_TENSORS:
        return tsi_is_sequence(v) &&
               (v->o->n == 0 || v->o->v[0].kind == V_TENSOR || v->o->v[0].kind == V_NONE);
    case TS_ARG_SCALAR:
        return tsi_is_number(v) || (v->kind == V_TENSOR && v->t->ndim == 0);
    case TS_ARG_INT:
        return is_int(v);
    case TS_ARG_FLOAT:
        return tsi_is_number(v);
    case TS_ARG_BOOL:
        return v->kind == V_BOOL;
    case TS_ARG_INTS:
        return tsi_is_sequence(v) ? all_ints(v) : v->kind == V_INT && p->varargs;
    case TS_ARG_DTYPE:
        return v->kind == V_DTYPE;
    case TS_ARG_GENERATOR:
        return tsi_module_generator(v) != NULL;
    default:
        return true;
    }
}

/* Whether a call has all that op needs, and nothing that it does not take. */
static bool fits(const ts_op *op, const tsi_value *self, const tsi_args *args)
{
    const int receiver = self != NULL ? self_index(op) : -1;
    const int n = args->n - args->keywords, varargs = varargs_index(op, receiver);
    bool given[MAX_ARGS] = {false};
    int at = 0;

    if (receiver >= 0)
        given[receiver] = true;
    if (varargs >= 0 && n > 0 && is_int(&args->v[0])) {
        for (int i = 1; i < n; i++)
            if (!is_int(&args->v[i]))
                return false;
        given[varargs] = true;
    } else {
        for (int i = 0; i < n; i++, at++) {
            at += at == receiver;
            if (at >= op->nparams || op->params[at].keyword_only ||
                !takes(&op->params[at], &args->v[i]))
                return false;
            given[at] = true;
        }
    }
    for (int k = 0; k < args->keywords; k++) {
        const int i = find_param(op, args->names[k]);

        if (i < 0 && strcmp(args->names[k], "out") != 0 &&
            strcmp(args->names[k], "requires_grad") != 0)
            return false;
        if (i >= 0 && (given[i] || !takes(&op->params[i], &args->v[n + k])))
            return false;
        if (i >= 0)
            given[i] = true;
    }
    for (int i = 0; i < op->nparams; i++)
        if (!given[i] && !op->params[i].has_default)
            return false;
    return true;
}

/* PyTorch's overloads: the first op that takes the arguments, in the order that the pages
 * give them (`or_else`); where none does, the last one says why. */
static const ts_op *meant(const ts_op *op, ts_form form, const tsi_value *self,
                          const tsi_args *args)
{
    while (op->or_else != NULL && !fits(op, self, args)) {
        const ts_op *other = ts_op_find(op->or_else);

        if (other == NULL || !(other->forms & TS_FORM_BIT(form)))
            break;
        op = other;
    }
    return op;
}

/* --- results
 * -------------------------------------------------------------------------------------
 */

/* The names that the op's schema gives its results, "-> (Tensor values, Tensor indices)",
 * for attributes of the tuple; NULL where it gives none. */
static const char **result_names(tsi_interp *in, const ts_op *op)
{
    const char *at = strstr(op->schema, "-> (");
    const char **names = tsi_pool_alloc(in->pool, (size_t)op->nresults * sizeof *names);

    if (at == NULL || names == NULL)
        return NULL;
    at += 4;
    for (int i = 0; i < op->nresults; i++) {
        const char *end, *name;

        at += strspn(at, " ");
        end = at + strcspn(at, ",)");
        name = memchr(at, ' ', (size_t)(end - at));
        if (name == NULL)
            return NULL;
        names[i] = tsi_pool_strndup(in->pool, name + 1, (size_t)(end - name - 1));
        if (names[i] == NULL)
            return NULL;
        at = end + 1;
    }
    return names;
}

static ts_status results(binder *b, tsi_value *out)
{
    ts_frame *f = &b->f;
    tsi_interp *in = b->in;
    ts_status s = TS_OK;

    if (in->c->ast->looks_untouched)
        for (int i = 0; s == TS_OK && i < f->nresults; i++)
            s = tsi_remember_storage(in, f->results[i]);
    if (s == TS_OK && b->requires_grad)
        s = tsi_mark_leaf(in, f->results[0], true);
    if (s == TS_OK && f->nresults == 1 && !f->op->list_result) {
        *out = tsi_tensor_value(f->results[0]);
        return TS_OK;
    }
    if (s == TS_OK)
        s = tsi_object_new(in, V_TUPLE, f->nresults, out);
    if (s != TS_OK) {
        for (int i = 0; i < f->nresults; i++)
            ts_release(f->results[i]);
        return s;
    }
    for (int i = 0; i < f->nresults; i++)
        out->o->v[i] = tsi_tensor_value(f->results[i]);
    out->o->n = f->nresults;
    if (!f->op->list_result)
        out->o->names = result_names(in, f->op);
    return TS_OK;
}

static ts_status call_op(tsi_interp *in, const ts_op *op, ts_form form, bool wrap,
                         const tsi_value *self, const tsi_args *args, tsi_value *out)
{
    binder b;
    ts_status s;

    b.in = in;
    b.wrapped_count = b.int_count = b.tensor_count = 0;
    b.requires_grad = false;
    b.wrap = wrap;
    memset(b.given, 0, sizeof b.given);
    TS_TRY(ts_frame_open(&b.f, op, form));
    s = bind(&b, self, args);
    if (s == TS_OK)
        s = in->options->watch_inputs ? tsi_call_watched(in, &b.f) : ts_call(&b.f);
    if (s == TS_OK)
        s = results(&b, out);
    for (int i = 0; i < b.wrapped_count; i++)
        ts_release(b.wrapped[i]);
    ts_frame_close(&b.f);
    return s;
}

ts_status tsi_call_op(tsi_interp *in, const ts_op *op, ts_form form,
                      const tsi_value *self, const tsi_args *args, tsi_value *out)
{
    return call_op(in, op, form, false, self, args, out);
}

ts_status tsi_call_known(tsi_interp *in, tsi_known_op k, ts_form form, int n,
                         const tsi_value *values, tsi_value *out)
{
    static const tsi_args none;
    tsi_args args;

    TS_CHECK(in->known[k] != NULL, TS_ERR_UNSUPPORTED, NULL,
             "an operator or subscript needs op '%s', which this build has not",
             tsi_known_name(k));
    if (n == 1)
        return call_op(in, in->known[k], form, true, &values[0], &none, out);
    args.n = n;
    args.keywords = 0;
    args.names = NULL;
    memcpy(args.v, values, (size_t)n * sizeof *values);
    return call_op(in, in->known[k], form, true, NULL, &args, out);
}

/* --- whatever is callable
 * ---------------------------------------------------------------------------- */

static ts_status call_callee(tsi_interp *in, const tsi_callee *c, const tsi_value *self,
                             tsi_args *args, tsi_value *out)
{
    if (c->word != NULL)
        return tsi_call_word(in, c->word, self, args, out);
    TS_CHECK(c->op != NULL, TS_ERR_UNSUPPORTED, NULL, "%s is not part of this build",
             c->name);
    return call_op(in, meant(c->op, c->form, self, args), c->form, false, self, args,
                   out);
}

ts_status tsi_call_value(tsi_interp *in, const tsi_value *f, tsi_args *args,
                         tsi_value *out)
{
    switch (f->kind) {
    case V_OP:
    case V_NATIVE:
    case V_MISSING:
        return call_callee(in, f->callee, NULL, args, out);
    case V_DEF:
        return tsi_run_function(in, f->node, NULL, args, out);
    case V_METHOD:
        return tsi_call_method(in, f->o->node, &f->o->v[0], args, out);
    case V_OBJECT:
        if (f->o->class_ != NULL && f->o->class_->call != NULL)
            return f->o->class_->call(in, f->o->self, args, out);
        /* fall through */
    default:
        return ts_fail(TS_ERR_TYPE, "case_language/C5", "'%s' cannot be called",
                       tsi_kind_name(f));
    }
}

static ts_status list_method(tsi_interp *in, const char *name, const tsi_value *self,
                             const tsi_args *args)
{
    TS_CHECK(self->kind == V_LIST && strcmp(name, "append") == 0, TS_ERR_ATTRIBUTE,
             "case_language/C5", "'%s' has no attribute '%s'", tsi_kind_name(self), name);
    TS_CHECK(args->n == 1 && args->keywords == 0, TS_ERR_TYPE, "case_language/C5",
             "append() takes one argument, got %d", args->n);
    return tsi_append(in, self->o, tsi_retain(args->v[0]));
}

static ts_status object_method(tsi_interp *in, const char *name, const tsi_value *self,
                               tsi_args *args, tsi_value *out)
{
    const tsi_module_method *m = tsi_module_method_find(self->o->class_, name);
    const tsi_value *v[TSI_MAX_PARAMS];

    if (m != NULL) {
        TS_TRY(tsi_sort_args(&m->s, args, v));
        return m->call(in, self->o->self, v, out);
    }
    return ts_fail(TS_ERR_ATTRIBUTE, "case_language/C5", "'%s' has no attribute '%s'",
                   tsi_kind_name(self), name);
}

ts_status tsi_call_method(tsi_interp *in, const tsi_node *attribute,
                          const tsi_value *self, tsi_args *args, tsi_value *out)
{
    const char *name = attribute->name;

    *out = tsi_none();
    switch (self->kind) {
    case V_TENSOR:
        return call_callee(in, attribute->callee, self, args, out);
    case V_CLASS:
        TS_CHECK(strcmp(name, "apply") == 0, TS_ERR_ATTRIBUTE, "case_language/C5",
                 "class %s has no attribute '%s'", self->node->name, name);
        return tsi_apply_function(in, self->node, args, out);
    case V_CTX:
        return tsi_ctx_method(in, attribute, self, args, out);
    case V_GRAD_FN:
        TS_CHECK(strcmp(name, "name") == 0 && args->n == 0, TS_ERR_ATTRIBUTE,
                 "case_language/C5", "grad_fn has no attribute '%s'", name);
        *out = (tsi_value){.kind = V_STR, .s = self->s};
        return TS_OK;
    case V_OBJECT:
        return object_method(in, name, self, args, out);
    case V_HANDLE:
        TS_CHECK(strcmp(name, "remove") == 0 && args->n == 0, TS_ERR_ATTRIBUTE,
                 "case_language/C5", "a hook's handle has no attribute '%s'", name);
        ts_remove_hook(self->o->v[0].t, self->o->number);
        return TS_OK;
    case V_TUPLE: /* a shape */
        if (strcmp(name, "numel") == 0 && args->n == 0) {
            int64_t n = 1;

            for (int i = 0; i < self->o->n; i++) {
                TS_CHECK(self->o->v[i].kind == V_INT, TS_ERR_ATTRIBUTE,
                         "case_language/C5", "'tuple' has no attribute 'numel'");
                if (__builtin_mul_overflow(n, self->o->v[i].i, &n))
                    return ts_fail(TS_ERR_OVERFLOW, "case_language/C7",
                                   "numel() does not fit in 64 bits");
            }
            *out = tsi_int(n);
            return TS_OK;
        }
        return list_method(in, name, self, args);
    default:
        return list_method(in, name, self, args);
    }
}
