# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/var.md."""

from calls import Arg, Call

CALLS = [
    Call(fn, f"torch.{fn}({{x}}{where}{also}correction={{correction}}{keep})", {"x": Arg(shape)}, name,
         choices={"correction": ("1", "0")}, results=("",) if fn in ("var", "std") else ("[0]", "[1]"),
         along=("N",) if name in ("all", "kept", "two") else ("N", "B"), over=("B", "C") if name == "two" else ("N",),
         without=("huge", "near", "edges", "subnormal") + (() if name == "all" else ("pairs",)), mix="nan")
    for fn in ("var", "std", "var_mean", "std_mean")
    for name, shape, where, also, keep in (
        ("all", "… N", "", ", ", ""), ("last", "… B N", ", dim=-1", ", ", ""), ("first", "N B", ", dim=0", ", ", ""),
        ("middle", "B N C", ", dim=1", ", ", ""), ("two", "B N C", ", dim=(0, 2)", ", ", ""),
        ("kept", "B N", ", dim=1", ", ", ", keepdim=True"))
    if fn in ("var", "std") or name in ("all", "last", "two")
]


def cases(g):
    for n, dt in enumerate(g.FLOAT):
        for fn in ("var", "std"):
            yield from single(g, dt, fn, 20 * n)
            yield from gradients(g, dt, fn, 20 * n)
        for fn in ("var_mean", "std_mean"):
            yield from double(g, dt, fn, 20 * n)
        yield from special(g, dt)
    yield from refusals(g)


def single(g, dt, fn, s):
    yield g.case(f"{dt}/{fn}", "var/S1 var/S2", f"""
            x = normal({s + 1}, (3, 4, 5), torch.{dt})
            expect(torch.{fn}(x), "all")
            expect(x.{fn}(0), "first")
            expect(x.{fn}(dim=-1), "last")
            expect(torch.{fn}(x, (0, 2)), "list")
            expect(x.{fn}([]), "empty_list")
            expect(x.{fn}(None), "none")
            expect(x.permute(2, 0, 1).{fn}(1), "permuted")
            expect(x[:, 1:, ::2].{fn}((1, 2)), "steps")""")
    yield g.case(f"{dt}/{fn}_correction", "var/S1 var/S3", f"""
            x = normal({s + 2}, (3, 6), torch.{dt})
            expect(torch.{fn}(x, correction=0), "none")
            expect(x.{fn}(1, correction=2), "two")
            expect(x.{fn}(1, correction=1.5), "half")
            expect(x.{fn}(dim=(0, 1), correction=-3), "negative")
            expect(x.{fn}(1, correction=None), "default")
            expect(x.{fn}(False), "unbiased_alone")
            expect(x.{fn}(unbiased=True), "by_name")
            expect(x.{fn}(1, False), "by_position")
            expect(torch.{fn}(x, 0, False, True), "with_keepdim")
            expect(torch.{fn}(x, dim=1, unbiased=True, keepdim=True), "all_by_name")
            expect(x.{fn}(None, unbiased=False), "no_dim")""")
    yield g.case(f"{dt}/{fn}_keepdim", "var/S7", f"""
            x = normal({s + 3}, (2, 3, 4), torch.{dt})
            expect(torch.{fn}(x, 1, keepdim=True), "one")
            expect(x.{fn}(keepdim=True), "all")
            expect(x.{fn}((2, 0), keepdim=True), "list")
            expect(x.transpose(0, 2).{fn}(1), "turned")""")
    yield g.case(f"{dt}/{fn}_shapes", "var/S1 var/S4 tensors/S10", f"""
            s = normal({s + 4}, (), torch.{dt})
            expect(s.{fn}(), "zero_dim")
            expect(s.{fn}(0), "zero_dim_0")
            expect(s.{fn}(correction=0), "zero_dim_population")
            x = normal({s + 4}, (2, 0, 3), torch.{dt})
            expect(x.{fn}(), "nothing")
            expect(x.{fn}(1), "of_nothing")
            expect(x.{fn}(1, correction=-1), "of_nothing_and_one")
            expect(x.{fn}(0), "empty")
            y = normal({s + 5}, (3, 4), torch.{dt})
            expect(y.{fn}(1, correction=4), "divisor_0")
            expect(y.{fn}(0, correction=5), "divisor_below")
            expect((y * 0 + 2).{fn}(1, correction=4), "equal")
            expect((y * 0 + 2).{fn}(1), "equal_elements")
            expect(normal({s + 6}, (2, 19), torch.{dt}).{fn}(1), "tail")""")
    yield g.case(f"{dt}/{fn}_out", "var/S8 tensors/S8", f"""
            x = normal({s + 7}, (3, 4), torch.{dt})
            room = torch.zeros(8, dtype=torch.{dt})
            torch.{fn}(x, 0, out=room[::2])
            expect(room, "room")
            wide = torch.zeros(3, dtype=torch.float64)
            torch.{fn}(x, 1, correction=0, out=wide)
            expect(wide, "wide")
            own = torch.zeros(3, 1, dtype=torch.{dt})
            torch.{fn}(x, 1, False, True, out=own)
            expect(own, "own")
            expect_error(RuntimeError, "promotion/C1", torch.{fn}, x, 1, out=torch.zeros(3, dtype=torch.int64))""")
    yield g.case(f"{dt}/{fn}_far_from_zero", "var/S5", f"""
            x = normal({s + 8}, (4, 50), torch.{dt}) + {300 if dt in ("float16", "bfloat16") else 10000}
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")
            expect(x.{fn}(), "all")""")


