# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/cumprod.md beyond the family's."""


def cases(g):
    for dt in ("bfloat16", "float16"):
        yield g.case(f"{dt}/carried_wide", "cumprod/S4", f"""
            x = torch.full((600,), 1.0, dtype=torch.{dt}) + 2.0 ** -7
            y = torch.cumprod(x, 0)
            expect(y[250:262], "on_the_way")
            expect(y[590:], "end")""")
    for dt in g.FLOAT:
        yield from zeros(g, dt)
        yield g.case(f"{dt}/nan_from_there", "cumprod/S5", f"""
            x = torch.tensor([[2.0, torch.nan, 0.0, 3.0], [0.0, 2.0, torch.inf, 1.0], [-torch.inf, -2.0, 3.0, 0.5]],
                             dtype=torch.{dt})
            expect(x.cumprod(1), "rows")
            expect(x.cumprod(0), "columns")""")
        yield g.case(f"{dt}/gradient_of_one", "cumprod/G1", f"""
            x = normal(31, (3, 1), torch.{dt}).requires_grad_()
            x.cumprod(1).backward(normal(32, (3, 1), torch.{dt}))
            expect(x.grad, "size_one")
            z = torch.zeros(1, 1, dtype=torch.{dt}).requires_grad_()
            (z.cumprod(0) * 3).sum().backward()
            expect(z.grad, "one_element")
            e = torch.zeros(2, 0, dtype=torch.{dt}).requires_grad_()
            e.cumprod(0).sum().backward()
            expect(e.grad, "empty")""")
        yield g.case(f"{dt}/gradient_through_dtype", "cumprod/G1 cumprod/S2", f"""
            x = uniform(33, (3, 4), torch.{dt}, low=0.5, high=1.5).requires_grad_()
            x.cumprod(1, dtype=torch.float64).backward(normal(34, (3, 4), torch.float64))
            expect(x.grad, "x")""")


def zeros(g, dt):
    """Lines with no zero, one in each place, several; what stands behind the first one gets nothing."""
    x = """torch.tensor([[2.0, 0.5, -1.5, 3.0], [0.0, 2.0, 4.0, 0.5], [2.0, 0.0, -3.0, 5.0], [2.0, 3.0, 4.0, 0.0],
                              [0.0, 0.0, 2.0, 3.0], [2.0, -0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 0.0]], dtype=torch.DT)""".replace("DT", dt)
    yield g.case(f"{dt}/gradient_zeros", "cumprod/G2", f"""
            x = {x}.requires_grad_()
            x.cumprod(1).backward(normal(41, (7, 4), torch.{dt}))
            expect(x.grad, "rows")
            y = {x}.requires_grad_()
            y.cumprod(0).backward(normal(42, (7, 4), torch.{dt}))
            expect(y.grad, "columns")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_zeros_twice", "cumprod/G3", f"""
            x = {x}.requires_grad_()
            w = normal(43, (7, 4), torch.{dt})
            (gx,) = autograd.grad((x.cumprod(1) * w).sum(), (x,), create_graph=True)
            expect(gx, "once")
            (gx * normal(44, (7, 4), torch.{dt})).sum().backward()
            expect(x.grad, "twice")""")
        yield g.case(f"{dt}/gradient_zeros_along_middle", "cumprod/G2 cumprod/G3", f"""
            x = (integers(45, (2, 4, 3), torch.{dt}, low=0, high=4)).requires_grad_()
            (gx,) = autograd.grad(x.cumprod(-2), (x,), normal(46, (2, 4, 3), torch.{dt}), create_graph=True)
            (gx * normal(47, (2, 4, 3), torch.{dt})).sum().backward()
            expect(x.grad, "twice")""")
