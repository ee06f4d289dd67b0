# SPDX-License-Identifier: Apache-2.0
"""select, slice, narrow: what subscripts of integers and ranges mean."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("slice", "{x}[1::2].clone()", {"x": Arg("N C")}, "first", exact=True, along=("N", "C"),
         reaches=("slice_backward",)),
    Call("slice", "{x}[:, 1::3].clone()", {"x": Arg("B N")}, "last", exact=True, along=("N", "B"),
         reaches=("slice_backward",)),
    Call("select", "{x}[:, 1].clone()", {"x": Arg("N C")}, exact=True, along=("N", "C"),
         most={"float32": 5000},
         reaches=("select_backward",)),
]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/select", "slice/S1 slice/S4", f"""
            x = {special(dt, (3, 4))}
            y = x.select(1, -1)
            expect(y, "y")
            expect(torch.select(x, 0, 2), "z")
            expect_view_of(y, x)
            expect_equal(y.storage_offset() - x.storage_offset(), 3 * x.stride(1))""")
        yield g.case(f"{dt}/step", "slice/S2 slice/S4", f"""
            x = {special(dt, (5, 7), 2)}
            y = x[1:, 2:7:3]
            expect(y, "y")
            expect(x[::2], "rows")
            expect(x[:, -3:-1], "tail")
            expect_view_of(y, x)""")
        yield g.case(f"{dt}/narrow", "slice/S3", f"""
            x = {special(dt, (3, 5), 3)}
            y = x.narrow(1, 1, 3)
            expect(y, "y")
            expect(torch.narrow(x, 0, -2, 2), "z")
            expect_view_of(y, x)""")
        yield g.case(f"{dt}/write_odd_offset", "slice/S5", f"""
            x = {special(dt, (19,), 4)}
            x[3:16].fill_(1)
            expect(x, "x")
            expect_untouched(x[3:16], "rest")""")
        yield g.case(f"{dt}/write_strided", "slice/S5", f"""
            x = {special(dt, (5, 7), 5)}
            x[1:4, 1::2].zero_()
            expect(x, "x")
            expect_untouched(x[1:4, 1::2], "rest")
            expect_equal(x[2]._version, x._version)""")
        yield g.case(f"{dt}/write_row_and_column", "slice/S5 slice/S6", f"""
            x = {special(dt, (4, 5), 6)}
            x[1].fill_(0)
            x[:, 2].fill_(1)
            x[-1, -1].zero_()
            expect(x, "x")""")

    # select
    for i, (shape, dim, index) in enumerate([
            ((3,), 0, 1), ((3,), -1, -3), ((2, 3, 4), 1, 2), ((2, 3, 4), -3, -1), ((0, 3), 1, 1),
            ((1, 1), 0, 0), ((2, 1, 2, 1, 2, 1, 2, 1, 3), 8, 2)]):
        yield g.case(f"int64/select_{i}", "slice/S1", f"""
            x = integers({i}, {shape}, high=100)
            y = x.select({dim}, {index})
            expect(y, "y")
            expect_view_of(y, x)""")
    yield g.case("int64/strides", "slice/S1 slice/S2", """
        x = integers(1, (2, 3, 4))
        expect_strides(x[1], (4, 1))
        expect_strides(x[1, :, 1::2], (4, 2))
        expect_equal(x[1, :, 1::2].storage_offset(), 13)
        expect_strides(x[:, 1], (12, 1))
        expect_equal(x[..., -1].storage_offset(), 3)
        expect_strides(x[:, None], (12, 12, 4, 1))
        expect_strides(x[None], (24, 12, 4, 1))
        expect_strides(x.t() if len(x.shape) == 2 else x[0].t(), (1, 4))
        expect_strides(x[:, ::5], (12, 20, 1))""" .replace(
            "        expect_strides(x.t() if len(x.shape) == 2 else x[0].t(), (1, 4))\n", ""),
        variants=False)

    # bounds
    for i, bounds in enumerate(["2:8:3", "8:2", "-3:", ":-3", "-30:30", "20:", ":0", "5:5", "::20",
                                "1::4", "-1:", "9:10", "0:10:10", "-8:-2:2", "10:", ":-20",
                                "3:9223372036854775807", "-9223372036854775807:4"]):
        yield g.case(f"int64/bounds_{i}", "slice/S2" + (" slice/S4" if ":0" in bounds else ""), f"""
            x = integers(1, (10,), high=100)
            y = x[{bounds}]
            expect(y, "y")
            expect_view_of(y, x)""")
    yield g.case("int64/offsets", "slice/S2", """
        x = integers(1, (10,))
        expect_equal(x[8:2].storage_offset(), 8)
        expect_equal(x[20:].storage_offset(), 10)
        expect_equal(x[5:5].storage_offset(), 5)
        expect_equal(x[-3:].storage_offset(), 7)
        expect_strides(x[::20], (20,))
        expect_strides(x[1::4], (4,))
        expect_strides(x[8:2:3], (3,))""", variants=False)
    yield g.case("int64/huge_step", "slice/S2", """
        x = integers(1, (10,))
        expect(x[::4611686018427387904], "y")
        expect_strides(x[::4611686018427387904], (4611686018427387904,))""", variants=False)
    yield g.case("int64/empty", "slice/S4 slice/S2", """
        x = integers(1, (0, 3))
        expect(x[:], "all")
        expect(x[:, 1], "column")
        expect(x[5:, ::2], "both")
        expect_view_of(x[:, 1:], x)""")
    yield g.case("int64/of_a_slice", "slice/S2", """
        x = integers(1, (20,), high=100)
        y = x[2:][::3][1:4]
        expect(y, "y")
        expect_view_of(y, x)
        expect_same(y._base, x)""")
    for i, (shape, args, rule) in enumerate([
            ((10,), (0, 2, 3), "S3"), ((10,), (0, -3, 2), "S3"), ((10,), (0, 10, 0), "S3"),
            ((10,), (0, -10, 0), "S3"), ((10,), (0, -10, 10), "S3"), ((3, 4), (-1, 1, 2), "S3"),
            ((3, 4), (0, 0, 3), "S3"), ((0, 4), (0, 0, 0), "S3"), ((1,), (0, 0, 1), "S3")]):
        yield g.case(f"int64/narrow_{i}", f"slice/{rule}", f"""
            x = integers({i}, {shape}, high=100)
            expect(x.narrow{args}, "y")
            expect_view_of(x.narrow{args}, x)""")

    # subscripts
    for i, index in enumerate(["1", "-1", "1, 2", "1, -1, 0", "..., 1", "1, ...", "1, ..., 2",
                               "None", ":, None", "..., None", "None, 1, None", "0:1", ":",
                               "...", "1, None, 1:, ::2", "1, 2, 3", "..., 0, :, :", ":, ::2, -2:",
                               "None, None, ..., -1", "0:0"]):
        yield g.case(f"float32/subscript_{i}", "slice/S6", f"""
            x = normal(1, (2, 3, 4))
            y = x[{index}]
            expect(y, "y")
            expect_view_of(y, x)""")
    yield g.case("float32/subscript_zero_dim", "slice/S6", """
        x = normal(1, ())
        expect(x[...], "all")
        expect(x[None], "one")
        expect(x[None, ..., None], "two")
        expect(x[()], "none")
        expect_view_of(x[...], x)""")
    yield g.case("float32/subscript_many_dims", "slice/S6", """
        x = normal(1, (1, 2, 1, 2, 1, 2, 1, 2, 1, 2))
        expect(x[0, 1, ..., 1], "ends")
        expect(x[..., 1, 0, :], "inner")
        expect(x[:, :, None, 0], "more")""")
    for dt in ("float32", "int8", "bool", "bfloat16"):
        yield g.case(f"{dt}/assign", "slice/S5 slice/S6", f"""
            x = {special(dt, (4, 5), 7)}
            x[1:3, ::2] = {special(dt, (2, 3), 8)}
            x[0] = 1
            x[..., 1] = {special(dt, (4,), 9)}
            x[3, 4] = {special(dt, (), 10)}
            expect(x, "x")""")
    yield g.case("float32/assign_shift", "slice/S5", """
        x = normal(1, (3, 4))
        x[1:] = x[:-1].clone()
        expect(x, "x")
        def shift(y):
            y[1:] = y[:-1]
        expect_error(RuntimeError, "tensors/C3", shift, x)""", variants=False)
    yield g.case("float32/augmented", "slice/S5 slice/S6", """
        x = normal(1, (3, 4))
        x[1, 1:3] += 1
        x[:, 0] *= 2
        expect(x, "x")""")

    # refusals
    for i, call in enumerate(["x.select, 2, 0", "x.select, -3, 0", "s.select, 0, 0",
                              "torch.select, x, 5, 0", "x.narrow, 2, 0, 1"]):
        yield g.case(f"float32/dim_{i}", "slice/C1", f"""
            x = normal(1, (2, 3))
            s = normal(2, ())
            expect_error(IndexError, "slice/C1", {call})""")
    yield g.case("float32/subscript_refused", "slice/C1 slice/S6", """
        def taken(t):
            return t[0]
        def sliced(t):
            return t[:]
        def deep(t):
            return t[0, ..., 0, 0]
        expect_error(IndexError, "slice/C1", taken, normal(1, ()))
        expect_error(IndexError, "slice/C1", sliced, normal(2, ()))
        expect_error(IndexError, "slice/C1", deep, normal(3, (2, 3)))""")
    for i, call in enumerate(["x.select, 0, 2", "x.select, 1, -4", "x.select, 1, 3", "e.select, 0, 0",
                              "taken, x, 2", "taken, x, -3", "taken, e, 0"]):
        yield g.case(f"float32/index_{i}", "slice/C2", f"""
            x = normal(1, (2, 3))
            e = normal(2, (0, 3))
            def taken(t, i):
                return t[i]
            expect_error(IndexError, "slice/C2", {call})""")
    yield g.case("float32/step_refused", "slice/C3", """
        def stepped(t, s):
            return t[::s]
        expect_error(ValueError, "slice/C3", stepped, normal(1, (4,)), 0)
        expect_error(ValueError, "slice/C3", stepped, normal(2, (4, 3)), -1)""")
    yield g.case("float32/narrow_start", "slice/C4", """
        x = normal(1, (10,))
        expect_error(IndexError, "slice/C4", x.narrow, 0, 11, 0)
        expect_error(IndexError, "slice/C4", x.narrow, 0, -11, 0)""")
    yield g.case("float32/narrow_length", "slice/C5", """
        x = normal(1, (10,))
        expect_error(RuntimeError, "slice/C5", x.narrow, 0, 2, 9)
        expect_error(RuntimeError, "slice/C5", x.narrow, 0, 2, -1)
        expect_error(RuntimeError, "slice/C5", x.narrow, 0, -1, 2)
        expect_error(RuntimeError, "slice/C5", torch.narrow, x, 0, 10, 1)""")
    yield g.case("float32/narrow_zero_dim", "slice/C6", """
        expect_error(RuntimeError, "slice/C6", normal(1, ()).narrow, 0, 0, 1)""")

    # gradients
    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad_select", "slice/G1 slice/S7", f"""
            x = normal(1, (3, 4), torch.{dt})
            x.requires_grad = True
            x[1].backward(normal(2, (4,), torch.{dt}))
            expect(x.grad, "row")
            x.grad = None
            x.select(1, -2).backward(normal(3, (3,), torch.{dt}))
            expect(x.grad, "column")""")
        yield g.case(f"{dt}/grad_slice", "slice/G2 slice/S7", f"""
            x = normal(1, (5, 4), torch.{dt})
            x.requires_grad = True
            x[1::2, -3:-1].backward(normal(2, (2, 2), torch.{dt}))
            expect(x.grad, "slice")
            x.grad = None
            x.narrow(0, -4, 2).backward(normal(3, (2, 4), torch.{dt}))
            expect(x.grad, "narrow")""")
        yield g.case(f"{dt}/grad_of_grad", "slice/G3", f"""
            x = normal(1, (5, 4), torch.{dt})
            x.requires_grad = True
            w = normal(2, (2, 4), torch.{dt})
            u = normal(3, (5,), torch.{dt})
            w.requires_grad = True
            u.requires_grad = True
            d = autograd.grad(x[1::2], x, w, create_graph=True)[0]
            e = autograd.grad(x[:, 2], x, u, create_graph=True)[0]
            expect(d, "d")
            expect(e, "e")
            d.backward(normal(4, (5, 4), torch.{dt}))
            e.backward(normal(5, (5, 4), torch.{dt}))
            expect(w.grad, "dw")
            expect(u.grad, "du")""")
    yield g.case("float32/grad_several", "slice/G1 slice/G2", """
        x = normal(1, (4, 3))
        x.requires_grad = True
        y = x[0] + x[-1] + x[1:3, 1]
        y = x[::3].clone()
        (x[0] + x[3]).backward(normal(2, (3,)))
        y.backward(normal(3, (2, 3)))
        expect(x.grad, "dx")""".replace("        y = x[0] + x[-1] + x[1:3, 1]\n", ""))
    yield g.case("float32/grad_empty", "slice/G2", """
        x = normal(1, (4, 3))
        x.requires_grad = True
        x[4:].backward(normal(2, (0, 3)))
        expect(x.grad, "dx")""", trivial="nothing was taken: zeros are the gradient")
    yield g.case("float32/grad_write_through", "slice/G1 slice/G2 slice/S5", """
        x = normal(1, (4, 5))
        v = normal(2, (5,))
        x.requires_grad = True
        v.requires_grad = True
        y = x.clone()
        y[1] = v
        y[2:, 3].zero_()
        y.backward(normal(3, (4, 5)))
        expect(y, "y")
        expect(x.grad, "dx")
        expect(v.grad, "dv")""")
    yield g.case("float32/beyond_32_bits", "slice/S1 slice/S2", """
        x = torch.empty(65536, 131072, device="meta")
        expect_equal(x[40000].storage_offset(), 5242880000)
        expect_equal(x[40000:, 5].storage_offset(), 5242880005)
        expect_equal(x[::2].stride(), (262144, 1))
        expect_equal(x[1:65536:32768, 7:].shape, (2, 131065))
        expect_equal(x.view(-1)[4294967296:].storage_offset(), 4294967296)
        expect_equal(x.view(-1)[-1].storage_offset(), 8589934591)
        expect_equal(x.narrow(0, 65535, 1).storage_offset(), 8589803520)""")
