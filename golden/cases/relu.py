# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/relu.md."""


def made(dt, seed, shape="(3, 4)", mix=""):
    mix = f', mix="{mix}"' if mix else ""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if dt.startswith("float") or dt.startswith("bfloat"):
        return f"normal({seed}, {shape}, torch.{dt}{mix})"
    low, high = (0, 256) if dt == "uint8" else (-100, 128) if dt == "int8" else (-30000, 30000)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{mix})"


def unsigned(dt):
    return "nothing is below zero" if dt == "uint8" else None


def cases(g):
    for n, dt in enumerate(g.NUMBER):
        yield g.case(f"{dt}/function", "relu/S1" + ("" if "float" in dt else " relu/S3"), f"""
            x = {made(dt, 10 * n + 1)}
            expect(torch.relu(x), "torch")
            expect(F.relu(x), "functional")
            expect(x.relu(), "method")""", trivial=unsigned(dt))
        yield g.case(f"{dt}/in_place", "relu/S1 relu/S5", f"""
            x = {made(dt, 10 * n + 2)}
            y = x[1:, ::2]
            z = y.relu_()
            expect_same(z, y)
            expect(x, "x")""")
        yield g.case(f"{dt}/shapes", "relu/S1 tensors/S10", f"""
            expect(torch.relu({made(dt, 10 * n + 3, "()")}), "zero_dim")
            expect(torch.relu({made(dt, 10 * n + 4, "(2, 0)")}), "empty")
            expect(torch.relu({made(dt, 10 * n + 5, "(19,)")}), "tail")""")
        if dt in g.FLOAT:
            yield from floating(g, dt)
        else:
            yield g.case(f"{dt}/extreme", "relu/S3", f"""
            x = {made(dt, 10 * n + 6, "(4, 5)", "extreme")}
            expect(torch.relu(x), "y")""", trivial=unsigned(dt))
    yield g.case("bool/refused", "relu/C1", """
            x = bools(1, (2, 3))
            expect_error(NotImplementedError, "relu/C1", torch.relu, x)
            expect_error(NotImplementedError, "relu/C1", x.relu_)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/not_implemented", "relu/C2", f"""
            x = normal(2, (2, 3), torch.{dt})
            expect_error(NotImplementedError, "relu/C2", torch.relu, x)""")
    yield g.case("float32/channels_last_kept", "relu/S5", """
            x = normal(3, (2, 3, 4, 5), torch.float32).permute(0, 3, 1, 2)
            expect(torch.relu(x), "y")
            expect(torch.relu(x[:, ::2]), "gaps")""", variants=False)
    yield g.case("float32/gradient_of_transposed", "relu/G1 relu/S5", """
            x = normal(4, (4, 3), torch.float32).requires_grad_()
            torch.relu(x.t()).backward(normal(5, (3, 4), torch.float32))
            expect(x.grad, "x")""")


def floating(g, dt):
    for mix in ("nan", "inf", "subnormal"):
        yield g.case(f"{dt}/{mix}", "relu/S1 relu/S2", f"""
            x = normal(71, (5, 7), torch.{dt}, mix="{mix}")
            expect(torch.relu(x), "y")""")
    yield g.case(f"{dt}/gradient", "relu/G1 relu/S4", f"""
            x = {made(dt, 72)}.requires_grad_()
            torch.relu(x).backward({made(dt, 73)})
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_at_zero_and_nan", "relu/G1 relu/S4", f"""
            x = torch.tensor([-1.0, 0.0, 2.0, torch.nan], dtype=torch.{dt}).requires_grad_()
            torch.relu(x).backward(torch.tensor([torch.nan, 5.0, 6.0, 7.0], dtype=torch.{dt}))
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_twice", "relu/G1 relu/G2", f"""
            x = {made(dt, 74)}.requires_grad_()
            (gx,) = autograd.grad((torch.relu(x) * x * x).sum(), (x,), create_graph=True)
            (gx * x).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
    yield g.case(f"{dt}/gradient_in_place", "relu/G1 relu/S5", f"""
            x = {made(dt, 75)}.requires_grad_()
            z = x * 2
            z.relu_()
            z.backward({made(dt, 76)})
            expect(x.grad, "x")""")
