# SPDX-License-Identifier: Apache-2.0
"""masked_select, masked_scatter (O-10)."""
from inputs import made
from calls import Arg, Call

MASK = {"kind": "mask", "dtype": "bool"}
CALLS = [
    Call("masked_select", "torch.masked_select({x}, {m})", {"x": Arg("… N"), "m": Arg("… N", **MASK)}, exact=True,
         gradient=False, forms=("functional",), maybe="all may be True, or none"),
    Call("masked_select", "torch.masked_select({x}, {m})", {"x": Arg("B N"), "m": Arg("B 1", **MASK)}, "column",
         exact=True, along=("N", "B"), gradient=False, forms=("functional",), maybe="all may be True, or none"),
    Call("masked_scatter", "torch.masked_scatter({x}, {m}, {y})",
         {"x": Arg("… N"), "m": Arg("… N", **MASK), "y": Arg("… N")}, exact=True,
         maybe="all may be True, or none"),
    Call("masked_scatter", "torch.masked_scatter({x}, {m}, {y})",
         {"x": Arg("B N"), "m": Arg("N", **MASK), "y": Arg("N B")}, "row", along=("N", "B"), exact=True, maybe="all may be True, or none"),
]


def cases(g):
    for n, dt in enumerate(g.ALL):
        yield from selected(g, dt, 20 * n)
        if dt in g.COMMON:
            yield from put(g, dt, 20 * n)
    yield from particular(g)
    yield from refusals(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)


def selected(g, dt, seed):
    yield g.case(f"{dt}/selected", "masked_select/S1 masked_select/S2", f"""
            x = {made(dt, seed + 1)}
            m = bools({seed + 2}, (3, 4))
            expect(torch.masked_select(x, m), "y")
            expect(x.masked_select(m[0]), "row")
            expect(x.masked_select(m[:, 1:2]), "column")
            expect(x[:1].masked_select(m), "self_row")
            expect(x.t().masked_select(m.t()), "transposed")
            expect(x[:, ::2].masked_select(m[:, 1::2]), "gaps")
            expect_copy_of(x.masked_select(torch.tensor(True)), x)""")


def put(g, dt, seed):
    yield g.case(f"{dt}/scattered", "masked_select/S4 masked_select/S5 masked_select/S6", f"""
            x = {made(dt, seed + 3)}
            s = {made(dt, seed + 4, "(4, 4)")}
            m = bools({seed + 5}, (3, 4))
            expect(torch.masked_scatter(x, m, s), "y")
            expect(x.masked_scatter(m[0], s.t()), "row")
            expect(x[:1].masked_scatter(m, s), "self_row")
            expect(x.t().masked_scatter(m.t(), s[:, 1:]), "transposed")
            expect_strides(x.t().masked_scatter(m.t(), s), (3, 1))
            y = x.clone()
            expect_same(y.masked_scatter_(m[:, 1:2], s), y)
            y[1:, ::2].masked_scatter_(m[1:, ::2], s[1])
            expect(y, "in_place")""")


def particular(g):
    yield g.case("float32/empty", "masked_select/S2 masked_select/S4", """
            x = normal(301, (2, 3), torch.float32)
            m = torch.tensor([True, False, True])
            expect_equal(x[:0].masked_select(m).shape, (0,))
            expect_equal(x.masked_select(x > 99).shape, (0,))
            expect(x[0, 0].masked_select(m), "no_dims")
            expect(x[0, 0].masked_select(torch.tensor(True)), "both")
            expect(x.masked_scatter(x > 99, x[:0]), "nothing")
            expect(x[0, 0].masked_scatter(torch.tensor(True), x[1, 1]), "a_number")
            expect_equal(x[:0].masked_scatter(m, x[:0]).shape, (0, 3))""")
    yield g.case("float32/special", "masked_select/S1 masked_select/S4", """
            x = normal(302, (5, 7), torch.float32, mix="special")
            expect(x.masked_select(x == x), "numbers")
            expect(x.masked_scatter(x != x, normal(303, (40,), torch.float32, mix="special")), "replaced")""")
    yield g.case("int64/out", "masked_select/S1", """
            x = integers(304, (3, 4), torch.int64, low=0, high=9)
            m = torch.tensor([True, False, True, False])
            a = torch.zeros(0, dtype=torch.int64)
            torch.masked_select(x, m, out=a)
            expect(a, "a")
            b = torch.zeros(12, dtype=torch.int64)
            torch.masked_select(x, m, out=b[::2])
            expect(b, "b")""")
    yield g.case("int64/steers_sizes", "masked_select/S3", """
            x = integers(305, (20,), torch.int64, 0, 3)
            kept = x.masked_select(x > 0)
            expect_equal(kept.size(0), "count")
            expect(torch.zeros_like(x).masked_scatter(x > 0, kept + 1), "back")""")
    yield g.case("float32/its_own", "masked_select/S4", """
            y = torch.arange(4.0)
            y.masked_scatter_(torch.tensor([True, True, True, False]), y)
            expect_equal(y, [0.0, 1.0, 2.0, 3.0])""", maybe="every element goes where it is")


