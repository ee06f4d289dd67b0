# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/gelu.md beyond the family's."""

from calls import Arg, Call

CALLS = [
    Call("gelu", "F.gelu({x}, approximate={how})", {"x": Arg("… N")},
         choices={"how": ("'none'", "'tanh'")}, mix="inf", reaches=("gelu_backward",)),
]


def cases(g):
    for n, dt in enumerate(g.FLOAT):
        for approximate in ("none", "tanh"):
            yield from gradients(g, dt, approximate, 20 * n)
    yield g.case("float32/approximate", "gelu/C1", """
            x = normal(92, (2, 3), torch.float32)
            expect_error(RuntimeError, "gelu/C1", F.gelu, x, approximate="exact")
            expect_error(RuntimeError, "gelu/C1", F.gelu, x, approximate="")""")
    yield g.case("float32/out", "gelu/S1 gelu/S5", """
            x = normal(93, (3, 4), torch.float32)
            out = torch.zeros(3, 4)
            F.gelu(x, out=out)
            expect(out, "out")""", variants=False)
    yield g.case("float32/tanh_dtype", "gelu/C2", """
            x = integers(91, (3, 4), torch.int64, low=0, high=9)
            expect_error(NotImplementedError, "gelu/C2", F.gelu, x, approximate="tanh")""")


def gradients(g, dt, approximate, seed):
    a, name = f', approximate="{approximate}"', f"{dt}/{approximate}"
    yield g.case(f"{name}_gradient_spread", "gelu/G1 gelu/S4", f"""
            x = uniform({seed + 11}, (31,), torch.{dt}, low=-4.0, high=6.0).requires_grad_()
            F.gelu(x{a}).sum().backward()
            expect(x.grad, "x")""")
    yield g.case(f"{name}_gradient_twice", "gelu/G1 gelu/G2", f"""
            x = normal({seed + 12}, (3, 4), torch.{dt}).requires_grad_()
            (gx,) = autograd.grad(F.gelu(x{a}).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
    yield g.case(f"{name}_gradient_twice_weighted", "gelu/G2", f"""
            x = normal({seed + 13}, (3, 4), torch.{dt}).requires_grad_()
            w = normal({seed + 14}, (3, 4), torch.{dt}).requires_grad_()
            (gx,) = autograd.grad((F.gelu(x{a}) * w).sum(), (x,), create_graph=True)
            gx.sum().backward()
            expect(x.grad, "x")
            expect(w.grad, "w")""")
