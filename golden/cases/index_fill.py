# SPDX-License-Identifier: Apache-2.0
"""index_fill, index_copy (O-09)."""
from inputs import made
from calls import Arg, Call

ROWS = Arg("M", "index", "N", "int64")
ONCE = Arg("N", "distinct", "N", "int64")
CALLS = [
    *[Call("index_fill", f"torch.index_fill({{x}}, {dim}, {{i}}, 3)", {"x": Arg(shape), "i": ROWS}, name,
           along=("N", "M", "B"), exact=True, maybe="all may be named")
      for name, shape, dim in (("first", "N B", 0), ("last", "B N", -1))],
    *[Call("index_copy", f"torch.index_copy({{x}}, {dim}, {{i}}, {{y}})",
           {"x": Arg(wide), "i": ONCE, "y": Arg(shape)}, name, along=("N", "B"), exact=True,
           reaches=("index_fill", "index_select"))
      for name, wide, shape, dim in (("first", "N+1 B", "N B", 0), ("last", "B N+1", "B N", 1),
                                     ("middle", "B N+1 C", "B N C", 1))],
]


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield from filled(g, dt, 20 * n)
    yield from particular(g)
    yield from refusals(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)


def filled(g, dt, seed):
    yield g.case(f"{dt}/filled", "index_fill/S1 index_fill/S2 index_fill/S4", f"""
            x = {made(dt, seed + 1)}
            expect(torch.index_fill(x, 0, torch.tensor([2, 0, 2]), 7), "first")
            expect(x.index_fill(1, torch.tensor([-1, 1]), 2.75), "last")
            expect(x.index_fill(-1, torch.tensor(0), torch.tensor(True)), "a_number")
            expect(x[0].index_fill(0, torch.tensor([3, -4]), torch.tensor(5.5, dtype=torch.float64)), "vector")
            expect(x[0, 0].index_fill(0, torch.tensor([0]), 1), "no_dims")
            expect_copy_of(x.index_fill(0, torch.tensor([1]), 0), x)""")
    yield g.case(f"{dt}/copied", "index_fill/S3 index_fill/S4", f"""
            x = {made(dt, seed + 2)}
            s = {made(dt, seed + 3, "(2, 4)")}
            expect(torch.index_copy(x, 0, torch.tensor([2, 0]), s), "first")
            expect(x.index_copy(1, torch.tensor([3, 1]), s.t()[:3, :]), "last")
            expect(x.index_copy(0, torch.tensor(1), s[1:]), "a_number")
            expect(x[0].index_copy(0, torch.tensor([2]), s[0, 0]), "scalar_source")
            expect(x[0, 0].index_copy(0, torch.tensor([0]), s[0, 1]), "no_dims")
            expect(x[0, 0].index_copy(0, torch.tensor(0), s[1, :1]), "of_a_vector")
            out = torch.zeros(4, 3, dtype=torch.{dt}).t()
            torch.index_copy(x, 0, torch.tensor([1]), s[:1], out=out)
            expect(out, "out")""")
    yield g.case(f"{dt}/in_place", "index_fill/S7 index_fill/S1 index_fill/S3", f"""
            x = {made(dt, seed + 4, "(4, 6)")}
            s = {made(dt, seed + 5, "(2, 3)")}
            y = x.clone()
            expect_same(y.index_fill_(0, torch.tensor([3, -4]), 1), y)
            y[1:3, ::2].index_fill_(1, torch.tensor([1]), x[2, 2])
            expect(y, "filled")
            y[:, 1::2].index_copy_(0, torch.tensor([3, 1]), s)
            y.t().index_copy_(1, torch.tensor([0]), {made(dt, seed + 6, "(6, 1)")})
            expect(y, "copied")""")


