# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/norm.md."""

from calls import Arg, Call

VN = "torch.linalg.vector_norm"
CALLS = [
    Call("linalg_vector_norm", f"{VN}({{x}}, {{p}}{where})", {"x": Arg(shape)}, name,
         choices={"p": ("2", "1", "torch.inf", "3")}, along=("N",) if name in ("all", "kept", "two") else ("N", "B"),
         over=("B", "C") if name == "two" else ("N",), smooth=False, maybe="of one element it is its size",
         without=("huge", "subnormal", "edges", "near"), most={"float32": 5000})
    for name, shape, where in (("all", "… N", ""), ("last", "… B N", ", dim=-1"), ("first", "N B", ", dim=0"),
                               ("middle", "B N C", ", dim=1"), ("two", "B N C", ", dim=(0, 2)"),
                               ("kept", "B N", ", dim=1, keepdim=True"))
]
POWERS = (("0", "0"), ("1", "1"), ("2", "2"), ("3", "3"), ("half", "0.5"), ("inf", "torch.inf"), ("minus_inf", "-torch.inf"),
          ("minus_one", "-1"), ("two_and_a_half", "2.5"))


def cases(g):
    for n, dt in enumerate(g.FLOAT):
        s = 20 * n
        for name, p in POWERS:
            rule = "norm/S2" if p in ("0", "torch.inf", "-torch.inf") else "norm/S1"
            yield g.case(f"{dt}/p_{name}", rule, f"""
            x = uniform({s + 1}, (3, 4, 2), torch.{dt}, low=-2.0, high=2.0)
            expect({VN}(x, {p}), "all")
            expect({VN}(x, {p}, 1), "middle")
            expect({VN}(x, ord={p}, dim=(0, -1), keepdim=True), "list")
            expect(x.permute(2, 0, 1).norm({p}, dim=1), "permuted")
            expect(torch.norm(x[:, ::2], p={p}, dim=[0, 1]), "steps")
            expect({VN}(x[0, 0, 0], {p}), "zero_dim")""", maybe="an element's size is its norm")
        yield g.case(f"{dt}/defaults", "norm/S1 norm/S6 norm/S7", f"""
            x = normal({s + 2}, (2, 3, 4), torch.{dt})
            expect({VN}(x), "vector_norm")
            expect({VN}(x, 2, []), "empty_list")
            expect(torch.norm(x), "norm")
            expect(x.norm(), "method")
            expect(torch.norm(x, dim=1), "dim")
            expect(x.norm(dim=(0, 1), keepdim=True), "list")
            expect(torch.norm(x, None), "none")
            expect(torch.norm(x, "fro"), "fro")
            expect(x.norm(p="fro", dim=1, keepdim=True), "fro_dim")
            expect(torch.norm(x, 2, 1, True), "by_position")
            expect({VN}(x, keepdim=True), "kept")""")
        yield g.case(f"{dt}/shapes", "norm/S5 tensors/S10", f"""
            x = normal({s + 3}, (2, 0, 3), torch.{dt})
            expect({VN}(x), "nothing")
            expect({VN}(x, 1, 1), "of_nothing")
            expect({VN}(x, 0, (0, 1)), "none_counted")
            expect({VN}(x, torch.inf, 0), "empty")
            expect({VN}(normal({s + 4}, (2, 19), torch.{dt}), 2, 1), "tail")
            expect(normal({s + 4}, (), torch.{dt}).norm(2, 0), "zero_dim")""", maybe="there is one element")
        yield g.case(f"{dt}/dtype", "norm/S3", f"""
            x = normal({s + 5}, (3, 4), torch.{dt})
            expect({VN}(x, dtype=torch.float64), "float64")
            expect({VN}(x, 1, 1, dtype=torch.{dt}), "own")
            expect(torch.norm(x, dim=0, dtype=torch.float64), "norm")""")
        yield g.case(f"{dt}/out", "norm/S1 tensors/S8", f"""
            x = normal({s + 6}, (3, 4), torch.{dt})
            room = torch.zeros(8, dtype=torch.{dt})
            {VN}(x, 2, 0, out=room[::2])
            expect(room, "room")
            wide = torch.zeros(3, dtype=torch.float64)
            {VN}(x, 1, 1, dtype=torch.float64, out=wide)
            expect(wide, "wide")
            two = torch.zeros(3, dtype=torch.{dt})
            torch.norm(x, 2, 1, out=two)
            expect(two, "two")""")
        for name, p in POWERS:
            yield g.case(f"{dt}/special_p_{name}", "norm/S4", f"""
            x = torch.tensor([[torch.nan, 1.0, 2.0], [torch.inf, -1.0, 0.0], [-torch.inf, torch.nan, 2.0], [0.0, -0.0, 0.0],
                              [0.0, 3.0, -0.0]], dtype=torch.{dt})
            expect({VN}(x, {p}, 1), "rows")
            expect({VN}(x[3:], {p}, 0), "columns")""")
        yield from gradients(g, dt, s)
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/beyond_the_half", "norm/S3", f"""
            x = torch.full((40,), 300.0, dtype=torch.{dt})
            expect({VN}(x), "squares")
            expect({VN}(x / 64, 3), "cubes")
            expect({VN}(torch.ones(4096, dtype=torch.{dt})), "ones")
            expect({VN}(torch.ones(4096, dtype=torch.{dt}), 1), "sum")
            expect({VN}(x * 100, dtype=torch.float32), "as_float32")""")
    yield from refusals(g)


def gradients(g, dt, s):
    for name, p in POWERS:
        rule = "norm/G1" if p in ("0", "1", "2") else "norm/G4" if "inf" in p else "norm/G2"
        call = f"""
            x = uniform({s + 7}, (3, 4), torch.{dt}, low=0.5, high=2.0) * torch.where(bools({s + 8}, (3, 4)), 1, -1)
            x = x.detach().requires_grad_()
            {VN}(x, {p}, 1).backward(normal({s + 9}, (3,), torch.{dt}))"""
        if p == "0":
            yield g.case(f"{dt}/gradient_p_0", rule, call + """
            expect_equal(x.grad is None, True)""", trivial="there is no gradient")
            continue
        yield g.case(f"{dt}/gradient_p_{name}", rule, call + f"""
            expect(x.grad, "rows")
            y = uniform({s + 10}, (2, 3, 2), torch.{dt}, low=0.5, high=2.0).requires_grad_()
            {VN}(y, {p}, (0, 2), keepdim=True).backward(normal({s + 11}, (1, 3, 1), torch.{dt}))
            expect(y.grad, "list")
            z = uniform({s + 12}, (2, 3), torch.{dt}, low=0.5, high=2.0).requires_grad_()
            ({VN}(z, {p}) * 3).backward()
            expect(z.grad, "all")""")
        if p not in ("-1", "-torch.inf"):
            yield g.case(f"{dt}/gradient_zeros_p_{name}", rule + " norm/G3", f"""
            x = torch.tensor([[3.0, -4.0, 0.0], [0.0, -0.0, 0.0]], dtype=torch.{dt}).requires_grad_()
            {VN}(x, {p}, 1).backward(torch.tensor([2.0, 3.0], dtype=torch.{dt}))
            expect(x.grad, "rows")
            y = torch.zeros(3, dtype=torch.{dt}).requires_grad_()
            y.norm({p}).backward()
            expect(y.grad, "zeros")""")
    yield g.case(f"{dt}/gradient_ties", "norm/G4", f"""
            x = torch.tensor([[2.0, -2.0, 1.0], [1.0, 1.0, -1.0]], dtype=torch.{dt}).requires_grad_()
            {VN}(x, torch.inf, 1).backward(torch.tensor([6.0, 12.0], dtype=torch.{dt}))
            expect(x.grad, "largest")
            x.grad = None
            {VN}(x, -torch.inf).backward()
            expect(x.grad, "least")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "norm/G1", f"""
            x = normal({s + 13}, (3, 4), torch.{dt}).requires_grad_()
            (gx,) = autograd.grad((x.norm(dim=1) * {VN}(x * x, 1, 1)).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "once")
            expect(x.grad, "twice")""")


