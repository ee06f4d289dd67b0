# SPDX-License-Identifier: Apache-2.0
"""Storages, windows on them, versions, layouts of results, and what writing refuses."""


def cases(g):
    yield from windows(g)
    yield from contiguity(g)
    yield from versions(g)
    yield from in_place(g)
    yield from layouts(g)
    yield from out(g)
    yield from overlap(g)
    yield from without_elements(g)
    yield from cast_layouts(g)
    yield from edges(g)
    yield from meta(g)
    yield from refusals(g)


def windows(g):
    for dt in g.ALL:
        yield g.case(f"{dt}/window", "tensors/S1 tensors/S2", f"""
            base = torch.zeros(12, dtype=torch.{dt})
            base.copy_(torch.arange(12))
            m = base.view(3, 4)
            c = m[:, 1]
            expect_view_of(m, base)
            expect_view_of(c, base)
            expect_strides(c, (4,))
            expect_equal(c.storage_offset(), 1)
            expect_equal(c.data_ptr() - base.data_ptr(), {1} * base.element_size())
            expect_equal(c.numel(), 3)
            expect_copy_of(c.contiguous(), base)
            expect_equal(c, "c")
            expect_equal(base.nbytes, 12 * base.element_size())
            expect_same(m._base, base)
            expect_same(c._base, base)
            expect_equal(base._base, None)""")
    for k, (view, offset) in enumerate((
            ("x[1]", 1), ("x[1:, 2]", 2), ("x[:, ::2]", 1), ("x.t()[2]", 1), ("x[-1, -1]", 1),
            ("x.select(0, 2)", 1), ("x[2:, 1:][0]", 3), ("x.transpose(0, 1)[1:]", 1),
            ("x[None, 1]", 1), ("x[..., 3]", 1), ("x.narrow(1, 1, 2)", 1),
            ("x.expand(2, 4, 5)[1, 3]", 1), ("x.permute(1, 0)[4, 3]", 1),
            ("x.reshape(2, 10)[1]", 1), ("x.unsqueeze(0)[0, 2]", 1), ("x.detach()[3]", 1))):
        yield g.case(f"float32/geometry{k}", "tensors/S1 tensors/S2", f"""
            x = normal({10 + k}, (4, 5))
            v = {view}
            expect_equal(v.storage_offset() - x.storage_offset(), "offset")
            expect_equal(v.stride(), "strides")
            expect_equal(v.shape, "shape")
            expect_equal(v, "v")""" + ("" if "reshape" in view else """
            expect_equal(v.data_ptr() - x.data_ptr(), "bytes")
            expect_view_of(v, x)"""))
        yield g.case(f"float32/write_through{k}", "tensors/S2 tensors/S5", f"""
            x = torch.zeros(4, 5)
            v = {view}
            v.{'fill_(7)' if 'expand' in view else 'copy_(normal(3, v.shape))'}
            expect_equal(x, "x")
            expect_equal(v, "v")""")
    yield g.case("int64/first_base", "tensors/S2", """
        a = torch.arange(24)
        b = a.view(4, 6)
        c = b.t()[1:]
        d = c.select(0, 2)
        expect_same(d._base, a)
        expect_same(c._base, a)
        d.zero_()
        expect_equal(a, "a")
        expect_equal(b, "b")""")


