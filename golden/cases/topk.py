# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/topk.md: of equal elements only the values are asked for, and that the indices name them."""

from inputs import few
from calls import Arg, Call

CALLS = [
    Call("topk", f"torch.topk({{x}}, {k}, dim={dim}, largest={{largest}})", {"x": Arg(shape)}, name,
         choices={"largest": ("True", "False")}, results=("[0]",), along=("N", "B"), over=("N",), exact=True,
         forms=("functional",), gradient=False, without=("huge",), maybe="the largest may be the first")
    for name, shape, dim, k in (("last", "… B N", -1, 2), ("first", "N B", 0, 1), ("middle", "B N C", 1, 2),
                                ("all", "B N", -1, "{N}"))
]


def both(call, x, dim, name=""):
    """Values, and what the indices name."""
    return f"""
            values{name}, indices{name} = {call}
            expect(values{name}, "values{name}")
            expect({x}.gather({dim}, indices{name}), "gathered{name}")
            expect_equal(indices{name}.dtype, torch.int64)"""


def data(dt, seed, shape):
    count = 1
    for size in shape:
        count *= size
    return f"permutation({seed}, {count}).to(torch.{dt}).view{shape}" if dt in ("uint8", "int8") or "float" in dt else \
        f"distinct({seed}, {shape}, torch.{dt})"


APART = ("strided", "offset", "transposed")  # expanded, elements are equal


def cases(g):
    for n, dt in enumerate(g.NUMBER):
        yield from of_dtype(g, dt, 20 * n)
    for dt in g.FLOAT:
        yield from floating(g, dt)
    yield from particular(g)


def of_dtype(g, dt, s):
    yield g.case(f"{dt}/distinct", "topk/S1 topk/S2 topk/S3", f"""
            x = {data(dt, s + 1, (3, 7))}
            values, indices = torch.topk(x, 3)
            expect(values, "values")
            expect(indices, "indices")
            values, indices = x.topk(2, 0)
            expect(values, "columns")
            expect(indices, "column_indices")
            values, indices = x.topk(4, dim=-1, largest=False)
            expect(values, "smallest")
            expect(indices, "smallest_indices")
            values, indices = torch.topk(x.t(), 3, 0, False)
            expect(values, "turned")
            expect(indices, "turned_indices")
            values, indices = x[:, 1::2].topk(3)
            expect(values, "all")
            expect(indices, "all_indices")""", variants=APART)
    yield g.case(f"{dt}/ties", "topk/S2 topk/S4", f"""
            x = {few(dt, s + 2, "(4, 12)")}""" + both("torch.topk(x, 5)", "x", 1, 0) +
                 both("torch.topk(x, 5, largest=False)", "x", 1, 1) + both("x.topk(3, 0)", "x", 0, 2))
    yield g.case(f"{dt}/not_sorted", "topk/S3", f"""
            x = {data(dt, s + 3, (3, 9))}
            values, indices = torch.topk(x, 4, sorted=False)
            expect(values.sort(1, descending=True)[0], "values")
            expect(indices.sort(1)[0], "indices")
            expect_equal(x.gather(1, indices), values)
            values, indices = torch.topk(x, 4, 1, False, False)
            expect(values.sort(1)[0], "smallest")""", variants=APART)
    yield g.case(f"{dt}/shapes", "topk/S6 tensors/S10", f"""
            s = {data(dt, s + 4, (3,))}[1]
            expect(s.topk(1)[0], "zero_dim")
            expect(s.topk(1)[1], "zero_dim_index")
            expect(s.topk(0)[0], "zero_dim_none")
            x = {data(dt, s + 5, (2, 5))}
            expect(x.topk(0).values, "none")
            expect(x.topk(0, 0).indices, "none_indices")
            expect(x[:0].topk(2).values, "empty")
            expect({data(dt, s + 6, (2, 19))}.topk(19).indices, "tail")""", variants=APART, trivial=None)
    yield g.case(f"{dt}/out", "topk/S7 tensors/S8", f"""
            x = {data(dt, s + 7, (12,))}
            v = torch.zeros(12, dtype=torch.{dt})
            i = torch.zeros(12, dtype=torch.int64)
            torch.topk(x, 3, out=(v[::4], i[::4]))
            expect(v, "v")
            expect(i, "i")""", variants=APART)


