# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/searchsorted.md."""

from calls import Arg, Call

CALLS = [
    Call("searchsorted", f"torch.searchsorted({{s}}.sort(-1)[0], {{x}}, right={{right}})", {"s": Arg(seq), "x": Arg(shape)}, name,
         choices={"right": ("False", "True")}, along=("N",), exact=True, forms=("functional",), gradient=False,
         without=("huge", "hugelast"), maybe="all may belong at one place")
    for name, seq, shape in (("one", "N", "B C"), ("lines", "B N", "B C"))
]


def data(dt, seed, shape):
    if "float" in dt:
        return f"normal({seed}, {shape}, torch.{dt})"
    return f"integers({seed}, {shape}, torch.{dt}, low=0, high=20)"


def cases(g):
    for n, dt in enumerate(g.NUMBER):
        s = 20 * n
        yield g.case(f"{dt}/values", "searchsorted/S1 searchsorted/S3", f"""
            s = {data(dt, s + 1, "(9,)")}.sort()[0]
            x = {data(dt, s + 2, "(3, 5)")}
            expect(torch.searchsorted(s, x), "left")
            expect(torch.searchsorted(s, x, right=True), "right")
            expect(torch.searchsorted(s, s, side="right"), "own")
            expect(torch.searchsorted(s, x.t(), side="left", out_int32=True), "int32")
            expect(torch.searchsorted(s, x[0, 0]), "zero_dim")
            expect(torch.searchsorted(s, 3), "int")
            expect(torch.searchsorted(s, 2.5, right=True), "float")
            expect(torch.searchsorted(s[::2], x[:, ::2]), "steps")""")
        yield g.case(f"{dt}/lines", "searchsorted/S2", f"""
            s = {data(dt, s + 3, "(2, 3, 6)")}.sort(-1)[0]
            x = {data(dt, s + 4, "(2, 3, 4)")}
            expect(torch.searchsorted(s, x), "left")
            expect(torch.searchsorted(s, x, right=True), "right")
            expect(torch.searchsorted(s.transpose(0, 1), x.transpose(0, 1)), "turned")
            expect(torch.searchsorted(s[:, 0], x[:, 1, :1]), "one_each")""")
        yield g.case(f"{dt}/sorter", "searchsorted/S5", f"""
            s = {data(dt, s + 5, "(2, 7)")}
            x = {data(dt, s + 6, "(2, 5)")}
            order = torch.argsort(s, stable=True)
            expect(torch.searchsorted(s, x, sorter=order), "left")
            expect(torch.searchsorted(s[0], x, sorter=order[0], right=True), "right")
            expect_equal(torch.searchsorted(s, x, sorter=order), torch.searchsorted(s.sort()[0], x))""")
        yield g.case(f"{dt}/bucketize", "searchsorted/S6", f"""
            s = {data(dt, s + 7, "(6,)")}.sort()[0]
            x = {data(dt, s + 8, "(3, 4)")}
            expect(torch.bucketize(x, s), "left")
            expect(torch.bucketize(x.t(), s, right=True), "right")
            expect(torch.bucketize(x, s, out_int32=True), "int32")
            expect(torch.bucketize(4, s), "number")
            out = torch.zeros(3, 4, dtype=torch.int64)
            torch.bucketize(x, s, out=out)
            expect(out, "out")""")
        yield g.case(f"{dt}/shapes", "searchsorted/S1 searchsorted/S3 tensors/S10", f"""
            s = {data(dt, s + 9, "(19,)")}.sort()[0]
            expect(torch.searchsorted(s[:0], {data(dt, s + 10, "(3,)")}), "no_sequence")
            expect(torch.searchsorted(s, {data(dt, s + 10, "(0, 2)")}), "no_values")
            expect(torch.searchsorted(s[:1], {data(dt, s + 10, "(17,)")}), "one")
            expect(torch.searchsorted(s, {data(dt, s + 11, "(19,)")}), "tail")""")
        yield g.case(f"{dt}/out", "searchsorted/S3 tensors/S8", f"""
            s = {data(dt, s + 12, "(6,)")}.sort()[0]
            x = {data(dt, s + 13, "(4,)")}
            room = torch.full((8,), 9, dtype=torch.int64)
            torch.searchsorted(s, x, out=room[::2])
            expect(room, "room")
            small = torch.full((4,), 9, dtype=torch.int32)
            torch.searchsorted(s, x, out_int32=True, out=small)
            expect(small, "small")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/special", "searchsorted/S4", f"""
            s = torch.tensor([-torch.inf, -1.0, -0.0, 0.0, 2.0, torch.inf, torch.nan, torch.nan], dtype=torch.{dt})
            x = torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0, -0.0, 1.0], dtype=torch.{dt})
            expect(torch.searchsorted(s, x), "left")
            expect(torch.searchsorted(s, x, right=True), "right")
            expect(torch.searchsorted(s[:5], x), "numbers")""")
        yield g.case(f"{dt}/with_integers", "searchsorted/S4", f"""
            s = normal(21, (7,), torch.{dt}).sort()[0]
            x = integers(22, (5,), torch.int64, low=-2, high=3)
            expect(torch.searchsorted(s, x), "values")
            expect(torch.searchsorted(x.sort()[0], s), "sequence")
            expect(torch.searchsorted(s, s.to(torch.float64)[::2], right=True), "float64")""")
    yield g.case("bool/beside_integers", "searchsorted/S4", """
            s = torch.tensor([False, True])
            expect(torch.bucketize(torch.tensor([0, 1, 2, -1]), s), "bool")""")
    yield g.case("int64/beyond_2_53", "searchsorted/S4", """
            s = torch.tensor([9007199254740991, 9007199254740992, 9007199254740993, 9007199254740994])
            expect(torch.searchsorted(s, s), "left")
            expect(torch.searchsorted(s, s, right=True), "right")""")
    yield g.case("float32/long", "searchsorted/S1", """
            s = distinct(23, (5000,), torch.float32).sort()[0]
            expect(torch.searchsorted(s, s[::37]), "left")
            expect(torch.searchsorted(s, s[::37], right=True), "right")""", variants=False)
    yield g.case("float32/no_gradient", "searchsorted/G1", """
            s = normal(24, (5,)).sort()[0].requires_grad_()
            x = normal(25, (3,)).requires_grad_()
            y = torch.searchsorted(s, x)
            expect_equal(y.requires_grad, False)
            expect(y, "y")""")
    yield g.case("float32/refused", " ".join(f"searchsorted/C{k}" for k in (1, 2, 4, 5, 6, 7, 8, 9)), """
            s = normal(26, (4,)).sort()[0]
            x = normal(27, (2, 3))
            expect_error(RuntimeError, "searchsorted/C1", torch.searchsorted, s[0], x)
            expect_error(RuntimeError, "searchsorted/C2", torch.searchsorted, s.view(4, 1), x)
            expect_error(RuntimeError, "searchsorted/C2", torch.searchsorted, s.view(2, 2), x[0])
            expect_error(RuntimeError, "searchsorted/C2", torch.searchsorted, s.view(2, 2), 3)
            expect_error(RuntimeError, "searchsorted/C4", torch.searchsorted, s, x, out=torch.zeros(2, 3, dtype=torch.int32))
            expect_error(RuntimeError, "searchsorted/C4", torch.searchsorted, s, x, out_int32=True, out=torch.zeros(2, 3, dtype=torch.int64))
            expect_error(RuntimeError, "searchsorted/C5", torch.searchsorted, s, x, side="middle")
            expect_error(RuntimeError, "searchsorted/C6", torch.searchsorted, s, x, side="left", right=True)
            expect_error(RuntimeError, "searchsorted/C7", torch.searchsorted, s, x, sorter=torch.tensor([0, 1, 2]))
            expect_error(RuntimeError, "searchsorted/C7", torch.searchsorted, s, x, sorter=torch.tensor([0, 1, 2, 3], dtype=torch.int32))
            expect_error(RuntimeError, "searchsorted/C8", torch.searchsorted, s, x, sorter=torch.tensor([0, 1, 2, 4]))
            expect_error(RuntimeError, "searchsorted/C9", torch.bucketize, x, s.view(2, 2))
            expect_error(RuntimeError, "searchsorted/C9", torch.bucketize, x, s[0])
            expect_error(TypeError, "errors/C2", torch.searchsorted, s, x, True)""")
    for dt in (*g.FLOAT8, "bool"):
        yield g.case(f"{dt}/refused", "searchsorted/C3", f"""
            x = torch.ones(3).to(torch.{dt})
            expect_error(NotImplementedError, "searchsorted/C3", torch.searchsorted, x, x)
            expect_error(NotImplementedError, "searchsorted/C3", torch.bucketize, x, x)
            expect(torch.searchsorted(x, x[:0]), "nothing")""")
