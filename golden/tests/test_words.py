#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What golden/ lends a program under PyTorch has every word of conformance/script/words, with the same
arguments, and no other.

Runs under golden/.venv; where that is missing it says so and skips.
"""
import inspect
import os
import sys
import types
import unittest
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent
ROOT = GOLDEN.parent
PYTHON = GOLDEN / ".venv" / "bin" / "python"

try:
    import torch
except ImportError:
    if not PYTHON.exists() or os.environ.get("TOUCHSTONE_GENERATE"):
        count = Path(__file__).read_text().count("\n    def test_")
        print(f"skipped: golden/.venv is missing, golden/setup makes it\n"
              f"0 passed, 0 failed, {count} skipped")
        sys.exit(77)  # what meson counts as skipped
    os.execve(PYTHON, [str(PYTHON), *sys.argv], {**os.environ, "TOUCHSTONE_GENERATE": "fixed"})

sys.path[:0] = [str(GOLDEN), str(ROOT / "conformance" / "script"),
                str(ROOT / "conformance" / "adapters")]
import case_language as lang  # noqa: E402
import program  # noqa: E402

PYTHONS_OWN = ("generators", "expectations", "builtins", "torch", "tensor", "objects", "autograd")
SPACES = {s: {} for s in lang.MODULES}
for module in program.MODULES:
    for space, values in module.NAMES.items():
        SPACES[space].update(values)


def parameters(f):
    """Names of a Python function's parameters; None where it does not tell them."""
    try:
        found = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found):
        return None
    return [p.name for p in found if p.name != "self"]


class Words(unittest.TestCase):
    def words(self, *stubs):
        return [w for s in stubs for w in lang.STUBS[s].words]

    def test_modules(self):
        """Both ways: the twin has what the stubs say, and lends nothing else."""
        stubs = [s for s in lang.STUBS if s not in PYTHONS_OWN]
        wanted = {}
        for w in self.words(*stubs):
            space, _, rest = w.owner.partition(".")
            if space in lang.MODULES and space != "torch":
                wanted.setdefault(space, set()).add(rest or w.name)
        self.assertEqual({s: sorted(n) for s, n in SPACES.items() if n},
                         {s: sorted(n) for s, n in wanted.items()})

    def test_members(self):
        for w in self.words(*(s for s in lang.STUBS if s not in PYTHONS_OWN)):
            space, _, inner = w.owner.partition(".")
            if inner:
                self.assertTrue(hasattr(SPACES[space][inner], w.name), w.full)

    def test_arguments(self):
        for w in self.words(*lang.STUBS):
            f = SPACES.get(w.owner, {}).get(w.name)
            if f is None and w.stub in ("generators", "expectations"):
                f = getattr(program.Names, w.name)
            names = parameters(f) if isinstance(f, types.FunctionType) else None
            if names is None or w.name == "expect_close":  # which golden/ refuses
                continue
            own = [p.name for p in w.parameters]
            # PyTorch's may take more, which the language leaves out.
            if w.stub in ("generators", "expectations"):
                self.assertEqual(len(names), len(own), w.full)
            elif own[:1] == ["self"]:  # a function's own first argument, not a method's
                self.assertEqual([n for n in names if n in own], own[1:], f"{w.full}: {names}")
            else:
                self.assertEqual([n for n in names if n in own], own, f"{w.full}: {names}")

    def test_torch(self):
        for w in self.words("torch", "autograd"):
            self.assertTrue(hasattr(getattr(torch, "autograd") if w.owner == "autograd" else torch,
                                    w.name), w.full)
        for name, dtype in lang.DTYPE_ALIASES.items():
            self.assertIs(getattr(torch, name), getattr(torch, dtype))

    def test_tensor(self):
        for w in self.words(*lang.STUBS):
            if w.owner == "Tensor":
                self.assertTrue(hasattr(torch.Tensor, w.name), w.full)

    def test_values(self):
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        values = {"finfo": torch.finfo(torch.float32), "iinfo": torch.iinfo(torch.int8),
                  "dtype": torch.int8, "device": torch.device("cpu"), "pair": torch.sort(x),
                  "tuple": x.shape, "list": [], "GradFn": y.grad_fn,
                  "Handle": y.register_hook(lambda g: None),
                  "Function": torch.autograd.Function,
                  "ctx": torch.autograd.function.FunctionCtx}
        for w in self.words("objects"):
            if w.owner == "ctx" and w.name in ("saved_tensors", "needs_input_grad"):
                self.assertTrue(hasattr(torch._C._FunctionBase, w.name), w.full)
            else:
                self.assertTrue(hasattr(values[w.owner], w.name), w.full)

    def test_errors(self):
        for w in self.words("builtins"):
            if w.is_ == "error":
                self.assertTrue(issubclass(program.ERRORS[w.name], Exception), w.full)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=1).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
