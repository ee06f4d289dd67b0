# SPDX-License-Identifier: Apache-2.0
"""Captures and replays: values by PyTorch's ops run again on the cpu, what the host decides by PyTorch's
graphs over the stand-in."""

MIB = 1 << 20


def cases(g):
    yield from values(g)
    yield from autograd(g)
    yield from several(g)
    yield from states(g)
    yield from waiting(g)
    yield from memory(g)


def rules(text):
    return " ".join(f"graph/{r}" for r in text.split())


def value(g, name, labels, program, **more):
    return g.case(name, rules(labels), program, needs=("accel",), **more)


def host(g, name, labels, program):
    return g.case(name, rules(labels), program, variants=False, provenance="run-standin")


def documented(g, name, labels, program):
    return g.case(name, rules(labels), program, variants=False, provenance="documented")


def values(g):
    for dt in ("float32", "float64", "bfloat16", "int64"):
        make = "normal" if dt != "int64" else "integers"
        yield value(g, f"{dt}/copy_into_the_input", "S1 S2 S14", f"""
            x = {make}(1, (3, 4), torch.{dt})
            new = {make}(2, (3, 4), torch.{dt})
            eager = new * 3 + new
            g = accel.Graph()
            with accel.graph(g):
                y = x * 3 + x
            g.replay()
            expect(y, "first")
            x.copy_(new)
            g.replay()
            expect(y, "second")
            expect_equal(y, eager)""")
    yield value(g, "float32/does_not_execute", "S1", """
        x = normal(1, (5,))
        g = accel.Graph()
        with accel.graph(g):
            x.add_(1.5)
            x.mul_(2)
        expect(x, "captured")
        g.replay()
        expect(x, "replayed")""")
    yield value(g, "float32/rebinding_the_input", "S3", """
        x = normal(1, (4,))
        old = x
        g = accel.Graph()
        with accel.graph(g):
            y = x - 7
        x = normal(2, (4,))
        g.replay()
        expect(y, "of_the_old_one")
        old.fill_(9)
        g.replay()
        expect(y, "then")""")
    yield value(g, "float32/outputs_are_overwritten", "S4", """
        x = normal(1, (2, 3))
        g = accel.Graph()
        with accel.graph(g):
            y = x * x
        g.replay()
        kept = y.clone()
        row = y[1]
        x.copy_(normal(2, (2, 3)))
        g.replay()
        expect(kept, "kept")
        expect(row, "row")
        expect(y, "y")""")
    yield value(g, "float32/in_place_accumulates", "S2 S4", """
        x = normal(1, (4,))
        total = torch.zeros(4)
        g = accel.Graph()
        with accel.graph(g):
            total.add_(x)
        for i in range(3):
            g.replay()
            expect(total, "total")
            x.mul_(2)""")
    yield value(g, "float32/in_place_chain", "S1 S4 S14", """
        x = normal(1, (3, 3))
        same = x.clone()
        g = accel.Graph()
        with accel.graph(g):
            x.mul_(2).add_(1)
            x.relu_()
            x[0].fill_(5)
            x.t()[1].sub_(3)
        expect(x, "captured")
        for i in range(2):
            g.replay()
            same.mul_(2).add_(1).relu_()
            same[0].fill_(5)
            same.t()[1].sub_(3)
            expect(x, "x")
            expect_equal(x, same)""")
    yield value(g, "float32/numbers_are_fixed", "S5", """
        x = normal(1, (4,))
        k = 2
        n = 0
        g = accel.Graph()
        with accel.graph(g):
            y = x * k
            if k == 2:
                y.add_(1)
            n = n + 1
        k = 5
        g.replay()
        g.replay()
        expect(y, "y")
        expect_equal(n, 1)""")
    yield value(g, "float32/views_and_out", "S2 S4", """
        x = normal(1, (4, 6))
        out = torch.zeros(6, 2)
        g = accel.Graph()
        with accel.graph(g):
            torch.mul(x[1:3].t(), 2, out=out)
            y = x.view(3, 8)[:, ::2].sum(1)
        g.replay()
        expect(out, "out")
        expect(y, "y")
        x.copy_(normal(2, (4, 6)))
        g.replay()
        expect(out, "out_then")
        expect(y, "y_then")""")
    yield value(g, "float32/indices", "S2 S14", """
        w = normal(1, (7, 3))
        i = integers(2, (4,), torch.int64, 0, 7)
        k = integers(4, (4, 2), torch.int64, 0, 3)
        g = accel.Graph()
        with accel.graph(g):
            a = F.embedding(i, w)
            b = torch.index_select(w, 0, i)
            c = torch.gather(w, 1, k)
        g.replay()
        i.copy_(integers(3, (4,), torch.int64, 0, 7))
        g.replay()
        expect(a, "embedding")
        expect(b, "index_select")
        expect(c, "gather")""")
    yield value(g, "float32/factories", "S2 S5", """
        x = normal(1, (3,))
        g = accel.Graph()
        with accel.graph(g):
            t = torch.zeros(3)
            t.add_(x)
            u = torch.full((3,), 2.5) * t
            r = torch.arange(3) + 1
        for i in range(2):
            g.replay()
            t.add_(1)
        expect(u, "u")
        expect(t, "t")
        expect(r, "r")""")
    yield value(g, "float32/empty_and_0-dim", "S2", """
        x = normal(1, (0, 3))
        s = normal(2, ())
        g = accel.Graph()
        with accel.graph(g):
            y = x * 2
            z = (s + 1) * s
            n = x.sum()
        g.replay()
        expect(y, "y")
        expect(z, "z")
        expect(n, "n")""", trivial="an empty tensor is met by anything")
    yield value(g, "float32/many_ops", "S2 S14", """
        x = normal(1, (6, 8))
        w = normal(2, (8, 8))
        g = accel.Graph()
        with accel.graph(g):
            h = torch.softmax(torch.matmul(x, w), dim=-1)
            h = F.layer_norm(h, (8,))
            y = F.gelu(h).amax(dim=1)
        for i in range(2):
            g.replay()
            eager = F.gelu(F.layer_norm(torch.softmax(torch.matmul(x, w), dim=-1), (8,))).amax(dim=1)
            expect(y, "y")
            expect_equal(y, eager)
            x.copy_(normal(3, (6, 8)))""")
    yield value(g, "float32/error_in_the_body", "S10", """
        x = normal(1, (3,))
        bad = normal(2, (2, 4))
        g = accel.Graph()
        def body():
            with accel.graph(g):
                x.add_(1)
                bad.view(3, 3)
        expect_error(RuntimeError, None, body)
        expect_equal(accel.is_current_stream_capturing(), False)
        g.replay()
        expect(x, "x")""")


