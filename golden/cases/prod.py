# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/prod.md."""

from calls import Arg, Call, factors

# Under the mode that follows a program PyTorch's derivative takes another way, G2's, which gives other halves
# where factors are many and another NaN beside one: no gradient of special values, and no long one of halves.
CALLS = [
    Call("prod" if name in ("all", "vector") else "prod_dim", f"torch.prod({{x}}{where})", {"x": Arg(shape, "factor")},
         "" if name == "all" else name, along=("N", "B") if name in ("last", "first", "middle") else ("N",), over=("N",),
         forms=("functional",) if name in ("all", "vector") else (), smooth=False, maybe="a zero among many leaves zero",
         most={"bfloat16": 129, "float16": 129})
    for name, shape, where in (("all", "B N", ""), ("vector", "N", ""), ("last", "… B N", ", dim=-1"),
                               ("first", "N B", ", dim=0"), ("middle", "B N C", ", dim=1"),
                               ("kept", "B N", ", dim=1, keepdim=True"))
]


def made(dt, seed, shape):
    return factors(dt, seed, shape, 0.25)


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield from of_dtype(g, dt, 20 * n)
        for to in g.COMMON:
            yield g.case(f"{dt}/as_{to}", "prod/S2" + ("" if to in g.FLOAT else " prod/S3"), f"""
            x = integers(501, (6, 2), torch.{dt}, low=1, high={2 if dt == "bool" else 4})
            z = integers(502, (3, 3), torch.{dt}, low=0, high={2 if dt == "bool" else 5})
            expect(torch.prod(x, dtype=torch.{to}), "all")
            expect(x.prod(1, dtype=torch.{to}), "rows")
            expect(torch.prod(z, 0, dtype=torch.{to}), "zeros")""", maybe="few of them are not zero")
    for dt in g.FLOAT:
        yield from floating(g, dt)
        yield from gradients(g, dt)
    yield from refusals(g)


def of_dtype(g, dt, s):
    wide = dt if dt in g.FLOAT else "int64"
    rule = "" if dt in g.FLOAT else " prod/S3"
    yield g.case(f"{dt}/values", f"prod/S1 prod/S2{rule}", f"""
            x = {made(dt, s + 1, "(3, 4, 2)")}
            expect(torch.prod(x), "all")
            expect(x.prod(0), "first")
            expect(torch.prod(x, dim=1), "middle")
            expect(x.prod(-1), "last")
            expect(x.permute(2, 0, 1).prod(1), "permuted")
            expect(x.permute(2, 0, 1).prod(), "permuted_all")
            expect(x[:, 1::2, 0].prod(1), "steps")""", maybe="a zero is among bools")
    yield g.case(f"{dt}/keepdim", f"prod/S6{rule}", f"""
            x = {made(dt, s + 2, "(2, 3, 4)")}
            expect(torch.prod(x, 1, keepdim=True), "one")
            expect(x.prod(0, True), "by_position")
            expect(x.transpose(0, 2).prod(2, keepdim=True), "turned")""")
    yield g.case(f"{dt}/shapes", "prod/S1 prod/S4 tensors/S10", f"""
            s = {made(dt, s + 3, "(3,)")}[1]
            expect(s.prod(), "zero_dim")
            expect(s.prod(-1), "zero_dim_last")
            expect(s.prod(0, keepdim=True), "zero_dim_kept")
            x = {made(dt, s + 4, "(2, 0, 3)")}
            expect(x.prod(), "nothing")
            expect(x.prod(1), "of_nothing")
            expect(x.prod(0), "empty")
            expect({made(dt, s + 5, "(2, 19)")}.prod(1), "tail")""", trivial=None)
    yield g.case(f"{dt}/out", "prod/S2 tensors/S8", f"""
            x = {made(dt, s + 6, "(3, 4)")}
            room = torch.full((8,), 5, dtype=torch.{wide})
            torch.prod(x, 0, out=room[::2])
            expect(room, "room")
            narrow = torch.zeros(1, 4, dtype=torch.{dt})
            torch.prod(x, 0, keepdim=True, out=narrow)
            expect(narrow, "own")
            wide = torch.zeros(3, dtype=torch.float64)
            torch.prod(x, dim=1, out=wide)
            expect(wide, "wide")""")
    if dt in g.INT:
        yield g.case(f"{dt}/wraps", "prod/S3", f"""
            x = {made(dt, s + 7, "(4, 9)")}
            expect(x.prod(1, dtype=torch.{dt}), "rows")
            expect(x.prod(dtype=torch.int8), "int8")
            expect(x.prod(0, dtype=torch.uint8), "uint8")
            expect(x.prod(), "int64")""")
    yield g.case(f"{dt}/nothing_of_float8", "prod/S4", f"""
            x = {made(dt, s + 8, "(2, 0)")}.to(torch.float8_e5m2)
            expect(x.prod(), "all")
            expect(torch.prod(x, 1), "rows")
            expect(x.prod(0), "columns")""") if dt == "float32" else g.case(f"{dt}/ones_of_nothing", "prod/S4", f"""
            x = {made(dt, s + 8, "(0, 3)")}
            expect(x.prod(), "all")
            expect(torch.prod(x, 0, dtype=torch.float32), "float32")""", trivial=None)


