# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/relu.md beyond the family's."""

from calls import Arg, Call

CALLS = [
    Call("relu", "torch.relu({x})", {"x": Arg("… N")}, exact=True, reaches=("threshold_backward",)),
]


def cases(g):
    for dt in g.NUMBER:
        x = f"normal(1, (3, 4), torch.{dt})" if dt in g.FLOAT else \
            f"integers(1, (3, 4), torch.{dt}, low={0 if dt == 'uint8' else -100}, high=128)"
        yield g.case(f"{dt}/functional", "relu/S1" + ("" if dt in g.FLOAT else " relu/S3"), f"""
            x = {x}
            expect(F.relu(x), "functional")
            F.relu_(x)
            expect(x, "in_place")""", trivial="nothing is below zero" if dt == "uint8" else None)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient_at_zero_and_nan", "relu/G1 relu/S4", f"""
            x = torch.tensor([-1.0, 0.0, 2.0, torch.nan], dtype=torch.{dt}).requires_grad_()
            torch.relu(x).backward(torch.tensor([torch.nan, 5.0, 6.0, 7.0], dtype=torch.{dt}))
            expect(x.grad, "x")""")
        yield g.case(f"{dt}/gradient_twice", "relu/G1 relu/G2", f"""
            x = normal(74, (3, 4), torch.{dt}).requires_grad_()
            (gx,) = autograd.grad((torch.relu(x) * x * x).sum(), (x,), create_graph=True)
            (gx * x).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
    yield g.case("float32/gradient_of_transposed", "relu/G1 relu/S5", """
            x = normal(4, (4, 3), torch.float32).requires_grad_()
            torch.relu(x.t()).backward(normal(5, (3, 4), torch.float32))
            expect(x.grad, "x")""")
