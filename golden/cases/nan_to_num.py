# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/nan_to_num.md beyond the family's."""


def cases(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/numbers", "nan_to_num/S1 nan_to_num/S2", f"""
            x = normal(191, (5, 7), torch.{dt}, mix="special")
            expect(torch.nan_to_num(x, 1.5), "nan")
            expect(torch.nan_to_num(x, nan=torch.nan, posinf=0.1), "posinf")
            expect(torch.nan_to_num(x, neginf=-1e39), "neginf")
            expect(x.nan_to_num_(-1.0, 2.0, 3.0), "in_place")
            y = torch.tensor([torch.nan, torch.inf, -torch.inf, -0.0], dtype=torch.{dt})
            expect(torch.nan_to_num(y), "plain")
            expect(torch.nan_to_num(y, 1e39, 1e39, -1e39), "large")""")
        yield g.case(f"{dt}/gradient_special", "nan_to_num/G1", f"""
            x = torch.tensor([torch.nan, torch.inf, -torch.inf, 2.0, -0.0], dtype=torch.{dt}).requires_grad_()
            torch.nan_to_num(x, 7.0).backward(torch.tensor([1.0, -2.0, 3.0, torch.inf, 5.0], dtype=torch.{dt}))
            expect(x.grad, "x")""")
    for dt in (*g.INT, "bool"):
        yield g.case(f"{dt}/stays", "nan_to_num/S3", f"""
            x = {"bools(192, (2, 3))" if dt == "bool" else f"integers(192, (2, 3), torch.{dt})"}
            expect(torch.nan_to_num(x, nan=3.0, posinf=1.0), "y")""", trivial="nothing is replaced")
