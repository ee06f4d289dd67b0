# SPDX-License-Identifier: Apache-2.0
"""movedim, moveaxis, swapaxes and swapdims."""

from inputs import special


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/moved", "movedim/S1 movedim/S3", f"""
            x = {special(dt, (2, 3, 4))}
            y = x.movedim(0, 2)
            expect(y, "y")
            expect_view_of(y, x)
            expect(torch.moveaxis(x, -1, 0), "axis")
            expect(x.swapaxes(0, -1), "swapped")
            expect_view_of(x.swapdims(1, 2), x)
            expect(torch.swapdims(x, 1, 2), "dims")""")
        yield g.case(f"{dt}/write_through", "movedim/S4", f"""
            x = {special(dt, (4, 3, 2), 3)}
            y = x[1:3].movedim(0, -1)
            y[0].fill_(1)
            expect(x, "x")
            expect_equal(x._version, y._version)
            x.swapaxes(0, 1)[1:].zero_()
            expect(x, "again")""")
    for i, (shape, args) in enumerate((
            ((2, 3, 4), "0, 1"), ((2, 3, 4), "2, 0"), ((2, 3, 4), "-1, -3"), ((2, 3, 4), "1, 1"), ((2, 3, 4, 5), "(0, 1), (2, 0)"),
            ((2, 3, 4, 5), "(3, 0), (0, -1)"), ((2, 3, 4, 5), "[1], [3]"), ((2, 3, 4, 5), "(0, 1, 2, 3), (3, 2, 1, 0)"),
            ((2, 3, 4), "(), ()"), ((), "0, 0"), ((), "0, -1"), ((), "(), ()"), ((5,), "0, -1"), ((2, 0, 3), "1, 0"),
            ((1, 2, 1, 3), "(0, 2), (3, 1)"), ((1, 1), "0, 1"), ((2, 3, 4), "source=0, destination=2"))):
        yield g.case(f"float32/order_{i}", "movedim/S1 movedim/S2" + (" movedim/S4" if len(shape) < 2 else ""), f"""
            x = normal({i}, {shape})
            y = x.movedim({args})
            expect(y, "y")
            expect(torch.moveaxis(x, {args}), "axis")
            expect_view_of(y, x)
            expect_equal(y is x, False)
            expect_equal(y.storage_offset(), 0)""", variants=False)
    yield g.case("float32/strides", "movedim/S1 movedim/S2 movedim/S3", """
        x = normal(1, (2, 3, 4))
        expect_strides(x.movedim(0, 2), (4, 1, 12))
        expect_strides(x.movedim((0, 1), (2, 0)), (4, 1, 12))
        expect_strides(x.moveaxis(-1, 0), (1, 12, 4))
        expect_strides(x[:, 1:, ::2].movedim(2, 0), (2, 12, 4))
        expect_equal(x[:, 1:, ::2].movedim(2, 0).storage_offset(), 4)
        expect_strides(x.swapaxes(0, 2), (1, 4, 12))
        expect_strides(x.swapdims(1, -1), (12, 1, 4))
        expect_strides(x[0].expand(5, 3, 4).movedim(0, 1), (4, 0, 1))
        expect_strides(x.movedim(0, 2).movedim(2, 0), (12, 4, 1))""", variants=False)
    yield g.case("float32/swapped", "movedim/S3 movedim/S4", """
        x = normal(1, (2, 3, 4))
        expect(x.swapaxes(axis0=0, axis1=1), "axes")
        expect(x.swapdims(dim0=2, dim1=0), "dims")
        expect(torch.swapaxes(x, 1, 1), "same")
        s = normal(2, ())
        expect_view_of(s.swapaxes(0, -1), s)
        expect_view_of(s.swapdims(-1, 0), s)""")
    for i, call in enumerate(("x.movedim, 3, 0", "x.movedim, 0, -4", "torch.movedim, x, (0, 3), (1, 2)", "x.moveaxis, (0, 1), (1, 3)",
                              "x.swapaxes, 0, 3", "torch.swapdims, x, -4, 0", "s.movedim, 1, 0", "s.swapaxes, 0, 1")):
        yield g.case(f"float32/range_{i}", "movedim/C1", f"""
            x = normal(1, (2, 3, 4))
            s = normal(2, ())
            expect_error(IndexError, "movedim/C1", {call})""")
    yield g.case("float32/lengths", "movedim/C2", """
        x = normal(1, (2, 3, 4))
        expect_error(RuntimeError, "movedim/C2", x.movedim, (0, 1), (1,))
        expect_error(RuntimeError, "movedim/C2", torch.movedim, x, (), (1,))
        expect_error(TypeError, None, x.movedim, 0, (2,))""")
    yield g.case("float32/twice", "movedim/C3", """
        x = normal(1, (2, 3, 4))
        expect_error(RuntimeError, "movedim/C3", x.movedim, (0, 0), (1, 2))
        expect_error(RuntimeError, "movedim/C3", x.movedim, (0, -3), (1, 2))
        expect_error(RuntimeError, "movedim/C3", torch.moveaxis, x, (0, 1), (1, -2))""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/backward", "movedim/G1", f"""
            x = normal(1, (2, 3, 4), torch.{dt}).requires_grad_()
            x.movedim((0, 1), (2, 0)).backward(normal(2, (3, 4, 2), torch.{dt}))
            expect(x.grad, "moved")
            x.grad = None
            x.swapaxes(0, 2).backward(normal(3, (4, 3, 2), torch.{dt}))
            expect(x.grad, "swapped")
            y = x * 1
            y.movedim(0, 1)[1].zero_()
            x.grad = None
            y.backward(normal(4, (2, 3, 4), torch.{dt}))
            expect(x.grad, "in_place")""")
    yield g.case("float32/levels", "movedim/S1 movedim/S3", """
        def moved(a):
            return a.movedim(0, -1)
        def swapped(a):
            return a.swapaxes(0, 1)
        x = normal(7, (3, 4, 5))
        expect(func.vmap(moved)(x), "moved")
        expect(func.vmap(swapped, in_dims=1)(x), "swapped")""")
