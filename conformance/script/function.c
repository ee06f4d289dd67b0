/* SPDX-License-Identifier: Apache-2.0 */
/* class F(Function): the program's own differentiable functions, on ts_function. */
#include <string.h>

#include "interp.h"

/* An application under way. */
typedef struct tsi_call {
    const tsi_args *args;
    tsi_value made;      /* what forward gave */
    const char *unsaved; /* kind of what save_for_backward can't keep */
} tsi_call;

static ts_status check_saved(const tsi_object *o)
{
    TS_CHECK(o->call->unsaved == NULL || !ts_ctx_is_recorded(o->ctx), TS_ERR_TYPE,
             "custom_function/C2", "%s: save_for_backward() keeps tensors, not '%s'",
             o->node->name, o->call->unsaved);
    return TS_OK;
}

static ts_status forward(void *self, ts_function_ctx *ctx, int ninputs,
                         ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs)
{
    tsi_object *o = self;
    const tsi_value first = {.kind = V_CTX, .o = o};
    tsi_call *call = o->call;
    const tsi_value *items = &call->made;
    int n = 1;

    (void)ninputs, (void)inputs; /* they are among call->args */
    o->ctx = ctx;
    TS_TRY(tsi_run_function(o->in, o->node->a, ctx != NULL ? &first : NULL, call->args,
                            &call->made));
    if (call->made.kind == V_TUPLE) {
        items = call->made.o->v;
        n = call->made.o->n;
    }
    TS_CHECK(n <= *noutputs, TS_ERR_VALUE, "case_language/C8", "%s: more than %d outputs",
             o->node->name, *noutputs);
    for (int k = 0; k < n; k++)
        outputs[k] = items[k].kind == V_TENSOR ? ts_retain(items[k].t) : NULL;
    *noutputs = n;
    return ctx != NULL ? check_saved(o) : TS_OK;
}

