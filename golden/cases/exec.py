# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/areas/exec.md: streams, events, races, the sync-debug mode."""

ACCEL = ("accel",)
TWO = ("accel", "two_devices")


def cases(g):
    yield from programs(g)
    yield from gradients(g)
    yield from current(g)
    yield from events(g)
    yield from records(g)
    yield from frees(g)
    yield from races(g)
    yield from sync(g)
    yield from devices(g)


def twin(g, name, rules, program, two=False, **more):
    """A stream program: PyTorch's values are those of its statements in order."""
    return g.case(name, rules, program, needs=TWO if two else ACCEL, **more)


def programs(g):
    for dt in ("float32", "float16", "bfloat16", "float64"):
        yield twin(g, f"{dt}/side_stream", "exec/S1 exec/S2 exec/S5", f"""
            s = accel.Stream()
            x = normal(1, (24, 24), torch.{dt})
            y = x * 2
            s.wait_stream(accel.current_stream())
            with accel.stream(s):
                z = torch.relu(y) + x
            accel.current_stream().wait_stream(s)
            expect(z - y, "w")""")
    yield twin(g, "int64/side_stream", "exec/S1 exec/S2", """
            s = accel.Stream()
            x = integers(1, (40, 3), torch.int64, low=-9, high=9)
            s.wait_stream(accel.current_stream())
            with accel.stream(s):
                y = x * x
                z = y.sum(0)
            accel.current_stream().wait_stream(s)
            expect(z + 1, "z")""")
    yield twin(g, "float32/chain_of_streams", "exec/S2 exec/S5", """
            x = normal(3, (16, 16), torch.float32)
            before = accel.current_stream()
            for i in range(5):
                s = accel.Stream(priority=-(i % 2))
                s.wait_stream(before)
                with accel.stream(s):
                    x = x * 1.5 + i
                before = s
            accel.current_stream().wait_stream(before)
            expect(x, "x")""")
    yield twin(g, "float32/fork_and_join", "exec/S2 exec/S5", """
            x = normal(4, (32, 8), torch.float32)
            a = accel.Stream()
            b = accel.Stream()
            a.wait_stream(accel.current_stream())
            b.wait_stream(accel.current_stream())
            with accel.stream(a):
                u = torch.softmax(x, 1)
            with accel.stream(b):
                v = torch.tanh(x)
            accel.current_stream().wait_stream(a)
            accel.current_stream().wait_stream(b)
            expect(u + v, "sum")""")
    yield twin(g, "float32/halves_of_one_storage", "exec/S2 exec/S16", """
            def run():
                x = normal(5, (2, 600), torch.float32)
                y = x * 1
                s = accel.Stream()
                with accel.race_check():
                    s.wait_stream(accel.current_stream())
                    with accel.stream(s):
                        y[0].mul_(2)
                    y[1].mul_(3)
                    accel.current_stream().wait_stream(s)
                    z = y + x
                return z
            expect(run(), "z")""", variants=False)
    yield twin(g, "float32/host_reads_after_synchronize", "exec/S9", """
            s = accel.Stream()
            x = normal(6, (50, 50), torch.float32)
            y = x * 1
            accel.synchronize()
            with accel.stream(s):
                y = torch.relu(y * 4 - 1)
            s.synchronize()
            expect_equal(s.query(), True)
            expect(y, "y")""")
    yield twin(g, "float32/copy_on_a_stream", "exec/S2 exec/S6", """
            s = accel.Stream()
            x = normal(7, (9, 5), torch.float32)
            y = x * 2
            done = accel.Event()
            done.record()
            s.wait_event(done)
            with accel.stream(s):
                z = torch.zeros(9, 5)
                z.copy_(y)
                copied = s.record_event()
            copied.wait()
            expect(z + y, "z")""")
    yield twin(g, "float32/ping_pong", "exec/S2 exec/S6", """
            a = accel.Stream()
            e = accel.Event()
            f = accel.Event()
            x = normal(8, (20,), torch.float32)
            y = x + 0
            for i in range(6):
                e.record()
                a.wait_event(e)
                with accel.stream(a):
                    y = y * 1.25
                    f.record()
                f.wait()
                y = y - 0.5
            expect(y, "y")""")


