/* SPDX-License-Identifier: Apache-2.0 */
/* backward, grad, hooks, gradcheck, and the program's own Functions. */
#include <stdio.h>
#include <string.h>

#include "interp.h"

#define MAX_TENSORS 64

/* A tensor, or several; None only where `none`. */
static ts_status tensors_of(const char *what, const tsi_value *v, bool none,
                            ts_tensor **out, int *n)
{
    const tsi_value *items = tsi_is_sequence(v) ? v->o->v : v;

    *n = tsi_is_sequence(v) ? v->o->n : 1;
    TS_CHECK(*n <= MAX_TENSORS, TS_ERR_VALUE, "case_language/C8",
             "%s: more than %d tensors", what, MAX_TENSORS);
    for (int i = 0; i < *n; i++) {
        TS_CHECK(items[i].kind == V_TENSOR || (none && items[i].kind == V_NONE),
                 TS_ERR_TYPE, "errors/C2", "%s must be tensors, not '%s'", what,
                 tsi_kind_name(&items[i]));
        out[i] = items[i].kind == V_TENSOR ? items[i].t : NULL;
    }
    return TS_OK;
}

static bool flag(const tsi_value *v, bool otherwise)
{
    return v != NULL && v->kind == V_BOOL ? v->b : otherwise;
}

static ts_status roots_of(const tsi_value *roots, const tsi_value *grads, ts_tensor **r,
                          ts_tensor **g, int *n, bool *given)
{
    int ngrads;

    TS_TRY(tensors_of("outputs", roots, false, r, n));
    *given = grads != NULL && grads->kind != V_NONE;
    if (!*given)
        return TS_OK;
    TS_TRY(tensors_of("grad_outputs", grads, true, g, &ngrads));
    TS_CHECK(ngrads == *n, TS_ERR_RUNTIME, "autograd/C23", "%d gradients for %d outputs",
             ngrads, *n);
    return TS_OK;
}

/* v: roots, their gradients, retain_graph, create_graph. */
static ts_status backward(const tsi_value *const *v)
{
    ts_tensor *roots[MAX_TENSORS], *grads[MAX_TENSORS];
    bool given, create;
    int n;

    TS_TRY(roots_of(v[0], v[1], roots, grads, &n, &given));
    create = flag(v[3], false);
    return ts_backward(n, roots, given ? grads : NULL, flag(v[2], create), create);
}

static ts_status grad(tsi_interp *in, const tsi_value *const *v, tsi_value *out)
{
    ts_tensor *roots[MAX_TENSORS], *grads[MAX_TENSORS], *inputs[MAX_TENSORS];
    ts_tensor *made[MAX_TENSORS] = {0};
    bool given, create;
    int n, ninputs;

    TS_TRY(roots_of(v[0], v[2], roots, grads, &n, &given));
    TS_TRY(tensors_of("inputs", v[1], false, inputs, &ninputs));
    create = flag(v[4], false);
    TS_TRY(tsi_object_new(in, V_TUPLE, ninputs, out));

    const ts_status s = ts_grad(n, roots, given ? grads : NULL, ninputs, inputs,
                                flag(v[3], create), create, flag(v[5], false), made);

    if (s != TS_OK) {
        tsi_release(*out);
        return s;
    }
    for (int i = 0; i < ninputs; i++)
        out->o->v[i] = made[i] != NULL ? tsi_tensor_value(made[i]) : tsi_none();
    out->o->n = ninputs;
    return TS_OK;
}

/* --- calling the program back
 * ------------------------------------------------------------------- */

/* f(tensors…) and its results as tensors; `none` allows None and gives NULL for it. */
static ts_status call_back(tsi_interp *in, const tsi_value *f, int n,
                           ts_tensor *const *tensors, tsi_value *out)
{
    tsi_args args = {.n = n};

    TS_CHECK(n <= TSI_MAX_CALL_ARGS, TS_ERR_VALUE, "case_language/C8",
             "more than %d tensors for one call", TSI_MAX_CALL_ARGS);
    for (int i = 0; i < n; i++)
        args.v[i] =
            tensors[i] != NULL ? tsi_tensor_value(ts_retain(tensors[i])) : tsi_none();

    const ts_status s = tsi_call_value(in, f, &args, out);

    tsi_release_args(&args);
    return s;
}