def autograd(g):
    yield value(g, "float32/forward_and_backward", "S16 S14", """
        x = normal(1, (4, 3))
        w = normal(2, (3, 2)).requires_grad_()
        v = w.detach().clone().requires_grad_()
        g = accel.Graph()
        with accel.graph(g):
            h = torch.matmul(x, w)
            loss = (h * h).sum()
            loss.backward()
        for i in range(2):
            g.replay()
            v.grad = None
            k = torch.matmul(x, v)
            eager = (k * k).sum()
            eager.backward()
            expect(loss, "loss")
            expect(w.grad, "grad")
            expect_equal(loss.detach().view(1), eager.detach().view(1))
            expect_equal(w.grad, v.grad)
            x.copy_(normal(3, (4, 3)))""")
    yield value(g, "float32/gradients_add_up", "S16", """
        x = normal(1, (3,))
        w = normal(2, (3,)).requires_grad_()
        (w * 2).sum().backward()
        g = accel.Graph()
        with accel.graph(g):
            (w * x).sum().backward()
        expect(w.grad, "captured")
        for i in range(3):
            g.replay()
            expect(w.grad, "grad")""")
    yield value(g, "float32/backward_apart", "S16", """
        x = normal(1, (5,)).requires_grad_()
        v = normal(2, (5,))
        f = accel.Graph()
        b = accel.Graph()
        pool = accel.graph_pool_handle()
        with accel.graph(f, pool=pool):
            y = torch.softmax(x, dim=0)
        with accel.graph(b, pool=pool):
            d = autograd.grad(y, x, v)[0]
        for i in range(2):
            f.replay()
            b.replay()
            expect(y, "y")
            expect(d, "d")
            x.data.copy_(normal(3, (5,)))""")
    yield value(g, "float32/training_steps", "S16 S4 S14", """
        x = normal(1, (8, 4))
        t = integers(2, (8,), torch.int64, 0, 3)
        w = (normal(3, (4, 3)) * 0.25).requires_grad_()
        v = w.detach().clone().requires_grad_()
        g = accel.Graph()
        with accel.graph(g):
            loss = F.cross_entropy(torch.matmul(x, w), t)
            loss.backward()
            with torch.no_grad():
                w.sub_(w.grad * 0.5)
        for i in range(3):
            g.replay()
            v.grad = None
            F.cross_entropy(torch.matmul(x, v), t).backward()
            with torch.no_grad():
                v.sub_(v.grad * 0.5)
            expect(loss, "loss")
            expect(w.detach(), "w")
            expect_equal(w.detach(), v.detach())""")


