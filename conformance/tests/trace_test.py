#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Chrome trace against the trace event format, as strictly as its readers ever are.

usage: trace_test.py PROGRAM     PROGRAM writes a trace to standard output
       trace_test.py FILE.json   check a trace that is there

From the format's own text: an object with "traceEvents"; every event has ph, pid, tid and name, all
but metadata a ts in µs; X has a dur; M one of five names and its argument; i a scope; a flow starts
(s) before it finishes (f), both with one id, category and name, inside a slice of their thread,
where the format binds them; slices of one thread nest.
"""
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict

HEAD = {"schemaVersion": int, "displayTimeUnit": str, "record_shapes": int, "profile_memory": int,
        "baseTimeNanoseconds": int, "traceEvents": list}
KEYS = {"X": {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"},
        "M": {"ph", "name", "pid", "tid", "args"},
        "i": {"ph", "name", "cat", "pid", "tid", "ts", "s", "args"},
        "s": {"ph", "name", "cat", "pid", "tid", "ts", "id"},
        "f": {"ph", "name", "cat", "pid", "tid", "ts", "id", "bp"}}
METADATA = {"process_name": "name", "process_labels": "labels", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}
CATEGORIES = {"cpu_op", "user_annotation", "kernel", "gpu_memcpy", "gpu_memset"}


def number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool) and x == x and abs(x) < 1e15


def unique(pairs):
    keys = [k for k, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key stands twice in {keys}")
    return dict(pairs)


def constant(text):
    raise ValueError(f"{text} is no JSON number")


def shape_faults(i, e):
    """What is wrong with event i alone."""
    ph = e.get("ph")
    if ph not in KEYS:
        return [f"event {i}: phase {ph!r}"]
    out = [f"event {i}: keys {sorted(set(e) ^ KEYS[ph])} missing or unknown"] \
        if set(e) != KEYS[ph] else []
    if not isinstance(e.get("name"), str) or not e["name"]:
        out.append(f"event {i}: no name")
    for k in ("pid", "tid"):
        if type(e.get(k)) is not int or e[k] < 0:
            out.append(f"event {i}: {k} is no identifier")
    for k in ("ts", "dur"):
        if k in e and (not number(e[k]) or e[k] < 0):
            out.append(f"event {i}: {k} is {e[k]!r}")
    if ph == "M" and (e["name"] not in METADATA or set(e["args"]) != {METADATA[e["name"]]}):
        out.append(f"event {i}: metadata {e['name']} with {e['args']}")
    if ph == "X" and e.get("cat") not in CATEGORIES:
        out.append(f"event {i}: category {e.get('cat')!r}")
    if ph == "i" and e.get("s") not in ("g", "p", "t"):
        out.append(f"event {i}: scope {e.get('s')!r}")
    if ph == "f" and e.get("bp") != "e":
        out.append(f"event {i}: binding point {e.get('bp')!r}")
    return out


def nesting_faults(slices):
    out = []
    for lane, events in slices.items():
        stack = []
        for ts, end, name in sorted(events, key=lambda s: (s[0], -s[1])):
            while stack and stack[-1][1] <= ts:
                stack.pop()
            if stack and end > stack[-1][1] + 1e-3:
                out.append(f"{lane}: {name} crosses the end of {stack[-1][2]}")
            stack.append((ts, end, name))
    return out


def flow_faults(flows, slices):
    out = []
    for key, ends in flows.items():
        if [e["ph"] for e in ends] != ["s", "f"]:
            out.append(f"flow {key}: {[e['ph'] for e in ends]}")
            continue
        if ends[0]["ts"] > ends[1]["ts"]:
            out.append(f"flow {key}: ends before it starts")
        for e in ends:
            if not any(ts <= e["ts"] <= end for ts, end, _ in slices[(e["pid"], e["tid"])]):
                out.append(f"flow {key}: {e['ph']} binds to no slice")
    return out


def faults(trace):
    """Everything wrong with a parsed trace."""
    if not isinstance(trace, dict) or {k: type(v) for k, v in trace.items()} != HEAD:
        return [f"head: {({k: type(v).__name__ for k, v in trace.items()})}"]
    out, named, used = [], set(), set()
    slices, flows = defaultdict(list), defaultdict(list)
    processes = set()
    for i, e in enumerate(trace["traceEvents"]):
        wrong = shape_faults(i, e)
        out += wrong
        if wrong:
            continue
        lane = (e["pid"], e["tid"])
        if e["ph"] == "M":
            (named if e["name"] == "thread_name" else processes).add(
                lane if e["name"] == "thread_name" else e["pid"])
            continue
        used.add(lane)
        if e["ph"] == "X":
            slices[lane].append((e["ts"], e["ts"] + e["dur"], e["name"]))
        elif e["ph"] in "sf":
            flows[(e["cat"], e["name"], e["id"])].append(e)
    out += [f"lane {x} has no name" for x in sorted(used - named)]
    out += [f"process {p} has no name" for p in sorted({p for p, _ in used} - processes)]
    return out + nesting_faults(slices) + flow_faults(flows, slices)


def meaning_faults(trace):
    """Of the program's own trace: what it did must all be there."""
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    names = Counter(e["name"] for e in events)
    by_id = {e["args"]["External id"]: e for e in events if e["cat"] in ("cpu_op",
                                                                        "user_annotation")}
    out = []
    for name, least in {"aten::matmul": 2, "aten::mm": 4, "aten::_softmax": 2, "mm": 2, "neg": 2,
                        "_softmax": 2, "SumBackward0": 2, 'forward "quoted"': 2,
                        "ProfilerStep#2": 1, "ProfilerStep#3": 1}.items():
        if names[name] < least:
            out.append(f"{names[name]} events {name}, {least} expected")
    if names["ProfilerStep#1"]:
        out.append("a warm-up step is recorded")
    for e in events:
        if e["cat"] == "kernel":
            op = by_id.get(e["args"].get("External id"))
            if not op or op["name"].split("::")[-1].rstrip("_") != e["name"].rstrip("_"):
                out.append(f"kernel {e['name']} is laid to {op and op['name']}")
            elif e["ts"] < op["ts"]:
                out.append(f"kernel {e['name']} ran before its op was called")
        parent = by_id.get(e["args"].get("Parent id")) if e["cat"] == "cpu_op" else None
        if parent and not parent["ts"] <= e["ts"] <= e["ts"] + e["dur"] <= \
                parent["ts"] + parent["dur"] + 1e-3:
            out.append(f"{e['name']} leaves {parent['name']}")
    if {e["args"]["stream"] for e in events if e["cat"] == "kernel"} != {0, 1}:
        out.append("kernels of two streams expected")
    if not any(e["args"].get("Error") == "RuntimeError" for e in events):
        out.append("the call that failed is not marked")
    if not any(e["ph"] == "i" and e["args"]["Bytes"] < 0 for e in trace["traceEvents"]):
        out.append("no memory is given back")
    return out


