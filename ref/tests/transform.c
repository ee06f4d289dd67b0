/* SPDX-License-Identifier: Apache-2.0 */
/* Levels in C, rule by rule of spec/areas/func.md; and nothing left alive. */
#include "support.h"

/* Each test looks itself for what it left: a failure after its end is not counted. */
TestSuite(transform, .init = open_reference);

typedef ts_status (*body)(void *self, int nargs, ts_tensor *const *args, int nresults,
                          ts_tensor **results);

static ts_callable of(body f)
{
    return (ts_callable){NULL, f, NULL, NULL};
}

/* Rows of an n by m matrix of float64. */
static ts_tensor *matrix(int n, int m, const double *v)
{
    ts_tensor *t;

    OK(ts_tensor_new((ts_device){TS_CPU, 0}, TS_FLOAT64, 2, (int64_t[]){n, m}, &t));
    if (v)
        memcpy(t->data, v, (size_t)(n * m) * sizeof *v);
    return t;
}

/* t's elements, row by row; t goes. */
static void elements(ts_tensor *t, int n, const double *v)
{
    ts_tensor *flat;

    cr_assert(t && !ts_is_followed(t));
    OK(ts_reshape(t, (int64_t[]){-1}, 1, &flat));
    expect_vector(flat, n, v);
    ts_release(flat);
    ts_release(t);
}

#define ELEMENTS(t, ...)                                                   \
    elements((t), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
             (double[]){__VA_ARGS__})

/* --- functions under test --- */

/* sum(x * x * x) */
static ts_status cubes(void *self, int n, ts_tensor *const *x, int nresults,
                       ts_tensor **out)
{
    ts_tensor *a = NULL, *b = NULL;
    ts_status s = ts_mul(x[0], x[0], &a);

    (void)self, (void)n, (void)nresults;
    if (s == TS_OK)
        s = ts_mul(a, x[0], &b);
    if (s == TS_OK)
        s = ts_sum(b, NULL, out);
    ts_release(a);
    ts_release(b);
    return s;
}

static ts_status grad_of_cubes(void *self, int n, ts_tensor *const *x, int nresults,
                               ts_tensor **out)
{
    const ts_callable f = of(cubes);
    const int at = 0;

    (void)self, (void)nresults;
    return ts_func_grad(&f, n, x, 1, &at, out);
}

static ts_status vmap_of_cubes(void *self, int n, ts_tensor *const *x, int nresults,
                               ts_tensor **out)
{
    const ts_callable f = of(cubes);

    (void)self;
    return ts_vmap(&f, n, x, NULL, nresults, NULL, NULL, out);
}

/* the sum of vmap's cubes */
static ts_status summed_vmap(void *self, int n, ts_tensor *const *x, int nresults,
                             ts_tensor **out)
{
    ts_tensor *y = NULL;
    ts_status s = vmap_of_cubes(self, n, x, nresults, &y);

    if (s == TS_OK)
        s = ts_sum(y, NULL, out);
    ts_release(y);
    return s;
}

static ts_status grad_of_scalar(void *self, int n, ts_tensor *const *x, int nresults,
                                ts_tensor **out)
{
    ts_tensor *y = NULL;
    ts_status s = grad_of_cubes(self, n, x, nresults, &y);

    if (s == TS_OK)
        s = ts_sum(y, NULL, out);
    ts_release(y);
    return s;
}

Test(transform, grad)
{
    ts_tensor *x = VECTOR(1, 2, 3), *g;

    OK(grad_of_cubes(NULL, 1, &x, 1, &g));
    ELEMENTS(g, 3, 12, 27);
    cr_assert_eq(ts_level_count(), 0);
    ts_release(x);
    nothing_lives();
}

Test(transform, grad_of_grad)
{
    const ts_callable f = of(grad_of_scalar);
    ts_tensor *x = VECTOR(1, 2, 3), *g;
    const int at = 0;

    OK(ts_func_grad(&f, 1, &x, 1, &at, &g));
    ELEMENTS(g, 6, 12, 18);
    ts_release(x);
    nothing_lives();
}

