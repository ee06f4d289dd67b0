# SPDX-License-Identifier: Apache-2.0
"""matmul: vectors, matrices and broadcast stacks (O-01)."""

from calls import NUMBER, Arg, Call
from inputs import small

CALLS = [
    Call("matmul", "torch.matmul({x}, {y})", {"x": Arg(x), "y": Arg(y)}, name, dtypes=NUMBER, exact=True,
         along=along, over=("K",), maybe="one element is all there is" if name == "dot" else "")
    for name, x, y, along in (("dot", "K", "K", ("K",)), ("vector", "M K", "K", ("M", "K")),
                              ("row", "K", "K N", ("K", "N")), ("batched", "B M K", "K N", ("B", "K", "N")),
                              ("both", "B M K", "B K N", ("B", "K", "N")))
]

ZERO = "a sum over no terms is zero"
# what is special -> (shape of self, shape of other, rule)
SHAPES = {
    "dot": ((5,), (5,), "S1"),
    "matrix_matrix": ((3, 4), (4, 2), "S2"),
    "matrix_vector": ((3, 4), (4,), "S3"),
    "vector_matrix": ((4,), (4, 3), "S3"),
    "stack_vector": ((2, 3, 4), (4,), "S3"),
    "vector_stack": ((4,), (2, 4, 3), "S3"),
    "stack4_vector": ((2, 3, 2, 4), (4,), "S3"),
    "stack_matrix": ((2, 3, 4), (4, 2), "S4"),
    "matrix_stack": ((3, 4), (2, 4, 2), "S4"),
    "stack_stack": ((2, 3, 4), (2, 4, 2), "S4"),
    "stack_one": ((3, 2, 4), (1, 4, 2), "S4"),
    "one_stack": ((1, 2, 4), (3, 4, 2), "S4"),
    "four_three": ((2, 3, 2, 4), (3, 4, 2), "S4"),
    "broadcast_both": ((2, 1, 3, 4), (3, 4, 2), "S4"),
    "broadcast_outer": ((3, 1, 2, 3), (1, 2, 3, 2), "S4"),
}
EMPTY = {
    "dot": ((0,), (0,)), "matrix_vector": ((2, 0), (0,)), "stack_matrix": ((3, 2, 0), (0, 2)),
    "stack_stack": ((2, 3, 0), (2, 0, 2)), "matrix_stack": ((3, 0), (2, 0, 4)),
}


def cases(g):
    for dt in g.NUMBER:
        for n, (what, (a, b, rule)) in enumerate(SHAPES.items()):
            if dt not in ("float32", "float16", "int64") and n % 3 != g.NUMBER.index(dt) % 3:
                continue
            yield g.case(f"{dt}/{what}", f"matmul/{rule} matmul/S6", f"""
                a = {small(dt, 10 + n, a)}
                b = {small(dt, 40 + n, b)}
                expect(torch.matmul(a, b), "y")""")
    yield from layouts(g)
    yield from refusals(g)
    yield from gradients(g)
    yield from gradient_layouts(g)


