/* SPDX-License-Identifier: Apache-2.0 */
/* Pointwise ops and reductions where no program of the case language reaches: backward
 * ops called by themselves, refusals of theirs, and the number forms of C. */
#include <math.h>

#include "core/core.h"
#include "support.h"

TestSuite(ops, .init = open_reference);

static ts_tensor *row(ts_dtype dtype, int n, const double *v)
{
    ts_tensor *t;

    OK(ts_tensor_new((ts_device){TS_CPU, 0}, dtype, 1, (int64_t[]){n}, &t));
    for (int i = 0; i < n; i++)
        tse_put(t, i, v[i]);
    return t;
}

static void expect_values(ts_tensor *t, ts_dtype dtype, int n, const double *v)
{
    cr_assert_eq(t->dtype, dtype);
    cr_assert_eq(t->numel, n);
    for (int i = 0; i < n; i++) {
        const double got = tse_get(t, i);

        cr_expect(got == v[i] || (isnan(got) && isnan(v[i])), "[%d] is %g, not %g", i,
                  got, v[i]);
    }
    ts_release(t);
}

Test(ops, unary_s9_tanh_backward_rounds_once)
{
    const double y =
        0.99951171875; /* float16's last but one below 1: its square rounds */
    ts_tensor *g = row(TS_FLOAT16, 2, (double[]){1, 3});
    ts_tensor *t = row(TS_FLOAT16, 2, (double[]){y, y}), *out;

    OK(ts_tanh_backward(g, t, &out));
    expect_values(out, TS_FLOAT16, 2,
                  (double[]){ts_dtype_round(TS_FLOAT16, 1 - y * y),
                             ts_dtype_round(TS_FLOAT16, 3 * (1 - y * y))});
    ts_release(g);
    ts_release(t);
}

Test(ops, unary_c2_tanh_backward_of_integers)
{
    ts_tensor *n = row(TS_INT64, 2, (double[]){1, 2}), *out = NULL;

    FAILS(ts_tanh_backward(n, n, &out), TS_ERR_NOT_IMPLEMENTED, "unary/C2");
    cr_expect_null(out);
    ts_release(n);
}

Test(ops, relu_s4_threshold_backward)
{
    ts_tensor *g = row(TS_FLOAT32, 4, (double[]){NAN, 2, 3, NAN});
    ts_tensor *x = row(TS_FLOAT32, 4, (double[]){0.5, 0.75, NAN, 1}), *out;

    OK(ts_threshold_backward(g, x, ts_float(0.5), &out));
    expect_values(out, TS_FLOAT32, 4, (double[]){0, 2, 3, NAN});
    ts_release(g);
    ts_release(x);
}

Test(ops, relu_s5_threshold_backward_promotes)
{
    ts_tensor *g = row(TS_FLOAT16, 3, (double[]){1, 2, 3});
    ts_tensor *x = row(TS_FLOAT32, 3, (double[]){-1, 0, 1}), *out;

    OK(ts_threshold_backward(g, x, ts_int(0), &out));
    expect_values(out, TS_FLOAT32, 3, (double[]){0, 0, 3});
    ts_release(g);
    ts_release(x);
}

Test(ops, relu_s3_threshold_backward_of_integers)
{
    ts_tensor *g = row(TS_INT64, 3, (double[]){1, 2, 3});
    ts_tensor *x = row(TS_INT64, 3, (double[]){-1, 0, 1}), *out;

    OK(ts_threshold_backward(g, x, ts_float(0.5),
                             &out)); /* 0.5 cuts to 0, as in PyTorch */
    expect_values(out, TS_INT64, 3, (double[]){0, 0, 3});
    ts_release(g);
    ts_release(x);
}

Test(ops, gelu_s4_gelu_backward_promotes)
{
    ts_tensor *g = row(TS_FLOAT16, 2, (double[]){1, 2});
    ts_tensor *x = row(TS_FLOAT32, 2, (double[]){0, 1}), *out;

    OK(ts_gelu_backward(g, x, NULL, &out));
    cr_assert_eq(out->dtype, TS_FLOAT32);
    cr_expect_eq(tse_get(out, 0), 0.5);
    cr_expect(fabs(tse_get(out, 1) - 2 * 1.0833154705876864) < 1e-6);
    ts_release(out);
    ts_release(g);
    ts_release(x);
}

Test(ops, backward_shapes_that_do_not_meet)
{
    ts_tensor *a = row(TS_FLOAT32, 2, (double[]){1, 2});
    ts_tensor *b = row(TS_FLOAT32, 3, (double[]){1, 2, 3}), *out = NULL;

    cr_expect_eq(ts_tanh_backward(a, b, &out), TS_ERR_RUNTIME);
    cr_expect_eq(ts_threshold_backward(a, b, ts_int(0), &out), TS_ERR_RUNTIME);
    cr_expect_eq(ts_gelu_backward(a, b, NULL, &out), TS_ERR_RUNTIME);
    cr_expect_null(out);
    ts_release(a);
    ts_release(b);
}

Test(ops, sum_s5_adds_up_what_rounding_lost)
{
    ts_tensor *x = row(TS_FLOAT64, 4, (double[]){1e100, 1, -1e100, 1}), *out;

    OK(ts_sum(x, NULL, &out));
    expect_values(out, TS_FLOAT64, 1, (double[]){2});
    ts_release(x);
}

Test(ops, numbers_promote_as_numbers)
{
    ts_tensor *n = row(TS_INT32, 2, (double[]){1, 2}), *out;

    OK(ts_mul_number(n, ts_float(0.5), &out));
    expect_values(out, TS_FLOAT32, 2, (double[]){0.5, 1});
    OK(ts_add_number(n, ts_int(1), NULL, &out));
    expect_values(out, TS_INT32, 2, (double[]){2, 3});
    OK(ts_lt_number(n, ts_float(1.5), &out));
    expect_values(out, TS_BOOL, 2, (double[]){1, 0});
    OK(ts_add_number_(n, ts_int(1), NULL));
    expect_values(n, TS_INT32, 2, (double[]){2, 3});
}
