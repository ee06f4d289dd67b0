# SPDX-License-Identifier: Apache-2.0
"""sort, argsort (O-12)."""

from calls import Arg, Call

CALLS = [
    Call("sort", f"torch.sort({{x}}, dim={dim}, descending={{descending}}, stable=True)", {"x": Arg(shape, kind)},
         f"{name}{'_ties' if kind == 'few' else ''}", choices={"descending": ("False", "True")},
         results=("[0]", "[1]"), along=("N", "B"), over=("N",), exact=True)
    for kind in ("data", "few")
    for name, shape, dim in (("last", "… B N", -1), ("first", "N B", 0), ("middle", "B N C", 1))
]


def source(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f"normal({seed}, {shape}, torch.{dt})"
    return f"integers({seed}, {shape}, torch.{dt}, {0 if dt == 'uint8' else -4}, 5)"


def cases(g):
    for dt in g.COMMON:
        yield from values(g, dt)
    for dt in g.FLOAT:
        yield from floats(g, dt)
        yield from gradients(g, dt)
    yield from particular(g)
    yield from refusals(g)


def both(call, name=""):
    return f"""
            values{name}, indices{name} = {call}
            expect_equal(values{name}, "values{name}")
            expect_equal(indices{name}, "indices{name}")"""


def values(g, dt):
    for what, shape, dim in (("last", (3, 6), 1), ("first", (6, 3), 0), ("middle", (2, 5, 2), 1),
                             ("vector", (9,), 0), ("negative", (2, 5, 2), -2)):
        for way in ("", ", descending=True"):
            yield g.case(f"{dt}/stable_{what}{'_descending' if way else ''}",
                         "sort/S1 sort/S2 sort/S3", f"""
            x = {source(dt, 11, shape)}""" + both(f"torch.sort(x, dim={dim}{way}, stable=True)"))
    yield g.case(f"{dt}/values_only", "sort/S1 sort/S2", f"""
        x = {source(dt, 12, (3, 8))}
        values, indices = torch.sort(x)
        expect_equal(values, "values")
        expect_equal(torch.gather(x, 1, indices), "gathered")
        down, where = x.sort(0, True)
        expect_equal(down, "down")
        expect_equal(x.gather(0, where), "down_gathered")""")
    if dt != "bool":
        small = (4, 8) if dt in ("int8", "uint8") else (5, 24)
        yield g.case(f"{dt}/distinct", "sort/S1 sort/S2", f"""
            x = {f"permutation(13, {small[0] * small[1]}).to(torch.{dt}).view{small}" if dt == "uint8"
                 else f"distinct(13, {small}, torch.{dt})"}""" + both("torch.sort(x)")
                     + both("torch.sort(x, descending=True)", "_down"))
    yield g.case(f"{dt}/equal_elements", "sort/S3", f"""
            x = torch.ones(2, 7, dtype=torch.{dt})""" + both("torch.sort(x, stable=True)")
                 + both("torch.sort(x, stable=True, descending=True)", "_down"))
    yield g.case(f"{dt}/no_dims_and_empty", "sort/S6", f"""
            x = {source(dt, 15, (3,))}""" + both("torch.sort(x[1])")
                 + both(f"torch.sort(torch.zeros(0, dtype=torch.{dt}))", "_none")
                 + both(f"torch.sort(torch.zeros(2, 0, dtype=torch.{dt}))", "_rows")
                 + both(f"torch.sort(torch.zeros(0, 2, dtype=torch.{dt}), dim=1)", "_outer"))
    yield g.case(f"{dt}/layouts", "sort/S7", f"""
            x = {source(dt, 15, (4, 6))}""" + both("torch.sort(x.t(), stable=True)")
                 + both("torch.sort(x[:, ::2], dim=0, stable=True)", "_strided")
                 + both("torch.sort(x[:1].expand(3, 6), stable=True)", "_expanded"))
    yield g.case(f"{dt}/argsort", "sort/S2 sort/S3", f"""
        x = {source(dt, 16, (3, 6))}
        expect_equal(torch.argsort(x, stable=True), "y")
        expect_equal(torch.argsort(x, dim=0, descending=True, stable=True), "down")
        expect_equal(x.argsort(dim=-2, stable=True), "method")""")
    yield g.case(f"{dt}/out", "sort/S8", f"""
        x = {source(dt, 17, (12,))}
        v = torch.zeros(12, dtype=torch.{dt})
        i = torch.zeros(6, dtype=torch.int64)
        torch.sort(x[:6], stable=True, out=(v[::2], i))
        expect_equal(v, "v")
        expect_equal(i, "i")
        wide = torch.zeros(12, dtype=torch.int64)
        torch.sort(x[6:], stable=True, descending=True, out=(v[6:], wide[1::2]))
        expect_equal(v, "v2")
        expect_equal(wide, "wide")""")


def floats(g, dt):
    for way in ("", ", descending=True"):
        down = "_descending" if way else ""
        yield g.case(f"{dt}/nan{down}", "sort/S4", f"""
            x = torch.tensor([3.0, float("nan"), -1.0, float("inf"), -float("nan"), float("-inf"), 2.0], dtype=torch.{dt})"""
                     + both(f"torch.sort(x, stable=True{way})"))
        yield g.case(f"{dt}/zeros{down}", "sort/S5", f"""
            x = torch.tensor([0.0, -0.0, 1.0, -0.0, 0.0, -1.0], dtype=torch.{dt})"""
                     + both(f"torch.sort(x, stable=True{way})"))
        yield g.case(f"{dt}/special{down}", "sort/S4 sort/S5", f"""
            x = normal(21, (4, 9), torch.{dt}, mix="special")""" + both(f"torch.sort(x, stable=True{way})"))
        yield g.case(f"{dt}/ties{down}", "sort/S3", f"""
            x = normal(22, (3, 20), torch.{dt}, mix="tie")""" + both(f"torch.sort(x, stable=True{way})"))


def particular(g):
    yield g.case("int64/beyond_2_53", "sort/S5", """
            x = torch.tensor([9007199254740993, 9007199254740992, 9007199254740994, -9007199254740993])"""
                 + both("torch.sort(x)"))
    for dt in g.INT:
        yield g.case(f"{dt}/extremes", "sort/S1", f"""
            x = integers(31, (3, 12), torch.{dt}, 0, 9, mix="extreme")""" + both("torch.sort(x, stable=True)"))
    yield g.case("float32/long", "sort/S1 sort/S2", """
            x = distinct(32, (1000,), torch.float32)
            values, indices = torch.sort(x)
            expect_equal(values[::37], "values")
            expect_equal(indices[::37], "indices")""")
    yield g.case("float32/past_a_block", "sort/S1 sort/S2", """
        x = distinct(35, (32769,), torch.float32)
        values, indices = torch.sort(x)
        expect_equal(values[::1024], "values")
        expect_equal(indices[::1024], "indices")""", variants=False)
    yield g.case("float32/attributes", "sort/S2", """
        x = distinct(33, (3, 4), torch.float32)
        r = torch.sort(x, dim=0)
        expect_equal(r[0], "values")
        expect_equal(r[1], "indices")
        expect_equal(x.gather(0, r.indices), "gathered")
        expect_equal(r.values, "by_name")""")
    yield g.case("float32/routing", "sort/S3", """
        expert = integers(34, (16,), torch.int64, 0, 4)
        order = torch.argsort(expert, stable=True)
        expect_equal(order, "order")
        expect_equal(torch.argsort(order), "back")""")


def refusals(g):
    yield g.case("float32/dim", "sort/C1", """
        x = normal(1, (2, 3))
        expect_error(IndexError, "sort/C1", torch.sort, x, 2)
        expect_error(IndexError, "sort/C1", torch.sort, x, dim=-3)
        expect_error(IndexError, "sort/C1", torch.argsort, x[0, 0], 1)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "sort/C2", f"""
            x = normal(1, (2, 3), torch.{dt})
            expect_error(NotImplementedError, "sort/C2", torch.sort, x)
            expect_error(NotImplementedError, "sort/C2", torch.argsort, x)""")


def gradients(g, dt):
    for dim in (0, 1):
        yield g.case(f"{dt}/backward_dim{dim}", "sort/G1", f"""
            x = distinct(41, (4, 5), torch.{dt}).requires_grad_()
            torch.sort(x, dim={dim}).values.backward(normal(42, (4, 5), torch.{dt}))
            expect(x.grad, "x_grad")""")
    yield g.case(f"{dt}/backward_ties", "sort/G1 sort/S3", f"""
        x = torch.tensor([1.0, 0.0, 1.0, 0.0], dtype=torch.{dt}).requires_grad_()
        values, indices = torch.sort(x, stable=True, descending=True)
        values.backward(normal(43, (4,), torch.{dt}))
        expect(x.grad, "x_grad")
        expect_equal(indices.requires_grad, False)""")
    yield g.case(f"{dt}/backward_no_dims", "sort/G1", f"""
        x = normal(44, (), torch.{dt}).requires_grad_()
        torch.sort(x)[0].backward(normal(45, (), torch.{dt}))
        expect(x.grad, "x_grad")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/double_backward", "sort/G1", f"""
            x = distinct(46, (3, 4), torch.{dt}).requires_grad_()
            y = torch.sort(x, dim=1)[0] * normal(47, (3, 4), torch.{dt})
            gx = autograd.grad((y * y * y).sum(), x, create_graph=True)[0]
            gx.backward(normal(48, (3, 4), torch.{dt}))
            expect(x.grad, "x_grad")""")
