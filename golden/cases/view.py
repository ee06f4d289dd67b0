# SPDX-License-Identifier: Apache-2.0
"""view, reshape, flatten, view(dtype)."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("_reshape_copy", "{x}.t().reshape({N} * {B})", {"x": Arg("B N")}, exact=True, along=("N", "B")),
    Call("_reshape_copy", "{x}.expand({B}, {N}).reshape({N}, {B})", {"x": Arg("N")}, "expanded", exact=True,
         without=("incoming",)),
    Call("view", "{x}.view({N}, {B}).clone()", {"x": Arg("B N")}, exact=True),
]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/split_and_join", "view/S1 view/S3", f"""
            x = {special(dt, (2, 6))}
            y = x.view(2, 3, 2)
            expect(y, "y")
            expect_view_of(y, x)""")
        yield g.case(f"{dt}/reshape", "view/S6", f"""
            x = {special(dt, (4, 6), 2)}
            expect(x.reshape(8, 3), "y")
            expect(x.t().reshape(8, 3), "z")
            expect_copy_of(x.t().reshape(8, 3), x)""")
        yield g.case(f"{dt}/write_through", "view/S8", f"""
            x = {special(dt, (2, 8), 3)}
            y = x[:, 1:7].view(2, 2, 3)
            y.fill_(1)
            expect(x, "x")
            expect_untouched(y, "rest")
            expect_equal(x._version, y._version)""")
        yield g.case(f"{dt}/flatten", "view/S7 view/S6", f"""
            x = {special(dt, (2, 3, 4), 4)}
            expect(x.flatten(), "all")
            expect(x.flatten(1), "tail")
            expect(torch.flatten(x, 0, 1), "head")
            expect(x.transpose(0, 2).flatten(), "copied")""")

    # which views exist
    joins = [
        ("rows_of_slice", "x = normal(5, (4, 6))[:, ::2]", "(2, 2, 3)"),
        ("slice_joins_within", "x = normal(6, (2, 6))[:, ::2]", "(6,)"),
        ("column", "x = normal(7, (4, 6))[:, 1]", "(2, 2)"),
        ("transposed_split", "x = normal(8, (4, 6)).t()", "(3, 2, 4)"),
        ("transposed_ones", "x = normal(9, (2, 3)).t()", "(3, 1, 2, 1)"),
        ("expanded", "x = normal(10, (1, 3)).expand(4, 3)", "(2, 2, 3)"),
        ("size_one_between", "x = normal(11, (2, 1, 3))", "(6,)"),
        ("permuted_same", "x = normal(12, (2, 3, 4)).permute(2, 0, 1)", "(4, 6)"),
        ("many_dims", "x = normal(13, (2, 3))", "(1, 2, 1, 1, 3, 1, 1, 1, 1, 1)"),
        ("ten_dims_split", "x = normal(14, (4, 8))", "(2, 1, 2, 1, 2, 1, 2, 1, 2, 1)"),
        ("heads", "x = normal(15, (2, 5, 12))", "(2, 5, 3, 4)"),
        ("windows", "x = normal(16, (8,)).as_strided((3, 4), (2, 1))", "(3, 2, 2)"),
    ]
    for name, make, size in joins:
        yield g.case(f"float32/join_{name}", "view/S1 view/S3", f"""
            {make}
            y = x.view{size}
            expect(y, "y")
            expect_view_of(y, x)""")
    strides = [
        ("(6,)", "normal(1, (2, 3))", "(1,)"),
        ("(1, 6)", "normal(1, (2, 3))", "(6, 1)"),
        ("(2, 2, 3)", "normal(1, (4, 6))[:, ::2]", "(12, 6, 2)"),
        ("(3, 1, 2)", "normal(1, (2, 3)).t()", "(1, 6, 3)"),
        ("(2, 4, 3, 1)", "normal(1, (2, 3, 4)).transpose(1, 2)", "(12, 1, 4, 4)"),
        ("(2, 2, 3)", "normal(1, (1, 3)).expand(4, 3)", "(0, 0, 1)"),
        ("(1, 1, 1)", "normal(1, ())", "(1, 1, 1)"),
        ("(1, 1)", "normal(1, (1,))", "(1, 1)"),
        ("(1, 3, 20)", "normal(1, (1, 3, 4, 5)).contiguous(memory_format=torch.channels_last)",
         "(3, 1, 3)"),
        ("(5, 0)", "normal(1, (0, 3))", "(1, 1)"),
        ("(0, 3)", "normal(1, (0, 3))", "(3, 1)"),
        ("(3, 0)", "normal(1, (0, 3)).t()", "(1, 3)"),
    ]
    for i, (size, make, want) in enumerate(strides):
        yield g.case(f"float32/strides_{i}", "view/S3 view/S4 view/S5" if "0" in size
                     else "view/S3 view/S5", f"""
            x = {make}
            y = x.view{size}
            expect_strides(y, {want})
            expect_view_of(y, x)
            expect_equal(y.storage_offset(), x.storage_offset())""", variants=False)

    # -1
    for i, (shape, size, want) in enumerate([
            ((2, 3), "-1", (6,)), ((2, 3), "3, -1", (3, 2)), ((2, 3), "-1, 3, 1", (2, 3, 1)),
            ((0, 3), "-1, 3", (0, 3)), ((), "-1", (1,)), ((5,), "1, -1, 5", (1, 1, 5))]):
        yield g.case(f"int64/infer_{i}", "view/S2", f"""
            x = integers({i}, {shape})
            expect(x.view({size}), "y")
            expect_equal(x.view({size}).shape, {want})
            expect_equal(x.reshape({size}).shape, {want})""")
    yield g.case("int64/one_argument", "view/S1 view/S6", """
        x = integers(1, (2, 3))
        expect(x.view((3, 2)), "tuple")
        expect(x.view([3, 2]), "list")
        expect(x.view(6), "number")
        expect(x.reshape((6,)), "reshape_tuple")
        expect(torch.reshape(x, (-1,)), "function")
        expect(torch.reshape(input=x, shape=(6, 1)), "keywords")""")

    # empty and 0-dim
    for i, (shape, size) in enumerate([((0,), "0"), ((0, 3), "0"), ((0, 3), "3, 0"),
                                       ((2, 0), "7, 0, 2"), ((0,), "0, 5"), ((1, 0), "0, 1")]):
        yield g.case(f"float32/empty_{i}", "view/S4", f"""
            x = normal({i}, {shape})
            expect(x.view({size}), "y")
            expect(x.reshape({size}), "z")
            expect_view_of(x.view({size}), x)""")
    yield g.case("float32/zero_dim", "view/S5 view/S7", """
        x = normal(3, ())
        expect(x.view(1), "one")
        expect(x.view(1, 1, 1), "three")
        expect(x.view(()), "none")
        expect(x.flatten(), "flat")
        expect(normal(4, (1,)).view(()), "back")
        expect_view_of(x.flatten(), x)""")

    # reshape: view or copy, and what is seen of it
    yield g.case("float32/reshape_is_view", "view/S6 view/S8", """
        x = normal(1, (4, 6))
        y = x.reshape(24)
        z = y.reshape(2, 12)
        z[0].zero_()
        expect(x, "x")
        expect_view_of(y, x)
        expect_view_of(z, x)""", variants=False)
    yield g.case("float32/reshape_is_copy", "view/S6", """
        x = normal(1, (4, 6))
        y = x.t().reshape(24)
        before = x.clone()
        y.zero_()
        expect_equal(x, "x")
        expect(y, "y")
        expect_copy_of(y, x)
        expect_equal(y._base is None, True)
        expect_strides(y, (1,))""")
    yield g.case("float32/reshape_same", "view/S6", """
        x = normal(1, (4, 6)).t()
        y = x.reshape(6, 4)
        expect(y, "y")
        expect_view_of(y, x)""")
    for i, (make, size) in enumerate([
            ("normal(1, (4, 6))[:, :3]", "12"), ("normal(2, (1, 3)).expand(4, 3)", "12"),
            ("normal(3, (2, 3, 4)).permute(1, 0, 2)", "6, 4"),
            ("normal(4, (2, 3, 4)).transpose(1, 2)", "2, 12"),
            ("normal(5, (8,)).as_strided((5, 4), (1, 1))", "20"),
            ("normal(6, (3, 2, 2, 2)).permute(0, 2, 3, 1)", "3, 2, 4")]):
        yield g.case(f"float32/reshape_copies_{i}", "view/S6", f"""
            x = {make}
            y = x.reshape({size})
            expect(y, "y")
            expect_copy_of(y, x)
            expect_equal(y.is_contiguous(), True)""")
    yield g.case("float32/flatten_nothing", "view/S7", """
        x = normal(1, (2, 3, 4)).transpose(0, 2)
        expect_same(x.flatten(1, 1), x)
        y = normal(2, (5,))
        expect_same(y.flatten(), y)
        expect_view_of(x.flatten(0, 0), x)""")
    yield g.case("float32/flatten_negative", "view/S7", """
        x = normal(1, (2, 3, 4))
        expect(x.flatten(-2, -1), "y")
        expect(x.flatten(start_dim=-3, end_dim=-2), "z")
        expect(x.transpose(1, 2).flatten(1, 2), "copied")
        expect_view_of(x.flatten(0, 1), x)""")
    yield g.case("float32/flatten_empty", "view/S7 view/S4", """
        x = normal(1, (2, 0, 4))
        expect(x.flatten(), "all")
        expect(x.flatten(1), "tail")""")

    # view(dtype)
    for dt, other in [("float32", "int32"), ("int64", "float64"), ("int16", "bfloat16"),
                      ("uint8", "int8"), ("bool", "uint8"), ("float16", "int16"),
                      ("float8_e4m3fn", "uint8"), ("int8", "float8_e5m2")]:
        yield g.case(f"{dt}/as_{other}", "view/S9", f"""
            x = {special(dt, (3, 4), 7)}
            y = x.view(torch.{other})
            expect(y, "y")
            expect_view_of(y, x)""")
    for dt, other in [("float32", "int16"), ("int64", "int32"), ("float64", "uint8"),
                      ("int16", "uint8")]:
        yield g.case(f"{dt}/as_smaller_{other}", "view/S9", f"""
            x = {special(dt, (3, 6), 8)}
            y = x[1:, :4].view(torch.{other})
            expect(y, "y")
            expect(y.view(torch.{dt}), "back")
            expect_view_of(y, x)""")
    yield g.case("int8/as_larger", "view/S9", """
        x = integers(9, (3, 8), torch.int8, low=-100, high=100)
        y = x[1:, 4:].view(torch.int32)
        expect(y, "y")
        expect_strides(y, (2, 1))
        expect_equal(y.storage_offset(), 3)
        expect(x.view(torch.int64), "long")""", variants=False)
    for i, (make, other) in enumerate([
            ("normal(1, ())", "int16"), ("normal(1, (4, 6)).t()", "int8"),
            ("integers(1, (2, 3), torch.int16)", "int32"),
            ("integers(1, (4, 6), torch.int16)[:, 1:5]", "int32"),
            ("integers(1, (4, 3), torch.int8)[:, :2]", "int16"),
            ("integers(1, (), torch.int16)", "int32"),
            ("normal(1, (4, 6))[:, ::2]", "int16")]):
        yield g.case(f"float32/as_refused_{i}", "view/C7", f"""
            x = {make}
            expect_error(RuntimeError, "view/C7", x.view, torch.{other})""", variants=False)

    # refusals
    for i, (make, size) in enumerate([
            ("normal(1, (2, 3)).t()", "6"), ("normal(1, (4, 6))[:, :3]", "12"),
            ("normal(1, (1, 3)).expand(4, 3)", "12"),
            ("normal(1, (2, 3, 4)).transpose(1, 2)", "2, 12"),
            ("normal(1, (8,)).as_strided((5, 4), (1, 1))", "20"),
            ("normal(1, (2, 3)).t()", "-1")]):
        yield g.case(f"float32/no_view_{i}", "view/C1", f"""
            x = {make}
            expect_error(RuntimeError, "view/C1", x.view, {size})""", variants=False)
    for i, size in enumerate(["7", "4, -1", "0, -1", "2, 2", "()", "3, 3, 3"]):
        yield g.case(f"float32/count_{i}", "view/C2", f"""
            x = normal(1, (2, 3))
            expect_error(RuntimeError, "view/C2", x.view, {size})
            expect_error(RuntimeError, "view/C2", x.reshape, {size})
            expect_error(RuntimeError, "view/C2", x.t().reshape, {size})""")
    for i, size in enumerate(["-1, -1", "2, -2", "-1, 3, -1", "-3, -2"]):
        yield g.case(f"float32/negative_{i}", "view/C3", f"""
            x = normal(1, (2, 3))
            expect_error(RuntimeError, "view/C3", x.view, {size})
            expect_error(RuntimeError, "view/C3", x.reshape, {size})""")
    yield g.case("float32/ambiguous", "view/C4", """
        x = normal(1, (0, 3))
        expect_error(RuntimeError, "view/C4", x.view, -1, 0)
        expect_error(RuntimeError, "view/C4", x.reshape, 0, -1)""")
    yield g.case("float32/flatten_range", "view/C5", """
        x = normal(1, (2, 3, 4))
        expect_error(IndexError, "view/C5", x.flatten, 0, 3)
        expect_error(IndexError, "view/C5", x.flatten, -4, 1)
        expect_error(IndexError, "view/C5", torch.flatten, normal(2, ()), 1, 1)""")
    yield g.case("float32/flatten_order", "view/C6", """
        x = normal(1, (2, 3, 4))
        expect_error(RuntimeError, "view/C6", x.flatten, 2, 1)
        expect_error(RuntimeError, "view/C6", x.flatten, -1, -2)""")

    # gradients
    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad", "view/G1", f"""
            x = normal(1, (2, 6), torch.{dt})
            x.requires_grad = True
            w = normal(2, (3, 4), torch.{dt})
            x.view(3, 4).backward(w)
            expect(x.grad, "view")
            x.grad = None
            x.t().reshape(3, 4).backward(w)
            expect(x.grad, "copied")
            x.grad = None
            x.flatten().backward(normal(3, (12,), torch.{dt}))
            expect(x.grad, "flat")""")
        yield g.case(f"{dt}/grad_of_grad", "view/G1", f"""
            x = normal(1, (2, 6), torch.{dt})
            x.requires_grad = True
            w = normal(2, (3, 4), torch.{dt})
            w.requires_grad = True
            d = autograd.grad(x.view(3, 4), x, w, create_graph=True)[0]
            e = autograd.grad(x.t().reshape(3, 4), x, w, create_graph=True)[0]
            expect(d, "d")
            autograd.backward([d, e], [normal(3, (2, 6), torch.{dt}), normal(4, (2, 6), torch.{dt})])
            expect(w.grad, "dw")""")
    yield g.case("float32/grad_write_through", "view/G1 view/S8", """
        x = normal(1, (2, 6))
        x.requires_grad = True
        y = x.clone()
        y.view(3, 4)[1].zero_()
        expect(y, "y")
        y.backward(normal(2, (2, 6)))
        expect(x.grad, "dx")""")
    yield g.case("float32/beyond_32_bits", "view/S1 view/S2 view/S6", """
        x = torch.empty(65536, 131072, device="meta")
        expect_equal(x.view(-1).shape, (8589934592,))
        expect_equal(x.view(4294967296, -1).stride(), (2, 1))
        expect_equal(x.t().reshape(-1).stride(), (1,))
        expect_equal(x.flatten().numel(), 8589934592)
        expect_equal(x.view(torch.int8).shape, (65536, 524288))
        expect_equal(x.view(2, 2, 2, -1).stride(), (4294967296, 2147483648, 1073741824, 1))
        expect_error(RuntimeError, "view/C2", x.view, 4294967296)
        expect_error(RuntimeError, "view/C2", x.view, 4294967296, 4294967296)""")
