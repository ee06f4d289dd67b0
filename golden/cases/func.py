# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/areas/func.md: three ops each of the kinds pointwise, reduction and view under
every pair of transforms, and the rules one by one."""

# op of a matrix x (3, 4) and weights w of the same shape: kind, name, expression over x
OPS = (
    ("pointwise", "tanh", "torch.tanh(x)"),
    ("pointwise", "mul", "x * w"),
    ("pointwise", "div", "x / (w * w + 2.0)"),
    ("reduction", "sum", "torch.sum(x * x, 1)"),
    ("reduction", "mean", "torch.mean(x * x, 0)"),
    ("reduction", "amax", "torch.amax(x * x * x, 1)"),
    ("view", "transpose", "torch.transpose(x, 0, 1) * c"),
    ("view", "select", "x[1] * x[2]"),
    ("view", "view", "x.view(4, 3) * c"),
)

# What every program below has: x, w (2, 3, 4), a constant c (4, 3) and the op under test.
START = """
            x = uniform(1, (2, 3, 4), torch.{dt}, low=-2.0, high=2.0)
            w = uniform(2, (2, 3, 4), torch.{dt}, low=0.5, high=2.0)
            t = uniform(3, (2, 3, 4), torch.{dt}, low=-1.0, high=1.0)
            c = uniform(4, (4, 3), torch.{dt}, low=0.5, high=1.5)
            def f(x, w):
                return {op}
            def loss(x, w):
                y = f(x, w)
                return torch.sum(y * y * y)"""

PAIRS = (
    ("vmap_grad", "func/S16", """
            expect(func.vmap(func.grad(loss))(x, w), "y")"""),
    ("grad_vmap", "func/S16", """
            def all(x, w):
                return torch.sum(func.vmap(loss)(x, w))
            expect(func.grad(all)(x, w), "y")"""),
    ("jvp_grad", "func/S16", """
            g = func.grad(loss)
            def at(x):
                return g(x, w[0])
            y, dy = func.jvp(at, (x[0],), (t[0],))
            expect(y, "y")
            expect(dy, "dy")"""),
    ("vmap_vmap", "func/S6", """
            v = x.view(1, 2, 3, 4)
            expect(func.vmap(func.vmap(f, in_dims=(0, None)), in_dims=(0, None))(v, w[0]), "y")"""),
    ("grad_grad", "func/S11 func/S16", """
            g = func.grad(loss)
            def slope(x, w):
                return torch.sum(g(x, w) * c.view(3, 4))
            expect(func.grad(slope)(x[0], w[0]), "y")"""),
    ("vmap_jvp", "func/S14 func/S16", """
            def at(x, w, t):
                def_ = func.jvp(f, (x, w), (t, w))
                return def_[1]
            expect(func.vmap(at)(x, w, t), "dy")"""),
    ("jvp_vmap", "func/S14 func/S16", """
            y, dy = func.jvp(func.vmap(f), (x, w), (t, w))
            expect(dy, "dy")"""),
)


def cases(g):
    for kind, name, op in OPS:
        for pair, rules, program in PAIRS:
            for dt in ("float64", "float32"):
                yield g.case(f"{dt}/{kind}_{name}_{pair}", rules,
                             START.format(dt=dt, op=op) + program, variants=False)
    yield from vmaps(g)
    yield from grads(g)
    yield from jvps(g)
    yield from custom(g)
    yield from refused(g)


def custom(g):
    """backward is not forward's derivative, so that each shows where it ran."""
    cube = """
            class F3(Function):
                @staticmethod
                def forward(x):
                    return x * x * x
                @staticmethod
                def setup_context(ctx, inputs, output):
                    ctx.save_for_backward(inputs[0])
                @staticmethod
                def backward(ctx, g):
                    x, = ctx.saved_tensors
                    return g * x * x * 10.0
            x = uniform(1, (3,), torch.float64)"""
    yield g.case("float64/custom_function", "func/S19", cube + """
            def f(x):
                return torch.sum(F3.apply(x) * x)
            one = func.grad(f)
            expect(one(x), "one")
            def h(x):
                return torch.sum(one(x) * x)
            expect(func.grad(h)(x), "two")
            y, pull = func.vjp(f, x)
            expect(pull(y)[0], "vjp")""", variants=False)
    for n in (3, 2):
        yield g.case(f"float64/rows_of_a_pullback_through_a_slice_{n}", "func/S9 func/S16 autograd/S16", f"""
            x = normal(60, (2, {n}), torch.float64)
            w = normal(61, (2,), torch.float64)
            def f(x):
                y = x.t() * 2.0
                y[1].mul_(w)
                return y * y
            y, pull = func.vjp(f, x)
            rows = func.vmap(pull)(normal(62, (4, {n}, 2), torch.float64))
            expect(rows[0], "rows")""", variants=False)
    yield g.case("float64/custom_function_refused", "func/C22 func/C23 func/C24", cube + """
            class Old(Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2.0
                @staticmethod
                def backward(ctx, g):
                    return g * 2.0
            def old(x):
                return torch.sum(Old.apply(x))
            def new(x):
                return torch.sum(F3.apply(x))
            expect_error(RuntimeError, "func/C22", func.grad(old), x)
            expect_error(RuntimeError, "func/C23", func.vmap(new), x)
            expect_error(NotImplementedError, "func/C24", func.jvp, new, (x,), (x,))""", variants=False)


