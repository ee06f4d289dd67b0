# SPDX-License-Identifier: Apache-2.0
"""Which dtype an op computes in and answers with (T-12)."""

RANK = {"bool": 0, "uint8": 1, "int8": 1, "int16": 1, "int32": 1, "int64": 1, "float16": 2,
        "bfloat16": 2, "float32": 2, "float64": 2}


def values(dt, seed, shape):
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if RANK[dt] == 1:
        return f"integers({seed}, {shape}, torch.{dt}, {0 if dt == 'uint8' else -9}, 10)"
    return f"normal({seed}, {shape}, torch.{dt})"


def cases(g):
    yield from pairs(g)
    yield from numbers(g)
    yield from answers(g)
    yield from written(g)
    yield from real_functions(g)


def pairs(g):
    for n, a in enumerate(g.COMMON):
        for m, b in enumerate(g.COMMON):
            seed = 100 + 20 * n + m
            rules = "promotion/S1 promotion/S4" + \
                (" promotion/S7" if max(RANK[a], RANK[b]) < 2 else "")
            yield g.case(f"{a}/with_{b}", rules, f"""
                x = {values(a, seed, (3, 4))}
                y = {values(b, seed + 300, (4,))}
                expect_equal(torch.add(x, y), "add")
                expect_equal(torch.mul(x, y), "mul")
                expect_equal(torch.div(x, y), "div")
                expect_equal(torch.eq(x, y), "eq")
                expect_equal(torch.lt(x, y), "lt")""")
            zero = "promotion/S2 promotion/S4" + \
                (" promotion/S7" if max(RANK[a], RANK[b]) < 2 else "")
            yield g.case(f"{a}/with_0dim_{b}", zero, f"""
                x = {values(a, seed + 600, (5,))}
                y = {values(b, seed + 900, ())}
                expect(x + y, "add")
                expect(y * x, "mul")
                expect(x / y, "div")
                expect_equal(x == y, "eq")""")


def numbers(g):
    for n, a in enumerate(g.COMMON):
        for kind, v, w in (("int", "3", "-2"), ("float", "2.5", "-0.5"), ("bool", "True", "False")):
            rules = "promotion/S3 promotion/S4" + \
                (" promotion/S7" if RANK[a] < 2 and kind != "float" else "")
            unsigned = a == "uint8" and kind == "int"
            minus = "" if a == "bool" or kind == "bool" else """
                expect_equal(x - {v}, "sub")
                expect_equal({v} - x, "rsub")""".replace("{v}", v)
            yield g.case(f"{a}/with_number_{kind}", rules, f"""
                x = {values(a, 2000 + 3 * n, (2, 3))}
                z = {values(a, 2100 + 3 * n, ())}
                expect_equal(x + {v}, "add")
                expect_equal({'5' if unsigned else w} * x, "mul")
                expect_equal(x / {v}, "div")
                expect_equal(x == {v}, "eq"){minus}
                expect_equal(z + {v}, "add_0dim")
                expect_equal(z * {v}, "mul_0dim")""")
    for dt in ("float16", "bfloat16", "float32"):
        yield g.case(f"{dt}/with_number_it_cannot_hold", "promotion/S3 promotion/S4", f"""
            x = normal(2301, (4, 5), torch.{dt})
            expect(x * 0.1, "mul")
            expect(x + 0.1, "add")
            expect(x / 0.3, "div")
            expect(x - 0.7, "sub")""")
    for a, b, c in (("int32", "float16", "float64"), ("float16", "float64", "int64"),
                    ("bool", "int8", "float32"), ("uint8", "int64", "bfloat16")):
        yield g.case(f"{a}/chain_{b}_{c}", "promotion/S1 promotion/S2 promotion/S3", f"""
            x = {values(a, 2401, (3,))}
            y = {values(b, 2402, ())}
            z = {values(c, 2403, (2, 1))}
            expect_equal((x + y).dtype, "first")
            expect_equal((x + y + z).dtype, "second")
            expect_equal((x * 2 + y * 1.5).dtype, "third")
            expect_equal(torch.where(x > 0, x, y).dtype, "where")""")


