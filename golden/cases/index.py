# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/index.md."""
from calls import Arg, Call

ROWS = Arg("M", "index", "N", "int64")
CALLS = [
    Call("index", "{x}[{i}]", {"x": Arg("N B"), "i": ROWS}, "rows", along=("N", "M", "B"), exact=True,
         reaches=("index_put",)),
    Call("index", "{x}[:, {i}]", {"x": Arg("B N"), "i": ROWS}, "columns", along=("N", "M", "B"),
         exact=True, reaches=("index_put",), steep=True),
    Call("index", "{x}[{i}, {j}]",
         {"x": Arg("N B"), "i": ROWS, "j": Arg("M", "index", "B", "int64")}, "pairs",
         along=("N", "M", "B"), exact=True, reaches=("index_put",)),
    Call("index_put", "torch.index_put({x}, ({i},), {y}, accumulate=True)",
         {"x": Arg("N B"), "i": ROWS, "y": Arg("M B")}, "accumulate", along=("N", "M", "B"), exact=True,
         reaches=("index",), forms=("functional",),
         dtypes=("float64", "float32", "bfloat16", "float16", "int64", "int32", "int16", "int8",
                 "uint8", "bool")),
]


def made(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f"normal({seed}, {shape}, torch.{dt})"
    return f"integers({seed}, {shape}, torch.{dt}, low=0, high=100)"


PATTERNS = (
    ("first", "x[i]"), ("middle", "x[:, i]"), ("last", "x[..., i]"), ("pair", "x[i, j]"),
    ("pair_behind", "x[:, i, j]"), ("apart", "x[i, :, j]"), ("apart_none", "x[i, None, j]"),
    ("all_three", "x[i, j, k]"), ("broadcast", "x[i, m]"), ("broadcast_behind", "x[:, m, i]"),
    ("with_int", "x[-1, i]"), ("int_behind", "x[i, -1]"), ("int_between", "x[i, 0, j]"),
    ("with_slice", "x[i, 1:3]"), ("slice_before", "x[1:, i, None]"), ("step", "x[::2, :, k]"),
    ("none_before", "x[None, i]"), ("none_behind", "x[i, ..., None]"), ("two_dims", "x[m]"),
    ("list", "x[[0, -1]]"), ("lists", "x[[0, 2], :, [1, 1]]"), ("nested", "x[[[0, 1], [2, 0]]]"),
    ("true", "x[True]"), ("false", "x[False]"), ("true_and_index", "x[i, True]"),
    ("zero_dim", "x[torch.tensor(1), i]"), ("zero_dim_behind", "x[i, torch.tensor(-2)]"),
)
MASKS = (
    ("rows", "x[r]"), ("columns", "x[:, c]"), ("last", "x[..., e]"), ("two_dims", "x[rc]"),
    ("two_dims_slice", "x[rc, 1:3]"), ("two_dims_none", "x[rc, None]"), ("behind", "x[:, ce]"),
    ("all", "x[x > 0]"), ("with_index", "x[r, i]"), ("index_and_mask", "x[:, i, f]"),
    ("apart", "x[r, :, f]"), ("bytes", "x[r.to(torch.uint8)]"), ("list", "x[[True, False, True]]"),
    ("none_true", "x[r < r]"), ("zero_dim", "x[torch.tensor(True)]"),
    ("zero_dim_byte", "x[torch.tensor(0, dtype=torch.uint8)]"),
)
INDICES = """
            i = torch.tensor([2, 0])
            j = torch.tensor([1, -1])
            k = torch.tensor([-5, 3])
            m = torch.tensor([[0], [2], [-1]])"""
MASKED = """
            r = torch.tensor([True, False, True])
            c = torch.tensor([False, True, True, True])
            e = torch.tensor([True, False, False, True, True])
            f = torch.tensor([True, False, False, True, False])
            rc = r[:, None] * c
            ce = c[:, None] * e
            i = torch.tensor([1, 3])"""


def cases(g):
    for n, dt in enumerate(g.ALL):
        x = made(dt, 20 * n + 1, "(3, 4, 5)")
        yield g.case(f"{dt}/picked", "index/S1 index/S2 index/S3", f"""
            x = {x}{INDICES}
            expect(x[i], "first")
            expect(x[:, i], "middle")
            expect(x[i, j], "pair")
            expect(x[i, :, j], "apart")
            expect(x[m, i], "broadcast")
            expect(x[i.to(torch.int32)], "int32")""")
        yield g.case(f"{dt}/masked", "index/S6", f"""
            x = {x}{MASKED}
            expect(x[r], "rows")
            expect(x[rc], "two_dims")
            expect(x[r, :, f], "apart")""")
        yield g.case(f"{dt}/put", "index/S7 index/S12", f"""
            x = {x}{INDICES}
            x[i, 1:3] = {made(dt, 20 * n + 2, "(2, 2, 5)")}
            x[:, j, k] = {made(dt, 20 * n + 3, "(2,)")}
            expect(x, "x")
            x.index_put_((m, i[:1]), {made(dt, 20 * n + 4, "(5,)")})
            expect(x, "again")
            expect(x.index_put((i,), {made(dt, 20 * n + 5, "(4, 1)")}), "functional")
            expect(torch.index_put(x, (i, i), x[0, 0]), "function")""")
        if dt in g.FLOAT8:
            continue
        yield g.case(f"{dt}/masked_put", "index/S7 index/S6 index/S9", f"""
            x = {x}{MASKED}
            x[r] = {made(dt, 20 * n + 6, "(2, 4, 5)")}
            x[:, c] = {made(dt, 20 * n + 7, "(3, 1, 5)")}
            expect(x, "x")
            x[x > 0] = 1
            expect(x, "a_number")
            x[rc] = torch.tensor([1])
            expect(x, "another_dtype")""")
        yield g.case(f"{dt}/accumulated", "index/S10", f"""
            x = {x}
            i = torch.tensor([2, 0, 2, 2])
            j = torch.tensor([1, 3, 1, -1])
            expect(x.index_put((i, j), {made(dt, 20 * n + 8, "(4, 5)")}, accumulate=True), "pairs")
            z = x.clone()
            y = z[:, 1:]
            y.index_put_((i,), {made(dt, 20 * n + 9, "(3, 5)")}, accumulate=True)
            expect(z, "in_place")
            z.index_put_((x > 0,), {made(dt, 20 * n + 10, "()")}, accumulate=True)
            expect(z, "masked")""")
    for name, what in PATTERNS:
        yield g.case(f"float32/{name}", "index/S1 index/S3 index/S11", f"""
            x = normal(301, (3, 4, 5), torch.float32){INDICES}
            expect({what}, "y")""", **({"trivial": "it is empty"} if name == "false" else {}))
        yield g.case(f"float32/{name}_put", "index/S7 index/S11 index/S12", f"""
            x = normal(302, (3, 4, 5), torch.float32){INDICES}
            {what} = 7.5
            expect(x, "a_number")
            v = normal(303, (1, 1, 1, 1, 1), torch.float32)
            {what} = v
            expect(x, "a_value")""")
    for name, what in MASKS:
        yield g.case(f"float32/mask_{name}", "index/S6 index/S11", f"""
            x = normal(304, (3, 4, 5), torch.float32){MASKED}
            expect({what}, "y")""", **({"trivial": "it is empty"}
                                       if name in ("none_true", "zero_dim_byte") else {}))
        if name == "bytes":  # PyTorch's own way of filling has none
            continue
        yield g.case(f"float32/mask_{name}_put", "index/S6 index/S7 index/S12", f"""
            x = normal(305, (3, 4, 5), torch.float32){MASKED}
            {what} = -3
            expect(x, "x")""")
    yield g.case("float32/layout", "index/S4", f"""
            x = normal(306, (3, 4, 5), torch.float32){INDICES}
            expect(x.transpose(0, 2)[i], "first")
            expect(x.transpose(0, 2)[:, i], "middle")
            expect(x.transpose(0, 2)[:, :, i], "last")
            expect(x.permute(2, 0, 1)[i, :, j], "apart")
            expect(x[:, torch.tensor([[0, 1, 2], [1, 2, 3]]).t()], "index_permuted")
            expect(x.permute(1, 2, 0)[:, m], "one_stays")
            expect(x[:, ::2][:, j], "gaps")
            expect(x.transpose(1, 2)[torch.tensor([True, False, True])], "masked")""",
                 variants=False)
    yield g.case("float32/put_layout", "index/S8", f"""
            x = normal(307, (3, 4, 5), torch.float32){INDICES}
            v = normal(308, (1,), torch.float32)
            expect(x.transpose(0, 2).index_put((i,), v), "permuted")
            expect(x[:, ::2].index_put((i,), v), "gaps")
            expect(x[:1].expand(3, 4, 5).index_put((i,), v), "expanded")""", variants=False)
    yield g.case("float32/strided", "index/S2 index/S7", """
            x = normal(309, (4, 6), torch.float32)
            i = integers(310, (3, 2), torch.int64, low=-4, high=4)
            expect(x[i], "x")
            expect(x[i.t(), 1], "t")
            y = x[::2, 1::2]
            y[:, torch.tensor([2, 0])] = normal(311, (2, 2), torch.float32)
            expect(x, "written")""")
    yield g.case("float32/empty", "index/S5", """
            x = normal(312, (3, 4), torch.float32)
            none = torch.zeros(0, dtype=torch.int64)
            expect(x[none], "no_rows")
            expect(x[[]], "no_list")
            expect(x[:, none], "no_columns")
            expect(x[torch.zeros(2, 0, dtype=torch.int64)], "two_dims")
            expect(torch.zeros(0, 3)[none], "of_nothing")
            expect(torch.zeros(3, 0)[torch.tensor([2, 1])], "of_empty_rows")
            expect(torch.zeros(0, 3)[torch.zeros(0, dtype=torch.bool)], "masked")
            x[none] = 5
            x[none] = torch.zeros(0, 4)
            x.index_put_((none,), torch.ones(1), accumulate=True)
            expect(x, "x")""", trivial="nothing is picked or written")
    yield g.case("float32/no_dims", "index/S5 index/S11", """
            x = torch.tensor(3.5)
            expect(x[True], "x_true")
            expect(x[...,  torch.tensor(True)], "x_mask")
            y = normal(313, (3, 4), torch.float32)
            expect(y[torch.tensor(2), torch.tensor([1])], "y")
            expect_view_of(y[torch.tensor(2)], y)
            y.index_put_((torch.tensor(1), torch.tensor(2)), torch.tensor(9.0))
            expect(y, "put")""", variants=False)
    yield g.case("float32/one_value_in_a_mask", "index/S9 index/S12", """
            x = normal(314, (3, 4), torch.float32)
            x[x > 0.5] = torch.tensor(2)
            x[x < -0.5] = torch.tensor([3.5], dtype=torch.float64)
            x.index_put_((torch.tensor([True, False, False]),), torch.tensor([True]))
            expect(x, "x")
            y = integers(315, (3, 4), torch.int32, low=-9, high=9)
            y[y > 3] = 2.7
            y[[0, 2], [1, 1]] = 8.9
            expect(y, "y")""")
    yield g.case("float32/refused", " ".join(f"index/C{k}" for k in range(1, 9)), """
            x = normal(316, (3, 4), torch.float32)
            i = torch.tensor([2, 0])
            three = torch.tensor([0, 1, 2])
            mask = torch.tensor([True, False])
            value = torch.tensor([1.0])
            expect_error(IndexError, "index/C1", x.index_put_, (i, i, i), value)
            expect_error(IndexError, "index/C2", x.index_put_, (value,), value)
            expect_error(IndexError, "index/C2", x.index_put_, (i.to(torch.int16),), value)
            expect_error(IndexError, "index/C3", x.index_put_, (mask,), value)
            expect_error(IndexError, "index/C3", x.index_put_, (x.t() > 0,), value)
            expect_error(IndexError, "index/C4", x.index_put_, (three, i), value)
            expect_error(IndexError, "index/C5", x.index_put_, (i + 1,), value)
            expect_error(IndexError, "index/C5", x.index_put, (-i - 2,), value)
            expect_error(IndexError, "index/C5", x.index_put, (i, i + 2), value, accumulate=True)
            expect_error(RuntimeError, "index/C6", x.index_put_, (i,), torch.tensor([1]))
            expect_error(RuntimeError, "index/C6", x.index_put_, (i,), value.to(torch.float64))
            expect_error(RuntimeError, "index/C6", x.index_put_, (x > 0,), torch.tensor([1]),
                         accumulate=True)
            expect_error(RuntimeError, "index/C7", x.index_put_, (i,), x[:, :3])
            expect_error(RuntimeError, "index/C7", x.index_put_, (i,), torch.ones(1, 2, 4))
            expect_error(RuntimeError, "index/C7", x.index_put_, (i[:0],), torch.ones(2, 4))
            expect_error(RuntimeError, "index/C7", x.index_put_, (x > 9,), torch.ones(5))
            expect_error(RuntimeError, "index/C8", x.index_put_, (i,), x[:2])
            expect(x, "untouched")""", trivial="x as it was")
    yield g.case("int64/index_shares_memory", "index/C8", """
            x = integers(316, (3, 4), low=0, high=3)
            v = torch.tensor(7)
            expect_error(RuntimeError, "index/C8", x.index_put_, (x[0],), v)
            expect_error(RuntimeError, "index/C8", x.index_put_, (x[1], x[2] + 0), v)
            expect_error(RuntimeError, "index/C8", x.index_put_, (x[1] + 0, x[2]), v)
            expect(x, "untouched")""", trivial="x as it was")
    yield g.case("float32/subscripts_refused", "slice/C1 index/C1 index/C2 index/C3 index/C4 index/C5 index/C6", """
            x = normal(317, (3, 4), torch.float32)
            y = x.clone()
            i = torch.tensor([2, 0])
            def too_many():
                return x[i, i, i]
            def float_index():
                return x[torch.tensor([1.0])]
            def of_a_number():
                return torch.tensor(3.0)[i]
            def mask():
                return x[:, torch.tensor([True, False, True])]
            def apart():
                return x[i, torch.tensor([0, 1, 2])]
            def beyond():
                return x[:, torch.tensor([4])]
            def before():
                return x[torch.tensor([-4])]
            def of_nothing():
                return torch.zeros(0, 3)[torch.tensor([0])]
            def put_beyond():
                y[torch.tensor([0, 3])] = 5
            def put_double():
                x[i] = torch.ones(4, dtype=torch.float64)
            expect_error(IndexError, "slice/C1", too_many)
            expect_error(IndexError, "index/C2", float_index)
            expect_error(IndexError, "index/C1", of_a_number)
            expect_error(IndexError, "index/C3", mask)
            expect_error(IndexError, "index/C4", apart)
            expect_error(IndexError, "index/C5", beyond)
            expect_error(IndexError, "index/C5", before)
            expect_error(IndexError, "index/C5", of_nothing)
            expect_error(IndexError, "index/C5", put_beyond)
            expect_error(RuntimeError, "index/C6", put_double)
            expect(x, "untouched")""", trivial="x as it was")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/gradient", "index/G1", f"""
            x = normal(318, (3, 4), torch.{dt}).requires_grad_()
            i = torch.tensor([2, 0, 2])
            (x[i] * x[i, :1]).backward(normal(319, (3, 4), torch.{dt}))
            expect(x.grad, "rows")
            y = normal(320, (3, 4), torch.{dt}).requires_grad_()
            y[:, i].backward(normal(321, (3, 3), torch.{dt}))
            expect(y.grad, "columns")
            z = normal(322, (3, 4), torch.{dt}).requires_grad_()
            z[z > 0].sum().backward()
            expect(z.grad, "mask")""")
        yield g.case(f"{dt}/gradient_twice", "index/G1 index/G2", f"""
            x = normal(323, (3, 4), torch.{dt}).requires_grad_()
            i = torch.tensor([2, 0, 2])
            (gx,) = autograd.grad((x[i] * x[i] * x[1]).sum(), (x,), create_graph=True)
            (gx * x).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
        yield g.case(f"{dt}/gradient_put", "index/G2", f"""
            x = normal(324, (3, 4), torch.{dt}).requires_grad_()
            v = normal(325, (2, 1), torch.{dt}).requires_grad_()
            i = torch.tensor([2, 0])
            y = x * 1
            y[:2, i] = v * 2
            y[torch.tensor([False, True, True])] = 4
            y.backward(normal(326, (3, 4), torch.{dt}))
            expect(x.grad, "x")
            expect(v.grad, "v")""")
        yield g.case(f"{dt}/gradient_accumulated", "index/G2", f"""
            x = normal(327, (3, 4), torch.{dt}).requires_grad_()
            v = normal(328, (3, 4), torch.{dt}).requires_grad_()
            i = torch.tensor([2, 0, 2])
            y = x.index_put((i,), v, accumulate=True)
            y.backward(normal(329, (3, 4), torch.{dt}))
            expect(x.grad, "x")
            expect(v.grad, "v")""")
    yield g.case("float32/saved_index", "index/G1 autograd/C3", """
            x = normal(330, (3, 4), torch.float32).requires_grad_()
            i = torch.tensor([2, 0])
            y = x[i]
            i.add_(0)
            expect_error(RuntimeError, "autograd/C3", y.backward, torch.ones(2, 4))""")
    yield g.case("float32/func", "index/S1 index/G1", """
            def f(x, i):
                return (x[i] * x[i]).sum()
            x = normal(331, (2, 3, 4), torch.float32)
            i = torch.tensor([[2, 0], [1, 1]])
            expect(func.vmap(f)(x, i), "vmap")
            expect(func.vmap(f, in_dims=(0, None))(x, i[0]), "one_index")
            expect(func.vmap(f, in_dims=(None, 0))(x[0], i), "one_tensor")
            expect(func.grad(f)(x[0], i[0]), "grad")
            expect(func.vmap(func.grad(f))(x, i), "vmap_grad")
            def h(x):
                return x[i[0]] * x[i[1]]
            y, t = func.jvp(h, (x[0],), (x[1],))
            expect(t, "tangent")""")
