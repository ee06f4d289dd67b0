# SPDX-License-Identifier: Apache-2.0
"""detach."""

from inputs import special


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/same_elements", "detach/S1 detach/S2", f"""
            x = {special(dt, (3, 4))}
            y = x.detach()
            expect(y, "y")
            expect_view_of(y, x)
            expect_equal(y._base is None, True)
            expect_equal(y is x, False)
            expect_equal(y.requires_grad, False)""")
    for i, make in enumerate(["normal(1, (3, 4)).t()", "normal(2, (3, 4))[1:, ::2]",
                              "normal(3, (3,)).expand(2, 3)", "normal(4, ())", "normal(5, (0, 3))",
                              "normal(6, (1, 2, 1, 2, 1, 2, 1, 2, 1, 2))"]):
        yield g.case(f"float32/of_view_{i}", "detach/S1 detach/S2", f"""
            x = {make}
            y = torch.detach(x)
            expect(y, "y")
            expect_equal(y._base is None, True)
            expect_equal(y.storage_offset(), x.storage_offset())
            expect_view_of(y, x)""")
    yield g.case("float32/writes_are_seen", "detach/S3", """
        x = normal(1, (3, 4))
        y = x[1:].detach()
        before = x._version
        y.zero_()
        expect(x, "x")
        expect_equal(x._version - before, 1)
        x.fill_(2.0)
        expect_equal(y._version - before, 2)
        expect_untouched(x, "rest")""")
    yield g.case("float32/saved_is_noticed", "detach/S3", """
        x = normal(1, (3,))
        x.requires_grad = True
        y = x.clone()
        z = y * y
        y.detach().zero_()
        expect_error(RuntimeError, "autograd/C3", z.backward, normal(2, (3,)))""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad_stops", "detach/G1 detach/S2", f"""
            x = normal(1, (3, 4), torch.{dt})
            x.requires_grad = True
            y = x.clone()
            z = y.detach()
            expect_equal(z.requires_grad, False)
            expect_equal(z.is_leaf, True)
            expect_equal(z.grad_fn is None, True)
            (y * z).backward(normal(2, (3, 4), torch.{dt}))
            expect(x.grad, "dx")""")
    yield g.case("float32/leaf_of_its_own", "detach/G1", """
        x = normal(1, (3,))
        x.requires_grad = True
        z = x.detach()
        z.requires_grad = True
        z.clone().backward(normal(2, (3,)))
        expect(z.grad, "dz")
        expect_equal(x.grad is None, True)""")