def answers(g):
    for n, a in enumerate(g.COMMON):
        body = [f"x = {values(a, 3000 + n, (2,))}", f"s = {values(a, 3050 + n, ())}"]
        for b in g.COMMON:
            body += [f'expect_equal(torch.promote_types(torch.{a}, torch.{b}), "promote_{b}")',
                     f'expect_equal(torch.can_cast(torch.{a}, torch.{b}), "cast_{b}")',
                     f"y_{b} = torch.ones(3, 1, dtype=torch.{b})",
                     f"s_{b} = torch.ones((), dtype=torch.{b})",
                     f'expect_equal(torch.result_type(x, y_{b}), "dims_{b}")',
                     f'expect_equal(torch.result_type(x, s_{b}), "zero_dims_{b}")',
                     f'expect_equal(torch.result_type(s, s_{b}), "both_zero_dims_{b}")']
        for kind, v in (("int", "1"), ("float", "1.5"), ("bool", "True")):
            body += [f'expect_equal(torch.result_type(x, {v}), "{kind}")',
                     f'expect_equal(torch.result_type({v}, s), "{kind}_0dim")']
        yield g.case(f"{a}/answers", "promotion/S6 promotion/S1 promotion/S2 promotion/S3",
                     "\n".join(body), variants=False)
    for f8 in g.FLOAT8:
        yield g.case(f"{f8}/refused", "promotion/C2", f"""
            x = torch.zeros(2, dtype=torch.{f8})
            expect_error(RuntimeError, "promotion/C2", torch.promote_types, torch.{f8}, torch.float32)
            expect_error(RuntimeError, "promotion/C2", torch.promote_types, torch.int8, torch.{f8})
            expect_error(RuntimeError, "promotion/C2", torch.promote_types, torch.{f8}, torch.bool)
            expect_error(RuntimeError, "promotion/C2", torch.result_type, x, torch.ones(2))
            expect_equal(torch.promote_types(torch.{f8}, torch.{f8}), torch.{f8})""")


def written(g):
    for n, a in enumerate(g.COMMON):
        for m, b in enumerate(g.COMMON):
            if a == b:
                continue
            seed = 4000 + 20 * n + m
            if RANK[b] > RANK[a]:
                yield g.case(f"{a}/refuses_{b}", "promotion/C1 errors/S1", f"""
                    x = {values(a, seed, (9,))}
                    y = {values(b, seed + 300, (9,))}
                    o = torch.ones(9, dtype=torch.{a})
                    expect_error(RuntimeError, "promotion/C1", x.add_, y)
                    expect_error(RuntimeError, "promotion/C1", x.mul_, y)
                    expect_error(RuntimeError, "promotion/C1", torch.add, x, y, out=o)
                    expect_equal(o, "o")""")
            elif RANK[b] >= 1 and RANK[a] >= 1:
                yield g.case(f"{a}/takes_{b}", "promotion/S5", f"""
                    x = {values(a, seed, (3, 4))}
                    y = {values(b, seed + 300, (3, 4))}
                    o = torch.empty(3, 4, dtype=torch.{a})
                    expect_same(torch.mul(x, y, out=o), o)
                    expect(o, "out")
                    x.add_(y)
                    expect(x, "x")""")
    for dt in ("int64", "uint8", "bool"):
        yield g.case(f"{dt}/refuses_true_division", "promotion/C1 promotion/S7", f"""
            x = {values(dt, 4900, (3,))}
            expect_error(RuntimeError, "promotion/C1", x.div_, 2)
            expect_error(RuntimeError, "promotion/C1", x.mul_, 1.5)
            expect_error(RuntimeError, "promotion/C1", x.exp_)
            expect_equal(x, "x")""", trivial="x is what it was before")


def real_functions(g):
    for n, dt in enumerate(g.INT + ("bool",)):
        yield g.case(f"{dt}/real_functions", "promotion/S7", f"""
            x = {values(dt, 5000 + n, (2, 5))}
            expect(torch.exp(x), "exp")
            expect(torch.tanh(x), "tanh")
            expect(torch.sqrt(x * x + 1), "sqrt")
            expect(torch.log(x * x + 1), "log")
            expect_equal(x / 2, "half")""")
