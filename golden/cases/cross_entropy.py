# SPDX-License-Identifier: Apache-2.0
"""cross_entropy, nll_loss (O-06)."""

from calls import Arg, Call

CALLS = [
    *[Call("nll_loss_forward", f"F.{call}({{x}}, {{target}}{weight}, reduction={{reduction}})",
           {"x": Arg("N C"), "target": Arg("N", "index", "C", "int64"),
            **({"weight": Arg("C", "positive", grad=False)} if weight else {})},
           call + ("_weighted" if weight else ""), along=("N", "C"), over=("C",), reaches=("nll_loss_backward",),
           most={"bfloat16": 257, "float16": 257},
           choices={"reduction": ("'mean'", "'sum'", "'none'")})
      for call in ("nll_loss", "cross_entropy") for weight in ("", ", {weight}")],
    Call("nll_loss_forward", "F.nll_loss({x}, {target}, reduction={reduction})",
         {"x": Arg("B C N"), "target": Arg("B N", "index", "C", "int64")}, "sequence", exact=True, over=("C",),
         choices={"reduction": ("'none'", "'sum'")}, reaches=("nll_loss_backward",)),
]

REDUCTIONS = ("mean", "sum", "none")
# what is special -> (input shape, target shape)
SHAPES = {"rows": ((5, 4), (5,)), "one_row": ((4,), ()), "sequence": ((2, 4, 3), (2, 3)),
          "image": ((2, 3, 2, 2), (2, 2, 2)), "volume": ((2, 3, 2, 1, 2), (2, 2, 1, 2))}


def classes(shape):
    return shape[1] if len(shape) > 1 else shape[0]


def cases(g):
    for dt in g.FLOAT:
        yield from indices(g, dt)
        yield from ignored(g, dt)
        yield from smoothing(g, dt)
        yield from probabilities(g, dt)
        yield from nll(g, dt)
        yield from gradients(g, dt)
    yield from particular(g)
    yield from refusals(g)


def indices(g, dt):
    for what, (shape, target) in SHAPES.items():
        c = classes(shape)
        yield g.case(f"{dt}/{what}", "cross_entropy/S1 cross_entropy/S2", f"""
            x = normal(11, {shape}, torch.{dt})
            t = integers(12, {target}, torch.int64, 0, {c})
            expect(F.cross_entropy(x, t), "mean")
            expect(F.cross_entropy(x, t, reduction="sum"), "sum")
            expect(F.cross_entropy(x, t, reduction="none"), "none")""")
        yield g.case(f"{dt}/{what}_weight", "cross_entropy/S1 cross_entropy/S2", f"""
            x = normal(13, {shape}, torch.{dt})
            t = integers(14, {target}, torch.int64, 0, {c})
            w = uniform(15, ({c},), torch.{dt}, 0.5, 2.0)
            expect(F.cross_entropy(x, t, w), "mean")
            expect(F.cross_entropy(x, t, weight=w, reduction="sum"), "sum")
            expect(F.cross_entropy(x, t, weight=w, reduction="none"), "none")""")
    yield g.case(f"{dt}/uint8_target", "cross_entropy/S9", f"""
        x = normal(16, (5, 4), torch.{dt})
        t = integers(17, (5,), torch.uint8, 0, 4)
        expect(F.cross_entropy(x, t), "mean")
        expect(F.nll_loss(x, t, reduction="none"), "none")""")
    yield g.case(f"{dt}/is_nll_of_log_softmax", "cross_entropy/S7", f"""
        x = normal(18, (4, 3), torch.{dt})
        t = integers(19, (4,), torch.int64, 0, 3)
        expect(F.cross_entropy(x, t), "one")
        expect(F.nll_loss(F.log_softmax(x, 1), t), "two")
        expect(-torch.log_softmax(x, 1).gather(1, t.unsqueeze(1)).squeeze(1), "three")""")
    yield g.case(f"{dt}/many_rows", "cross_entropy/S10", f"""
        x = normal(20, (600, 5), torch.{dt})
        t = integers(21, (600,), torch.int64, 0, 5)
        expect(F.cross_entropy(x, t), "mean")
        expect(F.cross_entropy(x, t, reduction="sum"), "sum")""")