def contiguity(g):
    for k, (make, yes) in enumerate((
            ("torch.zeros(3, 4)", True), ("torch.zeros(3, 4).t()", False),
            ("torch.zeros(1, 4).t()", True), ("torch.zeros(3, 4)[:, :1]", False),
            ("torch.zeros(3, 4)[:1]", True), ("torch.zeros(3, 4)[1:2, :3]", True),
            ("torch.zeros(0, 4).t()", True), ("torch.zeros(3, 0)", True),
            ("torch.zeros(())", True), ("torch.zeros(3).expand(1, 3)", True),
            ("torch.zeros(3).expand(2, 3)", False), ("torch.zeros(1).expand(4)", False),
            ("torch.zeros(4, 1, 3).transpose(0, 1)", True),
            ("torch.zeros(2, 3, 4).permute(0, 2, 1)", False),
            ("torch.zeros(2, 3, 4)[:, :, ::2]", False), ("torch.zeros(2, 3, 4)[1]", True),
            ("torch.zeros(6)[::6]", True), ("torch.zeros(2, 3).as_strided((2, 1), (1, 9))", True),
            ("torch.zeros(2, 3).as_strided((1, 2), (7, 1))", True))):
        yield g.case(f"float32/contiguous{k}", "tensors/S3", f"""
            x = {make}
            expect_equal(x.is_contiguous(), {yes})
            y = x.contiguous()
            expect_equal(y.is_contiguous(), True)
            {'expect_same(y, x)' if yes else 'expect_copy_of(y, x)'}""")
    yield g.case("float32/of_inputs", "tensors/S3", """
        x = normal(30, (3, 4))
        expect_equal(x.is_contiguous(), "x")
        expect_equal(x.t().is_contiguous(), "t")
        expect_equal(x[0].is_contiguous(), "row")
        expect(x.contiguous(), "c")""")


def versions(g):
    yield g.case("float32/version_shared", "tensors/S4", """
        x = normal(40, (4, 5))
        v = x[1]
        expect_equal(x._version, 0)
        x.add_(1)
        expect_equal(v._version, 1)
        v.mul_(2)
        expect_equal(x._version, 2)
        x.t()[0].zero_()
        expect_equal(v._version, 3)
        x.exp()
        expect_equal(x._version, 3)
        d = x.detach()
        d.fill_(1)
        expect_equal(x._version, 4)
        c = x.clone()
        expect_equal(c._version, 0)""")
    for k, write in enumerate(("x.add_(1)", "x.copy_(torch.ones(5))", "x.fill_(3)", "x.zero_()",
                               "x.mul_(2)", "x.div_(2)", "x.sub_(1)", "x.neg_()", "x.exp_()",
                               "x.sqrt_()", "x.tanh_()", "x.relu_()",
                               "torch.add(x, 1, out=x)", "torch.exp(x, out=x)")):
        yield g.case(f"float32/bump{k}", "tensors/S4", f"""
            x = normal({41 + k}, (4, 5))
            y = x[1:]
            {write}
            expect_equal(y._version, 1)
            {write}
            expect_equal(x._version, 2)""")
    yield g.case("float32/set_items", "tensors/S4 tensors/S5", """
        x = normal(60, (4, 5))
        x[1] = 2.0
        expect_equal(x._version, 1)
        x[0, ::2] = normal(61, (3,))
        expect_equal(x._version, 2)
        x[2] += 1
        expect(x, "x")""")


