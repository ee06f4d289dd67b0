# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/argmax.md."""


def made(dt, seed, shape="(3, 4)", mix=""):
    mix = f', mix="{mix}"' if mix else ""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if dt.startswith("float") or dt.startswith("bfloat"):
        return f"normal({seed}, {shape}, torch.{dt}{mix})"
    low, high = (0, 256) if dt == "uint8" else (-100, 128) if dt == "int8" else (-30000, 30000)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{mix})"


def cases(g):
    for n, dt in enumerate(g.NUMBER):
        for fn in ("argmax", "argmin"):
            yield from one(g, dt, fn, 20 * n)
    for dt in g.FLOAT:
        for fn in ("argmax", "argmin"):
            yield from floating(g, dt, fn)
    for fn in ("argmax", "argmin"):
        yield from refusals(g, fn)
    yield g.case("int64/beyond_double", "argmax/S7", """
            x = torch.tensor([9007199254740992, 9007199254740993, 9007199254740992])
            expect_equal(torch.argmax(x), 1)
            y = torch.tensor([9007199254740993, 9007199254740992, 9007199254740993])
            expect_equal(torch.argmin(y), 1)""")
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


def one(g, dt, fn, seed):
    yield g.case(f"{dt}/{fn}", "argmax/S1 argmax/S2", f"""
            x = {made(dt, seed + 1, "(3, 4, 2)")}
            expect(torch.{fn}(x), "all")
            expect(x.{fn}(0), "first")
            expect(x.{fn}(1), "middle")
            expect(x.{fn}(dim=-1), "last")
            expect(x.{fn}(None), "none")""")
    yield g.case(f"{dt}/{fn}_keepdim", "argmax/S2 argmax/S5", f"""
            x = {made(dt, seed + 2, "(2, 3, 4)")}
            expect(x.{fn}(1, keepdim=True), "one")
            expect(x.{fn}(None, True), "all")""")
    yield g.case(f"{dt}/{fn}_first_of_equals", "argmax/S3", f"""
            x = integers({seed + 3}, (6, 9), torch.{dt}, low=0, high=3)
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")
            expect(x.{fn}(), "all")
            expect(torch.ones(16, dtype=torch.{dt}).{fn}(), "ones")""")
    yield g.case(f"{dt}/{fn}_shapes", "argmax/S1 argmax/S6 tensors/S10", f"""
            s = {made(dt, seed + 4, "()")}
            expect(s.{fn}(), "zero_dim")
            expect(s.{fn}(0), "zero_dim_0")
            expect(s.{fn}(-1, keepdim=True), "zero_dim_kept")
            x = {made(dt, seed + 5, "(2, 0, 3)")}
            expect(x.{fn}(0), "empty")
            expect(x.{fn}(2, keepdim=True), "empty_kept")""", trivial="nothing to find")
    yield g.case(f"{dt}/{fn}_tail", "argmax/S1", f"""
            x = {made(dt, seed + 6, "(3, 19)")}
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")
            expect(x[:, 1::3].{fn}(1), "steps")""")
    yield g.case(f"{dt}/{fn}_permuted", "argmax/S2 argmax/S5", f"""
            x = {made(dt, seed + 7, "(2, 3, 4)")}.permute(2, 0, 1)
            expect(x.{fn}(), "all")
            expect(x.{fn}(1), "middle")
            expect(x.{fn}(0, keepdim=True), "kept")""")
    yield g.case(f"{dt}/{fn}_out", "argmax/S1 tensors/S8", f"""
            x = {made(dt, seed + 8)}
            room = torch.full((8,), 9, dtype=torch.int64)
            out = room[::2]
            torch.{fn}(x, 0, out=out)
            expect(room, "room")""")
    if dt in g.INT:
        yield g.case(f"{dt}/{fn}_extreme", "argmax/S1 argmax/S7", f"""
            x = {made(dt, seed + 9, "(4, 5)", "extreme")}
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(), "all")""")


def floating(g, dt, fn):
    for mix in ("nan", "inf", "zero"):
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


def refusals(g, fn):
    yield g.case(f"float32/{fn}_dim_range", "argmax/C1", f"""
            x = normal(81, (2, 3), torch.float32)
            expect_error(IndexError, "argmax/C1", torch.{fn}, x, 2)
            expect_error(IndexError, "argmax/C1", torch.{fn}, x, -3)
            expect_error(IndexError, "argmax/C1", torch.{fn}, x[0, 0], 1)""")
    yield g.case(f"float32/{fn}_nothing", "argmax/C2", f"""
            x = normal(82, (2, 0, 3), torch.float32)
            expect_error(IndexError, "argmax/C2", torch.{fn}, x)
            expect_error(IndexError, "argmax/C2", torch.{fn}, x, 1)
            expect_error(IndexError, "argmax/C2", torch.{fn}, x, -2, keepdim=True)""")
    yield g.case(f"bool/{fn}_refused", "argmax/C3", f"""
            x = bools(83, (2, 3))
            expect_error(NotImplementedError, "argmax/C3", torch.{fn}, x)
            expect_error(NotImplementedError, "argmax/C3", torch.{fn}, x[:0], 1)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/{fn}_not_implemented", "argmax/C3", f"""
            x = normal(84, (2, 3), torch.{dt})
            expect_error(NotImplementedError, "argmax/C3", torch.{fn}, x)""")
    yield g.case(f"float32/{fn}_out_dtype", "argmax/C4", f"""
            x = normal(85, (2, 3), torch.float32)
            expect_error(RuntimeError, "argmax/C4", torch.{fn}, x, 0,
                         out=torch.zeros(3, dtype=torch.int32))
            expect_error(RuntimeError, "argmax/C4", torch.{fn}, x, 0, out=torch.zeros(3))""")
