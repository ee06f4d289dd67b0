/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: one test a rule of spec/areas/case_language.md. */
#include "run.h"

Test(script_run, s3_control_flow_and_functions)
{
    HOLDS(7, "total = 0\n"
             "for i in range(1, 10, 3):\n"
             "    if i == 4:\n"
             "        continue_ = 1\n"
             "    elif i > 4 and not False:\n"
             "        total += 100\n"
             "    else:\n"
             "        total += i\n"
             "expect_equal(total, 101)\n"
             "for i in range(2, 0, -1):\n"
             "    total -= i\n"
             "expect_equal(total, 98)\n"
             "def f(a, b=2, *rest):\n"
             "    if a > 10:\n"
             "        return a\n"
             "    return (a + b, rest)\n"
             "expect_equal(f(11), 11)\n"
             "expect_equal(f(1), (3, ()))\n"
             "expect_equal(f(1, 5, 6, 7), (6, (6, 7)))\n"
             "expect_equal(f(b=1, a=0), (1, ()))\n"
             "(p, q), r = [(1, 2), 3]\n"
             "expect_equal([p, q, r], [1, 2, 3])\n");
}

Test(script_run, s4_numbers)
{
    HOLDS(14, "expect_equal(7 // 2, 3)\n"
              "expect_equal(-7 // 2, -4)\n"
              "expect_equal(-7 % 3, 2)\n"
              "expect_equal(7 % -3, -2)\n"
              "expect_equal(7 / 2, 3.5)\n"
              "expect_equal(2 ** -1, 0.5)\n"
              "expect_equal(-2 ** 2, -4)\n"
              "expect_equal(-9223372036854775808 + 0, -9223372036854775808)\n"
              "expect_equal((-7.5 // 2, -7.5 % 2, 7.5 % -2), (-4.0, 0.5, -0.5))\n"
              "expect_equal((1 < 2.5, 2 == 2.0, True + True), (True, True, 2))\n"
              "expect_equal((6 & 3, 6 | 1, 6 ^ 3, ~6, 1 << 4, -9 >> 1), (2, 7, 5, -7, "
              "16, -5))\n"
              "expect_equal((int(-2.7), float(3), bool(0.0), abs(-4), float('inf')),\n"
              "             (-2, 3.0, False, 4, torch.inf))\n"
              "expect_equal((min(3, 1, 2), max([1, 5, 2]), len('ab'), len((1, 2))), (1, "
              "5, 2, 2))\n"
              "expect_equal(0x10 + 1e1, 26.0)\n");
}

Test(script_run, s4_literals_are_strict)
{
    const outcome o = run("expect_equal(1, 1.0)\n"
                          "expect_equal(1, True)\n"
                          "expect_equal(0.0, -0.0)\n"
                          "expect_equal(float('nan'), torch.nan)\n"
                          "expect_equal((1, 2), [1, 2])\n");

    cr_expect_eq(o.failed, 3);
    cr_expect_eq(o.passed, 2);
    cr_expect_str_eq(o.message, "equal1 line 2: expected 1.0, got 1");
}

Test(script_run, s5_operators_on_tensors)
{
    install(NULL, 0);
    HOLDS(8, "x = torch.tensor([1.0, 2.0])\n"
             "expect_equal(2 - x, [1.0, 0.0])\n"
             "expect_equal(2 / x, [2.0, 1.0])\n"
             "expect_equal(1 < x, [False, True])\n"
             "expect_equal(-x, [-1.0, -2.0])\n"
             "y = x\n"
             "y += 1\n"
             "expect_same(x, y)\n"
             "expect_equal(x, [2.0, 3.0])\n"
             "y = y * 2\n"
             "expect_equal(y is x, False)\n"
             "expect_equal(x @ x, 13.0)\n");
}

Test(script_run, s6_subscripts)
{
    install(NULL, 0);
    HOLDS(13, "x = torch.arange(12).view(3, 4)\n"
              "expect_equal(x[1], [4, 5, 6, 7])\n"
              "expect_equal(x[-1, 1::2], [9, 11])\n"
              "expect_equal(x[..., 0], [0, 4, 8])\n"
              "expect_equal(x[:, None].shape, (3, 1, 4))\n"
              "y = x[:]\n"
              "expect_view_of(y, x)\n"
              "expect_same(y._base, x._base)\n"
              "x[0] = 7\n"
              "x[1:, 1] += 100\n"
              "x[2, 2:] = torch.tensor([[1, 2]])\n"
              "expect_equal(x, [[7, 7, 7, 7], [4, 105, 6, 7], [8, 109, 1, 2]])\n"
              "expect_error(IndexError, 'slice/C2', x.select, 0, 3)\n"
              "s = [1, 2, 3, 4]\n"
              "s[0] = 9\n"
              "expect_equal(s[::-1], [4, 3, 2, 9])\n"
              "expect_equal(s[-3:-1], [2, 3])\n"
              "expect_equal((1, 2)[1], 2)\n"
              "i = torch.tensor(1)\n"
              "expect_equal(x[i, 0].item(), 4)\n"
              "expect_equal(x[()].shape, (3, 4))\n");
}

