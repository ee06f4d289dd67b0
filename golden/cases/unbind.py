# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/unbind.md."""

from calls import Arg, Call

CALLS = [
    Call("unbind", "{x}.unbind(1)[1].clone()", {"x": Arg("N C")}, exact=True, along=("N", "C"),
         most={"float32": 5000}),
]


def made(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f"normal({seed}, {shape}, torch.{dt})"
    return f"integers({seed}, {shape}, torch.{dt}, low=0, high=100)"


def cases(g):
    for n, dt in enumerate(g.ALL):
        yield g.case(f"{dt}/slices", "unbind/S1 unbind/S2", f"""
            x = {made(dt, 10 * n + 1, "(2, 3, 4)")}
            a, b = x.unbind()
            expect(a, "a")
            expect(b, "b")
            expect_view_of(b, x)
            expect_same(b._base, x)
            u, v, w = torch.unbind(x, dim=1)
            expect(w, "w")
            expect_view_of(w, x)
            expect_equal(w.storage_offset() - x.storage_offset(), "offset")
            expect_equal(len(x.unbind(-1)), 4)
            expect(x.unbind(-1)[2], "last")""")
    yield g.case("float32/of_views", "unbind/S1 unbind/S2", """
            x = normal(101, (4, 6), torch.float32)
            a, b, c = x.t()[::2].unbind()
            expect(b, "b")
            expect_view_of(b, x)
            d, e = b.view(2, 2).unbind(1)
            expect(e, "e")
            expect_view_of(e, x)""")
    yield g.case("float32/written", "unbind/S2", """
            x = torch.zeros(2, 3)
            a, b = x.unbind()
            v = x._version
            b.fill_(7)
            expect_equal(x, [[0.0, 0.0, 0.0], [7.0, 7.0, 7.0]])
            expect_equal(x._version - v, 1)
            expect_equal(a._version, x._version)""")
    yield g.case("float32/empty", "unbind/S1", """
            expect_equal(len(torch.zeros(0, 3).unbind()), 0)
            expect_equal(len(torch.zeros(3, 0).unbind()), 3)
            expect(torch.zeros(3, 0).unbind()[1], "empty")
            (one,) = torch.ones(1).unbind()
            expect(one, "one")""", trivial="empty, or all ones")
    yield g.case("float32/refused", "unbind/C1", """
            x = normal(102, (2, 3), torch.float32)
            expect_error(IndexError, "unbind/C1", x.unbind, 2)
            expect_error(IndexError, "unbind/C1", torch.unbind, x, dim=-3)
            expect_error(IndexError, "unbind/C1", x[0, 0].unbind)""")
    yield g.case("float32/in_place_refused", "autograd/C18", """
            x = normal(103, (2, 3), torch.float32).requires_grad_()
            y = x * 2
            a, b = y.unbind()
            expect_error(RuntimeError, "autograd/C18", a.add_, 1)
            expect(b.detach(), "b")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient", "unbind/G1", f"""
            x = normal(104, (2, 3, 2), torch.{dt}).requires_grad_()
            a, b, c = x.unbind(1)
            (a * c).backward(normal(105, (2, 2), torch.{dt}))
            expect(x.grad, "some")
            y = normal(106, (2, 3), torch.{dt}).requires_grad_()
            d, e = y.unbind()
            (d * e * e).backward(normal(107, (3,), torch.{dt}))
            expect(y.grad, "all")""")
        yield g.case(f"{dt}/gradient_twice", "unbind/G1", f"""
            x = normal(108, (2, 3), torch.{dt}).requires_grad_()
            a, b = x.unbind()
            (gx,) = autograd.grad((a * a * b).sum(), (x,), create_graph=True)
            (gx * x).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
    yield g.case("float32/func", "unbind/S1 unbind/G1", """
            def f(x):
                a, b, c = x.unbind(1)
                return (a * 2).sum() * (b * c).sum()
            x = normal(109, (4, 2, 3), torch.float32)
            expect(func.vmap(f)(x), "vmap")
            expect(func.grad(f)(x[0]), "grad")
            expect(func.vmap(func.grad(f))(x), "vmap_grad")
            y, t = func.jvp(func.grad(f), (x[0],), (x[1],))
            expect(t, "tangent")""")
