# SPDX-License-Identifier: Apache-2.0
"""The caching allocator as a program sees it; PyTorch's own, over the stand-in, is the truth."""

MIB = 1 << 20


def cases(g):
    yield from sizes(g)
    yield from split_and_merge(g)
    yield from ledgers(g)
    yield from fragmentation(g)
    yield from streams(g)
    yield from captures(g)
    yield from limits(g)
    yield from snapshots(g)
    yield from refusals(g)


def case(g, name, rules, program):
    rules = [f"allocator/{r}" for r in rules.split()]
    if "tensors/C10" in program:
        rules.append("tensors/C10")
    return g.case(name, " ".join(rules), program,
                  variants=False, provenance="run-standin")


def byte(n):
    return f"torch.empty({n}, dtype=torch.uint8)"


def sizes(g):
    """Rounding, pools and segments, on both sides of every edge."""
    edges = {"1": 1, "511": 511, "512": 512, "513": 513, "64k1": 65537, "1m-512": MIB - 512,
             "1m": MIB, "1m1": MIB + 1, "5m": 5 * MIB + 3, "10m-512": 10 * MIB - 512,
             "10m-511": 10 * MIB - 511, "10m": 10 * MIB, "10m1": 10 * MIB + 1, "12m": 12 * MIB,
             "33m": 33 * MIB - 7}
    for name, n in edges.items():
        yield case(g, f"uint8/size_{name}", "S1 S2 S4 S15", f"""
            x = {byte(n)}
            s = accel.memory_stats()
            expect_equal(accel.memory_allocated(), "allocated")
            expect_equal(accel.memory_reserved(), "reserved")
            expect_equal(s["requested_bytes.all.current"], "requested")
            expect_equal(s["allocation.small_pool.current"], "small")
            expect_equal(s["allocation.large_pool.current"], "large")
            expect_equal(s["segment.small_pool.current"], "small_segments")
            expect_equal(s["segment.large_pool.current"], "large_segments")
            expect_equal(s["inactive_split_bytes.all.current"], "rest")
            expect_equal(x.data_ptr() % 512, 0)""")
    yield case(g, "float64/element_size", "S1", """
        x = torch.empty((3, 50), dtype=torch.float64)
        y = torch.empty(65, dtype=torch.bfloat16)
        expect_equal(accel.memory_allocated(), "allocated")
        expect_equal(accel.memory_stats()["requested_bytes.all.current"], "requested")""")
    yield case(g, "uint8/nothing", "S1", """
        x = torch.empty((0, 3), dtype=torch.uint8)
        expect_equal(accel.memory_allocated(), 0)
        expect_equal(accel.memory_stats()["allocation.all.allocated"], "allocations")
        expect_equal(x.data_ptr(), 0)""")
    yield case(g, "uint8/small_and_large_apart", "S2", f"""
        x = {byte(4 * MIB)}
        del x
        y = {byte(MIB)}
        expect_equal(accel.memory_reserved(), "reserved")
        expect_equal(accel.memory_stats()["inactive_split.all.current"], "pieces")
        z = {byte(MIB + 1)}
        expect_equal(accel.memory_reserved(), "then")""")