def gradients(g):
    yield twin(g, "float32/backward_on_a_stream", "exec/S21 exec/S2", """
            s = accel.Stream()
            x = normal(1, (6, 6), torch.float32)
            x.requires_grad_()
            s.wait_stream(accel.current_stream())
            with accel.stream(s):
                y = torch.tanh(x @ x)
                y.sum().backward()
            accel.current_stream().wait_stream(s)
            expect(x.grad, "grad")""")
    yield twin(g, "float64/two_streams_one_leaf", "exec/S21", """
            s = accel.Stream()
            x = normal(2, (5, 7), torch.float64)
            x.requires_grad_()
            y = x * 3
            s.wait_stream(accel.current_stream())
            with accel.stream(s):
                z = torch.softmax(x, 0)
            accel.current_stream().wait_stream(s)
            c = normal(3, (5, 7), torch.float64)
            ((y + z) * c).sum().backward()
            expect(x.grad, "grad")""")


def standin(g, name, rules, program, needs=()):
    return g.case(name, rules, program, provenance="run-standin", variants=False, needs=needs)


def current(g):
    yield standin(g, "none/current_stream", "exec/S3 exec/S4", """
            s = accel.Stream()
            t = accel.Stream(priority=-1)
            d = accel.default_stream()
            expect_equal(accel.current_stream() == d, True)
            expect_equal(s == t, False)
            expect_equal(s == d, False)
            with accel.stream(s):
                expect_equal(accel.current_stream() == s, True)
                with accel.stream(t):
                    expect_equal(accel.current_stream() == t, True)
                    expect_equal(accel.default_stream() == d, True)
                expect_equal(accel.current_stream() == s, True)
                with accel.stream(None):
                    expect_equal(accel.current_stream() == s, True)
            expect_equal(accel.current_stream() == d, True)""")
    yield standin(g, "none/stream_region_ends_in_an_error", "exec/S3", """
            s = accel.Stream()
            def f():
                with accel.stream(s):
                    return torch.zeros(2).view(3)
            expect_error(RuntimeError, "view/C2", f)
            expect_equal(accel.current_stream() == accel.default_stream(), True)""")
    yield standin(g, "none/return_out_of_a_region", "exec/S3", """
            s = accel.Stream()
            def f():
                with accel.stream(s):
                    return accel.current_stream() == s
            expect_equal(f(), True)
            expect_equal(accel.current_stream() == s, False)""")
    yield standin(g, "none/device", "exec/S11", """
            expect_equal(accel.is_available(), True)
            expect_equal(accel.device_count() >= 1, True)
            expect_equal(0 <= accel.current_device_index(), True)
            expect_equal(accel.current_device_index() < accel.device_count(), True)""")
    yield standin(g, "none/wait_for_itself", "exec/S5", """
            s = accel.Stream()
            s.wait_stream(s)
            accel.current_stream().wait_stream(accel.default_stream())
            s.synchronize()
            expect_equal(s.query(), True)""")


def events(g):
    yield standin(g, "none/event_never_recorded", "exec/S7", """
            e = accel.Event()
            expect_equal(e.query(), True)
            e.wait()
            e.synchronize()
            s = accel.Stream()
            s.wait_event(e)
            e.wait(s)
            expect_equal(e.query(), True)""")
    yield standin(g, "none/record_and_synchronize", "exec/S8 exec/S9", """
            s = accel.Stream()
            e = accel.Event()
            x = torch.ones(8)
            e.record()
            e.synchronize()
            expect_equal(e.query(), True)
            f = s.record_event()
            f.synchronize()
            expect_equal(f.query(), True)
            h = s.record_event(e)
            h.synchronize()
            expect_equal(e.query(), True)
            e.record(s)
            s.synchronize()
            expect_equal(e.query(), True)
            e.record(None)
            accel.synchronize()
            expect_equal(e.query(), True)""")
    yield standin(g, "none/elapsed_time", "exec/S10", """
            a = accel.Event(enable_timing=True)
            b = accel.Event(enable_timing=True)
            a.record()
            y = torch.ones(100) * 2
            b.record()
            accel.synchronize()
            expect_equal(a.elapsed_time(b) >= 0, True)
            expect_equal(a.elapsed_time(a), 0.0)""")
    yield standin(g, "none/elapsed_without_timing", "exec/C1", """
            a = accel.Event(enable_timing=True)
            b = accel.Event()
            a.record()
            b.record()
            accel.synchronize()
            expect_error(ValueError, "exec/C1", a.elapsed_time, b)
            expect_error(ValueError, "exec/C1", b.elapsed_time, a)
            expect_error(ValueError, "exec/C1", accel.Event().elapsed_time, a)""")
    yield standin(g, "none/elapsed_not_recorded", "exec/C2", """
            a = accel.Event(enable_timing=True)
            b = accel.Event(enable_timing=True)
            expect_error(ValueError, "exec/C2", a.elapsed_time, b)
            a.record()
            accel.synchronize()
            expect_error(ValueError, "exec/C2", a.elapsed_time, b)
            expect_error(ValueError, "exec/C2", b.elapsed_time, a)""")


