# SPDX-License-Identifier: Apache-2.0
"""Process groups, collectives and their duals. Seeds carry the rank: every rank has its own input."""

CARRIED = ("float64", "float32", "bfloat16", "float16", "int64", "int32", "int8", "uint8", "bool")


def made(g, dtype, seed, shape, mix=""):
    """A generator call whose values differ from rank to rank."""
    if dtype == "bool":
        return f"bools({seed} + dist.get_rank(), {shape})"
    if dtype in g.INT:
        low, high = (0, 12) if dtype == "uint8" else (-11, 11)
        return f"integers({seed} + dist.get_rank(), {shape}, torch.{dtype}, {low}, {high}{mix})"
    return f"normal({seed} + dist.get_rank(), {shape}, torch.{dtype}{mix})"


def groups(g):
    yield g.case("float32/world", "dist/S1", """
        r = dist.get_rank()
        expect_equal(dist.is_initialized(), True)
        expect_equal(dist.get_world_size(), 3)
        expect_equal(r, "rank")
        expect_equal(dist.get_global_rank(dist.group.WORLD, r), "global")
        x = normal(1 + r, (4,))
        dist.barrier()
        expect(x * (r + 2.0), "x")""", ranks=3)
    yield g.case("float32/new_group", "dist/S1 dist/S2", """
        g = dist.new_group([1, 2])
        expect_equal(dist.get_rank(g), "rank")
        expect_equal(dist.get_world_size(g), "size")
        x = normal(2 + dist.get_rank(), (2, 3))
        if dist.get_rank() > 0:
            dist.all_reduce(x, group=g)
            expect_equal(dist.get_global_rank(g, 0), 1)
            expect_equal(dist.get_group_rank(g, 2), 1)
        expect(x, "x")""", ranks=3)
    yield g.case("int64/new_group_sorts", "dist/S1 dist/S2", """
        g = dist.new_group([2, 0])
        x = torch.tensor([dist.get_rank() + 10])
        if dist.get_rank() != 1:
            out = [torch.tensor([0]), torch.tensor([0])]
            dist.all_gather(out, x, group=g)
            expect_equal(out[0], [10])
            expect_equal(out[1], [12])
            expect_equal(dist.get_rank(g), "rank")""", ranks=3)
    yield g.case("int32/two_groups", "dist/S2", """
        r = dist.get_rank()
        low = dist.new_group([0, 1])
        high = dist.new_group([2, 3])
        x = integers(3 + r, (5,), torch.int32)
        if r < 2:
            dist.all_reduce(x, group=low)
        else:
            dist.all_reduce(x, op=dist.ReduceOp.MAX, group=high)
        expect_equal(x, "part")
        dist.all_reduce(x)
        expect_equal(x, "whole")""", ranks=4)
    yield g.case("float32/new_group_of_all", "dist/S2", """
        g = dist.new_group()
        x = normal(4 + dist.get_rank(), (3,))
        dist.all_reduce(x, group=g)
        expect(x, "x")
        expect_equal(dist.get_world_size(g), 2)""", ranks=2)
    yield g.case("float32/no_member", "dist/S3", """
        g = dist.new_group([0])
        x = normal(5 + dist.get_rank(), (3,))
        y = x * 2.0
        if dist.get_rank() == 1:
            expect_equal(g, -100)
            expect_equal(dist.get_rank(g), -1)
            expect_warns("dist/S3", dist.all_reduce, y, group=g)
        else:
            dist.all_reduce(y, group=g)
        expect(y, "y")""", ranks=2)
    yield g.case("int64/bad_groups", "dist/C8", """
        expect_error(ValueError, "dist/C8", dist.new_group, [0, 2])
        expect_error(ValueError, "dist/C8", dist.new_group, [0, 0])
        x = torch.tensor([1])
        dist.all_reduce(x)
        expect_equal(x, [2])""", ranks=2)
    yield g.case("int64/numbers_of_ranks", "dist/S1 dist/C8", """
        g = dist.new_group([0, 2])
        if dist.get_rank() != 1:
            expect_equal(dist.get_global_rank(g, 1), 2)
            expect_equal(dist.get_group_rank(g, 2), 1)
            expect_error(ValueError, "dist/C8", dist.get_global_rank, g, -1)
            expect_error(ValueError, "dist/C8", dist.get_global_rank, g, 2)
            expect_error(ValueError, "dist/C8", dist.get_global_rank, g, 4294967296)
            expect_error(ValueError, "dist/C8", dist.get_group_rank, g, -1)
            expect_error(ValueError, "dist/C8", dist.get_group_rank, g, 1)
            expect_error(ValueError, "dist/C8", dist.get_group_rank, g, 4294967298)
        for r in range(-1, 5):
            expect_equal(dist.get_global_rank(dist.group.WORLD, r), r)
            expect_equal(dist.get_group_rank(dist.group.WORLD, r), r)
        expect_error(ValueError, "dist/C8", dist.get_global_rank, None, 0)
        expect_error(ValueError, "dist/C8", dist.get_group_rank, None, 0)""", ranks=3)
    yield g.case("int64/numbers_by_marker", "dist/S3 dist/C8", """
        g = dist.new_group([0, 2])
        h = dist.new_group([2])
        if dist.get_rank() == 0:
            expect_equal(dist.get_global_rank(h, 0), 2)
            expect_equal(dist.get_global_rank(g, 1), 2)
        if dist.get_rank() == 1:
            expect_equal(dist.get_global_rank(g, 0), 2)
            expect_equal(dist.get_group_rank(h, 2), 0)
            expect_error(ValueError, "dist/C8", dist.get_group_rank, g, 0)""", ranks=3)
    yield g.case("float32/no_world", "dist/C1", """
        x = torch.ones(2)
        expect_equal(dist.is_initialized(), False)
        expect_error(ValueError, "dist/C1", dist.get_rank)
        expect_error(ValueError, "dist/C1", dist.get_world_size)
        expect_error(ValueError, "dist/C1", dist.all_reduce, x)
        expect_error(ValueError, "dist/C1", dist.all_gather, [x, x], x)""")