def ignored(g, dt):
    for what in ("rows", "sequence", "image"):
        shape, target = SHAPES[what]
        c = classes(shape)
        yield g.case(f"{dt}/{what}_ignored", "cross_entropy/S3", f"""
            x = normal(31, {shape}, torch.{dt})
            t = integers(32, {target}, torch.int64, 0, {c})
            t = torch.where(integers(33, {target}) < 4, -100, t)
            w = uniform(34, ({c},), torch.{dt}, 0.5, 2.0)
            expect(F.cross_entropy(x, t), "mean")
            expect(F.cross_entropy(x, t, w), "weighted")
            expect(F.cross_entropy(x, t, reduction="sum"), "sum")
            expect(F.cross_entropy(x, t, w, reduction="none"), "none")""", variants=False)
        yield g.case(f"{dt}/{what}_ignore_index", "cross_entropy/S3", f"""
            x = normal(35, {shape}, torch.{dt})
            t = integers(36, {target}, torch.int64, 0, {c})
            expect(F.cross_entropy(x, t, ignore_index=1), "mean")
            expect(F.cross_entropy(x, t, ignore_index=1, reduction="none"), "none")""")
    yield g.case(f"{dt}/all_ignored", "cross_entropy/S4", f"""
        x = normal(37, (5, 10), torch.{dt})
        t = torch.full((5,), -100)
        expect(F.cross_entropy(x, t), "mean")
        expect(F.cross_entropy(x, t, reduction="sum"), "sum")
        expect(F.cross_entropy(x, t, reduction="none"), "none")
        expect(F.cross_entropy(x, t, label_smoothing=0.1), "smoothed")""")
    yield g.case(f"{dt}/no_rows", "cross_entropy/S4", f"""
        x = normal(38, (0, 3), torch.{dt})
        t = torch.zeros(0, dtype=torch.int64)
        expect(F.cross_entropy(x, t), "mean")
        expect(F.cross_entropy(x, t, reduction="sum"), "sum")
        expect(F.cross_entropy(x, t, reduction="none"), "none")
        expect(F.cross_entropy(x, normal(39, (0, 3), torch.{dt})), "probabilities")""")
    yield g.case(f"{dt}/zero_weight", "cross_entropy/S4", f"""
        x = normal(40, (3, 2), torch.{dt})
        w = torch.tensor([0.0, 1.0], dtype=torch.{dt})
        expect(F.cross_entropy(x, torch.zeros(3, dtype=torch.int64), w), "mean")
        expect(F.cross_entropy(x, torch.tensor([0, 1, 0]), w), "one")""")
    yield g.case(f"{dt}/nan_in_ignored_row", "cross_entropy/S3", f"""
        x = normal(41, (3, 4), torch.{dt}) + 0
        x[1, 2] = float("nan")
        t = torch.tensor([0, -100, 3])
        expect(F.cross_entropy(x, t), "mean")
        expect(F.cross_entropy(x, t, reduction="none"), "none")
        expect(F.cross_entropy(x, t, label_smoothing=0.2), "smoothed")
        expect(F.cross_entropy(x, torch.tensor([0, 1, 3]), reduction="none"), "kept")""")


def smoothing(g, dt):
    for what in ("rows", "one_row", "sequence", "image"):
        shape, target = SHAPES[what]
        c = classes(shape)
        for red in REDUCTIONS:
            yield g.case(f"{dt}/{what}_smoothed_{red}", "cross_entropy/S5", f"""
                x = normal(51, {shape}, torch.{dt})
                t = integers(52, {target}, torch.int64, 0, {c})
                w = uniform(53, ({c},), torch.{dt}, 0.5, 2.0)
                expect(F.cross_entropy(x, t, label_smoothing=0.25, reduction="{red}"), "plain")
                expect(F.cross_entropy(x, t, w, label_smoothing=0.25, reduction="{red}"), "weighted")
                expect(F.cross_entropy(x, t, label_smoothing=1.0, reduction="{red}"), "uniform")""")
    yield g.case(f"{dt}/smoothed_ignored", "cross_entropy/S5 cross_entropy/S3", f"""
        x = normal(54, (6, 3), torch.{dt})
        t = torch.tensor([0, 1, -100, 2, -100, 1])
        w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.{dt})
        expect(F.cross_entropy(x, t, label_smoothing=0.125), "mean")
        expect(F.cross_entropy(x, t, w, label_smoothing=0.125), "weighted")
        expect(F.cross_entropy(x, t, w, label_smoothing=0.125, reduction="sum"), "sum")
        expect(F.cross_entropy(x, t, w, label_smoothing=0.125, reduction="none"), "none")""")


