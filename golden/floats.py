# SPDX-License-Identifier: Apache-2.0
"""The floating dtypes in numbers: units, smallest and largest values, neighbours."""
import numpy as np
import torch

from program import Refused

F64, F32 = torch.float64, torch.float32
BITS = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8,
        torch.float8_e4m3fn: 4, torch.float8_e5m2: 3}
UNIT = {d: 2.0 ** -p for d, p in BITS.items()}  # half the distance from 1 to the next number
LEAST = {torch.float64: 2.0 ** -1074, torch.float32: 2.0 ** -149, torch.float16: 2.0 ** -24,
         torch.bfloat16: 2.0 ** -133, torch.float8_e4m3fn: 2.0 ** -9,
         torch.float8_e5m2: 2.0 ** -16}
MAX = {d: torch.finfo(d).max for d in BITS}


def half_ulp(y, dtype):
    """Half the distance between neighbours at |y| in dtype; 0 at an exact 0."""
    _, e = np.frexp(y)
    h = np.maximum(np.ldexp(UNIT[dtype], e - 1), LEAST[dtype] / 2)
    if dtype == torch.float8_e4m3fn:
        h = np.maximum(h, np.where(y > MAX[dtype], y - MAX[dtype], 0))
    return np.where(y == 0, 0.0, h)


def round_up(bound):
    """Bounds as the bfloat16 values above them."""
    with np.errstate(over="ignore"):
        f = bound.astype(np.float32)
    f = np.where(f < bound, np.nextafter(f, np.float32(np.inf)), f).astype(np.float32)
    if np.isinf(f).any():
        raise Refused("a bound is beyond bfloat16's range: keep the magnitudes smaller")
    code = (f.view(np.uint32).astype(np.uint64) + 0xFFFF) >> 16
    if (code >= 0x7F80).any():
        raise Refused("a bound is beyond bfloat16's range: keep the magnitudes smaller")
    return (code << 16).astype(np.uint32).view(np.float32).astype(np.float64)


def lossless(source, target):
    if source == target:
        return True
    a, b = torch.finfo(source) if source.is_floating_point else None, torch.finfo(target)
    return a is not None and BITS[source] <= BITS[target] and a.max <= b.max and \
        LEAST[source] >= LEAST[target]
