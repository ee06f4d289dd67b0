# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/median.md: of equal elements only the values are asked for, and that the indices name them."""

from inputs import few
from calls import Arg, Call

CALLS = [
    Call(op, f"torch.{fn}({{x}}{first}{where})", {"x": Arg(shape, "few" if fn == "mode" else "data")}, name,
         results=("",) if name == "all" else ("[0]",), along=("N",) if name in ("all", "kept") else ("N", "B"), over=("N",),
         exact="forward" if name == "all" else True, forms=("functional",), gradient=name == "all",
         without=("huge", "near", "edges", "zeros", "extreme", "large") if fn == "mode" else ("huge",), one_zero=True,
         expands=fn != "median", maybe="the middle may be 0")
    for fn, op, first in (("median", "median_dim", ""), ("kthvalue", "kthvalue", ", 1"), ("mode", "mode", ""))
    for name, shape, where in (("last", "… B N", ", dim=-1"), ("first", "N B", ", dim=0"), ("middle", "B N C", ", dim=1"),
                               ("kept", "B N", ", dim=1, keepdim=True"))
] + [Call("median", "torch.median({x})", {"x": Arg("… N")}, exact="forward", over=("N",), one_zero=True,
          without=("huge",), maybe="the middle may be 0")]
APART = ("strided", "offset", "transposed")  # expanded, elements are equal
OPS = (("median", ""), ("kthvalue", "2, "), ("mode", ""))


def both(call, x, dim, name="", keep=False):
    at = f"indices{name}" if keep else f"indices{name}.unsqueeze({dim})"
    return f"""
            values{name}, indices{name} = {call}
            expect(values{name}, "values{name}")
            expect({x}.gather({dim}, {at}), "gathered{name}")
            expect_equal(indices{name}.dtype, torch.int64)"""


def data(dt, seed, shape):
    count = 1
    for size in shape:
        count *= size
    return f"permutation({seed}, {count}).to(torch.{dt}).view{shape}" if dt in ("uint8", "int8") or "float" in dt else \
        f"distinct({seed}, {shape}, torch.{dt})"


def cases(g):
    for n, dt in enumerate(g.NUMBER):
        for fn, k in OPS:
            yield from of_dtype(g, dt, fn, k, 20 * n)
        yield g.case(f"{dt}/median_of_all", "median/S1", f"""
            x = {data(dt, 20 * n + 1, (3, 5))}
            expect(x.median(), "odd")
            expect(torch.median(x[:2]), "even")
            expect(x.t().median(), "turned")
            expect(x[:, ::2].median(), "steps")
            expect(x[1, 2].median(), "zero_dim")
            expect({few(dt, 20 * n + 2, "(4, 5)")}.median(), "ties")""", maybe="the middle may be 0")
    for dt in g.FLOAT:
        yield from floating(g, dt)
    yield from particular(g)


def of_dtype(g, dt, fn, k, s):
    if fn != "mode":
        yield g.case(f"{dt}/{fn}", "median/S1 median/S3", f"""
            x = {data(dt, s + 3, (3, 7))}
            values, indices = torch.{fn}(x, {k}1)
            expect(values, "values")
            expect(indices, "indices")
            values, indices = x.{fn}({k}0, True)
            expect(values, "columns")
            expect(indices, "column_indices")
            values, indices = torch.{fn}(x.t(), {k}dim=-2)
            expect(values, "turned")
            expect(indices, "turned_indices")
            values, indices = x[:, 1::2].{fn}({k}-1)
            expect(values, "steps")
            expect(indices, "step_indices")""", variants=APART)
    yield g.case(f"{dt}/{fn}_ties", "median/S3" + (" median/S2" if fn == "mode" else ""), f"""
            x = {few(dt, s + 4, "(4, 12)")}""" + both(f"torch.{fn}(x, {k}1)", "x", 1, 0) +
                 both(f"x.{fn}({k}0, keepdim=True)", "x", 0, 1, True), maybe="few elements", **({"variants": APART} if fn == "median" else {}))
    yield g.case(f"{dt}/{fn}_shapes", "median/S6 tensors/S10", f"""
            s = {data(dt, s + 5, (3,))}[1]
            expect(s.{fn}({k.replace("2", "1")}0)[0], "zero_dim")
            expect(s.{fn}({k.replace("2", "1")}-1)[1], "zero_dim_index")
            x = {data(dt, s + 5, (2, 3))}
            expect(x[:0].{fn}({k}1)[0], "empty")
            expect(x[:0].{fn}({k}-1, True)[1], "empty_kept")
            expect({data(dt, s + 6, (2, 19))}.{fn}({k}1)[0], "tail")""", trivial=None)
    yield g.case(f"{dt}/{fn}_out", "median/S8 tensors/S8", f"""
            x = {data(dt, s + 7, (4, 3))}
            v = torch.ones(12, dtype=torch.{dt})
            i = torch.full((8,), 9, dtype=torch.int64)
            torch.{fn}(x, {k}1, out=(v[::3], i[::2]))
            expect(v, "v")
            expect(i, "i")""", variants=APART)


