# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/compare.md."""


def made(dt, seed, shape="(3, 4)", mix=""):
    mix = f', mix="{mix}"' if mix else ""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if dt.startswith("float") or dt.startswith("bfloat"):
        return f"normal({seed}, {shape}, torch.{dt}{mix})"
    low, high = (0, 256) if dt == "uint8" else (-100, 128) if dt == "int8" else (-30000, 30000)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{mix})"


OPS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def few(dt, seed, shape="(3, 4)"):
    """So few values that equals are common."""
    return f"bools({seed}, {shape})" if dt == "bool" else \
        f"integers({seed}, {shape}, torch.{dt}, low=0, high=4)"


def cases(g):
    for n, dt in enumerate(g.COMMON):
        for op, sign in OPS.items():
            yield from one(g, dt, op, sign, 10 * n)
    for dt in g.FLOAT:
        for mix in ("special", "zero", "nan"):
            checks = "\n".join(f'            expect(x {s} y, "{o}")' for o, s in OPS.items())
            yield g.case(f"{dt}/{mix}", "compare/S1 compare/S3", f"""
            x = normal(71, (5, 7), torch.{dt}, mix="{mix}")
            y = normal(72, (5, 7), torch.{dt}, mix="{mix}")
{checks}
            expect(x == x, "itself")
            expect(x != x, "not_itself")""")
    yield from promotion(g)
    yield g.case("float32/never_requires_grad", "compare/G1", """
            x = normal(81, (3, 4), torch.float32).requires_grad_()
            expect_equal((x < 0).requires_grad, False)
            expect_equal((x == x).requires_grad, False)
            expect(x >= 0, "ge")""")
    yield g.case("float32/shapes", "compare/C1", """
            x = normal(82, (2, 3), torch.float32)
            y = normal(83, (3, 2), torch.float32)
            expect_error(RuntimeError, "compare/C1", torch.eq, x, y)
            expect_error(RuntimeError, "compare/C1", torch.lt, x, y)
            expect_error(RuntimeError, "compare/C1", x.ge_, y)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/equality_only", "compare/S1 compare/C2 promotion/C2", f"""
            x = integers(84, (3, 4), torch.{dt}, low=0, high=3)
            y = integers(85, (3, 4), torch.{dt}, low=0, high=3)
            expect(x == y, "eq")
            expect(x != y, "ne")
            expect(x == 1, "number")
            expect_error(NotImplementedError, "compare/C2", torch.lt, x, y)
            expect_error(NotImplementedError, "compare/C2", torch.le, x, y)
            expect_error(NotImplementedError, "compare/C2", torch.gt, x, y)
            expect_error(NotImplementedError, "compare/C2", torch.ge, x, y)
            expect_error(RuntimeError, "promotion/C2", torch.eq, x, torch.ones(3, 4))""")
    yield g.case("float32/channels_last_kept", "compare/S5", """
            x = normal(86, (2, 3, 4, 5), torch.float32).permute(0, 3, 1, 2)
            expect(x < 0, "number")
            expect(x < normal(87, (2, 5, 3, 4), torch.float32), "mixed")""", variants=False)
    yield g.case("int64/beyond_double", "compare/S4", """
            x = torch.tensor([9007199254740993, 9007199254740992, -9223372036854775808])
            y = torch.tensor([9007199254740992, 9007199254740993, 9223372036854775807])
            expect_equal(x == y, [False, False, False])
            expect_equal(x < y, [False, True, True])
            expect_equal(x >= y, [True, False, False])
            expect_equal(x == 9007199254740993, [True, False, False])""")


def one(g, dt, op, sign, seed):
    yield g.case(f"{dt}/{op}", "compare/S1", f"""
            x = {few(dt, seed + 1)}
            y = {few(dt, seed + 2)}
            expect(torch.{op}(x, y), "function")
            expect(x {sign} {few(dt, seed + 3, "(2, 1, 4)")}, "broadcast")
            expect(x {sign} 2, "int")
            expect(x {sign} 1.5, "float")
            expect(1 {sign} x, "reflected")""")
    yield g.case(f"{dt}/{op}_forms", "compare/S5", f"""
            x = {few(dt, seed + 4)}
            y = {few(dt, seed + 5)}
            z = x.clone()
            z.{op}_(y)
            expect(z, "in_place")
            room = torch.full((3, 8), 7, dtype=torch.int8)
            out = room[:, ::2]
            torch.{op}(x, y, out=out)
            expect(room, "room")""")
    yield g.case(f"{dt}/{op}_shapes", "compare/S1 tensors/S10", f"""
            expect({few(dt, seed + 6, "()")} {sign} {few(dt, seed + 7, "()")}, "zero_dim")
            expect({few(dt, seed + 6, "(0, 2)")} {sign} 1, "empty")
            expect({few(dt, seed + 7, "(19,)")} {sign} {few(dt, seed + 8, "(19,)")}, "tail")""")


def promotion(g):
    for a in g.COMMON:
        for b in g.COMMON:
            if a != b:
                yield g.case(f"{a}/with_{b}", "compare/S2", f"""
            x = integers(91, (3, 4), torch.{a}, low=0, high=4)
            y = integers(92, (3, 4), torch.{b}, low=0, high=4)
            expect(x == y, "eq")
            expect(x < y, "lt")
            expect(x >= y[0, 0], "ge_scalar")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/tenth", "compare/S2", f"""
            x = torch.tensor([0.1, 0.25, 0.3], dtype=torch.{dt})
            expect_equal(x == 0.1, [True, False, False])
            expect_equal(x >= 0.3, [False, False, True])
            expect_equal(x == torch.tensor(0.1, dtype=torch.float64), [True, False, False])""")
    yield g.case("int64/with_float32_rounds", "compare/S2", """
            x = torch.tensor([16777217, 16777219])
            expect_equal(x == torch.tensor([16777216.0, 16777218.0]), [True, False])
            expect_equal(x < 1.5, [False, False])
            expect_equal(x > 16777216.0, [False, True])""")
    yield g.case("uint8/number_wraps", "compare/S2", """
            x = torch.tensor([44, 255, 1], dtype=torch.uint8)
            expect_equal(x == 300, [True, False, False])
            expect_equal(x == -1, [False, True, False])
            expect_equal(x < -1, [True, False, True])""")