def refusals(g):
    for dt in (*g.INT, "bool", *g.FLOAT8):
        yield g.case(f"{dt}/refused", "norm/C1", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "norm/C1", {VN}, x)
            expect_error(NotImplementedError, "norm/C1", torch.norm, x, 1, 1)
            expect_error(NotImplementedError, "norm/C1", x.norm)""")
    yield g.case("float32/refused", "norm/C2 norm/C3 norm/C4 norm/C5 norm/C6 norm/C7", f"""
            x = normal(81, (2, 3))
            e = torch.zeros(2, 0, 3)
            expect_error(RuntimeError, "norm/C2", {VN}, x, dtype=torch.int64)
            expect_error(RuntimeError, "norm/C2", {VN}, x, dtype=torch.float16)
            expect_error(RuntimeError, "norm/C2", {VN}, x.to(torch.float64), dtype=torch.float32)
            expect_error(IndexError, "norm/C3", {VN}, x, 2, 2)
            expect_error(IndexError, "norm/C3", torch.norm, x, dim=(0, -3))
            expect_error(IndexError, "norm/C3", {VN}, x[0, 0], 2, 1)
            expect_error(RuntimeError, "norm/C4", {VN}, x, 2, (1, -1))
            expect_error(RuntimeError, "norm/C5", {VN}, e, torch.inf)
            expect_error(RuntimeError, "norm/C5", {VN}, e, -1, 1)
            expect_error(RuntimeError, "norm/C5", {VN}, e, -torch.inf, (0, 1))
            expect_error(RuntimeError, "norm/C6", {VN}, x, out=torch.zeros((), dtype=torch.float64))
            expect_error(RuntimeError, "norm/C6", {VN}, x, dtype=torch.float64, out=torch.zeros(()))
            expect_error(RuntimeError, "norm/C7", torch.norm, x, "foo")
            expect_error(TypeError, "errors/C2", {VN}, x, "fro")
            expect_error(RuntimeError, "autograd/C14", torch.norm, x.requires_grad_(), out=torch.zeros(()))""")
    yield g.case("float32/batched", "norm/S1 func/S1", f"""
            x = normal(85, (5, 3))
            def rows(t):
                return t.norm(keepdim=True)
            def whole(t):
                return t.norm()
            expect(func.vmap(rows)(x), "kept")
            expect(func.vmap(func.grad(whole))(x), "grad")""")