def in_place(g):
    writes = ("x.add_(y)", "x.mul_(y)", "x.sub_(y)", "x.copy_(y)", "x[:, 1:3].add_(y[:, :2])",
              "x.t().mul_(y.t())", "x[::2].copy_(y[1::2])", "x[1].add_(y[0])")
    for dt in ("float32", "float16", "bfloat16", "float64", "int32", "uint8"):
        values = "integers({0}, (4, 5), torch.{1}, 0, 12)" if dt in g.INT else \
            "normal({0}, (4, 5), torch.{1})"
        for k, write in enumerate(writes):
            yield g.case(f"{dt}/in_place{k}", "tensors/S5", f"""
                x = {values.format(70 + k, dt)}
                y = {values.format(90 + k, dt)}
                r = {write}
                expect_equal(x, "x")
                expect_equal(r, "r")
                expect_equal(y, "y")""")
    yield g.case("float32/same_object", "tensors/S5", """
        x = normal(100, (4, 5))
        expect_same(x.add_(1), x)
        expect_same(x.zero_(), x)
        expect_same(x.copy_(torch.ones(4, 5)), x)
        expect_same(torch.exp(x, out=x), x)
        y = x
        y += 1
        expect_same(y, x)""")
    for k, part in enumerate(("[1:3]", "[:, 2]", "[::2, 1:4]", "[3, 4]", "[:, ::3]")):
        yield g.case(f"float32/untouched{k}", "tensors/S5", f"""
            x = normal({110 + k}, (4, 5))
            v = x{part}
            v.fill_(9)
            expect_untouched(v, "rest")
            expect_equal(x, "x")""")
        yield g.case(f"float32/untouched_out{k}", "tensors/S5 tensors/S8", f"""
            x = normal({120 + k}, (4, 5))
            v = x{part}
            torch.add(torch.ones(v.shape), 2, out=v)
            expect_untouched(v, "rest")
            expect_equal(x, "x")""")
    for k, (a, b) in enumerate((("(4, 5)", "(5,)"), ("(4, 5)", "(4, 1)"), ("(4, 5)", "(1, 1)"),
                                ("(4, 5)", "()"), ("(2, 3, 4)", "(3, 1)"), ("(1, 3)", "(3,)"),
                                ("(0, 3)", "(3,)"), ("(2, 0)", "(2, 1)"))):
        yield g.case(f"float32/broadcast_to_self{k}", "tensors/S6", f"""
            x = normal({130 + k}, {a})
            y = normal({150 + k}, {b})
            x.add_(y)
            expect_equal(x, "add")
            x.copy_(y)
            expect_equal(x, "copy")""")
    for k, (a, b) in enumerate((("(1, 3)", "(2, 3)"), ("(3,)", "(2, 3)"), ("()", "(1,)"),
                                ("(2, 3)", "(4, 2, 3)"), ("(4, 1)", "(4, 5)"),
                                ("(1, 1)", "(0, 1)"))):
        yield g.case(f"float32/self_is_not_broadcast{k}", "tensors/C1 tensors/S6", f"""
            x = normal({170 + k}, {a})
            y = normal({190 + k}, {b})
            expect_error(RuntimeError, "tensors/C1", x.add_, y)
            expect_error(RuntimeError, "tensors/C1", x.mul_, y)
            expect_equal(x, "x")""", trivial="x is the input itself")


