# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/sum.md beyond the family's."""

from inputs import made


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield g.case(f"{dt}/of_one_element", "sum/S1" if dt in g.FLOAT else "sum/S1 sum/S3 sum/S4", f"""
            x = {made(dt, 20 * n + 9, "(3, 1)")}
            expect(x.sum(1), "y")
            expect(x[:1].sum(), "one")""")
        yield g.case(f"{dt}/four_dims", "sum/S1 sum/S2", f"""
            x = {made(dt, 20 * n + 3, "(2, 3, 4, 2)")}
            expect(x.sum([1, -1]), "negative")
            expect(x.sum((3, 0, 1)), "unordered")
            expect(x.sum((0, 3), keepdim=True), "kept")
            expect(x.sum((0, 1, 2, 3), keepdim=True), "all_kept")""")
    for dt in g.FLOAT:
        yield from floating(g, dt)
    yield from dtypes(g)
    yield from to_size(g)
    yield from refusals(g)
    yield from to_bool(g)


def floating(g, dt):
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
    yield g.case("float32/dim_out_of_list", "sum/C1", """
            x = normal(701, (2, 3), torch.float32)
            expect_error(IndexError, "sum/C1", torch.sum, x, (0, 5))
            expect_error(IndexError, "sum/C1", torch.mean, x, (0, 5))""")
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
    yield g.case("float32/mean_into_integers", "sum/S3 promotion/C1", """
        x = normal(613, (2, 3))
        expect_error(RuntimeError, "promotion/C1", torch.mean, x, 0, out=torch.zeros(3, dtype=torch.int64))""")
