# SPDX-License-Identifier: Apache-2.0
"""layer_norm (O-17)."""

from calls import Arg, Call

# The square of a huge element overflows in float32 and not in a wider accumulator. Of an infinity in a row, or
# in a gradient, every element of the row is one or a NaN, by the order of steps.
ROWS = {"x": Arg("… B N"), "w": Arg("N", "weight"), "b": Arg("N", "weight")}
CALLS = [
    Call("native_layer_norm", "F.layer_norm({x}, ({N},), {w}, {b})", ROWS, "affine", along=("N", "B"), over=("N",),
         mix="nan", without=("huge",),
         reaches=("native_layer_norm_backward",)),
    Call("native_layer_norm", "F.layer_norm({x}, ({N},))", {"x": Arg("… B N")}, "plain", along=("N", "B"), over=("N",),
         mix="nan", without=("huge",),
         reaches=("native_layer_norm_backward",)),
    Call("native_layer_norm", "F.layer_norm({x}, ({C}, {N}))", {"x": Arg("B C N")}, "two", over=("N", "C"),
         mix="nan", without=("huge",),
         reaches=("native_layer_norm_backward",)),
    Call("native_layer_norm", "torch.native_layer_norm({x}, ({N},), {w}, {b}, 1e-05)", ROWS, "native", without=("pairs", "huge"),
         results=("[0]", "[1]", "[2]"), along=("N", "B"), over=("N",), mix="nan",
         reaches=("native_layer_norm_backward",)),
]


def cases(g):
    for dt in g.FLOAT:
        yield from values(g, dt)
        yield from gradients(g, dt)
    for dt in ("float16", "bfloat16"):
        yield from mixed(g, dt)
    yield from refusals(g)