def layouts(g):
    ways = {"t": "x.t()", "both_t": "x.t()", "perm": "x.permute(2, 0, 1)",
            "slice": "x[:, ::2]", "row": "x[:1]", "expand": "x.expand(3, 4, 5)"}
    k = 0
    for name, x, y in (
            ("t_and_t", "normal(1, (4, 5)).t()", "normal(2, (4, 5)).t()"),
            ("t_and_c", "normal(1, (4, 5)).t()", "normal(2, (5, 4))"),
            ("c_and_t", "normal(1, (5, 4))", "normal(2, (4, 5)).t()"),
            ("t_and_number", "normal(1, (4, 5)).t()", "2.0"),
            ("t_and_0dim", "normal(1, (4, 5)).t()", "normal(2, ())"),
            ("0dim_and_t", "normal(2, ())", "normal(1, (4, 5)).t()"),
            ("t_and_row", "normal(1, (4, 5)).t()", "normal(2, (4,))"),
            ("row_and_t", "normal(2, (4,))", "normal(1, (4, 5)).t()"),
            ("column_and_t", "normal(2, (5, 1))", "normal(1, (4, 5)).t()"),
            ("steps", "normal(1, (4, 10))[:, ::2]", "normal(2, (4, 10))[:, ::2]"),
            ("steps_t", "normal(1, (10, 4))[::2].t()", "normal(2, (4, 5))"),
            ("perm_and_perm", "normal(1, (3, 4, 5)).permute(2, 0, 1)",
             "normal(2, (3, 4, 5)).permute(2, 0, 1)"),
            ("perm_and_other", "normal(1, (3, 4, 5)).permute(2, 0, 1)",
             "normal(2, (4, 5, 3)).permute(1, 2, 0)"),
            ("perm_and_c", "normal(1, (3, 4, 5)).permute(1, 2, 0)", "normal(2, (4, 5, 3))"),
            ("perm_and_small", "normal(1, (3, 4, 5)).permute(1, 2, 0)", "normal(2, (5, 1))"),
            ("expanded", "normal(1, (4, 1)).expand(4, 5)", "normal(2, (4, 5))"),
            ("both_expanded", "normal(1, (4, 1)).expand(4, 5)", "normal(2, (5,)).expand(4, 5)"),
            ("expanded_t", "normal(1, (1, 4)).expand(5, 4).t()", "normal(2, (5, 4)).t()"),
            ("outer", "normal(1, (4, 1))", "normal(2, (1, 5))"),
            ("outer_t", "normal(1, (1, 4)).t()", "normal(2, (5, 1)).t()"),
            ("ones", "normal(1, (1, 3, 1)).transpose(0, 1)", "normal(2, (3, 1, 1))"),
            ("size1_odd", "normal(1, (4, 5))[:, 2:3]", "normal(2, (4, 5))[:, 1:2]"),
            ("channels", "normal(1, (2, 4, 5, 3)).permute(0, 3, 1, 2)",
             "normal(2, (2, 3, 4, 5))"),
            ("channels_both", "normal(1, (2, 4, 5, 3)).permute(0, 3, 1, 2)",
             "normal(2, (2, 4, 5, 3)).permute(0, 3, 1, 2)"),
            ("channels_row", "normal(1, (2, 4, 5, 3)).permute(0, 3, 1, 2)",
             "normal(2, (3, 1, 1))"),
            ("channels_second", "normal(1, (3, 1, 1))",
             "normal(2, (2, 4, 5, 3)).permute(0, 3, 1, 2)"),
            ("empty", "normal(1, (0, 4)).t()", "normal(2, (4, 0))"),
            ("int_mixed", "integers(1, (4, 5), torch.int32).t()", "normal(2, (5, 4))"),
            ("bool_mixed", "bools(1, (4, 5)).t()", "normal(2, (5, 4))")):
        k += 1
        yield g.case(f"float32/layout_{name}", "tensors/S7", f"""
            x = {x}
            y = {y}
            expect_equal(x + y, "add")
            expect_equal(y * x, "mul")
            expect_equal(x < y, "lt")
            expect_equal(torch.where(x < y, x, y), "where")
            a = torch.add(x, y)
            expect_equal(a.is_contiguous(), "is_contiguous")""")
    for name in ways:
        x = ways[name]
        yield g.case(f"float32/unary_{name}", "tensors/S7", f"""
            x = normal({300 + k}, (4, 5{', 2' if name == 'perm' else ''}))
            y = {x}
            expect(torch.neg(y), "neg")
            expect(torch.exp(y), "exp")
            expect(y.relu(), "relu")""")
    yield g.case("float32/channels_last_kept", "tensors/S7", """
        x = normal(320, (2, 3, 4, 5)).contiguous(memory_format=torch.channels_last)
        expect_strides(x, (60, 1, 15, 3))
        expect_equal(x.is_contiguous(memory_format=torch.channels_last), True)
        y = torch.relu(x + 1)
        expect_strides(y, (60, 1, 15, 3))
        expect_strides(torch.mul(x, torch.ones(2, 3, 4, 5)), (60, 1, 15, 3))
        expect_strides(x.clone(), (60, 1, 15, 3))
        expect(y, "y")""")


