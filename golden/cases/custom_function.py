# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/areas/custom_function.md: what a Function saves, marks, returns and refuses."""


def leaf(name, seed, shape="(3,)", dt="float32"):
    return f"""
            {name} = normal({seed}, {shape}, torch.{dt})
            {name}.requires_grad_()"""


def function(name, forward, backward=None, setup=None, once=False):
    """A class; each part is "parameters: statement; statement", one a line."""
    def method(kind, text, marks=("staticmethod",)):
        parameters, body = text.split(":", 1)
        lines = [f"@{m}" for m in marks] + [f"def {kind}({parameters}):"]
        lines += [f"    {s.strip()}" for s in body.split(";")]
        return "".join(f"""
                {line}""" for line in lines)
    marks = ("staticmethod", "once_differentiable") if once else ("staticmethod",)
    return f"""
            class {name}(Function):""" + method("forward", forward) \
        + (method("setup_context", setup) if setup else "") \
        + (method("backward", backward, marks) if backward else "")


SQUARE = function("Square", "ctx, x: ctx.save_for_backward(x); return x * x",
                  "ctx, h: x, = ctx.saved_tensors; return 2 * x * h")
EXP = function("Exp", "ctx, x: y = x.exp(); ctx.save_for_backward(y); return y",
               "ctx, h: y, = ctx.saved_tensors; return y * h")
# In place on its first argument.
DOUBLE_ = function("Double_", "ctx, x: x.mul_(2); ctx.mark_dirty(x); return x",
                   "ctx, h: return h * 2")
ADD_ = function("Add_", "ctx, x, w: x.add_(w); ctx.mark_dirty(x); return x",
                "ctx, h: return h * 3, h * 5")
SAME = function("Same", "ctx, x: return x", "ctx, h: return h * 3")
TAIL = function("Tail", "ctx, x: return x[1:]",
                "ctx, h: return torch.cat([torch.zeros(1), h * 3])")


def cases(g):
    yield from saved(g)
    yield from versions(g)
    yield from second_order(g)
    yield from context(g)
    yield from names(g)
    yield from missing_gradients(g)
    yield from given_gradients(g)
    yield from setup(g)
    yield from results(g)
    yield from inputs_returned(g)
    yield from views_returned(g)
    yield from without_gradient(g)
    yield from in_place(g)
    yield from in_place_refused(g)
    yield from once(g)
    yield from together(g)