static ts_status hook(void *self, ts_tensor *grad, ts_tensor **replacement)
{
    tsi_object *h = self;
    tsi_value out;
    ts_status s = TS_OK;

    if (h->n == 0) /* the run is over */
        return TS_OK;
    TS_TRY(call_back(h->in, &h->v[1], 1, &grad, &out));
    if (out.kind == V_TENSOR)
        *replacement = ts_retain(out.t);
    else if (out.kind != V_NONE)
        s = ts_fail(TS_ERR_TYPE, "case_language/C5",
                    "a hook gives a tensor or None, not '%s'", tsi_kind_name(&out));
    tsi_release(out);
    return s;
}

static void drop_object(void *self)
{
    tsi_object *o = self;

    tsi_release((tsi_value){.kind = o->kind, .o = o});
}

/* The hook's object holds (nothing or the tensor, the function): the graph keeps one of
 * its own, so that a handle that is let go leaves the hook where it is. */
static ts_status register_hook(tsi_interp *in, const tsi_value *self, const tsi_value *f,
                               tsi_value *out)
{
    tsi_value kept;
    ts_status s;

    TS_TRY(tsi_object_new(in, V_HANDLE, 2, &kept));
    kept.o->v[0] = tsi_none();
    kept.o->v[1] = tsi_retain(*f);
    kept.o->n = 2;
    s = tsi_object_new(in, V_HANDLE, 1, out);
    if (s == TS_OK) {
        s = ts_register_hook(self->t, hook, kept.o, drop_object, &out->o->number);
        if (s == TS_OK) {
            out->o->v[out->o->n++] = tsi_retain(*self);
            return TS_OK;
        }
        tsi_release(*out);
    }
    tsi_release(kept);
    return s;
}

typedef struct checked {
    tsi_interp *in;
    const tsi_value *f;
} checked;

static ts_status gradcheck_call(void *self, int ninputs, ts_tensor *const *inputs,
                                int *noutputs, ts_tensor **out)
{
    const checked *c = self;
    const tsi_value *items;
    ts_status s = TS_OK;
    tsi_value v;
    int n;

    TS_TRY(call_back(c->in, c->f, ninputs, inputs, &v));
    items = tsi_is_sequence(&v) ? v.o->v : &v;
    n = tsi_is_sequence(&v) ? v.o->n : 1;
    if (n > TS_GRADCHECK_OUTPUTS)
        s = ts_fail(TS_ERR_VALUE, "case_language/C8", "gradcheck: more than %d outputs",
                    TS_GRADCHECK_OUTPUTS);
    for (int i = 0; i < n && s == TS_OK; i++)
        if (items[i].kind != V_TENSOR)
            s = ts_fail(TS_ERR_ATTRIBUTE, "case_language/C5",
                        "gradcheck: the function gives '%s', not tensors",
                        tsi_kind_name(&items[i]));
    for (int i = 0; i < n && s == TS_OK; i++)
        out[(*noutputs)++] = ts_retain(items[i].t);
    tsi_release(v);
    return s;
}

static ts_status gradcheck(tsi_interp *in, const tsi_value *const *v, tsi_value *out)
{
    ts_tensor *inputs[MAX_TENSORS];
    const checked c = {in, v[0]};
    int n;

    TS_TRY(tensors_of("inputs", v[1], false, inputs, &n));
    TS_TRY(ts_gradcheck(gradcheck_call, (void *)(uintptr_t)&c, n, inputs,
                        v[2] ? tsi_number(v[2]) : 1e-6, v[3] ? tsi_number(v[3]) : 1e-5,
                        v[4] ? tsi_number(v[4]) : 1e-3));
    *out = tsi_bool(true);
    return TS_OK;
}

