# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/bincount.md."""

from calls import Arg, Call

CALLS = [
    Call("bincount", "torch.bincount({i}, minlength={V})", {"i": Arg("N", "index", below="V")}, "counts",
         dtypes=("int64",), along=("N", "V"), exact=True, gradient=False),
    Call("bincount", "torch.bincount({i}, {w})", {"i": Arg("N", "index", below="V"), "w": Arg("N")}, "weights",
         dtypes=("float32", "float64", "float16", "int64"), along=("N",), over=("N",), exact=True, gradient=False,
         without=("huge", "subnormal", "pairs", "large", "extreme"), maybe="few of them"),
]


def cases(g):
    for n, dt in enumerate(g.INT):
        s = 20 * n
        yield g.case(f"{dt}/counts", "bincount/S1 bincount/S2", f"""
            x = integers({s + 1}, (40,), torch.{dt}, low=0, high=9)
            expect(torch.bincount(x), "counts")
            expect(x.bincount(minlength=12), "longer")
            expect(torch.bincount(x, minlength=2), "as_long")
            expect(torch.bincount(x[::3]), "steps")
            expect(torch.bincount(x[:1]), "one")""")
        for to in ("float64", "float32", "bfloat16", "float16", "int64", "uint8", "bool"):
            w = f"bools({s + 2}, (40,))" if to == "bool" else \
                f"integers({s + 2}, (40,), torch.{to}, low=1, high=9)"
            yield g.case(f"{dt}/weights_of_{to}", "bincount/S1 bincount/S3", f"""
            x = integers({s + 3}, (40,), torch.{dt}, low=0, high=9)
            w = {w}
            expect(torch.bincount(x, w), "sums")
            expect(x.bincount(weights=w, minlength=12), "longer")
            expect(torch.bincount(x[::2], w[1::2]), "steps")""")
        yield g.case(f"{dt}/nothing", "bincount/S2 tensors/S10", f"""
            x = torch.zeros(0, dtype=torch.{dt})
            expect(torch.bincount(x), "nothing")
            expect(torch.bincount(x, minlength=4), "zeros")
            expect(torch.bincount(x, torch.zeros(0), 2), "weights")""", trivial="counts of nothing are zeros")
    for dt in ("float32", "float64", "float16"):
        yield g.case(f"{dt}/rounded_weights", "bincount/S1", f"""
            x = integers(31, (60,), torch.int64, low=0, high=5)
            expect(torch.bincount(x, normal(32, (60,), torch.{dt})), "sums")
            expect(torch.bincount(x, normal(33, (60,), torch.{dt}, mix="inf")), "infinities")""")
    yield g.case("int64/group_ends", "bincount/S4", """
            expert = integers(34, (24,), torch.int64, low=0, high=6)
            ends = torch.bincount(expert, minlength=6).cumsum(0)
            expect(ends, "ends")
            expect_equal(ends[5], 24)""")
    yield g.case("float32/gradient_refused", "bincount/G1", """
            w = normal(35, (3,)).requires_grad_()
            y = torch.bincount(torch.tensor([1, 3, 1]), w)
            expect_equal(y.requires_grad, True)
            expect(y.detach(), "y")
            expect_error(RuntimeError, "bincount/G1", y.sum().backward)""")
    yield g.case("int64/refused", "bincount/C1 bincount/C3 bincount/C4", """
            x = torch.tensor([1, 3, 1])
            expect_error(RuntimeError, "bincount/C1", torch.bincount, x.view(1, 3))
            expect_error(RuntimeError, "bincount/C1", torch.bincount, x[0])
            expect_error(RuntimeError, "bincount/C1", torch.bincount, torch.zeros(0, 2, dtype=torch.int64))
            expect_error(RuntimeError, "bincount/C3", torch.bincount, x, torch.ones(2))
            expect_error(RuntimeError, "bincount/C3", torch.bincount, x, torch.ones(3, 1))
            expect_error(RuntimeError, "bincount/C4", torch.bincount, x, minlength=-1)""")
    yield g.case("int64/negative_refused", "bincount/C1", """
            expect_error(RuntimeError, "bincount/C1", torch.bincount, torch.tensor([1, -3, 1]))""")
    for dt in (*g.FLOAT, *g.FLOAT8, "bool"):
        yield g.case(f"{dt}/refused", "bincount/C2", f"""
            x = torch.ones(3).to(torch.{dt})
            expect_error(NotImplementedError, "bincount/C2", torch.bincount, x)
            expect_error(NotImplementedError, "bincount/C2", x[:0].bincount)""")