def reductions(g):
    for dtype in CARRIED:
        ops = ["SUM", "MAX", "MIN", "PRODUCT"]
        ops += ["AVG"] if dtype in g.FLOAT else ["BAND", "BOR", "BXOR"]
        lines = "\n".join(
            f"y = {made(g, dtype, 10 + 7 * k, (3, 4))}\n"
            f"dist.all_reduce(y, op=dist.ReduceOp.{op})\n"
            f"{'expect' if dtype in g.FLOAT else 'expect_equal'}(y, '{op}')"
            for k, op in enumerate(ops))
        rules = "dist/S4 dist/S5 " + ("dist/S6" if dtype in g.FLOAT else "dist/S7")
        for ranks in (2, 3):
            yield g.case(f"{dtype}/all_reduce_{ranks}", rules, lines, ranks=ranks)
            op = "AVG" if dtype in g.FLOAT and ranks == 3 else "SUM"
            check = "expect" if dtype in g.FLOAT else "expect_equal"
            yield g.case(f"{dtype}/reduce_scatter_{ranks}", "dist/S9 " + rules[8:], f"""
                x = {made(g, dtype, 60, (2 * ranks, 3))}
                y = torch.zeros(2, 3, dtype=torch.{dtype})
                dist.reduce_scatter_tensor(y, x, op=dist.ReduceOp.{op})
                {check}(y, "tensor")
                parts = [{", ".join(made(g, dtype, 70 + 5 * k, (2, 2))
                                              for k in range(ranks))}]
                z = torch.zeros(2, 2, dtype=torch.{dtype})
                dist.reduce_scatter(z, parts)
                {check}(z, "list")""", ranks=ranks)
            yield g.case(f"{dtype}/all_gather_{ranks}", "dist/S8", f"""
                x = {made(g, dtype, 80, (2, 3))}
                outs = [{", ".join([f"torch.zeros(2, 3, dtype=torch.{dtype})"] * ranks)}]
                dist.all_gather(outs, x)
                y = torch.zeros({2 * ranks}, 3, dtype=torch.{dtype})
                dist.all_gather_into_tensor(y, x)
                expect_equal(y, "tensor")
                for i in range({ranks}):
                    expect_equal(outs[i], "list")""", ranks=ranks)
    for dtype, bits in (("int64", 63), ("int32", 31), ("int8", 7), ("uint8", 8)):
        low, high = 1 << bits - 1, (1 << bits) - 1
        yield g.case(f"{dtype}/wraps", "dist/S7", f"""
            x = integers(90 + dist.get_rank(), (16,), torch.{dtype}, {low}, {high})
            y = x * 1
            z = x * 1
            dist.all_reduce(x)
            dist.all_reduce(y, op=dist.ReduceOp.PRODUCT)
            dist.all_reduce(z, op=dist.ReduceOp.MAX)
            expect_equal(x, "sum")
            expect_equal(y, "product")
            expect_equal(z, "max")""", ranks=2)
    for dtype in g.FLOAT:
        yield g.case(f"{dtype}/special", "dist/S5", f"""
            x = normal(93, (16,), torch.{dtype}, mix="inf") * (1.0 + dist.get_rank())
            dist.all_reduce(x)
            expect(x, "sum")
            y = normal(94, (16,), torch.{dtype}, mix="subnormal")
            dist.all_reduce(y, op=dist.ReduceOp.MAX)
            expect(y, "max")""", ranks=2)
    yield g.case("float32/four_ranks", "dist/S4 dist/S6", """
        x = normal(95 + dist.get_rank(), (3, 5)) * (10.0 - 4.0 * dist.get_rank())
        dist.all_reduce(x)
        expect(x, "x")""", ranks=4)
    yield g.case("bfloat16/odd_sizes", "dist/S4 dist/S11", """
        for n in range(1, 9):
            x = normal(100 + 10 * dist.get_rank(), (n,), torch.bfloat16)
            dist.all_reduce(x, op=dist.ReduceOp.AVG)
            expect(x, "x")""", ranks=2)


