# SPDX-License-Identifier: Apache-2.0
"""to: every pair of dtypes, rounding, range, and when the tensor itself is the answer."""

from calls import ALL, FLOAT, Arg, Call

CALLS = [
    Call("_to_copy", "{x}.to({to})", {"x": Arg("… N")}, exact=True,
         choices={"to": tuple(f"torch.{dt}" for dt in FLOAT)}),
    Call("_to_copy", "{x}.to({to})", {"x": Arg("… N")}, "narrow", exact=True, gradient=False,
         choices={"to": tuple(f"torch.{dt}" for dt in ALL if dt not in FLOAT)}),
]

# Where neighbouring integers fall between two numbers of a narrower dtype, so that ties occur.
TIES = {"float32": (1 << 24, 1 << 26), "bfloat16": (256, 1024), "float16": (2048, 8192),
        "float8_e4m3fn": (16, 64), "float8_e5m2": (8, 32)}
NAMES = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
         "long": "int64", "int": "int32", "short": "int16", "char": "int8", "byte": "uint8",
         "bool": "bool"}


def floating(dt):
    return dt.startswith(("float", "bfloat"))


def source(src, dst, shape):
    """Values of src whose conversion to dst PyTorch defines."""
    if src == "bool":
        return f"bools(1, {shape})"
    if not floating(src):
        low = 0 if src == "uint8" else -100
        return f'integers(1, {shape}, torch.{src}, low={low}, high=100, mix="extreme")'
    if floating(dst) or dst == "bool":
        return f'normal(1, {shape}, torch.{src}, mix="special")'
    low = 0 if dst == "uint8" else -120
    return f"uniform(1, {shape}, torch.{src}, low={low}, high=120)"


