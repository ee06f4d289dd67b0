# SPDX-License-Identifier: Apache-2.0
"""torch.tensor: the literal rules."""


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/given", "tensor/S3 tensor/S1", f"""
            x = torch.tensor([[0, 1, 2], [3, 100, 7]], dtype=torch.{dt})
            expect(x, "ints")
            expect(torch.tensor([0.0, 1.5, 2.75, 3.999], dtype=torch.{dt}), "floats")
            expect(torch.tensor([True, False], dtype=torch.{dt}), "bools")
            expect(torch.tensor(5, dtype=torch.{dt}), "number")
            expect(torch.tensor([], dtype=torch.{dt}), "empty")
            expect_equal(x.is_contiguous(), True)
            expect_equal(x._base is None, True)""")
    for i, (data, dtype, shape) in enumerate([
            ("[1, 2]", "int64", (2,)), ("[1, 2.5]", "float32", (2,)), ("[True, 2]", "int64", (2,)),
            ("[True, False]", "bool", (2,)), ("3", "int64", ()), ("3.5", "float32", ()),
            ("True", "bool", ()), ("[True, 2.5, 1]", "float32", (3,)), ("(1, 2)", "int64", (2,)),
            ("[(1, 2), (3, 4)]", "int64", (2, 2)), ("[[[1.0]], [[2.0]]]", "float32", (2, 1, 1)),
            ("[[1, 2], [3.0, 4]]", "float32", (2, 2)), ("torch.nan", "float32", ()),
            ("[[[[[[[[[[1, 2]]]]]]]]]]", "int64", (1,) * 9 + (2,))]):
        yield g.case(f"{dtype}/inferred_{i}", "tensor/S1 tensor/S2", f"""
            x = torch.tensor({data})
            expect(x, "x")
            expect_equal(x.dtype, torch.{dtype})
            expect_equal(x.shape, {shape})""")
    for i, (data, shape) in enumerate([("[]", (0,)), ("[[]]", (1, 0)), ("[[], []]", (2, 0)),
                                       ("[[[]], [[]], [[]]]", (3, 1, 0)), ("()", (0,))]):
        yield g.case(f"float32/empty_{i}", "tensor/S5 tensor/S2", f"""
            x = torch.tensor({data})
            expect_equal(x.shape, {shape})
            expect_equal(x.dtype, torch.float32)
            expect(x, "x")""")
    yield g.case("uint8/negative", "tensor/S4", """
        expect_equal(torch.tensor([-1, -255, 255, 0], dtype=torch.uint8), [255, 1, 255, 0])""")
    yield g.case("int64/ends", "tensor/S6", """
        x = torch.tensor([9223372036854775807, -9223372036854775808, 9007199254740993])
        expect(x, "x")
        expect_equal(x[2], 9007199254740993)
        expect(torch.tensor([127, -128], dtype=torch.int8), "int8")
        expect(torch.tensor([2147483647, -2147483648], dtype=torch.int32), "int32")""")
    yield g.case("float32/rounding", "tensor/S6 tensor/S3", """
        expect(torch.tensor([0.1, 16777217.0, 1e-45, 7e-46, 1e39, -1e39]), "float32")
        expect(torch.tensor([16777217, 16777219], dtype=torch.float32), "from_int")
        expect(torch.tensor([9007199254740993], dtype=torch.float64), "float64")
        expect(torch.tensor([0.1, 1e-320, 1e308], dtype=torch.float64), "double")""")
    yield g.case("float16/rounding", "tensor/S6 tensor/S3", """
        expect(torch.tensor([0.1, 2049.0, 2051.0, 65519.0, 65520.0, 1e5, 3e-8, 2e-8,
                             1.0004882812509095], dtype=torch.float16), "float16")
        expect(torch.tensor([0.1, 257.0, 259.0, 3.4e38, 1e39, 1.0039062500009095],
                            dtype=torch.bfloat16), "bfloat16")""")
    yield g.case("float8_e4m3fn/range", "tensor/S3", """
        expect(torch.tensor([448.0, 449.0, 464.0, 465.0, 500.0, torch.inf, -torch.inf, 0.1, 17.0],
                            dtype=torch.float8_e4m3fn), "e4m3fn")
        expect(torch.tensor([57344.0, 61439.0, 61440.0, 1e9, torch.inf, 0.1, 9.0],
                            dtype=torch.float8_e5m2), "e5m2")
        expect(torch.tensor([500], dtype=torch.float8_e4m3fn), "int")""")
    yield g.case("float32/specials", "tensor/S3", """
        expect(torch.tensor([torch.nan, torch.inf, -torch.inf, -0.0, 0.0]), "x")
        expect_equal(torch.tensor([torch.nan, 0.0, -0.0, 0.3], dtype=torch.bool),
                     [True, False, False, True])""")
    yield g.case("int32/truncated", "tensor/S3", """
        expect_equal(torch.tensor([2.7, -2.7, 0.9, -0.9], dtype=torch.int32), [2, -2, 0, 0])
        expect_equal(torch.tensor([127.9, -128.0], dtype=torch.int8), [127, -128])""")
    yield g.case("float32/leaf", "tensor/S1", """
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        expect_equal(x.requires_grad, True)
        expect_equal(x.is_leaf, True)
        expect_equal(x.storage_offset(), 0)
        expect_equal(x._version, 0)""")
    yield g.case("int64/meta", "tensor/S1", """
        x = torch.tensor([[1, 2]], device="meta")
        expect_equal(x.shape, (1, 2))
        expect_equal(x.dtype, torch.int64)""")

    for i, data in enumerate(["[[1, 2], [3]]", "[[1], [2, 3]]", "[[[1, 2]], [[3]]]"]):
        yield g.case(f"int64/ragged_{i}", "tensor/C1", f"""
            expect_error(ValueError, "tensor/C1", torch.tensor, {data})""")
    for i, data in enumerate(["[[1], 2]", "[1, [2]]"]):
        yield g.case(f"int64/mixed_{i}", "tensor/C2", f"""
            expect_error(TypeError, "tensor/C2", torch.tensor, {data})""")
    for dt, data in [("uint8", "300"), ("uint8", "-256"), ("int8", "128"), ("int8", "-129"),
                     ("int16", "32768"), ("int32", "2147483648"), ("int32", "torch.nan"),
                     ("int64", "torch.inf"), ("uint8", "256")]:
        name = data.replace("torch.", "").replace("-", "m")
        yield g.case(f"{dt}/unfit_{name}", "tensor/C3", f"""
            expect_error(RuntimeError, "tensor/C3", torch.tensor, [{data}], dtype=torch.{dt})""")
    for dt in ("int64", "bool", "uint8"):
        yield g.case(f"{dt}/no_grad", "tensor/C4", f"""
            expect_error(RuntimeError, "tensor/C4", torch.tensor, [1], dtype=torch.{dt},
                         requires_grad=True)""")
