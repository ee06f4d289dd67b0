# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/cummax.md."""

from inputs import few, made
from calls import Arg, Call

CALLS = [
    Call(fn, f"torch.{fn}({{x}}, {dim})", {"x": Arg(shape, kind)}, f"{name}{'_ties' if kind == 'few' else ''}",
         along=("N", "B"), over=("N",), exact="forward", results=("[0]", "[1]"), maybe="the first may stay the one")
    for fn in ("cummax", "cummin") for kind in ("data", "few")
    for name, shape, dim in (("last", "… B N", -1), ("first", "N B", 0), ("middle", "B N C", 1))
    if kind == "data" or name == "last"
]


def both(call, name=""):
    return f"""
            values{name}, indices{name} = {call}
            expect(values{name}, "values{name}")
            expect(indices{name}, "indices{name}")"""


def cases(g):
    for n, dt in enumerate(g.COMMON):
        for fn in ("cummax", "cummin"):
            yield from of_dtype(g, dt, fn, 20 * n)
    for dt in g.FLOAT:
        for fn in ("cummax", "cummin"):
            yield from floating(g, dt, fn)
    yield from refusals(g)


def of_dtype(g, dt, fn, s):
    yield g.case(f"{dt}/{fn}", "cummax/S1 cummax/S4 cummax/S5", f"""
            x = {made(dt, s + 1, "(3, 4, 2)")}""" + both(f"torch.{fn}(x, 0)", 0) + both(f"x.{fn}(1)", 1) +
                 both(f"x.{fn}(dim=-1)", 2) + both(f"torch.{fn}(x.permute(2, 0, 1), 1)", 3), maybe="few bools")
    yield g.case(f"{dt}/{fn}_ties", "cummax/S2", f"""
            x = {few(dt, s + 2, "(4, 12)")}""" + both(f"torch.{fn}(x, 1)", 0) + both(f"torch.{fn}(x.t(), 0)", 1),
                 maybe="few bools")
    yield g.case(f"{dt}/{fn}_shapes", "cummax/S1 cummax/S5 tensors/S10", f"""
            s = {made(dt, s + 3, "(3,)")}[1]""" + both(f"s.{fn}(0)", 0) + both(f"s.{fn}(-1)", 1) +
                 both(f"{made(dt, s + 3, '(2, 0, 3)')}.{fn}(1)", 2) + both(f"{made(dt, s + 3, '(0, 3)')}.{fn}(1)", 3) +
                 both(f"{made(dt, s + 4, '(2, 19)')}.{fn}(1)", 4), maybe="few bools")
    yield g.case(f"{dt}/{fn}_out", "cummax/S1 tensors/S8", f"""
            x = {made(dt, s + 5, "(3, 4)")}
            v = torch.ones(3, 8, dtype=torch.{dt})
            i = torch.full((4, 3), 9, dtype=torch.int64)
            torch.{fn}(x, 1, out=(v[:, ::2], i.t()))
            expect(v, "v")
            expect(i, "i")""", maybe="few bools")
    if dt in g.INT:
        yield g.case(f"{dt}/{fn}_extreme", "cummax/S4", f"""
            x = integers({s + 6}, (4, 9), torch.{dt}, low=0, high=9, mix="extreme")""" + both(f"x.{fn}(1)"))


def floating(g, dt, fn):
    yield g.case(f"{dt}/{fn}_nan", "cummax/S3", f"""
            x = torch.tensor([[1.0, 3.0, torch.nan, 5.0, 4.0], [torch.nan, 1.0, torch.nan, 0.0, 2.0],
                              [torch.inf, -torch.inf, torch.inf, 1.0, torch.nan]], dtype=torch.{dt})""" +
                 both(f"x.{fn}(1)", 0) + both(f"x.{fn}(0)", 1))
    yield g.case(f"{dt}/{fn}_zeros", "cummax/S2", f"""
            x = torch.tensor([0.0, -0.0, 0.0, -0.0, 0.0], dtype=torch.{dt})
            v, i = x.{fn}(0)
            expect(1 / v, "signs")
            expect_equal(i, [0, 1, 2, 3, 4])""")
    yield g.case(f"{dt}/{fn}_gradient", "cummax/G1", f"""
            x = normal(11, (3, 6), torch.{dt}).requires_grad_()
            x.{fn}(1)[0].backward(normal(12, (3, 6), torch.{dt}))
            expect(x.grad, "rows")
            y = normal(13, (2, 4, 3), torch.{dt}).requires_grad_()
            v, i = y.{fn}(-2)
            v.backward(normal(14, (2, 4, 3), torch.{dt}))
            expect(y.grad, "middle")
            expect_equal(i.requires_grad, False)
            z = normal(15, (3,), torch.{dt})[1].clone().requires_grad_()
            (z.{fn}(0)[0] * 3).backward()
            expect(z.grad, "zero_dim")
            t = torch.tensor([1.0, 1.0, torch.nan, 2.0, torch.nan], dtype=torch.{dt}).requires_grad_()
            t.{fn}(0)[0].backward(torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0], dtype=torch.{dt}))
            expect(t.grad, "ties")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/{fn}_gradient_twice", "cummax/G1", f"""
            x = normal(16, (3, 5), torch.{dt}).requires_grad_()
            y = x.{fn}(1)[0]
            (gx,) = autograd.grad((y * y * x).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "once")
            expect(x.grad, "twice")""")


def refusals(g):
    for fn in ("cummax", "cummin"):
        yield g.case(f"int64/{fn}_beyond_double", "cummax/S4", f"""
            x = torch.tensor([9007199254740992, 9007199254740993, 9007199254740992, -9007199254740993, -9007199254740992])""" +
                     both(f"x.{fn}(0)"))
        yield g.case(f"float32/{fn}_refused", "cummax/C1 cummax/C3", f"""
            x = normal(81, (2, 3))
            i = torch.zeros(2, 3, dtype=torch.int64)
            expect_error(IndexError, "cummax/C1", torch.{fn}, x, 2)
            expect_error(IndexError, "cummax/C1", x.{fn}, dim=-3)
            expect_error(IndexError, "cummax/C1", torch.{fn}, x[0, 0], 1)
            expect_error(RuntimeError, "cummax/C3", torch.{fn}, x, 0, out=(torch.zeros(2, 3, dtype=torch.float64), i))
            expect_error(RuntimeError, "cummax/C3", torch.{fn}, x, 0, out=(torch.zeros(2, 3), torch.zeros(2, 3, dtype=torch.int32)))""")
        for dt in g.FLOAT8:
            yield g.case(f"{dt}/{fn}_refused", "cummax/C2", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "cummax/C2", torch.{fn}, x, 0)
            expect_equal(x[0, 0].{fn}(0).indices, 0)
            expect_equal(x[:0].{fn}(1).values.shape, (0, 3))""", trivial="one element stands at 0")
    yield g.case("float32/batched", "cummax/S1 func/S1", """
            x = normal(85, (3, 2, 4))
            def rows(t):
                v, i = t.cummax(1)
                return v, i
            v, i = func.vmap(rows)(x)
            expect(v, "rows")
            expect(i, "indices")""")
