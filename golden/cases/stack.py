# SPDX-License-Identifier: Apache-2.0
"""stack (O-11)."""

from calls import Arg, Call
from inputs import special

CALLS = [
    Call("stack", "torch.stack([{x}, {y}], dim=0)", {"x": Arg("N B"), "y": Arg("N B")}, "first",
         along=("N", "B"), exact=True),
    Call("stack", "torch.stack([{x}, {y}, {z}], dim=-1)",
         {"x": Arg("… B N"), "y": Arg("… B N"), "z": Arg("… B N")}, "last", along=("N", "B"), exact=True),
    Call("stack", "torch.stack([{x}, {y}], dim=1)", {"x": Arg("B N C"), "y": Arg("B N C")}, "middle", exact=True),
]


def source(dt, seed, shape):
    return special(dt, shape, seed)


def cases(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/dims", "stack/S1 stack/S2", f"""
            x = {source(dt, 1, (2, 3))}
            y = {source(dt, 2, (2, 3))}
            z = {source(dt, 3, (2, 3))}
            s = torch.stack([x, y, z])
            expect(s, "first")
            expect_copy_of(s, x)
            expect(torch.stack((x, y), 1), "second")
            expect(torch.stack([x, y, z], 2), "third")
            expect(torch.stack([x, y], dim=-1), "last")
            expect(torch.stack([z, x], dim=-3), "front")""")
        yield g.case(f"{dt}/vectors", "stack/S1 stack/S5", f"""
            x = {source(dt, 4, (4,))}
            expect(torch.stack([x[0], x[1], x[3]]), "numbers")
            expect(torch.stack([x[2], x[0]], -1), "numbers_last")
            expect(torch.stack([x, x[:1].expand(4)], 1), "columns")""", variants=False)
        yield g.case(f"{dt}/strided", "stack/S4", f"""
            x = {source(dt, 5, (4, 6))}
            expect(torch.stack([x[:, ::2], x[:, 1::2]], 1), "columns")
            expect(torch.stack([x.t(), x.t()], 0), "turned")
            expect(torch.stack([x[1], x[:1].expand(4, 6)[2]], 0), "rows")""", variants=False)
        yield g.case(f"{dt}/out", "stack/S1", f"""
            x = {source(dt, 6, (2, 3))}
            room = torch.zeros(4, 2, 3, dtype=torch.{dt})
            v = room[::2]
            expect_same(torch.stack([x, x], out=v), v)
            expect(room, "room")
            expect_untouched(v, "rest")
            turned = torch.zeros(3, 2, 2, dtype=torch.{dt})
            torch.stack([x, x], 1, out=turned.permute(1, 2, 0))
            expect(turned, "turned")
            new = torch.empty(0, dtype=torch.{dt})
            torch.stack([x, x], -1, out=new)
            expect(new, "new")""")
    for i, shape in enumerate(((0,), (0, 3), (2, 0), (1,), (1, 1), (2, 1, 3), (1, 2, 1, 2, 1, 2))):
        yield g.case(f"float32/size_{i}", "stack/S1 stack/S5", f"""
            x = normal({i}, {shape})
            y = normal({i + 20}, {shape})
            expect(torch.stack([x, y]), "first")
            expect(torch.stack([x, y], 1), "second")
            expect(torch.stack([y, x], -1), "last")""")
    yield g.case("float32/one", "stack/S1", """
        x = normal(1, (2, 3))
        y = torch.stack([x])
        expect(y, "y")
        expect_copy_of(y, x)
        expect_copy_of(torch.stack([x], -1), x)""")
    for a, b in (("int32", "float16"), ("float16", "bfloat16"), ("uint8", "int8"), ("bool", "int16"),
                 ("int64", "float32"), ("float32", "float64")):
        yield g.case(f"{a}/with_{b}", "stack/S3", f"""
            x = integers(1, (2, 3), torch.int64, low=0, high=2).to(torch.{a})
            y = integers(2, (2, 3), torch.int64, low=0, high=9).to(torch.{b})
            expect(torch.stack([x, y]), "xy")
            expect(torch.stack([y, x, x], 1), "yxx")
            expect(torch.stack([x[0, 0], y[1, 1]]), "numbers")""")
    yield g.case("float32/out_casts", "stack/S3", """
        x = normal(1, (2,))
        out = torch.zeros(2, 2, dtype=torch.float64)
        torch.stack([x, x], out=out)
        expect(out, "out")
        ints = torch.zeros(2, 2, dtype=torch.int64)
        torch.stack([integers(2, (2,), torch.int8), integers(3, (2,), torch.uint8)], 1, out=ints)
        expect(ints, "ints")""")
    yield g.case("float32/layout", "stack/S6", """
        x = normal(1, (2, 3, 4, 5)).contiguous(memory_format=torch.channels_last)
        y = torch.stack([x, x], 1)
        expect_strides(y, (120, 3, 1, 30, 6))
        expect(y, "y")
        expect_strides(torch.stack([x, x]), (120, 60, 1, 15, 3))
        expect_strides(torch.stack([x, x], 4), (120, 40, 10, 2, 1))
        expect_strides(torch.stack([x, x.contiguous()], 1), (120, 60, 20, 5, 1))
        z = normal(2, (3, 4))
        expect_strides(torch.stack([z.t(), z.t()]), (12, 3, 1))
        expect_strides(torch.stack([z, z], -1), (8, 2, 1))
        expect_equal(y._base is None, True)
        expect_equal(torch.stack([x, x], 4)._base is None, True)""", variants=False)

    yield g.case("float32/no_tensors", "stack/C1", """
        expect_error(RuntimeError, "stack/C1", torch.stack, [])
        expect_error(RuntimeError, "stack/C1", torch.stack, (), 3)""")
    yield g.case("float32/range", "stack/C2", """
        x = normal(1, (2, 3))
        expect_error(IndexError, "stack/C2", torch.stack, [x, x], 3)
        expect_error(IndexError, "stack/C2", torch.stack, [x, x], -4)
        expect_error(IndexError, "stack/C2", torch.stack, [x, x[0]], 3)
        expect_error(IndexError, "stack/C2", torch.stack, [x[0, 0]], dim=1)""")
    yield g.case("float32/sizes_differ", "stack/C3", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "stack/C3", torch.stack, [x, x[0]])
        expect_error(RuntimeError, "stack/C3", torch.stack, [x, x.t()])
        expect_error(RuntimeError, "stack/C3", torch.stack, [x, x, x[:, :2]], 2)
        expect_error(RuntimeError, "stack/C3", torch.stack, [torch.zeros(0), x])""")
    yield g.case("float32/out_refused", "stack/S3", """
        x = normal(1, (6,)) + 0
        ints = torch.zeros(2, 3, dtype=torch.int64)
        expect_error(TypeError, "cat/C6", torch.stack, [x[:3], x[3:]], out=ints)
        expect_error(RuntimeError, "cat/C7", torch.stack, [x[:3], x[3:]], out=x.view(2, 3))
        expect_error(RuntimeError, "tensors/C2", torch.stack, [x[:3], x[3:]], out=torch.zeros(3).expand(2, 3))
        expect(ints, "ints")
        expect(x, "x")""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/no_promotion", "stack/S3", f"""
            x = normal(1, (2,), torch.{dt})
            expect_error(RuntimeError, "cat/C8", torch.stack, [x, torch.zeros(2)])""")

    for dt in g.FLOAT:
        yield g.case(f"{dt}/backward", "stack/G1", f"""
            a = normal(51, (2, 3), torch.{dt}).requires_grad_()
            b = normal(52, (2, 3), torch.{dt}).requires_grad_()
            c = normal(53, (2, 3), torch.{dt})
            torch.stack([a, c, b], dim=1).backward(normal(54, (2, 3, 3), torch.{dt}))
            expect(a.grad, "a_grad")
            expect(b.grad, "b_grad")
            torch.stack([b, a], dim=-1).backward(normal(55, (2, 3, 2), torch.{dt}))
            expect(a.grad, "a_more")
            expect(b.grad, "b_more")""")
        yield g.case(f"{dt}/backward_thrice_the_same", "stack/G1", f"""
            a = normal(58, (2, 3), torch.{dt}).requires_grad_()
            torch.stack([a, a, a]).backward(normal(59, (3, 2, 3), torch.{dt}))
            expect(a.grad, "a_grad")""")
        yield g.case(f"{dt}/grad_of_grad", "stack/G1", f"""
            a = normal(65, (2, 3), torch.{dt}).requires_grad_()
            w = normal(66, (2, 2, 3), torch.{dt}).requires_grad_()
            d = autograd.grad(torch.stack([a, a * 2], 1).transpose(0, 1), a, w, create_graph=True)[0]
            expect(d, "d")
            d.backward(normal(67, (2, 3), torch.{dt}))
            expect(w.grad, "dw")""")
    yield g.case("float16/backward_promoted", "stack/G1 stack/S3", """
        a = normal(62, (2,), torch.float16).requires_grad_()
        b = normal(63, (2,), torch.float64).requires_grad_()
        torch.stack([a, b]).backward(normal(64, (2, 2), torch.float64))
        expect(a.grad, "a_grad")
        expect(b.grad, "b_grad")
        expect_equal(a.grad.dtype, torch.float16)""")
    yield g.case("float32/levels", "stack/S1 stack/S2", """
        def both(a, b):
            return torch.stack([a, b], -1)
        def front(a, b):
            return torch.stack([b, a, b], 1)
        x = normal(7, (3, 4, 5))
        y = normal(8, (3, 4, 5))
        expect(func.vmap(both)(x, y), "last")
        expect(func.vmap(front, in_dims=(1, 1))(x, y), "second")
        expect(func.vmap(both, in_dims=(0, None))(x, y[0]), "one_of_them")
        p, t = func.jvp(both, (x, y), (normal(9, (3, 4, 5)), normal(10, (3, 4, 5))))
        expect(t, "jvp")""")