Test(transform, vmap)
{
    ts_tensor *x = matrix(2, 3, (double[]){1, 2, 3, 4, 5, 6}), *y;
    const ts_callable f = of(cubes);
    const int64_t last = -1;

    OK(vmap_of_cubes(NULL, 1, &x, 1, &y));
    ELEMENTS(y, 36, 405);
    OK(ts_vmap(&f, 1, &x, &last, 1, NULL, NULL, &y));
    ELEMENTS(y, 65, 133, 243);
    ts_release(x);
    nothing_lives();
}

Test(transform, vmap_of_grad)
{
    const ts_callable f = of(grad_of_cubes);
    ts_tensor *x = matrix(2, 2, (double[]){1, 2, 3, 4}), *y;

    OK(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y));
    ELEMENTS(y, 3, 12, 27, 48);
    ts_release(x);
    nothing_lives();
}

Test(transform, grad_of_vmap)
{
    const ts_callable f = of(summed_vmap);
    ts_tensor *x = matrix(2, 2, (double[]){1, 2, 3, 4}), *y;
    const int at = 0;

    OK(ts_func_grad(&f, 1, &x, 1, &at, &y));
    ELEMENTS(y, 3, 12, 27, 48);
    ts_release(x);
    nothing_lives();
}

Test(transform, vmap_of_vmap)
{
    const ts_callable f = of(vmap_of_cubes);
    ts_tensor *x = matrix(4, 3, (double[]){1, 2, 3, 4, 5, 6, 1, 1, 1, 2, 2, 2}), *y, *v;

    OK(ts_view(x, (int64_t[]){2, 2, 3}, 3, &v));
    OK(ts_vmap(&f, 1, &v, NULL, 1, NULL, NULL, &y));
    ELEMENTS(y, 36, 405, 3, 24);
    ts_release(v);
    ts_release(x);
    nothing_lives();
}

Test(transform, jvp)
{
    const ts_callable f = of(cubes);
    ts_tensor *x = VECTOR(1, 2, 3), *t = VECTOR(1, 10, 100), *y, *dy;

    OK(ts_func_jvp(&f, 1, &x, &t, 1, &y, &dy));
    ELEMENTS(y, 36);
    ELEMENTS(dy, 3 + 120 + 2700);
    ts_release(x);
    ts_release(t);
    nothing_lives();
}

Test(transform, jvp_of_grad)
{
    const ts_callable f = of(grad_of_cubes);
    ts_tensor *x = VECTOR(1, 2, 3), *t = VECTOR(1, 10, 100), *y, *dy;

    OK(ts_func_jvp(&f, 1, &x, &t, 1, &y, &dy));
    ELEMENTS(y, 3, 12, 27);
    ELEMENTS(dy, 6, 120, 1800);
    ts_release(x);
    ts_release(t);
    nothing_lives();
}

/* x -> softmax(x, 0) . (0, 1, 2), which has no rule of its own for tangents */
static ts_status softmaxed(void *self, int n, ts_tensor *const *x, int nresults,
                           ts_tensor **out)
{
    ts_tensor *p = NULL, *w = VECTOR(0, 1, 2), *q = NULL;
    ts_status s = ts_softmax(x[0], 0, NULL, &p);

    (void)self, (void)n, (void)nresults;
    if (s == TS_OK)
        s = ts_mul(p, w, &q);
    if (s == TS_OK)
        s = ts_sum(q, NULL, out);
    ts_release(p);
    ts_release(w);
    ts_release(q);
    return s;
}

static double number_of(ts_tensor *t)
{
    const double v = *(double *)t->data;

    ts_release(t);
    return v;
}

Test(transform, jvp_by_two_backwards)
{
    const ts_callable f = of(softmaxed);
    ts_tensor *x = VECTOR(0.5, -1, 2), *t = VECTOR(1, 2, -1), *y, *dy, *g, *gt;
    double moved, along;
    const int at = 0;

    OK(ts_func_jvp(&f, 1, &x, &t, 1, &y, &dy));
    OK(ts_func_grad(&f, 1, &x, 1, &at, &g));
    gt = mul(g, t);
    moved = number_of(dy);
    along = number_of(sum(gt));
    cr_assert_float_eq(moved, along, 1e-12);
    ts_release(gt);
    ts_release(g);
    ts_release(y);
    ts_release(x);
    ts_release(t);
    nothing_lives();
}

static ts_tensor *kept;

