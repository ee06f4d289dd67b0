# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/unary.md beyond the family's."""

from calls import Arg, Call

CALLS = [
    Call("exp", "torch.exp({x})", {"x": Arg("… N")}, floats=True,
         tiny={"float64": (-744.0, -708.5), "float32": (-103.0, -87.5), "bfloat16": (-92.0, -87.5),
               "float16": (-16.5, -9.8)}),
    Call("reciprocal", "torch.reciprocal({x})", {"x": Arg("… N", "positive")}, floats=True,
         tiny={"float64": (4.6e307, 1.7e308), "float32": (8.6e37, 3.3e38), "bfloat16": (8.6e37, 3.3e38),
               "float16": (17000.0, 65000.0)}),
    Call("sqrt", "torch.sqrt({x})", {"x": Arg("… N", "positive")}, floats=True, smooth=False),
    Call("tanh", "torch.tanh({x})", {"x": Arg("… N")}, floats=True, reaches=("tanh_backward",),
         maybe="of a number so small it is the number itself"),
]


def cases(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/tanh_gradient_third", "unary/G5 unary/G7 unary/S9", f"""
            x = normal(94, (7,), torch.{dt}).requires_grad_()
            (a,) = autograd.grad(torch.tanh(x).sum(), (x,), create_graph=True)
            (b,) = autograd.grad(a.sum(), (x,), create_graph=True)
            b.sum().backward()
            expect(a, "first")
            expect(b, "second")
            expect(x.grad, "third")""")
        yield g.case(f"{dt}/tanh_gradient_saturated", "unary/G5 unary/S9", f"""
            x = uniform(95, (11,), torch.{dt}, low=0.5, high=3.0).requires_grad_()
            torch.tanh(x).sum().backward()
            expect(x.grad, "x")""")
    yield g.case("float64/sqrt_gradient_at_zero", "unary/G4", """
            x = torch.tensor([0.0, 4.0, 0.25], dtype=torch.float64).requires_grad_()
            torch.sqrt(x).sum().backward()
            expect(x.grad, "x")""")