static ts_status setup_context(void *self, ts_function_ctx *ctx, int ninputs,
                               ts_tensor *const *inputs, int noutputs,
                               ts_tensor *const *outputs)
{
    tsi_object *o = self;
    const tsi_value first = {.kind = V_CTX, .o = o};
    tsi_args args = {.n = 0};
    tsi_value none;

    (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    o->ctx = ctx;
    TS_TRY(tsi_object_new(o->in, V_TUPLE, o->call->args->n, &args.v[0]));
    for (int k = 0; k < o->call->args->n; k++)
        args.v[0].o->v[args.v[0].o->n++] = tsi_retain(o->call->args->v[k]);
    args.v[1] = tsi_retain(o->call->made);
    args.n = 2;

    const ts_status s = tsi_run_function(o->in, o->node->c, &first, &args, &none);

    tsi_release_args(&args);
    TS_TRY(s);
    tsi_release(none);
    return check_saved(o);
}

static ts_status deliver(const tsi_object *o, const tsi_value *made, int ninputs,
                         ts_tensor **out)
{
    const bool several = made->kind == V_TUPLE;
    const tsi_value *items = several ? made->o->v : made;
    const int n = several ? made->o->n : 1;
    bool fits = n >= ninputs;

    for (int k = ninputs; k < n; k++) /* PyTorch lets more Nones pass */
        fits &= items[k].kind == V_NONE;
    TS_CHECK(fits, TS_ERR_RUNTIME, "autograd/C24",
             "%s: backward gives %d gradients for %d inputs", o->node->name, n, ninputs);
    for (int k = 0; k < ninputs; k++) {
        if (items[k].kind == V_NONE)
            continue;
        TS_CHECK(o->is_tensor[k], TS_ERR_RUNTIME, "custom_function/C1",
                 "%s: backward gives '%s' for input %d, which is no tensor",
                 o->node->name, tsi_kind_name(&items[k]), k);
        TS_CHECK(items[k].kind == V_TENSOR, TS_ERR_RUNTIME, "autograd/C25",
                 "%s: backward gives '%s' for input %d, not a tensor", o->node->name,
                 tsi_kind_name(&items[k]), k);
        out[k] = ts_retain(items[k].t);
    }
    return TS_OK;
}

static ts_status backward(void *self, ts_function_ctx *ctx, int ngrads,
                          ts_tensor *const *grads, int ninputs, ts_tensor **out)
{
    tsi_object *o = self;
    const tsi_value first = {.kind = V_CTX, .o = o};
    tsi_args args = {.n = ngrads};
    tsi_value made;
    ts_status s;

    o->ctx = ctx;
    for (int k = 0; k < ngrads; k++)
        args.v[k] = grads[k] != NULL ? tsi_tensor_value(ts_retain(grads[k])) : tsi_none();
    s = tsi_run_function(o->in, o->node->b, &first, &args, &made);
    if (s == TS_OK) {
        s = deliver(o, &made, ninputs, out);
        tsi_release(made);
    }
    tsi_release_args(&args);
    return s;
}

/* The node goes; the program may hold on to the ctx. */
static void destroy(void *self)
{
    tsi_object *o = self;

    o->ctx = NULL;
    tsi_release((tsi_value){.kind = V_CTX, .o = o});
}

static ts_status new_ctx(tsi_interp *in, const tsi_node *class_, const tsi_args *args,
                         ts_tensor **inputs, tsi_value *out)
{
    tsi_value needs;
    tsi_object *o;

    TS_TRY(tsi_object_new(in, V_CTX, 6, out));
    o = out->o;
    o->node = class_;
    o->names = tsi_pool_alloc(in->pool, 6 * sizeof *o->names);
    o->is_tensor = tsi_pool_alloc(in->pool, (size_t)args->n + 1);
    if (o->names == NULL || o->is_tensor == NULL)
        return tsi_no_memory();
    TS_TRY(tsi_object_new(in, V_TUPLE, args->n, &needs));
    for (int k = 0; k < args->n; k++) {
        o->is_tensor[k] = args->v[k].kind == V_TENSOR;
        inputs[k] = o->is_tensor[k] ? args->v[k].t : NULL;
        needs.o->v[k] = tsi_bool(inputs[k] != NULL && ts_requires_grad(inputs[k]));
    }
    needs.o->n = args->n;
    o->names[0] = "needs_input_grad";
    o->v[0] = needs;
    o->n = 1;
    return TS_OK;
}

/* What forward gave, with the tensors that the runtime made of its own; takes those. */
static ts_status results(tsi_interp *in, const tsi_value *made, int n,
                         ts_tensor **outputs, tsi_value *out)
{
    if (made->kind != V_TUPLE) {
        *out = outputs[0] != NULL ? tsi_tensor_value(outputs[0]) : tsi_retain(*made);
        return TS_OK;
    }

    const ts_status s = tsi_object_new(in, V_TUPLE, n, out);

    for (int k = 0; k < n; k++)
        if (s != TS_OK)
            ts_release(outputs[k]);
        else
            out->o->v[out->o->n++] = outputs[k] != NULL ? tsi_tensor_value(outputs[k])
                                                        : tsi_retain(made->o->v[k]);
    return s;
}

ts_status tsi_apply_function(tsi_interp *in, const tsi_node *class_, tsi_args *args,
                             tsi_value *out)
{
    const ts_function f = {.size = sizeof f,
                           .name = class_->name,
                           .forward = forward,
                           .setup_context = class_->c != NULL ? setup_context : NULL,
                           .backward = class_->b != NULL ? backward : NULL,
                           .once_differentiable =
                               class_->b != NULL && class_->b->function->once,
                           .destroy = destroy};
    ts_tensor *inputs[TSI_MAX_CALL_ARGS], *outputs[TSI_MAX_CALL_ARGS];
    tsi_call call = {.args = args, .made = tsi_none()};
    int n = TSI_MAX_CALL_ARGS;
    tsi_value ctx = tsi_none();
    ts_status s;

    TS_CHECK(args->keywords == 0, TS_ERR_TYPE, "errors/C2",
             "%s.apply() takes no keyword arguments", class_->name);
    s = new_ctx(in, class_, args, inputs, &ctx);
    if (s != TS_OK) {
        tsi_release(ctx);
        return s;
    }
    ctx.o->call = &call;
    s = ts_function_apply(&f, ctx.o, args->n, inputs, &n, outputs);
    ctx.o->call = NULL; /* the object may be let go, but stays in the pool */
    if (s == TS_OK)
        s = results(in, &call.made, n, outputs, out);
    tsi_release(call.made);
    return s;
}

/* --- ctx -------------------------------------------------------------------------------
 */

static ts_status set_materialize_grads(ts_function_ctx *ctx, const tsi_args *args)
{
    TS_CHECK(args->n == 1 && args->v[0].kind == V_BOOL, TS_ERR_TYPE,
             "custom_function/C10", "set_materialize_grads() takes a bool");
    ts_ctx_set_materialize_grads(ctx, args->v[0].b);
    return TS_OK;
}

/* What can't be saved is refused once it is known that it would be (C2). */
static ts_status save_for_backward(const tsi_object *o, const tsi_args *args,
                                   ts_tensor *const *tensors)
{
    const char *unsaved = NULL;

    for (int i = args->n - 1; i >= 0; i--)
        if (args->v[i].kind != V_TENSOR && args->v[i].kind != V_NONE)
            unsaved = tsi_kind_name(&args->v[i]);
    if (o->call != NULL)
        o->call->unsaved = unsaved;
    return ts_ctx_save_for_backward(o->ctx, args->n, tensors);
}

typedef struct marking {
    const char *name, *label;
    ts_status error; /* of what it does not take */
    bool none;       /* it takes None */
    ts_status (*mark)(ts_function_ctx *ctx, int n, ts_tensor *const *tensors);
} marking;

static const marking markings[] = {
    {"save_for_forward", "custom_function/C9", TS_ERR_ASSERTION, true,
     ts_ctx_save_for_forward},
    {"mark_dirty", "custom_function/C3", TS_ERR_RUNTIME, false, ts_ctx_mark_dirty},
    {"mark_non_differentiable", "custom_function/C3", TS_ERR_RUNTIME, false,
     ts_ctx_mark_non_differentiable}};

static ts_status mark(const marking *m, const tsi_object *o, const tsi_args *args,
                      ts_tensor *const *tensors)
{
    for (int i = 0; i < args->n; i++)
        TS_CHECK(args->v[i].kind == V_TENSOR || (m->none && args->v[i].kind == V_NONE),
                 m->error, m->label, "%s() takes tensors, not '%s'", m->name,
                 tsi_kind_name(&args->v[i]));
    return m->mark(o->ctx, args->n, tensors);
}

static ts_status check_alive(const tsi_object *o, const char *what)
{
    TS_CHECK(o->ctx != NULL, TS_ERR_RUNTIME, "case_language/C8",
             "%s: ctx.%s after its node is gone", o->node->name, what);
    return TS_OK;
}

ts_status tsi_ctx_method(tsi_interp *in, const tsi_node *attribute, const tsi_value *self,
                         tsi_args *args, tsi_value *out)
{
    const char *name = attribute->name;
    ts_tensor *tensors[TSI_MAX_CALL_ARGS];

    (void)in;
    *out = tsi_none();
    TS_CHECK(args->keywords == 0, TS_ERR_TYPE, "errors/C2",
             "ctx.%s() takes no keyword arguments", name);
    TS_TRY(check_alive(self->o, name));
    if (strcmp(name, "set_materialize_grads") == 0)
        return set_materialize_grads(self->o->ctx, args);
    for (int i = 0; i < args->n; i++)
        tensors[i] = args->v[i].kind == V_TENSOR ? args->v[i].t : NULL;
    if (strcmp(name, "save_for_backward") == 0)
        return save_for_backward(self->o, args, tensors);
    for (size_t i = 0; i < sizeof markings / sizeof markings[0]; i++)
        if (strcmp(markings[i].name, name) == 0)
            return mark(&markings[i], self->o, args, tensors);
    return ts_fail(TS_ERR_ATTRIBUTE, "case_language/C5", "ctx has no method '%s'", name);
}

ts_status tsi_ctx_saved(tsi_interp *in, const tsi_object *ctx, tsi_value *out)
{
    ts_tensor *saved[TSI_MAX_CALL_ARGS];
    ts_status s;
    int n;

    TS_TRY(check_alive(ctx, "saved_tensors"));
    TS_TRY(ts_ctx_saved_tensors(ctx->ctx, TSI_MAX_CALL_ARGS, saved, &n));
    s = tsi_object_new(in, V_TUPLE, n, out);
    for (int k = 0; k < n; k++)
        if (s != TS_OK)
            ts_release(saved[k]);
        else
            out->o->v[out->o->n++] =
                saved[k] != NULL ? tsi_tensor_value(saved[k]) : tsi_none();
    return s;
}
