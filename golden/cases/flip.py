# SPDX-License-Identifier: Apache-2.0
"""flip, roll, rot90, fliplr and flipud."""

from calls import Arg, COMMON, Call
from inputs import special

CALLS = [
    Call("flip", "torch.flip({x}, (-1,))", {"x": Arg("… B N")}, "last", along=("N", "B"), dtypes=COMMON, exact=True),
    Call("flip", "torch.flip({x}, (0, 2))", {"x": Arg("B N C")}, "two", along=("B", "N"), dtypes=COMMON, exact=True),
    Call("roll", "torch.roll({x}, 2, -1)", {"x": Arg("… B N")}, "last", along=("N", "B"), exact=True,
         maybe="few float8 numbers may stand for each other"),
    Call("roll", "torch.roll({x}, -3)", {"x": Arg("B N")}, "flat", along=("N", "B"), exact=True),
    Call("roll", "torch.roll({x}, (1, -2), (0, 1))", {"x": Arg("B N C")}, "two", along=("N", "B"), exact=True),
    *(Call("rot90", f"torch.rot90({{x}}, {k}, (0, 1))", {"x": Arg("B N")}, f"{k}", along=("N", "B"), dtypes=COMMON,
           exact=True) for k in (1, 2, 3)),
]


def cases(g):
    yield from values(g)
    yield from layouts(g)
    yield from refusals(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)
    yield from levels(g)


def values(g):
    for dt in g.ALL:
        if dt in g.FLOAT8:
            # 2.15.0 has it where the innermost dim in memory stays
            yield g.case(f"{dt}/flip", "flip/S1 flip/S6", f"""
                x = {special(dt, (4, 3))}
                y = x.flip(0)
                expect(y, "rows")
                expect_copy_of(y, x)
                expect(x.view(2, 2, 3).flip(0, 1), "two")""", variants=False)
        else:
            yield g.case(f"{dt}/flip", "flip/S1 flip/S2 flip/S6", f"""
                x = {special(dt, (4, 5))}
                y = x.flip(0)
                expect(y, "rows")
                expect_copy_of(y, x)
                expect(torch.flip(x, (1,)), "columns")
                expect(x.flip([-1, 0]), "both")
                expect(x[1:, ::2].flip(1), "part")
                expect(x.fliplr(), "lr")
                expect(torch.flipud(x), "ud")""")
            yield g.case(f"{dt}/rot90", "flip/S5 flip/S6", f"""
                x = {special(dt, (4, 5), 2)}
                y = x.rot90()
                expect(y, "one")
                expect_copy_of(y, x)
                expect(torch.rot90(x, 2), "two")
                expect(x.rot90(3, (0, 1)), "three")
                expect(x.rot90(1, [1, 0]), "back")
                expect(x[::2, 1:4].rot90(-1), "part")""")
        yield g.case(f"{dt}/roll", "flip/S3 flip/S4 flip/S6", f"""
            x = {special(dt, (4, 5), 3)}
            y = x.roll(1, 0)
            expect(y, "rows")
            expect_copy_of(y, x)
            expect(torch.roll(x, -2, 1), "columns")
            expect(x.roll((1, 2), (0, -1)), "both")
            expect(x.roll(3), "flat")
            expect(x[1:, ::2].roll(-1, 1), "part")
            expect(x.t().roll(-4), "turned")""")
    for i, dims in enumerate(("0", "1", "2", "-1", "0, 1", "(0, 2)", "(1, -1)", "[2, 0, 1]", "()", "dims=(0, 1)")):
        yield g.case(f"float32/flip_{i}", "flip/S1", f"""
            x = normal({i}, (2, 3, 4))
            y = x.flip({dims})
            expect(y, "y")
            expect_copy_of(y, x)""", trivial="no dim is named" if dims == "()" else "")
    for i, args in enumerate(("1, 0", "1, 1", "-1, 2", "7, 2", "-9, 1", "0, 0", "3, 1", "(1, 1), (0, 0)", "(2, 3), (2, 2)",
                              "(1, 2, 3), (0, 1, 2)", "[1], [1]", "1", "-1", "25", "-60", "24", "shifts=1, dims=1",
                              "4611686018427387904, 1", "(1, -1), (1, 1)", "-4611686018427387904")):
        still = args in ("0, 0", "3, 1", "(1, 1), (0, 0)", "24", "(1, -1), (1, 1)", "-9, 1")
        yield g.case(f"float32/roll_{i}", "flip/S3" if "," in args else "flip/S4", f"""
            x = normal({i}, (2, 3, 4))
            y = x.roll({args})
            expect(y, "y")
            expect_copy_of(y, x)""", trivial="all round is where it was" if still else "")
    for i, args in enumerate(("", "1", "2", "3", "4", "0", "-1", "-6", "5", "1, (1, 2)", "1, (2, 0)", "3, (-1, 0)",
                              "2, (0, 2)", "1, (-3, -2)", "k=3, dims=(1, 0)", "4611686018427387905", "-2, [1, 2]")):
        yield g.case(f"float32/rot90_{i}", "flip/S5", f"""
            x = normal({i}, (2, 3, 4))
            y = x.rot90({args})
            expect(y, "y")
            expect_copy_of(y, x)""", trivial="all round is where it was" if args in ("0", "4") else "")
    yield g.case("float32/none", "flip/S9", """
        x = normal(1, ())
        expect(x.flip(0), "first")
        expect(x.flip(-1), "last")
        expect(x.flip(()), "no_dim")
        expect(x.roll(3), "roll")
        expect_copy_of(x.flip(0), x)
        expect_copy_of(x.roll(1), x)""", trivial="one element stays where it is")
    for i, shape in enumerate(((0,), (0, 3), (2, 0, 3))):
        yield g.case(f"float32/nothing_{i}", "flip/S9", f"""
            x = normal(1, {shape})
            expect_equal(x.flip(0).shape, {shape})
            expect_equal(x.flip(-1).shape, {shape})
            expect_equal(x.roll(1).shape, {shape})
            expect_equal(x.roll(2, 0).shape, {shape})
            expect_equal(x.roll(2, 7).shape, {shape})""")
    yield g.case("float32/nothing_turned", "flip/S9", """
        x = normal(1, (0, 3))
        expect_equal(x.rot90().shape, (3, 0))
        expect_equal(x.rot90(2).shape, (0, 3))
        expect_equal(x.rot90(0).shape, (0, 3))""")
    for i, shape in enumerate(((1, 1), (1, 5), (5, 1), (1, 2, 1, 3), (2, 1, 2, 1, 2, 1, 2))):
        yield g.case(f"float32/size_{i}", "flip/S1 flip/S3 flip/S5", f"""
            x = normal({i}, {shape})
            expect(x.flip(0, -1), "flip")
            expect(x.roll((1, 1), (0, -1)), "roll")
            expect(x.rot90(1, (0, -1)), "turned")
            expect(x.rot90(3, (1, 0)), "back")""", maybe="one element stays where it is")
    yield g.case("float32/chains", "flip/S1 flip/S3 flip/S5", """
        x = normal(5, (3, 4))
        expect(x.flip(0).flip(0).roll(1, 1), "there_and_back")
        expect(x.rot90().rot90(3).flip(1), "turned")
        expect(x.t().flip(1).rot90(), "mixed")
        expect(x.expand(2, 3, 4).roll(1, 2), "expanded")
        expect(x[:, 2:3].expand(3, 5).flip(0), "column")""")


