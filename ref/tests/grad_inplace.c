/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

TestSuite(grad_inplace, .init = open_reference, .fini = nothing_lives);

static ts_tensor *element(ts_tensor *t, int64_t i)
{
    ts_tensor *v;

    OK(ts_select(t, 0, i, &v));
    return v;
}

static ts_tensor *part(ts_tensor *t, int64_t from, int64_t to)
{
    ts_slice_opts o = ts_slice_defaults();
    ts_tensor *v;

    o.start = &from;
    o.end = &to;
    OK(ts_slice(t, &o, &v));
    return v;
}

Test(grad_inplace, c1_c2_leaves)
{
    ts_tensor *x = LEAF(1, 2), *c = VECTOR(5, 6), *v = part(x, 0, 1);

    FAILS(ts_mul_(x, c), TS_ERR_RUNTIME, "autograd/C1");
    FAILS(ts_mul_number_(v, ts_int(2)), TS_ERR_RUNTIME, "autograd/C2");
    cr_assert_eq(ts_version(x), 0);
    ts_set_grad_enabled(false);
    OK(ts_mul_(x, c));
    ts_set_grad_enabled(true);
    EXPECT(x, 5, 12);
    cr_assert_eq(ts_version(x), 1);
    ts_release(x);
    ts_release(c);
    ts_release(v);
}

Test(grad_inplace, c3_saved_and_modified)
{
    ts_tensor *x = LEAF(1, 2), *y = mul(x, x), *z = mul(y, y);

    OK(ts_mul_number_(y, ts_int(2)));
    become(&z, sum(z));
    FAILS(backward(z), TS_ERR_RUNTIME, "autograd/C3");
    cr_assert(strstr(ts_error_message(), "MulBackward0"), "%s", ts_error_message());
    cr_assert(strstr(ts_error_message(), "version 1, expected version 0"), "%s",
              ts_error_message());
    ts_release(x);
    ts_release(y);
    ts_release(z);
}

/* Each of these closes a cycle of references in an
 * engine that saves tensors with history. */
Test(grad_inplace, no_cycles_without_backward)
{
    ts_tensor *w = LEAF(1, 2, 3), *y = mul(w, w), *z, *v;

    OK(ts_mul_(y, y)); /* an argument is the result */
    z = mul(y, w);
    OK(ts_add_(y, z, NULL)); /* an argument becomes a result of what saved it */
    v = element(y, 0);
    become(&z, mul(v, w));
    become(&v, part(y, 0, 3));
    OK(ts_copy_(v, z, NULL)); /* the same through views */
    OK(ts_exp_(y));           /* the result is saved */
    ts_release(v);
    ts_release(w);
    ts_release(y);
    ts_release(z);
}

/* x's graph leads to a leaf that is a view of x. */
Test(grad_inplace, no_cycle_through_a_view_that_is_a_leaf)
{
    ts_tensor *x = VECTOR(1, 2, 3), *v = leaf(part(x, 0, 3)), *y = mul(v, v);

    become(&y, sum(y));
    OK(backward(y));
    EXPECT(ts_grad_get(v), 2, 4, 6);
    OK(ts_mul_(x, v));
    ts_release(v);
    ts_release(x);
    ts_release(y);
}

/* What was saved of such a leaf is there when the leaf is not, and is watched. */
Test(grad_inplace, c3_a_view_that_is_a_leaf_goes)
{
    ts_tensor *x = VECTOR(1, 2), *v = leaf(part(x, 0, 2)), *w = LEAF(5, 6),
              *y = mul(v, w), *z = mul(v, w);

    ts_release(v);
    become(&y, sum(y));
    become(&z, sum(z));
    OK(backward(y));
    EXPECT(ts_grad_get(w), 1, 2);
    OK(ts_mul_number_(x, ts_int(2)));
    FAILS(backward(z), TS_ERR_RUNTIME, "autograd/C3");
    ts_release(w);
    ts_release(x);
    ts_release(y);
    ts_release(z);
}

