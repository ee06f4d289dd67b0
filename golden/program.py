# SPDX-License-Identifier: Apache-2.0
"""One execution of a program under PyTorch: its inputs, its layout, its expectations.

The language itself (subset, generators, layouts, names) is conformance/script/case_language.py; this
file lends it PyTorch and writes down what the expectations saw. What a program claims (a view, an
error class, a literal) is held against PyTorch at once: a claim PyTorch does not bear out refuses
the case.
"""
import builtins
import contextlib
import importlib.util
import math
import re
import types
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch.autograd.function import once_differentiable
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

import case_language as lang

DTYPES = {getattr(torch, name): name for name in lang.DTYPES}
GAP_BYTE = 0xA5
ERRORS = {name: getattr(builtins, name, None) for name in lang.ERRORS}
ERRORS["OutOfMemoryError"] = torch.OutOfMemoryError
ERRORS["DistError"] = torch.distributed.DistError if torch.distributed.is_available() \
    else RuntimeError


class Refused(Exception):
    """A case that cannot become golden data; the message says why, without the case's name."""


@dataclass
class Seen:
    """What one expectation saw. `class_` is None for a tensor that nobody judged."""
    name: str
    class_: str | None
    dtype: str = ""
    shape: tuple = ()
    strides: tuple = ()
    bits: bytes = b""       # the result's elements, row-major, one NaN for all NaNs
    truth: np.ndarray | None = None
    bound: np.ndarray | None = None
    used: float = 0.0       # largest |result - truth| / bound
    parts: tuple | None = None  # (deviation, own limit) of which the bound is made
    needs: np.ndarray | None = None  # per element the least C with which the result lies inside
    value: object = None
    error: str = ""


@dataclass
class Execution:
    variant: str
    seen: list = field(default_factory=list)
    inputs: list = field(default_factory=list)   # sizes of every generated tensor
    first: object = None    # the first generated tensor, and its elements as made
    storages: dict = field(default_factory=dict)  # first bytes of storages, when asked for


def bits_of(t):
    """Row-major bytes of a tensor's elements; every NaN becomes the canonical one."""
    with _disable_current_modes(), torch.no_grad():
        flat = t.detach().clone(memory_format=torch.contiguous_format).reshape(-1)
        if flat.dtype.is_floating_point and flat.numel():
            nan = torch.isnan(flat.to(torch.float64))
            if nan.any():
                size, code = lang.FLOATS[DTYPES[flat.dtype]][0], lang.FLOATS[DTYPES[flat.dtype]][4]
                raw = np.frombuffer(bytearray(raw_bytes(flat)), f"<u{size}").copy()
                raw[nan.numpy()] = code
                return raw.tobytes()
        return raw_bytes(flat)


def raw_bytes(flat):
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def values_of(bits, dtype):
    """The float64 values of `bits`."""
    t = torch.frombuffer(bytearray(bits), dtype=getattr(torch, dtype)) if bits else \
        torch.empty(0)
    return t.to(torch.float64).numpy()


ACCEL = re.compile(r"accel(:\d+)?")


def strings(code):
    """Every string constant of a program."""
    for c in code.co_consts:
        for v in c if isinstance(c, tuple) else (c,):
            if isinstance(v, types.CodeType):
                yield from strings(v)
            elif isinstance(v, str):
                yield v


def placed(code, device):
    """The program with its devices ("accel", "accel:1") in PyTorch's words: the stand-in's, or the
    cpu, which is all of them."""
    def put(c):
        if isinstance(c, tuple):
            return tuple(map(put, c))
        if isinstance(c, types.CodeType):
            return placed(c, device)
        if isinstance(c, str) and ACCEL.fullmatch(c):
            return c.replace("accel", device) if device != "cpu" else device
        return c
    return code.replace(co_consts=tuple(map(put, code.co_consts)))


