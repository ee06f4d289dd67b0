# SPDX-License-Identifier: Apache-2.0
"""transpose, permute, t, .T and .mT."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("transpose", "{x}.t().clone()", {"x": Arg("B N")}, exact=True, along=("N", "B")),
    Call("permute", "{x}.permute(2, 0, 1).clone()", {"x": Arg("B N C")}, exact=True),
]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/transpose", "transpose/S1", f"""
            x = {special(dt, (2, 3, 4))}
            y = x.transpose(0, 2)
            expect(y, "y")
            expect(torch.transpose(x, 1, -1), "z")
            expect_view_of(y, x)
            expect_equal(y.storage_offset(), x.storage_offset())""")
        yield g.case(f"{dt}/permute", "transpose/S2", f"""
            x = {special(dt, (2, 3, 4), 2)}
            y = x.permute(2, 0, 1)
            expect(y, "y")
            expect(torch.permute(x, (-2, -1, 0)), "z")
            expect_view_of(y, x)""")
        yield g.case(f"{dt}/write_through", "transpose/S6", f"""
            x = {special(dt, (4, 3), 3)}
            y = x[1:3].t()
            y.fill_(1)
            expect(x, "x")
            expect_untouched(y, "rest")
            expect_equal(x._version, y._version)""")

    for i, (shape, dims) in enumerate([
            ((2, 3), (0, 1)), ((2, 3), (-1, 0)), ((2, 3), (1, 1)), ((3,), (0, 0)),
            ((3,), (0, -1)), ((), (0, -1)), ((), (0, 0)), ((0, 3), (0, 1)), ((2, 1, 3), (1, 2)),
            ((1, 1), (0, 1)), ((2, 0, 3), (-1, -3)),
            ((2, 1, 2, 1, 2, 1, 2, 1, 2), (0, 8)), ((1, 2, 1, 1, 1, 1, 1, 1, 1, 3), (1, -1))]):
        yield g.case(f"float32/dims_{i}", "transpose/S1" + (" transpose/S5" if shape == () else ""),
                     f"""
            x = normal({i}, {shape})
            y = x.transpose{dims}
            expect(y, "y")
            expect_view_of(y, x)
            expect_equal(y is x, False)""")
    for i, (shape, dims) in enumerate([
            ((2, 3), (1, 0)), ((2, 3), (0, 1)), ((2, 3, 4), (-1, 0, -2)), ((4,), (0,)),
            ((), ()), ((0, 2, 3), (2, 0, 1)), ((1, 2, 3, 4), (0, 2, 3, 1)),
            ((1, 2, 3, 4), (3, -2, 1, -4)), ((2, 1, 1, 1, 2, 1, 1, 1, 3), (8, 4, 0, 1, 2, 3, 5, 6, 7))]):
        yield g.case(f"float32/order_{i}", "transpose/S2" + (" transpose/S5" if shape == () else ""),
                     f"""
            x = normal({i}, {shape})
            y = x.permute({dims})
            expect(y, "y")
            expect_view_of(y, x)""")
    yield g.case("float32/permute_arguments", "transpose/S2", """
        x = normal(1, (2, 3, 4))
        expect(x.permute(2, 0, 1), "apart")
        expect(x.permute((2, 0, 1)), "tuple")
        expect(x.permute([2, 0, 1]), "list")
        expect(x.permute(dims=(2, 0, 1)), "keyword")
        expect(torch.permute(x, (2, 0, 1)), "function")""")
    yield g.case("float32/strides", "transpose/S1 transpose/S2 transpose/S4", """
        x = normal(1, (2, 3, 4))
        expect_strides(x.transpose(0, 2), (1, 4, 12))
        expect_strides(x.permute(2, 0, 1), (1, 12, 4))
        expect_strides(x.permute(1, 2, 0).permute(2, 0, 1), (12, 4, 1))
        expect_strides(x.mT, (12, 1, 4))
        expect_strides(x[:, 1:, ::2].transpose(1, 2), (12, 2, 4))
        expect_strides(x[0].T, (1, 4))
        expect_strides(normal(2, (3,)).expand(2, 3).t(), (1, 0))""", variants=False)
    for shape in [(2, 3), (3,), (), (0, 3), (1, 5)]:
        name = "x".join(map(str, shape)) or "none"
        yield g.case(f"float32/t_{name}", "transpose/S3" + (" transpose/S5" if shape == () else ""),
                     f"""
            x = normal(1, {shape})
            expect(x.t(), "y")
            expect(torch.t(x), "z")
            expect_view_of(x.t(), x)""")
    yield g.case("int32/capital_t", "transpose/S4", """
        x = integers(1, (2, 3), torch.int32)
        expect(x.T, "y")
        expect(x.mT, "m")
        expect(x.T.T, "back")
        expect_view_of(x.T, x)""")
    for shape in [(2, 3, 4), (2, 1, 3, 2), (0, 2, 3)]:
        name = "x".join(map(str, shape))
        yield g.case(f"float32/mt_{name}", "transpose/S4", f"""
            x = normal(1, {shape})
            expect(x.mT, "y")
            expect_view_of(x.mT, x)""")
    yield g.case("float32/heads", "transpose/S1", """
        x = normal(1, (2, 5, 12))
        y = x.view(2, 5, 3, 4).transpose(1, 2)
        expect(y, "y")
        expect(y.transpose(1, 2).reshape(2, 5, 12), "back")
        expect(y.contiguous(), "c")""")
    yield g.case("float32/chain", "transpose/S1 transpose/S2", """
        x = normal(1, (2, 3, 4, 5))
        y = x.permute(3, 1, 0, 2).transpose(0, 2)[1:, ::2].transpose(-1, -2)
        expect(y, "y")
        expect_view_of(y, x)""")

    for i, call in enumerate(["x.transpose, 0, 2", "x.transpose, -3, 0", "torch.transpose, x, 2, 1",
                              "x.permute, 0, 2", "x.permute, 0, -3", "torch.transpose, s, 0, 1",
                              "s.transpose, -2, 0"]):
        yield g.case(f"float32/range_{i}", "transpose/C1", f"""
            x = normal(1, (2, 3))
            s = normal(2, ())
            expect_error(IndexError, "transpose/C1", {call})""")
    for i, dims in enumerate(["0, 1", "0, 1, 2, 3", "()"]):
        yield g.case(f"float32/count_{i}", "transpose/C2", f"""
            x = normal(1, (2, 3, 4))
            expect_error(RuntimeError, "transpose/C2", x.permute, {dims})""")
    for i, dims in enumerate(["0, 1, 1", "0, -3, 1", "2, 2, 2"]):
        yield g.case(f"float32/twice_{i}", "transpose/C3", f"""
            x = normal(1, (2, 3, 4))
            expect_error(RuntimeError, "transpose/C3", x.permute, {dims})""")
    yield g.case("float32/t_of_three", "transpose/C4", """
        x = normal(1, (2, 3, 4))
        expect_error(RuntimeError, "transpose/C4", x.t)
        expect_error(RuntimeError, "transpose/C4", torch.t, x)""")
    yield g.case("float32/mt_of_one", "transpose/C5", """
        def turned(x):
            return x.mT
        expect_error(RuntimeError, "transpose/C5", turned, normal(1, (3,)))""")

    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad", "transpose/G1", f"""
            x = normal(1, (2, 3, 4), torch.{dt})
            x.requires_grad = True
            x.transpose(0, -1).backward(normal(2, (4, 3, 2), torch.{dt}))
            expect(x.grad, "transpose")
            x.grad = None
            x.permute(2, -3, 1).backward(normal(3, (4, 2, 3), torch.{dt}))
            expect(x.grad, "permute")
            x.grad = None
            x[0].t().backward(normal(4, (4, 3), torch.{dt}))
            expect(x.grad, "t")""")
        yield g.case(f"{dt}/grad_of_grad", "transpose/G1", f"""
            x = normal(1, (2, 3, 4), torch.{dt})
            x.requires_grad = True
            w = normal(2, (4, 2, 3), torch.{dt})
            w.requires_grad = True
            d = autograd.grad(x.permute(2, 0, 1), x, w, create_graph=True)[0]
            expect(d, "d")
            d.transpose(0, 1).backward(normal(3, (3, 2, 4), torch.{dt}))
            expect(w.grad, "dw")""")
    yield g.case("float32/grad_write_through", "transpose/G1 transpose/S6", """
        x = normal(1, (3, 4))
        x.requires_grad = True
        y = x.clone()
        y.t()[1].fill_(2.0)
        y.T[:, 2].zero_()
        y.backward(normal(2, (3, 4)))
        expect(y, "y")
        expect(x.grad, "dx")""")
