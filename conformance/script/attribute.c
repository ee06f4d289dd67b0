/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: x.grad, x.shape, torch.finfo(…).max, ctx.anything. */
#include <string.h>

#include "interp.h"
#include "module.h"

static ts_status no_attribute(const tsi_value *of, const char *name)
{
    return ts_fail(TS_ERR_ATTRIBUTE, "case_language/C5", "'%s' has no attribute '%s'",
                   tsi_kind_name(of), name);
}

static ts_status bound_method(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                              tsi_value *out)
{
    TS_TRY(tsi_object_new(in, V_METHOD, 1, out));
    out->o->v[out->o->n++] = tsi_retain(*of);
    out->o->node = n;
    return TS_OK;
}

ts_status tsi_mark_leaf(tsi_interp *in, ts_tensor *t, bool on)
{
    tsi_kept *k;

    TS_TRY(ts_set_requires_grad(t, on));
    if (!on || !in->c->ast->keeps_graphs)
        return TS_OK;
    for (k = in->leaves; k != NULL; k = k->next)
        if (k->tensor == t)
            return TS_OK;
    k = tsi_pool_alloc(in->pool, sizeof *k);
    if (k == NULL)
        return tsi_no_memory();
    k->tensor = ts_retain(t);
    k->next = in->leaves;
    in->leaves = k;
    return TS_OK;
}

static tsi_value or_none(ts_tensor *t)
{
    return t != NULL ? tsi_tensor_value(ts_retain(t)) : tsi_none();
}

static ts_status tensor_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                                  tsi_value *out)
{
    ts_tensor *t = of->t;
    const char *fn;
    ts_tensor *data;

    switch (n->callee->member) {
    case MEMBER_grad:
        *out = or_none(ts_grad_get(t));
        return TS_OK;
    case MEMBER_data:
        TS_TRY(ts_data_get(t, &data));
        *out = tsi_tensor_value(data);
        return TS_OK;
    case MEMBER_requires_grad:
        *out = tsi_bool(ts_requires_grad(t));
        return TS_OK;
    case MEMBER_shape:
        return tsi_int_tuple(in, t->ndim, t->sizes, out);
    case MEMBER_dtype:
        *out = (tsi_value){.kind = V_DTYPE, .dtype = t->dtype};
        return TS_OK;
    case MEMBER_device:
        *out = (tsi_value){.kind = V_DEVICE, .device = t->device};
        return TS_OK;
    case MEMBER_is_leaf:
        *out = tsi_bool(ts_is_leaf(t));
        return TS_OK;
    case MEMBER_grad_fn:
        fn = ts_grad_fn_name(t);
        if (fn != NULL) /* the name lives as long as the node, or until the next */
            fn = tsi_pool_strndup(in->pool, fn, strlen(fn));
        *out = fn != NULL ? (tsi_value){.kind = V_GRAD_FN, .s = fn} : tsi_none();
        return TS_OK;
    case MEMBER_T:
        return tsi_call_known(in, K_NUMPY_T, TS_FUNCTIONAL, 1, of, out);
    case MEMBER_mT:
        return tsi_call_known(in, K_MT, TS_FUNCTIONAL, 1, of, out);
    case MEMBER_ndim:
        *out = tsi_int(t->ndim);
        return TS_OK;
    case MEMBER__version:
        *out = tsi_int(ts_version(t));
        return TS_OK;
    case MEMBER__base:
        *out = or_none(ts_tensor_base(t));
        return TS_OK;
    case MEMBER_itemsize:
        *out = tsi_int(ts_dtype_size(t->dtype));
        return TS_OK;
    case MEMBER_nbytes:
        *out = tsi_int(t->numel * ts_dtype_size(t->dtype));
        return TS_OK;
    default:
        return n->callee->word != NULL || n->callee->op != NULL
                   ? bound_method(in, n, of, out)
                   : no_attribute(of, n->name);
    }
}

static tsi_value floating(double v)
{
    return (tsi_value){.kind = V_FLOAT, .f = v};
}

/* aux: of torch.iinfo. */
static ts_status finfo_attribute(const tsi_value *of, const tsi_node *n, tsi_value *out)
{
    const ts_dtype_info *d = ts_dtype_get(of->dtype);
    const bool integers = of->aux;

    switch (n->callee->member) {
    case MEMBER_bits:
        *out = tsi_int(d->bits);
        return TS_OK;
    case MEMBER_dtype:
        *out = (tsi_value){.kind = V_STR, .s = d->name};
        return TS_OK;
    case MEMBER_max:
        *out = integers ? tsi_int(d->int_max) : floating(d->max);
        return TS_OK;
    case MEMBER_min:
        *out = integers ? tsi_int(d->int_min) : floating(d->min);
        return TS_OK;
    default:
        break;
    }
    if (integers)
        return no_attribute(of, n->name);
    switch (n->callee->member) {
    case MEMBER_eps:
        *out = floating(d->eps);
        return TS_OK;
    case MEMBER_tiny:
        *out = floating(d->tiny);
        return TS_OK;
    case MEMBER_smallest_normal:
        *out = floating(d->smallest_normal);
        return TS_OK;
    case MEMBER_resolution:
        *out = floating(d->resolution);
        return TS_OK;
    default:
        return no_attribute(of, n->name);
    }
}

