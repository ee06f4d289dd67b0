# SPDX-License-Identifier: Apache-2.0
"""random: generators and what is drawn from them. Whatever PyTorch draws by the processor (S10, S7 of
half types) is compared within a program only."""

from calls import Arg, Call

# Seeds of bernoulli are those by which the first and the last element of the ladder's tensors differ.
CALLS = [
    Call("uniform", "{x}.clone().uniform_()", {"x": Arg("… N", "place")}, exact=True, gradient=False,
         trivial="nothing is read of x"),
    Call("random", "{x}.clone().random_(2)", {"x": Arg("… N", "place")}, exact=True, gradient=False,
         trivial="nothing is read of x"),
    Call("normal", "torch.randn(({N},), dtype={dtype})", {}, dtypes=("float32", "float64"), gradient=False),
    Call("bernoulli", "torch.bernoulli({x} * 0 + 0.5, generator=torch.Generator().manual_seed({N}4))",
         {"x": Arg("… N", "weight")}, exact=True, gradient=False, dtypes=("float32", "float64"), trivial="x decides nothing"),
    Call("bernoulli_tensor", "{x}.clone().bernoulli_({y} * 0 + 0.75, generator=torch.Generator().manual_seed({N}2))",
         {"x": Arg("… N", "place"), "y": Arg("N", "weight")}, exact=True, gradient=False, dtypes=("float32", "float64"),
         trivial="x and y decide nothing"),
    Call("bernoulli_p", "{x}.clone().bernoulli_(1.0)", {"x": Arg("… N", "place")}, exact=True, gradient=False,
         trivial="all are one"),
    Call("exponential", "{x}.clone().exponential_() >= 0", {"x": Arg("… N", "place")}, exact=True,
         gradient=False, trivial="all are positive"),
    Call("randperm", "torch.randperm({N}, dtype={dtype})", {}, dtypes=("int64", "int32", "float32", "float64"),
         exact=True, gradient=False),
]

SEED = "torch.Generator().manual_seed(5)"