def floating(g, dt):
    yield g.case(f"{dt}/nan", "median/S4", f"""
            x = torch.tensor([[1.0, torch.nan, 2.0, torch.nan], [torch.nan, 3.0, torch.inf, -torch.inf],
                              [5.0, 4.0, -torch.inf, 6.0], [torch.nan, torch.nan, torch.nan, torch.nan]], dtype=torch.{dt})
            values, indices = x.median(1)
            expect(values, "median")
            expect(indices, "median_indices")
            expect(x.median(), "all")
            expect(x[2].median(), "numbers")
            values, indices = x[:3].kthvalue(3)
            expect(values, "third")
            expect(x.kthvalue(1)[0], "first")
            expect(x.kthvalue(4)[0], "last")""", variants=APART)
    yield g.case(f"{dt}/nothing", "median/S7", f"""
            expect(torch.zeros(0, dtype=torch.{dt}).median(), "nothing")
            expect(torch.zeros(2, 0, dtype=torch.{dt}).median(), "rows")""", trivial=None)
    for fn, k in OPS:
        yield g.case(f"{dt}/{fn}_gradient", "median/G1", f"""
            x = distinct(41, (4, 5), torch.{dt}).requires_grad_()
            torch.{fn}(x, {k}1)[0].backward(normal(42, (4,), torch.{dt}))
            expect(x.grad, "rows")
            y = distinct(43, (2, 4, 3), torch.{dt}).requires_grad_()
            v, i = y.{fn}({k}1, True)
            v.backward(normal(44, (2, 1, 3), torch.{dt}))
            expect(y.grad, "middle")
            expect_equal(i.requires_grad, False)
            z = normal(45, (), torch.{dt}).requires_grad_()
            (z.{fn}({k.replace("2", "1")}0)[0] * 3).backward()
            expect(z.grad, "zero_dim")""", variants=APART)
    yield g.case(f"{dt}/median_gradient_of_all", "median/G2", f"""
            x = distinct(46, (3, 5), torch.{dt}).requires_grad_()
            (x.median() * 3).backward()
            expect(x.grad, "distinct")
            y = torch.tensor([[1.0, 3.0, 3.0], [2.0, 3.0, 5.0]], dtype=torch.{dt}).requires_grad_()
            (y.median() * 6).backward()
            expect(y.grad, "ties")
            n = torch.tensor([1.0, torch.nan, torch.nan, 2.0], dtype=torch.{dt}).requires_grad_()
            (n.median() * 6).backward()
            expect(n.grad, "nan")""", variants=APART)


