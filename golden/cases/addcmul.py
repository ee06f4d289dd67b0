# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/addcmul.md beyond the family's."""


def cases(g):
    for dt in g.INT:
        yield g.case(f"{dt}/values", "addcmul/S3", f"""
            x = integers(101, (3, 4), torch.{dt}, low=0, high=100)
            y = integers(102, (3, 4), torch.{dt}, low=0, high=100)
            expect(torch.addcmul(x, y, y, value=2.75), "cut")
            expect(torch.addcmul(x, y, x, value=True), "true")
            expect(torch.addcmul(x, y, x, value=100), "wraps")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/values", "addcmul/S1 addcmul/S4", f"""
            x = uniform(103, (5, 7), torch.{dt}, low=0.5, high=2.0)
            y = uniform(104, (5, 7), torch.{dt}, low=0.5, high=2.0)
            expect(torch.addcmul(x, y, y, value=0.1), "tenth")
            expect(torch.addcmul(x, y, x, value=-2), "minus")
            expect(x.addcmul(y, y, value=0), "nothing")""")
        yield g.case(f"{dt}/gradient_values", "addcmul/G1", f"""
            x = normal(105, (3, 4), torch.{dt}).requires_grad_()
            y = normal(106, (3, 4), torch.{dt}).requires_grad_()
            torch.addcmul(x, y, x, value=-0.5).backward(normal(107, (3, 4), torch.{dt}))
            expect(x.grad, "x")
            expect(y.grad, "y")""")
    for dt, good, bad in (("int8", 127, 300), ("uint8", -1, 300), ("int16", 32767, 40000),
                          ("float32", 2.0 ** 100, 1e300), ("float16", 1024.0, 1e300)):
        yield g.case(f"{dt}/value_too_large", "addcmul/C2", f"""
            x = integers(108, (2, 3), torch.{dt}, low=0, high=3)
            expect(torch.addcmul(x, x, x[:1], value={good}), "fits")
            expect_error(RuntimeError, "addcmul/C2", torch.addcmul, x, x, x, value={bad})""")
    yield g.case("int64/in_place_float", "addcmul/S5 promotion/C1", """
            x = integers(109, (2, 3))
            y = normal(110, (2, 3), torch.float32)
            expect_error(RuntimeError, "promotion/C1", x.addcmul_, y, y)""")