static ts_status keeps(void *self, int n, ts_tensor *const *x, int nresults,
                       ts_tensor **out)
{
    kept = ts_retain(x[0]);
    return cubes(self, n, x, nresults, out);
}

Test(transform, escaped)
{
    const ts_callable f = of(keeps);
    ts_tensor *x = matrix(2, 2, (double[]){1, 2, 3, 4}), *y, *z;
    const int at = 0;

    OK(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y));
    FAILS(ts_add(kept, kept, NULL, &z), TS_ERR_RUNTIME, "func/C1");
    ts_release(kept);
    ts_release(y);
    OK(ts_func_grad(&f, 1, &x, 1, &at, &y));
    z = add(kept, kept);
    ELEMENTS(z, 2, 4, 6, 8);
    ts_release(kept);
    ts_release(y);
    ts_release(x);
    nothing_lives();
}

/* --- custom functions: x * x, with a derivative that shows who made it --- */

static int destroyed;

static ts_status square(void *self, ts_function_ctx *ctx, int n, ts_tensor *const *in,
                        int *noutputs, ts_tensor **out)
{
    (void)self, (void)n;
    cr_assert(!ctx);
    *noutputs = 1;
    return ts_mul(in[0], in[0], &out[0]);
}

static ts_status keep(void *self, ts_function_ctx *ctx, int n, ts_tensor *const *in,
                      int noutputs, ts_tensor *const *out)
{
    ts_tensor *const both[2] = {in[0], out[0]};

    (void)self, (void)n, (void)noutputs;
    TS_TRY(ts_ctx_save_for_forward(ctx, 1, in));
    return ts_ctx_save_for_backward(ctx, 2, both);
}

/* 10 * grad * x, and nothing of the saved result but that it is there */
static ts_status ten(void *self, ts_function_ctx *ctx, int ngrads,
                     ts_tensor *const *grads, int n, ts_tensor **out)
{
    ts_tensor *saved[2], *p = NULL;
    ts_status s;
    int count;

    (void)self, (void)ngrads, (void)n;
    TS_TRY(ts_ctx_saved_tensors(ctx, 2, saved, &count));
    cr_assert_eq(saved[1]->ndim, grads[0]->ndim);
    s = ts_mul(grads[0], saved[0], &p);
    if (s == TS_OK)
        s = ts_mul_number(p, ts_int(10), &out[0]);
    ts_release(p);
    ts_release(saved[0]);
    ts_release(saved[1]);
    return s;
}

/* 100 * tangent * x */
static ts_status hundred(void *self, ts_function_ctx *ctx, int n,
                         ts_tensor *const *tangents, int noutputs, ts_tensor **out)
{
    ts_tensor *saved[1], *p = NULL;
    ts_status s;

    (void)self, (void)n, (void)noutputs;
    TS_TRY(ts_ctx_saved_tensors(ctx, 1, saved, NULL));
    s = ts_mul(tangents[0], saved[0], &p);
    if (s == TS_OK)
        s = ts_mul_number(p, ts_int(100), &out[0]);
    ts_release(p);
    ts_release(saved[0]);
    return s;
}

/* 7 * x, on all slices at once */
static ts_status sevens(void *self, const ts_vmap_info *info, int n, ts_tensor *const *in,
                        const int *in_dims, int *noutputs, ts_tensor **out, int *out_dims)
{
    (void)self, (void)n;
    cr_assert_eq(info->batch_size, in[0]->sizes[in_dims[0]]);
    cr_assert_str_eq(info->randomness, "error");
    *noutputs = 1;
    out_dims[0] = in_dims[0];
    return ts_mul_number(in[0], ts_int(7), &out[0]);
}

static void gone(void *self)
{
    (void)self;
    destroyed++;
}

static ts_function table(void)
{
    return (ts_function){.size = sizeof(ts_function),
                         .name = "Square",
                         .forward = square,
                         .setup_context = keep,
                         .backward = ten,
                         .jvp = hundred,
                         .destroy = gone};
}

/* self: the table */
static ts_status applied(void *self, int n, ts_tensor *const *x, int nresults,
                         ts_tensor **out)
{
    int room = 1;

    (void)nresults;
    return ts_function_apply(self, NULL, n, x, &room, out);
}

