# SPDX-License-Identifier: Apache-2.0
"""The language itself: what two interpreters must agree on (spec/areas/case_language.md)."""


def cases(g):
    yield from numbers(g)
    yield from statements(g)
    yield from operators(g)
    yield from subscripts(g)
    yield from functions(g)
    yield from generators(g)
    yield from expectations(g)
    yield from refusals(g)


def numbers(g):
    yield g.case("int64/numbers", "case_language/S4", """
        expect_equal((7 // 2, -7 // 2, 7 // -2, -7 % 3, 7 % -3), (3, -4, -4, 2, -2))
        expect_equal((7 / 2, 2 ** 10, 2 ** -1, -2 ** 2, 0 ** 0), (3.5, 1024, 0.5, -4, 1))
        expect_equal(-9223372036854775808 + 1, -9223372036854775807)
        expect_equal((6 & 3, 6 | 1, 6 ^ 3, ~6, 1 << 40, -9 >> 1, 5 >> 70),
                     (2, 7, 5, -7, 1099511627776, -5, 0))
        expect_equal((True + True, True & False, True | 2, not 3), (2, False, 3, False))
        expect_equal((1 < 2.5, 2 == 2.0, 9007199254740993 == 9007199254740992.0, 1 != 1),
                     (True, True, False, False))""", variants=False)
    yield g.case("float64/numbers", "case_language/S4", """
        expect_equal((7.5 // 2, -7.5 // 2, -7.5 % 2, 7.5 % -2, 0.0 % -3), (3.0, -4.0, 0.5, -0.5, -0.0))
        expect_equal((0.1 + 0.2, 1e308 * 10, 1 - 1e-17, 2.5 ** 3), (0.30000000000000004, torch.inf, 1.0, 15.625))
        expect_equal((int(-2.7), int(True), float(3), float("-inf"), bool(0.0)),
                     (-2, 1, 3.0, -torch.inf, False))
        expect_equal((abs(-4), abs(-0.0), min(3, 1, 2), max([1, 5, 2]), min(2, 1.5)),
                     (4, 0.0, 1, 5, 1.5))
        expect_equal(float("nan"), torch.nan)""", variants=False)
    yield g.case("int64/recorded", "case_language/S10 case_language/S11", """
        expect_equal((1, 2.5, [True, None]), "list")
        expect_equal(torch.float16, "dtype")
        expect_equal((torch.nan, torch.inf, -torch.inf, -0.0), "floats")""", variants=False)


def statements(g):
    yield g.case("int64/control", "case_language/S3 case_language/S10", """
        total = 0
        for i in range(1, 10, 3):
            if i == 4:
                total += 1000
            elif i > 4 and not False:
                total += 100
            else:
                total += i
        expect_equal((total, i), (1101, 7))
        for i in range(3, 0, -2):
            for j in range(i):
                expect_equal(i * 10 + j, "step")
        for i in range(0):
            total = None
        expect_equal(total, 1101)""", variants=False)
    yield g.case("int64/unpacking", "case_language/S3", """
        (a, b), c = [(1, 2), 3]
        x, = (4,)
        s = [1, 2]
        t = s
        s += [3]
        s[0] = a + 8
        expect_equal((a, b, c, x, t), (1, 2, 3, 4, [9, 2, 3]))
        expect_equal(((1, 2) + (3,), [1] + [2], len("abc"), len(())), ((1, 2, 3), [1, 2], 3, 0))
        p, q = torch.arange(4).view(2, 2)
        expect_equal(q, [2, 3])
        del p""", variants=False)
    yield g.case("int64/functions", "case_language/S7 case_language/S3", """
        k = 10
        def f(a, b=2, *rest):
            if a > 10:
                return a
            return (a + b + k, rest)
        k = 20
        args = [1, 5]
        def nothing():
            pass
        expect_equal((f(11), f(1), f(*args, 6, 7), f(b=1, a=0)),
                     (11, (23, ()), (26, (6, 7)), (21, ())))
        expect_equal(nothing(), None)""", variants=False)


