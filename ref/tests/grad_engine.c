/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "support.h"

TestSuite(grad_engine, .init = open_reference, .fini = nothing_lives);

Test(grad_engine, s3_gradients_add_up)
{
    ts_tensor *x = LEAF(1, 2, 3), *y = mul(x, x), *z = sum(y), *grad;

    OK(backward(z));
    grad = ts_grad_get(x);
    EXPECT(grad, 2, 4, 6);
    become(&y, mul(x, x));
    become(&z, sum(y));
    OK(backward(z));
    cr_assert_eq(ts_grad_get(x), grad, "added in place");
    EXPECT(grad, 4, 8, 12);
    ts_release(x);
    ts_release(y);
    ts_release(z);
}

Test(grad_engine, s13_every_path_counts)
{
    ts_tensor *x = LEAF(3), *y = mul(x, x), *z = mul(y, x);

    become(&y, add(z, y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 33); /* 3 x^2 + 2 x */
    ts_release(x);
    ts_release(y);
    ts_release(z);
}

/* 2^40 paths, 40 nodes. */
Test(grad_engine, s27_a_node_runs_once)
{
    ts_tensor *x = LEAF(1), *y = ts_retain(x);

    for (int i = 0; i < 40; i++)
        become(&y, add(y, y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 1099511627776.0);
    ts_release(x);
    ts_release(y);
}

#define DEEP 120000

Test(grad_engine, s27_depth_needs_no_stack)
{
    ts_tensor *x = LEAF(1), *two = VECTOR(1), *y = ts_retain(x), *grad;

    for (int i = 0; i < DEEP; i++)
        become(&y, i % 2 ? add(y, x) : mul(y, two));
    OK(ts_grad(1, &y, NULL, 1, &x, true, false, false, &grad));
    EXPECT(grad, 1 + DEEP / 2);
    ts_release(grad);
    OK(backward(y));
    EXPECT(ts_grad_get(x), 1 + DEEP / 2);
    ts_release(two);
    ts_release(x);
    ts_release(y);
}

Test(grad_engine, s27_depth_is_freed_without_stack)
{
    ts_tensor *x = LEAF(1), *y = ts_retain(x);

    for (int i = 0; i < DEEP; i++)
        become(&y, mul(y, x));
    ts_release(x);
    cr_assert_eq(ts_live_now().nodes, DEEP + 1);
    ts_release(y);
}

static void *thread(void *arg)
{
    ts_tensor *x = LEAF(1), *y = ts_retain(x);

    (void)arg;
    cr_assert(ts_grad_enabled(), "a mode is its thread's");
    for (int i = 0; i < 2000; i++)
        become(&y, add(y, x));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 2001);
    ts_release(x);
    ts_release(y);
    return NULL;
}

Test(grad_engine, s27_threads_have_graphs_of_their_own)
{
    pthread_t t[4];

    ts_set_grad_enabled(false);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    cr_assert(!ts_grad_enabled());
    ts_set_grad_enabled(true);
}

Test(grad_engine, s10_third_derivative)
{
    ts_tensor *x = LEAF(2), *y = mul(x, x), *g, *h, *k;

    become(&y, mul(y, y));
    OK(ts_grad(1, &y, NULL, 1, &x, true, true, false, &g));
    EXPECT(g, 32);
    OK(ts_grad(1, &g, NULL, 1, &x, true, true, false, &h));
    EXPECT(h, 48);
    OK(ts_grad(1, &h, NULL, 1, &x, false, false, false, &k));
    EXPECT(k, 48);
    cr_assert(!ts_requires_grad(k));
    ts_release(k);
    ts_release(h);
    ts_release(g);
    ts_release(y);
    ts_release(x);
}

Test(grad_engine, s8_only_what_is_asked_for_runs)
{
    ts_tensor *x = LEAF(2), *w = LEAF(5), *a = mul(x, x), *b = mul(a, w), *grads[2];
    ts_tensor *inputs[2] = {a, w};

    OK(ts_grad(1, &b, NULL, 2, inputs, false, false, false, grads));
    EXPECT(grads[0], 5);
    EXPECT(grads[1], 4);
    cr_assert_null(ts_grad_get(x));
    cr_assert_null(ts_grad_get(w));
    OK(backward(a)); /* a's node did not run, so it is not freed */
    EXPECT(ts_grad_get(x), 4);
    ts_release(grads[0]);
    ts_release(grads[1]);
    ts_release(a);
    ts_release(b);
    ts_release(x);
    ts_release(w);
}

Test(grad_engine, c4_second_backward)
{
    ts_tensor *x = LEAF(2), *y = mul(x, x);

    OK(backward(y));
    FAILS(backward(y), TS_ERR_RUNTIME, "autograd/C4");
    EXPECT(ts_grad_get(x), 4);
    ts_release(x);
    ts_release(y);
}

Test(grad_engine, c5_c6_c7_roots)
{
    ts_tensor *x = LEAF(1, 2), *y = mul(x, x), *c = VECTOR(1), *three = VECTOR(1, 2, 3);

    FAILS(backward(y), TS_ERR_RUNTIME, "autograd/C5");
    FAILS(backward(c), TS_ERR_RUNTIME, "autograd/C6");
    FAILS(ts_backward(1, &y, &three, false, false), TS_ERR_RUNTIME, "autograd/C7");
    cr_assert_null(ts_grad_get(x));
    ts_release(x);
    ts_release(y);
    ts_release(c);
    ts_release(three);
}

Test(grad_engine, c8_c9_c19_inputs)
{
    ts_tensor *x = LEAF(1), *w = LEAF(1), *c = VECTOR(1), *y = mul(x, x), *grad;

    FAILS(ts_grad(1, &y, NULL, 1, &c, true, false, false, &grad), TS_ERR_RUNTIME,
          "autograd/C8");
    FAILS(ts_grad(1, &y, NULL, 1, &w, true, false, false, &grad), TS_ERR_RUNTIME,
          "autograd/C9");
    FAILS(ts_grad(1, &y, NULL, 0, NULL, true, false, false, &grad), TS_ERR_RUNTIME,
          "autograd/C19");
    OK(ts_grad(1, &y, NULL, 1, &w, true, false, true, &grad));
    cr_assert_null(grad);
    ts_release(x);
    ts_release(w);
    ts_release(c);
    ts_release(y);
}

Test(grad_engine, s22_a_given_gradient_is_not_shared)
{
    ts_tensor *x = LEAF(1, 2), *w = LEAF(3, 4), *y = add(x, w), *g = VECTOR(5, 6);

    OK(ts_backward(1, &y, &g, false, false));
    cr_assert_neq(ts_storage_id(ts_tensor_storage(ts_grad_get(x))),
                  ts_storage_id(ts_tensor_storage(g)));
    cr_assert_neq(ts_storage_id(ts_tensor_storage(ts_grad_get(x))),
                  ts_storage_id(ts_tensor_storage(ts_grad_get(w))));
    ts_release(x);
    ts_release(w);
    ts_release(y);
    ts_release(g);
}

/* --- custom functions (more of them in grad_function.c) ----------------------------- */

static ts_status copy(void *self, ts_function_ctx *ctx, int ninputs,
                      ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs)
{
    (void)self, (void)ctx, (void)ninputs, (void)noutputs;
    return ts_clone(inputs[0], NULL, &outputs[0]);
}

static ts_status too_long(void *self, ts_function_ctx *ctx, int ngrads,
                          ts_tensor *const *grads, int ninputs, ts_tensor **out)
{
    (void)self, (void)ctx, (void)ngrads, (void)grads, (void)ninputs;
    out[0] = VECTOR(1, 2, 3);
    return TS_OK;
}

Test(grad_engine, c17_gradient_of_no_fitting_shape)
{
    const ts_function f = {
        .size = sizeof f, .name = "Long", .forward = copy, .backward = too_long};
    ts_tensor *x = LEAF(1, 2), *y;
    int n = 1;

    OK(ts_function_apply(&f, NULL, 1, &x, &n, &y));
    become(&y, sum(y));
    FAILS(backward(y), TS_ERR_RUNTIME, "autograd/C17");
    cr_assert_null(ts_grad_get(x));
    ts_release(x);
    ts_release(y);
}

static ts_status nested(void *self, ts_function_ctx *ctx, int ngrads,
                        ts_tensor *const *grads, int ninputs, ts_tensor **out)
{
    ts_tensor *w = self, *z;

    (void)ctx, (void)ngrads, (void)ninputs;
    ts_set_grad_enabled(true);
    z = mul(w, w);
    ts_set_grad_enabled(false);
    OK(backward(z));
    ts_release(z);
    out[0] = ts_retain(grads[0]);
    return TS_OK;
}

Test(grad_engine, s27_backward_in_backward)
{
    const ts_function f = {
        .size = sizeof f, .name = "Nested", .forward = copy, .backward = nested};
    ts_tensor *x = LEAF(1), *w = LEAF(3), *y;
    int n = 1;

    OK(ts_function_apply(&f, w, 1, &x, &n, &y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 1);
    EXPECT(ts_grad_get(w), 6);
    ts_release(x);
    ts_release(w);
    ts_release(y);
}
