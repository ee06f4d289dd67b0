# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/amax.md beyond the family's."""

from inputs import made


def cases(g):
    yield from gradient_layouts(g)
    for dt in g.FLOAT:
        for fn in ("amax", "amin"):
            yield from floating(g, dt, fn)
    yield g.case("float32/nothing_along_one", "amax/C4", """
        x = torch.zeros(1, 0, 3)
        expect_equal(torch.amax(x, 0).shape, (0, 3))
        expect_equal(torch.amin(x, dim=(0, 2)).shape, (0,))
        expect_error(IndexError, "amax/C4", torch.amax, x, 1)""", trivial="there are no elements")
    yield g.case("int64/beyond_double", "amax/S6", """
            x = torch.tensor([[9007199254740993, 9007199254740992],
                              [-9007199254740993, -9007199254740992]])
            expect_equal(torch.amax(x, 1), [9007199254740993, -9007199254740992])
            expect_equal(torch.amin(x, 1), [9007199254740992, -9007199254740993])""")


def floating(g, dt, fn):
    yield g.case(f"{dt}/{fn}_one_nan", "amax/S2", f"""
            x = torch.tensor([[1.0, torch.nan, 3.0], [torch.nan, 1.0, 2.0], [1.0, 2.0, torch.nan],
                              [-torch.inf, -torch.inf, -torch.inf]], dtype=torch.{dt})
            expect(x.{fn}(1), "rows")
            expect(x.{fn}(0), "columns")""")
    yield g.case(f"{dt}/{fn}_gradient", "amax/G1", f"""
            x = distinct(72, (3, 4), torch.{dt}).requires_grad_()
            x.{fn}(1).backward({made(dt, 73, "(3,)")})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/{fn}_gradient_ties", "amax/G1", f"""
            x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, 3.0, 1.0]],
                             dtype=torch.{dt}).requires_grad_()
            (x.{fn}(1) * torch.tensor([3.0, 6.0, 5.0], dtype=torch.{dt})).sum().backward()
            expect(x.grad, "x")
            x.grad = None
            x.{fn}().backward()
            expect(x.grad, "all")""")
    yield g.case(f"{dt}/{fn}_gradient_dims", "amax/G1", f"""
            x = distinct(74, (2, 3, 4), torch.{dt}).requires_grad_()
            (gx,) = autograd.grad(x.{fn}((0, -1)), (x,), {made(dt, 75, "(3,)")})
            expect(gx, "dims")
            (gx,) = autograd.grad(x.{fn}((1, 2), keepdim=True), (x,), {made(dt, 76, "(2, 1, 1)")})
            expect(gx, "kept")""")
    yield g.case(f"{dt}/{fn}_gradient_nan", "amax/G1", f"""
            x = torch.tensor([[1.0, torch.nan, 3.0], [1.0, 2.0, 3.0]],
                             dtype=torch.{dt}).requires_grad_()
            x.{fn}(1).sum().backward()
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/{fn}_gradient_twice", "amax/G1", f"""
            x = distinct(77, (3, 4), torch.{dt}).requires_grad_()
            m = x.{fn}(1)
            (gx,) = autograd.grad((m * m).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")


def gradient_layouts(g):
    """self laid out otherwise than the gradient that comes."""
    layouts = ("normal(1, (2, 3, 4))", "normal(1, (4, 2, 3)).permute(1, 2, 0)", "normal(1, (3, 2, 8)).transpose(0, 1)[:, :, ::2]")
    for k, call in enumerate(("torch.amax(x, 0)", "torch.amin(x, -1, keepdim=True)", "torch.amax(x, (0, 2))")):
        asked = ""
        for n, x in enumerate(layouts):
            asked += f"""
            x = {x}.requires_grad_()
            y = {call}
            g0 = normal(9, y.shape)
            g1 = normal(8, y.shape).transpose(0, -1).contiguous().transpose(0, -1)
            expect_equal(autograd.grad(y, (x,), g0)[0].stride(), "plain{n}")
            y = {call}
            (gx,) = autograd.grad(y, (x,), g1)
            expect_equal(gx.stride(), "turned{n}")
            expect(gx, "grad{n}")"""
        yield g.case(f"float32/gradient_layout{k}", "amax/G2", asked, variants=False)
