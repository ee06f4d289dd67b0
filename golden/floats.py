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
    h = np.maximum(np.ldexp(UNIT[dtype], e - 1), LEAST[dtype] / 2 or LEAST[dtype])
    if dtype == torch.float8_e4m3fn:
        h = np.maximum(h, np.where(y > MAX[dtype], y - MAX[dtype], 0))
    return np.where(y == 0, 0.0, h)


BOUND_SHIFT = 47  # what a stored bound leaves out of a float64: 11 bits of exponent, 5 of fraction stay


def bound_codes(bound):
    """Bounds, none negative, as 16 bits: float64's upper ones but for the sign, rounded up."""
    code = (bound.view(np.uint64) + (1 << BOUND_SHIFT) - 1) >> BOUND_SHIFT
    if (code >= 0x7FF << 5).any():
        raise Refused("a bound is beyond float64's range: keep the magnitudes smaller")
    return code.astype("<u2")


def bound_values(codes):
    return (codes.astype(np.uint64) << BOUND_SHIFT).view(np.float64)


def round_up(bound):
    """Bounds as they will be stored."""
    return bound_values(bound_codes(np.ascontiguousarray(bound, np.float64)))


def lossless(source, target):
    if source == target:
        return True
    a, b = torch.finfo(source) if source.is_floating_point else None, torch.finfo(target)
    return a is not None and BITS[source] <= BITS[target] and a.max <= b.max and \
        LEAST[source] >= LEAST[target]
