# SPDX-License-Identifier: Apache-2.0
"""linear: every rank of input, every shape of bias (O-01, O-02)."""

from calls import NUMBER, Arg, Call
from inputs import small

CALLS = [
    Call("linear", f"F.linear({{x}}, {{w}}{', {b}' if b else ''})",
         {"x": Arg(x), "w": Arg(w), **({"b": Arg(b)} if b else {})}, name, dtypes=NUMBER, exact=True, along=along, over=("K",))
    for name, x, w, b, along in (("", "M K", "N K", "N", ("K", "N", "M")), ("plain", "B M K", "N K", "", ("K", "N")),
                                 ("stacked", "B M K", "N K", "N", ("K", "B")), ("vector", "K", "N K", "N", ("K", "N")),
                                 ("added", "B M K", "N K", "M N", ("K", "N")))
]
# input, weight, bias
SHAPES = {
    "vector": ((5,), (3, 5), None), "vector_bias": ((5,), (3, 5), (3,)), "matrix": ((4, 5), (3, 5), None),
    "matrix_bias": ((4, 5), (3, 5), (3,)), "stack": ((2, 4, 5), (3, 5), None), "stack_bias": ((2, 4, 5), (3, 5), (3,)),
    "four_bias": ((2, 1, 4, 5), (3, 5), (3,)), "one_output": ((4, 5), (1, 5), (1,)),
    "weight_vector": ((2, 4, 5), (5,), None), "two_vectors": ((5,), (5,), ()), "stack_number": ((2, 4, 5), (5,), ()),
}
BIASES = {
    "one": ((4, 5), (1,)), "no_dims": ((4, 5), ()), "row": ((4, 5), (1, 3)), "column": ((4, 5), (4, 1)),
    "whole": ((4, 5), (4, 3)), "stack_one": ((2, 4, 5), (1,)), "stack_no_dims": ((2, 4, 5), ()),
    "stack_row": ((2, 4, 5), (1, 3)), "stack_matrix": ((2, 4, 5), (4, 3)), "stack_whole": ((2, 4, 5), (2, 4, 3)),
    "stack_ones": ((2, 4, 5), (1, 1)), "vector_row": ((5,), (1, 3)), "vector_no_dims": ((5,), ()),
    "rows_column": ((1, 4, 5), (4, 1)),
}


def variants(dt, bias):
    """Of another layout the bias is added after the product was stored, which in the half types is another result."""
    return False if bias is not None and dt in ("float16", "bfloat16") else None


def cases(g):
    for dt in g.NUMBER + g.FLOAT8:
        for n, (what, (x, w, b)) in enumerate(SHAPES.items()):
            if dt in g.FLOAT8 and len(w) == 1 or dt not in ("float32", "bfloat16") and n % 3 != len(dt) % 3:
                continue
            rule = "S2" if len(w) == 1 else "S1"
            yield g.case(f"{dt}/{what}", f"linear/{rule} linear/S5", f"""
                x = {small(dt, 10 + n, x)}
                w = {small(dt, 30 + n, w)}
                expect(F.linear(x, w{'' if b is None else f', {small(dt, 50 + n, b)}'}), "y")""", variants=variants(dt, b))
    for dt in ("float32", "float16", "bfloat16"):
        for n, (what, (x, b)) in enumerate(BIASES.items()):
            yield g.case(f"{dt}/bias_{what}", "linear/S3 linear/S4", f"""
                x = {small(dt, 110 + n, x)}
                w = {small(dt, 130 + n, (3, 5))}
                expect(F.linear(x, w, {small(dt, 150 + n, b)}), "y")""", variants=variants(dt, b))
        yield g.case(f"{dt}/strides", "linear/S3 linear/S6", f"""
            x = {small(dt, 1, (5, 4, 6))}
            w = {small(dt, 2, (6, 3))}
            b = {small(dt, 3, (6,))}
            y = F.linear(x.permute(1, 2, 0)[:, :, :3], w, b)
            expect(y, "permuted")
            expect_strides(y, (36, 6, 1))
            expect(F.linear(x[::2, 1:3], w.t()[:, :6], b[:3]), "sliced")
            expect(F.linear(x[0].t(), w[::2, :1].expand(3, 4), b[::2]), "matrix")
            expect(F.linear(x, torch.cat([w, w], 1)[:2], b[::3]), "bias_in_steps")
            expect(F.linear(x, torch.cat([w, w], 1)[:2], b[:1].expand(2)), "bias_expanded")
            expect(F.linear(x[1:2].transpose(0, 1), w.t(), b[1:4]), "one_of_a_size")""", variants=False)
        yield g.case(f"{dt}/bias_of_another_dtype", "linear/S3", f"""
            x = {small(dt, 1, (4, 2, 5))}.transpose(0, 1)
            y = F.linear(x, {small(dt, 2, (3, 5))}, integers(3, (3,), torch.int32, -5, 6))
            expect(y, "y")""", variants=False)
    for dt in ("float32", "int16"):
        yield g.case(f"{dt}/no_features", "linear/S5", f"""
            x = torch.zeros(2, 3, 0, dtype=torch.{dt})
            w = torch.zeros(4, 0, dtype=torch.{dt})
            b = {small(dt, 1, (4,))}
            expect(F.linear(x, w), "zeros")
            expect(F.linear(x, w, b), "bias")
            expect(F.linear(x[0], w, b), "matrix")
            expect(F.linear(x[0, 0], w, b), "vector")
            expect(F.linear(x[:0], w, b), "empty")
            expect(F.linear(b[:0].view(2, 0, 1, 1)[..., :0], w[:0], b[:0]), "nothing")""".replace(".view(2, 0, 1, 1)[..., :0]", ".view(2, 0)"))
    yield g.case("float16/long_sum", "linear/S5", """
        x = torch.ones(1, 4000, dtype=torch.float16)
        expect(F.linear(x, x, torch.tensor([0.5], dtype=torch.float16)), "ones")
        u = uniform(71, (2, 1000), torch.float16)
        expect(F.linear(u, u, u[0, :2]), "uniform")""", variants=False)
    yield from refusals(g)
    yield from gradients(g)