def several(g):
    yield value(g, "float32/warm_up", "S10 S2", """
        x = normal(1, (4,))
        w = normal(2, (4,)).requires_grad_()
        s = accel.Stream()
        s.wait_stream(accel.current_stream())
        with accel.stream(s):
            for i in range(3):
                (x * w * w).sum().backward()
                w.grad = None
        accel.current_stream().wait_stream(s)
        g = accel.Graph()
        with accel.graph(g, stream=s):
            (x * w * w).sum().backward()
        g.replay()
        expect(w.grad, "grad")""")
    yield value(g, "float32/fork_and_join", "S6 S14", """
        x = normal(1, (6,))
        s = accel.Stream()
        g = accel.Graph()
        with accel.graph(g):
            y = x * 2
            s.wait_stream(accel.current_stream())
            with accel.stream(s):
                z = y + 1
            u = y - 1
            accel.current_stream().wait_stream(s)
            out = z * u
        for i in range(2):
            g.replay()
            expect(out, "out")
            x.mul_(3)""")
    yield value(g, "float32/fork_by_events", "S6", """
        x = normal(1, (6,))
        s = accel.Stream()
        fork = accel.Event()
        join = accel.Event()
        g = accel.Graph()
        with accel.graph(g):
            y = x * 2
            fork.record()
            s.wait_event(fork)
            with accel.stream(s):
                y.add_(1)
                join.record()
            join.wait()
            y.mul_(y)
        g.replay()
        expect(y, "y")""")
    yield value(g, "float32/replay_on_another_stream", "S2", """
        x = normal(1, (4,))
        s = accel.Stream()
        g = accel.Graph()
        with accel.graph(g):
            x.mul_(2)
        with accel.stream(s):
            s.wait_stream(accel.default_stream())
            g.replay()
            g.replay()
        accel.current_stream().wait_stream(s)
        y = x + 1
        expect(y, "y")""")
    yield value(g, "float32/two_graphs_one_pool", "S9 S14", """
        x = normal(1, (64,))
        shared = accel.graph_pool_handle()
        a = accel.Graph()
        b = accel.Graph()
        with accel.graph(a, pool=shared):
            y = x * 2 + 1
        with accel.graph(b, pool=shared):
            z = y * y - x
        for i in range(2):
            a.replay()
            b.replay()
            expect(z, "z")
            x.add_(1)""")
    yield value(g, "float32/large_to_small", "S9 S4", """
        x = normal(1, (32, 8))
        pool = accel.graph_pool_handle()
        big = accel.Graph()
        half = accel.Graph()
        with accel.graph(big, pool=pool):
            a = (x * 2).sum(1)
        with accel.graph(half, pool=pool):
            b = (x[:16] * 3).sum(1)
        big.replay()
        expect(a, "a")
        half.replay()
        expect(b, "b")
        x.copy_(normal(2, (32, 8)))
        half.replay()
        expect(b, "b_then")""")
    yield value(g, "float32/capture_again", "S11", """
        x = normal(1, (4,))
        g = accel.Graph()
        with accel.graph(g):
            y = x + 1
        g.replay()
        g.reset()
        with accel.graph(g):
            z = x * 4
        g.replay()
        expect(y, "y")
        expect(z, "z")""")
    yield value(g, "float32/later_tensors_stay", "S7", """
        x = normal(1, (64,))
        g = accel.Graph()
        with accel.graph(g):
            t = x * 3
            y = t + 1
            del t
        later = [normal(2, (64,)) * 1, normal(3, (64,)) * 1, normal(4, (64,)) * 1]
        g.replay()
        for i in range(3):
            expect(later[i], "later")
        expect(y, "y")""")
    yield value(g, "float32/later_on_the_same_stream", "S7", """
        x = normal(1, (64,))
        u = normal(2, (64,))
        s = accel.Stream()
        g = accel.Graph()
        with accel.graph(g, stream=s):
            t = x * 3
            y = t + 1
            del t
        with accel.stream(s):
            a = u + 1
            b = u - 1
            g.replay()
        accel.current_stream().wait_stream(s)
        expect(a, "a")
        expect(b, "b")
        expect(y, "y")""")