def generators(g):
    yield g.case("int64/seeds", "random/S1 random/S2", """
        g = torch.Generator()
        expect_equal(g.initial_seed(), 67280421310721)
        expect_equal(g.device, torch.device("cpu"))
        expect(torch.randint(1000, (5,), generator=g), "first")
        h = g.manual_seed(11)
        expect_equal(g.initial_seed(), 11)
        expect_equal(h.initial_seed(), 11)
        a = torch.randint(1000, (5,), generator=g)
        expect(a, "seeded")
        expect(torch.randint(1000, (5,), generator=h), "goes_on")
        h.manual_seed(11)
        expect_equal(torch.randint(1000, (5,), generator=g), a)
        g.manual_seed(4294967307)
        expect_equal(torch.randint(1000, (5,), generator=g), a)
        g.manual_seed(0)
        expect(torch.randint(1000, (5,), generator=g), "zero")
        g.manual_seed(-3)
        expect(torch.randint(1000, (5,), generator=g), "negative")
        expect_equal(torch.Generator(device="cpu").initial_seed(), 67280421310721)""")
    yield g.case("uint8/state", "random/S1 random/S2", """
        g = torch.Generator()
        g.manual_seed(123456789)
        s = g.get_state()
        expect(s, "fresh")
        a = torch.rand(700, generator=g)
        t = g.get_state()
        expect(t, "later")
        expect(s, "unchanged")
        b = torch.rand(5, generator=g)
        h = torch.Generator()
        expect_equal(h.set_state(t).initial_seed(), 123456789)
        expect_equal(torch.rand(5, generator=h), b)
        g.set_state(s)
        expect_equal(torch.rand(700, generator=g), a)
        expect_equal(torch.rand(5, generator=g), b)""")
    yield g.case("float64/state_between_a_pair", "random/S1 random/S6", f"""
        g = {SEED}
        a = torch.randn(3, generator=g, dtype=torch.float64)
        s = g.get_state()
        expect(a, "three")
        expect(torch.randn(2, generator=g, dtype=torch.float64), "two")
        g.set_state(s)
        expect(torch.randn(2, generator=g, dtype=torch.float64), "two_again")
        g.manual_seed(5)
        expect(torch.randn(1, generator=g, dtype=torch.float64), "one")
        g.manual_seed(5)
        expect(torch.randn(1, generator=g, dtype=torch.float64), "again")
        expect(torch.randn(1, generator=g, dtype=torch.float64), "its_pair")""")
    yield g.case("int64/default", "random/S3", """
        expect(torch.randint(1000, (5,)), "unseeded")
        expect_equal(torch.manual_seed(9).initial_seed(), 9)
        expect_equal(torch.initial_seed(), 9)
        a = torch.randint(1000, (5,))
        s = torch.get_rng_state()
        b = torch.randint(1000, (5,))
        expect(b, "b")
        torch.set_rng_state(s)
        expect_equal(torch.randint(1000, (5,)), b)
        g = torch.Generator()
        g.manual_seed(9)
        expect_equal(torch.randint(1000, (5,), generator=g), a)
        expect_equal(g.get_state(), s)
        torch.manual_seed(9)
        expect_equal(torch.randint(1000, (5,), generator=None), a)""")
    for name, draw in (("rand", "torch.rand(4, generator={g})"),
                       ("uniform", "torch.zeros(4).uniform_(generator={g})"),
                       ("normal", "torch.zeros(4, dtype=torch.int8) + torch.randint(100, (4,), generator={g})"),
                       ("random", "torch.zeros(4).random_(generator={g})"),
                       ("randperm", "torch.randperm(9, generator={g})"),
                       ("bernoulli", "torch.bernoulli(torch.full((40,), 0.5), generator={g})"),
                       ("bernoulli_tensor", "torch.zeros(40).bernoulli_(torch.full((40,), 0.5), generator={g})"),
                       ("bernoulli_p", "torch.zeros(40).bernoulli_(0.5, generator={g})"),
                       ("exponential", "torch.zeros(4).exponential_(generator={g})")):
        yield g.case(f"float32/independent_{name}", "random/S1 random/S3", f"""
            g = torch.Generator()
            h = torch.Generator()
            g.manual_seed(3)
            h.manual_seed(4)
            torch.manual_seed(5)
            s = torch.get_rng_state()
            a = {draw.format(g="g")}
            b = {draw.format(g="g")}
            c = {draw.format(g="h")}
            expect_equal(torch.get_rng_state(), s)
            d = {draw.format(g="None")}
            g.manual_seed(3)
            h.manual_seed(4)
            torch.manual_seed(5)
            expect_equal({draw.format(g="None")}, d)
            expect_equal({draw.format(g="h")}, c)
            expect_equal({draw.format(g="g")}, a)
            expect_equal({draw.format(g="g")}, b)
            expect_equal(torch.sum(a != b).item() > 0, True)
            expect_equal(torch.sum(a != c).item() > 0, True)
            expect_equal(torch.sum(a != d).item() > 0, True)""")


