# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/unary.md."""


def made(dt, seed, shape="(3, 4)", mix=""):
    mix = f', mix="{mix}"' if mix else ""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if dt.startswith("float") or dt.startswith("bfloat"):
        return f"normal({seed}, {shape}, torch.{dt}{mix})"
    low, high = (0, 256) if dt == "uint8" else (-100, 128) if dt == "int8" else (-30000, 30000)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{mix})"


RULE = {"neg": "S1", "exp": "S2", "log": "S3", "sqrt": "S4", "tanh": "S5", "reciprocal": "S6"}
GRADIENT = {"neg": "G1", "exp": "G2", "log": "G3", "sqrt": "G4", "tanh": "G5", "reciprocal": "G6"}
REAL = ("exp", "log", "sqrt", "tanh", "reciprocal")


def domain(fn, dt, seed, shape="(3, 4)"):
    """Where the function is tame."""
    if fn in ("log", "sqrt", "reciprocal"):
        return f"uniform({seed}, {shape}, torch.{dt}, low=0.25, high=4.0)"
    return f"normal({seed}, {shape}, torch.{dt})"


def cases(g):
    for n, fn in enumerate(RULE):
        for dt in g.FLOAT:
            yield from floating(g, fn, dt, 20 * n)
        for dt in g.INT + (() if fn == "neg" else ("bool",)):
            yield from integers(g, fn, dt, 20 * n)
        if fn == "neg":
            continue
        yield g.case(f"int64/{fn}_in_place", "unary/S10 promotion/C1", f"""
            x = integers({n}, (2, 3))
            expect_error(RuntimeError, "promotion/C1", x.{fn}_)
            expect_error(RuntimeError, "promotion/C1", torch.{fn}, x,
                         out=torch.zeros(2, 3, dtype=torch.int64))""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/not_implemented", "unary/C2", f"""
            x = normal(1, (2, 3), torch.{dt})
            expect_error(NotImplementedError, "unary/C2", torch.neg, x)
            expect_error(NotImplementedError, "unary/C2", torch.exp, x)
            expect_error(NotImplementedError, "unary/C2", torch.log, x)
            expect_error(NotImplementedError, "unary/C2", torch.sqrt, x)
            expect_error(NotImplementedError, "unary/C2", torch.tanh, x)
            expect_error(NotImplementedError, "unary/C2", torch.reciprocal, x)""")
    yield g.case("bool/neg", "unary/C1", """
            x = bools(2, (2, 3))
            expect_error(NotImplementedError, "unary/C1", torch.neg, x)
            expect_error(NotImplementedError, "unary/C1", x.neg_)""")
    yield g.case("float32/channels_last_kept", "unary/S10", """
            x = normal(3, (2, 3, 4, 5), torch.float32).permute(0, 3, 1, 2)
            expect(-x, "neg")
            expect(x.exp(), "exp")
            expect(x[:, ::2].tanh(), "gaps")
            expect(x.permute(1, 0, 3, 2)[0:3].exp(), "order")""", variants=False)
    yield g.case("float32/expanded", "unary/S10", """
            x = normal(4, (3, 1), torch.float32).expand(3, 4)
            y = x.exp()
            expect(y, "y")
            expect_copy_of(y, x)""")
    for dt in ("int64", "uint8", "float32", "float16"):
        yield g.case(f"{dt}/neg_out_dtype", "unary/C3", f"""
            x = {made(dt, 5)}
            expect_error(RuntimeError, "unary/C3", torch.neg, x,
                         out=torch.zeros(3, 4, dtype=torch.float64))""")


def floating(g, fn, dt, seed):
    rule = f"unary/{RULE[fn]} unary/S8"
    yield g.case(f"{dt}/{fn}", rule, f"""
            x = {domain(fn, dt, seed + 1)}
            expect(torch.{fn}(x), "function")
            expect(x.{fn}(), "method")""")
    if fn in ("exp", "tanh", "neg"):
        yield g.case(f"{dt}/{fn}_spread", rule, f"""
            x = uniform({seed + 2}, (37,), torch.{dt}, low=-9.0, high=9.0)
            expect(torch.{fn}(x), "y")""")
    else:
        yield g.case(f"{dt}/{fn}_spread", rule, f"""
            x = uniform({seed + 2}, (37,), torch.{dt}, low=-1.0, high=60.0)
            expect(torch.{fn}(x), "y")""")
    for mix in ("nan", "inf", "zero", "subnormal"):
        if mix == "subnormal" and fn == "reciprocal":
            continue  # whether the result overflows is within its error
        yield g.case(f"{dt}/{fn}_{mix}", rule, f"""
            x = normal({seed + 3}, (5, 5), torch.{dt}, mix="{mix}")
            expect(torch.{fn}(x), "y")""")
    yield g.case(f"{dt}/{fn}_in_place", f"unary/{RULE[fn]} unary/S10", f"""
            x = {domain(fn, dt, seed + 4)}
            y = x[:, 1:3]
            z = y.{fn}_()
            expect_same(z, y)
            expect(x, "x")""")
    yield g.case(f"{dt}/{fn}_out", f"unary/{RULE[fn]} unary/S10", f"""
            x = {domain(fn, dt, seed + 5)}
            room = torch.zeros(4, 6, dtype=torch.{dt})
            out = room[:, ::2].t()
            torch.{fn}(x, out=out)
            expect(room, "room")""")
    yield g.case(f"{dt}/{fn}_shapes", f"unary/{RULE[fn]} tensors/S10", f"""
            expect(torch.{fn}({domain(fn, dt, seed + 6, "()")}), "zero_dim")
            expect(torch.{fn}({domain(fn, dt, seed + 7, "(0, 3)")}), "empty")
            expect(torch.{fn}({domain(fn, dt, seed + 8, "(19,)")}), "tail")""")
    yield g.case(f"{dt}/{fn}_gradient", f"unary/{GRADIENT[fn]}", f"""
            x = {domain(fn, dt, seed + 9)}.requires_grad_()
            torch.{fn}(x).backward(normal({seed + 10}, (3, 4), torch.{dt}))
            expect(x.grad, "x")""")
    twice = " unary/G7" if fn == "tanh" else ""
    yield g.case(f"{dt}/{fn}_gradient_twice", f"unary/{GRADIENT[fn]}{twice}", f"""
            x = {domain(fn, dt, seed + 11)}.requires_grad_()
            (gx,) = autograd.grad((torch.{fn}(x) * torch.{fn}(x) * x).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/{fn}_gradient_in_place", f"unary/{GRADIENT[fn]} unary/S10", f"""
            x = {domain(fn, dt, seed + 12)}.requires_grad_()
            z = x * 1
            z.{fn}_()
            z.backward(normal({seed + 13}, (3, 4), torch.{dt}))
            expect(x.grad, "x")""")
    if fn == "sqrt" and dt == "float64":
        yield g.case(f"{dt}/sqrt_gradient_at_zero", "unary/G4", f"""
            x = torch.tensor([0.0, 4.0, 0.25], dtype=torch.{dt}).requires_grad_()
            torch.sqrt(x).sum().backward()
            expect(x.grad, "x")""")
    if fn == "tanh":
        yield g.case(f"{dt}/tanh_gradient_third", "unary/G5 unary/G7 unary/S9", f"""
            x = normal({seed + 14}, (7,), torch.{dt}).requires_grad_()
            (a,) = autograd.grad(torch.tanh(x).sum(), (x,), create_graph=True)
            (b,) = autograd.grad(a.sum(), (x,), create_graph=True)
            b.sum().backward()
            expect(a, "first")
            expect(b, "second")
            expect(x.grad, "third")""")
        yield g.case(f"{dt}/tanh_gradient_saturated", "unary/G5 unary/S9", f"""
            x = uniform({seed + 15}, (11,), torch.{dt}, low=0.5, high=3.0).requires_grad_()
            torch.tanh(x).sum().backward()
            expect(x.grad, "x")""")


def integers(g, fn, dt, seed):
    what = "neg" if fn == "neg" else fn
    if fn == "neg":
        x = made(dt, seed + 1, "(3, 4)", "extreme")
    elif dt == "bool":
        x = made(dt, seed + 1)
    else:
        x = f"integers({seed + 1}, (3, 4), torch.{dt}, low=0, high=20)"
    yield g.case(f"{dt}/{what}", f"unary/{RULE[fn]}" + ("" if fn == "neg" else " unary/S7"), f"""
            x = {x}
            expect(torch.{fn}(x), "y")""")
    if fn != "neg":
        yield g.case(f"{dt}/{what}_out", "unary/S10 unary/S7", f"""
            x = {x}
            out = torch.zeros(3, 4, dtype=torch.float32)
            torch.{fn}(x, out=out)
            expect(out, "out")""")
    else:
        yield g.case(f"{dt}/neg_in_place", "unary/S1 unary/S10", f"""
            x = {x}
            x.neg_()
            expect(x, "x")""")