def vmaps(g):
    yield g.case("float32/vmap_dims", "func/S1 func/S2", """
            x = uniform(1, (3, 4, 2), torch.float32)
            y = uniform(2, (4, 5), torch.float32)
            def f(a, b):
                return a * 2.0 + b[0], b
            p, q = func.vmap(f, in_dims=(1, 0), out_dims=(-1, 1))(x, y)
            expect(p, "p")
            expect(q, "q")
            def h(a, b):
                return a.shape[0] * b
            expect(func.vmap(h, in_dims=(-1, None))(x, y[0]), "r")""")
    yield g.case("float32/vmap_unbatched_result", "func/S3", """
            x = uniform(1, (3, 2), torch.float32)
            y = uniform(2, (4,), torch.float32)
            def f(a):
                return y
            expect(func.vmap(f)(x), "y")
            expect(func.vmap(f, out_dims=1)(x), "z")""", trivial="it repeats its input")
    yield g.case("float32/vmap_promotes_a_slice", "func/S4", """
            x = uniform(1, (3, 2), torch.float32)
            s = uniform(2, (3,), torch.float64)
            n = integers(3, (3,), torch.int64, low=1, high=5)
            def f(a, b):
                return a * b
            y = func.vmap(f)(x, s)
            expect_equal(y.dtype == torch.float32, True)
            expect(y, "y")
            expect(func.vmap(f)(x, n), "z")
            def h(a, b):
                return a == b
            expect(func.vmap(h)(s, x[:, 0]), "same")""")
    yield g.case("float32/vmap_in_place", "func/S5", """
            x = uniform(1, (3, 4), torch.float32)
            y = uniform(2, (4, 3), torch.float32)
            def f(a, b):
                z = a.clone()
                z.mul_(b)
                z[1:].add_(b[0])
                return z
            expect(func.vmap(f, in_dims=(0, 1))(x, y), "y")
            def h(a):
                a.add_(1.0)
                return a
            func.vmap(h)(x)
            expect(x, "x")""", variants=False)
    yield g.case("float32/vmap_factories", "func/S7", """
            x = uniform(1, (3, 4), torch.float32)
            def f(a):
                z = torch.zeros_like(a)
                z.add_(a)
                n = a.new_ones(2)
                n.mul_(a[0])
                return z, n
            z, n = func.vmap(f)(x)
            expect(z, "z")
            expect(n, "n")""")
    for name, expression in (
            ("matmul", "a @ torch.transpose(a, 0, 1)"), ("softmax", "torch.softmax(a, -1)"),
            ("layer_norm", "F.layer_norm(a, (4,))"), ("sort", "torch.sort(a, 0)[0]"),
            ("cat", "torch.cat([a, a * 2.0], 1)"), ("argmax", "torch.argmax(a)"),
            ("squeeze", "a.unsqueeze(0).squeeze()"), ("expand", "a[:, :1].expand(2, 3, 4)"),
            ("permute", "a.permute(-1, 0)"), ("flatten", "a.flatten()"),
            ("where", "torch.where(a > 0.0, a, a * 2.0)"), ("sum_all", "a.sum()"),
            ("amin_keepdim", "torch.amin(a, (0, 1), keepdim=True)"),
            ("to", "a.to(torch.float64)"), ("slice", "a[:, 1:4:2]"), ("gelu", "F.gelu(a)"),
            ("scalar_dim", "a[0, 0].sum(0)")):
        yield g.case(f"float32/vmap_{name}", "func/S1 func/S6", f"""
            x = distinct(1, (2, 5, 3, 4), torch.float32)
            x = x * 0.125
            def f(a):
                return {expression}
            expect(func.vmap(f, in_dims=0)(x[0]), "y")
            expect(func.vmap(func.vmap(f){", in_dims=1" if name != "layer_norm" else ""})(x), "z")""",
            variants=False)
    yield g.case("float32/vmap_index_select_and_gather", "func/S1", """
            x = uniform(1, (2, 3, 4), torch.float32)
            i = integers(2, (2, 2), torch.int64, low=0, high=3)
            j = integers(3, (2, 2, 4), torch.int64, low=0, high=3)
            def f(a, k):
                return torch.index_select(a, 0, k)
            expect(func.vmap(f)(x, i), "batched")
            expect(func.vmap(f, in_dims=(0, None))(x, i[0]), "one")
            expect(func.vmap(f, in_dims=(None, 0))(x[0], i), "index")
            def h(a, k):
                return torch.gather(a, 0, k)
            expect(func.vmap(h)(x, j), "gather")""", variants=False)
    yield g.case("float32/per_sample_gradients", "func/S2 func/S16", """
            x = normal(1, (5, 4), torch.float32)
            t = integers(2, (5,), torch.int64, low=0, high=3)
            w = normal(3, (3, 4), torch.float32)
            b = normal(4, (3,), torch.float32)
            def loss(w, b, x, t):
                y = torch.tanh(x.unsqueeze(0) @ w.t() + b)
                return F.cross_entropy(y, t.unsqueeze(0))
            gw, gb = func.vmap(func.grad(loss, argnums=(0, 1)), in_dims=(None, None, 0, 0))(w, b, x, t)
            expect(gw, "gw")
            expect(gb, "gb")""", variants=False)


