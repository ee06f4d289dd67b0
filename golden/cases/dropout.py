# SPDX-License-Identifier: Apache-2.0
"""dropout: what is drawn is bernoulli_'s, and held against it (O-17, O-14)."""

NAN, INF = 'float("nan")', 'float("inf")'


def kept(x, times, y="y", name="kept"):
    """y is x, so many times, where the mask has it, and zero where not: whatever was drawn."""
    return f"""expect_equal({y} != 0, m != 0)
            expect(torch.where(m != 0, {y}, {x} * {times}).flatten()[::5], "{name}")"""


def cases(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/mask", "dropout/S2 dropout/S6", f"""
            x = normal(1, (40, 7), torch.{dt})
            torch.manual_seed(5)
            y = F.dropout(x, 0.75)
            after = torch.rand(3)
            torch.manual_seed(5)
            m = torch.empty(40, 7, dtype=torch.{dt}).bernoulli_(0.25)
            expect_equal(torch.rand(3), after)
            {kept("x", 4)}
            torch.manual_seed(5)
            expect_equal(torch.dropout(x, 0.75, True) != 0, y != 0)
            torch.manual_seed(6)
            expect_equal(torch.sum((F.dropout(x, 0.75) != 0) != (y != 0)).item() > 0, True)
            expect_equal(torch.sum(m != 0).item() > 28, True)
            expect_equal(torch.sum(m != 0).item() < 126, True)""")
        yield g.case(f"{dt}/scale", "dropout/S3 dropout/S2", f"""
            x = normal(2, (500,), torch.{dt})
            torch.manual_seed(7)
            y = F.dropout(x, 0.3)
            torch.manual_seed(7)
            m = torch.empty(500, dtype=torch.{dt}).bernoulli_(0.7)
            z = F.dropout(x)
            expect_equal(y != 0, m != 0)
            expect(torch.where(m != 0, y, x * (1 / 0.7))[::6], "kept")
            expect(torch.where(z != 0, z, x * 2)[::9], "half")""", variants=False)
        yield g.case(f"{dt}/strides", "dropout/S2 dropout/S6", f"""
            base = normal(3, (6, 5, 4), torch.{dt})
            x = base.permute(2, 0, 1)
            torch.manual_seed(8)
            y = F.dropout(x, 0.5)
            expect_strides(y, (1, 20, 4))
            torch.manual_seed(8)
            expect_equal(y.permute(1, 2, 0) != 0, F.dropout(base, 0.5) != 0)
            torch.manual_seed(8)
            z = F.dropout(x[:, ::2], 0.5)
            expect_equal(z.stride(), "steps")
            torch.manual_seed(8)
            m = torch.empty_like(x[:, ::2]).bernoulli_(0.5)
            {kept("x[:, ::2]", 2, "z")}
            w = normal(4, (6, 1), torch.{dt}).expand(6, 9)
            torch.manual_seed(8)
            y = F.dropout(w)
            expect_equal(y.stride(), "expanded")
            torch.manual_seed(8)
            m = torch.empty(6, 9, dtype=torch.{dt}).bernoulli_(0.5)
            {kept("w", 2, "y", "wide")}""", variants=False)
        yield g.case(f"{dt}/backward", "dropout/G1", f"""
            x = normal(5, (60,), torch.{dt}).requires_grad_()
            w = normal(6, (60,), torch.{dt})
            torch.manual_seed(10)
            F.dropout(x, 0.75).backward(w)
            torch.manual_seed(10)
            m = torch.empty(60, dtype=torch.{dt}).bernoulli_(0.25)
            {kept("w", 4, "x.grad")}
            (a,) = autograd.grad(F.dropout(x, 0.5, False), (x,), w)
            expect(a, "eval")
            (b,) = autograd.grad(F.dropout(x, 1.0), (x,), w)
            expect(b, "all")""", variants=False)
        yield g.case(f"{dt}/ones_gradient", "dropout/G1", f"""
            x = torch.ones(300, dtype=torch.{dt}, requires_grad=True)
            torch.manual_seed(11)
            y = F.dropout(x * 1, 0.5)
            y.sum().backward()
            m = y.detach()
            {kept("torch.ones_like(m)", 2, "x.grad")}
            {kept("torch.ones_like(m)", 2, "y", "y")}""", variants=False)
        if dt == "float64":  # a bound does not tell whether it overflows
            continue
        yield g.case(f"{dt}/all", "dropout/S4 dropout/S5", f"""
            x = torch.tensor([1.0, -2.0, 0.0, -0.0, {NAN}, {INF}, -{INF}], dtype=torch.{dt})
            torch.manual_seed(5)
            s = torch.get_rng_state()
            y = F.dropout(x, 1.0)
            expect(y, "all")
            expect(1 / y, "signs")
            expect(torch.dropout(x, 1, True), "aten")
            expect_equal(torch.get_rng_state(), s)""", maybe="zeros are left")
        yield g.case(f"{dt}/dropped_specials", "dropout/S5", f"""
            x = torch.tensor([-2.0, {NAN}, {INF}, -{INF}], dtype=torch.{dt}).view(4, 1).expand(4, 20)
            torch.manual_seed(9)
            y = F.dropout(x, 0.5)
            torch.manual_seed(9)
            m = torch.empty(4, 20, dtype=torch.{dt}).bernoulli_(0.5)
            expect(torch.where(m != 0, y, x * 2), "kept")
            expect(torch.where(m == 0, y, x * 0), "dropped")
            expect(1 / torch.where(m == 0, y, x * 0), "signs")""", variants=False)
    for dt in ("float32", "float16", "int64", "bool", "float8_e5m2"):
        made = {"int64": "integers(1, (5,), torch.int64, -5, 6)", "bool": "bools(1, (5,))"}.get(dt, f"normal(1, (5,), torch.{dt})")
        rows = "".join(f"""
            y{n} = {call}
            expect_view_of(y{n}, x)
            expect(y{n}, "y{n}")""" for n, call in enumerate((
                "F.dropout(x, 0.5, False)", "F.dropout(x, 0.0)", "F.dropout(x, 0.0, True)", "torch.dropout(x, 0.5, False)",
                "torch.dropout(x, 0.0, True)", "F.dropout(x, 1.0, training=False)")))
        yield g.case(f"{dt}/nothing_done", "dropout/S1", f"""
            x = {made}
            torch.manual_seed(5)
            s = torch.get_rng_state(){rows}
            expect(F.dropout(x[:0], 0.5), "empty")
            expect_equal(torch.get_rng_state(), s)""", trivial="the input comes back")
    for dt in (*g.INT, "bool"):
        made = "bools(1, (5,))" if dt == "bool" else f"integers(1, (5,), torch.{dt}, 1, 6)"
        yield g.case(f"{dt}/refused", "dropout/C3 dropout/S4", f"""
            x = {made}
            expect_error(RuntimeError, "dropout/C3", F.dropout, x, 0.5)
            expect_error(RuntimeError, "dropout/C3", torch.dropout, x, 0.25, True)
            expect(F.dropout(x, 1.0), "all")""", trivial="all is dropped")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "dropout/C4", f"""
            x = normal(1, (5,), torch.{dt})
            expect_error(NotImplementedError, "dropout/C4", F.dropout, x, 0.5)
            expect_error(NotImplementedError, "dropout/C4", torch.dropout, x, 1.0, True)""")
    yield g.case("float32/p_refused", "dropout/C1 dropout/C2", f"""
        x = normal(1, (5,))
        expect_error(ValueError, "dropout/C1", F.dropout, x, -0.1)
        expect_error(ValueError, "dropout/C1", F.dropout, x, 1.5)
        expect_error(ValueError, "dropout/C1", F.dropout, x, 2, False)
        expect_error(ValueError, "dropout/C1", F.dropout, x[:0], {INF})
        expect_error(RuntimeError, "dropout/C2", F.dropout, x, {NAN})
        expect_error(RuntimeError, "dropout/C2", F.dropout, x, {NAN}, False)
        expect_error(RuntimeError, "dropout/C2", torch.dropout, x, -0.1, True)
        expect_error(RuntimeError, "dropout/C2", torch.dropout, x, 1.5, False)
        expect_error(RuntimeError, "dropout/C2", torch.dropout, x[:0], 1.5, True)""")