def out(g):
    for dt in ("float32", "float16", "int64"):
        v = f"integers({{}}, (4, 5), torch.{dt}, -9, 10)"
        for k, o in enumerate(("torch.empty(4, 5, dtype=torch.{0})",
                               "torch.empty(5, 4, dtype=torch.{0}).t()",
                               "torch.zeros(4, 10, dtype=torch.{0})[:, ::2]",
                               "torch.zeros(7, 5, dtype=torch.{0})[2:6]")):
            yield g.case(f"{dt}/out{k}", "tensors/S8", f"""
                x = {v.format(400 + k)}
                y = {v.format(410 + k)}
                o = {o.format(dt)}
                p = o.data_ptr()
                expect_same(torch.add(x, y, out=o), o)
                expect_equal(o.data_ptr(), p)
                expect_equal(o, "o")
                torch.mul(x, y, out=o)
                expect_equal(o, "mul")
                expect_equal(o.stride(), "strides")""")
        yield g.case(f"{dt}/out_resized", "tensors/S9", f"""
            x = {v.format(420)}
            o = torch.empty(0, dtype=torch.{dt})
            torch.add(x, x, out=o)
            expect_equal(o, "o")
            q = torch.empty(0, dtype=torch.{dt})
            torch.add(x.t(), x.t(), out=q)
            expect_equal(q, "q")
            expect_equal(q.stride(), "q_strides")
            r = torch.empty(0, dtype=torch.{dt})
            torch.cat([x, x], out=r)
            expect_equal(r, "r")""")
        yield g.case(f"{dt}/out_resized_with_warning", "tensors/S12", f"""
            x = {v.format(430)}
            o = torch.zeros(3, dtype=torch.{dt})
            expect_warns("tensors/S12", torch.add, x, x, out=o)
            expect_equal(o, "o")
            q = torch.zeros(4, 5, dtype=torch.{dt})
            expect_warns(None, torch.add, x, x, out=q)
            z = torch.empty(0, dtype=torch.{dt})
            expect_warns(None, torch.add, x, x, out=z)""")
    for name, call in (("mm", "torch.mm, x, x.t(), out=torch.zeros(4, 4, dtype=torch.float64)"),
                       ("argmax", "torch.argmax, x, out=torch.zeros((), dtype=torch.int32)"),
                       ("softmax", "torch.softmax, x, 0, out=torch.zeros(4, 5, "
                                   "dtype=torch.float64)"),
                       ("index_select", "torch.index_select, x, 0, torch.tensor([1]), "
                                        "out=torch.zeros(1, 5, dtype=torch.float64)")):
        rule = "argmax/C4" if name == "argmax" else "tensors/C4"
        yield g.case(f"float32/out_dtype_{name}", "tensors/C4", f"""
            x = normal(440, (4, 5))
            expect_error(RuntimeError, "{rule}", {call})""")
    yield g.case("float32/out_device", "tensors/C5", """
        x = normal(441, (4, 5))
        o = torch.empty(4, 5, device="meta")
        expect_error(RuntimeError, "tensors/C5", torch.add, x, x, out=o)
        expect_error(RuntimeError, "tensors/C5", torch.exp, x, out=o)""")