Test(script_run, s7_modes_end_on_every_way_out)
{
    HOLDS(5, "def f():\n"
             "    with torch.no_grad():\n"
             "        return torch.is_grad_enabled()\n"
             "expect_equal(f(), False)\n"
             "expect_equal(torch.is_grad_enabled(), True)\n"
             "def g():\n"
             "    with torch.no_grad(), torch.enable_grad():\n"
             "        return 1 // 0\n"
             "expect_error(ZeroDivisionError, None, g)\n"
             "torch.set_grad_enabled(False)\n"
             "with torch.set_grad_enabled(True):\n"
             "    expect_equal(torch.is_grad_enabled(), True)\n"
             "expect_equal(torch.is_grad_enabled(), False)\n");
}

Test(script_run, s7_functions_of_the_program)
{
    install(NULL, 0);
    HOLDS(7, "class Twice(Function):\n"
             "    @staticmethod\n"
             "    def forward(ctx, x, k):\n"
             "        y = x * k\n"
             "        ctx.save_for_backward(x, y)\n"
             "        ctx.k = k\n"
             "        return y\n"
             "    @staticmethod\n"
             "    def backward(ctx, g):\n"
             "        x, y = ctx.saved_tensors\n"
             "        return g * ctx.k, None\n"
             "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
             "y = Twice.apply(x, 2)\n"
             "expect_equal(y.grad_fn.name(), 'TwiceBackward')\n"
             "expect_equal((y.is_leaf, y.requires_grad), (False, True))\n"
             "y.sum().backward()\n"
             "expect_equal(x.grad, [2.0, 2.0])\n"
             "def triple(g):\n"
             "    return g * 3\n"
             "h = x.register_hook(triple)\n"
             "g, = autograd.grad((x * x).sum(), x, create_graph=True)\n"
             "expect_equal(g, [6.0, 12.0])\n"
             "h.remove()\n"
             "g, = autograd.grad((x * x).sum(), (x,))\n"
             "expect_equal(g, [2.0, 4.0])\n"
             "x.grad = None\n"
             "expect_equal(x.grad, None)\n"
             "x.grad = torch.ones(2)\n"
             "expect_equal(x.grad, [1.0, 1.0])\n");
}

Test(script_run, s12_cycles_are_let_go)
{
    install(NULL, 0);
    /* x.grad has a graph that holds x; run() looks for what is still alive */
    HOLDS(1, "x = torch.tensor([2.0], requires_grad=True)\n"
             "(x * x * x).sum().backward(create_graph=True)\n"
             "x.grad.sum().backward(create_graph=True)\n"
             "s = [1]\n"
             "s.append(s)\n"
             "expect_equal(len(s), 2)\n");
}

Test(script_run, s9_layouts_and_gaps)
{
    static const char program[] = "x = normal(3, (2, 3))\n"
                                  "y = integers(3, (2, 3))\n"
                                  "expect_strides(x, (3, 1))\n"
                                  "expect_equal(x.storage_offset(), 0)\n";
    static const int strides[TSI_VARIANT_COUNT] = {0, 0, 1, 1, 1, 0};
    static const int offsets[TSI_VARIANT_COUNT] = {0, 1, 1, 0, 0, 0};

    for (int v = 0; v < TSI_VARIANT_COUNT; v++) {
        const tsi_run_options options = {.variant = (tsi_variant)v,
                                         .device = {TS_CPU, 0}};
        const outcome o = run_with(program, &options);

        cr_expect_eq(o.status, TS_OK);
        cr_expect_eq(o.faults, 0);
        cr_expect_eq(o.failed, strides[v] + offsets[v], "%s",
                     tsi_variant_name((tsi_variant)v));
    }
}

