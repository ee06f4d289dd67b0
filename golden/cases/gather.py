# SPDX-License-Identifier: Apache-2.0
"""gather, scatter_add (O-08)."""

from functools import partial

from calls import Arg, Call
from inputs import small

INDEX = {kind: Arg(shape, "index", below, "int64") for kind, (shape, below) in
         {"last": ("B M", "N"), "first": ("M B", "N"), "source": ("B N", "M"), "rows": ("N B", "M")}.items()}
CALLS = [
    Call("gather", "torch.gather({x}, 1, {index})", {"x": Arg("B N"), "index": INDEX["last"]}, "last",
         along=("N", "M", "B"), exact=True, reaches=("scatter_add",)),
    Call("gather", "torch.gather({x}, 0, {index})", {"x": Arg("N B"), "index": INDEX["first"]}, "first",
         along=("N", "M", "B"), exact=True, reaches=("scatter_add",)),
    Call("scatter_add", "torch.scatter_add({x}, 1, {index}, {y})",
         {"x": Arg("B M"), "index": INDEX["source"], "y": Arg("B N")}, "last", along=("N", "M", "B"),
         exact=True, reaches=("gather",)),
    Call("scatter_add", "torch.scatter_add({x}, 0, {index}, {y})",
         {"x": Arg("M B"), "index": INDEX["rows"], "y": Arg("N B")}, "first", along=("N", "M", "B"),
         exact=True, reaches=("gather",)),
]
source = partial(small, low=-5, high=6)


def cases(g):
    for dt in g.COMMON:
        yield from gather(g, dt)
        yield from scatter_add(g, dt)
    yield from particular(g)
    yield from refusals(g)
    yield from nothing(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)


def gather(g, dt):
    for dim, size, index in ((0, 4, (2, 3, 2)), (1, 3, (4, 5, 2)), (-1, 2, (3, 2, 4))):
        rules = "gather/S1" + (" gather/S2" if index != (4, 3, 2) else "")
        yield g.case(f"{dt}/gather_dim{dim}", rules, f"""
            x = {source(dt, 11, (4, 3, 2))}
            index = integers(12, {index}, torch.int64, 0, {size})
            y = torch.gather(x, {dim}, index)
            expect_equal(y, "y")
            expect_copy_of(y, x)""")
    yield g.case(f"{dt}/gather_int32", "gather/S3", f"""
        x = {source(dt, 13, (3, 4))}
        index = integers(14, (3, 6), torch.int32, 0, 4)
        expect_equal(x.gather(1, index), "y")
        expect_equal(x.gather(1, index[:, ::2]), "strided")""")
    yield g.case(f"{dt}/gather_expanded_index", "gather/S3", f"""
        x = {source(dt, 15, (4, 3))}
        index = integers(16, (1, 3), torch.int64, 0, 4)
        expect_equal(torch.gather(x, 0, index.expand(5, 3)), "rows")
        expect_equal(torch.gather(x, 1, torch.tensor([[2]]).expand(4, 3)), "columns")""")
    yield g.case(f"{dt}/gather_no_dims", "gather/S4", f"""
        x = {source(dt, 17, (3,))}
        expect_equal(torch.gather(x[1], 0, torch.tensor(0)), "both")
        expect_equal(torch.gather(x[1], 0, torch.tensor([0, 0])), "self")
        expect_equal(torch.gather(x, 0, torch.tensor(2)), "index")
        expect_equal(torch.gather(x, 0, torch.tensor([2, 0, 1])), "vector")""")
    yield g.case(f"{dt}/gather_empty_index", "gather/S5", f"""
        x = {source(dt, 18, (3, 2))}
        expect_equal(torch.gather(x, 0, torch.zeros(0, 2, dtype=torch.int64)), "rows")
        expect_equal(torch.gather(x, 0, torch.zeros(0, dtype=torch.int64)), "vector")
        expect_equal(torch.gather(x, 0, torch.zeros(0, 7, dtype=torch.int64)), "wide")""")
    yield g.case(f"{dt}/gather_layouts", "gather/S6 gather/S1", f"""
        x = {source(dt, 19, (4, 3))}
        index = integers(20, (2, 3), torch.int64, 0, 3)
        y = torch.gather(x.t(), 0, index.t())
        expect_equal(y, "y")
        expect_strides(y, (2, 1))
        room = torch.zeros(2, 6, dtype=torch.{dt})
        torch.gather(x, 0, index, out=room[:, ::2])
        expect_equal(room, "room")""")