def particular(g):
    yield g.case("float32/empty", "index_fill/S5", """
            x = normal(301, (3, 2), torch.float32)
            none = torch.zeros(0, dtype=torch.int64)
            expect(x.index_fill(0, none, 7), "fill")
            expect(x.index_copy(0, none, x[:0]), "copy")
            expect_equal(x[:0].index_fill(1, torch.tensor([9]), 7).shape, (0, 2))
            expect_equal(x[:, :0].index_copy(0, torch.tensor([9, 0]), x[:2, :0]).shape, (3, 0))""",
                 trivial="x is the input itself")
    yield g.case("float32/duplicates", "index_fill/S3", """
            y = torch.arange(3.0).index_copy(0, torch.tensor([1, 1]), torch.tensor([5.0, 6.0]))
            expect_any(y[1].item(), [5.0, 6.0])
            expect_equal(y[0], 0.0)
            expect_equal(y[2], 2.0)""", variants=False)
    yield g.case("float32/special", "index_fill/S1 index_fill/S2 index_fill/S3", """
            x = normal(302, (4, 6), torch.float32, mix="special")
            i = torch.tensor([2, 0])
            expect(x.index_fill(0, i, float("nan")), "nan")
            expect(x.index_fill(1, i, float("-inf")), "infinity")
            expect(x.index_copy(1, i, normal(303, (4, 2), torch.float32, mix="special")), "copy")""")
    yield g.case("float32/layouts", "index_fill/S6", """
            x = normal(304, (2, 3, 4), torch.float32)
            i = torch.tensor([0])
            y = x.permute(2, 0, 1).index_fill(0, i, 7)
            expect(y, "permuted")
            expect_strides(y, (1, 12, 4))
            expect_strides(x[:, :, ::2].index_fill(0, i, 7), (6, 2, 1))
            z = x.permute(2, 0, 1).index_copy(0, i, x.permute(2, 0, 1)[1:2])
            expect(z, "copied")
            expect_strides(z, (6, 3, 1))""", variants=False)
    yield g.case("float32/shared_places", "index_fill/S7", """
            x = torch.zeros(1, 2)
            x.expand(3, 2).index_fill_(1, torch.tensor([1]), 7)
            expect_equal(x, [[0.0, 7.0]])
            y = torch.arange(3.0)
            y.index_fill_(0, torch.tensor([0, 1, 2]), y[1])
            expect_equal(y, [1.0, 1.0, 1.0])""", variants=False)
    yield g.case("float32/cache", "index_fill/S3", """
            cache = torch.zeros(2, 6, 3)
            keys = normal(305, (2, 2, 3), torch.float32)
            cache.index_copy_(1, torch.tensor([4, 5]), keys)
            cache[:, :3].index_copy_(1, torch.tensor([0]), keys[:, 1:])
            expect(cache, "cache")""")


