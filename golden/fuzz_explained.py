# SPDX-License-Identifier: Apache-2.0
"""Differences that golden/fuzz.py counts and does not fail for: where PyTorch's own behaviour is not a
promise, or the page says that ours is another. Each is (verdict: op: kind) as a pattern, and why. Those of
WILD hold only where the tensor that differs was cast from values beyond its dtype's range."""
import re

EXPLAINED = [
    (r"FAIL: (eq|ne|lt|le|gt|ge): facts: x.requires_grad x.is_leaf",
     "an integer or bool tensor compared in place requires grad in 2.15.0; the page compare says no"),
    (r"FAIL: (copy|fill): facts: x.requires_grad x.is_leaf",
     "an integer or bool tensor filled with a float that wants a gradient requires grad in 2.15.0; copied into "
     "it does not, as the page copy says"),
    (r"FAIL: \w*-?: RuntimeError: \[div/G3\] floor_divide: the derivative is not implemented",
     "2.15.0 loses the divisor of a floor_divide_ on a view; the page div says that its backward is refused"),
    (r"FAIL: bitwise_\w+: error: expected NotImplementedError, got RuntimeError: \[autograd/C14\]|"
     r"FAIL: matmul: error: expected NotImplementedError, got RuntimeError: \[matmul/C4\]|"
     r"FAIL: arg(max|min): error: expected IndexError, got NotImplementedError: \[argmax/C3\]",
     "both refusals hold: no page says which of two comes first"),
    (r"FAIL: (maximum|minimum|fmax|fmin): x(\[\])?: expected a zero exactly, got the other",
     "of two zeros of both signs 2.15.0 gives the first or the second by the layout; the page minmax leaves it open"),
    (r"FAIL: index_put: IndexError: \[index/C5\]",
     "2.15.0 looks at no index where it writes nothing; the page index says that each is refused"),
    (r"FAIL: arg(max|min): NotImplementedError: \[argmax/C3\]",
     "2.15.0 takes float8 along a dim of size 1, where it compares nothing; the page argmax says that it is refused"),
    (r"FAIL: matmul: RuntimeError: \[matmul/C4\] matmul: self and other must have one dtype",
     "2.15.0 compares no dtypes where there is nothing to add up; the page matmul says that they agree"),
    (r"FAIL: sum: NotImplementedError: \[sum/C3\] sum: not implemented for dtype",
     "2.15.0 forgets to refuse a float8 sum for some layouts; the page sum says that all are refused"),
    (r"FAIL: (softmax|log_softmax|floor_divide|arange|bitwise_\w+): .*\[autograd/C14\]",
     "2.15.0 lets out= of these through, with a derivative that is not implemented"),
]
WILD = [
    (r"FAIL: \w*-?: x(\[\])?: (expected -?# exactly|another digest)",
     "a float beyond an integer dtype's range: C leaves the cast open"),
]
KNOWN = [(re.compile(pattern), why) for pattern, why in EXPLAINED]
KNOWN_WILD = [(re.compile(pattern), why) for pattern, why in WILD]


def explained(what, wild):
    """Why a difference [verdict, kind, op] is none, or None."""
    verdict, kind, op = what
    text = f"{verdict}: {op}: {kind}"
    return next((why for pattern, why in KNOWN + KNOWN_WILD * wild if pattern.search(text)), None)
