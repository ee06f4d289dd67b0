/* SPDX-License-Identifier: Apache-2.0 */
/* backward, grad, hooks, gradcheck. */
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
