# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/compare.md beyond the family's."""


def cases(g):
    yield from promotion(g)
    yield g.case("float32/never_requires_grad", "compare/G1", """
            x = normal(81, (3, 4), torch.float32).requires_grad_()
            expect_equal((x < 0).requires_grad, False)
            expect_equal((x == x).requires_grad, False)
            expect(x >= 0, "ge")""")
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