def double(g, dt, fn, s):
    yield g.case(f"{dt}/{fn}", "var/S1 var/S2 var/S3 var/S7", f"""
            x = normal({s + 11}, (3, 4, 5), torch.{dt})
            v, m = torch.{fn}(x)
            expect(v, "spread")
            expect(m, "mean")
            v, m = torch.{fn}(x, 1)
            expect(v, "spread1")
            expect(m, "mean1")
            v, m = torch.{fn}(x.permute(2, 0, 1), (0, -1), correction=0, keepdim=True)
            expect(v, "spread2")
            expect(m, "mean2")
            v, m = torch.{fn}(x, False)
            expect(v, "spread3")
            v, m = torch.{fn}(x, 2, False, True)
            expect(v, "spread4")
            expect(m, "mean4")
            v, m = torch.{fn}(x, ())
            expect(m, "mean5")""")
    yield g.case(f"{dt}/{fn}_shapes", "var/S4 tensors/S10", f"""
            v, m = torch.{fn}(normal({s + 12}, (), torch.{dt}))
            expect(v, "spread")
            expect(m, "mean")
            v, m = torch.{fn}(normal({s + 12}, (0, 3), torch.{dt}), 1)
            expect(v, "empty")
            v, m = torch.{fn}(normal({s + 12}, (0, 3), torch.{dt}), 0)
            expect(v, "of_nothing")
            expect(m, "mean_of_nothing")""", trivial=None)
    yield g.case(f"{dt}/{fn}_gradient", "var/G1 var/G2 var/G3", f"""
            x = normal({s + 13}, (3, 4), torch.{dt}).requires_grad_()
            v, m = torch.{fn}(x, 1)
            (v * normal({s + 14}, (3,), torch.{dt}) + m * normal({s + 15}, (3,), torch.{dt})).sum().backward()
            expect(x.grad, "both")
            x.grad = None
            torch.{fn}(x, correction=0)[1].backward()
            expect(x.grad, "mean")
            x.grad = None
            torch.{fn}(x, 0, keepdim=True)[0].backward(normal({s + 16}, (1, 4), torch.{dt}))
            expect(x.grad, "spread")""")