ts_status tsi_call_autograd(tsi_interp *in, tsi_native id, const tsi_value *self,
                            const tsi_value *const *v, tsi_value *out)
{
    switch (id) {
    case NATIVE_BACKWARD:
        return backward(v);
    case NATIVE_M_BACKWARD:
        return backward((const tsi_value *const[]){self, v[0], v[1], v[2]});
    case NATIVE_GRAD:
        return grad(in, v, out);
    case NATIVE_GRADCHECK:
        return gradcheck(in, v, out);
    case NATIVE_M_RETAIN_GRAD:
        return ts_retain_grad(self->t);
    case NATIVE_M_REGISTER_HOOK:
        return register_hook(in, self, v[0], out);
    default: /* requires_grad_ */
        TS_TRY(tsi_mark_leaf(in, self->t, flag(v[0], true)));
        *out = tsi_retain(*self);
        return TS_OK;
    }
}

/* --- class F(Function)
 * ------------------------------------------------------------------------------ */

/* What a ctx must know when the gradients come. */
typedef struct tsi_call {
    int nargs;                     /* of forward, ctx aside */
    int input[TSI_MAX_CALL_ARGS];  /* argument k's place among the tensor inputs, or -1 */
    int noutputs;                  /* of forward */
    int attached[MAX_TENSORS];     /* output k's place among the node's outputs, or -1 */
    bool plain_none;               /* set_materialize_grads(False) */
    ts_device device[MAX_TENSORS]; /* of outputs, to make the zeros of */
    ts_dtype dtype[MAX_TENSORS];
    int ndim[MAX_TENSORS];
    int64_t *sizes[MAX_TENSORS];
    tsi_object *not_differentiable; /* a tuple, or NULL */
} tsi_call;

static ts_status zeros(const tsi_call *call, int k, ts_tensor **out)
{
    TS_TRY(ts_tensor_new(call->device[k], call->dtype[k], call->ndim[k], call->sizes[k],
                         out));
    if ((*out)->device.type == TS_CPU && (*out)->numel > 0)
        memset((*out)->data, 0, (size_t)((*out)->numel * ts_dtype_size((*out)->dtype)));
    else if ((*out)->device.type == TS_ACCEL)
        return ts_zero_(*out);
    return TS_OK;
}

static ts_status gradients(const tsi_object *ctx, int ngrads, ts_tensor *const *grads,
                           tsi_args *args)
{
    const tsi_call *call = ctx->call;

    for (int k = 0; k < call->noutputs; k++) {
        const int at = call->attached[k];
        ts_tensor *t = at >= 0 && at < ngrads ? ts_retain(grads[at]) : NULL;

        if (t == NULL && !call->plain_none)
            TS_TRY(zeros(call, k, &t));
        args->v[args->n++] = t != NULL ? tsi_tensor_value(t) : tsi_none();
    }
    return TS_OK;
}

static ts_status deliver(const tsi_object *ctx, const tsi_value *made, int ninputs,
                         ts_tensor **out)
{
    const tsi_call *call = ctx->call;
    const tsi_value *items = tsi_is_sequence(made) ? made->o->v : made;
    const int n = tsi_is_sequence(made) ? made->o->n : 1;

    for (int i = call->nargs; i < n; i++) /* PyTorch lets more Nones pass */
        TS_CHECK(items[i].kind == V_NONE, TS_ERR_RUNTIME, "autograd/C24",
                 "%s: backward gives %d gradients for %d inputs", ctx->node->name, n,
                 call->nargs);
    TS_CHECK(n >= call->nargs, TS_ERR_RUNTIME, "autograd/C24",
             "%s: backward gives %d gradients for %d inputs", ctx->node->name, n,
             call->nargs);
    for (int k = 0; k < call->nargs; k++) {
        if (call->input[k] < 0 || call->input[k] >= ninputs || items[k].kind == V_NONE)
            continue;
        TS_CHECK(items[k].kind == V_TENSOR, TS_ERR_RUNTIME, "autograd/C25",
                 "%s: backward gives '%s' for input %d, not a tensor", ctx->node->name,
                 tsi_kind_name(&items[k]), k);
        out[call->input[k]] = ts_retain(items[k].t);
    }
    return TS_OK;
}