def operators(g):
    for dt in ("float32", "float64", "float16", "bfloat16"):
        yield g.case(f"{dt}/operators", "case_language/S5", f"""
            x = normal(1, (3, 4), torch.{dt})
            y = uniform(2, (3, 4), torch.{dt}, low=0.5, high=2.0)
            expect(x + y, "add")
            expect(x - 1.5, "sub")
            expect(2 - x, "rsub")
            expect(x * y * 3, "mul")
            expect(x / y, "div")
            expect(2 / y, "rdiv")
            expect_equal(-x, "neg")
            expect_equal(x < y, "lt")
            expect_equal(0 < x, "gt")
            expect_equal(x == x, "eq")
            expect(x @ y.t(), "matmul")""")
        yield g.case(f"{dt}/in_place", "case_language/S5", f"""
            x = normal(1, (3, 4), torch.{dt})
            y = x
            x += 1
            x *= 2
            x -= uniform(2, (4,), torch.{dt})
            expect_same(x, y)
            expect(x, "x")
            y = y * 2
            expect_equal(y is x, False)
            expect_equal(x._version, 3)""")
    yield g.case("int64/operators", "case_language/S5", """
        x = integers(1, (3, 4), low=-9)
        expect_equal(x + 1, "add")
        expect_equal(2 - x, "rsub")
        expect_equal(x * x, "mul")
        expect_equal(x >= 0, "ge")
        expect_equal((x != x).dtype, torch.bool)""")


def subscripts(g):
    yield g.case("int64/subscripts", "case_language/S6", """
        x = integers(1, (3, 4), low=-99, high=99)
        for i in range(3):
            expect_equal(x[i, -1], "element")
        expect_equal(x[1], "row")
        expect_equal(x[:, 1::2], "columns")
        expect_equal(x[..., 0], "first")
        expect_equal(x[None, 1:, None, :2].shape, (1, 2, 1, 2))
        expect_equal(x[torch.tensor(1), 0], "index")
        v = x[:]
        expect_view_of(v, x)
        expect_equal((v is x, v._base is x, x[...] is x), (False, True, False))""")
    yield g.case("float32/assignment", "case_language/S6", """
        x = torch.zeros(3, 4)
        x[0] = 7
        x[1:, 1] = normal(1, (2,))
        x[2, 2:] = torch.tensor([[1, 2]])
        x[1:, 3] += 100
        x[0, 0] -= 0.5
        expect(x, "x")
        expect_equal(x._version, 7)
        t = (1, 2, 3, 4)
        expect_equal((t[-1], t[1:3], t[::-2], t[5:]), (4, (2, 3), (4, 2), ()))""")


def functions(g):
    for dt in ("float32", "float64"):
        yield g.case(f"{dt}/function", "case_language/S7", f"""
            class Scale(Function):
                @staticmethod
                def forward(ctx, x, k, y):
                    ctx.save_for_backward(x, y)
                    ctx.k = k
                    return x * y * k
                @staticmethod
                def backward(ctx, g):
                    x, y = ctx.saved_tensors
                    expect_equal(ctx.needs_input_grad, (True, False, True))
                    return g * y * ctx.k, None, g * x * ctx.k
            x = normal(1, (4,), torch.{dt}).requires_grad_()
            y = normal(2, (4,), torch.{dt}).requires_grad_()
            z = Scale.apply(x, 3, y)
            expect_equal(z.grad_fn.name(), "ScaleBackward")
            z.backward(normal(3, (4,), torch.{dt}))
            expect(z, "z")
            expect(x.grad, "dx")
            expect(y.grad, "dy")""")
    yield g.case("float32/modes", "case_language/S7", """
        x = normal(1, (3,)).requires_grad_()
        def inside():
            with torch.no_grad():
                return x * 2
        def fails():
            with torch.no_grad(), torch.enable_grad():
                return x.view(7)
        expect_equal(inside().requires_grad, False)
        expect_error(RuntimeError, "view/C2", fails)
        expect_equal(torch.is_grad_enabled(), True)
        torch.set_grad_enabled(False)
        expect_equal((x * 2).requires_grad, False)
        with torch.set_grad_enabled(True):
            expect_equal((x * 2).requires_grad, True)
        expect_equal(torch.is_grad_enabled(), False)""")
    yield g.case("float32/fresh_start", "case_language/S12", """
        expect_equal(torch.is_grad_enabled(), True)
        torch.set_grad_enabled(False)
        x = normal(1, (2,))
        expect_equal((x._version, x.requires_grad, x.grad, x.is_leaf), (0, False, None, True))""")