Test(script_run, s9_a_kernel_that_writes_between_the_elements_is_found)
{
    const tsi_run_options options = {.variant = TSI_STRIDED, .device = {TS_CPU, 0}};
    outcome o;

    install(NULL, 0);
    o = run_with("x = normal(3, (2, 3))\n"
                 "y = torch.as_strided(x, (11,), (1,), 2)\n"
                 "y.fill_(0)\n",
                 &options);
    cr_expect_eq(o.status, TS_OK, "%s", o.message);
    cr_expect_eq(o.faults, 1);
    cr_expect(strstr(o.message, "element 2 of the storage") != NULL, "%s", o.message);
}

/* neg that also clears its input */
static ts_status faulty_neg(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[0].tensor;

    for (int64_t i = 0; i < x->numel; i++) {
        ((float *)call->results[0]->data)[i] = -((float *)x->data)[i];
        ((float *)x->data)[i] = 0;
    }
    return TS_OK;
}

Test(script_run, s12_an_op_that_damages_its_input_is_found)
{
    static const ts_kernel_entry kernels[] = {{"neg", faulty_neg}};
    outcome o;

    install(kernels, 1);
    o = run("x = torch.tensor([1.0, 2.0])\ny = -x\nexpect_equal(y, [-1.0, -2.0])\n");
    cr_expect_eq(o.status, TS_OK, "%s", o.message);
    cr_expect_eq(o.faults, 1);
    cr_expect(strstr(o.message, "neg wrote to its argument 'self'") != NULL, "%s",
              o.message);
}

/* neg that turns two signs of its input, far behind and one lane of a checksum apart */
static ts_status faulty_neg_far(const ts_kernel_call *call)
{
    ts_tensor *x = call->args[0].tensor;

    for (int64_t i = 0; i < x->numel; i++)
        ((float *)call->results[0]->data)[i] = -((float *)x->data)[i];
    ((float *)x->data)[20001] *= -1;
    ((float *)x->data)[20009] *= -1;
    return TS_OK;
}

Test(script_run, s12_damage_is_found_in_large_storages)
{
    static const ts_kernel_entry kernels[] = {{"neg", faulty_neg_far}};
    outcome o;

    install(kernels, 1);
    o = run("x = torch.ones((30000,))\ny = -x\nexpect_equal(y[0].item(), -1.0)\n");
    cr_expect_eq(o.faults, 1);
    cr_expect(strstr(o.message,
                     "neg wrote to its argument 'self': bytes 65536 to 119999") != NULL,
              "%s", o.message);
}

Test(script_run, s12_watching_takes_no_memory)
{
    install(NULL, 0);
    /* 320 MB of arguments of calls that pass, and of calls that fail: a run has 256 MB */
    HOLDS(81, "x = torch.zeros((524288,), dtype=torch.float64)\n"
              "for i in range(80):\n"
              "    y = x.clone()\n"
              "expect_equal(y[0].item(), 0.0)\n"
              "for i in range(80):\n"
              "    expect_error(RuntimeError, None, x.view, 3)\n");
}

Test(script_run, s10_names_of_expectations)
{
    const outcome o = run("for i in range(2):\n"
                          "    for j in range(5, 7):\n"
                          "        expect(normal(1, (2,)), 'y')\n"
                          "    expect_equal(1, 1)\n"
                          "expect(normal(1, (2,)), 'y')\n"
                          "expect_error(TypeError, 'errors/C2', normal, 'a')\n");

    cr_expect_eq(o.status, TS_OK, "%s", o.message);
    cr_expect_str_eq(o.names, "y.0.0 y.0.1 equal1 y.1.0 y.1.1 equal2 y error1 ");
    cr_expect_eq(o.asked, 5);
}

Test(script_run, s10_what_the_interpreter_decides)
{
    install(NULL, 0);
    HOLDS(15, "x = torch.arange(6).view(2, 3)\n"
              "expect_view_of(x[0], x)\n"
              "expect_copy_of(x.clone(), x)\n"
              "expect_same(x.contiguous(), x)\n"
              "expect_strides(x.t(), (1, 3))\n"
              "expect_any(x[0, 1].item(), [3, 1])\n"
              "expect_any(x[0], [[3, 1, 2], [0, 1, 2]])\n"
              "expect_close(torch.tensor([1.0]), [1.01], 0.02, 0.0)\n"
              "expect_equal(x.dtype, torch.int64)\n"
              "expect_equal(x.shape, (2, 3))\n"
              "expect_error(RuntimeError, 'view/C2', x.view, 5)\n"
              "def warn():\n"
              "    return 3\n"
              "expect_equal(expect_warns(None, warn), 3)\n"
              "b = torch.zeros(6)\n"
              "b[2:4].fill_(1)\n"
              "expect_untouched(b[2:4], 'rest')\n"
              "expect_equal(torch.finfo(torch.float16).max, 65504.0)\n"
              "expect_equal(torch.iinfo(torch.int8).min, -128)\n");
}

