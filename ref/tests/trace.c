/* SPDX-License-Identifier: Apache-2.0 */
/* Traces in C, rule by rule of spec/areas/func.md. */
#include "support.h"

/* Each test looks itself for what it left: a failure after its end is not counted. */
TestSuite(trace, .init = open_reference);

typedef ts_status (*body)(void *self, int nargs, ts_tensor *const *args, int nresults,
                          ts_tensor **results);

static ts_callable of(body f)
{
    return (ts_callable){NULL, f, NULL, NULL};
}

static ts_trace *traced(body f, int n, ts_tensor *const *x)
{
    const ts_callable c = of(f);
    ts_trace *t;

    OK(ts_trace_record(&c, n, x, 1, NULL, &t));
    cr_assert_eq(ts_level_count(), 0);
    return t;
}

#define LINE(t, i, want)                                                        \
    do {                                                                        \
        char line_[200];                                                        \
        cr_expect_str_eq(ts_trace_text((t), (i), line_, sizeof line_), (want)); \
    } while (0)

/* The two hold the same bits, in the same shape; both go. */
static void same(ts_tensor *a, ts_tensor *b)
{
    ts_tensor *x, *y;

    cr_assert(a && b && a->dtype == b->dtype && a->ndim == b->ndim);
    for (int d = 0; d < a->ndim; d++)
        cr_assert_eq(a->sizes[d], b->sizes[d]);
    OK(ts_reshape(a, (int64_t[]){-1}, 1, &x));
    OK(ts_reshape(b, (int64_t[]){-1}, 1, &y));
    for (int64_t i = 0; i < x->numel; i++)
        cr_assert_eq(memcmp((double *)x->data + i * x->strides[0],
                            (double *)y->data + i * y->strides[0], sizeof(double)),
                     0);
    ts_release(x);
    ts_release(y);
    ts_release(a);
    ts_release(b);
}

/* A replay on x gives what f gives. */
static void replays(const ts_trace *t, body f, int n, ts_tensor *const *x)
{
    ts_tensor *a = NULL, *b = NULL;

    OK(f(NULL, n, x, 1, &a));
    OK(ts_trace_replay(t, n, x, &b));
    same(a, b);
}

/* softmax(tanh(x * y)) */
static ts_status mixed(void *self, int n, ts_tensor *const *x, int nresults,
                       ts_tensor **out)
{
    ts_tensor *a = NULL, *b = NULL;
    ts_status s = ts_mul(x[0], x[1], &a);

    (void)self, (void)n, (void)nresults;
    if (s == TS_OK)
        s = ts_tanh(a, &b);
    if (s == TS_OK)
        s = ts_softmax(b, -1, NULL, out);
    ts_release(a);
    ts_release(b);
    return s;
}

/* func/S20, func/S21 */
Test(trace, s20_a_record_of_every_call)
{
    ts_tensor *x[2] = {VECTOR(1, 2, 3), VECTOR(0.5, -1, 2)};
    ts_tensor *z[2] = {VECTOR(-3, 0.1, 7), VECTOR(2, 3, -0.25)};
    ts_trace *t = traced(mixed, 2, x);

    cr_assert_eq(ts_trace_count(t), 3);
    cr_expect_str_eq(ts_trace_op(t, 0)->name, "mul");
    cr_expect_str_eq(ts_trace_op(t, 2)->name, "_softmax");
    cr_expect_null(ts_trace_op(t, 3));
    LINE(t, 0, "%2 = mul(%0, %1)");
    LINE(t, 1, "%3 = tanh(%2)");
    LINE(t, 2, "%4 = _softmax(%3, -1, False)");
    LINE(t, 3, "");
    for (int i = 0; i < 2; i++) {
        replays(t, mixed, 2, x);
        replays(t, mixed, 2, z);
    }
    ts_trace_release(t);
    for (int i = 0; i < 2; i++) {
        ts_release(x[i]);
        ts_release(z[i]);
    }
    nothing_lives();
}

Test(trace, s20_results_of_the_run)
{
    ts_tensor *x[2] = {VECTOR(1, 2, 3), VECTOR(0.5, -1, 2)}, *y, *want;
    const ts_callable f = of(mixed);
    ts_trace *t;

    OK(ts_trace_record(&f, 2, x, 1, &y, &t));
    OK(mixed(NULL, 2, x, 1, &want));
    same(y, want);
    ts_trace_release(t);
    ts_release(x[0]);
    ts_release(x[1]);
    nothing_lives();
}

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

