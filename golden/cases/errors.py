# SPDX-License-Identifier: Apache-2.0
"""Classes of errors, and that an op which refuses leaves everything as it was (T-19)."""


def cases(g):
    yield from no_kernel(g)
    yield from wrong_arguments(g)
    yield from devices(g)
    yield from nothing_written(g)
    yield from one_class_each(g)


def no_kernel(g):
    for dt in g.INT + ("bool",):
        yield g.case(f"{dt}/float_only", "errors/C1 errors/S2 errors/S3", f"""
            x = torch.ones(2, 3, dtype=torch.{dt})
            expect_error(NotImplementedError, "softmax/C2", torch.softmax, x, 0)
            expect_error(NotImplementedError, "softmax/C2", torch.log_softmax, x, 1)
            expect_error(NotImplementedError, "gelu/C2", F.gelu, x)
            expect_error(RuntimeError, "layer_norm/C5", F.layer_norm, x, (3,))
            expect_error(RuntimeError, "sum/C4", torch.mean, x)
            expect_equal(x.to(torch.int64), [[1, 1, 1], [1, 1, 1]])""")
    yield g.case("bool/no_arithmetic", "errors/C1 errors/S3", """
        x = bools(3, (2, 3))
        expect_error(NotImplementedError, "mm/C4", torch.mm, x, x.t())
        expect_error(NotImplementedError, "argmax/C3", torch.argmax, x)
        expect_error(RuntimeError, "relu/C1", torch.relu, x)
        expect_error(RuntimeError, "mm/C4", torch.bmm, x[None], x[None].transpose(1, 2))
        expect_equal(x, "x")""", trivial="x is the input itself")
    for dt in g.FLOAT8:
        for op, rule, call in (
                ("exp", "unary/C2", "torch.exp, x"), ("add", "add/C6", "torch.add, x, x"),
                ("sum", "sum/C3", "torch.sum, x"), ("sort", "sort/C2", "torch.sort, x"),
                ("argmax", "argmax/C3", "torch.argmax, x"), ("neg", "unary/C2", "torch.neg, x"),
                ("amax", "amax/C6", "torch.amax, x"),
                ("softmax", "softmax/C2", "torch.softmax, x, 0")):
            yield g.case(f"{dt}/{op}", "errors/C1", f"""
                x = torch.ones(3, dtype=torch.{dt})
                expect_error(NotImplementedError, "{rule}", {call})""")


def wrong_arguments(g):
    for name, call in (
            ("missing_tensor", "torch.add, x"), ("missing_dim", "torch.softmax, x"),
            ("unknown_keyword", "torch.sum, x, dimension=1"),
            ("number_for_tensor", "torch.mm, x, 2"), ("none_for_tensor", "torch.add, x, None"),
            ("number_for_input", "torch.exp, 2.0"), ("tensor_for_list", "torch.cat, x"),
            ("float_dim", "torch.softmax, x, 1.5"), ("float_index", "x.select, 0, 1.0"),
            ("string_for_size", 'x.view, "a"'), ("string_for_dtype",
                                                 'torch.zeros, (2,), dtype="float32"'),
            ("too_many", "torch.neg, x, x"), ("keyword_twice", "torch.neg, x, input=x")):
        yield g.case(f"float32/{name}", "errors/C2 errors/S2", f"""
            x = normal(1, (2, 3))
            expect_error(TypeError, "errors/C2", {call})""")


def devices(g):
    for name, call in (("add", "torch.add, x, m"), ("add_other_way", "torch.add, m, x"),
                       ("eq", "torch.eq, x, m"), ("cat", "torch.cat, [x, m]"),
                       ("where", "torch.where, x > 0, x, m"),
                       ("0dim_meta", "torch.mul, m.sum(), x")):
        yield g.case(f"float32/mixed_{name}", "errors/C3", f"""
            x = normal(1, (2, 3))
            m = torch.empty(2, 3, device="meta")
            expect_error(RuntimeError, "errors/C3", {call})
            expect_equal(x, "x")""", trivial="x is the input itself")
    yield g.case("float32/0dim_cpu_with_meta", "errors/C3", """
        m = torch.empty(2, 3, device="meta")
        s = torch.tensor(2.0, device="cpu")
        y = torch.mul(m, s)
        z = torch.add(s, m)
        expect_equal(y.device, torch.device("meta"))
        expect_equal(z.shape, (2, 3))""")
    yield g.case("float32/size_depends_on_data", "errors/C4", """
        m = torch.empty(2, 3, device="meta")
        expect_error(NotImplementedError, "errors/C4", torch.nonzero, m)""")


def nothing_written(g):
    for dt in ("float32", "float16", "int64", "bool"):
        fill = "bools(5, (2, 3))" if dt == "bool" else \
            f"integers(5, (2, 3), torch.{dt}, 1, 9)"
        yield g.case(f"{dt}/inputs_kept", "errors/S1", f"""
            x = {fill}
            o = {fill}
            before = o._version
            expect_error(RuntimeError, "copy/C1", o.copy_, torch.ones(4, 3))
            expect_error(IndexError, "sum/C1", torch.sum, x, 2)
            expect_error(RuntimeError, "mul/C1", torch.mul, x, torch.ones(5), out=o)
            expect_equal(o._version, before)
            expect_equal(x, "x")
            expect_equal(o, "o")""",
            trivial="both are as they were made")
    yield g.case("float32/versions_kept", "errors/S1", """
        x = normal(6, (3, 4))
        x.add_(1)
        v = x._version
        expect_error(RuntimeError, "tensors/C1", x.add_, normal(7, (5, 3, 4)))
        expect_error(RuntimeError, "mul/C1", x.mul_, normal(8, (2,)))
        expect_error(IndexError, "slice/C1", x.select, 3, 0)
        expect_equal(x._version, v)
        expect_equal(v, 1)
        expect(x, "x")""")


def one_class_each(g):
    for name, error, rule, call in (
            ("dim_high", "IndexError", "softmax/C1", "torch.softmax, x, dim=2"),
            ("dim_low", "IndexError", "sum/C1", "torch.sum, x, -3"),
            ("index_high", "IndexError", "slice/C2", "x.select, 0, 2"),
            ("shape", "RuntimeError", "add/C1", "torch.add, x, torch.ones(4)"),
            ("mm_shape", "RuntimeError", "mm/C2", "torch.mm, x, x"),
            ("view_shape", "RuntimeError", "view/C2", "x.view, 7"),
            ("no_kernel", "NotImplementedError", "softmax/C2",
             "torch.softmax, torch.ones(3, dtype=torch.int64), 0"),
            ("kind", "TypeError", "errors/C2", "torch.mm, x, 1.0"),
            ("cast", "RuntimeError", "promotion/C1", "torch.ones(2, 3, dtype=torch.int32).add_, x")):
        yield g.case(f"float32/class_{name}", "errors/S2", f"""
            x = normal(9, (2, 3))
            expect_error({error}, "{rule}", {call})""")
    yield g.case("float32/subclass", "errors/S3", """
        x = torch.ones(3, dtype=torch.int32)
        expect_error(RuntimeError, "softmax/C2", torch.softmax, x, 0)
        expect_error(NotImplementedError, "softmax/C2", torch.softmax, x, 0)""")
