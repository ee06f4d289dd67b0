/* SPDX-License-Identifier: Apache-2.0 */
/* Custom functions in C, rule by rule of spec/areas/custom_function.md; and nothing left
 * alive. */
#include "support.h"

TestSuite(grad_function, .init = open_reference, .fini = nothing_lives);

/* What a test asks of its function, and what the callbacks saw. */
typedef struct probe {
    bool save_input, save_output, twice, dirty, plain_none, none_differentiable, same;
    bool integers, setup;
    int destroyed, backwards, saved;
    bool needs[3], recorded, grad_mode, missing[3];
    ts_tensor *kept; /* borrowed */
} probe;

static ts_status note(probe *p, ts_function_ctx *ctx, int ninputs, ts_tensor *const *in,
                      int noutputs, ts_tensor *const *out)
{
    ts_tensor *save[3] = {NULL};
    int n = 0;

    p->recorded = ts_ctx_is_recorded(ctx);
    for (int i = 0; i < ninputs; i++)
        p->needs[i] = ts_ctx_needs_input_grad(ctx, i);
    if (p->plain_none)
        ts_ctx_set_materialize_grads(ctx, false);
    if (p->save_input)
        save[n++] = in[0];
    if (p->save_output)
        save[n++] = out[0];
    if (n) {
        save[n++] = NULL;
        OK(ts_ctx_save_for_backward(ctx, n, save));
    }
    if (p->dirty)
        OK(ts_ctx_mark_dirty(ctx, 1, in));
    if (p->none_differentiable)
        OK(ts_ctx_mark_non_differentiable(ctx, 1, &out[noutputs - 1]));
    return TS_OK;
}

/* outputs: in[0] * 2, or in[0] itself, written or not; with `twice` also in[0] * 3. */
static ts_status forward(void *self, ts_function_ctx *ctx, int ninputs,
                         ts_tensor *const *in, int *noutputs, ts_tensor **out)
{
    probe *p = self;

    p->grad_mode = ts_grad_enabled();
    cr_assert_eq(ctx == NULL, p->setup);
    if (p->dirty)
        TS_TRY(ts_mul_number_(in[0], ts_int(2)));
    if (p->dirty || p->same)
        out[0] = ts_retain(in[0]);
    else
        TS_TRY(ts_mul_number(in[0], ts_int(2), &out[0]));
    *noutputs = p->twice ? 2 : 1;
    if (p->twice)
        TS_TRY(ts_mul_number(in[0], ts_int(3), &out[1]));
    return ctx ? note(p, ctx, ninputs, in, *noutputs, out) : TS_OK;
}

static ts_status setup(void *self, ts_function_ctx *ctx, int ninputs,
                       ts_tensor *const *in, int noutputs, ts_tensor *const *out)
{
    cr_assert(!ts_grad_enabled());
    return note(self, ctx, ninputs, in, noutputs, out);
}

/* 2 * the first gradient that came, times what was saved. */
static ts_status back(void *self, ts_function_ctx *ctx, int ngrads,
                      ts_tensor *const *grads, int ninputs, ts_tensor **out)
{
    probe *p = self;
    ts_tensor *saved[3] = {NULL};
    ts_status s = TS_OK;
    int n = 0;

    (void)ninputs;
    p->backwards++;
    for (int i = 0; i < ngrads; i++)
        p->missing[i] = grads[i] == NULL;
    TS_TRY(ts_ctx_saved_tensors(ctx, 3, saved, &n));
    p->saved = n;
    if (grads[0])
        s = ts_mul_number(grads[0], ts_int(2), &out[0]);
    for (int i = 0; out[0] && i < n && saved[i]; i++) {
        ts_tensor *more = NULL;

        OK(ts_mul(out[0], saved[i], &more));
        become(&out[0], more);
    }
    for (int i = 0; i < n; i++)
        ts_release(saved[i]);
    return s;
}

static void destroy(void *self)
{
    ((probe *)self)->destroyed++;
}

static const ts_function with_all = {.size = sizeof with_all,
                                     .name = "Probe",
                                     .forward = forward,
                                     .backward = back,
                                     .destroy = destroy};