static ts_status jvp_of_cubes(void *self, int n, ts_tensor *const *x, int nresults,
                              ts_tensor **out)
{
    const ts_callable f = of(cubes);
    ts_tensor *y = NULL;
    ts_status s;

    (void)self, (void)n;
    s = ts_func_jvp(&f, 1, x, x + 1, nresults, &y, out);
    ts_release(y);
    return s;
}

/* func/S22 */
Test(trace, s22_the_backward_is_recorded)
{
    ts_tensor *x = VECTOR(1, 2, 3), *z = VECTOR(-4, 0.3, 11);
    ts_trace *t = traced(grad_of_cubes, 1, &x);

    cr_assert_gt(ts_trace_count(t), 3, "%lld records", (long long)ts_trace_count(t));
    LINE(t, 0, "%1 = mul(%0, %0)");
    LINE(t, 1, "%2 = mul(%1, %0)");
    LINE(t, 2, "%3 = sum(%2)");
    replays(t, grad_of_cubes, 1, &x);
    replays(t, grad_of_cubes, 1, &z);
    ts_trace_release(t);
    ts_release(x);
    ts_release(z);
    nothing_lives();
}

Test(trace, s22_the_tangents_are_recorded)
{
    ts_tensor *x[2] = {VECTOR(1, 2, 3), VECTOR(1, 10, 100)};
    ts_tensor *z[2] = {VECTOR(4, 5, 6), VECTOR(-1, 0, 0.5)};
    ts_trace *t = traced(jvp_of_cubes, 2, x);

    replays(t, jvp_of_cubes, 2, x);
    replays(t, jvp_of_cubes, 2, z);
    ts_trace_release(t);
    for (int i = 0; i < 2; i++) {
        ts_release(x[i]);
        ts_release(z[i]);
    }
    nothing_lives();
}

static ts_tensor *matrix(const double *v)
{
    ts_tensor *t;

    OK(ts_tensor_new((ts_device){TS_CPU, 0}, TS_FLOAT64, 2, (int64_t[]){2, 3}, &t));
    memcpy(t->data, v, 6 * sizeof *v);
    return t;
}

Test(trace, s22_of_a_vmap)
{
    ts_tensor *x = matrix((double[]){1, 2, 3, 4, 5, 6});
    ts_tensor *z = matrix((double[]){0, -1, 0.5, 8, 1e9, -7});
    ts_trace *t = traced(vmap_of_cubes, 1, &x);

    LINE(t, 0, "%1 = mul(%0, %0)");
    LINE(t, 1, "%2 = mul(%1, %0)");
    LINE(t, 2, "%3 = sum(%2, [1])");
    replays(t, vmap_of_cubes, 1, &x);
    replays(t, vmap_of_cubes, 1, &z);
    ts_trace_release(t);
    ts_release(x);
    ts_release(z);
    nothing_lives();
}

/* self: the trace */
static ts_status replayed(void *self, int n, ts_tensor *const *x, int nresults,
                          ts_tensor **out)
{
    (void)nresults;
    return ts_trace_replay(self, n, x, out);
}

Test(trace, s22_vmap_and_grad_of_a_replay)
{
    ts_tensor *row = VECTOR(1, 1, 1), *x = matrix((double[]){1, 2, 3, 4, 5, 6});
    ts_tensor *y, *want;
    ts_trace *t = traced(cubes, 1, &row), *again;
    const ts_callable f = {t, replayed, NULL, NULL};
    const int at = 0;

    OK(ts_vmap(&f, 1, &x, NULL, 1, NULL, NULL, &y));
    OK(vmap_of_cubes(NULL, 1, &x, 1, &want));
    same(y, want);
    OK(ts_func_grad(&f, 1, &row, 1, &at, &y));
    EXPECT(y, 3, 3, 3);
    ts_release(y);
    OK(ts_trace_record(&f, 1, &row, 1, NULL, &again));
    cr_assert_eq(ts_trace_count(again), ts_trace_count(t));
    ts_trace_release(again);
    ts_trace_release(t);
    ts_release(row);
    ts_release(x);
    nothing_lives();
}

static ts_status trace_of_cubes(void *self, int n, ts_tensor *const *x, int nresults,
                                ts_tensor **out)
{
    const ts_callable f = of(cubes);
    ts_trace *t;
    ts_status s = ts_trace_record(&f, n, x, nresults, out, &t);

    (void)self;
    if (s == TS_OK)
        ts_trace_release(t);
    return s;
}

