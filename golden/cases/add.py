# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/add.md beyond the family's."""

from calls import NUMBER, Arg, Call, binary, op_table
from inputs import made

CALLS = [
    *binary(op_table()["add"], "torch.add"), *binary(op_table()["sub"], "torch.sub"),
    Call("add", "torch.add({x}, {y}, alpha={alpha})", {"x": Arg("… N"), "y": Arg("… N")}, "alpha",
         dtypes=NUMBER, choices={"alpha": ("2", "3")}, exact=True),
    Call("sub", "torch.sub({x}, {y}, alpha={alpha})", {"x": Arg("… N"), "y": Arg("… N")}, "alpha",
         choices={"alpha": ("2", "3")}, exact=True),
    *[Call(op, f"torch.{op}({{x}}, {{y}}, alpha={{alpha}})", {"x": Arg("… N"), "y": Arg("… N")}, "fraction",
           dtypes=("float64", "float32"), choices={"alpha": ("1.3", "-0.7")}) for op in ("add", "sub")],
    *[Call(op, f"torch.{op}({{x}}, {{y}}, alpha=1000000007)", {"x": Arg("… N"), "y": Arg("… N")}, "large",
           dtypes=("int64", "int32"), exact=True) for op in ("add", "sub")],
    Call("add", "{x} + 3", {"x": Arg("… N")}, "number", exact=True),
    Call("rsub", "3 - {x}", {"x": Arg("… N")}, "number", exact=True),
    Call("rsub", "torch.rsub({x}, {y})", {"x": Arg("… N"), "y": Arg("… N")}, exact=True),
]


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield g.case(f"{dt}/out_is_self", "add/S7", f"""
            x = {made(dt, 10 * n + 3)}
            torch.add(x, x, out=x)
            expect(x, "x")""")
    for dt in g.FLOAT:
        yield from floating(g, dt)
    for dt in g.INT:
        yield g.case(f"{dt}/wraps_at_extremes", "add/S1 add/S2 add/S4", f"""
            x = {made(dt, 51, "(4, 5)", "extreme")}
            y = {made(dt, 52, "(4, 5)", "extreme")}
            expect(x + y, "add")
            expect(x - y, "sub")
            expect(torch.rsub(x, y), "rsub")""")
        yield g.case(f"{dt}/alpha_wraps", "add/S1 add/S4 add/C4", f"""
            x = {made(dt, 53)}
            y = {made(dt, 54)}
            expect(torch.add(x, y, alpha=-1), "minus")
            expect(torch.add(x, y, alpha=100), "hundred")
            expect(torch.sub(x, y, alpha=100), "less")""")
    yield from promotion(g)
    yield from layouts(g)
    yield from refusals(g)


def floating(g, dt):
    yield g.case(f"{dt}/tie", "add/S6", f"""
            x = {made(dt, 61, "(5, 7)", "tie")}
            y = {made(dt, 62, "(5, 7)", "tie")}
            expect(x + y, "add")
            expect(x - y, "sub")
            expect(y - x, "back")""")
    yield g.case(f"{dt}/alpha", "add/S1 add/S2 add/S6", f"""
            x = {made(dt, 63)}
            y = {made(dt, 64)}
            expect(torch.sub(x, y, alpha=0.5), "sub")
            expect(torch.rsub(x, y, alpha=4), "rsub")
            expect(torch.add(x, 3, alpha=-2), "number")
            expect(x.add(y, alpha=-1), "method")""")
    yield g.case(f"{dt}/alpha_inexact", "add/S6", f"""
            x = uniform(65, (3, 4), torch.{dt}, low=1.0, high=2.0)
            y = uniform(66, (3, 4), torch.{dt}, low=1.0, high=2.0)
            expect(torch.add(x, y, alpha=0.375), "add")""")
    yield g.case(f"{dt}/gradient_alphas", "add/G1 add/G2", f"""
            x = {made(dt, 79)}.requires_grad_()
            y = {made(dt, 80)}.requires_grad_()
            z = torch.add(x * y, y * y, alpha=4) - torch.rsub(x * x, y, alpha=0.5)
            (gx, gy) = autograd.grad(z.sum(), (x, y), create_graph=True)
            (gx * gx + gy).sum().backward()
            expect(x.grad, "x")
            expect(y.grad, "y")""")


