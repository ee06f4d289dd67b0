# SPDX-License-Identifier: Apache-2.0
"""The profiler: what is recorded, how it nests, schedules, sums. Never a time."""

CPU = "activities=[profiler.ProfilerActivity.CPU]"
TREES = {  # one call each: the op alone, a program with its parts, forms, views
    "add": ("S1", "y = a + b"),
    "add_scalar": ("S1", "y = a + 2"),
    "add_inplace": ("S1", "a += b"),
    "mul_method_inplace": ("S1", "a.mul_(b)"),
    "mul_out": ("S1", "y = torch.mul(a, b, out=c)"),
    "matmul": ("S1", "y = torch.matmul(a, b.t())"),
    "softmax": ("S1", "y = torch.softmax(a, dim=1)"),
    "log_softmax": ("S1", "y = F.log_softmax(a, dim=0)"),
    "layer_norm": ("S1", "y = F.layer_norm(a, (3,))"),
    "cross_entropy": ("S1", "y = F.cross_entropy(a, target)"),
    "contiguous": ("S1", "y = a.t().contiguous()"),
    "reshape_view": ("S1", "y = a.reshape(3, 2)"),
    "flatten": ("S1", "y = a.flatten()"),
    "to_dtype": ("S1", "y = a.to(torch.float64)"),
    "to_same": ("S1", "y = a.to(torch.float32)"),
    "views": ("S1", "y = a.t()[1:, 0].unsqueeze(0).expand(2, 2)"),
    "narrow": ("S1", "y = a.narrow(0, 0, 1)"),
    "detach": ("S1", "y = a.detach()"),
    "item": ("S1", "y = a[1, 2].item()"),
    "cat": ("S1", "y = torch.cat([a, b, a])"),
    "sort": ("S1", "y = torch.sort(a)"),
    "argsort": ("S1", "y = torch.argsort(a)"),
    "compare_where": ("S1", "y = torch.where(a > b, a, b)"),
    "sum_mean": ("S1", "y = a.sum() + a.mean(dim=0)"),
    "gelu_relu": ("S1", "y = F.gelu(a) + torch.relu(b)"),
    "assignment": ("S1", "a[0] = 1.5"),
    "embedding": ("S1", "y = F.embedding(target, a)"),
}
INPUTS = """
    a = normal(1, (2, 3))
    b = normal(2, (2, 3))
    c = normal(3, (2, 3))
    target = integers(4, (2,), torch.int64, low=0, high=2)"""


