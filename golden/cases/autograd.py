# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/areas/autograd.md: the graph, the engine, versions, views, hooks, modes."""

def leaf(name, seed, shape, dt):
    return f"""
            {name} = normal({seed}, {shape}, torch.{dt})
            {name}.requires_grad_()"""


def cases(g):
    yield from graph(g)
    yield from accumulation(g)
    yield from roots(g)
    yield from freed(g)
    yield from gradients_of(g)
    yield from second_order(g)
    yield from broadcast(g)
    yield from dtypes(g)
    yield from versions(g)
    yield from in_place(g)
    yield from views(g)
    yield from modes(g)
    yield from hooks(g)
    yield from data(g)
    yield from engine(g)
    yield from functions(g)
    yield from checks(g)
    yield from chains(g)


def graph(g):
    yield g.case("float32/leaf_and_result", "autograd/S1 autograd/S2", f"""
            {leaf("x", 1, (2, 3), "float32")}
            c = normal(2, (2, 3), torch.float32)
            y = x * c
            z = c * c
            expect_equal(x.is_leaf, True)
            expect_equal(y.is_leaf, False)
            expect_equal(z.is_leaf, True)
            expect_equal(y.requires_grad, True)
            expect_equal(z.requires_grad, False)
            expect_equal(x.grad is None, True)
            expect_equal(x.grad_fn is None, True)
            expect_equal(y.grad_fn is None, False)""")
    yield g.case("float32/no_grad_for_integer_results", "autograd/S1", f"""
            {leaf("x", 3, (2, 3), "float32")}
            i = torch.argmax(x * 2, dim=1)
            b = x < 0
            expect_equal(i.requires_grad, False)
            expect_equal(b.requires_grad, False)
            expect_equal(i.is_leaf, True)""")
    yield g.case("float32/cast_to_int_cuts", "autograd/S1", f"""
            {leaf("x", 3, (4,), "float32")}
            y = (x * 3).to(torch.int64)
            expect_equal(y.requires_grad, False)
            expect_equal(y.is_leaf, True)""")
    yield g.case("float32/requires_grad_flag", "autograd/S2 autograd/S19", """
            x = normal(4, (3,), torch.float32)
            y = x.requires_grad_()
            expect_same(y, x)
            expect_equal(x.requires_grad, True)
            x.requires_grad_(False)
            expect_equal(x.requires_grad, False)
            x.requires_grad = True
            expect_equal(x.requires_grad, True)
            z = x * x
            z.requires_grad_()
            expect_equal(z.is_leaf, False)""")
    for dt in ("int64", "int8", "uint8", "bool"):
        yield g.case(f"{dt}/requires_grad_refused", "autograd/C10", f"""
            x = torch.ones(3, dtype=torch.{dt})
            expect_error(RuntimeError, "autograd/C10", x.requires_grad_)
            expect_equal(x.requires_grad, False)""")
        yield g.case(f"{dt}/requires_grad_false_is_fine", "autograd/S2", f"""
            x = torch.ones(3, dtype=torch.{dt})
            expect_same(x.requires_grad_(False), x)""")
    yield g.case("float32/cannot_clear_result", "autograd/C11", f"""
            {leaf("x", 5, (3,), "float32")}
            y = x * x
            expect_error(RuntimeError, "autograd/C11", y.requires_grad_, False)
            expect_equal(y.requires_grad, True)""")
    yield g.case("float32/freeze_one_of_two", "autograd/S2 autograd/S19", f"""
            {leaf("x", 6, (3,), "float32")}
            {leaf("w", 7, (3,), "float32")}
            w.requires_grad_(False)
            (x * w).sum().backward()
            expect(x.grad, "dx")
            expect_equal(w.grad is None, True)""")
    yield g.case("float32/set_grad", "autograd/S26", f"""
            {leaf("x", 8, (3,), "float32")}
            h = normal(9, (3,), torch.float32)
            x.grad = h
            expect_same(x.grad, h)
            (x * x).sum().backward()
            expect(x.grad, "dx")
            expect_same(x.grad, h)
            x.grad = None
            expect_equal(x.grad is None, True)
            (x * x).sum().backward()
            expect(x.grad, "again")""")
    for what, make in (("shape", "torch.ones(4)"),
                       ("dtype", "torch.ones(3, dtype=torch.float64)"),
                       ("device", "torch.ones(3, device='meta')"), ("itself", "x")):
        yield g.case(f"float32/set_grad_of_other_{what}", "autograd/C13", f"""
            {leaf("x", 8, (3,), "float32")}
            h = {make}
            def assign():
                x.grad = h
            expect_error(RuntimeError, "autograd/C13", assign)
            expect_equal(x.grad is None, True)""")