def generators(g):
    for dt in g.FLOAT + g.FLOAT8:
        yield g.case(f"{dt}/generators", "case_language/S8", f"""
            expect_equal(normal(7, (4, 5), torch.{dt}), "normal")
            expect_equal(uniform(7, (17,), torch.{dt}, low=-3, high=5.5), "uniform")
            expect_equal(integers(7, (9,), torch.{dt}, low=-4, high=9), "integers")
            expect_equal(distinct(7, (3, 4), torch.{dt}), "distinct")
            expect_equal(normal(8, (40,), torch.{dt}, mix="special"), "special")
            expect_equal(normal(8, (8,), torch.{dt}, mix="tie"), "tie")
            expect_equal(normal(8, (8,), torch.{dt}, mix="subnormal"), "subnormal")""",
                     trivial="the input itself is what is judged", variants=False)
    for dt in g.INT:
        yield g.case(f"{dt}/generators", "case_language/S8", f"""
            expect_equal(integers(7, (9,), torch.{dt}, low=2, high=100), "integers")
            expect_equal(integers(7, (16,), torch.{dt}, mix="special"), "special")
            expect_equal(distinct(7, (3, 4), torch.{dt}), "distinct")""",
                     trivial="the input itself is what is judged", variants=False)
    yield g.case("bool/generators", "case_language/S8", """
        expect_equal(bools(3, (20,)), "bools")
        expect_equal(integers(3, (20,), torch.bool, 0, 3), "integers")
        expect_equal(permutation(3, 20), "permutation")
        expect_equal(permutation(-1, 3), "negative")""",
                 trivial="the input itself is what is judged", variants=False)
    for shape in ("()", "(0,)", "(3,)", "(2, 3)", "(1, 4, 1)", "(2, 3, 2, 2)"):
        name = shape.strip("()").replace(", ", "x").replace(",", "") or "scalar"
        yield g.case(f"float32/layout_{name}", "case_language/S9", f"""
            x = normal(4, {shape})
            y = distinct(4, {shape})
            expect_equal(x, "x")
            expect_equal(y, "y")
            expect_equal((x.storage_offset(), x.is_contiguous()), "place")""",
                     trivial="the input itself is what is judged")


def expectations(g):
    yield g.case("float32/storage", "case_language/S10", """
        x = normal(1, (3, 4))
        expect_view_of(x.t(), x)
        expect_copy_of(x.clone(), x)
        expect_same(x.to(torch.float32), x)
        b = torch.zeros(4, 4)
        b[1, 1:3].fill_(5)
        expect_untouched(b[1, 1:3], "rest")
        expect_any(x.shape, [(4, 3), (3, 4)])
        expect_strides(torch.zeros(1, 5, 1).transpose(0, 1), (1, 5, 1))""")
    yield g.case("float32/errors_and_warnings", "case_language/S10", """
        x = normal(1, (3, 4))
        for i in range(2):
            expect_error(IndexError, "slice/C2", x.select, 0, 3 + i)
        def quiet(a):
            return a + 1
        expect_equal(expect_warns(None, quiet, 1), 2)""")


def refusals(g):
    yield g.case("int64/type_errors", "case_language/C5", """
        def plus():
            return 1 + "a"
        one = 1
        def call():
            return one()
        def unpack():
            a, b = 1, 2, 3
        def index():
            return (1, 2)[3]
        def twice(a):
            return a
        expect_error(TypeError, "case_language/C5", plus)
        expect_error(TypeError, "case_language/C5", call)
        expect_error(ValueError, "case_language/C5", unpack)
        expect_error(IndexError, "case_language/C5", index)
        expect_error(TypeError, "case_language/C5", twice, 1, 2)
        expect_error(TypeError, "case_language/C5", twice, b=1)
        expect_error(TypeError, "case_language/C5", len, 3)""", variants=False)
    yield g.case("int64/overflow", "case_language/C7 case_language/S4", """
        big = 9223372036854775807
        def add():
            return big + 1
        def multiply():
            return 3037000500 * 3037000500
        def power():
            return 2 ** 63
        def divide():
            return 1 // 0
        def remainder():
            return 1.5 % 0
        expect_error(OverflowError, "case_language/C7", add)
        expect_error(OverflowError, "case_language/C7", multiply)
        expect_error(OverflowError, "case_language/C7", power)
        expect_error(ZeroDivisionError, "case_language/C7", divide)
        expect_error(ZeroDivisionError, "case_language/C7", remainder)
        expect_error(OverflowError, "case_language/C7", int, torch.inf)""", variants=False)
    yield g.case("float32/generator_arguments", "case_language/C6", """
        expect_error(TypeError, "case_language/C6", normal, 1, (2,), torch.int8)
        expect_error(ValueError, "case_language/C6", integers, 1, (2,), torch.int8, 0, 200)
        expect_error(ValueError, "case_language/C6", integers, 1, (2,), torch.int64, 3, 3)
        expect_error(ValueError, "case_language/C6", uniform, 1, (2,), low=2.0, high=1.0)
        expect_error(ValueError, "case_language/C6", integers, 1, (2,), torch.int8, mix="tie")
        expect_error(ValueError, "case_language/C6", distinct, 1, (200,), torch.float8_e5m2)
        expect_error(ValueError, "case_language/C8", normal, 1, (1073741824,))""",
                 variants=False)
    yield g.case("float32/dims", "case_language/C10", """
        x = normal(1, (2, 3))
        expect_error(IndexError, "case_language/C10", x.size, 2)
        expect_error(IndexError, "case_language/C10", x.stride, -3)""")