def records(g):
    """An event recorded anew: a wait is for the record of its time."""
    for where, again in (("elsewhere", "b"), ("on_the_default_stream", "accel.default_stream()"),
                         ("where_it_waits", "w")):
        yield twin(g, f"float32/recorded_anew_{where}", "exec/S2 exec/S6", f"""
            a = accel.Stream()
            b = accel.Stream()
            w = accel.Stream()
            e = accel.Event()
            x = normal(6, (12, 20), torch.float32)
            y = x * 1
            a.wait_stream(accel.current_stream())
            accel.synchronize()
            with accel.stream(a):
                y.mul_(3)
            e.record(a)
            w.wait_event(e)
            e.record({again})
            b.synchronize()
            accel.default_stream().synchronize()
            with accel.stream(w):
                z = y + x
            accel.current_stream().wait_stream(w)
            expect(z, "z")""")
    yield twin(g, "float32/recorded_anew_on_its_stream", "exec/S2 exec/S6", """
            a = accel.Stream()
            w = accel.Stream()
            e = accel.Event()
            x = normal(6, (9, 20), torch.float32)
            y = x * 1
            a.wait_stream(accel.current_stream())
            accel.synchronize()
            e.record(a)
            w.wait_event(e)
            with accel.stream(a):
                y.mul_(3)
            e.record(a)
            e.wait(w)
            with accel.stream(w):
                z = y + x
            accel.current_stream().wait_stream(w)
            expect(z, "z")""")
    yield twin(g, "float32/recorded_anew_then_synchronized", "exec/S6 exec/S9", """
            a = accel.Stream()
            b = accel.Stream()
            e = accel.Event()
            x = normal(6, (9, 20), torch.float32)
            y = x * 1
            a.wait_stream(accel.current_stream())
            b.wait_stream(accel.current_stream())
            e.record(a)
            e.synchronize()
            with accel.stream(b):
                y.mul_(3)
            e.record(b)
            e.synchronize()
            expect(y + x, "z")""")
    yield twin(g, "float32/two_waits_on_two_records", "exec/S2 exec/S6", """
            a = accel.Stream()
            b = accel.Stream()
            w = accel.Stream()
            e = accel.Event()
            x = normal(6, (9, 20), torch.float32)
            y = x * 1
            z = x * 1
            accel.synchronize()
            with accel.stream(a):
                y.mul_(3)
            e.record(a)
            e.wait(w)
            with accel.stream(b):
                z.mul_(3)
            e.record(b)
            e.wait(w)
            with accel.stream(w):
                r = y + z
            accel.current_stream().wait_stream(w)
            expect(r, "r")""")


