# SPDX-License-Identifier: Apache-2.0
"""as_strided: geometries over a storage, and gradients that accumulate in it.

as_strided reads between the strides of its input, so the layouts of generated inputs are fixed.
"""

from calls import FLOAT, Arg, Call
from inputs import special

CALLS = [
    Call("as_strided_backward", "{x}.as_strided(({N}, 3), (1, 1)).clone()", {"x": Arg("N+2")}, "windows",
         dtypes=FLOAT, exact=True),
    Call("as_strided_backward", "{x}.as_strided(({N}, {B}), ({B}, 1)).clone()", {"x": Arg("N B")}, "rows",
         dtypes=FLOAT, exact=True, along=("N", "B"), trivial="rows of a packed tensor are the tensor"),
]


def cases(g):
    yield from gradient_layouts(g)
    for dt in g.ALL:
        yield g.case(f"{dt}/windows", "as_strided/S1 as_strided/S3", f"""
            x = {special(dt, (8,))}
            y = x.as_strided((5, 4), (1, 1))
            expect(y, "y")
            expect_strides(y, (1, 1))
            expect_view_of(y, x)
            expect(y.clone(), "copy")""", variants=False)
        yield g.case(f"{dt}/write", "as_strided/S5", f"""
            x = {special(dt, (4, 5), 2)}
            y = x.as_strided((3, 2), (5, 2), 1)
            y.fill_(1)
            expect(x, "x")
            y.zero_()
            expect(x, "zeroed")
            expect_untouched(y, "rest")
            expect_equal(x._version, y._version)""", variants=False)

    for i, args in enumerate([
            "(2, 2), (4, 1), 2", "(3,), (0,), 2", "(), (), 7", "(2, 3), (1, 2)", "(4,), (2,)",
            "(2, 2, 2), (1, 2, 4)", "(3, 3), (1, 1), 1", "(8,), (1,), 0", "(1,), (100,), 7",
            "(1, 1, 4), (50, 60, 2), 1", "(2, 2), (0, 3)", "(3, 4), (2, 1)",
            "(2, 1, 2, 1, 2, 1, 1, 1, 1), (4, 9, 2, 9, 1, 9, 9, 9, 9)"]):
        yield g.case(f"int64/geometry_{i}", "as_strided/S1 as_strided/S3", f"""
            x = integers(1, (8,), high=100)
            y = x.as_strided({args})
            expect(y, "y")
            expect(torch.as_strided(x, {args}), "z")
            expect_view_of(y, x)""", variants=False)
    yield g.case("int64/strides_kept", "as_strided/S1", """
        x = integers(1, (8,))
        expect_strides(x.as_strided((1, 4), (50, 2)), (50, 2))
        expect_strides(x.as_strided((3,), (0,)), (0,))
        expect_strides(x.as_strided((0, 5), (1, 100)), (1, 100))
        expect_strides(x.as_strided((2, 2), (4, 1)).as_strided((4,), (2,)), (2,))""",
        variants=False)
    yield g.case("int64/offset_of_a_view", "as_strided/S2", """
        x = integers(1, (10,), high=100)
        v = x[2:6]
        expect(v.as_strided((3,), (2,)), "own")
        expect(v.as_strided((3,), (2,), 0), "zero")
        expect(v.as_strided((4,), (1,), 6), "behind")
        expect_equal(v.as_strided((3,), (2,)).storage_offset(), 2)
        expect_equal(v.as_strided((3,), (2,), 1).storage_offset(), 1)
        expect_same(v.as_strided((3,), (2,))._base, x)""", variants=False)
    yield g.case("int64/any_view", "as_strided/S2", """
        x = integers(1, (3, 4), high=100)
        expect(x.t().as_strided((2, 2), (4, 1)), "transposed")
        expect(x[1].as_strided((2, 2), (4, 1)), "row")
        expect(x[:1].expand(5, 4).as_strided((12,), (1,)), "expanded")
        expect(x[:, 1].as_strided((4,), (3,), 0), "column")""", variants=False)
    yield g.case("int64/keywords", "as_strided/S2", """
        x = integers(1, (8,), high=100)
        expect(x.as_strided(size=(2, 2), stride=(3, 1), storage_offset=1), "y")
        expect(x.as_strided([2, 2], [3, 1], None), "z")""", variants=False)
    yield g.case("int64/band", "as_strided/S3", """
        x = torch.arange(25).view(5, 5)
        expect_equal(x.as_strided((4, 2), (6, 1)), [[0, 1], [6, 7], [12, 13], [18, 19]])
        expect_equal(torch.arange(10).as_strided((4, 4), (2, 1))[3], [6, 7, 8, 9])""")
    yield g.case("float32/diagonal_write", "as_strided/S5 as_strided/S2", """
        x = normal(1, (2, 4))
        d = x.as_strided((2,), (5,))
        d.as_strided((2,), (1,), 0).fill_(1.0)
        expect(x, "x")""", variants=False)
    for i, args in enumerate(["(0,), (1,), 8", "(0,), (1,), 800", "(0, 5), (1, 100)",
                              "(3, 0), (7, 7), 3", "(0,), (0,)"]):
        yield g.case(f"int64/nothing_{i}", "as_strided/S4", f"""
            x = integers(1, (8,))
            y = x.as_strided({args})
            expect(y, "y")
            expect_equal(y.numel(), 0)
            expect_view_of(y, x)""", variants=False)
    yield g.case("int64/nothing_offset", "as_strided/S4", """
        x = integers(1, (8,))
        expect_equal(x.as_strided((0,), (1,), 800).storage_offset(), 800)
        expect(integers(2, (0,)).as_strided((0, 2), (1, 1)), "y")""", variants=False)

    for i, args in enumerate(["(2,), (1, 1)", "(2, 2), (1,)", "(), (1,)"]):
        yield g.case(f"int64/lengths_{i}", "as_strided/C1", f"""
            x = integers(1, (8,))
            expect_error(RuntimeError, "as_strided/C1", x.as_strided, {args})""")
    yield g.case("int64/negative", "tensors/C6 tensors/C8", """
        x = integers(1, (8,))
        expect_error(RuntimeError, "tensors/C6", x.as_strided, (2,), (-1,))
        expect_error(RuntimeError, "tensors/C6", x.as_strided, (2, 1), (1, -1))
        expect_error(RuntimeError, "tensors/C6", x.as_strided, (2,), (1,), -1)
        expect_error(RuntimeError, "tensors/C8", x.as_strided, (-2,), (1,))""")
    for i, args in enumerate(["(5, 5), (1, 1)", "(2, 2), (4, 1), 3", "(), (), 8", "(9,), (1,)",
                              "(2,), (8,)", "(1,), (1,), 8"]):
        yield g.case(f"int64/overrun_{i}", "tensors/C6", f"""
            x = integers(1, (8,))
            expect_error(RuntimeError, "tensors/C6", x.as_strided, {args})""", variants=False)
    yield g.case("int8/overrun_view", "tensors/C6", """
        x = integers(1, (3,), torch.int8)
        expect_error(RuntimeError, "tensors/C6", x[1:].as_strided, (3,), (1,))
        expect(x[1:].as_strided((2,), (1,)), "y")""", variants=False)
    for i, args in enumerate(["(2, 2), (4611686018427387904, 4611686018427387904)",
                              "(4611686018427387904,), (4,)",
                              "(1099511627776, 1099511627776), (0, 0)"]):
        yield g.case(f"int64/overflow_{i}", "tensors/C6" if i < 2 else "tensors/C8", f"""
            x = integers(1, (8,))
            expect_error(RuntimeError, "{"tensors/C6" if i < 2 else "tensors/C8"}", x.as_strided, {args})""")

    # gradients
    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad_windows", "as_strided/G1 as_strided/S6", f"""
            x = normal(1, (8,), torch.{dt})
            x.requires_grad = True
            x.as_strided((5, 4), (1, 1)).backward(normal(2, (5, 4), torch.{dt}))
            expect(x.grad, "dx")""", variants=False)
        yield g.case(f"{dt}/grad_part", "as_strided/G1", f"""
            x = normal(1, (3, 4), torch.{dt})
            x.requires_grad = True
            x.as_strided((2, 2), (5, 2), 1).backward(normal(2, (2, 2), torch.{dt}))
            expect(x.grad, "dx")""", variants=False)
        yield g.case(f"{dt}/grad_of_grad", "as_strided/G3", f"""
            x = normal(1, (8,), torch.{dt})
            x.requires_grad = True
            w = normal(2, (3, 4), torch.{dt})
            w.requires_grad = True
            d = autograd.grad(x.as_strided((3, 4), (2, 1)), x, w, create_graph=True)[0]
            expect(d, "d")
            d.backward(normal(3, (8,), torch.{dt}))
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float64/grad_of_expanded", "as_strided/G2", """
        x = normal(1, (3, 1), torch.float64)
        x.requires_grad = True
        y = x.clone().expand(3, 4)
        y.as_strided((2, 2), (1, 1)).backward(normal(2, (2, 2), torch.float64))
        expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/grad_of_expanded_input", "as_strided/G2", """
        x = normal(1, (3,))
        y = x.expand(4, 3).detach()
        y.requires_grad = True
        y.as_strided((2, 2), (1, 1)).backward(normal(2, (2, 2)))
        expect(y.grad, "dy")""", variants=False)
    yield g.case("float32/grad_of_windows_of_windows", "as_strided/G2 as_strided/G1", """
        x = normal(1, (6,))
        x.requires_grad = True
        y = x.as_strided((4, 3), (1, 1))
        y.as_strided((3, 2), (2, 1)).backward(normal(2, (3, 2)))
        expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/grad_outside", "as_strided/G1", """
        x = normal(1, (10,))
        v = x[2:6].detach()
        v.requires_grad = True
        v.as_strided((4,), (2,), 1).backward(normal(2, (4,)))
        expect(v.grad, "dv")""", variants=False)
    # What was taken, or the input itself, ends far beyond the other: room is needed for both.
    yield g.case("float64/grad_far_outside", "as_strided/G1", """
        v = normal(31, (60002,), torch.float64)[:3].detach()
        v.requires_grad = True
        v.as_strided((2, 2), (60000, 1)).backward(torch.tensor([[2.0, -3.0], [5.0, 7.0]], dtype=torch.float64))
        expect(v.grad, "dv")""", variants=False)
    yield g.case("float64/grad_of_far_input", "as_strided/G1", """
        v = normal(33, (100000,), torch.float64)[60000:].detach()
        v.requires_grad = True
        v.as_strided((3,), (1,), 60001).backward(torch.tensor([2.0, -3.0, 5.0], dtype=torch.float64))
        expect(v.grad[:5], "near")
        expect(v.grad[-3:], "far")""", variants=False)
    # A dim of size 1 takes no room, however far its stride would go.
    yield g.case("float64/grad_size_one_far", "as_strided/G1", """
        v = normal(35, (4, 5), torch.float64).requires_grad_()
        v.as_strided((1, 3), (1125899906842624, 2)).backward(
            torch.tensor([[2.0, -3.0, 5.0]], dtype=torch.float64))
        expect(v.grad, "dv")""", variants=False)
    yield g.case("float32/grad_repeated", "as_strided/G1 as_strided/S6", """
        x = normal(1, (4,))
        x.requires_grad = True
        x.as_strided((5,), (0,), 2).backward(normal(2, (5,)))
        expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/grad_transposed", "as_strided/G1", """
        x = normal(1, (3, 4))
        x.requires_grad = True
        y = x.t()
        y.as_strided((3, 3), (4, 1), 1).backward(normal(2, (3, 3)))
        expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/grad_nothing", "as_strided/G1 as_strided/S4", """
        x = normal(1, (4,))
        x.requires_grad = True
        x.as_strided((0, 2), (1, 1)).backward(normal(2, (0, 2)))
        expect(x.grad, "dx")""", variants=False, trivial="nothing was taken: zeros are the gradient")
    yield g.case("float32/grad_write_through", "as_strided/G1 as_strided/S5", """
        x = normal(1, (3, 4))
        v = normal(2, (2, 2))
        x.requires_grad = True
        v.requires_grad = True
        y = x.clone()
        y.as_strided((2, 2), (5, 2), 1).copy_(v)
        y.backward(normal(3, (3, 4)))
        expect(y, "y")
        expect(x.grad, "dx")
        expect(v.grad, "dv")""", variants=False)


def gradient_layouts(g):
    """self laid out otherwise than the gradient that comes."""
    layouts = ("normal(1, (3, 4))", "normal(1, (4, 3)).t()", "normal(1, (6, 8))[::2, ::2]", "normal(1, (8, 6))[::2, ::2].t()", "normal(1, (4,)).expand(3, 4)", "normal(1, (3, 1)).expand(3, 4)")
    for k, call in enumerate(("x.as_strided((2, 2), (1, 1))", "x.as_strided(x.shape, x.stride())", "torch.as_strided(x, (2, 3), (0, 1))")):
        asked = ""
        for n, x in enumerate(layouts):
            asked += f"""
            x = {x}.requires_grad_()
            y = {call}
            g0 = normal(9, y.shape)
            g1 = normal(8, (y.shape[1], y.shape[0])).t()
            expect_equal(autograd.grad(y, (x,), g0)[0].stride(), "plain{n}")
            y = {call}
            (gx,) = autograd.grad(y, (x,), g1)
            expect_equal(gx.stride(), "turned{n}")
            expect(gx, "grad{n}")"""
        yield g.case(f"float32/gradient_layout{k}", "as_strided/G4 as_strided/G1", asked, variants=False)