def refusals(g):
    yield g.case("float32/shapes", "masked_select/C1", """
            x = normal(311, (2, 3), torch.float32)
            m = torch.tensor([True, False])
            expect_error(RuntimeError, "masked_select/C1", x.masked_select, m)
            expect_error(RuntimeError, "masked_select/C1", x.masked_scatter, m, x)
            expect_error(RuntimeError, "tensors/C1", x[:1].masked_scatter_, x > 9, x)
            expect_error(RuntimeError, "tensors/C2", x[:1].expand(2, 3).masked_scatter_, x > 9, x)""")
    for dt in ("uint8", "int64", "float32"):
        yield g.case(f"{dt}/mask", "masked_select/C2", f"""
            x = normal(312, (2, 3), torch.float32)
            m = torch.ones(2, 3, dtype=torch.{dt})
            expect_error(RuntimeError, "masked_select/C2", x.masked_select, m)
            expect_error(RuntimeError, "masked_select/C2", x.masked_scatter, m, x)
            expect_error(RuntimeError, "masked_select/C2", x.masked_scatter_, m, x)""")
    yield g.case("float32/source", "masked_select/C3 masked_select/C4", """
            x = normal(313, (2, 3), torch.float32)
            m = torch.tensor([True, False, True])
            expect_error(RuntimeError, "masked_select/C3", x.masked_scatter, m, torch.ones(6, dtype=torch.float64))
            expect_error(RuntimeError, "masked_select/C3", x.masked_scatter_, m, torch.ones(6, dtype=torch.int64))
            expect_error(RuntimeError, "masked_select/C4", x.masked_scatter, m, x[0])
            expect_error(RuntimeError, "masked_select/C4", x.masked_scatter, m, torch.tensor(3.0))
            expect_error(RuntimeError, "masked_select/C4", x.masked_scatter, x == x, torch.zeros(0))""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "masked_select/C5", f"""
            x = normal(314, (2, 3), torch.{dt})
            m = torch.tensor([True, False, True])
            expect_error(NotImplementedError, "masked_select/C5", x.masked_scatter, m, x)
            expect_error(NotImplementedError, "masked_select/C5", x[:0].masked_scatter, m, x)""")
    yield g.case("float32/out_refused", "masked_select/C6 masked_select/C7", """
            x = normal(315, (4,), torch.float32)
            m = torch.ones(4, dtype=torch.bool)
            expect_error(RuntimeError, "masked_select/C6", torch.masked_select, x, m, out=torch.zeros(4, dtype=torch.float64))
            expect_error(RuntimeError, "masked_select/C7", torch.masked_select, x, m, out=x)
            expect_error(RuntimeError, "masked_select/C7", torch.masked_select, x[:3], m[:3], out=x[1:])
            expect_error(RuntimeError, "masked_select/C7", torch.masked_select, m, m, out=m)
            expect_error(RuntimeError, "tensors/C2", torch.masked_select, x, m, out=torch.zeros(1).expand(4))""", variants=False)


def gradients(g, dt):
    yield g.case(f"{dt}/gradient_selected", "masked_select/G1", f"""
            x = {made(dt, 321)}.requires_grad_()
            y = {made(dt, 322, "(4,)")}.requires_grad_()
            m = bools(323, (3, 4))
            a = x.masked_select(m)
            a.backward(torch.ones_like(a) * a.detach())
            y.masked_select(m).sum().backward()
            expect(x.grad, "x")
            expect(y.grad, "y")""")
    yield g.case(f"{dt}/gradient_scattered", "masked_select/G2", f"""
            x = {made(dt, 324)}.requires_grad_()
            s = {made(dt, 325, "(4, 4)")}.requires_grad_()
            m = bools(326, (3, 4))
            x.masked_scatter(m, s.t()).backward({made(dt, 327)})
            expect(x.grad, "x")
            expect(s.grad, "s")""")
    yield g.case(f"{dt}/gradient_in_place", "masked_select/G2 masked_select/S6", f"""
            x = {made(dt, 328)}.requires_grad_()
            s = {made(dt, 329, "(12,)")}.requires_grad_()
            y = x * 2
            y[:, 1:].masked_scatter_(bools(330, (3, 3)), s)
            y.backward({made(dt, 331)})
            expect(x.grad, "x")
            expect(s.grad, "s")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "masked_select/G1 masked_select/G2", f"""
            x = {made(dt, 332)}.requires_grad_()
            s = {made(dt, 333)}.requires_grad_()
            m = bools(334, (3, 4))
            y = x.masked_scatter(m, s).masked_select(bools(335, (3, 4)))
            gx, gs = autograd.grad((y * y * y).sum(), (x, s), create_graph=True)
            ((gx * gx).sum() + (gs * s).sum()).backward()
            expect(x.grad, "x")
            expect(s.grad, "s")""")
