# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/logsumexp.md."""

from inputs import made
from calls import Arg, Call

CALLS = [
    Call("logsumexp", f"torch.logsumexp({{x}}, {where})", {"x": Arg(shape)}, name, floats=True,
         maybe="numbers near 0 are all alike",
         along=("N",) if name in ("kept", "two") else ("N", "B"), over=("B", "C") if name == "two" else ("N",))
    for name, shape, where in (("last", "… B N", "dim=-1"), ("first", "N B", "dim=0"), ("middle", "B N C", "1"),
                               ("two", "B N C", "dim=(0, 2)"), ("kept", "B N", "1, keepdim=True"))
]


def small(dt, seed, shape="(3, 4)"):
    return made(dt, seed, shape) if "float" in dt or dt == "bool" else \
        f"integers({seed}, {shape}, torch.{dt}, low=0, high=20)"


def cases(g):
    for n, dt in enumerate(g.COMMON):
        s = 20 * n
        yield g.case(f"{dt}/values", "logsumexp/S1 logsumexp/S4" + (" logsumexp/S5" if dt in ("float16", "bfloat16") else ""), f"""
            x = {small(dt, s + 1, "(3, 4, 2)")}
            expect(torch.logsumexp(x, 0), "first")
            expect(x.logsumexp(1), "middle")
            expect(x.logsumexp(dim=-1), "last")
            expect(torch.logsumexp(x, (0, 2)), "list")
            expect(x.logsumexp([2, 1, 0]), "all")
            expect(x.permute(2, 0, 1).logsumexp(1), "permuted")
            expect(x[:, 1::2].logsumexp(1), "steps")""")
        yield g.case(f"{dt}/keepdim", "logsumexp/S6", f"""
            x = {small(dt, s + 2, "(2, 3, 4)")}
            expect(torch.logsumexp(x, 1, True), "one")
            expect(x.logsumexp((2, 0), keepdim=True), "list")
            expect(x.logsumexp((), keepdim=True), "empty_list")
            expect(x[:0].logsumexp(()), "empty_list_of_nothing")
            expect(x.transpose(0, 2).logsumexp(1), "turned")""")
        yield g.case(f"{dt}/shapes", "logsumexp/S1 logsumexp/S3 tensors/S10", f"""
            s = {small(dt, s + 3, "()")}
            expect(s.logsumexp(0), "zero_dim")
            expect(s.logsumexp(()), "zero_dim_list")
            expect(s.logsumexp(-1, True), "zero_dim_kept")
            x = {small(dt, s + 4, "(2, 0, 3)")}
            expect(x.logsumexp(1), "of_nothing")
            expect(x.logsumexp(0), "empty")
            expect({small(dt, s + 5, "(2, 19)")}.logsumexp(1), "tail")""", trivial=None)
        yield g.case(f"{dt}/out", "logsumexp/S4 tensors/S8", f"""
            x = {small(dt, s + 6)}
            room = torch.zeros(8, dtype=torch.{dt if dt in g.FLOAT else "float32"})
            torch.logsumexp(x, 0, out=room[::2])
            expect(room, "room")""")
        if dt not in g.FLOAT:
            yield g.case(f"{dt}/out_refused", "logsumexp/C5", f"""
            x = {small(dt, s + 7)}
            expect_error(RuntimeError, "logsumexp/C5", torch.logsumexp, x, 0, out=torch.zeros(4, dtype=torch.{dt}))""")
    for dt in g.FLOAT:
        yield from floating(g, dt)
    yield from refusals(g)


