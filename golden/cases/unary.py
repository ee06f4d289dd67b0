# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/unary.md beyond the family's."""

from calls import Arg, Call

CALLS = [
    Call("tanh", "torch.tanh({x})", {"x": Arg("… N")}, floats=True, reaches=("tanh_backward",)),
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