def probabilities(g, dt):
    for what, (shape, _) in SHAPES.items():
        c = classes(shape)
        yield g.case(f"{dt}/{what}_probabilities", "cross_entropy/S6", f"""
            x = normal(61, {shape}, torch.{dt})
            t = uniform(62, {shape}, torch.{dt}, 0.1, 0.5)
            w = uniform(63, ({c},), torch.{dt}, 0.5, 2.0)
            expect(F.cross_entropy(x, t), "mean")
            expect(F.cross_entropy(x, t, reduction="sum"), "sum")
            expect(F.cross_entropy(x, t, reduction="none"), "none")
            expect(F.cross_entropy(x, t, w), "weighted")
            expect(F.cross_entropy(x, t, w, reduction="none"), "weighted_none")""")
    yield g.case(f"{dt}/probabilities_smoothed", "cross_entropy/S6", f"""
        x = normal(64, (4, 3), torch.{dt})
        t = uniform(65, (4, 3), torch.{dt}, 0.1, 0.5)
        expect(F.cross_entropy(x, t, label_smoothing=0.25), "mean")
        expect(F.cross_entropy(x, t, label_smoothing=0.25, reduction="none"), "none")""")
    yield g.case(f"{dt}/probability_zero_of_minus_infinity", "cross_entropy/S6", f"""
        x = torch.tensor([[float("-inf"), 0.0, 0.0], [0.0, 1.0, 2.0]], dtype=torch.{dt})
        t = torch.tensor([[0.0, 0.5, 0.5], [0.0, 0.0, 1.0]], dtype=torch.{dt})
        expect(F.cross_entropy(x, t, reduction="none"), "none")""")


def nll(g, dt):
    for what, (shape, target) in SHAPES.items():
        c = classes(shape)
        yield g.case(f"{dt}/nll_{what}", "cross_entropy/S8 cross_entropy/S2", f"""
            x = uniform(71, {shape}, torch.{dt}, 0.5, 3.0)
            t = integers(72, {target}, torch.int64, 0, {c})
            w = uniform(73, ({c},), torch.{dt}, 0.5, 2.0)
            expect(F.nll_loss(x, t), "mean")
            expect(F.nll_loss(x, t, w), "weighted")
            expect(F.nll_loss(x, t, reduction="sum"), "sum")
            expect(F.nll_loss(x, t, w, reduction="none"), "none")
            expect(F.nll_loss(x, t, w, ignore_index=0), "ignoring")""")
    yield g.case(f"{dt}/nll_all_ignored", "cross_entropy/S4", f"""
        x = normal(74, (3, 4), torch.{dt})
        t = torch.full((3,), 2)
        expect(F.nll_loss(x, t, ignore_index=2), "mean")
        expect(F.nll_loss(x, t, ignore_index=2, reduction="sum"), "sum")
        expect(F.nll_loss(x, t, ignore_index=2, reduction="none"), "none")""")


