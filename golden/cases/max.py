# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/max.md."""

from inputs import few, made
from calls import Arg, Call

CALLS = [
    Call(fn if name == "all" else f"{fn}_dim", f"torch.{fn}({{x}}{where})", {"x": Arg(shape, kind)},
         "" if name == "all" else f"{name}{'_ties' if kind == 'few' else ''}",
         along=("N",) if name in ("all", "kept") else ("N", "B"), over=("N",), exact="forward" if name == "all" else True,
         results=("",) if name == "all" else ("[0]", "[1]"), one_zero=name == "all",
         forms=("functional",) if name == "all" else (),
         maybe="the least of many is 0" if fn == "min" else "the first may be the one")
    for fn in ("max", "min") for kind in ("data", "few")
    for name, shape, where in (("all", "… N", ""), ("last", "… B N", ", dim=-1"), ("first", "N B", ", dim=0"),
                               ("middle", "B N C", ", dim=1"), ("kept", "B N", ", dim=1, keepdim=True"))
    if kind == "data" or name in ("last", "first")
] + [
    Call("aminmax", f"torch.aminmax({{x}}{where})", {"x": Arg(shape)}, name, results=("[0]", "[1]"),
         along=("N",) if name == "all" else ("N", "B"), over=("N",), exact="forward", one_zero=True,
         forms=("functional",) if name == "all" else (), maybe="the least of many is 0")
    for name, shape, where in (("all", "… N", ""), ("last", "… B N", ", dim=-1"), ("first", "N B", ", dim=0"))
]


def both(call, name=""):
    return f"""
            values{name}, indices{name} = {call}
            expect(values{name}, "values{name}")
            expect(indices{name}, "indices{name}")"""


