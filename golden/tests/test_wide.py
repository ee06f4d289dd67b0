#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second correct implementation lies inside the bounds that PyTorch's runs gave.

It computes every op in float64 and rounds once on store, as the C reference does: neither
PyTorch's order of sums nor its intermediate roundings. A share of the committed cases, or all
with --all. Runs under golden/.venv; where that is missing it says so and skips.
"""
import json
import math
import os
import sys
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent
PYTHON = GOLDEN / ".venv" / "bin" / "python"

try:
    import torch
except ImportError:
    if not PYTHON.exists() or os.environ.get("TOUCHSTONE_GENERATE"):
        print("skipped: golden/.venv is missing, golden/setup makes it\n"
              "0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    os.execve(PYTHON, [str(PYTHON), *sys.argv], {**os.environ, "TOUCHSTONE_GENERATE": "fixed",
                                                 "OMP_NUM_THREADS": "1"})

sys.path[:0] = [str(GOLDEN), str(GOLDEN.parent / "conformance" / "script")]
import contextlib  # noqa: E402

import numpy as np  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import case_language as lang  # noqa: E402
from floats import F64, bound_values  # noqa: E402
from generate import inside  # noqa: E402
from models import FACTORIES, floating, info, key, replace, tensors  # noqa: E402
from program import Program, Seen  # noqa: E402

SHARE = 6  # one case of so many
KEPT = FACTORIES | {"_to_copy", "copy", "clone", "fill", "zero"}  # nothing to compute


class Wide(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs, i = kwargs or {}, info(func)
        given = tensors((args, kwargs))
        result = None
        drawn = torch.Tag.nondeterministic_seeded in func.tags  # a second call would draw anew
        if not (func.is_view or drawn or i.geometry or i.name in KEPT or any(t.is_meta for t in given)):
            result = self.compute(func, i, args, kwargs)
        out = func(*args, **kwargs)
        fresh = {key(t) for t in tensors(out)} - {key(t) for t in given} | \
            {key(t) for p, name, _ in i.writes for t in
             tensors(args[p] if p < len(args) else kwargs.get(name))}
        for real, wide in zip(tensors(out), result or []):
            if floating(real) and real.shape == wide.shape and key(real) in fresh:
                with torch.no_grad():
                    real.detach().copy_(wide)
        return out

    @staticmethod
    def compute(func, i, args, kwargs):
        a, k = list(replace(args, widen)), replace(kwargs, widen)
        for p, name, _ in i.writes:
            if p < len(a):
                a[p] = [x.clone() for x in a[p]] if isinstance(a[p], (list, tuple)) else a[p].clone()
            elif isinstance(k.get(name), torch.Tensor):
                k[name] = torch.empty(0, dtype=k[name].dtype)
        try:
            return tensors(func(*a, **k))
        except Exception:
            return None  # refused: the op itself says why

    def judge(self, t):
        return None


def widen(t):
    return t.to(F64) if floating(t) else t


def flat_tensors(path):
    raw = path.read_bytes()
    n = int.from_bytes(raw[:8], "little")
    head = {k: raw[8 + n + v["data_offsets"][0]:8 + n + v["data_offsets"][1]]
            for k, v in json.loads(raw[8:8 + n]).items() if k != "__metadata__"}
    truth = np.frombuffer(head.get("truth", b""), "<f8")
    return truth, bound_values(np.frombuffer(head.get("bound", b""), "<u2"))


def main(everything):
    checked, bad, number = 0, 0, 0
    for path in sorted((GOLDEN / "data").glob("*.cases")):
        truth, bound = flat_tensors(path.with_suffix(".safetensors"))
        for c in lang.read_cases(path):
            records = {r["name"]: r for r in c.records
                       if r["class"] == "bound" and "variant" not in r}
            number += bool(records)
            if not records or (number % SHARE and not everything):
                continue
            if "ranks" in c.headers:  # several processes; this is one
                continue
            for s in Program(c).run("base", Wide(), contextlib.nullcontext()).seen:
                r = records.get(s.name)
                if r is None:
                    continue
                part = slice(r["at"], r["at"] + math.prod(r["shape"]))
                want = Seen(s.name, "bound", dtype=r["dtype"], truth=truth[part],
                            bound=bound[part])
                used, at = inside(want, s.bits)
                checked += 1
                if used > 1:
                    bad += 1
                    print(f"{c.id}: {s.name}[{at}] lies {used:.3g} bounds off")
    print(f"{checked - bad} passed, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    sys.exit(main("--all" in sys.argv[1:]))
