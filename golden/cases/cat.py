# SPDX-License-Identifier: Apache-2.0
"""cat (O-11)."""

from functools import partial

from calls import Arg, Call
from inputs import small

CALLS = [
    Call("cat", "torch.cat([{x}, {y}], dim=0)", {"x": Arg("N B"), "y": Arg("M B")}, "first",
         along=("N", "B"), exact=True),
    Call("cat", "torch.cat([{x}, {y}, {z}], dim=-1)",
         {"x": Arg("… B N"), "y": Arg("… B M"), "z": Arg("… B N")}, "last", along=("N", "B"), exact=True),
    Call("cat", "torch.cat([{x}, {y}], dim=1)", {"x": Arg("B N C"), "y": Arg("B M C")}, "middle", exact=True),
]
source = partial(small, low=-5, high=6)


def cases(g):
    for dt in g.ALL:
        yield from values(g, dt)
    yield from promotion(g)
    yield from refusals(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)


def values(g, dt):
    for what, shapes, dim in (("rows", ((2, 3), (1, 3), (3, 3)), 0), ("columns", ((2, 3), (2, 4)), 1),
                              ("negative", ((2, 3, 2), (2, 1, 2)), -2), ("vectors", ((3,), (4,)), 0),
                              ("four_dims", ((1, 2, 2, 3), (1, 3, 2, 3)), 1)):
        parts = "\n            ".join(f"x{n} = {source(dt, 10 + n, s)}" for n, s in enumerate(shapes))
        names = ", ".join(f"x{n}" for n in range(len(shapes)))
        rules = "cat/S1 cat/S2" if dim < 0 else "cat/S1"
        yield g.case(f"{dt}/{what}", rules, f"""
            {parts}
            y = torch.cat([{names}], dim={dim})
            expect_equal(y, "y")
            expect_copy_of(y, x0)""")
    yield g.case(f"{dt}/legacy_empty", "cat/S4", f"""
        x = {source(dt, 21, (2, 3))}
        none = torch.zeros(0, dtype=torch.{dt})
        expect_equal(torch.cat([none, x, none, x], 1), "skipped")
        expect_equal(torch.cat((none, none), 0), "nothing")
        expect_equal(torch.cat([none], 1), "dim_not_looked_at")""")
    yield g.case(f"{dt}/empty_dims", "cat/S4 cat/S1", f"""
        x = {source(dt, 22, (2, 3))}
        expect_equal(torch.cat([torch.zeros(0, 3, dtype=torch.{dt}), x, x[1:]]), "rows")
        expect_equal(torch.cat([torch.zeros(2, 0, dtype=torch.{dt}), x, x[:, :0], x], dim=1), "columns")""")
    yield g.case(f"{dt}/one", "cat/S1", f"""
        x = {source(dt, 23, (3, 2))}
        y = torch.cat([x])
        expect_equal(y, "y")
        expect_copy_of(y, x)""", trivial="one tensor is copied")
    yield g.case(f"{dt}/strided_inputs", "cat/S5", f"""
        x = {source(dt, 24, (4, 6))}
        expect_equal(torch.cat([x[:, ::2], x[1::2, 1::2], x[:1, :1].expand(2, 3)], dim=0), "y")
        expect_equal(torch.cat([x[1], x[:, 2], x[0, 0].expand(3)]), "vectors")
        expect_equal(torch.cat([x.t(), x.t()], dim=1), "transposed")""", variants=False)
    yield g.case(f"{dt}/out", "cat/S1 cat/S6", f"""
        x = {source(dt, 25, (2, 3))}
        room = torch.zeros(8, 3, dtype=torch.{dt})
        torch.cat([x, x], out=room[::2])
        expect_equal(room, "room")
        new = torch.empty(0, dtype=torch.{dt})
        torch.cat([x, x], 1, out=new)
        expect_equal(new, "resized")""")


def promotion(g):
    for a, b in (("int32", "float16"), ("float16", "bfloat16"), ("uint8", "int8"), ("bool", "int16"),
                 ("int64", "float32"), ("float32", "float64"), ("bool", "float64"),
                 ("int8", "int32"), ("bfloat16", "int64"), ("uint8", "bool")):
        yield g.case(f"{a}/with_{b}", "cat/S3", f"""
            x = {source(a, 31, (2, 3))}
            y = {source(b, 32, (1, 3))}
            expect_equal(torch.cat([x, y]), "xy")
            expect_equal(torch.cat([y, x, y]), "yxy")""")
    yield g.case("float64/skipped_promotes", "cat/S3 cat/S4", """
        x = normal(33, (2, 3))
        expect_equal(torch.cat([torch.zeros(0, dtype=torch.float64), x, x], 1), "y")""")
    yield g.case("float32/out_casts", "cat/S3", """
        x = normal(34, (2,))
        out = torch.zeros(4, dtype=torch.float64)
        torch.cat([x, x], out=out)
        expect_equal(out, "out")
        ints = torch.zeros(4, dtype=torch.int64)
        torch.cat([integers(35, (2,), torch.int8), integers(36, (2,), torch.uint8)], out=ints)
        expect_equal(ints, "ints")""")
    yield g.case("float32/channels_last", "cat/S6", """
        x = normal(37, (2, 3, 2, 2)).contiguous(memory_format=torch.channels_last)
        y = torch.cat([x, x], dim=1)
        expect_strides(y, (24, 1, 12, 6))
        expect_equal(y, "y")
        expect_equal(torch.cat([x, x.contiguous()], dim=1), "mixed")""", variants=False)
    yield g.case("float32/aliases", "cat/S1", """
        x = normal(38, (2, 3))
        expect_equal(torch.concat([x, x], dim=1), "concat")
        expect_equal(torch.concatenate((x, x)), "concatenate")""")
    yield g.case("float32/cache_growth", "cat/S1 cat/S5", """
        cache = torch.zeros(2, 0, 3)
        for i in range(4):
            step = normal(40 + i, (2, 1, 3))
            cache = torch.cat([cache, step], dim=1)
        expect_equal(cache, "cache")""")


