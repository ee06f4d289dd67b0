# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/argmax.md beyond the family's."""


def cases(g):
    yield from nothing(g)
    for n, dt in enumerate(g.NUMBER):
        for fn in ("argmax", "argmin"):
            yield g.case(f"{dt}/{fn}_first_of_equals", "argmax/S3", f"""
            x = integers({20 * n + 3}, (6, 9), torch.{dt}, low=0, high=3)
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")
            expect(x.{fn}(), "all")
            expect(torch.ones(16, dtype=torch.{dt}).{fn}(), "ones")""")
    for dt in g.FLOAT:
        for fn in ("argmax", "argmin"):
            yield from floating(g, dt, fn)
    yield g.case("int64/beyond_double", "argmax/S7", """
            x = torch.tensor([9007199254740992, 9007199254740993, 9007199254740992])
            expect_equal(torch.argmax(x), 1)
            y = torch.tensor([9007199254740993, 9007199254740992, 9007199254740993])
            expect_equal(torch.argmin(y), 1)""")
    for fn in ("argmax", "argmin"):
        yield g.case(f"bool/{fn}_empty_refused", "argmax/C3", f"""
            expect_error(NotImplementedError, "argmax/C3", torch.{fn}, bools(83, (2, 3))[:0], 1)""")
    yield g.case("float32/never_requires_grad", "argmax/G1", """
            x = normal(91, (3, 4), torch.float32).requires_grad_()
            expect_equal(x.argmax().requires_grad, False)
            expect_equal(x.argmin(1).requires_grad, False)
            expect(x.argmax(1), "y")""")
    for n in (36 * 900, 40 * 900):
        yield g.case(f"float32/size_one_of_{n}_rows", "argmax/S1", f"""
            x = torch.zeros({n}, 1)
            expect_equal(x.argmax(1).sum(), 0)
            expect_equal(x.argmin(1).sum(), 0)""", trivial="every index is zero by rule")
    yield g.case("float32/long", "argmax/S2 argmax/S3", """
            x = distinct(92, (3, 1400), torch.float32)
            expect(x.argmax(), "all")
            expect(x.argmin(), "all_min")
            expect(x.argmax(1), "rows")
            y = torch.zeros(5000)
            y[1234] = 1
            y[4321] = 1
            expect_equal(y.argmax(), 1234)
            expect_equal((-y).argmin(), 1234)""")


def floating(g, dt, fn):
    for mix in ("zero",):
        yield g.case(f"{dt}/{fn}_{mix}", "argmax/S3 argmax/S4", f"""
            x = normal(71, (6, 5), torch.{dt}, mix="{mix}")
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")
            expect(x.{fn}(), "all")""")
    yield g.case(f"{dt}/{fn}_first_nan", "argmax/S4", f"""
            x = torch.tensor([[1.0, torch.nan, 3.0, torch.nan], [torch.inf, 0.0, torch.nan, 5.0],
                              [torch.nan, torch.nan, torch.nan, torch.nan],
                              [-torch.inf, -torch.inf, -torch.inf, -torch.inf]],
                             dtype=torch.{dt})
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(), "all")
            expect(torch.full((61,), torch.nan, dtype=torch.{dt}).{fn}(), "nans")""")
    yield g.case(f"{dt}/{fn}_zeros_are_equal", "argmax/S3", f"""
            x = torch.tensor([[0.0, -0.0], [-0.0, 0.0]], dtype=torch.{dt})
            expect_equal(x.{fn}(1), [0, 0])""", trivial="every index is zero by rule")


def nothing(g):
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/of_nothing", "argmax/C3 argmax/S6", f"""
            x = torch.zeros(0, 2, dtype=torch.{dt})
            expect_equal(torch.argmax(x, 1).shape, (0,))
            expect_equal(torch.argmin(x, 1).dtype, torch.int64)
            expect_error(NotImplementedError, "argmax/C3", torch.argmax, torch.zeros(1, 2, dtype=torch.{dt}), 1)""")