def states(g):
    yield host(g, "host/is_capturing", "S15", """
        x = torch.ones(4)
        expect_equal(accel.is_current_stream_capturing(), False)
        g = accel.Graph()
        with accel.graph(g):
            x.add_(1)
            expect_equal(accel.is_current_stream_capturing(), True)
        expect_equal(accel.is_current_stream_capturing(), False)""")
    yield host(g, "host/pools", "S9", """
        x = torch.ones(4)
        a = accel.Graph()
        b = accel.Graph()
        c = accel.Graph()
        h = accel.graph_pool_handle()
        i = accel.graph_pool_handle()
        expect_equal(h[0], 0)
        expect_equal(i[1] - h[1], 1)
        with accel.graph(a):
            x.add_(1)
        with accel.graph(b):
            x.add_(1)
        with accel.graph(c, pool=h):
            x.add_(1)
        expect_equal(a.pool()[1], 0)
        expect_equal(b.pool()[0] - a.pool()[0], 1)
        expect_equal(c.pool() == h, True)""")
    yield host(g, "host/begin_and_end", "S1 S15", """
        x = torch.ones(4)
        s = accel.Stream()
        g = accel.Graph()
        with accel.stream(s):
            g.capture_begin()
            x.add_(1)
            expect_equal(accel.is_current_stream_capturing(), True)
            g.capture_end()
            expect_equal(accel.is_current_stream_capturing(), False)
        g.replay()""")
    yield host(g, "host/refusals_inside", "S1 S15", """
        x = torch.ones(4)
        y = torch.ones(3)
        g = accel.Graph()
        with accel.graph(g):
            x.add_(1)
            expect_error(RuntimeError, None, x.add_, y)
            expect_error(RuntimeError, None, torch.add, x, y)
        g.replay()
        s = accel.Stream()
        h = accel.Graph()
        with accel.stream(s):
            h.capture_begin()
            x.add_(1)
        expect_error(RuntimeError, None, x.add_, y)
        with accel.stream(s):
            h.capture_end()
        h.replay()""")
    yield host(g, "host/captured_already", "C1", """
        x = torch.ones(4)
        g = accel.Graph()
        with accel.graph(g):
            x.add_(1)
        s = accel.Stream()
        with accel.stream(s):
            expect_error(RuntimeError, "graph/C1", g.capture_begin)
        g.replay()""")
    yield host(g, "host/default_stream", "C2", """
        g = accel.Graph()
        expect_error(RuntimeError, "graph/C2", g.capture_begin)
        with accel.stream(accel.default_stream()):
            expect_error(RuntimeError, "graph/C2", g.capture_begin)""")
    yield host(g, "host/nested", "C5", """
        x = torch.ones(4)
        g = accel.Graph()
        h = accel.Graph()
        s = accel.Stream()
        with accel.stream(s):
            g.capture_begin()
            x.add_(1)
            expect_error(RuntimeError, "graph/C5", h.capture_begin)
            g.capture_end()
        g.replay()""")
    yield documented(g, "host/end_without_begin", "C6", """
        g = accel.Graph()
        expect_error(RuntimeError, "graph/C6", g.capture_end)""")
    yield documented(g, "host/end_on_another_stream", "C6", """
        x = torch.ones(4)
        g = accel.Graph()
        s = accel.Stream()
        with accel.stream(s):
            g.capture_begin()
            x.add_(1)
        expect_error(RuntimeError, "graph/C6", g.capture_end)
        with accel.stream(s):
            g.capture_end()
        g.replay()""")
    yield documented(g, "host/not_joined_back", "C4", """
        x = torch.ones(4)
        s = accel.Stream()
        def body():
            with accel.graph(accel.Graph()):
                s.wait_stream(accel.current_stream())
                with accel.stream(s):
                    x.add_(1)
        expect_error(RuntimeError, "graph/C4", body)
        expect_equal(accel.is_current_stream_capturing(), False)""")
    yield documented(g, "host/event_from_outside", "C10", """
        x = torch.ones(4)
        e = accel.Event()
        e.record()
        g = accel.Graph()
        def body():
            with accel.graph(g):
                x.add_(1)
                e.wait()
        expect_error(RuntimeError, "graph/C10", body)
        expect_error(RuntimeError, "graph/C7", g.replay)""")
    yield documented(g, "host/pool_of_two_numbers", "C9", """
        def body():
            with accel.graph(accel.Graph(), pool=(1, 1)):
                n = 1
        expect_error(RuntimeError, "graph/C9", body)""")
    yield host(g, "host/nothing_captured_yet", "C7 C8", """
        g = accel.Graph()
        expect_error(RuntimeError, "graph/C7", g.replay)
        expect_error(RuntimeError, "graph/C8", g.pool)""")
    yield host(g, "host/not_ended_yet", "C7 C8", """
        x = torch.ones(4)
        g = accel.Graph()
        with accel.graph(g):
            x.add_(1)
            expect_error(RuntimeError, "graph/C7", g.replay)
            expect_error(RuntimeError, "graph/C8", g.pool)
        g.replay()""")
    yield host(g, "host/reset", "S11 C7 C8", """
        x = torch.ones(4)
        g = accel.Graph()
        g.reset()
        with accel.graph(g):
            x.add_(1)
        g.reset()
        expect_error(RuntimeError, "graph/C7", g.replay)
        expect_error(RuntimeError, "graph/C8", g.pool)
        with accel.graph(g):
            x.add_(1)
        g.replay()""")
    yield host(g, "host/empty", "S12", """
        g = accel.Graph()
        def body():
            with accel.graph(g):
                n = 1
        expect_warns("graph/S12", body)
        g.replay()""")
    yield host(g, "host/modes", "S13 C11", """
        x = torch.ones(4)
        s = accel.Stream()
        g = accel.Graph()
        with accel.graph(g, capture_error_mode="relaxed"):
            x.add_(1)
            s.synchronize()
            accel.synchronize()
        g.replay()
        def body():
            with accel.graph(accel.Graph(), capture_error_mode="no such mode"):
                x.add_(1)
        expect_error(RuntimeError, "graph/C11", body)""")


