#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""float32 inputs that are hard to round: those of a few million whose results lie nearest the middle
between two float32 numbers. golden/basics.py makes a case of them for each op that is here.

    golden/hard.py      make golden/hard.json anew; the same numbers each time
"""
import json
import os
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = HERE / ".venv" / "bin" / "python"
try:
    import mpmath
    import numpy as np
except ImportError:
    os.execv(PYTHON, [str(PYTHON), *sys.argv])

sys.path.insert(0, str(HERE))
KEPT, TRIED, SEED = 32, 1 << 22, 20260302
# Where each function's results are neither constant nor out of range.
POSITIVE, ANY, UNIT, GROWING = (1e-30, 1e30), (-1e4, 1e4), (-1.0, 1.0), (-80.0, 80.0)
RANGES = {**dict.fromkeys(("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"), POSITIVE),
          **dict.fromkeys(("exp", "exp2", "sinh", "cosh"), GROWING), "expm1": (-17.0, 80.0),
          **dict.fromkeys(("sin", "cos", "tan", "atan"), ANY),
          **dict.fromkeys(("asin", "acos", "atanh"), UNIT), "tanh": (-9.0, 9.0), "asinh": ANY,
          "acosh": (1.0, 1e30), "erf": (-4.0, 4.0), "erfc": (-4.0, 2.0), "sigmoid": (-80.0, 80.0)}
NAMED = {"reciprocal": lambda x: 1 / x, "rsqrt": lambda x: 1 / mpmath.sqrt(x),
         "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "exp2": lambda x: mpmath.power(2, x), "log2": lambda x: mpmath.log(x, 2)}


def exact(op):
    """The op in as many digits as are asked for."""
    return NAMED.get(op) or getattr(mpmath, op)


def off_middle(y):
    """How far y lies from the middle between two float32 numbers, in their distance."""
    _, e = np.frexp(y)
    units = y / np.ldexp(np.longdouble(1), e - 24)
    return np.abs(units - np.floor(units) - np.longdouble(0.5))


def candidates(op, rng):
    low, high = RANGES[op]
    if low > 0:  # every binade alike
        x = np.exp(rng.uniform(np.log(low), np.log(high), TRIED))
    else:  # half of them alike, half by binades around 0
        x = np.concatenate([rng.uniform(low, high, TRIED // 2),
                            np.exp(rng.uniform(np.log(1e-6), np.log(high), TRIED // 2)) *
                            rng.choice([-1.0, 1.0], TRIED // 2)])
    return np.unique(x.astype(np.float32))


def hardest(op):
    from wider import WIDER, erf
    approximate = {**WIDER, "erfc": lambda x: 1 - erf(x)}[op]  # which are hard is looked at again below
    x = candidates(op, np.random.Generator(np.random.PCG64([SEED, zlib.crc32(op.encode())])))
    off = off_middle(np.asarray(approximate(x.astype(np.longdouble))))
    best = x[np.argsort(off, kind="stable")[:2 * KEPT]]
    with mpmath.workprec(200):
        sure = []
        for v in best:
            y = exact(op)(mpmath.mpf(float(v)))
            _, e = mpmath.frexp(y)
            units = mpmath.ldexp(y, 24 - int(e))
            middle = abs(units - mpmath.floor(units) - mpmath.mpf("0.5"))
            sure.append((float(middle), float(v)))
    return [v for _, v in sorted(sure)[:KEPT]], sorted(sure)[0][0]


if __name__ == "__main__":
    found = {}
    for name in sorted(RANGES):
        found[name], nearest = hardest(name)
        print(f"{name}: nearest {nearest:.3g} units from the middle")
    lines = ",\n".join(f'"{k}": [{", ".join(map(repr, v))}]' for k, v in found.items())
    (HERE / "hard.json").write_text("{" + lines + "}\n")
