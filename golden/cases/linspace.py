# SPDX-License-Identifier: Apache-2.0
"""linspace."""

from calls import Call

CALLS = [
    Call("linspace", "torch.linspace(0, {N} - 1, {N}, dtype={dtype})", {}, "whole",
         dtypes=("float64", "float32", "int64", "int32"), exact=True, gradient=False),
    Call("linspace", "torch.linspace(-1.5, 7.25, {N}, dtype={dtype})", {}, "apart",
         dtypes=("float64", "float32", "bfloat16", "float16"), gradient=False),
]


def cases(g):
    for dt in g.NUMBER:
        yield g.case(f"{dt}/counts", "linspace/S1 linspace/S4", f"""
            expect(torch.linspace(0, 6, 7, dtype=torch.{dt}), "up")
            expect(torch.linspace(9, 1, 5, dtype=torch.{dt}), "down")
            expect(torch.linspace(3, 5, 2, dtype=torch.{dt}), "ends")
            expect(torch.linspace(4, 4, 3, dtype=torch.{dt}), "still")
            expect_strides(torch.linspace(0, 6, 7, dtype=torch.{dt}), (1,))""")
        yield g.case(f"{dt}/short", "linspace/S1 linspace/S3", f"""
            expect(torch.linspace(3.75, 99, 1, dtype=torch.{dt}), "one")
            expect_equal(torch.linspace(2, 9, 0, dtype=torch.{dt}).shape, (0,))
            expect(torch.linspace(2, 1e30, 1, dtype=torch.{dt}), "end_unread")
            expect_equal(torch.linspace(1e30, 1e30, 0, dtype=torch.{dt}).numel(), 0)""")
        yield g.case(f"{dt}/out", "linspace/S7", f"""
            x = integers(1, (8,), torch.{dt}, low=0, high=6)
            v = x[1::2]
            torch.linspace(0, 9, 4, out=v)
            expect(x, "x")
            expect_untouched(v, "rest")
            y = torch.empty(0, dtype=torch.{dt})
            expect_same(torch.linspace(3, 5, 3, out=y), y)
            expect(y, "grown")
            z = integers(2, (2, 3), torch.{dt}, low=0, high=6)
            torch.linspace(0, 5, 6, out=z.t())
            expect(z, "turned")
            w = torch.ones(2, 3, dtype=torch.{dt})
            torch.linspace(1, 7, 4, out=w)
            expect(w, "resized")""")
        if "float" in dt:
            yield g.case(f"{dt}/parts", "linspace/S4 linspace/S5", f"""
                expect(torch.linspace(0, 1, 7, dtype=torch.{dt}), "sevenths")
                expect(torch.linspace(-2.3, 5.1, 24, dtype=torch.{dt}), "apart")
                expect(torch.linspace(1, -1, 100, dtype=torch.{dt}), "long")
                expect(torch.linspace(0.1, 0.3, 6, dtype=torch.{dt}), "near")
                expect(torch.linspace(1000, 1001, 11, dtype=torch.{dt}), "far")""")
            yield g.case(f"{dt}/mirrored", "linspace/S4", f"""
                expect(torch.linspace(0, 1, 10, dtype=torch.{dt}), "there")
                expect(torch.linspace(1, 0, 10, dtype=torch.{dt}), "back")
                expect(torch.linspace(0.7, 0.9, 23, dtype=torch.{dt})[-1:], "last")""")
        else:
            yield g.case(f"{dt}/truncated", "linspace/S3 linspace/S4 linspace/S5", f"""
                expect(torch.linspace(0, 10, 4, dtype=torch.{dt}), "thirds")
                expect(torch.linspace(10, 0, 4, dtype=torch.{dt}), "down")
                expect(torch.linspace(0.9, 7.9, 5, dtype=torch.{dt}), "cut_first")
                expect(torch.linspace(-5, 5, 7, dtype=torch.{dt}), "signs")
                expect(torch.linspace(0, 100, 64, dtype=torch.{dt}), "long")""")
    yield g.case("uint8/wraps", "linspace/S3 linspace/S5", """
        expect(torch.linspace(-3, 3, 3, dtype=torch.uint8), "first")
        expect(torch.linspace(-200, -1, 2, dtype=torch.uint8), "both")
        expect(torch.linspace(-128, 127, 256, dtype=torch.int8), "all")
        expect(torch.linspace(-128, 127, 5, dtype=torch.int8), "wide")
        expect(torch.linspace(-32768, 32767, 5, dtype=torch.int16), "int16")""")
    yield g.case("int64/far", "linspace/S3 linspace/S5", """
        expect(torch.linspace(9007199254740993, 9007199254741001, 5, dtype=torch.int64), "beyond_doubles")
        expect(torch.linspace(0, 4611686018427387904, 5, dtype=torch.int64), "quarters")
        expect(torch.linspace(-2147483648, 2147483647, 4, dtype=torch.int32), "int32")""")
    yield g.case("float32/dtype", "linspace/S2", """
        x = torch.linspace(0, 3, 4)
        expect_equal(x.dtype, torch.float32)
        expect_equal(torch.linspace(True, False, 3), [1.0, 0.5, 0.0])
        expect_equal(torch.linspace(0.5, 3, 2).dtype, torch.float32)""")
    yield g.case("float32/keywords", "linspace/S1", """
        expect(torch.linspace(start=1, end=3, steps=5), "named")
        expect(torch.linspace(1, 3, steps=5), "mixed")""")
    yield g.case("float16/held", "linspace/S3", """
        expect(torch.linspace(2049, 4099, 3, dtype=torch.float16), "float16")
        expect(torch.linspace(257, 1027, 4, dtype=torch.bfloat16), "bfloat16")
        expect(torch.linspace(16777217, 16777225, 3), "float32")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/not_finite", "linspace/S6", f"""
            expect(torch.linspace(0, torch.inf, 4, dtype=torch.{dt}), "inf")
            expect(torch.linspace(-torch.inf, 1, 5, dtype=torch.{dt}), "from_inf")
            expect(torch.linspace(0, torch.nan, 3, dtype=torch.{dt}), "nan")
            expect(torch.linspace(torch.nan, 0, 1, dtype=torch.{dt}), "one")""")
    yield g.case("float32/meta", "linspace/S8", """
        x = torch.linspace(0, 1, 10000000000000, device="meta")
        expect_equal(x.shape, (10000000000000,))
        expect_equal(torch.linspace(0, 1e9, 3, dtype=torch.uint8, device="meta").dtype, torch.uint8)
        expect_equal(torch.linspace(0, 1, 3, dtype=torch.bool, device="meta").dtype, torch.bool)
        expect_error(RuntimeError, "linspace/C1", torch.linspace, 0, 1, -1, device="meta")""")
    yield g.case("bool/one", "linspace/S1", """
        expect_equal(torch.linspace(3, 9, 1, dtype=torch.bool), [True])
        expect_equal(torch.linspace(-0.25, 9, 1, dtype=torch.bool), [True])
        expect_equal(torch.linspace(0, 9, 1, dtype=torch.bool), [False])
        expect_equal(torch.linspace(0, 9, 0, dtype=torch.bool).numel(), 0)""", trivial="a single element")
    yield g.case("float32/negative", "linspace/C1", """
        x = normal(1, (3,))
        expect_error(RuntimeError, "linspace/C1", torch.linspace, 0, 1, -1)
        expect_error(RuntimeError, "linspace/C1", torch.linspace, 0, 1, -1, dtype=torch.bool)
        expect_error(RuntimeError, "linspace/C1", torch.linspace, 0, 1, -2, out=x)
        expect(x, "x")""")
    for dt in ("bool",) + g.FLOAT8:
        yield g.case(f"{dt}/not_for", "linspace/C2", f"""
            expect_error(NotImplementedError, "linspace/C2", torch.linspace, 0, 1, 2, dtype=torch.{dt})
            x = torch.zeros(3, dtype=torch.{dt})
            expect_error(NotImplementedError, "linspace/C2", torch.linspace, 0, 1, 3, out=x)""")
    for dt in g.INT:
        yield g.case(f"{dt}/not_held", "linspace/C3", f"""
            expect_error(RuntimeError, "linspace/C3", torch.linspace, 0, 1e30, 3, dtype=torch.{dt})
            expect_error(RuntimeError, "linspace/C3", torch.linspace, -1e30, 0, 2, dtype=torch.{dt})
            expect_error(RuntimeError, "linspace/C3", torch.linspace, torch.inf, 0, 1, dtype=torch.{dt})
            expect_error(RuntimeError, "linspace/C3", torch.linspace, torch.nan, 0, 2, dtype=torch.{dt})""")
    for dt, beyond in (("float16", "65520.0"), ("bfloat16", "3.4e38"), ("float32", "1e39")):
        yield g.case(f"{dt}/not_held", "linspace/C3", f"""
            expect_error(RuntimeError, "linspace/C3", torch.linspace, 0, {beyond if dt != 'bfloat16' else '1e300'}, 3,
                         dtype=torch.{dt})
            expect_error(RuntimeError, "linspace/C3", torch.linspace, -1e300, 0, 2, dtype=torch.{dt})""")
    yield g.case("float16/one_beyond", "linspace/C3", """
        expect_equal(torch.linspace(1e9, 0, 1, dtype=torch.float16), [torch.inf])
        expect_error(RuntimeError, "linspace/C3", torch.linspace, 1e300, 0, 1)
        expect_error(RuntimeError, "linspace/C3", torch.linspace, 300, 0, 1, dtype=torch.uint8)
        expect_error(RuntimeError, "linspace/C3", torch.linspace, -256, 0, 1, dtype=torch.uint8)
        expect_error(RuntimeError, "linspace/C3", torch.linspace, -0.5, 3, 2, dtype=torch.uint8)
        expect_error(RuntimeError, "linspace/C3", torch.linspace, 0, 256.0, 2, dtype=torch.uint8)
        expect_error(RuntimeError, "linspace/C3", torch.linspace, 128.0, 0, 2, dtype=torch.int8)
        expect_error(RuntimeError, "linspace/C3", torch.linspace, 9223372036854775808.0, 0, 2, dtype=torch.int64)
        expect_equal(torch.linspace(255.5, -128.5, 2, dtype=torch.int16), [255, -128])
        expect_equal(torch.linspace(255.5, 0.5, 2, dtype=torch.uint8), [255, 0])""")
    yield g.case("float32/out_dtype", "linspace/C4", """
        x = normal(1, (3,))
        expect_error(RuntimeError, "linspace/C4", torch.linspace, 0, 5, 3, dtype=torch.int32, out=x)
        expect(x, "x")""")
    yield g.case("float32/out_overlap", "linspace/S7", """
        x = normal(1, (1,))
        expect_error(RuntimeError, "tensors/C2", torch.linspace, 0, 5, 3, out=x.expand(3))
        expect(x, "x")
        torch.linspace(4, 5, 1, out=x.expand(3)[:1])
        expect(x, "one")""")
