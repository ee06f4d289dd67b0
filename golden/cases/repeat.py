# SPDX-License-Identifier: Apache-2.0
"""repeat, tile and repeat_interleave (O-11, O-13)."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("repeat", "{x}.repeat(2, 3)", {"x": Arg("B N")}, "grid", along=("N", "B"), exact="forward", steep=True),
    Call("repeat", "{x}.repeat(3, 1, 2)", {"x": Arg("B N")}, "more", along=("N", "B"), exact="forward", steep=True),
    Call("tile", "torch.tile({x}, (2,))", {"x": Arg("… N")}, "", exact="forward"),
    Call("repeat_interleave_number", "torch.repeat_interleave({x}, 3, dim=1)", {"x": Arg("B N C")}, "", exact="forward",
         along=("N", "B")),
    Call("repeat_interleave", "torch.repeat_interleave({x}, torch.arange(3, 3 + {N}) % 4, dim=0)",
         {"x": Arg("N B")}, "", along=("N", "B"), exact="forward"),
    Call("repeat_interleave_counts", "torch.repeat_interleave(torch.arange(3, 3 + {N}) % 4)", {}, "", dtypes=("int64",),
         exact=True, gradient=False),
]


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/repeat", "repeat/S1 repeat/S2 repeat/S3", f"""
            x = {special(dt, (2, 3))}
            y = x.repeat(2, 3)
            expect(y, "y")
            expect_copy_of(y, x)
            expect(x.repeat(2, 1, 2), "more")
            expect(torch.tile(x, (2,)), "tile")
            expect(x[:, ::2].t().repeat(1, 2), "strided")""")
        yield g.case(f"{dt}/interleaved", "repeat/S4 repeat/S5", f"""
            x = {special(dt, (3, 4), 2)}
            y = x.repeat_interleave(2, 1)
            expect(y, "columns")
            expect_copy_of(y, x)
            expect(x.repeat_interleave(3), "flat")
            expect(x.t().repeat_interleave(2, dim=-2), "turned")
            n = torch.tensor([2, 0, 3])
            z = x.repeat_interleave(n, 0)
            expect(z, "rows")
            expect_copy_of(z, x)
            expect(torch.repeat_interleave(x, torch.tensor([1, 0, 2, 4]), dim=1), "uneven")""")
    for i, (shape, repeats) in enumerate((
            ((2, 3), "1, 1"), ((2, 3), "1, 2"), ((2, 3), "(3, 1)"), ((2, 3), "[2, 2]"), ((3,), "4"), ((3,), "2, 3"),
            ((), "3"), ((), "()"), ((), "2, 3"), ((2, 3), "2, 1, 1"), ((1, 3), "4, 1"), ((2, 1, 3), "1, 5, 2"),
            ((2, 3), "0, 2"), ((2, 3), "2, 0"), ((0, 3), "2, 2"), ((2, 0), "3, 2"), ((2,), "0, 0, 3"), ((1,), "1, 1, 1"),
            ((2, 3), "repeats=(1, 3)"), ((2, 1, 2, 1, 2), "1, 2, 1, 2, 1"))):
        alone = repeats in ("1, 1", "()", "1, 1, 1")
        yield g.case(f"float32/repeat_{i}", "repeat/S1 repeat/S2" + (" repeat/S9" if 0 in shape else ""), f"""
            x = normal({i}, {shape})
            y = x.repeat({repeats})
            expect(y, "y")
            expect_copy_of(y, x)""", trivial="once each is a copy" if alone else "")
    for i, (shape, dims) in enumerate((((2, 3), "2"), ((2, 3), "(2, 2)"), ((2, 3), "2, 1, 3"), ((2, 3), "(3,)"), ((3,), "(2, 2)"),
                                       ((), "(2, 2)"), ((2, 3, 2), "(2, 1)"), ((2, 3), "()"), ((2, 3), "0"), ((), "()"),
                                       ((0, 3), "2"), ((2, 3), "dims=(1, 2)"))):
        yield g.case(f"float32/tile_{i}", "repeat/S3", f"""
            x = normal({i}, {shape})
            y = x.tile({dims})
            expect(y, "y")
            expect_copy_of(y, x)""", trivial="once each is a copy" if dims == "()" else "")
    for i, (shape, args) in enumerate((((2, 3), "2"), ((2, 3), "3, 0"), ((2, 3), "2, -1"), ((2, 3), "1, 1"), ((2, 3), "0"),
                                       ((2, 3), "0, 1"), ((), "3"), ((), "1"), ((0, 3), "2, 0"), ((0, 3), "2, 1"), ((0, 3), "2"),
                                       ((2, 1, 3), "2, 1"), ((1, 1), "4, 0"), ((2, 3, 2), "2, dim=-3"),
                                       ((2, 3), "repeats=2, dim=1"), ((2, 3), "2, 1, output_size=6"), ((2, 3), "2, output_size=12"))):
        yield g.case(f"float32/interleaved_{i}", "repeat/S4" + (" repeat/S9" if 0 in shape else "") +
                     (" repeat/S8" if "output" in args else ""), f"""
            x = normal({i}, {shape})
            y = x.repeat_interleave({args})
            expect(y, "y")
            expect_copy_of(y, x)""", trivial="once each is a copy" if args in ("1, 1", "1") else "")
    for i, (shape, n, more) in enumerate((
            ((2, 3), "[1, 2]", "0"), ((2, 3), "[2, 0, 1]", "1"), ((2, 3), "[2]", "1"), ((2, 3), "3", "0"), ((2, 3), "2", ""),
            ((2, 3), "[1, 0, 2, 1, 0, 3]", ""), ((2, 3), "[0, 0]", "0"), ((2, 3), "[1, 1]", "-2"), ((), "[2]", ""), ((), "0", ""),
            ((2, 1, 3), "[3]", "1"), ((1, 3), "[4]", "dim=0"), ((2, 3), "[2]", ""), ((2, 3), "[1, 2]", "0, output_size=3"),
            ((2, 3), "2", "dim=1, output_size=6"), ((2, 0), "[2, 1]", "0"))):
        once = n == "[1, 1]"
        yield g.case(f"float32/by_tensor_{i}", "repeat/S5" + (" repeat/S8" if "output" in more else ""), f"""
            x = normal({i}, {shape})
            n = torch.tensor({n})
            y = x.repeat_interleave({", ".join(["n"] + [more] * (more != ""))})
            expect(y, "y")
            expect_copy_of(y, x)""", variants=False, trivial="once each is a copy" if once else "")
    for dt in g.INT:
        yield g.case(f"{dt}/indices", "repeat/S6 repeat/S5 repeat/S8", f"""
            n = torch.tensor([2, 0, 1, 3, 0], dtype=torch.{dt})
            y = torch.repeat_interleave(n)
            expect(y, "y")
            expect_equal(y.dtype, torch.{dt})
            expect(torch.repeat_interleave(n[::2]), "strided")
            expect(torch.repeat_interleave(n[3:4].expand(3)), "expanded")
            expect(torch.repeat_interleave(n, output_size=6), "sized")
            x = normal(1, (5, 2))
            expect(x.repeat_interleave(n, 0), "rows")
            expect(x.t().repeat_interleave(n[2:3], 0), "one")
            expect_equal(torch.repeat_interleave(n[1:2]).shape, (0,))
            expect_equal(torch.repeat_interleave(n[:0]).dtype, torch.{dt})
            expect_equal(torch.zeros(0, 3).repeat_interleave(n[:0], 0).shape, (0, 3))
            expect_equal(torch.zeros(0, 3).repeat_interleave(n[0], 0).shape, (0, 3))""", variants=False)
    yield g.case("float32/strides", "repeat/S2 repeat/S4 repeat/S5", """
        x = normal(1, (2, 3, 4))
        expect_strides(x.permute(2, 0, 1).repeat(1, 1, 2), (12, 6, 1))
        expect_strides(x.repeat(1, 2, 1, 1), (48, 12, 4, 1))
        expect_strides(x.permute(2, 0, 1).repeat_interleave(2, 1), (12, 3, 1))
        expect_strides(x[0].t().repeat_interleave(2, 0), (3, 1))
        expect_strides(x.permute(2, 0, 1).repeat_interleave(torch.tensor([1, 2]), 1), (9, 3, 1))
        y = normal(2, (2, 2, 2, 2)).contiguous(memory_format=torch.channels_last)
        expect_strides(y.repeat_interleave(2, 1), (16, 4, 2, 1))
        expect_strides(y.repeat(1, 2, 1, 1), (16, 4, 2, 1))
        expect(y.repeat(1, 2, 1, 1), "y")""", variants=False)
    yield g.case("float32/whose_view", "repeat/S2 repeat/S4 repeat/S5", """
        x = normal(1, (2, 3))
        expect_equal(x.repeat(2, 1)._base is None, True)
        expect_equal(x.repeat_interleave(torch.tensor(2), 0)._base is None, True)
        expect_equal(x.repeat_interleave(2, 0)._base.shape, (2, 2, 3))
        expect_equal(x.repeat_interleave(2)._base.shape, (6, 2))
        expect(x.repeat_interleave(2)._base, "base")""", variants=False)
    yield g.case("float32/meta", "repeat/S1 repeat/S4", """
        x = torch.zeros(2, 3, device="meta")
        expect_equal(x.repeat(1000000, 1000000).shape, (2000000, 3000000))
        expect_equal(x.tile(5).shape, (2, 15))
        expect_equal(x.repeat_interleave(7, 1).shape, (2, 21))""")

    yield g.case("int64/sizes_by_data", "repeat/S7", """
        def counts(n):
            return torch.repeat_interleave(n)
        def rows(n):
            return torch.ones(2, 3).repeat_interleave(n, 0)
        n = torch.tensor([[1, 2], [2, 1]])
        expect_error(RuntimeError, "func/C9", func.vmap(counts), n)
        expect_error(RuntimeError, "func/C9", func.vmap(rows), n)
        expect(torch.repeat_interleave(n[0]), "one")""")

    yield from refusals(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)
    yield g.case("float32/levels", "repeat/S1 repeat/S4 repeat/S5", """
        def whole(a):
            return a.repeat(2, 1, 2)
        def each(a):
            return a.repeat_interleave(2, 1)
        def some(a):
            return a.repeat_interleave(torch.tensor([2, 0, 1, 1]), 0)
        x = normal(7, (3, 4, 5))
        expect(func.vmap(whole)(x), "repeat")
        expect(func.vmap(each)(x), "interleaved")
        expect(func.vmap(some)(x), "by_tensor")
        y, t = func.jvp(whole, (x[0],), (normal(8, (4, 5)),))
        expect(t, "jvp")
        y, u = func.jvp(each, (x[0],), (normal(9, (4, 5)),))
        expect(u, "interleaved_jvp")""")


def refusals(g):
    yield g.case("float32/fewer", "repeat/C1", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "repeat/C1", x.repeat, 2)
        expect_error(RuntimeError, "repeat/C1", x.repeat, ())""")
    yield g.case("float32/negative_sizes", "repeat/S1", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "tensors/C8", x.repeat, -1, 1)
        expect_error(RuntimeError, "tensors/C8", x.tile, -1)
        expect_error(RuntimeError, "tensors/C8", x.repeat, 4611686018427387904, 4611686018427387904)""")
    yield g.case("float32/negative", "repeat/C2", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "repeat/C2", x.repeat_interleave, -1)
        expect_error(RuntimeError, "repeat/C2", x.repeat_interleave, -2, 1)
        expect_error(RuntimeError, "repeat/C2", x.repeat_interleave, torch.tensor([1, -2]), 0)
        expect_error(RuntimeError, "repeat/C2", x.repeat_interleave, torch.tensor(-1))
        expect_error(RuntimeError, "repeat/C2", torch.repeat_interleave, torch.tensor([2, -1]))""")
    for dt in ("float32", "float16", "bool", "float8_e5m2"):
        yield g.case(f"{dt}/counted_by", "repeat/C3", f"""
            x = normal(1, (2, 3))
            n = torch.ones(2).to(torch.{dt})
            expect_error(NotImplementedError, "repeat/C3", x.repeat_interleave, n, 0)
            expect_error(NotImplementedError, "repeat/C3", torch.repeat_interleave, n)
            expect_error(NotImplementedError, "repeat/C3", torch.repeat_interleave, n[:0])""")
    yield g.case("float32/dims_of_repeats", "repeat/C4", """
        x = normal(1, (2, 3))
        n = torch.tensor([[1, 2]])
        expect_error(RuntimeError, "repeat/C4", x.repeat_interleave, n, 0)
        expect_error(RuntimeError, "repeat/C4", x.repeat_interleave, n, 7)
        expect_error(RuntimeError, "repeat/C4", torch.repeat_interleave, n)
        expect_error(RuntimeError, "repeat/C4", torch.repeat_interleave, n[0, 1])""")
    yield g.case("float32/size_of_repeats", "repeat/C5", """
        x = normal(1, (2, 3))
        n = torch.tensor([1, 2])
        expect_error(RuntimeError, "repeat/C5", x.repeat_interleave, n, 1)
        expect_error(RuntimeError, "repeat/C5", x.repeat_interleave, n)
        expect_error(RuntimeError, "repeat/C5", x.repeat_interleave, n[:0], 0)""")
    yield g.case("float32/range", "repeat/C6", """
        x = normal(1, (2, 3))
        n = torch.tensor([1, 2])
        expect_error(IndexError, "repeat/C6", x.repeat_interleave, 2, 2)
        expect_error(IndexError, "repeat/C6", x.repeat_interleave, -1, -3)
        expect_error(IndexError, "repeat/C6", x.repeat_interleave, n, 2)
        expect_error(IndexError, "repeat/C6", x[0, 0].repeat_interleave, 2, 0)
        expect_error(IndexError, "repeat/C6", x[0, 0].repeat_interleave, 2, -2)
        expect_error(IndexError, "repeat/C6", x[0, 0].repeat_interleave, n[1:], 0)""")
    yield g.case("float32/output_size", "repeat/C7", """
        x = normal(1, (2, 3))
        n = torch.tensor([1, 2])
        expect_error(RuntimeError, "repeat/C7", x.repeat_interleave, 2, 0, output_size=5)
        expect_error(RuntimeError, "repeat/C7", x.repeat_interleave, n, 0, output_size=4)
        expect_error(RuntimeError, "repeat/C7", x.repeat_interleave, n, 0, output_size=2)
        expect_error(RuntimeError, "repeat/C7", torch.repeat_interleave, n, output_size=0)
        expect_error(RuntimeError, "tensors/C8", torch.repeat_interleave, n, output_size=-3)""")


