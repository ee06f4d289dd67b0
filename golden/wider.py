# SPDX-License-Identifier: Apache-2.0
"""Single ops on float64 in more than float64: truths that stand clear of float64's own rounding.

The processor's extended precision has 64 bits, eleven more than are asked for. Where numpy has no such
format these are float64's results, which `--check` takes for the same.
"""
import numpy as np
import torch


def wide(x):
    return x.detach().to(torch.float64).numpy().astype(np.longdouble)


def wider(fn, *args, **kwargs):
    """fn on tensors' elements in extended precision, rounded to float64 once."""
    with np.errstate(all="ignore"):
        r = fn(*(wide(a) if isinstance(a, torch.Tensor) else a for a in args),
               **{k: v for k, v in kwargs.items() if not isinstance(v, torch.dtype)})
        return torch.from_numpy(np.asarray(r).astype(np.float64))


def total(x, dim=None, keepdim=False):
    dim = None if dim is None or not isinstance(dim, int) and len(dim) == 0 else \
        (dim,) if isinstance(dim, int) else tuple(dim)
    return x.sum(None if x.ndim == 0 else dim, keepdims=keepdim)


def erf(x):
    """By the series in which every term has the sign of x; all of its digits up to |x| of 5."""
    x = np.asarray(x)
    near = np.clip(x, -7, 7)  # beyond, it is 1 in every format here
    term, whole = near.copy(), near.copy()
    for n in range(1, 160):
        term = term * (2 * near * near / (2 * n + 1))
        whole = whole + term
    pi = np.longdouble(np.arccos(np.longdouble(-1)))
    return np.where(np.isinf(x), np.sign(x), 2 / np.sqrt(pi) * np.exp(-near * near) * whole)


WIDER = {
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": erf,
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "square": lambda x: x * x,
    "sum": total, "mm": np.matmul, "bmm": np.matmul, "mv": np.matmul, "dot": np.dot,
    "cumprod": lambda x, dim: x if x.ndim == 0 else np.cumprod(x, dim),
    "prod": lambda x, dim=None, keepdim=False: x if x.ndim == 0 else x.prod(dim, keepdims=keepdim),
    "cumsum": lambda x, dim: x if x.ndim == 0 else np.cumsum(x, dim),
}
