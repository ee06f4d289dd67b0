# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/activations.md beyond the family's."""

from calls import Arg, Call

CALLS = [
    Call("silu", "F.silu({x})", {"x": Arg("… N")}, mix="nan", without=("huge",), reaches=("silu_backward",)),
    Call("leaky_relu", "F.leaky_relu({x}{slope})", {"x": Arg("… N")}, choices={"slope": ("", ", 0.25", ", -2")},
         reaches=("leaky_relu_backward",), maybe="what is above 0 stays"),
    Call("softplus", "F.softplus({x}{how})", {"x": Arg("… N")}, choices={"how": ("", ", 2", ", 0.5, 1")}, mix="nan",
         without=("subnormal",), reaches=("softplus_backward",)),
]
BOTH = {"silu": "F.silu(x)", "leaky_relu": "F.leaky_relu(x, 0.3)", "softplus": "F.softplus(x, 1.5, 2)"}
RULES = {"silu": ("S1", "G1"), "leaky_relu": ("S2", "G2"), "softplus": ("S3", "G3")}


def cases(g):
    for dt in g.FLOAT:
        for op, call in BOTH.items():
            value, gradient = (f"activations/{r}" for r in RULES[op])
            yield g.case(f"{dt}/{op}_far", f"{value} activations/S4 {gradient}", f"""
                x = uniform(11, (31,), torch.{dt}, low=-9.0, high=9.0).requires_grad_()
                y = {call}
                expect(y, "y")
                (y * normal(12, (31,), torch.{dt})).sum().backward()
                expect(x.grad, "x")""")
            yield g.case(f"{dt}/{op}_weighted_twice", gradient, f"""
                x = uniform(13, (11,), torch.{dt}, low=-3.0, high=3.0).requires_grad_()
                w = normal(14, (11,), torch.{dt}).requires_grad_()
                (gx,) = autograd.grad(({call} * w).sum(), (x,), create_graph=True)
                expect(gx, "gx")
                (gx * normal(15, (11,), torch.{dt})).sum().backward()
                expect(w.grad, "w")
                expect(x.grad, "x")""", maybe="leaky_relu's second derivative is 0")
        yield g.case(f"{dt}/arguments", "activations/S2 activations/S3 activations/S4", f"""
            x = normal(16, (13,), torch.{dt})
            expect(F.leaky_relu(x, 2), "two")
            expect(F.leaky_relu(x, negative_slope=-0.5), "negative")
            expect(F.leaky_relu(x, 0.1), "tenth")
            expect(F.leaky_relu(x, True), "true")
            expect(F.softplus(x, beta=2), "beta")
            expect(F.softplus(x, -1), "negative_beta")
            expect(F.softplus(x, 0.3, 0.1), "fractions")
            expect(F.softplus(x, threshold=-1), "line")""")
    for dt in ("float32", "bfloat16"):
        yield g.case(f"{dt}/edges", "activations/S1 activations/S2 activations/S3", f"""
            x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, 19.0, 20.0, 21.0, 50.0, -20.0], dtype=torch.{dt})
            expect(F.silu(x), "silu")
            expect(F.leaky_relu(x), "leaky")
            expect(F.softplus(x[[0, 1, 3, 4, 5, 6, 7, 8]]), "softplus")
            z = torch.tensor([0.0, -0.0], dtype=torch.{dt})
            expect(1 / F.silu(z), "silu_zeros")
            expect(1 / F.leaky_relu(z), "leaky_zeros")""".replace("x[[0, 1, 3, 4, 5, 6, 7, 8]]", "x[3:]"), variants=False)
    yield g.case("float32/softplus_out", "activations/S5", """
        out = torch.zeros(3, 8)
        F.softplus(normal(17, (3, 4)), out=out[:, ::2])
        expect(out, "out")""", variants=False)
    for dt, n in (("float32", "1e300"), ("float16", "1e300"), ("bfloat16", "-1e300")):
        yield g.case(f"{dt}/numbers_refused", "activations/C2", f"""
            x = normal(18, (3,), torch.{dt})
            expect_error(RuntimeError, "activations/C2", F.leaky_relu, x, {n})
            expect_error(RuntimeError, "activations/C2", F.softplus, x, {n})
            expect_error(RuntimeError, "activations/C2", F.softplus, x, 1, {n})""")
