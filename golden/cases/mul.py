# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/mul.md beyond the family's."""

from calls import NUMBER, Arg, Call, binary, op_table
from inputs import made

CALLS = [
    *binary(op_table()["mul"], "torch.mul"),
    Call("mul", "{x} * 3", {"x": Arg("… N")}, "number", dtypes=NUMBER, exact=True),
]


def cases(g):
    for dt in g.FLOAT:
        yield from floating(g, dt)
    for dt in g.INT:
        yield g.case(f"{dt}/wraps_at_extremes", "mul/S1 mul/S3", f"""
            x = {made(dt, 51, "(4, 5)", "extreme")}
            y = {made(dt, 52, "(4, 5)", "extreme")}
            expect(x * y, "y")""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/product", "mul/S6", f"""
            x = {made(dt, 53)}
            y = {made(dt, 54)}
            expect(x * y, "y")
            x *= y
            expect(x, "x")""")
        yield g.case(f"{dt}/special", "mul/S6", f"""
            x = {made(dt, 55, "(5, 7)", "special")}
            y = {made(dt, 56, "(5, 7)", "extreme")}
            expect(x * y, "y")""")
        yield g.case(f"{dt}/one_element", "mul/C2 promotion/C2", f"""
            x = {made(dt, 57)}
            expect_error(NotImplementedError, "mul/C2", torch.mul, x, 2)
            expect_error(NotImplementedError, "mul/C2", torch.mul, x, x[0, 0])
            expect_error(NotImplementedError, "mul/C2", torch.mul, x, x[:1, :1])
            expect_error(RuntimeError, "promotion/C2", torch.mul, x, torch.ones(3, 4))""")
    yield from promotion(g)
    yield g.case("int64/in_place_float", "mul/S7 promotion/C1", """
            x = integers(133, (2, 3))
            expect_error(RuntimeError, "promotion/C1", x.mul_, 2.5)""")
    yield g.case("float32/in_place_shape", "mul/S7 tensors/C1", """
            x = normal(134, (1, 3), torch.float32)
            expect_error(RuntimeError, "tensors/C1", x.mul_, normal(135, (2, 3), torch.float32))""")
    yield g.case("float32/channels_last_kept", "mul/S7", """
            x = normal(136, (2, 3, 4, 5), torch.float32).permute(0, 3, 1, 2)
            expect(x * 2, "number")
            expect(x * normal(137, (2, 5, 3, 4), torch.float32), "mixed")
            expect(normal(138, (5, 1, 1), torch.float32) * x, "channel")""", variants=False)
    yield g.case("float32/long", "mul/S1", """
            x = normal(139, (1031,), torch.float32)
            expect(x * x, "z")""", variants=False)
    for offset in (0, 4):
        yield g.case(f"float32/zero_dim_view_at_{offset}", "mul/S1", f"""
            s = normal(140, (8,), torch.float32)
            x = normal(141, (3,), torch.float32)
            expect(x * s[{offset}], "right")
            expect(s[{offset}] * x, "left")""")


def floating(g, dt):
    for mix in ("special", "extreme", "subnormal", "inf"):
        yield g.case(f"{dt}/{mix}", "mul/S4", f"""
            x = {made(dt, 61, "(5, 7)", mix)}
            y = {made(dt, 62, "(5, 7)", mix)}
            expect(x * y, "y")
            expect(x * 0.5, "half")
            expect(x * 2, "double")""")
    if dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/inexact_number", "mul/S5", f"""
            x = integers(63, (5, 7), torch.{dt}, low=-200, high=200)
            expect(x * 0.1, "tenth")
            expect(0.1 * x, "reflected")
            expect(x * torch.tensor(0.1, dtype=torch.float64), "wide_scalar")""")
        yield g.case(f"{dt}/large_number", "mul/S5", f"""
            x = uniform(64, (5, 7), torch.{dt}, low=0.001, high=0.5)
            expect(x * 70000, "y")""")
    yield g.case(f"{dt}/gradient_square", "mul/G1", f"""
            x = {made(dt, 78)}.requires_grad_()
            (x * x * 3).backward({made(dt, 79)})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_twice", "mul/G1", f"""
            x = {made(dt, 80)}.requires_grad_()
            y = {made(dt, 81)}.requires_grad_()
            (gx, gy) = autograd.grad((x * x * y).sum(), (x, y), create_graph=True)
            (gx * gx + gy * y).sum().backward()
            expect(x.grad, "x")
            expect(y.grad, "y")""")
    yield g.case(f"{dt}/gradient_needs_one", "mul/G1", f"""
            x = {made(dt, 85)}
            y = {made(dt, 86)}.requires_grad_()
            z = x * y
            x = x + 1
            z.backward({made(dt, 87)})
            expect(y.grad, "y")""")


def promotion(g):
    for a, b in (("float32", "float64"), ("float64", "float16"), ("float16", "float32"),
                 ("bfloat16", "float16"), ("float32", "int64"), ("bfloat16", "bool")):
        yield g.case(f"{a}/gradient_with_{b}", "mul/G1", f"""
            x = {made(a, 94)}.requires_grad_()
            y = integers(95, (3, 4), torch.{b}, low=0, high=9)
            z = x * y
            z.backward(torch.ones_like(z))
            expect(x.grad, "x")""")
    for dt in ("float32", "float16", "bfloat16"):
        yield g.case(f"{dt}/out_of_wider_dtype", "mul/S4 promotion/S5", f"""
            x = uniform(96, (3, 4), torch.{dt})
            y = uniform(97, (3, 4), torch.{dt}, low=100.0, high=1000.0)
            out = torch.zeros(3, 4, dtype=torch.float64)
            torch.mul(x, y, out=out)
            expect(out, "out")""")
    for dt in ("int32", "int16", "int8", "uint8"):
        yield g.case(f"{dt}/wraps_before_a_wider_out", "mul/S3 promotion/S5", f"""
            x = {made(dt, 98, "(4, 5)")}
            out = torch.zeros(4, 5, dtype=torch.int64)
            torch.mul(x, {made(dt, 99, "(4, 5)")}, out=out)
            expect(out, "out")""")
    yield g.case("float16/tensor_beyond_range", "mul/S5", """
            x = uniform(100, (4, 5), torch.float16, low=0.125, high=0.25)
            expect(x * integers(101, (5,), torch.int64, low=50000, high=90000), "several")
            expect(x * integers(102, (), torch.int64, low=70000, high=90000), "one")""")
    yield g.case("uint8/number_out_of_range", "mul/S3", """
            x = integers(101, (3, 4), torch.uint8, low=0, high=200)
            expect(x * 300, "over")
            expect(x * -1, "under")""")
    yield g.case("int64/half_is_float32", "mul/S2", """
            x = integers(102, (3, 4), torch.int64)
            y = x * 0.5
            expect_equal(y.dtype == torch.float32, True)
            expect(y, "y")""")