static ts_status apply(probe *p, ts_tensor *x, int *n, ts_tensor **y)
{
    ts_function f = with_all;

    if (p->setup)
        f.setup_context = setup;
    return ts_function_apply(&f, p, 1, &x, n, y);
}

static ts_tensor *applied(probe *p, ts_tensor *x)
{
    ts_tensor *y[2];
    int n = 2;

    OK(apply(p, x, &n, y));
    cr_assert_eq(n, 1);
    return y[0];
}

static ts_status retained(ts_tensor *root)
{
    return ts_backward(1, &root, NULL, true, false);
}

Test(grad_function, s1_saved_argument)
{
    probe p = {.save_input = true};
    ts_tensor *x = LEAF(1, 2), *y = applied(&p, x);

    cr_assert_str_eq(ts_grad_fn_name(y), "ProbeBackward");
    cr_assert(p.recorded && p.needs[0] && !p.grad_mode);
    become(&y, sum(y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 2, 4);
    cr_assert_eq(p.saved, 2);
    cr_assert_eq(p.destroyed, 0);
    ts_release(y);
    cr_assert_eq(p.destroyed, 1);
    ts_release(x);
}

Test(grad_function, s3_saved_result_makes_no_cycle)
{
    probe p = {.save_output = true};
    ts_tensor *x = LEAF(1, 2), *y = applied(&p, x);

    ts_release(y); /* without backward: a cycle would hold on to it */
    cr_assert_eq(p.destroyed, 1);
    cr_assert_eq(ts_live_now().tensors, 1);
    cr_assert_eq(ts_live_now().nodes, 0);
    ts_release(x);
}

Test(grad_function, s3_saved_view_that_was_written_makes_no_cycle)
{
    probe p = {.save_output = true, .dirty = true};
    ts_tensor *x = LEAF(1, 2, 3), *b = mul(x, x), *v, *y;

    OK(ts_narrow(b, 0, 1, 2, &v));
    y = applied(&p, v);
    cr_assert_eq(y, v);
    cr_assert_str_eq(ts_grad_fn_name(b), "CopySlices");
    ts_release(y);
    ts_release(v);
    become(&b, sum(b));
    OK(backward(b));
    /* d(2v)/dv as the callback says it: 2 * v's new value, 8 and 18 */
    EXPECT(ts_grad_get(x), 2, 2 * 8 * 4, 2 * 18 * 6);
    ts_release(b);
    ts_release(x);
    cr_assert_eq(p.destroyed, 1);
}

Test(grad_function, s3_double_backward)
{
    probe p = {.save_input = true, .save_output = true};
    ts_tensor *x = LEAF(3), *y = applied(&p, x), *g, *gg;

    /* The callback's gradient is 2 h x y with y = 2x, so 4 x^2; through y again the
     * derivative is 2 x' y + 2 x y', where y' is the callback's 4 x^2. */
    OK(ts_grad(1, &y, NULL, 1, &x, true, true, false, &g));
    EXPECT(g, 36);
    OK(ts_grad(1, &g, NULL, 1, &x, false, false, false, &gg));
    EXPECT(gg, 2 * 6 + 2 * 3 * 36);
    ts_release(x);
    ts_release(y);
    ts_release(g);
    ts_release(gg);
}

Test(grad_function, s5_freed_after_backward)
{
    probe p = {.save_input = true};
    ts_tensor *x = LEAF(1, 2), *b = mul(x, x), *y = applied(&p, b), *z = sum(y);
    int64_t tensors;

    ts_release(b);
    ts_release(y);
    OK(retained(z));
    OK(retained(z));
    tensors = ts_live_now().tensors;
    OK(backward(z));
    /* x, z and x.grad stay; what the two nodes had saved went */
    cr_assert_eq(ts_live_now().tensors, 3);
    cr_assert_gt(tensors, 3);
    FAILS(backward(z), TS_ERR_RUNTIME, "autograd/C4");
    cr_assert(strstr(ts_error_message(), "ProbeBackward"), "%s", ts_error_message());
    cr_assert_eq(p.backwards, 4);
    ts_release(z);
    ts_release(x);
    cr_assert_eq(p.destroyed, 1);
}

static ts_status fail_once(void *self, ts_function_ctx *ctx, int ngrads,
                           ts_tensor *const *grads, int ninputs, ts_tensor **out)
{
    probe *p = self;

    return p->backwards++ == 0 ? ts_fail(TS_ERR_VALUE, NULL, "no")
                               : back(self, ctx, ngrads, grads, ninputs, out);
}

Test(grad_function, s5_a_backward_that_failed_may_run_again)
{
    ts_function f = with_all;
    probe p = {.save_input = true};
    ts_tensor *x = LEAF(1, 2), *y;
    int n = 1;

    f.backward = fail_once;
    OK(ts_function_apply(&f, &p, 1, &x, &n, &y));
    become(&y, sum(y));
    cr_assert_eq(backward(y), TS_ERR_VALUE);
    OK(backward(y));
    EXPECT(ts_grad_get(x), 2, 4);
    ts_release(x);
    ts_release(y);
}

Test(grad_function, s6_written_since)
{
    probe in = {.save_input = true}, out = {.save_output = true};
    ts_tensor *x = LEAF(1, 2), *b = mul(x, x), *y = applied(&in, b), *z = sum(y);

    OK(ts_mul_number_(b, ts_int(3)));
    FAILS(backward(z), TS_ERR_RUNTIME, "autograd/C3");
    ts_release(z);
    become(&y, applied(&out, x));
    OK(ts_mul_number_(y, ts_int(3)));
    z = sum(y);
    FAILS(backward(z), TS_ERR_RUNTIME, "autograd/C3");
    cr_assert_null(ts_grad_get(x));
    ts_release(x);
    ts_release(b);
    ts_release(y);
    ts_release(z);
}

Test(grad_function, s9_missing_gradients)
{
    probe p = {.twice = true};
    ts_tensor *x = LEAF(1, 2), *y[2], *z;
    int n = 2;

    for (int none = 0; none < 2; none++) {
        p.plain_none = none;
        OK(apply(&p, x, &n, y));
        cr_assert_eq(n, 2);
        z = sum(y[1]);
        OK(backward(z));
        cr_assert_eq(p.missing[0], none == 1);
        cr_assert(!p.missing[1]);
        ts_release(z);
        ts_release(y[0]);
        ts_release(y[1]);
    }
    EXPECT(ts_grad_get(x), 0, 0);
    ts_release(x);
}

Test(grad_function, s10_setup_context)
{
    probe p = {.setup = true, .save_input = true};
    ts_tensor *x = LEAF(1, 2), *y = applied(&p, x);

    become(&y, sum(y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 2, 4);
    ts_release(y);
    p.same = true;
    y = NULL;
    FAILS(apply(&p, x, &(int){1}, &y), TS_ERR_RUNTIME, "custom_function/C6");
    cr_assert_null(y);
    cr_assert_eq(p.destroyed, 2);
    ts_release(x);
}

Test(grad_function, s14_argument_returned)
{
    probe p = {.same = true};
    ts_tensor *x = LEAF(1, 2), *y = applied(&p, x);

    cr_assert_neq(y, x);
    cr_assert_eq(y->data, x->data);
    FAILS(ts_mul_(y, y), TS_ERR_RUNTIME, "autograd/C18");
    become(&y, sum(y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 2, 2);
    ts_release(y);
    ts_release(x);
}

Test(grad_function, s16_non_differentiable)
{
    probe p = {.twice = true, .none_differentiable = true};
    ts_tensor *x = LEAF(1, 2), *y[2], *z;
    int n = 2;

    OK(apply(&p, x, &n, y));
    cr_assert(ts_requires_grad(y[0]));
    cr_assert(!ts_requires_grad(y[1]));
    z = sum(y[0]);
    OK(backward(z));
    cr_assert(!p.missing[1]);
    ts_release(x);
    ts_release(y[0]);
    ts_release(y[1]);
    ts_release(z);
}

Test(grad_function, s18_marking_counts_as_a_write)
{
    probe p = {.dirty = true};
    ts_tensor *x = LEAF(1, 2), *b = mul(x, x), *z = mul(b, b), *y;
    const int64_t version = ts_version(b);

    y = applied(&p, b);
    cr_assert_eq(y, b);
    cr_assert_eq(ts_version(b), version + 2); /* the multiplication, and the mark */
    become(&z, sum(z));
    FAILS(backward(z), TS_ERR_RUNTIME, "autograd/C3");
    become(&y, sum(y));
    OK(backward(y));
    EXPECT(ts_grad_get(x), 4, 8);
    ts_release(x);
    ts_release(b);
    ts_release(y);
    ts_release(z);
}

static ts_status mark_only(void *self, ts_function_ctx *ctx, int ninputs,
                           ts_tensor *const *in, int *noutputs, ts_tensor **out)
{
    (void)self, (void)ninputs, (void)noutputs;
    out[0] = ts_retain(in[0]);
    return ts_ctx_mark_dirty(ctx, 1, in);
}

Test(grad_function, s18_memory_written_behind_the_ops)
{
    const ts_function f = {
        .size = sizeof f, .name = "Mark", .forward = mark_only, .backward = back};
    ts_tensor *x = LEAF(1, 2), *b = mul(x, x), *z = mul(b, b), *y;
    probe p = {0};
    int n = 1;

    OK(ts_function_apply(&f, &p, 1, &b, &n, &y));
    cr_assert_eq(ts_version(b), 1);
    become(&z, sum(z));
    FAILS(backward(z), TS_ERR_RUNTIME, "autograd/C3");
    ts_release(x);
    ts_release(b);
    ts_release(y);
    ts_release(z);
}

static ts_status add_second(void *self, ts_function_ctx *ctx, int ninputs,
                            ts_tensor *const *in, int *noutputs, ts_tensor **out)
{
    (void)self, (void)ninputs, (void)noutputs;
    TS_TRY(ts_add_(in[1], in[0], NULL));
    out[0] = ts_retain(in[1]);
    return ts_ctx_mark_dirty(ctx, 1, &in[1]);
}

static ts_status add_back(void *self, ts_function_ctx *ctx, int ngrads,
                          ts_tensor *const *grads, int ninputs, ts_tensor **out)
{
    (void)self, (void)ctx, (void)ngrads, (void)ninputs;
    TS_TRY(ts_mul_number(grads[0], ts_int(10), &out[0]));
    return ts_mul_number(grads[0], ts_int(7), &out[1]);
}

Test(grad_function, s20_written_view_that_is_not_the_first_argument)
{
    const ts_function f = {
        .size = sizeof f, .name = "Add", .forward = add_second, .backward = add_back};
    ts_tensor *w = LEAF(1, 2), *x = LEAF(1, 2, 3), *b, *v, *y, *in[2];
    int n = 1;

    OK(ts_clone(x, NULL, &b));
    OK(ts_narrow(b, 0, 1, 2, &v));
    in[0] = w;
    in[1] = v;
    OK(ts_function_apply(&f, NULL, 2, in, &n, &y));
    cr_assert_eq(y, v);
    ts_release(y);
    ts_release(v);
    become(&b, sum(b));
    OK(backward(b));
    EXPECT(ts_grad_get(w), 10, 10);
    EXPECT(ts_grad_get(x), 1, 7, 7);
    ts_release(w);
    ts_release(x);
    ts_release(b);
}

Test(grad_function, s19_leaf_and_c4)
{
    probe p = {.dirty = true};
    ts_tensor *x = LEAF(1, 2), *y = NULL;

    FAILS(apply(&p, x, &(int){1}, &y), TS_ERR_RUNTIME, "autograd/C1");
    cr_assert_null(y);
    cr_assert(ts_is_leaf(x));
    cr_assert_eq(p.destroyed, 1);
    ts_release(x);
}

Test(grad_function, s21_once_differentiable)
{
    ts_function f = with_all;
    probe p = {.save_input = true};
    ts_tensor *x = LEAF(3), *y, *yy, *g;
    int n = 1;

    f.once_differentiable = true;
    OK(ts_function_apply(&f, &p, 1, &x, &n, &y));
    yy = mul(y, y);
    OK(ts_grad(1, &yy, NULL, 1, &x, true, true, false, &g));
    EXPECT(g, 2 * 6 * 2 * 3);
    cr_assert(ts_requires_grad(g));
    FAILS(backward(g), TS_ERR_RUNTIME, "custom_function/C8");
    ts_release(x);
    ts_release(y);
    ts_release(yy);
    ts_release(g);
}

Test(grad_function, unrecorded)
{
    probe p = {.save_input = true, .save_output = true};
    ts_tensor *x = LEAF(1, 2), *c = VECTOR(1, 2), *y = applied(&p, c);

    cr_assert(!p.recorded && !ts_requires_grad(y));
    cr_assert_eq(p.destroyed, 1);
    ts_set_grad_enabled(false);
    become(&y, applied(&p, x));
    ts_set_grad_enabled(true);
    cr_assert(!p.recorded && p.needs[0] && !ts_requires_grad(y));
    cr_assert_eq(p.destroyed, 2);
    cr_assert_eq(ts_live_now().nodes, 0);
    ts_release(x);
    ts_release(c);
    ts_release(y);
}

static ts_status fail(void *self, ts_function_ctx *ctx, int ninputs, ts_tensor *const *in,
                      int *noutputs, ts_tensor **out)
{
    (void)self, (void)noutputs;
    out[0] = VECTOR(1);
    OK(ts_ctx_save_for_backward(ctx, ninputs, in));
    return ts_fail(TS_ERR_VALUE, NULL, "no");
}

Test(grad_function, forward_that_fails_leaves_nothing)
{
    const ts_function f = {
        .size = sizeof f, .name = "Fail", .forward = fail, .destroy = destroy};
    ts_tensor *x = LEAF(1, 2), *y[2] = {x, x};
    probe p = {0};
    int n = 2;

    cr_assert_eq(ts_function_apply(&f, &p, 1, &x, &n, y), TS_ERR_VALUE);
    cr_assert(!y[0] && !y[1]);
    cr_assert_eq(p.destroyed, 1);
    cr_assert(ts_grad_enabled());
    ts_release(x);
}

static ts_status gradient_for_none(void *self, ts_function_ctx *ctx, int ngrads,
                                   ts_tensor *const *grads, int ninputs, ts_tensor **out)
{
    (void)self, (void)ctx, (void)ngrads;
    cr_assert_eq(ninputs, 2);
    out[0] = ts_retain(grads[0]);
    out[1] = ts_retain(grads[0]);
    return TS_OK;
}

Test(grad_function, c1_gradient_for_what_is_no_tensor)
{
    const ts_function f = {.size = sizeof f,
                           .name = "Two",
                           .forward = forward,
                           .backward = gradient_for_none};
    ts_tensor *x = LEAF(1), *in[2] = {x, NULL}, *y;
    probe p = {0};
    int n = 1;

    OK(ts_function_apply(&f, &p, 2, in, &n, &y));
    FAILS(backward(y), TS_ERR_RUNTIME, "custom_function/C1");
    cr_assert_null(ts_grad_get(x));
    ts_release(x);
    ts_release(y);
}

/* A table of an older header: what lies beyond its size is not read. */
Test(grad_function, size_first)
{
    ts_function f = with_all;
    ts_tensor *x = LEAF(1, 2), *y;
    probe p = {0};
    int n = 1;

    f.size = offsetof(ts_function, backward);
    OK(ts_function_apply(&f, &p, 1, &x, &n, &y));
    become(&y, sum(y));
    FAILS(backward(y), TS_ERR_NOT_IMPLEMENTED, "autograd/C26");
    ts_release(y);
    cr_assert_eq(p.destroyed, 0);
    f.size = sizeof f + 64; /* and one of a newer: what we know of it counts */
    n = 1;
    OK(ts_function_apply(&f, &p, 1, &x, &n, &y));
    ts_release(y);
    cr_assert_eq(p.destroyed, 1);
    ts_release(x);
}
