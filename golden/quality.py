#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own figures for the quality tier: every kernel call of the ops' golden programs again in
float64 on the very same inputs, its error in ulps by op and dtype, as `touchstone run --quality`
counts it for a library. Written to golden/data/quality.json.

    golden/quality.py           make it anew, under the processor's own settings
"""
import contextlib
import json
import math
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = HERE / ".venv" / "bin" / "python"
MODE = "TOUCHSTONE_GENERATE"

if os.environ.get(MODE) != "native":
    os.execve(PYTHON, [str(PYTHON), *sys.argv], {**os.environ, MODE: "native", "OMP_NUM_THREADS": "1"})

SPEC = HERE.parent / "spec"
sys.path[:0] = [str(HERE), str(HERE.parent / "conformance" / "script"), str(SPEC / "gen")]
import torch  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import case_language as lang  # noqa: E402
import pages as spec_pages  # noqa: E402
from floats import BITS, F64, LEAST  # noqa: E402
from models import CLASS, floating, info, replace, tensors  # noqa: E402
from program import Program  # noqa: E402

# What an error is counted in, as conformance/runner/quality.c has it.
UNITS = {**dict.fromkeys(("function", "one_rounding", "arithmetic", "erf"), "element"), "sigmoid": "range",
         **dict.fromkeys(("tanh_backward", "sigmoid_backward", "log_softmax_backward"), "first"), "softmax_backward": "product",
         **dict.fromkeys(("sum", "product_added", "mean", "scattered_sum", "nll_loss", "gelu", "gelu_backward"), "terms"),
         **dict.fromkeys(("layer_norm", "layer_norm_backward"), "norm"),
         **dict.fromkeys(("softmax", "log_softmax"), "tensor")}


def ulp(v, dtype):
    _, e = torch.frexp(v)
    return torch.ldexp(torch.ones_like(v), (e - BITS[dtype]).clamp_min(round(math.log2(LEAST[dtype]))))


def rows_of(t, like):
    """t as float64 magnitudes, one row for each element of `like`."""
    return t.to(F64).abs().reshape(like.numel(), -1) if t is not None else torch.ones((), dtype=F64)


def norm_sizes(args, wanted):
    """The magnitudes of native_layer_norm's terms; conformance/runner/quality_norm.h."""
    x, weight, bias = (args[k] for k in (0, 2, 3))
    y, mean, rstd = wanted
    x = rows_of(x, mean)
    size = (x + mean.abs().reshape(-1, 1)) * rstd.reshape(-1, 1)
    if weight is not None:
        size = size * weight.to(F64).abs().reshape(-1)
    if bias is not None:
        size = size + bias.to(F64).abs().reshape(-1)
    return [size.reshape(y.shape), x.mean(1).reshape(mean.shape), rstd]


def norm_backward_sizes(args, wanted):
    """The same of its backward's, in the order of the results that are there."""
    grad, x, _, mean, rstd, weight, _, mask = args
    grad, m, r = rows_of(grad, mean), rows_of(mean, mean), rows_of(rstd, mean)
    xhat = (rows_of(x, mean) + m) * r
    gw = grad * weight.to(F64).abs().reshape(-1) if weight is not None else grad
    sizes = [r * (gw + gw.mean(1, True) + xhat * (gw * xhat).mean(1, True)), (grad * xhat).sum(0),
             grad.sum(0)]
    there = [s for s, wants in zip(sizes, mask) if wants]
    return [s.reshape(w.shape) for s, w in zip(there, wanted)]


class Tally:
    def __init__(self):
        self.count, self.worst, self.sum, self.above, self.outward = 0, 0.0, 0.0, 0.0, 0.0

    def add(self, off, wanted):
        if off.numel() == 0:
            return
        self.count += off.numel()
        self.worst = max(self.worst, off.abs().max().item())
        self.sum += off.abs().sum().item()
        self.above += off.sum().item()
        self.outward += torch.where(torch.signbit(wanted), -off, off).sum().item()

    def figures(self):
        bias = max(self.above, self.outward, key=abs)
        return {"elements": self.count, "worst": float(f"{self.worst:.4g}"),
                "mean": float(f"{self.sum / self.count:.4g}"),
                "bias": float(f"{bias / self.count:.4g}")}


def mixed(bound, given, args, kwargs):
    """Whether an operand is rounded before the op rounds, or its result is chosen."""
    if bound == "arithmetic":
        return len({t.dtype for t in given}) > 1 or bool(kwargs.get("rounding_mode"))
    weight = {"layer_norm": 2, "layer_norm_backward": 5}.get(bound)
    return weight is not None and args[weight] is not None and args[weight].dtype != given[0].dtype