def scatter_add(g, dt):
    expect = "expect" if "float" in dt else "expect_equal"
    for dim, size, index in ((0, 4, (2, 3)), (1, 3, (4, 2))):
        yield g.case(f"{dt}/add_dim{dim}", "gather/S7", f"""
            x = {source(dt, 31, (4, 3))}
            index = integers(32, {index}, torch.int64, 0, {size})
            s = {source(dt, 33, index)}
            {expect}(torch.scatter_add(x, {dim}, index, s), "y")""")
    yield g.case(f"{dt}/add_duplicates", "gather/S7 " + ("gather/S8" if "float" in dt else
                                                        "gather/S9"), f"""
        x = {source(dt, 34, (3, 4))}
        index = integers(35, (8, 4), torch.int32, 0, 2)
        s = {source(dt, 36, (8, 4))}
        {expect}(torch.scatter_add(x, 0, index, s), "y")""")
    yield g.case(f"{dt}/add_larger_source", "gather/S7", f"""
        x = {source(dt, 37, (3, 4))}
        s = {source(dt, 38, (5, 6))}
        {expect}(x.scatter_add(1, integers(39, (2, 3), torch.int64, 0, 4), s), "y")""")
    yield g.case(f"{dt}/add_in_place", "gather/S10 gather/S7", f"""
        x = {source(dt, 40, (3, 4))}
        s = {source(dt, 41, (2, 4))}
        index = integers(42, (2, 4), torch.int64, 0, 3)
        y = x.clone()
        expect_same(y.scatter_add_(0, index, s), y)
        {expect}(y, "y")
        room = torch.zeros(3, 8, dtype=torch.{dt})
        room[:, 1::2].scatter_add_(0, index, s)
        {expect}(room, "room")""")
    yield g.case(f"{dt}/add_layouts", "gather/S6 gather/S7", f"""
        x = {source(dt, 43, (4, 3))}
        index = integers(44, (2, 3), torch.int64, 0, 3)
        s = {source(dt, 45, (3, 4))}
        y = torch.scatter_add(x.t(), 0, index.t(), s)
        {expect}(y, "y")
        expect_strides(y, (4, 1))
        {expect}(torch.scatter_add(x, 0, index[:1, :].expand(2, 3), s[:1, :1].expand(2, 3)), "expanded")""")
    yield g.case(f"{dt}/add_small", "gather/S4 gather/S5", f"""
        x = {source(dt, 46, (3,))}
        {expect}(torch.scatter_add(x[0], 0, torch.tensor(0), x[1]), "no_dims")
        {expect}(torch.scatter_add(x, 0, torch.tensor(2), x[1]), "number")
        {expect}(torch.scatter_add(x, 0, torch.zeros(0, dtype=torch.int64), x), "nothing")""")


