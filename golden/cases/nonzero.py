# SPDX-License-Identifier: Apache-2.0
"""nonzero (O-12, O-13)."""

from calls import Arg, Call

CALLS = [
    Call("nonzero", "torch.nonzero({x})", {"x": Arg("… N", "sparse")}, exact=True, gradient=False),
    Call("nonzero", "torch.nonzero({x})", {"x": Arg("B N", "sparse")}, "two", exact=True, gradient=False),
]


def source(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    low = 0 if dt == "uint8" else -1
    return f"integers({seed}, {shape}, torch.{dt}, {low}, 2)"


def cases(g):
    for dt in g.COMMON:
        for what, shape in (("vector", (11,)), ("matrix", (4, 5)), ("three", (3, 2, 4)),
                            ("four", (2, 2, 2, 3))):
            yield g.case(f"{dt}/{what}", "nonzero/S1 nonzero/S2 nonzero/S5", f"""
                x = {source(dt, 11, shape)}
                expect_equal(torch.nonzero(x), "y")
                expect_equal(x.nonzero(), "method")""")
        yield g.case(f"{dt}/layouts", "nonzero/S2", f"""
            x = {source(dt, 12, (4, 6))}
            expect_equal(torch.nonzero(x.t()), "transposed")
            expect_equal(torch.nonzero(x[1:, ::2]), "sliced")
            expect_equal(torch.nonzero(x[:1].expand(3, 6)), "expanded")""")
        yield g.case(f"{dt}/no_dims", "nonzero/S4", f"""
            expect_equal(torch.nonzero(torch.ones((), dtype=torch.{dt})), "one")
            expect_equal(torch.nonzero(torch.zeros((), dtype=torch.{dt})), "zero")""")
        yield g.case(f"{dt}/empty", "nonzero/S4", f"""
            expect_equal(torch.nonzero(torch.zeros(0, dtype=torch.{dt})), "vector")
            expect_equal(torch.nonzero(torch.zeros(0, 3, dtype=torch.{dt})), "rows")
            expect_equal(torch.nonzero(torch.zeros(2, 0, 4, dtype=torch.{dt})), "middle")
            expect_equal(torch.nonzero(torch.zeros(1, 0, 1, 2, dtype=torch.{dt})), "four")
            expect_equal(torch.nonzero(torch.zeros(2, 3, dtype=torch.{dt})), "no_match")""")
        yield g.case(f"{dt}/all", "nonzero/S1 nonzero/S5", f"""
            y = torch.nonzero(torch.ones(3, 2, dtype=torch.{dt}))
            expect_equal(y, "y")
            expect_strides(y, (1, 6))""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/special", "nonzero/S3", f"""
            x = normal(13, (5, 7), torch.{dt}, mix="special")
            expect_equal(torch.nonzero(x), "y")
            z = torch.tensor([float("nan"), 0.0, -0.0, float("inf"), 1.0], dtype=torch.{dt})
            expect_equal(torch.nonzero(z), "z")""")
        yield g.case(f"{dt}/zeros_of_both_signs", "nonzero/S3", f"""
            x = normal(14, (4, 5), torch.{dt}, mix="zero")
            expect_equal(torch.nonzero(x), "y")""")
        yield g.case(f"{dt}/no_gradient", "nonzero/S7", f"""
            x = normal(15, (3, 2), torch.{dt}).requires_grad_()
            y = torch.nonzero(x)
            expect_equal(y.requires_grad, False)
            expect_equal(y, "y")""")
    yield g.case("float32/subnormals", "nonzero/S3", """
        x = normal(16, (4, 5), torch.float32, mix="subnormal")
        expect_equal(torch.nonzero(x), "y")""")
    yield g.case("int64/steers_sizes", "nonzero/S6", """
        x = integers(17, (20,), torch.int64, 0, 3)
        where = torch.nonzero(x)
        expect_equal(where.size(0), "count")
        expect_equal(x.index_select(0, where[:, 0]), "kept")""")
    yield g.case("int32/out", "nonzero/S1", """
        x = torch.tensor([[1, 0], [2, 3]], dtype=torch.int32)
        out = torch.zeros(3, 2, dtype=torch.int64)
        torch.nonzero(x, out=out)
        expect_equal(out, "out")
        room = torch.zeros(3, 4, dtype=torch.int64)
        torch.nonzero(x, out=room[:, ::2])
        expect_equal(room, "room")""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "nonzero/C1", f"""
            expect_error(NotImplementedError, "nonzero/C1", torch.nonzero, normal(1, (3,), torch.{dt}))""")
    for dt in ("float32", "int32", "bool"):
        yield g.case(f"{dt}/out_dtype", "nonzero/C2", f"""
            out = torch.zeros(3, 1, dtype=torch.{dt})
            expect_error(RuntimeError, "nonzero/C2", torch.nonzero, torch.ones(3), out=out)""")