static ts_status summed(void *self, int n, ts_tensor *const *x, int nresults,
                        ts_tensor **out)
{
    ts_tensor *y = NULL;
    ts_status s = applied(self, n, x, nresults, &y);

    if (s == TS_OK)
        s = ts_sum(y, NULL, out);
    ts_release(y);
    return s;
}

static ts_status grad_of_summed(void *self, int n, ts_tensor *const *x, int nresults,
                                ts_tensor **out)
{
    const ts_callable f = {self, summed, NULL, NULL};
    const int at = 0;

    (void)nresults;
    return ts_func_grad(&f, n, x, 1, &at, out);
}

Test(transform, function_in_grad)
{
    ts_function fn = table();
    ts_tensor *x = VECTOR(1, 2), *g;

    OK(grad_of_summed(&fn, 1, &x, 1, &g));
    ELEMENTS(g, 10, 20);
    cr_assert_eq(destroyed, 1);
    ts_release(x);
    nothing_lives();
}

Test(transform, function_in_jvp)
{
    ts_function fn = table();
    const ts_callable f = {&fn, applied, NULL, NULL};
    ts_tensor *x = VECTOR(1, 2), *t = VECTOR(3, 4), *y, *dy;

    OK(ts_func_jvp(&f, 1, &x, &t, 1, &y, &dy));
    ELEMENTS(y, 1, 4);
    ELEMENTS(dy, 300, 800);
    cr_assert_eq(destroyed, 1);
    fn.jvp = NULL;
    FAILS(ts_func_jvp(&f, 1, &x, &t, 1, &y, &dy), TS_ERR_NOT_IMPLEMENTED, "func/C24");
    fn.setup_context = NULL;
    FAILS(ts_func_jvp(&f, 1, &x, &t, 1, &y, &dy), TS_ERR_RUNTIME, "func/C22");
    cr_assert_eq(destroyed, 3);
    ts_release(x);
    ts_release(t);
    nothing_lives();
}

Test(transform, function_in_vmap)
{
    ts_function fn = table();
    const ts_callable f = {&fn, applied, NULL, NULL};
    ts_tensor *x = matrix(2, 2, (double[]){1, 2, 3, 4}), *y;

    FAILS(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y), TS_ERR_RUNTIME, "func/C23");
    fn.vmap = sevens;
    OK(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y));
    ELEMENTS(y, 7, 14, 21, 28);
    fn.generate_vmap_rule = true;
    FAILS(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y), TS_ERR_RUNTIME, "func/C23");
    cr_assert_eq(destroyed, 3);
    ts_release(x);
    nothing_lives();
}

Test(transform, function_whose_vmap_runs_through_its_parts)
{
    ts_function fn = table();
    const ts_callable f = {&fn, applied, NULL, NULL},
                      g = {&fn, grad_of_summed, NULL, NULL};
    const int64_t last = 1;
    ts_tensor *x = matrix(2, 2, (double[]){1, 2, 3, 4}), *y;

    fn.generate_vmap_rule = true;
    OK(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y));
    ELEMENTS(y, 1, 4, 9, 16);
    OK(ts_vmap(&g, 1, &x, NULL, 1, NULL, NULL, &y));
    ELEMENTS(y, 10, 20, 30, 40);
    OK(ts_vmap(&f, 1, &x, &last, 1, &last, NULL, &y));
    ELEMENTS(y, 1, 4, 9, 16);
    ts_release(x);
    nothing_lives();
}

/* the gradient through a batch, by the backward that runs batched */
static ts_status sum_of_batch(void *self, int n, ts_tensor *const *x, int nresults,
                              ts_tensor **out)
{
    const ts_callable f = {self, applied, NULL, NULL};
    const int64_t last = 1;
    ts_tensor *y = NULL;
    ts_status s = ts_vmap(&f, n, x, &last, nresults, NULL, NULL, &y);

    if (s == TS_OK)
        s = ts_sum(y, NULL, out);
    ts_release(y);
    return s;
}