def overlap(g):
    for k, (make, write) in enumerate((
            ("torch.zeros(3).expand(2, 3)", "x.add_, 1"),
            ("torch.zeros(3, 1).expand(3, 2)", "x.mul_, torch.ones(3, 2)"),
            ("torch.zeros(3).expand(2, 3)", "x.copy_, torch.ones(2, 3)"),
            ("torch.zeros(()).expand(4)", "x.neg_"), ("torch.zeros(()).expand(4)", "x.exp_"),
            ("torch.zeros(1, 3).expand(4, 3)", "torch.add, torch.ones(4, 3), 1, out=x"))):
        yield g.case(f"float32/stride0_{k}", "tensors/C2 errors/S1", f"""
            x = {make}
            expect_error(RuntimeError, "tensors/C2", {write})
            expect_equal(x, "x")""", trivial="x stays zero")
    yield g.case("float32/stride0_filled", "tensors/C2 tensors/S5", """
        x = torch.zeros(3).expand(2, 3)
        x.fill_(2)
        expect_equal(x, [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])
        x.zero_()
        expect_equal(x, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        y = torch.zeros(1).expand(1)
        y.add_(3)
        expect_equal(y, [3.0])""")
    for k, call in enumerate((
            "x[:5].add_, x[1:]", "x[1:].mul_, x[:5]", "x[:5].copy_, x[1:]",
            "torch.add, x[:3], 1, out=x[1:4]", "torch.exp, x[:4], out=x[2:]",
            "m.add_, m.t()", "torch.mul, m, m.t(), out=m", "m.copy_, m.t()",
            "torch.where, x[:3] > 0, x[:3], x[3:], out=x[1:4]")):
        yield g.case(f"float32/partial{k}", "tensors/C3 errors/S1", f"""
            x = torch.arange(6.0)
            m = torch.arange(9.0).view(3, 3)
            expect_error(RuntimeError, "tensors/C3", {call})
            expect_equal(x, "x")
            expect_equal(m, "m")""")
    for k, call in enumerate(("x[:3].add_(x[3:])", "m.add_(m)", "torch.add(m, m, out=m)",
                              "x[::2].mul_(x[1::2])", "m[0].copy_(m[1])",
                              "torch.exp(x, out=x)")):
        yield g.case(f"float32/no_partial{k}", "tensors/C3", f"""
            x = torch.arange(6.0)
            m = torch.arange(9.0).view(3, 3)
            {call}
            expect(x, "x")
            expect(m, "m")""")


def edges(g):
    for dt in ("float32", "float16", "int64", "bool"):
        make = f"bools({{}}, {{}})" if dt == "bool" else f"integers({{}}, {{}}, torch.{dt}, 1, 9)"
        yield g.case(f"{dt}/0dim", "tensors/S10", f"""
            x = {make.format(500, '()')}
            expect_equal(x.dim(), 0)
            expect_equal(x.numel(), 1)
            expect_equal(x.stride(), ())
            expect_equal(x * x, "mul")
            expect_equal(x.view(1, 1), "view")
            expect_equal(x.expand(2, 3), "expand")
            expect_equal(x.clone(), "clone")
            expect_equal(x.to(torch.float64), "to")
            expect(x.sum(), "sum")
            expect_equal(torch.cat([x.view(1), x.view(1)]), "cat")""")
        for k, shape in enumerate(("(0,)", "(2, 0)", "(0, 3)", "(2, 0, 3)")):
            yield g.case(f"{dt}/empty{k}", "tensors/S10", f"""
                x = {make.format(510, shape)}
                expect_equal(x.numel(), 0)
                expect_equal(x * x, "mul")
                expect_equal(x == x, "eq")
                expect(x.sum(), "sum")
                expect(x.sum(0), "sum0")
                expect_equal(x.transpose(0, -1), "transpose")
                expect_equal(x.clone(), "clone")
                expect_equal(torch.cat([x, x]), "cat")
                x.fill_(1)
                expect_equal(x.is_contiguous(), True)""",
                         trivial="nothing but zeros and empty tensors")
    for n in (5, 8, 9, 12, 24, 64):
        ones = ", ".join(["1"] * (n - 2))
        yield g.case(f"float32/dims{n}", "tensors/S13", f"""
            x = normal({520 + n}, (2, {ones}, 3))
            expect_equal(x.dim(), {n})
            expect_equal(x + x, "add")
            expect_equal(x.transpose(0, -1), "transpose")
            expect_equal(x.select(1, 0).dim(), {n - 1})""" + ("" if n == 64 else """
            expect((x * 0.37).sum(-1), "sum")"""))


