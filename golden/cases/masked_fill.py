# SPDX-License-Identifier: Apache-2.0
"""masked_fill (O-09, O-10)."""
from inputs import made
from calls import Arg, Call

MASK = {"kind": "mask", "dtype": "bool"}
CALLS = [
    Call("masked_fill", "torch.masked_fill({x}, {m}, 3)", {"x": Arg("… N"), "m": Arg("… N", **MASK)}, exact=True,
         maybe="all may be True, or none"),
    Call("masked_fill", "torch.masked_fill({x}, {m}, 2)", {"x": Arg("B N"), "m": Arg("N", **MASK)}, "row",
         exact=True, along=("N", "B"), maybe="all may be True, or none"),
    Call("masked_fill", "torch.masked_fill({x}, {m}, 2)", {"x": Arg("B N"), "m": Arg("B 1", **MASK)}, "column",
         exact=True, along=("N", "B"), maybe="all may be True, or none"),
    Call("masked_fill", "torch.masked_fill({x}, {m}, 2)", {"x": Arg("N 1"), "m": Arg("B", **MASK)}, "outer",
         exact="forward", along=("N", "B"), over=("B",), forms=("functional",), maybe="all may be True, or none"),
    Call("masked_fill", "torch.masked_fill({x}, {m}, {v})",
         {"x": Arg("B N"), "m": Arg("B N", **MASK), "v": Arg("")}, "value", exact="forward",
         along=("N", "B"), over=("N", "B"), maybe="all may be True, or none"),
]


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield from filled(g, dt, 20 * n)
    for dt in g.FLOAT:
        yield from gradients(g, dt)
    yield from numbers(g)
    yield from places(g)
    yield from refusals(g)


def filled(g, dt, seed):
    yield g.case(f"{dt}/by_a_number", "masked_fill/S1 masked_fill/S3", f"""
            x = {made(dt, seed + 1)}
            m = bools({seed + 2}, (3, 4))
            expect(torch.masked_fill(x, m, 7), "an_int")
            expect(x.masked_fill(m, 2.75), "a_float")
            expect(x.masked_fill(m, False), "a_bool")
            expect_copy_of(x.masked_fill(m, 0), x)""")
    yield g.case(f"{dt}/by_a_tensor", "masked_fill/S1 masked_fill/S3", f"""
            x = {made(dt, seed + 3)}
            m = bools({seed + 4}, (3, 4))
            expect(x.masked_fill(m, {made(dt, seed + 5, "()")}), "its_dtype")
            expect(x.masked_fill(m, torch.tensor(2.75, dtype=torch.float64)), "float64")
            expect(x.masked_fill(m, torch.tensor(5.5, dtype=torch.bfloat16)), "bfloat16")
            expect(x.masked_fill(m, torch.tensor(100, dtype=torch.int8)), "int8")
            expect(x.masked_fill(m, torch.tensor(True)), "bool")""")
    yield g.case(f"{dt}/broadcast", "masked_fill/S2", f"""
            x = {made(dt, seed + 6)}
            row = bools({seed + 7}, (4,))
            column = bools({seed + 8}, (3, 1))
            expect(x.masked_fill(row, 1), "row")
            expect(x.masked_fill(column, 1), "column")
            y = x[:1].masked_fill(bools({seed + 9}, (2, 3, 4)), 1)
            expect(y, "wide")
            expect_strides(y, (12, 4, 1))
            expect(x[0, 0].masked_fill(row, 1), "of_a_number")
            expect(x.masked_fill(torch.tensor(True), 1), "all")""")
    yield g.case(f"{dt}/in_place", "masked_fill/S4", f"""
            x = {made(dt, seed + 10, "(4, 6)")}
            y = x.clone()
            expect_same(y.masked_fill_(bools({seed + 11}, (4, 6)), 1), y)
            expect(y, "y")
            y[1:3, 1::2].masked_fill_(bools({seed + 12}, (2, 3)), 2)
            expect(y, "strided")
            y.t().masked_fill_(bools({seed + 13}, (4,)), 3)
            expect(y, "transposed")
            y.masked_fill_(bools({seed + 14}, (6,)), x[1, 2])
            expect(y, "by_a_tensor")""")
    yield g.case(f"{dt}/small", "masked_fill/S6", f"""
            x = {made(dt, seed + 15, "(2, 3)")}
            expect(x[0, 0].masked_fill(torch.tensor(True), 1), "true")
            expect(x[0, 0].masked_fill(torch.tensor(False), 1), "false")
            expect_equal(x[:0].masked_fill(torch.tensor([True, False, True]), 1).shape, (0, 3))
            expect_equal(x[:1].masked_fill(torch.zeros(0, 3, dtype=torch.bool), 1).shape, (0, 3))
            expect_equal(x[:0].masked_fill_(torch.tensor([True, False, True]), 1).shape, (0, 3))""")