def uniforms(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/uniform", "random/S2 random/S4", f"""
            g = {SEED}
            expect(torch.rand(1300, generator=g, dtype=torch.{dt}), "rounds")
            expect(torch.zeros(5, dtype=torch.{dt}).uniform_(-2, 6, generator=g), "range")
            expect(torch.zeros(5, dtype=torch.{dt}).uniform_(3, 3, generator=g), "one_point")
            x = torch.rand((2, 3), generator=g, dtype=torch.{dt})
            expect(x, "x")
            expect_equal(x.dtype, torch.{dt})
            expect(torch.rand((), generator=g, dtype=torch.{dt}), "scalar")
            expect(torch.rand(0, generator=g, dtype=torch.{dt}), "none")
            expect(torch.rand(2, generator=g, dtype=torch.{dt}), "last")""")
        yield g.case(f"{dt}/in_place", "random/S3 random/S12", f"""
            x = normal(1, (4, 5), torch.{dt})
            y = normal(2, (3, 4, 5), torch.{dt})
            g = {SEED}
            x.uniform_(generator=g)
            expect(x, "x")
            expect_equal(x._version, 1)
            v = y.permute(2, 0, 1)
            expect_same(v.uniform_(0, 8, generator=g), v)
            expect(y, "y")
            z = torch.zeros(6, 8, dtype=torch.{dt})
            z[::2, 1::3].t().uniform_(generator=g)
            expect(z, "z")""", variants=False)
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/end_becomes_start", "random/S4", f"""
            g = {SEED}
            x = torch.empty(20000, dtype=torch.{dt}).uniform_(1, 3, generator=g)
            expect_equal(torch.sum(x == 3).item(), 0)
            expect(x[::7], "x")
            expect(x == 1, "starts")""")
    yield g.case("float32/factories", "random/S11", """
        g = torch.Generator()
        x = torch.zeros(5, 4, dtype=torch.float64).t()
        y = torch.rand_like(x, generator=g)
        expect_strides(y, (1, 4))
        expect(y, "y")
        expect(torch.rand_like(x, dtype=torch.float32, generator=g), "z")
        o = torch.zeros(5, 4).t()
        expect_same(torch.rand(4, 5, generator=g, out=o), o)
        expect(o, "o")
        r = torch.empty(0, dtype=torch.float64)
        torch.rand(3, generator=g, out=r)
        expect(r, "r")
        p = torch.zeros(6, dtype=torch.int32)
        torch.randperm(3, generator=g, out=p[::2])
        expect(p, "p")
        torch.randint(7, (2, 3), generator=g, out=o[:2, :3])
        expect(o, "o2")
        m = torch.rand(2, 3, device="meta")
        expect_equal(m.shape, (2, 3))
        expect_equal(m.device, torch.device("meta"))
        expect_equal(torch.randperm(3, device="meta").dtype, torch.int64)
        expect_equal(torch.randperm(3, device="meta").device, torch.device("meta"))
        expect_equal(torch.rand(3)._version, 0)
        expect_equal(torch.rand(2, requires_grad=True).requires_grad, True)""", variants=False)


def integers(g):
    for dt in g.NUMBER + ("bool",):
        few = 2 if dt == "bool" else 100
        yield g.case(f"{dt}/random", "random/S5", f"""
            g = {SEED}
            expect(torch.zeros(40, dtype=torch.{dt}).random_(generator=g), "all")
            expect(torch.zeros(40, dtype=torch.{dt}).random_({few}, generator=g), "few")
            expect(torch.randint({few}, (2, 5), generator=g, dtype=torch.{dt}), "made")
            x = torch.zeros(6, 4, dtype=torch.{dt})
            x.t()[1:3].random_(0, {few}, generator=g)
            expect(x, "x")""")
    for i, (dt, low, high) in enumerate((
            ("int64", -7, 3), ("int64", 0, 2 ** 28 - 1), ("int64", 0, 2 ** 28), ("int64", -5, 2 ** 28 - 6),
            ("int64", -2 ** 62, 2 ** 62), ("int64", -2 ** 63, 2 ** 63 - 1), ("int32", -2 ** 31, 2 ** 31),
            ("int8", -128, 128), ("uint8", 0, 256), ("int16", -9, 2), ("float32", -9, 2 ** 24 + 1),
            ("float64", 0, 2 ** 40), ("float16", -2048, 2049), ("bfloat16", -3, 257))):
        yield g.case(f"{dt}/between_{i}", "random/S5", f"""
            g = {SEED}
            expect(torch.zeros(30, dtype=torch.{dt}).random_({low}, {high}, generator=g), "x")
            expect(torch.randint({low}, {high}, (3,), generator=g, dtype=torch.{dt}), "y")""")
    for dt, high in (("float32", 2 ** 31), ("float32", 2 ** 24 + 2), ("bfloat16", 300), ("float16", 2050),
                     ("float64", 2 ** 62)):
        yield g.case(f"{dt}/moved_inwards_{high}", "random/S5", f"""
            g = {SEED}
            expect(torch.zeros(30, dtype=torch.{dt}).random_({high}, generator=g), "x")
            expect(torch.zeros(30, dtype=torch.{dt}).random_(-{high}, {high}, generator=g), "y")""")
    # The lower bound moves where the number above it is rounded to below it, and only there.
    for dt, low in (("float16", 2049), ("float16", 4097), ("bfloat16", 257), ("bfloat16", 513),
                    ("float32", 2 ** 24 + 1), ("float32", 2 ** 25 + 1), ("float64", 2 ** 54 + 1)):
        yield g.case(f"{dt}/moved_from_{low}", "random/S5", f"""
            g = {SEED}
            expect(torch.zeros(60, dtype=torch.{dt}).random_({low}, {low + 60}, generator=g), "x")""")
    for dt in g.NUMBER:
        yield g.case(f"{dt}/randperm", "random/S8", f"""
            g = {SEED}
            expect(torch.randperm(10, generator=g, dtype=torch.{dt}), "ten")
            expect(torch.randperm(100, generator=g, dtype=torch.{dt}), "many")
            expect(torch.randperm(1, generator=g, dtype=torch.{dt}), "one")
            expect(torch.randperm(0, generator=g, dtype=torch.{dt}), "none")
            expect(torch.randperm(2, generator=g, dtype=torch.{dt}), "two")""")
    yield g.case("int64/randperm_long", "random/S8", f"""
        expect(torch.randperm(2000, generator={SEED}), "x")""")


def others(g):
    for dt in ("float64", "float32"):
        yield g.case(f"{dt}/normal", "random/S6 random/S7", f"""
            g = {SEED}
            expect(torch.randn(15, generator=g, dtype=torch.{dt}), "pairs")
            expect(torch.randn(16, generator=g, dtype=torch.{dt}), "sixteen")
            expect(torch.randn(3, generator=g, dtype=torch.{dt}), "held")
            expect(torch.randn((3, 17), generator=g, dtype=torch.{dt}), "again")
            expect(torch.randn((), generator=g, dtype=torch.{dt}), "scalar")
            expect(torch.zeros(5, dtype=torch.{dt}).normal_(3, 0.5, generator=g), "moved")
            expect(torch.zeros(40, dtype=torch.{dt}).normal_(-1, 2, generator=g), "all_moved")
            expect(torch.zeros(20, dtype=torch.{dt}).normal_(3, 0, generator=g), "still")
            expect(torch.randn_like(torch.zeros(3, 5, dtype=torch.{dt}).t(), generator=g), "like")""")
        yield g.case(f"{dt}/normal_in_place", "random/S3 random/S6 random/S7 random/S12", f"""
            x = normal(1, (4, 5), torch.{dt})
            expect_same(x.normal_(generator={SEED}), x)
            expect(x, "x")
            expect_equal(x._version, 1)
            y = torch.zeros(5, 8, dtype=torch.{dt})
            y[:, ::2].t().normal_(generator={SEED})
            expect(y, "y")""", variants=False)
    for dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/normal", "random/S6", f"""
            g = {SEED}
            expect(torch.randn(15, generator=g, dtype=torch.{dt}), "pairs")
            expect(torch.zeros(6, dtype=torch.{dt}).normal_(2, 3, generator=g), "moved")""")
    for dt in g.NUMBER + ("bool",):
        yield g.case(f"{dt}/bernoulli", "random/S9 random/S10", f"""
            p = torch.arange(20, dtype=torch.float32).view(4, 5) / 19
            g = {SEED}
            x = torch.zeros(4, 5, dtype=torch.{dt})
            expect(x.bernoulli_(p, generator=g), "x")
            expect(x.bernoulli_(p.to(torch.float64), generator=g), "wide")
            expect(x.bernoulli_(p.to(torch.float16), generator=g), "half")
            expect(x.bernoulli_(p[1], generator=g), "row")
            y = torch.zeros(5, 4, dtype=torch.{dt}).t()
            expect(y.bernoulli_(p, generator=g), "y")
            expect(y.bernoulli_(0.0, generator=g), "never")
            expect(y.bernoulli_(1.0, generator=g), "always")
            o = torch.zeros(5, 4, dtype=torch.{dt}).t()
            torch.bernoulli(p, generator=g, out=o)
            expect(o, "o")""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/bernoulli_of", "random/S9", f"""
            p = uniform(1, (4, 5), torch.{dt})
            g = {SEED}
            x = torch.bernoulli(p, generator=g)
            expect(x, "x")
            expect_strides(x, (5, 1))
            expect_equal(x.dtype, torch.{dt})
            expect(torch.bernoulli(p.t(), generator=g), "t")""")
        yield g.case(f"{dt}/same_again", "random/S10 random/S7", f"""
            x = torch.zeros(100, dtype=torch.{dt})
            y = torch.zeros(100, dtype=torch.{dt})
            x.exponential_(2.0, generator={SEED})
            y.exponential_(2.0, generator={SEED})
            expect_equal(x, y)
            expect_equal(torch.sum(x >= 0).item(), 100)
            expect_equal(torch.sum(x == x[0]).item() < 50, True)
            x.bernoulli_(0.5, generator={SEED})
            y.bernoulli_(0.5, generator={SEED})
            expect_equal(x, y)
            n = torch.sum(x == 1).item()
            expect_equal(n + torch.sum(x == 0).item(), 100)
            expect_equal(20 < n, True)
            expect_equal(n < 80, True)""")


def gradients(g):
    yield g.case("float32/gradient", "random/G1", f"""
        g = {SEED}
        x = normal(1, (3,), torch.float32).requires_grad_()
        w = torch.tensor([2.0, 3.0, 4.0])
        y = (x * 2).uniform_(generator=g)
        torch.sum(y * w).backward()
        expect(x.grad, "g1")
        p = torch.full((3,), 0.5, requires_grad=True)
        torch.sum(torch.bernoulli(p, generator=g) * w).backward()
        expect(p.grad, "g2")
        q = torch.full((3,), 0.5, requires_grad=True)
        s = normal(2, (3,), torch.float32).requires_grad_()
        z = (s * 2).bernoulli_(q, generator=g)
        torch.sum(z * w).backward()
        expect(q.grad, "g3")
        expect(s.grad, "g4")
        for k in range(4):
            u = x * 2
            if k == 0:
                u.normal_(generator=g)
            if k == 1:
                u.random_(generator=g)
            if k == 2:
                u.exponential_(generator=g)
            if k == 3:
                u.bernoulli_(generator=g)
            expect_equal(u.requires_grad, True)
            torch.sum(u * w).backward()
            expect(x.grad, "g5")
        expect_error(RuntimeError, "autograd/C1", x.uniform_)""", trivial="all gradients are zeros")


def refusals(g):
    x = "x = torch.zeros(3)\n            "
    yield g.case("float32/uniform_bounds", "random/C1 random/C2", f"""
            {x}expect_error(RuntimeError, "random/C1", x.uniform_, 2, 1)
            expect_error(RuntimeError, "random/C2", x.uniform_, torch.nan, 1)
            expect_error(RuntimeError, "random/C2", x.uniform_, 0, torch.inf)
            expect_error(RuntimeError, "random/C2", x.uniform_, -3e38, 3e38)
            expect_error(RuntimeError, "random/C2", x.to(torch.float16).uniform_, 0, 1e6)""")
    for dt in ("int64", "bool", "float8_e5m2"):
        yield g.case(f"{dt}/not_drawn", "random/C3 random/C4 random/C9", f"""
            x = torch.zeros(3, dtype=torch.{dt})
            expect_error(NotImplementedError, "random/C3", x.uniform_)
            expect_error(NotImplementedError, "random/C3", x.normal_)
            expect_error(NotImplementedError, "random/C3", torch.rand, 3, dtype=torch.{dt})
            expect_error(NotImplementedError, "random/C3", torch.randn, 3, dtype=torch.{dt})
            expect_error(NotImplementedError, "random/C9", torch.zeros(3).bernoulli_, x)""" + ("""
            expect_error(NotImplementedError, "random/C3", x.random_)
            expect_error(NotImplementedError, "random/C9", torch.bernoulli, x, out=torch.zeros(3))
            expect_error(NotImplementedError, "random/C3", x.bernoulli_)""" if dt[0] == "f" else """
            expect_error(NotImplementedError, "random/C9", torch.bernoulli, x)
            expect_error(RuntimeError, "random/C4", x.exponential_)"""))
    yield g.case("float32/parameters", "random/C5 random/C8 random/C10 random/C12", f"""
            {x}expect_error(RuntimeError, "random/C5", x.normal_, 0, -1)
            expect_error(RuntimeError, "random/C5", x.normal_, 0, torch.nan)
            expect_error(RuntimeError, "random/C12", x.exponential_, 0)
            expect_error(RuntimeError, "random/C12", x.exponential_, -1.5)
            expect_error(RuntimeError, "random/C8", x.bernoulli_, 1.5)
            expect_error(RuntimeError, "random/C8", x.bernoulli_, -0.5)
            expect_error(RuntimeError, "random/C8", torch.bernoulli, torch.tensor([0.5, 1.5]))
            expect_error(RuntimeError, "random/C8", torch.bernoulli, torch.tensor([0.5, torch.nan]))
            expect_error(RuntimeError, "random/C10", x.bernoulli_, torch.ones(2))
            expect_error(RuntimeError, "random/C10", x.bernoulli_, torch.ones(2, 3))
            expect(x, "x")""", trivial="nothing is written")
    yield g.case("int64/integers", "random/C6 random/C7", """
            x = torch.zeros(3, dtype=torch.uint8)
            expect_error(RuntimeError, "random/C6", x.random_, 0)
            expect_error(RuntimeError, "random/C6", x.random_, 5, 5)
            expect_error(RuntimeError, "random/C6", torch.randint, 6, 5, (3,))
            expect_error(RuntimeError, "random/C7", x.random_, 300)
            expect_error(RuntimeError, "random/C7", x.random_, 257)
            expect_error(RuntimeError, "random/C7", x.random_, -3, 4)
            expect_error(RuntimeError, "random/C7", torch.randint, 5, (3,), dtype=torch.bool)
            expect_error(RuntimeError, "random/C7", torch.randint, 70000, (3,), dtype=torch.float16)
            expect_error(TypeError, "errors/C2", torch.randint, 5, (3,), generator=3)
            expect(x, "x")""", trivial="nothing is written")
    yield g.case("int64/permutations", "random/C14 random/C15 random/C16", """
            expect_error(RuntimeError, "tensors/C8", torch.randperm, -1)
            expect_error(RuntimeError, "random/C14", torch.randperm, 257, dtype=torch.uint8)
            expect_error(RuntimeError, "random/C14", torch.randperm, 129, dtype=torch.int8)
            expect_error(RuntimeError, "random/C14", torch.randperm, 2050, dtype=torch.float16)
            expect_equal(torch.randperm(256, dtype=torch.uint8).shape, (256,))
            expect_equal(torch.randperm(2049, dtype=torch.float16).shape, (2049,))
            expect_error(NotImplementedError, "random/C15", torch.randperm, 3, dtype=torch.bool)
            expect_error(RuntimeError, "random/C16", torch.randperm, 3, dtype=torch.int64,
                         out=torch.zeros(3, dtype=torch.int32))
            expect_error(RuntimeError, "random/C16", torch.rand, 3, dtype=torch.float64, out=torch.zeros(3))""")
    yield g.case("uint8/states", "random/C11 random/C13 random/C17", """
            g = torch.Generator()
            expect_error(RuntimeError, "random/C11", g.set_state, torch.zeros(3, dtype=torch.uint8))
            expect_error(RuntimeError, "random/C11", g.set_state, torch.zeros(5056, dtype=torch.uint8))
            expect_error(RuntimeError, "random/C11", torch.set_rng_state, torch.zeros(5056, dtype=torch.uint8))
            expect_error(TypeError, "random/C17", g.set_state, torch.zeros(5056))
            expect_error(RuntimeError, "random/C13", torch.Generator, device="meta")
            expect(torch.randint(1000, (3,), generator=g), "x")""")
    yield g.case("float32/generator_of_another_device", "random/C13", """
            g = torch.Generator()
            expect_error(RuntimeError, "random/C13", torch.randperm, 5, generator=g, device="accel")
            expect_error(RuntimeError, "random/C13", torch.rand, 2, generator=g, device="accel")
            expect_error(RuntimeError, "random/C13", torch.ones(3, device="accel").uniform_, generator=g)""",
                 variants=False, provenance="run-standin")
    yield g.case("float32/vmap", "random/S13 random/C18", """
            x = normal(1, (3, 2), torch.float32)
            def f(a):
                return torch.rand(2)
            def h(a):
                return a.clone().uniform_()
            expect_error(RuntimeError, "random/C18", func.vmap(f), x)
            expect_error(RuntimeError, "random/C18", func.vmap(h), x)
            torch.manual_seed(4)
            y = func.vmap(f, randomness="same")(x)
            expect_equal(torch.sum(y[0] != y[1]).item(), 0)
            torch.manual_seed(4)
            expect_equal(torch.sum(y[2] != torch.rand(2)).item(), 0)
            z = func.vmap(h, randomness="different")(x)
            expect_equal(torch.sum(z[0] != z[1]).item() > 0, True)""", variants=False, trivial="comparisons alone")


def cases(g):
    yield from generators(g)
    yield from uniforms(g)
    yield from integers(g)
    yield from others(g)
    yield from gradients(g)
    yield from refusals(g)
