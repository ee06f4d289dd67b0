# SPDX-License-Identifier: Apache-2.0
"""diagonal: offsets, dims and what a view of it does (T-02)."""

def source(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    return f"normal({seed}, {shape}, torch.{dt})" if "float" in dt else \
        f"integers({seed}, {shape}, torch.{dt}, {0 if dt == 'uint8' else -50}, 51)"


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/offsets", "diagonal/S1 diagonal/S3", f"""
            x = {source(dt, 1, (3, 4, 5))}
            expect(torch.diagonal(x), "plain")
            expect(x.diagonal(2), "above")
            expect(torch.diagonal(x, -2), "below")
            expect(torch.diagonal(x, 1, -1, 0), "turned")
            expect(torch.diagonal(x, offset=-1, dim1=1, dim2=2), "inner")""", maybe="there are but two bools")
    yield g.case("float32/views", "diagonal/S2 diagonal/S3", """
        x = normal(2, (2, 3, 4))
        d = torch.diagonal(x, 1, 1, 2)
        expect_view_of(d, x)
        expect_strides(d, (12, 5))
        expect_equal(d.storage_offset(), 1)
        b = torch.diagonal(x, -2, 1, 2)
        expect_equal(b.storage_offset(), 8)
        e = torch.diagonal(x, 5, 1, 2)
        expect_equal(e.shape, (2, 0))
        expect_strides(e, (12, 5))
        expect_equal(e.storage_offset(), 0)
        expect(torch.diagonal(x[:, :0], 1), "of_nothing")
        expect_equal(torch.diagonal(x, -3).shape, (4, 0))
        t = torch.diagonal(x.permute(2, 0, 1)[1:], 0, 2, 0)
        expect_strides(t, (12, 5))
        d.fill_(9.0)
        x.diagonal().copy_(normal(3, (4, 2)))
        expect(x, "x")""", variants=False)
    yield g.case("float32/refused", "diagonal/C1 diagonal/C2", """
        x = normal(2, (2, 3, 4))
        expect_error(IndexError, "diagonal/C1", torch.diagonal, x, 0, 3, 0)
        expect_error(IndexError, "diagonal/C1", torch.diagonal, x, 0, 0, -4)
        expect_error(IndexError, "diagonal/C1", torch.diagonal, x[0, 0])
        expect_error(IndexError, "diagonal/C1", torch.diagonal, x[0, 0, 0])
        expect_error(RuntimeError, "diagonal/C2", torch.diagonal, x, 0, 0, 0)
        expect_error(RuntimeError, "diagonal/C2", torch.diagonal, x, 1, 0, -3)""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/backward", "diagonal/G1", f"""
            x = normal(4, (3, 4, 3), torch.{dt}).requires_grad_()
            torch.diagonal(x, -1, 0, 2).backward(normal(5, (4, 2), torch.{dt}))
            expect(x.grad, "x")
            y = normal(6, (4, 3), torch.{dt}).t().requires_grad_()
            (g0,) = autograd.grad(torch.diagonal(y, 1), (y,), normal(7, (3,), torch.{dt}))
            expect(g0, "y")
            expect_strides(g0, (4, 1))
            expect(autograd.grad(torch.diagonal(y, 9).sum(), (y,))[0], "none")""", maybe="mostly zeros")
    yield g.case("float64/double_backward", "diagonal/G1", """
        x = normal(8, (3, 4), torch.float64).requires_grad_()
        d = x.diagonal(1)
        (a,) = autograd.grad((d * d * d).sum(), (x,), create_graph=True)
        (a * normal(9, (3, 4), torch.float64)).sum().backward()
        expect(x.grad, "x")""", maybe="mostly zeros")
    yield g.case("float32/in_place_backward", "diagonal/G1 diagonal/S3", """
        x = normal(10, (3, 3)).requires_grad_()
        v = normal(11, (3,)).requires_grad_()
        y = x * 2
        y.diagonal().mul_(v)
        (y * normal(12, (3, 3))).sum().backward()
        expect(x.grad, "x")
        expect(v.grad, "v")""")
