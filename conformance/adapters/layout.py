# SPDX-License-Identifier: Apache-2.0
"""Strides as PyTorch gives them to a pointwise result."""


def slower(shape, operands, d, e):
    """1 where dim d takes longer steps than e, by the first operand that tells them apart."""
    for strides in operands:
        if strides[d] == 0 or strides[e] == 0:
            continue
        if strides[d] != strides[e]:
            return 1 if strides[d] > strides[e] else -1
        if shape[d] > shape[e]:
            return 1
    return 0


def result_strides(shape, operands):
    """Dense strides in the order of the operands', each broadcast to `shape` (0: repeated)."""
    dims = list(range(len(shape)))[::-1]  # the fastest first
    for i in range(1, len(dims)):
        at = i
        for k in range(i - 1, -1, -1):
            c = slower(shape, operands, dims[k], dims[at])
            if c < 0:
                break
            if c > 0:
                dims[k], dims[at] = dims[at], dims[k]
                at = k
    strides, step = [0] * len(shape), 1
    for d in dims:
        strides[d] = step
        step *= max(shape[d], 1)
    return strides
