# SPDX-License-Identifier: Apache-2.0
"""clone, contiguous, memory formats."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("clone", "{x}.clone()", {"x": Arg("… N")}, exact=True, trivial="a clone is its input"),
    Call("clone", "{x}.t().contiguous()", {"x": Arg("B N")}, "transposed", exact=True),
]


LAYOUTS = [
    ("transposed", "normal(1, (2, 3)).t()", (1, 3)),
    ("expanded", "normal(2, (2, 3)).expand(4, 2, 3)", (6, 3, 1)),
    ("expanded_row", "normal(3, (1, 3)).expand(2, 3)", (3, 1)),
    ("expanded_column", "normal(4, (3, 1)).expand(3, 2)", (2, 1)),
    ("expanded_middle", "normal(5, (2, 1, 3)).expand(2, 5, 3)", (15, 3, 1)),
    ("sliced", "normal(6, (4, 6))[:, ::2]", (3, 1)),
    ("sliced_rows", "normal(7, (4, 6))[::2].t()", (1, 6)),
    ("permuted", "normal(8, (2, 3, 4)).permute(2, 0, 1)", (1, 12, 4)),
    ("permuted_slice", "normal(9, (2, 3, 4)).permute(2, 0, 1)[:, :, 1:]", (1, 8, 4)),
    ("one_wide", "normal(10, (2, 1, 4)).permute(2, 0, 1)", (1, 4, 4)),
    ("one_kept", "normal(11, (1, 2, 3, 4, 5)).transpose(0, 1)", (60, 120, 20, 5, 1)),
    ("empty", "normal(12, (0, 3)).t()", (1, 3)),
    ("none", "normal(13, ())", ()),
    ("single", "normal(14, (1, 1))", (1, 1)),
    ("windows", "normal(15, (8,)).as_strided((5, 4), (1, 1))", None),
    ("offset", "normal(16, (4, 6))[1:, 2:]", (4, 1)),
    ("ten_dims", "normal(17, (1, 2, 1, 2, 1, 2, 1, 2, 1, 2)).transpose(1, 9)", None),
]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/copy", "clone/S1 clone/S7", f"""
            x = {special(dt, (3, 4))}
            y = x.clone()
            expect(y, "y")
            expect(x[1:].clone(), "part")
            expect_copy_of(y, x)
            x.zero_()
            expect(y, "later")""")
        yield g.case(f"{dt}/of_slice", "clone/S1", f"""
            x = {special(dt, (5, 7), 2)}
            expect(x[2:4, 1:6].clone(), "slice")
            expect(x[1:, ::3].clone(), "step")
            expect(x[3].clone(), "row")
            expect(x[:, 6].clone(), "column")""")
        yield g.case(f"{dt}/contiguous", "clone/S4 clone/S5", f"""
            x = {special(dt, (3, 4), 3)}
            y = x.t().contiguous()
            expect(y, "y")
            expect_equal(y.is_contiguous(), True)
            expect_same(y.contiguous(), y)""")

    for name, make, want in LAYOUTS:
        alone = "a single element can only be itself" if name in ("none", "single") else None
        check = f"\n            expect_strides(x.clone(), {want})" if want is not None else ""
        yield g.case(f"float32/layout_{name}", "clone/S2", f"""
            x = {make}
            expect(x.clone(), "y")
            expect(torch.clone(x, memory_format=torch.preserve_format), "z"){check}
            expect_copy_of(x.clone(), x)""", variants=False, trivial=alone)
        yield g.case(f"float32/row_major_{name}", "clone/S3 clone/S5", f"""
            x = {make}
            y = x.clone(memory_format=torch.contiguous_format)
            expect(y, "y")
            expect(x.contiguous(), "z")
            expect_equal(y.is_contiguous(), True)
            expect_copy_of(y, x)""", trivial=alone)
    yield g.case("float32/function", "clone/S1", """
        x = normal(1, (3, 4))
        y = torch.clone(x)
        expect(y, "y")
        expect(torch.clone(x[1:]), "part")
        expect_equal(y._base is None, True)
        expect_equal(y.storage_offset(), 0)""")
    for i, make in enumerate(["normal(1, (2, 3))", "normal(2, ())", "normal(3, (0, 3)).t()",
                              "normal(4, (1, 5)).t()", "normal(5, (2, 1, 3)).transpose(0, 1)",
                              "normal(6, (4, 6))[1:3]", "normal(7, (6,))[2:]",
                              "normal(8, (1, 2, 3, 4, 5)).transpose(0, 1)",
                              "normal(9, (3, 1)).expand(3, 1)",
                              "normal(10, (1, 3)).expand(2, 3)[:, :0]",
                              "normal(11, (8,)).as_strided((2, 1, 3), (3, 50, 1))"]):
        yield g.case(f"float32/already_{i}", "clone/S4", f"""
            x = {make}
            expect_same(x.contiguous(), x)
            expect_equal(x.is_contiguous(), True)
            expect(x, "x")""", variants=False)
    yield g.case("float32/kept_strides", "clone/S4 clone/S5", """
        x = torch.empty(1, 2, 3, 4, 5).transpose(0, 1)
        expect_strides(x.contiguous(), (60, 120, 20, 5, 1))
        expect_strides(x.clone(memory_format=torch.contiguous_format), (60, 60, 20, 5, 1))
        expect_strides(torch.empty(2, 3).t().contiguous(), (2, 1))
        expect_strides(torch.empty(1, 3).expand(2, 3)[:, :0].contiguous(), (0, 1))""")
    yield g.case("float32/not_contiguous", "clone/S5", """
        x = normal(1, (4, 6))
        expect_equal(x.t().is_contiguous(), False)
        expect_equal(x[:, 1:].is_contiguous(), False)
        expect_equal(x[:, :1].is_contiguous(), False)
        expect_equal(x[:1, :3].is_contiguous(), True)
        expect_copy_of(x[:, 1:].contiguous(), x)
        expect(x[:, 1:].contiguous(), "y")""", variants=False)

    # channels_last
    for dt in ("float32", "float16", "int8", "bool"):
        yield g.case(f"{dt}/channels_last", "clone/S3 clone/S6", f"""
            x = {special(dt, (2, 3, 4, 5), 4)}
            y = x.contiguous(memory_format=torch.channels_last)
            expect(y, "y")
            expect_strides(y, (60, 1, 15, 3))
            expect(x.clone(memory_format=torch.channels_last), "z")
            expect(y.clone(), "kept")
            expect(y[:, 1:].clone(), "part")
            expect(y.contiguous(), "back")
            expect_same(y.contiguous(memory_format=torch.channels_last), y)""")
    for i, shape in enumerate([(2, 1, 4, 5), (1, 3, 1, 1), (2, 3, 1, 1), (1, 1, 4, 5), (1, 1, 1, 1),
                               (2, 0, 4, 5), (0, 3, 4, 5)]):
        yield g.case(f"float32/channels_last_{i}", "clone/S6 clone/S3", f"""
            x = normal({i}, {shape})
            expect(x.contiguous(memory_format=torch.channels_last), "y")
            expect(x.clone(memory_format=torch.channels_last), "z")
            expect(x.transpose(1, 2).contiguous(memory_format=torch.channels_last), "turned")
            expect_equal(x.is_contiguous(memory_format=torch.channels_last),
                         x.contiguous(memory_format=torch.channels_last) is x)""",
                     trivial="a single element can only be itself" if i == 4 else None)
    yield g.case("float32/channels_last_strides", "clone/S3 clone/S6", """
        x = torch.empty(2, 1, 4, 5)
        expect_same(x.contiguous(memory_format=torch.channels_last), x)
        expect_strides(x.clone(memory_format=torch.channels_last), (20, 1, 5, 1))
        y = torch.empty(2, 3, 4, 5).permute(0, 2, 3, 1).clone().permute(0, 3, 1, 2)
        expect_equal(y.is_contiguous(memory_format=torch.channels_last), False)""")
    for i, make in enumerate(["normal(1, (2, 3, 4))", "normal(2, ())", "normal(3, (1, 2, 3, 4, 5))"]):
        yield g.case(f"float32/channels_last_dims_{i}", "clone/C1", f"""
            x = {make}
            expect_error(RuntimeError, "clone/C1", x.clone, memory_format=torch.channels_last)
            expect_error(RuntimeError, "clone/C1", x.contiguous,
                         memory_format=torch.channels_last)""")
    yield g.case("float32/preserve_contiguous", "clone/C2 clone/S4", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "clone/C2", x.t().contiguous,
                     memory_format=torch.preserve_format)
        expect_same(x.contiguous(memory_format=torch.preserve_format), x)""", variants=False)

    # gradients
    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad", "clone/G1", f"""
            x = normal(1, (3, 4), torch.{dt})
            x.requires_grad = True
            x.clone().backward(normal(2, (3, 4), torch.{dt}))
            expect(x.grad, "clone")
            x.grad = None
            x.t().contiguous().backward(normal(3, (4, 3), torch.{dt}))
            expect(x.grad, "contiguous")""")
        yield g.case(f"{dt}/grad_of_grad", "clone/G1", f"""
            x = normal(1, (3, 4), torch.{dt})
            x.requires_grad = True
            w = normal(2, (4, 3), torch.{dt})
            w.requires_grad = True
            d = autograd.grad(x.t().contiguous(), x, w, create_graph=True)[0]
            expect(d, "d")
            d.clone().backward(normal(3, (3, 4), torch.{dt}))
            expect(w.grad, "dw")""")
    yield g.case("float32/differentiable", "clone/G1", """
        x = normal(1, (3,))
        x.requires_grad = True
        y = x.clone()
        expect_equal(y.requires_grad, True)
        expect_equal(y.is_leaf, False)
        expect_equal(x.contiguous() is x, True)""", variants=False)
    yield g.case("int8/beyond_32_bits", "clone/S1 clone/S2", """
        x = torch.empty(65536, 131072, device="meta", dtype=torch.int8)
        expect_equal(x.t().clone().stride(), (1, 131072))
        expect_equal(x.contiguous() is x, True)
        expect_equal(x[:, ::2].contiguous().stride(), (65536, 1))
        expect_equal(x.expand(3, 65536, 131072).clone().stride(), (8589934592, 131072, 1))""")
    yield g.case("float16/one_slice_then_another", "clone/S1", """
        x = normal(1, (4, 64), torch.float16)
        expect(x.narrow(0, 0, 1).clone(), "first")
        expect(x.narrow(0, 2, 1).clone(), "third")
        expect(x.narrow(0, 2, 1)[:, 5:].clone(), "part")""")
