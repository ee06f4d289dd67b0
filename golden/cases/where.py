# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/where.md."""

from calls import Arg, Call

CALLS = [
    Call("where", "torch.where({c}, {x}, {y})", {"c": Arg(c, "mask", dtype="bool"), "x": Arg(x), "y": Arg(y)},
         name, exact=True)
    for name, c, x, y in (("", "… N", "… N", "… N"), ("row", "N", "B N", "B N"),
                          ("column", "B 1", "N", "B N"), ("scalar", "… N", "… N", ""))
]


def made(dt, seed, shape="(3, 4)", mix=""):
    mix = f', mix="{mix}"' if mix else ""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if dt.startswith("float") or dt.startswith("bfloat"):
        return f"normal({seed}, {shape}, torch.{dt}{mix})"
    low, high = (0, 256) if dt == "uint8" else (-100, 128) if dt == "int8" else (-30000, 30000)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{mix})"


def cases(g):
    for n, dt in enumerate(g.ALL):
        yield from plain(g, dt, 10 * n)
    for dt in g.FLOAT:
        yield from floating(g, dt)
    yield from promotion(g)
    yield g.case("float64/gradient_of_the_other_branch", "where/G1", """
            x = torch.tensor([0.0, 4.0, 1.0], dtype=torch.float64).requires_grad_()
            torch.where(x > 0, x.sqrt(), 0).sum().backward()
            expect(x.grad, "x")""")
    yield from refusals(g)


def plain(g, dt, seed):
    yield g.case(f"{dt}/same_shape", "where/S1 where/S3", f"""
            c = bools({seed + 1}, (3, 4))
            x = {made(dt, seed + 2)}
            y = {made(dt, seed + 3)}
            expect(torch.where(c, x, y), "y")
            expect(x.where(c, y), "method")""")
    yield g.case(f"{dt}/broadcast", "where/S1", f"""
            c = bools({seed + 4}, (4,))
            x = {made(dt, seed + 5, "(3, 1)")}
            y = {made(dt, seed + 6, "(2, 1, 1)")}
            expect(torch.where(c, x, y), "y")
            expect(torch.where(bools({seed + 7}, (2, 3, 1)), x, y), "condition")
            expect(torch.where(bools({seed + 8}, ()), x, y), "zero_dim")""")
    yield g.case(f"{dt}/condition_broadcast", "where/S1", f"""
            x = {made(dt, seed + 5)}
            y = {made(dt, seed + 6)}
            expect(torch.where(bools({seed + 7}, (3, 1)), x, y), "column")
            expect(torch.where(bools({seed + 8}, (4,)), x, y), "row")
            expect(torch.where(bools({seed + 9}, (2, 1, 4)), x, y), "planes")""")
    yield g.case(f"{dt}/out", "where/S1 tensors/S8", f"""
            c = bools({seed + 1}, (3, 4))
            room = torch.zeros(3, 8, dtype=torch.{dt})
            out = room[:, 1::2]
            torch.where(c, {made(dt, seed + 2)}, {made(dt, seed + 3)}, out=out)
            expect(room, "room")""")
    yield g.case(f"{dt}/shapes", "where/S1 tensors/S10", f"""
            expect(torch.where(bools({seed + 4}, ()), {made(dt, seed + 5, "()")},
                               {made(dt, seed + 6, "()")}), "zero_dim")
            expect(torch.where(bools({seed + 4}, (0, 3)), {made(dt, seed + 5, "(1, 3)")},
                               {made(dt, seed + 6, "(3,)")}), "empty")
            expect(torch.where(bools({seed + 7}, (19,)), {made(dt, seed + 8, "(19,)")},
                               {made(dt, seed + 9, "(19,)")}), "tail")""")
    if dt in ("float8_e4m3fn", "float8_e5m2"):
        return
    yield g.case(f"{dt}/numbers", "where/S2", f"""
            c = bools({seed + 1}, (3, 4))
            x = {made(dt, seed + 2)}
            expect(torch.where(c, x, 3), "int")
            expect(torch.where(c, 2.5, x), "float")
            expect(torch.where(c, x, 0.1), "tenth")
            expect(torch.where(c, True, x), "bool")""")
    yield g.case(f"{dt}/uint8_condition", "where/S4", f"""
            c = integers({seed + 3}, (3, 4), torch.uint8, low=0, high=3)
            expect(torch.where(c, {made(dt, seed + 4)}, {made(dt, seed + 5)}), "y")""")


def floating(g, dt):
    yield g.case(f"{dt}/special", "where/S3", f"""
            c = bools(71, (5, 7))
            x = normal(72, (5, 7), torch.{dt}, mix="special")
            y = normal(73, (5, 7), torch.{dt}, mix="special")
            expect(torch.where(c, x, y), "y")
            expect(torch.where(x == x, x, 0), "cleaned")""")
    yield g.case(f"{dt}/gradient", "where/G1", f"""
            c = bools(74, (3, 4))
            x = {made(dt, 75)}.requires_grad_()
            y = {made(dt, 76)}.requires_grad_()
            torch.where(c, x, y).backward({made(dt, 77)})
            expect(x.grad, "x")
            expect(y.grad, "y")""")
    yield g.case(f"{dt}/gradient_broadcast", "where/G1", f"""
            c = bools(78, (3, 4))
            x = {made(dt, 79, "(4,)")}.requires_grad_()
            y = {made(dt, 80, "(2, 1, 1)")}.requires_grad_()
            (gx, gy) = autograd.grad(torch.where(c, x, y), (x, y), {made(dt, 81, "(2, 3, 4)")})
            expect(gx, "x")
            expect(gy, "y")""")
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


def promotion(g):
    for a in g.COMMON:
        for b in g.COMMON:
            if a != b:
                yield g.case(f"{a}/or_{b}", "where/S2", f"""
            c = bools(91, (3, 4))
            x = integers(92, (3, 4), torch.{a}, low=0, high=100)
            y = integers(93, (3, 4), torch.{b}, low=0, high=100)
            expect(torch.where(c, x, y), "tensors")
            expect(torch.where(c, x, y[0, 0]), "scalar")""")
    yield g.case("bool/two_numbers", "where/S2", """
            c = bools(94, (3, 4))
            expect(torch.where(c, 1, 2), "ints")
            expect(torch.where(c, 1.5, 2), "floats")
            expect(torch.where(c, True, False), "bools")
            expect(torch.where(c, 3, True), "mixed")""")
    yield g.case("float32/channels_last_kept", "where/S5", """
            x = normal(95, (2, 3, 4, 5), torch.float32).permute(0, 3, 1, 2)
            expect(torch.where(x > 0, x, 0), "condition")
            expect(torch.where(bools(96, (2, 5, 3, 4)), x, x), "condition_first")
            expect(torch.where(bools(97, (4,)), x, normal(98, (2, 5, 3, 4))), "row")""",
                 variants=False)


def refusals(g):
    yield g.case("float32/broadcast_refused", "where/C1", """
            c = bools(101, (2, 3))
            x = normal(102, (2, 3), torch.float32)
            y = normal(103, (2, 4), torch.float32)
            expect_error(RuntimeError, "where/C1", torch.where, c, x, y)
            expect_error(RuntimeError, "where/C1", torch.where, bools(104, (4,)), x, x)""")
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
    for dt in ("float8_e4m3fn", "float8_e5m2"):
        yield g.case(f"{dt}/promotion", "where/S2 promotion/C2", f"""
            c = bools(111, (2, 3))
            x = normal(112, (2, 3), torch.{dt})
            expect_error(RuntimeError, "promotion/C2", torch.where, c, x, torch.ones(2, 3))""")