def promotion(g):
    for a, b in (("float32", "float64"), ("float64", "float32"), ("float16", "float32"),
                 ("bfloat16", "float16"), ("float32", "int64"), ("float16", "bfloat16")):
        yield g.case(f"{a}/gradient_with_{b}", "add/G3", f"""
            x = {made(a, 94)}.requires_grad_()
            y = integers(95, (3, 4), torch.{b}, low=0, high=9)
            z = torch.add(x, y, alpha=2)
            z.backward(torch.ones_like(z))
            expect(x.grad, "x")""")
    yield g.case("float32/out_of_wider_dtype", "add/S3 promotion/S5", """
            x = uniform(96, (3, 4), torch.float32)
            y = uniform(97, (3, 4), torch.float32, low=100.0, high=1000.0)
            out = torch.zeros(3, 4, dtype=torch.float64)
            torch.add(x, y, out=out)
            expect(out, "out")""")
    yield g.case("float32/out_of_narrower_dtype", "add/S3 promotion/S5", """
            x = integers(98, (3, 4), torch.float32, low=0, high=5000)
            out = torch.zeros(3, 4, dtype=torch.float16)
            torch.add(x, 1, out=out)
            expect(out, "out")""")
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/out_of_wider_dtype", "add/S6 promotion/S5", f"""
            x = uniform(96, (3, 4), torch.{dt})
            y = uniform(97, (3, 4), torch.{dt}, low=100.0, high=1000.0)
            out = torch.zeros(3, 4, dtype=torch.float32)
            torch.add(x, y, out=out)
            expect(out, "out")""")
    for dt in ("int32", "int16", "int8", "uint8"):
        yield g.case(f"{dt}/wraps_before_a_wider_out", "add/S4 promotion/S5", f"""
            x = {made(dt, 98, "(4, 5)", "extreme")}
            out = torch.zeros(4, 5, dtype=torch.int64)
            torch.add(x, x, out=out)
            expect(out, "out")
            torch.sub(x, 100, out=out)
            expect(out, "sub")""")
    yield g.case("int8/in_place_of_wider", "add/S3 promotion/S5", """
            x = integers(99, (3, 4), torch.int8, low=0, high=100)
            x += integers(100, (3, 4), torch.int64, low=100, high=1000)
            expect(x, "x")""")
    yield g.case("uint8/number_out_of_range", "add/S4", """
            x = integers(101, (3, 4), torch.uint8, low=0, high=200)
            expect(x + 300, "over")
            expect(x + -1, "under")""")
    yield g.case("int32/number_beyond_int32", "add/S4", """
            x = integers(102, (3, 4), torch.int32)
            expect(x + 1099511627779, "y")""")


def layouts(g):
    yield g.case("float32/channels_last_kept", "add/S7", """
            x = normal(111, (2, 3, 4, 5), torch.float32).permute(0, 3, 1, 2)
            y = normal(112, (2, 5, 3, 4), torch.float32)
            expect(x + 1, "number")
            expect(x + x, "same")
            expect(x + y, "first_decides")
            expect(y + x, "other_first")
            expect(x + y[0, 0, 0], "row")""", variants=False)
    yield g.case("float32/transposed_both", "add/S7", """
            x = normal(113, (4, 3), torch.float32).t()
            y = normal(114, (4, 3), torch.float32).t()
            z = x + y
            expect(z, "z")
            expect_strides(z, (1, 3))""", variants=False)
    yield g.case("float32/expanded_operand", "add/S1", """
            x = normal(115, (3, 1), torch.float32).expand(3, 4)
            expect(x + normal(116, (3, 4), torch.float32), "z")""")
    yield g.case("float32/odd_steps", "add/S1", """
            x = normal(117, (4, 9), torch.float32)
            expect(x[::2, 1::3] + x[1::2, ::3], "z")""")
    yield g.case("float32/long", "add/S1", """
            x = normal(118, (1031,), torch.float32)
            y = normal(119, (1031,), torch.float32)
            expect(x + y, "z")""", variants=False)
    yield g.case("float32/six_dims", "add/S1", """
            x = normal(120, (2, 1, 2, 1, 2, 3), torch.float32)
            y = normal(121, (2, 2, 1, 2, 1, 3), torch.float32)
            expect(x + y, "z")""")


def refusals(g):
    yield g.case("float32/expanded_destination", "add/S7 tensors/C2", """
            x = normal(121, (1,), torch.float32).expand(3)
            y = normal(122, (3, 1), torch.float32).expand(3, 4)
            expect_error(RuntimeError, "tensors/C2", x.add_, 1)
            expect_error(RuntimeError, "tensors/C2", y.sub_, y.clone())
            expect_error(RuntimeError, "tensors/C2", torch.add, y.clone(), 1, out=y)""",
                 variants=False)
    yield g.case("float32/partial_overlap", "add/S7 tensors/C3", """
            x = normal(123, (6,), torch.float32)
            y = normal(124, (3, 3), torch.float32)
            expect_error(RuntimeError, "tensors/C3", x[1:].add_, x[:-1])
            expect_error(RuntimeError, "tensors/C3", torch.add, x[1:], 1, out=x[:-1])
            expect_error(RuntimeError, "tensors/C3", y.sub_, y.t())
            x[:3].add_(x[3:])
            expect(x, "apart")""", variants=False)
    yield g.case("int64/float_alpha", "add/C2", """
            x = integers(133, (2, 3))
            expect_error(RuntimeError, "add/C2", torch.add, x, x, alpha=1.5)
            expect_error(RuntimeError, "add/C2", torch.sub, x, x, alpha=0.5)
            expect_error(RuntimeError, "add/C2", torch.add, x, 2, alpha=3.5)
            expect_error(RuntimeError, "add/C2", torch.rsub, x, x, alpha=1.5)""")
    yield g.case("bool/alpha", "add/S5 add/C2", """
            x = bools(137, (3, 4))
            y = bools(138, (3, 4))
            expect(torch.add(x, y, alpha=False), "false")
            expect(torch.add(x, y, alpha=True), "true")
            expect(torch.add(x, y, alpha=2), "two")
            expect(torch.add(x, y, alpha=-1), "minus")
            expect_error(RuntimeError, "add/C2", torch.add, x, y, alpha=1.5)""")
    yield g.case("float32/bool_alpha", "add/C3", """
            x = normal(136, (2, 3), torch.float32)
            expect_error(RuntimeError, "add/C3", torch.add, x, x, alpha=True)
            expect_error(RuntimeError, "add/C3", torch.sub, x, x, alpha=True)
            expect_error(RuntimeError, "add/C3", torch.add, x.to(torch.int64), 1, alpha=False)""")
    for dt, good, bad in (("int8", 127, 128), ("uint8", -255, -256), ("int16", -32768, 32768),
                          ("float16", 1024.0, 1000000.0), ("float32", 2.0 ** 100, 1e300)):
        yield g.case(f"{dt}/alpha_too_large", "add/C4 add/S4", f"""
            x = integers(137, (2, 3), torch.{dt}, low=0, high=3)
            expect(torch.add(x, x[:1], alpha={good}), "fits")
            expect_error(RuntimeError, "add/C4", torch.add, x, x, alpha={bad})""")
    yield g.case("int8/sub_alpha_is_negated", "add/C4", """
            x = integers(138, (2, 3), torch.int8)
            expect(torch.sub(x, x, alpha=128), "fits")
            expect_error(RuntimeError, "add/C4", torch.sub, x, x, alpha=-128)""")
    yield g.case("bool/sub", "add/C5", """
            x = bools(139, (2, 3))
            n = integers(140, (2, 3))
            expect_error(NotImplementedError, "add/C5", torch.sub, x, x)
            expect_error(NotImplementedError, "add/C5", torch.sub, n, x)
            expect_error(NotImplementedError, "add/C5", torch.sub, x, 1)
            expect_error(NotImplementedError, "add/C5", torch.sub, n, True)
            expect_error(NotImplementedError, "add/C5", torch.rsub, x, 1)
            expect_error(NotImplementedError, "add/C5", torch.rsub, n, x)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/promotion", "add/S3 promotion/C2", f"""
            x = normal(141, (2, 3), torch.{dt})
            expect_error(RuntimeError, "promotion/C2", torch.add, x, torch.ones(2, 3))""")
    yield g.case("int64/in_place_float", "add/S3 promotion/C1", """
            x = integers(142, (2, 3))
            expect_error(RuntimeError, "promotion/C1", x.add_, 1.5)
            expect_error(RuntimeError, "promotion/C1", x.sub_, normal(143, (2, 3)))
            b = bools(144, (2, 3))
            expect_error(RuntimeError, "promotion/C1", b.add_, 1)""")
    yield g.case("float32/in_place_shape", "add/S7 tensors/C1", """
            x = normal(145, (3,), torch.float32)
            expect_error(RuntimeError, "tensors/C1", x.add_, normal(146, (2, 3), torch.float32))""")
