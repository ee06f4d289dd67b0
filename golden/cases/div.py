# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/div.md beyond the family's."""

from calls import NUMBER, Arg, Call, binary, op_table
from inputs import made

CALLS = [
    *binary(op_table()["div"], "torch.div", second="nonzero", floats=True,
            exact="forward"),
    Call("div", "torch.div({x}, {y}, rounding_mode={mode})",
         {"x": Arg("… N"), "y": Arg("… N", "nonzero")}, "rounded", dtypes=NUMBER,
         choices={"mode": ("'floor'", "'trunc'")}, exact="forward"),
    *binary(op_table()["floor_divide"], "torch.floor_divide", second="nonzero", exact=True),
]


def divisor(dt, seed, shape="(3, 4)"):
    """Nothing near zero."""
    if "float" in dt:
        return f"uniform({seed}, {shape}, torch.{dt}, low=0.5, high=3.0)"
    return f"integers({seed}, {shape}, torch.{dt}, low=1, high=9)"


def cases(g):
    for n, dt in enumerate(g.COMMON):
        yield g.case(f"{dt}/by_zero", "div/S2", f"""
            x = integers({10 * n + 8}, (3, 4), torch.{dt}, low=0, high=3)
            expect(x / 0, "zero")
            expect(x / -0.0, "minus_zero")
            expect(x / torch.zeros(4, dtype=torch.{dt}), "tensor")""")
        if dt != "bool":
            yield from signs(g, dt, 10 * n)
        if dt in g.INT:
            yield from zero_behind(g, dt)
    for dt in g.FLOAT:
        yield from floating(g, dt)
    yield from integers(g)
    yield from refusals(g)


def signs(g, dt, seed):
    """Of quotients that are rounded."""
    rules = "div/S4 div/S6" if dt in g.FLOAT else "div/S4 div/S5"
    yield g.case(f"{dt}/signs", rules, f"""
            x = {made(dt, seed + 1)}
            y = {divisor(dt, seed + 2)}
            expect(torch.div(x, -y, rounding_mode="floor"), "floor_minus")
            expect(torch.div(-x, y, rounding_mode="floor"), "floor_negated")
            expect(torch.div(x, -y, rounding_mode="trunc"), "trunc_minus")
            expect(torch.div(-x, y, rounding_mode="trunc"), "trunc_negated")""")


def zero_behind(g, dt):
    yield g.case(f"{dt}/zero_behind_the_divisor", "div/S5 div/C3", f"""
            x = integers(61, (3,), torch.{dt}, low=10, high=100)
            y = torch.tensor([3, 4, 7, 0], dtype=torch.{dt})[:3]
            expect(torch.div(x, y, rounding_mode="floor"), "floor")
            expect(x // y, "operator")""")


