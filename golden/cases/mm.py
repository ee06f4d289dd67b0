# SPDX-License-Identifier: Apache-2.0
"""mm, bmm: strict products (O-01, O-02)."""

from calls import NUMBER, Arg, Call
from inputs import small

CALLS = [
    *[Call("mm", text, {"x": Arg(x), "y": Arg(y)}, name, dtypes=NUMBER, along=("K", "N", "M"), over=("K",), exact=True)
      for name, text, x, y in (("", "torch.mm({x}, {y})", "M K", "K N"),
                               ("left", "torch.mm({x}.t(), {y})", "K M", "K N"),
                               ("right", "torch.mm({x}, {y}.t())", "M K", "N K"))],
    *[Call("bmm", text, {"x": Arg(x), "y": Arg(y)}, name, along=("B", "K", "N", "M"), over=("K",), exact=True)
      for name, text, x, y in (("", "torch.bmm({x}, {y})", "B M K", "B K N"),
                               ("left", "torch.bmm({x}.transpose(1, 2), {y})", "B K M", "B K N"),
                               ("right", "torch.bmm({x}, {y}.transpose(1, 2))", "B M K", "B N K"))],
]

ZERO = "a sum over no terms is zero"


def extremes(dt, seed, shape):
    return f'integers({seed}, {shape}, torch.{dt}, 0, 10, mix="extreme")'


def cases(g):
    yield from products(g)
    yield from special_values(g)
    yield from refusals(g)
    yield from nothing(g)
    yield from gradients(g)


