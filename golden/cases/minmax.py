# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/minmax.md beyond the family's."""


def cases(g):
    for dt in g.FLOAT:
        for op, rule in (("maximum", "G2"), ("minimum", "G2"), ("fmax", "G3"), ("fmin", "G3")):
            yield g.case(f"{dt}/{op}_gradient_ties_and_nan", f"minmax/G1 minmax/{rule}", f"""
            x = torch.tensor([1.0, torch.nan, 3.0, 2.0, torch.nan, 5.0], dtype=torch.{dt}).requires_grad_()
            y = torch.tensor([1.0, 2.0, torch.nan, 4.0, torch.nan, 1.0], dtype=torch.{dt}).requires_grad_()
            torch.{op}(x, y).backward(torch.tensor([2.0, 3.0, 5.0, 7.0, 11.0, 13.0], dtype=torch.{dt}))
            expect(x.grad, "x")
            expect(y.grad, "y")""")
