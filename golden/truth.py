# SPDX-License-Identifier: Apache-2.0
"""Truth and bound of a program's floating results, by shadowed execution.

A dispatch mode sees every aten op, backward's included. The op runs as it is; and, where rounding
has touched its inputs or will touch its result, it runs on float64 *lanes* of them as well:

    lane 0            no rounding at all: the truth
    lanes 1 … K       every op disturbed by its own first-order error model (one family of K lanes
                      for float32 and narrower, another for float64)
    then, per lane    the same values before the last store's rounding: what an expectation takes

Storages, not tensors, have lanes, so views cost nothing and in-place ops land where they must. A
storage without lanes is exact: its bits follow from the rules alone, and it stands for itself.
golden/README.md derives the bound and says what may be disputed.
"""
import math
import zlib

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from floats import F64, LEAST, MAX, UNIT, half_ulp, lossless, round_up
from models import (ARITHMETIC, DIRECT, FACTORIES, FUNCTIONS, MOVES, MOVES_POINTWISE, PERIODIC,
                    SUMS, Shadow, common_dtype, exact_operand, floating, info, key, tensors)
from program import MODULES, Refused

C = 4          # deviations that a correct implementation may lie off
K = 8          # disturbed runs
SEED = 20260301

# float64 lanes are disturbed by a larger unit, so that the deviation stands clear of float64's own
# rounding, and the deviation is scaled back: to first order the same.
WIDE_UNIT = 2.0 ** -40
WIDE_SCALE = 2.0 ** -13

follow_collective = next(m.functional for m in MODULES if hasattr(m, "functional"))
transforming = next(m.transforming for m in MODULES if hasattr(m, "transforming"))


class NeedFamily(Exception):
    """An op of a precision without lanes was met: run again with it."""


class Calls(TorchFunctionMode):
    """Remembers which torch function the program itself is calling."""

    def __init__(self):
        super().__init__()
        self.name = None

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.name = getattr(func, "__name__", None)
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.name = None


