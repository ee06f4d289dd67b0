# SPDX-License-Identifier: Apache-2.0
"""Element types and every conversion between them (T-10, T-11)."""

FLOATING = ("float64", "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2")
INTEGER = {"int64": (-2 ** 62, 2 ** 62 - 1), "int32": (-2 ** 31, 2 ** 31 - 1),
           "int16": (-2 ** 15, 2 ** 15 - 1), "int8": (-128, 127), "uint8": (0, 255)}


def cases(g):
    yield from conversions(g)
    yield from roundings(g)
    yield from facts(g)


def source(dt, seed):
    """A statement that makes x of dt with values that matter to a conversion."""
    if dt == "bool":
        return f"x = bools({seed}, (4, 6))"
    if dt in INTEGER:
        low, high = INTEGER[dt]
        return f'x = integers({seed}, (4, 6), torch.{dt}, {low}, {high}, mix="extreme")'
    if dt in g_float8:
        return f'x = integers({seed}, (4, 6), torch.{dt}, -8, 9)'
    return f'x = normal({seed}, (4, 6), torch.{dt}, mix="special")'


g_float8 = ("float8_e4m3fn", "float8_e5m2")


def conversions(g):
    for n, a in enumerate(g.ALL):
        for m, b in enumerate(g.ALL):
            if a == b:
                continue
            seed = 100 + 16 * n + m
            if a in FLOATING and b in INTEGER:
                low, high = max(INTEGER[b][0], -2 ** 31), min(INTEGER[b][1], 2 ** 31)
                if a in g_float8:
                    low, high = max(low, -16), min(high, 17)
                    yield g.case(f"{a}/to_{b}", "dtypes/S6", f"""
                        x = integers({seed}, (4, 6), torch.{a}, {low}, {high})
                        expect_equal(x.to(torch.{b}), "y")""")
                    continue
                if a == "float16":
                    low, high = max(low, -60000), min(high, 60000)
                yield g.case(f"{a}/to_{b}", "dtypes/S6", f"""
                    x = uniform({seed}, (4, 6), torch.{a}, {low / 2}, {high / 2})
                    expect_equal(x.to(torch.{b}), "large")
                    y = uniform({seed + 300}, (4, 6), torch.{a}, {-3.0 if low else 0.0}, 3.0)
                    expect_equal(y.to(torch.{b}), "small")""")
                continue
            rules = "dtypes/S8" if b == "bool" or a == "bool" else "dtypes/S7" \
                if b in INTEGER else "dtypes/S1 dtypes/S2 dtypes/S3 dtypes/S4"
            if b in g.FLOAT8 + ("float16", "bfloat16") and a in ("float64", *INTEGER):
                rules += " dtypes/S5"
            yield g.case(f"{a}/to_{b}", rules, f"""
                {source(a, seed)}
                expect_equal(x.to(torch.{b}), "y")""")


