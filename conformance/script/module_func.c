/* SPDX-License-Identifier: Apache-2.0 */
/* func.*: torch.func's transforms of the program's functions (spec/areas/func.md). */
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "touchstone/transform.h"

#include "words_func.h"

typedef enum transform { VMAP, GRAD, GRAD_AND_VALUE, VJP_FN } transform;

/* A transformed function; of vjp, what its second result holds on to. */
typedef struct wrapped {
    transform kind;
    tsi_value f;
    tsi_value first, second; /* vmap: in_dims, out_dims; grad: argnums */
    const char *randomness;
    ts_level *level; /* vjp: suspended */
    tsi_value primals, made;
} wrapped;

static void destroy(void *self)
{
    wrapped *w = self;

    tsi_release(w->f);
    tsi_release(w->first);
    tsi_release(w->second);
    tsi_release(w->primals);
    tsi_release(w->made);
    if (w->level != NULL)
        ts_level_free(w->level);
    free(w);
}

/* --- values in tuples and lists --- */

typedef ts_status (*leaf_fn)(void *self, ts_tensor *t, ts_tensor **out);

/* v with every tensor in it by way of fn; anything else is refused under `label`. */
static ts_status map(tsi_interp *in, const tsi_value *v, leaf_fn fn, void *self,
                     ts_status error, const char *label, tsi_value *out)
{
    ts_tensor *t = NULL;

    if (tsi_is_sequence(v)) {
        TS_TRY(tsi_object_new(in, v->kind, v->o->n, out));
        for (int i = 0; i < v->o->n; i++) {
            const ts_status s =
                map(in, &v->o->v[i], fn, self, error, label, &out->o->v[i]);

            if (s != TS_OK) {
                tsi_release(*out);
                *out = tsi_none();
                return s;
            }
            out->o->n++;
        }
        return TS_OK;
    }
    TS_CHECK(v->kind == V_TENSOR, error, label,
             "func: a transformed function gives tensors, not '%s'", tsi_kind_name(v));
    TS_TRY(fn(self, v->t, &t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

/* The tensors in v, in order; borrowed. */
static ts_status flatten(const tsi_value *v, int room, ts_tensor **out, int *n)
{
    if (tsi_is_sequence(v)) {
        for (int i = 0; i < v->o->n; i++)
            TS_TRY(flatten(&v->o->v[i], room, out, n));
        return TS_OK;
    }
    TS_CHECK(v->kind == V_TENSOR, TS_ERR_RUNTIME, "func/C18",
             "func: expected a tensor, not '%s'", tsi_kind_name(v));
    TS_CHECK(*n < room, TS_ERR_VALUE, "case_language/C8", "more than %d tensors", room);
    out[(*n)++] = v->t;
    return TS_OK;
}

static ts_status leave_grad(void *self, ts_tensor *t, ts_tensor **out)
{
    return ts_grad_leave(self, t, out);
}

static ts_status enter_grad(void *self, ts_tensor *t, ts_tensor **out)
{
    return ts_grad_enter(self, t, out);
}

/* --- vmap --- */

/* in_dims of argument i, out_dims of result i: *dim, TS_NO_DIM for None. */
static ts_status dim_of(const tsi_value *dims, int i, int n, int64_t *dim)
{
    const tsi_value *v = dims;

    if (tsi_is_sequence(dims)) {
        TS_CHECK(dims->o->n == n, TS_ERR_VALUE, "func/C2", "vmap: %d dims for %d values",
                 dims->o->n, n);
        v = &dims->o->v[i];
    }
    TS_CHECK(v->kind == V_INT || v->kind == V_NONE, TS_ERR_VALUE, "func/C2",
             "vmap: a dim is an int or None, not '%s'", tsi_kind_name(v));
    *dim = v->kind == V_INT ? v->i : TS_NO_DIM;
    return TS_OK;
}

static ts_status batch_size(const wrapped *w, const tsi_args *args, int64_t *size)
{
    bool known = false;

    TS_CHECK(args->n > 0, TS_ERR_VALUE, "func/C2", "vmap: no arguments to map over");
    for (int i = 0; i < args->n; i++) {
        const tsi_value *v = &args->v[i];
        int64_t dim = 0;

        TS_TRY(dim_of(&w->first, i, args->n, &dim));
        if (dim == TS_NO_DIM)
            continue;
        TS_CHECK(v->kind == V_TENSOR, TS_ERR_VALUE, "func/C2",
                 "vmap: '%s' can't be mapped over; its in_dim is None", tsi_kind_name(v));

        const int64_t at = dim < 0 ? dim + v->t->ndim : dim;

        TS_CHECK(0 <= at && at < v->t->ndim, TS_ERR_VALUE, "func/C2",
                 "vmap: in_dim %lld for a tensor of %d dims", (long long)dim, v->t->ndim);
        TS_CHECK(!known || *size == v->t->sizes[at], TS_ERR_VALUE, "func/C3",
                 "vmap: sizes %lld and %lld of the mapped dims differ", (long long)*size,
                 (long long)v->t->sizes[at]);
        *size = v->t->sizes[at];
        known = true;
    }
    TS_CHECK(known, TS_ERR_VALUE, "func/C2", "vmap: no argument is mapped over");
    return TS_OK;
}

typedef struct leaving {
    ts_level *level;
    int64_t dim;
} leaving;

static ts_status leave_vmap(void *self, ts_tensor *t, ts_tensor **out)
{
    const leaving *l = self;

    return ts_vmap_leave(l->level, t, l->dim, out);
}

static ts_status leave_all(tsi_interp *in, const wrapped *w, ts_level *level,
                           const tsi_value *made, tsi_value *out)
{
    leaving l = {level, 0};

    if (!tsi_is_sequence(made) || !tsi_is_sequence(&w->second)) {
        TS_TRY(dim_of(&w->second, 0, 1, &l.dim));
        return map(in, made, leave_vmap, &l, TS_ERR_VALUE, "func/C17", out);
    }
    TS_TRY(tsi_object_new(in, made->kind, made->o->n, out));
    for (int i = 0; i < made->o->n; i++) {
        ts_status s = dim_of(&w->second, i, made->o->n, &l.dim);

        if (s == TS_OK)
            s = map(in, &made->o->v[i], leave_vmap, &l, TS_ERR_VALUE, "func/C17",
                    &out->o->v[i]);
        if (s != TS_OK) {
            tsi_release(*out);
            *out = tsi_none();
            return s;
        }
        out->o->n++;
    }
    return TS_OK;
}

static ts_status run_vmap(tsi_interp *in, const wrapped *w, tsi_args *args,
                          tsi_value *out)
{
    tsi_args inner = {.n = 0, .keywords = args->keywords, .names = args->names};
    tsi_value made = tsi_none();
    int64_t size = 0, dim = 0;
    ts_level *level;
    ts_status s;

    TS_TRY(batch_size(w, args, &size));
    TS_TRY(ts_vmap_begin(size, w->randomness, &level));
    s = TS_OK;
    for (int i = 0; s == TS_OK && i < args->n; i++) {
        inner.v[i] = tsi_retain(args->v[i]);
        inner.n++;
        s = dim_of(&w->first, i, args->n, &dim);
        if (s == TS_OK && dim != TS_NO_DIM) {
            ts_tensor *t = NULL;

            s = ts_vmap_enter(level, args->v[i].t, dim, &t);
            if (s == TS_OK) {
                tsi_release(inner.v[i]);
                inner.v[i] = tsi_tensor_value(t);
            }
        }
    }
    if (s == TS_OK)
        s = tsi_call_value(in, &w->f, &inner, &made);
    if (s == TS_OK)
        s = leave_all(in, w, level, &made, out);
    tsi_release(made);
    tsi_release_args(&inner);
    ts_level_end(level);
    return s;
}

/* --- grad --- */

/* Gradients of the scalar `made` by the leaves in `by`, below the level. */
static ts_status gradients(tsi_interp *in, const wrapped *w, ts_level *level,
                           const tsi_value *made, const tsi_value *by, tsi_value *out)
{
    ts_tensor *leaves[TSI_MAX_CALL_ARGS], *grads[TSI_MAX_CALL_ARGS];
    int n = 0;

    (void)w;
    TS_CHECK(made->kind == V_TENSOR, TS_ERR_RUNTIME, "func/C18",
             "grad: the function is to return a tensor, not '%s'", tsi_kind_name(made));
    TS_TRY(flatten(by, TSI_MAX_CALL_ARGS, leaves, &n));
    TS_TRY(ts_level_gradients(level, 1, &made->t, NULL, n, leaves, false, grads));
    if (by->kind == V_TENSOR) {
        *out = tsi_tensor_value(grads[0]);
        return TS_OK;
    }

    const ts_status s = tsi_object_new(in, V_TUPLE, n, out);

    for (int i = 0; i < n; i++)
        if (s == TS_OK)
            out->o->v[out->o->n++] = tsi_tensor_value(grads[i]);
        else
            ts_release(grads[i]);
    return s;
}

/* Argument `at` enters the level, in `inner` and into *leaf. */
static ts_status enter_argument(ts_level *level, tsi_args *inner, int64_t at,
                                tsi_value *leaf)
{
    ts_tensor *t = NULL;

    TS_CHECK(-inner->n <= at && at < inner->n, TS_ERR_RUNTIME, "func/C15",
             "grad: argnum %lld of %d arguments", (long long)at, inner->n);
    at += at < 0 ? inner->n : 0;
    TS_CHECK(inner->v[at].kind == V_TENSOR, TS_ERR_RUNTIME, "func/C18",
             "grad: argument %lld is no tensor", (long long)at);
    TS_TRY(ts_grad_enter(level, inner->v[at].t, &t));
    tsi_release(inner->v[at]);
    inner->v[at] = tsi_tensor_value(ts_retain(t));
    *leaf = tsi_tensor_value(t);
    return TS_OK;
}

static ts_status enter_arguments(tsi_interp *in, const wrapped *w, ts_level *level,
                                 tsi_args *inner, tsi_value *by)
{
    if (w->first.kind == V_INT)
        return enter_argument(level, inner, w->first.i, by);
    TS_TRY(tsi_object_new(in, V_TUPLE, w->first.o->n, by));
    for (int i = 0; i < w->first.o->n; i++) {
        TS_CHECK(w->first.o->v[i].kind == V_INT, TS_ERR_TYPE, "func/C15",
                 "grad: argnums are ints");
        TS_TRY(enter_argument(level, inner, w->first.o->v[i].i, &by->o->v[i]));
        by->o->n++;
    }
    return TS_OK;
}

static ts_status run_grad(tsi_interp *in, const wrapped *w, tsi_args *args,
                          tsi_value *out)
{
    tsi_args inner = {.n = 0, .keywords = args->keywords, .names = args->names};
    tsi_value made = tsi_none(), by = tsi_none(), grads = tsi_none();
    ts_tensor *value = NULL;
    ts_level *level;
    ts_status s;

    for (; inner.n < args->n; inner.n++)
        inner.v[inner.n] = tsi_retain(args->v[inner.n]);
    s = ts_grad_begin(&level);
    if (s == TS_OK) {
        s = enter_arguments(in, w, level, &inner, &by);
        if (s == TS_OK)
            s = tsi_call_value(in, &w->f, &inner, &made);
        if (s == TS_OK)
            s = gradients(in, w, level, &made, &by, &grads);
        if (s == TS_OK && w->kind == GRAD_AND_VALUE)
            s = ts_grad_leave(level, made.t, &value);
        tsi_release(made);
        tsi_release(by);
        ts_level_end(level);
    }
    tsi_release_args(&inner);
    if (s == TS_OK && w->kind == GRAD_AND_VALUE) {
        s = tsi_object_new(in, V_TUPLE, 2, out);
        if (s == TS_OK) {
            out->o->v[0] = grads;
            out->o->v[1] = tsi_tensor_value(value);
            out->o->n = 2;
            return TS_OK;
        }
    } else if (s == TS_OK) {
        *out = grads;
        return TS_OK;
    }
    ts_release(value);
    tsi_release(grads);
    return s;
}

#define MOST_PRIMALS 5

/* --- vjp --- */

static ts_status pull_back(tsi_interp *in, const wrapped *w, tsi_args *args,
                           tsi_value *out)
{
    ts_tensor *roots[TSI_MAX_CALL_ARGS], *along[TSI_MAX_CALL_ARGS];
    ts_tensor *leaves[TSI_MAX_CALL_ARGS], *grads[TSI_MAX_CALL_ARGS];
    int nroots = 0, nalong = 0, n = 0;
    ts_status s;

    TS_TRY(flatten(&w->made, TSI_MAX_CALL_ARGS, roots, &nroots));
    TS_TRY(flatten(&w->primals, TSI_MAX_CALL_ARGS, leaves, &n));
    for (int i = 0; i < args->n; i++)
        TS_TRY(flatten(&args->v[i], TSI_MAX_CALL_ARGS, along, &nalong));
    TS_CHECK(nroots == nalong, TS_ERR_RUNTIME, "func/C16",
             "vjp: %d cotangents for %d results", nalong, nroots);
    ts_level_resume(w->level);
    s = ts_level_gradients(w->level, nroots, roots, along, n, leaves, true, grads);
    ts_level_suspend(w->level);
    TS_TRY(s);
    s = tsi_object_new(in, V_TUPLE, n, out);
    for (int i = 0; i < n; i++)
        if (s == TS_OK)
            out->o->v[out->o->n++] = tsi_tensor_value(grads[i]);
        else
            ts_release(grads[i]);
    return s;
}

static ts_status run(tsi_interp *in, void *self, tsi_args *args, tsi_value *out)
{
    const wrapped *w = self;

    *out = tsi_none();
    TS_CHECK(args->keywords == 0, TS_ERR_TYPE, "errors/C2",
             "a transformed function takes no keyword arguments here");
    if (w->kind == VMAP)
        return run_vmap(in, w, args, out);
    return w->kind == VJP_FN ? pull_back(in, w, args, out) : run_grad(in, w, args, out);
}

static const tsi_module_class wrapped_class = {
    .name = "function", .destroy = destroy, .call = run};

static ts_status vjp_inside(tsi_interp *in, wrapped *w, const tsi_value *const *v,
                            tsi_value *value)
{
    tsi_args inner = {.n = 0};
    ts_status s = tsi_object_new(in, V_TUPLE, MOST_PRIMALS, &w->primals);

    for (int i = 1; s == TS_OK && i <= MOST_PRIMALS && v[i] != NULL; i++) {
        s = map(in, v[i], enter_grad, w->level, TS_ERR_RUNTIME, "func/C18",
                &w->primals.o->v[i - 1]);
        if (s == TS_OK) {
            w->primals.o->n++;
            inner.v[inner.n++] = tsi_retain(w->primals.o->v[i - 1]);
        }
    }
    if (s == TS_OK)
        s = tsi_call_value(in, &w->f, &inner, &w->made);
    tsi_release_args(&inner);
    TS_TRY(s);
    return map(in, &w->made, leave_grad, w->level, TS_ERR_RUNTIME, "func/C18", value);
}

static ts_status func_vjp(tsi_interp *in, const tsi_value *self,
                          const tsi_value *const *v, tsi_value *out)
{
    tsi_value value = tsi_none(), object = tsi_none();
    wrapped *w;
    ts_status s;

    (void)self;
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return tsi_no_memory();
    w->kind = VJP_FN;
    w->f = tsi_retain(*v[0]);
    w->first = w->second = w->primals = w->made = tsi_none();
    TS_TRY(tsi_module_object(in, &wrapped_class, w, &object));
    s = ts_grad_begin(&w->level);
    if (s == TS_OK) {
        s = vjp_inside(in, w, v, &value);
        ts_level_suspend(w->level);
    }
    if (s == TS_OK)
        s = tsi_object_new(in, V_TUPLE, 2, out);
    if (s != TS_OK) {
        tsi_release(value);
        tsi_release(object);
        return s;
    }
    out->o->v[0] = value;
    out->o->v[1] = object;
    out->o->n = 2;
    return TS_OK;
}

/* --- jvp --- */

typedef struct halves {
    ts_level *level;
    bool moved;
} halves;

static ts_status leave_jvp(void *self, ts_tensor *t, ts_tensor **out)
{
    const halves *h = self;
    ts_tensor *primal, *tangent;

    TS_TRY(ts_jvp_leave(h->level, t, &primal, &tangent));
    *out = h->moved ? tangent : primal;
    ts_release(h->moved ? primal : tangent);
    return TS_OK;
}

static ts_status enter_pairs(ts_level *level, const tsi_value *primals,
                             const tsi_value *tangents, tsi_args *inner)
{
    for (int i = 0; i < primals->o->n; i++) {
        ts_tensor *t = NULL;

        TS_CHECK(primals->o->v[i].kind == V_TENSOR && tangents->o->v[i].kind == V_TENSOR,
                 TS_ERR_RUNTIME, "func/C18", "jvp: primals and tangents are tensors");
        TS_TRY(ts_jvp_enter(level, primals->o->v[i].t, tangents->o->v[i].t, &t));
        inner->v[inner->n++] = tsi_tensor_value(t);
    }
    return TS_OK;
}

static ts_status func_jvp(tsi_interp *in, const tsi_value *self,
                          const tsi_value *const *v, tsi_value *out)
{
    tsi_value made = tsi_none(), value = tsi_none(), moved = tsi_none();
    tsi_args inner = {.n = 0};
    halves h = {NULL, false};
    ts_status s;

    (void)self;
    TS_CHECK(v[1]->kind == V_TUPLE && v[2]->kind == V_TUPLE && v[1]->o->n == v[2]->o->n &&
                 v[1]->o->n <= TSI_MAX_CALL_ARGS,
             TS_ERR_RUNTIME, "func/C21",
             "jvp: primals and tangents are tuples of one length");
    s = ts_jvp_begin(&h.level);
    if (s == TS_OK) {
        s = enter_pairs(h.level, v[1], v[2], &inner);
        if (s == TS_OK)
            s = tsi_call_value(in, v[0], &inner, &made);
        if (s == TS_OK)
            s = map(in, &made, leave_jvp, &h, TS_ERR_RUNTIME, "func/C18", &value);
        h.moved = true;
        if (s == TS_OK)
            s = map(in, &made, leave_jvp, &h, TS_ERR_RUNTIME, "func/C18", &moved);
        tsi_release(made);
        tsi_release_args(&inner);
        ts_level_end(h.level);
    }
    if (s == TS_OK)
        s = tsi_object_new(in, V_TUPLE, 2, out);
    if (s != TS_OK) {
        tsi_release(value);
        tsi_release(moved);
        return s;
    }
    out->o->v[0] = value;
    out->o->v[1] = moved;
    out->o->n = 2;
    return TS_OK;
}

/* --- the functions that make functions --- */

static ts_status make(tsi_interp *in, transform kind, const tsi_value *f,
                      const tsi_value *first, const tsi_value *second,
                      const char *randomness, tsi_value *out)
{
    wrapped *w = calloc(1, sizeof *w);

    if (w == NULL)
        return tsi_no_memory();
    w->kind = kind;
    w->f = tsi_retain(*f);
    w->first = first ? tsi_retain(*first) : tsi_int(0);
    w->second = second ? tsi_retain(*second) : tsi_int(0);
    w->primals = w->made = tsi_none();
    w->randomness = randomness;
    return tsi_module_object(in, &wrapped_class, w, out);
}

static ts_status func_vmap(tsi_interp *in, const tsi_value *self,
                           const tsi_value *const *v, tsi_value *out)
{
    (void)self;
    return make(in, VMAP, v[0], v[1], v[2], v[3] ? v[3]->s : NULL, out);
}

static ts_status func_grad(tsi_interp *in, const tsi_value *self,
                           const tsi_value *const *v, tsi_value *out)
{
    (void)self;
    return make(in, GRAD, v[0], v[1], NULL, NULL, out);
}

static ts_status func_grad_and_value(tsi_interp *in, const tsi_value *self,
                                     const tsi_value *const *v, tsi_value *out)
{
    (void)self;
    return make(in, GRAD_AND_VALUE, v[0], v[1], NULL, NULL, out);
}

const tsi_module tsi_module_func = {.words = words};