def forms(g):
    for dtype in ("float32", "bfloat16", "int64"):
        check = "expect" if dtype in g.FLOAT else "expect_equal"
        yield g.case(f"{dtype}/two_halves", "dist/S10", f"""
            x = {made(g, dtype, 110, (6, 2))}
            part = torch.zeros(2, 2, dtype=torch.{dtype})
            y = torch.zeros(6, 2, dtype=torch.{dtype})
            dist.reduce_scatter_tensor(part, x)
            dist.all_gather_into_tensor(y, part)
            dist.all_reduce(x)
            {check}(x, "x")
            {check}(y, "y")""", ranks=3)
    for dtype in ("float32", "float16", "int32"):
        check = "expect" if dtype in g.FLOAT else "expect_equal"
        yield g.case(f"{dtype}/no_dims", "dist/S11", f"""
            x = {made(g, dtype, 120, ())}
            outs = [torch.zeros((), dtype=torch.{dtype}), torch.zeros((), dtype=torch.{dtype})]
            dist.all_gather(outs, x)
            expect_equal(outs[0], "first")
            expect_equal(outs[1], "second")
            y = torch.zeros((), dtype=torch.{dtype})
            dist.reduce_scatter(y, outs, op=dist.ReduceOp.MAX)
            expect_equal(y, "scattered")
            dist.all_reduce(x)
            {check}(x, "x")""", ranks=2)
    yield g.case("float32/no_elements", "dist/S11", """
        x = normal(121, (0, 3))
        dist.all_reduce(x)
        expect_equal(x, "x")
        outs = [torch.zeros(0, 3), torch.zeros(0, 3)]
        dist.all_gather(outs, x)
        expect_equal(outs[1], "list")
        y = torch.zeros(0, 3)
        dist.all_gather_into_tensor(y, x)
        dist.reduce_scatter(x, outs)
        expect_equal(y, "y")""", ranks=2, trivial="there are no elements")
    yield g.case("float32/column", "dist/S12", """
        b = normal(122 + dist.get_rank(), (4, 6))
        x = b[:, 1:6:2]
        dist.all_reduce(x)
        expect(b, "b")
        expect(x, "x")""", ranks=2, variants=False)
    yield g.case("int64/strided_forms", "dist/S12", """
        b = integers(123 + dist.get_rank(), (6, 4), torch.int64)
        y = torch.zeros(4, 12, dtype=torch.int64)
        dist.all_gather_into_tensor(y.t(), b)
        expect_equal(y, "gathered")
        z = torch.zeros(4, 3, dtype=torch.int64)
        dist.reduce_scatter_tensor(z.t(), b)
        expect_equal(z, "scattered")
        dist.broadcast(b[:, 1], 1)
        expect_equal(b, "broadcast")""", ranks=2, variants=False)
    yield g.case("float32/into_its_own", "dist/S8 dist/S9", """
        x = normal(124 + dist.get_rank(), (6,))
        r = dist.get_rank()
        dist.all_gather_into_tensor(x, x[3 * r:3 * r + 3])
        expect_equal(x, "gathered")
        y = normal(126 + r, (6,))
        dist.reduce_scatter_tensor(y[3 * r:3 * r + 3], y)
        expect(y, "scattered")""", ranks=2, variants=False)
    for dtype in ("float32", "int8"):
        yield g.case(f"{dtype}/broadcast", "dist/S15", f"""
            x = {made(g, dtype, 130, (2, 3))}
            dist.broadcast(x, 1)
            expect_equal(x, "x")
            y = {made(g, dtype, 140, (2,))}
            dist.broadcast(y, src=2)
            expect_equal(y, "y")""", ranks=3)


    yield g.case("float32/broadcast_in_groups", "dist/S2 dist/S15", """
        r = dist.get_rank()
        low = dist.new_group([0, 1])
        high = dist.new_group([3, 2])
        all = dist.new_group()
        x = normal(144 + r, (3,))
        if r < 2:
            dist.broadcast(x, 1, group=low)
        else:
            dist.broadcast(x, 2, group=high)
        expect_equal(x, "x")
        y = normal(148 + r, (2, 2))
        dist.broadcast(y, 3, group=all)
        expect_equal(y, "y")""", ranks=4)
    yield g.case("float32/halves_in_a_group", "dist/S2 dist/S8 dist/S9 dist/S10", """
        g = dist.new_group([1, 3])
        x = normal(400 + dist.get_rank(), (4, 2))
        if dist.get_rank() % 2 == 1:
            part = torch.zeros(2, 2)
            y = torch.zeros(4, 2)
            dist.reduce_scatter_tensor(part, x, group=g)
            dist.all_gather_into_tensor(y, part, group=g)
            dist.all_reduce(x, group=g)
            expect(part, "part")
            expect(y, "y")
        expect(x, "x")""", ranks=4)


