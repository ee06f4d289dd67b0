# SPDX-License-Identifier: Apache-2.0
"""torch.func. While a transformed function runs no product or sum is the program's own: a tangent or
a gradient may be made of others, so none of their bits are fixed (`transforming`)."""
import functools

import torch

_depth = 0


def transforming():
    return _depth > 0


def counted(fn):
    @functools.wraps(fn)
    def run(*args, **kwargs):
        global _depth
        _depth += 1
        try:
            return fn(*args, **kwargs)
        finally:
            _depth -= 1
    return run


def transform(make):
    def outer(f, *args, **kwargs):
        return counted(make(f, *args, **kwargs))
    return outer


def vjp(f, *primals):
    value, pull_back = counted(torch.func.vjp)(f, *primals)
    return value, counted(pull_back)


NAMES = {"func": {"vmap": transform(torch.func.vmap), "grad": transform(torch.func.grad),
                  "grad_and_value": transform(torch.func.grad_and_value), "vjp": vjp,
                  "jvp": counted(torch.func.jvp)}}