def floating(g, dt):
    large = 60000.0 if dt == "float16" else 1e30
    yield g.case(f"{dt}/large", "logsumexp/S2", f"""
            x = torch.tensor([[1000.0, 1000.0, 999.0], [-1000.0, -1001.0, -1000.0], [{large}, 1.0, -{large}], [0.0, -{large}, 0.0],
                              [88.0, 89.0, 710.0]], dtype=torch.{dt})
            expect(x.logsumexp(1), "rows")
            expect(x[:2].logsumexp(0), "columns")
            expect(x[:2].logsumexp((0, 1)), "all")""")
    yield g.case(f"{dt}/infinities", "logsumexp/S3", f"""
            x = torch.tensor([[-torch.inf, -torch.inf, -torch.inf], [torch.inf, 1.0, -torch.inf], [torch.inf, torch.inf, 0.0],
                              [torch.nan, torch.inf, 1.0], [-torch.inf, 2.0, 3.0], [torch.nan, -torch.inf, -torch.inf]],
                             dtype=torch.{dt})
            expect(x.logsumexp(1), "rows")
            expect(x[:3].logsumexp(0, keepdim=True), "columns")
            expect(x[3:].logsumexp((0, 1)), "all")""")
    for mix in ("nan", "inf", "zero", "subnormal"):
        yield g.case(f"{dt}/{mix}", "logsumexp/S1 logsumexp/S3", f"""
            x = normal(71, (6, 4), torch.{dt}, mix="{mix}")
            expect(x.logsumexp(1), "rows")
            expect(x.logsumexp(0), "columns")""")
    yield g.case(f"{dt}/equal_elements", "logsumexp/S2", f"""
            x = torch.full((3, 64), 2.0, dtype=torch.{dt})
            expect(x.logsumexp(1), "rows")
            expect((x - 500).logsumexp(1), "below")""")
    yield g.case(f"{dt}/gradient", "logsumexp/G1", f"""
            x = normal(11, (3, 4), torch.{dt}).requires_grad_()
            x.logsumexp(1).backward(normal(12, (3,), torch.{dt}))
            expect(x.grad, "rows")
            y = normal(13, (2, 3, 4), torch.{dt}).requires_grad_()
            y.logsumexp((0, -1), keepdim=True).backward(normal(14, (1, 3, 1), torch.{dt}))
            expect(y.grad, "list")
            z = normal(15, (3,), torch.{dt})[1].clone().requires_grad_()
            (z.logsumexp(0) * 3).backward()
            expect(z.grad, "zero_dim")""")
    size = 1000.0 if dt in ("float64", "float32") else 12.0
    yield g.case(f"{dt}/gradient_large", "logsumexp/G1", f"""
            x = torch.tensor([[{size}, {size - 1}], [-{size}, {-size - 2}], [0.0, -torch.inf]], dtype=torch.{dt}).requires_grad_()
            x.logsumexp(1).backward(torch.tensor([2.0, 3.0, 5.0], dtype=torch.{dt}))
            expect(x.grad, "x")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "logsumexp/G1", f"""
            x = normal(16, (3, 4), torch.{dt}).requires_grad_()
            (gx,) = autograd.grad((x.logsumexp(1) * (x * x).logsumexp(1)).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "once")
            expect(x.grad, "twice")""")


def refusals(g):
    yield g.case("float32/refused", "logsumexp/C1 logsumexp/C2 logsumexp/C3 logsumexp/C5", """
            x = normal(81, (2, 3))
            expect_error(IndexError, "logsumexp/C1", torch.logsumexp, x, 2)
            expect_error(IndexError, "logsumexp/C1", x.logsumexp, (0, -3))
            expect_error(IndexError, "logsumexp/C1", torch.logsumexp, x[0, 0], 1)
            expect_error(RuntimeError, "logsumexp/C2", torch.logsumexp, x, (1, -1))
            expect_error(RuntimeError, "logsumexp/C3", torch.logsumexp, x, ())
            expect_error(RuntimeError, "logsumexp/C5", torch.logsumexp, x, 0, out=torch.zeros(3, dtype=torch.int64))
            expect_error(TypeError, "errors/C2", torch.logsumexp, x)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "logsumexp/C4", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "logsumexp/C4", torch.logsumexp, x, 0)
            expect_error(NotImplementedError, "logsumexp/C4", x[0, 0].logsumexp, 0)""")
    yield g.case("float32/batched", "logsumexp/S1 func/S1", """
            x = normal(85, (3, 2, 4))
            def rows(t):
                return t.logsumexp(1)
            def whole(t):
                return t.logsumexp((0, 1))
            expect(func.vmap(rows)(x), "rows")
            expect(func.vmap(func.grad(whole))(x), "grad")""")