Test(trace, s22_inside_of_other_levels)
{
    const ts_callable f = of(trace_of_cubes);
    ts_tensor *x = VECTOR(1, 2, 3), *m = matrix((double[]){1, 2, 3, 4, 5, 6}), *y, *want;
    const int at = 0;

    OK(ts_func_grad(&f, 1, &x, 1, &at, &y));
    EXPECT(y, 3, 12, 27);
    ts_release(y);
    OK(ts_vmap(&f, 1, &m, NULL, 1, NULL, NULL, &y));
    OK(vmap_of_cubes(NULL, 1, &m, 1, &want));
    same(y, want);
    ts_release(x);
    ts_release(m);
    nothing_lives();
}

/* x * x by x alone: the other factor is made in no_grad */
static ts_status half_quiet(void *self, int n, ts_tensor *const *x, int nresults,
                            ts_tensor **out)
{
    const bool mode = ts_set_grad_enabled(false);
    ts_tensor *a = NULL, *b = NULL;
    ts_status s = ts_mul_number(x[0], ts_int(1), &a);

    (void)self, (void)n, (void)nresults;
    ts_set_grad_enabled(mode);
    if (s == TS_OK)
        s = ts_mul(x[0], a, &b);
    if (s == TS_OK)
        s = ts_sum(b, NULL, out);
    ts_release(a);
    ts_release(b);
    return s;
}

Test(trace, s21_no_grad)
{
    ts_tensor *x = VECTOR(1, 2), *z = VECTOR(3, 5), *y;
    ts_trace *t = traced(half_quiet, 1, &x);
    const ts_callable f = {t, replayed, NULL, NULL};
    const int at = 0;

    replays(t, half_quiet, 1, &z);
    OK(ts_func_grad(&f, 1, &z, 1, &at, &y));
    EXPECT(y, 3, 5);
    ts_release(y);
    ts_trace_release(t);
    ts_release(x);
    ts_release(z);
    nothing_lives();
}

/* --- constants, views and writes --- */

/* w = (1, 2, 3), made by no call; w += x; x * w, and 1 added to a view of that */
static ts_status writing(void *self, int n, ts_tensor *const *x, int nresults,
                         ts_tensor **out)
{
    ts_tensor *w = VECTOR(1, 2, 3), *part = NULL, *one = VECTOR(1);
    ts_status s = ts_add_(w, x[0], NULL);

    (void)self, (void)n, (void)nresults;
    if (s == TS_OK)
        s = ts_mul(x[0], w, out);
    if (s == TS_OK)
        s = ts_narrow(*out, 0, 1, 2, &part);
    if (s == TS_OK)
        s = ts_add_(part, one, NULL);
    ts_release(part);
    ts_release(one);
    ts_release(w);
    return s;
}

/* func/S23 */
Test(trace, s23_writes)
{
    ts_tensor *x = VECTOR(1, 1, 1), *z = VECTOR(5, -2, 0.5), *y;
    ts_trace *t = traced(writing, 1, &x);

    LINE(t, 0, "%1 = add_($0, %0)");
    LINE(t, 1, "%2 = mul(%0, %1)");
    LINE(t, ts_trace_count(t) - 1, "%4 = add_(%3, $1)");
    for (int i = 0; i < 3; i++)
        replays(t, writing, 1, &z);
    OK(ts_trace_replay(t, 1, &x, &y));
    EXPECT(y, 2, 4, 5);
    ts_release(y);
    ts_trace_release(t);
    ts_release(x);
    ts_release(z);
    nothing_lives();
}

static ts_status writes_input(void *self, int n, ts_tensor *const *x, int nresults,
                              ts_tensor **out)
{
    (void)self, (void)n, (void)nresults;
    TS_TRY(ts_mul_(x[0], x[0]));
    *out = ts_retain(x[0]);
    return TS_OK;
}

Test(trace, s23_an_input_is_written)
{
    ts_tensor *x = VECTOR(3), *z = VECTOR(5), *y;
    ts_trace *t = traced(writes_input, 1, &x);

    EXPECT(x, 9);
    OK(ts_trace_replay(t, 1, &z, &y));
    EXPECT(z, 25);
    cr_assert_eq(y, z);
    ts_release(y);
    ts_trace_release(t);
    ts_release(x);
    ts_release(z);
    nothing_lives();
}