def refusals(g):
    yield g.case("float32/no_tensors", "cat/C1", """
        expect_error(ValueError, "cat/C1", torch.cat, [])""")
    yield g.case("float32/no_dims", "cat/C2", """
        x = normal(1, (2,))
        expect_error(RuntimeError, "cat/C2", torch.cat, [x[0], x[1]])
        expect_error(RuntimeError, "cat/C2", torch.cat, [x, x[1]])""")
    yield g.case("float32/dim", "cat/C3", """
        x = normal(1, (2, 3))
        expect_error(IndexError, "cat/C3", torch.cat, [x, x], 2)
        expect_error(IndexError, "cat/C3", torch.cat, [torch.zeros(0), x], -3)""")
    yield g.case("float32/dims_differ", "cat/C4", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "cat/C4", torch.cat, [x, x[0]])
        expect_error(RuntimeError, "cat/C4", torch.cat, [x.unsqueeze(0), x])""")
    yield g.case("float32/sizes_differ", "cat/C5", """
        x = normal(1, (2, 3))
        expect_error(RuntimeError, "cat/C5", torch.cat, [x, normal(2, (2, 4))], 0)
        expect_error(RuntimeError, "cat/C5", torch.cat, [x, normal(2, (3, 3))], 1)
        expect_error(RuntimeError, "cat/C5", torch.cat, [torch.zeros(0, 4), x], 0)""")
    yield g.case("float32/out_dtype", "cat/C6", """
        x = normal(1, (2,))
        out = torch.zeros(4, dtype=torch.int64)
        expect_error(TypeError, "cat/C6", torch.cat, [x, x], out=out)
        expect_error(TypeError, "cat/C6", torch.cat, [x, x], out=out.to(torch.bool))""")
    yield g.case("float32/out_overlaps", "cat/C7", """
        x = normal(1, (4,)) + 0
        expect_error(RuntimeError, "cat/C7", torch.cat, [x[:2], x[2:]], out=x)
        expect_error(RuntimeError, "cat/C7", torch.cat, [torch.ones(2), x[:2]], out=x)""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/no_promotion", "cat/C8", f"""
            x = normal(1, (2,), torch.{dt})
            expect_error(RuntimeError, "cat/C8", torch.cat, [x, torch.zeros(2)])
            expect_error(RuntimeError, "cat/C8", torch.cat, [torch.zeros(2, dtype=torch.int32), x])""")


def gradients(g, dt):
    yield g.case(f"{dt}/backward", "cat/G1", f"""
        a = normal(51, (2, 3), torch.{dt}).requires_grad_()
        b = normal(52, (2, 1), torch.{dt}).requires_grad_()
        c = normal(53, (2, 2), torch.{dt})
        torch.cat([a, c, b], dim=1).backward(normal(54, (2, 6), torch.{dt}))
        expect(a.grad, "a_grad")
        expect(b.grad, "b_grad")""")
    yield g.case(f"{dt}/backward_rows_negative_dim", "cat/G1", f"""
        a = normal(55, (2, 3), torch.{dt}).requires_grad_()
        b = normal(56, (1, 3), torch.{dt}).requires_grad_()
        y = torch.cat([b, a], dim=-2)
        (y * y).backward(normal(57, (3, 3), torch.{dt}))
        expect(a.grad, "a_grad")
        expect(b.grad, "b_grad")""")
    yield g.case(f"{dt}/backward_twice_the_same", "cat/G1", f"""
        a = normal(58, (2, 3), torch.{dt}).requires_grad_()
        torch.cat([a, a, a]).backward(normal(59, (6, 3), torch.{dt}))
        expect(a.grad, "a_grad")""")
    yield g.case(f"{dt}/backward_skipped", "cat/G1 cat/S4", f"""
        a = normal(60, (2, 3), torch.{dt}).requires_grad_()
        b = torch.zeros(0, dtype=torch.{dt}).requires_grad_()
        torch.cat([b, a], dim=1).backward(normal(61, (2, 3), torch.{dt}))
        expect(a.grad, "a_grad")
        expect(b.grad, "b_grad")""")
    if dt in ("float16", "float32"):
        yield g.case(f"{dt}/backward_promoted", "cat/G1 cat/S3", f"""
            a = normal(62, (2,), torch.{dt}).requires_grad_()
            b = normal(63, (3,), torch.float64).requires_grad_()
            torch.cat([a, b]).backward(normal(64, (5,), torch.float64))
            expect(a.grad, "a_grad")
            expect(b.grad, "b_grad")""")
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/double_backward", "cat/G1", f"""
            a = normal(65, (2, 3), torch.{dt}).requires_grad_()
            b = normal(66, (2, 2), torch.{dt}).requires_grad_()
            y = torch.cat([a, b * b], dim=1)
            ga, gb = autograd.grad((y * y * y).sum(), (a, b), create_graph=True)
            (ga.sum() + (gb * gb).sum()).backward()
            expect(a.grad, "a_grad")
            expect(b.grad, "b_grad")""")
