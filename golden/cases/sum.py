# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/sum.md."""


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
        yield from sums(g, dt, 200 if dt == "bool" else 20 * n)
    for n, dt in enumerate(g.FLOAT):
        yield from means(g, dt, 300 + 20 * n)
        yield from floating(g, dt)
    yield from dtypes(g)
    yield from to_size(g)
    yield from refusals(g)
    yield from to_bool(g)


def sums(g, dt, seed):
    rule = "sum/S1" if "float" in dt else "sum/S1 sum/S3 sum/S4"
    yield g.case(f"{dt}/all", rule, f"""
            x = {made(dt, seed + 1, "(3, 4, 2)")}
            expect(x.sum(), "method")
            expect(torch.sum(x), "function")
            expect(x.sum(dim=[]), "empty_list")
            expect(x.sum(dim=None), "none")""")
    yield g.case(f"{dt}/one_dim", rule + " sum/S2", f"""
            x = {made(dt, seed + 2, "(3, 4, 2)")}
            expect(x.sum(0), "first")
            expect(x.sum(1), "middle")
            expect(x.sum(-1), "last")
            expect(torch.sum(x, dim=1, keepdim=True), "kept")""")
    yield g.case(f"{dt}/dim_list", rule + " sum/S2", f"""
            x = {made(dt, seed + 3, "(2, 3, 4, 2)")}
            expect(x.sum((0, 2)), "apart")
            expect(x.sum([1, -1]), "negative")
            expect(x.sum((3, 0, 1)), "unordered")
            expect(x.sum((0, 3), keepdim=True), "kept")
            expect(x.sum((0, 1, 2, 3), keepdim=True), "all_kept")""")
    yield g.case(f"{dt}/shapes", rule + " sum/S6 tensors/S10", f"""
            s = {made(dt, seed + 4, "()")}
            expect(s.sum(), "zero_dim")
            expect(s.sum(0), "zero_dim_0")
            expect(s.sum(-1, keepdim=True), "zero_dim_kept")
            x = {made(dt, seed + 5, "(2, 0, 3)")}
            expect(x.sum(), "nothing")
            expect(x.sum(1), "zeros")
            expect(x.sum(0), "empty")
            expect(x.sum((0, 2), keepdim=True), "empty_kept")""")
    yield g.case(f"{dt}/tail", rule, f"""
            x = {made(dt, seed + 6, "(3, 19)")}
            expect(x.sum(1), "rows")
            expect(x.sum(0), "columns")
            expect(x[:, ::3].sum(1), "steps")""")
    yield g.case(f"{dt}/result_is_contiguous", rule + " sum/S2", f"""
            x = {made(dt, seed + 7, "(2, 3, 4)")}.permute(2, 0, 1)
            expect(x.sum(0), "first")
            expect(x.sum(1), "middle")
            expect(x.sum(1, keepdim=True), "kept")""")
    yield g.case(f"{dt}/out", rule + " tensors/S8", f"""
            x = {made(dt, seed + 8, "(3, 4)")}
            room = torch.zeros(8, dtype=x.sum().dtype)
            out = room[::2]
            torch.sum(x, 0, out=out)
            expect(room, "room")""")
    yield g.case(f"{dt}/of_one_element", rule, f"""
            x = {made(dt, seed + 9, "(3, 1)")}
            expect(x.sum(1), "y")
            expect(x[:1].sum(), "one")""")