/* cat of a list, and a gradient cut off */
static ts_status listed(void *self, int n, ts_tensor *const *x, int nresults,
                        ts_tensor **out)
{
    ts_tensor *cut = NULL, *both = NULL;
    ts_status s = ts_detach(x[0], &cut);

    (void)self, (void)n, (void)nresults;
    if (s == TS_OK)
        s = ts_cat((ts_tensor *[]){x[0], cut}, 2, NULL, &both);
    if (s == TS_OK)
        s = ts_sum(both, NULL, out);
    ts_release(cut);
    ts_release(both);
    return s;
}

Test(trace, s23_detach)
{
    ts_tensor *x = VECTOR(1, 2), *y;
    ts_trace *t = traced(listed, 1, &x);
    const ts_callable f = {t, replayed, NULL, NULL};
    const int at = 0;

    LINE(t, 0, "%1 = detach(%0)");
    LINE(t, 1, "%2 = cat([%0, %1])");
    replays(t, listed, 1, &x);
    OK(ts_func_grad(&f, 1, &x, 1, &at, &y));
    EXPECT(y, 1, 1);
    ts_release(y);
    ts_trace_release(t);
    ts_release(x);
    nothing_lives();
}

/* --- custom functions: x * x with a derivative that shows who made it --- */

static ts_status square(void *self, ts_function_ctx *ctx, int n, ts_tensor *const *in,
                        int *noutputs, ts_tensor **out)
{
    (void)self, (void)n, (void)ctx;
    *noutputs = 1;
    return ts_mul(in[0], in[0], &out[0]);
}

static ts_status keep(void *self, ts_function_ctx *ctx, int n, ts_tensor *const *in,
                      int noutputs, ts_tensor *const *out)
{
    (void)self, (void)n, (void)noutputs, (void)out;
    return ts_ctx_save_for_backward(ctx, 1, in);
}

static ts_status ten(void *self, ts_function_ctx *ctx, int ngrads,
                     ts_tensor *const *grads, int n, ts_tensor **out)
{
    ts_tensor *saved, *p = NULL;
    ts_status s;

    (void)self, (void)ngrads, (void)n;
    TS_TRY(ts_ctx_saved_tensors(ctx, 1, &saved, NULL));
    s = ts_mul(grads[0], saved, &p);
    if (s == TS_OK)
        s = ts_mul_number(p, ts_int(10), &out[0]);
    ts_release(p);
    ts_release(saved);
    return s;
}

static const ts_function table = {.size = sizeof(ts_function),
                                  .name = "Square",
                                  .forward = square,
                                  .setup_context = keep,
                                  .backward = ten};

static ts_status summed(void *self, int n, ts_tensor *const *x, int nresults,
                        ts_tensor **out)
{
    ts_tensor *y = NULL;
    int room = 1;
    ts_status s = ts_function_apply(&table, NULL, n, x, &room, &y);

    (void)self, (void)nresults;
    if (s == TS_OK)
        s = ts_sum(y, NULL, out);
    ts_release(y);
    return s;
}

static ts_status grad_of_summed(void *self, int n, ts_tensor *const *x, int nresults,
                                ts_tensor **out)
{
    const ts_callable f = of(summed);
    const int at = 0;

    (void)self, (void)nresults;
    return ts_func_grad(&f, n, x, 1, &at, out);
}

/* func/S24 */
Test(trace, s24_custom_functions)
{
    ts_tensor *x = VECTOR(1, 2), *z = VECTOR(-3, 0.5), *y;
    ts_trace *t = traced(summed, 1, &x);

    replays(t, summed, 1, &z);
    ts_trace_release(t);
    t = traced(grad_of_summed, 1, &x);
    OK(ts_trace_replay(t, 1, &z, &y));
    EXPECT(y, -30, 5);
    ts_release(y);
    ts_trace_release(t);
    ts_release(x);
    ts_release(z);
    nothing_lives();
}

static ts_status trace_of_summed(void *self, int n, ts_tensor *const *x, int nresults,
                                 ts_tensor **out)
{
    const ts_callable f = of(summed);
    ts_trace *t = NULL;

    (void)self;
    return ts_trace_record(&f, n, x, nresults, out, &t);
}

/* func/C30 */
Test(trace, c30_custom_function_above_other_levels)
{
    const ts_callable f = of(trace_of_summed);
    ts_tensor *x = VECTOR(1, 2), *y;
    const int at = 0;

    FAILS(ts_func_grad(&f, 1, &x, 1, &at, &y), TS_ERR_NOT_IMPLEMENTED, "func/C30");
    cr_assert_eq(ts_level_count(), 0);
    ts_release(x);
    nothing_lives();
}

/* --- refusals --- */