Test(grad_inplace, s16_write_through_a_view)
{
    ts_tensor *x = LEAF(1, 2, 3), *w = LEAF(5, 7), *y, *v, *other;

    OK(ts_clone(x, NULL, &y));
    other = part(y, 0, 2);
    v = part(y, 1, 3);
    OK(ts_mul_(v, w));
    cr_assert_str_eq(ts_grad_fn_name(y), "CopySlices");
    cr_assert_str_eq(ts_grad_fn_name(v), "AsStridedBackward0");
    cr_assert_str_eq(ts_grad_fn_name(other), "AsStridedBackward0");
    EXPECT(y, 1, 10, 21);
    become(&other, sum(other));
    OK(ts_backward(1, &other, NULL, true, false));
    EXPECT(ts_grad_get(x), 1, 5, 0);
    EXPECT(ts_grad_get(w), 2, 0);
    become(&y, sum(y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 2, 10, 7);
    EXPECT(ts_grad_get(w), 4, 3);
    ts_release(x);
    ts_release(w);
    ts_release(y);
    ts_release(v);
    ts_release(other);
}

Test(grad_inplace, s16_many_writes)
{
    ts_tensor *x = LEAF(2), *first = element(x, 0), *y = VECTOR(1, 1, 1, 1, 1), *s;

    for (int i = 0; i < 5; i++) {
        ts_tensor *v = element(y, i);

        OK(ts_mul_(v, first));
        OK(ts_mul_(v, first));
        ts_release(v);
    }
    s = sum(y);
    OK(backward(s));
    EXPECT(ts_grad_get(x), 20);
    ts_release(first);
    ts_release(x);
    ts_release(y);
    ts_release(s);
}

Test(grad_inplace, s17_overwritten_self_has_history)
{
    ts_tensor *x = LEAF(3), *w = LEAF(2), *y = mul(x, x), *g, *h;

    OK(ts_mul_(y, w)); /* x^2 w */
    OK(ts_grad(1, &y, NULL, 1, &w, true, true, false, &g));
    EXPECT(g, 9);
    OK(ts_grad(1, &g, NULL, 1, &x, false, false, false, &h));
    EXPECT(h, 6);
    ts_release(x);
    ts_release(w);
    ts_release(y);
    ts_release(g);
    ts_release(h);
}

Test(grad_inplace, c18_view_made_without_grad)
{
    ts_tensor *w = LEAF(1, 2), *y = VECTOR(1, 1), *v, *z;

    ts_set_grad_enabled(false);
    v = part(y, 0, 2);
    ts_set_grad_enabled(true);
    FAILS(ts_mul_(v, w), TS_ERR_RUNTIME, "autograd/C18");
    OK(ts_mul_(y, w));
    FAILS(ts_mul(v, w, &z), TS_ERR_RUNTIME, "autograd/C18");
    ts_release(w);
    ts_release(y);
    ts_release(v);
}

Test(grad_inplace, c14_out)
{
    ts_tensor *x = LEAF(1, 2), *c = VECTOR(3, 4), *y = VECTOR(0, 0);

    FAILS(ts_mul_out(x, c, y), TS_ERR_RUNTIME, "autograd/C14");
    FAILS(ts_mul_out(c, c, x), TS_ERR_RUNTIME, "autograd/C14");
    EXPECT(y, 0, 0);
    ts_set_grad_enabled(false);
    OK(ts_mul_out(x, c, y));
    ts_set_grad_enabled(true);
    EXPECT(y, 3, 8);
    ts_release(x);
    ts_release(c);
    ts_release(y);
}

Test(grad_inplace, s24_data)
{
    ts_tensor *x = LEAF(1, 2), *d, *v = VECTOR(7, 8, 9), *y;

    OK(ts_data_get(x, &d));
    cr_assert(!ts_requires_grad(d));
    OK(ts_mul_number_(d, ts_int(3)));
    EXPECT(x, 3, 6);
    cr_assert_eq(ts_version(x), 0);
    cr_assert_eq(ts_version(d), 1);
    y = mul(x, x);
    OK(ts_data_set(x, v));
    EXPECT(x, 7, 8, 9);
    cr_assert(ts_requires_grad(x));
    become(&y, mul(x, x));
    become(&y, sum(y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 14, 16, 18);
    ts_release(x);
    ts_release(d);
    ts_release(v);
    ts_release(y);
}