def layouts(g):
    yield g.case("float32/strides", "flip/S7", """
        x = normal(1, (2, 3, 4))
        expect_strides(x.flip(0), (12, 4, 1))
        expect_strides(x.permute(2, 0, 1).flip(0), (1, 12, 4))
        expect_strides(x[:, :, ::2].flip(0), (6, 2, 1))
        expect_strides(x[0].expand(4, 3, 4).flip(0), (12, 4, 1))
        expect_strides(x[0].t().flip(()), (1, 4))
        expect_strides(x.rot90(1, (1, 2)), (12, 1, 4))
        expect_strides(x.rot90(2, (1, 2)), (12, 4, 1))
        expect_strides(x.rot90(1, (0, 2)), (1, 4, 12))
        expect_strides(x.permute(2, 0, 1).rot90(1), (12, 1, 4))
        expect_strides(x.permute(2, 0, 1).rot90(2), (1, 12, 4))
        expect_strides(x.permute(2, 0, 1).rot90(4), (6, 3, 1))
        y = normal(2, (2, 3, 4, 5)).contiguous(memory_format=torch.channels_last)
        expect_strides(y.flip(1), (60, 1, 15, 3))
        expect_strides(y.rot90(1, (2, 3)), (60, 1, 3, 15))
        expect(y.flip(1), "flip")
        expect(y.rot90(3, (2, 3)), "turned")""", variants=False)
    yield g.case("float32/roll_strides", "flip/S8", """
        x = normal(1, (2, 3, 4))
        expect_strides(x.permute(2, 0, 1).roll(1, 0), (6, 3, 1))
        expect_strides(x.permute(2, 0, 1).roll(1), (6, 3, 1))
        y = normal(2, (2, 3, 4, 5)).contiguous(memory_format=torch.channels_last)
        expect_strides(y.roll(1, 1), (60, 1, 15, 3))
        expect_strides(y.roll((1, 1), (1, 2)), (60, 1, 15, 3))
        expect_strides(y.roll((1, 0), (1, 2)), (60, 20, 5, 1))
        expect_strides(y.roll((0, 1), (1, 2)), (60, 20, 5, 1))
        expect_strides(y.roll(0, 1), (60, 20, 5, 1))
        expect_strides(y.roll(8, 2), (60, 20, 5, 1))
        expect_strides(y.roll(1), (60, 20, 5, 1))
        expect_strides(y[:, :, ::2].roll(1, 1), (30, 1, 15, 3))
        expect(y.roll(1, 1), "one")
        expect(y.roll((1, 1), (1, 2)), "two")
        expect(y.roll(1), "flat")
        expect_strides(torch.zeros(2, 0, 4).permute(2, 1, 0).roll(1, 0), (1, 4, 4))
        expect_strides(torch.zeros(2, 0, 4).permute(2, 1, 0).roll(1), (2, 2, 1))""", variants=False)