def meta(g):
    for k, call in enumerate((
            "x + y", "torch.exp(x)", "x.t()", "x[1:, ::2]", "x.sum(0)", "torch.mm(x, y.t())",
            "torch.softmax(x, 1)", "x.view(2, 10)", "x.to(torch.float16)", "torch.cat([x, y], 1)",
            "x.t() * y.t()", "x.expand(3, 4, 5)", "x < y", "torch.where(x < y, x, y)",
            "x.amax(1, keepdim=True)", "x.argmax(0)", "F.gelu(x)", "x.clone()",
            "F.layer_norm(x, (5,))", "x.index_select(1, torch.tensor([0, 2], device=x.device))")):
        yield g.case(f"float32/meta{k}", "tensors/S11", f"""
            x = torch.ones(4, 5)
            y = torch.ones(4, 5)
            r = {call}
            x = torch.empty(4, 5, device="meta")
            y = torch.empty(4, 5, device="meta")
            m = {call}
            expect_equal(m.shape, r.shape)
            expect_equal(m.stride(), r.stride())
            expect_equal(m.storage_offset(), r.storage_offset())
            expect_equal(m.dtype, r.dtype)
            expect_equal(m.device, torch.device("meta"))
            expect_equal(r.stride(), "strides")""")


def refusals(g):
    for k, call in enumerate((
            "x.as_strided, (3,), (5,)", "x.as_strided, (2, 2), (8, 2)",
            "x.as_strided, (2,), (1,), 9", "x.as_strided, (2,), (-1,)",
            "x.as_strided, (1,), (1,), 10")):
        yield g.case(f"float32/outside{k}", "tensors/C6", f"""
            x = torch.zeros(10)
            expect_error(RuntimeError, "tensors/C6", {call})""")
    for k, call in enumerate(("torch.zeros, (-1,)", "torch.ones, (2, -3)", "torch.empty, (-5, 0)",
                              "torch.empty, (4611686018427387904, 4)",
                              "torch.empty, (9223372036854775807, 2)")):
        yield g.case(f"float32/bad_size{k}", "tensors/C8", f"""
            expect_error(RuntimeError, "tensors/C8", {call})""")
    yield g.case("float32/no_device", "tensors/C9", """
        expect_error(RuntimeError, "tensors/C9", torch.zeros, (2,), device="nonsense")
        expect_error(RuntimeError, "tensors/C9", torch.device, "nonsense:0")""")
    yield g.case("float32/no_memory", "tensors/C10", """
        expect_error(RuntimeError, "tensors/C10", torch.empty, (36028797018963968,), device="cpu")""")
    ones = ", ".join(["1"] * 65)
    yield g.case("float32/too_many_dims", "tensors/C7", f"""
        def summed():
            return torch.zeros({ones}).sum(0)
        expect_error(RuntimeError, "tensors/C7", summed)""")


SHARED = {  # name: (call, dtype), out left out; what it makes has 2 elements or 2 x 2
    "cat": ("torch.cat([torch.ones(1), torch.ones(1)], ", "float32"),
    "sum": ("torch.sum(torch.ones(3, 2, dtype=torch.int64), 0, ", "int64"),
    "amax": ("torch.amax(torch.ones(3, 2), 0, ", "float32"),
    "argmax": ("torch.argmax(torch.ones(3, 2), 0, ", "int64"),
    "cumsum": ("torch.cumsum(torch.ones(2, dtype=torch.int64), 0, ", "int64"),
    "mm": ("torch.mm(torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64), ", "int64"),
    "bmm": ("torch.bmm(torch.ones(1, 2, 2, dtype=torch.int64), torch.ones(1, 2, 2, dtype=torch.int64), ", "int64"),
    "matmul": ("torch.matmul(torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64), ", "int64"),
    "gather": ("torch.gather(torch.ones(3), 0, torch.tensor([0, 2]), ", "float32"),
    "index_add": ("torch.index_add(torch.ones(2, dtype=torch.int64), 0, torch.tensor([1]), torch.ones(1, dtype=torch.int64), ", "int64"),
    "arange": ("torch.arange(2, ", "float32"),
}
EARLY = {
    "add": ("torch.add, torch.ones(2), 1, ", "float32"),
    "exp": ("torch.exp, torch.ones(2), ", "float32"),
    "lt": ("torch.lt, torch.ones(2), 1, ", "bool"),
    "where": ("torch.where, torch.tensor([True, False]), torch.ones(2), torch.ones(2), ", "float32"),
    "index_select": ("torch.index_select, torch.ones(3), 0, torch.tensor([0, 2]), ", "float32"),
    "scatter_add": ("torch.scatter_add, torch.ones(2), 0, torch.tensor([1]), torch.ones(1), ", "float32"),
    "nonzero": ("torch.nonzero, torch.ones(2), ", "int64"),
}


