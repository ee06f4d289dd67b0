/* SPDX-License-Identifier: Apache-2.0 */
/* vmap, grad, vjp and jvp of functions over tensors. */
#include <stdlib.h>

#include "transform/level.h"

static ts_status run(const ts_callable *f, int n, ts_tensor *const *args, int nresults,
                     ts_tensor **results)
{
    for (int i = 0; i < nresults; i++)
        results[i] = NULL;
    return f->call(f->self, n, args, nresults, results);
}

static void drop(int n, ts_tensor **t)
{
    for (int i = 0; i < n; i++) {
        ts_release(t[i]);
        t[i] = NULL;
    }
}

/* Room for n tensors, all NULL. */
static ts_status room(int n, ts_tensor ***out)
{
    *out = calloc((size_t)n + 1, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for a transform");
    return TS_OK;
}

/* --- vmap --- */

static ts_status batch_of(int n, ts_tensor *const *args, const int64_t *in_dims,
                          int64_t *size)
{
    bool known = false;

    for (int i = 0; i < n; i++) {
        const int64_t dim = in_dims ? in_dims[i] : 0;
        const int64_t at = dim < 0 ? dim + args[i]->ndim : dim;

        if (dim == TS_NO_DIM)
            continue;
        TS_CHECK(0 <= at && at < args[i]->ndim, TS_ERR_VALUE, "func/C2",
                 "vmap: in_dim %" PRId64 " for argument %d, which has %d dims", dim, i,
                 args[i]->ndim);
        TS_CHECK(!known || *size == args[i]->sizes[at], TS_ERR_VALUE, "func/C3",
                 "vmap: sizes %" PRId64 " and %" PRId64 " of the mapped dims differ",
                 *size, args[i]->sizes[at]);
        *size = args[i]->sizes[at];
        known = true;
    }
    TS_CHECK(known, TS_ERR_VALUE, "func/C2", "vmap: no argument is mapped over");
    return TS_OK;
}

static ts_status mapped(ts_level *l, const ts_callable *f, int n, ts_tensor *const *args,
                        const int64_t *in_dims, int nresults, const int64_t *out_dims,
                        ts_tensor **in, ts_tensor **made, ts_tensor **results)
{
    for (int i = 0; i < n; i++)
        TS_TRY(ts_vmap_enter(l, args[i], in_dims ? in_dims[i] : 0, &in[i]));
    TS_TRY(run(f, n, in, nresults, made));
    for (int i = 0; i < nresults; i++)
        TS_TRY(ts_vmap_leave(l, made[i], out_dims ? out_dims[i] : 0, &results[i]));
    return TS_OK;
}

ts_status ts_vmap(const ts_callable *f, int nargs, ts_tensor *const *args,
                  const int64_t *in_dims, int nresults, const int64_t *out_dims,
                  const char *randomness, ts_tensor **results)
{
    ts_tensor **in, **made;
    int64_t size = 0;
    ts_level *l;
    ts_status s;

    TS_TRY(batch_of(nargs, args, in_dims, &size));
    TS_TRY(room(nargs + nresults, &in));
    made = in + nargs;
    s = ts_vmap_begin(size, randomness, &l);
    if (s == TS_OK) {
        for (int i = 0; i < nresults; i++)
            results[i] = NULL;
        s = mapped(l, f, nargs, args, in_dims, nresults, out_dims, in, made, results);
        ts_level_end(l);
    }
    drop(nargs + nresults, in);
    free(in);
    if (s != TS_OK)
        drop(nresults, results);
    return s;
}

/* --- grad and vjp --- */

static ts_status check_scalar(const ts_tensor *y)
{
    TS_CHECK(
        y->ndim == 0, TS_ERR_RUNTIME, "func/C14",
        "grad: the function is to return a scalar, not a tensor of %d dims; vjp takes "
        "the others",
        y->ndim);
    return TS_OK;
}

static ts_status check_cotangent(int i, const ts_tensor *y, const ts_tensor *along)
{
    char have[128], want[128];

    TS_CHECK(tsi_same_sizes(y, along), TS_ERR_RUNTIME, "func/C16",
             "vjp: cotangent %d has shape %s, its result %s", i,
             tsi_sizes_text(have, sizeof have, along->ndim, along->sizes),
             tsi_sizes_text(want, sizeof want, y->ndim, y->sizes));
    return TS_OK;
}

ts_status ts_level_gradients(ts_level *l, int nresults, ts_tensor *const *results,
                             ts_tensor *const *cotangents, int n,
                             ts_tensor *const *inputs, bool retain_graph, ts_tensor **out)
{
    ts_tensor **roots, **along;
    int nroots = 0;
    ts_status s;

    for (int i = 0; i < nresults; i++)
        if (cotangents)
            TS_TRY(check_cotangent(i, results[i], cotangents[i]));
        else
            TS_TRY(check_scalar(results[i]));
    TS_TRY(room(2 * nresults, &roots));
    along = roots + nresults;
    for (int i = 0; i < nresults; i++)
        if (ts_requires_grad(results[i])) {
            roots[nroots] = results[i];
            along[nroots++] = cotangents ? cotangents[i] : NULL;
        }
    for (int i = 0; i < n; i++)
        out[i] = NULL;
    s = nroots > 0 ? ts_grad(nroots, roots, cotangents ? along : NULL, n, inputs,
                             retain_graph, true, true, out)
                   : TS_OK;
    free(roots);
    for (int i = 0; s == TS_OK && i < n; i++) {
        ts_tensor *inner = NULL;

        if (out[i]) {
            s = ts_grad_leave(l, out[i], &inner);
        } else {
            tsi_down saved;

            tsi_level_down(l, &saved);
            s = ts_zeros_like(tsi_value_at(l, inputs[i]), NULL, &inner);
            tsi_level_up(&saved);
        }
        ts_release(out[i]);
        out[i] = inner;
    }
    if (s != TS_OK)
        drop(n, out);
    return s;
}

static ts_status gradients(ts_level *l, const ts_callable *f, int nargs,
                           ts_tensor *const *args, int n, const int *argnums,
                           ts_tensor **in, ts_tensor **made, ts_tensor **grads,
                           ts_tensor **value)
{
    ts_tensor **by = in + nargs;

    for (int i = 0; i < nargs; i++)
        in[i] = ts_retain(args[i]);
    for (int k = 0; k < n; k++) {
        TS_CHECK(-nargs <= argnums[k] && argnums[k] < nargs, TS_ERR_RUNTIME, "func/C15",
                 "grad: argnum %d of %d arguments", argnums[k], nargs);

        const int at = argnums[k] < 0 ? argnums[k] + nargs : argnums[k];

        TS_TRY(ts_grad_enter(l, args[at], &by[k]));
        ts_release(in[at]);
        in[at] = ts_retain(by[k]);
    }
    TS_TRY(run(f, nargs, in, 1, made));
    TS_TRY(ts_level_gradients(l, 1, made, NULL, n, by, false, grads));
    if (value) {
        const ts_status s = ts_grad_leave(l, made[0], value);

        if (s != TS_OK)
            drop(n, grads);
        return s;
    }
    return TS_OK;
}

ts_status ts_func_grad_and_value(const ts_callable *f, int nargs, ts_tensor *const *args,
                                 int nargnums, const int *argnums, ts_tensor **grads,
                                 ts_tensor **value)
{
    ts_tensor **in, *made = NULL;
    ts_level *l;
    ts_status s;

    TS_TRY(room(nargs + nargnums, &in));
    s = ts_grad_begin(&l);
    if (s == TS_OK) {
        s = gradients(l, f, nargs, args, nargnums, argnums, in, &made, grads, value);
        ts_release(made);
        drop(nargs + nargnums, in);
        ts_level_end(l);
    }
    free(in);
    return s;
}

ts_status ts_func_grad(const ts_callable *f, int nargs, ts_tensor *const *args,
                       int nargnums, const int *argnums, ts_tensor **grads)
{
    return ts_func_grad_and_value(f, nargs, args, nargnums, argnums, grads, NULL);
}

static ts_status pulled(ts_level *l, const ts_callable *f, int nargs,
                        ts_tensor *const *args, int nresults,
                        ts_tensor *const *cotangents, ts_tensor **in, ts_tensor **made,
                        ts_tensor **results, ts_tensor **products)
{
    for (int i = 0; i < nargs; i++)
        TS_TRY(ts_grad_enter(l, args[i], &in[i]));
    TS_TRY(run(f, nargs, in, nresults, made));
    TS_TRY(ts_level_gradients(l, nresults, made, cotangents, nargs, in, false, products));
    for (int i = 0; i < nresults; i++)
        TS_TRY(ts_grad_leave(l, made[i], &results[i]));
    return TS_OK;
}

ts_status ts_func_vjp(const ts_callable *f, int nargs, ts_tensor *const *args,
                      int nresults, ts_tensor *const *cotangents, ts_tensor **results,
                      ts_tensor **products)
{
    ts_tensor **in;
    ts_level *l;
    ts_status s;

    TS_TRY(room(nargs + nresults, &in));
    s = ts_grad_begin(&l);
    if (s == TS_OK) {
        s = pulled(l, f, nargs, args, nresults, cotangents, in, in + nargs, results,
                   products);
        drop(nargs + nresults, in);
        ts_level_end(l);
    }
    free(in);
    return s;
}

/* --- jvp --- */

static ts_status pushed(ts_level *l, const ts_callable *f, int nargs,
                        ts_tensor *const *args, ts_tensor *const *tangents, int nresults,
                        ts_tensor **in, ts_tensor **made, ts_tensor **results,
                        ts_tensor **moved)
{
    for (int i = 0; i < nargs; i++)
        TS_TRY(ts_jvp_enter(l, args[i], tangents[i], &in[i]));
    TS_TRY(run(f, nargs, in, nresults, made));
    for (int i = 0; i < nresults; i++)
        TS_TRY(ts_jvp_leave(l, made[i], &results[i], &moved[i]));
    return TS_OK;
}

ts_status ts_func_jvp(const ts_callable *f, int nargs, ts_tensor *const *args,
                      ts_tensor *const *tangents, int nresults, ts_tensor **results,
                      ts_tensor **moved)
{
    ts_tensor **in;
    ts_level *l;
    ts_status s;

    TS_TRY(room(nargs + nresults, &in));
    for (int i = 0; i < nresults; i++)
        results[i] = moved[i] = NULL;
    s = ts_jvp_begin(&l);
    if (s == TS_OK) {
        s = pushed(l, f, nargs, args, tangents, nresults, in, in + nargs, results, moved);
        drop(nargs + nresults, in);
        ts_level_end(l);
    }
    if (s != TS_OK) {
        drop(nresults, results);
        drop(nresults, moved);
    }
    free(in);
    return s;
}
