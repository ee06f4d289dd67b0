# SPDX-License-Identifier: Apache-2.0
"""Truth and bound of a program's floating results, by shadowed execution.

A dispatch mode sees every aten op, backward's included. The op runs as it is; and, where rounding
has touched its inputs or will touch its result, it runs on float64 *lanes* of them as well:

    lane 0            no rounding but those that are the same for everybody (`known`)
    lanes 1 … K       every op disturbed by its own first-order error model (one family of K lanes
                      for float32 and narrower, another for float64)
    then, per lane    the same values before the last store's rounding and the last op's own error:
                      what an expectation takes; the first of them is the truth
    two per family    the truth less and plus the last op's own error, which is a limit

Storages, not tensors, have lanes, so views cost nothing and in-place ops land where they must. A
storage without lanes is exact: its bits follow from the rules alone, and it stands for itself.
golden/README.md derives the bound and says what may be disputed.
"""
import math
import zlib
from fractions import Fraction

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from floats import F64, LEAST, MAX, UNIT, half_ulp, lossless, round_up
from models import (ARITHMETIC, DIRECT, DRAWN, EXACT, FACTORIES, FUNCTIONS, MOVES, MOVES_POINTWISE, NORMALS,
                    OF_NUMBERS, PERIODIC, SUMS, Shadow, by_word, common_dtype, exact_operand, floating, info, key, left_open,
                    tensors)
from program import MODULES, Refused
from whole import fixed

C = 2          # deviations that a correct implementation may lie off
K = 8          # disturbed runs
SEED = 20260301

# float64 lanes are disturbed by a larger unit, so that the deviation stands clear of float64's own
# rounding, and the deviation is scaled back: to first order the same.
WIDE_UNIT = 2.0 ** -40
WIDE_SCALE = 2.0 ** -13

follow_collective = next(m.functional for m in MODULES if hasattr(m, "functional"))
transforming = next(m.transforming for m in MODULES if hasattr(m, "transforming"))


