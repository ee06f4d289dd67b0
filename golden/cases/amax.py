# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/amax.md."""


def made(dt, seed, shape="(3, 4)", mix=""):
    mix = f', mix="{mix}"' if mix else ""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if dt.startswith("float") or dt.startswith("bfloat"):
        return f"normal({seed}, {shape}, torch.{dt}{mix})"
    low, high = (0, 256) if dt == "uint8" else (-100, 128) if dt == "int8" else (-30000, 30000)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{mix})"


def cases(g):
    for n, dt in enumerate(g.COMMON):
        for fn in ("amax", "amin"):
            yield from one(g, dt, fn, 20 * n)
    for dt in g.FLOAT:
        for fn in ("amax", "amin"):
            yield from floating(g, dt, fn)
    for fn in ("amax", "amin"):
        yield from refusals(g, fn)
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/not_implemented", "amax/C6", f"""
            x = normal(91, (2, 3), torch.{dt})
            expect_error(NotImplementedError, "amax/C6", torch.amax, x)
            expect_error(NotImplementedError, "amax/C6", torch.amin, x, 0)""")
    yield g.case("int64/beyond_double", "amax/S6", """
            x = torch.tensor([[9007199254740993, 9007199254740992],
                              [-9007199254740993, -9007199254740992]])
            expect_equal(torch.amax(x, 1), [9007199254740993, -9007199254740992])
            expect_equal(torch.amin(x, 1), [9007199254740992, -9007199254740993])""")


def one(g, dt, fn, seed):
    yield g.case(f"{dt}/{fn}", "amax/S1 amax/S3", f"""
            x = {made(dt, seed + 1, "(3, 4, 2)")}
            expect(torch.{fn}(x), "all")
            expect(x.{fn}(0), "first")
            expect(x.{fn}(-1), "last")
            expect(x.{fn}(dim=(0, 2)), "list")
            expect(x.{fn}([]), "empty_list")
            expect(x.{fn}(None), "none")""")
    yield g.case(f"{dt}/{fn}_keepdim", "amax/S1 amax/S4", f"""
            x = {made(dt, seed + 2, "(2, 2, 4)")}
            expect(x.{fn}(1, keepdim=True), "one")
            expect(x.{fn}((2, 0), True), "list")
            expect(x.{fn}(keepdim=True), "all")""")
    yield g.case(f"{dt}/{fn}_shapes", "amax/S1 amax/S5 tensors/S10", f"""
            s = {made(dt, seed + 3, "()")}
            expect(s.{fn}(), "zero_dim")
            expect(s.{fn}(0), "zero_dim_0")
            expect(s.{fn}(-1, keepdim=True), "zero_dim_kept")
            x = {made(dt, seed + 4, "(2, 0, 3)")}
            expect(x.{fn}(0), "empty")
            expect(x.{fn}((0, 2), keepdim=True), "empty_kept")""", trivial="the only element")
    yield g.case(f"{dt}/{fn}_tail", "amax/S1", f"""
            x = {made(dt, seed + 5, "(2, 19)")}
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")
            expect(x[:, 1::3].{fn}(1), "steps")""")
    yield g.case(f"{dt}/{fn}_result_is_contiguous", "amax/S4", f"""
            x = {made(dt, seed + 6, "(2, 3, 4)")}.permute(2, 0, 1)
            expect(x.{fn}(1), "middle")
            expect(x.{fn}(0, keepdim=True), "kept")""")
    yield g.case(f"{dt}/{fn}_out", "amax/S1 tensors/S8", f"""
            x = {made(dt, seed + 7)}
            room = torch.zeros(8, dtype=torch.{dt})
            out = room[::2]
            torch.{fn}(x, 0, out=out)
            expect(room, "room")""")
    if dt in g.INT:
        yield g.case(f"{dt}/{fn}_extreme", "amax/S1 amax/S6", f"""
            x = {made(dt, seed + 8, "(4, 5)", "extreme")}
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(), "all")""")


def floating(g, dt, fn):
    for mix in ("nan", "inf", "extreme"):
        yield g.case(f"{dt}/{fn}_{mix}", "amax/S1 amax/S2", f"""
            x = normal(71, (6, 4), torch.{dt}, mix="{mix}")
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")
            expect(x.{fn}(), "all")""")
    yield g.case(f"{dt}/{fn}_one_nan", "amax/S2", f"""
            x = torch.tensor([[1.0, torch.nan, 3.0], [torch.nan, 1.0, 2.0], [1.0, 2.0, torch.nan],
                              [-torch.inf, -torch.inf, -torch.inf]], dtype=torch.{dt})
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")""")
    yield g.case(f"{dt}/{fn}_gradient", "amax/G1", f"""
            x = distinct(72, (3, 4), torch.{dt}).requires_grad_()
            x.{fn}(1).backward({made(dt, 73, "(3,)")})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/{fn}_gradient_ties", "amax/G1", f"""
            x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, 3.0, 1.0]],
                             dtype=torch.{dt}).requires_grad_()
            (x.{fn}(1) * torch.tensor([3.0, 6.0, 5.0], dtype=torch.{dt})).sum().backward()
            expect(x.grad, "x")
            x.grad = None
            x.{fn}().backward()
            expect(x.grad, "all")""")
    yield g.case(f"{dt}/{fn}_gradient_dims", "amax/G1", f"""
            x = distinct(74, (2, 3, 4), torch.{dt}).requires_grad_()
            (gx,) = autograd.grad(x.{fn}((0, -1)), (x,), {made(dt, 75, "(3,)")})
            expect(gx, "dims")
            (gx,) = autograd.grad(x.{fn}((1, 2), keepdim=True), (x,), {made(dt, 76, "(2, 1, 1)")})
            expect(gx, "kept")""")
    yield g.case(f"{dt}/{fn}_gradient_nan", "amax/G1", f"""
            x = torch.tensor([[1.0, torch.nan, 3.0], [1.0, 2.0, 3.0]],
                             dtype=torch.{dt}).requires_grad_()
            x.{fn}(1).sum().backward()
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/{fn}_gradient_twice", "amax/G1", f"""
            x = distinct(77, (3, 4), torch.{dt}).requires_grad_()
            m = x.{fn}(1)
            (gx,) = autograd.grad((m * m).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")


def refusals(g, fn):
    yield g.case(f"float32/{fn}_dim_range", "amax/C1", f"""
            x = normal(81, (2, 3), torch.float32)
            expect_error(IndexError, "amax/C1", torch.{fn}, x, 2)
            expect_error(IndexError, "amax/C1", torch.{fn}, x, (0, -3))
            expect_error(IndexError, "amax/C1", torch.{fn}, x[0, 0], 1)""")
    yield g.case(f"float32/{fn}_dim_twice", "amax/C2", f"""
            x = normal(82, (2, 3), torch.float32)
            expect_error(RuntimeError, "amax/C2", torch.{fn}, x, (0, 0))
            expect_error(RuntimeError, "amax/C2", torch.{fn}, x, (1, -1))""")
    yield g.case(f"float32/{fn}_nothing", "amax/C3", f"""
            x = normal(83, (0, 3), torch.float32)
            expect_error(RuntimeError, "amax/C3", torch.{fn}, x)
            expect_error(RuntimeError, "amax/C3", torch.{fn}, x, [])""")
    yield g.case(f"float32/{fn}_empty_dim", "amax/C4", f"""
            x = normal(84, (2, 0, 3), torch.float32)
            expect_error(IndexError, "amax/C4", torch.{fn}, x, 1)
            expect_error(IndexError, "amax/C4", torch.{fn}, x, (0, 1))
            expect_error(IndexError, "amax/C4", torch.{fn}, x, (0, -2), keepdim=True)""")
    yield g.case(f"float32/{fn}_out_dtype", "amax/C5", f"""
            x = normal(85, (2, 3), torch.float32)
            expect_error(RuntimeError, "amax/C5", torch.{fn}, x, 0,
                         out=torch.zeros(3, dtype=torch.float64))
            n = integers(86, (2, 3), torch.int8)
            expect_error(RuntimeError, "amax/C5", torch.{fn}, n, 0,
                         out=torch.zeros(3, dtype=torch.int64))""")
