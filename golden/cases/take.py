# SPDX-License-Identifier: Apache-2.0
"""take, put (O-09)."""
from inputs import made
from calls import Arg, Call

CALLS = [
    Call("take", "torch.take({x}, {i})", {"x": Arg("B N"), "i": Arg("M", "index", "N", "int64")}, along=("N", "M", "B"),
         exact=True, reaches=("put",)),
    Call("put", "torch.put({x}, {i}, {y})", {"x": Arg("N+1 B"), "i": Arg("N", "distinct", "N", "int64"), "y": Arg("N")},
         along=("N", "B"), exact=True, reaches=("take",)),
    Call("put", "torch.put({x}, {i}, {y}, accumulate=True)",
         {"x": Arg("B N"), "i": Arg("M", "index", "N", "int64"), "y": Arg("M")}, "accumulate", along=("N", "M", "B"),
         exact=True, reaches=("take",)),
]


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield g.case(f"{dt}/taken", "take/S1 take/S5", f"""
            x = {made(dt, 20 * n + 1)}
            i = integers({20 * n + 2}, (2, 5), torch.int64, low=-12, high=12)
            expect(torch.take(x, i), "y")
            expect(x.t().take(i), "transposed")
            expect(x[:, ::2].take(torch.tensor([5, -6, 2])), "gaps")
            expect(x.take(i.t()), "index_transposed")
            expect(x.take(torch.tensor(-1)), "a_number")
            expect(x[0, 0].take(torch.tensor([0, -1])), "of_a_number")
            out = torch.zeros(2, 10, dtype=torch.{dt})
            torch.take(x, i, out=out[:, 1::2])
            expect(out, "out")""")
        yield g.case(f"{dt}/put", "take/S2 take/S4 take/S5", f"""
            x = {made(dt, 20 * n + 3)}
            s = {made(dt, 20 * n + 4, "(2, 3)")}
            i = torch.tensor([11, 0, -5, 4, 2, -3])
            expect(torch.put(x, i, s), "y")
            expect(x.t().put(i.view(3, 2), s.t()), "transposed")
            expect(x[0, 0].put(torch.tensor(0), s[0, 0]), "of_a_number")
            y = x.clone()
            expect_same(y.put_(i[:2], s[0, :2]), y)
            y[:, 1:].put_(torch.tensor([8, 1]), s[1, 1:])
            expect(y, "in_place")""")
        expect = "expect" if "float" in dt else "expect_equal"
        yield g.case(f"{dt}/accumulated", "take/S3", f"""
            x = {made(dt, 20 * n + 5)}
            s = {made(dt, 20 * n + 6, "(7,)")}
            i = torch.tensor([3, 3, -1, 0, 3, 11, -12])
            {expect}(torch.put(x, i, s, accumulate=True), "y")
            y = x.clone()
            y[1:, ::2].put_(i[:2], s[:2], True)
            {expect}(y, "in_place")""")
    yield g.case("float32/special", "take/S1 take/S2", """
            x = normal(201, (4, 6), torch.float32, mix="special")
            expect(x.take(integers(202, (9,), torch.int64, low=-24, high=24)), "take")
            expect(x.put(torch.tensor([3, -1]), normal(203, (2,), torch.float32, mix="special")), "put")""")
    yield g.case("float32/layouts", "take/S4", """
            x = normal(204, (2, 3, 4), torch.float32)
            i = torch.tensor([5])
            y = x.permute(2, 0, 1).put(i, torch.ones(1))
            expect(y, "y")
            expect_strides(y, (1, 12, 4))
            expect_strides(x[:, :, ::2].put(i, torch.ones(1)), (6, 2, 1))""", variants=False)
    yield g.case("float32/empty", "take/S5", """
            x = normal(205, (2, 3), torch.float32)
            none = torch.zeros(0, 2, dtype=torch.int64)
            expect_equal(x.take(none).shape, (0, 2))
            expect_equal(x[:0].take(none).shape, (0, 2))
            expect(x.put(none, torch.zeros(0)), "put")
            expect_equal(x[:0].put(none, torch.zeros(0)).shape, (0, 3))""", trivial="x is the input itself")
    yield g.case("float32/duplicates", "take/S2", """
            y = torch.arange(3.0).put(torch.tensor([1, -2]), torch.tensor([5.0, 6.0]))
            expect_any(y[1].item(), [5.0, 6.0])
            expect_equal(y[0], 0.0)
            expect_equal(y[2], 2.0)""", variants=False)
    yield g.case("float32/under_levels", "take/S1 take/G1", """
            x = normal(206, (3, 4), torch.float32)
            i = torch.tensor([1, 1, 1, -1])
            def taken(a):
                return a.take(i)
            def total(a):
                return (taken(a) * taken(a)).sum()
            expect(func.vmap(taken)(x), "vmap")
            expect(func.vmap(func.grad(total))(x), "grad")""", variants=False)
    for dt in ("int32", "int16", "uint8", "float32", "bool"):
        yield g.case(f"{dt}/index", "take/C1", f"""
            x = normal(211, (2, 3), torch.float32)
            i = torch.zeros(2, dtype=torch.{dt})
            expect_error(RuntimeError, "take/C1", x.take, i)
            expect_error(RuntimeError, "take/C1", x.put, i, torch.ones(2))
            expect_error(RuntimeError, "take/C1", x.put_, i, torch.ones(2), accumulate=True)""")
    yield g.case("float32/refused", "take/C2 take/C3 take/C4 errors/S1", """
            x = normal(212, (2, 3), torch.float32) + 0
            s = torch.ones(2)
            i = torch.tensor([6, 0])
            expect_error(IndexError, "take/C2", x.take, i)
            expect_error(IndexError, "take/C2", x.take, -i - 1)
            expect_error(IndexError, "take/C2", x.put_, i, s)
            expect_error(IndexError, "take/C2", x.put_, -i - 1, s, accumulate=True)
            expect_error(IndexError, "take/C2", x[:0].take, i)
            expect_error(IndexError, "take/C2", x[:0].put, i, s)
            expect_error(IndexError, "take/C3", x.put, i[:1], s)
            expect_error(IndexError, "take/C3", x.put, i, s[:1])
            expect_error(RuntimeError, "take/C4", x.put, i, s.to(torch.float64))
            expect(x, "untouched")""", trivial="x is the input itself", variants=False)
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "take/C5", f"""
            x = normal(213, (2, 3), torch.{dt})
            i = torch.tensor([1, 0])
            expect_error(NotImplementedError, "take/C5", x.take, i)
            expect_error(NotImplementedError, "take/C5", x.put, i, x[0, :2])
            expect_equal(x.take(i[:0]).shape, (0,))
            expect(x.put(i[:0], x[0, :0]), "put")""", trivial="x is the input itself")
    yield g.case("float32/overlaps", "take/C6 take/C7", """
            x = torch.arange(6.0)
            i = torch.arange(3)
            expect_error(RuntimeError, "take/C6", torch.take, x, i, out=torch.zeros(3, dtype=torch.float64))
            expect_error(RuntimeError, "take/C7", torch.take, x[:3], i, out=x[:3])
            expect_error(RuntimeError, "take/C7", torch.take, torch.arange(5), i, out=i)
            expect_error(RuntimeError, "take/C7", x.put_, i[:2], x[4:])
            expect_error(RuntimeError, "take/C7", i.put_, i[:2], torch.tensor([7, 8]))
            expect_error(RuntimeError, "tensors/C2", torch.zeros(1, 2).expand(3, 2).put_, i, torch.ones(3))""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient", "take/G1 take/G2", f"""
            x = {made(dt, 221)}.requires_grad_()
            s = {made(dt, 222, "(3, 1)")}.requires_grad_()
            x.take(torch.tensor([1, 1, -1])).backward({made(dt, 223, "(3,)")})
            x.put(torch.tensor([11, 0, -5]), s).backward({made(dt, 224)})
            x.put(torch.tensor([1, 1, -1]), s, accumulate=True).backward({made(dt, 225)})
            expect(x.grad, "x")
            expect(s.grad, "s")""")
        yield g.case(f"{dt}/gradient_in_place", "take/G2 take/S4", f"""
            x = {made(dt, 226)}.requires_grad_()
            s = {made(dt, 227, "(2,)")}.requires_grad_()
            y = x * 2
            y[:, 1:].put_(torch.tensor([8, 1]), s)
            y.put_(torch.tensor([0, 0]), s, accumulate=True)
            y.backward({made(dt, 228)})
            expect(x.grad, "x")
            expect(s.grad, "s")""")
        yield g.case(f"{dt}/gradient_layout", "take/G1", f"""
            x = {made(dt, 229)}.t().detach().requires_grad_()
            x.take(torch.tensor([1, 5])).sum().backward()
            expect(x.grad, "x")
            expect_strides(x.grad, (1, 4))""", variants=False)
    for dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "take/G1 take/G2", f"""
            x = {made(dt, 230)}.requires_grad_()
            s = {made(dt, 231, "(3,)")}.requires_grad_()
            y = x.put(torch.tensor([11, 0, -5]), s).take(torch.tensor([0, 0, 3, 11]))
            gx, gs = autograd.grad((y * y * y).sum(), (x, s), create_graph=True)
            ((gx * gx).sum() + (gs * s).sum()).backward()
            expect(x.grad, "x")
            expect(s.grad, "s")""")