def frees(g):
    yield twin(g, "float32/freed_on_its_own_stream", "exec/S12", """
            x = normal(1, (300, 7), torch.float32)
            out = x * 0
            for i in range(8):
                t = x * (i + 1)
                out = out + t
                del t
            expect(out, "out")""")
    yield twin(g, "float32/record_stream", "exec/S13 exec/S2", """
            s = accel.Stream()
            x = normal(2, (64, 64), torch.float32)
            out = x * 0
            for i in range(6):
                t = x * (i + 1)
                s.wait_stream(accel.current_stream())
                with accel.stream(s):
                    u = torch.tanh(t) + t
                t.record_stream(s)
                del t
                other = x * -7
                accel.current_stream().wait_stream(s)
                out = out + u + other
                u.record_stream(accel.current_stream())
                del u
            expect(out, "out")""")
    yield twin(g, "float32/record_stream_checked", "exec/S13 exec/S15 exec/S16", """
            s = accel.Stream()
            x = normal(2, (30, 4), torch.float32)
            with accel.race_check():
                t = x * 2
                s.wait_stream(accel.current_stream())
                with accel.stream(s):
                    u = t + x
                t.record_stream(s)
                del t
                accel.current_stream().wait_stream(s)
                w = u * 3
            expect(w, "w")""")
    yield twin(g, "float32/wait_before_the_free", "exec/S15 exec/S16", """
            s = accel.Stream()
            x = normal(3, (30, 4), torch.float32)
            with accel.race_check():
                t = x * 2
                s.wait_stream(accel.current_stream())
                with accel.stream(s):
                    u = t + x
                accel.current_stream().wait_stream(s)
                del t
                w = u * 3
            expect(w, "w")""")
    for name, wait in (("event_synchronize", "e.synchronize()"), ("stream_synchronize", "s.synchronize()"),
                       ("device_synchronize", "accel.synchronize()")):
        yield twin(g, f"float32/free_after_{name}", "exec/S16 exec/S9", f"""
            s = accel.Stream()
            x = normal(4, (30, 4), torch.float32)
            with accel.race_check():
                t = x * 2
                s.wait_stream(accel.current_stream())
                with accel.stream(s):
                    u = t - x
                    e = s.record_event()
                {wait}
                expect_equal(e.query(), True)
                del t
                w = u * 3
            expect(w, "w")""")
    yield standin(g, "none/record_stream_on_cpu", "allocator/C7", """
            s = accel.Stream()
            x = torch.ones(3).cpu()
            expect_error(NotImplementedError, "allocator/C7", x.record_stream, s)
            y = torch.ones(6)
            y[2:].record_stream(s)
            expect_equal(y.device.type == x.device.type, False)""")


def documented(g, name, rules, program):
    return g.case(name, rules, program, provenance="documented", variants=False, needs=ACCEL)


RACE = """
            def f():
                s = accel.Stream()
                t = accel.Stream()
                x = normal(1, (40, 40)) * 1
                accel.synchronize()
                with accel.race_check():
{body}
                return x
            expect_error(RuntimeError, "exec/C4", f)"""


def races(g):
    bodies = {
        "read_after_write": """
            with accel.stream(s):
                y = x * 2
            z = y + 1""",
        "write_after_read": """
            with accel.stream(s):
                y = x * 2
            x.add_(1)""",
        "write_after_write": """
            with accel.stream(s):
                x.mul_(2)
            x.add_(1)""",
        "two_side_streams": """
            with accel.stream(s):
                y = x * 2
            with accel.stream(t):
                z = y + 1""",
        "event_of_the_wrong_stream": """
            with accel.stream(s):
                y = x * 2
            e = t.record_event()
            e.wait()
            z = y + 1""",
        "event_recorded_too_early": """
            with accel.stream(s):
                e = s.record_event()
                y = x * 2
            e.wait()
            z = y + 1""",
        "event_never_recorded": """
            e = accel.Event()
            with accel.stream(s):
                y = x * 2
            e.wait()
            z = y + 1""",
        "wait_on_the_wrong_stream": """
            with accel.stream(s):
                y = x * 2
            t.wait_stream(s)
            z = y + 1""",
        "wait_before_the_work": """
            accel.current_stream().wait_stream(s)
            with accel.stream(s):
                y = x * 2
            z = y + 1""",
        "host_reads": """
            with accel.stream(s):
                y = x * 2
            z = y.cpu()""",
        "list_argument": """
            with accel.stream(s):
                y = x * 2
            z = torch.cat([x, y])""",
        "through_a_view": """
            with accel.stream(s):
                x[3:9].mul_(2)
            y = x.t()[:, 8] + 1""",
    }
    for name, body in bodies.items():
        lines = "\n".join("        " + ln for ln in body.strip("\n").split("\n"))
        yield documented(g, f"float32/race_{name}", "exec/S14 exec/C4", RACE.format(body=lines))
    frees_ = {
        "freed_without_record_stream": """
            y = x * 3
            s.wait_stream(accel.current_stream())
            with accel.stream(s):
                z = y + 1
            del y""",
        "freed_and_reused": """
            y = x * 3
            s.wait_stream(accel.current_stream())
            with accel.stream(s):
                z = y + 1
            del y
            w = x * 4""",
        "recorded_on_another_stream": """
            y = x * 3
            s.wait_stream(accel.current_stream())
            with accel.stream(s):
                z = y + 1
            y.record_stream(t)
            del y""",
    }
    for name, body in frees_.items():
        lines = "\n".join("        " + ln for ln in body.strip("\n").split("\n"))
        yield documented(g, f"float32/race_{name}", "exec/S15 exec/C4", RACE.format(body=lines))