static ts_status function_backward(void *self, int ngrads, ts_tensor *const *grads,
                                   int ninputs, ts_tensor **out)
{
    tsi_object *ctx = self;
    const tsi_value first = {.kind = V_CTX, .o = ctx};
    tsi_args args = {.n = 0};
    tsi_value made;
    ts_status s;

    TS_CHECK(ctx->node->b != NULL, TS_ERR_NOT_IMPLEMENTED, "autograd/C26",
             "class %s has no backward", ctx->node->name);
    s = gradients(ctx, ngrads, grads, &args);
    if (s == TS_OK)
        s = tsi_run_function(ctx->in, ctx->node->b, &first, &args, &made);
    if (s == TS_OK) {
        s = deliver(ctx, &made, ninputs, out);
        tsi_release(made);
    }
    tsi_release_args(&args);
    for (int k = 0; s != TS_OK && k < ninputs; k++) {
        ts_release(out[k]);
        out[k] = NULL;
    }
    return s;
}

static bool is_marked(const tsi_call *call, const ts_tensor *t)
{
    for (int i = 0; call->not_differentiable != NULL && i < call->not_differentiable->n;
         i++)
        if (call->not_differentiable->v[i].t == t)
            return true;
    return false;
}

static ts_status attach(tsi_interp *in, tsi_object *ctx, int ninputs,
                        ts_tensor *const *inputs, tsi_value *made)
{
    tsi_value *items = tsi_is_sequence(made) ? made->o->v : made;
    ts_tensor *outputs[MAX_TENSORS];
    tsi_call *call = ctx->call;
    char name[100];
    int n = 0;

    call->noutputs = tsi_is_sequence(made) ? made->o->n : 1;
    TS_CHECK(call->noutputs <= TSI_MAX_CALL_ARGS - 1, TS_ERR_VALUE, "case_language/C8",
             "%s: more than %d outputs", ctx->node->name, TSI_MAX_CALL_ARGS - 1);
    for (int k = 0; k < call->noutputs; k++) {
        const ts_tensor *t = items[k].t;

        TS_CHECK(items[k].kind == V_TENSOR, TS_ERR_TYPE, "case_language/C5",
                 "%s: forward gives tensors, not '%s'", ctx->node->name,
                 tsi_kind_name(&items[k]));
        call->device[k] = t->device;
        call->dtype[k] = t->dtype;
        call->ndim[k] = t->ndim;
        call->sizes[k] = tsi_pool_grow(in->pool, t->sizes, (size_t)t->ndim,
                                       (size_t)t->ndim + 1, sizeof *t->sizes);
        if (call->sizes[k] == NULL)
            return tsi_no_memory();
        call->attached[k] = -1;
        if (is_marked(call, t) || !ts_dtype_is_floating(t->dtype))
            continue;
        call->attached[k] = n;
        outputs[n++] = items[k].t;
    }
    snprintf(name, sizeof name, "%.80sBackward", ctx->node->name);
    if (n == 0)
        return TS_OK;
    ctx->refs++; /* the node's */

    const ts_status s = ts_function_attach(name, ninputs, inputs, n, outputs,
                                           function_backward, ctx, drop_object);

    for (int k = 0; k < call->noutputs; k++)
        if (call->attached[k] >= 0) /* an output that is an input came back as a view */
            items[k].t = outputs[call->attached[k]];
    if (s != TS_OK)
        ctx->refs--;
    return s;
}