def without_elements(g):
    for name, (call, dt) in SHARED.items():
        yield g.case(f"{dt}/shared_out_resized_{name}", "tensors/C2 tensors/S9", f"""
            o = torch.zeros(1, dtype=torch.{dt}).expand(7)
            {call}out=o)
            expect(o, "o")
            p = torch.zeros(1, dtype=torch.{dt}).expand(3, 1)
            {call}out=p)
            expect(p, "p")""", trivial=None if name in ("cumsum", "index_add", "arange") else
            "ones and zeros", variants=False)
    for name, (call, dt) in EARLY.items():
        yield g.case(f"{dt}/shared_out_refused_{name}", "tensors/C2", f"""
            o = torch.zeros(1, dtype=torch.{dt}).expand(7)
            expect_error(RuntimeError, "tensors/C2", {call}out=o)
            expect_equal(o, [{', '.join(['False' if dt == 'bool' else '0'] * 7)}])""",
            trivial="o stays zero", variants=False)
    for k, x in enumerate(("torch.zeros(0).expand(3, 0)", "torch.zeros(1).expand(4)[:0]",
                           "torch.zeros(2, 1, 0).expand(2, 3, 0)")):
        written = "".join(f"""
            expect_same({call}, x)""" for call in (
            "x.add_(1)", "x.exp_()", "x.neg_()", "x.copy_(full)", "x.fill_(2)", "x.cumsum_(0)",
            "torch.add(full, 1, out=x)", "torch.exp(full, out=x)", "torch.cumsum(full, 0, out=x)",
            "torch.softmax(full, 0, out=x)", "torch.cat([full], 0, out=x)",
            "torch.where(full > 0, full, full, out=x)",
            "torch.gather(full, 0, torch.zeros(x.shape, dtype=torch.int64), out=x)"))
        yield g.case(f"float32/stride0_empty_{k}", "tensors/C2 tensors/S10", f"""
            x = {x}
            full = torch.ones(x.shape)""" + written, variants=False)


def cast_layouts(g):
    """int16 that is not dense beside int64: what counts is its cast."""
    layouts = {"row": "integers(1, (4,), torch.int16).expand(3, 4)",
               "column": "integers(1, (3, 1), torch.int16).expand(3, 4)",
               "turned": "integers(1, (4, 1), torch.int16).expand(4, 3).t()",
               "gaps": "integers(1, (8, 6), torch.int16)[::2, ::2].t()"}
    calls = ("a + b", "b + a", "a * b", "a / b", "torch.sub(a, b, alpha=2)", "a < b", "a == b", "a + c",
             "c + a", "torch.where(t, a, b)", "torch.where(one, a, b)", "torch.where(one, b, a)",
             "torch.where(t, a, 1.5)", "torch.exp(a)", "torch.sqrt(a)", "torch.tanh(a)",
             "torch.reciprocal(a)", "a + 1.5", "a / 2", "a < 1.5", "a.to(torch.float64)",
             "a + a.to(torch.int32)", "a + a")
    for name, a in layouts.items():
        asked = "".join(f"""
            expect_equal(({call}).stride(), "strides{k}")""" for k, call in enumerate(calls))
        yield g.case(f"int16/cast_layout_{name}", "tensors/S7", f"""
            a = {a}
            b = integers(2, (4, 3), torch.int64).t()
            c = integers(3, (3, 4), torch.int64)
            t = bools(4, (4, 3)).t()
            one = torch.tensor(True)
            expect(a + b, "sum")
            expect(torch.where(one, a, b), "where")""" + asked, variants=False)