def grads(g):
    yield g.case("float64/grad_argnums", "func/S8", """
            x = uniform(1, (3,), torch.float64)
            y = uniform(2, (3,), torch.float64)
            z = uniform(3, (3,), torch.float64)
            def f(x, y, z):
                return torch.sum(x * y * y)
            expect(func.grad(f)(x, y, z), "x")
            expect(func.grad(f, argnums=-2)(x, y, z), "y")
            a, b = func.grad(f, argnums=(1, 2))(x, y, z)
            expect(a, "a")
            expect(b, "zeros")
            gx, v = func.grad_and_value(f)(x, y, z)
            expect(gx, "gx")
            expect(v, "v")""", variants=False)
    yield g.case("float64/vjp", "func/S9", """
            x = uniform(1, (3,), torch.float64)
            y = uniform(2, (3,), torch.float64)
            c = uniform(3, (3,), torch.float64)
            def f(x, y):
                return x * y * y
            v, pull = func.vjp(f, x, y)
            expect(v, "v")
            a, b = pull(c)
            expect(a, "a")
            expect(b, "b")
            expect(pull(c * 2.0)[0], "again")""", variants=False)
    yield g.case("float64/vmap_of_vjp_gives_the_jacobian", "func/S9 func/S16", """
            x = uniform(1, (3,), torch.float64)
            e = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
            def f(x):
                return x * x * torch.sum(x)
            v, pull = func.vjp(f, x)
            expect(func.vmap(pull)(e)[0], "jacobian")""", variants=False)
    yield g.case("float64/what_comes_from_outside", "func/S10 func/S18", """
            x = uniform(1, (3,), torch.float64)
            w = uniform(2, (3,), torch.float64).requires_grad_()
            def f(x):
                return torch.sum(x * x * w)
            y = func.grad(f)(x)
            expect(y, "y")
            expect_equal(y.requires_grad, True)
            torch.sum(y * y).backward()
            expect(w.grad, "w")""", variants=False)
    yield g.case("float64/no_grad", "func/S12", """
            x = uniform(1, (3,), torch.float64)
            def f(x):
                with torch.no_grad():
                    c = x * x
                return torch.sum(c * x)
            expect(func.grad(f)(x), "inside")
            def h(x):
                return torch.sum(x * x * x)
            with torch.no_grad():
                y = func.grad(h)(x)
            expect(y, "around")""", variants=False)
    yield g.case("float64/detach", "func/S13", """
            x = uniform(1, (3,), torch.float64)
            def f(x):
                return torch.sum(x.detach() * x * x)
            g = func.grad(f)
            expect(g(x), "one")
            def h(x):
                return torch.sum(g(x) * x)
            expect(func.grad(h)(x), "two")
            def k(x):
                return x.detach() * x
            expect(func.jvp(k, (x,), (x,))[1], "jvp")""", variants=False)
    yield g.case("float64/grad_in_place", "func/S8", """
            x = uniform(1, (3, 2), torch.float64)
            def f(x):
                y = x * 2.0
                y.mul_(x)
                y[1].mul_(3.0)
                z = torch.zeros(2, dtype=torch.float64)
                z.add_(y[0])
                return torch.sum(y * y) + torch.sum(z)
            expect(func.grad(f)(x), "y")""", variants=False)
    yield g.case("float64/kept_of_grad", "func/S17", """
            x = uniform(1, (3,), torch.float64)
            kept = []
            def f(x):
                kept.append(x)
                return torch.sum(x * x)
            func.grad(f)(x)
            func.jvp(f, (x,), (x,))
            expect(kept[0] * 3.0, "y")
            expect(kept[1] * 3.0, "z")""", variants=False)


