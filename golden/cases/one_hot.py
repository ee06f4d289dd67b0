# SPDX-License-Identifier: Apache-2.0
"""one_hot (O-17)."""


def cases(g):
    yield g.case("int64/classes", "one_hot/S1 one_hot/S2 one_hot/S3", """
        x = integers(1, (3, 4), torch.int64, 0, 5)
        expect(F.one_hot(x), "inferred")
        expect(F.one_hot(x, 7), "seven")
        expect(F.one_hot(x[0, 0], 6), "number")
        expect(F.one_hot(torch.tensor([0, 300]), num_classes=-1).sum(), "large")
        expect(F.one_hot(x[:0], 3), "of_nothing")
        expect_strides(F.one_hot(x.t(), 5), (15, 5, 1))
        expect(F.one_hot(x.t()), "turned")""")
    yield g.case("int64/by_matmul", "one_hot/S1", """
        w = normal(2, (5, 3))
        x = integers(3, (4,), torch.int64, 0, 5)
        expect(F.one_hot(x, 5).to(torch.float32) @ w, "y")""")
    yield g.case("int64/refused", "one_hot/C2 one_hot/C3 one_hot/C4", """
        x = torch.tensor([0, 2])
        expect_error(RuntimeError, "one_hot/C3", F.one_hot, x, 2)
        expect_error(RuntimeError, "one_hot/C3", F.one_hot, x, 0)
        expect_error(RuntimeError, "one_hot/C3", F.one_hot, x, -2)
        expect_error(RuntimeError, "one_hot/C2", F.one_hot, torch.tensor([-1, 2]))
        expect_error(RuntimeError, "one_hot/C2", F.one_hot, torch.tensor([0, -1]), 3)
        expect_error(RuntimeError, "one_hot/C4", F.one_hot, x[:0])
        expect_error(RuntimeError, "one_hot/C4", F.one_hot, x[:0], 0)""")
    for dt in ("int32", "uint8", "bool", "float32"):
        made = {"bool": "bools(1, (3,))", "float32": "torch.ones(3)"}.get(dt, f"integers(1, (3,), torch.{dt}, 0, 3)")
        yield g.case(f"{dt}/refused", "one_hot/C1", f"""
            x = {made}
            expect_error(RuntimeError, "one_hot/C1", F.one_hot, x)
            expect_error(RuntimeError, "one_hot/C1", F.one_hot, x, 3)""")