static ts_status note_inputs(tsi_interp *in, const tsi_args *args, tsi_object *ctx,
                             ts_tensor **inputs, int *ninputs, bool *wanted)
{
    tsi_value needs;

    *ninputs = 0;
    *wanted = false;
    ctx->call->nargs = args->n;
    TS_TRY(tsi_object_new(in, V_TUPLE, args->n, &needs));
    needs.o->n = args->n;
    for (int k = 0; k < args->n; k++) {
        const bool tensor = args->v[k].kind == V_TENSOR;
        const bool needed = tensor && ts_requires_grad(args->v[k].t);

        needs.o->v[k] = tsi_bool(needed);
        *wanted |= needed;
        ctx->call->input[k] = tensor ? *ninputs : -1;
        if (tensor)
            inputs[(*ninputs)++] = args->v[k].t;
    }
    ctx->names[0] = "needs_input_grad";
    ctx->v[0] = needs;
    ctx->n = 1;
    return TS_OK;
}

ts_status tsi_apply_function(tsi_interp *in, const tsi_node *class_, tsi_args *args,
                             tsi_value *out)
{
    ts_tensor *inputs[TSI_MAX_CALL_ARGS];
    tsi_value ctx;
    bool wanted = false, grad;
    int ninputs = 0;
    ts_status s;

    TS_CHECK(args->keywords == 0, TS_ERR_TYPE, "errors/C2",
             "%s.apply() takes no keyword arguments", class_->name);
    TS_TRY(tsi_object_new(in, V_CTX, 6, &ctx));
    ctx.o->node = class_;
    ctx.o->names = tsi_pool_alloc(in->pool, 6 * sizeof *ctx.o->names);
    ctx.o->call = tsi_pool_alloc(in->pool, sizeof *ctx.o->call);
    s = ctx.o->names == NULL || ctx.o->call == NULL
            ? tsi_no_memory()
            : note_inputs(in, args, ctx.o, inputs, &ninputs, &wanted);
    if (s == TS_OK) {
        grad = ts_set_grad_enabled(false);
        s = tsi_run_function(in, class_->a, &ctx, args, out);
        ts_set_grad_enabled(grad);
        if (s == TS_OK && grad && wanted) {
            s = attach(in, ctx.o, ninputs, inputs, out);
            if (s != TS_OK)
                tsi_release(*out);
        }
    }
    tsi_release(ctx);
    return s;
}

ts_status tsi_ctx_method(tsi_interp *in, const tsi_node *attribute, const tsi_value *self,
                         tsi_args *args, tsi_value *out)
{
    const char *name = attribute->name;
    const tsi_value to = *self;
    tsi_value saved;
    ts_status s;

    *out = tsi_none();
    if (strcmp(name, "set_materialize_grads") == 0) {
        TS_CHECK(args->n == 1 && args->v[0].kind == V_BOOL, TS_ERR_TYPE, "errors/C2",
                 "set_materialize_grads() takes a bool");
        to.o->call->plain_none = !args->v[0].b;
        return TS_OK;
    }
    if (strcmp(name, "save_for_backward") != 0 &&
        strcmp(name, "mark_non_differentiable") != 0)
        return ts_fail(strcmp(name, "mark_dirty") == 0 ? TS_ERR_UNSUPPORTED
                                                       : TS_ERR_ATTRIBUTE,
                       "case_language/C5", "ctx has no method '%s'", name);
    for (int i = 0; i < args->n; i++)
        TS_CHECK(args->v[i].kind == V_TENSOR ||
                     (args->v[i].kind == V_NONE && name[0] == 's'),
                 TS_ERR_TYPE, "errors/C2", "%s() takes tensors, not '%s'", name,
                 tsi_kind_name(&args->v[i]));
    TS_TRY(tsi_object_new(in, V_TUPLE, args->n, &saved));
    for (int i = 0; i < args->n; i++)
        saved.o->v[saved.o->n++] = tsi_retain(args->v[i]);
    if (name[0] == 'm')
        to.o->call->not_differentiable = saved.o;
    s = tsi_set_attribute(
        in,
        &(tsi_node){.kind = N_ATTR,
                    .name = name[0] == 'm' ? "not_differentiable" : "saved_tensors"},
        &to, &saved);
    tsi_release(saved);
    return s;
}
