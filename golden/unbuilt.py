#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyTorch takes by name in the calls of a page and this project does not.

usage: unbuilt.py [--check] [PAGE...]    prints the key `unbuilt` of each op; without pages: of all.
                                         With --check only those whose page says something else
"""
import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "spec" / "gen"))

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import pages as spec_pages  # noqa: E402

# What the case language takes for a parameter beside its own name (conformance/script/call.c).
ALIASES = {"self": {"input"}, "dim": {"axis"}, "keepdim": {"keepdims"}, "tensors": {"tensor"}}
# Overloads that PyTorch's Python binding leaves out.
NOT_BOUND = {"to.dtype_layout", "argsort.stable_out"}
WHERE = {"torch": (torch, torch.functional), "torch.linalg": (torch.linalg,), "F": (F,), "Tensor": (torch.Tensor,)}


def overloads(name):
    """Parameter names of each overload of aten::name that Python's binding has: not TorchScript's
    own, not the out= forms that were generated for completeness, and not those over named
    dims, which PyTorch does not promise."""
    packet = getattr(torch.ops.aten, name, None)
    for o in packet.overloads() if packet else ():
        try:
            torch._C._dispatch_find_schema_or_throw("aten::" + name,
                                                    "" if o == "default" else o)
        except RuntimeError:
            continue
        arguments = list(getattr(packet, o)._schema.arguments)
        if torch.Tag.generated in getattr(packet, o).tags or f"{name}.{o}" in NOT_BOUND or \
                any("Dimname" in str(a.type) or a.name == "names" for a in arguments):
            continue
        yield {a.name for a in arguments if not a.is_out} | \
            ({"out"} if any(a.is_out for a in arguments) else set())


def signature(function):
    """Parameter names of a function that is written in Python, else None."""
    if not inspect.isfunction(function):
        return None
    kinds = inspect.Parameter
    return {p.name for p in inspect.signature(function).parameters.values()
            if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD) and not p.name.startswith("_")}


def of_call(where, name):
    """What PyTorch takes by name in a call, or the empty set where it has no such function."""
    owner = next((o for o in WHERE.get(where, ()) if hasattr(o, name)), None)
    if owner is None:
        return set()
    function = getattr(owner, name)
    known = signature(function)
    if known is None:
        known = set().union(*overloads(getattr(function, "__name__", name)), *overloads(name))
        if "pin_memory" in known:
            known.add("requires_grad")
        if where == "Tensor":
            known.discard("out")
    return known


def calls(op):
    for f in op.raw["functions"] + op.raw["functions_inplace"]:
        yield tuple(f.rsplit(".", 1))
    for m in op.raw["methods"]:
        yield "Tensor", m
    for m in op.raw["methods_inplace"]:
        yield "Tensor", m + "_"


def built(op):
    names = {p.name for p in op.params}
    names |= {a for n in names for a in ALIASES.get(n, ())}
    if "out" in op.forms:
        names.add("out")
    if "dtype" in names:
        names.add("requires_grad")
    return names


def unbuilt(op, ops):
    known = set().union(*(of_call(*c) for c in calls(op)))
    while op is not None:  # what an overload takes
        known -= built(op)
        op = ops.get(op.raw.get("or_else"))
    return sorted(known)


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    pages = spec_pages.read_all(ROOT / "spec")
    ops = {op.name: op for page in pages.values() for op in page.ops}
    wrong = 0
    for name in [a for a in arguments if a != "--check"] or sorted(pages):
        for op in pages[name].ops:
            found = unbuilt(op, ops)
            if found == op.raw.get("unbuilt", []) or (not check and not found):
                continue
            wrong += 1
            print(f"{name}: {op.name}: unbuilt = [{', '.join(repr(n) for n in found)}]"
                  .replace("'", '"'))
    return int(check and wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