def floating(g, dt):
    for mix in ("nan", "inf", "zero", "subnormal"):
        yield g.case(f"{dt}/{mix}", "prod/S5", f"""
            x = normal(71, (6, 3), torch.{dt}, mix="{mix}")
            expect(x.prod(1), "rows")
            expect(x[:3].prod(0), "columns")""", maybe="most are zero")
    yield g.case(f"{dt}/zero_and_infinity", "prod/S5", f"""
            x = torch.tensor([[0.0, torch.inf, 1.0], [2.0, -0.0, -3.0], [-torch.inf, 2.0, -0.5], [torch.nan, 0.0, 1.0],
                              [-0.0, -0.0, -1.0], [1.0, -torch.inf, -torch.inf]], dtype=torch.{dt})
            expect(x.prod(1), "rows")
            expect(x[1:].prod(), "all")""" + ("" if dt == "float64" else """
            expect(1 / x.prod(1), "signs")"""))
    yield g.case(f"{dt}/many", "prod/S1 prod/S7", f"""
            x = {factors(dt, 402, "(3, 300)", 0.0625)}
            expect(x.prod(1), "rows")
            expect(x[:, :40].prod(), "all")
            expect(x[:, ::9].t().prod(0), "columns")""")
    if dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/wide_and_cast_first", "prod/S2 prod/S7", f"""
            x = {factors(dt, 403, "(3, 200)", 0.25)}
            expect(x.prod(1, dtype=torch.float32), "wide")
            y = {factors("float32", 404, "(4, 20)", 0.25)}
            expect(y.prod(1, dtype=torch.{dt}), "cast_first")""")


def gradients(g, dt):
    yield g.case(f"{dt}/gradient", "prod/G1", f"""
            x = {made(dt, 11, "(3, 4)")}.requires_grad_()
            (x.prod() * 8 + (x.prod(0) * normal(12, (4,), torch.{dt})).sum()).backward()
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_dims", "prod/G1", f"""
            x = {made(dt, 13, "(2, 3, 4)")}.requires_grad_()
            torch.prod(x, -2).backward(normal(14, (2, 4), torch.{dt}))
            expect(x.grad, "middle")
            y = {made(dt, 15, "(2, 3, 4)")}.requires_grad_()
            y.prod(2, keepdim=True).backward(normal(16, (2, 3, 1), torch.{dt}))
            expect(y.grad, "kept")
            z = {made(dt, 17, "(4, 3)")}.requires_grad_()
            z.t().prod(1, dtype=torch.float64).backward(normal(18, (3,), torch.float64))
            expect(z.grad, "through_float64")""")
    yield g.case(f"{dt}/gradient_shapes", "prod/G1 tensors/S10", f"""
            x = {made(dt, 19, "(3,)")}[1].clone().requires_grad_()
            (x.prod() * x.prod(0) * 3).backward()
            expect(x.grad, "zero_dim")
            e = {made(dt, 20, "(0, 3)")}.requires_grad_()
            (e.prod() + e.prod(0).sum() + e.prod(1).sum()).backward()
            expect(e.grad, "empty")
            o = {made(dt, 21, "(3, 1)")}.requires_grad_()
            o.prod(1).backward(normal(22, (3,), torch.{dt}))
            expect(o.grad, "size_one")
            n = torch.zeros(3, 1, dtype=torch.{dt}).requires_grad_()
            n.prod(1).backward(normal(23, (3,), torch.{dt}))
            expect(n.grad, "size_one_zero")""")
    yield g.case(f"{dt}/gradient_zeros", "prod/G2", f"""
            x = torch.tensor([[2.0, 0.5, -1.5], [0.0, 2.0, 4.0], [2.0, -0.0, -3.0], [2.0, 3.0, 0.0], [0.0, 0.0, 2.0],
                              [0.0, 0.0, 0.0]], dtype=torch.{dt}).requires_grad_()
            x.prod(1).backward(normal(31, (6,), torch.{dt}))
            expect(x.grad, "rows")
            y = x.detach().clone().requires_grad_()
            y.prod(0, keepdim=True).backward(normal(32, (1, 3), torch.{dt}))
            expect(y.grad, "columns")