def split_and_merge(g):
    for rest in (0, 512, MIB - 512, MIB, MIB + 512, 2 * MIB):
        yield case(g, f"uint8/large_rest_{rest}", "S5", f"""
            x = {byte(20 * MIB)}
            del x
            y = {byte(20 * MIB - rest)}
            s = accel.memory_stats()
            expect_equal(accel.memory_allocated(), "allocated")
            expect_equal(s["inactive_split.large_pool.current"], "pieces")
            expect_equal(s["inactive_split_bytes.large_pool.current"], "rest")
            expect_equal(s["requested_bytes.all.current"], "requested")""")
    for rest in (0, 512, 1024):
        yield case(g, f"uint8/small_rest_{rest}", "S5", f"""
            a = {byte(MIB)}
            b = {byte(MIB)}
            del a
            c = {byte(MIB - rest)}
            s = accel.memory_stats()
            expect_equal(accel.memory_allocated(), "allocated")
            expect_equal(s["inactive_split.small_pool.current"], "pieces")
            expect_equal(s["inactive_split_bytes.small_pool.current"], "rest")""")
    for name, order in (("left", "a b"), ("right", "b a"), ("both", "a c b"), ("hole", "b"),
                        ("ends", "a c")):
        frees = "\n".join(f"            del {x}" for x in order.split())
        yield case(g, f"uint8/merge_{name}", "S5 S6 S15", f"""
            a = {byte(300)}
            b = {byte(2000)}
            c = {byte(70000)}
            d = {byte(5)}
{frees}
            s = accel.memory_stats()
            expect_equal(s["inactive_split.all.current"], "pieces")
            expect_equal(s["inactive_split.all.allocated"], "pieces_made")
            expect_equal(s["inactive_split.all.freed"], "pieces_gone")
            expect_equal(s["inactive_split_bytes.all.current"], "bytes")
            expect_equal(s["inactive_split_bytes.all.peak"], "peak")
            e = {byte(1500)}
            expect_equal(e.data_ptr() - d.data_ptr(), "where")""")
    yield case(g, "uint8/best_fit", "S3", f"""
        a = {byte(4096)}
        p = {byte(1)}
        b = {byte(2048)}
        q = {byte(1)}
        c = {byte(3072)}
        r = {byte(1)}
        at = a.data_ptr()
        del a
        del b
        del c
        x = {byte(2500)}
        y = {byte(1800)}
        z = {byte(1800)}
        expect_equal(x.data_ptr() - at, "x")
        expect_equal(y.data_ptr() - at, "y")
        expect_equal(z.data_ptr() - at, "z")""")
    yield case(g, "uint8/oldest_segment", "S3", f"""
        a = {byte(20 * MIB)}
        b = {byte(20 * MIB)}
        first = a.data_ptr()
        del b
        del a
        c = {byte(18 * MIB)}
        expect_equal(c.data_ptr() == first, "first")""")
    yield case(g, "uint8/reuse", "S3 S7", f"""
        x = {byte(3 * MIB)}
        at = x.data_ptr()
        for i in range(5):
            del x
            x = {byte(3 * MIB)}
            expect_equal(x.data_ptr() == at, "same")
        expect_equal(accel.memory_stats()["num_device_alloc"], "asked")
        expect_equal(accel.memory_stats()["allocation.all.allocated"], "allocations")""")