def gradients(g, dt):
    yield g.case(f"{dt}/repeat_backward", "repeat/G1", f"""
        x = normal(1, (2, 3), torch.{dt}).requires_grad_()
        x.repeat(2, 3).backward(normal(2, (4, 9), torch.{dt}))
        expect(x.grad, "grid")
        x.grad = None
        x.repeat(3, 1, 2).backward(normal(3, (3, 2, 6), torch.{dt}))
        expect(x.grad, "more")
        x.grad = None
        x.repeat(1, 1).backward(normal(4, (2, 3), torch.{dt}))
        expect(x.grad, "once")
        x.grad = None
        x.repeat(2, 0).backward(torch.zeros(4, 0, dtype=torch.{dt}))
        expect(x.grad, "never")
        x.grad = None
        x.tile(2).backward(normal(5, (2, 6), torch.{dt}))
        expect(x.grad, "tile")""")
    yield g.case(f"{dt}/repeat_number_backward", "repeat/G1", f"""
        x = normal(1, (), torch.{dt}).requires_grad_()
        x.repeat(4).backward(normal(2, (4,), torch.{dt}))
        expect(x.grad, "dx")
        x.grad = None
        x.repeat(2, 3).backward(normal(3, (2, 3), torch.{dt}))
        expect(x.grad, "two")""")
    yield g.case(f"{dt}/interleaved_backward", "repeat/G2", f"""
        x = normal(1, (3, 4), torch.{dt}).requires_grad_()
        x.repeat_interleave(2, 1).backward(normal(2, (3, 8), torch.{dt}))
        expect(x.grad, "columns")
        x.grad = None
        x.repeat_interleave(3).backward(normal(3, (36,), torch.{dt}))
        expect(x.grad, "flat")
        x.grad = None
        x.repeat_interleave(torch.tensor([2, 0, 3]), 0).backward(normal(4, (5, 4), torch.{dt}))
        expect(x.grad, "rows")""")
    yield g.case(f"{dt}/grad_of_grad", "repeat/G1 repeat/G2", f"""
        x = normal(1, (2, 3), torch.{dt}).requires_grad_()
        w = normal(2, (4, 6), torch.{dt}).requires_grad_()
        d = autograd.grad(x.repeat(2, 2), x, w, create_graph=True)[0]
        expect(d, "d")
        d.backward(normal(3, (2, 3), torch.{dt}))
        expect(w.grad, "dw")
        w.grad = None
        e = autograd.grad(x.repeat_interleave(2, 0).repeat_interleave(2, 1), x, w, create_graph=True)[0]
        e.backward(normal(4, (2, 3), torch.{dt}))
        expect(w.grad, "interleaved")""")
