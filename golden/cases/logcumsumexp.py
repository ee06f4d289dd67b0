# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/logcumsumexp.md."""

from calls import Arg, Call

CALLS = [
    Call("logcumsumexp", f"torch.logcumsumexp({{x}}, {dim})", {"x": Arg(shape)}, name, along=("N", "B"), over=("N",),
         maybe="numbers near 0 are all alike", most={"float16": 300, "bfloat16": 300})
    for name, shape, dim in (("last", "… B N", -1), ("first", "N B", 0), ("middle", "B N C", 1))
]


def cases(g):
    for n, dt in enumerate(g.FLOAT):
        s = 20 * n
        yield g.case(f"{dt}/values", "logcumsumexp/S1 logcumsumexp/S5", f"""
            x = normal({s + 1}, (3, 4, 2), torch.{dt})
            expect(torch.logcumsumexp(x, 0), "first")
            expect(x.logcumsumexp(1), "middle")
            expect(x.logcumsumexp(dim=-1), "last")
            expect(torch.logcumsumexp(x.permute(2, 0, 1), 1), "permuted")
            expect(normal({s + 2}, (2, 19), torch.{dt}).logcumsumexp(1), "tail")""")
        yield g.case(f"{dt}/shapes", "logcumsumexp/S1 logcumsumexp/S5 tensors/S10", f"""
            expect(normal({s + 3}, (), torch.{dt}).logcumsumexp(0), "zero_dim")
            expect(normal({s + 3}, (2, 0, 3), torch.{dt}).logcumsumexp(1), "empty")
            expect(normal({s + 4}, (3, 1), torch.{dt}).logcumsumexp(-1), "one")""", maybe="of one it is that one")
        yield g.case(f"{dt}/out", "logcumsumexp/S1 tensors/S8", f"""
            x = normal({s + 5}, (3, 4), torch.{dt})
            room = torch.zeros(4, 6, dtype=torch.{dt})
            torch.logcumsumexp(x, 1, out=room[:, ::2].t())
            expect(room, "room")""")
        yield g.case(f"{dt}/large", "logcumsumexp/S2", f"""
            x = torch.tensor([[1000.0, 1000.0, 999.0, 0.0], [-1000.0, -1001.0, -1000.0, -2000.0], [0.0, 800.0, -800.0, 801.0]],
                             dtype=torch.{dt})
            expect(x.logcumsumexp(1), "rows")
            expect(x.logcumsumexp(0), "columns")""")
        yield g.case(f"{dt}/infinities", "logcumsumexp/S3", f"""
            x = torch.tensor([[-torch.inf, -torch.inf, 1.0, 2.0], [1.0, torch.inf, 2.0, -torch.inf], [torch.nan, torch.inf, 1.0, 0.0],
                              [torch.inf, torch.inf, torch.nan, 1.0], [2.0, -torch.inf, torch.inf, torch.nan]], dtype=torch.{dt})
            expect(x.logcumsumexp(1), "rows")
            expect(x.logcumsumexp(0), "columns")""")
        if dt in ("float16", "bfloat16"):
            yield g.case(f"{dt}/carried_wide", "logcumsumexp/S4", f"""
            x = normal({s + 6}, (2000,), torch.{dt})
            y = x.logcumsumexp(0)
            expect(y[300:310], "on_the_way")
            expect(y[1990:], "end")""")
        yield g.case(f"{dt}/gradient", "logcumsumexp/G1", f"""
            x = normal({s + 7}, (3, 4), torch.{dt}).requires_grad_()
            x.logcumsumexp(1).backward(normal({s + 8}, (3, 4), torch.{dt}))
            expect(x.grad, "rows")
            y = normal({s + 9}, (2, 3, 2), torch.{dt}).requires_grad_()
            y.logcumsumexp(-2).backward(normal({s + 10}, (2, 3, 2), torch.{dt}))
            expect(y.grad, "middle")
            z = normal({s + 11}, (), torch.{dt}).requires_grad_()
            (z.logcumsumexp(0) * 3).backward()
            expect(z.grad, "zero_dim")
            w = normal({s + 12}, (6,), torch.{dt}).requires_grad_()
            w.logcumsumexp(0).backward(torch.tensor([0.0, 1.0, -0.5, 0.0, -2.0, 0.0], dtype=torch.{dt}))
            expect(w.grad, "zeros")""")
    yield g.case("float32/refused", "logcumsumexp/C1 logcumsumexp/C3", """
            x = normal(81, (2, 3))
            expect_error(IndexError, "logcumsumexp/C1", torch.logcumsumexp, x, 2)
            expect_error(IndexError, "logcumsumexp/C1", x.logcumsumexp, dim=-3)
            expect_error(IndexError, "logcumsumexp/C1", torch.logcumsumexp, x[0, 0], 1)
            expect_error(RuntimeError, "logcumsumexp/C3", torch.logcumsumexp, x, 0, out=torch.zeros(2, 3, dtype=torch.float64))
            expect_error(RuntimeError, "logcumsumexp/C3", torch.logcumsumexp, x, 5, out=torch.zeros(2, 3, dtype=torch.float64))""")
    for dt in (*g.FLOAT8, *g.INT, "bool"):
        yield g.case(f"{dt}/refused", "logcumsumexp/C2", f"""
            x = torch.ones(2, 3).to(torch.{dt})
            expect_error(NotImplementedError, "logcumsumexp/C2", torch.logcumsumexp, x, 0)
            expect_error(NotImplementedError, "logcumsumexp/C2", x[:0].logcumsumexp, 0)
            expect_error(NotImplementedError, "logcumsumexp/C2", x[0, 0].logcumsumexp, 0)""")