def particular(g):
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/add_2000_ones", "gather/S8", f"""
            index = torch.zeros(2000, dtype=torch.int64)
            expect(torch.scatter_add(torch.zeros(2, dtype=torch.{dt}), 0, index, torch.ones(2000, dtype=torch.{dt})), "y")
            index = torch.zeros(5000, dtype=torch.int64)
            expect(torch.scatter_add(torch.zeros(2, dtype=torch.{dt}), 0, index, torch.ones(5000, dtype=torch.{dt})), "z")""")
    yield g.case("float32/gather_keeps_bits", "gather/S1", """
        x = normal(51, (4, 6), torch.float32, mix="special")
        expect_equal(torch.gather(x, 1, integers(52, (4, 9), torch.int64, 0, 6)), "y")""")
    yield g.case("int64/add_exact", "gather/S9", """
        x = torch.full((2,), 9007199254740993)
        expect_equal(torch.scatter_add(x, 0, torch.tensor([1, 1]), torch.tensor([2, 4])), "y")""")
    for dt in ("int8", "uint8", "int32"):
        yield g.case(f"{dt}/add_wraps", "gather/S9", f"""
            x = integers(53, (4,), torch.{dt}, 0, 9, mix="extreme")
            s = integers(54, (9,), torch.{dt}, 0, 9, mix="extreme")
            expect_equal(torch.scatter_add(x, 0, integers(55, (9,), torch.int64, 0, 4), s), "y")""")
    yield g.case("bool/add_or", "gather/S9", """
        x = torch.tensor([True, False, False])
        s = torch.tensor([False, False, True, True])
        expect_equal(torch.scatter_add(x, 0, torch.tensor([0, 1, 2, 2]), s), [True, False, True])""")
    yield g.case("float32/add_nan", "gather/S7", """
        x = normal(56, (3, 2)) + 0
        s = normal(57, (2, 2)) + 0
        s[0, 0] = float("nan")
        s[1, 1] = float("-inf")
        expect(torch.scatter_add(x, 0, torch.tensor([[2, 1], [2, 1]]), s), "y")""")
    yield g.case("float32/one_hot_rows", "gather/S7", """
        token = integers(58, (4, 1), torch.int64, 0, 6)
        expect(torch.zeros(4, 6).scatter_add_(1, token, torch.ones(4, 1)), "y")""")


def refusals(g):
    yield g.case("float32/dim", "gather/C1", """
        x = normal(1, (3, 2))
        i = torch.zeros(1, 2, dtype=torch.int64)
        expect_error(IndexError, "gather/C1", torch.gather, x, 2, i)
        expect_error(IndexError, "gather/C1", torch.gather, x[0, 0], 1, i[0, 0])
        expect_error(IndexError, "gather/C1", torch.scatter_add, x, -3, i, x)""")
    for dt in ("float32", "int16", "int8", "uint8", "bool", "bfloat16"):
        yield g.case(f"{dt}/index_dtype", "gather/C2", f"""
            x = normal(1, (3, 2))
            i = torch.zeros(1, 2, dtype=torch.{dt})
            expect_error(RuntimeError, "gather/C2", torch.gather, x, 0, i)
            expect_error(RuntimeError, "gather/C2", torch.scatter_add, x, 0, i, x)""")
    yield g.case("float32/dims_differ", "gather/C3", """
        x = normal(1, (3, 2))
        i = torch.zeros(2, dtype=torch.int64)
        expect_error(RuntimeError, "gather/C3", torch.gather, x, 0, i)
        expect_error(RuntimeError, "gather/C3", torch.gather, x[0], 0, i.unsqueeze(0))
        expect_error(RuntimeError, "gather/C3", torch.scatter_add, x, 0, i, x)""")
    yield g.case("float32/source_of_fewer_dims", "gather/C10 gather/C3", """
        x = normal(1, (3, 2))
        i = torch.zeros(2, 2, dtype=torch.int64)
        s = normal(2, (2,))
        expect_error(IndexError, "gather/C10", torch.scatter_add, x, 0, i, s)
        expect_error(RuntimeError, "gather/C3", torch.scatter_add, x, 0, i, s[:1])
        expect_error(RuntimeError, "gather/C3", torch.scatter_add, x, 0, i, s[0])
        expect_error(RuntimeError, "gather/C3", torch.scatter_add, x, 0, i, x[None])
        expect_error(RuntimeError, "gather/C3", torch.scatter_add, x[:, :1], 0, i, s)""")
    yield g.case("float32/index_larger", "gather/C4", """
        x = normal(1, (3, 2))
        expect_error(RuntimeError, "gather/C4", torch.gather, x, 0, torch.zeros(1, 3, dtype=torch.int64))
        expect_error(RuntimeError, "gather/C4", torch.gather, x, 1, torch.zeros(4, 1, dtype=torch.int64))""")
    for dim, n in ((0, 3), (1, 2)):
        yield g.case(f"float32/out_of_range_dim{dim}", "gather/C5", f"""
            x = normal(1, (3, 2))
            i = torch.zeros(2, 2, dtype=torch.int64)
            i[1, 1] = {n}
            expect_error(RuntimeError, "gather/C5", torch.gather, x, {dim}, i)
            expect_error(RuntimeError, "gather/C5", torch.scatter_add, x, {dim}, i, x)
            i[1, 1] = -1
            expect_error(RuntimeError, "gather/C5", torch.gather, x, {dim}, i)
            expect_error(RuntimeError, "gather/C5", torch.scatter_add, x, {dim}, i, x)""")
    yield g.case("float32/out_of_range_small", "gather/C5", """
        x = normal(1, (3,))
        expect_error(RuntimeError, "gather/C5", torch.gather, x[0], 0, torch.tensor(1))
        expect_error(RuntimeError, "gather/C5", torch.gather, x[:0], 0, torch.tensor([0]))""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "gather/C6", f"""
            x = normal(1, (3, 2), torch.{dt})
            i = torch.zeros(1, 2, dtype=torch.int64)
            expect_error(NotImplementedError, "gather/C6", torch.gather, x, 0, i)
            expect_error(NotImplementedError, "gather/C6", torch.scatter_add, x, 0, i, x)""")
    yield g.case("float32/source_dtype", "gather/C7", """
        x = normal(1, (3, 2))
        i = torch.zeros(1, 2, dtype=torch.int64)
        expect_error(RuntimeError, "gather/C7", torch.scatter_add, x, 0, i, normal(2, (1, 2), torch.float64))""")
    yield g.case("float32/source_smaller", "gather/C8", """
        x = normal(1, (3, 2))
        i = torch.zeros(2, 2, dtype=torch.int64)
        expect_error(RuntimeError, "gather/C8", torch.scatter_add, x, 0, i, x[:1])
        expect_error(RuntimeError, "gather/C8", torch.scatter_add, x[:, :1], 0, i, x[:2])""")
    yield g.case("float32/out_overlaps", "gather/C9", """
        x = normal(1, (3, 3)) + 0
        expect_error(RuntimeError, "gather/C9", torch.gather, x, 0, torch.zeros(3, 3, dtype=torch.int64), out=x)""")