def floating(g, dt):
    for mix in ("tie", "zero"):
        yield g.case(f"{dt}/floor_{mix}", "div/S6", f"""
            x = {made(dt, 63, "(5, 7)", mix)}
            y = {made(dt, 64, "(5, 7)", mix)}
            expect(torch.div(x, y, rounding_mode="floor"), "floor")""")
        yield g.case(f"{dt}/trunc_{mix}", "div/S4", f"""
            x = {made(dt, 65, "(5, 7)", mix)}
            y = {made(dt, 66, "(5, 7)", mix)}
            expect(torch.div(x, y, rounding_mode="trunc"), "trunc")""")
    yield g.case(f"{dt}/floor_is_of_the_exact_quotient", "div/S6", f"""
            x = torch.tensor([1.0, -1.0, 7.0, 0.3, 100.0], dtype=torch.{dt})
            y = torch.tensor([0.1, 0.1, -2.0, -0.1, 0.01], dtype=torch.{dt})
            expect(torch.div(x, y, rounding_mode="floor"), "floor")""")
    if dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/floor_of_large_quotients", "div/S6", f"""
            x = integers(70, (9, 11), torch.{dt}, low=-3000, high=3000)
            y = uniform(71, (9, 11), torch.{dt}, low=0.25, high=2.0)
            expect(torch.div(x, y, rounding_mode="floor"), "floor")
            expect(torch.div(x, y, rounding_mode="trunc"), "trunc")""")
        yield g.case(f"{dt}/inexact_number", "div/S3", f"""
            x = integers(67, (5, 7), torch.{dt}, low=-200, high=200)
            expect(x / 0.3, "third")
            expect(x / torch.tensor(0.7, dtype=torch.float64), "wide_scalar")""")
        yield g.case(f"{dt}/one_element_divisor", "div/S3 div/S4 div/S6", f"""
            x = integers(68, (5, 7), torch.{dt}, low=-200, high=200)
            y = uniform(69, (1,), torch.{dt}, low=0.1, high=0.9)
            expect(torch.div(x, y, rounding_mode="floor"), "floor")
            expect(torch.div(x, y, rounding_mode="trunc"), "trunc")""")
    yield g.case(f"{dt}/gradient_floor_divide", "div/G3", f"""
            x = {made(dt, 88)}.requires_grad_()
            z = (x // 2).sum()
            expect_equal(z.requires_grad, True)
            expect_error(RuntimeError, "div/G3", z.backward)""")


    if dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/floor_then_rounded", "div/S4", f"""
            x = torch.tensor([-12296.0, -12328.0, 12312.0, -775.0, 772.0, -7.0], dtype=torch.{dt})
            expect(torch.floor_divide(x, 3), "floor_divide")
            expect(torch.div(x, 3, rounding_mode="floor"), "floor")
            expect(torch.div(x, 3, rounding_mode="trunc"), "trunc")""")


def integers(g):
    for dt in ("int8", "int16"):
        low = -128 if dt == "int8" else -32768
        yield g.case(f"{dt}/smallest_by_minus_one", "div/S7", f"""
            x = torch.tensor([{low}, {low + 1}, 5], dtype=torch.{dt})
            expect_equal(torch.div(x, -1, rounding_mode="floor"), [{low}, {-low - 1}, -5])
            expect_equal(torch.div(x, -1, rounding_mode="trunc"), [{low}, {-low - 1}, -5])""")
    yield g.case("int64/beyond_double", "div/S4 div/S5", """
            x = torch.tensor([9007199254740993, -9007199254740993], dtype=torch.int64)
            expect_equal(torch.div(x, 1, rounding_mode="trunc"),
                         [9007199254740993, -9007199254740993])
            expect_equal(x // 2, [4503599627370496, -4503599627370497])
            expect(x / 3, "true")""")
    yield g.case("bool/rounded_by_integers", "div/S4 div/S5", """
            x = bools(104, (3, 4))
            y = integers(105, (3, 4), torch.int16, low=-2, high=0)
            expect(torch.div(x, y, rounding_mode="floor"), "floor")
            expect(torch.div(x, y, rounding_mode="trunc"), "trunc")
            expect(torch.div(y, torch.ones(3, 4, dtype=torch.bool), rounding_mode="trunc"), "by_bool")""")
    for dt in g.INT:
        yield g.case(f"{dt}/zero_divisor_of_nothing", "div/C3 tensors/S10", f"""
            x = torch.zeros(0, 3, dtype=torch.{dt})
            expect(torch.div(x, 0, rounding_mode="floor"), "floor")
            expect(torch.div(x, 0, rounding_mode="trunc"), "trunc")""", trivial="no elements")
        yield g.case(f"{dt}/zero_divisor", "div/C3", f"""
            x = integers(91, (2, 3), torch.{dt})
            y = torch.ones(2, 3, dtype=torch.{dt})
            y[1, 2] = 0
            expect_error(RuntimeError, "div/C3", torch.div, x, 0, rounding_mode="floor")
            expect_error(RuntimeError, "div/C3", torch.div, x, y, rounding_mode="trunc")
            expect_error(RuntimeError, "div/C3", torch.floor_divide, x, y)""")


def refusals(g):
    for offset in (0, 4):
        yield g.case(f"float32/zero_dim_view_at_{offset}", "div/S1", f"""
            s = uniform(121, (8,), torch.float32, low=1.0, high=3.0)
            x = normal(122, (3,), torch.float32)
            expect(x / s[{offset}], "right")
            expect(s[{offset}] / (x * x + 1), "left")
            x /= s[{offset}]
            expect(x, "x")""")
    yield g.case("float32/gradient_hidden_by_where", "div/G1 where/G1", """
            x = torch.ones(2, requires_grad=True)
            z = x / torch.tensor([0.0, 1.0])
            torch.where(torch.tensor([False, True]), z, 0).sum().backward()
            expect(x.grad, "x")""")
    yield g.case("float32/rounding_mode", "div/C2", """
            x = normal(133, (2, 3), torch.float32)
            expect_error(RuntimeError, "div/C2", torch.div, x, x, rounding_mode="round")
            expect_error(RuntimeError, "div/C2", torch.div, x, 2, rounding_mode="")""")
    yield g.case("bool/rounded", "div/C4", """
            x = bools(134, (2, 3))
            y = torch.ones(2, 3, dtype=torch.bool)
            expect_error(NotImplementedError, "div/C4", torch.div, x, y, rounding_mode="floor")
            expect_error(NotImplementedError, "div/C4", torch.div, x, y, rounding_mode="trunc")
            expect_error(NotImplementedError, "div/C4", torch.floor_divide, x, y)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/rounded", "div/C4", f"""
            x = normal(135, (2, 3), torch.{dt})
            expect_error(NotImplementedError, "div/C4", torch.div, x, x, rounding_mode="floor")""")
    for dt in g.INT:
        yield g.case(f"{dt}/in_place_true", "div/S9 promotion/C1", f"""
            x = integers(136, (2, 3), torch.{dt})
            expect_error(RuntimeError, "promotion/C1", x.div_, 2)
            expect_error(RuntimeError, "promotion/C1", x.div_, 2.0, rounding_mode="floor")""")
    yield g.case("float8_e4m3fn/of_two_kinds", "promotion/C2", """
        x = normal(137, (2, 3), torch.float8_e4m3fn)
        y = normal(138, (2, 3), torch.float8_e5m2)
        expect_error(RuntimeError, "promotion/C2", torch.div, x, y)""")