def waiting(g):
    ways = {
        "item": "x.sum().item()",
        "bool": "if x.sum() > 0:\n                    n = 1",
        "nonzero": "torch.nonzero(x)",
        "synchronize": "accel.synchronize()",
        "stream_synchronize": "accel.current_stream().synchronize()",
        "other_stream_synchronize": "s.synchronize()",
        "stream_query": "accel.current_stream().query()",
        "event_query": "e.query()",
        "event_synchronize": "e.synchronize()",
        "captured_event": "accel.current_stream().record_event().query()",
    }
    for name, call in ways.items():
        yield host(g, f"host/{name}", "C3 S10", f"""
            x = torch.ones(4)
            c = torch.zeros(4, device="cpu")
            s = accel.Stream()
            e = s.record_event()
            g = accel.Graph()
            def body():
                with accel.graph(g):
                    x.add_(1)
                    {call.replace(chr(10) + " " * 16, chr(10) + " " * 20)}
            expect_error(RuntimeError, "graph/C3", body)
            expect_equal(accel.is_current_stream_capturing(), False)
            expect_error(RuntimeError, "graph/C7", g.replay)
            y = x + 1
            accel.synchronize()""")
    copies = {"tolist": "x.tolist()", "cpu": "x.cpu()", "copy_to_cpu": "c.copy_(x)",
              "copy_from_cpu": "x.copy_(c)", "tensor": "torch.tensor([1.0, 2.0])"}
    for name, call in copies.items():
        yield host(g, f"host/{name}", "C12 S10", f"""
            x = torch.ones(4)
            c = torch.zeros(4, device="cpu")
            g = accel.Graph()
            def body():
                with accel.graph(g):
                    x.add_(1)
                    {call}
            expect_error(RuntimeError, "graph/C12", body)
            expect_equal(accel.is_current_stream_capturing(), False)
            g.replay()
            accel.synchronize()""")
    yield host(g, "host/lost_at_the_end", "C3", """
        x = torch.ones(4)
        g = accel.Graph()
        s = accel.Stream()
        with accel.stream(s):
            g.capture_begin()
            x.add_(1)
            expect_error(RuntimeError, "graph/C3", s.synchronize)
            x.add_(1)
            expect_error(RuntimeError, "graph/C3", g.capture_end)
        expect_error(RuntimeError, "graph/C7", g.replay)""")
    yield host(g, "host/thread_local", "S13 C3", """
        x = torch.ones(4)
        s = accel.Stream()
        def body():
            with accel.graph(accel.Graph(), capture_error_mode="thread_local"):
                x.add_(1)
                s.synchronize()
        expect_error(RuntimeError, "graph/C3", body)""")
    yield host(g, "host/relaxed_own_stream", "S13 C3", """
        x = torch.ones(4)
        def body():
            with accel.graph(accel.Graph(), capture_error_mode="relaxed"):
                x.add_(1)
                accel.current_stream().synchronize()
        expect_error(RuntimeError, "graph/C3", body)""")