def refusals(g):
    yield g.case("float32/refused", "linear/C1 linear/C2 linear/C3", """
        x = normal(1, (2, 3))
        w = normal(2, (4, 3))
        expect_error(RuntimeError, "linear/C1", F.linear, x[0, 0], w)
        expect_error(RuntimeError, "linear/C1", F.linear, x, w[0, 0])
        expect_error(RuntimeError, "linear/C2", F.linear, x, w.view(4, 3, 1))
        expect_error(RuntimeError, "linear/C2", F.linear, x, w.view(2, 2, 3))
        expect_error(RuntimeError, "linear/C3", F.linear, x, w.t())
        expect_error(RuntimeError, "linear/C3", F.linear, x[0, :2], w)
        expect_error(RuntimeError, "linear/C3", F.linear, x.view(1, 2, 3), w[:, :2], w[:, 0])""")
    yield g.case("float32/bias_refused", "linear/C4", """
        x = normal(1, (2, 5, 3))
        w = normal(2, (4, 3))
        b = normal(3, (2, 5, 4))
        column = b[0, :, :1].contiguous()
        expect_error(RuntimeError, "linear/C4", F.linear, x[0], w, b[0, 0, :3])
        expect_error(RuntimeError, "linear/C4", F.linear, x[0], w, b)
        expect_error(RuntimeError, "linear/C4", F.linear, x, w, b[0, 0, :2])
        expect_error(RuntimeError, "linear/C4", F.linear, x, w, b[:1, :1])
        expect_error(RuntimeError, "linear/C4", F.linear, x, w, column)
        expect_error(RuntimeError, "linear/C4", F.linear, x, w, b[0, :2])
        expect_error(RuntimeError, "linear/C4", F.linear, x[0], w[0], b[0, 0, :1])
        expect_error(RuntimeError, "linear/C4", F.linear, x, w[0], b[0, 0, :1])""")
    yield g.case("float32/dtypes", "addmm/C3 matmul/C4", """
        x = normal(1, (2, 3))
        w = normal(2, (4, 3))
        b = normal(3, (4,), torch.float64)
        expect_error(RuntimeError, "addmm/C3", F.linear, x, w, b)
        expect_error(RuntimeError, "addmm/C3", F.linear, x, w.to(torch.float16), b.to(torch.float32))
        expect_error(RuntimeError, "matmul/C4", F.linear, x, w.to(torch.float64))""")
    yield g.case("bool/refused", "addmm/C4 matmul/C5", """
        x = bools(1, (2, 3))
        expect_error(NotImplementedError, "matmul/C5", F.linear, x, x)
        expect_error(NotImplementedError, "addmm/C4", F.linear, x, x, x[0, :2])""")


def gradients(g):
    for dt in g.FLOAT:
        for n, what in enumerate(SHAPES):
            x, w, b = SHAPES[what]
            if dt not in ("float32", "float16") and n % 3:
                continue
            bias = "" if b is None else f"\n                b = normal({90 + n}, {b}, torch.{dt}).requires_grad_()"
            yield g.case(f"{dt}/backward_{what}", "linear/G1", f"""
                x = normal({60 + n}, {x}, torch.{dt}).requires_grad_()
                w = normal({80 + n}, {w}, torch.{dt}).requires_grad_(){bias}
                y = F.linear(x, w{'' if b is None else ', b'})
                y.backward(normal(3, y.shape, torch.{dt}))
                expect(x.grad, "x")
                expect(w.grad, "w"){'' if b is None else chr(10) + '                expect(b.grad, "b")'}""")
    yield g.case("float32/gradient_layouts", "linear/G1", """
        x = normal(1, (4, 5)).t().requires_grad_()
        w = normal(2, (4, 3)).t().requires_grad_()
        gx, gw = autograd.grad(F.linear(x, w, normal(3, (3,))), (x, w), normal(4, (5, 3)))
        expect_strides(gx, (1, 5))
        expect_equal(gw.stride(), "weight")
        expect(gx, "gx")
        expect(gw, "gw")
        z = normal(5, (2, 5, 4)).requires_grad_()
        v = normal(6, (3, 4)).requires_grad_()
        gz, gv = autograd.grad(F.linear(z, v, normal(7, (3,))), (z, v), normal(8, (2, 5, 3)))
        expect_equal(gz.stride(), "stack")
        expect_equal(gv.stride(), "row_major")
        expect(gz, "gz")
        expect(gv, "gv")""", variants=False)
    yield g.case("float64/double_backward", "linear/G1", """
        x = normal(1, (2, 3, 4), torch.float64).requires_grad_()
        w = normal(2, (5, 4), torch.float64).requires_grad_()
        b = normal(3, (5,), torch.float64).requires_grad_()
        y = F.linear(x, w, b)
        gx, gw, gb = autograd.grad((y * y).sum(), (x, w, b), create_graph=True)
        ((gx * gx).sum() + (gw * gx.sum()).sum() + (gb * gb).sum()).backward()
        expect(x.grad, "x")
        expect(w.grad, "w")
        expect(b.grad, "b")""")