def products(g):
    shapes = {"rect": ((3, 5), (5, 4)), "row": ((1, 7), (7, 3)), "column": ((4, 1), (1, 6)),
              "dot": ((1, 9), (9, 1)), "odd": ((17, 33), (33, 9))}
    for dt in g.NUMBER + g.FLOAT8:
        wide = "mm/S4" if "float" in dt else "mm/S5"
        for n, (what, (a, b)) in enumerate(shapes.items()):
            yield g.case(f"{dt}/mm_{what}", f"mm/S1 {wide}", f"""
                a = {small(dt, 10 + n, a)}
                b = {small(dt, 30 + n, b)}
                expect(torch.mm(a, b), "y")""")
        yield g.case(f"{dt}/mm_inner_zero", "mm/S3", f"""
            y = torch.mm({small(dt, 1, (3, 0))}, {small(dt, 2, (0, 4))})
            expect(y, "y")""", trivial=ZERO)
        yield g.case(f"{dt}/mm_slices", "mm/S6", f"""
            m = {small(dt, 41, (6, 7))}
            expect(torch.mm(m[0:3, 0:4], m[1:5, 4:7]), "block")
            expect(torch.mm(m[::2, 1::2], m[:3, ::3]), "steps")
            expect(torch.mm(m.t(), m), "gram")""", variants=False)
        if dt in g.FLOAT8:
            yield g.case(f"{dt}/bmm_refused", "mm/C4", f"""
                a = normal(3, (2, 2, 3), torch.{dt})
                expect_error(NotImplementedError, "mm/C4", torch.bmm, a, a.transpose(1, 2))""")
            continue
        yield g.case(f"{dt}/bmm_rect", f"mm/S2 {wide}", f"""
            a = {small(dt, 51, (3, 2, 5))}
            b = {small(dt, 52, (3, 5, 4))}
            expect(torch.bmm(a, b), "y")""")
        yield g.case(f"{dt}/bmm_one_batch", f"mm/S2 {wide}", f"""
            a = {small(dt, 53, (1, 4, 3))}
            b = {small(dt, 54, (1, 3, 2))}
            expect(a.bmm(b), "y")""")
        yield g.case(f"{dt}/bmm_inner_zero", "mm/S3", f"""
            y = torch.bmm({small(dt, 1, (3, 2, 0))}, {small(dt, 2, (3, 0, 3))})
            expect(y, "y")""", trivial=ZERO)
        yield g.case(f"{dt}/bmm_permuted", "mm/S2 mm/S6", f"""
            a = {small(dt, 55, (5, 3, 2))}
            b = {small(dt, 56, (3, 4, 5))}
            y = torch.bmm(a.permute(1, 2, 0), b.transpose(1, 2))
            expect(y, "y")""")
        yield g.case(f"{dt}/bmm_shared_operand", "mm/S2 mm/S6", f"""
            a = {small(dt, 57, (2, 3))}
            b = {small(dt, 58, (4, 3, 2))}
            expect(torch.bmm(a.expand(4, 2, 3), b), "y")""")
    for dt in ("float32", "float16", "int32"):
        yield g.case(f"{dt}/mm_out", "mm/S6", f"""
            a = {small(dt, 61, (3, 4))}
            b = {small(dt, 62, (4, 2))}
            out = torch.empty(2, 3, dtype=torch.{dt}).t()
            torch.mm(a, b, out=out)
            expect(out, "out")
            expect_strides(out, (1, 3))
            wide = torch.zeros(3, 6, dtype=torch.{dt})
            torch.mm(a, b, out=wide[:, 1:5:2])
            expect(wide, "wide")""")
        yield g.case(f"{dt}/bmm_out", "mm/S2 mm/S6", f"""
            a = {small(dt, 64, (2, 3, 4))}
            out = torch.zeros(2, 3, 6, dtype=torch.{dt})
            torch.bmm(a, a.transpose(1, 2), out=out[:, :, ::2])
            expect(out, "out")""")
        yield g.case(f"{dt}/empty_outer", "mm/S1 mm/S2", f"""
            expect(torch.mm({small(dt, 1, (0, 3))}, {small(dt, 2, (3, 4))}), "rows")
            expect(torch.mm({small(dt, 3, (2, 3))}, {small(dt, 4, (3, 0))}), "columns")
            expect(torch.bmm({small(dt, 5, (0, 2, 3))}, {small(dt, 6, (0, 3, 2))}), "batch")""")
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/mm_long_sum", "mm/S4", f"""
            a = torch.ones(1, 4000, dtype=torch.{dt})
            expect(torch.mm(a, a.t()), "ones")
            b = uniform(71, (2, 1000), torch.{dt})
            expect(torch.mm(b, b.t()), "y")""", variants=False)
    yield g.case("float16/mm_overflow_within", "mm/S4", """
        a = torch.tensor([[60000.0, 60000.0, -60000.0]], dtype=torch.float16)
        expect(torch.mm(a, torch.ones(3, 1, dtype=torch.float16)), "y")""")
    for dt in g.INT:
        yield g.case(f"{dt}/mm_wraps", "mm/S5", f"""
            a = {extremes(dt, 81, (4, 6))}
            b = {extremes(dt, 82, (6, 5))}
            expect(torch.mm(a, b), "mm")
            expect(torch.bmm(a.view(2, 2, 6), b.expand(2, 6, 5)), "bmm")""", variants=False)
    yield g.case("int64/mm_beyond_2_53", "mm/S5", """
        a = torch.tensor([[9007199254740993, 1]])
        expect(torch.mm(a, torch.tensor([[1], [0]])), "y")
        expect(torch.mm(a, torch.tensor([[3], [-7]])), "z")""")
    yield g.case("int8/mm_48", "mm/S5", """
        a = torch.full((1, 3), 100, dtype=torch.int8)
        expect_equal(torch.mm(a, a.t()), [[48]])""")
    yield g.case("float32/mm_leading_dimension", "mm/S6", """
        m = normal(91, (4, 4))
        expect(torch.mm(m[0:3, 0:3], m[0:3, 3:4]), "y")
        expect(m[1:2, :] @ m[:, 2:3], "one")""")


def special_values(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/mm_nan_inf", "mm/S7", f"""
            a = torch.tensor([[nan_, 0.0], [inf_, 0.0], [1.0, 2.0], [inf_, -inf_]], dtype=torch.{dt})
            expect(torch.mm(a, torch.tensor([[0.0, 1.0], [5.0, 1.0]], dtype=torch.{dt})), "y")
            """.replace("nan_", 'float("nan")').replace("inf_", 'float("inf")'))
        yield g.case(f"{dt}/bmm_nan_stays_in_its_row", "mm/S7", f"""
            a = normal(95, (2, 3, 4), torch.{dt}) + 0
            a[1, 2, 3] = float("nan")
            b = normal(96, (2, 4, 3), torch.{dt})
            expect(torch.bmm(a, b), "y")""")
        yield g.case(f"{dt}/mm_small", "mm/S4", f"""
            a = uniform(97, (3, 4), torch.{dt}, 0.0, 0.001)
            b = uniform(98, (4, 3), torch.{dt}, 0.0, 0.001)
            expect(torch.mm(a, b), "y")""")


def refusals(g):
    yield g.case("float32/not_matrices", "mm/C1", """
        x = normal(1, (2, 2))
        expect_error(RuntimeError, "mm/C1", torch.mm, x[0], x)
        expect_error(RuntimeError, "mm/C1", torch.mm, x, x[0])
        expect_error(RuntimeError, "mm/C1", torch.mm, x.unsqueeze(0), x)""")
    yield g.case("float32/inner_sizes", "mm/C2", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "mm/C2", torch.mm, x, x)
        expect_error(RuntimeError, "mm/C2", torch.mm, x, normal(2, (1, 4)))""")
    for a, b in (("float32", "float64"), ("float16", "float32"), ("int32", "int64"),
                 ("float32", "int64")):
        yield g.case(f"{a}/with_{b}", "mm/C3", f"""
            x = {small(a, 1, (2, 2))}
            y = {small(b, 2, (2, 2))}
            expect_error(RuntimeError, "mm/C3", torch.mm, x, y)
            expect_error(RuntimeError, "mm/C3", torch.bmm, x.unsqueeze(0), y.unsqueeze(0))""")
    yield g.case("bool/refused", "mm/C4", """
        x = bools(1, (2, 2))
        expect_error(NotImplementedError, "mm/C4", torch.mm, x, x)
        expect_error(NotImplementedError, "mm/C4", torch.bmm, x.unsqueeze(0), x.unsqueeze(0))""")
    yield g.case("float32/not_stacks", "mm/C5", """
        x = normal(1, (2, 2))
        expect_error(RuntimeError, "mm/C5", torch.bmm, x, x.unsqueeze(0))
        expect_error(RuntimeError, "mm/C5", torch.bmm, x.unsqueeze(0), x)""")
    yield g.case("float32/stack_sizes", "mm/C6", """
        x = normal(1, (2, 3, 4))
        expect_error(RuntimeError, "mm/C6", torch.bmm, x, x)
        expect_error(RuntimeError, "mm/C6", torch.bmm, x, normal(2, (3, 4, 2)))
        expect_error(RuntimeError, "mm/C6", torch.bmm, x, normal(3, (1, 4, 2)))""")