def asynchronous(g):
    yield g.case("float32/work", "dist/S13", """
        x = normal(150 + dist.get_rank(), (3, 4))
        w = dist.all_reduce(x, async_op=True)
        expect_equal(w.wait(), True)
        expect_equal(w.is_completed(), True)
        expect(x, "x")
        y = normal(151, (2,))
        expect_equal(dist.all_reduce(y), None)""", ranks=2)
    yield g.case("float32/several_works", "dist/S13", """
        a = normal(152 + dist.get_rank(), (3,))
        b = normal(154 + dist.get_rank(), (2, 2))
        c = torch.zeros(6)
        first = dist.all_reduce(a, async_op=True)
        second = dist.all_reduce(b, op=dist.ReduceOp.MAX, async_op=True)
        d = normal(156 + dist.get_rank(), (3,))
        third = dist.all_gather_into_tensor(c, d, async_op=True)
        third.wait()
        first.wait()
        second.wait()
        expect(a, "a")
        expect(b, "b")
        expect_equal(c, "c")""", ranks=2)
    yield g.case("float32/overlap", "dist/S13", """
        w1 = normal(160, (4, 4))
        x = normal(161 + dist.get_rank(), (3, 4))
        g1 = x.t() @ x
        work = dist.all_reduce(g1, async_op=True)
        g2 = w1 @ g1.new_ones(4, 4)
        work.wait()
        g1 /= dist.get_world_size()
        expect(g1, "g1")
        expect(g2, "g2")""".replace("g1.new_ones(4, 4)", "torch.ones(4, 4)"), ranks=2)
    yield g.case("float32/not_in_the_graph", "dist/S14", """
        x = normal(162 + dist.get_rank(), (3,)).requires_grad_()
        y = x * 2
        v = y._version
        dist.all_reduce(y)
        expect_equal(y._version - v, 0)
        y.sum().backward()
        expect(y, "y")
        expect(x.grad, "gx")""", ranks=2, variants=False)
    yield g.case("float32/written_before_wait", "dist/C13", """
        x = torch.ones(3)
        w = dist.all_reduce(x, async_op=True)
        x[1] = 7.0
        expect_error(RuntimeError, "dist/C13", w.wait)
        expect_equal(x, [1.0, 7.0, 1.0])""", ranks=2, provenance="documented")