def layouts(g):
    for dt in ("float32", "bfloat16", "int32"):
        yield g.case(f"{dt}/operator", "matmul/S2 matmul/S4", f"""
            a = {small(dt, 1, (2, 3, 4))}
            expect(a @ a.transpose(-2, -1), "gram")
            expect(a.matmul(a[0].t()), "method")""")
        yield g.case(f"{dt}/heads", "matmul/S4 matmul/S7", f"""
            q = {small(dt, 2, (2, 3, 4, 5))}
            k = {small(dt, 3, (2, 3, 4, 5))}
            y = q.transpose(1, 2) @ k.permute(0, 2, 3, 1)
            expect(y, "scores")
            expect_strides(y, (36, 9, 3, 1))""")
        yield g.case(f"{dt}/expanded_batch", "matmul/S7", f"""
            a = {small(dt, 4, (3, 4))}
            b = {small(dt, 5, (4, 2))}
            expect(a.expand(2, 3, 4) @ b, "left")
            expect(a @ b.expand(2, 4, 2), "right")
            expect(a.expand(2, 3, 4) @ b.expand(2, 4, 2), "both")""")
        yield g.case(f"{dt}/folded_rows_not_contiguous", "matmul/S6 matmul/S7", f"""
            a = {small(dt, 6, (4, 2, 3))}
            expect(a.transpose(0, 1) @ {small(dt, 7, (3, 2))}, "y")""")
        yield g.case(f"{dt}/out", "matmul/S4 matmul/S7", f"""
            a = {small(dt, 8, (2, 3, 4))}
            b = {small(dt, 9, (4, 2))}
            out = torch.zeros(2, 3, 4, dtype=torch.{dt})
            torch.matmul(a, b, out=out[:, :, ::2])
            expect(out, "out")""")
        for what, (a, b) in EMPTY.items():
            yield g.case(f"{dt}/inner_zero_{what}", "matmul/S5", f"""
                expect(torch.matmul({small(dt, 1, a)}, {small(dt, 2, b)}), "y")""",
                         trivial=ZERO)
        yield g.case(f"{dt}/empty_results", "matmul/S5", f"""
            expect(torch.matmul({small(dt, 1, (0, 2, 3))}, {small(dt, 2, (3, 4))}), "batch")
            expect(torch.matmul({small(dt, 3, (2, 3))}, {small(dt, 4, (0, 3, 4))}), "other")
            expect(torch.matmul({small(dt, 5, (2, 2, 3))}, {small(dt, 6, (2, 3, 0))}), "last")""")
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/long_dot", "matmul/S1 matmul/S6", f"""
            a = torch.ones(4000, dtype=torch.{dt})
            expect(a @ a, "ones")
            expect(a[:3600].view(3, 1200) @ a[:1200], "three")
            expect(uniform(3, (2, 500), torch.{dt}) @ uniform(4, (500,), torch.{dt}), "y")""", variants=False)
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/matrix_on_the_right", "matmul/S2 matmul/S3", f"""
            m = normal(1, (4, 2), torch.{dt})
            expect(torch.matmul(normal(2, (3, 4), torch.{dt}), m), "matrix")
            expect(torch.matmul(normal(3, (2, 3, 4), torch.{dt}), m), "stack")
            expect(torch.matmul(normal(4, (4,), torch.{dt}), m), "vector")""")


def refusals(g):
    yield g.case("float32/no_dims", "matmul/C1", """
        x = normal(1, (2,))
        expect_error(RuntimeError, "matmul/C1", torch.matmul, x[0], x)
        expect_error(RuntimeError, "matmul/C1", torch.matmul, x, x[0])""")
    for what, (a, b) in {"dot": ((3,), (2,)), "matrix_vector": ((2, 3), (2,)),
                         "vector_matrix": ((3,), (2, 2)), "matrices": ((2, 3), (2, 3)),
                         "stacks": ((2, 3, 4), (2, 3, 4)), "stack_matrix": ((2, 3, 4), (3, 4)),
                         "matrix_stack": ((2, 3), (2, 4, 3))}.items():
        yield g.case(f"float32/inner_sizes_{what}", "matmul/C2", f"""
            a = normal(1, {a})
            b = normal(2, {b})
            expect_error(RuntimeError, "matmul/C2", torch.matmul, a, b)""")
    yield g.case("float32/batches", "matmul/C3", """
        a = normal(1, (2, 3, 4))
        expect_error(RuntimeError, "matmul/C3", torch.matmul, a, normal(2, (3, 4, 2)))
        expect_error(RuntimeError, "matmul/C3", torch.matmul, normal(2, (3, 2, 3)), a)
        expect_error(RuntimeError, "matmul/C3", torch.matmul, a, normal(3, (5, 3, 4, 2)))""")
    for what, (a, b) in {"dot": ((3,), (3,)), "matrix_vector": ((2, 3), (3,)),
                         "matrices": ((2, 3), (3, 2)), "stacks": ((2, 2, 3), (2, 3, 2))}.items():
        yield g.case(f"float32/dtypes_{what}", "matmul/C4", f"""
            a = normal(1, {a})
            b = normal(2, {b}, torch.float64)
            expect_error(RuntimeError, "matmul/C4", torch.matmul, a, b)
            expect_error(RuntimeError, "matmul/C4", torch.matmul, a, integers(3, {b}))""")
    yield g.case("bool/refused", "matmul/C5", """
        x = bools(1, (2, 2, 2))
        expect_error(NotImplementedError, "matmul/C5", torch.matmul, x, x)
        expect_error(NotImplementedError, "matmul/C5", torch.matmul, x[0], x[0])
        expect_error(NotImplementedError, "matmul/C5", torch.matmul, x[0], x[0, 0])
        expect_error(NotImplementedError, "matmul/C5", torch.matmul, x[0, 0], x[0, 0])""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "matmul/C5", f"""
            x = normal(1, (2, 2, 2), torch.{dt})
            expect_error(NotImplementedError, "matmul/C5", torch.matmul, x, x)
            expect_error(NotImplementedError, "matmul/C5", torch.matmul, x[0], x)
            expect_error(NotImplementedError, "matmul/C5", torch.matmul, x, x[0, 0])
            expect_error(NotImplementedError, "matmul/C5", torch.matmul, x.transpose(0, 1), x[0])
            expect_error(NotImplementedError, "matmul/C5", torch.matmul, x[0, 0], x)
            expect_error(NotImplementedError, "matmul/C5", torch.matmul, x[0, 0], x[0, 0])""")