Test(script_run, s10_expect_untouched_sees_a_touch)
{
    outcome o;

    install(NULL, 0);
    o = run("b = torch.zeros(6)\nb[1:4].fill_(1)\nexpect_untouched(b[2:4], 'rest')\n");
    cr_expect_eq(o.failed, 1);
    cr_expect_str_eq(o.message,
                     "rest line 4: element 1 of the storage changed, though no index "
                     "reaches it");
}

/* view that damages what it refuses */
static ts_status faulty_fill(const ts_kernel_call *call)
{
    ((float *)call->args[0].tensor->data)[0] = 9;
    return ts_fail(TS_ERR_RUNTIME, NULL, "no");
}

Test(script_run, s10_expect_error_wants_arguments_unchanged)
{
    static const ts_kernel_entry kernels[] = {{"fill", faulty_fill}};
    outcome o;

    install(kernels, 1);
    o = run(
        "x = torch.tensor([1.0, 2.0])\nexpect_error(RuntimeError, None, x.fill_, 1.0)\n");
    cr_expect_eq(o.failed, 1);
    cr_expect(strstr(o.message, "wrote to an argument") != NULL, "%s", o.message);
}

Test(script_run, s10_expect_error_compares_class_and_label)
{
    const outcome o =
        run("expect_error(TypeError, None, normal, 1, (2,), torch.int64)\n"
            "expect_error(IndexError, None, normal, 1, (2,), torch.int64)\n"
            "expect_error(TypeError, 'a/C1', normal, 1, (2,), torch.int64)\n"
            "expect_error(TypeError, None, normal, 1, (2,))\n");

    cr_expect_eq(o.passed, 1);
    cr_expect_eq(o.failed, 3);
}

Test(script_run, s11_a_recorded_value)
{
    const outcome o = run("expect_equal((1, float('nan'), torch.int8), 'v')\n"
                          "expect_equal(2.5, 'w')\n"
                          "#= v = [1,\"nan\",\"torch.int8\"]\n#= w = 2\n");

    cr_expect_eq(o.passed, 1);
    cr_expect_str_eq(o.message, "w line 3: expected 2, got 2.5");
}

Test(script_run, c5_values_that_cannot_do_it)
{
    ENDS(TS_ERR_TYPE, 3, "unsupported operand types for +: 'int' and 'str'",
         "x = 1\ny = x + 'a'\n");
    ENDS(TS_ERR_TYPE, 3, "'int' cannot be called", "x = 1\nx()\n");
    ENDS(TS_ERR_ATTRIBUTE, 2, "'int' has no attribute 'shape'", "x = (1).shape\n");
    ENDS(TS_ERR_VALUE, 2, "expected 2 values to unpack, got 3", "a, b = 1, 2, 3\n");
    ENDS(TS_ERR_TYPE, 2, "cannot unpack 'int'", "a, b = 1\n");
    ENDS(TS_ERR_INDEX, 2, "tuple index 3 out of range", "a = (1, 2)[3]\n");
    ENDS(TS_ERR_TYPE, 4, "f() takes 1 arguments, got 2",
         "def f(a):\n    pass\nf(1, 2)\n");
    ENDS(TS_ERR_TYPE, 2, "is no context manager", "with len('a'):\n    pass\n");
    ENDS(TS_ERR_TYPE, 2, "range() takes", "for i in range('a'):\n    pass\n");
}

