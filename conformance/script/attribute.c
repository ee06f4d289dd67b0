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

static ts_status transposed(tsi_interp *in, const tsi_value *of, bool matrix,
                            tsi_value *out)
{
    return tsi_call_known(in, matrix ? K_MT : K_NUMPY_T, TS_FUNCTIONAL, 1, of, out);
}

static ts_status tensor_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                                  tsi_value *out)
{
    ts_tensor *t = of->t;
    const char *name = n->name;

    if (strcmp(name, "grad") == 0)
        *out = or_none(ts_grad_get(t));
    else if (strcmp(name, "shape") == 0)
        return tsi_int_tuple(in, t->ndim, t->sizes, out);
    else if (strcmp(name, "dtype") == 0)
        *out = (tsi_value){.kind = V_DTYPE, .dtype = t->dtype};
    else if (strcmp(name, "device") == 0)
        *out = (tsi_value){.kind = V_DEVICE, .device = t->device};
    else if (strcmp(name, "requires_grad") == 0)
        *out = tsi_bool(ts_requires_grad(t));
    else if (strcmp(name, "is_leaf") == 0)
        *out = tsi_bool(ts_is_leaf(t));
    else if (strcmp(name, "ndim") == 0)
        *out = tsi_int(t->ndim);
    else if (strcmp(name, "itemsize") == 0)
        *out = tsi_int(ts_dtype_size(t->dtype));
    else if (strcmp(name, "nbytes") == 0)
        *out = tsi_int(t->numel * ts_dtype_size(t->dtype));
    else if (strcmp(name, "_version") == 0)
        *out = tsi_int(ts_version(t));
    else if (strcmp(name, "_base") == 0)
        *out = or_none(ts_tensor_base(t));
    else if (strcmp(name, "grad_fn") == 0) {
        const char *fn = ts_grad_fn_name(t);

        if (fn != NULL) /* the name lives as long as the node, or until the next */
            fn = tsi_pool_strndup(in->pool, fn, strlen(fn));
        *out = fn != NULL ? (tsi_value){.kind = V_GRAD_FN, .s = fn} : tsi_none();
    } else if (strcmp(name, "data") == 0) {
        ts_tensor *data;

        TS_TRY(ts_data_get(t, &data));
        *out = tsi_tensor_value(data);
    } else if (strcmp(name, "T") == 0 || strcmp(name, "mT") == 0) {
        return transposed(in, of, name[0] == 'm', out);
    } else if (n->callee->native != NATIVE_NONE || n->callee->op != NULL ||
               n->callee->module != NULL) {
        return bound_method(in, n, of, out);
    } else {
        return no_attribute(of, name);
    }
    return TS_OK;
}

static ts_status finfo_attribute(const tsi_value *of, const char *name, tsi_value *out)
{
    const ts_dtype_info *d = ts_dtype_get(of->dtype);
    const struct {
        const char *name;
        double value;
    } floats[] = {{"max", d->max},
                  {"min", d->min},
                  {"eps", d->eps},
                  {"tiny", d->tiny},
                  {"smallest_normal", d->smallest_normal},
                  {"resolution", d->resolution}};

    if (strcmp(name, "bits") == 0) {
        *out = tsi_int(d->bits);
        return TS_OK;
    }
    if (strcmp(name, "dtype") == 0) {
        *out = (tsi_value){.kind = V_STR, .s = d->name};
        return TS_OK;
    }
    if (of->aux && (strcmp(name, "max") == 0 || strcmp(name, "min") == 0)) {
        *out = tsi_int(name[1] == 'a' ? d->int_max : d->int_min);
        return TS_OK;
    }
    for (size_t i = 0; !of->aux && i < sizeof floats / sizeof floats[0]; i++)
        if (strcmp(floats[i].name, name) == 0) {
            *out = (tsi_value){.kind = V_FLOAT, .f = floats[i].value};
            return TS_OK;
        }
    return no_attribute(of, name);
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
    if (strcmp(n->name, "saved_tensors") == 0)
        return tsi_ctx_saved(in, ctx, out);
    if (tsi_is_ctx_method(n->name))
        return bound_method(in, n, of, out);
    return no_attribute(of, n->name);
}

ts_status tsi_get_attribute(tsi_interp *in, const tsi_node *n, const tsi_value *of,
                            tsi_value *out)
{
    const char *name = n->name;

    switch (of->kind) {
    case V_TENSOR:
        return tensor_attribute(in, n, of, out);
    case V_TUPLE:
        for (int i = 0; of->o->names != NULL && i < of->o->n; i++)
            if (strcmp(of->o->names[i], name) == 0) {
                *out = tsi_retain(of->o->v[i]);
                return TS_OK;
            }
        break;
    case V_FINFO:
        return finfo_attribute(of, name, out);
    case V_CTX:
        return ctx_attribute(in, n, of, out);
    case V_CLASS:
        if (strcmp(name, "apply") == 0)
            return bound_method(in, n, of, out);
        break;
    case V_GRAD_FN:
        if (strcmp(name, "name") == 0)
            return bound_method(in, n, of, out);
        break;
    case V_DTYPE:
        if (strcmp(name, "itemsize") == 0) {
            *out = tsi_int(ts_dtype_size(of->dtype));
            return TS_OK;
        }
        if (strcmp(name, "is_floating_point") == 0) {
            *out = tsi_bool(ts_dtype_is_floating(of->dtype));
            return TS_OK;
        }
        break;
    case V_OBJECT:
        for (const tsi_module_method *m = of->o->class_->methods; m != NULL && m->name;
             m++)
            if (strcmp(m->name, name) == 0)
                return bound_method(in, n, of, out);
        if (of->o->class_->get != NULL)
            return of->o->class_->get(in, of->o->self, name, out);
        break;
    case V_DEVICE:
        if (strcmp(name, "type") == 0) {
            static const char *const types[] = {"cpu", "meta", "accel"};

            *out = (tsi_value){.kind = V_STR, .s = types[of->device.type]};
            return TS_OK;
        }
        if (strcmp(name, "index") ==
            0) { /* None: the current one, or there is just one */
            *out = of->device.type == TS_ACCEL && of->device.index >= 0
                       ? tsi_int(of->device.index)
                       : tsi_none();
            return TS_OK;
        }
        break;
    default:
        break;
    }
    return no_attribute(of, name);
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
    const char *name = n->name;

    if (of->kind == V_CTX)
        return set_ctx(in, of->o, name, value);
    if (of->kind != V_TENSOR)
        return no_attribute(of, name);
    if (strcmp(name, "requires_grad") == 0) {
        TS_CHECK(value->kind == V_BOOL, TS_ERR_RUNTIME, "case_language/C5",
                 "requires_grad must be a bool, not '%s'", tsi_kind_name(value));
        return tsi_mark_leaf(in, of->t, value->b);
    }
    if (strcmp(name, "grad") == 0) {
        TS_CHECK(value->kind == V_TENSOR || value->kind == V_NONE, TS_ERR_TYPE,
                 "case_language/C5", "grad must be a tensor or None, not '%s'",
                 tsi_kind_name(value));
        return ts_grad_set(of->t, value->kind == V_TENSOR ? value->t : NULL);
    }
    TS_CHECK(strcmp(name, "data") == 0, TS_ERR_ATTRIBUTE, "case_language/C5",
             "attribute '%s' of a tensor cannot be assigned", name);
    TS_CHECK(value->kind == V_TENSOR, TS_ERR_TYPE, "case_language/C5",
             "data must be a tensor, not '%s'", tsi_kind_name(value));
    return ts_data_set(of->t, value->t);
}
