# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/where.md beyond the family's."""

from inputs import made


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield g.case(f"{dt}/uint8_condition", "where/S4", f"""
            c = integers({10 * n + 3}, (3, 4), torch.uint8, low=0, high=3)
            expect(torch.where(c, {made(dt, 10 * n + 4)}, {made(dt, 10 * n + 5)}), "y")""")
    for dt in g.FLOAT:
        yield from floating(g, dt)
    yield g.case("bool/two_numbers", "where/S2", """
            c = bools(94, (3, 4))
            expect(torch.where(c, 1, 2), "ints")
            expect(torch.where(c, 1.5, 2), "floats")
            expect(torch.where(c, True, False), "bools")
            expect(torch.where(c, 3, True), "mixed")""")
    yield g.case("float64/gradient_of_the_other_branch", "where/G1", """
            x = torch.tensor([0.0, 4.0, 1.0], dtype=torch.float64).requires_grad_()
            torch.where(x > 0, x.sqrt(), 0).sum().backward()
            expect(x.grad, "x")""")
    yield from refusals(g)


def floating(g, dt):
    yield g.case(f"{dt}/cleaned", "where/S3", f"""
            x = normal(72, (5, 7), torch.{dt}, mix="nan")
            expect(torch.where(x == x, x, 0), "cleaned")""")
    yield g.case(f"{dt}/gradient_number", "where/G1", f"""
            x = {made(dt, 82)}.requires_grad_()
            torch.where(x > 0, x, 0).backward({made(dt, 83)})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_twice", "where/G1", f"""
            x = {made(dt, 84)}.requires_grad_()
            y = {made(dt, 85)}.requires_grad_()
            (gx, gy) = autograd.grad(torch.where(x > 0, x * x * y, y * y * x).sum(), (x, y),
                                     create_graph=True)
            (gx * gx + gy).sum().backward()
            expect(x.grad, "x")
            expect(y.grad, "y")""")


def refusals(g):
    for dt in ("float32", "int64", "int8", "float16"):
        yield g.case(f"{dt}/condition", "where/C2", f"""
            x = integers(105, (2, 3), torch.{dt}, low=0, high=2)
            expect_error(RuntimeError, "where/C2", torch.where, x, x, x)""")
    for dt, good, bad in (("int8", -128, 128), ("uint8", -255, 256), ("int16", 32767, 40000),
                          ("int32", -2147483648, 2147483648)):
        yield g.case(f"{dt}/number_too_large", "where/C3", f"""
            c = bools(106, (3, 4))
            x = {made(dt, 107)}
            expect(torch.where(c, x, {good}), "fits")
            expect_error(RuntimeError, "where/C3", torch.where, c, x, {bad})
            expect_error(RuntimeError, "where/C3", torch.where, c, {bad}, x)""")
    yield g.case("float32/out_dtype", "where/C4", """
            c = bools(108, (2, 3))
            x = normal(109, (2, 3), torch.float32)
            n = integers(110, (2, 3))
            expect_error(RuntimeError, "where/C4", torch.where, c, x, x,
                         out=torch.zeros(2, 3, dtype=torch.float64))
            expect_error(RuntimeError, "where/C4", torch.where, c, n, n, out=torch.zeros(2, 3))""")
    yield g.case("float32/condition_column", "where/S1", """
            c = torch.tensor([[True], [False], [True]])
            expect(torch.where(c, normal(113, (3, 4), torch.float32), normal(114, (3, 4), torch.float32)), "y")""")
    for dt in ("float8_e4m3fn", "float8_e5m2"):
        yield g.case(f"{dt}/promotion", "where/S2 promotion/C2", f"""
            c = bools(111, (2, 3))
            x = normal(112, (2, 3), torch.{dt})
            expect_error(RuntimeError, "promotion/C2", torch.where, c, x, torch.ones(2, 3))""")
