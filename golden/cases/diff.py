# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/diff.md."""

from inputs import made


def cases(g):
    for n, dt in enumerate(g.COMMON):
        s = 20 * n
        yield g.case(f"{dt}/values", "diff/S1", f"""
            x = {made(dt, s + 1, "(3, 5, 2)")}
            expect(torch.diff(x), "last")
            expect(x.diff(dim=0), "first")
            expect(x.diff(1, 1), "middle")
            expect(torch.diff(x.permute(2, 0, 1)), "permuted")
            expect(x[:, ::2].diff(dim=-2), "steps")
            expect({made(dt, s + 2, "(19,)")}.diff(), "tail")""")
        yield g.case(f"{dt}/times", "diff/S2", f"""
            x = {made(dt, s + 3, "(2, 6)")}
            expect(x.diff(2), "twice")
            expect(x.diff(n=5), "five")
            expect(torch.diff(x, 6), "empty")
            expect(torch.diff(x, 9), "empty_too")
            expect(x.diff(3, 0), "empty_first")
            y = x.diff(0)
            expect(y, "none")
            expect_copy_of(y, x)
            expect_equal(y._version, 1)
            z = x[:, :0]
            expect_same(z.diff(), z)""", maybe="bools that are alike")
        yield g.case(f"{dt}/beside", "diff/S3", f"""
            x = {made(dt, s + 4, "(3, 4)")}
            expect(x.diff(prepend={made(dt, s + 5, "(3, 1)")}), "before")
            expect(x.diff(append={made(dt, s + 6, "(3, 2)")}), "behind")
            expect(torch.diff(x, 2, 0, x[:1], x), "both")
            expect(x.diff(prepend={made(dt, s + 7, "(3, 0)")}), "nothing")
            expect(x.diff(prepend=torch.ones(3, 1, dtype=torch.float64)), "promoted")
            expect(x.diff(0, append={made(dt, s + 6, "(3, 2)")}), "none")""", maybe="bools that are alike")
        yield g.case(f"{dt}/shapes", "diff/S2 tensors/S10", f"""
            expect({made(dt, s + 8, "(2, 0)")}.diff(), "nothing")
            expect({made(dt, s + 8, "(0, 3)")}.diff(), "rows")
            expect({made(dt, s + 8, "(2, 1)")}.diff(), "one")
            expect({made(dt, s + 8, "(1,)")}.diff(4), "again")""", trivial="there are no elements")
        yield g.case(f"{dt}/out", "diff/S1 tensors/S8", f"""
            x = {made(dt, s + 9, "(3, 4)")}
            room = torch.ones(3, 6, dtype=torch.{dt})
            torch.diff(x, out=room[:, ::2])
            expect(room, "room")
            wide = torch.ones(3, 3, dtype=torch.{"float64" if dt in g.FLOAT else "int64"})
            torch.diff(x, out=wide)
            expect(wide, "wide")""")
        if dt in g.INT:
            yield g.case(f"{dt}/wraps", "diff/S1", f"""
            x = integers({s + 10}, (3, 8), torch.{dt}, low=0, high=9, mix="extreme")
            expect(x.diff(), "once")
            expect(x.diff(2), "twice")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/special", "diff/S1", f"""
            x = normal(11, (4, 12), torch.{dt}, mix="special")
            expect(x.diff(), "rows")
            expect(x.diff(dim=0), "columns")""")
        yield g.case(f"{dt}/gradient", "diff/G1", f"""
            x = normal(12, (3, 5), torch.{dt}).requires_grad_()
            a = normal(13, (3, 1), torch.{dt}).requires_grad_()
            torch.diff(x, 2, prepend=a).backward(normal(14, (3, 4), torch.{dt}))
            expect(x.grad, "x")
            expect(a.grad, "a")
            y = normal(15, (4, 2), torch.{dt}).requires_grad_()
            y.diff(0).backward(normal(16, (4, 2), torch.{dt}))
            expect(y.grad, "none")""")
    yield g.case("float32/refused", "diff/C1 diff/C2 diff/C3 diff/C4", """
            x = normal(81, (2, 3))
            expect_error(RuntimeError, "diff/C1", torch.diff, x[0, 0])
            expect_error(RuntimeError, "diff/C1", x[0, 0].diff, 0)
            expect_error(RuntimeError, "diff/C2", torch.diff, x, -1)
            expect_error(IndexError, "diff/C3", torch.diff, x, dim=2)
            expect_error(IndexError, "diff/C3", x.diff, 1, -3)
            expect_error(RuntimeError, "diff/C4", torch.diff, x, prepend=x[0])
            expect_error(RuntimeError, "diff/C4", torch.diff, x, append=torch.zeros(3, 1))""")
    yield g.case("float32/out_refused", "diff/G1 promotion/C1 autograd/C14", """
            x = normal(82, (2, 3)).requires_grad_()
            expect_error(RuntimeError, "autograd/C14", torch.diff, x, out=torch.zeros(2, 2))
            expect_error(RuntimeError, "promotion/C1", torch.diff, x.detach(), out=torch.zeros(2, 2, dtype=torch.int64))""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "diff/C5", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "diff/C5", torch.diff, x)
            expect_error(NotImplementedError, "diff/C5", x.diff, 2, 0)""")
