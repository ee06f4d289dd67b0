# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/any.md beyond the family's."""

from basics import zeros_and_ones
from calls import ALL, COMMON, Arg, Call

CALLS = [
    Call("count_nonzero", f"torch.count_nonzero({{x}}{where})", {"x": Arg(shape, "sparse")}, name, exact=True,
         dtypes=COMMON if name == "all" else ALL, along=("N",) if name in ("all", "two") else ("N", "B"),
         over=("B", "C") if name == "two" else ("N",))
    for name, shape, where in (("all", "… N", ""), ("last", "… B N", ", dim=-1"), ("first", "N B", ", dim=0"),
                               ("middle", "B N C", ", dim=1"), ("two", "B N C", ", dim=(0, 2)"))
]


def made(dt, seed, shape, fn="any"):
    return zeros_and_ones(dt, seed, shape, fn == "all")


def cases(g):
    for n, dt in enumerate(g.ALL):
        yield from of_dtype(g, dt, 10 * n)
    for dt in g.FLOAT:
        yield from floats(g, dt)
    yield from particular(g)


def of_dtype(g, dt, s):
    for fn in ("any", "all"):
        yield g.case(f"{dt}/{fn}_no_dim_named", "any/S5", f"""
            x = {made(dt, s + 1, "(3, 4)", fn)}
            expect(x.{fn}(()), "list")
            expect(torch.{fn}(x.t(), dim=[], keepdim=True), "kept")
            expect(x[1, 2].{fn}(()), "zero_dim")
            expect(x[:0].{fn}(()), "nothing")""", maybe="of bools each is its own")
        yield g.case(f"{dt}/{fn}_into_either", "any/S3", f"""
            x = {made(dt, s + 2, "(3, 4)", fn)}
            b = torch.zeros(4, dtype=torch.bool)
            u = torch.full((4,), 7, dtype=torch.uint8)
            torch.{fn}(x, 0, out=b)
            torch.{fn}(x, (0,), out=u)
            expect(b, "bool")
            expect(u, "uint8")
            whole = torch.full((), 7, dtype=torch.uint8)
            torch.{fn}(x, out=whole)
            expect(whole, "whole")""")
        if dt in g.FLOAT8:
            yield g.case(f"{dt}/{fn}", "any/S1 any/S7", f"""
            x = {made(dt, s + 3, "(3, 4, 2)", fn)}
            expect(torch.{fn}(x, 1), "middle")
            expect(x.{fn}((0, 2), keepdim=True), "kept")
            expect(x.{fn}(), "all")
            expect(x[0, 0, 0].{fn}(), "zero_dim")""")
            yield g.case(f"{dt}/{fn}_special", "any/S2 any/S7", f"""
            x = normal({s + 4}, (6, 3), torch.{dt}, mix="zero")
            expect(x.{fn}(1), "rows")
            y = torch.tensor([[torch.nan, 0.0], [0.0, -0.0], [1.0, 2.0 ** -9]]).to(torch.{dt})
            expect(y.{fn}(1), "few")""")
        if dt in g.INT and dt not in ("int8", "uint8"):
            yield g.case(f"{dt}/{fn}_beyond_a_byte", "any/S2", f"""
            x = torch.tensor([[256, 0, -256, 0], [0, 0, 0, 0], [512, 256, 256, -256]], dtype=torch.{dt})
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")""")
    yield g.case(f"{dt}/count", "any/S1" + (" any/S7" if dt in g.FLOAT8 else ""), f"""
            x = {made(dt, s + 5, "(3, 4, 2)")}
            expect(torch.count_nonzero(x, 0), "first")
            expect(x.count_nonzero(dim=1), "middle")
            expect(x.count_nonzero(-1), "last")
            expect(x.permute(2, 0, 1).count_nonzero((0, 2)), "two")
            expect(x[:, :, 0].t().count_nonzero([0, 1]), "both")""" + ("" if dt in g.FLOAT8 else """
            expect(torch.count_nonzero(x), "all")
            expect(x.count_nonzero(()), "list")
            expect(x[0, :, 0].count_nonzero(None), "none")"""))
    yield g.case(f"{dt}/count_shapes", "any/S1 any/S4 any/S6 tensors/S10", f"""
            expect({made(dt, s + 6, "(3,)")}[1].count_nonzero(0), "zero_dim")
            x = {made(dt, s + 6, "(2, 0, 3)")}
            expect(x.count_nonzero(0), "empty")
            expect(x.count_nonzero(1), "of_nothing")
            expect({made(dt, s + 7, "(2, 19)")}.count_nonzero(1), "tail")""" + ("" if dt in g.FLOAT8 else """
            expect(x.count_nonzero(), "nothing")"""), trivial=None)


