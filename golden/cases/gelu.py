# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/gelu.md."""

from calls import Arg, Call

CALLS = [
    Call("gelu", "F.gelu({x}, approximate={how})", {"x": Arg("… N")},
         choices={"how": ("'none'", "'tanh'")}, mix="inf", reaches=("gelu_backward",)),
]


def made(dt, seed, shape="(3, 4)", mix=""):
    mix = f', mix="{mix}"' if mix else ""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if dt.startswith("float") or dt.startswith("bfloat"):
        return f"normal({seed}, {shape}, torch.{dt}{mix})"
    low, high = (0, 256) if dt == "uint8" else (-100, 128) if dt == "int8" else (-30000, 30000)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{mix})"


def cases(g):
    for n, dt in enumerate(g.FLOAT):
        for approximate, rule in (("none", "S1"), ("tanh", "S2")):
            yield from one(g, dt, approximate, rule, 20 * n)
    for dt in g.INT + ("bool",) + g.FLOAT8:
        x = made(dt, 91)
        yield g.case(f"{dt}/not_implemented", "gelu/C2", f"""
            x = {x}
            expect_error(NotImplementedError, "gelu/C2", F.gelu, x)
            expect_error(NotImplementedError, "gelu/C2", F.gelu, x, approximate="tanh")""")
    yield g.case("float32/approximate", "gelu/C1", """
            x = normal(92, (2, 3), torch.float32)
            expect_error(RuntimeError, "gelu/C1", F.gelu, x, approximate="exact")
            expect_error(RuntimeError, "gelu/C1", F.gelu, x, approximate="")""")
    yield g.case("float32/out_dtype", "gelu/C3", """
            x = normal(93, (2, 3), torch.float32)
            expect_error(RuntimeError, "gelu/C3", F.gelu, x,
                         out=torch.zeros(2, 3, dtype=torch.float64))
            expect_error(RuntimeError, "gelu/C3", F.gelu, x,
                         out=torch.zeros(2, 3, dtype=torch.float16))""")
    yield g.case("float32/channels_last_kept", "gelu/S5", """
            x = normal(94, (2, 3, 4, 5), torch.float32).permute(0, 3, 1, 2)
            expect(F.gelu(x), "y")""", variants=False)


def one(g, dt, approximate, rule, seed):
    a = f', approximate="{approximate}"'
    name = f"{dt}/{approximate}"
    yield g.case(f"{name}", f"gelu/{rule} gelu/S3", f"""
            x = {made(dt, seed + 1)}
            expect(F.gelu(x{a}), "y")""")
    yield g.case(f"{name}_spread", f"gelu/{rule} gelu/S3", f"""
            x = uniform({seed + 2}, (41,), torch.{dt}, low=-6.0, high=9.0)
            expect(F.gelu(x{a}), "y")""")
    yield g.case(f"{name}_nan", f"gelu/{rule} gelu/S3", f"""
            x = normal({seed + 3}, (5, 5), torch.{dt}, mix="nan")
            expect(F.gelu(x{a}), "y")""")
    if dt != "bfloat16":  # PyTorch flushes there on some processors
        yield g.case(f"{name}_subnormal", f"gelu/{rule} gelu/S3", f"""
            x = normal({seed + 4}, (5, 5), torch.{dt}, mix="subnormal")
            expect(F.gelu(x{a}), "y")""")
    yield g.case(f"{name}_shapes", f"gelu/{rule} tensors/S10", f"""
            expect(F.gelu({made(dt, seed + 5, "()")}{a}), "zero_dim")
            expect(F.gelu({made(dt, seed + 6, "(0, 3)")}{a}), "empty")
            expect(F.gelu({made(dt, seed + 7, "(19,)")}{a}), "tail")""")
    yield g.case(f"{name}_out", f"gelu/{rule} gelu/S5", f"""
            x = {made(dt, seed + 8)}
            out = torch.zeros(3, 4, dtype=torch.{dt})
            F.gelu(x{a}, out=out)
            expect(out, "out")""")
    yield g.case(f"{name}_gradient", "gelu/G1 gelu/S4", f"""
            x = {made(dt, seed + 9)}.requires_grad_()
            F.gelu(x{a}).backward({made(dt, seed + 10)})
            expect(x.grad, "x")""")
    yield g.case(f"{name}_gradient_spread", "gelu/G1 gelu/S4", f"""
            x = uniform({seed + 11}, (31,), torch.{dt}, low=-4.0, high=6.0).requires_grad_()
            F.gelu(x{a}).sum().backward()
            expect(x.grad, "x")""")
    yield g.case(f"{name}_gradient_twice", "gelu/G1 gelu/G2", f"""
            x = {made(dt, seed + 12)}.requires_grad_()
            (gx,) = autograd.grad(F.gelu(x{a}).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
    yield g.case(f"{name}_gradient_twice_weighted", "gelu/G2", f"""
            x = {made(dt, seed + 13)}.requires_grad_()
            w = {made(dt, seed + 14)}.requires_grad_()
            (gx,) = autograd.grad((F.gelu(x{a}) * w).sum(), (x,), create_graph=True)
            gx.sum().backward()
            expect(x.grad, "x")
            expect(w.grad, "w")""")