def sync(g):
    yield standin(g, "none/sync_debug_mode", "exec/S20 exec/C6", """
            expect_equal(accel.get_sync_debug_mode(), 0)
            accel.set_sync_debug_mode("warn")
            expect_equal(accel.get_sync_debug_mode(), 1)
            accel.set_sync_debug_mode(2)
            expect_equal(accel.get_sync_debug_mode(), 2)
            expect_error(RuntimeError, "exec/C6", accel.set_sync_debug_mode, "loud")
            expect_error(RuntimeError, "exec/C6", accel.set_sync_debug_mode, 3)
            expect_equal(accel.get_sync_debug_mode(), 2)
            accel.set_sync_debug_mode("default")
            expect_equal(accel.get_sync_debug_mode(), 0)""")
    ops = {
        "item": ("x[0, 0].item", ""), "bool": ("bool", ", x[0, 0]"), "float": ("float", ", x[0, 0]"),
        "nonzero": ("x.nonzero", ""), "tolist": ("x.tolist", ""), "cpu": ("x.cpu", ""),
        "to_cpu": ("x.to", ', "cpu"'), "from_cpu": ("h.to", ", x.device"),
        "copy_from_cpu": ("x.copy_", ", h"), "copy_to_cpu": ("h.copy_", ", x"),
        "tensor": ("torch.tensor", ", [1.0, 2.0]"), "stream": ("s.synchronize", ""),
    }
    for name, (fn, args) in ops.items():
        yield standin(g, f"none/sync_error_{name}", "exec/S18 exec/C5 exec/S17"
                      if "cpu" in name else "exec/S18 exec/C5", f"""
            x = torch.ones(4, 4)
            h = torch.ones(4, 4).cpu()
            s = accel.Stream()
            accel.set_sync_debug_mode("error")
            expect_error(RuntimeError, "exec/C5", {fn}{args})
            accel.set_sync_debug_mode("warn")
            expect_warns("exec/S18", {fn}{args})
            accel.set_sync_debug_mode("default")
            expect_warns(None, {fn}{args})""")
    yield standin(g, "none/sync_not_seen", "exec/S19 exec/S17", """
            x = torch.ones(4, 4)
            h = torch.ones(4, 4).cpu()
            s = accel.Stream()
            e = accel.Event()
            accel.set_sync_debug_mode("error")
            accel.synchronize()
            e.record()
            e.synchronize()
            e.wait()
            expect_equal(e.query(), True)
            s.wait_stream(accel.current_stream())
            y = x.to("cpu", non_blocking=True)
            z = h.to(x.device, non_blocking=True)
            x.copy_(h, non_blocking=True)
            accel.synchronize()
            expect_equal(s.query(), True)
            expect_equal(y.device == h.device, True)
            expect_equal(z.device == x.device, True)""")
    yield standin(g, "none/sync_not_made", "exec/S18", """
            x = torch.ones(4, 4)
            i = torch.zeros(4, dtype=torch.int64)
            accel.set_sync_debug_mode("error")
            y = torch.softmax(x + x, 0).sum() / 2
            z = torch.cat([x, x]).sort()[0].t().contiguous()
            w = F.embedding(i, x).gather(0, i.view(1, 4)).index_select(1, i)
            v = F.layer_norm(x, (4,)).argmax(0)
            u = torch.where(x > 0, x, -x).to(torch.float64)
            x.zero_()
            x.copy_(x + 1)
            x.fill_(3)
            expect_equal(w.shape, (1, 4))
            expect_equal(v.dtype, torch.int64)""")


