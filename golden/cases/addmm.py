# SPDX-License-Identifier: Apache-2.0
"""addmm, addmv, baddbmm, addbmm: a product added to a tensor (O-01, O-02)."""

from calls import NUMBER, Arg, Call
from inputs import small

SCALES = {"scales": ("", ", beta=2, alpha=3", ", beta=-1", ", alpha=-2")}
# op -> (self, the factors, the dims that climb, other sizes of self)
OPS = {
    "addmm": ("M N", "M K", "K N", ("K", "N", "M"), ("N",)),
    "addmv": ("M", "M K", "K", ("K", "M"), ("1",)),
    "baddbmm": ("B M N", "B M K", "B K N", ("B", "K", "N"), ("M 1",)),
    "addbmm": ("M N", "B M K", "B K N", ("B", "K", "N"), ("N",)),
}
CALLS = [
    Call(op, f"torch.{op}({{x}}, {{a}}, {{b}}{{scales}})", {"x": Arg(shape), "a": Arg(a), "b": Arg(b)}, name, dtypes=NUMBER,
         choices=SCALES, along=along, over=("K",), exact=True, forms=() if shape == x else ("functional", "out"))
    for op, (x, a, b, along, other) in OPS.items()
    for name, shape in (("", x), *((f"broadcast{n or ''}", o) for n, o in enumerate(other)))
]
# op -> sizes of self, of the factors, of the result
SHAPES = {
    "addmm": ((3, 4), (3, 5), (5, 4)), "addmv": ((3,), (3, 5), (5,)),
    "baddbmm": ((2, 3, 4), (2, 3, 5), (2, 5, 4)), "addbmm": ((3, 4), (2, 3, 5), (2, 5, 4)),
}
RULE = {"addmm": "addmm/S1", "addmv": "addmm/S2", "baddbmm": "addmm/S3", "addbmm": "addmm/S4"}
SELVES = {"addmm": ((4,), (1, 4), (3, 1), (1,), ()), "addmv": ((1,), ()), "baddbmm": ((4,), (3, 1), (2, 1, 1), ()),
          "addbmm": ((4,), (3, 1), ())}


def cases(g):
    for dt in g.NUMBER + g.FLOAT8:
        for op, (x, a, b) in SHAPES.items():
            if dt in g.FLOAT8 and op in ("addmv", "baddbmm"):
                continue
            given = f"""
                x = {small(dt, 1, x)}
                a = {small(dt, 2, a)}
                b = {small(dt, 3, b)}"""
            wide = "addmm/S6" if "float" in dt else "addmm/S7"
            yield g.case(f"{dt}/{op}", f"{RULE[op]} {wide}", f"""{given}
                expect(torch.{op}(x, a, b), "plain")
                expect(torch.{op}(x, a, b, beta=2, alpha=3), "scaled")
                expect(x.{op}(a, b, alpha=5), "method")""")
            yield g.case(f"{dt}/{op}_cut" if "int" in dt else f"{dt}/{op}_fractions", f"{RULE[op]} {wide}", f"""{given}
                expect(torch.{op}(x, a, b, beta=0.75, alpha=1.5), "fractions")
                expect(torch.{op}(x, a, b, beta={1.25 if dt == "uint8" else -1.25}, alpha=2.5), "negative")
                expect(torch.{op}(x, a, b, beta=0.1, alpha=0.3), "tenths")
                expect(torch.{op}(x, a, b, beta=True, alpha=False), "bools")""", variants=False)
    for dt in ("float32", "bfloat16", "int32"):
        yield from forms(g, dt)
    yield from sums(g)
    yield from refusals(g)
    yield from gradients(g)