def accumulation(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/backward_once", "autograd/S3", f"""
            {leaf("x", 10, (3, 4), dt)}
            c = normal(11, (3, 4), torch.{dt})
            (x * c).sum().backward()
            expect(x.grad, "dx")""")
        yield g.case(f"{dt}/backward_adds", "autograd/S3", f"""
            {leaf("x", 12, (3, 4), dt)}
            c = normal(13, (3, 4), torch.{dt})
            (x * c).sum().backward()
            expect(x.grad, "first")
            (x * x).sum().backward()
            expect(x.grad, "second")""")
        yield g.case(f"{dt}/used_twice", "autograd/S13", f"""
            {leaf("x", 14, (5,), dt)}
            c = normal(15, (5,), torch.{dt})
            y = x * c
            z = y * y + x
            z.sum().backward()
            expect(x.grad, "dx")""")
        yield g.case(f"{dt}/diamond", "autograd/S13", f"""
            {leaf("x", 16, (2, 3), dt)}
            a = x.exp()
            b = a.tanh()
            d = a * x
            (b * d).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/grad_accumulates_in_place", "autograd/S3", f"""
            {leaf("x", 17, (3,), "float32")}
            (x * x).sum().backward()
            h = x.grad
            (x * x).sum().backward()
            expect_same(x.grad, h)
            expect(h, "h")""", variants=False)
    yield g.case("float32/grad_is_fresh_tensor_with_create_graph", "autograd/S3 autograd/S10", f"""
            {leaf("x", 17, (3,), "float32")}
            (x * x).sum().backward()
            h = x.grad
            (x * x).sum().backward(create_graph=True)
            expect(h, "old")
            expect(x.grad, "new")
            expect_equal(x.grad.requires_grad, True)
            x.grad = None""")
    yield g.case("float32/grad_has_the_layout_of_the_leaf", "autograd/S22", """
            x = normal(18, (3, 4), torch.float32).t()
            x.requires_grad_()
            (x * x).sum().backward()
            expect(x.grad, "dx")
            expect_strides(x.grad, (1, 4))""", variants=False)
    yield g.case("float32/grad_of_gapped_leaf_is_contiguous", "autograd/S22", """
            x = normal(19, (4, 6), torch.float32)[:, ::2]
            x.requires_grad_()
            (x * x).sum().backward()
            expect(x.grad, "dx")
            expect_strides(x.grad, (3, 1))""", variants=False)
    yield g.case("float32/grad_of_sum_is_no_broadcast_view", "autograd/S22", f"""
            {leaf("x", 20, (3, 4), "float32")}
            (x * 3).sum().backward()
            expect(x.grad, "dx")
            expect_strides(x.grad, (4, 1))
            x.sum().backward()
            expect(x.grad, "dx2")""", variants=False)
    yield g.case("float32/given_gradient_is_copied", "autograd/S22", f"""
            {leaf("x", 21, (4,), "float32")}
            {leaf("w", 22, (4,), "float32")}
            h = normal(23, (4,), torch.float32)
            (x + w).backward(h)
            expect(x.grad, "dx")
            expect_copy_of(x.grad, h)
            expect_copy_of(w.grad, h)
            expect_copy_of(x.grad, w.grad)""")
    yield g.case("float32/retain_grad", "autograd/S6", f"""
            {leaf("x", 24, (2, 3), "float32")}
            y = x.exp()
            y.retain_grad()
            (y * y).sum().backward()
            expect(y.grad, "dy")
            expect(x.grad, "dx")""")
    yield g.case("float32/retain_grad_adds", "autograd/S6", f"""
            {leaf("x", 25, (2, 3), "float32")}
            y = x.exp()
            y.retain_grad()
            y.retain_grad()
            z = (y * y).sum()
            z.backward(retain_graph=True)
            z.backward()
            expect(y.grad, "dy")""")
    yield g.case("float32/retain_grad_of_leaf_is_nothing", "autograd/S6", f"""
            {leaf("x", 26, (3,), "float32")}
            x.retain_grad()
            (x * x).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/result_keeps_no_grad", "autograd/S6", f"""
            {leaf("x", 26, (3,), "float32")}
            y = x * x
            (y * x).sum().backward()
            expect_equal(y.grad is None, True)
            expect(x.grad, "dx")""")
    yield g.case("float32/retain_grad_refused", "autograd/C12", """
            x = torch.ones(3)
            expect_error(RuntimeError, "autograd/C12", x.retain_grad)""")


def roots(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/given_gradient", "autograd/S4", f"""
            {leaf("x", 30, (2, 3), dt)}
            h = normal(31, (2, 3), torch.{dt})
            (x * x).backward(h)
            expect(x.grad, "dx")""")
    yield g.case("float32/one_element_root", "autograd/S4", f"""
            {leaf("x", 32, (1, 1), "float32")}
            (x * x).backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/leaf_root", "autograd/S4", """
            x = torch.full((1,), 5.0)
            x.requires_grad_()
            x.backward()
            expect(x.grad, "dx")
            x.backward(torch.full((1,), 2.5))
            expect(x.grad, "sum")""")
    yield g.case("float32/gradient_of_other_dtype", "autograd/S4", f"""
            {leaf("x", 33, (3,), "float32")}
            h = normal(34, (3,), torch.float64)
            (x * x).backward(h)
            expect(x.grad, "dx")""")
    yield g.case("float32/gradient_of_int", "autograd/S4", f"""
            {leaf("x", 33, (3,), "float32")}
            h = integers(34, (3,), torch.int64, low=1, high=5)
            (x * x).backward(h)
            expect(x.grad, "dx")""")
    yield g.case("float32/two_roots", "autograd/S5", f"""
            {leaf("x", 35, (3,), "float32")}
            a = (x * x).sum()
            b = x.exp().sum()
            autograd.backward([a, b])
            expect(x.grad, "dx")""")
    yield g.case("float32/two_roots_with_gradients", "autograd/S5", f"""
            {leaf("x", 36, (3,), "float32")}
            a = x * x
            b = x.exp()
            h = normal(37, (3,), torch.float32)
            k = normal(38, (3,), torch.float32)
            autograd.backward([a, b], [h, k])
            expect(x.grad, "dx")""")
    yield g.case("float32/same_root_twice", "autograd/S5", f"""
            {leaf("x", 39, (3,), "float32")}
            a = (x * x).sum()
            autograd.backward([a, a])
            expect(x.grad, "dx")""")
    yield g.case("float32/root_below_root", "autograd/S5", f"""
            {leaf("x", 40, (3,), "float32")}
            y = x * x
            z = y.exp()
            autograd.backward([z.sum(), y.sum()])
            expect(x.grad, "dx")""")
    yield g.case("float32/several_elements_need_gradient", "autograd/C5", f"""
            {leaf("x", 41, (3,), "float32")}
            y = x * x
            expect_error(RuntimeError, "autograd/C5", y.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/no_elements_need_gradient", "autograd/C5", """
            x = torch.zeros(0)
            x.requires_grad_()
            y = x * 2
            expect_error(RuntimeError, "autograd/C5", y.backward)""")
    yield g.case("float32/root_without_history", "autograd/C6", """
            x = torch.ones(())
            expect_error(RuntimeError, "autograd/C6", x.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/detached_root", "autograd/C6", f"""
            {leaf("x", 42, (3,), "float32")}
            y = (x * x).sum().detach()
            expect_error(RuntimeError, "autograd/C6", y.backward)""")
    yield g.case("float32/fewer_gradients_than_roots", "autograd/C23", f"""
            {leaf("x", 42, (3,), "float32")}
            a = (x * x).sum()
            b = x.exp().sum()
            h = torch.ones(())
            expect_error(RuntimeError, "autograd/C23", autograd.backward, [a, b], [h])
            expect_error(RuntimeError, "autograd/C23", autograd.grad, [a, b], x, [h])
            expect_equal(x.grad is None, True)""")
    for shape in ("(2,)", "(1,)", "(3, 1)", "()"):
        yield g.case(f"float32/gradient_of_shape_{shape[1:-1].replace(', ', 'x').strip(',')}_",
                     "autograd/C7", f"""
            {leaf("x", 43, (3,), "float32")}
            y = x * x
            expect_error(RuntimeError, "autograd/C7", y.backward, torch.ones({shape}))
            expect_equal(x.grad is None, True)""")


def freed(g):
    for op, expr in (("mul", "x * c"), ("exp", "x.exp()"), ("tanh", "x.tanh()"),
                     ("sqrt", "x.sqrt()"), ("log", "x.log()"), ("mul_number", "x * 3.0"),
                     ("softmax", "torch.softmax(x, dim=0) * c")):
        yield g.case(f"float32/second_backward_{op}", "autograd/C4 autograd/S7", f"""
            x = uniform(50, (3,), torch.float32, low=0.5, high=2.0)
            x.requires_grad_()
            c = normal(51, (3,), torch.float32)
            z = ({expr}).sum()
            z.backward()
            expect(x.grad, "dx")
            expect_error(RuntimeError, "autograd/C4", z.backward)
            expect(x.grad, "unchanged")""")
    for op, expr in (("add", "x + c"), ("neg", "-x"), ("view", "x.view(3, 1)"),
                     ("expand", "x.expand(2, 3)"), ("slice", "x[1:]"), ("clone", "x.clone()")):
        yield g.case(f"float32/nothing_saved_{op}", "autograd/S7", f"""
            {leaf("x", 52, (3,), "float32")}
            c = normal(53, (3,), torch.float32)
            y = {expr}
            h = normal(54, y.shape, torch.float32)
            y.backward(h)
            y.backward(h)
            expect(x.grad, "dx")""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/retain_graph", "autograd/S7", f"""
            x = uniform(55, (3,), torch.{dt}, low=0.5, high=2.0)
            x.requires_grad_()
            z = (x.exp() * x).sum()
            z.backward(retain_graph=True)
            z.backward(retain_graph=True)
            expect(x.grad, "twice")
            z.backward()
            expect(x.grad, "thrice")""")
    yield g.case("float32/grad_frees_too", "autograd/C4 autograd/S7", f"""
            {leaf("x", 56, (3,), "float32")}
            z = (x * x).sum()
            (h,) = autograd.grad(z, x)
            expect(h, "dx")
            expect_error(RuntimeError, "autograd/C4", autograd.grad, z, x)
            expect_error(RuntimeError, "autograd/C4", z.backward)""")
    yield g.case("float32/create_graph_keeps_the_graph", "autograd/S7 autograd/S10", f"""
            {leaf("x", 57, (3,), "float32")}
            z = (x * x * x).sum()
            (h,) = autograd.grad(z, x, create_graph=True)
            (k,) = autograd.grad(z, x)
            expect(h, "h")
            expect(k, "k")""")
    yield g.case("float32/shared_part_is_freed", "autograd/C4", f"""
            {leaf("x", 58, (3,), "float32")}
            y = x.exp()
            a = (y * 2).sum()
            b = (y * 3).sum()
            a.backward()
            expect(x.grad, "dx")
            expect_error(RuntimeError, "autograd/C4", b.backward)""")


def gradients_of(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/grad_leaves_grad_alone", "autograd/S8", f"""
            {leaf("x", 60, (2, 3), dt)}
            {leaf("w", 61, (2, 3), dt)}
            z = (x * w).tanh().sum()
            dx, dw = autograd.grad(z, [x, w])
            expect(dx, "dx")
            expect(dw, "dw")
            expect_equal(x.grad is None, True)
            expect_equal(w.grad is None, True)""")
    yield g.case("float32/grad_of_result", "autograd/S8", f"""
            {leaf("x", 62, (3,), "float32")}
            y = x.exp()
            z = (y * y * x).sum()
            dy, dx = autograd.grad(z, [y, x])
            expect(dy, "dy")
            expect(dx, "dx")""")
    yield g.case("float32/grad_of_result_only", "autograd/S8", f"""
            {leaf("x", 63, (3,), "float32")}
            y = x.exp()
            z = (y * y).sum()
            (dy,) = autograd.grad(z, [y])
            expect(dy, "dy")
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/grad_of_root_itself", "autograd/S8", f"""
            {leaf("x", 64, (3,), "float32")}
            y = x * x
            h = normal(65, (3,), torch.float32)
            (dy,) = autograd.grad(y, [y], h)
            expect(dy, "dy")""")
    yield g.case("float32/grad_outputs", "autograd/S8", f"""
            {leaf("x", 66, (3,), "float32")}
            y = x * x
            h = normal(67, (3,), torch.float32)
            (dx,) = autograd.grad(y, x, grad_outputs=h)
            expect(dx, "dx")
            expect_equal(dx.requires_grad, False)""")
    yield g.case("float32/grad_of_several_outputs", "autograd/S8 autograd/S5", f"""
            {leaf("x", 68, (3,), "float32")}
            h = normal(69, (3,), torch.float32)
            (dx,) = autograd.grad([x * x, x.exp()], [x], [h, h * 2])
            expect(dx, "dx")""")
    yield g.case("float32/same_input_twice", "autograd/S8", f"""
            {leaf("x", 70, (3,), "float32")}
            a, b = autograd.grad((x * x).sum(), [x, x])
            expect(a, "a")
            expect(b, "b")""")
    yield g.case("float32/unused_allowed", "autograd/S9", f"""
            {leaf("x", 71, (3,), "float32")}
            {leaf("w", 72, (3,), "float32")}
            dx, dw = autograd.grad((x * x).sum(), [x, w], allow_unused=True)
            expect(dx, "dx")
            expect_equal(dw is None, True)""")
    yield g.case("float32/unused_refused", "autograd/C9", f"""
            {leaf("x", 73, (3,), "float32")}
            {leaf("w", 74, (3,), "float32")}
            z = (x * x).sum()
            expect_error(RuntimeError, "autograd/C9", autograd.grad, z, [x, w])
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/later_result_is_unused", "autograd/C9", f"""
            {leaf("x", 75, (3,), "float32")}
            y = x.exp()
            z = y.sum()
            late = y * 2
            expect_error(RuntimeError, "autograd/C9", autograd.grad, z, late)""")
    yield g.case("float32/input_without_grad", "autograd/C8", f"""
            {leaf("x", 76, (3,), "float32")}
            c = torch.ones(3)
            z = (x * c).sum()
            expect_error(RuntimeError, "autograd/C8", autograd.grad, z, [x, c])""")
    yield g.case("float32/no_inputs", "autograd/C19", f"""
            {leaf("x", 77, (3,), "float32")}
            z = (x * x).sum()
            expect_error(RuntimeError, "autograd/C19", autograd.grad, z, [])""")
    yield g.case("float32/output_without_grad", "autograd/C6", f"""
            {leaf("x", 78, (3,), "float32")}
            z = torch.ones(())
            expect_error(RuntimeError, "autograd/C6", autograd.grad, z, x)""")
    yield g.case("float32/output_of_several_elements", "autograd/C5", f"""
            {leaf("x", 79, (3,), "float32")}
            expect_error(RuntimeError, "autograd/C5", autograd.grad, x * x, x)""")
    yield g.case("float32/gradient_of_wrong_shape", "autograd/C7", f"""
            {leaf("x", 79, (3,), "float32")}
            expect_error(RuntimeError, "autograd/C7", autograd.grad, x * x, x, torch.ones(2))""")
    yield g.case("float32/part_of_the_graph", "autograd/S8", f"""
            {leaf("x", 80, (3,), "float32")}
            {leaf("w", 81, (3,), "float32")}
            a = x * w
            b = a.exp()
            z = (a * b).sum()
            (dw,) = autograd.grad(z, w, retain_graph=True)
            (db,) = autograd.grad(z, b)
            expect(dw, "dw")
            expect(db, "db")""")


SECOND = [
    ("mul", "x * x * c"), ("div", "c / x"), ("div_both", "x / (x + 2)"), ("exp", "x.exp()"),
    ("log", "x.log()"), ("sqrt", "x.sqrt()"), ("tanh", "x.tanh()"), ("sub", "(c - x) * x"),
    ("mean", "x * x.mean()"), ("sum_dim", "x * x.sum(dim=1, keepdim=True)"),
    ("mm", "torch.mm(x, x.t())"), ("matmul", "x @ x.t() @ c"),
    ("softmax", "torch.softmax(x, dim=1) * c"),
    ("log_softmax", "torch.log_softmax(x, dim=1) * c"), ("gelu", "F.gelu(x)"),
    ("relu", "F.relu(x - 1) * x"), ("where", "torch.where(c < 0, x * x, x.exp())"),
    ("layer_norm", "F.layer_norm(x, (3,)) * c"),
    ("cat", "torch.cat([x * x, x], dim=0)"), ("slice", "x[:, 1:] * x[:, :2]"),
    ("select", "x[0] * x[1]"), ("expand", "(x[0] * x[0]).expand(2, 3) * c"),
    ("transpose", "x.t() @ (x * x)"), ("as_strided", "(x * x).as_strided((3, 2), (1, 1)) * c.t()"),
    ("amax", "x * x.amax(dim=1, keepdim=True)"),
    ("index_select", "torch.index_select(x, 0, torch.tensor([1, 1, 0])) * 2 * x[0]"),
    ("clone", "(x * x).clone() * x"), ("to", "(x * x).to(torch.float64) * 2.0"),
]


def second_order(g):
    for name, expr in SECOND:
        yield g.case(f"float64/second_{name}", "autograd/S10", f"""
            x = uniform(90, (2, 3), torch.float64, low=0.5, high=2.0)
            x.requires_grad_()
            c = normal(91, (2, 3), torch.float64)
            z = ({expr}).sum()
            (dx,) = autograd.grad(z, x, create_graph=True)
            expect(dx, "dx")
            v = normal(92, (2, 3), torch.float64)
            (d2x,) = autograd.grad((dx * v).sum(), x)
            expect(d2x, "d2x")""", variants=False)
    for dt in ("float32", "bfloat16", "float16"):
        yield g.case(f"{dt}/second_order", "autograd/S10", f"""
            {leaf("x", 93, (2, 3), dt)}
            v = normal(94, (2, 3), torch.{dt})
            z = (x * x * x).sum()
            (dx,) = autograd.grad(z, x, create_graph=True)
            (d2x,) = autograd.grad(dx, x, v)
            expect(dx, "dx")
            expect(d2x, "d2x")""")
    yield g.case("float64/third_order", "autograd/S10", f"""
            {leaf("x", 95, (3,), "float64")}
            z = (x * x * x * x).sum()
            (a,) = autograd.grad(z, x, create_graph=True)
            (b,) = autograd.grad(a.sum(), x, create_graph=True)
            (c,) = autograd.grad(b.sum(), x)
            expect(a, "a")
            expect(b, "b")
            expect(c, "c")""")
    yield g.case("float64/gradient_penalty", "autograd/S10", f"""
            {leaf("x", 96, (2, 3), "float64")}
            {leaf("w", 97, (3, 2), "float64")}
            y = (x @ w).tanh().sum()
            (dx,) = autograd.grad(y, x, create_graph=True)
            loss = y + (dx * dx).sum()
            loss.backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float64/grad_of_given_gradient", "autograd/S10", f"""
            {leaf("x", 98, (3,), "float64")}
            {leaf("h", 99, (3,), "float64")}
            (dx,) = autograd.grad(x.exp(), x, h, create_graph=True)
            (dh,) = autograd.grad((dx * dx).sum(), h)
            expect(dh, "dh")""")
    yield g.case("float64/linear_has_no_second", "autograd/S10 autograd/S9", f"""
            {leaf("x", 98, (3,), "float64")}
            {leaf("w", 99, (3,), "float64")}
            (dx,) = autograd.grad((x * w).sum(), x, create_graph=True)
            expect(dx, "dx")
            expect_equal(dx.requires_grad, True)
            (dxx,) = autograd.grad(dx.sum(), x, allow_unused=True)
            expect_equal(dxx is None, True)""")
    yield g.case("float64/without_create_graph_no_history", "autograd/S10", f"""
            {leaf("x", 98, (3,), "float64")}
            (dx,) = autograd.grad((x * x).sum(), x)
            expect(dx, "dx")
            expect_equal(dx.requires_grad, False)
            expect_equal(dx.is_leaf, True)""")


def broadcast(g):
    shapes = [("row", (3, 4), (4,)), ("column", (3, 4), (3, 1)), ("zero_dim", (3, 4), ()),
              ("both", (3, 1), (1, 4)), ("lead", (2, 3, 4), (3, 4)), ("ones", (2, 3), (1, 1, 1))]
    for dt in g.FLOAT:
        for name, a, b in shapes:
            yield g.case(f"{dt}/broadcast_{name}", "autograd/S11", f"""
            {leaf("x", 100, a, dt)}
            {leaf("w", 101, b, dt)}
            y = x * w
            h = normal(102, y.shape, torch.{dt})
            y.backward(h)
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=dt == "float32")
    for op in ("x + w", "x - w", "x / w", "torch.where(x < w, x, w)"):
        name = {"+": "add", "-": "sub", "/": "div"}.get(op[2], "where")
        yield g.case(f"float32/broadcast_{name}", "autograd/S11", f"""
            x = uniform(103, (2, 1, 3), torch.float32, low=0.5, high=2.0)
            x.requires_grad_()
            w = uniform(104, (4, 1), torch.float32, low=0.5, high=2.0)
            w.requires_grad_()
            y = {op}
            h = normal(105, (2, 4, 3), torch.float32)
            y.backward(h)
            expect(x.grad, "dx")
            expect(w.grad, "dw")""")
    yield g.case("float32/broadcast_empty", "autograd/S11", """
            x = torch.zeros(0, 3)
            x.requires_grad_()
            w = torch.ones(3)
            w.requires_grad_()
            (x * w).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", trivial="the sum over no rows is zero")
    yield g.case("float32/sum_many_ones", "autograd/S11", """
            w = torch.ones(1)
            w.requires_grad_()
            x = normal(106, (40, 50), torch.float32)
            (x * w).sum().backward()
            expect(w.grad, "dw")""")


def dtypes(g):
    pairs = [("float16", "float32"), ("bfloat16", "float32"), ("float32", "float64"),
             ("float16", "bfloat16"), ("bfloat16", "float64")]
    for a, b in pairs:
        yield g.case(f"{a}/with_{b}", "autograd/S12", f"""
            {leaf("x", 110, (2, 3), a)}
            {leaf("w", 111, (2, 3), b)}
            y = x * w
            y.sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")
            expect_equal(x.grad.dtype, torch.{a})
            expect_equal(w.grad.dtype, torch.{b})""", variants=False)
        yield g.case(f"{a}/broadcast_with_{b}", "autograd/S12 autograd/S11", f"""
            {leaf("x", 112, (3,), a)}
            {leaf("w", 113, (4, 3), b)}
            (x * w).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    for dt in ("int64", "uint8", "bool"):
        yield g.case(f"float32/times_{dt}", "autograd/S12", f"""
            {leaf("x", 114, (4,), "float32")}
            i = torch.tensor([1, 0, 3, 1]).to(torch.{dt})
            (x * i).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/times_number", "autograd/S12", f"""
            {leaf("x", 115, (4,), dt)}
            (x * 2.5 + 1).sum().backward()
            expect(x.grad, "dx")""")
        yield g.case(f"{dt}/times_zero_dim_double", "autograd/S12", f"""
            {leaf("x", 116, (4,), dt)}
            w = torch.tensor(1.7, dtype=torch.float64)
            w.requires_grad_()
            (x * w).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float16/through_float32", "autograd/S12", """
            x = normal(117, (4,), torch.float16)
            x.requires_grad_()
            y = x.to(torch.float32)
            (y * y * 3.1).sum().backward()
            expect(x.grad, "dx")""")


def versions(g):
    yield g.case("float32/each_write_counts", "autograd/S14", """
            x = normal(120, (4,), torch.float32)
            expect_equal(x._version, 0)
            x.add_(1)
            expect_equal(x._version, 1)
            x.mul_(2)
            x.fill_(3)
            x.zero_()
            x.copy_(torch.ones(4))
            expect_equal(x._version, 5)
            x[1:3] = 2.0
            expect_equal(x._version, 6)
            y = x + 1
            expect_equal(x._version, 6)
            expect_equal(y._version, 0)""")
    yield g.case("int64/each_write_counts", "autograd/S14", """
            x = integers(121, (4,), torch.int64)
            x.add_(1)
            expect_equal(x._version, 1)""")
    yield g.case("float32/writes_without_grad_count", "autograd/S14", f"""
            {leaf("x", 122, (4,), "float32")}
            with torch.no_grad():
                x.add_(1)
            expect_equal(x._version, 1)
            expect_equal(x.is_leaf, True)""")
    yield g.case("float32/out_counts", "autograd/S14", """
            x = normal(123, (4,), torch.float32)
            y = torch.empty(4)
            torch.mul(x, 2, out=y)
            expect_equal(y._version, 1)
            expect(y, "y")""")
    yield g.case("float32/views_and_detached_share", "autograd/S14", """
            x = normal(124, (4,), torch.float32)
            v = x.view(2, 2)
            d = x.detach()
            w = x.data
            d.add_(1)
            expect_equal(x._version, 1)
            expect_equal(v._version, 1)
            expect_equal(d._version, 1)
            expect_equal(w._version, 0)
            w.add_(1)
            expect_equal(x._version, 1)
            expect_equal(w._version, 1)
            expect(x, "x")""", variants=False)
    for name, body in (
            ("argument", "y = x * 2\nz = y * w\ny.add_(1)"),
            ("result", "y = x.exp()\nz = y + w\ny.mul_(2)"),
            ("through_view", "y = x * 2\nz = y * w\ny[0] = 5.0"),
            ("through_detached", "y = x * 2\nz = y * w\ny.detach().add_(1)"),
            ("fill", "y = x * 2\nz = y * w\ny.fill_(1)"),
            ("copy", "y = x * 2\nz = y * w\ny.copy_(w.detach())"),
            ("by_itself", "y = x * 2\ny.mul_(y)\nz = y + w"),
            ("through_view_of_saved", "y = x * 2\nv = y[:2]\nz = v * w[:2]\ny.add_(1)")):
        lines = "\n            ".join(body.split("\n"))
        yield g.case(f"float32/saved_modified_{name}", "autograd/C3", f"""
            {leaf("x", 125, (3,), "float32")}
            {leaf("w", 126, (3,), "float32")}
            {lines}
            z = z.sum()
            expect_error(RuntimeError, "autograd/C3", z.backward)""", variants=False)
    yield g.case("float32/saved_leaf_modified", "autograd/C3", f"""
            {leaf("x", 127, (3,), "float32")}
            z = (x * x).sum()
            with torch.no_grad():
                x.add_(1)
            expect_error(RuntimeError, "autograd/C3", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("int64/saved_index_modified", "autograd/C3", f"""
            {leaf("x", 128, (3, 2), "float32")}
            i = torch.tensor([2, 0])
            z = torch.index_select(x, 0, i).sum()
            i.add_(1)
            expect_error(RuntimeError, "autograd/C3", z.backward)""")
    yield g.case("float32/not_saved_may_change", "autograd/S14", f"""
            {leaf("x", 129, (3,), "float32")}
            y = x * 2
            z = y + 1
            y.zero_()
            (z * z).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/saved_only_where_needed", "autograd/S14", f"""
            {leaf("x", 130, (3,), "float32")}
            c = normal(131, (3,), torch.float32)
            y = x * 2
            z = (y * c).sum()
            y.zero_()
            z.backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/data_escapes_the_check", "autograd/S24", f"""
            {leaf("x", 132, (3,), "float32")}
            y = x * 2
            z = (y * y).sum()
            y.data.zero_()
            z.backward()
            expect(x.grad, "dx")""", trivial="zeros are the trap's answer")


def in_place(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/in_place_mul", "autograd/S15 autograd/S17", f"""
            {leaf("x", 140, (2, 3), dt)}
            {leaf("w", 141, (2, 3), dt)}
            y = x + 1
            y.mul_(w)
            (y * 2).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""")
    for name, body in (
            ("add", "y.add_(w)"), ("sub", "y.sub_(w)"), ("add_alpha", "y.add_(w, alpha=2)"),
            ("div", "y.div_(w)"), ("augmented", "y *= w"), ("exp", "y.exp_()"),
            ("tanh", "y.tanh_()"), ("neg", "y.neg_()"), ("relu", "y.relu_()"),
            ("copy", "y.copy_(w)"), ("zero", "y.zero_()"), ("copy_zero_dim", "y.copy_(w.sum())"),
            ("broadcast", "y.mul_(w[0])"), ("twice", "y.mul_(w)\n            y.mul_(w)")):
        yield g.case(f"float32/in_place_{name}", "autograd/S15", f"""
            x = uniform(142, (2, 3), torch.float32, low=0.5, high=2.0)
            x.requires_grad_()
            w = uniform(143, (2, 3), torch.float32, low=0.5, high=2.0)
            w.requires_grad_()
            y = x * 3
            {body}
            expect(y, "y")
            z = (y * x + w).sum()
            z.backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""")
    yield g.case("float32/in_place_makes_history", "autograd/S15", f"""
            {leaf("w", 144, (3,), "float32")}
            y = normal(145, (3,), torch.float32)
            y.mul_(w)
            expect_equal(y.requires_grad, True)
            expect_equal(y.is_leaf, False)
            y.sum().backward()
            expect(w.grad, "dw")
            expect_equal(y.grad is None, True)""")
    yield g.case("float32/in_place_returns_self", "autograd/S15", f"""
            {leaf("x", 146, (3,), "float32")}
            y = x * 2
            expect_same(y.add_(1), y)""")
    yield g.case("float64/in_place_second_order", "autograd/S17 autograd/S10", f"""
            {leaf("x", 147, (3,), "float64")}
            {leaf("w", 148, (3,), "float64")}
            y = x * x
            y.mul_(w)
            (dw,) = autograd.grad((y * y).sum(), w, create_graph=True)
            dx2, dw2 = autograd.grad(dw.sum(), [x, w])
            expect(dw, "dw")
            expect(dx2, "dx2")
            expect(dw2, "dw2")""")
    for name, call in (("add", "x.add_, 1"), ("mul", "x.mul_, c"), ("zero", "x.zero_"),
                       ("copy", "x.copy_, c"), ("exp", "x.exp_")):
        yield g.case(f"float32/leaf_in_place_{name}", "autograd/C1", f"""
            {leaf("x", 149, (3,), "float32")}
            c = torch.ones(3)
            expect_error(RuntimeError, "autograd/C1", {call})
            expect_equal(x._version, 0)""")
    for name, view in (("slice", "x[1:]"), ("select", "x[0]"), ("view", "x.view(3, 1)"),
                       ("transpose", "x.view(1, 3).t()")):
        yield g.case(f"float32/view_of_leaf_in_place_{name}", "autograd/C2", f"""
            {leaf("x", 150, (3,), "float32")}
            v = {view}
            expect_error(RuntimeError, "autograd/C2", v.add_, 1)
            expect_equal(x._version, 0)""", variants=False)
    yield g.case("float32/leaf_assignment", "autograd/C2", f"""
            {leaf("x", 150, (3,), "float32")}
            def assign():
                x[0] = 5.0
            expect_error(RuntimeError, "autograd/C2", assign)""")
    for name, call in (("first", "h * w"), ("second", "w * h")):
        # Only h is kept: the gradient of the other argument is all that is wanted.
        yield g.case(f"float32/in_place_of_what_is_not_kept_{name}", "autograd/S15", f"""
            {leaf("x", 153, (3,), "float32")}
            h = normal(154, (3,), torch.float32)
            w = x * 1
            y = {call}
            w.add_(5)
            y.backward(normal(155, (3,), torch.float32))
            expect(x.grad, "x")""")
    yield g.case("float32/leaf_in_place_without_grad", "autograd/S18", f"""
            {leaf("x", 151, (3,), "float32")}
            h = normal(152, (3,), torch.float32)
            with torch.no_grad():
                x.sub_(h, alpha=0.5)
            expect(x, "x")
            expect_equal(x.requires_grad, True)
            expect_equal(x.is_leaf, True)
            (x * x).sum().backward()
            expect(x.grad, "dx")""")
    for op in ("add", "mul", "sub", "div"):
        yield g.case(f"float32/out_of_{op}", "autograd/C14", f"""
            {leaf("x", 153, (3,), "float32")}
            y = torch.zeros(3)
            expect_error(RuntimeError, "autograd/C14", torch.{op}, x, x, out=y)
            expect_equal(y._version, 0)""")
    yield g.case("float32/out_matmul", "autograd/C14", f"""
            {leaf("x", 154, (3, 3), "float32")}
            y = torch.zeros(3, 3)
            expect_error(RuntimeError, "autograd/C14", torch.mm, x, x, out=y)
            expect_error(RuntimeError, "autograd/C14", torch.matmul, x, x, out=y)""")
    yield g.case("float32/out_that_requires_grad", "autograd/C14", f"""
            {leaf("x", 155, (3,), "float32")}
            c = torch.ones(3)
            expect_error(RuntimeError, "autograd/C14", torch.add, c, c, out=x)""")
    yield g.case("float32/out_without_grad_mode", "autograd/S18", f"""
            {leaf("x", 156, (3,), "float32")}
            y = torch.zeros(3)
            with torch.no_grad():
                torch.mul(x, 2, out=y)
            expect(y, "y")
            expect_equal(y.requires_grad, False)""")
    yield g.case("float32/out_of_comparison", "autograd/S1", f"""
            {leaf("x", 157, (4,), "float32")}
            y = torch.zeros(4, dtype=torch.bool)
            torch.lt(x, 0, out=y)
            expect_equal(y, "y")""")


def views(g):
    for name, view in (("slice", "y[1:3]"), ("step", "y[::2]"), ("row", "y[1]"),
                       ("column", "y[:, 1]"), ("transpose", "y.t()"), ("view", "y.view(8, 2)"),
                       ("permute", "y.permute(1, 0)"), ("unsqueeze", "y.unsqueeze(1)"),
                       ("chain", "y[1:].t()[0]"), ("as_strided", "y.as_strided((2, 2), (5, 1), 1)"),
                       ("detached_shape", "y.view(2, 2, 4)[:, 1]")):
        yield g.case(f"float32/write_through_a_{name}", "autograd/S16", f"""
            {leaf("x", 160, (4, 4), "float32")}
            {leaf("w", 161, (), "float32")}
            c = normal(162, (4, 4), torch.float32)
            y = x * 2
            v = {view}
            v.mul_(w)
            expect(y, "y")
            (y * c).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/write_through_view", "autograd/S16", f"""
            {leaf("x", 163, (3, 4), dt)}
            {leaf("w", 164, (4,), dt)}
            c = normal(165, (3, 4), torch.{dt})
            y = x * 1
            y[1].copy_(w)
            y[2] *= w
            (y * c).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/other_view_follows", "autograd/S16", f"""
            {leaf("x", 166, (4,), "float32")}
            {leaf("w", 167, (2,), "float32")}
            y = x * 3
            a = y[:3]
            b = y[1:3]
            b.mul_(w)
            (a * a).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/view_follows_base", "autograd/S16", f"""
            {leaf("x", 168, (4,), "float32")}
            {leaf("w", 169, (4,), "float32")}
            y = x * 3
            v = y[1:]
            y.mul_(w)
            (v * v).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/view_of_view_follows", "autograd/S16", f"""
            {leaf("x", 170, (2, 6), "float32")}
            {leaf("w", 171, (3,), "float32")}
            y = x * 3
            a = y.view(4, 3)
            b = a[1:3]
            b[0].mul_(w)
            (a * a).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/base_gets_history_from_view", "autograd/S16", f"""
            {leaf("w", 172, (2,), "float32")}
            y = normal(173, (4,), torch.float32)
            v = y[:2]
            other = y[1:]
            expect_equal(y.requires_grad, False)
            v.mul_(w)
            expect_equal(y.requires_grad, True)
            expect_equal(v.requires_grad, True)
            expect_equal(other.requires_grad, True)
            expect_equal(y.is_leaf, False)
            (other * y[:3]).sum().backward()
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/write_and_overwrite", "autograd/S16", f"""
            {leaf("x", 174, (4,), "float32")}
            {leaf("w", 175, (2,), "float32")}
            y = x * 2
            y[:2] = w
            y[1:3] = 7.0
            (y * y).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/loop_of_writes", "autograd/S16", f"""
            {leaf("x", 176, (5,), "float32")}
            y = torch.zeros(5)
            y[0] = x[0]
            for i in range(1, 5):
                y[i] = x[i] * 2 + x[i - 1]
            (y * y).sum().backward()
            expect(y, "y")
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/recurrence_saves_overwritten_base", "autograd/C3", f"""
            {leaf("w", 177, (), "float32")}
            y = torch.ones(3)
            y[1] = y[0] * w
            y[2] = y[1] * w
            z = y.sum()
            expect_error(RuntimeError, "autograd/C3", z.backward)""", variants=False)
    yield g.case("float32/recurrence_on_clones", "autograd/S16", f"""
            {leaf("w", 178, (), "float32")}
            y = torch.ones(3)
            y[1] = y[0].clone() * w
            y[2] = y[1].clone() * w
            y.sum().backward()
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/transpose_of_written", "autograd/S16", f"""
            {leaf("x", 179, (3, 2), "float32")}
            c = normal(180, (2, 3), torch.float32)
            y = (x * 2).t()
            y[0] += 1
            y.mul_(c)
            (y * y).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float64/write_through_view_second_order", "autograd/S16 autograd/S10", f"""
            {leaf("x", 181, (4,), "float64")}
            {leaf("w", 182, (2,), "float64")}
            y = x * x
            y[1:3].mul_(w)
            dx, dw = autograd.grad((y * y).sum(), [x, w], create_graph=True)
            dxx, dww = autograd.grad(dx.sum() + (dw * dw).sum(), [x, w])
            expect(dx, "dx")
            expect(dw, "dw")
            expect(dxx, "dxx")
            expect(dww, "dww")""", variants=False)
    for dt in g.FLOAT:
        yield g.case(f"{dt}/overlapping_windows", "autograd/S25", f"""
            {leaf("x", 183, (6,), dt)}
            c = normal(184, (4, 3), torch.{dt})
            w = x.as_strided((4, 3), (1, 1))
            (w * c).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/view_made_without_grad_written_with", "autograd/C18", f"""
            {leaf("w", 185, (3,), "float32")}
            y = torch.ones(4)
            with torch.no_grad():
                v = y[1:]
            expect_error(RuntimeError, "autograd/C18", v.mul_, w)
            expect_equal(y._version, 0)""", variants=False)
    yield g.case("float32/view_made_without_grad_of_leaf", "autograd/C18", f"""
            {leaf("x", 186, (4,), "float32")}
            with torch.no_grad():
                v = x[1:]
            expect_error(RuntimeError, "autograd/C18", v.mul_, 2)
            with torch.no_grad():
                v.mul_(2)
            expect(x, "x")""", variants=False)
    yield g.case("float32/view_made_without_grad_used_after_write", "autograd/C18", f"""
            {leaf("w", 187, (4,), "float32")}
            y = torch.ones(4)
            with torch.no_grad():
                v = y[1:]
            y.mul_(w)
            expect_error(RuntimeError, "autograd/C18", torch.mul, v, 2)""", variants=False)
    yield g.case("float32/view_of_leaf_after_update", "autograd/S16", f"""
            {leaf("x", 188, (4,), "float32")}
            v = x[1:]
            with torch.no_grad():
                x.mul_(2)
            (v * v).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/requires_grad_after_view", "autograd/S16", """
            x = normal(189, (4,), torch.float32)
            v = x[1:]
            x.requires_grad_()
            expect_equal(v.requires_grad, True)
            expect_equal(v.is_leaf, True)""", variants=False)


def modes(g):
    yield g.case("float32/no_grad", "autograd/S18", f"""
            {leaf("x", 190, (3,), "float32")}
            with torch.no_grad():
                y = x * x
                expect_equal(torch.is_grad_enabled(), False)
            expect_equal(y.requires_grad, False)
            expect_equal(y.is_leaf, True)
            expect_equal(torch.is_grad_enabled(), True)
            expect(y, "y")""")
    yield g.case("float32/modes_nest", "autograd/S18", f"""
            {leaf("x", 191, (3,), "float32")}
            with torch.no_grad():
                with torch.enable_grad():
                    a = x * x
                    with torch.no_grad():
                        b = x * x
                    c = x * x
                d = x * x
            expect_equal(a.requires_grad, True)
            expect_equal(b.requires_grad, False)
            expect_equal(c.requires_grad, True)
            expect_equal(d.requires_grad, False)""")
    yield g.case("float32/set_grad_enabled", "autograd/S18", f"""
            {leaf("x", 192, (3,), "float32")}
            for i in range(2):
                with torch.set_grad_enabled(i == 1):
                    y = x * x
                expect_equal(y.requires_grad, i == 1)""")
    yield g.case("float32/backward_inside_no_grad", "autograd/S18", f"""
            {leaf("x", 194, (3,), "float32")}
            z = (x * x).sum()
            with torch.no_grad():
                z.backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/requires_grad_inside_no_grad", "autograd/S18", """
            with torch.no_grad():
                x = torch.ones(3)
                x.requires_grad_()
            (x * x).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/detach", "autograd/S19", f"""
            {leaf("x", 195, (3,), "float32")}
            y = x.exp()
            d = y.detach()
            expect_equal(d.requires_grad, False)
            expect_equal(d.is_leaf, True)
            (y * d).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/detach_then_require", "autograd/S19", f"""
            {leaf("x", 196, (3,), "float32")}
            d = (x * x).detach()
            d.requires_grad_()
            (d * x).sum().backward()
            expect(x.grad, "dx")
            expect(d.grad, "dd")""")
    yield g.case("float32/detach_shares_elements", "autograd/S19", f"""
            {leaf("x", 197, (3,), "float32")}
            d = x.detach()
            d.mul_(2)
            expect(x, "x")
            expect_equal(x._version, 1)
            expect_equal(x.is_leaf, True)""")
    yield g.case("float32/training_step", "autograd/S18 autograd/S3", f"""
            {leaf("w", 198, (3, 2), "float32")}
            x = normal(199, (4, 3), torch.float32)
            t = normal(200, (4, 2), torch.float32)
            for step in range(3):
                d = x @ w - t
                loss = (d * d).mean()
                w.grad = None
                loss.backward()
                expect(loss, "loss")
                with torch.no_grad():
                    w -= w.grad * 0.1
            expect(w, "w")""", variants=False)


def hooks(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/hook_replaces", "autograd/S20", f"""
            {leaf("x", 210, (3,), dt)}
            def twice(h):
                return h * 2
            y = x * x
            y.register_hook(twice)
            y.sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/hook_on_leaf", "autograd/S20", f"""
            {leaf("x", 211, (3,), "float32")}
            def plus(h):
                return h + 1
            x.register_hook(plus)
            (x * x).sum().backward()
            expect(x.grad, "dx")
            (x * x).sum().backward()
            expect(x.grad, "twice")""")
    yield g.case("float32/hook_records", "autograd/S20 autograd/S3", f"""
            {leaf("x", 218, (3,), "float32")}
            {leaf("w", 219, (3,), "float32")}
            def recorded(h):
                with torch.enable_grad():
                    return w * 3
            x.register_hook(recorded)
            (x * 2).sum().backward()
            expect(x.grad, "dx")
            expect_equal(x.grad.requires_grad, False)
            expect_equal(w.grad is None, True)""")
    yield g.case("float32/hook_returns_nothing", "autograd/S20", f"""
            {leaf("x", 212, (3,), "float32")}
            def look(h):
                expect(h, "seen")
            y = x * x
            y.register_hook(look)
            (y * 3).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/hooks_in_order", "autograd/S20", f"""
            {leaf("x", 213, (3,), "float32")}
            def twice(h):
                return h * 2
            def plus(h):
                return h + 1
            y = x * 3
            y.register_hook(twice)
            y.register_hook(plus)
            y.sum().backward()
            expect(x.grad, "twice_plus")
            z = x * 3
            z.register_hook(plus)
            z.register_hook(twice)
            z.sum().backward()
            expect(x.grad, "and_plus_twice")""")
    yield g.case("float32/hook_removed", "autograd/S20", f"""
            {leaf("x", 214, (3,), "float32")}
            def twice(h):
                return h * 2
            def plus(h):
                return h + 1
            y = x * x
            y.register_hook(plus)
            a = y.register_hook(twice)
            y.register_hook(plus)
            a.remove()
            (y * 5).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/hook_gets_the_sum", "autograd/S20", f"""
            {leaf("x", 215, (3,), "float32")}
            def square(h):
                return h * h
            y = x * 2
            y.register_hook(square)
            (y * 3 + y * x).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/retain_grad_sees_hooks", "autograd/S20 autograd/S6", f"""
            {leaf("x", 216, (3,), "float32")}
            def twice(h):
                return h * 2
            y = x * x
            y.retain_grad()
            y.register_hook(twice)
            (y * x).sum().backward()
            expect(y.grad, "dy")
            expect(x.grad, "dx")""")
    yield g.case("float32/hook_stays_with_its_version", "autograd/S21 autograd/S6", f"""
            {leaf("x", 217, (3,), "float32")}
            def first(h):
                expect(h, "first")
            def second(h):
                expect(h, "second")
            y = x.clone()
            y.register_hook(first)
            y.retain_grad()
            y.mul_(2)
            y.register_hook(second)
            (y * x).sum().backward()
            expect(y.grad, "dy")
            expect(x.grad, "dx")""")
    yield g.case("float32/captured_before_hook", "autograd/S23", f"""
            {leaf("x", 218, (3,), "float32")}
            def tenfold(h):
                return h * 10
            y = x * 3
            y.register_hook(tenfold)
            z = (y * y).sum()
            dx, dy = autograd.grad(z, [x, y])
            expect(dx, "dx")
            expect(dy, "dy")""")
    yield g.case("float32/captured_after_hook", "autograd/S23", f"""
            {leaf("x", 219, (3,), "float32")}
            def tenfold(h):
                return h * 10
            y = x * 3
            y.register_hook(tenfold)
            x.register_hook(tenfold)
            (dy,) = autograd.grad((y * y).sum(), [y])
            expect(dy, "dy")
            (dx,) = autograd.grad((x * x).sum(), [x])
            expect(dx, "dx")""")
    yield g.case("float64/hook_and_create_graph", "autograd/S20 autograd/S10", f"""
            {leaf("x", 220, (3,), "float64")}
            def square(h):
                return h * h
            y = x * x
            y.register_hook(square)
            (dx,) = autograd.grad((y * y).sum(), x, create_graph=True)
            (dxx,) = autograd.grad(dx.sum(), x)
            expect(dx, "dx")
            expect(dxx, "dxx")""")
    yield g.case("float32/hook_of_other_shape", "autograd/C16", f"""
            {leaf("x", 221, (3,), "float32")}
            def cut(h):
                return h[:2]
            y = x * x
            y.register_hook(cut)
            z = y.sum()
            expect_error(RuntimeError, "autograd/C16", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/hook_of_other_dtype", "autograd/C16", f"""
            {leaf("x", 222, (3,), "float32")}
            def widen(h):
                return h.double()
            x.register_hook(widen)
            z = (x * x).sum()
            expect_error(RuntimeError, "autograd/C16", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/hook_without_grad", "autograd/C15", """
            def same(h):
                return h
            x = torch.ones(3)
            expect_error(RuntimeError, "autograd/C15", x.register_hook, same)""")


def data(g):
    yield g.case("float32/data_shares_elements", "autograd/S24", f"""
            {leaf("x", 230, (3,), "float32")}
            d = x.data
            expect_equal(d.requires_grad, False)
            d.mul_(2)
            expect(x, "x")
            expect_equal(x._version, 0)""")
    yield g.case("float16/data_is_alike", "autograd/S24", f"""
            {leaf("x", 236, (2, 3), "float16")}
            d = x.t().data
            expect(d, "d")
            expect_strides(d, (1, 3))""")
    yield g.case("float32/data_assigned", "autograd/S24", f"""
            {leaf("x", 231, (3,), "float32")}
            v = normal(232, (2, 2), torch.float32)
            x.data = v
            expect(x, "x")
            expect_equal(x.requires_grad, True)
            expect_equal(x.is_leaf, True)
            (x * x).sum().backward()
            expect(x.grad, "dx")
            v.zero_()
            expect_equal(x, [[0.0, 0.0], [0.0, 0.0]])""", variants=False)
    yield g.case("float32/data_of_other_dtype", "autograd/S24", f"""
            {leaf("x", 233, (3,), "float32")}
            x.data = normal(234, (3,), torch.float64)
            (x * x).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    for what, value in (("device", "torch.ones(3, device='meta')"),
                        ("integer", "torch.ones(3, dtype=torch.int64)")):
        yield g.case(f"float32/data_of_{what}", "autograd/C20", f"""
            {leaf("x", 235, (3,), "float32")}
            v = {value}
            def assign():
                x.data = v
            expect_error(RuntimeError, "autograd/C20", assign)
            expect_equal(x.dtype, torch.float32)""")


def engine(g):
    yield g.case("float32/chain_of_1000", "autograd/S27", """
            x = integers(240, (3,), torch.float32, low=-8, high=9)
            x.requires_grad_()
            y = x
            for i in range(1000):
                y = y + x
            y.backward(x.detach())
            expect(x.grad, "dx")""", timeout=20)
    yield g.case("float64/chain_of_products", "autograd/S27", f"""
            {leaf("x", 241, (3,), "float64")}
            y = x
            for i in range(200):
                y = y * 1.01
            (y * y).sum().backward()
            expect(x.grad, "dx")""", timeout=20)
    yield g.case("float32/doubling_paths", "autograd/S27", """
            x = torch.full((2,), 1.5)
            x.requires_grad_()
            y = x
            for i in range(24):
                y = y + y
            y.sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/backward_in_hook", "autograd/S27", f"""
            {leaf("x", 242, (3,), "float32")}
            {leaf("w", 243, (3,), "float32")}
            def inner(h):
                with torch.enable_grad():
                    z = (w * w * h).sum()
                z.backward()
            y = x * x
            y.register_hook(inner)
            (y * 2).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""")
    yield g.case("float32/order_of_accumulation", "autograd/S27", """
            x = torch.full((1,), 1.0)
            x.requires_grad_()
            a = x * 16777216.0
            b = x * 1.0
            c = x * 3.0
            d = x * -16777000.0
            autograd.backward([a, b, c, d])
            expect(x.grad, "dx")""")
    yield g.case("float32/undefined_gradients_pass", "autograd/S27", f"""
            {leaf("x", 244, (3,), "float32")}
            y = x * x
            y.fill_(2)
            (y * x).sum().backward()
            expect(x.grad, "dx")""")


def functions(g):
    yield g.case("float64/function", "autograd/S28", f"""
            class Cube(Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x * x * x
                @staticmethod
                def backward(ctx, h):
                    x, = ctx.saved_tensors
                    return h * 3 * x * x
            {leaf("x", 250, (3,), "float64")}
            y = Cube.apply(x)
            expect(y, "y")
            expect_equal(y.is_leaf, False)
            (y * x).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/function_of_two", "autograd/S28", f"""
            class Product(Function):
                @staticmethod
                def forward(ctx, a, b, k):
                    ctx.save_for_backward(a, b)
                    ctx.k = k
                    return a * b * k
                @staticmethod
                def backward(ctx, h):
                    a, b = ctx.saved_tensors
                    return h * b * ctx.k, h * a * ctx.k, None
            {leaf("x", 251, (3,), "float32")}
            {leaf("w", 252, (3,), "float32")}
            Product.apply(x, w, 3.0).sum().backward()
            expect(x.grad, "dx")
            expect(w.grad, "dw")""")
    yield g.case("float32/function_of_wrong_shape", "autograd/C17", f"""
            class Bad(Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2
                @staticmethod
                def backward(ctx, h):
                    return h[:2]
            {leaf("x", 253, (3,), "float32")}
            z = Bad.apply(x).sum()
            expect_error(RuntimeError, "autograd/C17", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/function_of_wrong_device", "autograd/C17", f"""
            class Bad(Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2
                @staticmethod
                def backward(ctx, h):
                    return torch.zeros(3, device="meta")
            {leaf("x", 253, (3,), "float32")}
            z = Bad.apply(x).sum()
            expect_error(RuntimeError, "autograd/C17", z.backward)
            expect_equal(x.grad is None, True)""")
    yield g.case("float32/latest_first", "autograd/S27", f"""
            {leaf("x", 254, (3,), "float32")}
            seen = []
            class Noted(Function):
                @staticmethod
                def forward(ctx, x, k):
                    ctx.k = k
                    return x * (k + 1.5)
                @staticmethod
                def backward(ctx, h):
                    seen.append(ctx.k)
                    return h * (ctx.k + 1.5), None
            y = []
            for k in range(11):
                y.append(Noted.apply(x, k))
            z = torch.cat([y[4], y[9], y[0], y[7], y[2], y[10], y[5], y[1], y[8], y[3], y[6]])
            z.sum().backward()
            expect_equal(seen, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
            expect(x.grad, "dx")""")
    for name, label, error, back in (("too_few", "C24", "RuntimeError", "return h"),
                                     ("too_many", "C24", "RuntimeError", "return h, h, h"),
                                     ("no_tensor", "C25", "RuntimeError", "return h, 5")):
        yield g.case(f"float32/function_gives_{name}", f"autograd/{label}", f"""
            class Bad(Function):
                @staticmethod
                def forward(ctx, a, b):
                    return a * b
                @staticmethod
                def backward(ctx, h):
                    {back}
            {leaf("x", 255, (3,), "float32")}
            {leaf("w", 256, (3,), "float32")}
            z = Bad.apply(x, w).sum()
            expect_error({error}, "autograd/{label}", z.backward)
            expect_equal(x.grad is None, True)
            expect_equal(w.grad is None, True)""")
    yield g.case("float32/function_gives_more_nones", "autograd/S28 autograd/C24", f"""
            class More(Function):
                @staticmethod
                def forward(ctx, a):
                    return a * 2
                @staticmethod
                def backward(ctx, h):
                    return h * 2, None, None
            {leaf("x", 257, (3,), "float32")}
            y = More.apply(x)
            (y * y).sum().backward()
            expect(x.grad, "dx")""")
    yield g.case("float32/function_without_backward", "autograd/C26", f"""
            class Forward(Function):
                @staticmethod
                def forward(ctx, a):
                    return a * 2
            {leaf("x", 258, (3,), "float32")}
            z = Forward.apply(x).sum()
            expect_error(NotImplementedError, "autograd/C26", z.backward)""")
    yield g.case("float32/function_returns_its_input", "autograd/S28 autograd/C18", f"""
            class Same(Function):
                @staticmethod
                def forward(ctx, a):
                    return a
                @staticmethod
                def backward(ctx, h):
                    return h * 3
            {leaf("x", 259, (3,), "float32")}
            y = Same.apply(x)
            expect_view_of(y, x)
            expect_error(RuntimeError, "autograd/C18", y.mul_, 2)
            (y * y).sum().backward()
            expect(x.grad, "dx")""", variants=False)
    yield g.case("float32/function_without_grad", "autograd/S28", """
            class Double(Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2
                @staticmethod
                def backward(ctx, h):
                    return h * 2
            x = normal(254, (3,), torch.float32)
            y = Double.apply(x)
            expect(y, "y")
            expect_equal(y.requires_grad, False)""")


def checks(g):
    yield g.case("float64/gradcheck", "autograd/S29", f"""
            {leaf("x", 260, (2, 3), "float64")}
            {leaf("w", 261, (3,), "float64")}
            def f(x, w):
                return (x * w).tanh()
            expect_equal(autograd.gradcheck(f, (x, w)), True)""", variants=False)
    x = leaf("x", 261, (2, 3), "float64")
    for name, result in {"tuple": "x.tanh(), x.sum(), x[0]", "list": "[x * x, x]", "none": "()",
                         "detached": "x * 2, (x * x).detach()", "integer": "x.exp(), x.argmax()",
                         "constant": "torch.ones(2)"}.items():
        yield g.case(f"float64/gradcheck_{name}", "autograd/S29", f"""
            {x}
            def f(x):
                return {result}
            expect_equal(autograd.gradcheck(f, (x,)), True)""", variants=False)
    for name, result in {"second": "x * 2, x * x.detach()", "all_detached": "(x * x).detach(), x.argmax()",
                         "float32": "x * 2, x.float()"}.items():
        yield g.case(f"float64/gradcheck_finds_{name}", "autograd/S29 autograd/C21", f"""
            {x}
            def f(x):
                return {result}
            expect_error(RuntimeError, "autograd/C21", autograd.gradcheck, f, (x,))""",
                     variants=False)
    yield g.case("float64/gradcheck_not_tensors", "autograd/S29", f"""
            {x}
            def f(x):
                return x * 2, None
            expect_error(AttributeError, None, autograd.gradcheck, f, (x,))""", variants=False)
    for name, when, error in (("moving_shape", "x[0] == 1", "RuntimeError"),
                              ("torn_shape", "x[0] >= 1", "AssertionError")):
        label = {"RuntimeError": "autograd/C27", "AssertionError": "autograd/C28"}[error]
        yield g.case(f"float64/gradcheck_{name}", label, f"""
            x = torch.ones(3, dtype=torch.float64, requires_grad=True)
            def f(x):
                if {when}:
                    return x * 2
                return x[1:] * 2
            expect_error({error}, "{label}", autograd.gradcheck, f, (x,))""", variants=False)
    yield g.case("float64/gradcheck_finds", "autograd/C21", f"""
            {leaf("x", 262, (3,), "float64")}
            def f(x):
                return x * x.detach()
            expect_error(RuntimeError, "autograd/C21", autograd.gradcheck, f, (x,))""",
                 variants=False)
    yield g.case("float64/gradcheck_finds_in_the_last_input", "autograd/C21", f"""
            {leaf("x", 262, (3,), "float64")}
            {leaf("y", 263, (3,), "float64")}
            def f(x, y):
                return x * y * y.detach()
            expect_error(RuntimeError, "autograd/C21", autograd.gradcheck, f, (x, y))""",
                 variants=False)
    yield g.case("float64/gradcheck_of_a_row_that_fails", "autograd/C17", f"""
            class Torn(Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2
                @staticmethod
                def backward(ctx, h):
                    if h[0] == 1:
                        return h[:2]
                    return h * 2
            {leaf("x", 264, (3,), "float64")}
            def f(x):
                return Torn.apply(x)
            expect_error(RuntimeError, "autograd/C17", autograd.gradcheck, f, (x,))""", variants=False)
    yield g.case("float64/gradcheck_without_grad", "autograd/C22", """
            x = torch.ones(3, dtype=torch.float64)
            def f(x):
                return x * x
            expect_error(ValueError, "autograd/C22", autograd.gradcheck, f, (x,))""")


def chains(g):
    """Whole programs, as they stand in models."""
    for dt in ("float64", "float32", "bfloat16"):
        yield g.case(f"{dt}/mlp", "autograd/S3 autograd/S11", f"""
            x = normal(270, (4, 5), torch.{dt})
            {leaf("w1", 271, (5, 6), dt)}
            {leaf("b1", 272, (6,), dt)}
            {leaf("w2", 273, (6, 3), dt)}
            {leaf("b2", 274, (3,), dt)}
            y = F.gelu(x @ w1 + b1) @ w2 + b2
            t = torch.tensor([0, 2, 1, 1])
            loss = F.cross_entropy(y, t)
            loss.backward()
            expect(loss, "loss")
            expect(w1.grad, "dw1")
            expect(b1.grad, "db1")
            expect(w2.grad, "dw2")
            expect(b2.grad, "db2")""", variants=False)
        yield g.case(f"{dt}/attention", "autograd/S3", f"""
            {leaf("q", 275, (2, 4, 3), dt)}
            {leaf("k", 276, (2, 4, 3), dt)}
            {leaf("v", 277, (2, 4, 3), dt)}
            p = torch.softmax(q @ k.transpose(1, 2) * 0.5, dim=-1)
            y = p @ v
            h = normal(278, (2, 4, 3), torch.{dt})
            y.backward(h)
            expect(q.grad, "dq")
            expect(k.grad, "dk")
            expect(v.grad, "dv")""", variants=False)
        yield g.case(f"{dt}/embedding_norm", "autograd/S3", f"""
            {leaf("e", 279, (7, 4), dt)}
            {leaf("w", 280, (4,), dt)}
            {leaf("b", 281, (4,), dt)}
            i = torch.tensor([[1, 3, 1], [0, 6, 1]])
            y = F.layer_norm(F.embedding(i, e), (4,), w, b)
            h = normal(282, (2, 3, 4), torch.{dt})
            y.backward(h)
            expect(e.grad, "de")
            expect(w.grad, "dw")
            expect(b.grad, "db")""", variants=False)
    yield g.case("float32/micro_batches", "autograd/S3", f"""
            {leaf("w", 283, (3, 2), "float32")}
            x = normal(284, (4, 3), torch.float32)
            for i in range(2):
                y = x[2 * i:2 * i + 2] @ w
                ((y * y).sum() / 4).backward()
            expect(w.grad, "dw")""", variants=False)
    yield g.case("float32/target_network", "autograd/S19 autograd/S18", f"""
            {leaf("w", 285, (3,), "float32")}
            slow = w.detach().clone()
            for i in range(2):
                loss = ((w - slow) * (w - slow)).sum() + (w * w).sum()
                w.grad = None
                loss.backward()
                with torch.no_grad():
                    w.sub_(w.grad, alpha=0.1)
                    slow.mul_(0.9).add_(w, alpha=0.1)
            expect(w, "w")
            expect(slow, "slow")""", variants=False)
    yield g.case("float32/master_weights", "autograd/S12 autograd/S18", f"""
            {leaf("w", 286, (3,), "float32")}
            x = normal(287, (3,), torch.bfloat16)
            h = w.to(torch.bfloat16)
            y = (h * x).sum()
            y.backward()
            expect(w.grad, "dw")
            with torch.no_grad():
                w -= w.grad * 0.01
            expect(w, "w")""", variants=False)
