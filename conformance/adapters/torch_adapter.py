#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch behind the pipe door, on any of its devices.

usage: touchstone run --backend 'pipe:python3 conformance/adapters/torch_adapter.py --device cpu'
"""
import argparse
import builtins
import ctypes
import runpy
import sys
import traceback
import types
import warnings
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "conformance/script"))
import case_language as lang  # noqa: E402
import peer  # noqa: E402

try:
    import torch
    import torch.nn.functional as F
except ImportError as e:
    sys.exit(f"PyTorch is not installed: {e}")

DTYPES = {getattr(torch, n): n for n in peer.CODES}
ERRORS = {n: getattr(builtins, n) for n in peer.ERRORS if hasattr(builtins, n)}
ERRORS["OutOfMemoryError"] = torch.OutOfMemoryError
ERRORS["DistError"] = torch.distributed.DistError if torch.distributed.is_available() \
    else RuntimeError
FORMATS = {getattr(torch, n): n for n in ("contiguous_format", "channels_last")}


# amp, profiler, …: the language's names for what PyTorch has under others.
MODULES = {}
for path in sorted((ROOT / "golden/modules").glob("*.py")):
    for module, members in runpy.run_path(str(path))["NAMES"].items():
        vars(MODULES.setdefault(module, types.SimpleNamespace())).update(members)


def memory(storage):
    t = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage).cpu()
    return ctypes.string_at(t.data_ptr(), t.numel()) if t.numel() else b""


def elements(t):
    with torch.no_grad():
        flat = t.detach().cpu().clone(memory_format=torch.contiguous_format)
    return ctypes.string_at(flat.data_ptr(), flat.numel() * flat.itemsize) \
        if flat.numel() else b""


def walk(x):
    if isinstance(x, (tuple, list)):
        for v in x:
            yield from walk(v)
    elif isinstance(x, dict):
        yield from walk(list(x.values()))
    elif isinstance(x, torch.Tensor):
        yield x


def of_value(kind, **how):
    return lambda self, value, *rest: self.answers.add(kind, value=self.value(value, **how))


def of_two(kind):
    return lambda self, v, base: self.answers.add(
        kind, value=self.value(v, bare=True), base=self.value(base, bare=True))


class Program:
    """The names of the case language, as one run sees them."""

    def __init__(self, inputs, answers, device):
        self.waiting, self.used, self.answers, self.device = list(inputs), [], answers, device
        self.run = lang.Run()

    def globals(self):
        names = {"torch": torch, "F": F, "autograd": torch.autograd, "func": torch.func,
                 "Function": torch.autograd.Function,
                 "once_differentiable": torch.autograd.function.once_differentiable,
                 **MODULES, **ERRORS, **self.run.names()}
        for n in lang.GENERATORS + ("data",):
            names[n] = self.next_input
        for n in lang.EXPECTATIONS:
            names[n] = getattr(self, n)
        names["__builtins__"] = {**names["__builtins__"], "__import__": builtins.__import__}
        return names

    def next_input(self, *args, **kw):
        i = self.waiting.pop(0)
        if "error" in i:
            self.used.append(("uint8", torch.empty(0).untyped_storage()))
            raise ERRORS[i["error"]]("a generator refused its arguments")
        raw = torch.frombuffer(bytearray(i["raw"]), dtype=torch.uint8) if i["raw"] \
            else torch.empty(0, dtype=torch.uint8)
        room = raw.to(self.device).untyped_storage()
        t = torch.empty(0, dtype=getattr(torch, i["dtype"]), device=self.device)
        t = t.set_(room, i["offset"], i["sizes"], i["strides"]).data
        self.used.append((i["dtype"], room))
        return t

    def finish(self):
        for dtype, room in self.used:
            self.answers.input_after(dtype, memory(room))

    def value(self, v, whole=False, bare=False):
        """A value as the protocol has it."""
        if isinstance(v, torch.Tensor):
            s = v.untyped_storage()
            raw = None if bare or v.is_meta or s.nbytes() == 0 and v.numel() else elements(v)
            return self.answers.tensor(DTYPES[v.dtype], v.shape, v.stride(), v.storage_offset(),
                                       s._cdata & (1 << 62) - 1, raw,
                                       memory(s) if whole else None)
        if v is None or isinstance(v, (bool, int, float, str)):
            return peer.plain(v)
        if isinstance(v, (tuple, list)):
            return [self.value(x) for x in v]
        if isinstance(v, torch.dtype):
            return {"dtype": DTYPES.get(v, str(v))}
        if isinstance(v, torch.device):
            return {"device": v.type}
        return {"format": FORMATS[v]} if v in FORMATS else {"other": str(v)}

    def expect_equal(self, value, wanted):
        self.answers.add("expect_equal", value=self.value(value), wanted=self.value(wanted))

    expect, expect_any, expect_close = map(of_value, ("expect", "expect_any", "expect_close"))
    expect_strides = of_value("expect_strides", bare=True)
    expect_untouched = of_value("expect_untouched", bare=True, whole=True)
    expect_view_of, expect_copy_of = map(of_two, ("expect_view_of", "expect_copy_of"))

    def expect_same(self, a, b):
        self.answers.add("expect_same", same=a is b)

    def expect_warns(self, label, fn, *args, **kw):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fn(*args, **kw)
        self.answers.add("expect_warns", warned=bool(caught))
        return result

    def expect_error(self, error, label, fn, *args, **kw):
        seen = [t for t in walk((args, kw)) if not t.is_meta]
        before = [memory(t.untyped_storage()) for t in seen]
        try:
            fn(*args, **kw)
        except Exception as e:
            kept = before == [memory(t.untyped_storage()) for t in seen]
            self.answers.add("expect_error", kept=kept, **peer.refusal(e))
        else:
            self.answers.add("expect_error", error=None)


def run(device, message, inputs, answers):
    case = lang.Case(message["case"], "case", message["line"], program=message["text"],
                     program_line=message["line"])
    program = Program(inputs, answers, device)
    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(lang.compile_case(case), program.globals())
        except lang.CaseError as e:
            raise peer.Unsupported("program", str(e)) from None
        except NotImplementedError as e:
            raise peer.Unsupported("NotImplementedError", str(e)[:300]) from None
        except Exception as e:
            lines = [f.lineno for f in traceback.extract_tb(e.__traceback__)
                     if f.filename == "case"]
            return {**peer.refusal(e), "line": (lines or [0])[-1]}
        finally:
            torch.set_grad_enabled(True)
            torch.set_default_dtype(torch.float32)
    program.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    try:
        device = torch.empty(1, device=args.device).device
    except (RuntimeError, AssertionError) as e:
        sys.exit(f"no device {args.device}: {e}")
    if device.type != "cpu":
        torch.set_default_device(device)
    # float64 is missing on some devices; what PyTorch refuses there is told, not failed.
    peer.serve({"name": f"pytorch-{device.type}", "version": torch.__version__,
                "claims": [{"op": "*"}] if device.type in ("cpu", "cuda") else []},
               lambda m, i, a: run(device, m, i, a))


if __name__ == "__main__":
    main()