static ts_status ctx_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                               tsi_value *out)
{
    const tsi_object *ctx = of->o;

    for (int i = ctx->n - 1; i >= 0; i--)
        if (strcmp(ctx->names[i], n->name) == 0) {
            *out = tsi_retain(ctx->v[i]);
            return TS_OK;
        }
    switch (n->callee->member) {
    case MEMBER_saved_tensors:
        return tsi_ctx_saved(in, ctx, out);
    case MEMBER_save_for_backward:
    case MEMBER_save_for_forward:
    case MEMBER_mark_non_differentiable:
    case MEMBER_mark_dirty:
    case MEMBER_set_materialize_grads:
        return bound_method(in, n, of, out);
    default:
        return no_attribute(of, n->name);
    }
}

static ts_status object_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                                  tsi_value *out)
{
    const tsi_module_class *class_ = of->o->class_;

    if (tsi_module_method_find(class_, n->name) != NULL)
        return bound_method(in, n, of, out);
    for (const tsi_module_attribute *a = class_->attributes; a != NULL && a->name; a++)
        if (strcmp(a->name, n->name) == 0)
            return a->get(in, of->o->self, out);
    return no_attribute(of, n->name);
}

ts_status tsi_get_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                            tsi_value *out)
{
    static const char *const device_types[] = {"cpu", "meta", "accel"};
    const int member = n->callee->member;

    switch (of->kind) {
    case V_TENSOR:
        return tensor_attribute(in, n, of, out);
    case V_TUPLE:
        for (int i = 0; of->o->names != NULL && i < of->o->n; i++)
            if (strcmp(of->o->names[i], n->name) == 0) {
                *out = tsi_retain(of->o->v[i]);
                return TS_OK;
            }
        break;
    case V_FINFO:
        return finfo_attribute(of, n, out);
    case V_CTX:
        return ctx_attribute(in, n, of, out);
    case V_CLASS:
        if (member == MEMBER_apply)
            return bound_method(in, n, of, out);
        break;
    case V_GRAD_FN:
        if (member == MEMBER_name)
            return bound_method(in, n, of, out);
        break;
    case V_DTYPE:
        if (member == MEMBER_itemsize)
            *out = tsi_int(ts_dtype_size(of->dtype));
        else if (member == MEMBER_is_floating_point)
            *out = tsi_bool(ts_dtype_is_floating(of->dtype));
        else
            break;
        return TS_OK;
    case V_OBJECT:
        return object_attribute(in, n, of, out);
    case V_DEVICE:
        if (member == MEMBER_type)
            *out = (tsi_value){.kind = V_STR, .s = device_types[of->device.type]};
        else if (member == MEMBER_index) /* None: the current one, or there is just one */
            *out = of->device.type == TS_ACCEL && of->device.index >= 0
                       ? tsi_int(of->device.index)
                       : tsi_none();
        else
            break;
        return TS_OK;
    default:
        break;
    }
    return no_attribute(of, n->name);
}

static ts_status set_ctx(tsi_interp *in, tsi_object *ctx, const char *name,
                         const tsi_value *value)
{
    TS_CHECK(strcmp(name, "saved_tensors") != 0, TS_ERR_ATTRIBUTE, "custom_function/C7",
             "ctx.saved_tensors is what save_for_backward() kept; it can't be assigned");
    for (int i = 0; i < ctx->n; i++)
        if (strcmp(ctx->names[i], name) == 0) {
            const tsi_value old = ctx->v[i];

            ctx->v[i] = tsi_retain(*value);
            tsi_release(old);
            return TS_OK;
        }
    if (ctx->n == ctx->capacity) {
        const size_t capacity = (size_t)ctx->capacity * 2 + 4;
        const char **names =
            tsi_pool_grow(in->pool, ctx->names, (size_t)ctx->n, capacity, sizeof *names);

        if (names == NULL)
            return tsi_no_memory();
        ctx->names = names;
        ctx->v =
            tsi_pool_grow(in->pool, ctx->v, (size_t)ctx->n, capacity, sizeof *ctx->v);
        if (ctx->v == NULL) {
            ctx->n = 0; /* what it held goes with the run */
            return tsi_no_memory();
        }
        ctx->capacity = (int)capacity;
    }
    ctx->names[ctx->n] = name;
    ctx->v[ctx->n++] = tsi_retain(*value);
    return TS_OK;
}

ts_status tsi_set_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                            const tsi_value *value)
{
    if (of->kind == V_CTX)
        return set_ctx(in, of->o, n->name, value);
    if (of->kind != V_TENSOR)
        return no_attribute(of, n->name);
    switch (n->callee->member) {
    case MEMBER_requires_grad:
        TS_CHECK(value->kind == V_BOOL, TS_ERR_RUNTIME, "case_language/C5",
                 "requires_grad must be a bool, not '%s'", tsi_kind_name(value));
        return tsi_mark_leaf(in, of->t, value->b);
    case MEMBER_grad:
        TS_CHECK(value->kind == V_TENSOR || value->kind == V_NONE, TS_ERR_TYPE,
                 "case_language/C5", "grad must be a tensor or None, not '%s'",
                 tsi_kind_name(value));
        return ts_grad_set(of->t, value->kind == V_TENSOR ? value->t : NULL);
    case MEMBER_data:
        TS_CHECK(value->kind == V_TENSOR, TS_ERR_TYPE, "case_language/C5",
                 "data must be a tensor, not '%s'", tsi_kind_name(value));
        return ts_data_set(of->t, value->t);
    default:
        return ts_fail(TS_ERR_ATTRIBUTE, "case_language/C5",
                       "attribute '%s' of a tensor cannot be assigned", n->name);
    }
}