def cases(g):
    for n, dt in enumerate(g.COMMON):
        for fn in ("max", "min"):
            yield from of_dtype(g, dt, fn, 20 * n)
        yield from pairs_of(g, dt, 20 * n)
    for dt in g.FLOAT:
        for fn in ("max", "min"):
            yield from floating(g, dt, fn)
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "max/C4", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "max/C4", torch.max, x)
            expect_error(NotImplementedError, "max/C4", torch.min, x)
            expect_error(NotImplementedError, "max/C4", torch.aminmax, x)
            expect_error(NotImplementedError, "max/C4", torch.max, x, 0)
            expect_error(NotImplementedError, "max/C4", torch.min, x, 0)
            expect_error(NotImplementedError, "max/C4", torch.aminmax, x, dim=1)
            expect_equal(torch.max(x[:0], 1)[0].shape, (0,))
            expect(x[0, 0].max(0).values, "of_one")
            expect(torch.aminmax(x[0, 0], dim=0).min, "min_of_one")""")
    yield from particular(g)


def of_dtype(g, dt, fn, s):
    yield g.case(f"{dt}/{fn}", "max/S1 max/S2", f"""
            x = {made(dt, s + 1, "(3, 4, 2)")}
            expect(torch.{fn}(x), "all")
            expect(x.{fn}(), "method")""" + both(f"torch.{fn}(x, 0)", 0) + both(f"x.{fn}(1)", 1) +
                 both(f"x.{fn}(dim=-1)", 2) + both(f"x.permute(2, 0, 1).{fn}(1)", 3) +
                 both(f"torch.{fn}(x[:, 1::2], 1)", 4), maybe="few bools")
    yield g.case(f"{dt}/{fn}_ties", "max/S4", f"""
            x = {few(dt, s + 2, "(5, 9)")}""" + both(f"torch.{fn}(x, 1)", 0) + both(f"torch.{fn}(x, 0)", 1) + f"""
            expect(torch.ones(2, 17, dtype=torch.{dt}).{fn}(1).indices, "ones")""", maybe="few bools")
    yield g.case(f"{dt}/{fn}_keepdim", "max/S5", f"""
            x = {made(dt, s + 3, "(2, 3, 4)")}""" + both(f"torch.{fn}(x, 1, keepdim=True)", 0) +
                 both(f"x.{fn}(0, True)", 1) + both(f"x.transpose(0, 2).{fn}(-1, keepdim=True)", 2), maybe="few bools")
    yield g.case(f"{dt}/{fn}_shapes", "max/S1 max/S5 tensors/S10", f"""
            s = {made(dt, s + 4, "(3,)")}[1]
            expect(s.{fn}(), "zero_dim")""" + both(f"s.{fn}(0)", 0) + both(f"s.{fn}(-1, True)", 1) + f"""
            x = {made(dt, s + 4, "(2, 0, 3)")}""" + both(f"x.{fn}(0)", 2) + both(f"x.{fn}(2, keepdim=True)", 3) +
                 both(f"{made(dt, s + 5, '(2, 19)')}.{fn}(1)", 4), trivial=None, maybe="few bools")
    yield g.case(f"{dt}/{fn}_out", "max/S8 tensors/S8", f"""
            x = {made(dt, s + 6, "(3, 4)")}
            v = torch.ones(8, dtype=torch.{dt})
            i = torch.full((12,), 9, dtype=torch.int64)
            torch.{fn}(x, 0, out=(v[::2], i[1::3]))
            expect(v, "v")
            expect(i, "i")
            whole = torch.ones((), dtype=torch.float64)
            torch.{fn}(x, out=whole)
            expect(whole, "whole")
            two = torch.zeros(3, 4, dtype=torch.{dt})
            torch.{fn}(x, x[0], out=two)
            expect(two, "two")
            cast = torch.zeros(3, 4, dtype=torch.float64)
            torch.{fn}(x, x[0], out=cast)
            expect(cast, "cast")""", maybe="few bools")
    yield g.case(f"{dt}/{fn}_of_two", "max/S6", f"""
            x = {made(dt, s + 7, "(3, 4)")}
            y = {made(dt, s + 8, "(4,)")}
            expect(torch.{fn}(x, y), "function")
            expect(x.{fn}(other=y), "method")
            expect(torch.{fn}(x[0], {made(dt, s + 9, "(2, 1)")}), "broadcast")
            expect(torch.{fn}(x, torch.tensor(2)), "one_int")
            expect(torch.{fn}(x, torch.tensor(1.5)), "one_float")""", maybe="few bools")
    if dt in g.INT:
        yield g.case(f"{dt}/{fn}_extreme", "max/S2", f"""
            x = integers({s + 10}, (4, 6), torch.{dt}, low=0, high=9, mix="extreme")
            expect(x.{fn}(), "all")""" + both(f"x.{fn}(1)"), maybe="an extreme may be 0")


def pairs_of(g, dt, s):
    yield g.case(f"{dt}/aminmax", "max/S7", f"""
            x = {made(dt, s + 11, "(3, 4, 2)")}
            a, b = torch.aminmax(x)
            expect(a, "min")
            expect(b, "max")
            r = x.aminmax(dim=1)
            expect(r.min, "min1")
            expect(r.max, "max1")
            r = torch.aminmax(x.permute(2, 0, 1), dim=-1, keepdim=True)
            expect(r[0], "min2")
            expect(r[1], "max2")
            r = torch.aminmax(x, keepdim=True)
            expect(r[0], "min3")
            r = torch.aminmax(x[0, 0, 0], dim=0)
            expect(r[1], "zero_dim")
            a = torch.ones(8, dtype=torch.{dt})
            b = torch.ones(4, dtype=torch.{dt})
            torch.aminmax(x[:, :, 0], dim=0, out=(a[::2], b))
            expect(a, "out_min")
            expect(b, "out_max")""", maybe="few bools")


def floating(g, dt, fn):
    yield g.case(f"{dt}/{fn}_nan", "max/S3 max/S4", f"""
            x = torch.tensor([[1.0, torch.nan, 3.0, torch.nan], [torch.inf, 0.0, torch.nan, 5.0],
                              [torch.nan, torch.nan, torch.nan, torch.nan],
                              [-torch.inf, -torch.inf, -torch.inf, -torch.inf]], dtype=torch.{dt})
            expect(x.{fn}(), "all")
            expect(x[3].{fn}(), "infinities")""" + both(f"x.{fn}(1)", 0) + both(f"x.{fn}(0)", 1))
    yield g.case(f"{dt}/{fn}_zeros", "max/S4", f"""
            x = torch.tensor([[0.0, -0.0, 0.0], [-0.0, 0.0, -0.0]], dtype=torch.{dt})
            v, i = x.{fn}(1)
            expect(1 / v, "signs")
            expect_equal(i, [0, 0])""")
    yield g.case(f"{dt}/{fn}_gradient", "max/G1 max/G2", f"""
            x = distinct(72, (3, 4), torch.{dt}).requires_grad_()
            (x.{fn}() * 8 + (x.{fn}(0)[0] * normal(73, (4,), torch.{dt})).sum()).backward()
            expect(x.grad, "x")
            y = distinct(74, (2, 3, 4), torch.{dt}).requires_grad_()
            y.{fn}(1, keepdim=True).values.backward(normal(75, (2, 1, 4), torch.{dt}))
            expect(y.grad, "kept")
            z = normal(76, (3,), torch.{dt})[1].clone().requires_grad_()
            (z.{fn}() * z.{fn}(0)[0] * 3).backward()
            expect(z.grad, "zero_dim")
            expect_equal(y.{fn}(1).indices.requires_grad, False)""")
    yield g.case(f"{dt}/{fn}_gradient_ties", "max/G1 max/G2", f"""
            x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [1.0, 3.0, 1.0]], dtype=torch.{dt}).requires_grad_()
            (x.{fn}() * 12).backward()
            expect(x.grad, "all")
            x.grad = None
            x.{fn}(1)[0].backward(torch.tensor([3.0, 6.0, 5.0], dtype=torch.{dt}))
            expect(x.grad, "rows")
            x.grad = None
            x.{fn}(0)[0].backward(torch.tensor([3.0, 6.0, 5.0], dtype=torch.{dt}))
            expect(x.grad, "columns")""")
    yield g.case(f"{dt}/{fn}_gradient_nan", "max/G1 max/G2", f"""
            x = torch.tensor([[1.0, torch.nan, 3.0], [torch.nan, 2.0, torch.nan]], dtype=torch.{dt}).requires_grad_()
            (x.{fn}() * 6).backward()
            expect(x.grad, "all")
            x.grad = None
            x.{fn}(1)[0].backward(torch.tensor([3.0, 5.0], dtype=torch.{dt}))
            expect(x.grad, "rows")""")
    yield g.case(f"{dt}/{fn}_gradient_of_two", "max/S6", f"""
            x = distinct(77, (3, 4), torch.{dt}).requires_grad_()
            y = distinct(78, (4,), torch.{dt}).requires_grad_()
            torch.{fn}(x, y).backward(normal(79, (3, 4), torch.{dt}))
            expect(x.grad, "x")
            expect(y.grad, "y")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/{fn}_gradient_twice", "max/G1 max/G2", f"""
            x = distinct(80, (3, 4), torch.{dt}).requires_grad_()
            m = x.{fn}(1)[0]
            (gx,) = autograd.grad((m * m * x.{fn}()).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "once")
            expect(x.grad, "twice")""")
    if fn == "min":
        yield g.case(f"{dt}/aminmax_nan", "max/S3 max/S7 max/G3", f"""
            x = torch.tensor([[1.0, torch.nan, 3.0], [4.0, 2.0, 2.0], [5.0, 5.0, 5.0]], dtype=torch.{dt}).requires_grad_()
            a, b = torch.aminmax(x, dim=1)
            expect(a, "min")
            expect(b, "max")
            (a * torch.tensor([3.0, 4.0, 6.0], dtype=torch.{dt}) + b * 3).sum().backward()
            expect(x.grad, "x")""")
        yield g.case(f"{dt}/aminmax_gradient", "max/G3", f"""
            x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 1.0, 1.5]], dtype=torch.{dt}).requires_grad_()
            a, b = torch.aminmax(x)
            (a * 3 + b * 5).backward()
            expect(x.grad, "both")
            x.grad = None
            torch.aminmax(x).max.backward()
            expect(x.grad, "max")
            x.grad = None
            torch.aminmax(x, dim=0, keepdim=True)[0].backward(normal(81, (1, 3), torch.{dt}))
            expect(x.grad, "min")""")


def particular(g):
    for fn in ("max", "min"):
        yield g.case(f"int64/{fn}_beyond_double", "max/S2", f"""
            x = torch.tensor([[9007199254740993, 9007199254740992], [-9007199254740993, -9007199254740992]])
            expect(x.{fn}(), "all")""" + both(f"x.{fn}(1)"))
        yield g.case(f"float32/{fn}_refused", "max/C1 max/C2 max/C3", f"""
            x = normal(81, (2, 3))
            e = torch.zeros(2, 0, 3)
            expect_error(IndexError, "max/C1", torch.{fn}, x, 2)
            expect_error(IndexError, "max/C1", x.{fn}, dim=-3)
            expect_error(IndexError, "max/C1", torch.{fn}, x[0, 0], 1)
            expect_error(RuntimeError, "max/C2", torch.{fn}, e)
            expect_error(IndexError, "max/C3", torch.{fn}, e, 1)
            expect_error(IndexError, "max/C3", e.{fn}, -2, keepdim=True)""")
        yield g.case(f"float32/{fn}_out_refused", "max/C5 max/S8 promotion/C1", f"""
            x = normal(82, (2, 3))
            i = torch.zeros(3, dtype=torch.int64)
            expect_error(RuntimeError, "max/C5", torch.{fn}, x, 0, out=(torch.zeros(3, dtype=torch.float64), i))
            expect_error(RuntimeError, "max/C5", torch.{fn}, x, 0, out=(torch.zeros(3), torch.zeros(3, dtype=torch.int32)))
            expect_error(RuntimeError, "promotion/C1", torch.{fn}, x, out=torch.zeros((), dtype=torch.int64))""")
        yield g.case(f"float32/{fn}_no_list", "max/S1 errors/C2", f"""
            x = normal(83, (2, 3))
            expect_error(TypeError, "errors/C2", torch.{fn}, x, (0, 1))
            expect_error(TypeError, "errors/C2", torch.{fn}, x, None)
            expect_error(TypeError, "errors/C2", torch.{fn}, x, 1.0)
            expect_error(TypeError, "errors/C2", torch.{fn}, x, keepdim=True)""")
        yield g.case(f"float32/{fn}_ties_far_apart", "max/S4", f"""
            x = torch.tensor([[0.0, 0.0, 1.0, 1.0, 1.0]])
            expect_equal(torch.max(x, 1).indices, [2])
            y = torch.zeros(3, 5000)
            y[:, 1234] = {1 if fn == "max" else -1}
            y[1:, 4321] = {1 if fn == "max" else -1}
            expect_equal(y.{fn}(1).indices, [1234, 1234, 1234])
            expect_equal(y.t().{fn}(0).indices, [1234, 1234, 1234])""")
    yield g.case("float32/aminmax_refused", "max/C1 max/C2 max/C3 max/C5", """
            x = normal(84, (2, 3))
            e = torch.zeros(2, 0, 3)
            expect_error(IndexError, "max/C1", torch.aminmax, x, dim=2)
            expect_error(RuntimeError, "max/C2", torch.aminmax, e)
            expect_error(IndexError, "max/C3", torch.aminmax, e, dim=1)
            expect_error(RuntimeError, "max/C5", torch.aminmax, x, dim=0, out=(torch.zeros(3, dtype=torch.float64), torch.zeros(3)))
            expect_error(TypeError, "errors/C2", torch.aminmax, x, 0)""")
    yield g.case("float32/batched", "max/S1 max/S6 func/S1", """
            x = normal(85, (3, 2, 4))
            def rows(t):
                v, i = t.max(1)
                return v, i
            def whole(t):
                return t.min()
            def two(t):
                return torch.max(t[0], t[1])
            v, i = func.vmap(rows)(x)
            expect(v, "rows")
            expect(i, "indices")
            expect(func.vmap(whole)(x), "whole")
            expect(func.vmap(two)(x), "two")
            expect(func.vmap(func.grad(whole))(x), "grad")""", variants=False)
