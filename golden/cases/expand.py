# SPDX-License-Identifier: Apache-2.0
"""expand, broadcast_to, expand_as, squeeze, unsqueeze."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("expand", "{x}.expand({N}, {C}).clone()", {"x": Arg("1 C")}, "first", along=("N", "C"), exact=True, steep=True),
    Call("expand", "{x}.expand({C}, {N}).clone()", {"x": Arg("C 1")}, "last", along=("N", "C"), exact=True, steep=True),
]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/expand", "expand/S1 expand/S2 expand/S3", f"""
            x = {special(dt, (3, 1))}
            y = x.expand(2, 3, 4)
            expect(y, "y")
            expect_view_of(y, x)
            expect_equal(y.storage_offset(), x.storage_offset())
            expect(y.clone(), "copy")""")
        yield g.case(f"{dt}/squeeze", "expand/S6 expand/S7", f"""
            x = {special(dt, (2, 1, 3), 2)}
            expect(x.squeeze(1), "s")
            expect(x.unsqueeze(1), "u")
            expect(x.squeeze().unsqueeze(-1), "su")
            expect_view_of(x.squeeze(), x)
            expect_view_of(x.unsqueeze(0), x)""")
        yield g.case(f"{dt}/fill", "expand/S8", f"""
            x = {special(dt, (3, 1), 3)}
            x.expand(3, 4).fill_(1)
            expect(x, "one")
            x.expand(2, 3, 4).zero_()
            expect(x, "zero")
            expect_untouched(x, "rest")""")

    for i, (shape, size, want) in enumerate([
            ((1, 3), "2, 3", (0, 1)), ((3,), "2, 3", (0, 1)), ((1, 3), "2, -1", (0, 1)),
            ((2, 3), "2, 2, 3", (0, 3, 1)), ((), "2, 3", (0, 0)), ((), "()", ()),
            ((1, 3), "1, 3", (3, 1)), ((3,), "1, 3", (3, 1)), ((3,), "1, 1, 3", (3, 3, 1)),
            ((2, 1), "2, 1", (1, 1)), ((2, 1), "-1, 4", (1, 0)), ((1,), "3", (0,)),
            ((1, 1), "5, 1", (0, 1)), ((2, 3), "-1, -1", (3, 1)),
            ((1,), "2, 1, 1, 1, 1, 1, 1, 1, 1, 3", (0, 0, 0, 0, 0, 0, 0, 0, 0, 0))]):
        yield g.case(f"float32/size_{i}", "expand/S1 expand/S2", f"""
            x = normal({i}, {shape})
            y = x.expand({size})
            expect(y, "y")
            expect_strides(y, {want})
            expect_view_of(y, x)""" if shape != (1,) or i < 14 else f"""
            x = normal({i}, {shape})
            y = x.expand({size})
            expect(y, "y")
            expect_view_of(y, x)""")
    for i, (shape, size) in enumerate([
            ((1, 3), "0, 3"), ((0, 3), "5, 0, 3"), ((3,), "2, 0, 3"), ((1,), "2, 0, 1"),
            ((1,), "0"), ((0,), "0"), ((1, 0), "4, 0"), ((), "0"), ((), "1"), ((), "3, 0")]):
        yield g.case(f"float32/nothing_{i}", "expand/S4", f"""
            x = normal({i}, {shape})
            y = x.expand({size})
            expect(y, "y")
            expect_view_of(y, x)""")
    yield g.case("float32/expand_views", "expand/S1 expand/S3", """
        x = normal(1, (4, 6))
        expect(x[:, :1].expand(4, 3), "column")
        expect(x[1:2].expand(3, 6), "row")
        expect(x[::2, None].expand(2, 3, 6), "middle")
        expect(x.t()[:, 2:3].expand(6, 5), "turned")
        expect(x[2, 3].expand(2, 2), "element")
        expect_strides(x[::2, None].expand(2, 3, 6), (12, 0, 1))""")
    yield g.case("float32/expand_arguments", "expand/S1 expand/S5", """
        x = normal(1, (3,))
        expect(x.expand(2, 3), "apart")
        expect(x.expand((2, 3)), "tuple")
        expect(x.expand([2, 3]), "list")
        expect(torch.broadcast_to(x, (2, 3)), "function")
        expect(x.broadcast_to((2, 3)), "method")
        expect(x.expand_as(normal(2, (2, 3))), "as")
        expect_view_of(torch.broadcast_to(x, (2, 3)), x)
        expect_view_of(x.expand_as(normal(2, (2, 3))), x)""")
    yield g.case("float32/shows_writes", "expand/S3", """
        x = normal(1, (3, 1))
        y = x.expand(3, 2)
        x.fill_(2.5)
        expect(y, "y")
        expect_equal(y._version, x._version)
        expect_same(y._base, x)""")
    yield g.case("float32/write_refused", "expand/S8", """
        x = normal(1, (3, 1))
        y = x.expand(3, 4)
        expect_error(RuntimeError, "tensors/C2", y.copy_, normal(2, (3, 4)))
        expect_error(RuntimeError, "tensors/C2", y[:, 1:3].copy_, normal(2, (3, 2)))
        y[:, 2].copy_(normal(3, (3,)))
        expect(x, "x")""")

    # squeeze and unsqueeze
    for i, (shape, dim, want) in enumerate([
            ((2, 3), 0, (6, 3, 1)), ((2, 3), 1, (3, 3, 1)), ((2, 3), 2, (3, 1, 1)),
            ((2, 3), -1, (3, 1, 1)), ((2, 3), -3, (6, 3, 1)), ((), 0, (1,)), ((), -1, (1,)),
            ((3,), 1, (1, 1))]):
        yield g.case(f"float32/unsqueeze_{i}", "expand/S6", f"""
            x = normal({i}, {shape})
            y = x.unsqueeze({dim})
            expect(y, "y")
            expect(torch.unsqueeze(x, {dim}), "z")
            expect_strides(y, {want})
            expect_view_of(y, x)""")
    for i, make in enumerate(["normal(1, (2, 3)).t()", "normal(2, (3,)).expand(2, 3)",
                              "normal(3, (4, 6))[:, ::2]", "normal(4, (0, 3))",
                              "normal(5, (1, 2, 1, 2, 1, 2, 1, 2))"]):
        yield g.case(f"float32/unsqueeze_view_{i}", "expand/S6", f"""
            x = {make}
            expect(x.unsqueeze(0), "first")
            expect(x.unsqueeze(1), "second")
            expect(x.unsqueeze(-1), "last")
            expect(x[None, ..., None], "both")""")
    for i, (shape, dims, want) in enumerate([
            ((2, 1, 3), "", (2, 3)), ((2, 1, 3), "1", (2, 3)), ((2, 1, 3), "0", (2, 1, 3)),
            ((2, 1, 3), "-2", (2, 3)), ((1, 1), "", ()), ((2, 1, 1), "(0, 1)", (2, 1)),
            ((2, 1, 1), "(1, -1)", (2,)), ((2, 1, 1), "()", (2, 1, 1)), ((), "", ()),
            ((), "0", ()), ((), "-1", ()), ((0, 1), "", (0,)), ((1, 0, 1), "0", (0, 1)),
            ((1, 2, 1, 1, 1, 3, 1, 1, 1, 1), "", (2, 3))]):
        yield g.case(f"float32/squeeze_{i}", "expand/S7", f"""
            x = normal({i}, {shape})
            y = x.squeeze({dims})
            expect(y, "y")
            expect_equal(y.shape, {want})
            expect_view_of(y, x)
            expect_equal(y is x, False)""")
    yield g.case("float32/squeeze_views", "expand/S7", """
        x = normal(1, (4, 6))
        expect(x[:, 2:3].squeeze(1), "column")
        expect(x[1:2].squeeze(0), "row")
        expect(x[1:2, 3:4].squeeze(), "element")
        expect(torch.squeeze(x.t()[:, :1], 1), "turned")""")

    # refusals
    yield g.case("float32/fewer", "expand/C1", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "expand/C1", x.expand, 3)
        expect_error(RuntimeError, "expand/C1", x.expand, ())
        expect_error(RuntimeError, "expand/C1", torch.broadcast_to, x, (3,))""")
    for i, (shape, size) in enumerate([((2, 3), "2, 4"), ((2, 3), "4, 3"), ((2, 3), "2, -2"),
                                       ((0, 3), "1, 3"), ((2, 3), "5, 3, 2"), ((2,), "3, 0"),
                                       ((2, 3), "2, 1")]):
        yield g.case(f"float32/mismatch_{i}", "expand/C2", f"""
            x = normal(1, {shape})
            expect_error(RuntimeError, "expand/C2", x.expand, {size})
            expect_error(RuntimeError, "expand/C2", x.broadcast_to, ({size}))""")
    yield g.case("float32/mismatch_as", "expand/C2", """
        x = normal(1, (3,))
        expect_error(RuntimeError, "expand/C2", x.expand_as, normal(2, (3, 2)))
        expect_error(RuntimeError, "expand/C1", x.expand_as, normal(2, ()))""")
    yield g.case("float32/new_unknown", "expand/C3", """
        x = normal(1, (3,))
        expect_error(RuntimeError, "expand/C3", x.expand, -1, 3)
        expect_error(RuntimeError, "expand/C3", normal(2, ()).expand, -1)""")
    for i, call in enumerate(["x.unsqueeze, 3", "x.unsqueeze, -4", "x.squeeze, 2", "x.squeeze, -3",
                              "s.squeeze, 1", "s.unsqueeze, 1", "torch.squeeze, x, (0, 2)"]):
        yield g.case(f"float32/range_{i}", "expand/C4", f"""
            x = normal(1, (2, 3))
            s = normal(2, ())
            expect_error(IndexError, "expand/C4", {call})""")
    yield g.case("float32/twice", "expand/C5", """
        x = normal(1, (2, 1, 1))
        expect_error(RuntimeError, "expand/C5", x.squeeze, (1, 1))
        expect_error(RuntimeError, "expand/C5", x.squeeze, (1, -2))""")

    # gradients
    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad", "expand/G1", f"""
            x = normal(1, (3, 1), torch.{dt})
            x.requires_grad = True
            x.expand(2, 3, 4).backward(normal(2, (2, 3, 4), torch.{dt}))
            expect(x.grad, "dx")""")
        yield g.case(f"{dt}/grad_squeeze", "expand/G2", f"""
            x = normal(1, (2, 1, 3), torch.{dt})
            x.requires_grad = True
            x.squeeze(1).backward(normal(2, (2, 3), torch.{dt}))
            expect(x.grad, "squeeze")
            x.grad = None
            x.squeeze().unsqueeze(0).backward(normal(3, (1, 2, 3), torch.{dt}))
            expect(x.grad, "both")
            x.grad = None
            x.unsqueeze(-1).backward(normal(4, (2, 1, 3, 1), torch.{dt}))
            expect(x.grad, "unsqueeze")""")
        yield g.case(f"{dt}/grad_of_grad", "expand/G1 expand/G2", f"""
            x = normal(1, (3, 1), torch.{dt})
            x.requires_grad = True
            w = normal(2, (3, 4), torch.{dt})
            w.requires_grad = True
            d = autograd.grad(x.expand(3, 4), x, w, create_graph=True)[0]
            expect(d, "d")
            d.squeeze(1).backward(normal(3, (3,), torch.{dt}))
            expect(w.grad, "dw")""")
    yield g.case("float32/grad_nothing", "expand/G1 expand/S4", """
        x = normal(1, (1, 3))
        x.requires_grad = True
        x.expand(0, 3).backward(normal(2, (0, 3)))
        expect(x.grad, "dx")""", trivial="nothing was taken: zeros are the gradient")
    yield g.case("float32/grad_scalar", "expand/G1", """
        x = normal(1, ())
        x.requires_grad = True
        x.expand(2, 3).backward(normal(2, (2, 3)))
        expect(x.grad, "dx")""")
    yield g.case("float32/grad_write_through", "expand/G2", """
        x = normal(1, (2, 1, 3))
        x.requires_grad = True
        y = x.clone()
        y.squeeze(1)[0].zero_()
        y.unsqueeze(0)[:, 1].fill_(3.0)
        y.backward(normal(2, (2, 1, 3)))
        expect(y, "y")
        expect(x.grad, "dx")""")
    yield g.case("int8/beyond_32_bits", "expand/S1 expand/S3", """
        x = integers(1, (1,), torch.int8, low=-100, high=100)
        y = x.expand(3000000000)
        expect_equal(y.numel(), 3000000000)
        expect(y[2147483640:2147483650].clone(), "middle")
        expect(y[2999999990:].clone(), "tail")
        expect(y[-1], "last")
        z = integers(2, (3, 1), torch.int8).expand(3, 2000000000)
        expect_equal(z.numel(), 6000000000)
        expect(z[:, 1999999998:].clone(), "columns")
        expect(z.t()[1073741824].clone(), "row")""")
