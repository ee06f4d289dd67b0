# SPDX-License-Identifier: Apache-2.0
"""scatter, scatter_reduce (O-08)."""
from inputs import made
from calls import NUMBER, Arg, Call

FLOATS = ("float64", "float32", "bfloat16", "float16")
ONCE = {"distinct": Arg("N", "distinct", "N", "int64"), "last": Arg("B N", "index", "M", "int64"),
        "first": Arg("N B", "index", "M", "int64")}
LAST = {"x": Arg("B M"), "index": ONCE["last"], "y": Arg("B N")}
FIRST = {"x": Arg("M B"), "index": ONCE["first"], "y": Arg("N B")}
CALLS = [
    Call("scatter", "torch.scatter({x}, 0, {i}.view(-1, 1).expand({N}, {B}), {y})",
         {"x": Arg("N+1 B"), "i": ONCE["distinct"], "y": Arg("N B")}, "first", along=("N", "B"), exact=True,
         reaches=("gather",)),
    Call("scatter", "torch.scatter({x}, 1, {i}.view(1, -1).expand({B}, {N}), {y})",
         {"x": Arg("B N+1"), "i": ONCE["distinct"], "y": Arg("B N")}, "last", along=("N", "B"), exact=True,
         reaches=("gather",)),
    Call("scatter_value", "torch.scatter({x}, 1, {index}, 3)", {"x": Arg("B M"), "index": ONCE["last"]}, "last",
         along=("N", "M", "B"), exact=True, forms=("functional", "out"), maybe="all may be pointed at"),
    Call("scatter_value", "torch.scatter({x}, 0, {index}, 3)", {"x": Arg("M B"), "index": ONCE["first"]}, "first",
         along=("N", "M", "B"), exact=True, forms=("functional", "out"), maybe="all may be pointed at"),
    Call("scatter_src_reduce", "torch.scatter({x}, 1, {index}, {y}, reduce='add')", LAST, "add",
         along=("N", "M", "B"), exact=True, gradient=False, forms=("functional", "out"), without=("pairs",)),
    Call("scatter_src_reduce", "torch.scatter({x}, 0, {index}, {y}, reduce='multiply')", FIRST, "multiply",
         along=("B",), gradient=False, mix="inf", forms=("functional", "out"), without=("subnormal", "pairs"), maybe="a factor is 0"),
    Call("scatter_value_reduce", "torch.scatter({x}, 1, {index}, 1, reduce='add')",
         {"x": Arg("B M"), "index": ONCE["last"]}, "add", along=("M", "B"), gradient=False, forms=("functional", "out")),
    Call("scatter_reduce", "torch.scatter_reduce({x}, 1, {index}, {y}, 'sum')", LAST, "sum",
         along=("N", "M", "B"), exact=True, reaches=("gather",)),
    Call("scatter_reduce", "torch.scatter_reduce({x}, 0, {index}, {y}, 'sum', include_self=False)", FIRST,
         "sum_without", along=("N", "M", "B"), exact=True, reaches=("gather",)),
    Call("scatter_reduce", "torch.scatter_reduce({x}, 0, {index}, {y}, 'amax')", FIRST, "amax",
         along=("N", "M", "B"), exact="forward", reaches=("gather", "scatter_add"), one_zero=True,
         maybe="the largest may be in self"),
    Call("scatter_reduce", "torch.scatter_reduce({x}, 1, {index}, {y}, 'amin', include_self=False)", LAST, "amin",
         along=("N", "M", "B"), exact="forward", reaches=("gather", "scatter_add"), one_zero=True,
         maybe="the smallest may be in self"),
    Call("scatter_reduce", "torch.scatter_reduce({x}, 1, {index}, {y}, 'mean')", LAST, "mean",
         along=("B",), mix="inf", dtypes=tuple(NUMBER), gradient=False),
    Call("scatter_reduce", "torch.scatter_reduce({x}, 1, {index}, {y}, 'prod')", LAST, "prod",
         along=("B",), mix="inf", gradient=False, without=("pairs",), maybe="a factor is 0"),
]
WORDS = ("sum", "prod", "mean", "amax", "amin")


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield from written(g, dt, 30 * n)
        yield from reduced(g, dt, 30 * n)
    yield from particular(g)
    yield from refusals(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)


