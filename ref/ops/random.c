/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers: each element is made of the next draws of the generator, in the order of
 * the elements in memory (S3). What a draw becomes stands in rules S2 and S4 to S9.
 */
#include <math.h>

#include "touchstone/backend.h"
#include "touchstone/ops/random_glue.h"

#define PI 3.14159265358979323846
#define FILL 16 /* S7: normals that are made at once */

/* y, and x broadcast to it, with the dims in the order in which y lies in memory. */
typedef struct ordered {
    ts_tensor y, x;
    int64_t sizes[TS_MAX_DIMS], y_strides[TS_MAX_DIMS], x_strides[TS_MAX_DIMS];
} ordered;

static int64_t stride_of(const ts_tensor *x, const ts_tensor *y, int d)
{
    const int own = d - (y->ndim - x->ndim);

    return own < 0 || x->sizes[own] == 1 ? 0 : x->strides[own];
}

static void in_memory_order(ordered *o, const ts_tensor *y, const ts_tensor *x)
{
    int order[TS_MAX_DIMS];

    for (int i = 0; i < y->ndim; i++) {
        int at = i;

        for (; at > 0 && y->strides[order[at - 1]] < y->strides[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    o->y = *y;
    o->x = x ? *x : *y;
    for (int i = 0; i < y->ndim; i++) {
        o->sizes[i] = y->sizes[order[i]];
        o->y_strides[i] = y->strides[order[i]];
        o->x_strides[i] = stride_of(x ? x : y, y, order[i]);
    }
    o->x.ndim = y->ndim;
    o->x.numel = y->numel;
    o->y.sizes = o->x.sizes = o->sizes;
    o->y.strides = o->y_strides;
    o->x.strides = o->x_strides;
}

/* One element after the other, in the order of memory. */
typedef struct walk {
    ordered o;
    ts_lines it;
    int64_t i;
} walk;

static void walk_begin(walk *w, ts_tensor *y, ts_tensor *x)
{
    in_memory_order(&w->o, y, x);
    ts_lines_pointwise(&w->it, &w->o.y, 2, (ts_tensor *[]){&w->o.y, &w->o.x});
    w->it.n = ts_lines_next(&w->it) ? w->it.n : 0;
    w->i = -1;
}

static bool walk_next(walk *w)
{
    if (++w->i < w->it.n)
        return true;
    w->i = 0;
    return w->it.n > 0 && ts_lines_next(&w->it);
}

static int64_t at_y(const walk *w)
{
    return w->it.at[0] + w->i * w->it.step[0];
}

static int64_t at_x(const walk *w)
{
    return w->it.at[1] + w->i * w->it.step[1];
}

/* S4: what is rounded up to the end, which is not in the range, becomes its start. */
static double uniform(ts_generator *g, ts_dtype dtype, double from, double to)
{
    double v;

    if (dtype == TS_FLOAT64)
        return ts_draw_double(g) * (to - from) + from;
    from = (float)from;
    to = (float)to;
    v = (float)((float)(ts_draw_float(g) * ((float)to - (float)from)) + (float)from);
    v = tse_round(dtype, v);
    return tse_is_narrow(dtype) && v == tse_round(dtype, to) ? tse_round(dtype, from) : v;
}

ts_status tsk_uniform(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const double from = tse_round(y->dtype, call->args[TS_UNIFORM_FROM].f),
                 to = tse_round(y->dtype, call->args[TS_UNIFORM_TO].f);
    walk w;

    for (walk_begin(&w, y, NULL); walk_next(&w);)
        tse_put(y, at_y(&w), uniform(call->generator, y->dtype, from, to));
    return TS_OK;
}

/* S6: of two uniforms two normals, of which the second waits for the next draw. */
static double normal(ts_generator *g)
{
    double angle, radius;

    if (g->has_normal) {
        g->has_normal = false;
        return g->normal;
    }
    angle = 2 * PI * ts_draw_double(g);
    radius = sqrt(-2 * log1p(-ts_draw_double(g)));
    g->normal = radius * sin(angle);
    g->has_normal = true;
    return radius * cos(angle);
}

/* S7: the 16 uniforms from y[at] on become normals, those 8 apart a pair. */
static void fill_16(ts_tensor *y, int64_t at, const double *u, double mean, double std)
{
    for (int i = 0; i < FILL / 2; i++) {
        const double radius = sqrt(-2 * log(1 - u[i]));
        const double angle = 2 * PI * u[i + FILL / 2];

        tse_put(y, at + i, radius * cos(angle) * std + mean);
        tse_put(y, at + i + FILL / 2, radius * sin(angle) * std + mean);
    }
}

static void draw(ts_generator *g, ts_dtype dtype, double *u, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        u[i] = uniform(g, dtype, 0, 1);
}

/* All uniforms are drawn before the last 16, where 16 does not divide the count. */
static void fill(ts_tensor *y, ts_generator *g, double mean, double std)
{
    double u[FILL];
    int64_t i = 0;

    for (; i + FILL <= y->numel; i += FILL) {
        draw(g, y->dtype, u, FILL);
        fill_16(y, i, u, mean, std);
    }
    if (i == y->numel)
        return;
    draw(g, y->dtype, u, y->numel - i); /* drawn, and drawn anew */
    draw(g, y->dtype, u, FILL);
    fill_16(y, y->numel - FILL, u, mean, std);
}

ts_status tsk_normal(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const double mean = call->args[TS_NORMAL_MEAN].f, std = call->args[TS_NORMAL_STD].f;
    walk w;

    if (y->numel >= FILL && ts_is_contiguous(y)) {
        fill(y, call->generator, mean, std);
        return TS_OK;
    }
    for (walk_begin(&w, y, NULL); walk_next(&w);)
        tse_put(y, at_y(&w), normal(call->generator) * std + mean);
    return TS_OK;
}

ts_status tsk_exponential(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const double lambd = call->args[TS_EXPONENTIAL_LAMBD].f;
    walk w;

    for (walk_begin(&w, y, NULL); walk_next(&w);)
        tse_put(y, at_y(&w), -1 / lambd * log1p(-ts_draw_double(call->generator)));
    return TS_OK;
}

/* --- integers --- */

static int digits(ts_dtype dtype)
{
    return 1 - ilogb(ts_dtype_get(dtype)->eps);
}

/* The number that a float dtype makes of v. */
static int64_t held(ts_dtype dtype, int64_t v)
{
    const double d = tse_round(dtype, (double)v);

    return d >= 0x1p63 ? INT64_MAX : (int64_t)d;
}

static int log2_of(int64_t v)
{
    int n = 0;

    for (v = v < 0 ? -v : v; v >>= 1;)
        n++;
    return n;
}

/* S5: of a float dtype the bounds are moved inwards to what it holds. */
static void move_inwards(ts_dtype dtype, int64_t *from, int64_t *to)
{
    const int64_t low = held(dtype, *from + 1), high = held(dtype, *to - 1);

    if (low < *from)
        *from = low + (INT64_C(1) << (log2_of(*from + 1) - digits(dtype) + 1));
    if (high >= *to)
        *to = high - (INT64_C(1) << (log2_of(*to - 1) - digits(dtype) + 1));
}

static void put(ts_tensor *y, int64_t at, uint64_t v)
{
    if (tse_is_real(y->dtype))
        tse_put(y, at, (double)(int64_t)v);
    else
        tse_put_i64(y, at, (int64_t)v);
}

static void between(ts_tensor *y, ts_generator *g, int64_t from, int64_t to)
{
    uint64_t range;
    walk w;

    if (tse_is_real(y->dtype))
        move_inwards(y->dtype, &from, &to);
    range = (uint64_t)to - (uint64_t)from;
    for (walk_begin(&w, y, NULL); walk_next(&w);) {
        const uint64_t v = range >= UINT64_C(1) << 28 ? ts_draw64(g) : ts_draw32(g);

        put(y, at_y(&w), v % range + (uint64_t)from);
    }
}

/* S5: without bounds, all from 0 to what the dtype holds. */
static void unbounded(ts_tensor *y, ts_generator *g)
{
    const ts_dtype_info *d = ts_dtype_get(y->dtype);
    const bool wide = y->dtype == TS_INT64 || y->dtype == TS_FLOAT64;
    const uint64_t range = d->class_ == TS_CLASS_FLOAT
                               ? (UINT64_C(1) << digits(y->dtype)) + 1
                           : d->class_ == TS_CLASS_BOOL ? 2
                                                        : (uint64_t)d->int_max + 1;
    walk w;

    for (walk_begin(&w, y, NULL); walk_next(&w);)
        put(y, at_y(&w), (wide ? ts_draw64(g) : ts_draw32(g)) % range);
}

ts_status tsk_random(const ts_kernel_call *call)
{
    const ts_value *a = &call->args[TS_RANDOM_FROM], *b = &call->args[TS_RANDOM_TO];

    if (a->kind == TS_ARG_NONE)
        unbounded(call->results[0], call->generator);
    else if (b->kind == TS_ARG_NONE)
        between(call->results[0], call->generator, 0, a->i);
    else
        between(call->results[0], call->generator, a->i, b->i);
    return TS_OK;
}

/* S8: from the front on, each place takes one of those that are left. */
ts_status tsk_randperm(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const int64_t n = y->numel, step = n > 1 ? y->strides[0] : 0;

    if (n >= UINT32_MAX / 20)
        return TS_ERR_UNSUPPORTED;
    for (int64_t i = 0; i < n; i++)
        put(y, i * step, (uint64_t)i);
    for (int64_t i = 0; i < n - 1; i++) {
        const int64_t k = i + (int64_t)(ts_draw32(call->generator) % (uint64_t)(n - i));
        const double a = tse_get(y, i * step), b = tse_get(y, k * step);

        put(y, i * step, (uint64_t)b);
        put(y, k * step, (uint64_t)a);
    }
    return TS_OK;
}

/* --- bernoulli --- */

ts_status tsk_bernoulli_p(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    const double p = call->args[TS_BERNOULLI_P_P].f;
    walk w;

    for (walk_begin(&w, y, NULL); walk_next(&w);)
        put(y, at_y(&w), ts_draw_double(call->generator) < p);
    return TS_OK;
}

static ts_status by(const ts_kernel_call *call, ts_tensor *p)
{
    ts_tensor *y = call->results[0];
    walk w;

    for (walk_begin(&w, y, p); walk_next(&w);) {
        const double v = tse_get(p, at_x(&w));

        if (!(v >= 0 && v <= 1))
            return call->host->fail(TS_ERR_RUNTIME, "random/C8",
                                    "bernoulli: an element of p is %g, no probability",
                                    v);
    }
    for (walk_begin(&w, y, p); walk_next(&w);) {
        const double v = tse_get(p, at_x(&w));
        const double u = p->dtype == TS_FLOAT64 ? ts_draw_double(call->generator)
                                                : ts_draw_float(call->generator);

        put(y, at_y(&w), u < v);
    }
    return TS_OK;
}

ts_status tsk_bernoulli_tensor(const ts_kernel_call *call)
{
    return by(call, ts_call_tensor(call, TS_BERNOULLI_TENSOR_P));
}

ts_status tsk_bernoulli(const ts_kernel_call *call)
{
    return by(call, ts_call_tensor(call, TS_BERNOULLI_SELF));
}
