# SPDX-License-Identifier: Apache-2.0
"""index_select, index_add (O-09)."""

from functools import partial

from calls import NUMBER, Arg, Call
from inputs import small

CALLS = [
    *[Call("index_select", f"torch.index_select({{x}}, {dim}, {{index}})",
           {"x": Arg(shape), "index": Arg("M", "index", "N", "int64")}, name, along=("N", "M", "B"),
           exact=True, reaches=("index_add",))
      for name, shape, dim in (("first", "N B", 0), ("last", "B N", -1), ("middle", "B N C", 1))],
    *[Call("index_add", f"torch.index_add({{x}}, {dim}, {{index}}, {{y}})",
           {"x": Arg(shape), "index": Arg("N", "index", "M", "int64"), "y": Arg(shape.replace("M", "N"))},
           name, along=("N", "M", "B"), exact=True, reaches=("index_select",))
      for name, shape, dim in (("first", "M B", 0), ("last", "B M", -1), ("middle", "B M C", 1))],
    Call("index_add", "torch.index_add({x}, 0, {index}, {y}, alpha=2)",
         {"x": Arg("M B"), "index": Arg("N", "index", "M", "int64"), "y": Arg("N B")}, "alpha",
         dtypes=NUMBER, exact=True, reaches=("index_select",)),
]
source = partial(small, low=-5, high=6)


def cases(g):
    for dt in g.ALL:
        yield from select(g, dt)
    for dt in g.COMMON:
        yield from add(g, dt)
    yield from particular(g)
    yield from refusals(g)
    yield from classes(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)


def select(g, dt):
    for dim, size in ((0, 4), (1, 3), (-1, 2)):
        yield g.case(f"{dt}/select_dim{dim}", "index_select/S1", f"""
            x = {source(dt, 11, (4, 3, 2))}
            index = integers(12, (6,), torch.int64, 0, {size})
            y = torch.index_select(x, {dim}, index)
            expect_equal(y, "y")
            expect_copy_of(y, x)""")
    yield g.case(f"{dt}/select_int32", "index_select/S2", f"""
        x = {source(dt, 13, (5, 2))}
        index = integers(14, (4,), torch.int32, 0, 5)
        expect_equal(x.index_select(0, index), "vector")
        expect_equal(x.index_select(0, index[1]), "number")""")
    yield g.case(f"{dt}/select_no_dims", "index_select/S3", f"""
        x = {source(dt, 15, ())}
        expect_equal(torch.index_select(x, 0, torch.tensor([0])), "vector")
        expect_equal(torch.index_select(x, -1, torch.tensor(0)), "number")""",
                 trivial="one element is copied")
    yield g.case(f"{dt}/select_empty", "index_select/S4", f"""
        x = {source(dt, 16, (3, 2))}
        none = torch.zeros(0, dtype=torch.int64)
        expect_equal(torch.index_select(x, 0, none), "rows")
        expect_equal(torch.index_select(x, 1, none), "columns")
        expect_equal(torch.index_select(x[:, :0], 0, torch.tensor([0, 1])), "no_columns")""")
    yield g.case(f"{dt}/select_layouts", "index_select/S5 index_select/S1", f"""
        x = {source(dt, 17, (4, 3))}
        index = integers(18, (6,), torch.int64, 0, 3)
        y = torch.index_select(x.t(), 0, index[::2])
        expect_equal(y, "y")
        expect_strides(y, (4, 1))
        expect_equal(torch.index_select(x[1:, ::2], 1, torch.tensor([1, 0, 1])), "sliced")
        expect_equal(torch.index_select(x, 0, index[:1].expand(3)), "expanded_index")""")
    yield g.case(f"{dt}/select_out", "index_select/S1", f"""
        x = {source(dt, 19, (4, 3))}
        room = torch.zeros(2, 6, dtype=torch.{dt})
        torch.index_select(x, 0, torch.tensor([3, 1]), out=room[:, 1::2])
        expect_equal(room, "room")""")


