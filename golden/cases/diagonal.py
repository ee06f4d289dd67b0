# SPDX-License-Identifier: Apache-2.0
"""diagonal."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("diagonal", "{x}.diagonal(1).clone()", {"x": Arg("B N")}, "", along=("N", "B"), exact=True),
    Call("diagonal", "{x}.diagonal(-1, 0, 2).clone()", {"x": Arg("N C B")}, "planes", along=("N", "B"), exact=True),
]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/planes", "diagonal/S1 diagonal/S3", f"""
            x = {special(dt, (3, 4, 5))}
            y = x.diagonal()
            expect(y, "first")
            expect_view_of(y, x)
            expect(x.diagonal(1, 1, 2), "above")
            expect(torch.diagonal(x, -1, 0, -1), "below")
            expect(x.diagonal(offset=2, dim1=2, dim2=0).clone(), "turned")""")
        yield g.case(f"{dt}/write_through", "diagonal/S4", f"""
            x = {special(dt, (5, 4), 3)}
            y = x[1:].diagonal(-1)
            y.fill_(1)
            expect(x, "x")
            expect_untouched(y, "rest")
            expect_equal(x._version, y._version)""")
    for i, (shape, args, strides, offset) in enumerate((
            ((3, 4), "", (5,), 0), ((3, 4), "1", (5,), 1), ((3, 4), "3", (5,), 3), ((3, 4), "4", (5,), 0), ((3, 4), "5", (5,), 0),
            ((3, 4), "-1", (5,), 4), ((3, 4), "-2", (5,), 8), ((3, 4), "-3", (5,), 0), ((3, 4), "0, 1, 0", (5,), 0),
            ((3, 4), "1, 1, 0", (5,), 4), ((2, 3, 4), "", (1, 16), 0), ((2, 3, 4), "-1, 1, 2", (12, 5), 4),
            ((2, 3, 4), "0, -1, 0", (4, 13), 0), ((2, 3, 4), "9", (1, 16), 0), ((2, 3, 4), "1, 2, 1", (12, 5), 4),
            ((2, 3, 4, 5), "1, 1, 3", (60, 5, 21), 1), ((0, 3), "", (4,), 0), ((0, 3), "1", (4,), 0), ((0, 3), "-1", (4,), 0),
            ((3, 0), "1", (2,), 0), ((1, 1), "", (2,), 0), ((1, 4), "2", (5,), 2), ((4, 1), "-3", (2,), 3),
            ((2, 3, 0), "", (1, 4), 0), ((3, 4), "4611686018427387904", (5,), 0), ((3, 4), "-9223372036854775808", (5,), 0),
            ((3, 4), "9223372036854775807", (5,), 0))):
        if shape in ((2, 3, 0), (3, 0)):
            check = ""
        else:
            check = f"""
            expect_strides(y, {strides})"""
        yield g.case(f"float32/geometry_{i}", "diagonal/S1 diagonal/S2 diagonal/S3", f"""
            x = normal({i}, {shape})
            y = x.diagonal({args})
            expect(y, "y"){check}
            expect_equal(y.storage_offset(), {offset})
            expect_view_of(y, x)""", variants=False)
    yield g.case("float32/of_views", "diagonal/S1 diagonal/S2 diagonal/S3", """
        x = normal(1, (4, 6))
        expect_strides(x[1:, ::2].diagonal(1), (8,))
        expect_equal(x[1:, ::2].diagonal(1).storage_offset(), 8)
        expect(x[1:, ::2].diagonal(1), "strided")
        expect(x.t().diagonal(-1), "turned")
        expect(x[0].expand(3, 6).diagonal(2), "expanded")
        expect_strides(x[0].expand(3, 6).diagonal(2), (1,))
        expect(x.view(2, 2, 6).diagonal(0, 0, 1).diagonal(), "twice")
        expect(x.diagonal().unsqueeze(0).expand(2, 4).diagonal(), "of_a_diagonal")""", variants=False)
    for i, call in enumerate(("x[0].diagonal", "x[0, 0].diagonal", "x.diagonal, 0, 2, 1", "x.diagonal, 0, 0, -3", "torch.diagonal, x, 1, -3, 0")):
        yield g.case(f"float32/range_{i}", "diagonal/C1", f"""
            x = normal(1, (3, 4))
            expect_error(IndexError, "diagonal/C1", {call})""")
    yield g.case("float32/same", "diagonal/C2", """
        x = normal(1, (3, 4))
        expect_error(RuntimeError, "diagonal/C2", x.diagonal, 0, 0, 0)
        expect_error(RuntimeError, "diagonal/C2", torch.diagonal, x, 1, 1, -1)""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/backward", "diagonal/G1 diagonal/S5", f"""
            x = normal(1, (3, 4), torch.{dt}).requires_grad_()
            x.diagonal(1).backward(normal(2, (3,), torch.{dt}))
            expect(x.grad, "above")
            x.grad = None
            x.diagonal(-2).backward(normal(3, (1,), torch.{dt}))
            expect(x.grad, "below")
            y = normal(4, (2, 3, 3), torch.{dt}).requires_grad_()
            y.diagonal(0, 2, 0).backward(normal(5, (3, 2), torch.{dt}))
            expect(y.grad, "planes")""")
        yield g.case(f"{dt}/grad_of_grad", "diagonal/G1 diagonal/G2", f"""
            x = normal(1, (3, 3), torch.{dt}).requires_grad_()
            w = normal(2, (2,), torch.{dt}).requires_grad_()
            d = autograd.grad(x.diagonal(-1), x, w, create_graph=True)[0]
            expect(d, "d")
            d.backward(normal(3, (3, 3), torch.{dt}))
            expect(w.grad, "dw")""")
    yield g.case("float32/in_place", "diagonal/S4 diagonal/G1", """
        x = normal(1, (3, 4)).requires_grad_()
        y = x * 1
        y.diagonal(1).mul_(3)
        y.diagonal(-1).fill_(2)
        y.backward(normal(2, (3, 4)))
        expect(y, "y")
        expect(x.grad, "dx")""")
    yield g.case("float32/grad_nothing", "diagonal/G1 diagonal/S5", """
        x = normal(1, (3, 4)).requires_grad_()
        x.diagonal(7).backward(torch.zeros(0))
        expect(x.grad, "dx")""", trivial="nothing was taken: zeros are the gradient")
    yield g.case("float32/levels", "diagonal/S1 diagonal/G1", """
        def part(a):
            return a.diagonal(1)
        def square(a):
            return (a.diagonal(-1, 1, 0) * a.diagonal(1)).sum()
        x = normal(7, (3, 4, 5))
        expect(func.vmap(part)(x), "vmap")
        expect(func.vmap(part, in_dims=2)(x), "last")
        expect(func.vmap(func.grad(square))(x), "grad")
        y, t = func.jvp(part, (x,), (normal(8, (3, 4, 5)),))
        expect(t, "jvp")""")