def even(start, end, steps, dtype):
    """Whether no step of a linspace rounds before its store, or how it rounds is the page's to say: that of integers,
    and what infinities and NaN give."""
    a, b = (torch.tensor(float(v), dtype=F64).to(dtype).to(F64).item() if dtype.is_floating_point else 0.0
            for v in (start, end))
    if steps < 2 or not dtype.is_floating_point or not math.isfinite(b - a):
        return True
    step = Fraction(b - a) / (steps - 1)
    return steps < 2 ** 10 and all(1024 % v.denominator == 0 and abs(v) < 2 ** 12
                                   for v in (step, Fraction(a), Fraction(b)))


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
    """One shadowed execution. families: "low", "wide", or both. whole: sums that no order of adding
    rounds are exact."""

    def __init__(self, case_id, families, whole=False):
        super().__init__()
        self.whole = whole
        self.calls = Calls()
        self.families = families
        self.rng = np.random.Generator(np.random.PCG64([SEED, zlib.crc32(case_id.encode())]))
        self.disturbed = K * len(families)
        self.n = 1 + self.disturbed
        self.total = 2 * self.n + 2 * len(families)
        self.lanes = {}     # storage -> (storage, lanes (total, elements), dtype)
        self.dev = self.own = None  # of the tensor judged last
        self.unstable = {}  # storage -> (storage, why its values are another's to choose)
        self.either = {}    # the same of values that nothing but an expectation would tell apart
        self.coarse = set()  # storages whose truth float64 itself has rounded
        self.needs = set()
        self.trace = set()
        self.amplitude = {}
        self.c = C
        self.busy = False
        self.visible = True  # what is stored now is a result of the program's, and read on

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

    def grow(self, t):
        """An out was resized: what it held is where it was, and what is new there the op has written."""
        s, lanes, dtype = self.lanes[key(t)]
        more = s.nbytes() // t.element_size() - lanes.shape[1]
        if more > 0 and dtype == t.dtype:
            self.lanes[key(t)] = (s, torch.cat([lanes, lanes.new_zeros(lanes.shape[0], more)], 1), dtype)

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

    def limits(self, y, own, dtype):
        """The truth y less and plus the last op's own error, once per family."""
        if own is None:
            return y.expand(2 * len(self.families), *y.shape[1:])
        wide = dtype == F64
        a = WIDE_UNIT if wide else UNIT[dtype]
        e = torch.where(torch.isfinite(own) & torch.isfinite(y), own * a, 0.0)
        return torch.cat([y + sign * e * (wide == (f == "wide"))
                          for f in self.families for sign in (-1.0, 1.0)])

    def store(self, t, values, noise, own=None, acc=None, fine=False):
        """values (n or 1, *sizes) before any rounding; `noise`, a statistical error per disturbed
        lane, in absolute terms; `own`, in units of `acc`, a limit of the op's last step that no
        correct implementation passes. fine: values[0] is rounded from more than float64."""
        d = t.dtype
        r = values if values.shape[0] == self.n else values.expand(self.n, *values.shape[1:])
        r = r.clone()
        if noise is not None:
            r[1:] += torch.where(torch.isfinite(r[1:]) & torch.isfinite(noise), noise, 0.0)
        r = self.overflowed(r, d)
        shape = (-1,) + (1,) * (r.dim() - 1)
        post = r.clone()
        ends = self.limits(r[:1], own, acc)
        if own is not None:
            step = self.xi(r.shape[1:]) * self.amp(acc).view(shape) * own
            post[1:] += torch.where(torch.isfinite(post[1:]) & torch.isfinite(step), step, 0.0)
        a = self.amp(d).view(shape)
        least = LEAST[d] / 2 / UNIT[d]
        rounding = a * post[1:].abs().clamp_min(least)
        none = (r == 0).all(0)  # a zero that every lane agrees on is no rounded number
        rounding = torch.where(none if own is None else none & (own[0] == 0), 0.0, rounding)
        xi = self.xi(r.shape[1:])
        if d != F64 and self.visible and r.numel():
            off = self.deviation(r, ends)
            low, high = (r[0] - off).to(d).to(F64), (r[0] + off).to(d).to(F64)
            # A tie that some break upwards and some down: nobody is off by less than half a unit.
            tie = torch.from_numpy(half_ulp(r[0].abs().cpu().numpy(), d)).to(r.device) > 4 * off
            xi = torch.where(tie, torch.copysign(torch.ones_like(xi), xi), xi)
            post[1:] = torch.where(torch.isfinite(post[1:]), post[1:] + rounding * xi, post[1:])
            # Every legal rounding is the same number: all lanes go on from it.
            known = (low == high) & torch.isfinite(low) & torch.isfinite(r[0])
            post = torch.where(known, low, post)
        else:
            post[1:] = torch.where(torch.isfinite(post[1:]), post[1:] + rounding * xi, post[1:])
        self.place(t, torch.cat([post, r, ends]))
        if d == F64 and not fine:
            self.coarse.add(key(t))

    @staticmethod
    def overflowed(r, d):
        if d == F64:
            return r
        limit = MAX[d] * (1 + UNIT[d] / (2 - 2 * UNIT[d]))
        over = r.abs() >= limit
        if over.any():
            top = MAX[d] if d == torch.float8_e4m3fn else math.inf
            r = torch.where(over, torch.copysign(torch.full_like(r, top), r), r)
        return r

    def deviation(self, r, ends):
        """How far a correct result may lie off before it is stored; r: (n, *sizes)."""
        flat, tips = (x.reshape(x.shape[0], -1).cpu().numpy() for x in (r, ends))
        dev, own = self.parts(flat, tips, False)
        return torch.from_numpy(C * dev + own).view(r.shape[1:]).to(r.device)

    def parts(self, r, ends, coarse):
        """(deviation, own limit) of the elements of lanes r (n, elements)."""
        y, dev, own = r[0], np.zeros_like(r[0]), np.zeros_like(r[0])
        with np.errstate(invalid="ignore"):
            for f, family in enumerate(self.families):
                d = np.abs(r[1 + f * K:1 + (f + 1) * K] - y)
                d = np.maximum(d.max(axis=0), np.sqrt(3 * np.mean(d * d, axis=0)))
                tip = np.abs(ends[2 * f:2 * f + 2] - y).max(axis=0)
                # A truth that is float64's own result lies off as far as another's may.
                scale = WIDE_SCALE * (2 if coarse else 1) if family == "wide" else 1.0
                dev, own = dev + d * scale, own + tip * scale
        finite = np.isfinite(y)
        return np.where(finite, shared(dev, y), 0.0), np.where(finite, own, 0.0)

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
        if i.name in ("index_put", "put") and (args[3] if len(args) > 3 else kwargs.get("accumulate")):
            i = i.named("index_put_accumulate")
        i = by_word(i, args, kwargs)
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
            if self.is_exact(i, func, args, kwargs, given, inside) or \
                    self.whole and fixed(i, func, args, kwargs):
                return self.noted(i, args, kwargs, func(*args, **kwargs))
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
        self.visible = not inside
        for t in writes:
            if floating(t):
                self.grow(t)
        shadow.follow(out)
        return self.noted(i, args, kwargs, out)

    def noted(self, i, args, kwargs, out):
        """An op's results; where a page leaves them open, nobody may read them."""
        outs = tensors(out)
        why = left_open(i.name, args, kwargs, outs)
        if why:
            self.unstable.update((key(o), (o.untyped_storage(), why)) for o in outs)
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
        if name in NORMALS:
            return False
        if name in DRAWN or name in FACTORIES or name in MOVES_POINTWISE or name in MOVES:
            return True
        if name == "linspace":
            return even(*args[:3], *(kwargs[k] for k in ("start", "end", "steps") if k in kwargs),
                        kwargs["out"].dtype if "out" in kwargs else kwargs.get("dtype") or torch.float32)
        if name in EXACT:
            return True  # what it says in a float tensor, 0 and 1, is not computed either
        if not any(floating(t) for t in given):
            if name == "arange":
                return all(
                    float(v).is_integer() for v in args if isinstance(v, (int, float))) \
                    or not any(isinstance(v, float) for v in args)
            if name not in ARITHMETIC and name not in SUMS and name not in FUNCTIONS \
                    and name not in OF_NUMBERS:
                return True
        if name in ("_to_copy", "copy"):
            return not inside or self.cast_is_lossless(name, args, kwargs)
        if name in ARITHMETIC or name in PERIODIC:
            if inside or transforming() or self.calls.name not in DIRECT:
                return all(not floating(t) for t in given) and name != "div"
            if kwargs.get("alpha", args[2] if len(args) > 2 else 1) not in (1, -1):
                return not any(floating(t) if isinstance(t, torch.Tensor) else isinstance(t, float) for t in args[:2])
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
        why = self.unstable.get(key(t)) or self.either.get(key(t))
        if why is not None:
            raise Refused(why[1])
        if not floating(t) or self.exact(t):
            return None
        was, self.busy = self.busy, True
        try:
            v = self.look(t.detach(), self.total).reshape(self.total, -1).cpu().numpy()
        finally:
            self.busy = was
        pre, ends = v[self.n:2 * self.n], v[2 * self.n:]
        y = pre[0]
        finite = np.isfinite(y)
        if not (np.isfinite(pre) == finite).all() or \
                not ((pre == y) | np.isnan(y) | finite)[:, :].all():
            raise Refused("whether an element overflows is within the error of a disturbed run")
        dev, own = self.parts(pre, ends, key(t) in self.coarse)
        off = C * dev + own
        bound = off + half_ulp(np.where(finite, np.abs(y) + off, 0.0), t.dtype)
        bound = np.where(finite, bound, 0.0)
        self.dev, self.own = dev, own
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