def add(g, dt):
    expect = "expect" if "float" in dt else "expect_equal"
    for dim, n in ((0, 4), (1, 3)):
        yield g.case(f"{dt}/add_dim{dim}", "index_select/S6", f"""
            x = {source(dt, 22 if dt == "bool" else 21, (4, 3))}
            index = permutation(22, {n})[:2]
            s = {source(dt, 23, (2, 3) if dim == 0 else (4, 2))}
            {expect}(torch.index_add(x, {dim}, index, s), "y")""")
    yield g.case(f"{dt}/add_repeated", "index_select/S6" + ("" if "float" in dt else
                                                           " index_select/S8"), f"""
        x = {source(dt, 24, (3, 4))}
        s = {source(dt, 25, (5, 4))}
        {expect}(torch.index_add(x, 0, torch.tensor([2, 0, 2, 2, 0]), s), "y")""")
    yield g.case(f"{dt}/add_in_place", "index_select/S9 index_select/S6", f"""
        x = {source(dt, 26, (3, 4))}
        s = {source(dt, 27, (2, 4))}
        y = x.clone()
        expect_same(y.index_add_(0, torch.tensor([0, 2]), s), y)
        {expect}(y, "y")
        room = torch.zeros(3, 8, dtype=torch.{dt})
        room[:, ::2].index_add_(0, torch.tensor([1, 1]), s)
        {expect}(room, "room")""")
    yield g.case(f"{dt}/add_vector", "index_select/S6", f"""
        x = {source(dt, 28, (5,))}
        s = {source(dt, 29, (4,))}
        {expect}(x.index_add(0, integers(30, (4,), torch.int32, 0, 5), s), "y")
        {expect}(torch.index_add(x[0], 0, torch.tensor([0]), s[1]), "no_dims")""")
    if dt != "bool":
        alpha = "0.5" if "float" in dt else "3"
        yield g.case(f"{dt}/add_alpha", "index_select/S6", f"""
            x = {source(dt, 31, (3, 2))}
            s = {source(dt, 32, (4, 2))}
            {expect}(torch.index_add(x, 0, torch.tensor([0, 1, 2, 1]), s, alpha={alpha}), "y")
            {expect}(torch.index_add(x, 0, torch.tensor([0, 1, 2, 1]), s, alpha=-1), "minus")""")
    yield g.case(f"{dt}/add_nothing", "index_select/S6 index_select/S4", f"""
        x = {source(dt, 33, (3, 2))}
        none = torch.zeros(0, dtype=torch.int64)
        {expect}(torch.index_add(x, 0, none, x[:0]), "y")""", trivial="self itself")
    yield g.case(f"{dt}/add_layouts", "index_select/S5 index_select/S6", f"""
        x = {source(dt, 34, (4, 3))}
        s = {source(dt, 35, (3, 2))}
        y = torch.index_add(x.t(), 1, torch.tensor([3, 0]), s)
        {expect}(y, "y")
        expect_strides(y, (4, 1))
        {expect}(torch.index_add(x, 0, torch.tensor([1, 1]), s[:1, :1].expand(2, 3)), "expanded")""")


def particular(g):
    yield g.case("bfloat16/add_duplicates", "index_select/S7", """
        x = torch.zeros(64, 8, dtype=torch.bfloat16)
        index = integers(41, (256,), torch.int64, 0, 64)
        s = normal(42, (256, 8), torch.bfloat16)
        expect(torch.index_add(x, 0, index, s), "y")""")
    yield g.case("float16/add_duplicates", "index_select/S7", """
        x = torch.zeros(16, 12, dtype=torch.float16)
        s = normal(43, (64, 12), torch.float16)
        index = torch.arange(16).expand(4, 16).reshape(64)
        expect(torch.index_add(x, 0, index, s), "y")""")
    for dt in ("int32", "int8", "uint8"):
        yield g.case(f"{dt}/add_alpha_truncated", "index_select/S8", f"""
            x = integers(44, (3, 2), torch.{dt}, 0, 9)
            expect_equal(torch.index_add(x, 0, torch.tensor([0, 2]), x[:2], alpha=2.5), "y")""")
        yield g.case(f"{dt}/add_wraps", "index_select/S8", f"""
            x = integers(45, (3, 4), torch.{dt}, 0, 9, mix="extreme")
            s = integers(46, (4, 4), torch.{dt}, 0, 9, mix="extreme")
            expect_equal(torch.index_add(x, 0, torch.tensor([0, 1, 0, 0]), s), "y")""")
    yield g.case("int64/add_exact", "index_select/S8", """
        x = torch.full((2, 1), 9007199254740993)
        expect_equal(torch.index_add(x, 0, torch.tensor([1]), torch.tensor([[2]])), "y")""")
    yield g.case("float32/add_in_place_version", "index_select/S9", """
        x = normal(51, (3, 2)) + 0
        v = x[1:]
        before = x._version
        v.index_add_(0, torch.tensor([1]), torch.ones(1, 2))
        expect_equal(x._version - before, 1)
        expect(x, "x")""")
    yield g.case("float32/saved_index_changed", "index_select/G1", """
        x = normal(52, (3, 2)).requires_grad_()
        index = torch.tensor([2, 0])
        y = torch.index_select(x, 0, index)
        index.add_(0)
        expect_error(RuntimeError, "autograd/C3", y.sum().backward)
        expect(y, "y")""")
    yield g.case("bool/add_or", "index_select/S8", """
        x = torch.tensor([True, False, False])
        s = torch.tensor([True, False, True])
        expect_equal(torch.index_add(x, 0, torch.tensor([1, 2, 1]), s), [True, True, False])""")
    yield g.case("float32/select_keeps_bits", "index_select/S1", """
        x = normal(47, (4, 6), torch.float32, mix="special")
        expect_equal(torch.index_select(x, 1, integers(48, (9,), torch.int64, 0, 6)), "y")""")
    yield g.case("float32/add_nan", "index_select/S6", """
        x = normal(49, (3, 2)) + 0
        s = normal(50, (2, 2)) + 0
        s[0, 1] = float("nan")
        s[1, 0] = float("inf")
        expect(torch.index_add(x, 0, torch.tensor([2, 2]), s), "y")""")


