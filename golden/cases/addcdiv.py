# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/addcdiv.md beyond the family's."""


def cases(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/values", "addcdiv/S1 addcdiv/S3", f"""
            x = normal(101, (5, 7), torch.{dt})
            y = uniform(102, (5, 7), torch.{dt}, low=0.5, high=3.0)
            expect(torch.addcdiv(x, y, x, value=0.3), "third")
            expect(torch.addcdiv(x, x, y, value=-2), "minus")
            expect(torch.addcdiv(x, x, y, value=0), "none")
            expect(x.addcdiv_(x, y, value=0.5), "in_place")""", variants=False)
    for dt, good, bad in (("float32", 2.0 ** 100, 1e300), ("float16", 1024.0, 1e300), ("bfloat16", 2.0 ** 100, 1e300)):
        yield g.case(f"{dt}/value_too_large", "addcdiv/C2", f"""
            x = uniform(103, (2, 3), torch.{dt}, low=0.5, high=3.0)
            expect(torch.addcdiv(x, x, x[:1], value={good}), "fits")
            expect_error(RuntimeError, "addcdiv/C2", torch.addcdiv, x, x, x, value={bad})""")
    for dt in (*g.INT, "bool"):
        whole = f"integers(104, (2, 3), torch.{dt}, low=1, high=3)" if dt != "bool" else "torch.ones(2, 3, dtype=torch.bool)"
        yield g.case(f"{dt}/integers", "addcdiv/C3 addcdiv/S2", f"""
            x = {whole}
            y = uniform(105, (2, 3), torch.float32, low=0.5, high=3.0)
            expect_error(RuntimeError, "addcdiv/C3", torch.addcdiv, y, x, x)
            expect_error(RuntimeError, "addcdiv/C3", torch.addcdiv, x, x, x)
            expect(torch.addcdiv(x, x, y), "divisor")
            expect(torch.addcdiv(x, y, x), "dividend")""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "addcdiv/C4", f"""
            x = normal(106, (2, 3), torch.{dt})
            expect_error(NotImplementedError, "addcdiv/C4", torch.addcdiv, x, x, x)""")
