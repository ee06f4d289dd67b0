# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/sigmoid.md beyond the family's."""

from calls import Arg, Call

CALLS = [
    Call("sigmoid", "torch.sigmoid({x})", {"x": Arg("… N")}, floats=True, reaches=("sigmoid_backward",)),
]


def cases(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient_third", "sigmoid/G1 sigmoid/G2 sigmoid/S4", f"""
            x = normal(94, (7,), torch.{dt}).requires_grad_()
            (a,) = autograd.grad(torch.sigmoid(x).sum(), (x,), create_graph=True)
            (b,) = autograd.grad(a.sum(), (x,), create_graph=True)
            b.sum().backward()
            expect(a, "first")
            expect(b, "second")
            expect(x.grad, "third")""")
        yield g.case(f"{dt}/gradient_saturated", "sigmoid/G1 sigmoid/S4", f"""
            x = uniform(95, (11,), torch.{dt}, low=-9.0, high=9.0).requires_grad_()
            torch.sigmoid(x).sum().backward()
            expect(x.grad, "x")""")
    yield g.case("float32/functional", "sigmoid/S1", """
            x = normal(96, (7,), torch.float32)
            expect(F.sigmoid(x), "y")
            expect(torch.special.expit(x), "z")""")
