# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/foreach.md."""


def made(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f"normal({seed}, {shape}, torch.{dt})"
    return f"integers({seed}, {shape}, torch.{dt}, low=0, high=11)"


def cases(g):
    for n, dt in enumerate(g.COMMON):
        s = 10 * n
        whole = dt not in g.FLOAT
        yield g.case(f"{dt}/pairs", "foreach/S1 foreach/S3", f"""
            a = {made(dt, s + 1, "(3, 4)")}
            b = {made(dt, s + 2, "(5,)")}
            c = {made(dt, s + 3, "(4,)")}
            d = {made(dt, s + 4, "(2, 1)")}
            x, y = torch._foreach_add([a, b], [c, d])
            expect(x, "x")
            expect(y, "y")
            z, w = torch._foreach_mul((a, b), (c, d))
            expect(z, "z")
            expect(w, "w")""")
        yield g.case(f"{dt}/number", "foreach/S2 foreach/S3", f"""
            a = {made(dt, s + 5, "(3, 4)")}
            b = {made(dt, s + 6, "()")}
            x, y = torch._foreach_add([a, b], {3 if whole else 2.5})
            expect(x, "x")
            expect(y, "y")
            z, w = torch._foreach_mul([a, b], {3 if whole else 2.5})
            expect(z, "z")
            expect(w, "w")""")
        if dt != "bool":
            yield g.case(f"{dt}/in_place", "foreach/S4", f"""
            a = {made(dt, s + 7, "(3, 4)")}
            b = {made(dt, s + 8, "(5,)")}
            c = {made(dt, s + 9, "(4,)")}
            v = a._version
            torch._foreach_add_([a[:, 1:], b], [c[1:], b], alpha=2)
            expect_equal(a._version - v, 1)
            expect(a, "a")
            expect(b, "b")
            torch._foreach_mul_([a, b], 3)
            expect(a, "tripled")
            torch._foreach_mul_([a], [c])
            torch._foreach_add_([b], 1)
            expect(a, "product")
            expect(b, "sum")""")
    yield g.case("float32/mixed", "foreach/S1 foreach/S2 foreach/S3", """
            a = normal(201, (3,), torch.float32)
            b = integers(202, (2, 2), torch.int32, low=1, high=9)
            c = normal(203, (2,), torch.float64)
            d = normal(204, (2, 1), torch.float16)
            x, y = torch._foreach_add([a, b], [b[0, 0], c])
            expect(x, "x")
            expect(y, "y")
            p, q, r = torch._foreach_mul([a, b, d], 1.5)
            expect(q, "q")
            expect(r, "r")
            (s,) = torch._foreach_add([b], [b], alpha=3)
            expect(s, "alpha")
            expect(torch._foreach_add([torch.zeros(0, 2), a], 1)[1], "beside_an_empty_one")""")
    yield g.case("float32/refused", "foreach/C1 foreach/C2", """
            a = normal(205, (3,), torch.float32)
            b = integers(206, (2,), torch.int64, low=1, high=9)
            expect_error(RuntimeError, "foreach/C1", torch._foreach_add, [], [])
            expect_error(RuntimeError, "foreach/C1", torch._foreach_mul, [], 2)
            expect_error(RuntimeError, "foreach/C1", torch._foreach_mul_, [], 2)
            expect_error(RuntimeError, "foreach/C2", torch._foreach_add, [a, b], [a])
            expect_error(RuntimeError, "foreach/C2", torch._foreach_mul_, [a], [a, a])
            expect_error(RuntimeError, "promotion/C1", torch._foreach_mul_, [b], 2.5)
            expect_error(RuntimeError, "tensors/C1", torch._foreach_add_, [b[0]], [b])
            expect_error(TypeError, "errors/C2", torch._foreach_add, a, 1)""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient", "foreach/G1", f"""
            a = normal(207, (3, 2), torch.{dt}).requires_grad_()
            b = normal(208, (2,), torch.{dt}).requires_grad_()
            c = normal(209, (2,), torch.{dt}).requires_grad_()
            x, y = torch._foreach_mul([a, b], [c, b])
            p, q = torch._foreach_add([x, y], [x, c], alpha=2)
            u = normal(210, (3, 2), torch.{dt})
            w = normal(211, (2,), torch.{dt})
            ((p * u).sum() + (q * w).sum()).backward()
            expect(a.grad, "a")
            expect(b.grad, "b")
            expect(c.grad, "c")""")
        yield g.case(f"{dt}/gradient_in_place", "foreach/G1 foreach/S4", f"""
            a = normal(212, (3, 2), torch.{dt}).requires_grad_()
            b = normal(213, (2,), torch.{dt}).requires_grad_()
            x = a * 1
            y = b * 1
            torch._foreach_mul_([x, y], [b, normal(218, (2,), torch.{dt})])
            torch._foreach_add_([x], 1)
            x.backward(normal(214, (3, 2), torch.{dt}))
            y.backward(normal(215, (2,), torch.{dt}))
            expect(a.grad, "a")
            expect(b.grad, "b")""")
    yield g.case("float32/func", "foreach/S1 foreach/G1", """
            def f(x, y):
                a, b = torch._foreach_mul([x, y], [y, x[0]])
                c, d = torch._foreach_add([a, b], 2)
                return c.sum() * d.sum()
            x = normal(216, (2, 2, 3), torch.float32)
            y = normal(217, (3,), torch.float32)
            expect(func.grad(f)(x[0], y), "grad")
            z, t = func.jvp(f, (x[0], y), (x[1], y))
            expect(t, "tangent")""")