def roundings(g):
    """Values at and beside the halfway points, and at the edge of the range."""
    bits = {"float32": 24, "bfloat16": 8, "float16": 11, "float8_e4m3fn": 4, "float8_e5m2": 3}
    least = {"float32": -149, "bfloat16": -133, "float16": -24, "float8_e4m3fn": -9,
             "float8_e5m2": -16}
    top = {"float32": (2 - 2.0 ** -23) * 2.0 ** 127, "bfloat16": (2 - 2.0 ** -7) * 2.0 ** 127,
           "float16": 65504.0, "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}
    for dt, p in bits.items():
        u = 2.0 ** -p
        for wide in ("float64", "float32"):
            if wide == dt:
                continue
            e = 2.0 ** -40 if wide == "float64" else 2.0 ** -22
            ties = [1 + u, 1 + 3 * u, 1 + u + e, 1 + u - e, 1 + 3 * u - e, -1 - u, -1 - 3 * u - e,
                    2 - u, 2 - u + e if p < 20 else 2 - u]
            yield g.case(f"{dt}/ties_from_{wide}", "dtypes/S1" +
                         (" dtypes/S5" if wide == "float64" and dt != "float32" else ""), f"""
                x = torch.tensor({ties}, dtype=torch.{wide})
                expect_equal(x.to(torch.{dt}), "y")""")
            s = 2.0 ** least[dt]
            if wide == "float32" and dt == "bfloat16":
                small = [s, s / 2, s * 1.5, s * 2.5, s / 4, -s / 2, -s * 1.5]
            else:
                small = [s, s / 2, s * 0.75, s * 1.5, s * 2.5, s / 4, -s / 2, -s * 1.5,
                         -s / 1024, s * 1.25]
            yield g.case(f"{dt}/subnormal_from_{wide}", "dtypes/S3", f"""
                x = torch.tensor({small}, dtype=torch.{wide})
                expect_equal(x.to(torch.{dt}), "y")""")
            t = top[dt]
            half = t * (1 + u / (2 - 2 * u))
            edge = [t, -t, half, -half, half * (1 - 2.0 ** -20), half * (1 + 2.0 ** -20), t * 1.25
                    if dt != "float32" or wide == "float64" else t]
            edge = [v for v in edge if wide == "float64" or abs(v) <= top["float32"]]
            infinite = 'torch.tensor([torch.inf, -torch.inf, torch.nan, 0.0, -0.0], ' \
                       f'dtype=torch.{wide})'
            yield g.case(f"{dt}/range_from_{wide}", "dtypes/S2 dtypes/S4", f"""
                x = torch.tensor({edge}, dtype=torch.{wide})
                expect_equal(x.to(torch.{dt}), "edge")
                expect_equal({infinite}.to(torch.{dt}), "special")""")
    for dt, double in (("float16", 1 + 2.0 ** -11 + 2.0 ** -30), ("bfloat16",
                                                                  1 + 2.0 ** -8 + 2.0 ** -30)):
        yield g.case(f"{dt}/rounds_twice", "dtypes/S5", f"""
            x = torch.tensor([{double}, -{double}], dtype=torch.float64)
            expect_equal(x.to(torch.{dt}), "y")
            expect_equal(x.to(torch.float32).to(torch.{dt}), "by_way_of_float32")""")
    for dt in ("float32", "bfloat16", "float16", "float64"):
        yield g.case(f"{dt}/from_large_integers", "dtypes/S1 dtypes/S5", f"""
            x = torch.tensor([16777217, 16777219, -16777217, 9007199254740993,
                              -9007199254740995, 9223372036854775807, -9223372036854775808, 2049,
                              257, 259, 65519, 65520, 4097, 33554433])
            expect_equal(x.to(torch.{dt}), "y")""")


def facts(g):
    for dt in FLOATING:
        yield g.case(f"{dt}/finfo", "dtypes/S9 dtypes/S10", f"""
            f = torch.finfo(torch.{dt})
            expect_equal(f.max, "max")
            expect_equal(f.min, "min")
            expect_equal(f.eps, "eps")
            expect_equal(f.tiny, "tiny")
            expect_equal(f.smallest_normal, "smallest_normal")
            expect_equal(f.resolution, "resolution")
            expect_equal(f.bits, "bits")
            expect_equal(torch.zeros(2, dtype=torch.{dt}).element_size(), "bytes")""")
        yield g.case(f"{dt}/iinfo_refused", "dtypes/C1", f"""
            expect_error(TypeError, "dtypes/C1", torch.iinfo, torch.{dt})""")
    for dt in g.INT:
        yield g.case(f"{dt}/iinfo", "dtypes/S9 dtypes/S10", f"""
            i = torch.iinfo(torch.{dt})
            expect_equal(i.max, "max")
            expect_equal(i.min, "min")
            expect_equal(i.bits, "bits")
            expect_equal(torch.zeros(2, dtype=torch.{dt}).element_size(), "bytes")""")
        yield g.case(f"{dt}/finfo_refused", "dtypes/C1", f"""
            expect_error(TypeError, "dtypes/C1", torch.finfo, torch.{dt})""")
    yield g.case("bool/element_size", "dtypes/S10 dtypes/S8", """
        x = torch.tensor([0.0, -0.0, torch.nan, 2.5, 1e-45, torch.inf])
        expect_equal(x.to(torch.bool), "truth")
        expect_equal(x.to(torch.bool).element_size(), 1)
        expect_equal(torch.tensor([True, False]).to(torch.int8), [1, 0])""")