def refusals(g):
    for i, call in enumerate(("x.flip, 2", "x.flip, -3", "torch.flip, x, (0, 2)", "s.flip, 1", "x.roll, 1, 2", "x.roll, 1, -3",
                              "x.roll, (1, 1), (0, 2)", "x.rot90, 1, (0, 2)", "x.rot90, 0, (0, 5)", "x.rot90, 1, (-3, 0)")):
        yield g.case(f"float32/range_{i}", "flip/C1", f"""
            x = normal(1, (2, 3))
            s = normal(2, ())
            expect_error(IndexError, "flip/C1", {call})""")
    yield g.case("float32/twice", "flip/C2", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "flip/C2", x.flip, 0, 0)
        expect_error(RuntimeError, "flip/C2", x.flip, (1, -1))
        expect_error(RuntimeError, "flip/C2", normal(2, ()).flip, (0, 0))""")
    yield g.case("float32/no_shifts", "flip/C3", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "flip/C3", x.roll, ())
        expect_error(RuntimeError, "flip/C3", torch.roll, x, (), (0,))
        expect_error(RuntimeError, "flip/C3", torch.zeros(0).roll, ())""")
    yield g.case("float32/shifts_and_dims", "flip/C4", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "flip/C4", x.roll, (1, 2), 0)
        expect_error(RuntimeError, "flip/C4", x.roll, 1, (0, 1))
        expect_error(RuntimeError, "flip/C4", x.roll, (1, 2))
        expect_error(RuntimeError, "flip/C4", torch.zeros(0, 3).roll, (1, 2), 0)""")
    yield g.case("float32/plane", "flip/C5", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "flip/C5", x.rot90, 1, (0,))
        expect_error(RuntimeError, "flip/C5", x.rot90, 1, (0, 1, 1))
        expect_error(RuntimeError, "flip/C5", x[0].rot90, 1, ())""")
    yield g.case("float32/too_flat", "flip/C6", """
        x = normal(1, (3,))
        expect_error(RuntimeError, "flip/C6", x.rot90)
        expect_error(RuntimeError, "flip/C6", x[0].rot90, 2)
        expect_error(RuntimeError, "flip/C6", x.fliplr)
        expect_error(RuntimeError, "flip/C6", torch.flipud, x[0])""")
    yield g.case("float32/plane_twice", "flip/C7", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "flip/C7", x.rot90, 1, (0, 0))
        expect_error(RuntimeError, "flip/C7", x.rot90, 1, (0, -2))
        expect_error(RuntimeError, "flip/C7", x.rot90, 0, (-1, 1))
        expect_error(IndexError, "flip/C1", x.rot90, 1, (7, 7))""")
    yield g.case("float32/roll_no_dims", "flip/C8", """
        x = normal(1, ())
        expect_error(IndexError, "flip/C8", x.roll, 1, 0)
        expect_error(IndexError, "flip/C8", torch.roll, x, (1, 1), (0, 0))""")


def gradients(g, dt):
    for op, rule, calls in (("flip", "flip/G1", ("flip(1)", "flip(0, 2)", "flip(())")),
                            ("roll", "flip/G2", ("roll(1, 1)", "roll(-5)", "roll((1, -2, 1), (0, 2, 0))")),
                            ("rot90", "flip/G3", ("rot90()", "rot90(2, (1, 2))", "rot90(-1, (2, 0))", "rot90(0)"))):
        lines = "\n            ".join(f"""y = x.{c}
            y.backward(normal({i + 2}, (2, 3, 4), torch.{dt}).view(y.shape))
            expect(x.grad, "dx{i}")
            x.grad = None""" for i, c in enumerate(calls))
        yield g.case(f"{dt}/{op}_backward", rule, f"""
            x = normal(1, (2, 3, 4), torch.{dt}).requires_grad_()
            {lines}""")
        yield g.case(f"{dt}/{op}_grad_of_grad", rule, f"""
            x = normal(1, (2, 3, 4), torch.{dt}).requires_grad_()
            y = x.{calls[0]}
            w = normal(2, y.shape, torch.{dt}).requires_grad_()
            d = autograd.grad(y, x, w, create_graph=True)[0]
            expect(d, "d")
            d.backward(normal(3, (2, 3, 4), torch.{dt}))
            expect(w.grad, "dw")""")


def levels(g):
    for op, call in (("flip", "flip(-1)"), ("roll", "roll(1, 0)"), ("rot90", "rot90(1)"), ("roll_flat", "roll(2)")):
        yield g.case(f"float32/{op}_levels", "flip/S1 flip/S3 flip/S5", f"""
            def part(a):
                return a.{call}
            x = normal(7, (3, 4, 5))
            expect(func.vmap(part)(x), "vmap")
            expect(func.vmap(part, in_dims=2)(x), "last")
            y, t = func.jvp(part, (x,), (normal(8, (3, 4, 5)),))
            expect(t, "jvp")""")