def values(g, dt):
    for what, shape, rows in (("row", (3, 5), "(5,)"), ("two_dims", (2, 3, 4), "(3, 4)"),
                              ("all", (3, 4), "(3, 4)"), ("vector", (6,), "(6,)"),
                              ("three", (2, 3, 4), "[4]"), ("four", (2, 2, 3, 4), "(3, 4)")):
        yield g.case(f"{dt}/{what}", "layer_norm/S1 layer_norm/S2", f"""
            x = normal(11, {shape}, torch.{dt})
            expect(F.layer_norm(x, {rows}), "y")""")
        inner = shape[len(shape) - len(eval(rows)):]
        yield g.case(f"{dt}/{what}_affine", "layer_norm/S1", f"""
            x = normal(12, {shape}, torch.{dt})
            w = normal(13, {inner}, torch.{dt})
            b = normal(14, {inner}, torch.{dt})
            expect(F.layer_norm(x, {rows}, w, b), "both")
            expect(F.layer_norm(x, {rows}, weight=w), "weight")
            expect(F.layer_norm(x, {rows}, bias=b), "bias")""")
    yield g.case(f"{dt}/eps", "layer_norm/S1", f"""
        x = normal(15, (3, 4), torch.{dt})
        expect(F.layer_norm(x, (4,), eps=0.1), "tenth")
        expect(F.layer_norm(x, (4,), None, None, 1.0), "one")
        expect(torch.layer_norm(x, (4,), eps=0.25), "torch")""")
    yield g.case(f"{dt}/statistics", "layer_norm/S3", f"""
        x = normal(16, (2, 3, 4), torch.{dt})
        y, mean, rstd = torch.native_layer_norm(x, (3, 4), None, None, 1e-5)
        expect(y, "y")
        expect(mean, "mean")
        expect(rstd, "rstd")""")
    yield g.case(f"{dt}/rows_of_one", "layer_norm/S1 layer_norm/S3", f"""
        x = integers(18, (5, 1), torch.{dt}, low=2, high=60)
        y, mean, rstd = torch.native_layer_norm(x, (1,), None, None, 1e-5)
        expect(y, "y")
        expect(mean, "mean")
        expect(rstd, "rstd")""")
    yield g.case(f"{dt}/statistics_all", "layer_norm/S3", f"""
        x = normal(17, (3, 4), torch.{dt})
        y, mean, rstd = torch.native_layer_norm(x, (3, 4), normal(18, (3, 4), torch.{dt}), None, 0.001)
        expect(mean, "mean")
        expect(rstd, "rstd")""")
    yield g.case(f"{dt}/three_hundreds", "layer_norm/S2", f"""
        x = torch.tensor([300.0, -300.0, 300.0, -300.0, 300.0, -300.0], dtype=torch.{dt})
        expect(F.layer_norm(x, (6,)), "y")""")
    yield g.case(f"{dt}/long_large_row", "layer_norm/S2", f"""
        x = normal(19, (2, 600), torch.{dt}) * 200
        expect(F.layer_norm(x, (600,))[:, ::40], "some")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/mean_far_from_zero", "layer_norm/S2", f"""
            x = integers(20, (3, 8), torch.{dt}, 10000, 10010)
            expect(F.layer_norm(x, (8,)), "y")""")
    yield g.case(f"{dt}/empty", "layer_norm/S5", f"""
        y, mean, rstd = torch.native_layer_norm(normal(1, (0, 3), torch.{dt}), (3,), None, None, 1e-5)
        expect(y, "y")
        expect(mean, "mean")
        expect(rstd, "rstd")""")
    yield g.case(f"{dt}/rows_of_nothing", "layer_norm/S5", f"""
        y, mean, rstd = torch.native_layer_norm(normal(1, (2, 0), torch.{dt}), (0,), None, None, 1e-5)
        expect(y, "y")
        expect(mean, "mean")
        expect(rstd, "rstd")""")
    yield g.case(f"{dt}/constant_row", "layer_norm/S6", f"""
        x = torch.full((2, 4), 5.0, dtype=torch.{dt})
        expect(F.layer_norm(x, (4,), normal(21, (4,), torch.{dt}), normal(22, (4,), torch.{dt})), "bias")""")
    yield g.case(f"{dt}/nan_row", "layer_norm/S7", f"""
        x = normal(23, (4, 3), torch.{dt}) + 0
        x[1, 2] = float("nan")
        x[2, 0] = float("inf")
        expect(F.layer_norm(x, (3,)), "y")""")
    yield g.case(f"{dt}/layouts", "layer_norm/S8", f"""
        x = normal(24, (4, 3, 2), torch.{dt})
        y = F.layer_norm(x.permute(2, 0, 1), (4, 3))
        expect(y, "y")
        expect_strides(y, (12, 3, 1))
        expect(F.layer_norm(x[:, 1:, :], (2, 2), normal(25, (4, 2), torch.{dt})[::2]), "sliced")
        expect(F.layer_norm(x[:, :1].expand(4, 3, 2), (2,)), "expanded")""")


def mixed(g, dt):
    yield g.case(f"{dt}/float32_affine", "layer_norm/S4", f"""
        x = normal(31, (3, 6), torch.{dt})
        w = normal(32, (6,))
        b = normal(33, (6,))
        expect(F.layer_norm(x, (6,), w, b), "both")
        expect(F.layer_norm(x, (6,), w), "weight")
        expect(F.layer_norm(x, (6,), None, b), "bias")""")
    yield g.case(f"{dt}/float32_statistics", "layer_norm/S3 layer_norm/S4", f"""
        x = normal(34, (3, 6), torch.{dt})
        y, mean, rstd = torch.native_layer_norm(x, (6,), normal(35, (6,)), None, 1e-5)
        expect(y, "y")
        expect(mean, "mean")
        expect(rstd, "rstd")""")
    yield g.case(f"{dt}/float32_affine_backward", "layer_norm/S4 layer_norm/G1 layer_norm/G2", f"""
        x = normal(36, (3, 6), torch.{dt}).requires_grad_()
        w = normal(37, (6,)).requires_grad_()
        b = normal(38, (6,)).requires_grad_()
        F.layer_norm(x, (6,), w, b).backward(normal(39, (3, 6), torch.{dt}))
        expect(x.grad, "x_grad")
        expect(w.grad, "w_grad")
        expect(b.grad, "b_grad")""")


def gradients(g, dt):
    for what, shape, inner in (("row", (3, 5), (5,)), ("two_dims", (2, 3, 4), (3, 4)),
                               ("vector", (6,), (6,))):
        yield g.case(f"{dt}/{what}_backward", "layer_norm/G1", f"""
            x = normal(41, {shape}, torch.{dt}).requires_grad_()
            F.layer_norm(x, {inner}).backward(normal(42, {shape}, torch.{dt}))
            expect(x.grad, "x_grad")""")
        yield g.case(f"{dt}/{what}_affine_backward", "layer_norm/G1 layer_norm/G2 layer_norm/G3", f"""
            x = normal(43, {shape}, torch.{dt}).requires_grad_()
            w = normal(44, {inner}, torch.{dt}).requires_grad_()
            b = normal(45, {inner}, torch.{dt}).requires_grad_()
            F.layer_norm(x, {inner}, w, b).backward(normal(46, {shape}, torch.{dt}))
            expect(x.grad, "x_grad")
            expect(w.grad, "w_grad")
            expect(b.grad, "b_grad")""")
    yield g.case(f"{dt}/only_affine_wants", "layer_norm/G2 layer_norm/G3", f"""
        x = normal(47, (3, 5), torch.{dt})
        w = normal(48, (5,), torch.{dt}).requires_grad_()
        b = normal(49, (5,), torch.{dt}).requires_grad_()
        F.layer_norm(x, (5,), w, b).backward(normal(50, (3, 5), torch.{dt}))
        expect(w.grad, "w_grad")
        expect(b.grad, "b_grad")""")
    yield g.case(f"{dt}/only_bias_wants", "layer_norm/G3", f"""
        x = normal(51, (3, 5), torch.{dt})
        b = normal(52, (5,), torch.{dt}).requires_grad_()
        F.layer_norm(x, (5,), None, b).backward(normal(53, (3, 5), torch.{dt}))
        expect(b.grad, "b_grad")""")
    yield g.case(f"{dt}/double_backward", "layer_norm/G1 layer_norm/G2 layer_norm/G4", f"""
        x = normal(54, (2, 4), torch.{dt}).requires_grad_()
        w = normal(55, (4,), torch.{dt}).requires_grad_()
        b = normal(56, (4,), torch.{dt}).requires_grad_()
        v = normal(57, (2, 4), torch.{dt}).requires_grad_()
        gx, gw, gb = autograd.grad(F.layer_norm(x, (4,), w, b), (x, w, b), v, create_graph=True)
        expect(gx, "gx")
        expect(gw, "gw")
        expect(gb, "gb")
        seeds = [normal(58, (2, 4), torch.{dt}), normal(59, (4,), torch.{dt}), normal(62, (4,), torch.{dt})]
        h = autograd.grad((gx, gw, gb), (x, w, v), seeds)
        expect(h[0], "x_grad")
        expect(h[1], "w_grad")
        expect(h[2], "v_grad")""")
    for n, sizes, shape in ((1, "(5, 3, 4)", "(4,)"), (2, "(2, 3, 4)", "(3, 4)")):
        yield g.case(f"{dt}/double_backward_of_{n}_dims", "layer_norm/G1 layer_norm/G4", f"""
        x = normal(68, {sizes}, torch.{dt}).requires_grad_()
        v = normal(69, {sizes}, torch.{dt}).requires_grad_()
        (gx,) = autograd.grad(F.layer_norm(x, {shape}), (x,), v, create_graph=True)
        h = autograd.grad(gx, (x, v), normal(70, {sizes}, torch.{dt}))
        expect(h[0], "x_grad")
        expect(h[1], "v_grad")""")
    yield g.case(f"{dt}/only_bias_with_graph", "layer_norm/G4", f"""
        x = normal(63, (3, 5), torch.{dt})
        b = normal(64, (5,), torch.{dt}).requires_grad_()
        w = normal(67, (5,), torch.{dt})
        v = normal(65, (3, 5), torch.{dt}).requires_grad_()
        (g,) = autograd.grad(F.layer_norm(x, (5,), w, b), (b,), v, create_graph=True)
        expect(g, "g")
        expect_equal(g.requires_grad, True)
        (h,) = autograd.grad(g, (v,), normal(66, (5,), torch.{dt}))
        expect(h, "h")
        (g,) = autograd.grad(F.layer_norm(x, (5,), None, b), (b,), v.detach(), create_graph=True)
        expect_equal(g.requires_grad, True)""")
    yield g.case(f"{dt}/empty_backward", "layer_norm/S5 layer_norm/G2", f"""
        x = normal(60, (0, 3), torch.{dt}).requires_grad_()
        w = normal(61, (3,), torch.{dt}).requires_grad_()
        F.layer_norm(x, (3,), w).sum().backward()
        expect(x.grad, "x_grad")
        expect(w.grad, "w_grad")""", trivial="a sum over no rows is zero")


def refusals(g):
    yield g.case("float32/no_shape", "layer_norm/C1", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "layer_norm/C1", F.layer_norm, x, ())
        expect_error(RuntimeError, "layer_norm/C1", F.layer_norm, x[0, 0], ())""")
    yield g.case("float32/shape", "layer_norm/C2", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "layer_norm/C2", F.layer_norm, x, (2,))
        expect_error(RuntimeError, "layer_norm/C2", F.layer_norm, x, (3, 3))
        expect_error(RuntimeError, "layer_norm/C2", F.layer_norm, x, (1, 2, 3))
        expect_error(RuntimeError, "layer_norm/C2", F.layer_norm, normal(2, (2, 3, 4)), (3, 5))""")
    yield g.case("float32/weight_shape", "layer_norm/C3", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "layer_norm/C3", F.layer_norm, x, (3,), normal(2, (2,)))
        expect_error(RuntimeError, "layer_norm/C3", F.layer_norm, x, (3,), normal(2, (1, 3)))""")
    yield g.case("float32/bias_shape", "layer_norm/C4", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "layer_norm/C4", F.layer_norm, x, (3,), None, normal(2, (1,)))""")
    for dt in g.INT + ("bool",) + g.FLOAT8:
        source = "bools(1, (2, 3))" if dt == "bool" else f"integers(1, (2, 3), torch.{dt}, 0, 5)"
        yield g.case(f"{dt}/refused", "layer_norm/C5", f"""
            x = {source}
            expect_error(NotImplementedError, "layer_norm/C5", F.layer_norm, x, (3,))""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused_with_weight", "layer_norm/C5", f"""
            x = normal(1, (2, 3), torch.{dt})
            w = normal(2, (3,), torch.float32)
            expect_error(NotImplementedError, "layer_norm/C5", F.layer_norm, x, (3,), w)""")
    for a, w, b in (("float32", "float64", None), ("float32", "float16", None),
                    ("float64", "float32", None), ("bfloat16", "float16", "float16"),
                    ("float16", "float32", "float16"), ("float16", "float16", "float32"),
                    ("float16", "float64", "float64")):
        bias = f"normal(3, (3,), torch.{b})" if b else "None"
        yield g.case(f"{a}/mixed_with_{w}_{b}", "layer_norm/C6", f"""
            x = normal(1, (2, 3), torch.{a})
            w = normal(2, (3,), torch.{w})
            expect_error(RuntimeError, "layer_norm/C6", F.layer_norm, x, (3,), w, {bias})""")