def gradients(g, dt):
    yield g.case(f"{dt}/scatter_add_gradient_of_zeros", "gather/G2", f"""
            y = normal(60, (3,), torch.{dt}).requires_grad_()
            x = torch.zeros(3, dtype=torch.{dt})
            torch.scatter_add(x, 0, torch.tensor([2, 0, 1]), y).backward(
                torch.tensor([-0.0, 2.0, 0.0], dtype=torch.{dt}))
            expect_equal(y.grad, [0.0, -0.0, 2.0])""", variants=False)
    for dim, size, index in ((0, 4, (3, 3)), (1, 3, (4, 5))):
        yield g.case(f"{dt}/gather_backward_dim{dim}", "gather/G1", f"""
            x = normal(61, (4, 3), torch.{dt}).requires_grad_()
            index = integers(62, {index}, torch.int64, 0, {size})
            torch.gather(x, {dim}, index).backward(normal(63, {index}, torch.{dt}))
            expect(x.grad, "x_grad")""")
        yield g.case(f"{dt}/add_backward_dim{dim}", "gather/G2", f"""
            x = normal(64, (4, 3), torch.{dt}).requires_grad_()
            index = integers(65, {index}, torch.int64, 0, {size})
            s = normal(66, {index}, torch.{dt}).requires_grad_()
            torch.scatter_add(x, {dim}, index, s).backward(normal(67, (4, 3), torch.{dt}))
            expect(x.grad, "x_grad")
            expect(s.grad, "s_grad")""")
    yield g.case(f"{dt}/gather_backward_no_dims", "gather/G1", f"""
        x = normal(68, (), torch.{dt}).requires_grad_()
        torch.gather(x, 0, torch.tensor([0, 0])).backward(normal(69, (2,), torch.{dt}))
        expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/add_in_place_backward", "gather/G2 gather/S10", f"""
        x = normal(73, (4, 3), torch.{dt}).requires_grad_()
        s = normal(74, (2, 2), torch.{dt}).requires_grad_()
        y = x * 2
        y[1:, :2].scatter_add_(0, torch.tensor([[2, 0], [2, 1]]), s)
        y.backward(normal(75, (4, 3), torch.{dt}))
        expect(x.grad, "x_grad")
        expect(s.grad, "s_grad")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gather_double_backward", "gather/G1", f"""
            x = normal(70, (4, 3), torch.{dt}).requires_grad_()
            y = torch.gather(x, 0, torch.tensor([[0, 1, 0], [0, 3, 2]]))
            gx = autograd.grad((y * y * y).sum(), x, create_graph=True)[0]
            (gx * gx).sum().backward()
            expect(x.grad, "x_grad")""")
        yield g.case(f"{dt}/add_double_backward", "gather/G2", f"""
            x = normal(71, (3, 2), torch.{dt}).requires_grad_()
            s = normal(72, (2, 2), torch.{dt}).requires_grad_()
            y = torch.scatter_add(x, 0, torch.tensor([[0, 1], [0, 2]]), s)
            gx, gs = autograd.grad((y * y * y).sum(), (x, s), create_graph=True)
            ((gx * gx).sum() + gs.sum()).backward()
            expect(x.grad, "x_grad")
            expect(s.grad, "s_grad")""")


def nothing(g):
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/by_an_empty_index", "gather/C6 gather/S5", f"""
            x = normal(1, (3,), torch.{dt})
            i = torch.zeros(0, dtype=torch.int64)
            expect_equal(torch.gather(x, 0, i).shape, (0,))
            expect(torch.scatter_add(x, 0, i, x), "x")""", trivial="x is the input itself")