class Truth(TorchDispatchMode):
    """One shadowed execution. families: "low", "wide", or both."""

    def __init__(self, case_id, families):
        super().__init__()
        self.calls = Calls()
        self.families = families
        self.rng = np.random.Generator(np.random.PCG64([SEED, zlib.crc32(case_id.encode())]))
        self.disturbed = K * len(families)
        self.n = 1 + self.disturbed
        self.total = 1 + 2 * self.disturbed
        self.lanes = {}     # storage -> (storage, lanes (total, elements), dtype)
        self.unstable = {}  # storage -> (storage, why its values are another's to choose)
        self.needs = set()
        self.trace = set()
        self.amplitude = {}
        self.busy = False
        self.c = C

    # --- lanes and storages

    def amp(self, dtype):
        """Per disturbed lane, the unit by which arithmetic of `dtype` is disturbed."""
        a = self.amplitude.get(dtype)
        if a is None:
            wide = dtype == F64
            if ("wide" if wide else "low") not in self.families:
                raise NeedFamily()
            parts = [torch.full((K,), (WIDE_UNIT if wide else UNIT[dtype])
                                if wide == (f == "wide") else 0.0, dtype=F64)
                     for f in self.families]
            a = self.amplitude[dtype] = torch.cat(parts)
        return a

    def xi(self, shape):
        r = torch.from_numpy(self.rng.random((self.disturbed, *shape)))
        return r.mul_(2).sub_(1)

    def materialise(self, t):
        """Lanes for t's storage, all equal to what it holds."""
        k = key(t)
        if k in self.lanes:
            return
        s = t.untyped_storage()
        size = t.element_size()
        flat = torch.empty(0, dtype=t.dtype).set_(s, 0, (s.nbytes() // size,), (1,))
        lanes = flat.to(F64).expand(self.total, -1).contiguous()
        self.lanes[k] = (s, lanes, t.dtype)

    def look(self, t, count):
        """t's lanes (count, *sizes); (1, *sizes) float64 where it is exact."""
        held = self.lanes.get(key(t))
        if held is None:
            return t.detach().to(F64).unsqueeze(0)
        s, lanes, dtype = held
        if dtype != t.dtype:
            raise Refused(f"a rounded {dtype} result is read as {t.dtype}: no shadow")
        if lanes.shape[1] * t.element_size() != s.nbytes():
            raise Refused("a storage with rounded values was resized")
        return lanes.as_strided((count, *t.shape), (lanes.shape[1], *t.stride()),
                                t.storage_offset())

    def exact(self, t):
        return key(t) not in self.lanes

    def place(self, t, values):
        """values (total or 1, *sizes) become t's lanes."""
        k = key(t)
        held = self.lanes.get(k)
        if held is not None and held[1].shape[1] * t.element_size() != t.untyped_storage().nbytes():
            del self.lanes[k]
        self.materialise(t)
        self.look(t, self.total).copy_(values)

    def store(self, t, values, noise):
        """values (n, *sizes) before noise, noise in absolute terms per disturbed lane."""
        d = t.dtype
        r = values if values.shape[0] == self.n else values.expand(self.n, *values.shape[1:])
        r = r.clone()
        if noise is not None:
            r[1:] += torch.where(torch.isfinite(r[1:]) & torch.isfinite(noise), noise, 0.0)
        if d != F64:
            limit = MAX[d] * (1 + UNIT[d] / (2 - 2 * UNIT[d]))
            over = r.abs() >= limit
            if over.any():
                top = MAX[d] if d == torch.float8_e4m3fn else math.inf
                r = torch.where(over, torch.copysign(torch.full_like(r, top), r), r)
        shape = (-1,) + (1,) * (r.dim() - 1)
        a = self.amp(d).view(shape)
        least = LEAST[d] / 2 / UNIT[d]
        rounding = self.xi(r.shape[1:]) * a * r[1:].abs().clamp_min(least)
        post = torch.where(torch.isfinite(r[1:]), r[1:] + rounding, r[1:])
        self.place(t, torch.cat([r[:1], post, r[1:]]))

    # --- dispatch

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.busy:
            return func(*args, **kwargs)
        self.busy = True
        try:
            return self.step(func, args, kwargs)
        finally:
            self.busy = False

    def step(self, func, args, kwargs):
        if func.namespace == "_c10d_functional":
            return follow_collective(self, func, args)
        if func.__name__.startswith("_foreach_"):
            return self.one_by_one(func, args, kwargs)
        i = info(func)
        if i.name == "index_put" and (args[3] if len(args) > 3 else kwargs.get("accumulate")):
            i = i.named("index_put_accumulate")
        self.trace.add(i.name)
        inside = torch._C._current_autograd_node() is not None
        if i.needs and not inside and self.calls.name not in ("backward", "grad") and \
                (i.name != "detach" or self.calls.name in ("detach", "detach_")):
            self.needs.add(i.needs)
        given = tensors((args, kwargs))
        if any(t.is_meta for t in given) or "meta" in str(kwargs.get("device")) \
                or i.geometry:
            return func(*args, **kwargs)
        for t in given:
            why = self.unstable.get(key(t))
            if why is not None:
                raise Refused(why[1])
        writes = [t for t in (args[p] if p < len(args) else kwargs.get(name)
                              for p, name, _ in i.writes) if isinstance(t, torch.Tensor)]
        rounded = [t for t in given if floating(t) and not self.exact(t)]
        reads_rounded = any(not any(t is w for w in writes) or not self.overwrites(i)
                            for t in rounded)
        if not rounded:
            if self.is_exact(i, func, args, kwargs, given, inside):
                return func(*args, **kwargs)
        fresh = [key(t) for t in writes if floating(t) and key(t) not in self.lanes]
        for t in writes:
            if floating(t):
                self.materialise(t)
        shadow = Shadow(self, func, i, args, kwargs, inside, reads_rounded)
        try:
            out = func(*args, **kwargs)
        except Exception:
            for k in fresh:  # refused: nothing was written, so nothing was rounded
                self.lanes.pop(k, None)
            raise
        shadow.follow(out)
        return out

    def one_by_one(self, func, args, kwargs):
        """A foreach op is its single op for each tensor: shadowed so, where it gives those bits."""
        name = func._schema.name.removeprefix("aten::_foreach_")
        given, *more = [[a] * len(args[0]) if not isinstance(a, (list, tuple)) else a for a in args]
        if len({len(given), *map(len, more)}) > 1 or not given:
            return func(*args, **kwargs)
        real = func([t.detach().clone() for t in given], *args[1:], **kwargs)
        caller, self.calls.name = self.calls.name, name
        versions = [t._version for t in given]
        try:
            single = getattr(torch.ops.aten, name)
            out = [self.step(getattr(single, "Tensor" if isinstance(row[1], torch.Tensor) else "Scalar"),
                             row, kwargs) for row in zip(given, *more)]
        finally:
            self.calls.name = caller
        if real is not None and not all(torch.equal(a, b) for a, b in zip(real, out)):
            raise Refused(f"{func} is not its single op for each tensor")
        if name.endswith("_"):  # counted above this mode, and there for a single op only
            torch.autograd.graph.increment_version(
                [t for t, v in zip(given, versions) if t._version == v])
        return None if real is None else out

    @staticmethod
    def overwrites(i):
        return i.name in ("copy", "fill", "zero") or any(k for _, _, k in i.writes)

    def is_exact(self, i, func, args, kwargs, given, inside):
        """Whether exact arguments give a result whose bits the rules fix."""
        name = i.name
        if name in FACTORIES or name in MOVES_POINTWISE or name in MOVES:
            return True
        if not any(floating(t) for t in given):
            if name in ("arange", "linspace"):
                return name == "arange" and all(
                    float(v).is_integer() for v in args if isinstance(v, (int, float))) \
                    or not any(isinstance(v, float) for v in args) and name == "arange"
            if name not in ARITHMETIC and name not in SUMS and name not in FUNCTIONS \
                    and name != "mean":
                return True
        if name in ("_to_copy", "copy"):
            return not inside or self.cast_is_lossless(name, args, kwargs)
        if name in ARITHMETIC or name in PERIODIC:
            if inside or transforming() or self.calls.name not in DIRECT:
                return all(not floating(t) for t in given) and name != "div"
            if kwargs.get("alpha", 1) not in (1, -1):
                return all(not floating(t) for t in given)
            dtype = common_dtype(args)
            return all(exact_operand(v, dtype) for v in args[:2]) \
                and name not in PERIODIC
        return False

    @staticmethod
    def cast_is_lossless(name, args, kwargs):
        if name == "copy":
            return lossless(args[1].dtype, args[0].dtype) if floating(args[0]) else True
        target = kwargs.get("dtype") or args[0].dtype
        return not target.is_floating_point or lossless(args[0].dtype, target)

    # --- expectations

    def judge(self, t):
        """None where t is exact, else (truth, bound), row-major float64 arrays."""
        why = self.unstable.get(key(t))
        if why is not None:
            raise Refused(why[1])
        if not floating(t) or self.exact(t):
            return None
        was, self.busy = self.busy, True
        try:
            v = self.look(t.detach(), self.total).reshape(self.total, -1).numpy()
        finally:
            self.busy = was
        y, pre = v[0], v[self.n:]
        finite = np.isfinite(y)
        if not (np.isfinite(pre) == finite).all() or \
                not ((pre == y) | np.isnan(y) | finite)[:, :].all():
            raise Refused("whether an element overflows is within the error of a disturbed run")
        dev = np.zeros_like(y)
        with np.errstate(invalid="ignore"):
            for f, family in enumerate(self.families):
                d = np.abs(pre[f * K:(f + 1) * K] - y)
                d = np.maximum(d.max(axis=0), np.sqrt(3 * np.mean(d * d, axis=0)))
                dev += d * (WIDE_SCALE if family == "wide" else 1.0)
        dev = np.where(finite, C * shared(dev, y), 0.0)
        bound = dev + half_ulp(np.where(finite, np.abs(y) + dev, 0.0), t.dtype)
        bound = np.where(finite, bound, 0.0)
        return y.copy(), round_up(bound)


def shared(dev, y):
    """Deviations of one output, none of them smaller by luck alone: an element that was disturbed
    is taken to be off by the median ratio of its output, at least."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = dev / np.abs(y)
    moved = (dev > 0) & np.isfinite(ratio)
    if not moved.any():
        return dev
    return np.where(moved, np.maximum(dev, np.abs(y) * np.median(ratio[moved])), dev)