def numbers(g):
    yield g.case("float32/special", "masked_fill/S1 masked_fill/S3", """
            x = normal(401, (5, 7), torch.float32, mix="special")
            m = bools(402, (5, 7))
            expect(x.masked_fill(m, float("-inf")), "minus_infinity")
            expect(x.masked_fill(m, float("nan")), "nan")
            expect(x.masked_fill(m, -0.0), "minus_zero")
            expect(x.masked_fill(m, torch.tensor(float("inf"), dtype=torch.float16)), "half_infinity")
            expect(x.masked_fill(x != x, 0), "cleaned")""")
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/special", "masked_fill/S1 masked_fill/S3", f"""
            x = normal(403, (5, 7), torch.{dt}, mix="special")
            m = bools(404, (5, 7))
            expect(x.masked_fill(m, float("-inf")), "minus_infinity")
            expect(x.masked_fill(m, float("nan")), "nan")
            expect(x.masked_fill(m, 1.00390625000001), "twice_rounded")""")
    for dt in g.NUMBER:
        if "float" in dt:
            continue
        low, high = {"uint8": (0, 255), "int8": (-128, 127), "int16": (-32768, 32767),
                     "int32": (-2147483648, 2147483647),
                     "int64": (-9223372036854775808, 9223372036854775807)}[dt]
        yield g.case(f"{dt}/borders", "masked_fill/S3", f"""
            x = {made(dt, 405)}
            m = bools(406, (3, 4))
            expect(x.masked_fill(m, {low}), "least")
            expect(x.masked_fill(m, {high}), "largest")
            expect(x.masked_fill(m, 1.999), "truncated")""")
    for dt, bad in (("int8", (128, -129, -128.9, 128.0)), ("uint8", (256, -256, -0.5, 256.0)),
                    ("int16", (32768, -32769)), ("int32", (2147483648, 1e10, float("inf"), float("nan"))),
                    ("float16", (65519.0, 70000, 1e10)), ("bfloat16", (3.4e38,)), ("float32", (3.5e38, -1e39))):
        lines = "".join(f"""
            expect_error(RuntimeError, "masked_fill/C4", x.masked_fill, m, {spelled(v)})
            expect_error(RuntimeError, "masked_fill/C4", x.masked_fill_, m, torch.tensor({spelled(v)}{wide(v)}))
            expect_error(RuntimeError, "masked_fill/C4", x.masked_fill_, m < m, {spelled(v)})""" for v in bad)
        yield g.case(f"{dt}/out_of_range", "masked_fill/C4 errors/S1", f"""
            x = {made(dt, 407)}
            m = bools(408, (3, 4)){lines}
            expect_error(RuntimeError, "masked_fill/C4", x[:0].masked_fill, m[:0], {spelled(bad[0])})
            expect_error(RuntimeError, "masked_fill/C4", x[0, :1].masked_fill, m[0, :1], {spelled(bad[0])})
            expect(x, "untouched")""", trivial="x is the input itself")
    yield g.case("uint8/wraps", "masked_fill/S3", """
            x = integers(409, (3, 4), torch.uint8, low=0, high=256)
            m = bools(410, (3, 4))
            expect(x.masked_fill(m, -1), "minus_one")
            expect(x.masked_fill(m, -255), "least")
            expect(x.masked_fill(m, torch.tensor(-2)), "a_tensor")
            expect(x.masked_fill(m, 255.5), "truncated")""")
    yield g.case("int8/float_borders", "masked_fill/S3", """
            x = integers(411, (3, 4), torch.int8, low=-100, high=100)
            expect(x.masked_fill(bools(412, (3, 4)), 127.5), "largest")
            expect(x.masked_fill(bools(413, (3, 4)), -128.0), "least")""")
    yield g.case("bool/what_is_true", "masked_fill/S3", """
            x = bools(414, (3, 4))
            m = bools(415, (3, 4))
            expect(x.masked_fill(m, 0.5), "a_half")
            expect(x.masked_fill(m, float("nan")), "nan")
            expect(x.masked_fill(m, -0.0), "minus_zero")
            expect(x.masked_fill(m, 1e300), "far")""")


def spelled(v):
    return f'float("{v}")' if v != v or v in (float("inf"), float("-inf")) else repr(v)


def wide(v):
    return ", dtype=torch.float64" if isinstance(v, float) else ""


def places(g):
    yield g.case("float32/shared_places", "masked_fill/S5", """
            x = torch.arange(4.0).view(2, 2)
            y = x.expand(2, 2, 2)
            y.masked_fill_(torch.tensor([[[True, False]], [[False, False]]]), 9)
            expect_equal(x, [[9.0, 1.0], [9.0, 3.0]])
            z = torch.zeros(5)
            z.as_strided((2, 3), (1, 1)).masked_fill_(torch.tensor([[False, False, True], [False, False, False]]), 1)
            expect_equal(z, [0.0, 0.0, 1.0, 0.0, 0.0])""", variants=False)
    yield g.case("float32/apart_from_a_broadcast_self", "masked_fill/S2 masked_fill/S5", """
            x = normal(421, (2, 2), torch.float32)
            m = bools(422, (2, 1, 2))
            expect(x.masked_fill(m, 0), "wide")
            expect(x.expand(2, 2, 2).masked_fill(m, 0), "expanded")
            expect_error(RuntimeError, "tensors/C1", x.masked_fill_, m, 0)
            expect(x, "x")""")
    yield g.case("float32/value_of_its_own", "masked_fill/S5", """
            x = torch.arange(5.0)
            x.masked_fill_(torch.tensor([True, True, True, True, False]), x[2])
            expect_equal(x, [2.0, 2.0, 2.0, 2.0, 4.0])
            y = torch.arange(4.0)
            y.masked_fill_(torch.tensor([False, True, False, True]), y[3])
            expect_equal(y, [0.0, 3.0, 2.0, 3.0])""", variants=False)
    yield g.case("bool/its_own_mask", "masked_fill/S5", """
            m = bools(423, (3, 4))
            n = ~m
            m.masked_fill_(m, False)
            expect(m, "m")
            expect(n.masked_fill(n, False), "n")""", trivial="all that is True is filled")
    yield g.case("float32/layouts", "masked_fill/S2", """
            x = normal(424, (3, 4, 2), torch.float32)
            m = bools(425, (3, 4, 2))
            expect(x.permute(2, 0, 1).masked_fill(m.permute(2, 0, 1), 1), "permuted")
            expect(x.transpose(0, 1).masked_fill(m[0, 0], 1), "transposed")
            expect(x[:, ::2].masked_fill(m[:, ::2], 1), "gaps")
            expect(x[:1].expand(5, 4, 2).masked_fill(m[0], 1), "expanded")
            expect_strides(x.permute(2, 0, 1).masked_fill(m.permute(2, 0, 1), 1), (12, 4, 1))""", variants=False)
    yield g.case("float32/version", "masked_fill/S4", """
            x = torch.zeros(2, 3)
            v = x[1]
            before = x._version
            v.masked_fill_(torch.tensor([True, False, True]), 1)
            expect_equal(x._version - before, 1)
            expect(x, "x")""")
    yield g.case("float32/causal", "masked_fill/S1 masked_fill/G1", """
            q = normal(426, (2, 5, 5), torch.float32).requires_grad_()
            later = torch.arange(5) > torch.arange(5).view(5, 1)
            y = torch.softmax(q.masked_fill(later, float("-inf")), -1)
            expect(y, "y")
            y.backward(normal(427, (2, 5, 5), torch.float32))
            expect(q.grad, "q")""")
    yield g.case("float32/under_levels", "masked_fill/S1 masked_fill/G1 masked_fill/G2", """
            x = normal(428, (3, 4), torch.float32)
            m = bools(429, (3, 4))
            v = normal(430, (3,), torch.float32)
            t = normal(431, (3, 4), torch.float32)
            def numbered(a, b):
                return a.masked_fill(b, 2)
            def valued(a, b, c):
                return a.masked_fill(b, c)
            expect(func.vmap(numbered)(x, m), "vmap_number")
            expect(func.vmap(valued)(x, m, v), "vmap_value")
            def of_x(a):
                return a.masked_fill(m, 2)
            def of_both(a, c):
                return a.masked_fill(m, c)
            y, dy = func.jvp(of_x, (x,), (t,))
            expect(dy, "jvp_number")
            y, dy = func.jvp(of_both, (x, v[0]), (t, v[1]))
            expect(dy, "jvp_value")""", variants=False)


def refusals(g):
    yield g.case("float32/shapes", "masked_fill/C1", """
            x = normal(441, (2, 3), torch.float32)
            expect_error(RuntimeError, "masked_fill/C1", x.masked_fill, torch.tensor([True, False]), 1)
            expect_error(RuntimeError, "masked_fill/C1", x.masked_fill_, torch.ones(2, 2, dtype=torch.bool), 1)
            expect_error(RuntimeError, "masked_fill/C1", x.masked_fill, torch.ones(2), torch.ones(1))
            expect_error(RuntimeError, "tensors/C1", x.masked_fill_, torch.ones(1, 2, 3, dtype=torch.bool), 1)
            expect_error(RuntimeError, "tensors/C1", x[:1].masked_fill_, torch.ones(2, 3, dtype=torch.bool), 1)
            expect(x, "untouched")""", trivial="x is the input itself")
    for dt in g.ALL:
        if dt == "bool":
            continue
        yield g.case(f"{dt}/mask", "masked_fill/C2", f"""
            x = normal(442, (2, 3), torch.float32)
            m = torch.ones(2, 3, dtype=torch.float32).to(torch.{dt})
            expect_error(RuntimeError, "masked_fill/C2", x.masked_fill, m, 1)
            expect_error(RuntimeError, "masked_fill/C2", x.masked_fill_, m, torch.ones(2))""")
    yield g.case("float32/value_with_dims", "masked_fill/C3", """
            x = normal(443, (2, 3), torch.float32)
            m = bools(444, (2, 3))
            expect_error(RuntimeError, "masked_fill/C3", x.masked_fill, m, torch.ones(1))
            expect_error(RuntimeError, "masked_fill/C3", x.masked_fill_, m, torch.ones(2, 3))
            expect_error(RuntimeError, "masked_fill/C3", x.masked_fill, m, torch.ones(0))""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "masked_fill/C5", f"""
            x = normal(445, (2, 3), torch.{dt})
            m = bools(446, (2, 3))
            expect_error(NotImplementedError, "masked_fill/C5", x.masked_fill, m, 1)
            expect_error(NotImplementedError, "masked_fill/C5", x.masked_fill_, m, 1e10)
            expect_error(NotImplementedError, "masked_fill/C5", x[:0].masked_fill, m[:0], 1)""")
    yield g.case("bool/overlaps", "masked_fill/C6", """
            m = torch.ones(7, dtype=torch.bool)
            expect_error(RuntimeError, "masked_fill/C6", m[1:].masked_fill_, m[:-1], False)
            n = torch.ones(3, 3, dtype=torch.bool)
            expect_error(RuntimeError, "masked_fill/C6", n.masked_fill_, n.t(), False)
            expect_error(RuntimeError, "masked_fill/C6", n.masked_fill_, n[1], False)
            expect(m, "untouched")
            expect(n, "neither")""", variants=False, trivial="they are what they were")