def ledgers(g):
    yield case(g, "uint8/two_ledgers", "S7", f"""
        x = {byte(5 * MIB)}
        y = {byte(100)}
        expect_equal(accel.memory_allocated(), "allocated")
        del x
        expect_equal(accel.memory_allocated(), "less")
        expect_equal(accel.memory_reserved(), "reserved")
        accel.empty_cache()
        expect_equal(accel.memory_allocated(), "live")
        expect_equal(accel.memory_reserved(), "kept")
        expect_equal(accel.memory_stats()["num_device_free"], "given_back")
        expect_equal(accel.memory_stats()["num_sync_all_streams"], "waits")""")
    yield case(g, "uint8/pinned_by_one_block", "S7 S15", f"""
        x = {byte(6 * MIB)}
        y = {byte(6 * MIB)}
        z = {byte(6 * MIB)}
        del x
        del z
        accel.empty_cache()
        expect_equal(accel.memory_reserved(), "reserved")
        expect_equal(accel.memory_stats()["inactive_split_bytes.all.current"], "stuck")
        del y
        accel.empty_cache()
        expect_equal(accel.memory_reserved(), "after")""")
    yield case(g, "uint8/peaks", "S16", f"""
        x = {byte(3 * MIB)}
        y = {byte(2 * MIB)}
        del x
        expect_equal(accel.max_memory_allocated(), "peak")
        expect_equal(accel.max_memory_reserved(), "peak_reserved")
        accel.reset_peak_memory_stats()
        expect_equal(accel.max_memory_allocated(), "reset")
        z = {byte(9 * MIB)}
        del z
        expect_equal(accel.max_memory_allocated(), "again")
        expect_equal(accel.memory_stats()["active.all.peak"], "active")""")
    yield case(g, "uint8/sums", "S15 S16", f"""
        for i in range(4):
            x = {byte(700000)}
        s = accel.memory_stats()
        expect_equal([s["allocation.all.allocated"], s["allocation.all.freed"]], "allocations")
        expect_equal([s["allocated_bytes.small_pool.allocated"],
                      s["allocated_bytes.small_pool.freed"]], "bytes")
        expect_equal([s["requested_bytes.all.allocated"], s["requested_bytes.all.freed"]],
                     "requested")
        expect_equal([s["segment.all.allocated"], s["segment.all.freed"]], "segments")
        accel.reset_accumulated_memory_stats()
        del x
        s = accel.memory_stats()
        expect_equal(s["allocation.all.allocated"], "made")
        expect_equal(s["allocation.all.freed"], "freed")
        expect_equal(s["allocated_bytes.all.peak"], "peak")
        expect_equal(s["num_device_alloc"], "asked")""")
    yield case(g, "uint8/keys", "S15", """
        s = accel.memory_stats()
        expect_equal(s["max_split_size"], "max_split_size")
        expect_equal(s["num_oom_rejections"], "rejections")
        expect_equal(s["oversize_allocations.current"], "oversize")
        expect_equal(s["oversize_segments.peak"], "oversize_segments")
        expect_equal(s["active_bytes.large_pool.freed"], "active")""")
    yield case(g, "uint8/raw", "S1 S2 S7", """
        p = accel.caching_allocator_alloc(1000)
        q = accel.caching_allocator_alloc(3000000)
        expect_equal(accel.memory_allocated(), "allocated")
        expect_equal(p % 512, 0)
        accel.caching_allocator_delete(p)
        accel.caching_allocator_delete(q)
        expect_equal(accel.memory_allocated(), "after")
        expect_equal(accel.memory_reserved(), "reserved")""")


def fragmentation(g):
    for name, first, second in (("grows", (8, 16), (4, 32)), ("stays", (4, 32), (8, 16)),
                                ("layers", (6, 11), (6, 12)), ("smaller", (6, 12), (6, 11))):
        (n, a), (m, b) = first, second
        yield case(g, f"uint8/waves_{name}", "S22 S7", f"""
            x = []
            for i in range({n}):
                x += [{byte(a * MIB)}]
            expect_equal(accel.memory_reserved(), "first")
            del x
            y = []
            for i in range({m}):
                y += [{byte(b * MIB)}]
            expect_equal(accel.memory_reserved(), "second")
            expect_equal(accel.max_memory_allocated(), "peak")
            expect_equal(accel.memory_stats()["segment.all.current"], "segments")""")
    yield case(g, "uint8/holes", "S22 S6", f"""
        a = {byte(16 * MIB)}
        b = {byte(16 * MIB)}
        c = {byte(16 * MIB)}
        d = {byte(16 * MIB)}
        del a
        del c
        e = {byte(32 * MIB)}
        expect_equal(accel.memory_reserved(), "reserved")
        expect_equal(accel.memory_allocated(), "allocated")""")
    yield case(g, "uint8/one_mib_loophole", "S5 S22", f"""
        x = {byte(21 * MIB)}
        del x
        y = {byte(21 * MIB)}
        del y
        z = {byte(20 * MIB + 5)}
        w = {byte(2 * MIB)}
        expect_equal(accel.memory_allocated(), "allocated")
        expect_equal(accel.memory_reserved(), "reserved")""")