def saved(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/saved_argument", "custom_function/S1", f"""{SQUARE}
            {leaf("x", 1, "(2, 3)", dt)}
            c = normal(2, (2, 3), torch.{dt})
            y = Square.apply(x)
            expect(y, "y")
            (y * c).sum().backward()
            expect(x.grad, "dx")""")
        yield g.case(f"{dt}/saved_result", "custom_function/S3", f"""{EXP}
            {leaf("x", 3, "(2, 3)", dt)}
            c = normal(4, (2, 3), torch.{dt})
            y = Exp.apply(x)
            (y * c).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/saved_with_none", "custom_function/S1", f"""
            seen = []
            {function("Mul", "ctx, a, b: ctx.save_for_backward(a, None, b); return a * b",
                      "ctx, h: a, n, b = ctx.saved_tensors; seen.append(n is None); "
                      "return h * b, h * a")}
            {leaf("x", 5)}
            {leaf("w", 6)}
            Mul.apply(x, w).sum().backward()
            expect_equal(seen, [True])
            expect(x.grad, "dx")
            expect(w.grad, "dw")""")
    yield g.case("float32/nothing_saved", "custom_function/S1 custom_function/S5", f"""
            seen = []
            {function("Twice", "ctx, x: return x * 2",
                      "ctx, h: seen.append(len(ctx.saved_tensors)); return h * 2")}
            {leaf("x", 7)}
            y = Twice.apply(x)
            y.sum().backward()
            expect_equal(seen, [0])
            expect(x.grad, "dx")
            z = y.sum()
            expect_error(RuntimeError, "autograd/C4", z.backward)""")
    yield g.case("float32/saved_twice", "custom_function/S1", f"""
            {function("Last", "ctx, x: ctx.save_for_backward(x); ctx.save_for_backward(x * 2); "
                      "return x * 1", "ctx, h: y, = ctx.saved_tensors; return y * h")}
            {leaf("x", 8)}
            Last.apply(x).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/saved_leaf_is_itself", "custom_function/S2", f"""
            seen = []
            {function("Look", "ctx, x, c: ctx.save_for_backward(x, c); return x * c",
                      "ctx, h: x, c = ctx.saved_tensors; seen.append(x is xs[0]); "
                      "seen.append(x.requires_grad); seen.append(c.requires_grad); "
                      "return h * c, None")}
            {leaf("x", 9)}
            xs = [x]
            c = normal(10, (3,))
            Look.apply(x, c).sum().backward()
            expect_equal(seen, [True, True, False])
            expect(x.grad, "dx")""")
    yield g.case("float32/saved_keeps_its_history", "custom_function/S2", f"""
            seen = []
            {function("Look", "ctx, x: y = x.exp(); ctx.save_for_backward(x, y); return y",
                      "ctx, h: x, y = ctx.saved_tensors; seen.append(x.requires_grad); "
                      "seen.append(x.is_leaf); seen.append(x.grad_fn.name() == b.grad_fn.name()); "
                      "seen.append(y.requires_grad); seen.append(y.grad_fn.name()); return h * y")}
            {leaf("x", 11)}
            b = x * 1.0
            Look.apply(b).sum().backward()
            expect_equal(seen, [True, False, True, True, "LookBackward"])
            expect(x.grad, "dx")""")
    yield g.case("float32/derivative_by_running_again", "custom_function/S2", f"""
            class Again(Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x.exp()
                @staticmethod
                def backward(ctx, h):
                    x, = ctx.saved_tensors
                    with torch.enable_grad():
                        y = x.exp()
                    g, = autograd.grad(y, x, h)
                    return g
            {leaf("x", 12)}
            c = normal(13, (3,))
            (Again.apply(x * 2.0) * c).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/saved_from_outside", "custom_function/S4", f"""
            {leaf("w", 14)}
            {function("Scale", "ctx, x: ctx.save_for_backward(w); return x * w",
                      "ctx, h: v, = ctx.saved_tensors; return h * v")}
            {leaf("x", 15)}
            g, = autograd.grad(Scale.apply(x).sum(), x, create_graph=True)
            expect(g, "g")
            (g * g).sum().backward()
            expect(w.grad, "dw")
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/saved_intermediate_is_constant", "custom_function/S4", f"""
            {function("Mid", "ctx, x: m = x * 2; ctx.save_for_backward(m); return m * x",
                      "ctx, h: m, = ctx.saved_tensors; return h * 2 * m")}
            {leaf("x", 16)}
            g, = autograd.grad(Mid.apply(x).sum(), x, create_graph=True)
            expect(g, "g")
            expect_equal(g.requires_grad, False)""")
    yield g.case("float32/saved_for_forward", "custom_function/S7", f"""
            seen = []
            {function("Look", "ctx, x: ctx.save_for_backward(x, x); ctx.save_for_forward(x, None, x);"
                      " seen.append(len(ctx.saved_tensors)); return x * 2",
                      "ctx, h: seen.append(len(ctx.saved_tensors)); return h * 2")}
            {leaf("x", 17)}
            Look.apply(x).sum().backward()
            expect_equal(seen, [3, 2])
            expect(x.grad, "dx")""")
    yield g.case("float32/saved_only_for_forward", "custom_function/S7", f"""
            seen = []
            {function("Look", "ctx, x: seen.append(len(ctx.saved_tensors)); ctx.save_for_forward(x); "
                      "seen.append(len(ctx.saved_tensors)); return x * 2",
                      "ctx, h: seen.append(len(ctx.saved_tensors)); return h * 2")}
            {leaf("x", 18)}
            Look.apply(x).sum().backward()
            expect_equal(seen, [0, 1, 0])""")
    yield g.case("float32/saved_number", "custom_function/C2", f"""
            {function("Bad", "ctx, x: ctx.save_for_backward(x, 3); return x * 2",
                      "ctx, h: return h * 2")}
            {leaf("x", 19)}
            expect_error(TypeError, "custom_function/C2", Bad.apply, x)
            y = Bad.apply(x.detach())
            expect(y, "unrecorded")
            with torch.no_grad():
                z = Bad.apply(x)
            expect(z, "no_grad")""")
    yield g.case("float32/saved_for_forward_number", "custom_function/C9", f"""
            {function("Bad", "ctx, x: ctx.save_for_forward(3); return x * 2",
                      "ctx, h: return h * 2")}
            {leaf("x", 20)}
            expect_error(AssertionError, "custom_function/C9", Bad.apply, x)""")
    yield g.case("float32/saved_tensors_assigned", "custom_function/C7", f"""
            {function("Bad", "ctx, x: ctx.saved_tensors = (x,); return x * 2",
                      "ctx, h: return h * 2")}
            {leaf("x", 21)}
            expect_error(AttributeError, "custom_function/C7", Bad.apply, x)""")


def versions(g):
    yield g.case("float32/saved_argument_written", "custom_function/S6 autograd/C3", f"""{SQUARE}
            {leaf("x", 30)}
            b = x * 1.0
            z = Square.apply(b).sum()
            b.mul_(2)
            expect_error(RuntimeError, "autograd/C3", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/saved_leaf_written", "custom_function/S6 autograd/C3", f"""{SQUARE}
            {leaf("x", 31)}
            z = Square.apply(x).sum()
            with torch.no_grad():
                x.add_(1)
            expect_error(RuntimeError, "autograd/C3", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/saved_plain_tensor_written", "custom_function/S6 autograd/C3", f"""
            {function("Mul", "ctx, x, c: ctx.save_for_backward(c); return x * c",
                      "ctx, h: c, = ctx.saved_tensors; return h * c, None")}
            {leaf("x", 32)}
            c = normal(33, (3,))
            z = Mul.apply(x, c).sum()
            c[0] = 1.0
            expect_error(RuntimeError, "autograd/C3", z.backward)""")
    yield g.case("float32/saved_result_written", "custom_function/S6 autograd/C3", f"""{EXP}
            {leaf("x", 34)}
            y = Exp.apply(x)
            y.mul_(2)
            z = y.sum()
            expect_error(RuntimeError, "autograd/C3", z.backward)""")
    yield g.case("float32/view_of_saved_written", "custom_function/S6 autograd/C3", f"""{SQUARE}
            {leaf("x", 35)}
            b = x * 1.0
            z = Square.apply(b[1:]).sum()
            b.detach()[:1].zero_()
            expect_error(RuntimeError, "autograd/C3", z.backward)""")
    yield g.case("float32/written_and_not_read", "custom_function/S6", f"""
            {function("Twice", "ctx, x: ctx.save_for_backward(x); return x * 2",
                      "ctx, h: return h * 2")}
            {leaf("x", 36)}
            b = x * 1.0
            z = Twice.apply(b).sum()
            b.mul_(2)
            z.backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/written_before_it_was_saved", "custom_function/S6", f"""
            {function("Square", "ctx, x: ctx.save_for_backward(x); x.mul_(2); return x * x",
                      "ctx, h: x, = ctx.saved_tensors; return h * 4 * x")}
            {leaf("x", 37)}
            Square.apply(x * 1.0).sum().backward()
            expect(x.grad, "dx")""")
    for what, cls, name in (("argument", SQUARE, "Square"), ("result", EXP, "Exp")):
        yield g.case(f"float32/second_backward_saved_{what}", "custom_function/S5 autograd/C4",
                     f"""{cls}
            {leaf("x", 38)}
            z = {name}.apply(x).sum()
            z.backward()
            expect(x.grad, "dx")
            expect_error(RuntimeError, "autograd/C4", z.backward)
            expect(x.grad, "same")""")
        yield g.case(f"float32/retained_saved_{what}", "custom_function/S5 autograd/C4", f"""{cls}
            {leaf("x", 39)}
            z = {name}.apply(x).sum()
            z.backward(retain_graph=True)
            expect(x.grad, "once")
            z.backward(retain_graph=True)
            expect(x.grad, "twice")
            z.backward()
            expect(x.grad, "thrice")
            expect_error(RuntimeError, "autograd/C4", z.backward)""")
        yield g.case(f"float32/second_grad_saved_{what}", "custom_function/S5 autograd/C4",
                     f"""{cls}
            {leaf("x", 40)}
            z = {name}.apply(x).sum()
            g, = autograd.grad(z, x)
            expect(g, "g")
            expect_error(RuntimeError, "autograd/C4", autograd.grad, z, x)""")
    yield g.case("float32/second_backward_reads_nothing", "custom_function/S5", f"""
            {function("Twice", "ctx, x: ctx.save_for_backward(x); return x * 2",
                      "ctx, h: return h * 2")}
            {leaf("x", 41)}
            y = Twice.apply(x)
            y.backward(torch.ones(3))
            y.backward(torch.ones(3))
            expect(x.grad, "dx")""")
    yield g.case("float32/failed_and_run_again", "custom_function/S5 autograd/C4", f"""
            seen = []
            class Late(Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x * x
                @staticmethod
                def backward(ctx, h):
                    x, = ctx.saved_tensors
                    seen.append(1)
                    if len(seen) == 1:
                        return h.view(7)
                    return 2 * x * h
            {leaf("x", 43)}
            z = Late.apply(x * 2.0).sum()
            expect_error(RuntimeError, "view/C2", z.backward)
            expect_equal(x.grad is None, True)
            z.backward()
            expect(x.grad, "dx")
            expect_error(RuntimeError, "autograd/C4", z.backward)""")
    yield g.case("float32/written_stays_so", "custom_function/S6 autograd/C3", f"""{SQUARE}
            {leaf("x", 44)}
            b = x * 1.0
            z = Square.apply(b).sum()
            b.mul_(2)
            expect_error(RuntimeError, "autograd/C3", z.backward)
            expect_error(RuntimeError, "autograd/C3", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/op_retained_twice", "autograd/S7 autograd/C4", f"""
            {leaf("x", 42)}
            z = (x.exp() * x).sum()
            z.backward(retain_graph=True)
            z.backward(retain_graph=True)
            expect(x.grad, "twice")
            z.backward()
            expect(x.grad, "thrice")
            expect_error(RuntimeError, "autograd/C4", z.backward)""")


def second_order(g):
    for dt in ("float64", "float32"):
        for what, cls, name in (("argument", SQUARE, "Square"), ("result", EXP, "Exp")):
            yield g.case(f"{dt}/second_order_saved_{what}",
                         f"custom_function/{'S2' if name == 'Square' else 'S3'}", f"""{cls}
            {leaf("x", 50, dt=dt)}
            c = normal(51, (3,), torch.{dt})
            g, = autograd.grad(({name}.apply(x * 0.5) * c).sum(), x, create_graph=True)
            expect(g, "g")
            g2, = autograd.grad((g * g).sum(), x, create_graph=True)
            expect(g2, "g2")
            g3, = autograd.grad(g2.sum(), x)
            expect(g3, "g3")""")
    yield g.case("float64/second_order_gradcheck", "custom_function/S2 custom_function/S3",
                 f"""{SQUARE}{EXP}
            {leaf("x", 52, dt="float64")}
            def f(x):
                g, = autograd.grad((Square.apply(x) * Exp.apply(x)).sum(), x, create_graph=True)
                return g
            expect_equal(autograd.gradcheck(f, (x,)), True)""", variants=False)
    yield g.case("float32/second_order_of_two_results", "custom_function/S3", f"""
            {function("Pair", "ctx, x: a = x.exp(); b = x * x; ctx.save_for_backward(x, a, b); "
                      "return a, b",
                      "ctx, g, h: x, a, b = ctx.saved_tensors; return a * g + 2 * x * h + 0 * b")}
            {leaf("x", 53)}
            a, b = Pair.apply(x)
            g, = autograd.grad((a * b).sum(), x, create_graph=True)
            expect(g, "g")
            (g * g).sum().backward()
            expect(x.grad, "dx")""")


def context(g):
    yield g.case("float32/needs_input_grad", "custom_function/S8", f"""
            seen = []
            {function("Look", "ctx, a, b, k: seen.append(ctx.needs_input_grad); return a * b",
                      "ctx, h: seen.append(ctx.needs_input_grad); return h * 2, h * 3, None")}
            {leaf("x", 60)}
            {leaf("w", 61)}
            c = normal(62, (3,))
            autograd.grad(Look.apply(x, w, 3).sum(), x)
            Look.apply(x, c, c).sum().backward()
            Look.apply(c, c, None)
            with torch.no_grad():
                Look.apply(x, c, 3)
            expect_equal(seen, [(True, True, False), (True, True, False), (True, False, False),
                                (True, False, False), (False, False, False),
                                (True, False, False)])""")
    yield g.case("float32/attributes", "custom_function/S8", f"""
            seen = []
            {function("Keep", "ctx, x, k: ctx.k = k; ctx.needs_input_grad = (True, True); "
                      "ctx.names = [k, 'a']; return x * k",
                      "ctx, h: seen.append(ctx.needs_input_grad); seen.append(ctx.names); "
                      "return h * ctx.k, None")}
            {leaf("x", 63)}
            Keep.apply(x, 3).sum().backward()
            expect_equal(seen, [(True, True), [3, "a"]])
            expect(x.grad, "dx")""")
    yield g.case("float32/grad_mode", "custom_function/S10", f"""
            seen = []
            {function("Look", "ctx, x: seen.append(torch.is_grad_enabled()); y = x * 2; "
                      "seen.append(y.requires_grad); return y",
                      "ctx, h: seen.append(torch.is_grad_enabled()); return h * 2")}
            {leaf("x", 65)}
            y = Look.apply(x)
            expect_equal(torch.is_grad_enabled(), True)
            autograd.grad(y.sum(), x, create_graph=True)
            autograd.grad(y.sum(), x)
            expect_equal(seen, [False, False, True, False])
            expect_equal(y.grad_fn.name(), "LookBackward")""")


def names(g):
    yield g.case("float32/names_of_nodes", "autograd/S1 custom_function/S12", f"""{SQUARE}
            {leaf("x", 66)}
            y = x * x
            a = y.grad_fn
            b = (x + x).grad_fn
            c = Square.apply(x).grad_fn.name()
            d = (x - x).grad_fn.name()
            expect_equal(a.name(), "MulBackward0")
            expect_equal(b.name(), "AddBackward0")
            expect_equal(c, "SquareBackward")
            expect_equal(d, "SubBackward0")""")


def missing_gradients(g):
    three = ("ctx, x: {}return x * 2, x[:2].to(torch.float64), (x > 0).to(torch.int64), 5",
             "ctx, a, b, i, n: seen.append(a is None); seen.append(b is None); "
             "seen.append(i is None); seen.append(n is None); ")
    yield g.case("float32/missing_gradients_are_zeros", "custom_function/S9", f"""
            seen = []
            kept = []
            {function("Many", three[0].format(""), three[1] + "kept.append(a); kept.append(b); "
                      "kept.append(i); return a * 2")}
            {leaf("x", 70)}
            y, z, i, n = Many.apply(x)
            z.sum().backward()
            expect_equal(seen, [False, False, False, True])
            expect_equal(kept[0], [0.0, 0.0, 0.0])
            expect_equal(kept[1], [1.0, 1.0])
            expect_equal(kept[1].dtype, torch.float64)
            expect_equal(kept[2], [0, 0, 0])
            expect_equal(kept[2].dtype, torch.int64)
            expect(x.grad, "dx")""", trivial="no gradient came")
    yield g.case("float32/missing_gradients_are_none", "custom_function/S9", f"""
            seen = []
            {function("Many", three[0].format("ctx.set_materialize_grads(False); "),
                      three[1] + "return torch.cat([b.to(torch.float32), b[:1].to(torch.float32)])")}
            {leaf("x", 71)}
            y, z, i, n = Many.apply(x)
            (z * 3).sum().backward()
            expect_equal(seen, [True, False, True, True])
            expect(x.grad, "dx")""")
    yield g.case("float32/all_gradients_missing", "custom_function/S9", f"""
            seen = []
            {function("Stop", "ctx, x: return x * 2", "ctx, h: return None")}
            {function("Look", "ctx, x: return x * 2",
                      "ctx, h: seen.append(h is None); return h * 2")}
            {leaf("x", 72)}
            Stop.apply(Look.apply(x)).sum().backward()
            expect_equal(seen, [False])
            expect(x.grad, "dx")""", trivial="the zero gradient is the point")
    yield g.case("float32/all_gradients_missing_as_none", "custom_function/S9", f"""
            seen = []
            {function("Stop", "ctx, x: return x * 2", "ctx, h: return None")}
            {function("Look", "ctx, x: ctx.set_materialize_grads(False); return x * 2",
                      "ctx, h: seen.append(h is None); return h")}
            {leaf("x", 73)}
            Stop.apply(Look.apply(x)).sum().backward()
            expect_equal(seen, [True])
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/set_materialize_grads_of_number", "custom_function/C10", f"""
            {function("Bad", "ctx, x: ctx.set_materialize_grads(3); return x * 2",
                      "ctx, h: return h")}
            {leaf("x", 74)}
            expect_error(TypeError, "custom_function/C10", Bad.apply, x)""")


def given_gradients(g):
    for what, back in (("none", "return None, h"), ("both_none", "return None, None")):
        yield g.case(f"float32/gives_{what}", "custom_function/S11", f"""
            {function("Mul", "ctx, a, b: return a * b", "ctx, h: " + back)}
            {leaf("x", 80)}
            {leaf("w", 81)}
            y = Mul.apply(x, w)
            (y * y).sum().backward()
            expect_equal(x.grad is None, True)
            expect_equal(w.grad is None, {back == "return None, None"})""")
    yield g.case("float32/gives_for_what_needs_none", "custom_function/S11", f"""
            {function("Mul", "ctx, a, b: return a * b", "ctx, h: return h * 2, h[:1]")}
            {leaf("x", 82)}
            c = normal(83, (3,))
            Mul.apply(x, c).sum().backward()
            expect(x.grad, "dx")
            expect_equal(c.grad is None, True)""")
    yield g.case("float32/gives_number_for_what_needs_none", "autograd/C25", f"""
            {function("Mul", "ctx, a, b: return a * b", "ctx, h: return h * 2, 5")}
            {leaf("x", 84)}
            c = normal(85, (3,))
            z = Mul.apply(x, c).sum()
            expect_error(RuntimeError, "autograd/C25", z.backward)""")
    for what, back in (("gradient", "h"), ("number", "5")):
        yield g.case(f"float32/gives_{what}_for_number", "custom_function/C1", f"""
            {function("Scale", "ctx, x, k: return x * k", f"ctx, h: return h, {back}")}
            {leaf("x", 86)}
            z = Scale.apply(x, 2.0).sum()
            expect_error(RuntimeError, "custom_function/C1", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/gives_list", "custom_function/S11 autograd/C24", f"""
            {function("Mul", "ctx, a, b: return a * b", "ctx, h: return [h, h]")}
            {leaf("x", 87)}
            {leaf("w", 88)}
            z = Mul.apply(x, w).sum()
            expect_error(RuntimeError, "autograd/C24", z.backward)""")
    for dt in ("float64", "int64"):
        yield g.case(f"{dt}/gives_other_dtype", "custom_function/S11", f"""
            {function("Cast", "ctx, x: return x * 2", f"ctx, h: return (h * 3).to(torch.{dt})")}
            {leaf("x", 89)}
            y = Cast.apply(x)
            (y * y).sum().backward()
            expect(x.grad, "dx")
            expect_equal(x.grad.dtype, torch.float32)""")
    yield g.case("float32/gives_wider", "custom_function/S11", f"""
            {function("Wide", "ctx, x: return x * torch.ones(2, 3)", "ctx, h: return h * 3")}
            {leaf("x", 90)}
            y = Wide.apply(x)
            (y * y).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/gives_narrower", "autograd/C17", f"""
            {function("Sum", "ctx, x: return x.sum()", "ctx, h: return h")}
            {leaf("x", 91)}
            y = Sum.apply(x)
            expect_error(RuntimeError, "autograd/C17", y.backward)""")


def setup(g):
    yield g.case("float32/setup_context", "custom_function/S10", f"""
            seen = []
            {function("Two", "x, k: seen.append(torch.is_grad_enabled()); return x * x * k, x.exp()",
                      "ctx, g, h: x, y = ctx.saved_tensors; "
                      "return 2 * x * g * ctx.k + y * h, None",
                      "ctx, inputs, output: seen.append(torch.is_grad_enabled()); "
                      "seen.append(len(inputs)); seen.append(output[1].requires_grad); "
                      "ctx.save_for_backward(inputs[0], output[1]); ctx.k = inputs[1]")}
            {leaf("x", 100)}
            y, z = Two.apply(x, 3.0)
            g, = autograd.grad((y * z).sum(), x, create_graph=True)
            expect(g, "g")
            (g * g).sum().backward()
            expect(x.grad, "dx")
            expect_equal(seen, [False, False, 2, False])""")
    yield g.case("float32/setup_context_of_one_result", "custom_function/S10", f"""
            {function("Exp", "x: return x.exp()", "ctx, h: y, = ctx.saved_tensors; return y * h",
                      "ctx, inputs, output: ctx.save_for_backward(output)")}
            {leaf("x", 101)}
            y = Exp.apply(x)
            (y * y).sum().backward()
            expect(x.grad, "dx")
            z = Exp.apply(x.detach())
            expect(z, "unrecorded")
            expect_equal(z.requires_grad, False)""")
    yield g.case("float32/setup_context_marks", "custom_function/S10 custom_function/S19", f"""
            {function("Double_", "x: return x.mul_(2)", "ctx, h: return h * 2",
                      "ctx, inputs, output: ctx.mark_dirty(inputs[0])")}
            {leaf("x", 102)}
            b = x * 1.0
            y = Double_.apply(b)
            expect_same(y, b)
            expect_equal(b._version, 2)
            (b * b).sum().backward()
            expect(x.grad, "dx")""")
    for what in ("inputs[0]", "output"):
        for kind in ("backward", "forward"):
            name = ("argument" if what[0] == "i" else "result") + f"_for_{kind}"
            yield g.case(f"float32/setup_saves_returned_{name}", "custom_function/C6", f"""
            {function("Same", "x: return x", "ctx, h: return h * 2",
                      f"ctx, inputs, output: ctx.save_for_{kind}({what})")}
            {leaf("x", 103)}
            expect_error(RuntimeError, "custom_function/C6", Same.apply, x)
            expect_error(RuntimeError, "custom_function/C6", Same.apply, x.detach())""")
    yield g.case("float32/forward_saves_returned", "custom_function/S14", f"""
            seen = []
            {function("Same", "ctx, x: ctx.save_for_backward(x); return x",
                      "ctx, h: x, = ctx.saved_tensors; seen.append(x.grad_fn is None); "
                      "return h * x")}
            {leaf("x", 104)}
            (Same.apply(x) * 2).sum().backward()
            expect_equal(seen, [True])
            expect(x.grad, "dx")""")


def results(g):
    yield g.case("float32/results_of_all_kinds", "custom_function/S12", f"""
            {function("Many", "ctx, x: return x * 2, (x * 10).to(torch.int64), x > 0, 5, None, 'a'",
                      "ctx, a, i, b, n, o, s: return a * 2")}
            {leaf("x", 110)}
            y, i, b, n, o, s = Many.apply(x)
            expect_equal((n, o, s), (5, None, "a"))
            expect_equal((y.requires_grad, i.requires_grad, b.requires_grad), (True, False, False))
            expect_equal(i.is_leaf, True)
            expect_equal(i, "i")
            expect(y, "y")
            (y * y).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/result_of_integers", "custom_function/S12", f"""
            {function("Sign", "ctx, x: return (x * 10).to(torch.int64)", "ctx, h: return h")}
            {leaf("x", 111)}
            i = Sign.apply(x)
            expect_equal(i.requires_grad, False)
            expect_equal(i.grad_fn is None, True)
            expect_equal(i, "i")""")
    for what, value in (("none", "None"), ("number", "3"), ("nothing", "()")):
        yield g.case(f"float32/result_is_{what}", "custom_function/S12", f"""
            {function("Other", f"ctx, x: return {value}", "ctx, h: return h")}
            {leaf("x", 112)}
            expect_equal(Other.apply(x), {value})""")
    yield g.case("float32/result_is_list", "custom_function/S12", f"""
            {function("List", "ctx, x: return [x * 2, x * 3]", "ctx, h: return h")}
            {leaf("x", 113)}
            y = List.apply(x)
            expect_equal(len(y), 2)
            expect_equal(y[0].requires_grad, False)
            expect(y[1], "y1")""")
    yield g.case("float32/result_is_one_tuple", "custom_function/S12", f"""
            {function("One", "ctx, x: return (x * 2,)", "ctx, h: return h * 2")}
            {leaf("x", 114)}
            y = One.apply(x)
            expect_equal(len(y), 1)
            (y[0] * y[0]).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/result_twice", "custom_function/S13", f"""
            seen = []
            {function("Both", "ctx, x: y = x * 2; return y, y",
                      "ctx, g, h: seen.append(g); seen.append(h); "
                      "return 2 * g + 2 * h")}
            {leaf("x", 115)}
            y, z = Both.apply(x)
            expect_same(y, z)
            y.sum().backward()
            expect(seen[0], "g")
            expect(seen[1], "h")
            expect(x.grad, "dx")""")
    yield g.case("float32/result_in_float64", "custom_function/S12", f"""
            seen = []
            {function("Wide", "ctx, x: return (x * 2).to(torch.float64)",
                      "ctx, h: seen.append(h.dtype == torch.float64); return h * 2")}
            {leaf("x", 116)}
            y = Wide.apply(x)
            (y * y).sum().backward()
            expect_equal(seen, [True])
            expect(x.grad, "dx")""")
    yield g.case("float32/hooks_on_results", "custom_function/S12 autograd/S20", f"""
            {function("Two", "ctx, x: return x * 2, x * 3", "ctx, g, h: return 2 * g + 3 * h")}
            {leaf("x", 117)}
            b = x * 1.0
            y, z = Two.apply(b)
            def ten(g):
                return g * 10
            b.register_hook(ten)
            z.register_hook(ten)
            y.retain_grad()
            (y * y + z).sum().backward()
            expect(y.grad, "dy")
            expect(x.grad, "dx")""")
    yield g.case("float32/leaf_from_outside", "custom_function/S17", f"""
            {leaf("w", 118)}
            {function("Give", "ctx, x: return w", "ctx, h: return h * 2")}
            {leaf("x", 119)}
            y = Give.apply(x)
            expect_same(y, w)
            expect_equal(w.is_leaf, False)
            expect_equal(w.grad_fn.name(), "GiveBackward")
            (y * y).sum().backward()
            expect(x.grad, "dx")""")
    for how in ("marked", "no_grad"):
        mark, run = ("ctx.mark_non_differentiable(w); ", "True") if how == "marked" else ("", "False")
        yield g.case(f"float32/leaf_from_outside_{how}", "custom_function/S17", f"""
            {leaf("w", 120)}
            {function("Give", f"ctx, x: {mark}return w, x * 2", "ctx, g, h: return h * 2")}
            {leaf("x", 121)}
            with torch.set_grad_enabled({run}):
                y, z = Give.apply(x)
            expect_same(y, w)
            expect_equal(w.requires_grad, False)
            expect_equal(z.requires_grad, {run})""")


def inputs_returned(g):
    yield g.case("float32/argument_returned", "custom_function/S14 autograd/C18", f"""{SAME}
            {leaf("x", 130)}
            y = Same.apply(x)
            expect_view_of(y, x)
            expect_equal(y._base is x, True)
            expect_equal(y.grad_fn.name(), "SameBackward")
            expect_error(RuntimeError, "autograd/C18", y.mul_, 2)
            (y * y).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/argument_returned_twice", "custom_function/S14", f"""
            seen = []
            {function("Both", "ctx, x: return x, x",
                      "ctx, g, h: seen.append(g); seen.append(h); "
                      "return 2 * g + 3 * h")}
            {leaf("x", 131)}
            y, z = Both.apply(x)
            expect_equal(y is z, False)
            expect_view_of(y, x)
            expect_view_of(z, x)
            y.sum().backward()
            expect(seen[0], "g")
            expect(seen[1], "h")
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/argument_returned_that_needs_none", "custom_function/S14", f"""
            {function("Second", "ctx, a, b: return b", "ctx, h: return h * 2, None")}
            {leaf("x", 132)}
            c = normal(133, (3,))
            y = Second.apply(x, c)
            expect_view_of(y, c)
            expect_equal(c.requires_grad, False)
            (y * y).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/argument_returned_unrecorded", "custom_function/S14", f"""{SAME}
            c = normal(134, (3,))
            y = Same.apply(c)
            expect_equal(y is c, False)
            expect_equal(y._base is c, True)
            y.mul_(2)
            expect(c, "c")
            expect_equal(c._version, 1)
            i = torch.tensor([1, 2])
            expect_equal(Same.apply(i)._base is i, True)""", variants=False)
    yield g.case("float32/argument_returned_in_no_grad", "custom_function/S14", f"""{SAME}
            {leaf("x", 135)}
            with torch.no_grad():
                y = Same.apply(x)
            expect_equal(y is x, False)
            expect_equal(y._base is None, True)
            expect_equal(y.requires_grad, False)
            y.mul_(2)
            expect(x, "x")
            expect_equal(x._version, 1)""", variants=False)
    yield g.case("int64/argument_returned_beside", "custom_function/S14", f"""
            {function("Pass", "ctx, x, i: return x * 2, i", "ctx, g, h: return g * 2, None")}
            {leaf("x", 136)}
            i = integers(137, (3,), torch.int64)
            y, j = Pass.apply(x, i)
            expect_equal(j is i, False)
            expect_equal(j._base is i, True)
            expect_equal(j.requires_grad, False)""", variants=False)


def views_returned(g):
    yield g.case("float32/view_returned", "custom_function/S15 autograd/C18", f"""{TAIL}
            {leaf("x", 140)}
            y = Tail.apply(x)
            expect_equal(y._base is x, True)
            expect_equal(y.grad_fn.name(), "TailBackward")
            expect_error(RuntimeError, "autograd/C18", y.mul_, 2)
            (y * y).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/view_returned_base_written", "custom_function/S15 autograd/C18", f"""{TAIL}
            {leaf("x", 141)}
            b = x * 1.0
            y = Tail.apply(b)
            b.mul_(2)
            def use():
                return y * 2
            expect_error(RuntimeError, "autograd/C18", use)""", variants=False)
    yield g.case("float32/view_returned_written_in_no_grad", "custom_function/S15 autograd/C18",
                 f"""{TAIL}
            {leaf("x", 142)}
            b = x * 1.0
            y = Tail.apply(b)
            with torch.no_grad():
                y.mul_(2)
            expect_error(RuntimeError, "autograd/C18", torch.mul, y, 2)""", variants=False)
    yield g.case("float32/two_views_returned", "custom_function/S15 autograd/C18", f"""
            {function("Cut", "ctx, x: return x[:1], x[1:]",
                      "ctx, g, h: return torch.cat([g * 2, h * 3])")}
            {leaf("x", 143)}
            y, z = Cut.apply(x * 1.0)
            expect_error(RuntimeError, "autograd/C18", y.mul_, 2)
            expect_error(RuntimeError, "autograd/C18", z.mul_, 2)
            ((y * y).sum() + (z * z).sum()).backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/view_returned_unrecorded", "custom_function/S15 autograd/C18", f"""{TAIL}
            c = normal(144, (3,))
            y = Tail.apply(c)
            expect_equal(y.requires_grad, False)
            y.mul_(2)
            expect(c, "c")
            {leaf("w", 145, "(2,)")}
            expect_error(RuntimeError, "autograd/C18", y.mul_, w)""", variants=False)


def without_gradient(g):
    yield g.case("float32/non_differentiable", "custom_function/S16", f"""
            seen = []
            {function("Two", "ctx, x: y = x * 2; z = x * 3; ctx.mark_non_differentiable(z); "
                      "return y, z",
                      "ctx, g, h: seen.append(h); return g * 2")}
            {leaf("x", 150)}
            y, z = Two.apply(x)
            expect_equal((z.requires_grad, z.is_leaf), (False, True))
            expect(z, "z")
            (y * y * z).sum().backward()
            expect(seen[0], "h")
            expect(x.grad, "dx")""")
    yield g.case("float32/non_differentiable_as_none", "custom_function/S16 custom_function/S9", f"""
            seen = []
            {function("Two", "ctx, x: y = x * 2; z = x * 3; ctx.mark_non_differentiable(z); "
                      "ctx.set_materialize_grads(False); return y, z",
                      "ctx, g, h: seen.append(h is None); return g * 2")}
            {leaf("x", 151)}
            y, z = Two.apply(x)
            (y * y).sum().backward()
            expect_equal(seen, [True])
            expect(x.grad, "dx")""")
    yield g.case("float32/non_differentiable_alone", "custom_function/S16", f"""
            {function("Cut", "ctx, x: y = x * 2; ctx.mark_non_differentiable(y); return y",
                      "ctx, h: return h")}
            {leaf("x", 152)}
            y = Cut.apply(x)
            expect_equal((y.requires_grad, y.is_leaf), (False, True))
            expect(y, "y")""")
    yield g.case("float32/non_differentiable_argument", "custom_function/S14 custom_function/S16", f"""
            {function("Two", "ctx, x: ctx.mark_non_differentiable(x); return x * 2, x",
                      "ctx, g, h: return g * 2")}
            {leaf("x", 153)}
            y, z = Two.apply(x)
            expect_equal(z is x, False)
            expect_equal(z._base is None, True)
            expect_equal(z.requires_grad, False)
            expect_equal(x.requires_grad, True)
            with torch.no_grad():
                z.add_(1)
            expect_equal(x._version, 1)
            expect(x, "x")""", variants=False)
    yield g.case("float32/non_differentiable_view", "custom_function/S16 autograd/C18", f"""
            {function("Two", "ctx, x: v = x[1:]; ctx.mark_non_differentiable(v); return v, x * 2",
                      "ctx, g, h: return h * 2")}
            {leaf("x", 154)}
            v, y = Two.apply(x)
            expect_equal(v._base is x, True)
            expect_error(RuntimeError, "autograd/C18", v.mul_, 2)
            (y * y).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/non_differentiable_number", "custom_function/C3", f"""
            {function("Bad", "ctx, x: ctx.mark_non_differentiable(3); return x * 2",
                      "ctx, h: return h")}
            {leaf("x", 155)}
            expect_error(RuntimeError, "custom_function/C3", Bad.apply, x)""")


def in_place(g):
    yield g.case("float32/written", "custom_function/S18 custom_function/S19", f"""{DOUBLE_}
            {leaf("x", 160)}
            b = x * 1.5
            y = Double_.apply(b)
            expect_same(y, b)
            expect_equal(b._version, 2)
            expect_equal(b.grad_fn.name(), "Double_Backward")
            (b * b).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/written_is_noticed", "custom_function/S18 autograd/C3", f"""{DOUBLE_}
            {leaf("x", 161)}
            b = x * 1.5
            z = (b * b).sum()
            Double_.apply(b)
            expect_error(RuntimeError, "autograd/C3", z.backward)""")
    yield g.case("float32/marking_alone_is_noticed", "custom_function/S18 autograd/C3", f"""
            {function("Mark", "ctx, x: ctx.mark_dirty(x); return x", "ctx, h: return h * 3")}
            {leaf("x", 162)}
            b = x * 1.5
            z = (b * b).sum()
            y = Mark.apply(b)
            expect_same(y, b)
            expect_equal(b._version, 1)
            expect_error(RuntimeError, "autograd/C3", z.backward)
            (b * b).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/marking_in_no_grad", "custom_function/S18", f"""{DOUBLE_}
            c = normal(163, (3,))
            y = Double_.apply(c)
            expect_same(y, c)
            expect_equal(c._version, 2)
            expect_equal(c.requires_grad, False)
            expect(c, "c")
            with torch.no_grad():
                Double_.apply(c)
            expect_equal(c._version, 4)""")
    yield g.case("float32/marked_leaf_in_no_grad", "custom_function/S14 custom_function/S18", f"""{DOUBLE_}
            {leaf("x", 164)}
            with torch.no_grad():
                y = Double_.apply(x)
            expect_equal(y is x, False)
            expect_equal(y.requires_grad, False)
            expect_equal((x.requires_grad, x.is_leaf, x._version), (True, True, 2))
            expect(x, "x")""", variants=False)
    yield g.case("float32/plain_tensor_written", "custom_function/S19", f"""{ADD_}
            {leaf("w", 165)}
            c = normal(166, (3,))
            c.grad = torch.ones(3)
            y = Add_.apply(c, w)
            expect_same(y, c)
            expect_equal((c.requires_grad, c.is_leaf), (True, False))
            expect_equal(c.grad is None, True)
            (c * c).sum().backward()
            expect(w.grad, "dw")""")
    yield g.case("float32/written_integers", "custom_function/S18 custom_function/S12", f"""
            {function("Count_", "ctx, x, i: i.add_(1); ctx.mark_dirty(i); return x * 2, i",
                      "ctx, g, h: return g * 2, None")}
            {leaf("x", 167)}
            i = integers(168, (3,), torch.int64)
            y, j = Count_.apply(x, i)
            expect_same(j, i)
            expect_equal(i._version, 2)
            expect_equal(i, "i")
            (y * y).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/written_and_another", "custom_function/S19", f"""
            {function("Two_", "ctx, x: x.mul_(2); ctx.mark_dirty(x); return x * 3, x",
                      "ctx, g, h: return 6 * g + 2 * h")}
            {leaf("x", 169)}
            b = x * 1.5
            y, z = Two_.apply(b)
            expect_same(z, b)
            (y * b).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/two_written", "custom_function/S19", f"""
            {function("Both_", "ctx, a, b: a.mul_(2); b.mul_(3); ctx.mark_dirty(a, b); return a, b",
                      "ctx, g, h: return 2 * g, 3 * h")}
            {leaf("x", 170)}
            {leaf("w", 171)}
            a = x * 1.5
            b = w * 2.5
            Both_.apply(a, b)
            (a * b).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""")
    yield g.case("float32/written_and_saved", "custom_function/S3 custom_function/S19", f"""
            {function("Exp_", "ctx, x: ctx.save_for_backward(x); x.exp_(); ctx.mark_dirty(x); return x",
                      "ctx, h: y, = ctx.saved_tensors; return y * h")}
            {leaf("x", 172)}
            b = x * 0.5
            Exp_.apply(b)
            g, = autograd.grad(b.sum(), x, create_graph=True)
            expect(g, "g")
            (g * g).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/hooks_stay_with_the_old_value", "custom_function/S19 autograd/S21", f"""{DOUBLE_}
            seen = []
            {leaf("x", 173)}
            b = x * 1.5
            def look(g):
                seen.append(g)
            b.register_hook(look)
            b.retain_grad()
            Double_.apply(b)
            b.sum().backward()
            expect(seen[0], "db_before")
            expect(b.grad, "db")
            expect(x.grad, "dx")""")
    yield g.case("float32/written_view", "custom_function/S20", f"""{DOUBLE_}
            {leaf("x", 174, "(4,)")}
            b = x * 1.5
            v = b[1:3]
            w = b[2:]
            y = Double_.apply(v)
            expect_same(y, v)
            expect_equal(b._version, 2)
            expect_equal(b.grad_fn.name() == "MulBackward0", False)
            (b * b).sum().backward(retain_graph=True)
            expect(x.grad, "dx")
            (w * w).sum().backward()
            expect(x.grad, "dx_of_a_view_made_before")""", variants=False)
    yield g.case("float32/written_view_of_plain_tensor", "custom_function/S20", f"""{ADD_}
            {leaf("w", 175, "(2,)")}
            c = normal(176, (4,))
            v = c[1:3]
            Add_.apply(v, w)
            expect_equal((c.requires_grad, c.is_leaf), (True, False))
            (c * c).sum().backward()
            expect(w.grad, "dw")
            expect(c.detach(), "c")""", variants=False)
    yield g.case("float32/written_view_and_saved", "custom_function/S3 custom_function/S20", f"""
            {function("Exp_", "ctx, x: ctx.save_for_backward(x); x.exp_(); ctx.mark_dirty(x); return x",
                      "ctx, h: y, = ctx.saved_tensors; return y * h")}
            {leaf("x", 177, "(4,)")}
            b = x * 0.5
            Exp_.apply(b[1:3])
            (b * b).sum().backward()
            expect(x.grad, "dx")""", variants=False)


def in_place_refused(g):
    yield g.case("float32/written_leaf", "custom_function/S19 autograd/C1", f"""{DOUBLE_}
            {leaf("x", 180)}
            def run():
                Double_.apply(x)
            expect_error(RuntimeError, "autograd/C1", run)
            expect_equal((x.is_leaf, x._version), (True, 2))""")
    yield g.case("float32/written_view_of_leaf", "custom_function/S20 autograd/C2", f"""{DOUBLE_}
            {leaf("x", 181)}
            def run():
                Double_.apply(x[1:])
            expect_error(RuntimeError, "autograd/C2", run)
            expect_equal(x.is_leaf, True)""", variants=False)
    yield g.case("float32/written_view_made_in_no_grad", "custom_function/S20 autograd/C18", f"""{ADD_}
            {leaf("w", 182, "(2,)")}
            c = normal(183, (3,))
            with torch.no_grad():
                v = c[1:]
            def run():
                Add_.apply(v, w)
            expect_error(RuntimeError, "autograd/C18", run)""", variants=False)
    yield g.case("float32/written_view_and_another", "custom_function/C5", f"""
            {function("Two_", "ctx, x: x.mul_(2); ctx.mark_dirty(x); return x, x * 3",
                      "ctx, g, h: return 2 * g + 6 * h")}
            {leaf("x", 184)}
            b = x * 1.5
            v = b[1:]
            def run():
                Two_.apply(v)
            expect_error(RuntimeError, "custom_function/C5", run)""", variants=False)
    yield g.case("float32/written_and_not_returned", "custom_function/C4", f"""
            {function("Lost_", "ctx, x: x.mul_(2); ctx.mark_dirty(x); return x * 3",
                      "ctx, h: return h * 6")}
            {leaf("x", 185)}
            b = x * 1.5
            def run():
                Lost_.apply(b)
            expect_error(RuntimeError, "custom_function/C4", run)
            c = normal(186, (3,))
            def plain():
                Lost_.apply(c)
            expect_error(RuntimeError, "custom_function/C4", plain)""", variants=False)
    yield g.case("float32/marked_number", "custom_function/C3", f"""
            {function("Bad", "ctx, x: ctx.mark_dirty(3); return x * 2", "ctx, h: return h")}
            {leaf("x", 187)}
            expect_error(RuntimeError, "custom_function/C3", Bad.apply, x)
            expect_error(RuntimeError, "custom_function/C3", Bad.apply, x.detach())""")


def once(g):
    cube = function("Cube", "ctx, x, k: ctx.save_for_backward(x); return x * x * x",
                    "ctx, h: seen.append(torch.is_grad_enabled()); x, = ctx.saved_tensors; "
                    "return 3 * x * x * h, None", once=True)
    yield g.case("float32/once", "custom_function/S21", f"""
            seen = []{cube}
            {leaf("x", 190)}
            y = Cube.apply(x, 1)
            (y * y).sum().backward()
            expect(x.grad, "dx")
            expect_equal(x.grad.requires_grad, False)
            expect_equal(seen, [False])""")
    yield g.case("float32/once_of_constant_gradient", "custom_function/S21", f"""
            seen = []{cube}
            {leaf("x", 191)}
            g, = autograd.grad(Cube.apply(x, 1).sum(), x, create_graph=True)
            expect(g, "g")
            expect_equal(g.requires_grad, False)
            expect_equal(seen, [False])""")
    yield g.case("float32/once_and_again", "custom_function/S21 custom_function/C8 autograd/C9", f"""
            seen = []{cube}
            {leaf("x", 192)}
            y = Cube.apply(x, 1)
            g, = autograd.grad((y * y).sum(), x, create_graph=True)
            expect(g, "g")
            expect_equal(g.requires_grad, True)
            z = g.sum()
            expect_error(RuntimeError, "custom_function/C8", z.backward)
            expect_error(RuntimeError, "autograd/C9", autograd.grad, z, x)
            g2, = autograd.grad(z + (x * x).sum(), x)
            expect(g2, "past_it")""")


def together(g):
    """Whole programs, as they stand in models."""
    yield g.case("float32/straight_through", "custom_function/S1 custom_function/S8", f"""
            class Quantize(Function):
                @staticmethod
                def forward(ctx, x, step):
                    ctx.save_for_backward(x)
                    return (x / step).to(torch.int64).to(x.dtype) * step
                @staticmethod
                def backward(ctx, h):
                    x, = ctx.saved_tensors
                    return torch.where(x * x < 2.25, h, torch.zeros(1)), None
            {leaf("x", 200, "(4, 3)")}
            {leaf("w", 201, "(3, 2)")}
            y = Quantize.apply(x, 0.25) @ w
            (y * y).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/reversed_gradient", "custom_function/S14", f"""
            {function("Reverse", "ctx, x, k: ctx.k = k; return x", "ctx, h: return h * -ctx.k, None")}
            {leaf("x", 202)}
            (Reverse.apply(x * 2.0, 0.5) * x.detach()).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float64/checked", "custom_function/S2 custom_function/S3 autograd/S29", f"""
            {function("Mul", "ctx, a, b: y = a * b; ctx.save_for_backward(a, b); return y",
                      "ctx, h: a, b = ctx.saved_tensors; return h * b, h * a")}
            {leaf("x", 203, "(2, 3)", "float64")}
            {leaf("w", 204, "(3,)", "float64")}
            def f(x, w):
                return Mul.apply(x, w) * x
            expect_equal(autograd.gradcheck(f, (x, w)), True)""", variants=False)