def devices(g):
    """Two accelerators in one process. On the cpu, where values come from, both are one."""
    yield twin(g, "float32/two_devices", "exec/S22 exec/S24", """
            x = normal(7, (6, 10), torch.float32)
            y = x.to("accel:1")
            z = y * 2 + torch.ones(10, device="accel:1")
            expect_equal(y.device == torch.device("accel:1"), True)
            expect_equal(z.device == y.device, True)
            expect(z, "there")
            expect(z.to("accel:0") - x, "back")""", two=True)
    yield twin(g, "float32/copy_from_the_other_device", "exec/S24", """
            x = normal(7, (6, 10), torch.float32)
            y = torch.zeros(10, 6, dtype=torch.float64, device="accel:1")
            y.t().copy_(x)
            expect(y, "converted")
            y[:, ::2].copy_(x[0, :3])
            expect(y, "gaps")""", two=True)
    yield twin(g, "float32/copy_orders_both_streams", "exec/S2 exec/S23 exec/S24", """
            x = normal(8, (40, 40), torch.float32)
            a = accel.Stream("accel:0")
            b = accel.Stream("accel:1")
            y = torch.zeros(40, 40, device="accel:1")
            accel.synchronize("accel:0")
            accel.synchronize(1)
            with accel.stream(b):
                y.fill_(5)
                with accel.stream(a):
                    x.mul_(2)
                    y.copy_(x)
                    x.mul_(3)
                y.add_(1)
            a.synchronize()
            b.synchronize()
            expect(y, "y")
            expect(x, "x")""", two=True)
    yield twin(g, "float32/wait_for_the_other_device", "exec/S2 exec/S25", """
            x = normal(9, (30, 4), torch.float32)
            y = torch.zeros(30, 4, device="accel:1")
            e = accel.Event()
            accel.synchronize()
            x.mul_(2)
            e.record()
            with accel.device_index(1):
                accel.current_stream().wait_event(e)
                y.copy_(x)
                r = y + 1
            expect(r, "r")""", two=True)
    yield twin(g, "float32/gradient_across_devices", "exec/S24", """
            x = normal(9, (5, 4), torch.float32).requires_grad_()
            y = (x * 2).to("accel:1")
            w = normal(10, (5, 4), torch.float32).to("accel:1")
            (y * w).sum().backward()
            expect(x.grad, "gradient")""", two=True)
    yield standin(g, "none/current_device", "exec/S22 exec/S23", """
            expect_equal(accel.device_count(), 2)
            expect_equal(accel.current_device_index(), 0)
            expect_equal(torch.ones(2, device="accel").device.index, 0)
            accel.set_device_index(1)
            expect_equal(accel.current_device_index(), 1)
            expect_equal(torch.ones(2, device="accel").device.index, 1)
            expect_equal(torch.ones(2).device == torch.device("accel:1"), True)
            expect_equal(torch.ones(2, device=torch.device("accel", 0)).device.index, 0)
            with accel.device_index(0):
                expect_equal(accel.current_device_index(), 0)
                expect_equal(torch.ones(2).device.index, 0)
            expect_equal(accel.current_device_index(), 1)
            accel.set_device_index("accel:0")
            expect_equal(torch.device("accel").index is None, True)
            expect_equal(torch.device("accel") == torch.device("accel:0"), False)
            expect_equal(torch.device("cpu").index is None, True)
            expect_equal(accel.current_device_index(), 0)""", needs=TWO)
    yield standin(g, "none/streams_of_two_devices", "exec/S23", """
            s = accel.Stream(1)
            expect_equal(s.device == torch.device("accel:1"), True)
            expect_equal(accel.Stream().device.index, 0)
            expect_equal(accel.default_stream(0) == accel.default_stream(1), False)
            expect_equal(accel.default_stream(1).device.index, 1)
            d = accel.current_stream()
            with accel.stream(s):
                expect_equal(accel.current_device_index(), 1)
                expect_equal(accel.current_stream() == s, True)
                expect_equal(accel.current_stream("accel:0") == d, True)
                expect_equal(torch.ones(2).device.index, 1)
            expect_equal(accel.current_device_index(), 0)
            expect_equal(accel.current_stream() == d, True)
            expect_equal(accel.current_stream(1) == accel.default_stream(1), True)
            s.wait_stream(d)
            d.wait_stream(s)
            accel.synchronize(1)
            expect_equal(s.query(), True)""", needs=TWO)
    yield standin(g, "none/device_region_ends_in_an_error", "exec/S22", """
            def f():
                with accel.device_index(1):
                    return torch.zeros(2).view(3)
            expect_error(RuntimeError, "view/C2", f)
            expect_equal(accel.current_device_index(), 0)""", needs=TWO)
    yield standin(g, "none/tensors_of_two_devices", "exec/S22 errors/C3", """
            a = torch.ones(3)
            b = torch.ones(3, device="accel:1")
            expect_error(RuntimeError, "errors/C3", torch.add, a, b)
            expect_error(RuntimeError, "errors/C3", torch.mul, b, a)
            expect_error(RuntimeError, "errors/C3", torch.cat, [a, b])
            expect_error(RuntimeError, "errors/C3", a.add_, b)
            c = b + 1
            expect_equal(c.device.index, 1)
            d = b + torch.tensor(2.0, device="cpu")
            expect_equal(d.device.index, 1)""", needs=TWO)
    yield standin(g, "none/no_such_device", "tensors/C9 exec/C8", """
            expect_error(RuntimeError, "tensors/C9", torch.ones, 2, device="accel:2")
            expect_error(RuntimeError, "tensors/C9", accel.set_device_index, 7)
            expect_error(ValueError, "exec/C8", accel.current_stream, "cpu")
            expect_error(ValueError, "exec/C8", accel.Stream, "cpu")
            expect_error(ValueError, "exec/C8", accel.memory_allocated, "cpu")
            expect_error(ValueError, "exec/C8", accel.synchronize, torch.device("cpu"))
            expect_equal(accel.current_device_index(), 0)""", needs=TWO)
    yield standin(g, "none/event_of_another_device", "exec/S25 exec/C7", """
            e = accel.Event(enable_timing=True)
            f = accel.Event(enable_timing=True)
            s = accel.Stream(1)
            e.record(s)
            f.record()
            expect_error(RuntimeError, "exec/C7", e.record)
            expect_error(RuntimeError, "exec/C7", f.record, s)
            e.wait(accel.current_stream())
            f.wait(s)
            s.wait_event(f)
            accel.synchronize(0)
            accel.synchronize(1)
            expect_equal(e.query(), True)
            expect_equal(f.query(), True)""", needs=TWO)
    yield standin(g, "none/no_wait_between_devices", "exec/S24 exec/S18", """
            a = torch.ones(3)
            accel.set_sync_debug_mode("error")
            b = a.to("accel:1")
            b.copy_(a)
            expect_error(RuntimeError, "exec/C5", b.to, "cpu")
            accel.set_sync_debug_mode("default")""", needs=TWO)
    yield standin(g, "none/memory_of_two_devices", "exec/S22", """
            x = torch.ones(1000)
            expect_equal(accel.memory_allocated(), 4096)
            expect_equal(accel.memory_allocated(1), 0)
            y = torch.ones(3, device="accel:1")
            expect_equal(accel.memory_allocated(0), 4096)
            expect_equal(accel.memory_allocated("accel:1"), 512)
            expect_equal(accel.memory_stats(1)["num_device_alloc"], 1)
            accel.set_per_process_memory_fraction(0.25, 1)
            expect_equal(accel.get_per_process_memory_fraction(1), 0.25)
            expect_equal(accel.get_per_process_memory_fraction(0), 1.0)
            del y
            accel.empty_cache()
            expect_equal(accel.memory_reserved(1), 0)
            expect_equal(accel.memory_reserved(0) > 0, True)
            accel.set_per_process_memory_fraction(1.0, 1)""", needs=TWO)
