# SPDX-License-Identifier: Apache-2.0
"""mse_loss, kl_div, binary_cross_entropy_with_logits (O-06)."""

BCE = "F.binary_cross_entropy_with_logits"
INF, NAN = 'float("inf")', 'float("nan")'
ALL = ("none", "mean", "sum")


def cases(g):
    for dt in g.FLOAT:
        given = f"""
            x = normal(1, (3, 4), torch.{dt})
            t = uniform(2, (3, 4), torch.{dt}, low=0.05, high=0.95)"""

        def each(call, reductions=ALL):
            return "".join(f"""
            expect({call.format(f'reduction="{r}"')}, "{r}")""" for r in reductions)
        yield g.case(f"{dt}/mse_loss", "losses/S1 losses/S2", f"""{given}{each("F.mse_loss(x, t, {})")}
            expect(F.mse_loss(x, t), "default")
            expect(F.mse_loss(x, t[0]), "row")
            expect(F.mse_loss(x[:1], t, reduction="none"), "broadcast")
            expect(F.mse_loss(x[:0], t[:0]), "of_nothing")
            expect(F.mse_loss(x[:0], t[:0], reduction="sum"), "sum_of_nothing")""")
        yield g.case(f"{dt}/kl_div", "losses/S1 losses/S3", f"""{given}{each("F.kl_div(x, t, {})", (*ALL, "batchmean"))}
            expect(F.kl_div(x, t[0], reduction="none"), "row")
            expect(F.kl_div(x[0, 0], t[0, 0], reduction="batchmean"), "number")""")
        yield g.case(f"{dt}/kl_div_log_target", "losses/S1 losses/S4", f"""{given}{each("F.kl_div(x, t, log_target=True, {})", (*ALL, "batchmean"))}
            expect(F.kl_div(x, -x, log_target=True, reduction="none"), "negative")""")
        yield g.case(f"{dt}/bce", "losses/S1 losses/S5", f"""{given}{each(BCE + "(x, t, {})")}
            w = uniform(3, (4,), torch.{dt}, low=0.5, high=2.0)
            expect({BCE}(x, t, w, reduction="none"), "weight")
            expect({BCE}(x, t, t), "own_weight")""")
        yield g.case(f"{dt}/bce_pos_weight", "losses/S6", f"""{given}
            p = uniform(4, (4,), torch.{dt}, low=0.5, high=3.0)
            expect({BCE}(x, t, pos_weight=p, reduction="none"), "row")
            expect({BCE}(x, t, t, pos_weight=p[1], reduction="sum"), "both")""")
        yield g.case(f"{dt}/large_logits", "losses/S5", f"""
            x = torch.tensor([50.0, -50.0, 90.0, -90.0, 20.5, -20.5, 0.0], dtype=torch.{dt})
            t = torch.tensor([1.0, 0.0, 0.0, 1.0, 0.25, 0.5, 0.5], dtype=torch.{dt})
            expect({BCE}(x, t, reduction="none"), "y")
            expect({BCE}(torch.tensor([{INF}, {NAN}], dtype=torch.{dt}), t[2:4], reduction="none"), "special")""")
        yield g.case(f"{dt}/zeros_as_target", "losses/S3", f"""
            t = torch.tensor([0.0, 1.0, 0.5, {NAN}, -0.5], dtype=torch.{dt})
            expect(F.kl_div(torch.tensor([-3.0, -2.0, 0.0, 1.0, 1.0], dtype=torch.{dt}), t, reduction="none"), "y")""")
        yield g.case(f"{dt}/backward", "losses/G1 losses/G2 losses/G3", f"""{given}
            x.requires_grad_()
            t.requires_grad_()
            w = normal(5, (3, 4), torch.{dt})
            a, b = autograd.grad(F.mse_loss(x, t), (x, t))
            expect(a, "mse_x")
            expect(b, "mse_t")
            a, b = autograd.grad(F.mse_loss(x, t, reduction="none"), (x, t), w)
            expect(a, "mse_none_x")
            expect(b, "mse_none_t")
            (c,) = autograd.grad(F.mse_loss(x, t[0], reduction="sum"), (x,))
            expect(c, "mse_row")
            a, b = autograd.grad(F.kl_div(x, t, reduction="batchmean"), (x, t))
            expect(a, "kl_x")
            expect(b.contiguous(), "kl_t")
            a, b = autograd.grad(F.kl_div(x, t, reduction="none", log_target=True), (x, t), w)
            expect(a, "kl_log_x")
            expect(b.contiguous(), "kl_log_t")
            a, b = autograd.grad({BCE}(x, t), (x, t))
            expect(a, "bce_x")
            expect(b, "bce_t")
            (c,) = autograd.grad({BCE}(x, t.detach(), w * w, pos_weight=w[0] * w[0], reduction="none"), (x,), w)
            expect(c, "bce_weights")""", variants=("transposed",))
    yield g.case("float64/double_backward", "losses/G1 losses/G2", """
        x = normal(6, (3, 2), torch.float64).requires_grad_()
        t = uniform(7, (3, 2), torch.float64, low=0.1, high=0.9).requires_grad_()
        a, b = autograd.grad(F.mse_loss(x, t), (x, t), create_graph=True)
        c, d = autograd.grad(F.kl_div(x, t, reduction="sum"), (x, t), create_graph=True)
        ((a * a).sum() + (b * d).sum() + (c * c * a).sum()).backward()
        expect(x.grad, "x")
        expect(t.grad, "t")""")
    yield g.case("float32/dtypes", "losses/S2 losses/S7 losses/S3", f"""
        x = normal(8, (4,))
        t = uniform(9, (4,), torch.float64)
        expect(F.mse_loss(x, t), "mse64")
        expect(F.mse_loss(integers(10, (4,), torch.int64, -5, 6), x), "mse_int")
        expect(F.mse_loss(x.to(torch.float16), x, reduction="none"), "mse_half")
        expect({BCE}(x, t), "bce64")
        expect({BCE}(x.to(torch.float64), t.to(torch.float32), reduction="none"), "bce32")
        expect(F.kl_div(x, t, reduction="sum"), "kl64")""")
    yield g.case("float32/refused", "losses/C1 losses/C3 losses/C4 losses/C5 losses/C6 losses/C7", f"""
        x = normal(11, (2, 3))
        i = integers(12, (2, 3), torch.int64, 0, 2)
        expect_error(ValueError, "losses/C1", F.mse_loss, x, x, reduction="batchmean")
        expect_error(ValueError, "losses/C1", F.kl_div, x, x, reduction="Mean")
        expect_error(ValueError, "losses/C1", {BCE}, x, x, reduction="")
        expect_error(RuntimeError, "losses/C3", F.kl_div, i, x)
        expect_error(RuntimeError, "losses/C3", F.kl_div, x, i)
        expect_error(RuntimeError, "losses/C3", F.kl_div, x, i > 0, reduction="sum")
        expect_error(ValueError, "losses/C4", {BCE}, x, x[0])
        expect_error(ValueError, "losses/C4", {BCE}, x, x.t())
        expect_error(RuntimeError, "losses/C5", {BCE}, x, i)
        w = normal(14, (3,)).requires_grad_()
        expect_error(RuntimeError, "losses/C7", {BCE}, x, x, w)
        expect_error(RuntimeError, "losses/C7", {BCE}, x, x, pos_weight=w)
        expect_error(RuntimeError, "losses/C6", F.mse_loss, x, normal(13, (4, 3)))
        expect_error(RuntimeError, "mul/C1", {BCE}, x, x, x[:, 0])""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "losses/C2", f"""
            x = normal(1, (3,), torch.{dt})
            expect_error(NotImplementedError, "losses/C2", F.mse_loss, x, x)
            expect_error(NotImplementedError, "losses/C2", F.kl_div, x, x)""")
    for dt in (*g.INT, "bool"):
        made = "bools(1, (3,))" if dt == "bool" else f"integers(1, (3,), torch.{dt}, 0, 2)"
        yield g.case(f"{dt}/refused", "losses/C2", f"""
            i = {made}
            expect_error(NotImplementedError, "losses/C2", F.mse_loss, i, i)
            expect_error(NotImplementedError, "losses/C2", {BCE}, i, normal(2, (3,)))""" + (f"""
            expect_error(NotImplementedError, "losses/C2", {BCE}, normal(2, (3,)), i)""" if dt == "bool" else ""))
