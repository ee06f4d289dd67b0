# SPDX-License-Identifier: Apache-2.0
"""rms_norm (O-17)."""

from calls import Arg, Call

NOT = ("huge", "hugelast", "pairs", "special", "subnormal", "incoming", "faint", "zeros")
CALLS = [
    Call("rms_norm", "F.rms_norm({x}, ({N},), {w})", {"x": Arg("… B N"), "w": Arg("N", "weight")}, "weighed", along=("N", "B"),
         over=("N",), without=NOT),
    Call("rms_norm", "F.rms_norm({x}, ({C}, {N}))", {"x": Arg("B C N")}, "two", along=("N",), over=("N", "C"), without=NOT),
]


def cases(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/rows", "rms_norm/S1 rms_norm/S2 rms_norm/S3", f"""
            x = normal(1, (3, 4, 5), torch.{dt})
            expect(F.rms_norm(x, (5,)), "last")
            expect(F.rms_norm(x, (4, 5)), "two")
            expect(F.rms_norm(x, (3, 4, 5)), "all")
            expect(F.rms_norm(x, (5,), normal(2, (5,), torch.{dt})), "weighed")
            expect(torch.rms_norm(x, (5,), None, 0.5), "eps")
            expect(F.rms_norm(x * 0.001, (5,), eps=1e-5), "small")""")
        yield g.case(f"{dt}/default_eps", "rms_norm/S3 rms_norm/S5", f"""
            x = torch.full((2, 4), 0.0001, dtype=torch.{dt})
            expect(F.rms_norm(x, (4,)), "tiny")
            z = torch.zeros(2, 4, dtype=torch.{dt})
            expect(F.rms_norm(z, (4,)), "zeros")
            expect(F.rms_norm(z, (4,), None, 0.0), "nan")
            y = torch.tensor([[1.0, float("inf")], [float("nan"), 1.0], [3.0, -4.0]], dtype=torch.{dt})
            expect(F.rms_norm(y, (2,)), "special")""", variants=False)
        yield g.case(f"{dt}/backward", "rms_norm/G1", f"""
            x = normal(3, (4, 6), torch.{dt}).requires_grad_()
            w = normal(4, (6,), torch.{dt}).requires_grad_()
            F.rms_norm(x, (6,), w, 0.1).backward(normal(5, (4, 6), torch.{dt}))
            expect(x.grad, "x")
            expect(w.grad, "w")
            y = normal(6, (2, 2, 3), torch.{dt}).requires_grad_()
            F.rms_norm(y, (2, 3)).backward(normal(7, (2, 2, 3), torch.{dt}))
            expect(y.grad, "y")""")
        other = {"float64": "float32", "float32": "float64", "float16": "float32", "bfloat16": "float32"}[dt]
        yield g.case(f"{dt}/weight_of_another_dtype", "rms_norm/S4", f"""
            x = normal(8, (3, 4), torch.{dt})
            expect(F.rms_norm(x, (4,), normal(9, (4,), torch.{other})), "other")
            expect(F.rms_norm(x, (4,), integers(10, (4,), torch.int64, -3, 4)), "integers")""")
    yield g.case("float64/double_backward", "rms_norm/G1", """
        x = normal(11, (3, 4), torch.float64).requires_grad_()
        w = normal(12, (4,), torch.float64).requires_grad_()
        gx, gw = autograd.grad(F.rms_norm(x, (4,), w).sum(), (x, w), create_graph=True)
        ((gx * gx).sum() + (gw * gw).sum()).backward()
        expect(x.grad, "x")
        expect(w.grad, "w")""")
    for dt in ("float32", "float16"):
        yield g.case(f"{dt}/strides", "rms_norm/S6", f"""
            x = normal(13, (4, 3), torch.{dt})
            y = F.rms_norm(x.t(), (4,))
            expect(y, "y")
            expect_strides(y, (4, 1))
            expect(F.rms_norm(x[:0], (3,)), "no_rows")
            expect(F.rms_norm(x[:, :0], (0,)), "no_elements")""", variants=False)
    yield g.case("float32/refused", "rms_norm/C1 rms_norm/C2 rms_norm/C3 rms_norm/C5", """
        x = normal(14, (2, 3))
        expect_error(RuntimeError, "rms_norm/C1", F.rms_norm, x, ())
        expect_error(RuntimeError, "rms_norm/C2", F.rms_norm, x, (2,))
        expect_error(RuntimeError, "rms_norm/C2", F.rms_norm, x, (3, 3))
        expect_error(ValueError, "rms_norm/C5", F.rms_norm, x, (2, 2, 3))
        expect_error(RuntimeError, "rms_norm/C3", F.rms_norm, x, (3,), x[:, 0])
        expect_error(RuntimeError, "rms_norm/C3", F.rms_norm, x, (3,), x[:1])""")
    for dt in ("int64", "bool", "float8_e5m2"):
        made = {"int64": "integers(1, (2, 3))", "bool": "bools(1, (2, 3))"}.get(dt, "normal(1, (2, 3), torch.float8_e5m2)")
        yield g.case(f"{dt}/refused", "rms_norm/C4", f"""
            x = {made}
            expect_error(NotImplementedError, "rms_norm/C4", F.rms_norm, x, (3,))""")