def cases(g):
    for src in g.ALL:
        for dst in g.ALL:
            rule = ("S1" if src == dst else "S7" if "bool" in (src, dst) else
                    "S3 to/S4" if floating(src) and floating(dst) else
                    "S5" if floating(src) else "S8" if floating(dst) else "S6")
            other = "expect_same(y, x)" if src == dst else "expect_copy_of(y, x)"
            yield g.case(f"{src}/to_{dst}", f"to/{rule}", f"""
                x = {source(src, dst, (4, 6))}
                y = x.to(torch.{dst})
                expect(y, "y")
                {other}""")

    # rounding
    for dst, (low, high) in TIES.items():
        for src in ("float64", "float32", "int64", "int32"):
            if src != dst:
                yield g.case(f"{src}/ties_{dst}", "to/S3" if floating(src) else "to/S8", f"""
                    x = integers(1, (64,), torch.{src}, low={low}, high={high})
                    expect(x.to(torch.{dst}), "y")
                    expect(torch.zeros(64, dtype=torch.{src}).copy_(x).to(torch.{dst}), "z")""")
        if dst != "float32":
            yield g.case(f"float32/grid_{dst}", "to/S3", f"""
                x = uniform(2, (64,), torch.float32, low=-1.0, high=1.0)
                expect(x.to(torch.{dst}), "y")
                expect(x.to(torch.{dst}).to(torch.float32), "back")""")
    for dst, tiny in [("bfloat16", 1e-39), ("float16", 1e-5), ("float8_e4m3fn", 0.02),
                      ("float8_e5m2", 3e-5)]:
        yield g.case(f"float32/subnormal_{dst}", "to/S3", f"""
            x = uniform(3, (48,), torch.float32, low=-{tiny}, high={tiny})
            expect(x.to(torch.{dst}), "y")
            expect(x.to(torch.{dst}).to(torch.float64), "back")""")
    yield g.case("float64/subnormal_float32", "to/S3", """
        x = uniform(3, (48,), torch.float64, low=-1e-40, high=1e-40)
        expect(x.to(torch.float32), "y")""")
    yield g.case("float64/rounded_twice", "to/S3", """
        x = torch.tensor([1.0039062500009095, 1.00048828125091, -1.0039062500009095,
                          1.0117187499990905], dtype=torch.float64)
        expect(x.to(torch.bfloat16), "bfloat16")
        expect(x.to(torch.float16), "float16")
        expect(x.to(torch.float32), "float32")
        expect((x * 16).to(torch.float8_e4m3fn), "e4m3fn")
        expect_equal(x.to(torch.bfloat16)[0], 1.0)""")
    yield g.case("float32/not_truncated", "to/S3", """
        x = torch.tensor([1.00390625, 1.01171875, 1.0048828125, -1.0078125, 1.998046875])
        expect_equal(x.to(torch.bfloat16), [1.0, 1.015625, 1.0078125, -1.0078125, 2.0])
        expect_equal(x.half().double()[4], 1.998046875)""")

    # range
    for dst, values in [
            ("float16", "65504.0, 65519.0, 65520.0, 1e30, -65519.996, -65520.0"),
            ("bfloat16", "3.3895314e38, 3.3961775e38, 3.3961776e38, 3.4028235e38, -3.4e38"),
            ("float8_e4m3fn", "448.0, 463.0, 464.0, 465.0, 480.0, 1e9, -448.0, -1e9"),
            ("float8_e5m2", "57344.0, 61439.0, 61440.0, 61441.0, 1e9, -57344.0, -1e9")]:
        yield g.case(f"float32/range_{dst}", "to/S4", f"""
            x = torch.tensor([{values}])
            y = x.to(torch.{dst})
            expect(y, "y")
            expect(y.to(torch.float32), "back")""")
    yield g.case("float64/range_float32", "to/S4", """
        x = torch.tensor([3.4028234663852886e38, 3.4028235677973362e38, 3.4028235677973367e38, 1e300,
                          -1e300], dtype=torch.float64)
        expect(x.to(torch.float32), "y")""")
    for dst in ("float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"):
        yield g.case(f"float64/specials_{dst}", "to/S3 to/S4", f"""
            x = torch.tensor([torch.inf, -torch.inf, torch.nan, 0.0, -0.0, 5e-324, -5e-324],
                             dtype=torch.float64)
            y = x.to(torch.{dst})
            expect(y, "y")
            expect(y.to(torch.float64), "back")""")
    yield g.case("int64/range_float16", "to/S8 to/S4", """
        x = torch.tensor([65504, 65519, 65520, 100000, -65520, 4611686018427387905])
        expect(x.to(torch.float16), "y")
        expect(x.to(torch.float8_e4m3fn), "e4m3fn")""")
    yield g.case("int64/large", "to/S8", """
        x = torch.tensor([16777217, 9007199254740993, 9223372036854775807, -9223372036854775808,
                          16809985])
        expect(x.to(torch.float32), "float32")
        expect(x.to(torch.float64), "float64")
        expect(x.to(torch.bfloat16), "bfloat16")""")
    # One more than halfway between two float32, by less than float64 can tell: 2**60 + 2**36 + 1.
    yield g.case("int64/rounded_once", "to/S8", """
        x = torch.tensor([1152921573326323713, -1152921573326323713, 1152921573326323712])
        expect(x.to(torch.float32), "y")
        expect(x.float(), "method")""")
    yield g.case("int64/wraps", "to/S6", """
        x = torch.tensor([300, -1, 128, 255, 256, -129, 65536, 2147483648, -2147483649, 511])
        expect(x.to(torch.uint8), "uint8")
        expect(x.to(torch.int8), "int8")
        expect(x.to(torch.int16), "int16")
        expect(x.to(torch.int32), "int32")
        expect_equal(x.to(torch.uint8)[:3], [44, 255, 128])""")
    yield g.case("float32/truncates", "to/S5", """
        x = torch.tensor([1.7, -1.7, 0.9999999, -0.9999999, 2.5, 3.5, -0.0, 127.99, 1e-40])
        expect_equal(x.to(torch.int32), [1, -1, 0, 0, 2, 3, 0, 127, 0])
        expect(x.to(torch.int8), "int8")
        expect(x.to(torch.int64), "int64")
        expect(x.half().to(torch.int16), "half")""")
    yield g.case("float64/large_integers", "to/S5", """
        x = torch.tensor([9007199254740993.0, -4611686018427387904.0, 2147483647.9, -2147483648.9],
                         dtype=torch.float64)
        expect(x.to(torch.int64), "y")
        expect(x[2:].to(torch.int32), "z")""")
    yield g.case("float32/truth", "to/S7", """
        x = torch.tensor([0.3, torch.nan, -0.0, 0.0, 1e-45, -torch.inf])
        expect_equal(x.to(torch.bool), [True, True, False, False, True, True])
        expect_equal(torch.tensor([True, False]).to(torch.float32), [1.0, 0.0])
        expect_equal(torch.tensor([True, True, True, False]).to(torch.uint8), [1, 1, 1, 0])
        expect_equal(torch.tensor([256, 0]).to(torch.bool), [True, False])""")

    # when the tensor itself
    for name, dt in NAMES.items():
        yield g.case(f"{dt}/named", "to/S9", f"""
            x = integers(1, (3, 4), torch.int64, low=0, high=3)
            y = x.{name}()
            expect(y, "y")
            expect_equal(y.dtype, torch.{dt})
            expect_same(y.{name}(), y)""")
    yield g.case("float32/same", "to/S1", """
        x = normal(1, (3, 4))
        expect_same(x.to(torch.float32), x)
        expect_same(x.to(dtype=torch.float32), x)
        expect_same(x.to(x), x)
        expect_same(x.to(x.device), x)
        expect_same(x.to(x.device, torch.float32), x)
        expect_same(x.to(torch.float32, copy=False), x)
        expect_same(x[1:].to(torch.float32)._base, x)""")
    yield g.case("float32/forms", "to/S1", """
        x = normal(1, (3, 4))
        expect(x.to(torch.int8), "dtype")
        expect(x.to(x.device, torch.int8), "device_dtype")
        expect(x.to(device=x.device, dtype=torch.int8), "keywords")
        expect(x.to(torch.int8, True), "non_blocking")
        expect(x.to(torch.int8, non_blocking=True, copy=True), "both")
        expect(x.to(integers(2, (5,), torch.int16)), "other")
        expect_equal(x.to(integers(3, (5,), torch.int16)).dtype, torch.int16)""")
    yield g.case("float32/copy", "to/S2", """
        x = normal(1, (3, 4))
        y = x.to(torch.float32, copy=True)
        expect(y, "y")
        expect(x[1:].to(torch.float32, copy=True), "part")
        expect_copy_of(y, x)
        expect_copy_of(x.to(x, copy=True), x)
        expect_copy_of(x.to(x.device, copy=True), x)""")
    for name, make, want in [
            ("transposed", "normal(1, (2, 3)).t()", (1, 3)),
            ("expanded", "normal(2, (2, 3)).expand(4, 2, 3)", (6, 3, 1)),
            ("sliced", "normal(3, (4, 6))[:, ::2]", (3, 1)),
            ("permuted", "normal(4, (2, 3, 4)).permute(2, 0, 1)", (1, 12, 4)),
            ("empty", "normal(5, (0, 3)).t()", (1, 3)), ("none", "normal(6, ())", ()),
            ("offset", "normal(7, (4, 6))[1:, 2:]", (4, 1)),
            ("ten", "normal(8, (1, 2, 1, 2, 1, 2, 1, 2, 1, 2)).transpose(1, 9)", None)]:
        check = f"\n            expect_strides(x.to(torch.float16), {want})" if want is not None else ""
        yield g.case(f"float32/layout_{name}", "to/S2", f"""
            x = {make}
            expect(x.to(torch.float16), "half")
            expect(x.to(torch.int32), "int")
            expect(x.to(torch.float32, copy=True), "copy"){check}""", variants=False)
        yield g.case(f"float32/format_{name}", "to/S10", f"""
            x = {make}
            expect_same(x.to(memory_format=torch.contiguous_format), x)
            expect_same(x.to(torch.float32, memory_format=torch.preserve_format), x)
            expect(x.to(torch.float16, memory_format=torch.contiguous_format), "half")
            expect(x.to(torch.float32, copy=True, memory_format=torch.contiguous_format), "copy")
            """)
    for i, shape in enumerate([(2, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 1), (1, 1, 4, 5), (1, 3, 1, 1),
                               (2, 3, 1, 5), (0, 3, 4, 5), (1, 1, 1, 1)]):
        yield g.case(f"float32/channels_last_{i}", "to/S10", f"""
            x = normal({i}, {shape})
            y = x.to(memory_format=torch.channels_last)
            expect(y, "y")
            expect(y.to(torch.float16), "half")
            expect(y.to(memory_format=torch.contiguous_format), "back")
            expect(x.to(torch.bfloat16, memory_format=torch.channels_last), "cast")
            expect_equal(y.to(memory_format=torch.channels_last) is y, {i < 6})
            expect_strides(x.to(torch.int8, memory_format=torch.channels_last),
                           x.clone(memory_format=torch.channels_last).stride())""")
    yield g.case("float32/channels_last_view", "to/S10", """
        x = normal(1, (2, 4, 6, 6)).to(memory_format=torch.channels_last)
        y = x[:, :, ::2, 1:]
        expect(y.to(torch.float16), "half")
        expect(y.to(memory_format=torch.contiguous_format), "back")
        expect_same(y.to(memory_format=torch.channels_last), y)""", variants=False)

    # meta, and refusals
    yield g.case("float32/meta", "to/S11", """
        x = normal(1, (3, 4)).t()
        y = x.to("meta", torch.int8)
        expect_equal(y.dtype, torch.int8)
        expect_equal(y.shape, (4, 3))
        expect_equal(y.stride(), x.clone().stride())
        expect_equal(y.device.type, "meta")
        expect_same(y.to("meta"), y)""")
    yield g.case("float32/from_meta", "to/C1", """
        x = torch.empty(3, device="meta")
        expect_error(NotImplementedError, "to/C1", x.to, normal(1, ()).device)
        expect_error(NotImplementedError, "to/C1", x.to, normal(1, ()))""")
    for i, make in enumerate(["normal(1, (2, 3, 4))", "normal(2, ())", "normal(3, (2, 2, 2, 2, 2))"]):
        yield g.case(f"float32/channels_last_dims_{i}", "to/C2", f"""
            x = {make}
            expect_error(RuntimeError, "to/C2", x.to, torch.float16,
                         memory_format=torch.channels_last)
            expect_error(RuntimeError, "to/C2", x.to, memory_format=torch.channels_last)""")

    # gradients
    for src in g.FLOAT:
        for dst in g.FLOAT:
            if src != dst:
                yield g.case(f"{src}/grad_{dst}", "to/G1", f"""
                    x = normal(1, (3, 4), torch.{src})
                    x.requires_grad = True
                    y = x.to(torch.{dst})
                    y.backward(normal(2, (3, 4), torch.{dst}))
                    expect(x.grad, "dx")
                    expect_equal(x.grad.dtype, torch.{src})""")
            if src != dst and dst != "float64" and src != "float16":  # there, none is so small
                yield g.case(f"{src}/grad_subnormal_{dst}", "to/G1 to/S3", f"""
                    x = normal(3, (3, 4), torch.{src}).requires_grad_()
                    (dx,) = autograd.grad(x.to(torch.{dst}), (x,), normal(4, (3, 4), torch.{dst}, mix="subnormal"))
                    expect(dx, "dx")""")
    yield g.case("float32/grad_of_grad", "to/G1", """
        x = normal(1, (3, 4))
        x.requires_grad = True
        w = normal(2, (3, 4), torch.float16)
        w.requires_grad = True
        d = autograd.grad(x.half(), x, w, create_graph=True)[0]
        expect(d, "d")
        d.backward(normal(3, (3, 4)))
        expect(w.grad, "dw")""")
    yield g.case("float32/grad_integers", "to/G1", """
        x = normal(1, (3, 4))
        x.requires_grad = True
        expect_equal(x.to(torch.int32).requires_grad, False)
        expect_equal(x.bool().requires_grad, False)
        expect_equal(x.double().requires_grad, True)
        expect_equal(x.to(torch.float32) is x, True)""")