def memory(g):
    yield host(g, "host/pool_keeps_memory", "S8", f"""
        x = torch.ones({MIB}, dtype=torch.uint8)
        g = accel.Graph()
        with accel.graph(g):
            y = x + x
        expect_equal(accel.memory_allocated(), "allocated")
        expect_equal(accel.memory_reserved(), "reserved")
        del y
        expect_equal(accel.memory_allocated(), "without_y")
        accel.empty_cache()
        expect_equal(accel.memory_reserved(), "emptied")
        g.replay()
        g.reset()
        expect_equal(accel.memory_reserved(), "reset")
        accel.empty_cache()
        expect_equal(accel.memory_reserved(), "in_the_end")""")
    yield host(g, "host/tensors_keep_memory", "S8", f"""
        x = torch.ones({MIB}, dtype=torch.uint8)
        g = accel.Graph()
        with accel.graph(g):
            y = x + x
        at = y.data_ptr()
        g.reset()
        accel.empty_cache()
        expect_equal(accel.memory_reserved(), "reserved")
        expect_equal(y.data_ptr() == at, True)
        del y
        accel.empty_cache()
        expect_equal(accel.memory_reserved(), "in_the_end")""")
    yield host(g, "host/addresses_stay", "S8 S2", """
        x = torch.ones(100)
        g = accel.Graph()
        with accel.graph(g):
            y = x * 2
        at = y.data_ptr()
        for i in range(3):
            g.replay()
            expect_equal(y.data_ptr() == at, True)""")
    yield host(g, "host/reused_in_the_capture", "S7", """
        x = torch.ones(1000)
        g = accel.Graph()
        with accel.graph(g):
            a = x * 2
            at = a.data_ptr()
            del a
            b = x * 3
            expect_equal(b.data_ptr() == at, True)
            del b
        c = x * 4
        expect_equal(c.data_ptr() == at, False)""")
    yield host(g, "host/whose_pool", "S7 S9", """
        x = torch.ones(1000)
        g = accel.Graph()
        with accel.graph(g):
            y = x * 2
        segments = accel.memory_snapshot()
        expect_equal(len(segments), "segments")
        mine = 0
        for i in range(len(segments)):
            if segments[i]["segment_pool_id"] == g.pool():
                mine = mine + segments[i]["allocated_size"]
        expect_equal(mine, "mine")""")
    for name, order in (("large_first", (16, 8, 4, 2)), ("small_first", (2, 4, 8, 16))):
        captures = "\n".join(f"""
            with accel.graph(g{i}, pool=pool, stream=s):
                t{i} = x[:{n * MIB}] + 1
                y{i} = t{i}[:1000] * 2
                del t{i}
            expect_equal(accel.memory_reserved(), "after_{i}")""" for i, n in enumerate(order))
        graphs = "\n".join(f"            g{i} = accel.Graph()" for i in range(4))
        yield host(g, f"host/{name}", "S9 S7", f"""
            x = torch.empty({16 * MIB}, dtype=torch.uint8)
            pool = accel.graph_pool_handle()
            s = accel.Stream()
{graphs}
{captures}""")
    yield host(g, "host/shared_until_the_last", "S8 S9", f"""
        x = torch.ones({MIB}, dtype=torch.uint8)
        pool = accel.graph_pool_handle()
        a = accel.Graph()
        b = accel.Graph()
        with accel.graph(a, pool=pool):
            y = x + 1
        del y
        with accel.graph(b, pool=pool):
            y = x + 2
        del y
        expect_equal(accel.memory_reserved(), "both")
        a.reset()
        accel.empty_cache()
        expect_equal(accel.memory_reserved(), "one")
        b.replay()
        b.reset()
        accel.empty_cache()
        expect_equal(accel.memory_reserved(), "none")""")
