# SPDX-License-Identifier: Apache-2.0
"""take_along_dim (O-08)."""
from inputs import made


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield g.case(f"{dt}/along", "take_along_dim/S1 take_along_dim/S2 take_along_dim/S4", f"""
            x = {made(dt, 10 * n + 1)}
            i = integers({10 * n + 2}, (3, 5), torch.int64, low=0, high=4)
            expect(torch.take_along_dim(x, i, 1), "full")
            expect(x.take_along_dim(i[:1], dim=-1), "row")
            expect(x[:1].take_along_dim(i, 1), "self_row")
            expect(x.take_along_dim(integers({10 * n + 3}, (2, 1), torch.int64, low=0, high=3), 0), "column")
            expect(x.take_along_dim(integers({10 * n + 4}, (2, 3), torch.int64, low=0, high=12)), "flat")
            expect(x.take_along_dim(i[0].to(torch.int32) + 6, None), "flat_int32")
            expect(x.take_along_dim(torch.tensor([[-1], [-4], [9]]), 1), "modulo")
            out = torch.zeros(3, 10, dtype=torch.{dt})
            torch.take_along_dim(x, i, 1, out=out[:, ::2])
            expect(out, "out")""")
    yield g.case("float32/sorted", "take_along_dim/S1", """
            x = normal(201, (3, 7), torch.float32)
            expect(x.take_along_dim(x.argsort(1), 1), "y")
            expect(x.take_along_dim(x.argmax(1, keepdim=True), 1), "largest")""")
    yield g.case("float32/empty", "take_along_dim/S3", """
            x = normal(202, (2, 3), torch.float32)
            expect_equal(x.take_along_dim(torch.zeros(2, 0, dtype=torch.int64), 1).shape, (2, 0))
            expect_equal(x.take_along_dim(torch.zeros(0, dtype=torch.int64)).shape, (0,))
            expect(x[0, 0].take_along_dim(torch.tensor(0)), "no_dims")
            expect(x.take_along_dim(torch.tensor(4)), "one")""")
    for dt in ("int32", "int16", "uint8", "float32"):
        yield g.case(f"{dt}/indices", "take_along_dim/C1", f"""
            x = normal(203, (2, 3), torch.float32)
            i = torch.zeros(2, 1, dtype=torch.{dt})
            expect_error(RuntimeError, "take_along_dim/C1", x.take_along_dim, i, 1)
            expect_error(RuntimeError, "take_along_dim/C1", x.take_along_dim, i[:, :0], 1)""")
    yield g.case("float32/refused", "take_along_dim/C2 take_along_dim/C3 take_along_dim/C4 gather/C5", """
            x = normal(204, (2, 3), torch.float32)
            i = torch.zeros(2, 1, dtype=torch.int64)
            expect_error(RuntimeError, "take_along_dim/C2", x.take_along_dim, i[0], 1)
            expect_error(RuntimeError, "take_along_dim/C2", x.take_along_dim, i[None], 1)
            expect_error(IndexError, "take_along_dim/C3", x.take_along_dim, i, 2)
            expect_error(IndexError, "take_along_dim/C3", x[0, 0].take_along_dim, i[0, 0], 0)
            expect_error(RuntimeError, "take_along_dim/C4", x.take_along_dim, torch.zeros(3, 1, dtype=torch.int64), 1)
            expect_error(RuntimeError, "take_along_dim/C4", x.take_along_dim, torch.zeros(0, 1, dtype=torch.int64), 1)
            expect_error(RuntimeError, "gather/C5", x.take_along_dim, i + 6)
            expect_error(RuntimeError, "gather/C5", x.take_along_dim, i - 1)""", variants=False)
    yield g.case("float32/strided", "take_along_dim/C5", """
            x = normal(205, (2, 3), torch.float32)
            i = torch.zeros(2, 2, dtype=torch.int64)
            expect_error(RuntimeError, "take_along_dim/C5", x.t().take_along_dim, i)
            expect_error(RuntimeError, "take_along_dim/C5", x.take_along_dim, i.t())""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient", "take_along_dim/G1", f"""
            x = {made(dt, 211)}.requires_grad_()
            y = {made(dt, 212, "(1, 4)")}.requires_grad_()
            i = integers(213, (3, 5), torch.int64, low=0, high=4)
            x.take_along_dim(i[:1], 1).backward({made(dt, 214, "(3, 5)")})
            y.take_along_dim(i, 1).backward({made(dt, 215, "(3, 5)")})
            x.take_along_dim(i[0] + 7).backward({made(dt, 216, "(5,)")})
            expect(x.grad, "x")
            expect(y.grad, "y")""")
