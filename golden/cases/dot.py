# SPDX-License-Identifier: Apache-2.0
"""dot, mv, outer: products of vectors (O-01)."""

from calls import NUMBER, Arg, Call
from inputs import small

CALLS = [
    Call("dot", "torch.dot({x}, {y})", {"x": Arg("K"), "y": Arg("K")}, along=("K",), over=("K",), exact=True,
         maybe="one element is all there is"),
    *[Call("mv", text, {"x": Arg(x), "y": Arg("K")}, name, along=("K", "M"), over=("K",), exact=True)
      for name, text, x in (("", "torch.mv({x}, {y})", "M K"), ("turned", "torch.mv({x}.t(), {y})", "K M"))],
    Call("outer", "torch.outer({x}, {y})", {"x": Arg("N"), "y": Arg("M")}, dtypes=NUMBER, along=("N", "M"), exact=True),
]
ZERO = "a sum over no terms is zero"


def cases(g):
    for dt in g.NUMBER:
        yield g.case(f"{dt}/plain", "dot/S1 dot/S2 dot/S3 dot/S5", f"""
            a = {small(dt, 1, (7,))}
            b = {small(dt, 2, (7,))}
            m = {small(dt, 3, (5, 7))}
            expect(torch.dot(a, b), "dot")
            expect(torch.mv(m, b), "mv")
            expect(torch.outer(a, m[:, 3]), "outer")
            expect(a.dot(m[2]), "dot_method")
            expect(m.mv(a), "mv_method")
            expect(a[:4].ger(b), "ger")""")
        yield g.case(f"{dt}/layouts", "dot/S4", f"""
            m = {small(dt, 4, (6, 8))}
            expect(torch.dot(m[:, 2], m[3, 1:7]), "column_by_row")
            expect(torch.mv(m.t(), m[:, 5]), "turned")
            expect(torch.mv(m[::2, 1::3], m[1:4, 0]), "steps")
            v = m[0, :1].expand(8)
            expect(torch.mv(m, v), "expanded")
            expect(torch.dot(v, m[1]), "dot_expanded")
            expect_strides(torch.mv(m.t(), m[:, 5]), (1,))""", variants=False)
        yield g.case(f"{dt}/no_terms", "dot/S3", f"""
            m = torch.ones(3, 0, dtype=torch.{dt})
            expect(torch.dot(m[0], m[1]), "dot")
            expect(torch.mv(m, m[0]), "mv")
            expect(torch.mv(m.t(), torch.ones(3, dtype=torch.{dt})), "rows")
            expect(torch.outer(m[0], torch.ones(2, dtype=torch.{dt})), "outer")""", trivial=ZERO)
    for dt in ("float64", "float16", "int32"):
        yield g.case(f"{dt}/out", "dot/S2 dot/S4", f"""
            m = {small(dt, 5, (4, 3))}
            out = torch.zeros(8, dtype=torch.{dt})
            torch.mv(m, m[0], out=out[::2])
            expect(out, "mv")
            number = torch.zeros((), dtype=torch.{dt})
            torch.dot(m[0], m[1], out=number)
            expect(number, "dot")
            place = torch.zeros(3, 4, dtype=torch.{dt}).t()
            torch.outer(m[:, 0], m[1], out=place)
            expect(place, "outer")
            expect_strides(place, (1, 4))""")
    yield g.case("float32/promotion", "dot/S5", """
        x = normal(1, (3,))
        expect(torch.outer(integers(2, (4,), torch.int8), x), "int8")
        expect(torch.outer(x, normal(3, (2,), torch.float64)), "float64")
        expect(torch.outer(bools(4, (5,)), integers(5, (3,), torch.int16)), "bool")
        expect(torch.outer(bools(6, (6,)), bools(7, (6,))), "bools")""")
    yield g.case("int8/wraps", "dot/S3", """
        v = torch.full((3,), 100, dtype=torch.int8)
        expect_equal(torch.dot(v, v), 48)
        expect_equal(torch.mv(v.expand(2, 3), v), [48, 48])
        expect_equal(torch.outer(v[:1], v[:1]), [[16]])""")
    yield g.case("int64/beyond_2_53", "dot/S3", """
        v = torch.tensor([9007199254740993, 1])
        expect(torch.dot(v, torch.tensor([3, -7])), "dot")
        expect(torch.mv(v.view(1, 2), torch.tensor([1, 0])), "mv")""")
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/long_sum", "dot/S3", f"""
            a = torch.ones(4000, dtype=torch.{dt})
            expect(torch.dot(a, a), "ones")
            expect(torch.mv(a.view(2, 2000), a[:2000]), "mv")
            u = uniform(71, (1000,), torch.{dt})
            expect(torch.dot(u, u), "uniform")""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/nothing_skipped", "dot/S3", f"""
            a = torch.tensor([[nan_, 0.0], [inf_, 0.0], [1.0, 2.0], [inf_, -inf_]], dtype=torch.{dt})
            b = torch.tensor([0.0, 5.0], dtype=torch.{dt})
            expect(torch.mv(a, b), "mv")
            expect(torch.dot(a[0], b), "nan")
            expect(torch.dot(a[1], b), "inf")""".replace("nan_", 'float("nan")').replace("inf_", 'float("inf")'))
    yield from refusals(g)
    yield from gradients(g)


def refusals(g):
    yield g.case("float32/dims", "dot/C1 dot/C5 dot/C6", """
        m = normal(1, (3, 3))
        expect_error(RuntimeError, "dot/C1", torch.dot, m, m[0])
        expect_error(RuntimeError, "dot/C1", torch.dot, m[0, 0], m[0, 0])
        expect_error(RuntimeError, "dot/C1", torch.mv, m[0], m[0])
        expect_error(RuntimeError, "dot/C1", torch.mv, m, m)
        expect_error(RuntimeError, "dot/C1", torch.mv, m.view(3, 3, 1), m[0])
        expect_error(IndexError, "dot/C6", torch.mv, m[0, 0], m[0])
        expect_error(RuntimeError, "dot/C5", torch.outer, m, m[0])
        expect_error(RuntimeError, "dot/C5", torch.outer, m[0], m[0, 0])""")
    yield g.case("float32/sizes", "dot/C2", """
        m = normal(1, (2, 3))
        expect_error(RuntimeError, "dot/C2", torch.dot, m[0], m[0, :2])
        expect_error(RuntimeError, "dot/C2", torch.dot, m[0, :1], m[0])
        expect_error(RuntimeError, "dot/C2", torch.mv, m, m[0, :2])
        expect_error(RuntimeError, "dot/C2", torch.mv, m, m[0, :1])""")
    yield g.case("float32/dtypes", "dot/C3", """
        m = normal(1, (2, 3))
        expect_error(RuntimeError, "dot/C3", torch.dot, m[0], m[0].to(torch.float64))
        expect_error(RuntimeError, "dot/C3", torch.mv, m.to(torch.float16), m[0])
        expect_error(RuntimeError, "dot/C3", torch.mv, m, integers(2, (3,)))
        expect_error(RuntimeError, "dot/C3", torch.mv, torch.zeros(0, 3), integers(2, (3,)))""")
    for dt in ("bool", *g.FLOAT8):
        made = small(dt, 1, (2, 3))
        yield g.case(f"{dt}/refused", "dot/C4", f"""
            m = {made}
            expect_error(NotImplementedError, "dot/C4", torch.dot, m[0], m[0])
            expect_error(NotImplementedError, "dot/C4", torch.dot, m[0, :0], m[0, :0])
            expect_error(NotImplementedError, "dot/C4", torch.mv, m, m[0])""")
        yield g.case(f"{dt}/of_nothing", "dot/C4 dot/S3", f"""
            m = torch.zeros(2, 0, dtype=torch.{dt})
            expect(torch.mv(m, m[0]), "mv")
            expect(torch.mv(m.t(), torch.zeros(2, dtype=torch.{dt})), "empty")""", trivial=ZERO)


def gradients(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/backward", "dot/G1 dot/G2 dot/G3", f"""
            m = normal(1, (4, 5), torch.{dt}).requires_grad_()
            a = normal(2, (5,), torch.{dt}).requires_grad_()
            b = normal(3, (5,), torch.{dt}).requires_grad_()
            torch.dot(a, b).backward(torch.tensor(-1.5, dtype=torch.{dt}))
            expect(a.grad, "dot_a")
            expect(b.grad, "dot_b")
            gm, ga = autograd.grad(torch.mv(m, a), (m, a), normal(4, (4,), torch.{dt}))
            expect(gm, "mv_m")
            expect(ga, "mv_a")
            ga, gb = autograd.grad(torch.outer(a, b), (a, b), normal(5, (5, 5), torch.{dt}))
            expect(ga, "outer_a")
            expect(gb, "outer_b")""")
    yield g.case("float64/double_backward", "dot/G1 dot/G2", """
        m = normal(1, (3, 4), torch.float64).requires_grad_()
        v = normal(2, (4,), torch.float64).requires_grad_()
        w = normal(3, (3,), torch.float64).requires_grad_()
        gm, gv = autograd.grad(torch.mv(m, v), (m, v), w, create_graph=True)
        (torch.dot(gv, gv) + (gm * normal(4, (3, 4), torch.float64)).sum()).backward()
        expect(m.grad, "m")
        expect(v.grad, "v")
        expect(w.grad, "w")""")
    yield g.case("float32/no_terms_backward", "dot/G1 dot/G2", """
        m = torch.zeros(3, 0).requires_grad_()
        v = torch.zeros(0).requires_grad_()
        (torch.mv(m, v).sum() + torch.dot(v, v)).backward()
        expect(m.grad, "m")
        expect(v.grad, "v")""", trivial="nothing is there")