def jvps(g):
    for name, expression in (
            ("softmax", "torch.softmax(x, 0)"), ("layer_norm", "F.layer_norm(x, (3,))"),
            ("sort", "torch.sort(x, 0)[0]"), ("amax", "torch.amax(x, 1)"),
            ("mm", "x @ x"), ("where", "torch.where(x > 0.0, x * x, x)"),
            ("cat", "torch.cat([x, x * x])"), ("gelu", "F.gelu(x)"),
            ("gelu_tanh", "F.gelu(x, approximate='tanh')"),
            ("log_softmax", "torch.log_softmax(x, 1)"), ("mean", "x.mean()"),
            ("index", "torch.index_select(x, 1, i)"), ("relu", "torch.relu(x) * x"),
            ("expand", "x[:1].expand(2, 3) * x[1:]"), ("sub", "torch.sub(x, x * x, alpha=3)")):
        yield g.case(f"float64/jvp_{name}", "func/S14", f"""
            x = uniform(1, (3, 3), torch.float64, low=-2.0, high=2.0)
            t = uniform(2, (3, 3), torch.float64, low=-1.0, high=1.0)
            i = integers(3, (4,), torch.int64, low=0, high=3)
            def f(x):
                return {expression}
            y, dy = func.jvp(f, (x,), (t,))
            expect(y, "y")
            expect(dy, "dy")""", variants=False)
    yield g.case("float64/jvp_independent", "func/S14", """
            x = uniform(1, (3,), torch.float64)
            c = uniform(2, (2,), torch.float64)
            def f(x):
                return c * 2.0
            y, dy = func.jvp(f, (x,), (x,))
            expect(y, "y")
            expect_equal(dy, [0.0, 0.0])""", variants=False)
    yield g.case("float64/jvp_in_place", "func/S15", """
            x = uniform(1, (2, 3), torch.float64)
            t = uniform(2, (2, 3), torch.float64)
            def f(x):
                y = x * 2.0
                y.mul_(x)
                y[1].mul_(x[0])
                z = torch.zeros(2, 3, dtype=torch.float64)
                z[0].add_(y[1])
                z[1].copy_(x[0])
                z[1].mul_(0.5)
                return y, z
            y, dy = func.jvp(f, (x,), (t,))
            expect(dy[0], "dy")
            expect(dy[1], "dz")""", variants=False)


