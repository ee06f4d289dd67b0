/* SPDX-License-Identifier: Apache-2.0 */
/* Functional collectives and their duals (D-07, D-08): all_reduce is its own, all_gather
 * and reduce_scatter are each other's. */
#include <stdlib.h>

#include "dist/dist.h"
#include "touchstone/ops.h"

typedef struct dual {
    ts_group *group;
    ts_reduce_op op;
    ts_function_ctx *ctx; /* of the backward under way */
} dual;

typedef ts_status (*forward_fn)(void *self, ts_function_ctx *ctx, int ninputs,
                                ts_tensor *const *inputs, int *noutputs,
                                ts_tensor **outputs);
typedef ts_status (*backward_fn)(void *self, ts_function_ctx *ctx, int ngrads,
                                 ts_tensor *const *grads, int ninputs, ts_tensor **out);

static ts_status apply(const char *name, ts_tensor *x, ts_reduce_op op, ts_group *g,
                       forward_fn forward, backward_fn backward, ts_tensor **out)
{
    const ts_function fn = {.size = sizeof fn,
                            .name = name,
                            .forward = forward,
                            .backward = backward,
                            .destroy = free};
    dual *d = calloc(1, sizeof *d);
    int n = 1;

    TS_CHECK(d, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "%s: no memory", name);
    d->group = g;
    d->op = op;
    return ts_function_apply(&fn, d, 1, &x, &n, out);
}

static ts_status to_dtype(ts_tensor *t, ts_dtype dtype, ts_tensor **out)
{
    ts_to_opts o = ts_to_defaults();

    o.dtype = dtype;
    return ts_to(t, &o, out);
}

/* Which elements of x are the extremum, as numbers of `dtype`; NaN is one where the
 * result is NaN (dist/G2). */
static ts_status extremum(const dual *d, ts_dtype dtype, ts_tensor **out)
{
    ts_tensor *t[6] = {NULL}, *saved[2];
    ts_status s;

    TS_TRY(ts_ctx_saved_tensors(d->ctx, 2, saved, NULL));
    s = ts_eq(saved[0], saved[1], &t[0]);
    for (int i = 0; s == TS_OK && i < 2; i++)
        s = ts_ne(saved[i], saved[i], &t[1 + i]);
    ts_release(saved[0]);
    ts_release(saved[1]);
    for (int i = 0; s == TS_OK && i < 3; i++)
        s = to_dtype(t[i], dtype, &t[3 + i]);
    if (s == TS_OK)
        s = ts_mul_(t[4], t[5]);
    if (s == TS_OK)
        s = ts_add_(t[3], t[4], NULL);
    if (s == TS_OK)
        *out = ts_retain(t[3]);
    for (int i = 0; i < 6; i++)
        ts_release(t[i]);
    return s;
}

/* The summed gradient goes to the holders of the extremum in equal parts. */
static ts_status share(const dual *d, ts_tensor *sum, ts_tensor **out)
{
    const ts_dtype dtype = sum->dtype;
    ts_tensor *mask = NULL, *count = NULL, *part = NULL, *cast = NULL, *hold = NULL;
    ts_status s = extremum(d, TS_FLOAT32, &mask);

    if (s == TS_OK)
        s = ts_fc_all_reduce(mask, TS_REDUCE_SUM, d->group, &count);
    if (s == TS_OK)
        s = ts_div(sum, count, NULL, &part);
    if (s == TS_OK)
        s = to_dtype(part, dtype, &cast);
    if (s == TS_OK)
        s = to_dtype(mask, TS_BOOL, &hold);
    if (s == TS_OK)
        s = ts_where_number(hold, cast, ts_int(0), out);
    ts_release(mask);
    ts_release(count);
    ts_release(part);
    ts_release(cast);
    ts_release(hold);
    return s;
}