def cases(g):
    def case(name, rules, program, **more):
        return g.case(name, " ".join(f"profiler/{r}" for r in rules.split()), program,
                      variants=False, **more)

    for name, (rules, call) in TREES.items():
        yield case(f"tree/{name}", rules, f"""{INPUTS}
    with profiler.profile({CPU}) as p:
        {call}
    expect_equal(profiler.tree(p), "tree")
    expect_equal(profiler.sound(p), True)""")

    yield case("float32/refused_call", "S2", f"""{INPUTS}
    def mismatched():
        return torch.mm(a, b)

    def out_of_range():
        return torch.softmax(a, 7)

    with profiler.profile({CPU}) as p:
        expect_error(RuntimeError, "mm/C2", mismatched)
        expect_error(IndexError, "softmax/C1", out_of_range)
        y = torch.neg(a)
    expect_equal(profiler.tree(p), "tree")
    expect_equal(profiler.sound(p), True)""")
    yield case("float32/refused_in_range", "S2 S3", f"""{INPUTS}
    def mismatched():
        with profiler.record_function("inner"):
            return torch.mm(a, b)

    with profiler.profile({CPU}) as p:
        with profiler.record_function("outer"):
            y = torch.neg(a)
            expect_error(RuntimeError, "mm/C2", mismatched)
        y = torch.exp(a)
    expect_equal(profiler.tree(p), "tree")""")
    yield case("float32/ranges", "S3", f"""{INPUTS}
    with profiler.profile({CPU}) as p:
        with profiler.record_function("outer"):
            y = a + b
            with profiler.record_function("inner"):
                y = torch.matmul(a, b.t())
            with profiler.record_function("empty"):
                pass
        y = torch.neg(y)
        with profiler.record_function("outer"):
            y = torch.exp(y)
    expect_equal(profiler.tree(p), "tree")
    expect_equal(profiler.count(p, "outer"), 2)
    expect_equal(profiler.sound(p), True)
    with profiler.record_function("nobody"):
        y = torch.neg(a)""")
    yield case("float32/range_left_by_return", "S3", f"""{INPUTS}
    def f(x):
        with profiler.record_function("in f"):
            return torch.neg(x)

    with profiler.profile({CPU}) as p:
        y = f(a)
        z = torch.exp(a)
    expect_equal(profiler.tree(p), "tree")""")
    yield case("float32/before_and_after", "S1", f"""{INPUTS}
    y = torch.exp(a)
    with profiler.profile({CPU}) as p:
        y = torch.neg(a)
    y = torch.exp(a)
    expect_equal(profiler.tree(p), [("aten::neg", 0)])""")
    yield case("float32/again", "S1 S9", f"""{INPUTS}
    for i in range(3):
        with profiler.profile({CPU}) as p:
            y = torch.matmul(a, b.t())
        expect_equal(profiler.tree(p), "tree")""")
    yield case("float32/start_stop", "S1 S9", f"""{INPUTS}
    p = profiler.profile({CPU})
    y = torch.exp(a)
    p.start()
    y = torch.neg(a)
    p.stop()
    y = torch.exp(a)
    expect_equal(profiler.tree(p), [("aten::neg", 0)])""")

    yield case("float32/backward", "S4", f"""{INPUTS}
    a.requires_grad_()
    loss = (a * b).sum()
    with profiler.profile({CPU}) as p:
        loss.backward()
    expect_equal(profiler.count(p, "MulBackward0"), 1)
    expect_equal(profiler.count(p, "SumBackward0"), 1)
    expect_equal(profiler.count(p, "AccumulateGrad"), 1)
    expect_equal(profiler.count(p, "aten::mul"), 0)
    expect_equal(profiler.sound(p), True)""")
    yield case("float32/backward_nodes", "S4", f"""{INPUTS}
    a.requires_grad_()
    c.requires_grad_()
    with profiler.profile({CPU}) as p:
        with profiler.record_function("forward"):
            loss = (torch.matmul(a, b.t()).exp() * c[:, :2]).sum()
        with profiler.record_function("backward"):
            loss.backward()
    expect_equal(profiler.count(p, "MmBackward0"), 1)
    expect_equal(profiler.count(p, "ExpBackward0"), 1)
    expect_equal(profiler.count(p, "SliceBackward0"), 1)
    expect_equal(profiler.count(p, "AccumulateGrad"), 2)
    expect_equal(profiler.count(p, "autograd::engine::evaluate_function: MmBackward0"), 1)
    expect_equal(profiler.sound(p), True)""")

    yield case("float32/shapes", "S5", f"""{INPUTS}
    with profiler.profile({CPU}, record_shapes=True) as p:
        y = torch.matmul(a, b.t())
        y = torch.add(a, b)
        y = torch.add(a, b, out=c)
        y = torch.softmax(a[0], dim=0)
        y = torch.where(a > 0, a, b[0])
    expect_equal(profiler.shapes(p, "aten::matmul"), [[(2, 3), (3, 2)]])
    expect_equal(profiler.shapes(p, "aten::mm"), [[(2, 3), (3, 2)]])
    expect_equal(profiler.shapes(p, "aten::add"), "add")
    expect_equal(profiler.shapes(p, "aten::_softmax"), [[(3,)]])
    expect_equal(profiler.shapes(p, "aten::where"), "where")""")
    yield case("float32/shapes_not_asked", "S5", f"""{INPUTS}
    with profiler.profile({CPU}) as p:
        y = torch.mul(a, b)
    expect_equal(profiler.shapes(p, "aten::mul"), [[]])""")
    for dt in ("float64", "float32", "float16", "int64", "bool"):
        yield case(f"{dt}/memory", "S6", f"""
    a = integers(1, (4, 6), torch.{dt}, low=0, high=2)
    with profiler.profile({CPU}, profile_memory=True) as p:
        with profiler.record_function("all"):
            y = torch.cat([a, a])
            z = y.clone()
            w = a.t()
    expect_equal(profiler.memory(p, "aten::cat"), "cat")
    expect_equal(profiler.memory(p, "aten::clone"), "clone")
    expect_equal(profiler.memory(p, "aten::t"), 0)
    expect_equal(profiler.memory(p, "all"), "all")""")
    yield case("float32/memory_given_back", "S6", f"""
    a = normal(1, (4, 6))
    with profiler.profile({CPU}, profile_memory=True) as p:
        with profiler.record_function("first"):
            y = torch.exp(a)
        with profiler.record_function("second"):
            y = torch.neg(a)
            del y
        with profiler.record_function("third"):
            a.neg_()
    expect_equal(profiler.memory(p, "first"), 96)
    expect_equal(profiler.memory(p, "second"), "second")
    expect_equal(profiler.memory(p, "third"), 0)""")
    yield case("float32/memory_of_parts", "S6", f"""
    a = normal(1, (4, 6))
    with profiler.profile({CPU}, profile_memory=True) as p:
        y = torch.softmax(a, dim=1)
    expect_equal(profiler.memory(p, "aten::softmax"), 96)
    expect_equal(profiler.memory(p, "aten::_softmax"), 96)""")

    for name, arguments in {
        "plain": "wait=1, warmup=1, active=3",
        "once": "wait=1, warmup=1, active=3, repeat=1",
        "twice_skip": "wait=0, warmup=2, active=1, repeat=2, skip_first=3",
        "no_warmup": "wait=2, warmup=0, active=2",
        "no_first_wait": "wait=4, warmup=1, active=1, repeat=2, skip_first=1, skip_first_wait=1",
        "always": "wait=0, warmup=0, active=1",
    }.items():
        yield case(f"schedule/{name}", "S8", f"""
    s = profiler.schedule({arguments})
    actions = []
    for i in range(12):
        actions.append(profiler.action(s, i))
    expect_equal(actions, "actions")""")

    yield case("float32/ten_steps", "S8 S9 S11", f"""{INPUTS}
    seen = []

    def ready(p):
        seen.append(profiler.tree(p))

    s = profiler.schedule(wait=1, warmup=1, active=3, repeat=1)
    with profiler.profile({CPU}, schedule=s, on_trace_ready=ready) as p:
        for i in range(10):
            y = a + b
            p.step()
    expect_equal(seen, "seen")
    expect_equal(p.step_num, 10)
    expect_equal(profiler.count(p, "aten::add"), 3)
    expect_equal(profiler.count(p, "ProfilerStep*"), 3)""")
    yield case("float32/two_cycles", "S9", f"""{INPUTS}
    seen = []

    def ready(p):
        seen.append(profiler.count(p, "aten::add"))

    s = profiler.schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    with profiler.profile({CPU}, schedule=s, on_trace_ready=ready) as p:
        for i in range(12):
            for k in range(i):
                y = a + b
            p.step()
    expect_equal(seen, "seen")""")
    yield case("float32/back_to_back", "S9", f"""{INPUTS}
    seen = []

    def ready(p):
        seen.append(profiler.count(p, "aten::add"))

    s = profiler.schedule(wait=0, warmup=1, active=1)
    with profiler.profile({CPU}, schedule=s, on_trace_ready=ready) as p:
        for i in range(7):
            for k in range(i):
                y = a + b
            p.step()
    expect_equal(seen, "seen")""")
    yield case("float32/stopped_early", "S9", f"""{INPUTS}
    seen = []

    def ready(p):
        seen.append(profiler.tree(p))

    s = profiler.schedule(wait=1, warmup=1, active=3, repeat=1)
    with profiler.profile({CPU}, schedule=s, on_trace_ready=ready) as p:
        for i in range(3):
            y = a + b
            p.step()
    expect_equal(seen, "seen")""")
    yield case("float32/no_schedule", "S9", f"""{INPUTS}
    seen = []

    def ready(p):
        seen.append(profiler.count(p, "aten::add"))

    with profiler.profile({CPU}, on_trace_ready=ready) as p:
        for i in range(4):
            y = a + b
            p.step()
    expect_equal(seen, [4])
    expect_equal(profiler.count(p, "ProfilerStep*"), 0)
    expect_equal(p.step_num, 4)""")

    yield case("float32/averages", "S10", f"""{INPUTS}
    with profiler.profile({CPU}, record_shapes=True) as p:
        for i in range(3):
            y = torch.matmul(a, b.t())
            y = torch.softmax(y, dim=0)
        y = torch.matmul(a[:1], b.t())
        a += b
    expect_equal(profiler.averages(p), "names")
    expect_equal(profiler.averages(p, group_by_input_shape=True), "shapes")
    expect_equal(profiler.sound(p), True)""")
    yield case("float32/short_nested", "S10", f"""
    a = normal(1, (1,))
    with profiler.profile({CPU}) as p:
        for i in range(50):
            with profiler.record_function("outer"):
                with profiler.record_function("inner"):
                    y = torch.softmax(a, dim=0)
    expect_equal(profiler.sound(p), True)
    expect_equal(profiler.averages(p), "names")""")

    yield case("errors/nothing_yet", "C1", f"""
    p = profiler.profile({CPU})
    expect_error(AssertionError, "profiler/C1", profiler.tree, p)
    s = profiler.schedule(wait=5, warmup=1, active=1)
    with profiler.profile({CPU}, schedule=s) as q:
        y = torch.zeros(2)
        q.step()
    expect_error(AssertionError, "profiler/C1", profiler.tree, q)""")
    yield case("errors/schedule", "C2", """
    expect_error(AssertionError, "profiler/C2", profiler.schedule, wait=-1, warmup=1, active=1)
    expect_error(AssertionError, "profiler/C2", profiler.schedule, wait=0, warmup=-1, active=1)
    expect_error(AssertionError, "profiler/C2", profiler.schedule, wait=0, warmup=1, active=0)
    expect_error(AssertionError, "profiler/C2", profiler.schedule, wait=0, warmup=1, active=1,
                 repeat=-1)
    expect_error(AssertionError, "profiler/C2", profiler.schedule, wait=0, warmup=1, active=1,
                 skip_first=-2)
    expect_error(TypeError, "errors/C2", profiler.schedule, wait=1)
    s = profiler.schedule(wait=0, warmup=1, active=1)
    expect_error(AssertionError, "profiler/C2", profiler.action, s, -1)""")
    yield case("errors/activities", "C4", """
    expect_error(AssertionError, "profiler/C4", profiler.profile, activities=[])
    expect_error(TypeError, "errors/C2", profiler.profile, activities=["cpu"])""")
    yield case("errors/warmup_warns", "S8", """
    s = expect_warns("profiler/S8", profiler.schedule, wait=1, warmup=0, active=1)
    s = expect_warns(None, profiler.schedule, wait=1, warmup=1, active=1)
    expect_equal(profiler.action(s, 2), "RECORD_AND_SAVE")""")