def streams(g):
    """Whose block it is, and when. A stream is synchronised before what its events decide."""
    for name, n in (("small", 5000), ("large", 3 * MIB), ("segment", 12 * MIB)):
        yield case(g, f"uint8/by_stream_{name}", "S8", f"""
            s = accel.Stream()
            x = {byte(n)}
            at = x.data_ptr()
            del x
            with accel.stream(s):
                y = {byte(n)}
            expect_equal(y.data_ptr() == at, "same")
            expect_equal(accel.memory_reserved(), "reserved")
            there = y.data_ptr()
            del y
            z = {byte(n)}
            expect_equal(z.data_ptr() == at, "again")
            with accel.stream(s):
                w = {byte(n)}
            expect_equal(w.data_ptr() == there, "there")
            expect_equal(accel.memory_stats()["segment.all.current"], "segments")
            snapshot = accel.memory_snapshot()
            for i in range(len(snapshot)):
                expect_equal(snapshot[i]["stream"] == 0, "default")""")
        yield case(g, f"uint8/recorded_{name}", "S9 S10 S11 S14", f"""
            s = accel.Stream()
            x = {byte(n)}
            at = x.data_ptr()
            x.record_stream(s)
            del x
            m = accel.memory_stats()
            expect_equal(m["allocation.all.current"], "allocation")
            expect_equal(m["active.all.current"], "active")
            expect_equal(m["active_bytes.all.current"], "active_bytes")
            expect_equal(m["requested_bytes.all.current"], "requested")
            expect_equal(m["inactive_split.all.current"], "pieces")
            block = accel.memory_snapshot()[0]["blocks"][0]
            expect_equal(block["state"] == "active_pending_free", "pending")
            s.synchronize()
            expect_equal(accel.memory_stats()["active.all.current"], "still")
            with accel.stream(s):
                y = {byte(n)}
            expect_equal(y.data_ptr() == at, "not_theirs")
            expect_equal(accel.memory_stats()["active.all.current"], "then")
            z = {byte(n)}
            expect_equal(z.data_ptr() == at, "ours")""")
    yield case(g, "uint8/recorded_on_its_own", "S9", f"""
        x = {byte(70000)}
        x.record_stream(accel.current_stream())
        del x
        expect_equal(accel.memory_stats()["active.all.current"], "active")
        s = accel.Stream()
        with accel.stream(s):
            y = {byte(70000)}
            y.record_stream(s)
        del y
        expect_equal(accel.memory_stats()["active.all.current"], "then")""")
    yield case(g, "uint8/recorded_on_two", "S9 S6", f"""
        s = accel.Stream()
        r = accel.Stream()
        x = {byte(3 * MIB)}
        y = {byte(3 * MIB)}
        x.record_stream(s)
        x.record_stream(r)
        x.record_stream(s)
        del x
        del y
        expect_equal(accel.memory_stats()["active_bytes.all.current"], "waits")
        expect_equal(accel.memory_stats()["inactive_split_bytes.all.current"], "not_joined")
        s.synchronize()
        r.synchronize()
        z = {byte(100)}
        expect_equal(accel.memory_stats()["active_bytes.large_pool.current"], "done")
        expect_equal(accel.memory_stats()["inactive_split.large_pool.current"], "joined")""")
    yield case(g, "uint8/recorded_view", "S9", f"""
        s = accel.Stream()
        x = {byte(4096)}
        v = x[100:200]
        v.record_stream(s)
        del x
        expect_equal(accel.memory_stats()["allocation.all.current"], "held_by_view")
        del v
        expect_equal(accel.memory_stats()["allocation.all.current"], "allocation")
        expect_equal(accel.memory_stats()["active.all.current"], "active")""")
    yield case(g, "uint8/empty_cache_waits", "S10 S7", f"""
        s = accel.Stream()
        x = {byte(3 * MIB)}
        x.record_stream(s)
        del x
        accel.empty_cache()
        expect_equal(accel.memory_stats()["active.all.current"], "active")
        expect_equal(accel.memory_reserved(), "reserved")
        expect_equal(accel.memory_stats()["num_sync_all_streams"], "waits")""")
    yield case(g, "uint8/streams_fragment", "S8 S22", f"""
        s = accel.Stream()
        x = {byte(40 * MIB)}
        del x
        with accel.stream(s):
            y = {byte(40 * MIB)}
        expect_equal(accel.memory_allocated(), "allocated")
        expect_equal(accel.memory_reserved(), "reserved")""")
    yield case(g, "uint8/record_stream_elsewhere", "C7", """
        x = torch.empty(3, dtype=torch.uint8, device="cpu")
        s = accel.Stream()
        expect_error(NotImplementedError, "allocator/C7", x.record_stream, s)""")


