# SPDX-License-Identifier: Apache-2.0
"""eye."""

from calls import Call

CALLS = [Call("eye", "torch.eye({N}, {C}, dtype={dtype})", {}, along=("N", "C"), exact=True, gradient=False)]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/sizes", "eye/S1 eye/S2", f"""
            expect(torch.eye(3, dtype=torch.{dt}), "square")
            expect(torch.eye(2, 4, dtype=torch.{dt}), "wide")
            expect(torch.eye(5, 2, dtype=torch.{dt}), "tall")
            expect_strides(torch.eye(2, 4, dtype=torch.{dt}), (4, 1))""")
        one, other = ("True", "False") if dt == "bool" else (7, 3)
        yield g.case(f"{dt}/out", "eye/S2 eye/S5", f"""
            x = torch.full((4, 6), {one}, dtype=torch.{dt})
            torch.eye(2, 3, out=x[1::2, ::2])
            expect(x, "strided")
            torch.eye(6, 4, out=x.t())
            expect(x, "turned")
            y = torch.full((3,), {one}, dtype=torch.{dt})
            expect_same(torch.eye(2, 3, out=y), y)
            expect(y, "resized")""")
    yield g.case("float32/nothing", "eye/S1 eye/S3", """
        expect_equal(torch.eye(0).shape, (0, 0))
        expect_equal(torch.eye(0, 3).shape, (0, 3))
        expect_equal(torch.eye(2, 0).shape, (2, 0))
        expect_equal(torch.eye(2, 0).dtype, torch.float32)""")
    yield g.case("float32/one", "eye/S1 eye/S3", """
        expect_equal(torch.eye(1), [[1.0]])
        expect_equal(torch.eye(1, 4), [[1.0, 0.0, 0.0, 0.0]])
        expect_equal(torch.eye(3, 1), [[1.0], [0.0], [0.0]])
        expect_equal(torch.eye(2).dtype, torch.float32)""")
    yield g.case("float32/keywords", "eye/S1", """
        expect(torch.eye(n=2, m=3), "named")
        expect(torch.eye(3, m=2), "mixed")""")
    yield g.case("float32/out_shares_places", "eye/S5", """
        row = torch.full((3,), 5.0)
        torch.eye(2, 3, out=row.expand(2, 3))
        expect_equal(row, [1.0, 1.0, 0.0])
        column = torch.full((3, 1), 5.0)
        torch.eye(3, 2, out=column.expand(3, 2))
        expect_equal(column, [[1.0], [1.0], [0.0]])""", variants=False)
    yield g.case("float32/out_empty", "eye/S5", """
        x = torch.empty(0)
        torch.eye(3, 2, out=x)
        expect(x, "x")
        y = torch.full((4, 4), 2.0)
        v = y[1:3, 1:3]
        torch.eye(2, out=v)
        expect(y, "y")
        expect_untouched(v, "rest")""")
    yield g.case("float32/meta", "eye/S4", """
        x = torch.eye(1000000, 3000000, device="meta")
        expect_equal(x.shape, (1000000, 3000000))
        expect_equal(x.dtype, torch.float32)
        expect_equal(torch.eye(5, dtype=torch.int8, device="meta").stride(), (5, 1))""")
    yield g.case("float32/product", "eye/S2", """
        x = normal(1, (3, 4))
        expect(torch.mm(torch.eye(3), x), "left")
        expect(torch.mm(x, torch.eye(4, 6)), "right")
        expect(torch.mm(torch.eye(5, 3), x), "more")""")
    for i, args in enumerate(("-1", "-1, 2", "2, -1", "0, -3")):
        yield g.case(f"float32/negative_{i}", "eye/C1", f"""
            expect_error(RuntimeError, "eye/C1", torch.eye, {args})""")
    yield g.case("float32/negative_out", "eye/C1", """
        x = normal(1, (2, 2))
        expect_error(RuntimeError, "eye/C1", torch.eye, 2, -2, out=x)
        expect_error(RuntimeError, "eye/C1", torch.eye, -2, device="meta")
        expect(x, "x")""")
    yield g.case("float32/out_dtype", "eye/C2", """
        x = normal(1, (2, 2))
        expect_error(RuntimeError, "eye/C2", torch.eye, 2, dtype=torch.int32, out=x)
        expect_error(RuntimeError, "eye/C2", torch.eye, 2, dtype=torch.float64, out=x)
        expect(x, "x")
        torch.eye(2, dtype=torch.float32, out=x)
        expect(x, "written")""")