def few(dt, seed, shape):
    """Whole numbers so small that sums and products are exact."""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    return f"integers({seed}, {shape}, torch.{dt}, low={0 if dt == 'uint8' else -3}, high=4)"


def written(g, dt, seed):
    yield g.case(f"{dt}/source", "scatter/S1 scatter/S2 scatter/S3", f"""
            x = {made(dt, seed + 1, "(3, 4)")}
            s = {made(dt, seed + 2, "(5, 6)")}
            expect(torch.scatter(x, 0, torch.tensor([[2, 0, 1], [0, 1, 2]]), s), "first")
            expect(x.scatter(1, torch.tensor([[3, 0, 1, 2], [1, 3, 0, 2]], dtype=torch.int32), s), "last")
            expect(x.scatter(-1, torch.tensor([[2, 0]]).expand(3, 2), s), "expanded")
            expect(x.scatter(1, torch.tensor([[0, 2], [1, 3], [3, 0]]).t()[:, :2], s), "strided")
            expect_copy_of(x.scatter(0, torch.tensor([[1]]), s), x)""")
    yield g.case(f"{dt}/value", "scatter/S9 scatter/S3", f"""
            x = {made(dt, seed + 3, "(3, 4)")}
            index = integers({seed + 4}, (5, 4), torch.int64, low=0, high=3)
            expect(torch.scatter(x, 0, index, 5), "an_int")
            expect(x.scatter(0, index[:, :2].to(torch.int32), 2.75), "a_float")
            expect(x.scatter(0, index[:1], value=True), "a_bool")
            expect(x.scatter(0, index[1:2, :3], torch.tensor(1.5)[None, None].expand(1, 3).to(torch.{dt})), "a_source")""")
    yield g.case(f"{dt}/in_place", "scatter/S7 scatter/S1 scatter/S9", f"""
            x = {made(dt, seed + 5, "(4, 6)")}
            s = {made(dt, seed + 6, "(2, 3)")}
            y = x.clone()
            expect_same(y.scatter_(0, torch.tensor([[3, 0, 2], [1, 2, 0]]), s), y)
            expect(y, "y")
            y[:, 1::2].scatter_(1, torch.tensor([[2, 0, 1], [1, 2, 0]]), s)
            expect(y, "strided")
            y.t().scatter_(0, torch.tensor([[5, 0, 5, 1]]), 1)
            expect(y, "transposed")
            out = torch.zeros(4, 12, dtype=torch.{dt})
            torch.scatter(x, 0, torch.tensor([[3, 0, 2], [1, 2, 0]]), s, out=out[:, ::2])
            expect(out, "out")""")
    yield g.case(f"{dt}/small", "scatter/S4 scatter/S5", f"""
            x = {made(dt, seed + 7, "(3,)")}
            nothing = torch.zeros(0, dtype=torch.int64)
            expect(x[0].scatter(0, torch.tensor(0), x[1]), "no_dims")
            expect(x[0].scatter(0, torch.tensor([0]), x[1:2]), "a_vector_of_one")
            expect(x[0].scatter(0, torch.tensor(0), 1), "a_number")
            expect(x.scatter(0, torch.tensor(2), x[1]), "by_a_number")
            expect(x.scatter(0, nothing, x), "by_nothing")
            expect(x.scatter(0, nothing, 1), "value_by_nothing")
            expect(x.scatter_reduce(0, nothing, x, "sum", include_self=False), "reduced_by_nothing")""")