def captures(g):
    """Streams recorded before a capture, in it, or both; b has work that may take its time."""
    inside = {"before": "", "inside": "x.record_stream(b)", "again": "x.record_stream(b)"}
    for name, line in inside.items():
        before = "" if name == "inside" else "x.record_stream(b)"
        first = f"w = {byte(3)}" if name == "before" else ""  # where b's event is recorded
        wait = "accel.synchronize()" if name == "before" else ""
        program = f"""
            s = accel.Stream()
            b = accel.Stream()
            x = torch.ones(700)
            z = torch.ones(700)
            g = accel.Graph()
            accel.synchronize()
            with accel.stream(b):
                z.mul_(2)
            {before}
            with accel.stream(s):
                g.capture_begin(capture_error_mode="relaxed")
                k = z * 2
                {line}
                del x
                expect_equal(accel.memory_stats()["active.all.current"], "inside")
                g.capture_end()
            expect_equal(accel.memory_stats()["active.all.current"], "put_off")
            {first}
            {wait}
            y = {byte(3)}
            expect_equal(accel.memory_stats()["active.all.current"], "settled")
            expect_equal(accel.memory_stats()["allocation.all.current"], "allocated")"""
        yield case(g, f"uint8/capture_recorded_{name}", "S19 S9",
                   "\n".join(line for line in program.split("\n") if line.strip()))


def limits(g):
    yield case(g, "uint8/out_of_memory", "C1 S12", f"""
        x = {byte(600 * MIB)}
        expect_error(OutOfMemoryError, "tensors/C10", torch.empty, {500 * MIB}, dtype=torch.uint8)
        s = accel.memory_stats()
        expect_equal(s["num_ooms"], "ooms")
        expect_equal(s["num_alloc_retries"], "retries")
        expect_equal(s["num_sync_all_streams"], "waits")
        expect_equal(accel.memory_allocated(), "live")
        del x
        y = {byte(500 * MIB)}
        expect_equal(accel.memory_reserved(), "reserved")
        expect_equal(accel.memory_stats()["num_alloc_retries"], "then")""")
    yield case(g, "uint8/cache_gives_way", "S12", f"""
        x = {byte(600 * MIB)}
        k = {byte(100)}
        m = {byte(3 * MIB)}
        del x
        del m
        y = {byte(700 * MIB)}
        s = accel.memory_stats()
        expect_equal(s["num_alloc_retries"], "retries")
        expect_equal(s["num_device_free"], "given_back")
        expect_equal(s["num_ooms"], 0)
        expect_equal(accel.memory_reserved(), "reserved")""")
    yield case(g, "uint8/fraction", "S13 C1", f"""
        expect_equal(accel.get_per_process_memory_fraction(), 1.0)
        accel.set_per_process_memory_fraction(0.03125)
        x = {byte(20 * MIB)}
        expect_error(OutOfMemoryError, "tensors/C10", torch.empty, {14 * MIB}, dtype=torch.uint8)
        y = {byte(12 * MIB)}
        expect_equal(accel.memory_reserved(), "reserved")
        expect_error(OutOfMemoryError, "tensors/C10", torch.empty, 1, dtype=torch.uint8)
        del x
        z = {byte(19 * MIB)}
        expect_equal(accel.memory_reserved(), "full")
        expect_equal(accel.get_per_process_memory_fraction(), "fraction")
        expect_equal(accel.memory_stats()["num_ooms"], "ooms")""")
    yield case(g, "uint8/fraction_counts_cache", "S13 S12", f"""
        accel.set_per_process_memory_fraction(0.03125)
        x = {byte(20 * MIB)}
        del x
        y = {byte(30 * MIB)}
        expect_equal(accel.memory_stats()["num_alloc_retries"], "retries")
        expect_equal(accel.memory_reserved(), "reserved")""")
    yield case(g, "uint8/fraction_of_nothing", "S13 C1", """
        accel.set_per_process_memory_fraction(0.0)
        expect_error(OutOfMemoryError, "tensors/C10", torch.empty, 1, dtype=torch.uint8)
        expect_equal(accel.memory_reserved(), 0)
        accel.set_per_process_memory_fraction(1.0)
        x = torch.empty(1, dtype=torch.uint8)
        expect_equal(accel.memory_reserved(), "reserved")""")