def floats(g, dt):
    least = {"float64": "5e-324", "float32": "2.0 ** -149", "bfloat16": "2.0 ** -133", "float16": "2.0 ** -24"}[dt]
    yield g.case(f"{dt}/what_is_true", "any/S2", f"""
            x = torch.tensor([[0.0, -0.0, 0.0], [0.5, 0.0, -0.0], [torch.nan, torch.nan, torch.inf],
                              [{least}, -0.25, -{least}], [0.0, {least}, 0.0]], dtype=torch.{dt})
            expect_equal(x.any(1), [False, True, True, True, True])
            expect_equal(x.all(1), [False, False, True, True, False])
            expect_equal(x.count_nonzero(1), [0, 1, 3, 3, 1])
            expect_equal(x.count_nonzero(), 8)""")
    for mix in ("nan", "zero", "subnormal"):
        yield g.case(f"{dt}/count_{mix}", "any/S1 any/S2", f"""
            x = normal(71, (6, 4), torch.{dt}, mix="{mix}") * bools(72, (6, 4))
            expect(x.count_nonzero(1), "rows")
            expect(x.count_nonzero(), "all")""")


def particular(g):
    yield g.case("float32/count_after_other_work", "any/S4", """
            x = normal(7, (64, 64)) * 1e30
            y = (x * x).isinf()
            expect_equal(torch.count_nonzero(bools(1, (0, 2, 2))), 0)
            expect_equal(torch.count_nonzero(bools(1, (0, 2, 2)), 0), [[0, 0], [0, 0]])
            expect(y, "y")""")
    yield g.case("float32/one_late_element", "any/S1", """
            x = torch.zeros(3, 5000)
            y = torch.ones(3, 5000)
            x[1, 4999] = 1e-40
            y[2, 4098] = 0
            expect_equal(x.any(1), [False, True, False])
            expect_equal(y.all(1), [True, True, False])
            expect_equal(x.count_nonzero(1), [0, 1, 0])
            expect_equal(y.count_nonzero(), 14999)""")
    yield g.case("bool/condition", "any/S1", """
            x = bools(5, (4, 6))
            if x.any():
                y = x.all(1)
            else:
                y = x.any(0)
            expect(y, "y")
            expect_equal(bool(x.all()), False)
            expect_equal((x == x).all().item(), True)""", maybe="few rows")
    yield g.case("float32/never_requires_grad", "any/G1", """
            x = integers(6, (3, 4), torch.float32, low=0, high=2).requires_grad_()
            expect_equal(x.any().requires_grad, False)
            expect_equal(x.all(1).requires_grad, False)
            expect_equal(x.count_nonzero(0).requires_grad, False)
            expect(x.any(1), "y")
            expect(x.count_nonzero(1), "count")""")
    yield g.case("float32/refused_first", "any/C3", """
            x = torch.ones(2, 3)
            expect_error(RuntimeError, "any/C3", torch.any, x, 5, out=torch.zeros(3))
            expect_error(RuntimeError, "any/C3", torch.all, x, (0, 0), out=torch.zeros(3, dtype=torch.int64))""")
    yield g.case("float32/count_refused", "any/C1 any/C2", """
            x = torch.ones(2, 3)
            expect_error(IndexError, "any/C1", torch.count_nonzero, x, 2)
            expect_error(IndexError, "any/C1", torch.count_nonzero, x, (0, -3))
            expect_error(IndexError, "any/C1", torch.count_nonzero, x[0, 0], 1)
            expect_error(RuntimeError, "any/C2", torch.count_nonzero, x, (1, -1))""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/count_whole_refused", "any/C4", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "any/C4", torch.count_nonzero, x)
            expect_error(NotImplementedError, "any/C4", torch.count_nonzero, x, ())
            expect_error(NotImplementedError, "any/C4", x[:0].count_nonzero)
            expect_error(NotImplementedError, "any/C4", x[0, 0].count_nonzero)""")
    yield g.case("bool/batched", "any/S1 any/S5 func/S1", """
            x = bools(8, (3, 2, 4))
            def some(t):
                return t.any(0)
            def every(t):
                return t.all((0, 1))
            def count(t):
                return t.count_nonzero(1)
            expect(func.vmap(some)(x), "any")
            expect(func.vmap(every)(x), "all")
            expect(func.vmap(count)(x), "count")""")