def gradients(g):
    for dt in g.FLOAT:
        for n, (what, (a, b, _)) in enumerate(SHAPES.items()):
            if dt not in ("float32", "float64") and n % 2 == 0:
                continue
            yield g.case(f"{dt}/backward_{what}", "matmul/G1", f"""
                a = normal({60 + n}, {a}, torch.{dt}).requires_grad_()
                b = normal({80 + n}, {b}, torch.{dt}).requires_grad_()
                y = torch.matmul(a, b)
                y.backward(normal(3, y.shape, torch.{dt}))
                expect(a.grad, "a_grad")
                expect(b.grad, "b_grad")""")
    for what in ("dot", "matrix_vector", "stack_matrix", "broadcast_both"):
        a, b, _ = SHAPES[what]
        yield g.case(f"float64/double_backward_{what}", "matmul/G1", f"""
            a = normal(1, {a}, torch.float64).requires_grad_()
            b = normal(2, {b}, torch.float64).requires_grad_()
            ga, gb = autograd.grad(torch.matmul(a, b).sum(), (a, b), create_graph=True)
            ((ga * ga).sum() + (gb * gb).sum()).backward()
            expect(a.grad, "a_grad")
            expect(b.grad, "b_grad")""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/attention", "matmul/S4 matmul/G1 softmax/S1 softmax/G1", f"""
            q = normal(11, (2, 3, 8), torch.{dt}).requires_grad_()
            k = normal(12, (2, 4, 8), torch.{dt}).requires_grad_()
            v = normal(13, (2, 4, 5), torch.{dt}).requires_grad_()
            scores = q.view(2, 3, 2, 4).transpose(1, 2) @ k.view(2, 4, 2, 4).permute(0, 2, 3, 1)
            mask = torch.tensor([[0.0, 0.0, 0.0, float("-inf")]], dtype=torch.{dt})
            weights = torch.softmax(scores * 0.5 + mask, dim=-1)
            y = weights @ v.unsqueeze(1)
            expect(y, "y")
            y.backward(normal(14, (2, 2, 3, 5), torch.{dt}))
            expect(q.grad, "q_grad")
            expect(k.grad, "k_grad")
            expect(v.grad, "v_grad")""")
    yield g.case("float32/inner_zero_backward", "matmul/G1", """
        a = normal(1, (2, 3, 0)).requires_grad_()
        b = normal(2, (0, 4)).requires_grad_()
        (a @ b).sum().backward()
        expect(a.grad, "a_grad")
        expect(b.grad, "b_grad")""")


def gradient_layouts(g):
    """self laid out otherwise than the gradient that comes."""
    layouts = ("normal(1, (2, 3, 4))", "normal(1, (4, 2, 3)).permute(1, 2, 0)", "normal(1, (3, 2, 8)).transpose(0, 1)[:, :, ::2]")
    for k, call in enumerate((
            "torch.matmul(x, normal(2, (4,)))", "torch.matmul(x, normal(2, (4, 5)))",
            "torch.matmul(normal(2, (2, 3)), x)", "torch.matmul(normal(2, (3,)), x)",
            "torch.matmul(x, normal(2, (4, 2)).requires_grad_())",
            "torch.matmul(normal(2, (2, 3)).requires_grad_(), x)",
            "torch.matmul(normal(2, (3,)).requires_grad_(), x)", "torch.matmul(x[:1], normal(2, (5, 4, 2)))",
            "torch.matmul(normal(2, (5, 2, 3)), x[:1])", "torch.matmul(normal(2, (2, 5, 3)), x)",
            "torch.matmul(x[0], normal(2, (4,)))", "torch.matmul(normal(2, (3,)), x[0])",
            "torch.matmul(normal(2, (5, 3)), x[0])")):
        asked = ""
        for n, x in enumerate(layouts):
            asked += f"""
            x = {x}.requires_grad_()
            y = {call}
            g0 = normal(9, y.shape)
            g1 = normal(8, y.shape).transpose(0, -1).contiguous().transpose(0, -1)
            expect_equal(autograd.grad(y, (x,), g0)[0].stride(), "plain{n}")
            y = {call}
            (gx,) = autograd.grad(y, (x,), g1)
            expect_equal(gx.stride(), "turned{n}")
            expect(gx, "grad{n}")"""
        yield g.case(f"float32/gradient_layout{k}", "matmul/G2", asked, variants=False)
