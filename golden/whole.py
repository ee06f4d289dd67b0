# SPDX-License-Identifier: Apache-2.0
"""Sums and products of whole numbers that no order of adding rounds: their bits are fixed.

Where every operand is a whole number, every partial sum is one, in whatever order they are taken; and
while the sum of the magnitudes is at most 2^p, p the digits of the accumulator, all of them are
representable. float32 is the narrowest accumulator of the classes "sum", "product_added" and "arithmetic", the result's
own dtype that of "scattered_sum", and of what stores partial results in it; the result must be representable too, so that an implementation which
keeps a partial result in its dtype gives the same. The sign of a sum that is 0 hangs on whether it
starts from a 0 of its own, unless no summand is -0.
"""
import torch

from floats import BITS, F32, F64
from models import ADDED, ARITHMETIC, SCATTERED, SUMS, floating, replace, tensors

aten = torch.ops.aten


def fixed(i, func, args, kwargs):
    """Whether the op's result has the same bits whoever adds it up. Its arguments are exact."""
    name = i.name
    if name == "threshold_backward":  # a gradient above 0 or 0 itself, of no other sign
        return bool((args[0] > 0).all())
    sums = name in SUMS or name in SCATTERED or name in ADDED
    if not sums and (name not in ARITHMETIC or name in ("div", "true_divide")):
        return False
    if any(isinstance(v, float) and not v.is_integer() for v in (*args, kwargs.get("alpha", 1), kwargs.get("beta", 1))):
        return False
    if kwargs.get("out") is not None or (name == "embedding_dense_backward" and args[4]):
        return False  # the latter scales by frequencies
    given = [t for t in tensors((args, kwargs)) if floating(t)]
    if not all(whole(t, sums, len(given) > 1 and name not in SCATTERED) for t in given):
        return False
    added = aten.add.Tensor if name in ("sub", "rsub") and len(given) > 1 else func
    sizes = tensors(added(*replace(fresh(i, args), magnitude), **replace(sized(name, kwargs), magnitude)))
    results = tensors(func(*fresh(i, args), **kwargs))
    return all(not floating(t) or (largest(size) <= 2.0 ** BITS[accumulator(name, t.dtype)] and
                                   largest(t) <= 2.0 ** BITS[t.dtype])
               for size, t in zip(sizes, results))


def whole(t, sums, products):
    """Whether all elements are whole numbers; in sums without a -0, in sums of products without a 0."""
    v = t.detach().to(F64)
    right = torch.isfinite(v) & (v == v.round())
    if sums:
        right &= (v != 0) | (~torch.signbit(v) & (not products))
    return bool(right.all())


def accumulator(name, dtype):
    return dtype if name in SCATTERED or name in ("addbmm", "addmv") or BITS[dtype] >= BITS[F32] else F32


def sized(name, kwargs):
    """The numbers that a product and what it is added to are scaled by, without their signs."""
    return {k: abs(v) if name in ADDED and k in ("alpha", "beta") else v for k, v in kwargs.items()}


def largest(t):
    return float(t.detach().to(F64).abs().max()) if t.numel() else 0.0


def magnitude(t):
    return t.detach().to(F64).abs() if floating(t) else t


def fresh(i, args):
    """Arguments of which what the op writes to is a copy."""
    written = {p for p, _, keyword in i.writes if not keyword}
    return tuple(a.clone() if p in written and isinstance(a, torch.Tensor) else a
                 for p, a in enumerate(args))