def refused(g):
    yield g.case("float32/kept_of_vmap", "func/C1", """
            x = uniform(1, (3, 2), torch.float32)
            kept = []
            def f(x):
                kept.append(x)
                return x
            func.vmap(f)(x)
            def use():
                return kept[0] + 1.0
            expect_error(RuntimeError, "func/C1", use)""", variants=False)
    yield g.case("float32/dims_refused", "func/C2 func/C3 func/C4 func/C12", """
            x = uniform(1, (3, 2), torch.float32)
            def f(x):
                return x
            def two(x, y):
                return x
            def number(x):
                return 3
            expect_error(ValueError, "func/C2", func.vmap(f, in_dims=2), x)
            expect_error(ValueError, "func/C2", func.vmap(f, in_dims=-3), x)
            expect_error(ValueError, "func/C2", func.vmap(f), x[0, 0])
            expect_error(ValueError, "func/C2", func.vmap(f, in_dims=None), x)
            expect_error(ValueError, "func/C2", func.vmap(f, in_dims=(0, 0)), x)
            expect_error(ValueError, "func/C2", func.vmap(two), x, 2.0)
            expect_error(ValueError, "func/C2", func.vmap(f))
            expect_error(ValueError, "func/C3", func.vmap(two), x, torch.zeros(4))
            def perhaps():
                return func.vmap(f, randomness="perhaps")(x)
            expect_error(RuntimeError, "func/C4", perhaps)
            expect_error(IndexError, "func/C12", func.vmap(f, out_dims=2), x)""", variants=False)
    yield g.case("float32/out_dim_none", "func/C11 func/C17", """
            x = uniform(1, (3, 2), torch.float32)
            def f(x):
                return x
            def number(x):
                return 3
            expect_error(ValueError, "func/C11", func.vmap(f, out_dims=None), x)
            expect_error(ValueError, "func/C17", func.vmap(number), x)""", variants=False)
    yield g.case("float32/vmap_refused", "func/C6 func/C7 func/C8 func/C9", """
            x = uniform(1, (3, 2), torch.float32)
            def out(x):
                return torch.add(x, x, out=torch.zeros(2))
            def number(x):
                return x * x[0].item()
            def branch(x):
                if x[0] > 0.0:
                    return x
                return x * 2.0
            def written(x):
                y = torch.zeros(2)
                y.add_(x)
                return y
            def places(x):
                return torch.nonzero(x)
            expect_error(RuntimeError, "func/C6", func.vmap(out), x)
            expect_error(RuntimeError, "func/C7", func.vmap(number), x)
            expect_error(RuntimeError, "func/C7", func.vmap(branch), x)
            expect_error(RuntimeError, "func/C8", func.vmap(written), x)
            expect_error(RuntimeError, "func/C9", func.vmap(places), x)""", variants=False)
    yield g.case("float32/grad_refused", "func/C5 func/C10 func/C14 func/C15 func/C18", """
            x = uniform(1, (3,), torch.float32)
            y = uniform(2, (3,), torch.float32)
            def f(x):
                return x * 2.0
            def number(x):
                return 1.0
            def total(x):
                return torch.sum(x)
            def captured(x):
                y.add_(x)
                return torch.sum(x)
            expect_error(RuntimeError, "func/C14", func.grad(f), x)
            expect_error(RuntimeError, "func/C18", func.grad(number), x)
            expect_error(RuntimeError, "func/C15", func.grad(total, argnums=1), x)
            expect_error(RuntimeError, "func/C10", func.grad(total), torch.arange(3))
            expect_error(RuntimeError, "func/C5", func.grad(captured), x)""", variants=False)
    yield g.case("float32/inside_refused", "func/C19 func/C20", """
            x = uniform(1, (3,), torch.float32)
            def leaf(x):
                return torch.sum(x.clone().requires_grad_())
            def back(x):
                y = torch.sum(x)
                y.backward()
                return y
            expect_error(RuntimeError, "func/C19", func.grad(leaf), x)
            expect_error(RuntimeError, "func/C20", func.grad(back), x)""", variants=False)
    yield g.case("float32/jvp_refused", "func/C13 func/C16 func/C21", """
            x = uniform(1, (3,), torch.float32)
            def f(x):
                return x * 2.0
            expect_error(RuntimeError, "func/C13", func.jvp, f, (x,), (x[1:],))
            expect_error(RuntimeError, "func/C21", func.jvp, f, x, x)
            expect_error(RuntimeError, "func/C21", func.jvp, f, (x,), (x, x))
            y, pull = func.vjp(f, x)
            expect_error(RuntimeError, "func/C16", pull, x[1:])""", variants=False)
