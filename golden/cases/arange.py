# SPDX-License-Identifier: Apache-2.0
"""arange."""

from calls import Arg, Call

CALLS = [
    Call("arange", "torch.arange({N}, dtype={dtype})", {}, dtypes=("int64", "int32", "float64", "float32"),
         exact=True, gradient=False),
    Call("arange", "torch.arange(3, 3 + 2 * {N}, 2, dtype={dtype})", {}, "step",
         dtypes=("int64", "int32", "float64", "float32"), exact=True, gradient=False),
]


def cases(g):
    for dt in g.NUMBER:
        yield g.case(f"{dt}/counts", "arange/S1 arange/S4 arange/S7", f"""
            expect(torch.arange(5, dtype=torch.{dt}), "end")
            expect(torch.arange(2, 7, dtype=torch.{dt}), "start")
            expect(torch.arange(9, 1, -2, dtype=torch.{dt}), "step")
            expect(torch.arange(100, dtype=torch.{dt}), "long")
            expect_strides(torch.arange(3, dtype=torch.{dt}), (1,))""")
        yield g.case(f"{dt}/out", "arange/S6", f"""
            x = integers(1, (6,), torch.{dt})
            v = x[1::2]
            torch.arange(0, 6, 2, out=v)
            expect(x, "x")
            expect_untouched(v, "rest")
            y = torch.empty(0, dtype=torch.{dt})
            torch.arange(3, out=y)
            expect(y, "y")""")
        if dt.startswith(("float", "bfloat")):
            yield g.case(f"{dt}/halves", "arange/S4 arange/S3", f"""
                expect(torch.arange(1, 2.5, 0.5, dtype=torch.{dt}), "half")
                expect(torch.arange(-1, 1, 0.25, dtype=torch.{dt}), "quarter")
                expect(torch.arange(2, 0.1, -0.5, dtype=torch.{dt}), "down")
                expect(torch.arange(0.5, 3, dtype=torch.{dt}), "start")""")

    for i, args in enumerate(["5", "2, 5", "5, 0, -2", "0", "3, 3", "-3, 3", "0, 10, 3", "0, 9, 3",
                              "0, 11, 3", "-5, -11, -2", "True, 3", "1, 8, 100", "7, 0, -100",
                              "0, -2, -1", "4611686018427387904, 4611686018427387907",
                              "-9223372036854775808, -9223372036854775805",
                              "9223372036854775804, 9223372036854775807",
                              "0, 4611686018427387904, 4611686018427387900"]):
        rule = "arange/S1 arange/S3" if i < 6 else "arange/S3 arange/S4"
        yield g.case(f"int64/range_{i}", rule, f"""
            x = torch.arange({args})
            expect(x, "x")
            expect_equal(x.dtype, torch.int64)""")
    for i, args in enumerate(["5.0", "2.5", "1, 2.5, 0.5", "0, 1, 0.25", "3.0, 0.0, -0.75",
                              "0.0", "1.5, 1.5", "-2, 2.0", "0, 5, 2.0", "0, 0.5, 0.125"]):
        yield g.case(f"float32/range_{i}", "arange/S2 arange/S3", f"""
            x = torch.arange({args})
            expect(x, "x")
            expect_equal(x.dtype, torch.float32)""")
    yield g.case("float32/length", "arange/S3", """
        expect_equal(torch.arange(0, 1, 0.1).numel(), 10)
        expect_equal(torch.arange(0, 1, 0.3).numel(), 4)
        expect_equal(torch.arange(1, 0, -0.1).numel(), 10)
        expect_equal(torch.arange(0, 2.1, 0.7).numel(), 4 if 2.1 / 0.7 > 3 else 3)
        expect_equal(torch.arange(0.0, 0.9, 0.3).numel(), 3)
        expect_equal(torch.arange(2.5, dtype=torch.int64).numel(), 3)
        expect_equal(torch.arange(0.9, 3.1, dtype=torch.int32).numel(), 3)"""
                 .replace("        expect_equal(torch.arange(0, 2.1, 0.7).numel(), "
                          "4 if 2.1 / 0.7 > 3 else 3)\n", ""))
    yield g.case("int64/truncated", "arange/S4", """
        expect_equal(torch.arange(0.5, 5, 1.5, dtype=torch.int64), [0, 1, 2])
        expect_equal(torch.arange(2.5, dtype=torch.int64), [0, 1, 2])
        expect_equal(torch.arange(0.9, 3.1, dtype=torch.int32), [0, 1, 2])
        expect_equal(torch.arange(-1.5, 2, dtype=torch.int16), [-1, 0, 1, 2])
        expect_equal(torch.arange(0, 6, 2.9, dtype=torch.int8), [0, 2, 4])""")
    yield g.case("uint8/wraps", "arange/S5", """
        expect(torch.arange(300, dtype=torch.uint8), "up")
        expect(torch.arange(-3, 3, dtype=torch.uint8), "from_below")
        expect(torch.arange(-129, -126, dtype=torch.int8), "int8")
        expect(torch.arange(32766, 32770, dtype=torch.int16), "int16")
        expect(torch.arange(2147483646, 2147483650, dtype=torch.int32), "int32")""")
    yield g.case("float16/rounded", "arange/S4", """
        expect(torch.arange(2045, 2056, dtype=torch.float16), "float16")
        expect(torch.arange(250, 265, dtype=torch.bfloat16), "bfloat16")
        expect(torch.arange(16777214, 16777222, dtype=torch.float32), "float32")""")
    yield g.case("float32/tenths", "arange/S4", """
        expect(torch.arange(0, 0.8, 0.1), "float32")
        expect(torch.arange(0, 0.8, 0.1, dtype=torch.float64), "float64")
        expect(torch.arange(0, 0.75, 0.1, dtype=torch.bfloat16), "bfloat16")
        expect(torch.arange(0, 0.75, 0.1, dtype=torch.float16), "float16")""")
    yield g.case("int64/keywords", "arange/S1", """
        expect(torch.arange(start=1, end=5), "both")
        expect(torch.arange(1, end=5, step=2), "mixed")
        expect(torch.arange(1, 5, step=2), "step")""")
    yield g.case("float32/out_resized", "arange/S6", """
        x = torch.empty(0)
        torch.arange(0, 5, 2, out=x)
        expect(x, "x")
        y = torch.empty(0, dtype=torch.int32)
        torch.arange(0, 3.5, 1, out=y)
        expect(y, "y")
        z = torch.ones(5)
        expect_warns("tensors/S12", torch.arange, 3, out=z)
        expect(z, "z")
        expect_same(torch.arange(2, out=x), x)""")
    yield g.case("int64/meta", "arange/S7", """
        x = torch.arange(10000000000000, device="meta")
        expect_equal(x.shape, (10000000000000,))
        expect_equal(x.dtype, torch.int64)
        expect_equal(torch.arange(0, 1, 0.25, device="meta").numel(), 4)""")

    yield g.case("int64/step_alone", "arange/C1", """
        expect_error(TypeError, "arange/C1", torch.arange, 5, step=2)""")
    yield g.case("int64/step_zero", "arange/C2", """
        expect_error(RuntimeError, "arange/C2", torch.arange, 0, 5, 0)
        expect_error(RuntimeError, "arange/C2", torch.arange, 0, 5, 0.0)
        expect_error(RuntimeError, "arange/C2", torch.arange, 0, 0, 0)""")
    for i, args in enumerate(["5, 2", "2, 5, -1", "-1", "0, 0.5, -0.1"]):
        yield g.case(f"int64/away_{i}", "arange/C3", f"""
            expect_error(RuntimeError, "arange/C3", torch.arange, {args})""")
    for i, args in enumerate(["torch.nan", "torch.inf", "-torch.inf, 0", "0, 1, torch.nan",
                              "torch.nan, 1", "0, 1, torch.inf"]):
        yield g.case(f"float32/not_finite_{i}", "arange/C4", f"""
            expect_error(RuntimeError, "arange/C4", torch.arange, {args})""")
    for dt in ("bool",) + g.FLOAT8:
        yield g.case(f"{dt}/not_for", "arange/C5", f"""
            expect_error(NotImplementedError, "arange/C5", torch.arange, 3, dtype=torch.{dt})""")
    yield g.case("float32/too_long", "arange/C6", """
        expect_error(RuntimeError, "arange/C6", torch.arange, 0, 1e300)""")
    for dt in ("int64", "uint8"):
        yield g.case(f"{dt}/beyond", "arange/C8", f"""
            expect_error(RuntimeError, "arange/C8", torch.arange, 1e19, 1.1e19, 1e17,
                         dtype=torch.{dt})
            expect_error(RuntimeError, "arange/C8", torch.arange, 0, -3e19, -1e19,
                         dtype=torch.{dt})""")
    yield g.case("int32/far_end", "arange/S4 arange/S5", """
        expect(torch.arange(0, 1e19, 1e18, dtype=torch.int64), "int64")
        expect(torch.arange(0, 1e19, 1e18, dtype=torch.int32), "int32")
        expect(torch.arange(300, 305, dtype=torch.uint8), "uint8")""")
    yield g.case("float16/overflows", "arange/S4", """
        expect(torch.arange(65500, 65540, 8, dtype=torch.float16), "float16")
        expect(torch.arange(0, 1e39, 1e38, dtype=torch.float32)[4:], "float32")""")
    yield g.case("float32/out_dtype", "arange/C7", """
        x = normal(1, (3,))
        expect_error(RuntimeError, "arange/C7", torch.arange, 0, 5, 2, dtype=torch.int32, out=x)
        expect(x, "x")""")
    yield g.case("float32/out_overlap", "arange/S6", """
        x = normal(1, (1,))
        expect_error(RuntimeError, "tensors/C2", torch.arange, 0, 5, 2, out=x.expand(3))""")