static ts_status all_reduce_back(const dual *d, ts_tensor *grad, ts_tensor **out)
{
    const bool extreme = d->op == TS_REDUCE_MIN || d->op == TS_REDUCE_MAX;
    ts_tensor *sum;
    ts_status s;

    TS_CHECK(extreme || d->op == TS_REDUCE_SUM || d->op == TS_REDUCE_AVG, TS_ERR_RUNTIME,
             "dist/C11", "all_reduce: %s has no derivative", tsi_reduce_op_name(d->op));
    TS_TRY(ts_fc_all_reduce(grad, extreme ? TS_REDUCE_SUM : d->op, d->group, &sum));
    if (!extreme) {
        *out = sum;
        return TS_OK;
    }
    s = share(d, sum, out);
    ts_release(sum);
    return s;
}

static ts_status all_gather_back(const dual *d, ts_tensor *grad, ts_tensor **out)
{
    return ts_fc_reduce_scatter(grad, TS_REDUCE_SUM, 0, d->group, out);
}

static ts_status reduce_scatter_back(const dual *d, ts_tensor *grad, ts_tensor **out)
{
    TS_CHECK(d->op == TS_REDUCE_SUM, TS_ERR_RUNTIME, "dist/C11",
             "reduce_scatter: only SUM has a derivative, not %s",
             tsi_reduce_op_name(d->op));
    return ts_fc_all_gather(grad, 0, d->group, out);
}

#define BACKWARD(name)                                                             \
    static ts_status name##_backward(void *self, ts_function_ctx *ctx, int ngrads, \
                                     ts_tensor *const *grads, int ninputs,         \
                                     ts_tensor **out)                              \
    {                                                                              \
        const bool was = tsi_dist_backward(true);                                  \
        ts_status s;                                                               \
                                                                                   \
        (void)ngrads;                                                              \
        (void)ninputs;                                                             \
        ((dual *)self)->ctx = ctx;                                                 \
        s = name##_back(self, grads[0], &out[0]);                                  \
        tsi_dist_backward(was);                                                    \
        return s;                                                                  \
    }

BACKWARD(all_reduce)
BACKWARD(all_gather)
BACKWARD(reduce_scatter)

/* A new contiguous tensor like x, `by` times as long in its first dim, or 1/-by. */
static ts_status result_like(const ts_tensor *x, int by, ts_tensor **out)
{
    int64_t sizes[TS_MAX_DIMS] = {0};

    memcpy(sizes, x->sizes, (size_t)x->ndim * sizeof *sizes);
    if (by > 1)
        sizes[0] *= by;
    else if (by < -1)
        sizes[0] /= -by;
    return ts_tensor_new(x->device, x->dtype, x->ndim, sizes, out);
}

static ts_status enter(ts_tensor *x, const char *name, bool dims, ts_group **g)
{
    TS_TRY(tsi_group_of(*g, g));
    TS_CHECK(tsi_group_rank(*g) >= 0, TS_ERR_RUNTIME, "dist/C14",
             "%s: this rank is no member of the group", name);
    TS_CHECK(!dims || x->ndim > 0, TS_ERR_RUNTIME, "dist/C4",
             "%s: a 0-dim tensor has no dim to cut along", name);
    return TS_OK;
}

static ts_status all_reduce_forward(void *self, ts_function_ctx *ctx, int ninputs,
                                    ts_tensor *const *inputs, int *noutputs,
                                    ts_tensor **outputs)
{
    const dual *d = self;

    (void)ninputs;
    (void)noutputs;
    TS_TRY(result_like(inputs[0], 1, &outputs[0]));
    TS_TRY(tsi_all_reduce_into(outputs[0], inputs[0], d->op, d->group, NULL));
    if (d->op != TS_REDUCE_MIN && d->op != TS_REDUCE_MAX)
        return TS_OK;
    return ts_ctx_save_for_backward(ctx, 2, (ts_tensor *[]){inputs[0], outputs[0]});
}