def gradients(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/mm_backward", "mm/G1", f"""
            a = normal(101, (3, 4), torch.{dt}).requires_grad_()
            b = normal(102, (4, 2), torch.{dt}).requires_grad_()
            torch.mm(a, b).backward(normal(103, (3, 2), torch.{dt}))
            expect(a.grad, "a_grad")
            expect(b.grad, "b_grad")""")
        yield g.case(f"{dt}/bmm_backward", "mm/G2", f"""
            a = normal(104, (2, 3, 4), torch.{dt}).requires_grad_()
            b = normal(105, (2, 4, 2), torch.{dt}).requires_grad_()
            torch.bmm(a, b).backward(normal(106, (2, 3, 2), torch.{dt}))
            expect(a.grad, "a_grad")
            expect(b.grad, "b_grad")""")
    for dt in ("float64", "float32"):
        yield g.case(f"{dt}/mm_double_backward", "mm/G1", f"""
            a = normal(107, (3, 4), torch.{dt}).requires_grad_()
            b = normal(108, (4, 2), torch.{dt}).requires_grad_()
            v = normal(109, (3, 2), torch.{dt}).requires_grad_()
            ga, gb = autograd.grad(torch.mm(a, b), (a, b), v, create_graph=True)
            ((ga * normal(110, (3, 4), torch.{dt})).sum() + (gb * gb).sum()).backward()
            expect(a.grad, "a_grad")
            expect(b.grad, "b_grad")
            expect(v.grad, "v_grad")""")
        yield g.case(f"{dt}/bmm_double_backward", "mm/G2", f"""
            a = normal(111, (2, 3, 4), torch.{dt}).requires_grad_()
            b = normal(112, (2, 4, 2), torch.{dt}).requires_grad_()
            ga, gb = autograd.grad(torch.bmm(a, b).sum(), (a, b), create_graph=True)
            ((ga * ga).sum() + (gb * ga.transpose(1, 2)[:, :, :2]).sum()).backward()
            expect(a.grad, "a_grad")
            expect(b.grad, "b_grad")""")
    yield g.case("float32/column_major_gradient", "mm/G3", """
        a = normal(115, (4, 3)).t().requires_grad_()
        b = normal(116, (2, 4)).t().requires_grad_()
        ga, gb = autograd.grad(torch.mm(a, b), (a, b), normal(117, (3, 2)))
        expect_strides(ga, (1, 3))
        expect_strides(gb, (1, 4))
        expect(ga, "ga")
        expect(gb, "gb")""", variants=False)
    yield g.case("float32/part_of_a_column_major_gradient", "mm/G3", """
        a = normal(115, (4, 5)).t()[:3].requires_grad_()
        b = normal(116, (2, 7)).t()[2:6].requires_grad_()
        ga, gb = autograd.grad(torch.mm(a, b), (a, b), normal(117, (3, 2)))
        expect(ga, "ga")
        expect(gb, "gb")""", variants=False)
    yield g.case("float32/inner_zero_backward", "mm/G1", """
        a = normal(118, (3, 0)).requires_grad_()
        b = normal(119, (0, 2)).requires_grad_()
        torch.mm(a, b).sum().backward()
        expect(a.grad, "a_grad")
        expect(b.grad, "b_grad")""")


def nothing(g):
    """Where an operand is empty no dtype is refused."""
    for dt in ("bool", *g.FLOAT8):
        yield g.case(f"{dt}/of_nothing", "mm/C4 mm/S3", f"""
            a = torch.zeros(2, 0, dtype=torch.{dt})
            b = torch.zeros(0, 3, dtype=torch.{dt})
            expect(torch.mm(a, b), "mm")
            expect(torch.mm(b, torch.zeros(3, 2, dtype=torch.{dt})), "mm_empty")
            expect(torch.bmm(a.unsqueeze(0), b.unsqueeze(0)), "bmm")
            expect(torch.matmul(a, torch.zeros(0, dtype=torch.{dt})), "mv")
            expect_error(NotImplementedError, "matmul/C5", torch.matmul, a[0], a[0])""",
            trivial="a sum of nothing is zero")