def refusals(g):
    yield g.case("float32/dim", "index_fill/C1", """
            x = normal(311, (3, 2), torch.float32)
            i = torch.tensor([0])
            expect_error(IndexError, "index_fill/C1", x.index_fill, 2, i, 7)
            expect_error(IndexError, "index_fill/C1", x.index_fill_, -3, i, 7)
            expect_error(IndexError, "index_fill/C1", x.index_copy, 2, i, x[:1])""")
    for dt in ("int32", "int16", "uint8", "float32", "bool"):
        yield g.case(f"{dt}/index_dtype", "index_fill/C2 index_fill/C12", f"""
            x = normal(312, (3, 2), torch.float32)
            i = torch.zeros(1, dtype=torch.{dt})
            expect_error(IndexError, "index_fill/C2", x.index_fill, 0, i, 7)
            expect_error(IndexError, "index_fill/C2", x.index_fill_, 0, i[:0], 7)
            expect_error(RuntimeError, "index_fill/C12", x.index_copy, 0, i, x[:1])""")
    yield g.case("float32/index", "index_fill/C3 index_fill/C4 index_fill/C9 index_fill/C15 errors/S1", """
            x = normal(313, (3, 2), torch.float32) + 0
            s = normal(314, (2, 2), torch.float32)
            i = torch.zeros(1, 2, dtype=torch.int64)
            expect_error(RuntimeError, "index_fill/C3", x.index_fill, 0, i, 7)
            expect_error(IndexError, "index_fill/C9", x.index_copy, 0, i, s)
            expect_error(IndexError, "index_fill/C4", x.index_fill_, 0, torch.tensor([3, 0]), 7)
            expect_error(IndexError, "index_fill/C4", x.index_fill, 1, torch.tensor(-3), 7)
            expect_error(IndexError, "index_fill/C4", x[0, 0].index_fill, 0, torch.tensor(1), 7)
            expect_error(IndexError, "index_fill/C15", x.index_copy_, 0, torch.tensor([3, 0]), s)
            expect_error(IndexError, "index_fill/C15", x.index_copy, 0, torch.tensor([-1, 0]), s)
            expect(x, "untouched")""", trivial="x is the input itself", variants=False)
    yield g.case("float32/no_slices", "index_fill/C16 index_fill/S5", """
            x = torch.zeros(4, 0)
            i = torch.tensor([0])
            expect_error(RuntimeError, "index_fill/C16", x.index_fill, 1, i, 7)
            expect_error(RuntimeError, "index_fill/C16", x.t().index_fill_, 0, i, 7)
            expect_error(RuntimeError, "index_fill/C16", torch.zeros(0).index_fill, 0, i, 7)
            expect_equal(x.index_fill(0, i + 9, 7).shape, (4, 0))""")
    yield g.case("float32/value", "index_fill/C5 index_fill/C6", """
            x = normal(315, (3, 2), torch.float32)
            h = normal(315, (3, 2), torch.float16)
            i = torch.tensor([0])
            expect_error(RuntimeError, "index_fill/C5", x.index_fill, 0, i, torch.ones(1))
            expect_error(RuntimeError, "index_fill/C6", x.index_fill, 0, i, 1e39)
            expect_error(RuntimeError, "index_fill/C6", h.index_fill, 0, i, 65519.0)
            expect_error(RuntimeError, "index_fill/C6", h.index_fill_, 0, i[:0], 1e10)
            expect_error(RuntimeError, "index_fill/C6", h.index_fill_, 0, i, torch.tensor(1e10))
            expect_error(RuntimeError, "index_fill/C6", h[:0].index_fill, 1, i, 1e10)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "index_fill/C7", f"""
            x = normal(316, (3, 2), torch.{dt})
            i = torch.tensor([0])
            expect_error(NotImplementedError, "index_fill/C7", x.index_fill, 0, i, 7)
            expect_error(NotImplementedError, "index_fill/C7", x.index_fill, 0, i[:0], 7)
            expect_error(NotImplementedError, "index_fill/C7", x.index_copy, 0, i, x[1:2])
            expect_error(NotImplementedError, "index_fill/C7", x.index_copy, 0, i[:0], x[:0])""")
    yield g.case("float32/overlaps", "index_fill/C8", """
            x = normal(317, (3, 2), torch.float32) + 0
            i = torch.tensor([0, 1, 2])
            expect_error(RuntimeError, "index_fill/C8", i.index_fill_, 0, i, 7)
            expect_error(RuntimeError, "index_fill/C8", i.index_fill_, 0, i[:2], 7)
            expect_error(RuntimeError, "index_fill/C8", i.index_copy_, 0, i, i + 1)
            expect_error(RuntimeError, "index_fill/C8", x.index_copy_, 0, i[:2], x[:2])
            expect_error(RuntimeError, "tensors/C2", x[:1].expand(3, 2).index_copy_, 0, i[:2], x[1:] + 0)""", variants=False)
    yield g.case("float32/source", "index_fill/C10 index_fill/C11 index_fill/C13 index_fill/C14", """
            x = normal(318, (3, 2), torch.float32)
            i = torch.tensor([0, 1])
            s = normal(319, (2, 2), torch.float32)
            expect_error(IndexError, "index_fill/C10", x.index_copy, 0, i, s[:1])
            expect_error(IndexError, "index_fill/C10", x.index_copy, 0, i[:1], s)
            expect_error(IndexError, "index_fill/C10", x.index_copy, 0, i, s[0, 0])
            expect_error(IndexError, "index_fill/C11", x.index_copy, 0, i, s[0])
            expect_error(IndexError, "index_fill/C11", x.index_copy, 0, i, s[None])
            expect_error(RuntimeError, "index_fill/C13", x.index_copy, 0, i, s.to(torch.float64))
            expect_error(RuntimeError, "index_fill/C14", x.index_copy, 0, i, s[:, :1])""")


def gradients(g, dt):
    yield g.case(f"{dt}/gradient_filled", "index_fill/G1 index_fill/G2", f"""
            x = {made(dt, 321)}.requires_grad_()
            v = {made(dt, 322, "()")}.requires_grad_()
            i = torch.tensor([2, 0, 2])
            x.index_fill(0, i, v).backward({made(dt, 323)})
            x.index_fill(1, i, 3).backward({made(dt, 324)})
            expect(x.grad, "x")
            expect(v.grad, "v")""")
    yield g.case(f"{dt}/gradient_copied", "index_fill/G1 index_fill/G3", f"""
            x = {made(dt, 325)}.requires_grad_()
            s = {made(dt, 326, "(2, 4)")}.requires_grad_()
            t = {made(dt, 327, "()")}.requires_grad_()
            x.index_copy(0, torch.tensor([2, 0]), s).backward({made(dt, 328)})
            x[0].index_copy(0, torch.tensor([1]), t).backward({made(dt, 329, "(4,)")})
            x[0].index_copy(0, torch.tensor([1, 1]), s[0, :2]).backward({made(dt, 330, "(4,)")})
            expect(x.grad, "x")
            expect(s.grad, "s")
            expect(t.grad, "t")""")
    yield g.case(f"{dt}/gradient_in_place", "index_fill/G1 index_fill/G2 index_fill/G3 index_fill/S7", f"""
            x = {made(dt, 331)}.requires_grad_()
            s = {made(dt, 332, "(1, 3)")}.requires_grad_()
            v = {made(dt, 333, "()")}.requires_grad_()
            y = x * 2
            y[:, 1:].index_copy_(0, torch.tensor([2]), s)
            y.index_fill_(1, torch.tensor([3]), v)
            y.backward({made(dt, 334)})
            expect(x.grad, "x")
            expect(s.grad, "s")
            expect(v.grad, "v")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "index_fill/G1 index_fill/G2 index_fill/G3", f"""
            x = {made(dt, 335)}.requires_grad_()
            s = {made(dt, 336, "(2, 4)")}.requires_grad_()
            v = {made(dt, 337, "()")}.requires_grad_()
            y = x.index_copy(0, torch.tensor([2, 0]), s).index_fill(1, torch.tensor([1]), v)
            gx, gs, gv = autograd.grad((y * y * y).sum(), (x, s, v), create_graph=True)
            ((gx * gx).sum() + (gs * s).sum() + gv).backward()
            expect(x.grad, "x")
            expect(s.grad, "s")
            expect(v.grad, "v")""")
