# SPDX-License-Identifier: Apache-2.0
"""softmax, log_softmax (O-06)."""

from calls import Arg, Call

CALLS = [
    Call(f"_{op}", f"torch.{op}({{x}}, dim={dim})", {"x": Arg(shape)}, name, along=("N", "B"), over=("N",),
         tiny={"float32": (-110.0, 0.0), "bfloat16": (-95.0, 0.0), "float16": (-18.0, 0.0)},
         reaches=(f"_{op}_backward_data",),
         # A sum of float16 gradients over more than these lies beyond twice the deviation in 2.15.0.
         most={"float16": 17} if name == "middle" and op == "softmax" else {})
    for op in ("softmax", "log_softmax")
    for name, shape, dim in (("last", "… B N", -1), ("first", "N B", 0), ("middle", "B N C", 1))
]

OPS = (("softmax", "S1"), ("log_softmax", "S2"))


def cases(g):
    for op, rule in OPS:
        for dt in g.FLOAT:
            yield from values(g, op, rule, dt)
            yield from gradients(g, op, rule, dt)
        yield from dtypes(g, op, rule)
        yield from refusals(g, op)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/softmax_infinite_gradient_of_zero", "softmax/G1", f"""
            x = torch.tensor([[0.0, -float("inf"), 1.0], [2.0, 0.5, -1.0]], dtype=torch.{dt}).requires_grad_()
            torch.softmax(x, dim=1).backward(
                torch.tensor([[1.0, float("inf"), -2.0], [3.0, 1.0, -1.0]], dtype=torch.{dt}))
            expect(x.grad, "x_grad")""", variants=False)
    yield from identities(g)
    yield from nothing(g)


def values(g, op, rule, dt):
    for what, shape, dim in (("last", (4, 5), 1), ("first", (4, 5), 0), ("negative", (3, 4), -2),
                             ("middle", (2, 3, 4), 1), ("vector", (7,), 0),
                             ("four", (2, 3, 2, 3), 1), ("one_element", (4, 1), 1)):
        trivial = {}
        if what == "one_element" and op == "log_softmax":
            trivial = {"trivial": "one element's log weight is 0"}
        yield g.case(f"{dt}/{op}_{what}", f"softmax/{rule} softmax/S5", f"""
            x = normal(11, {shape}, torch.{dt})
            expect(torch.{op}(x, dim={dim}), "y")""", **trivial)
    yield g.case(f"{dt}/{op}_long_row", f"softmax/{rule} softmax/S5", f"""
        x = normal(12, (2, 600), torch.{dt})
        expect(torch.{op}(x, dim=1)[:, ::50], "some")""")
    yield g.case(f"{dt}/{op}_method", f"softmax/{rule}", f"""
        x = normal(13, (3, 4), torch.{dt})
        expect(x.{op}(-1), "y")
        expect(F.{op}(x, dim=0), "f")""")
    large = {"float64": 1e30, "float32": 1e30, "bfloat16": 1e30, "float16": 60000.0}[dt]
    yield g.case(f"{dt}/{op}_large_magnitude", f"softmax/S3 softmax/{rule}", f"""
        x = torch.tensor([[1000.0, 1001.0, 999.0], [-1000.0, -1001.0, -1002.0], [{large}, 0.0, -{large}],
                          [-{large}, -{large}, -{large}]], dtype=torch.{dt})
        expect(torch.{op}(x, dim=1), "y")""")
    yield g.case(f"{dt}/{op}_all_equal", f"softmax/S3", f"""
        expect(torch.{op}(torch.full((2, 3), 5.0, dtype=torch.{dt}), dim=1), "three")
        expect(torch.{op}(torch.zeros(4, 7, dtype=torch.{dt}), dim=0), "four")""")
    yield g.case(f"{dt}/{op}_infinities", "softmax/S4", f"""
        i = float("inf")
        x = torch.tensor([[-i, -i, -i], [-i, 0.0, 1.0], [i, 0.0, 1.0], [i, i, -i], [0.0, 1.0, 2.0]],
                         dtype=torch.{dt})
        expect(torch.{op}(x, dim=1), "rows")
        expect(torch.{op}(x.t(), dim=0), "columns")""")
    yield g.case(f"{dt}/{op}_nan_row", "softmax/S4", f"""
        x = normal(14, (4, 5), torch.{dt}) + 0
        x[1, 3] = float("nan")
        x[2, 0] = float("nan")
        expect(torch.{op}(x, dim=1), "rows")
        expect(torch.{op}(x, dim=0), "columns")""")
    yield g.case(f"{dt}/{op}_special", "softmax/S4 softmax/S3", f"""
        x = normal(15, (6, 4), torch.{dt}, mix="inf")
        expect(torch.{op}(x, dim=1), "inf")
        z = normal(16, (6, 4), torch.{dt}, mix="subnormal")
        expect(torch.{op}(z, dim=0), "subnormal")""")
    yield g.case(f"{dt}/{op}_no_dims", "softmax/S7", f"""
        x = normal(17, (), torch.{dt})
        expect(torch.{op}(x, dim=0), "zero")
        expect(torch.{op}(x, dim=-1), "minus_one")""",
                 **({"trivial": "one element's log weight is 0"} if op == "log_softmax" else {}))
    yield g.case(f"{dt}/{op}_empty", "softmax/S7", f"""
        expect(torch.{op}(normal(1, (0, 3), torch.{dt}), dim=0), "along")
        expect(torch.{op}(normal(1, (0, 3), torch.{dt}), dim=1), "across")
        expect(torch.{op}(normal(1, (3, 0), torch.{dt}), dim=1), "rows")""")
    yield g.case(f"{dt}/{op}_permuted", "softmax/S8", f"""
        x = normal(18, (2, 3, 4), torch.{dt})
        y = torch.{op}(x.permute(2, 0, 1), dim=0)
        expect(y, "y")
        expect_strides(y, (6, 3, 1))
        expect(torch.{op}(x[:, ::2, 1:3], dim=1), "sliced")
        expect(torch.{op}(x[:, :1].expand(2, 3, 4), dim=2), "expanded")""")
    yield g.case(f"{dt}/{op}_out", f"softmax/S8 softmax/{rule}", f"""
        x = normal(19, (3, 4), torch.{dt})
        room = torch.zeros(3, 8, dtype=torch.{dt})
        torch.{op}(x, 1, out=room[:, ::2])
        expect(room, "room")""")


def dtypes(g, op, rule):
    for dt in g.INT + ("bool",) + g.FLOAT8:
        source = "bools(21, (3, 4))" if dt == "bool" else \
            f"integers(21, (3, 4), torch.{dt}, 0, 8)"
        for to in ("float32", "float64", "bfloat16"):
            yield g.case(f"{dt}/{op}_to_{to}", "softmax/S6", f"""
                x = {source}
                expect(torch.{op}(x, dim=1, dtype=torch.{to}), "y")""")
        yield g.case(f"{dt}/{op}_refused", "softmax/C2", f"""
            x = {source}
            expect_error(NotImplementedError, "softmax/C2", torch.{op}, x, dim=1)
            expect_error(NotImplementedError, "softmax/C2", torch.{op}, x.to(torch.float32), dim=1, dtype=torch.{dt})""")
    for dt in g.FLOAT:
        for to in g.FLOAT:
            if dt == to:
                continue
            yield g.case(f"{dt}/{op}_to_{to}", "softmax/S6", f"""
                x = normal(22, (3, 5), torch.{dt})
                expect(torch.{op}(x, dim=-1, dtype=torch.{to}), "y")""")
            if to in ("float32", "float64"):
                yield g.case(f"{dt}/{op}_to_{to}_backward", "softmax/G3", f"""
                    x = normal(23, (3, 5), torch.{dt}).requires_grad_()
                    y = torch.{op}(x, 1, dtype=torch.{to})
                    y.backward(normal(24, (3, 5), torch.{to}))
                    expect(x.grad, "x_grad")""")


def gradients(g, op, rule, dt):
    label = "softmax/G1" if op == "softmax" else "softmax/G2"
    for what, shape, dim in (("last", (3, 4), 1), ("first", (3, 4), 0), ("middle", (2, 3, 2), 1)):
        yield g.case(f"{dt}/{op}_backward_{what}", label, f"""
            x = normal(31, {shape}, torch.{dt}).requires_grad_()
            torch.{op}(x, dim={dim}).backward(normal(32, {shape}, torch.{dt}))
            expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/{op}_backward_masked", label, f"""
        x = torch.tensor([[0.0, 1.0, float("-inf")], [2.0, float("-inf"), float("-inf")]], dtype=torch.{dt})
        x.requires_grad_()
        torch.{op}(x, dim=1)[:, :1].sum().backward()
        expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/{op}_backward_no_dims", label, f"""
        x = normal(33, (), torch.{dt}).requires_grad_()
        torch.{op}(x, dim=0).backward()
        expect(x.grad, "x_grad")""", trivial="the derivative of a constant")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/{op}_double_backward", label, f"""
            x = normal(34, (3, 4), torch.{dt}).requires_grad_()
            v = normal(35, (3, 4), torch.{dt}).requires_grad_()
            gx = autograd.grad(torch.{op}(x, dim=1), x, v, create_graph=True)[0]
            (gx * normal(36, (3, 4), torch.{dt})).sum().backward()
            expect(x.grad, "x_grad")
            expect(v.grad, "v_grad")""")
        yield g.case(f"{dt}/{op}_third_derivative", label, f"""
            x = normal(37, (4,), torch.{dt}).requires_grad_()
            y = torch.{op}(x, dim=0)
            g1 = autograd.grad(y[0], x, create_graph=True)[0]
            g2 = autograd.grad(g1[1], x, create_graph=True)[0]
            g2[2].backward()
            expect(x.grad, "x_grad")""")


def refusals(g, op):
    yield g.case(f"float32/{op}_dim_out_of_range", "softmax/C1", f"""
        x = normal(1, (2, 3))
        expect_error(IndexError, "softmax/C1", torch.{op}, x, dim=2)
        expect_error(IndexError, "softmax/C1", torch.{op}, x, dim=-3)
        expect_error(IndexError, "softmax/C1", torch.{op}, x[0, 0], dim=1)""")
    yield g.case(f"float16/{op}_half_to_float", "softmax/C3", f"""
        x = normal(1, (2, 3), torch.float16)
        expect_error(RuntimeError, "softmax/C3", torch._{op}, x, 1, True)""")
    yield g.case(f"float32/_{op}", "softmax/S1" if op == "softmax" else "softmax/S2", f"""
        x = normal(2, (2, 3))
        expect(torch._{op}(x, 1, False), "y")""")


def identities(g):
    yield g.case("float32/large_logits_gradient", "softmax/G2", """
        x = torch.tensor([[-431.0, 279.0, 427.0]]).requires_grad_()
        y = torch.log_softmax(x, dim=1)
        expect(y, "y")
        (-y[0, 0]).backward()
        expect(x.grad, "x_grad")""")
    yield g.case("float32/chosen_token", "softmax/S2", """
        x = normal(41, (4, 6))
        token = integers(42, (4,), torch.int64, 0, 6)
        expect(torch.log_softmax(x, -1).gather(-1, token.unsqueeze(-1)).squeeze(-1), "logp")""")
    yield g.case("float16/not_rounded_between", "softmax/S6", """
        x = normal(43, (2, 40), torch.float16)
        expect(torch.softmax(x, 1, dtype=torch.float32)[:, ::8], "some")""")


def nothing(g):
    """No element, no dtype that is refused."""
    for dt in (*g.INT, "bool", *g.FLOAT8):
        yield g.case(f"{dt}/of_nothing", "softmax/S7 softmax/C2", f"""
            x = torch.zeros(2, 0, dtype=torch.{dt})
            expect(torch.softmax(x, 0), "first")
            expect(torch.softmax(x, 1), "last")
            expect(torch.log_softmax(x, 1), "log")
            expect_error(IndexError, "softmax/C1", torch.softmax, x, 2)""")
