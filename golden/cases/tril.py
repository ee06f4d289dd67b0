# SPDX-License-Identifier: Apache-2.0
"""tril and triu."""

from calls import Arg, Call

CALLS = [
    *(Call(op, f"torch.{op}({{x}})", {"x": Arg("B N")}, "", along=("N", "B"), exact=True)
      for op in ("tril", "triu")),
    Call("tril", "torch.tril({x}, {k})", {"x": Arg("… N B")}, "batches", along=("N", "B"), exact=True,
         choices={"k": ("1", "-1")}),
    Call("triu", "torch.triu({x}, {k})", {"x": Arg("… N B")}, "batches", along=("N", "B"), exact=True,
         choices={"k": ("1", "-1")}),
]


def made(dt, shape, seed=1):
    if dt == "bool":
        return f"torch.ones({shape}, dtype=torch.bool)"
    if "float" in dt:
        return f'normal({seed}, {shape}, torch.{dt}, mix="special")'
    return f'integers({seed}, {shape}, torch.{dt}, low=1, high=100, mix="extreme")'


def whole(op, k):
    """Whether all or nothing of 4 rows and 5 columns is kept."""
    kept = [j - i <= k if op == "tril" else j - i >= k for i in range(4) for j in range(5)]
    return all(kept) or not any(kept)


