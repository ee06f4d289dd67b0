# SPDX-License-Identifier: Apache-2.0
"""profiler is torch.profiler; the rest is what a case may ask of a profile (spec/areas/profiler.md).

PyTorch's trace shows how its own kernels are made. What is kept of it is what every implementation
has: the ops of the spec's pages, nothing inside one that has kernels; nodes of backward, nothing
inside them; ranges.
"""
import contextlib
import re
import tomllib
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, record_function, schedule
from torch.utils._python_dispatch import _disable_current_modes

SPEC = Path(__file__).resolve().parents[2] / "spec" / "ops"
RENAMED = {"cross_entropy_loss": "cross_entropy"}  # F.cross_entropy's own name


def read_kinds():
    """{op: kind} of every page."""
    out = {}
    for path in sorted(SPEC.glob("*.md")):
        m = re.search(r"^```toml\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
        page = tomllib.loads(m.group(1)) if m else {}
        for op in page.get("op", []):
            out[re.match(r"\w+", op["schema"])[0]] = {**page.get("common", {}), **op}["kind"]
    return out


KINDS = read_kinds()
ENGINE = "autograd::engine::evaluate_function: "


class profile(torch.profiler.profile):
    """Nothing that watches a golden run is on while a profile is: its own calls are none of the
    program's."""

    def start(self):
        self.quiet = contextlib.ExitStack()
        self.quiet.enter_context(_disable_current_modes())
        super().start()

    def stop(self):
        try:
            super().stop()
        finally:
            self.quiet.close()


def kind_of(event):
    """(name, "range", "node" or the op's kind), or None for what is no event of ours."""
    name = event.name
    if getattr(event, "is_user_annotation", False) or name.startswith("ProfilerStep"):
        return name, "range"
    if name.startswith("aten::"):
        op = RENAMED.get(name[6:], name[6:])
        kind = KINDS.get(op) or KINDS.get(op.removesuffix("_"))
        return kind and (f"aten::{op}", kind)
    name = name.replace("torch::autograd::", "")
    if name.startswith(ENGINE) or re.fullmatch(r"\w+Backward\d*|AccumulateGrad", name):
        return name, "node"
    return None


def shown(p):
    """(event, name, depth) of what every implementation has, in the order of starts: inside a
    program only what has kernels, inside a node only its own node."""
    out = []

    def walk(event, depth, inside):
        name, kind = kind_of(event) or ("", "")
        kernel = kind in ("primitive", "optional")
        if kind and (inside == "all" or inside == "kernels" and kernel
                     or inside == "nodes" and kind == "node"):
            out.append((event, name, depth))
            depth += 1
        if kind == "node":
            inside = "nodes"
        elif inside == "all" and kind not in ("", "range"):
            inside = "kernels" if kind == "composite" else "nothing"
        elif kernel or inside == "nodes":
            inside = "nothing"
        for child in by_start(event.cpu_children) if inside != "nothing" else ():
            walk(child, depth, inside)

    for e in by_start(e for e in p.events() if e.cpu_parent is None):
        walk(e, 0, "all")
    return out


def by_start(events):
    return sorted(events, key=lambda e: (e.time_range.start, e.id))


def tree(p):
    return [(name, depth) for _, name, depth in shown(p)]


def count(p, name):
    return sum(n == name for _, n, _ in shown(p))


def tensors(event):
    return [tuple(s) for s in event.input_shapes or [] if s]


def shapes(p, name):
    return [tensors(e) for e, n, _ in shown(p) if n == name]


def averages(p, group_by_input_shape=False):
    rows = {}
    for e, n, _ in shown(p):
        key = (n, str(tensors(e)) if group_by_input_shape else "")
        rows.setdefault(key, [n, tensors(e), 0])[2] += 1
    rows = sorted(rows.values(), key=lambda r: r[0])
    return [tuple(r) if group_by_input_shape else (r[0], r[2]) for r in rows]


def memory(p, name):
    return sum(e.cpu_memory_usage for e, n, _ in shown(p) if n == name)


def sound(p):
    events = [e for e in p.events() if e.name != "[memory]"]
    return all(e.time_range.start <= e.time_range.end and e.self_cpu_time_total >= 0
               and (e.cpu_parent is None
                    or e.cpu_parent.time_range.start <= e.time_range.start
                    and e.time_range.end <= e.cpu_parent.time_range.end) for e in events)


def action(schedule, step):
    return schedule(step).name


NAMES = {"profiler": dict(
    profile=profile, schedule=schedule, record_function=record_function,
    ProfilerActivity=ProfilerActivity, action=action, tree=tree, count=count, shapes=shapes,
    averages=averages, memory=memory, sound=sound)}


def begin():
    """Nothing is left of a profile that another run did not close."""
