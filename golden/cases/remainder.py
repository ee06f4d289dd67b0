# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/remainder.md beyond the family's."""

from dataclasses import replace

from calls import binary, op_table

# Without extremes, whose quotients a dtype cannot hold; and by one special number 2.15.0's vectors give something else
# than its single elements.
WITHOUT = ("extreme", "zeros")


def calls_of(op):
    mix = "inf" if op == "remainder" else ""  # the largest and the smallest number add up to too much
    for call in binary(op_table()[op], f"torch.{op}", second="nonzero", smooth=False, without=WITHOUT, mix=mix):
        yield replace(call, without=(*WITHOUT, "special")) if call.title.endswith("_scalar") else call


CALLS = [call for op in ("remainder", "fmod") for call in calls_of(op)]


def cases(g):
    for op in ("remainder", "fmod"):
        for dt in g.FLOAT:
            yield g.case(f"{dt}/{op}_by_infinity", "remainder/S3", f"""
                x = torch.tensor([torch.inf, -torch.inf, torch.nan, 3.0, -3.0, 0.0, -0.0, 3.0, -3.0, 1.5], dtype=torch.{dt})
                y = torch.tensor([2.0, 2.0, 2.0, torch.inf, torch.inf, 2.0, 2.0, 0.0, -0.0, torch.nan], dtype=torch.{dt})
                expect(torch.{op}(x, y), "y")
                expect(torch.{op}(x, -y), "z")""")
        for dt in g.INT:
            yield g.case(f"{dt}/{op}_zero_divisor", "remainder/C3", f"""
                x = integers(91, (2, 3), torch.{dt})
                y = torch.ones(2, 3, dtype=torch.{dt})
                y[1, 2] = 0
                expect_error(RuntimeError, "remainder/C3", torch.{op}, x, y)
                expect_error(RuntimeError, "remainder/C3", torch.{op}, x, 0)
                expect(torch.{op}(x[:0], y[:0]), "empty")""")
        for dt in ("int8", "int16"):
            yield g.case(f"{dt}/{op}_smallest_by_minus_one", "remainder/S4", f"""
                x = torch.tensor([{-128 if dt == "int8" else -32768}, 5, -7], dtype=torch.{dt})
                expect_equal(torch.{op}(x, -1), [0, 0, 0])
                expect(torch.{op}(x, 3), "three")
                expect(torch.{op}(x, -3), "minus_three")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/of_a_number", "remainder/C4 remainder/S2", f"""
            y = uniform(92, (2, 3), torch.{dt}, low=0.5, high=3.0).requires_grad_()
            z = torch.remainder(5, y)
            expect(z, "z")
            expect_error(RuntimeError, "remainder/C4", z.sum().backward)""")