def particular(g):
    for dt in g.INT:
        yield g.case(f"{dt}/extremes", "median/S5", f"""
            x = integers(31, (3, 11), torch.{dt}, 0, 9, mix="extreme")
            expect(x.median(), "all")
            expect(x.median(1)[0], "median")
            expect(x.kthvalue(9, 1)[0], "ninth")
            expect(x.mode(1)[0], "mode")""", maybe="the middle may be 0")
    yield g.case("int64/beyond_2_53", "median/S5", """
            x = torch.tensor([9007199254740993, 9007199254740992, 9007199254740994])
            expect(x.median(), "all")
            expect(x.median(0)[1], "index")
            expect(x.kthvalue(3)[1], "third")
            y = torch.tensor([9007199254740993, 9007199254740992, 9007199254740993])
            expect(y.mode()[0], "mode")""", variants=APART)
    yield g.case("bool/mode", "median/S2", """
            x = bools(32, (5, 7))""" + both("x.mode(1)", "x", 1, 0) + both("torch.mode(x, 0, True)", "x", 0, 1, True) + """
            expect(x[1, 1].mode()[0], "zero_dim")""")
    yield g.case("float32/mode_of_several", "median/S2", """
            x = torch.tensor([[5.0, 5.0, 1.0, 1.0, 9.0], [3.0, 2.0, 1.0, 7.0, 8.0], [2.0, 7.0, 7.0, 2.0, 7.0], [0.0, -0.0, 0.0, 1.0, 1.0]])
            expect_equal(x.mode(1).values, [1.0, 1.0, 7.0, 0.0])""")
    yield g.case("float32/long", "median/S1", """
            x = distinct(33, (2, 5001), torch.float32)
            values, indices = x.median(1)
            expect(values, "values")
            expect(indices, "indices")
            expect(x.median(), "all")
            expect(x.kthvalue(4999)[1], "kth")""", variants=False)
    yield g.case("float32/refused", "median/C1 median/C2 median/C3", """
            x = normal(1, (2, 3))
            e = torch.zeros(2, 0, 3)
            expect_error(IndexError, "median/C1", torch.median, x, 2)
            expect_error(IndexError, "median/C1", torch.kthvalue, x, 1, -3)
            expect_error(IndexError, "median/C1", torch.mode, x, dim=2)
            expect_error(IndexError, "median/C2", torch.median, e, 1)
            expect_error(IndexError, "median/C2", torch.kthvalue, e, 1, 1)
            expect_error(IndexError, "median/C2", torch.mode, e, -2)
            expect_error(RuntimeError, "median/C3", torch.kthvalue, x, 0)
            expect_error(RuntimeError, "median/C3", torch.kthvalue, x, 4)
            expect_error(RuntimeError, "median/C3", x[0, 0].kthvalue, 2)""")
    for fn, k in OPS:
        yield g.case(f"float32/{fn}_out_refused", "median/C5", f"""
            x = normal(82, (2, 3))
            i = torch.zeros(2, dtype=torch.int64)
            expect_error(RuntimeError, "median/C5", torch.{fn}, x, {k}1, out=(torch.zeros(2, dtype=torch.float64), i))
            expect_error(RuntimeError, "median/C5", torch.{fn}, x, {k}1, out=(torch.zeros(2), torch.zeros(2, dtype=torch.int32)))""")
    for dt in (*g.FLOAT8, "bool"):
        yield g.case(f"{dt}/refused", "median/C4", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "median/C4", torch.median, x)
            expect_error(NotImplementedError, "median/C4", torch.median, x, 1)
            expect_error(NotImplementedError, "median/C4", x[0, 0].median, 0)
            expect_error(NotImplementedError, "median/C4", x[:0].median, 1)
            expect_error(NotImplementedError, "median/C4", torch.kthvalue, x, 1)""" + ("" if dt == "bool" else """
            expect_error(NotImplementedError, "median/C4", torch.mode, x)""") + """
            expect(x[0, 0].kthvalue(1)[0], "of_one")
            expect(x[0, 0].mode()[0], "mode_of_one")""")
    yield g.case("float32/batched", "median/S1 func/S1", """
            x = distinct(34, (3, 2, 5), torch.float32)
            def rows(t):
                v, i = t.median(1)
                return v, i
            def whole(t):
                return t.median()
            v, i = func.vmap(rows)(x)
            expect(v, "values")
            expect(i, "indices")
            expect(func.vmap(whole)(x), "whole")""", variants=APART)
