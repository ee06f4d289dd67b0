# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/cumsum.md beyond the family's."""


def cases(g):
    for dt in ("bfloat16", "float16"):
        yield g.case(f"{dt}/carried_wide", "cumsum/S4", f"""
            x = torch.ones(4100, dtype=torch.{dt})
            y = torch.cumsum(x, 0)
            expect(y[250:262], "where_bfloat16_ends")
            expect(y[4090:], "end")""")
