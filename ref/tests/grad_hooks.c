/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

TestSuite(grad_hooks, .init = open_reference, .fini = nothing_lives);

static int destroyed;

static void destroy(void *self)
{
    (void)self;
    destroyed++;
}

static ts_status times(void *self, ts_tensor *grad, ts_tensor **by)
{
    return ts_mul_number(grad, ts_float(*(double *)self), by);
}

static ts_status plus(void *self, ts_tensor *grad, ts_tensor **by)
{
    return ts_add_number(grad, ts_float(*(double *)self), NULL, by);
}

static ts_status look(void *self, ts_tensor *grad, ts_tensor **by)
{
    (void)by;
    *(double *)self = *(double *)grad->data;
    return TS_OK;
}

static ts_status narrow(void *self, ts_tensor *grad, ts_tensor **by)
{
    (void)self;
    return ts_select(grad, 0, 0, by);
}

Test(grad_hooks, s20_order_replacement_removal)
{
    ts_tensor *x = LEAF(1, 2), *y = mul(x, x), *z;
    double two = 2, one = 1, seen = 0;
    int64_t a, b, c, d;

    OK(ts_register_hook(y, plus, &one, destroy, &a));
    OK(ts_register_hook(y, times, &two, destroy, &b));
    OK(ts_register_hook(y, times, &two, destroy, &c));
    OK(ts_register_hook(y, look, &seen, destroy, &d));
    ts_remove_hook(y, c);
    z = sum(y);
    OK(backward(z));
    EXPECT(ts_grad_get(x), 8, 16);
    cr_assert_eq(seen, 4);
    ts_release(z);
    ts_release(x);
    ts_release(y);
    cr_assert_eq(destroyed, 4);
}

/* A view is not held by the graph; its hook is. */
Test(grad_hooks, s20_of_a_view_that_is_gone)
{
    ts_tensor *x = VECTOR(1, 2), *v, *w = VECTOR(5, 6), *y;
    ts_slice_opts o = ts_slice_defaults();
    double seen = 0;
    int64_t handle;

    OK(ts_slice(x, &o, &v));
    leaf(v);
    OK(ts_register_hook(v, look, &seen, destroy, &handle));
    y = mul(v, w);
    become(&y, sum(y));
    destroyed = 0;
    ts_release(v);
    cr_assert_eq(destroyed, 0);
    OK(backward(y));
    cr_assert_eq(seen, 5);
    ts_release(w);
    ts_release(x);
    ts_release(y);
    cr_assert_eq(destroyed, 1);
}

Test(grad_hooks, s20_leaf)
{
    ts_tensor *x = LEAF(3), *y = mul(x, x);
    double two = 2;
    int64_t h;

    OK(ts_register_hook(x, times, &two, destroy, &h));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 12);
    cr_assert_eq(destroyed, 0);
    ts_remove_hook(x, h);
    cr_assert_eq(destroyed, 1);
    become(&y, mul(x, x));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 18);
    ts_release(x);
    ts_release(y);
    cr_assert_eq(destroyed, 1);
}

typedef struct once {
    ts_tensor *t;
    int64_t handle;
    int calls;
} once;

static ts_status remove_me(void *self, ts_tensor *grad, ts_tensor **by)
{
    once *o = self;

    (void)by;
    o->calls++;
    ts_remove_hook(o->t, o->handle);
    cr_assert_eq(destroyed, 0);
    cr_assert_eq(grad->numel, 1);
    return TS_OK;
}

Test(grad_hooks, s20_a_hook_that_removes_itself)
{
    ts_tensor *x = LEAF(3), *y = mul(x, x), *z = sum(y);
    once o = {.t = y};

    OK(ts_register_hook(y, remove_me, &o, destroy, &o.handle));
    OK(ts_backward(1, &z, NULL, true, false));
    cr_assert_eq(destroyed, 1);
    OK(backward(z));
    cr_assert_eq(o.calls, 1);
    ts_release(x);
    ts_release(y);
    ts_release(z);
    cr_assert_eq(destroyed, 1);
}

Test(grad_hooks, s21_versions)
{
    ts_tensor *x = LEAF(1), *y = mul(x, x), *z;
    double old = 0, new = 0;
    int64_t h;

    OK(ts_register_hook(y, look, &old, NULL, &h));
    OK(ts_retain_grad(y));
    OK(ts_mul_number_(y, ts_int(5)));
    OK(ts_register_hook(y, look, &new, NULL, &h));
    OK(ts_mul_number(y, ts_int(3), &z));
    OK(backward(z));
    cr_assert_eq(old, 15);
    cr_assert_eq(new, 3);
    EXPECT(ts_grad_get(y), 3);
    ts_release(x);
    ts_release(y);
    ts_release(z);
}

Test(grad_hooks, s6_retain_grad_of_a_dead_tensor)
{
    ts_tensor *x = LEAF(1), *y = mul(x, x), *z;

    OK(ts_retain_grad(y));
    OK(ts_mul_number(y, ts_int(3), &z));
    ts_release(y);
    OK(backward(z));
    EXPECT(ts_grad_get(x), 6);
    ts_release(x);
    ts_release(z);
}

Test(grad_hooks, s23_captured_before_and_after)
{
    ts_tensor *x = LEAF(1), *y = mul(x, x), *z, *grads[2], *inputs[2];
    double ten = 10;
    int64_t h;

    OK(ts_register_hook(y, times, &ten, NULL, &h));
    OK(ts_mul_number(y, ts_int(3), &z));
    inputs[0] = x;
    inputs[1] = y;
    OK(ts_grad(1, &z, NULL, 2, inputs, true, false, false, grads));
    EXPECT(grads[0], 60);
    EXPECT(grads[1], 3);
    ts_release(grads[0]);
    ts_release(grads[1]);
    OK(ts_grad(1, &z, NULL, 1, &y, true, false, false, grads));
    EXPECT(grads[0], 30);
    ts_release(grads[0]);
    ts_release(x);
    ts_release(y);
    ts_release(z);
}

Test(grad_hooks, c12_c15_c16)
{
    ts_tensor *x = LEAF(1, 2), *c = VECTOR(1), *y = mul(x, x);
    int64_t h;

    FAILS(ts_retain_grad(c), TS_ERR_RUNTIME, "autograd/C12");
    FAILS(ts_register_hook(c, look, NULL, NULL, &h), TS_ERR_RUNTIME, "autograd/C15");
    OK(ts_register_hook(y, narrow, NULL, NULL, &h));
    become(&y, sum(y));
    FAILS(backward(y), TS_ERR_RUNTIME, "autograd/C16");
    cr_assert_null(ts_grad_get(x));
    ts_release(x);
    ts_release(c);
    ts_release(y);
}