def number(value):
    """A Python value as JSON holds it: NaN and infinities are strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [number(v) for v in value]
    if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
        return str(value)
    if isinstance(value, torch.Tensor):
        return number(value.detach().tolist())
    raise Refused(f"a {type(value).__name__} has no literal form")


def same_value(a, b):
    """Equality in which NaN equals NaN, 1 is not 1.0 or True, and the sign of zero counts."""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b) or (a != a and b != b)
    if isinstance(a, (bool, int, float)) and isinstance(b, (bool, int, float)):
        return type(a) is type(b) and a == b
    return a == b


def same_elements(tensor, literal):
    """A tensor against nested lists of numbers, each literal first rounded to the dtype."""
    with _disable_current_modes():
        try:
            want = torch.tensor(literal, dtype=torch.float64 if tensor.dtype.is_floating_point
                                else None).to(tensor.dtype)
        except (TypeError, ValueError, RuntimeError):
            return False
        return want.shape == tensor.shape and bits_of(want) == bits_of(tensor)


def modules():
    """What golden/modules/*.py give: NAMES {namespace: {name: value}}; if it has one, begin(), before a
    run over the stand-in."""
    found = []
    for path in sorted((Path(__file__).resolve().parent / "modules").glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"golden_modules_{path.stem}", path)
        found.append(importlib.util.module_from_spec(spec))
        spec.loader.exec_module(found[-1])
    return found


MODULES = modules()


class Program:
    """A case's program, checked and compiled once, run under as many layouts as asked."""

    def __init__(self, case, ops=None, data=None, world=None):
        self.case, self.world = case, world
        self.code = lang.compile_case(case, ops)
        self.devices = any(map(ACCEL.fullmatch, strings(self.code)))
        self.data = data or {}
        self.watch = "expect_untouched" in case.program

    def run(self, variant="base", mode=None, calls=None, device=None, trust=False):
        """An Execution; whatever the program raises comes out as it is. `device`: the stand-in's,
        as the default one, where only what the host decides means anything. trust: what the
        program claims is not held against PyTorch."""
        e = Execution(variant)
        names = Names(self, e, mode, device, trust)
        for m in MODULES if device else ():
            if hasattr(m, "begin"):
                m.begin()
        torch.set_default_device(device)
        torch.manual_seed(0)
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                with contextlib.ExitStack() as modes:
                    if self.world:
                        modes.enter_context(self.world.session(mode))
                    if self.watch:
                        modes.enter_context(Watch(names))
                    if mode is not None:
                        modes.enter_context(calls)
                        modes.enter_context(mode)
                    exec(placed(self.code, device or "cpu") if self.devices else self.code,
                         names.globals())
            finally:
                torch.set_grad_enabled(True)
                torch.set_default_dtype(torch.float32)
                torch.set_default_device(None)
        return e


class Watch(TorchDispatchMode):
    """Notes what every storage held when it was made, for expect_untouched."""

    def __init__(self, names):
        super().__init__()
        self.names = names

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for t in walk(out):
            if isinstance(t, torch.Tensor) and not t.is_meta:
                self.names.note_storage(t)
        return out


class Autograd:
    """torch.autograd; gradcheck compares PyTorch with itself, so truth and bound stay out of it."""

    def __getattr__(self, name):
        return getattr(torch.autograd, name)

    @staticmethod
    def gradcheck(fn, inputs, **kw):
        with _disable_current_modes():
            return torch.autograd.gradcheck(fn, inputs, **kw)


class Names:
    """The language's own names, as one execution sees them."""

    def __init__(self, program, execution, mode, device=None, trust=False):
        self.program, self.execution, self.mode = program, execution, mode
        self.device, self.trust = device, trust
        self.run = lang.Run(program.world.rank if program.world else None)
        self.taken = set()

    def globals(self):
        names = {"torch": torch, "F": F, "autograd": Autograd(),
                 "Function": torch.autograd.Function, "data": self.data,
                 "once_differentiable": once_differentiable,
                 **ERRORS, **self.run.names()}
        for m in MODULES:
            for space, values in m.NAMES.items():
                names.setdefault(space, types.SimpleNamespace())
                vars(names[space]).update(values)
        for n in lang.GENERATORS + lang.EXPECTATIONS:
            names[n] = getattr(self, n)
        # PyTorch's C code imports through the frame it is called from; a program cannot say it.
        names["__builtins__"] = {**names["__builtins__"], "__import__": builtins.__import__}
        return names

    # inputs

    def make(self, name, seed, shape, dtype, **more):
        shape = lang.shape_of(shape)
        dtype = dtype or {"bools": torch.bool, "permutation": torch.int64,
                          "integers": torch.int64}.get(name, torch.float32)
        raw = lang.generate(name, seed, shape, DTYPES[dtype], **more)
        sizes, strides, offset, elements = lang.layout(self.execution.variant, shape)
        self.execution.inputs.append(shape)
        with _disable_current_modes():
            room = torch.full((elements * dtype.itemsize,), GAP_BYTE, dtype=torch.uint8,
                              device="cpu")
            t = torch.empty(0, dtype=dtype, device="cpu").set_(room.untyped_storage(), offset, shape, strides)
            stored = math.prod(sizes)
            if stored:
                values = torch.frombuffer(bytearray(raw), dtype=dtype, count=stored)
                t.as_strided(sizes, strides, offset).copy_(values.view(sizes))
            if self.device:
                room = room.to(self.device)
                t = torch.empty(0, dtype=dtype, device=self.device).set_(
                    room.untyped_storage(), offset, shape, strides)
            t = t.data  # the same window with a version counter at 0
            if self.execution.first is None:
                on_host = bits_of(t) if t.device.type == "cpu" else b""  # a device of the stand-in has none
                self.execution.first = (t, DTYPES[dtype], shape, on_host)
            self.note_storage(t)
        return t

    def note_storage(self, t):
        if self.program.watch:
            s = t.untyped_storage()
            if s._cdata not in self.execution.storages:
                self.execution.storages[s._cdata] = (s, bytes(s.tolist()))

    def normal(self, seed, shape, dtype=None, mix=None):
        return self.make("normal", seed, shape, dtype, mix=mix)

    def uniform(self, seed, shape, dtype=None, low=0.0, high=1.0, mix=None):
        return self.make("uniform", seed, shape, dtype, low=low, high=high, mix=mix)

    def integers(self, seed, shape, dtype=None, low=0, high=10, mix=None):
        return self.make("integers", seed, shape, dtype, low=low, high=high, mix=mix)

    def bools(self, seed, shape):
        return self.make("bools", seed, shape, None)

    def permutation(self, seed, n):
        return self.make("permutation", seed, n, None)

    def distinct(self, seed, shape, dtype=None):
        return self.make("distinct", seed, shape, dtype)

    def data(self, key):
        if key not in self.program.data:
            raise Refused(f"no stored tensor {key!r}")
        with _disable_current_modes():
            return self.program.data[key].clone()

    # expectations

    def add(self, name, class_, **more):
        if name in self.taken:
            raise Refused(f"expectation {name!r} stands twice")
        self.taken.add(name)
        self.execution.seen.append(Seen(name, class_, **more))

    def claim(self, holds, message):
        if not holds and not self.trust:
            raise Refused("PyTorch says otherwise: " + message)

    def tensor(self, t, name, exact):
        if not isinstance(t, torch.Tensor):
            raise Refused(f"expect({name!r}): a {type(t).__name__} is no tensor")
        if t.is_meta:
            raise Refused(f"expect({name!r}): a meta tensor has no elements")
        if t.is_cuda:
            raise Refused(f"expect({name!r}): the stand-in computes no elements")
        more = dict(dtype=DTYPES[t.dtype], shape=tuple(t.shape), strides=tuple(t.stride()),
                    bits=bits_of(t))
        class_ = None
        if self.mode is not None:
            judged = self.mode.judge(t)
            class_ = "exact" if judged is None else "bound"
            if judged is not None:
                more["truth"], more["bound"] = judged
                more["parts"] = self.mode.dev, self.mode.own
                if exact:
                    raise Refused(f"expect_equal({name!r}): no rule fixes these bits; "
                                  "use expect")
        self.add(name, class_, **more)

    def expect(self, t, name):
        self.tensor(t, self.run.name(name), exact=False)

    def expect_equal(self, value, wanted):
        if isinstance(wanted, str) and not isinstance(value, str):
            if isinstance(value, torch.Tensor):
                self.tensor(value, self.run.name(wanted), exact=True)
            else:
                self.add(self.run.name(wanted), "value", value=number(value))
            return
        self.run.nameless("equal")
        if isinstance(value, torch.Tensor) and value.is_cuda:
            # The stand-in has no elements to compare; the judge does.
            self.claim(isinstance(wanted, torch.Tensor) and
                       (value.dtype, value.shape) == (wanted.dtype, wanted.shape),
                       "expect_equal: dtype or shape differ")
        elif isinstance(value, torch.Tensor):
            fixed = isinstance(wanted, torch.Tensor) and "graph/S14" in self.program.case.rules
            if not fixed and self.mode is not None and self.mode.judge(value) is not None:
                raise Refused("expect_equal with a literal: no rule fixes these bits")
            self.claim(isinstance(wanted, torch.Tensor) and bits_of(wanted) == bits_of(value)
                       or same_elements(value, wanted),
                       f"expect_equal: {number(value)} is not {wanted}")
        else:
            self.claim(same_value(value, wanted) or same_value(number(value), number(wanted)),
                       f"expect_equal: {value!r} is not {wanted!r}")

    def expect_view_of(self, v, base):
        self.run.nameless("view_of")
        self.claim(storage(v) == storage(base), "expect_view_of: the storages differ")

    def expect_copy_of(self, c, base):
        self.run.nameless("copy_of")
        self.claim(storage(c) != storage(base), "expect_copy_of: the storage is shared")

    def expect_same(self, a, b):
        self.run.nameless("same")
        self.claim(a is b, "expect_same: two tensor objects")

    def expect_strides(self, t, strides):
        self.run.nameless("strides")
        strides = (strides,) if isinstance(strides, int) else tuple(strides)
        self.claim(tuple(t.stride()) == strides,
                   f"expect_strides: {tuple(t.stride())} is not {strides}")

    def expect_any(self, t, literals):
        self.run.nameless("any")
        if isinstance(t, torch.Tensor) and self.mode is not None and \
                self.mode.judge(t) is not None:
            raise Refused("expect_any: no rule fixes these bits")
        ok = any(same_elements(t, x) if isinstance(t, torch.Tensor)
                 else same_value(number(t), number(x)) for x in literals)
        self.claim(ok, f"expect_any: {number(t)} is none of {literals}")

    def expect_untouched(self, t, name):
        name = self.run.name(name)
        with _disable_current_modes():
            s = t.untyped_storage()
            known = self.execution.storages.get(s._cdata)
            if known is None:
                raise Refused(f"expect_untouched({name!r}): the storage's first bytes are unknown")
            size = t.element_size()
            reached = torch.zeros(s.nbytes() // size, dtype=torch.bool)
            torch.as_strided(reached, t.shape, t.stride(), t.storage_offset()).fill_(True)
            now, then = bytes(s.tolist()), known[1]
            for i in torch.nonzero(~reached).flatten().tolist():
                self.claim(now[i * size:(i + 1) * size] == then[i * size:(i + 1) * size],
                           f"expect_untouched({name!r}): element {i} of the storage changed")

    def expect_warns(self, label, fn, *args, **kw):
        self.run.nameless("warns")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fn(*args, **kw)
        self.claim(bool(caught) == (label is not None),
                   f"expect_warns({label!r}): {len(caught)} warnings")
        return result

    def expect_error(self, error, label, fn, *args, **kw):
        name = self.run.nameless("error")
        if self.trust:
            self.add(name, "error", error=error.__name__)
            return
        tensors = [t for t in walk((args, kw)) if isinstance(t, torch.Tensor)]
        before = [bits_of(t) for t in tensors if t.device.type == "cpu"]
        try:
            fn(*args, **kw)
        except Exception as e:
            if isinstance(e, Refused):
                raise
            got = type(e)
            message = str(e).split("\n")[0]
        else:
            raise Refused(f"PyTorch says otherwise: expect_error({label!r}): no error")
        self.claim(issubclass(got, error), f"expect_error({label!r}): {got.__name__}, not "
                   f"{error.__name__}: {message}")
        self.claim(before == [bits_of(t) for t in tensors if t.device.type == "cpu"],
                   f"expect_error({label!r}): an argument was written to")
        known = next((c.__name__ for c in got.__mro__ if c.__name__ in lang.ERRORS), None)
        self.claim(known is not None, f"expect_error({label!r}): {got.__name__} has no name here")
        self.add(name, "error", error=known)

    def expect_close(self, *args):
        raise Refused("expect_close is for files that users write")


def storage(t):
    return t.untyped_storage()._cdata


def walk(x):
    if isinstance(x, (tuple, list)):
        for v in x:
            yield from walk(v)
    elif isinstance(x, dict):
        yield from walk(list(x.values()))
    else:
        yield x