/* func/C25 */
Test(trace, c25_other_inputs)
{
    ts_tensor *x[2] = {VECTOR(1, 2, 3), VECTOR(4, 5, 6)}, *m, *y = NULL;
    ts_tensor *longer[2] = {x[0], VECTOR(1, 2, 3, 4)}, *other[2] = {x[0], NULL};
    ts_trace *t = traced(mixed, 2, x);

    FAILS(ts_trace_replay(t, 1, x, &y), TS_ERR_RUNTIME, "func/C25");
    FAILS(ts_trace_replay(t, 2, longer, &y), TS_ERR_RUNTIME, "func/C25");
    FAILS(ts_trace_replay(t, 2, other, &y), TS_ERR_TYPE, "errors/C2");
    OK(ts_tensor_new((ts_device){TS_CPU, 0}, TS_FLOAT32, 1, (int64_t[]){3}, &other[1]));
    FAILS(ts_trace_replay(t, 2, other, &y), TS_ERR_RUNTIME, "func/C25");
    ts_release(other[1]);
    m = matrix((double[]){1, 2, 3, 4, 5, 6});
    OK(ts_as_strided(m, (int64_t[]){3}, 1, (int64_t[]){2}, 1, NULL, &other[1]));
    FAILS(ts_trace_replay(t, 2, other, &y), TS_ERR_RUNTIME, "func/C25");
    ts_release(other[1]);
    ts_release(m);
    ts_release(longer[1]);
    ts_trace_release(t);
    ts_release(x[0]);
    ts_release(x[1]);
    nothing_lives();
}

static ts_status places(void *self, int n, ts_tensor *const *x, int nresults,
                        ts_tensor **out)
{
    (void)self, (void)n, (void)nresults;
    return ts_nonzero(x[0], out);
}

/* func/C26 */
Test(trace, c26_sizes_that_depend_on_data)
{
    ts_tensor *x = VECTOR(0, 2, 3), *z = VECTOR(1, 2, 3), *w = VECTOR(5, 0, 1), *y = NULL;
    ts_trace *t = traced(places, 1, &x);

    OK(ts_trace_replay(t, 1, &w, &y));
    cr_assert_eq(((int64_t *)y->data)[1], 2);
    ts_release(y);
    FAILS(ts_trace_replay(t, 1, &z, &y), TS_ERR_RUNTIME, "func/C26");
    ts_trace_release(t);
    ts_release(w);
    ts_release(x);
    ts_release(z);
    nothing_lives();
}

static ts_status decides(void *self, int n, ts_tensor *const *x, int nresults,
                         ts_tensor **out)
{
    (void)self, (void)n, (void)nresults;
    return ts_item(x[0], out);
}

static void refused(body f, const char *rule)
{
    const ts_callable c = of(f);
    ts_tensor *x = VECTOR(3);
    ts_trace *t = NULL;

    FAILS(ts_trace_record(&c, 1, &x, 1, NULL, &t), TS_ERR_RUNTIME, rule);
    cr_assert_eq(ts_level_count(), 0);
    ts_release(x);
    nothing_lives();
}

/* func/C27 */
Test(trace, c27_a_number_out_of_a_trace)
{
    refused(decides, "func/C27");
}

static ts_status in_autocast(void *self, int n, ts_tensor *const *x, int nresults,
                             ts_tensor **out)
{
    const ts_autocast region = {TS_CPU, TS_BFLOAT16, true, true};
    ts_autocast before;
    ts_status s;

    (void)self, (void)n, (void)nresults;
    TS_TRY(ts_autocast_begin(&region, &before));
    s = ts_mul(x[0], x[0], out);
    ts_autocast_end(&before);
    return s;
}

/* func/C28 */
Test(trace, c28_autocast)
{
    refused(in_autocast, "func/C28");
}

/* a part of what a call made, taken behind the ops */
static ts_status behind(void *self, int n, ts_tensor *const *x, int nresults,
                        ts_tensor **out)
{
    ts_tensor *a = NULL, *part = NULL;
    ts_status s = ts_cat((ts_tensor *[]){x[0], x[0]}, 2, NULL, &a);

    (void)self, (void)n, (void)nresults;
    if (s == TS_OK)
        s = ts_tensor_over(ts_tensor_storage(a), a->dtype, 1, (int64_t[]){1},
                           (int64_t[]){1}, 1, &part);
    if (s == TS_OK)
        s = ts_mul(part, part, out);
    ts_release(a);
    ts_release(part);
    return s;
}

/* func/C29 */
Test(trace, c29_memory_of_a_call_without_a_call)
{
    refused(behind, "func/C29");
}