Test(script_run, c6_arguments_of_generators_and_expectations)
{
    ENDS(TS_ERR_TYPE, 2, "floating dtypes only", "normal(1, (2,), torch.int8)\n");
    ENDS(TS_ERR_VALUE, 2, "no mix 'tie' for int8",
         "integers(1, (2,), torch.int8, mix='tie')\n");
    ENDS(TS_ERR_VALUE, 2, "does not fit in int8",
         "integers(1, (2,), torch.int8, 0, 200)\n");
    ENDS(TS_ERR_VALUE, 2, "no interval", "uniform(1, (2,), low=2.0, high=1.0)\n");
    ENDS(TS_ERR_VALUE, 2, "do not fit in float8_e5m2",
         "distinct(1, (200,), torch.float8_e5m2)\n");
    ENDS(TS_ERR_TYPE, 2, "no argument 'low'", "bools(1, (2,), low=1)\n");
    ENDS(TS_ERR_VALUE, 2, "negative size", "normal(1, (-2,))\n");
    ENDS(TS_ERR_VALUE, 3, "stands twice",
         "expect(normal(1, (2,)), 'y')\nexpect(normal(1, (2,)), 'y')\n");
    ENDS(TS_ERR_VALUE, 2, "nothing is recorded under 'y'", "expect_equal(1, 'y')\n");
    ENDS(TS_ERR_VALUE, 2, "no stored tensors", "x = data('k')\n");
}

Test(script_run, c7_integers_do_not_wrap)
{
    ENDS(TS_ERR_OVERFLOW, 2, "does not fit in 64 bits", "x = 9223372036854775807 + 1\n");
    ENDS(TS_ERR_OVERFLOW, 2, "does not fit", "x = -9223372036854775808 // -1\n");
    ENDS(TS_ERR_OVERFLOW, 2, "does not fit", "x = 3037000500 * 3037000500\n");
    ENDS(TS_ERR_OVERFLOW, 2, "does not fit", "x = 2 ** 63\n");
    ENDS(TS_ERR_OVERFLOW, 2, "does not fit", "x = 1 << 63\n");
    ENDS(TS_ERR_OVERFLOW, 2, "does not fit", "x = -(-9223372036854775808 + 0)\n");
    ENDS(TS_ERR_ZERO_DIVISION, 2, "division by zero", "x = 1 % 0\n");
    ENDS(TS_ERR_ZERO_DIVISION, 2, "division by zero", "x = 1.5 // 0\n");
    ENDS(TS_ERR_OVERFLOW, 2, "int() of inf", "x = int(float('inf'))\n");
}

/* case_language/C8 */
Test(script_run, c8_runs_are_bounded)
{
    ENDS(TS_ERR_RUNTIME, 2, "1000000 steps", "for i in range(1 << 40):\n    pass_ = 1\n");
    ENDS(TS_ERR_RUNTIME, 2, "1000000 steps", "for i in range(1 << 40):\n    pass\n");
    ENDS(TS_ERR_RUNTIME, 3, "f() calls itself", "def f():\n    return f()\nf()\n");
    ENDS(TS_ERR_OUT_OF_MEMORY, 4, "256 MB", "x = [1]\nfor i in range(40):\n    x += x\n");
    ENDS(TS_ERR_VALUE, 2, "more than 268435456 bytes", "normal(1, (1 << 30,))\n");
    ENDS(TS_ERR_VALUE, 2, "more than 268435456 bytes", "normal(1, (1 << 62, 1 << 62))\n");
}

/* case_language/C9 */
Test(script_run, c9_names_without_a_value)
{
    ENDS(TS_ERR_RUNTIME, 2, "'y' has no value yet", "x = y\ny = 1\n");
    ENDS(TS_ERR_RUNTIME, 4, "'x' has no value yet", "x = 1\ndel x\ny = x\n");
}

Test(script_run, c10_dims)
{
    ENDS(TS_ERR_INDEX, 2, "dim 2 out of range", "normal(1, (2, 3)).size(2)\n");
}

Test(script_run, unsupported_is_said_by_name)
{
    ENDS(TS_ERR_UNSUPPORTED, 3, "library.custom_op is not part of this build",
         "x = normal(1, (2,))\nlibrary.custom_op(x)\n");
    ENDS(TS_ERR_UNSUPPORTED, 2, "optim.SGD", "with optim.SGD(1) as s:\n    pass\n");
    ENDS(TS_ERR_UNSUPPORTED, 2, "Tensor.no_such_method",
         "normal(1, (2,)).no_such_method()\n");
}

Test(script_run, s12_meta_needs_no_memory)
{
    const tsi_run_options options = {.device = {TS_META, 0}};
    const outcome o = run_with("x = normal(1, (4, 5))\n"
                               "y = x.t()[1:] + 1\n"
                               "expect_strides(y, (1, 4))\n"
                               "expect_equal(y.shape, (4, 4))\n"
                               "expect(y, 'y')\n",
                               &options);

    cr_expect_eq(o.status, TS_OK, "%s", o.message);
    cr_expect_eq(o.failed, 0, "%s", o.message);
}
