# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/lerp.md beyond the family's."""


def cases(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/weights", "lerp/S1 lerp/S2", f"""
            x = normal(101, (5, 7), torch.{dt})
            y = normal(102, (5, 7), torch.{dt})
            expect(torch.lerp(x, y, 0.3), "near")
            expect(torch.lerp(x, y, 0.7), "far")
            expect(torch.lerp(x, y, -0.25), "before")
            expect(torch.lerp(x, y, 1.5), "beyond")
            expect(torch.lerp(x, y, 1), "end")
            expect(torch.lerp(x, y, 0), "start")
            expect(x.lerp_(y, 0.5), "in_place")""")
        yield g.case(f"{dt}/gradient_number", "lerp/G1", f"""
            x = normal(103, (3, 4), torch.{dt}).requires_grad_()
            y = normal(104, (4,), torch.{dt}).requires_grad_()
            torch.lerp(x, y, 0.25).backward(normal(105, (3, 4), torch.{dt}))
            expect(x.grad, "x")
            expect(y.grad, "y")""")
    yield g.case("float32/other_dtype", "lerp/C2", """
            x = normal(106, (2, 3), torch.float32)
            y = normal(107, (2, 3), torch.float64)
            expect_error(RuntimeError, "lerp/C2", torch.lerp, x, y, x)
            expect_error(RuntimeError, "lerp/C2", torch.lerp, x, y, 0.5)
            expect_error(RuntimeError, "lerp/C2", torch.lerp, x, x, y)
            expect_error(RuntimeError, "lerp/C2", torch.lerp, x, y[0, 0], x)""")