""" + "".join(f"""            z{k} = x.detach()[{k}].clone().requires_grad_()
            (z{k}.prod() * 3).backward()
            expect(z{k}.grad, "whole{k}")
""" for k in (0, 1, 3, 4)))
    for what, a in (("infinity", "torch.inf"), ("nan", "torch.nan"), ("number", "2.0")):
        yield g.case(f"{dt}/gradient_zero_beside_{what}", "prod/G2", f"""
            x = torch.tensor([{a}, 3.0, 0.0], dtype=torch.{dt}).requires_grad_()
            y = torch.tensor([[{a}, 3.0, 0.0], [torch.inf, {a}, 1.0]], dtype=torch.{dt}).requires_grad_()
            w = torch.tensor([[{a}, torch.inf, 0.0]], dtype=torch.{dt}).requires_grad_()
            (x.prod() * 5).backward()
            y.prod(1).backward(torch.tensor([2.0, -3.0], dtype=torch.{dt}))
            w.prod().backward()
            expect(x.grad, "x")
            expect(y.grad, "y")
            expect(w.grad, "w")""", maybe="two zeros leave nothing")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "prod/G1", f"""
            x = {made(dt, 41, "(3, 4)")}.requires_grad_()
            (gx,) = autograd.grad((x.prod(1) * (x * x).prod(1)).sum() + x.prod(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "once")
            expect(x.grad, "twice")""")
        yield g.case(f"{dt}/gradient_zeros_twice", "prod/G2", f"""
            x = torch.tensor([[2.0, 0.5, -1.5], [0.0, 2.0, 4.0], [2.0, 3.0, 1.5]], dtype=torch.{dt}).requires_grad_()
            (gx,) = autograd.grad((x.prod(1) * normal(42, (3,), torch.{dt})).sum(), (x,), create_graph=True)
            (gx * normal(43, (3, 3), torch.{dt})).sum().backward()
            expect(gx, "once")
            expect(x.grad, "twice")
            y = torch.tensor([2.0, 0.0, 3.0, 0.5], dtype=torch.{dt}).requires_grad_()
            (gy,) = autograd.grad(y.prod(), (y,), create_graph=True)
            (gy * normal(44, (4,), torch.{dt})).sum().backward()
            expect(gy, "whole")
            expect(y.grad, "whole_twice")""")


def refusals(g):
    yield g.case("float32/dim", "prod/C1", """
            x = normal(81, (2, 3))
            expect_error(IndexError, "prod/C1", torch.prod, x, 2)
            expect_error(IndexError, "prod/C1", torch.prod, x, dim=-3)
            expect_error(IndexError, "prod/C1", torch.prod, x[0, 0], 1)
            expect_error(IndexError, "prod/C1", x.prod, 5, dtype=torch.float8_e5m2)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "prod/C2", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "prod/C2", torch.prod, x)
            expect_error(NotImplementedError, "prod/C2", torch.prod, x, 0)
            expect_error(NotImplementedError, "prod/C2", torch.prod, torch.ones(3), dtype=torch.{dt})
            expect(x.prod(1, dtype=torch.float32), "float32")""")
    yield g.case("float32/out_dtype", "prod/C3", """
            x = normal(82, (2, 3))
            expect_error(RuntimeError, "prod/C3", torch.prod, x, 0, dtype=torch.float64, out=torch.zeros(3))
            expect_error(RuntimeError, "prod/C3", torch.prod, x, 0, dtype=torch.float32, out=torch.zeros(3, dtype=torch.float64))""")
    yield g.case("float32/no_list", "prod/S1 errors/C2", """
            x = normal(83, (2, 3))
            expect_error(TypeError, "errors/C2", torch.prod, x, (0, 1))
            expect_error(TypeError, "errors/C2", torch.prod, x, None)
            expect_error(TypeError, "errors/C2", torch.prod, x, keepdim=True)
            expect_error(TypeError, "errors/C2", torch.prod, x, out=torch.zeros(()))""")
    yield g.case("float32/batched", "prod/S1 func/S1", """
            x = normal(84, (3, 2, 4))
            def rows(t):
                return t.prod(1)
            def whole(t):
                return t.prod()
            expect(func.vmap(rows)(x), "rows")
            expect(func.vmap(whole)(x), "whole")
            expect(func.vmap(func.grad(whole))(x), "grad")""")