BROKEN = {  # the checker's own test: each change to a good trace must be found
    "dur": lambda t: first(t, "X").update(dur=-1),
    "ts": lambda t: first(t, "X").update(ts="1"),
    "phase": lambda t: first(t, "X").update(ph="B"),
    "tid": lambda t: first(t, "X").pop("tid"),
    "lane": lambda t: first(t, "X").update(tid=999),
    "flow": lambda t: t["traceEvents"].remove(first(t, "f")),
    "order": lambda t: first(t, "f").update(ts=0),
    "nesting": lambda t: outlive(t),
    "metadata": lambda t: first(t, "M").update(name="colour"),
}


def outlive(trace):
    """One slice that lies in another ends after it instead."""
    slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    outer, inner = next((p, c) for p in slices for c in slices
                        if (p["pid"], p["tid"]) == (c["pid"], c["tid"])
                        and p["ts"] < c["ts"] < p["ts"] + p["dur"])
    inner["dur"] = outer["ts"] + outer["dur"] - inner["ts"] + 1


def first(trace, ph):
    return next(e for e in trace["traceEvents"] if e["ph"] == ph)


def parse(text):
    return json.loads(text, object_pairs_hook=unique, parse_constant=constant)


def main(path):
    own = os.access(path, os.X_OK) and not path.endswith(".json")
    if own:
        text = subprocess.run([path], capture_output=True, check=True, timeout=60).stdout
    else:
        with open(path, "rb") as f:
            text = f.read()
    trace = parse(text.decode("utf-8"))
    wrong = faults(trace) + (meaning_faults(trace) if own else [])
    for name, change in BROKEN.items() if own else ():
        broken = parse(text)
        change(broken)
        if not faults(broken):
            wrong.append(f"the checker overlooks a wrong {name}")
    print("\n".join(wrong[:40]))
    print(f"{len(trace['traceEvents'])} events, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
