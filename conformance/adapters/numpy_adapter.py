#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NumPy behind the pipe door: an honest subset, read from the program's tree.

Every tensor is an array over a flat storage, so views are views. A result takes the order of its
operands' strides, as PyTorch's do. What is not here is said to be unsupported.
"""
import math
import sys
from pathlib import Path

import numpy as np

import peer
import tree
from layout import result_strides
from peer import Unsupported

DTYPES = {d: np.dtype(d) for d in ("float64", "float32", "float16", "int64", "int32", "int16",
                                   "int8", "uint8", "bool")}
NUMBERS = [d for d in DTYPES if d != "bool"]
FLOATS = ["float64", "float32", "float16"]


class Tensor:
    def __init__(self, array, room):
        self.a, self.room = array, room  # the window, and the flat storage it looks into

    @property
    def dtype(self):
        return self.a.dtype.name

    def view(self, array):
        return Tensor(array, self.room)

    def place(self):
        size = self.a.itemsize
        start = self.a.__array_interface__["data"][0] - self.room.__array_interface__["data"][0]
        return [s // size for s in self.a.strides], start // size if self.a.size else 0


def empty(shape, strides, dtype):
    room = np.empty(math.prod(shape), dtype)
    steps = [s * room.itemsize for s in strides]
    return Tensor(np.ndarray(shape, dtype, room.data, 0, steps), room)


def pointwise(fn, dtypes, result=None):
    def op(*args):
        tensors = [x for x in args if isinstance(x, Tensor)]
        dtype = tensors[0].dtype
        if dtype not in dtypes:
            raise Unsupported("dtype", f"{dtype} in this operator")
        for x in args:
            if isinstance(x, Tensor) and x.dtype != dtype or not isinstance(x, Tensor) and (
                    dtype in FLOATS and float(DTYPES[dtype].type(x)) != x
                    or dtype not in FLOATS and (type(x) is not int or abs(x) > 127)):
                raise Unsupported("promotion", "operands of one dtype only")
        shape = np.broadcast_shapes(*[x.a.shape for x in tensors])
        wide = [np.broadcast_to(x.a, shape) for x in tensors]
        out = empty(shape, result_strides(shape, [a.strides for a in wide]), DTYPES[result or dtype])
        numbers = [x.a if isinstance(x, Tensor) else DTYPES[dtype].type(x) for x in args]
        with np.errstate(all="ignore"):
            out.a[...] = fn(*numbers)
        return out
    op.claims = dtypes
    return op


def viewing(fn):
    def op(x, *args):
        return x.view(fn(x.a, *args))
    op.claims = list(DTYPES)
    return op


def clone(x):
    out = empty(x.a.shape, result_strides(x.a.shape, [x.a.strides]), x.a.dtype)
    out.a[...] = x.a
    return out


clone.claims = list(DTYPES)


def flat(*dims):
    return list(dims[0]) if dims and isinstance(dims[0], (tuple, list)) else list(dims)


def unsqueeze(a, d):
    if a.ndim == 32:
        raise Unsupported("dims", "an array has at most 32")
    return np.expand_dims(a, d)


def expand(a, *sizes):
    sizes = flat(*sizes)
    old = [1] * (len(sizes) - a.ndim) + list(a.shape)
    return np.broadcast_to(a, [o if s == -1 else s for s, o in zip(sizes, old)])


# NumPy's names for what it calls otherwise than PyTorch.
NAMES = {"neg": "negative", "sub": "subtract", "mul": "multiply", "eq": "equal",
         "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
         "ge": "greater_equal", "atan2": "arctan2",
         **{f"a{f}": f"arc{f}" for f in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}}
# What NumPy gives floats of integers for.
ROUNDING = ("floor", "ceil", "trunc")
# How NumPy does an op of a family (spec/gen/families.py): by its function of that name.
FAMILIES = {
    "unary_float": lambda fn, dtypes: pointwise(fn, [d for d in dtypes if d in FLOATS]),
    "unary_same": pointwise,
    "binary": pointwise,
    "binary_float": lambda fn, dtypes: pointwise(fn, [d for d in dtypes if d in FLOATS]),
    "comparison": lambda fn, dtypes: pointwise(fn, dtypes, "bool"),
    "predicate": lambda fn, dtypes: pointwise(fn, dtypes, "bool"),
}


def by_family():
    """The ops of those families for which NumPy has a function, from the pages of the spec."""
    spec = Path(__file__).resolve().parents[2] / "spec"
    sys.path.append(str(spec / "gen"))
    import pages
    found = {}
    for page in pages.read_all(spec).values():
        for op in page.ops:
            how, fn = FAMILIES.get(op.raw.get("family")), getattr(np, NAMES.get(op.name, op.name), None)
            if how and fn:
                dtypes = FLOATS if op.name in ROUNDING else NUMBERS
                found[op.name] = how(fn, [d for d in dtypes if d in op.raw["dtypes"]])
    return found


OPS = {
    **by_family(),
    "div": pointwise(np.divide, FLOATS),
    "sign": pointwise(lambda a: np.where(a != a, a.dtype.type(0), np.sign(a)), NUMBERS),  # PyTorch's of NaN is 0
    "relu": pointwise(lambda a: np.where(a < 0, a.dtype.type(0), a), NUMBERS), "clone": clone,
    "t": viewing(lambda a: a.T), "transpose": viewing(lambda a, d, e: a.swapaxes(d, e) if a.ndim else a),
    "permute": viewing(lambda a, *dims: a.transpose(flat(*dims))), "expand": viewing(expand),
    "unsqueeze": viewing(unsqueeze),
}


class Program(tree.Program):
    Tensor, OPS = Tensor, OPS

    def item(self, of, index):
        return of.view(of.a[index])

    def attribute(self, of, name):
        known = {"shape": lambda: of.a.shape, "dtype": lambda: tree.Dtype(of.dtype),
                 "ndim": lambda: of.a.ndim}
        return known[name]() if name in known else self.lacks(name)

    def next_input(self):
        i = self.inputs.pop(0)
        if i.get("dtype") not in DTYPES or len(i["sizes"]) > 32:
            self.lacks(i.get("dtype", "errors"))
        room = np.frombuffer(bytearray(i["raw"]), DTYPES[i["dtype"]])
        steps = [s * room.itemsize for s in i["strides"]]
        self.used.append((i["dtype"], room))
        return Tensor(np.ndarray(i["sizes"], room.dtype, room.data,
                                 i["offset"] * room.itemsize, steps), room)

    def told(self, v):
        if isinstance(v, Tensor):
            strides, offset = v.place()
            return self.answers.tensor(v.dtype, v.a.shape, strides, offset, id(v.room),
                                       v.a.tobytes())
        if isinstance(v, tree.Dtype):
            return {"dtype": v}
        return [self.told(x) for x in v] if isinstance(v, (tuple, list)) else peer.plain(v)

    def expect(self, t, name):
        self.answers.add("expect", value=self.told(t))

    def expect_equal(self, value, wanted):
        self.answers.add("expect_equal", value=self.told(value), wanted=self.told(wanted))

    def expect_view_of(self, v, base, kind="expect_view_of"):
        self.answers.add(kind, value=self.told(v), base=self.told(base))

    def expect_copy_of(self, v, base):
        self.expect_view_of(v, base, "expect_copy_of")


def run(message, inputs, answers):
    program = Program(inputs, answers)
    program.run(message["tree"])
    for dtype, room in program.used:
        answers.input_after(dtype, room.tobytes())


if __name__ == "__main__":
    peer.serve({"name": "numpy", "version": np.__version__,
                "claims": [{"op": n, "dtypes": f.claims} for n, f in OPS.items()]}, run)