def reduced(g, dt, seed):
    words = [w for w in WORDS if w != "mean" or dt != "bool"]
    for word in words:
        how = few if word in ("sum", "prod") else made
        label = "scatter/S13" if "float" not in dt else "scatter/S12" if word in ("sum", "prod", "mean") else "scatter/S14"
        yield g.case(f"{dt}/reduce_{word}", f"scatter/S11 {label}", f"""
            x = {how(dt, seed + 8, "(3, 4)")}
            s = {how(dt, seed + 9, "(5, 4)")}
            index = integers({seed + 10}, (5, 3), torch.int64, low=0, high=2)
            expect(torch.scatter_reduce(x, 0, index, s, "{word}"), "first")
            expect(x.scatter_reduce(0, index, s, "{word}", include_self=False), "without_self")
            expect(x.scatter_reduce(1, index[:3].to(torch.int32), s[:3, :3], reduce="{word}"), "last")
            y = x.clone()
            expect_same(y.scatter_reduce_(0, index, s, "{word}"), y)
            y[:, ::2].scatter_reduce_(0, index[:, :2], s[:, :2], "{word}")
            expect(y, "in_place")
            out = torch.zeros(4, 3, dtype=torch.{dt}).t()
            torch.scatter_reduce(x, 0, index, s, "{word}", include_self=False, out=out)
            expect(out, "out")""")
    yield g.case(f"{dt}/older_words", "scatter/S10", f"""
            x = {few(dt, seed + 11, "(3, 4)")}
            s = {few(dt, seed + 12, "(5, 4)")}
            index = integers({seed + 13}, (5, 3), torch.int64, low=0, high=2)
            expect(torch.scatter(x, 0, index, s, reduce="add"), "add")
            expect(x.scatter(0, index, s, reduce="multiply"), "multiply")
            expect(x.scatter(0, index, 2, reduce="add"), "add_a_number")
            expect(x.scatter(0, index, 2, reduce="multiply"), "multiply_by_a_number")
            y = x.clone()
            y[:, 1:].scatter_(0, index, s, reduce="add")
            y.scatter_(0, index, 3, reduce="add")
            expect(y, "in_place")""")