def forms(g, dt):
    for op, (x, a, b) in SHAPES.items():
        given = f"""
            x = {small(dt, 11, x)}
            a = {small(dt, 12, a)}
            b = {small(dt, 13, b)}"""
        yield g.case(f"{dt}/{op}_in_place", f"addmm/S5 addmm/S11 {RULE[op]}", f"""{given}
            x = x.clone()
            y = x.{op}_(a, b, beta=3, alpha=2)
            expect_view_of(y, x)
            expect(x, "x")
            wide = torch.ones(2, *x.shape, dtype=torch.{dt})
            wide[1].{op}_(a, b)
            expect(wide, "part")""")
        yield g.case(f"{dt}/{op}_out", f"addmm/S11 {RULE[op]}", f"""{given}
            out = torch.zeros(*x.shape, 2, dtype=torch.{dt})
            torch.{op}(x, a, b, beta=3, out=out[..., 1])
            expect(out, "steps")
            small = torch.empty(0, dtype=torch.{dt})
            torch.{op}(x, a, b, out=small)
            expect(small, "resized")""")
        rows = "\n            ".join(
            f'expect(torch.{op}({small(dt, 21 + n, shape)}, a, b, beta=2), "self{n}")' for n, shape in enumerate(SELVES[op]))
        yield g.case(f"{dt}/{op}_self_expands", f"addmm/S5 {RULE[op]}", f"""{given}
            {rows}
            y = torch.{op}(x.transpose(0, -1).contiguous().transpose(0, -1), a, b)
            expect_equal(y.is_contiguous(), True)
            expect(y, "y")""", variants=False)
        nothing = f"""
            x = {small(dt, 31, x)}
            a = torch.zeros({a[:-1] + (0,)}, dtype=torch.{dt})
            b = torch.zeros({tuple(0 if n == len(b) - (1 if op == "addmv" else 2) else s for n, s in enumerate(b))}, dtype=torch.{dt})"""
        batches = f"""
            expect(torch.addbmm(x, a[:0], b[:0], beta=4), "no_batches")
            expect(torch.addbmm(x, a[:0], b[:0], beta=0), "no_batches_zero")""" if op == "addbmm" else ""
        yield g.case(f"{dt}/{op}_no_terms", f"addmm/S9 {RULE[op]}", f"""{nothing}
            expect(torch.{op}(x, a, b, beta=3), "self")
            expect(torch.{op}(x, a, b), "same")
            expect(torch.{op}(x, a, b, beta=0), "zero")
            expect(torch.{op}(x[:0] if x.dim() < 3 else x, a[:0] if x.dim() < 3 and a.dim() < 3 else a, b), "rows"){batches}"""
            .replace("x[:0] if x.dim() < 3 else x, a[:0] if x.dim() < 3 and a.dim() < 3 else a",
                     "x[:0], a[:0]" if op in ("addmm", "addmv") else "x, a"),
                     maybe="nothing is added")
    if dt == "int32":
        return
    for op, (x, a, b) in SHAPES.items():
        yield g.case(f"{dt}/{op}_beta_0", f"addmm/S8 {RULE[op]}", f"""
            x = torch.full({x}, float("nan"), dtype=torch.{dt})
            a = {small(dt, 12, a)}
            b = {small(dt, 13, b)}
            expect(torch.{op}(x, a, b, beta=0), "nan")
            expect(torch.{op}(x / 0, a, b, beta=0.0, alpha=2), "float")
            expect(torch.{op}(torch.full({x}, float("-inf"), dtype=torch.{dt}), a, b, beta=0), "inf")
            x.{op}_(a, b, beta=0)
            expect(x, "in_place")""", variants=("offset", "strided"))


