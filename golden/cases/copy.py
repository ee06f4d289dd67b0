# SPDX-License-Identifier: Apache-2.0
"""copy_, fill_, zero_ and torch.fill."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("copy", "{x}.clone().copy_({y})", {"x": Arg("… B N", "place"), "y": Arg("… B N")}, exact=True,
         trivial="a copy is its source"),
    Call("copy", "{x}.clone().copy_({y})", {"x": Arg("… B N", "place"), "y": Arg("N")}, "row", exact=True),
    Call("fill", "torch.fill({x}, {y})", {"x": Arg("… N", "place"), "y": Arg("")}, exact=True),
    Call("zero", "{x}.clone().zero_()", {"x": Arg("… N", "place")}, exact=True, gradient=False,
         trivial="the result is zeros"),
]


def floating(dt):
    return dt.startswith(("float", "bfloat"))


ZEROS = [("bool", "-0.0"), ("float16", "1e-9"), ("float32", "1e-46")]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/copy", "copy/S1", f"""
            x = {special(dt, (3, 4), 1)}
            y = {special(dt, (3, 4), 2)}
            expect_same(x.copy_(y), x)
            expect(x, "x")
            expect_copy_of(x, y)
            expect_untouched(x, "rest")""")
        yield g.case(f"{dt}/copy_views", "copy/S1 copy/S8", f"""
            x = {special(dt, (5, 7), 1)}
            y = {special(dt, (6, 4), 2)}
            x[1:4, ::3].copy_(y[:3, 1:])
            x[4, 2:6].copy_(y[5])
            x.t()[5, :2].copy_(y[::3, 0])
            expect(x, "x")
            expect_untouched(x, "rest")""")
        yield g.case(f"{dt}/copy_broadcast", "copy/S1", f"""
            x = {special(dt, (2, 3, 4), 1)}
            x.copy_({special(dt, (3, 1), 2)})
            expect(x, "column")
            x[1].copy_({special(dt, (4,), 3)})
            expect(x, "row")
            x[:, 0].copy_({special(dt, (), 4)})
            expect(x, "scalar")""")
        yield g.case(f"{dt}/copy_from_float32", "copy/S2", f"""
            x = {special(dt, (3, 4), 1)}
            x.copy_(uniform(2, (3, 4), torch.float32, low=0.0, high=100.0))
            expect(x, "x")
            x.t().copy_(uniform(3, (4, 3), torch.float64, low=0.0, high=3.0))
            expect(x, "t")""")
        yield g.case(f"{dt}/copy_to_float32", "copy/S2", f"""
            x = normal(1, (3, 4))
            x.copy_({special(dt, (3, 4), 2)})
            expect(x, "x")""")
        yield g.case(f"{dt}/copy_from_int64", "copy/S2", f"""
            x = {special(dt, (3, 4), 1)}
            x.copy_(integers(2, (3, 4), torch.int64, low=-1000, high=1000))
            expect(x, "x")""")
        yield g.case(f"{dt}/fill", "copy/S4", f"""
            x = {special(dt, (3, 5), 1)}
            expect_same(x.fill_(3), x)
            expect(x, "int")
            x[1].fill_(2.75)
            x[:, 3].fill_(True)
            expect(x, "others")
            expect_untouched(x, "rest")""")
        yield g.case(f"{dt}/fill_tensor", "copy/S5", f"""
            x = {special(dt, (3, 4), 1)}
            x.fill_({special(dt, (), 2)})
            expect(x, "own")
            x[1].fill_(torch.tensor(2.75))
            x[:, 2].fill_(torch.tensor(1))
            expect(x, "others")""")
        yield g.case(f"{dt}/zero", "copy/S6 copy/S8", f"""
            x = {special(dt, (4, 9), 1)}
            expect_same(x[1:3, 1::2].zero_()._base, x)
            expect(x, "part")
            expect_untouched(x, "rest")
            torch.zero_(x)
            expect(x, "all")""")
        for start, stop in [(1, 17), (3, 20), (7, 24), (1, 2), (5, 37)]:
            if dt in ("bool", "uint8", "int8", "float16", "float32") or start == 1 and stop == 17:
                yield g.case(f"{dt}/fill_{start}_{stop}", "copy/S8", f"""
                    x = {special(dt, (40,), 1)}
                    v = x[{start}:{stop}]
                    v.fill_(1)
                    expect(x, "x")
                    expect_untouched(v, "rest")""")
        yield g.case(f"{dt}/torch_fill", "copy/S9", f"""
            x = {special(dt, (3, 4), 1)}
            y = torch.fill(x.t(), 1)
            expect(y, "y")
            expect(x, "x")
            expect_copy_of(y, x)
            expect(torch.fill(x, torch.tensor(2)), "z")""")

    # numbers
    yield g.case("float32/copy_number", "copy/S3", """
        x = normal(1, (2, 3))
        x.copy_(5)
        expect(x, "int")
        x[0].copy_(2.5)
        x[:, 1].copy_(True)
        expect(x, "others")""")
    yield g.case("float32/copy_itself", "copy/S3", """
        x = normal(1, (3, 4))
        before = x._version
        x.copy_(x)
        expect(x, "x")
        x[1:].copy_(x[1:])
        expect(x, "part")
        expect_equal(x._version - before, 2)
        expect(x[1:].clone(), "tail")""")
    yield g.case("float32/non_blocking", "copy/S1", """
        x = normal(1, (3,))
        x.copy_(integers(2, (3,)), True)
        expect(x, "x")
        x.copy_(integers(3, (3,)), non_blocking=True)
        expect(x, "y")""")
    for dt, number in [("uint8", "-1"), ("uint8", "-255"), ("uint8", "255"), ("uint8", "255.9"),
                       ("int8", "-128"), ("int8", "127.9"), ("int32", "2147483647.5"),
                       ("int64", "9223372036854775807"), ("int64", "-9223372036854775808"),
                       ("int16", "-32768"), ("bool", "0.3"), ("bool", "torch.nan"), ("bool", "-0.0"),
                       ("float16", "65504"), ("float16", "torch.inf"), ("float16", "torch.nan"),
                       ("float16", "1.0004882812509095"), ("float16", "6e-8"), ("float16", "1e-9"),
                       ("bfloat16", "1.00390625"), ("bfloat16", "3.3895313892515355e+38"),
                       ("float32", "16777217"), ("float32", "4611686018427387905"),
                       ("float32", "3.4028234663852886e+38"), ("float32", "0.1"),
                       ("float32", "1e-46"), ("float32", "-0.0"), ("float64", "0.1"),
                       ("float64", "9007199254740993"), ("float8_e4m3fn", "448"),
                       ("float8_e4m3fn", "0.3"), ("float8_e4m3fn", "torch.nan"),
                       ("float8_e5m2", "57344"), ("float8_e5m2", "-torch.inf"),
                       ("float8_e5m2", "0.1")]:
        name = number.replace("torch.", "").replace("+", "").replace("-", "m")
        yield g.case(f"{dt}/number_{name}", "copy/S4", f"""
            x = torch.zeros(2, 3, dtype=torch.{dt})
            x.fill_({number})
            expect(x, "x")
            expect(torch.full((2,), {number}, dtype=torch.{dt}), "full")""",
                     trivial="the number rounds to zero"
                     if (dt, number) in ZEROS else None)
    for dt, number in [("uint8", "300"), ("uint8", "256"), ("uint8", "-256"), ("uint8", "-1.0"),
                       ("uint8", "256.0"), ("int8", "128"), ("int8", "-129"), ("int8", "-128.9"),
                       ("int16", "32768"), ("int32", "1e10"), ("int32", "-2147483649"),
                       ("int64", "9.3e18"), ("int64", "9.223372036854775807e18"),
                       ("int32", "torch.nan"), ("int64", "torch.inf"), ("uint8", "-torch.inf"),
                       ("float16", "1e5"), ("float16", "65505"), ("float16", "65504.1"),
                       ("float16", "-65519.0"), ("bfloat16", "3.4e38"), ("float32", "1e39"),
                       ("float32", "3.402823567797337e38"), ("float8_e4m3fn", "449"),
                       ("float8_e4m3fn", "torch.inf"), ("float8_e5m2", "57345")]:
        name = number.replace("torch.", "").replace("-", "m")
        yield g.case(f"{dt}/unfit_{name}", "copy/C3", f"""
            x = {special(dt, (2, 3), 1)}
            expect_error(RuntimeError, "copy/C3", x.fill_, {number})
            expect_error(RuntimeError, "copy/C3", x[:, :0].fill_, {number})
            expect_error(RuntimeError, "copy/C3", torch.full, (2,), {number}, dtype=torch.{dt})
            expect(x, "x")""")
    for dt, numbers in (("float16", ("1e5", "-65520", "65519.0", "1e39", "torch.nan")),
                        ("bfloat16", ("3.4e38", "-1e39", "3.3895e38")),
                        ("float8_e4m3fn", ("449", "-500.5", "1e39", "torch.inf", "464.0")),
                        ("float8_e5m2", ("57345", "-1e5", "1e300", "-torch.inf"))):
        asked = "".join(f"""
            x.fill_({number})
            expect(x, "x{k}")
            expect(torch.full((), {number}, dtype=torch.{dt}), "full{k}")
            expect(torch.full_like(x, {number}), "like{k}")
            y[1, 2] = {number}
            expect(y, "y{k}")
            m.fill_({number})
            expect_error(RuntimeError, "copy/C3", y[:, :2].fill_, 1e300)"""
                        for k, number in enumerate(numbers))
        yield g.case(f"{dt}/one_element", "copy/S10 copy/C3", f"""
            x = {special(dt, (1, 1), 1)}
            y = {special(dt, (2, 3), 2)}
            m = torch.empty(2, 3, dtype=torch.{dt}, device="meta")""" + asked, variants=False)
    yield g.case("float32/one_element_refused", "copy/C3", """
        x = normal(1, (1,))
        expect_error(RuntimeError, "copy/C3", x.fill_, 1e39)
        expect_error(RuntimeError, "copy/C3", torch.full, (), 300, dtype=torch.int8)
        expect(x, "x")""", trivial="x is the input itself")
    yield g.case("int8/fits", "copy/S4 copy/C3", """
        x = torch.zeros(2, dtype=torch.int8)
        expect_equal(x.fill_(127.5), [127, 127])
        expect_error(RuntimeError, "copy/C3", x.fill_, -128.9)
        expect_equal(x.fill_(-128.0), [-128, -128])
        expect_error(RuntimeError, "copy/C3", x.fill_, 128.0)
        expect_equal(torch.zeros(2, dtype=torch.uint8).fill_(255.9), [255, 255])""")
    yield g.case("float16/tensor_overflows", "copy/S5", """
        x = normal(1, (2,), torch.float16)
        x.fill_(torch.tensor(1e6))
        expect(x, "x")
        y = integers(2, (2,), torch.uint8)
        y.fill_(torch.tensor(300))
        expect(y, "y")
        y.fill_(torch.tensor(2.7))
        expect(y, "z")""")

    # overlap
    yield g.case("float32/fill_expanded", "copy/S7", """
        x = normal(1, (3, 1))
        x.expand(3, 4).fill_(2)
        expect(x, "x")
        x[1].expand(5).zero_()
        expect(x, "y")
        expect_untouched(x, "rest")""")
    yield g.case("float32/fill_from_itself", "copy/S5 copy/S8", """
        x = normal(1, (3, 4))
        x.fill_(x[1, 2])
        expect(x, "x")""")
    yield g.case("float32/copy_expanded", "copy/C1 copy/S7", """
        x = normal(1, (3, 1))
        expect_error(RuntimeError, "tensors/C2", x.expand(3, 4).copy_, normal(2, (3, 4)))
        expect_error(RuntimeError, "copy/C1", x.copy_, normal(3, (3, 4)))
        expect(x, "x")""")
    yield g.case("float32/copy_overlap", "copy/S1", """
        x = normal(1, (10,))
        expect_error(RuntimeError, "tensors/C3", x[1:].copy_, x[:-1])
        expect_error(RuntimeError, "tensors/C3", x[:9].copy_, x[1:])
        x[:5].copy_(x[5:])
        expect(x, "x")
        x[1:].copy_(x[:-1].clone())
        expect(x, "y")""", variants=False)
    yield g.case("float32/copy_transposed_self", "copy/S1", """
        x = normal(1, (3, 3))
        expect_error(RuntimeError, "tensors/C3", x.copy_, x.t())
        x.copy_(x.t().clone())
        expect(x, "x")""", variants=False)
    yield g.case("float32/copy_interleaved", "copy/S8", """
        x = normal(1, (10,))
        x[::2].copy_(x[1::2])
        expect(x, "x")""", variants=False)

    # sizes
    for i, (shape, other) in enumerate([((0,), (0,)), ((0, 3), (3,)), ((), ()), ((1,), ()),
                                        ((2, 3), (1, 1)), ((2, 0), (1,)),
                                        ((1, 2, 1, 2, 1, 2, 1, 2, 1, 2), (2, 1, 2))]):
        yield g.case(f"float32/shape_{i}", "copy/S1 copy/S4 copy/S6", f"""
            x = normal(1, {shape})
            x.copy_(normal(2, {other}))
            expect(x, "copied")
            x.fill_(3)
            expect(x, "filled")
            x.zero_()
            expect(x, "zeroed")
            expect_untouched(x, "rest")""")
    yield g.case("float32/versions", "copy/S8", """
        x = normal(1, (3, 4))
        v = x[1]
        before = x._version
        v.zero_()
        x.fill_(1)
        v.copy_(normal(2, (4,)))
        expect_equal(x._version - before, 3)
        expect_equal(v._version, x._version)
        torch.fill(x, 2)
        expect_equal(x._version - before, 3)""")
    yield g.case("float32/fill_layout", "copy/S9", """
        expect_strides(torch.fill(torch.zeros(2, 3).t(), 5), (1, 3))
        expect_strides(torch.fill(torch.zeros(1).expand(3), 5), (1,))
        expect_strides(torch.fill(torch.zeros(4, 6)[:, ::2], 5), (3, 1))
        expect_equal(torch.fill(torch.zeros(2, dtype=torch.int32), 5.5), [5, 5])""")

    # refusals
    for i, (shape, other) in enumerate([((2, 3), (2,)), ((3,), (2, 3)), ((2, 3), (0,)), ((0,), (5,)),
                                        ((2, 3), (3, 2)), ((), (2,)), ((1, 3), (2, 1)),
                                        ((3,), (1, 3))]):
        if shape == (3,) and other == (1, 3):
            continue
        yield g.case(f"float32/no_broadcast_{i}", "copy/C1", f"""
            x = normal(1, {shape})
            expect_error(RuntimeError, "copy/C1", x.copy_, normal(2, {other}))
            expect(x, "x")""")
    yield g.case("float32/fill_with_dims", "copy/C2", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "copy/C2", x.fill_, normal(2, (1,)))
        expect_error(RuntimeError, "copy/C2", x.fill_, normal(3, (2, 3)))
        expect_error(RuntimeError, "copy/C2", torch.fill, x, normal(4, (1, 1)))
        expect(x, "x")""")
    yield g.case("float32/torch_fill_unfit", "copy/C3", """
        x = integers(1, (3,), torch.uint8)
        expect_error(RuntimeError, "copy/C3", torch.fill, x, 300)""")
    yield g.case("float32/from_meta", "copy/C4", """
        x = normal(1, (3,))
        expect_error(NotImplementedError, "copy/C4", x.copy_, torch.ones(3, device="meta"))
        expect(x, "x")
        y = torch.empty(3, device="meta")
        expect_equal(y.copy_(x).device.type, "meta")""")

    # gradients
    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad_copy", "copy/G1", f"""
            x = normal(1, (3, 4), torch.{dt})
            v = normal(2, (4,), torch.{dt})
            x.requires_grad = True
            v.requires_grad = True
            y = x.clone()
            y.copy_(v)
            y.backward(normal(3, (3, 4), torch.{dt}))
            expect(x.grad, "dx")
            expect(v.grad, "dv")""")
        yield g.case(f"{dt}/grad_fill", "copy/G2", f"""
            x = normal(1, (3, 4), torch.{dt})
            v = normal(2, (), torch.{dt})
            x.requires_grad = True
            v.requires_grad = True
            y = x.clone()
            y.fill_(v)
            y.backward(normal(3, (3, 4), torch.{dt}))
            expect(x.grad, "dx")
            expect(v.grad, "dv")""")
        yield g.case(f"{dt}/grad_views", "copy/G3", f"""
            x = normal(1, (3, 4), torch.{dt})
            v = normal(2, (2,), torch.{dt})
            x.requires_grad = True
            v.requires_grad = True
            y = x.clone()
            y[1, 1:3].copy_(v)
            y[:, 0].zero_()
            y[2].fill_(1.5)
            y.backward(normal(3, (3, 4), torch.{dt}))
            expect(y, "y")
            expect(x.grad, "dx")
            expect(v.grad, "dv")""")
    yield g.case("float32/grad_copy_casts", "copy/G1 copy/S2", """
        v = normal(1, (3,), torch.float16)
        v.requires_grad = True
        y = torch.zeros(2, 3)
        y.copy_(v)
        y.backward(normal(2, (2, 3)))
        expect(v.grad, "dv")
        expect_equal(v.grad.dtype, torch.float16)""")
    yield g.case("float32/grad_of_grad", "copy/G1", """
        v = normal(1, (3,))
        v.requires_grad = True
        w = normal(2, (2, 3))
        w.requires_grad = True
        y = torch.zeros(2, 3)
        y.copy_(v * v)
        d = autograd.grad(y, v, w, create_graph=True)[0]
        expect(d, "d")
        d.backward(normal(3, (3,)))
        expect(v.grad, "dv")
        expect(w.grad, "dw")""")
    yield g.case("float32/grad_zero_leaf", "copy/G2", """
        x = normal(1, (3,))
        x.requires_grad = True
        expect_error(RuntimeError, "autograd/C1", x.zero_)
        expect_error(RuntimeError, "autograd/C1", x.fill_, 1)
        y = x.clone()
        y[1:].zero_()
        y.backward(normal(2, (3,)))
        expect(x.grad, "dx")""")
    yield g.case("float32/grad_torch_fill", "copy/G2 copy/S9", """
        v = normal(1, ())
        v.requires_grad = True
        torch.fill(normal(2, (2, 3)), v).backward(normal(3, (2, 3)))
        expect(v.grad, "dv")""")