def refusals(g):
    yield g.case("float32/dim", "index_select/C1", """
        x = normal(1, (3, 2))
        i = torch.tensor([0])
        expect_error(IndexError, "index_select/C1", torch.index_select, x, 2, i)
        expect_error(IndexError, "index_select/C1", torch.index_select, x, -3, i)
        expect_error(IndexError, "index_select/C1", torch.index_add, x, 2, i, x[:1])""")
    for dt in ("float32", "int16", "int8", "uint8", "bool", "float16"):
        yield g.case(f"{dt}/index_dtype", "index_select/C2", f"""
            x = normal(1, (3, 2))
            i = torch.zeros(2, dtype=torch.{dt})
            expect_error(RuntimeError, "index_select/C2", torch.index_select, x, 0, i)
            expect_error(RuntimeError, "index_select/C2", torch.index_add, x, 0, i, x[:2])""")
    yield g.case("float32/index_is_a_matrix", "index_select/C3", """
        x = normal(1, (3, 2))
        i = torch.zeros(1, 2, dtype=torch.int64)
        expect_error(IndexError, "index_select/C3", torch.index_select, x, 0, i)
        expect_error(IndexError, "index_select/C3", torch.index_add, x, 0, i, x[:2])""")
    yield g.case("float32/out_of_range", "index_select/C4", """
        x = normal(1, (3, 2))
        expect_error(IndexError, "index_select/C4", torch.index_select, x, 0, torch.tensor([0, 3]))
        expect_error(IndexError, "index_select/C4", torch.index_select, x, 0, torch.tensor([0, -1]))
        expect_error(IndexError, "index_select/C4", torch.index_select, x[:, 0], 0, torch.tensor([3]))
        expect_error(IndexError, "index_select/C4", torch.index_select, x[0, 0], 0, torch.tensor([1]))""")
    yield g.case("float32/several_of_a_number", "index_select/C5", """
        x = torch.zeros(())
        expect_error(RuntimeError, "index_select/C5", torch.index_select, x, 0, torch.tensor([0, 0]))""")
    yield g.case("float32/out_overlaps", "index_select/C6", """
        x = normal(1, (2, 2)) + 0
        expect_error(RuntimeError, "index_select/C6", torch.index_select, x, 0, torch.tensor([1, 0]), out=x)
        i = torch.tensor([1, 0])
        expect_error(RuntimeError, "index_select/C6", torch.index_select, torch.tensor([4, 5]), 0, i, out=i)""")
    yield g.case("float32/source_dtype", "index_select/C7", """
        x = normal(1, (3, 2))
        expect_error(RuntimeError, "index_select/C7", torch.index_add, x, 0, torch.tensor([0]), normal(2, (1, 2), torch.float64))
        expect_error(RuntimeError, "index_select/C7", torch.index_add, x, 0, torch.tensor([0]), torch.ones(1, 2, dtype=torch.int64))""")
    yield g.case("float32/source_count", "index_select/C8", """
        x = normal(1, (3, 2))
        expect_error(RuntimeError, "index_select/C8", torch.index_add, x, 0, torch.tensor([0, 1, 2]), x[:2])
        expect_error(RuntimeError, "index_select/C8", torch.index_add, x, 0, torch.tensor([0]), x[:2])""")
    yield g.case("float32/source_sizes", "index_select/C9", """
        x = normal(1, (3, 2))
        i = torch.tensor([0, 1])
        expect_error(RuntimeError, "index_select/C9", torch.index_add, x, 0, i, normal(2, (2, 3)))
        expect_error(RuntimeError, "index_select/C9", torch.index_add, x, 0, i, normal(3, (2,)))""")
    yield g.case("float32/add_out_of_range", "index_select/C10", """
        x = normal(1, (3, 2))
        expect_error(RuntimeError, "index_select/C10", torch.index_add, x, 0, torch.tensor([0, 3]), x[:2])
        expect_error(RuntimeError, "index_select/C10", torch.index_add, x, 0, torch.tensor([-1, 0]), x[:2])""")
    # The number out of range comes first: nothing after it is written either.
    yield g.case("float32/add_refused_leaves_all", "index_select/C10 errors/S1", """
        x = normal(1, (3, 2))
        expect_error(RuntimeError, "index_select/C10", x.index_add_, 0, torch.tensor([3, 0, 1]), normal(2, (3, 2)))
        expect(x, "x")""", trivial="x is the input itself", variants=False)
    yield g.case("float32/add_out_of_range_vector", "index_select/C11", """
        x = normal(1, (3,))
        expect_error(IndexError, "index_select/C11", torch.index_add, x, 0, torch.tensor([0, 3]), x[:2])
        expect_error(IndexError, "index_select/C11", torch.index_add, x, 0, torch.tensor([-1, 0]), x[:2])""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/add_refused", "index_select/C12", f"""
            x = normal(1, (3, 2), torch.{dt})
            expect_error(NotImplementedError, "index_select/C12", torch.index_add, x, 0, torch.tensor([0, 1]), x[:2])""")


def gradients(g, dt):
    for dim in (0, 1):
        yield g.case(f"{dt}/select_backward_dim{dim}", "index_select/G1", f"""
            x = normal(61, (4, 3), torch.{dt}).requires_grad_()
            y = torch.index_select(x, {dim}, torch.tensor([2, 0, 2, 2]))
            y.backward(normal(62, y.shape, torch.{dt}))
            expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/select_backward_no_dims", "index_select/G1", f"""
        x = normal(63, (), torch.{dt}).requires_grad_()
        torch.index_select(x, 0, torch.tensor([0])).backward(normal(64, (), torch.{dt}))
        expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/add_backward", "index_select/G2", f"""
        x = normal(65, (4, 3), torch.{dt}).requires_grad_()
        s = normal(66, (3, 3), torch.{dt}).requires_grad_()
        y = torch.index_add(x, 0, torch.tensor([2, 0, 2]), s, alpha=0.5)
        y.backward(normal(67, (4, 3), torch.{dt}))
        expect(x.grad, "x_grad")
        expect(s.grad, "s_grad")""")
    yield g.case(f"{dt}/add_in_place_backward", "index_select/G2 index_select/S9", f"""
        x = normal(71, (4, 3), torch.{dt}).requires_grad_()
        s = normal(72, (2, 3), torch.{dt}).requires_grad_()
        y = x * 2
        y[:, 1:].index_add_(0, torch.tensor([3, 1]), s[:, 1:], alpha=2)
        y.backward(normal(73, (4, 3), torch.{dt}))
        expect(x.grad, "x_grad")
        expect(s.grad, "s_grad")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/select_double_backward", "index_select/G1", f"""
            x = normal(68, (4, 3), torch.{dt}).requires_grad_()
            y = torch.index_select(x, 0, torch.tensor([2, 0, 2]))
            gx = autograd.grad((y * y * y).sum(), x, create_graph=True)[0]
            (gx * gx).sum().backward()
            expect(x.grad, "x_grad")""")
        yield g.case(f"{dt}/add_double_backward", "index_select/G2", f"""
            x = normal(69, (3, 2), torch.{dt}).requires_grad_()
            s = normal(70, (2, 2), torch.{dt}).requires_grad_()
            y = torch.index_add(x, 0, torch.tensor([2, 2]), s, alpha=2)
            gx, gs = autograd.grad((y * y * y).sum(), (x, s), create_graph=True)
            ((gx * gx).sum() + gs.sum()).backward()
            expect(x.grad, "x_grad")
            expect(s.grad, "s_grad")""")


def classes(g):
    """Which of two classes an index out of range gets."""
    far = "torch.tensor([0, 9])"
    for shape, dim, label in (("(3,)", 0, "C4"), ("(0,)", 0, "C4"), ("(3, 2)", 0, "C4"), ("(3, 2)", 1, "C13"),
                              ("(3, 2)", -1, "C13"), ("(2, 3, 4)", 2, "C4"), ("(2, 3, 4)", 1, "C13"),
                              ("(2, 3, 4, 2)", 1, "C13"), ("(2, 3, 4, 2)", 2, "C4"), ("(3, 0, 2)", 1, "C13"),
                              ("(3, 0, 2)", 0, "C13"), ("(2, 0)", 0, "C13"), ("(0, 2)", 1, "C13")):
        kind = "IndexError" if label == "C4" else "RuntimeError"
        name = f"{shape[1:-1].replace(', ', 'x').strip(',')}_dim{dim}"
        yield g.case(f"float32/select_out_of_range_{name}", f"index_select/{label}", f"""
            x = torch.zeros({shape})
            expect_error({kind}, "index_select/{label}", torch.index_select, x, {dim}, {far})
            expect_error({kind}, "index_select/{label}", torch.index_select, x, {dim}, torch.tensor([-1]))""")
    for shape, dim, first in (("(3, 2)", 0, "(2, 2)"), ("(3, 2)", -1, "(3, 2)"), ("(2, 3, 4)", 0, "(2, 3, 4)"),
                              ("(2, 3, 4)", 1, "(2, 2, 4)"), ("(2, 3, 4)", 2, "(2, 3, 2)"), ("(3,)", 0, "(2,)"),
                              ("(2, 1, 3, 2)", 2, "(2, 1, 2, 2)")):
        plain = "C11" if dim in (1, 2) and shape.count(",") > 2 or shape == "(3,)" else "C10"
        if shape == "(2, 3, 4)" and dim == 2:
            plain = "C10"
        if shape == "(2, 3, 4)" and dim == 1:
            plain = "C11"
        kind = "IndexError" if plain == "C11" else "RuntimeError"
        name = f"{shape[1:-1].replace(', ', 'x').strip(',')}_dim{dim}"
        yield g.case(f"float32/add_out_of_range_{name}", f"index_select/{plain} index_select/C11", f"""
            x = torch.zeros({shape})
            s = torch.ones({first})
            i = torch.tensor([0, 9])
            expect_error({kind}, "index_select/{plain}", torch.index_add, x, {dim}, i, s)
            expect_error({kind}, "index_select/{plain}", x.index_add_, {dim}, i, s, alpha=1)
            expect_error(IndexError, "index_select/C11", torch.index_add, x, {dim}, i, s, alpha=2)
            expect_error(IndexError, "index_select/C11", x.index_add_, {dim}, i.to(torch.int32), s)""")
    for shape, dim, first in (("(3, 0)", 0, "(2, 0)"), ("(3, 0)", 1, "(3, 2)"), ("(0, 3)", 0, "(2, 3)"),
                              ("(2, 0, 3)", 1, "(2, 2, 3)")):
        name = f"{shape[1:-1].replace(', ', 'x')}_dim{dim}"
        yield g.case(f"float32/add_to_nothing_{name}", "index_select/S10", f"""
            x = torch.zeros({shape})
            i = torch.tensor([0, 9])
            expect(torch.index_add(x, {dim}, i, torch.ones({first})), "y")
            expect_same(x.index_add_({dim}, i, torch.ones({first})), x)""")
    yield g.case("float32/add_to_no_vector", "index_select/C11", """
        expect_error(IndexError, "index_select/C11", torch.index_add, torch.zeros(0), 0, torch.tensor([0]), torch.ones(1))""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/add_of_nothing", "index_select/C12", f"""
            x = normal(1, (2, 3), torch.{dt})
            i = torch.zeros(0, dtype=torch.int64)
            expect(torch.index_add(x, 0, i, x[:0]), "x")
            expect_equal(torch.index_add(x[:0], 1, torch.tensor([0]), x[:0, :1]).shape, (0, 3))
            expect_error(NotImplementedError, "index_select/C12", torch.index_add, x[0, :0], 0, i, x[0, :0])""",
            trivial="x is the input itself")
