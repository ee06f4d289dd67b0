# SPDX-License-Identifier: Apache-2.0
"""empty, zeros, ones, full, *_like, new_*."""


def made(dt, shape, seed=1):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    low = 0 if dt == "uint8" else -5
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high=6)"


SHAPES = [(), (0,), (1,), (3,), (0, 3), (2, 0, 3), (2, 3), (1, 1, 1), (2, 3, 4),
          (1, 2, 1, 2, 1, 2, 1, 2, 1, 3)]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/filled", "factories/S3 factories/S4", f"""
            expect(torch.zeros(2, 3, dtype=torch.{dt}), "zeros")
            expect(torch.ones(2, 3, dtype=torch.{dt}), "ones")
            expect(torch.full((2, 3), 2, dtype=torch.{dt}), "full")
            expect(torch.full((2, 3), 1.75, dtype=torch.{dt}), "rounded")
            expect(torch.full((), True, dtype=torch.{dt}), "true")
            expect_equal(torch.empty(2, 3, dtype=torch.{dt}).dtype, torch.{dt})""")
        yield g.case(f"{dt}/like", "factories/S6 factories/S7", f"""
            x = {made(dt, (3, 4))}
            expect(torch.zeros_like(x), "zeros")
            expect(torch.ones_like(x), "ones")
            expect(torch.full_like(x, 2), "full")
            expect(torch.full_like(x, 2.5, dtype=torch.float16), "other")
            expect_equal(torch.empty_like(x).dtype, torch.{dt})
            expect_equal(torch.empty_like(x).stride(), x.clone().stride())
            expect_copy_of(torch.empty_like(x), x)""")
        yield g.case(f"{dt}/new", "factories/S8", f"""
            x = {made(dt, (3, 4), 2)}.t()
            expect(x.new_zeros(2, 3), "zeros")
            expect(x.new_ones((3,)), "ones")
            expect(x.new_full((2, 2), 1), "full")
            expect_equal(x.new_empty(2, 3).dtype, torch.{dt})
            expect_equal(x.new_empty((2, 3)).stride(), (3, 1))
            expect(x.new_ones(2, dtype=torch.int16), "other")""")

    for shape in SHAPES:
        name = "x".join(map(str, shape)) or "none"
        rule = "factories/S1 factories/S2" + (" factories/S9" if 0 in shape or not shape else "")
        yield g.case(f"float32/shape_{name}", rule, f"""
            z = torch.zeros({shape})
            expect(z, "zeros")
            expect(torch.ones({shape}), "ones")
            expect(torch.full({shape}, 7), "full")
            e = torch.empty({shape})
            expect_equal(e.shape, {shape})
            expect_equal(e.is_contiguous(), True)
            expect_equal(e.storage_offset(), 0)
            expect_equal(z._version, 0)
            expect_equal(z._base is None, True)""")
        yield g.case(f"int8/like_{name}", "factories/S6" +
                     (" factories/S9" if 0 in shape or not shape else ""), f"""
            x = integers(1, {shape}, torch.int8)
            expect(torch.zeros_like(x), "zeros")
            expect(torch.full_like(x, 3), "full")
            expect_equal(torch.empty_like(x).shape, {shape})""")
    yield g.case("float32/strides", "factories/S2", """
        expect_strides(torch.empty(2, 3, 4), (12, 4, 1))
        expect_strides(torch.zeros(2, 1, 4), (4, 4, 1))
        expect_strides(torch.ones(0, 3), (3, 1))
        expect_strides(torch.full((2, 0, 3), 1), (3, 3, 1))
        expect_strides(torch.empty(1, 1), (1, 1))
        expect_strides(torch.empty(()), ())""")
    yield g.case("float32/arguments", "factories/S1", """
        expect(torch.zeros(2, 3), "apart")
        expect(torch.zeros((2, 3)), "tuple")
        expect(torch.zeros([2, 3]), "list")
        expect(torch.zeros(size=(2, 3)), "keyword")
        expect(torch.ones(6), "number")
        expect(torch.full([2], 1.5), "full_list")
        expect(torch.full(size=(2,), fill_value=1.5), "full_keywords")""")
    yield g.case("float32/default_dtype", "factories/S5 factories/S4", """
        expect_equal(torch.zeros(2).dtype, torch.float32)
        expect_equal(torch.ones(2).dtype, torch.float32)
        expect_equal(torch.empty(2).dtype, torch.float32)
        expect_equal(torch.full((2,), 3).dtype, torch.int64)
        expect_equal(torch.full((2,), 3.0).dtype, torch.float32)
        expect_equal(torch.full((2,), True).dtype, torch.bool)
        expect_equal(torch.full((2,), -3).dtype, torch.int64)
        expect_equal(torch.full((2,), torch.nan).dtype, torch.float32)
        expect_equal(torch.zeros(2).device.type, torch.empty(0).device.type)
        expect_equal(torch.zeros(2, dtype=None).dtype, torch.float32)""")
    for i, value in enumerate(["3", "-9223372036854775808", "0.1", "1e-50", "-0.0", "torch.inf",
                               "torch.nan", "False", "True", "16777217.0"]):
        yield g.case(f"float32/full_{i}", "factories/S4", f"""
            expect(torch.full((2, 2), {value}), "own")
            expect(torch.full((2, 2), {value}, dtype=torch.float64), "float64")""",
                     trivial="zeros were asked for" if value == "False" else None)
    for name, make, want in [
            ("transposed", "normal(1, (2, 3, 4)).transpose(0, 2)", (1, 4, 12)),
            ("expanded", "normal(2, (2, 3)).expand(4, 2, 3)", (6, 3, 1)),
            ("expanded_row", "normal(3, (1, 3)).expand(2, 3)", (3, 1)),
            ("expanded_column", "normal(4, (3, 1)).expand(3, 2)", (2, 1)),
            ("expanded_middle", "normal(5, (2, 1, 3)).expand(2, 5, 3)", (15, 3, 1)),
            ("sliced", "normal(6, (4, 6))[:, ::2]", (3, 1)),
            ("sliced_turned", "normal(7, (4, 6))[::2].t()", (1, 6)),
            ("empty", "normal(8, (2, 0, 3)).transpose(0, 2)", (1, 3, 3)),
            ("one_kept", "normal(9, (1, 2, 3)).transpose(0, 1)", None),
            ("windows", "normal(10, (8,)).as_strided((5, 4), (1, 1))", None),
            ("gaps_turned", "normal(11, (2, 3, 8))[:, :, ::2].permute(2, 0, 1)", None)]:
        check = "" if want is None else \
            f"\n            expect_strides(torch.empty_like(x), {want})"
        yield g.case(f"float32/layout_{name}", "factories/S7", f"""
            x = {make}
            expect(torch.zeros_like(x), "zeros")
            expect(torch.full_like(x, 2.5), "full")
            expect(torch.ones_like(x, memory_format=torch.contiguous_format), "row_major")
            expect_equal(torch.empty_like(x).stride(), x.clone().stride()){check}""",
                     variants=False)
    yield g.case("float32/channels_last", "factories/S10 factories/S7", """
        x = torch.empty(2, 3, 4, 5, memory_format=torch.channels_last)
        expect_strides(x, (60, 1, 15, 3))
        expect(torch.zeros_like(x), "kept")
        expect(torch.ones_like(normal(1, (2, 3, 4, 5)), memory_format=torch.channels_last), "asked")
        expect(torch.zeros_like(x, memory_format=torch.contiguous_format), "back")
        expect_strides(torch.empty(2, 1, 1, 5, memory_format=torch.channels_last), (5, 1, 5, 1))
        expect_equal(torch.empty(2, 3, memory_format=torch.contiguous_format).stride(), (3, 1))""")
    yield g.case("float32/overrides", "factories/S6", """
        x = normal(1, (2, 3)).t()
        expect(torch.zeros_like(x, dtype=torch.int32), "dtype")
        expect(torch.ones_like(x, dtype=torch.int16), "ones")
        expect_equal(torch.empty_like(x, device="meta").device.type, "meta")
        expect_strides(torch.empty_like(x, dtype=torch.int8), (1, 3))
        expect_equal(torch.full_like(integers(2, (2,), torch.int32), 2.5), [2, 2])
        expect_equal(torch.ones_like(x).requires_grad, False)""", variants=False)
    for dt in ("float32", "int8", "bool", "float8_e5m2"):
        yield g.case(f"{dt}/meta", "factories/S11", f"""
            x = torch.zeros(2, 3, dtype=torch.{dt}, device="meta")
            expect_equal(x.shape, (2, 3))
            expect_equal(x.stride(), (3, 1))
            expect_equal(x.dtype, torch.{dt})
            expect_equal(x.device.type, "meta")
            expect_equal(torch.ones_like(x.t()).stride(), (1, 3))
            expect_equal(torch.full((4,), 1, device="meta", dtype=torch.{dt}).numel(), 4)
            expect_equal(torch.empty(1099511627776, device="meta").numel(), 1099511627776)
            expect_equal(x.new_ones(5).device.type, "meta")""")

    yield g.case("float32/impossible_size", "tensors/C8", """
        x = normal(1, (2,))
        expect_error(RuntimeError, "tensors/C8", torch.full, (-2,), 1)
        expect_error(RuntimeError, "tensors/C8", x.new_zeros, (2, -2))
        expect_error(RuntimeError, "tensors/C8", torch.ones, (0, -3))
        expect_error(RuntimeError, "tensors/C8", torch.empty,
                     (4611686018427387904, 4611686018427387904))""")
    yield g.case("float32/channels_last_dims", "factories/C1", """
        expect_error(RuntimeError, "factories/C1", torch.empty, 2, 3,
                     memory_format=torch.channels_last)
        expect_error(RuntimeError, "factories/C1", torch.empty_like, normal(1, (2, 3, 4)),
                     memory_format=torch.channels_last)
        expect_error(RuntimeError, "factories/C1", torch.zeros_like, normal(2, (2,)),
                     memory_format=torch.channels_last)""")
    yield g.case("float32/preserve_nothing", "factories/C2", """
        expect_error(RuntimeError, "factories/C2", torch.empty, 2, 3,
                     memory_format=torch.preserve_format)""")
    yield g.case("float32/full_unfit", "factories/S4", """
        expect_error(RuntimeError, "copy/C3", torch.full, (2,), 300, dtype=torch.uint8)
        expect_error(RuntimeError, "copy/C3", torch.full, (0,), 1e6, dtype=torch.float16)
        expect_error(RuntimeError, "copy/C3", torch.full_like, integers(1, (2,), torch.int8), 200)
        expect_error(RuntimeError, "copy/C3", integers(2, (2,), torch.int8).new_full, (2,), -129)""")
    for dt in g.ALL:
        yield g.case(f"{dt}/out", "factories/S12", f"""
            x = {made(dt, (3, 6), 3)}
            torch.zeros(2, 3, out=x[1:, ::2])
            expect(x, "zeros")
            torch.ones((3,), out=x[:, 5])
            expect(x, "ones")
            torch.full((6,), 1.75, out=x[0])
            expect(x, "full")
            y = torch.empty(0, dtype=torch.{dt})
            expect_same(torch.full((2, 2), 3, out=y), y)
            expect(y, "resized")""")
    yield g.case("float32/out_layout", "factories/S12", """
        x = torch.empty(2, 2).t()
        torch.zeros(2, 2, out=x)
        expect_strides(x, (1, 2))
        expect_warns(None, torch.zeros, (3, 2), out=x)
        expect_strides(x, (2, 1))
        y = normal(1, (1,))
        torch.ones(3, out=y.expand(3))
        expect(y, "y")""")
    yield g.case("float32/out_dtype", "factories/C3", """
        x = normal(1, (2,))
        expect_error(RuntimeError, "factories/C3", torch.zeros, 2, dtype=torch.int64, out=x)
        expect_error(RuntimeError, "factories/C3", torch.full, (2,), 1, dtype=torch.bool, out=x)
        expect_error(RuntimeError, "copy/C3", torch.full, (2,), 300,
                     out=torch.zeros(2, dtype=torch.int8))
        expect(x, "x")""", trivial="a refusal leaves out as it was")