class Measure(TorchDispatchMode):
    def __init__(self, tallies):
        super().__init__()
        self.tallies = tallies

    def judge(self, t):
        return None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs, i = kwargs or {}, info(func)
        unit = UNITS.get(CLASS.get(i.name))
        given = tensors((args, kwargs))
        wanted = sizes = None
        if unit and not mixed(CLASS.get(i.name), given, args, kwargs) and not func.is_view and not any(t.is_meta for t in given):
            wanted = self.wide(func, i, args, kwargs, False)
            sizes = self.sizes(unit, func, i, args, kwargs, wanted) if wanted else None
        out = func(*args, **kwargs)
        for k, (real, want) in enumerate(zip(tensors(out), wanted or [])):
            if real.dtype in BITS and BITS[real.dtype] >= 8 and real.shape == want.shape and real.numel():
                with torch.no_grad():
                    self.count(i.name, unit, real.detach(), want.detach(), sizes and sizes[k])
        return out

    def sizes(self, unit, func, i, args, kwargs, wanted):
        """Per result, what an error is measured by where it is more than the element itself."""
        if unit == "norm":
            return (norm_backward_sizes if i.name.endswith("_backward") else norm_sizes)(args, wanted)
        if unit == "terms":
            return self.wide(func, i, args, kwargs, True)
        if unit in ("first", "product"):
            a, b = args[0].to(F64).abs(), args[1].to(F64).abs()
            return [a * b if unit == "product" else a] if a.shape == b.shape else None
        return None

    @staticmethod
    def wide(func, i, args, kwargs, magnitudes):
        def one(x):
            x = x.to(F64) if floating(x) else x
            return x.abs() if magnitudes and floating(x) else x
        a, k = list(replace(args, one)), replace(kwargs, one)
        for p, name, _ in i.writes:
            if p < len(a):
                a[p] = a[p].clone()
            elif isinstance(k.get(name), torch.Tensor):
                k[name] = torch.empty(0, dtype=k[name].dtype)
        try:
            with torch.no_grad():
                return tensors(func(*a, **k))
        except Exception:
            return None  # refused: the op itself says why

    def count(self, name, unit, real, want, sizes):
        got, scale = real.to(F64), want.abs()
        finite = torch.isfinite(got) & torch.isfinite(want)
        if not finite.any():
            return
        if unit == "tensor":
            scale = scale.clamp_min(scale[torch.isfinite(scale)].mean())
        elif unit == "range":
            scale = scale.clamp_min(2.0 ** (BITS[real.dtype] - (1024 if real.dtype == F64 else 128)))
        elif sizes is not None:
            scale = torch.where(torch.isfinite(sizes), torch.maximum(scale, sizes.abs()), scale)
        off = ((got - want) / ulp(scale, real.dtype))[finite]
        tally = self.tallies.setdefault((name, str(real.dtype).removeprefix("torch.")), Tally())
        tally.add(off, want[finite])


def ladder(tallies, known):
    """Every number of the half types through the elementwise functions of the pages."""
    numbers = torch.arange(65536, dtype=torch.int32).to(torch.int16)
    with Measure(tallies):
        for op, c in CLASS.items():
            fn = getattr(torch, op, None) or getattr(torch.nn.functional, op, None)
            if op in known and c in ("function", "one_rounding", "gelu", "erf", "sigmoid") and fn is not None:
                for dtype in (torch.float16, torch.bfloat16):
                    with contextlib.suppress(TypeError, RuntimeError):
                        fn(numbers.view(dtype))


def main():
    torch.set_num_threads(1)
    tallies, programs = {}, 0
    ops = {p.stem for p in (SPEC / "ops").glob("*.md")}
    for path in sorted((HERE / "data").glob("*.cases")):
        for c in lang.read_cases(path) if path.stem in ops else ():
            if "ranks" in c.headers or "accel" in c.headers.get("needs", "") or \
                    not any(r["class"] == "bound" for r in c.records):
                continue
            with contextlib.suppress(Exception):  # what a program of errors leaves over
                Program(c).run("base", Measure(tallies), contextlib.nullcontext())
                programs += 1
    ladder(tallies, {op.name for page in spec_pages.read_all(SPEC).values() for op in page.ops})
    rows = [{"op": op, "dtype": dtype, **t.figures()} for (op, dtype), t in sorted(tallies.items())]
    (HERE / "data" / "quality.json").write_text(json.dumps(
        {"torch": torch.__version__.split("+")[0], "programs": programs,
         "rows": rows}, indent=1).replace("\n  ", " ").replace("\n ", "\n").replace("{ ", "{") + "\n")
    for r in rows:
        print(f"{r['op']:32} {r['dtype']:9} {r['elements']:9} {r['worst']:9.4g} {r['mean']:7.3f} {r['bias']:7.3f}")


if __name__ == "__main__":
    main()
