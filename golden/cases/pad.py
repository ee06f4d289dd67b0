# SPDX-License-Identifier: Apache-2.0
"""pad with a constant (O-17)."""


def source(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    return f"normal({seed}, {shape}, torch.{dt})" if "float" in dt else \
        f"integers({seed}, {shape}, torch.{dt}, {0 if dt == 'uint8' else -50}, 51)"


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/margins", "pad/S1 pad/S2", f"""
            x = {source(dt, 1, (2, 3, 4))}
            expect(F.pad(x, (1, 2)), "last")
            expect(F.pad(x, (0, 1, 2, 0)), "two")
            expect(F.pad(x, (1, 0, 0, 2, 1, 1)), "all")
            expect(F.pad(x, (-1, 2, 1, -1)), "both_ways")
            expect(F.pad(x, (-1, -2)), "cut")
            expect(F.pad(x, (2, 1), value=1), "ones")
            expect(F.pad(x, (0, 1), "constant", None), "none")
            expect(F.pad(x[0, :, :3], (1, 0, 0, 2)), "square")
            expect(F.pad(x, ()), "nothing")""")
        if dt not in g.FLOAT8:
            yield g.case(f"{dt}/value", "pad/S2", f"""
            x = {source(dt, 2, (2, 3))}
            expect(F.pad(x, (1, 0), value=2.5), "half")
            expect(F.pad(x, (1, 0), "constant", {3 if dt == "uint8" else -3}), "negative")""", maybe="few bools")
    for dt in ("float32", "bfloat16", "int64"):
        yield g.case(f"{dt}/layouts", "pad/S3 pad/S4", f"""
            x = {source(dt, 3, (3, 4))}
            y = F.pad(x.t(), (1, 1))
            expect(y, "turned")
            expect_strides(y, (5, 1))
            c = {source(dt, 4, (2, 4, 5, 3))}.permute(0, 3, 1, 2)
            expect(F.pad(c, (1, 2)), "channels_last")
            expect(F.pad(c, (0, -1, -1, 0)), "channels_last_cut")
            expect(F.pad(x.t(), (0, 0)), "copied")
            expect(F.pad(x.t(), (0, -1)), "cut")
            expect(F.pad(x, (0, 0, -3, 0)), "nothing_left")
            expect(F.pad(x[:0], (1, 1)), "of_nothing")
            expect(F.pad(x[:, :0], (1, 1)), "margins_alone")
            z = F.pad(x, (0, 0))
            expect_copy_of(z, x)""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/backward", "pad/G1", f"""
            x = normal(5, (2, 3, 4), torch.{dt}).requires_grad_()
            y = F.pad(x, (1, -2, -1, 1), value=7.0)
            y.backward(normal(6, y.shape, torch.{dt}))
            expect(x.grad, "x")
            z = F.pad(x, (1, 2))
            (a,) = autograd.grad(z, (x,), normal(7, z.shape, torch.{dt}))
            expect(a, "a")
            w = F.pad(x, (-1, -1))
            (b,) = autograd.grad(w, (x,), normal(8, w.shape, torch.{dt}))
            expect(b, "b")""")
    yield g.case("float64/double_backward", "pad/G1", """
        x = normal(9, (3, 2), torch.float64).requires_grad_()
        y = F.pad(x, (1, -1, 0, 2))
        (a,) = autograd.grad((y * y * y).sum(), (x,), create_graph=True)
        (a * normal(10, (3, 2), torch.float64)).sum().backward()
        expect(x.grad, "x")""")
    yield g.case("float32/refused", "pad/C1 pad/C2 pad/C3 pad/C4", """
        x = normal(11, (2, 3))
        expect_error(RuntimeError, "pad/C1", F.pad, x, (1,))
        expect_error(RuntimeError, "pad/C1", F.pad, x, (1, 2, 3))
        expect_error(RuntimeError, "pad/C2", F.pad, x, (1, 2, 3, 4, 5, 6))
        expect_error(RuntimeError, "pad/C2", F.pad, x[0, 0], (1, 1))
        expect_error(NotImplementedError, "pad/C3", F.pad, x, (1, 1), "bad")
        expect_error(RuntimeError, "pad/C4", F.pad, x, (-2, -2))
        expect_error(RuntimeError, "pad/C4", F.pad, x, (-4, 1))
        expect_error(RuntimeError, "pad/C4", F.pad, x, (1, -4))""")
    for dt, value in (("int8", "300"), ("int64", 'float("inf")'), ("float16", "1e6"), ("int32", 'float("nan")')):
        yield g.case(f"{dt}/value_refused", "copy/C3", f"""
            x = {source(dt, 12, (2, 3))}
            expect_error(RuntimeError, "copy/C3", F.pad, x, (1, 1), value={value})""")
