#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make golden/data/alloc.traces: random programs on PyTorch's own allocator over golden/standin.

After every operation stand the statistics that changed and the events that it gave. A line:

    <operation>|<changes>|<events>

Operations: a BYTES STREAM (allocate; the n-th is block n), f N (free block n), r N STREAM (record
stream), h STREAM (hold), l STREAM (let go), e (empty cache), p (reset peaks), c (reset accumulated),
m FRACTION (of memory), b POOL, x POOL, z POOL (begin, end, release a private pool), s (snapshot).
Changes: DELTA:KK… for the statistics KK (hexadecimal, place in the sorted keys) that changed by it.
Events: letter, address, ",", size, "@" stream unless 0; addresses count 512-byte units from the
first, sizes bytes, both hexadecimal. For o the address is the number of free units.
A snapshot's lines follow it: "=" segment address, total, stream, small or large, pool; each block's
size in units, state and requested bytes.
"""
import argparse
import ctypes
import os
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = HERE / ".venv" / "bin" / "python"
STANDIN = HERE / ".venv" / "standin" / "libcuda.so.1"
OUT = HERE / "data" / "alloc.traces"
BASE = 1 << 40
MIB = 1 << 20
STEPS = 1000
LETTER = {"alloc": "A", "free_requested": "R", "free_completed": "C", "segment_alloc": "S",
          "segment_free": "F", "snapshot": "n", "oom": "o"}
STATE = {"inactive": "-", "active_allocated": "+", "active_pending_free": "?"}

# What one trace is made of: sizes by class with their weights, streams, memory in MiB, the parts (of
# 1000) of operations other than allocate and free, and late: begin with that.
SMALL = {"tiny": 5, "small": 5, "edge": 1}
LARGE = {"mid": 4, "big": 2, "edge": 2}
MIXED = {"tiny": 3, "small": 4, "mid": 3, "big": 1, "edge": 2}
TRACES = [
    dict(sizes=SMALL, live=120),
    dict(sizes=LARGE, live=12),
    dict(sizes=MIXED, live=40, empty=10),
    dict(sizes=MIXED, live=30, memory=96, empty=5),
    dict(sizes=LARGE, live=10, memory=160, empty=3),
    dict(sizes=SMALL, live=60, streams=3, record=200, hold=60),
    dict(sizes=MIXED, live=40, streams=3, record=150, hold=60, empty=8),
    dict(sizes=MIXED, live=30, streams=4, record=150, hold=60, memory=128, empty=5),
    dict(sizes=LARGE, live=12, streams=2, record=250, hold=80, memory=256),
    dict(sizes=MIXED, live=40, empty=10, reset=30, fraction=15),
    dict(sizes=MIXED, live=40, streams=2, pools=60, empty=20),
    dict(sizes=MIXED, live=30, streams=3, record=100, hold=40, pools=40, empty=10, reset=10,
         memory=192),
    dict(sizes=LARGE, live=6, streams=2, record=250, hold=80, memory=64, late=True),
]


def size_of(rng, classes):
    kind = rng.choices(list(classes), classes.values())[0]
    if kind == "tiny":
        return rng.randint(1, 4096)
    if kind == "small":
        return rng.randint(4097, MIB)
    if kind == "mid":
        return rng.randint(MIB + 1, 10 * MIB - 1)
    if kind == "big":
        return rng.randint(10 * MIB, 40 * MIB)
    return rng.choice([1, 511, 512, 513, MIB - 512, MIB, MIB + 1, 10 * MIB - 512, 10 * MIB - 511,
                       10 * MIB, 10 * MIB + 1, 12 * MIB, 19 * MIB - 512, 19 * MIB, 20 * MIB])


def segment_size(size):
    size = max(512, -(-size // 512) * 512)
    if size <= MIB:
        return 2 * MIB
    return 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB


class Tracer:
    def __init__(self, number, plan):
        import torch
        self.torch, self.plan, self.rng = torch, plan, random.Random(number)
        self.cuda = ctypes.CDLL(str(STANDIN))
        self.memory = plan.get("memory", 1024) * MIB
        self.cuda.standin_capacity(ctypes.c_size_t(self.memory))
        torch.cuda.init()
        self.streams = [torch.cuda.default_stream()]
        self.streams += [torch.cuda.Stream() for _ in range(plan.get("streams", 1) - 1)]
        self.index = {s.cuda_stream: i for i, s in enumerate(self.streams)}
        self.live, self.count, self.lines = {}, 0, []
        self.held, self.uses, self.home = set(), {}, {}
        self.waiting = {}   # stream: events that a malloc has not yet taken up
        self.settling = False
        self.pools, self.open, self.released = [], None, set()
        self.fraction = 1.0
        self.stats = self.numbers()
        torch.cuda.memory._record_memory_history("all", context=None, clear_history=True)

    def numbers(self):
        s = self.torch.cuda.memory_stats()
        return [v for k, v in s.items() if not k.startswith("reserved_bytes_by_private_pools")]

    def note(self, op):
        """One finished operation, with what it changed."""
        now, by = self.numbers(), {}
        for i, (a, b) in enumerate(zip(self.stats, now)):
            if a != b:
                by.setdefault(b - a, []).append(f"{i:02x}")
        self.stats = now
        events = []
        trace = self.torch.cuda.memory._snapshot()["device_traces"][0]
        if trace and trace[-1]["action"] == "snapshot":
            trace.pop()  # the look itself
        for e in trace:
            letter = LETTER[e["action"]]
            at = e["device_free"] if letter == "o" else e["addr"] - BASE
            stream = self.index[e["stream"]]
            events.append(f"{letter}{at // 512:x},{e['size']:x}" + (f"@{stream}" if stream else ""))
        self.torch.cuda.memory._record_memory_history("all", context=None, clear_history=True)
        self.lines.append("|".join([
            op, " ".join(f"{d}:{''.join(k)}" for d, k in sorted(by.items())), " ".join(events)]))

    # what may complete, and in one order only: PyTorch looks at its streams in a hash's order

    def ready(self):
        return {s for s in self.waiting if s not in self.held}

    def flush(self):
        if self.ready():
            self.allocate(512, 0)

    def settle(self):
        """At most one stream waits when everything will be waited for."""
        self.settling = True
        while len(self.waiting) > 1:
            s = next(iter(self.waiting))
            if s in self.held:
                self.let_go(s)
            self.flush()
        self.settling = False

    def allocate(self, size, stream):
        room = min(self.memory, int(self.fraction * self.memory)) - \
            self.torch.cuda.memory_reserved()
        if not self.settling and (segment_size(size) > room or room < 20 * MIB):
            self.settle()
        torch, self.home[self.count] = self.torch, stream
        for s in self.ready():
            self.waiting.pop(s)
        try:
            with torch.cuda.stream(self.streams[stream]):
                t = torch.empty(size, dtype=torch.uint8, device="cuda")
            self.live[self.count] = t
        except torch.OutOfMemoryError:
            self.waiting.clear()
        self.count += 1
        self.note(f"a {size} {stream}")

    def free(self, n):
        uses = self.uses.get(n, set())
        if uses and not (self.ready() <= uses and len(uses) == 1):
            self.flush()
        self.uses.pop(n, None)
        for s in uses:
            self.waiting[s] = True
        del self.live[n]
        self.note(f"f {n}")

    def record(self, n, stream):
        t = self.live[n]
        t.record_stream(self.streams[stream])
        if stream != self.home[n]:
            self.uses.setdefault(n, set()).add(stream)
        self.note(f"r {n} {stream}")

    def hold(self, s):
        self.flush()
        self.cuda.standin_hold(ctypes.c_void_p(self.streams[s].cuda_stream))
        self.held.add(s)
        self.note(f"h {s}")

    def let_go(self, s):
        self.flush()
        self.cuda.standin_release(ctypes.c_void_p(self.streams[s].cuda_stream))
        self.held.discard(s)
        self.note(f"l {s}")

    def empty(self):
        self.settle()
        self.waiting.clear()
        self.torch.cuda.empty_cache()
        self.note("e")

    def limit(self):
        self.fraction = self.rng.choice([0.05, 0.1, 0.25, 1.0])
        self.torch.cuda.set_per_process_memory_fraction(self.fraction)
        self.note(f"m {self.fraction}")

    def reset(self):
        if self.rng.random() < 0.7:
            self.torch.cuda.reset_peak_memory_stats()
            self.note("p")
        else:
            self.torch.cuda.reset_accumulated_memory_stats()
            self.note("c")

    def leftovers(self):
        """A released pool still has segments; of two such, a hash says which gives back first."""
        return any(s["segment_pool_id"] in self.released
                   for s in self.torch.cuda.memory_snapshot())

    def pool(self):
        C, rng = self.torch._C, self.rng
        if self.open is not None:
            C._cuda_endAllocateToPool(0, self.open)
            self.note(f"x {self.open[1]}")
            self.open = None
        elif self.pools and rng.random() < 0.4 and not self.leftovers():
            id = self.pools.pop(rng.randrange(len(self.pools)))
            self.released.add(id)
            C._cuda_releasePool(0, id)
            self.note(f"z {id[1]}")
        else:
            id = self.torch.cuda.graph_pool_handle()
            self.pools.append(id)
            self.open = id
            C._cuda_beginAllocateCurrentThreadToPool(0, id)
            self.note(f"b {id[1]}")

    def snapshot(self):
        segments = self.torch.cuda.memory_snapshot()
        self.note("s")
        for s in segments:
            blocks = " ".join(f"{b['size'] // 512:x}{STATE[b['state']]}{b['requested_size']:x}"
                              for b in s["blocks"])
            self.lines.append(
                f"={(s['address'] - BASE) // 512:x} {s['total_size'] // 512:x} "
                f"{self.index[s['stream']]} {s['segment_type']} {s['segment_pool_id'][1]} {blocks}")

    def late(self):
        """Out of memory though the wait frees a block that fits; the same request then gets it."""
        self.allocate(60 * MIB, 0)
        self.free(0)
        self.allocate(30 * MIB, 0)
        self.allocate(30 * MIB, 0)
        self.record(1, 1)
        self.hold(1)
        self.free(1)
        self.allocate(30 * MIB, 0)
        self.allocate(30 * MIB, 0)

    def run(self):
        plan, rng = self.plan, self.rng
        if plan.get("late"):
            self.late()
        steps = lambda: sum(not x.startswith("=") for x in self.lines)  # noqa: E731
        while steps() < STEPS:
            dice = rng.random() * 1000
            for part, act in (("record", None), ("hold", None), ("empty", self.empty),
                              ("reset", self.reset), ("fraction", self.limit),
                              ("pools", self.pool)):
                dice -= plan.get(part, 0)
                if dice < 0:
                    break
            else:
                part, act = None, None
            if part == "record" and self.live:
                self.record(rng.choice(list(self.live)), rng.randrange(len(self.streams)))
            elif part == "hold":
                s = rng.randrange(1, len(self.streams))
                self.let_go(s) if s in self.held else self.hold(s)
            elif act:
                act()
            elif self.live and rng.random() < len(self.live) / (2 * plan["live"]):
                self.free(rng.choice(list(self.live)))
            else:
                stream = rng.randrange(len(self.streams))
                self.allocate(size_of(rng, plan["sizes"]), stream)
            if steps() % 200 == 0:
                self.snapshot()
        return self.lines


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true",
                        help="make them anew and compare with golden/data")
    a = parser.parse_args(argv)
    if os.environ.get("LD_PRELOAD") != str(STANDIN):
        if not STANDIN.exists():
            sys.exit("traces.py: the stand-in is not built: run golden/setup first")
        env = {**os.environ, "LD_PRELOAD": str(STANDIN), "OMP_NUM_THREADS": "1"}
        os.execve(PYTHON, [str(PYTHON), __file__, *argv], env)
    import torch
    parts = [f"# touchstone allocator traces 1\n# provenance: run-standin@"
             f"{torch.__version__.split('+')[0]}\n"]
    for number, plan in enumerate(TRACES):
        read, write = os.pipe()
        pid = os.fork()  # each starts with an allocator that nothing has used
        if pid == 0:
            t = Tracer(number, plan)
            head = f"\n# trace {number} streams {len(t.streams)} memory {t.memory}\n"
            with os.fdopen(write, "w") as f:
                f.write(head + "\n".join(t.run()) + "\n")
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as f:
            parts.append(f.read())
        if os.waitpid(pid, 0)[1]:
            sys.exit(f"traces.py: trace {number} failed")
    text = "".join(parts)
    if a.check:
        same = OUT.read_text() == text
        print("traces.py: " + ("as committed" if same else f"{OUT} differs"))
        return not same
    OUT.write_text(text)
    print(f"traces.py: {len(TRACES)} traces, {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