def means(g, dt, seed):
    yield g.case(f"{dt}/mean", "sum/S8", f"""
            x = {made(dt, seed + 1, "(3, 4, 2)")}
            expect(x.mean(), "all")
            expect(torch.mean(x, 1), "middle")
            expect(x.mean(-1, keepdim=True), "kept")
            expect(x.mean(dim=[]), "empty_list")""")
    yield g.case(f"{dt}/mean_dim_list", "sum/S8", f"""
            x = {made(dt, seed + 2, "(2, 3, 4, 5)")}
            expect(x.mean((0, 2)), "apart")
            expect(x.mean((2, 3), keepdim=True), "kept")
            expect(x.mean([-1, 0, 1]), "three")""")
    yield g.case(f"{dt}/mean_shapes", "sum/S8 tensors/S10", f"""
            s = {made(dt, seed + 3, "()")}
            expect(s.mean(), "zero_dim")
            expect(s.mean(0), "zero_dim_0")
            x = {made(dt, seed + 4, "(2, 0, 3)")}
            expect(x.mean(), "nothing")
            expect(x.mean(1), "nans")
            expect(x.mean(0), "empty")""")
    yield g.case(f"{dt}/mean_out", "sum/S8 sum/S3", f"""
            x = {made(dt, seed + 5)}
            out = torch.zeros(4, dtype=torch.{dt})
            torch.mean(x, 0, out=out)
            expect(out, "out")""")
    yield g.case(f"{dt}/mean_dtype", "sum/S8 sum/S3", f"""
            x = {made(dt, seed + 6)}
            expect(x.mean(dtype=torch.float64), "wide")
            expect(x.mean(1, dtype=torch.float32), "single")
            expect(x.mean(0, True, dtype=torch.float16), "half")""")
    yield g.case(f"{dt}/mean_result_is_contiguous", "sum/S2 sum/S8", f"""
            x = {made(dt, seed + 7, "(2, 3, 4)")}.permute(2, 0, 1)
            expect(x.mean(1), "y")
            expect(x.mean((0, 2), keepdim=True), "kept")""")
    for mix in ("nan", "inf"):
        yield g.case(f"{dt}/mean_{mix}", "sum/S7 sum/S8", f"""
            x = normal({seed + 8}, (9, 3), torch.{dt}, mix="{mix}")
            expect(x.mean(1), "y")""")
    yield g.case(f"{dt}/mean_gradient", "sum/G2", f"""
            x = {made(dt, seed + 9)}.requires_grad_()
            (x.mean() * 8 + (x.mean(0) * {made(dt, seed + 15, "(4,)")}).sum()).backward()
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/mean_gradient_dims", "sum/G2", f"""
            x = {made(dt, seed + 10, "(2, 3, 4)")}.requires_grad_()
            w = {made(dt, seed + 11, "(3,)")}
            x.mean((0, -1)).backward(w)
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/mean_gradient_keepdim", "sum/G2", f"""
            x = {made(dt, seed + 12, "(2, 3, 4)")}.requires_grad_()
            x.mean((1, 2), keepdim=True).backward({made(dt, seed + 13, "(2, 1, 1)")})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/mean_gradient_twice", "sum/G2", f"""
            x = {made(dt, seed + 14)}.requires_grad_()
            (gx,) = autograd.grad(((x * x).mean(1) * x.mean(1)).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(x.grad, "x")""")


def floating(g, dt):
    for mix in ("nan", "inf", "zero", "subnormal"):
        rule = "sum/S7" if mix in ("nan", "inf") else "sum/S1"
        yield g.case(f"{dt}/{mix}", rule, f"""
            x = normal(401, (9, 3), torch.{dt}, mix="{mix}")
            expect(x.sum(), "all")
            expect(x.sum(1), "rows")""")
    yield g.case(f"{dt}/accumulates_wide", "sum/S5", f"""
            x = torch.ones(4096, dtype=torch.{dt})
            expect(x.sum(), "ones")
            expect((x * 0.5).sum(), "halves")
            x[2048:] = 2
            expect(x.view(2, 2048).sum(1), "rows")
            expect(x.view(2048, 2).sum(0), "columns")""")
    yield g.case(f"{dt}/many", "sum/S5", f"""
            x = normal(402, (3, 1500), torch.{dt})
            expect(x.sum(1), "rows")
            expect(x.sum(), "all")""")
    yield g.case(f"{dt}/many_positive", "sum/S5 sum/S8", f"""
            x = uniform(403, (2500,), torch.{dt})
            expect(x.sum(), "sum")
            expect(x.mean(), "mean")""")
    yield g.case(f"{dt}/cancels", "sum/S5", f"""
            x = normal(404, (64,), torch.{dt}) * 64
            y = x.clone()
            expect(torch.where(bools(405, (64,)), x - y, x + 0).sum(), "some")
            expect(x.view(8, 8).sum(0), "columns")""")
    yield g.case(f"{dt}/gradient", "sum/G1", f"""
            x = {made(dt, 406)}.requires_grad_()
            (x.sum() * 3 + (x.sum(0) * {made(dt, 407, "(4,)")}).sum()).backward()
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_dims", "sum/G1", f"""
            x = {made(dt, 408, "(2, 3, 4)")}.requires_grad_()
            x.sum((0, -1)).backward({made(dt, 409, "(3,)")})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_keepdim", "sum/G1", f"""
            x = {made(dt, 410, "(2, 3, 4)")}.requires_grad_()
            x.sum((1, 2), keepdim=True).backward({made(dt, 411, "(2, 1, 1)")})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_zero_dim", "sum/G1 tensors/S10", f"""
            x = {made(dt, 412, "()")}.requires_grad_()
            (x.sum() * x.sum(0) * 3).backward()
            expect(x.grad, "x")
            e = {made(dt, 413, "(0, 3)")}.requires_grad_()
            e.sum().backward()
            expect(e.grad, "empty")""")
    yield g.case(f"{dt}/gradient_twice", "sum/G1", f"""
            x = {made(dt, 414)}.requires_grad_()
            (gx,) = autograd.grad((x.sum(1) * (x * x).sum(1)).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(x.grad, "x")""")
    if dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/mean_beyond_range", "sum/S8", f"""
            x = integers(415, (64,), torch.{dt}, low=50000, high=60000)
            expect(x.mean(), "mean")
            expect(x.sum(dtype=torch.float32), "wide")""")
        yield g.case(f"{dt}/dtype_rounds_first", "sum/S3", f"""
            x = uniform(416, (6, 40), torch.float32, low=1.0, high=2.0)
            expect(x.to(torch.{dt}).sum(1), "cast")
            expect(x.sum(1, dtype=torch.float64), "wide")""")


def dtypes(g):
    for a in g.COMMON:
        for b in g.COMMON:
            yield g.case(f"{a}/as_{b}", "sum/S3" + ("" if "float" in b else " sum/S4"), f"""
            x = integers(501, (6, 2), torch.{a}, low=0, high={2 if b == "bool" else 3})
            expect(x.sum(dtype=torch.{b}), "all")
            expect(x.sum(1, dtype=torch.{b}), "rows")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient_through_dtype", "sum/G1", f"""
            x = {made(dt, 502)}.requires_grad_()
            y = x.sum(0, dtype=torch.float64)
            y.backward(normal(503, (4,), torch.float64))
            expect(x.grad, "x")""")
        yield g.case(f"{dt}/out_gives_the_dtype", "sum/S3", f"""
            x = integers(504, (3, 4), torch.float32, low=0, high=9)
            out = torch.zeros(4, dtype=torch.{dt})
            torch.sum(x, 0, out=out)
            expect(out, "out")
            torch.mean(x, 0, out=out)
            expect(out, "mean")""")
    for dt in g.INT:
        yield g.case(f"{dt}/wraps", "sum/S4", f"""
            x = {made(dt, 505, "(4, 5)", "extreme")}
            expect(x.sum(dtype=torch.{dt}), "own")
            expect(x.sum(1, dtype=torch.uint8), "bytes")
            expect(x.sum(0, dtype=torch.int64), "int64")""")
    yield g.case("uint8/wraps_and_promotes", "sum/S3 sum/S4", """
            x = torch.tensor([[255, 2, 1], [5, 3, 6]], dtype=torch.uint8)
            expect_equal(x.sum(), 272)
            expect_equal(x.sum(dtype=torch.uint8), 16)
            expect_equal(x.sum(1), [258, 14])""")
    yield g.case("int64/bool_before_the_sum", "sum/S3 sum/S4", """
            x = torch.tensor([[2, -2, 0], [0, 0, 0], [256, 0, 256]])
            expect_equal(x.sum(1, dtype=torch.bool), [True, False, True])
            expect_equal(x.to(torch.float32).sum(1, dtype=torch.bool), [True, False, True])""")
    yield g.case("float32/mean_as_half_of_large", "sum/S8", """
            x = integers(507, (4, 30), torch.float32, low=0, high=100000)
            expect(x.mean(1, dtype=torch.float16), "mean")""")
    yield g.case("float32/fraction_dropped_first", "sum/S3", """
            x = torch.tensor([1.75, 2.75, -0.5], dtype=torch.float32)
            expect_equal(x.sum(dtype=torch.int64), 3)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/as_float32", "sum/S3 sum/C3", f"""
            x = normal(506, (3, 4), torch.{dt})
            expect(x.sum(dtype=torch.float32), "sum")
            expect(x.mean(1, dtype=torch.float32), "mean")
            expect_error(NotImplementedError, "sum/C3", torch.sum, x)
            expect_error(NotImplementedError, "sum/C3", torch.sum, x, 0)
            expect_error(NotImplementedError, "sum/C3", torch.mean, x)""")


def to_size(g):
    for dt in g.COMMON:
        yield g.case(f"{dt}/sum_to_size", "sum/S9", f"""
            x = {made(dt, 601, "(2, 3, 4)")}
            expect(x.sum_to_size(3, 4), "leading")
            expect(x.sum_to_size(2, 1, 4), "middle")
            expect(x.sum_to_size((1, 4)), "both")
            expect(x.sum_to_size(()), "all")
            expect_same(x.sum_to_size(2, 3, 4), x)""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/sum_to_size_gradient", "sum/S9 sum/G1", f"""
            x = {made(dt, 602, "(2, 3, 4)")}.requires_grad_()
            x.sum_to_size(3, 1).backward({made(dt, 603, "(3, 1)")})
            expect(x.grad, "x")""")
    yield g.case("float32/sum_to_size_refused", "sum/C6", """
            x = normal(604, (2, 3), torch.float32)
            expect_error(RuntimeError, "sum/C6", x.sum_to_size, 4)
            expect_error(RuntimeError, "sum/C6", x.sum_to_size, 2, 2, 3)
            expect_error(RuntimeError, "sum/C6", x.sum_to_size, 3, 3)""")


def refusals(g):
    for fn in ("sum", "mean"):
        yield g.case(f"float32/{fn}_dim_range", "sum/C1", f"""
            x = normal(701, (2, 3), torch.float32)
            expect_error(IndexError, "sum/C1", torch.{fn}, x, 2)
            expect_error(IndexError, "sum/C1", torch.{fn}, x, -3)
            expect_error(IndexError, "sum/C1", torch.{fn}, x, (0, 5))
            expect_error(IndexError, "sum/C1", torch.{fn}, x[0, 0], 1)""")
        yield g.case(f"float32/{fn}_dim_twice", "sum/C2", f"""
            x = normal(702, (2, 3), torch.float32)
            expect_error(RuntimeError, "sum/C2", torch.{fn}, x, (0, 0))
            expect_error(RuntimeError, "sum/C2", torch.{fn}, x, (1, -1))""")
        yield g.case(f"float32/{fn}_out_dtype", "sum/C5", f"""
            x = normal(703, (2, 3), torch.float32)
            expect_error(RuntimeError, "sum/C5", torch.{fn}, x, 0, dtype=torch.float64,
                         out=torch.zeros(3))""")
    for dt in g.INT + ("bool",):
        yield g.case(f"{dt}/mean_needs_floating", "sum/C4", f"""
            x = {made(dt, 704)}
            expect_error(NotImplementedError, "sum/C4", torch.mean, x)
            expect_error(NotImplementedError, "sum/C4", torch.mean, x, 0, dtype=torch.int64)
            expect(x.mean(dtype=torch.float32), "y")""")
    yield g.case("float32/mean_as_integer", "sum/C4", """
            x = normal(705, (2, 3), torch.float32)
            expect_error(NotImplementedError, "sum/C4", torch.mean, x, 0, dtype=torch.int32)""")


def to_bool(g):
    """What truncation would lose."""
    for dt in g.FLOAT:
        yield g.case(f"{dt}/to_bool", "sum/S3 sum/S4", f"""
            x = torch.tensor([[0.5, 0.0, -0.25], [0.0, -0.0, 0.0], [torch.nan, 0.0, 0.0]], dtype=torch.{dt})
            expect_equal(x.sum(1, dtype=torch.bool), [True, False, True])
            expect_equal(x.sum(0, dtype=torch.bool), [True, False, True])
            expect_equal(x[0].sum(dtype=torch.bool), True)
            out = torch.zeros(3, dtype=torch.bool)
            torch.sum(x, 1, out=out)
            expect_equal(out, [True, False, True])""")
    yield g.case("float32/to_bool_many", "sum/S3 sum/S4", """
            x = torch.zeros(3, 300)
            x[0, 299] = 0.5
            x[2, 150] = -0.001
            expect_equal(x.sum(1, dtype=torch.bool), [True, False, True])""")
    for dt in ("float32", "float16", "int8", "bool"):
        yield g.case(f"{dt}/sum_to_size_no_dims", "sum/S9", f"""
            x = {made(dt, 611, "()")}
            y = x.sum_to_size(())
            expect(y, "y")
            y.zero_()
            expect(x, "x")
            v = {made(dt, 612, "(1,)")}
            expect_same(v.sum_to_size(1), v)
            expect(v.sum_to_size(()), "of_one")""", trivial="a sum of one is that one")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/mean_of_nothing_refused", "sum/C3", f"""
            expect_error(NotImplementedError, "sum/C3", torch.mean, torch.zeros(0, 2, dtype=torch.{dt}), 0)
            expect_error(NotImplementedError, "sum/C3", torch.mean, torch.zeros(0, 2), 1, dtype=torch.{dt})""")