def cases(g):
    for op, rule in (("tril", "tril/S1"), ("triu", "tril/S2")):
        for dt in g.COMMON:
            yield g.case(f"{dt}/{op}", f"{rule} tril/S6", f"""
                x = {made(dt, (4, 5))}
                y = x.{op}()
                expect(y, "y")
                expect_copy_of(y, x)
                expect(torch.{op}(x, 2), "above")
                expect(x.{op}(-1), "below")
                expect(x.t().{op}(diagonal=1), "turned")
                expect_strides(x.t().{op}(), (4, 1))""")
            yield g.case(f"{dt}/{op}_in_place", f"{rule} tril/S7", f"""
                x = {made(dt, (6, 8), 2)} if True else 0
                v = x[1:5, ::2]
                expect_same(v.{op}_(), v)
                expect(x, "strided")
                expect_untouched(v, "rest")
                x.t().{op}_(-2)
                expect(x, "turned")""".replace(" if True else 0", ""))
            yield g.case(f"{dt}/{op}_batches", f"{rule} tril/S5", f"""
                x = {made(dt, (2, 3, 3, 4), 3)}
                expect(x.{op}(1), "y")
                expect(x[:, ::2].{op}(), "apart")
                x.{op}_()
                expect(x, "in_place")""")
        for i, k in enumerate((-9, -4, -3, -2, 0, 3, 4, 5, 9, 2 ** 31, -2 ** 31, 2 ** 40, 2 ** 63 - 1, -2 ** 63)):
            yield g.case(f"float32/{op}_diagonal_{i}", f"{rule} tril/S3", f"""
                x = normal({i}, (4, 5))
                expect(torch.{op}(x, {k}), "y")
                x.{op}_({k})
                expect(x, "x")""", trivial="beyond the matrix all is kept or nothing" if whole(op, k) else "")
        for i, shape in enumerate(((0, 0), (0, 3), (2, 0), (2, 0, 3, 3), (3, 0, 2), (0, 2, 2))):
            yield g.case(f"float32/{op}_nothing_{i}", "tril/S5", f"""
                x = normal(1, {shape})
                y = x.{op}()
                expect_equal(y.shape, {shape})
                expect_same(x.{op}_(), x)""")
        for i, shape in enumerate(((1, 1), (1, 4), (4, 1), (2, 1, 1), (1, 1, 2, 2), (2, 1, 2, 1, 3, 3))):
            yield g.case(f"float32/{op}_size_{i}", f"{rule} tril/S5", f"""
                x = normal({i}, {shape})
                expect(x.{op}(), "y")
                expect(x.{op}(1), "above")
                expect(x.{op}(-1), "below")""", maybe="of one row or column all may be kept")
        yield g.case(f"float32/{op}_specials", "tril/S4", f"""
            x = torch.tensor([[torch.nan, torch.inf, -0.0], [-0.0, torch.nan, -torch.inf], [torch.inf, -0.0, torch.nan]])
            y = x.{op}()
            expect(y, "y")
            expect(1.0 / y, "signs")
            x.{op}_()
            expect(1.0 / x, "in_place")""")
        yield g.case(f"float32/{op}_strides", "tril/S6", f"""
            x = normal(1, (2, 3, 4))
            expect_strides(x.permute(2, 0, 1).{op}(), (6, 3, 1))
            expect_strides(x[0].expand(5, 3, 4).{op}(), (12, 4, 1))
            expect_strides(x[:, :, ::2].{op}(), (6, 2, 1))
            y = normal(2, (2, 3, 4, 4)).contiguous(memory_format=torch.channels_last)
            expect_strides(y.{op}(), (48, 16, 4, 1))
            expect(y.{op}(), "y")""", variants=False)
        yield g.case(f"float32/{op}_shared_places", "tril/S7", f"""
            x = normal(1, (3, 4))
            x.expand(2, 3, 4).{op}_()
            expect(x, "batches")
            row = normal(2, (4,)) + 8
            row.expand(3, 4).{op}_()
            expect(row, "row")
            column = normal(3, (3, 1)) + 8
            column.expand(3, 4).{op}_(-1)
            expect(column, "column")
            four = normal(4, (1, 2, 3, 4)) + 8
            four.expand(3, 2, 3, 4).{op}_()
            expect(four, "four")
            fives = normal(5, (1, 1, 3, 1)) + 8
            expect_error(RuntimeError, "tensors/C2", fives.expand(2, 2, 3, 4).{op}_)
            expect_error(RuntimeError, "tensors/C2", four.expand(2, 3, 2, 3, 4)[:, :, :1].{op}_)
            expect(fives, "fives")""", variants=False)
        yield g.case(f"float32/{op}_out", f"{rule} tril/S8", f"""
            x = normal(1, (3, 4))
            room = torch.ones(4, 6)
            torch.{op}(x, 1, out=room[:, ::2].t())
            expect(room, "room")
            new = torch.empty(0)
            torch.{op}(x, -1, out=new)
            expect(new, "new")
            small = torch.ones(2)
            expect_warns("tensors/S12", torch.{op}, x, out=small)
            expect(small, "small")
            expect_error(RuntimeError, "tensors/C4", torch.{op}, x, out=torch.ones(3, 4, dtype=torch.float64))""")
        yield g.case(f"float32/{op}_out_itself", f"{rule} tril/S8", f"""
            x = normal(1, (3, 4))
            expect_same(torch.{op}(x, out=x), x)
            expect(x, "x")""", variants=("offset", "strided", "transposed"))
        for dt in g.FLOAT:
            yield g.case(f"{dt}/{op}_backward", "tril/G1", f"""
                x = normal(1, (2, 4, 5), torch.{dt}).requires_grad_()
                y = x.{op}(1)
                y.backward(normal(2, (2, 4, 5), torch.{dt}))
                expect(x.grad, "functional")
                x.grad = None
                z = x * 1
                z.{op}_(-1)
                z.backward(normal(3, (2, 4, 5), torch.{dt}, mix="inf"))
                expect(x.grad, "in_place")""")
            yield g.case(f"{dt}/{op}_grad_of_grad", "tril/G1", f"""
                x = normal(4, (3, 4), torch.{dt}).requires_grad_()
                w = normal(5, (3, 4), torch.{dt}).requires_grad_()
                d = autograd.grad(x.{op}(), x, w, create_graph=True)[0]
                expect(d, "d")
                d.backward(normal(6, (3, 4), torch.{dt}))
                expect(w.grad, "dw")""")
        yield g.case(f"float32/{op}_levels", "tril/S5 tril/G1", f"""
            def part(a):
                return a.{op}(1)
            x = normal(7, (3, 4, 5))
            expect(func.vmap(part)(x), "vmap")
            expect(func.vmap(part, in_dims=2)(x), "last")
            y, t = func.jvp(part, (x,), (normal(8, (3, 4, 5)),))
            expect(t, "jvp")""")
        yield g.case(f"float32/{op}_view_in_place", "tril/S7 tril/G1", f"""
            x = normal(9, (2, 3, 4)).requires_grad_()
            y = x * 1
            y[1].t().{op}_()
            y.backward(normal(10, (2, 3, 4)))
            expect(y, "y")
            expect(x.grad, "dx")""")
        for i, shape in enumerate(((), (3,), (0,))):
            yield g.case(f"float32/{op}_dims_{i}", "tril/C1", f"""
                x = normal(1, {shape})
                expect_error(RuntimeError, "tril/C1", torch.{op}, x)
                expect_error(RuntimeError, "tril/C1", x.{op}_, 1)""")
        for dt in g.FLOAT8:
            yield g.case(f"{dt}/{op}_not_for", "tril/C2", f"""
                x = torch.ones(2, 3, dtype=torch.{dt})
                expect_error(NotImplementedError, "tril/C2", torch.{op}, x)
                expect_error(NotImplementedError, "tril/C2", x.{op}_)
                expect_error(RuntimeError, "tril/C1", x[0].{op})
                expect_equal(x[:0].{op}().shape, (0, 3))
                expect(x, "x")""")
    yield g.case("bool/causal", "tril/S1", """
        mask = torch.ones(5, 5, dtype=torch.bool).tril()
        scores = normal(11, (2, 5, 5))
        expect(torch.where(mask, scores, -torch.inf), "masked")
        expect(torch.softmax(torch.where(mask, scores, -torch.inf), dim=-1), "weights")""")