def snapshots(g):
    yield case(g, "uint8/snapshot", "S14", f"""
        a = {byte(1000)}
        b = {byte(4 * MIB)}
        c = {byte(600)}
        base = a.data_ptr()
        del a
        s = accel.memory_snapshot()
        expect_equal(len(s), "segments")
        for i in range(len(s)):
            expect_equal(s[i]["total_size"], "total")
            expect_equal(s[i]["allocated_size"], "allocated")
            expect_equal(s[i]["active_size"], "active")
            expect_equal(s[i]["requested_size"], "requested")
            expect_equal(s[i]["segment_type"] == "small", "small")
            expect_equal(s[i]["segment_pool_id"], "pool")
            expect_equal(s[i]["stream"], "stream")
            expect_equal(s[i]["is_expandable"], "expandable")
            at = s[i]["address"]
            for k in range(len(s[i]["blocks"])):
                block = s[i]["blocks"][k]
                expect_equal(block["address"] - at, "offset")
                expect_equal(block["size"], "size")
                expect_equal(block["requested_size"], "last_request")
                expect_equal(block["state"] == "active_allocated", "live")
                expect_equal(block["state"] == "inactive", "free")""")
    yield case(g, "uint8/snapshot_of_nothing", "S14", """
        expect_equal(len(accel.memory_snapshot()), 0)""")
    yield case(g, "uint8/snapshot_tiles", "S14 S21", f"""
        x = []
        for i in range(12):
            x += [torch.empty(1 + 150000 * i, dtype=torch.uint8)]
        for i in range(0, 12, 3):
            x[i] = 0
        s = accel.memory_snapshot()
        free = 0
        for i in range(len(s)):
            end = s[i]["address"]
            for k in range(len(s[i]["blocks"])):
                block = s[i]["blocks"][k]
                expect_equal(block["address"] == end, True)
                end += block["size"]
                if block["state"] == "inactive":
                    free += block["size"]
            expect_equal(end - s[i]["address"] == s[i]["total_size"], True)
        expect_equal(free, accel.memory_reserved() - accel.memory_allocated())
        expect_equal(free, "free")""")


def refusals(g):
    yield case(g, "uint8/exbibyte", "C2", """
        expect_error(OutOfMemoryError, "tensors/C10", torch.empty, 1152921504606846976, dtype=torch.uint8)
        expect_equal(accel.memory_stats()["num_ooms"], "ooms")
        expect_error(OutOfMemoryError, "allocator/C1", accel.caching_allocator_alloc, 1152921504606846976)
        expect_equal(accel.memory_stats()["num_ooms"], "then")""")
    yield case(g, "uint8/unknown_address", "C3", """
        p = accel.caching_allocator_alloc(512)
        expect_error(RuntimeError, "allocator/C3", accel.caching_allocator_delete, p + 512)
        accel.caching_allocator_delete(p)
        expect_error(RuntimeError, "allocator/C3", accel.caching_allocator_delete, p)
        expect_equal(accel.memory_stats()["allocation.all.freed"], "freed")""")
    for name, f, error in (("below", "-0.1", "ValueError"), ("above", "1.5", "ValueError"),
                           ("int", "1", "TypeError")):
        yield case(g, f"float64/fraction_{name}", "C6", f"""
            expect_error({error}, "allocator/C6", accel.set_per_process_memory_fraction, {f})
            expect_equal(accel.get_per_process_memory_fraction(), 1.0)""")