def particular(g):
    yield g.case("float32/duplicates", "scatter/S8", """
            y = torch.scatter(torch.zeros(3), 0, torch.tensor([1, 1]), torch.tensor([5.0, 6.0]))
            expect_any(y[1].item(), [5.0, 6.0])
            expect_equal(y[0], 0.0)
            expect_equal(y[2], 0.0)
            z = torch.zeros(2, 3).scatter_(1, torch.tensor([[2, 0, 2], [1, 2, 0]]), torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
            expect_any(z[0, 2].item(), [1.0, 3.0])
            expect_equal(z[:, :2], [[2.0, 0.0], [6.0, 4.0]])
            expect_equal(z[1, 2], 5.0)""", variants=False)
    yield g.case("float32/one_hot", "scatter/S9 scatter/S7", """
            token = integers(501, (4, 1), torch.int64, 0, 6)
            expect(torch.zeros(4, 6).scatter_(1, token, 1), "rows")
            chosen = integers(502, (5, 2), torch.int64, 0, 6)
            expect(torch.zeros(5, 6, dtype=torch.bool).scatter_(1, chosen, True), "dispatch")
            logits = normal(503, (4, 6), torch.float32)
            expect(logits.scatter(1, token, float("-inf")), "banned")""")
    yield g.case("float32/special", "scatter/S1 scatter/S9 scatter/S14", """
            x = normal(504, (4, 6), torch.float32, mix="special")
            index = torch.tensor([[3, 0, 2, 1, 0, 3], [1, 2, 0, 0, 2, 1]])
            expect(x.scatter(0, index, normal(505, (2, 6), torch.float32, mix="special")), "source")
            expect(x.scatter(0, index, float("nan")), "nan")
            s = normal(506, (2, 6), torch.float32, mix="nan")
            expect(x.scatter_reduce(0, index, s, "amax"), "amax")
            expect(x.scatter_reduce(0, index, s, "amin"), "amin")
            expect(x.scatter_reduce(0, index, s, "amax", include_self=False), "amax_without")""")
    yield g.case("float32/nan", "scatter/S14", """
            n = float("nan")
            x = torch.tensor([1.0, n, 3.0])
            i = torch.tensor([0, 0, 1, 2])
            s = torch.tensor([n, 5.0, 7.0, float("-inf")])
            expect(x.scatter_reduce(0, i, s, "amax"), "amax")
            expect(x.scatter_reduce(0, i, s, "amin"), "amin")
            expect(x.scatter_reduce(0, i, s, "amax", include_self=False), "amax_without")
            expect(x.scatter_reduce(0, i, s, "sum", include_self=False), "sum")
            expect(x.scatter_reduce(0, i[2:], s[2:], "prod"), "prod")""", variants=False)
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/2000_ones", "scatter/S12", f"""
            index = torch.zeros(2000, dtype=torch.int64)
            ones = torch.ones(2000, dtype=torch.{dt})
            expect(torch.zeros(2, dtype=torch.{dt}).scatter_reduce(0, index, ones, "sum"), "sum")
            expect(torch.zeros(2, dtype=torch.{dt}).scatter(0, index, ones, reduce="add"), "add")
            expect(torch.ones(2, dtype=torch.{dt}).scatter_reduce(0, index[:300], ones[:300] * 1.0078125, "prod"), "prod")""")
    yield g.case("int64/means", "scatter/S13", """
            i = torch.tensor([0, 1])
            expect_equal(torch.tensor([-7, 7, 3]).scatter_reduce(0, i, torch.tensor([0, 0]), "mean"), [-4, 3, 3])
            expect_equal(torch.tensor([9, 9, 9]).scatter_reduce(0, i[:1].expand(3), torch.tensor([-1, -1, -6]), "mean",
                                                                include_self=False), [-3, 9, 9])""")
    yield g.case("int8/means", "scatter/S13", """
            i = torch.zeros(300, dtype=torch.int64)
            x = torch.tensor([100, 3], dtype=torch.int8)
            expect_equal(x.scatter_reduce(0, i[:1], x[:1], "mean"), [-28, 3])
            expect_equal(torch.zeros(2, dtype=torch.int8).scatter_reduce(0, i, torch.ones(300, dtype=torch.int8), "mean"), [0, 0])
            expect_equal(torch.zeros(2, dtype=torch.uint8).scatter_reduce(0, i[:255], torch.ones(255, dtype=torch.uint8), "mean"),
                         [255, 0])""")
    for dt in ("int8", "uint8", "int32", "int64"):
        yield g.case(f"{dt}/wraps", "scatter/S13", f"""
            x = integers(507, (4,), torch.{dt}, 0, 9, mix="extreme")
            s = integers(508, (9,), torch.{dt}, 0, 9, mix="extreme")
            i = integers(509, (9,), torch.int64, 0, 4)
            expect(x.scatter_reduce(0, i, s, "sum"), "sum")
            expect(x.scatter_reduce(0, i, s, "prod"), "prod")
            expect(x.scatter_reduce(0, i, s, "amax"), "amax")
            expect(x.scatter_reduce(0, i, s, "amin", include_self=False), "amin")""")
    yield g.case("float32/other_words", "scatter/S15", """
            x = normal(514, (3, 4), torch.float32)
            s = normal(515, (2, 4), torch.float32)
            i = torch.tensor([[2, 0, 1, 2], [2, 1, 1, 0]])
            expect(x.scatter_reduce(0, i, s, "max"), "max")
            expect(x.scatter_reduce(0, i, s, "min", include_self=False), "min")""")
    yield g.case("float32/untouched", "scatter/S11", """
            x = torch.tensor([9.0, 9.0, 9.0])
            i = torch.tensor([0, 0])
            s = torch.tensor([2.0, 4.0])
            expect(x.scatter_reduce(0, i, s, "sum", include_self=False), "sum")
            expect(x.scatter_reduce(0, i, s, "prod", include_self=False), "prod")
            expect(x.scatter_reduce(0, i, s, "mean", include_self=False), "mean")
            expect(x.scatter_reduce(0, i, s, "amax", include_self=False), "amax")
            expect(x.scatter_reduce(0, i, s, "amin", include_self=False), "amin")
            expect(x.scatter_reduce(0, i, s, "mean"), "mean_with")""", variants=False)
    yield g.case("float32/layouts", "scatter/S6 scatter/S2", """
            x = normal(510, (4, 3), torch.float32)
            s = normal(511, (3, 4), torch.float32)
            i = torch.tensor([[2, 0, 1, 2], [0, 1, 2, 0]])
            y = torch.scatter(x.t(), 0, i, s)
            expect(y, "y")
            expect_strides(y, (4, 1))
            expect(torch.scatter(x.t(), 0, i, s[:1, :1].expand(2, 4)), "expanded")
            z = torch.scatter_reduce(x.t(), 0, i, s, "amax")
            expect(z, "z")
            expect_strides(z, (4, 1))
            expect(x.t().scatter(0, i, 5), "value")
            expect_strides(x.t().scatter(0, i, 5), (4, 1))""", variants=False)
    yield g.case("float32/out", "scatter/S1 scatter/S9 scatter/S10", """
            x = normal(512, (3, 4), torch.float32)
            i = torch.tensor([[2, 0, 1, 2]])
            a = torch.empty(0)
            torch.scatter(x, 0, i, 2, out=a)
            expect(a, "a")
            b = x.clone()
            torch.scatter(b, 0, i, x[:1], out=b)
            expect(b, "b")
            c = torch.empty(0)
            torch.scatter(x, 0, i, x[:1], reduce="add", out=c)
            expect(c, "c")""")
    for dt, values in (("int8", "(127.5, -128, -1)"), ("uint8", "(255, -1, -255)"), ("bool", '(0.5, float("nan"), 0)'),
                       ("float16", '(65504.0, float("inf"), float("nan"))')):
        a, b, c = values[1:-1].split(", ")
        yield g.case(f"{dt}/values", "scatter/S9", f"""
            x = {few(dt, 513, "(3, 4)")}
            i = torch.tensor([[2, 0, 1, 2]])
            expect(x.scatter(0, i, {a}), "a")
            expect(x.scatter(0, i, {b}), "b")
            expect(x.scatter(0, i, {c}), "c")""")


def refusals(g):
    yield g.case("float32/dim", "scatter/C1", """
            x = normal(1, (3, 2))
            i = torch.zeros(1, 2, dtype=torch.int64)
            expect_error(IndexError, "scatter/C1", x.scatter, 2, i, x)
            expect_error(IndexError, "scatter/C1", x.scatter, -3, i, 1)
            expect_error(IndexError, "scatter/C1", x.scatter_reduce, 2, i, x, "sum")""")
    for dt in ("float32", "int16", "uint8", "bool"):
        yield g.case(f"{dt}/index_dtype", "scatter/C2", f"""
            x = normal(1, (3, 2))
            i = torch.zeros(1, 2, dtype=torch.{dt})
            expect_error(RuntimeError, "scatter/C2", x.scatter, 0, i, x)
            expect_error(RuntimeError, "scatter/C2", x.scatter_, 0, i, 1)
            expect_error(RuntimeError, "scatter/C2", x.scatter_reduce, 0, i, x, "foo")
            expect(x.scatter(0, i[:0], x), "nothing")""", trivial="x is the input itself")
    yield g.case("float32/dims_differ", "scatter/C3", """
            x = normal(1, (3, 2))
            i = torch.zeros(2, dtype=torch.int64)
            expect_error(RuntimeError, "scatter/C3", x.scatter, 0, i, x)
            expect_error(RuntimeError, "scatter/C3", x.scatter, 0, i, 1)
            expect_error(RuntimeError, "scatter/C3", x.scatter, 0, i[None], torch.tensor(2.0))
            expect_error(RuntimeError, "scatter/C3", x.scatter_reduce, 0, i, x, "amax")""")
    yield g.case("float32/source_of_fewer_dims", "scatter/C12 scatter/C3", """
            x = normal(1, (3, 2))
            i = torch.zeros(2, 2, dtype=torch.int64)
            s = normal(2, (2,))
            expect_error(IndexError, "scatter/C12", x.scatter, 0, i, s)
            expect_error(IndexError, "scatter/C12", x.scatter_reduce, 1, i, s, "sum")
            expect_error(RuntimeError, "scatter/C3", x.scatter, 0, i, s[:1])
            expect_error(RuntimeError, "scatter/C3", x.scatter, 0, i, x[None])
            expect_error(RuntimeError, "scatter/C3", x[:, :1].scatter, 0, i, s)""")
    yield g.case("float32/index_larger", "scatter/C4", """
            x = normal(1, (3, 2))
            i = torch.zeros(2, 2, dtype=torch.int64)
            expect_error(RuntimeError, "scatter/C4", x.scatter, 0, i, x[:1])
            expect_error(RuntimeError, "scatter/C4", x[:, :1].scatter, 0, i, x[:2])
            expect_error(RuntimeError, "scatter/C4", x[:, :1].scatter, 0, i, 3)
            expect_error(RuntimeError, "scatter/C4", x[:1].scatter_reduce, 1, i, x, "mean")""")
    for dim, n in ((0, 3), (1, 2)):
        yield g.case(f"float32/out_of_range_dim{dim}", "scatter/C5 errors/S1", f"""
            x = normal(1, (3, 2)) + 0
            y = x.clone()
            i = torch.zeros(2, 2, dtype=torch.int64)
            i[0, 0] = {n}
            for k in range(2):
                expect_error(RuntimeError, "scatter/C5", x.scatter, {dim}, i, x)
                expect_error(RuntimeError, "scatter/C5", x.scatter_, {dim}, i, 7)
                expect_error(RuntimeError, "scatter/C5", x.scatter_, {dim}, i, y, reduce="add")
                expect_error(RuntimeError, "scatter/C5", x.scatter, {dim}, i, 7, reduce="multiply")
                expect_error(RuntimeError, "scatter/C5", x.scatter_reduce, {dim}, i, x, "sum")
                i[0, 0] = -1
            expect_error(RuntimeError, "scatter/C5", x[:0].scatter, 0, i, 7)
            expect(x, "untouched")""", trivial="x is the input itself")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "scatter/C6 scatter/C11 scatter/S5", f"""
            x = normal(1, (3, 2), torch.{dt})
            i = torch.zeros(1, 2, dtype=torch.int64)
            expect_error(NotImplementedError, "scatter/C6", x.scatter, 0, i, x)
            expect_error(NotImplementedError, "scatter/C6", x.scatter, 0, i, 1)
            expect_error(NotImplementedError, "scatter/C6", x.scatter, 0, i, x, reduce="add")
            expect_error(NotImplementedError, "scatter/C6", x.scatter_reduce, 0, i, x, "amax")
            expect_error(NotImplementedError, "scatter/C11", x.scatter_reduce, 0, i[:0], x, "mean")
            expect(x.scatter(0, i[:0], x), "x")
            expect(x.scatter_reduce(0, i[:0], x, "sum"), "sum")""", trivial="x is the input itself")
    yield g.case("float32/source_dtype", "scatter/C7", """
            x = normal(1, (3, 2))
            i = torch.zeros(1, 2, dtype=torch.int64)
            s = normal(2, (1, 2), torch.float64)
            expect_error(RuntimeError, "scatter/C7", x.scatter, 0, i, s)
            expect_error(RuntimeError, "scatter/C7", x.scatter, 0, i[:0], s)
            expect_error(RuntimeError, "scatter/C7", x.scatter, 0, i, s, reduce="add")
            expect_error(RuntimeError, "scatter/C7", x.scatter_reduce, 0, i, s, "sum")""")
    yield g.case("float32/overlaps", "scatter/C8", """
            x = normal(1, (3, 3)) + 0
            i = torch.tensor([[0, 1, 2]])
            expect_error(RuntimeError, "scatter/C8", x.scatter_, 0, i, x[:1])
            expect_error(RuntimeError, "scatter/C8", x.scatter_reduce_, 0, i, x[1:], "sum")
            expect_error(RuntimeError, "scatter/C8", i.scatter_, 0, i, 2)
            expect_error(RuntimeError, "scatter/C8", torch.scatter, x, 0, i, x[:1], out=x)
            expect(x, "untouched")""", trivial="x is the input itself")
    for dt, bad in (("int8", "128"), ("uint8", "-0.5"), ("float16", "65519.0"), ("float32", "1e39")):
        yield g.case(f"{dt}/value_out_of_range", "scatter/C9", f"""
            x = {few(dt, 521, "(3, 4)")}
            i = torch.zeros(1, 2, dtype=torch.int64)
            expect_error(RuntimeError, "scatter/C9", x.scatter, 0, i, {bad})
            expect_error(RuntimeError, "scatter/C9", x.scatter_, 0, i, {bad})
            expect_error(RuntimeError, "scatter/C9", x.scatter, 0, i, {bad}, reduce="add")
            expect(x.scatter(0, i[:0], {bad}), "nothing")""", trivial="x is the input itself")
    yield g.case("float32/words", "scatter/C10", """
            x = normal(1, (3, 2))
            i = torch.zeros(1, 2, dtype=torch.int64)
            expect_error(RuntimeError, "scatter/C10", x.scatter, 0, i, x, reduce="sum")
            expect_error(RuntimeError, "scatter/C10", x.scatter, 0, i, 2, reduce="mean")
            expect_error(RuntimeError, "scatter/C10", x.scatter_reduce, 0, i, x, "add")
            expect_error(RuntimeError, "scatter/C10", x.scatter_reduce, 0, i[:0], x, "mul")""")
    yield g.case("bool/mean", "scatter/C11", """
            x = bools(1, (3, 2))
            i = torch.zeros(1, 2, dtype=torch.int64)
            expect_error(NotImplementedError, "scatter/C11", x.scatter_reduce, 0, i, x, "mean")
            expect_error(NotImplementedError, "scatter/C11", x.scatter_reduce, 0, i[:0], x, "mean")""")


def gradients(g, dt):
    yield g.case(f"{dt}/gradient", "scatter/G1 scatter/G2", f"""
            x = {made(dt, 541)}.requires_grad_()
            s = {made(dt, 542, "(2, 4)")}.requires_grad_()
            x.scatter(0, torch.tensor([[2, 0, 1, 1], [0, 1, 2, 0]]), s).backward({made(dt, 543)})
            expect(x.grad, "x")
            expect(s.grad, "s")""")
    yield g.case(f"{dt}/gradient_value", "scatter/G1", f"""
            x = {made(dt, 544)}.requires_grad_()
            x.scatter(1, integers(545, (3, 5), torch.int64, 0, 4), 2).backward({made(dt, 546)})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_of_duplicates", "scatter/G2", f"""
            s = {made(dt, 547, "(3,)")}.requires_grad_()
            torch.zeros(2, dtype=torch.{dt}).scatter(0, torch.tensor([1, 1, 1]), s).backward({made(dt, 548, "(2,)")})
            expect(s.grad, "s")""")
    yield g.case(f"{dt}/gradient_in_place", "scatter/G1 scatter/G2 scatter/S7", f"""
            x = {made(dt, 549)}.requires_grad_()
            s = {made(dt, 550, "(2, 2)")}.requires_grad_()
            y = x * 2
            y[1:, :2].scatter_(0, torch.tensor([[1, 0], [0, 1]]), s)
            y[:, 3:].scatter_(0, torch.tensor([[2], [2]]), 1)
            y.backward({made(dt, 551)})
            expect(x.grad, "x")
            expect(s.grad, "s")""")
    index = "torch.tensor([[0, 1, 2, 1], [0, 1, 0, 1]])"
    for n, word in enumerate(WORDS):
        label = {"sum": "G4", "mean": "G4", "prod": "G5"}.get(word, "G6")
        for include in (True, False):
            yield g.case(f"{dt}/gradient_{word}{'' if include else '_without_self'}",
                         f"scatter/{label}" + ("" if include else " scatter/G7"), f"""
            x = {made(dt, 552 + n)}.requires_grad_()
            s = {made(dt, 560 + n, "(2, 4)")}.requires_grad_()
            x.scatter_reduce(0, {index}, s, "{word}", include_self={include}).backward({made(dt, 570 + n)})
            expect(x.grad, "x")
            expect(s.grad, "s")""")
    yield g.case(f"{dt}/gradient_of_ties", "scatter/G6", f"""
            x = torch.tensor([5.0, 1.0, 2.0], dtype=torch.{dt}).requires_grad_()
            s = torch.tensor([5.0, 5.0, 7.0], dtype=torch.{dt}).requires_grad_()
            i = torch.tensor([0, 0, 1])
            w = torch.tensor([3.0, 4.0, 8.0], dtype=torch.{dt})
            x.scatter_reduce(0, i, s, "amax").backward(w)
            x.scatter_reduce(0, i, s, "amin", include_self=False).backward(w)
            expect(x.grad, "x")
            expect(s.grad, "s")""")
    yield g.case(f"{dt}/gradient_of_zeros", "scatter/G5", f"""
            x = torch.tensor([5.0, 0.0, 2.0, 3.0], dtype=torch.{dt}).requires_grad_()
            s = torch.tensor([0.0, 5.0, 7.0, 0.0, 0.0], dtype=torch.{dt}).requires_grad_()
            i = torch.tensor([0, 0, 1, 2, 2])
            x.scatter_reduce(0, i, s, "prod").backward(torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.{dt}))
            expect(x.grad, "x")
            expect(s.grad, "s")""", whole=True)
    yield g.case(f"{dt}/gradient_reduced_in_place", "scatter/G4 scatter/G6 scatter/S7", f"""
            x = {made(dt, 581)}.requires_grad_()
            s = {made(dt, 582, "(2, 4)")}.requires_grad_()
            y = x * 1
            y.scatter_reduce_(0, {index}, s, "amax")
            y.backward({made(dt, 583)})
            z = x * 1
            z[:, 1:].scatter_reduce_(0, {index}[:, 1:], s[:, 1:], "mean")
            z.backward({made(dt, 584)})
            expect(x.grad, "x")
            expect(s.grad, "s")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "scatter/G1 scatter/G2 scatter/G4 scatter/G5", f"""
            x = {made(dt, 584)}.requires_grad_()
            s = {made(dt, 585, "(2, 4)")}.requires_grad_()
            y = x.scatter(0, {index}, s)
            z = y.scatter_reduce(0, {index}, s, "prod").scatter_reduce(0, {index}, s, "mean")
            gx, gs = autograd.grad((z * y).sum(), (x, s), create_graph=True)
            ((gx * gx).sum() + (gs * s).sum()).backward()
            expect(x.grad, "x")
            expect(s.grad, "s")""")
    if dt == "float32":
        yield g.case(f"{dt}/gradient_refused", "scatter/G3", f"""
            x = {made(dt, 586, "(3,)")}.requires_grad_()
            i = torch.tensor([0, 1])
            y = x.scatter(0, i, x.detach(), reduce="add")
            z = x.scatter(0, i, 2, reduce="multiply")
            expect_error(RuntimeError, "scatter/G3", y.sum().backward)
            expect_error(RuntimeError, "scatter/G3", z.sum().backward)
            w = x.scatter_reduce(0, i, x.detach(), "max")
            expect_error(RuntimeError, "scatter/G3", w.sum().backward)
            expect(y, "y")
            expect(z, "z")""")
