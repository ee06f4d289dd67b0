# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/abs.md beyond the family's."""

from calls import NUMBER, Arg, Call

# Without float8: there 2.15.0 keeps the sign of -0.0 in whole vectors and drops it in what is left.
CALLS = [
    Call("abs", "torch.abs({x})", {"x": Arg("… N")}, dtypes=NUMBER, exact=True),
]


def cases(g):
    yield g.case("float32/sgn_gradient_layout", "abs/G2", """
        x = normal(1, (4, 3)).t().requires_grad_()
        (gx,) = autograd.grad(torch.sgn(x), (x,), normal(2, (4, 3)).t())
        expect_strides(gx, (4, 1))
        expect(gx, "gx")
        (gx,) = autograd.grad(torch.sgn(x), (x,), normal(2, (3, 4)))
        expect_strides(gx, (4, 1))""", trivial="the gradient is zeros", variants=False)
