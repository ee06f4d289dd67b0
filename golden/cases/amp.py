# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/areas/amp.md. Values on the cpu are PyTorch's; on accel a cast result is held against
the same op on arguments that the program casts itself."""


def cases(g):
    yield from on_cpu(g)
    yield from kept(g)
    yield from on_accel(g)
    yield from regions(g)
    yield from refused(g)


PAIR = """
            x = normal(1, (5, 5), torch.float32).cpu()
            w = normal(2, (5, 5), torch.float32).cpu()"""


def on_cpu(g):
    for dt in ("bfloat16", "float16"):
        yield g.case(f"{dt}/cpu_products", "amp/S1 amp/S2", f"""
            {PAIR}
            with amp.autocast("cpu", dtype=torch.{dt}):
                y = torch.mm(x, w)
                z = x @ w
                b = torch.bmm(x.view(1, 5, 5), w.view(1, 5, 5))
            expect(y, "y")
            expect(z, "z")
            expect(b, "b")
            expect(torch.mm(x, w), "outside")""")
        yield g.case(f"{dt}/cpu_mixed_arguments", "amp/S2", f"""
            {PAIR}
            h = w.to(torch.{dt})
            with amp.autocast("cpu", dtype=torch.{dt}):
                expect(torch.mm(x, h), "xh")
                expect(torch.mm(h, x), "hx")
                expect(torch.mm(h, h), "hh")""")
        yield g.case(f"{dt}/cpu_cat_promotes", "amp/S5 amp/S6", f"""
            {PAIR}
            h = w.to(torch.{dt})
            i = integers(3, (5, 5), torch.int64).cpu()
            with amp.autocast("cpu", dtype=torch.{dt}):
                expect(torch.cat([x, h]), "both")
                expect(torch.cat([h, h]), "half")
                expect(torch.cat([i, h]), "ints")
                expect(torch.cat([x.double(), h]), "double")""")
        yield g.case(f"{dt}/cpu_others_run_as_they_are", "amp/S7", f"""
            {PAIR}
            h = x.to(torch.{dt})
            with amp.autocast("cpu", dtype=torch.{dt}):
                expect(torch.softmax(h, 1), "softmax")
                expect(F.layer_norm(h, (5,)), "layer_norm")
                expect(h + w, "add")
                expect(h.exp(), "exp")
                expect(h * h, "mul")""")
    yield g.case("bfloat16/cpu_fp32_losses", "amp/S3", """
            h = normal(1, (6, 4), torch.bfloat16).cpu()
            t = integers(2, (6,), torch.int64, low=0, high=4).cpu()
            with amp.autocast("cpu"):
                expect(F.cross_entropy(h, t), "cross_entropy")
                expect(F.nll_loss(h, t), "nll_loss")
            expect(F.cross_entropy(h, t), "outside")""")
    yield g.case("float64/cpu_double_and_ints_stay", "amp/S6", """
            x = normal(1, (4, 4), torch.float64).cpu()
            i = integers(2, (4, 4), torch.int32).cpu()
            with amp.autocast("cpu"):
                expect(torch.mm(x, x), "double")
                expect(torch.mm(i, i), "ints")""")
    yield g.case("bfloat16/cpu_out_and_in_place", "amp/S8", f"""
            {PAIR}
            with amp.autocast("cpu"):
                expect(torch.mm(x, w, out=torch.empty(5, 5, device="cpu")), "out")
                y = torch.mm(x, w)
                expect(y.add_(x), "in_place")""")
    yield g.case("bfloat16/cpu_gradients", "amp/S12", f"""
            {PAIR}
            x.requires_grad_()
            w.requires_grad_()
            with amp.autocast("cpu"):
                y = torch.mm(x, w)
                z = torch.softmax(y, 1)
            (z.float() * z.float()).sum().backward()
            expect(x.grad, "x")
            expect(w.grad, "w")""")
    yield g.case("bfloat16/cpu_backward_inside", "amp/S12", f"""
            {PAIR}
            w.requires_grad_()
            with amp.autocast("cpu"):
                y = torch.mm(x, w)
                (y * y).sum().backward()
            expect(w.grad, "w")""")
    yield g.case("bfloat16/cpu_matmul_as_a_whole", "amp/S11 amp/S2", f"""
            {PAIR}
            v = normal(3, (5,), torch.float32).cpu()
            with amp.autocast("cpu"):
                expect(x @ v, "mv")
                expect(v @ v, "dot")
                expect(torch.matmul(x.view(1, 5, 5), w), "batch")""")


def kept(g):
    leaf = PAIR + """
            w.requires_grad_()"""
    yield g.case("bfloat16/cast_is_kept", "amp/S10", f"""
            {leaf}
            with amp.autocast("cpu"):
                a = torch.mm(x, w)
                with torch.no_grad():
                    w.mul_(2)
                b = torch.mm(x, w)
            with amp.autocast("cpu"):
                c = torch.mm(x, w)
            expect(a, "first")
            expect(b, "kept")
            expect(c, "anew")""")
    yield g.case("bfloat16/cast_is_not_kept", "amp/S10", f"""
            {leaf}
            v = w * 1
            with amp.autocast("cpu", cache_enabled=False):
                a = torch.mm(x, w)
                with torch.no_grad():
                    w.mul_(2)
                b = torch.mm(x, w)
            with amp.autocast("cpu"):
                c = torch.mm(x, v)
                with torch.no_grad():
                    v.mul_(2)
                d = torch.mm(x, v)
            expect(b, "off")
            expect(d, "no_leaf")
            expect(a, "first")
            expect(c, "no_leaf_first")""")
    yield g.case("bfloat16/kept_through_inner_regions", "amp/S10 amp/S9", f"""
            {leaf}
            with amp.autocast("cpu"):
                a = torch.mm(x, w)
                with amp.autocast("cpu", enabled=False):
                    with torch.no_grad():
                        w.mul_(2)
                    c = torch.mm(x, w)
                b = torch.mm(x, w)
            expect(a, "first")
            expect(b, "kept")
            expect(c, "inner")""")
    yield g.case("bfloat16/kept_under_no_grad", "amp/S10 amp/S12", f"""
            {leaf}
            with amp.autocast("cpu"):
                with torch.no_grad():
                    a = torch.mm(x, w)
                b = torch.mm(x, w)
            expect_equal(a.requires_grad, False)
            expect_equal(b.requires_grad, True)
            (b * b).sum().backward()
            expect(w.grad, "w")""")


def standin(g, name, rules, program):
    return g.case(name, rules, program, provenance="run-standin", variants=False)


def on_accel(g):
    inputs = """
            x = normal(1, (6, 6), torch.{src})
            w = normal(2, (6, 6), torch.{src})
            i = integers(3, (6,), torch.int64, low=0, high=6)"""
    ops = {
        "mm": ("amp/S2", "torch.mm(x, w)", "torch.mm(x.to(lo), w.to(lo))"),
        "bmm": ("amp/S2", "torch.bmm(x.view(1, 6, 6), w.view(1, 6, 6))",
                "torch.bmm(x.to(lo).view(1, 6, 6), w.to(lo).view(1, 6, 6))"),
        "matmul": ("amp/S2 amp/S11", "x @ w", "x.to(lo) @ w.to(lo)"),
        "exp": ("amp/S3", "torch.exp(x)", "torch.exp(x.float())"),
        "log": ("amp/S3", "torch.log(x * x)", "torch.log((x * x).float())"),
        "reciprocal": ("amp/S3", "torch.reciprocal(x)", "torch.reciprocal(x.float())"),
        "layer_norm": ("amp/S3 amp/S11", "F.layer_norm(x, (6,), w[0], w[1])",
                       "F.layer_norm(x.float(), (6,), w[0].float(), w[1].float())"),
        "nll_loss": ("amp/S3", "F.nll_loss(x, i)", "F.nll_loss(x.float(), i)"),
        "softmax": ("amp/S4", "torch.softmax(x, 1)", "torch.softmax(x, 1, dtype=torch.float32)"),
        "log_softmax": ("amp/S4", "torch.log_softmax(x, 0)",
                        "torch.log_softmax(x, 0, dtype=torch.float32)"),
        "sum": ("amp/S4", "x.sum(0)", "x.sum(0, dtype=torch.float32)"),
        "cross_entropy": ("amp/S4 amp/S7", "F.cross_entropy(x, i)",
                          "F.nll_loss(torch.log_softmax(x, 1, dtype=torch.float32), i)"),
        "mean": ("amp/S7", "x.mean(0)", "m"),
        "tanh": ("amp/S7", "torch.tanh(x)", "h"),
        "add": ("amp/S7", "x + w", "a"),
    }
    outside = """
            m = x.mean(0)
            h = torch.tanh(x)
            a = x + w"""
    for name, (rules, call, by_hand) in ops.items():
        for src in ("float32", "float16", "bfloat16"):
            lo = "bfloat16" if src == "bfloat16" else "float16"
            yield standin(g, f"{src}/accel_{name}", "amp/S1 " + rules, f"""
            {inputs.format(src=src)}
            lo = torch.{lo}{outside if rules == "amp/S7" else ""}
            with amp.autocast("accel", dtype=lo):
                y = {call}
            z = {by_hand}
            expect_equal(y.dtype, {dtype_of(name, src, lo)})
            expect_equal(y, z)""")
    yield standin(g, "float16/accel_given_dtype_stands", "amp/S4", """
            x = normal(1, (6, 6), torch.float16)
            i = integers(3, (6, 6), torch.int32)
            with amp.autocast("accel"):
                expect_equal(torch.softmax(x, 0, dtype=torch.float16).dtype, torch.float16)
                expect_equal(torch.softmax(x, 0, dtype=torch.float64).dtype, torch.float64)
                expect_equal(x.sum(dtype=torch.bfloat16).dtype, torch.bfloat16)
                expect_equal(x.double().sum().dtype, torch.float64)
                expect_equal(i.sum().dtype, torch.int64)""")
    yield standin(g, "float32/accel_scatter_add", "amp/S5", """
            x = normal(1, (3, 4), torch.float32)
            h = x.half()
            i = torch.zeros(3, 4, dtype=torch.int64)
            with amp.autocast("accel"):
                y = x.scatter_add(0, i, h)
                z = h.scatter_add(0, i, h)
            expect_equal(y.dtype, torch.float32)
            expect_equal(z.dtype, torch.float16)
            expect_equal(y, x.scatter_add(0, i, h.float()))""")
    yield standin(g, "float32/accel_promotion_is_ordinary", "amp/S7", """
            x = normal(1, (3, 4), torch.float32)
            h = x.half()
            b = x.bfloat16()
            with amp.autocast("accel"):
                expect_equal(torch.cat([x, h]).dtype, torch.float32)
                expect_equal(torch.cat([h, b]).dtype, torch.float32)
                expect_equal(torch.cat([h, h]).dtype, torch.float16)
                expect_equal((h + b).dtype, torch.float32)
                expect_equal(torch.where(x > 0, h, h).dtype, torch.float16)
                expect_equal((h * 2.5).dtype, torch.float16)""")
    yield standin(g, "float32/accel_gradients", "amp/S12", """
            x = normal(1, (4, 4), torch.float32)
            w = normal(2, (4, 4), torch.float32)
            v = w * 1
            w.requires_grad_()
            v.requires_grad_()
            with amp.autocast("accel"):
                y = torch.mm(x, w)
                z = torch.softmax(y, 1)
            (z * z).sum().backward()
            u = torch.softmax(torch.mm(x.half(), v.half()), 1, dtype=torch.float32)
            (u * u).sum().backward()
            expect_equal(y.dtype, torch.float16)
            expect_equal(w.grad.dtype, torch.float32)
            expect_equal(w.grad, v.grad)""")
    yield standin(g, "float32/accel_forms", "amp/S8", """
            x = normal(1, (4, 4), torch.float32)
            o = torch.empty(4, 4)
            h = x.half()
            with amp.autocast("accel"):
                torch.exp(h, out=h)
                expect_equal(h.dtype, torch.float16)
                h.exp_()
                expect_equal(h.dtype, torch.float16)
            expect_equal(h, torch.exp(torch.exp(x.half())))""")
    yield standin(g, "float32/accel_region_and_cpu_tensors", "amp/S1", """
            x = normal(1, (4, 4), torch.float32)
            c = torch.ones(4, 4).cpu()
            with amp.autocast("accel"):
                expect_equal(torch.mm(c, c).dtype, torch.float32)
                expect_equal(torch.mm(x, x).dtype, torch.float16)
            with amp.autocast("cpu"):
                expect_equal(torch.mm(c, c).dtype, torch.bfloat16)
                expect_equal(torch.mm(x, x).dtype, torch.float32)
                with amp.autocast("accel"):
                    expect_equal(torch.mm(c, c).dtype, torch.bfloat16)
                    expect_equal(torch.mm(x, x).dtype, torch.float16)""")


def dtype_of(name, src, lo):
    if name in ("mm", "bmm", "matmul"):
        return f"torch.{lo}"
    return f"torch.{src if name in ('mean', 'tanh', 'add') else 'float32'}"


def regions(g):
    yield g.case("bfloat16/nested", "amp/S9 amp/S14", f"""
            {PAIR}
            expect_equal(torch.is_autocast_enabled("cpu"), False)
            with amp.autocast("cpu"):
                expect_equal(torch.is_autocast_enabled("cpu"), True)
                expect_equal(torch.get_autocast_dtype("cpu"), torch.bfloat16)
                with amp.autocast("cpu", dtype=torch.float16):
                    expect_equal(torch.get_autocast_dtype("cpu"), torch.float16)
                    expect(torch.mm(x, w), "inner")
                    with amp.autocast("cpu", enabled=False):
                        expect_equal(torch.is_autocast_enabled("cpu"), False)
                        expect(torch.mm(x, w), "off")
                expect_equal(torch.get_autocast_dtype("cpu"), torch.bfloat16)
                expect(torch.mm(x, w), "outer")
            expect_equal(torch.is_autocast_enabled("cpu"), False)""")
    yield g.case("float16/inner_without_dtype", "amp/S1 amp/S9 amp/S14", f"""
            {PAIR}
            with amp.autocast("cpu", dtype=torch.float16):
                with amp.autocast("cpu"):
                    expect_equal(torch.get_autocast_dtype("cpu"), torch.float16)
                    expect(torch.mm(x, w), "inner")
                with amp.autocast("cpu", enabled=False):
                    with amp.autocast("cpu"):
                        expect_equal(torch.is_autocast_enabled("cpu"), True)
                        expect(torch.mm(x, w), "from_off")
                    with amp.autocast("cpu", dtype=torch.bfloat16):
                        with amp.autocast("cpu"):
                            expect(torch.mm(x, w), "innermost")
                with amp.autocast("accel"):
                    expect_equal(torch.get_autocast_dtype("accel"), torch.float16)
                expect(torch.mm(x, w), "outer")
            with amp.autocast("cpu"):
                expect_equal(torch.get_autocast_dtype("cpu"), torch.bfloat16)
                expect(torch.mm(x, w), "after")""")
    yield g.case("bfloat16/ends_in_an_error", "amp/S9", f"""
            {PAIR}
            def f():
                with amp.autocast("cpu"):
                    return torch.mm(x, w[:3])
            expect_error(RuntimeError, "mm/C2", f)
            expect_equal(torch.is_autocast_enabled("cpu"), False)
            expect(torch.mm(x, w), "y")""")
    yield g.case("bfloat16/function_in_a_region", "amp/S9 amp/S1", f"""
            {PAIR}
            def f(a):
                return torch.mm(a, w)
            with amp.autocast("cpu"):
                y = f(x)
            expect(y, "y")
            expect(f(x), "z")""")
    yield g.case("float32/cpu_dtype_that_is_none", "amp/S13", f"""
            {PAIR}
            with expect_warns("amp/S13", amp.autocast, "cpu", dtype=torch.float32):
                expect_equal(torch.is_autocast_enabled("cpu"), False)
                expect(torch.mm(x, w), "y")""")
    yield standin(g, "none/accel_state", "amp/S14 amp/S9", """
            expect_equal(torch.is_autocast_enabled("accel"), False)
            expect_equal(torch.get_autocast_dtype("accel"), torch.float16)
            with amp.autocast("accel", dtype=torch.bfloat16):
                expect_equal(torch.is_autocast_enabled("accel"), True)
                expect_equal(torch.is_autocast_enabled("cpu"), False)
                expect_equal(torch.get_autocast_dtype("accel"), torch.bfloat16)
                with amp.autocast("accel", enabled=False):
                    expect_equal(torch.is_autocast_enabled("accel"), False)
            expect_equal(torch.get_autocast_dtype("accel"), torch.float16)""")


def refused(g):
    yield g.case("none/no_such_device", "amp/C1", """
            expect_error(RuntimeError, "amp/C1", amp.autocast, "toaster")
            expect_error(RuntimeError, "amp/C1", torch.is_autocast_enabled, "toaster")
            expect_equal(torch.is_autocast_enabled("cpu"), False)
            with amp.autocast("cpu"):
                x = torch.mm(normal(1, (3, 3)).cpu(), normal(2, (3, 3)).cpu())
            expect_equal(x.dtype, torch.bfloat16)""")
    yield g.case("bfloat16/cpu_cat_of_another_half", "amp/C2", f"""
            {PAIR}
            with amp.autocast("cpu"):
                expect_error(RuntimeError, "amp/C2", torch.cat, [w.half(), x])
                expect_error(RuntimeError, "amp/C2", torch.cat, [w.half(), w.half()])
                expect(torch.cat([x, w.half()]), "wide_first")
            expect(torch.cat([x, w.half()]), "outside")""")
    yield standin(g, "bfloat16/accel_scatter_add_of_another_half", "amp/C2", """
            b = torch.ones(2, 3, dtype=torch.bfloat16)
            i = torch.zeros(2, 3, dtype=torch.int64)
            with amp.autocast("accel"):
                expect_error(RuntimeError, "amp/C2", b.scatter_add, 0, i, b)
            with amp.autocast("accel", dtype=torch.bfloat16):
                expect_equal(b.scatter_add(0, i, b).dtype, torch.bfloat16)""")