Test(transform, gradient_of_a_function_in_vmap)
{
    ts_function fn = table();
    const ts_callable f = {&fn, sum_of_batch, NULL, NULL};
    ts_tensor *x = matrix(2, 2, (double[]){1, 2, 3, 4}), *g;
    const int at = 0;

    fn.generate_vmap_rule = true;
    OK(ts_func_grad(&f, 1, &x, 1, &at, &g));
    ELEMENTS(g, 10, 20, 30, 40);
    ts_release(x);
    nothing_lives();
}

/* --- what has no rule runs one slice after the other --- */

static ts_status scattered(void *self, int n, ts_tensor *const *x, int nresults,
                           ts_tensor **out)
{
    ts_tensor *index, *zeros = NULL;
    ts_status s;

    (void)self, (void)n, (void)nresults;
    OK(ts_tensor_new((ts_device){TS_CPU, 0}, TS_INT64, 1, (int64_t[]){2}, &index));
    ((int64_t *)index->data)[0] = ((int64_t *)index->data)[1] = 1;
    s = ts_zeros_like(x[0], NULL, &zeros);
    if (s == TS_OK)
        s = ts_index_add(zeros, 0, index, x[0], NULL, out);
    ts_release(index);
    ts_release(zeros);
    return s;
}

Test(transform, without_a_rule)
{
    const ts_callable f = of(scattered);
    ts_tensor *x = matrix(2, 2, (double[]){1, 2, 3, 4}), *y;

    OK(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y));
    ELEMENTS(y, 0, 3, 0, 7);
    ts_release(x);
    nothing_lives();
}

Test(transform, of_nothing)
{
    const ts_callable f = of(cubes), g = of(scattered);
    ts_tensor *x = matrix(0, 2, NULL), *y;

    OK(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y));
    cr_assert_eq(y->sizes[0], 0);
    ts_release(y);
    OK(ts_vmap(&g, 1, &x, NULL, 1, NULL, NULL, &y));
    cr_assert(y->ndim == 2 && y->sizes[0] == 0 && y->sizes[1] == 2);
    ts_release(y);
    ts_release(x);
    nothing_lives();
}

/* An error inside takes the levels off. */
static ts_status fails(void *self, int n, ts_tensor *const *x, int nresults,
                       ts_tensor **out)
{
    (void)self, (void)n, (void)nresults;
    return ts_sum_to_size(x[0], (int64_t[]){7, 7}, 2, out);
}

static ts_status vmap_of_fails(void *self, int n, ts_tensor *const *x, int nresults,
                               ts_tensor **out)
{
    const ts_callable f = of(fails);

    (void)self;
    return ts_vmap(&f, n, x, NULL, nresults, NULL, NULL, out);
}

/* x * sum(x): a slice of one dim with one of none */
static ts_status by_its_sum(void *self, int n, ts_tensor *const *x, int nresults,
                            ts_tensor **out)
{
    ts_tensor *y = NULL;
    ts_status s = ts_sum(x[0], NULL, &y);

    (void)self, (void)n, (void)nresults;
    if (s == TS_OK)
        s = ts_mul(x[0], y, out);
    ts_release(y);
    return s;
}

Test(transform, ranks_aligned)
{
    const ts_callable f = of(by_its_sum);
    ts_tensor *x = matrix(2, 2, (double[]){1, 2, 3, 4}), *y, *t, *dy;

    OK(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y));
    ELEMENTS(y, 3, 6, 21, 28);
    t = VECTOR(1, 10);
    become(&x, VECTOR(2, 3));
    OK(ts_func_jvp(&f, 1, &x, &t, 1, &y, &dy));
    ELEMENTS(y, 10, 15);
    ELEMENTS(dy, 5 + 22, 50 + 33);
    ts_release(x);
    ts_release(t);
    nothing_lives();
}

Test(transform, levels_end_with_an_error)
{
    const ts_callable g = of(fails);
    const ts_callable f = of(vmap_of_fails);
    ts_tensor *x = VECTOR(1, 2), *y;
    const int at = 0;

    cr_assert_neq(ts_vmap(&g, 1, &x, NULL, 1, NULL, NULL, &y), TS_OK);
    cr_assert_eq(ts_level_count(), 0);
    cr_assert_neq(ts_func_grad(&f, 1, &x, 1, &at, &y), TS_OK);
    cr_assert_eq(ts_level_count(), 0);
    cr_assert(ts_grad_enabled());
    ts_release(x);
    nothing_lives();
}
