# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/relu.md beyond the family's."""

from calls import Arg, Call

CALLS = [
    Call("relu", "torch.relu({x})", {"x": Arg("… N")}, exact=True, reaches=("threshold_backward",)),
]


def cases(g):
    yield from gradient_layouts(g)
    for dt in g.NUMBER:
        x = f"normal(1, (3, 4), torch.{dt})" if dt in g.FLOAT else \
            f"integers(1, (3, 4), torch.{dt}, low={0 if dt == 'uint8' else -100}, high=128)"
        numbers = range(0 if dt == "uint8" else -3, 4)
        yield g.case(f"{dt}/around_zero", "relu/S1" + ("" if dt in g.FLOAT else " relu/S3"), f"""
            x = torch.tensor({list(numbers)}, dtype=torch.{dt})
            expect_equal(torch.relu(x), {[max(0, n) for n in numbers]})""")
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


def gradient_layouts(g):
    """self laid out otherwise than the gradient that comes."""
    layouts = ("normal(1, (3, 4))", "normal(1, (4, 3)).t()", "normal(1, (6, 8))[::2, ::2]", "normal(1, (8, 6))[::2, ::2].t()")
    for k, call in enumerate(("torch.relu(x)", "torch.relu(x * 2)", "F.relu(x[:, 1:])")):
        asked = ""
        for n, x in enumerate(layouts):
            asked += f"""
            x = {x}.requires_grad_()
            y = {call}
            g0 = normal(9, y.shape)
            g1 = normal(8, (y.shape[1], y.shape[0])).t()
            expect_equal(autograd.grad(y, (x,), g0)[0].stride(), "plain{n}")
            y = {call}
            (gx,) = autograd.grad(y, (x,), g1)
            expect_equal(gx.stride(), "turned{n}")
            expect(gx, "grad{n}")"""
        yield g.case(f"float32/gradient_layout{k}", "relu/S6 relu/G1", asked, variants=False)