def floating(g, dt):
    yield g.case(f"{dt}/nan", "topk/S5", f"""
            x = torch.tensor([[1.0, 2.0, 3.0, 4.0, -torch.nan], [torch.inf, torch.nan, -torch.inf, 5.0, 0.0]], dtype=torch.{dt})
            values, indices = x.topk(2)
            expect(values, "largest")
            expect(indices, "largest_indices")
            values, indices = x.topk(4, largest=False)
            expect(values, "smallest")
            expect(indices, "smallest_indices")""", variants=APART)
    yield g.case(f"{dt}/special", "topk/S5", f"""
            x = normal(21, (4, 9), torch.{dt}, mix="special")""" + both("torch.topk(x, 4)", "x", 1, 0) +
                 both("torch.topk(x, 4, largest=False)", "x", 1, 1))
    yield g.case(f"{dt}/gradient", "topk/G1", f"""
            x = distinct(41, (4, 5), torch.{dt}).requires_grad_()
            torch.topk(x, 3).values.backward(normal(42, (4, 3), torch.{dt}))
            expect(x.grad, "rows")
            y = distinct(43, (2, 4, 3), torch.{dt}).requires_grad_()
            v, i = y.topk(2, 1, False)
            v.backward(normal(44, (2, 2, 3), torch.{dt}))
            expect(y.grad, "middle")
            expect_equal(i.requires_grad, False)
            z = normal(45, (), torch.{dt}).requires_grad_()
            (z.topk(1)[0] * 3).backward()
            expect(z.grad, "zero_dim")
            w = distinct(46, (5,), torch.{dt}).requires_grad_()
            w.topk(2)[0].backward(torch.tensor([-0.0, 2.0], dtype=torch.{dt}))
            expect(w.grad, "zero")""", variants=APART)
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "topk/G1", f"""
            x = distinct(47, (3, 4), torch.{dt}).requires_grad_()
            y = torch.topk(x, 2)[0] * normal(48, (3, 2), torch.{dt})
            gx = autograd.grad((y * y * y).sum(), x, create_graph=True)[0]
            gx.backward(normal(49, (3, 4), torch.{dt}))
            expect(x.grad, "x_grad")""", variants=APART)


def particular(g):
    yield g.case("int64/beyond_2_53", "topk/S5", """
            x = torch.tensor([9007199254740993, 9007199254740992, 9007199254740994, -9007199254740993])
            values, indices = x.topk(3)
            expect(values, "values")
            expect(indices, "indices")
            expect(x.topk(2, largest=False)[1], "smallest")""", variants=APART)
    for dt in g.INT:
        yield g.case(f"{dt}/extremes", "topk/S1", f"""
            x = integers(31, (3, 12), torch.{dt}, 0, 9, mix="extreme")""" + both("x.topk(5)", "x", 1, 0) +
                     both("x.topk(5, largest=False)", "x", 1, 1))
    yield g.case("float32/one_block_and_more", "topk/S1", """
            x = distinct(32, (2, 5000), torch.float32)
            values, indices = x.topk(6)
            expect(values, "values")
            expect(indices, "indices")""", variants=APART)
    yield g.case("float32/refused", "topk/C1 topk/C2 topk/C4", """
            x = normal(1, (2, 3))
            i = torch.zeros(2, 1, dtype=torch.int64)
            expect_error(IndexError, "topk/C1", torch.topk, x, 1, 2)
            expect_error(IndexError, "topk/C1", x[0, 0].topk, 1, dim=1)
            expect_error(RuntimeError, "topk/C2", torch.topk, x, 4)
            expect_error(RuntimeError, "topk/C2", torch.topk, x, -1)
            expect_error(RuntimeError, "topk/C2", torch.topk, x, 3, 0)
            expect_error(RuntimeError, "topk/C2", x[0, 0].topk, 2)
            expect_error(RuntimeError, "topk/C4", torch.topk, x, 1, out=(torch.zeros(2, 1, dtype=torch.float64), i))
            expect_error(RuntimeError, "topk/C4", torch.topk, x, 1, out=(torch.zeros(2, 1), torch.zeros(2, 1, dtype=torch.int32)))""")
    for dt in (*g.FLOAT8, "bool"):
        yield g.case(f"{dt}/refused", "topk/C3", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "topk/C3", torch.topk, x, 1)
            expect_error(NotImplementedError, "topk/C3", x[:0].topk, 1)""")
    yield g.case("float32/router", "topk/S1 topk/S2", """
            x = distinct(33, (5, 8), torch.float32)
            w, e = torch.topk(torch.softmax(x * 0.05, -1), 2)
            expect((w / w.sum(-1, keepdim=True)), "weights")
            expect(e, "experts")""", variants=APART)
    yield g.case("float32/batched", "topk/S1 func/S1", """
            x = distinct(34, (3, 2, 5), torch.float32)
            def rows(t):
                v, i = t.topk(2)
                return v, i
            v, i = func.vmap(rows)(x)
            expect(v, "values")
            expect(i, "indices")""", variants=APART)