def gradients(g, dt, fn, s):
    rule = "var/G1" if fn == "var" else "var/G1 var/G2"
    yield g.case(f"{dt}/{fn}_gradient", rule, f"""
            x = normal({s + 21}, (3, 4), torch.{dt}).requires_grad_()
            (x.{fn}() * 8 + (x.{fn}(0) * normal({s + 22}, (4,), torch.{dt})).sum()).backward()
            expect(x.grad, "x")
            y = normal({s + 23}, (2, 3, 4), torch.{dt}).requires_grad_()
            y.{fn}((0, -1), correction=0).backward(normal({s + 24}, (3,), torch.{dt}))
            expect(y.grad, "list")
            z = normal({s + 25}, (4, 3), torch.{dt}).requires_grad_()
            z.t().{fn}(1, keepdim=True).backward(normal({s + 26}, (3, 1), torch.{dt}))
            expect(z.grad, "kept")""")
    yield g.case(f"{dt}/{fn}_gradient_edges", rule, f"""
            x = torch.tensor([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]], dtype=torch.{dt}).requires_grad_()
            x.{fn}(1).backward(torch.tensor([2.0, 3.0], dtype=torch.{dt}))
            expect(x.grad, "equal_elements")
            x.grad = None
            x.{fn}(correction=6).backward()
            expect(x.grad, "divisor_0")
            x.grad = None
            x.{fn}(1, correction=4).backward(torch.tensor([2.0, 3.0], dtype=torch.{dt}))
            expect(x.grad, "divisor_below")
            x.grad = None
            x.{fn}([], correction=0).backward()
            expect(x.grad, "empty_list")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/{fn}_gradient_twice", rule, f"""
            x = normal({s + 27}, (3, 4), torch.{dt}).requires_grad_()
            (gx,) = autograd.grad((x.{fn}(1) * (x * x).{fn}(1)).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "once")
            expect(x.grad, "twice")""")


def special(g, dt):
    for mix in ("nan", "inf", "zero", "subnormal"):
        yield g.case(f"{dt}/{mix}", "var/S6" if mix in ("nan", "inf") else "var/S1", f"""
            x = normal(71, (6, 4), torch.{dt}, mix="{mix}")
            expect(x.var(1), "var")
            expect(x.std(0), "std")
            expect(x.std(), "all")""")
    yield g.case(f"{dt}/infinities", "var/S6", f"""
            x = torch.tensor([[1.0, torch.inf, 2.0], [-torch.inf, torch.inf, 1.0], [torch.nan, 1.0, 2.0], [1.0, 2.0, 4.0]],
                             dtype=torch.{dt})
            expect(x.var(1), "var")
            expect(x.std(0), "std")
            v, m = torch.var_mean(x[2:], 1)
            expect(v, "spread")
            expect(m, "mean")""")


def refusals(g):
    for fn in ("var", "std", "var_mean", "std_mean"):
        yield g.case(f"float32/{fn}_refused", "var/C1 var/C2 errors/C2", f"""
            x = normal(81, (2, 3))
            expect_error(IndexError, "var/C1", torch.{fn}, x, 2)
            expect_error(IndexError, "var/C1", torch.{fn}, x, (0, -3), correction=0)
            expect_error(IndexError, "var/C1", torch.{fn}, x[0, 0], 1)
            expect_error(RuntimeError, "var/C2", torch.{fn}, x, (0, 0))
            expect_error(RuntimeError, "var/C2", torch.{fn}, x, (1, -1), False)
            expect_error(TypeError, "errors/C2", torch.{fn}, x, 0, unbiased=True, correction=0)
            expect_error(TypeError, "errors/C2", torch.{fn}, x, correction="1")""")
        for dt in (*g.INT, "bool"):
            yield g.case(f"{dt}/{fn}_refused", "var/C3", f"""
            x = torch.ones(2, 3, dtype=torch.{dt})
            expect_error(NotImplementedError, "var/C3", torch.{fn}, x)
            expect_error(NotImplementedError, "var/C3", torch.{fn}, x, 0)
            expect_error(NotImplementedError, "var/C3", torch.{fn}, x[:0], 1)""")
        for dt in g.FLOAT8:
            yield g.case(f"{dt}/{fn}_refused", "var/C4", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "var/C4", torch.{fn}, x, 0)""")
    yield g.case("float32/batched", "var/S1 func/S1", """
            x = normal(85, (3, 2, 4))
            def rows(t):
                return t.var(1)
            def whole(t):
                return t.std(False)
            def both(t):
                v, m = torch.var_mean(t, 0)
                return v, m
            expect(func.vmap(rows)(x), "rows")
            expect(func.vmap(whole)(x), "whole")
            v, m = func.vmap(both)(x)
            expect(v, "both")
            expect(m, "mean")
            expect(func.vmap(func.grad(whole))(x), "grad")""")