def sums(g):
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/long_sum", "addmm/S6", f"""
            a = torch.ones(2, 1, 2000, dtype=torch.{dt})
            half = torch.full((1, 1), 0.5, dtype=torch.{dt})
            expect(torch.addmm(half, a[0], a[1].t()), "addmm")
            expect(torch.baddbmm(half, a, a.transpose(1, 2)), "baddbmm")
            expect(torch.addbmm(half, a, a.transpose(1, 2)), "addbmm")
            expect(torch.addmv(half[0], a[0], a[1, 0]), "addmv")
            u = uniform(71, (2, 1000), torch.{dt})
            expect(torch.addmm(u[:, :2], u, u.t()), "uniform")""", variants=False)
    yield g.case("float16/scales_beyond_the_dtype", "addmm/S6", """
        a = torch.full((1, 2, 2), 0.001, dtype=torch.float16)
        expect(torch.addmm(a[0], a[0], a[0], alpha=100000.0), "addmm")
        expect(torch.baddbmm(a, a, a, alpha=100000.0, beta=1000000), "baddbmm")
        expect(torch.addmm(a[0] * 60000, a[0] * 60000, a[0] * 60000, alpha=0.0001), "within")""", variants=False)
    for dt in g.FLOAT:
        rows = """
            a = torch.tensor([[nan_, 0.0], [inf_, 0.0], [1.0, 2.0], [inf_, -inf_]], dtype=torch.dt_)
            b = torch.tensor([[0.0, 1.0], [5.0, 1.0]], dtype=torch.dt_)
            x = torch.tensor([[1.0, nan_], [-inf_, 1.0], [inf_, 2.0], [0.0, inf_]], dtype=torch.dt_)
            expect(torch.addmm(x, a, b), "addmm")
            expect(torch.addmm(x, a, b, beta=-1, alpha=2), "scaled")
            expect(torch.addmv(x[:, 0], a, b[:, 1]), "addmv")
            expect(torch.baddbmm(x.unsqueeze(0), a.unsqueeze(0), b.unsqueeze(0)), "baddbmm")
            expect(torch.addbmm(x, a.expand(2, 4, 2), b.expand(2, 2, 2)), "addbmm")"""
        yield g.case(f"{dt}/nothing_skipped", "addmm/S10", rows.replace("nan_", 'float("nan")').replace("inf_", 'float("inf")')
                     .replace("dt_", dt))
    for dt in g.INT:
        yield g.case(f"{dt}/wraps", "addmm/S7", f"""
            a = integers(81, (4, 6), torch.{dt}, 0, 10, mix="extreme")
            b = integers(82, (6, 4), torch.{dt}, 0, 10, mix="extreme")
            x = integers(83, (4, 4), torch.{dt}, 0, 10, mix="extreme")
            expect(torch.addmm(x, a, b, beta=7, alpha=5), "addmm")
            expect(torch.addmv(x[0], a, b[:, 0], beta=7, alpha=5), "addmv")
            expect(torch.baddbmm(x, a.view(1, 4, 6), b.view(1, 6, 4), beta=7, alpha=5), "baddbmm")
            expect(torch.addbmm(x, a.expand(3, 4, 6), b.expand(3, 6, 4), beta=7, alpha=5), "addbmm")""", variants=False)
    yield g.case("int64/beyond_2_53", "addmm/S7", """
        a = torch.tensor([[9007199254740993, 1]])
        x = torch.tensor([[-9007199254740995]])
        expect(torch.addmm(x, a, torch.tensor([[3], [-7]]), beta=3, alpha=5), "addmm")
        expect(torch.addmv(x[0], a, torch.tensor([3, -7]), beta=3, alpha=5), "addmv")""")
    yield g.case("uint8/negative_scales", "addmm/S7", """
        a = torch.tensor([[3, 200]], dtype=torch.uint8)
        expect(torch.addmm(a[:, :1], a, a.t(), alpha=-1), "alpha")
        expect(torch.addmm(a[:, :1], a, a.t(), beta=-255, alpha=255.75), "both")""")


def refusals(g):
    yield g.case("float32/dims", "addmm/C1 addmm/C8", """
        x = normal(1, (2, 2, 2))
        m = x[0]
        expect_error(RuntimeError, "addmm/C1", torch.addmm, m, m[0], m)
        expect_error(RuntimeError, "addmm/C1", torch.addmm, m, m, x)
        expect_error(RuntimeError, "addmm/C1", torch.addmv, m[0], x, m[0])
        expect_error(RuntimeError, "addmm/C1", torch.addmv, m[0], m, m)
        expect_error(RuntimeError, "addmm/C1", torch.addbmm, m, x.view(2, 2, 2, 1), x)
        expect_error(RuntimeError, "addmm/C1", torch.baddbmm, x, x.view(2, 2, 2, 1), x)
        expect_error(IndexError, "addmm/C8", torch.baddbmm, x, x, m)
        expect_error(IndexError, "addmm/C8", torch.baddbmm, x, m[0], x)
        expect_error(IndexError, "addmm/C8", torch.addbmm, m, x, m)
        expect_error(IndexError, "addmm/C8", torch.addbmm, m, m[0], x)
        expect_error(RuntimeError, "addmm/C1", torch.addbmm, m, m, x)""")
    yield g.case("float32/sizes", "addmm/C2 addmm/C9", """
        x = normal(1, (2, 3, 3))
        a = normal(2, (2, 3, 4))
        expect_error(RuntimeError, "addmm/C2", torch.addmm, x[0], a[0], a[1])
        expect_error(RuntimeError, "addmm/C2", torch.addmv, x[0, 0], a[0], a[0, 0, :3])
        expect_error(RuntimeError, "addmm/C2", torch.addmv, x[0, 0], a[0], a[0, 0, :1])
        expect_error(RuntimeError, "addmm/C2", torch.baddbmm, x, a, a)
        expect_error(RuntimeError, "addmm/C2", torch.addbmm, x[0], a, a)
        expect_error(RuntimeError, "addmm/C9", torch.baddbmm, x, a, a[:1].transpose(1, 2))
        expect_error(RuntimeError, "addmm/C9", torch.addbmm, x[0], a, a[:1].transpose(1, 2))""")
    yield g.case("float32/dtypes", "addmm/C3", """
        x = normal(1, (1, 2, 2))
        m, v = x[0], x[0, 0]
        w = x.to(torch.float64)
        expect_error(RuntimeError, "addmm/C3", torch.addmm, w[0], m, m)
        expect_error(RuntimeError, "addmm/C3", torch.addmm, m, w[0], m)
        expect_error(RuntimeError, "addmm/C3", torch.addmm, m, m, w[0])
        expect_error(RuntimeError, "addmm/C3", torch.addmv, w[0, 0], m, v)
        expect_error(RuntimeError, "addmm/C3", torch.addmv, v, m, integers(2, (2,)))
        expect_error(RuntimeError, "addmm/C3", torch.baddbmm, w, x, x)
        expect_error(RuntimeError, "addmm/C3", torch.baddbmm, x, x, w)
        expect_error(RuntimeError, "addmm/C3", torch.addbmm, m, w, x)
        expect_error(RuntimeError, "addmm/C3", torch.addbmm, w[0], x, x)""")
    for dt in ("bool", *g.FLOAT8):
        part = "" if dt != "bool" else """
            expect_error(NotImplementedError, "addmm/C4", torch.addmm, x[0], x[0], x[0])
            expect_error(NotImplementedError, "addmm/C4", torch.addbmm, x[0], x, x)
            expect_error(RuntimeError, "addmm/C7", torch.addmm, x[0], x[0, :, :0], x[0, :0])
            expect_error(RuntimeError, "addmm/C7", torch.baddbmm, x, x[:, :, :0], x[:, :0])
            expect_error(RuntimeError, "addmm/C7", torch.addbmm, x[0], x[:0], x[:0])"""
        yield g.case(f"{dt}/refused", "addmm/C4 addmm/C7" if part else "addmm/C4", f"""
            x = {small(dt, 1, (2, 2, 2))}
            expect_error(NotImplementedError, "addmm/C4", torch.addmv, x[0, 0], x[0], x[0, 0])
            expect_error(NotImplementedError, "addmm/C4", torch.baddbmm, x, x, x){part}""")
        more = "" if dt == "bool" else """
            expect_error(NotImplementedError, "addmm/C4", torch.addmv, x[0, 0], x[0, :, :0], x[0, 0, :0])"""
        yield g.case(f"{dt}/of_nothing", "addmm/C4 addmm/S9", f"""
            x = {small(dt, 1, (2, 2, 2))}
            expect(torch.addmm(x[0, :, :0], x[0], x[0, :, :0]), "empty")
            expect(torch.addmm(x[0], x[0, :, :0], x[0, :0], beta=0), "zero")
            expect(torch.addmv(x[0, 0], x[0, :, :0], x[0, 0, :0], beta={1 if dt == "bool" else 0}), "addmv")
            expect(torch.baddbmm(x, x[:, :, :0], x[:, :0], beta={"True" if dt == "bool" else 2}), "baddbmm"){more}""", variants=False)
    yield g.case("float32/self_does_not_expand", "addmm/C5", """
        x = normal(1, (2, 3, 4))
        a, b = normal(2, (2, 3, 5)), normal(3, (2, 5, 4))
        expect_error(RuntimeError, "addmm/C5", torch.addmm, x[0, 0, :3], a[0], b[0])
        expect_error(RuntimeError, "addmm/C5", torch.addmm, x[:1], a[0], b[0])
        expect_error(RuntimeError, "addmm/C5", torch.addmm, x[0, :2], a[0], b[0])
        expect_error(RuntimeError, "addmm/C5", torch.addmv, x[0, 0], a[0], b[0, :, 0])
        expect_error(RuntimeError, "addmm/C5", torch.addmv, x[:1, :, 0], a[0], b[0, :, 0])
        expect_error(RuntimeError, "addmm/C5", torch.baddbmm, x[0, 0, :2], a, b)
        expect_error(RuntimeError, "addmm/C5", torch.baddbmm, x.unsqueeze(0), a, b)
        expect_error(RuntimeError, "addmm/C5", torch.addbmm, x, a, b)""".replace("a, b = normal(2, (2, 3, 5)), normal(3, (2, 5, 4))",
        "a = normal(2, (2, 3, 5))\n        b = normal(3, (2, 5, 4))"))
    yield g.case("float32/in_place_sizes", "tensors/C1", """
        a = normal(2, (2, 3, 3))
        expect_error(RuntimeError, "tensors/C1", torch.zeros(3).addmm_, a[0], a[1])
        expect_error(RuntimeError, "tensors/C1", torch.zeros(1, 3).addmm_, a[0], a[1])
        expect_error(RuntimeError, "tensors/C1", torch.zeros(1).addmv_, a[0], a[0, 0])
        expect_error(RuntimeError, "tensors/C1", torch.zeros(3, 3).baddbmm_, a, a)""")
    for dt, numbers in {"int8": ("300", "-129", "128.0", "-128.5", 'float("nan")', 'float("inf")'),
                        "uint8": ("256", "-256", "-255.5"), "float32": ("1e300", "-1e39"), "float16": ("1e39",),
                        "bfloat16": ("1e39",)}.items():
        rows = "\n            ".join(f"""expect_error(RuntimeError, "addmm/C6", torch.addmm, x[0], x[0], x[0], alpha={n})
            expect_error(RuntimeError, "addmm/C6", torch.addmv, x[0, 0], x[0], x[0, 0], beta={n})
            expect_error(RuntimeError, "addmm/C6", torch.baddbmm, x, x, x, alpha={n})
            expect_error(RuntimeError, "addmm/C6", torch.addbmm, x[0], x, x, beta={n})""" for n in numbers)
        yield g.case(f"{dt}/scales_refused", "addmm/C6", f"""
            x = {small(dt, 1, (2, 2, 2))}
            {rows}""")
    yield g.case("float16/addmv_scales_refused", "addmm/C6", """
        x = normal(1, (2, 2), torch.float16)
        expect_error(RuntimeError, "addmm/C6", torch.addmv, x[0], x, x[0], alpha=70000)
        expect_error(RuntimeError, "addmm/C6", torch.addmv, x[0], x, x[0], beta=-65505.0)""")
    yield g.case("int8/addmv_scale_of_nothing", "addmm/C6 addmm/S9", """
        x = integers(1, (2, 2), torch.int8, -9, 10)
        expect_error(RuntimeError, "addmm/C6", torch.addmv, x[0], x[:, :0], x[0, :0], beta=300)
        expect(torch.addmv(x[0], x[:, :0], x[0, :0], beta=2.5, alpha=300), "cut")
        expect(torch.addmm(x, x[:, :0], x[:0], beta=300), "wrapped")""", variants=False)
    yield g.case("int32/floating_beta_of_nothing", "addmm/C7", """
        x = integers(1, (2, 2, 2), torch.int32)
        expect_error(RuntimeError, "addmm/C7", torch.addmm, x[0], x[0, :, :0], x[0, :0], beta=0.5)
        expect_error(RuntimeError, "addmm/C7", torch.baddbmm, x, x[:, :, :0], x[:, :0], beta=2.0)
        expect_error(RuntimeError, "addmm/C7", torch.addbmm, x[0], x[:, :, :0], x[:, :0], beta=0.5)""")


def gradients(g):
    for dt in g.FLOAT:
        for n, (op, (x, a, b)) in enumerate(SHAPES.items()):
            small = SELVES[op][0]
            yield g.case(f"{dt}/{op}_backward", "addmm/G1 addmm/G2", f"""
                x = normal({10 * n + 1}, {small}, torch.{dt}).requires_grad_()
                a = normal({10 * n + 2}, {a}, torch.{dt}).requires_grad_()
                b = normal({10 * n + 3}, {b}, torch.{dt}).requires_grad_()
                y = torch.{op}(x, a, b, beta=3, alpha=-0.5)
                y.backward(normal({10 * n + 4}, y.shape, torch.{dt}))
                expect(x.grad, "x")
                expect(a.grad, "a")
                expect(b.grad, "b")""")
    for op, (x, a, b) in SHAPES.items():
        yield g.case(f"float64/{op}_double_backward", "addmm/G1 addmm/G2", f"""
            x = normal(1, {x}, torch.float64).requires_grad_()
            a = normal(2, {a}, torch.float64).requires_grad_()
            b = normal(3, {b}, torch.float64).requires_grad_()
            v = normal(4, {x}, torch.float64).requires_grad_()
            gx, ga, gb = autograd.grad(torch.{op}(x, a, b, beta=2, alpha=0.5), (x, a, b), v, create_graph=True)
            ((gx * gx).sum() + (ga * ga).sum() + (gb * ga.sum()).sum()).backward()
            expect(a.grad, "a")
            expect(b.grad, "b")
            expect(v.grad, "v")""")
        yield g.case(f"float32/{op}_in_place_backward", "addmm/G1 addmm/G2", f"""
            x = normal(1, {x}).requires_grad_()
            a = normal(2, {a}).requires_grad_()
            b = normal(3, {b}).requires_grad_()
            y = x.clone()
            y.{op}_(a, b, alpha=2)
            (y * normal(4, {x})).sum().backward()
            expect(x.grad, "x")
            expect(a.grad, "a")
            expect(b.grad, "b")""")
        yield g.case(f"float32/{op}_beta_0_backward", "addmm/G1", f"""
            x = torch.full({x}, float("nan")).requires_grad_()
            a = normal(2, {a}).requires_grad_()
            torch.{op}(x, a, normal(3, {b}), beta=0).backward(normal(4, {x}))
            expect(x.grad, "x")
            expect(a.grad, "a")""")
    yield g.case("float32/column_major_gradient", "addmm/G2", """
        a = normal(115, (4, 3)).t().requires_grad_()
        b = normal(116, (2, 4)).t().requires_grad_()
        x = normal(118, (2, 3)).t().requires_grad_()
        gx, ga, gb = autograd.grad(torch.addmm(x, a, b, alpha=2), (x, a, b), normal(117, (3, 2)))
        expect_strides(ga, (1, 3))
        expect_strides(gb, (1, 4))
        expect_equal(gx.stride(), "self")
        expect(gx, "gx")
        expect(ga, "ga")
        expect(gb, "gb")""", variants=False)
