# SPDX-License-Identifier: Apache-2.0
"""Differences that golden/fuzz.py counts and does not fail for: where PyTorch's own behaviour is not a
promise, or the page says that ours is another. Each is (verdict: op: kind) as a pattern, and why."""
import re

EXPLAINED = [
    (r"FAIL: \w*: facts: x.requires_grad x.is_leaf",
     "an integer or bool tensor compared in place requires grad in 2.15.0; the page compare says no"),
    (r"FAIL: matmul: facts: x._version$",
     "a product's version counts 2.15.0's own steps (squeeze_, copy_ into out=)"),
    (r"FAIL: \w+: error: expected TypeError, .*\[where/C4\]",
     "where(out=) takes no numbers in 2.15.0"),
    (r"FAIL: to: x(\[\])?: expected # exactly",
     "a float beyond an integer dtype's range: C leaves the cast open"),
    (r"FAIL: where: error: expected TypeError, but the call succeeded",
     "where(out=) takes no numbers in 2.15.0"),
    (r"FAIL: (softmax|log_softmax|floor_divide): .*\[autograd/C14\]",
     "2.15.0 lets out= of these through, with a derivative that is not implemented"),
]
KNOWN = [(re.compile(pattern), why) for pattern, why in EXPLAINED]


def explained(what):
    """Why a difference [verdict, kind, op] is none, or None."""
    verdict, kind, op = what
    text = f"{verdict}: {op}: {kind}"
    return next((why for pattern, why in KNOWN if pattern.search(text)), None)