def refusals(g):
    for dtype in ("int16", "float8_e4m3fn", "float8_e5m2"):
        yield g.case(f"{dtype}/not_carried", "dist/C2", f"""
            x = torch.zeros(4, dtype=torch.{dtype})
            expect_error(RuntimeError, "dist/C2", dist.all_reduce, x)""", ranks=2)
    for dtype in ("int64", "int32", "int8", "uint8", "bool"):
        yield g.case(f"{dtype}/no_mean", "dist/C3", f"""
            x = torch.ones(4, dtype=torch.{dtype})
            expect_error(RuntimeError, "dist/C3", fc.all_reduce, x, "avg", dist.group.WORLD)
            """, ranks=2)
    for dtype in g.FLOAT:
        yield g.case(f"{dtype}/no_bits", "dist/C3", f"""
            x = torch.ones(4, dtype=torch.{dtype})
            expect_error(RuntimeError, "dist/C3", dist.all_reduce, x, op=dist.ReduceOp.BAND)
            """, ranks=2)
    for name, call in {
            "short_list": "dist.all_gather, [x], x",
            "list_sizes": "dist.all_gather, [x, torch.zeros(3, 2)], x",
            "into_short": "dist.all_gather_into_tensor, torch.zeros(3, 3), x",
            "into_stacked": "dist.all_gather_into_tensor, torch.zeros(2, 2, 3), x",
            "into_flat": "dist.all_gather_into_tensor, torch.zeros(12), x",
            "scatter_short_list": "dist.reduce_scatter, torch.zeros(2, 3), [x]",
            "scatter_list_sizes": "dist.reduce_scatter, torch.zeros(3, 2), [x, x]",
            "scatter_long": "dist.reduce_scatter_tensor, torch.zeros(2, 3), x",
            "scatter_flat": "dist.reduce_scatter_tensor, torch.zeros(3), x"}.items():
        yield g.case(f"float32/{name}", "dist/C4", f"""
            x = torch.ones(2, 3)
            expect_error(RuntimeError, "dist/C4", {call})""", ranks=2)
    for name, error, call in (
            ("list_dtypes", "ValueError",
             "dist.all_gather, [x, torch.zeros(2, 3, dtype=torch.int64)], x"),
            ("scatter_list_dtypes", "ValueError",
             "dist.reduce_scatter, torch.zeros(2, 3, dtype=torch.float64), [x, x]"),
            ("into_dtype", "RuntimeError",
             "dist.all_gather_into_tensor, torch.zeros(4, 3, dtype=torch.int64), x"),
            ("scatter_dtype", "RuntimeError",
             "dist.reduce_scatter_tensor, torch.zeros(1, 3, dtype=torch.int64), x")):
        yield g.case(f"float32/{name}", "dist/C5", f"""
            x = torch.ones(2, 3)
            expect_error({error}, "dist/C5", {call})""", ranks=2)
    for name, call in {
            "other_collective": ("dist.all_reduce, x", "dist.all_gather, [x, x], x"),
            "other_sizes": ("dist.all_reduce, x", "dist.all_reduce, torch.ones(5)"),
            "other_shape": ("dist.all_reduce, x", "dist.all_reduce, torch.ones(2, 2)"),
            "other_dtype": ("dist.all_reduce, x",
                            "dist.all_reduce, torch.ones(4, dtype=torch.float64)"),
            "scattered": ("dist.reduce_scatter_tensor, torch.ones(2), x",
                          "dist.all_reduce, torch.ones(2)")}.items():
        yield g.case(f"float32/mismatch_{name}", "dist/C6", f"""
            x = torch.ones(4)
            if dist.get_rank() == 0:
                expect_error(RuntimeError, "dist/C6", {call[0]})
            else:
                expect_error(RuntimeError, "dist/C6", {call[1]})""", ranks=2)
    yield g.case("float32/mismatch_op", "dist/C6 dist/S18", """
        x = torch.ones(4)
        if dist.get_rank() == 0:
            expect_error(RuntimeError, "dist/C6", dist.all_reduce, x, op=dist.ReduceOp.MAX)
        else:
            expect_error(RuntimeError, "dist/C6", dist.all_reduce, x)
        dist.all_reduce(x)
        expect_equal(x, [2.0, 2.0, 2.0, 2.0])""", ranks=2, provenance="documented")
    yield g.case("float32/rank_ends", "dist/C7", """
        x = torch.ones(4)
        if dist.get_rank() > 0:
            expect_error(RuntimeError, "dist/C7", dist.all_reduce, x)""", ranks=3)
    yield g.case("float32/rank_ends_async", "dist/C7", """
        x = torch.ones(4)
        if dist.get_rank() == 0:
            w = dist.all_reduce(x, async_op=True)
            expect_error(RuntimeError, "dist/C7", w.wait)
            expect_equal(x, [1.0, 1.0, 1.0, 1.0])""", ranks=2, provenance="documented")
    yield g.case("float32/broadcast_source", "dist/C14", """
        x = torch.ones(4)
        expect_error(RuntimeError, "dist/C14", dist.broadcast, x, 5)
        expect_error(RuntimeError, "dist/C14", dist.broadcast, x, -1)
        expect_error(RuntimeError, "dist/C14", dist.broadcast, x, 4294967297)""", ranks=2)
    yield g.case("float32/broadcast_source_of_world", "dist/C14", """
        x = torch.ones(4)
        expect_error(RuntimeError, "dist/C14", dist.broadcast, x, src=3, group=None)
        expect_error(RuntimeError, "dist/C14", dist.broadcast, x, src=3,
                     group=dist.group.WORLD)""", ranks=3)
    yield g.case("float32/broadcast_source_of_group", "dist/C17", """
        g = dist.new_group([0, 2])
        x = torch.ones(4) * (dist.get_rank() + 1.0)
        expect_error(ValueError, "dist/C17", dist.broadcast, x, 1, group=g)
        expect_error(ValueError, "dist/C17", dist.broadcast, x, 3, group=g)
        expect_error(ValueError, "dist/C17", dist.broadcast, x, -1, group=g)
        expect_error(ValueError, "dist/C17", dist.broadcast, x, 4294967298, group=g)
        if dist.get_rank() != 1:
            dist.broadcast(x, 2, group=g)
        expect_equal(x, "x")""", ranks=3)
    yield g.case("int16/broadcast_source_of_group", "dist/C17", """
        g = dist.new_group()
        x = torch.ones(4, dtype=torch.int16)
        expect_error(ValueError, "dist/C17", dist.broadcast, x, 2, group=g)
        expect_error(ValueError, "dist/C17", dist.broadcast, x, src=-1, group=g)
        expect_error(RuntimeError, "dist/C2", dist.broadcast, x, 1, group=g)""", ranks=2)
    yield g.case("float32/shared_elements", "dist/C15", """
        x = torch.ones(1).expand(3)
        expect_error(RuntimeError, "dist/C15", dist.all_reduce, x)""", ranks=2,
                 provenance="documented")
    yield g.case("float32/no_tensor", "errors/C2", """
        expect_error(TypeError, "errors/C2", dist.all_reduce, 3)
        expect_error(TypeError, "errors/C2", dist.all_gather, [3, 4], torch.ones(2))""", ranks=2)
    yield g.case("float32/functional_group", "dist/C9", """
        expect_error(ValueError, "dist/C9", fc.all_reduce, torch.ones(2), "sum", None)""",
                 ranks=2)
    yield g.case("float32/functional_op", "dist/C10", """
        expect_error(RuntimeError, "dist/C10", fc.all_reduce, torch.ones(2), "mean",
                     dist.group.WORLD)""", ranks=2)
    yield g.case("float32/functional_dims", "dist/C12 dist/C16", """
        x = torch.ones(3, 4)
        expect_error(AssertionError, "dist/C12", fc.reduce_scatter_single, x, "sum", 0,
                     dist.group.WORLD)
        expect_error(IndexError, "dist/C16", fc.reduce_scatter_single, x, "sum", 2,
                     dist.group.WORLD)""", ranks=2)