def gradients(g, dt):
    for red in REDUCTIONS:
        seed = "" if red != "none" else f"normal(81, (5,), torch.{dt})"
        yield g.case(f"{dt}/nll_backward_{red}", "cross_entropy/G1", f"""
            x = normal(82, (5, 4), torch.{dt}).requires_grad_()
            t = torch.tensor([0, 3, -100, 1, 3])
            w = uniform(83, (4,), torch.{dt}, 0.5, 2.0)
            F.nll_loss(x, t, w, reduction="{red}").backward({seed})
            expect(x.grad, "x_grad")""")
        for what in ("rows", "sequence"):
            shape, target = SHAPES[what]
            seed = "" if red != "none" else f"normal(84, {target}, torch.{dt})"
            yield g.case(f"{dt}/{what}_backward_{red}", "cross_entropy/G3", f"""
                x = normal(85, {shape}, torch.{dt}).requires_grad_()
                t = integers(86, {target}, torch.int64, 0, {classes(shape)})
                F.cross_entropy(x, t, ignore_index=2, reduction="{red}").backward({seed})
                expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/first_class_ignored_backward", "cross_entropy/S3 cross_entropy/G1", f"""
        x = normal(88, (5, 4), torch.{dt}).requires_grad_()
        loss = F.nll_loss(x, torch.tensor([0, 3, 0, 1, 3]), ignore_index=0)
        loss.backward()
        expect(loss, "loss")
        expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/all_ignored_backward", "cross_entropy/G2", f"""
        x = normal(87, (3, 4), torch.{dt}).requires_grad_()
        F.nll_loss(x, torch.full((3,), -100)).backward()
        expect(x.grad, "x_grad")""", trivial="the gradient of ignored rows is zero")
    yield g.case(f"{dt}/smoothed_backward", "cross_entropy/S5 cross_entropy/G3", f"""
        x = normal(88, (4, 3), torch.{dt}).requires_grad_()
        t = torch.tensor([0, 1, -100, 2])
        w = uniform(89, (3,), torch.{dt}, 0.5, 2.0)
        F.cross_entropy(x, t, w, label_smoothing=0.25).backward()
        expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/probabilities_backward", "cross_entropy/G4", f"""
        x = normal(90, (4, 3), torch.{dt}).requires_grad_()
        t = uniform(91, (4, 3), torch.{dt}, 0.1, 0.5).requires_grad_()
        w = uniform(92, (3,), torch.{dt}, 0.5, 2.0).requires_grad_()
        F.cross_entropy(x, t, w).backward()
        expect(x.grad, "x_grad")
        expect(t.grad, "t_grad")
        expect(w.grad, "w_grad")""")
    if dt in ("float64", "float32"):
        for red in ("mean", "sum"):
            yield g.case(f"{dt}/double_backward_{red}", "cross_entropy/G3", f"""
                x = normal(93, (4, 3), torch.{dt}).requires_grad_()
                t = torch.tensor([0, 1, -100, 2])
                gx = autograd.grad(F.cross_entropy(x, t, reduction="{red}"), x, create_graph=True)[0]
                (gx * normal(94, (4, 3), torch.{dt})).sum().backward()
                expect(x.grad, "x_grad")""")
        yield g.case(f"{dt}/nll_double_backward", "cross_entropy/G1", f"""
            x = normal(95, (4, 3), torch.{dt}).requires_grad_()
            v = normal(96, (4,), torch.{dt}).requires_grad_()
            t = torch.tensor([0, 1, -100, 2])
            gx = autograd.grad(F.nll_loss(x * x, t, reduction="none"), x, v, create_graph=True)[0]
            (gx * normal(97, (4, 3), torch.{dt})).sum().backward()
            expect(x.grad, "x_grad")
            expect(v.grad, "v_grad")""")


def particular(g):
    yield g.case("float32/large_logits", "cross_entropy/G3", """
        x = torch.tensor([[-431.0, 279.0, 427.0]]).requires_grad_()
        y = F.cross_entropy(x, torch.tensor([0]))
        expect(y, "y")
        y.backward()
        expect(x.grad, "x_grad")""")
    yield g.case("float32/smoothing_weight_ignore", "cross_entropy/S5 cross_entropy/S3", """
        x = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
        w = torch.tensor([1.0, 2.0, 3.0])
        expect(F.cross_entropy(x, torch.tensor([0, 1, -100]), w, label_smoothing=0.1), "three")
        expect(F.cross_entropy(x[:2], torch.tensor([0, 1]), w, label_smoothing=0.1), "two")""")
    yield g.case("float32/one_target_element", "cross_entropy/S1", """
        x = normal(98, (4,))
        expect(F.cross_entropy(x, torch.tensor([2])), "y")
        expect(F.cross_entropy(x, torch.tensor([2]), reduction="none"), "none")""")
    yield g.case("float32/mixed_probabilities", "cross_entropy/S6", """
        x = normal(99, (3, 4))
        expect(F.cross_entropy(x, uniform(100, (3, 4), torch.float64, 0.1, 0.5)), "wide")
        expect(F.cross_entropy(x, uniform(101, (3, 4), torch.float16, 0.1, 0.5)), "half")""")
    yield g.case("float32/negative_smoothing", "cross_entropy/S5", """
        x = normal(102, (3, 4))
        expect(F.cross_entropy(x, torch.tensor([0, 1, 2]), label_smoothing=-1.0), "y")""")
    yield g.case("float32/row_layouts", "cross_entropy/S1", """
        x = normal(103, (4, 6))
        t = integers(104, (8,), torch.int64, 0, 3)
        expect(F.cross_entropy(x[:, ::2], t[::2], reduction="none"), "strided")
        expect(F.cross_entropy(x.t()[:, :3], t[:6], reduction="none"), "transposed")
        expect(F.cross_entropy(x[:1, :3].expand(4, 3), t[:1].expand(4), reduction="none"), "expanded")
        y = normal(105, (2, 4, 3)).transpose(1, 2)
        expect(F.cross_entropy(y, t.view(2, 4), reduction="none"), "sequence")""", variants=False)


    for dt in g.FLOAT:
        yield g.case(f"{dt}/language_model_step",
                     "cross_entropy/G3 cross_entropy/S3 embedding/G1 layer_norm/G1 matmul/G1", f"""
            table = normal(111, (7, 4), torch.{dt}).requires_grad_()
            w = uniform(112, (4,), torch.{dt}, 0.5, 1.5).requires_grad_()
            b = normal(113, (4,), torch.{dt}).requires_grad_()
            up = normal(114, (4, 6), torch.{dt}).requires_grad_()
            down = normal(115, (6, 7), torch.{dt}).requires_grad_()
            token = integers(116, (2, 5), torch.int64, 0, 7)
            x = F.embedding(token[:, :4], table)
            h = F.gelu(F.layer_norm(x, (4,), w, b) @ up)
            target = token[:, 1:].clone()
            target[1, 2:] = -100
            loss = F.cross_entropy((h @ down).transpose(1, 2), target)
            expect(loss, "loss")
            loss.backward()
            expect(table.grad, "table_grad")
            expect(w.grad, "w_grad")
            expect(b.grad, "b_grad")
            expect(up.grad, "up_grad")
            expect(down.grad, "down_grad")""")


def refusals(g):
    yield g.case("float32/target_out_of_range", "cross_entropy/C1", """
        x = normal(1, (4, 3))
        t = torch.tensor([0, 0, -1, 0])
        expect_error(IndexError, "cross_entropy/C1", F.cross_entropy, x, t)
        expect_error(IndexError, "cross_entropy/C1", F.cross_entropy, x, t + 3)
        expect_error(IndexError, "cross_entropy/C1", F.nll_loss, x, t)
        expect_error(IndexError, "cross_entropy/C1", F.nll_loss, x, t + 3)""")
    yield g.case("float32/target_out_of_range_nd", "cross_entropy/C1", """
        x = normal(1, (2, 3, 2))
        expect_error(IndexError, "cross_entropy/C1", F.cross_entropy, x, torch.full((2, 2), 3))
        expect_error(IndexError, "cross_entropy/C1", F.cross_entropy, normal(2, (2, 3, 1, 1)), torch.full((2, 1, 1), 5))
        expect_error(IndexError, "cross_entropy/C1", F.nll_loss, x[0, :, 0], torch.tensor(-4))
        expect_error(IndexError, "cross_entropy/C1", F.cross_entropy, normal(3, (3, 5)), torch.tensor([1, 2, -4]), ignore_index=-1)""")
    yield g.case("float32/no_classes", "cross_entropy/C1", """
        x = normal(1, (2, 0))
        expect_error(IndexError, "cross_entropy/C1", F.nll_loss, x, torch.zeros(2, dtype=torch.int64))""")
    yield g.case("float32/reduction", "cross_entropy/C2", """
        x = normal(1, (4, 3))
        t = torch.zeros(4, dtype=torch.int64)
        expect_error(ValueError, "cross_entropy/C2", F.cross_entropy, x, t, reduction="average")
        expect_error(ValueError, "cross_entropy/C2", F.nll_loss, x, t, reduction="")""")
    yield g.case("float32/row_counts", "cross_entropy/C3", """
        t = torch.zeros(2, dtype=torch.int64)
        expect_error(ValueError, "cross_entropy/C3", F.cross_entropy, normal(1, (4, 3)), t)
        expect_error(ValueError, "cross_entropy/C3", F.nll_loss, normal(1, (4, 3)), t)
        expect_error(ValueError, "cross_entropy/C3", F.nll_loss, normal(1, (4, 3, 2)), t.view(2, 1))""")
    yield g.case("float32/target_sizes", "cross_entropy/C4", """
        t = torch.zeros(2, 5, dtype=torch.int64)
        expect_error(RuntimeError, "cross_entropy/C4", F.cross_entropy, normal(1, (2, 3, 4)), t)
        expect_error(RuntimeError, "cross_entropy/C4", F.nll_loss, normal(1, (2, 3, 4)), t)
        expect_error(RuntimeError, "cross_entropy/C4", F.nll_loss, normal(1, (2, 5)), t)
        expect_error(RuntimeError, "cross_entropy/C4", F.nll_loss, normal(1, (2, 3, 5, 5)), t)""")
    yield g.case("float32/weight_sizes", "cross_entropy/C5", """
        x = normal(1, (4, 3))
        t = torch.zeros(4, dtype=torch.int64)
        expect_error(RuntimeError, "cross_entropy/C5", F.cross_entropy, x, t, normal(2, (2,)))
        expect_error(RuntimeError, "cross_entropy/C5", F.nll_loss, x, t, normal(2, (1, 3)))
        expect_error(RuntimeError, "cross_entropy/C5", F.cross_entropy, x, t, normal(2, (4,)))
        expect_error(RuntimeError, "cross_entropy/C5", F.nll_loss, x, t, normal(2, (4,)))
        expect_error(RuntimeError, "cross_entropy/C5", F.cross_entropy, x, x, normal(2, (4,)))
        expect_error(RuntimeError, "cross_entropy/C5", F.cross_entropy, x, x, normal(2, (2,)))""")
    for dt in g.INT + ("bool",):
        source = "bools(1, (4, 3))" if dt == "bool" else f"integers(1, (4, 3), torch.{dt}, 0, 3)"
        yield g.case(f"{dt}/target_like_input", "cross_entropy/C6", f"""
            expect_error(RuntimeError, "cross_entropy/C6", F.cross_entropy, normal(2, (4, 3)), {source})""")
        yield g.case(f"{dt}/input", "cross_entropy/C11", f"""
            x = {source}
            t = torch.zeros(4, dtype=torch.int64)
            expect_error(NotImplementedError, "cross_entropy/C11", F.cross_entropy, x, t)
            expect_error(NotImplementedError, "cross_entropy/C11", F.nll_loss, x, t)""")
    for dt in ("int32", "int16", "int8", "bool", "float32", "float16"):
        yield g.case(f"{dt}/target_dtype", "cross_entropy/C7", f"""
            x = normal(1, (4, 3))
            t = torch.zeros(4, dtype=torch.{dt})
            expect_error(RuntimeError, "cross_entropy/C7", F.cross_entropy, x, t)
            expect_error(RuntimeError, "cross_entropy/C7", F.nll_loss, x, t)""")
    yield g.case("float32/label_smoothing", "cross_entropy/C8", """
        x = normal(1, (4, 3))
        expect_error(RuntimeError, "cross_entropy/C8", F.cross_entropy, x, torch.zeros(4, dtype=torch.int64), label_smoothing=1.5)
        expect_error(RuntimeError, "cross_entropy/C8", F.cross_entropy, x, x, label_smoothing=2.0)""")
    yield g.case("float32/ignore_index_of_probabilities", "cross_entropy/C9", """
        x = normal(1, (4, 3))
        expect_error(RuntimeError, "cross_entropy/C9", F.cross_entropy, x, x, ignore_index=1)
        expect_error(RuntimeError, "cross_entropy/C9", F.cross_entropy, x, x, ignore_index=0)
        expect(F.cross_entropy(x, torch.softmax(x, 1), ignore_index=-5), "negative")""")
    yield g.case("float32/no_dims", "cross_entropy/C10", """
        expect_error(ValueError, "cross_entropy/C10", F.nll_loss, torch.zeros(()), torch.tensor(0))""")
    yield g.case("float32/no_dim_of_classes", "cross_entropy/C14", """
        x = torch.zeros(())
        expect_error(IndexError, "cross_entropy/C14", F.cross_entropy, x, x)
        expect_error(IndexError, "cross_entropy/C14", F.cross_entropy, x, x, torch.ones(1))
        expect_error(IndexError, "cross_entropy/C14", F.cross_entropy, x, torch.zeros(1, dtype=torch.int64))
        expect_error(RuntimeError, "cross_entropy/C6", F.cross_entropy, x, torch.tensor(0))""")
    for a, b in (("float32", "float64"), ("float32", "float16"), ("float64", "float32"),
                 ("float16", "float32"), ("float32", "int64")):
        yield g.case(f"{a}/weight_{b}", "cross_entropy/C12", f"""
            x = normal(1, (4, 3), torch.{a})
            t = torch.zeros(4, dtype=torch.int64)
            expect_error(RuntimeError, "cross_entropy/C12", F.cross_entropy, x, t, torch.ones(3, dtype=torch.{b}))""")
    yield g.case("float32/weight_wants_gradient", "cross_entropy/C13", """
        x = normal(1, (4, 3)).requires_grad_()
        w = torch.ones(3).requires_grad_()
        t = torch.zeros(4, dtype=torch.int64)
        expect_error(RuntimeError, "cross_entropy/C13", F.nll_loss, x, t, w)
        expect_error(RuntimeError, "cross_entropy/C13", F.cross_entropy, x, t, w)""")
