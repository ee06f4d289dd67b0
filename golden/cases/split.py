# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/split.md."""
from calls import Arg, Call

CALLS = [
    Call("split", "{x}.split(3)[1].clone()", {"x": Arg("N+3 C")}, exact=True, along=("N", "C")),
    Call("split_with_sizes", "{x}.split([3, {N}])[1].clone()", {"x": Arg("N+3 C")}, exact=True,
         along=("N", "C")),
]


def made(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f"normal({seed}, {shape}, torch.{dt})"
    return f"integers({seed}, {shape}, torch.{dt}, low=0, high=100)"


def cases(g):
    for n, dt in enumerate(g.ALL):
        yield g.case(f"{dt}/parts", "split/S1 split/S2 split/S3 split/S4 split/S5 split/S6", f"""
            x = {made(dt, 10 * n + 1, "(7, 3)")}
            a, b, c = x.split(3)
            expect(b, "b")
            expect(c, "rest")
            expect_view_of(c, x)
            expect_same(c._base, x)
            d, e = torch.split(x, [1, 2], dim=-1)
            expect(e, "e")
            expect_view_of(e, x)
            h, i, j, k = x.chunk(4)
            expect(k, "k")
            l, m, o = x.tensor_split(3)
            expect(l, "l")
            expect(o, "o")
            p, q, r = torch.tensor_split(x, (1, 4))
            expect(q, "q")
            expect_view_of(q, x)""")
    yield g.case("float32/sizes", "split/S1 split/S2 split/S3 split/S4", """
            x = normal(201, (2, 11), torch.float32)
            expect_equal(len(x.split(4, 1)), 3)
            expect_equal(len(x.split(11, 1)), 1)
            expect_equal(len(x.split(100, dim=1)), 1)
            expect_equal(len(x.chunk(4, 1)), 4)
            expect_equal(len(x.chunk(5, 1)), 4)
            expect_equal(len(x.chunk(7, 1)), 6)
            expect_equal(len(torch.chunk(x, 100, -1)), 11)
            expect_equal(len(x.tensor_split(4, 1)), 4)
            expect_equal(len(x.tensor_split(13, 1)), 13)
            expect(x.split(4, 1)[2], "rest")
            expect(x.chunk(7, 1)[5], "last")
            expect(x.tensor_split(4, 1)[2], "third")
            expect_equal(x.tensor_split(13, 1)[12].shape, (2, 0))
            expect(x.tensor_split(13, 1)[10], "one")
            expect(x.split_with_sizes([3, 0, 8], 1)[2], "by_sizes")
            expect_equal(x.split([3, 0, 8], 1)[1].shape, (2, 0))
            expect(torch.split_with_sizes(x, [2, 9], dim=1)[1], "function")
            expect(torch.split(x, split_size_or_sections=1)[1], "named")
            expect(torch.split(x, split_size_or_sections=[4, 7], dim=1)[1], "named_sizes")""")
    yield g.case("float32/indices", "split/S5", """
            x = normal(202, (7, 2), torch.float32)
            a, b, c, d, e = x.tensor_split([4, 1, 100, -2])
            expect(a, "a")
            expect_equal(b.shape, (0, 2))
            expect(c, "c")
            expect_equal(d.shape, (0, 2))
            expect(e, "e")
            expect(x.tensor_split([])[0], "all")
            expect(x.tensor_split(indices=(-3,))[1], "from_the_end")
            expect(torch.tensor_split(x, sections=2)[1], "named")""")
    yield g.case("int64/one_number", "split/S1", """
            x = torch.arange(10)
            expect(x.split(torch.tensor(4))[1], "by_a_tensor_of_one")
            expect(x.chunk(torch.tensor(3))[2], "chunk")""")
    yield g.case("float32/of_views", "split/S6", """
            x = normal(203, (4, 6), torch.float32)
            y = x.t()[::2]
            a, b = y.split(2)
            expect(b, "b")
            expect_view_of(b, x)
            expect_equal(b.storage_offset() - x.storage_offset(), "offset")
            c, d, e = y.split([1, 1, 2], 1)
            expect(e, "e")
            expect_view_of(e, x)
            h, i = e.tensor_split(2, -1)
            expect(i, "i")
            expect_view_of(i, x)""")
    yield g.case("float32/written", "split/S6", """
            x = torch.zeros(5, 2)
            a, b, c = x.split(2)
            v = x._version
            b.fill_(7)
            d, e = x.tensor_split(2)
            e.mul_(2)
            expect_equal(x, [[0.0, 0.0], [0.0, 0.0], [7.0, 7.0], [14.0, 14.0], [0.0, 0.0]])
            expect_equal(x._version - v, 2)
            expect_equal(a._version, x._version)""")
    yield g.case("float32/empty", "split/S1 split/S2 split/S3 split/S4", """
            x = torch.zeros(0, 3)
            expect_equal(len(x.split(2)), 1)
            expect_equal(len(x.split(0)), 1)
            expect(x.split(0)[0], "one")
            expect_equal(len(x.split([])), 0)
            expect_equal(len(x.chunk(3)), 3)
            expect(x.chunk(3)[2], "chunk")
            expect_equal(len(x.tensor_split(3)), 3)
            expect_equal(len(x.split(2, 1)), 2)
            expect(x.split(2, 1)[1], "no_elements")""", trivial="empty")
    yield g.case("float32/refused", "split/C1 split/C2 split/C3 split/C4 split/C5", """
            x = normal(204, (7, 2), torch.float32)
            y = x[0, 0]
            expect_error(IndexError, "split/C1", x.split, 3, 2)
            expect_error(IndexError, "split/C1", x.split, [7], -3)
            expect_error(IndexError, "split/C1", x.chunk, 2, 5)
            expect_error(IndexError, "split/C1", x.tensor_split, 2, 2)
            expect_error(IndexError, "split/C1", x.tensor_split, [1], 2)
            expect_error(RuntimeError, "split/C2", y.split, 1)
            expect_error(RuntimeError, "split/C2", y.split, [1])
            expect_error(RuntimeError, "split/C2", y.chunk, 1)
            expect_error(RuntimeError, "split/C2", y.tensor_split, 1)
            expect_error(RuntimeError, "split/C2", y.tensor_split, [1])
            expect_error(RuntimeError, "split/C3", x.split, 0)
            expect_error(RuntimeError, "split/C3", x.split, -1)
            expect_error(RuntimeError, "split/C4", x.split, [3, 3])
            expect_error(RuntimeError, "split/C4", x.split, [3, 5])
            expect_error(RuntimeError, "split/C4", x.split, [3, -1, 5])
            expect_error(RuntimeError, "split/C4", x.split, [])
            expect_error(RuntimeError, "split/C5", x.chunk, 0)
            expect_error(RuntimeError, "split/C5", torch.chunk, x, -2)
            expect_error(RuntimeError, "split/C5", x.tensor_split, 0)
            expect_error(RuntimeError, "split/C5", x.tensor_split, -1)
            expect_error(TypeError, "errors/C2", x.split, 2.0)
            expect_error(TypeError, "errors/C2", x.chunk, [1, 6])
            expect_error(TypeError, "errors/C2", x.split)""")
    yield g.case("float32/in_place", "split/G2 autograd/C18", """
            x = normal(205, (4, 3), torch.float32).requires_grad_()
            y = x * 2
            a, b = y.split(2)
            expect_error(RuntimeError, "autograd/C18", a.add_, 1)
            c, d = y.chunk(2)
            expect_error(RuntimeError, "autograd/C18", d.add_, 1)
            e, h = y.split([1, 3])
            expect_error(RuntimeError, "autograd/C18", h.add_, 1)
            i, j = y.tensor_split(2)
            j.mul_(3)
            y.backward(normal(206, (4, 3), torch.float32))
            expect(x.grad, "x")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient", "split/G1 split/G2", f"""
            x = normal(207, (5, 3), torch.{dt}).requires_grad_()
            a, b, c = x.split(2)
            (a * b).backward(normal(208, (2, 3), torch.{dt}))
            expect(x.grad, "some")
            y = normal(209, (2, 6), torch.{dt}).requires_grad_()
            d, e, h = y.split([1, 3, 2], -1)
            (d * e).backward(normal(210, (2, 3), torch.{dt}))
            expect(y.grad, "by_sizes")
            z = normal(211, (5, 2), torch.{dt}).requires_grad_()
            i, j = z.chunk(2)
            j.backward(normal(212, (2, 2), torch.{dt}))
            expect(z.grad, "chunk")
            w = normal(213, (5, 2), torch.{dt}).requires_grad_()
            k, l, m = w.tensor_split((1, 3))
            (k * l).backward(normal(214, (2, 2), torch.{dt}))
            expect(w.grad, "tensor_split")""")
        yield g.case(f"{dt}/gradient_twice", "split/G1", f"""
            x = normal(215, (4, 3), torch.{dt}).requires_grad_()
            a, b = x.split(2)
            (gx,) = autograd.grad((a * a * b).sum(), (x,), create_graph=True)
            (gx * x).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
    yield g.case("float32/func", "split/S1 split/S2 split/G1", """
            def f(x):
                a, b = x.split([2, 3], -1)
                c, d = x.chunk(2, 0)
                return (a * 2).sum() * b.sum() + (c * d).sum()
            x = normal(216, (4, 2, 5), torch.float32)
            expect(func.vmap(f)(x), "vmap")
            expect(func.vmap(func.grad(f))(x), "vmap_grad")
            y, t = func.jvp(f, (x[0],), (normal(217, (2, 5), torch.float32),))
            expect(t, "tangent")""")