def functional(g):
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        for op in ("sum", "avg"):
            yield g.case(f"{dtype}/fc_all_reduce_{op}", "dist/S16 dist/G1", f"""
                x = normal(170 + dist.get_rank(), (2, 3), torch.{dtype}).requires_grad_()
                w = normal(180 + dist.get_rank(), (2, 3), torch.{dtype})
                y = fc.all_reduce(x, "{op}", dist.group.WORLD)
                expect(y, "y")
                (y * w).sum().backward()
                expect(x.grad, "gx")""", ranks=2)
        yield g.case(f"{dtype}/fc_all_gather", "dist/S16 dist/G3", f"""
            x = normal(190 + dist.get_rank(), (2, 3), torch.{dtype}).requires_grad_()
            w = normal(200 + dist.get_rank(), (6, 3), torch.{dtype})
            y = fc.all_gather_single(x, 0, dist.group.WORLD)
            expect_equal(y, "y")
            (y * w).sum().backward()
            expect(x.grad, "gx")""", ranks=3)
        yield g.case(f"{dtype}/fc_reduce_scatter", "dist/S16 dist/G4", f"""
            x = normal(210 + dist.get_rank(), (4, 3), torch.{dtype}).requires_grad_()
            w = normal(220 + dist.get_rank(), (2, 3), torch.{dtype})
            y = fc.reduce_scatter_single(x, "sum", 0, dist.group.WORLD)
            expect(y, "y")
            (y * w).sum().backward()
            expect(x.grad, "gx")""", ranks=2)
    for op in ("max", "min"):
        yield g.case(f"float32/fc_all_reduce_{op}", "dist/G2", f"""
            x = normal(230 + dist.get_rank(), (3, 4)).requires_grad_()
            w = normal(240 + dist.get_rank(), (3, 4))
            y = fc.all_reduce(x, "{op}", dist.group.WORLD)
            expect_equal(y, "y")
            (y * w).sum().backward()
            expect(x.grad, "gx")""", ranks=3)
    yield g.case("float32/fc_ties", "dist/G2", """
        x = torch.tensor([1.0, 2.0, 3.0]) * (1.0 - dist.get_rank() * dist.get_rank())
        x[1] = 5.0
        x.requires_grad_()
        y = fc.all_reduce(x, "max", dist.group.WORLD)
        expect_equal(y, [1.0, 5.0, 3.0])
        y.backward(torch.tensor([2.0, 6.0, 9.0]))
        expect(x.grad, "gx")""", ranks=2)
    for dim in (1, -1, 2):
        yield g.case(f"float32/fc_all_gather_dim{dim}", "dist/S17 dist/G3", f"""
            x = normal(250 + dist.get_rank(), (2, 3, 2)).requires_grad_()
            y = fc.all_gather_single(x, {dim}, dist.group.WORLD)
            expect_equal(y, "y")
            w = normal(252 + dist.get_rank(), ({"2, 6, 2" if dim == 1 else "2, 3, 4"},))
            (y * w).sum().backward()
            expect(x.grad, "gx")""", ranks=2)
        yield g.case(f"float32/fc_reduce_scatter_dim{dim}", "dist/S17 dist/G4", f"""
            x = normal(260 + dist.get_rank(), (2, 4, 4)).requires_grad_()
            y = fc.reduce_scatter_single(x, "sum", {dim}, dist.group.WORLD)
            expect(y, "y")
            w = normal(262 + dist.get_rank(), ({"2, 2, 4" if dim == 1 else "2, 4, 2"},))
            (y * w).sum().backward()
            expect(x.grad, "gx")""", ranks=2)
    yield g.case("float32/fc_expanded_gradient", "dist/G3", """
        x = normal(270 + dist.get_rank(), (3,)).requires_grad_()
        y = fc.all_gather_single(x, 0, dist.group.WORLD)
        y.sum().backward()
        expect_equal(x.grad, [2.0, 2.0, 2.0])
        expect_equal(y, "y")""", ranks=2)
    yield g.case("float32/fc_leaves_its_input", "dist/S16", """
        x = normal(271 + dist.get_rank(), (3, 2))
        y = fc.all_reduce(x.t(), "SUM", dist.group.WORLD)
        expect(y, "y")
        expect_copy_of(y, x)
        expect_equal(x, "x")""", ranks=2)
    yield g.case("float32/fc_twice", "dist/G1", """
        x = normal(272 + dist.get_rank(), (3,), torch.float64).requires_grad_()
        y = fc.all_reduce(x * x, "sum", dist.group.WORLD)
        gx, = autograd.grad((y * y).sum(), [x], create_graph=True)
        expect(gx, "gx")
        ggx, = autograd.grad(gx.sum(), [x])
        expect(ggx, "ggx")""".replace("gx, = ", "gx = ").replace(", [x], create_graph=True)",
                                                                  ", [x], create_graph=True)[0]")
                 .replace("gx.sum(), [x])", "gx.sum(), [x])[0]"), ranks=2)
    yield g.case("float32/fc_sub_group", "dist/S16 dist/G1", """
        g = dist.new_group([0, 2])
        x = normal(274 + dist.get_rank(), (3,)).requires_grad_()
        if dist.get_rank() != 1:
            y = fc.all_reduce(x, "sum", g)
            (y * (dist.get_rank() + 1)).sum().backward()
            expect(y, "y")
            expect(x.grad, "gx")""", ranks=3)
    for op, call in (("product", 'fc.all_reduce(x, "product", dist.group.WORLD)'),
                     ("scatter_avg",
                      'fc.reduce_scatter_single(x, "avg", 0, dist.group.WORLD)')):
        yield g.case(f"float32/fc_no_dual_{op}", "dist/C11", f"""
            x = normal(280 + dist.get_rank(), (4,)).requires_grad_()
            y = {call}
            expect(y, "y")
            expect_error(RuntimeError, "dist/C11", y.sum().backward)""", ranks=2)
    yield g.case("float32/data_parallel", "dist/S4 dist/S9 dist/S8", """
        w = normal(290, (4, 3)).requires_grad_()
        x = normal(291 + dist.get_rank(), (5, 3))
        (x @ w.t()).sum().backward()
        whole = w.grad * 1.0
        part = torch.zeros(2, 3)
        dist.reduce_scatter_tensor(part, w.grad, op=dist.ReduceOp.AVG)
        expect(part, "shard of the gradient")
        shard = w.detach()[2 * dist.get_rank():2 * dist.get_rank() + 2] - part * 0.5
        after = torch.zeros(4, 3)
        dist.all_gather_into_tensor(after, shard)
        expect(after, "after")""".replace("whole = w.grad * 1.0\n        ", ""), ranks=2)


def cases(g):
    yield from groups(g)
    yield from reductions(g)
    yield from forms(g)
    yield from asynchronous(g)
    yield from refusals(g)
    yield from functional(g)