def gradients(g, dt):
    yield g.case(f"{dt}/gradient", "masked_fill/G1", f"""
            x = {made(dt, 461)}.requires_grad_()
            m = bools(462, (3, 4))
            x.masked_fill(m, 3).backward({made(dt, 463)})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_broadcast", "masked_fill/G1", f"""
            x = {made(dt, 464, "(4,)")}.requires_grad_()
            x.masked_fill(bools(465, (3, 4)), 3).backward({made(dt, 466)})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_value", "masked_fill/G1 masked_fill/G2", f"""
            x = {made(dt, 467)}.requires_grad_()
            v = {made(dt, 468, "()")}.requires_grad_()
            x.masked_fill(bools(469, (3, 4)), v).backward({made(dt, 470)})
            expect(x.grad, "x")
            expect(v.grad, "v")""")
    yield g.case(f"{dt}/gradient_value_of_another_dtype", "masked_fill/G2", f"""
            x = {made(dt, 471)}
            v = torch.tensor(0.5, dtype=torch.float64).requires_grad_()
            w = torch.tensor(0.5, dtype=torch.bfloat16).requires_grad_()
            m = bools(472, (3, 4))
            x.masked_fill(m, v).masked_fill(~m, w).backward({made(dt, 473)})
            expect(v.grad, "v")
            expect(w.grad, "w")""")
    yield g.case(f"{dt}/gradient_in_place", "masked_fill/G1 masked_fill/G2 masked_fill/S4", f"""
            x = {made(dt, 474)}.requires_grad_()
            v = {made(dt, 475, "()")}.requires_grad_()
            y = x * 2
            z = y[1:]
            y[:, 1:].masked_fill_(bools(476, (3, 3)), v)
            z.backward({made(dt, 477, "(2, 4)")})
            expect(x.grad, "x")
            expect(v.grad, "v")""")
    yield g.case(f"{dt}/gradient_of_what_is_not_finite", "masked_fill/G1", f"""
            x = {made(dt, 478)}.requires_grad_()
            m = torch.tensor([True, False, True, False])
            x.masked_fill(m, 0).backward(normal(479, (3, 4), torch.{dt}, mix="special"))
            expect(x.grad, "x")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/gradient_twice", "masked_fill/G1 masked_fill/G2", f"""
            x = {made(dt, 480)}.requires_grad_()
            v = {made(dt, 481, "()")}.requires_grad_()
            y = x.masked_fill(bools(482, (3, 4)), v)
            gx, gv = autograd.grad((y * y * y).sum(), (x, v), create_graph=True)
            ((gx * gx).sum() + gv * gv).backward()
            expect(x.grad, "x")
            expect(v.grad, "v")""")
    if dt == "float32":
        yield g.case(f"{dt}/mask_changed", "masked_fill/G1", f"""
            x = {made(dt, 483)}.requires_grad_()
            m = bools(484, (3, 4))
            y = x.masked_fill(m, 1)
            m.fill_(True)
            expect_error(RuntimeError, "autograd/C3", y.sum().backward)
            expect(y, "y")""")