static ts_status all_gather_forward(void *self, ts_function_ctx *ctx, int ninputs,
                                    ts_tensor *const *inputs, int *noutputs,
                                    ts_tensor **outputs)
{
    const dual *d = self;

    (void)ctx;
    (void)ninputs;
    (void)noutputs;
    TS_TRY(result_like(inputs[0], tsi_group_size(d->group), &outputs[0]));
    return ts_all_gather_into_tensor(outputs[0], inputs[0], d->group, NULL);
}

static ts_status reduce_scatter_forward(void *self, ts_function_ctx *ctx, int ninputs,
                                        ts_tensor *const *inputs, int *noutputs,
                                        ts_tensor **outputs)
{
    const dual *d = self;

    (void)ctx;
    (void)ninputs;
    (void)noutputs;
    TS_TRY(result_like(inputs[0], -tsi_group_size(d->group), &outputs[0]));
    return ts_reduce_scatter_tensor(outputs[0], inputs[0], d->op, d->group, NULL);
}

ts_status ts_fc_all_reduce(ts_tensor *x, ts_reduce_op op, ts_group *g, ts_tensor **out)
{
    TS_TRY(enter(x, "all_reduce", false, &g));
    return apply("AllReduce", x, op, g, all_reduce_forward, all_reduce_backward, out);
}

/* n equal pieces of x along `from`, one after the other along `to`. */
static ts_status rearrange(ts_tensor *x, int n, int64_t from, int64_t to, ts_tensor **out)
{
    const int64_t size = x->sizes[from] / n;
    ts_tensor **piece = calloc((size_t)n, sizeof *piece);
    ts_cat_opts o = ts_cat_defaults();
    ts_status s = TS_OK;

    TS_CHECK(piece, TS_ERR_OUT_OF_MEMORY, "tensors/C10", "no memory for %d pieces", n);
    o.dim = to;
    for (int i = 0; s == TS_OK && i < n; i++)
        s = ts_narrow(x, from, i * size, size, &piece[i]);
    if (s == TS_OK)
        s = ts_cat(piece, n, &o, out);
    for (int i = 0; i < n; i++)
        ts_release(piece[i]);
    free(piece);
    return s;
}

ts_status ts_fc_all_gather(ts_tensor *x, int64_t dim, ts_group *g, ts_tensor **out)
{
    ts_tensor *whole;
    ts_status s;
    int at;

    TS_TRY(enter(x, "all_gather_single", true, &g));
    TS_TRY(tsi_wrap_dim("dist/C16", dim, x->ndim, &at));
    TS_TRY(apply("AllGather", x, TS_REDUCE_SUM, g, all_gather_forward,
                 all_gather_backward, &whole));
    if (at == 0) {
        *out = whole;
        return TS_OK;
    }
    s = rearrange(whole, tsi_group_size(g), 0, at, out);
    ts_release(whole);
    return s;
}

ts_status ts_fc_reduce_scatter(ts_tensor *x, ts_reduce_op op, int64_t dim, ts_group *g,
                               ts_tensor **out)
{
    ts_tensor *whole;
    ts_status s;
    int at, n;

    TS_TRY(enter(x, "reduce_scatter_single", true, &g));
    TS_TRY(tsi_wrap_dim("dist/C16", dim, x->ndim, &at));
    n = tsi_group_size(g);
    TS_CHECK(x->sizes[at] % n == 0, TS_ERR_ASSERTION, "dist/C12",
             "reduce_scatter_single: size %" PRId64 " of dim %d is no multiple of %d",
             x->sizes[at], at, n);
    if (at == 0) {
        whole = ts_retain(x);
    } else {
        TS_TRY(rearrange(x, n, at, 0, &whole));
    }
    s = apply("ReduceScatter", whole, op, g, reduce_scatter_forward,
              reduce_scatter_backward, out);
    ts_release(whole);
    return s;
}
