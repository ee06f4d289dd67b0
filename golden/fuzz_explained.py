# SPDX-License-Identifier: Apache-2.0
"""Differences that golden/fuzz.py counts and does not fail for: where PyTorch's own behaviour is not a
promise, or the page says that ours is another."""
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A difference "verdict: op: kind" that matches `pattern`, in a line of the program that matches `line`, about
    tensors of which one has one of the traits of `trait`; `before`: what some line of the program says."""
    pattern: str
    why: str
    trait: str = ""
    line: str = ""
    before: str = ""

    def is_it(self, text, found):
        return bool(re.match(self.pattern, text)) and \
            (not self.trait or bool(set(self.trait.split()) & set(found["traits"]))) and \
            bool(re.search(self.line, found["line"])) and bool(re.search(self.before, found["program"]))


EXPLAINED = [
    Known(r"FAIL: (eq|ne|lt|le|gt|ge): facts: x.requires_grad x.is_leaf$",
          "an integer or bool tensor compared in place requires grad in 2.15.0; the page compare says no",
          trait="integral"),
    Known(r"FAIL: (copy|fill): facts: x.requires_grad x.is_leaf$",
          "an integer or bool tensor filled with a float that wants a gradient requires grad in 2.15.0; copied into "
          "it does not, as the page copy says", trait="integral"),
    Known(r"FAIL: \w*: RuntimeError: \[div/G3\] floor_divide: the derivative is not implemented",
          "2.15.0 loses the divisor of a floor_divide_ on a view; the page div says that its backward is refused",
          before=r"//=|floor_divide_\("),
    Known(r"FAIL: bitwise_\w+: error: expected NotImplementedError, got RuntimeError: \[autograd/C14\]",
          "both refusals hold: no page says which of two comes first", line="out="),
    Known(r"FAIL: matmul: error: expected NotImplementedError, got RuntimeError: \[matmul/C4\]",
          "both refusals hold: no page says which of two comes first", trait="float8 bool"),
    Known(r"FAIL: embedding: error: expected RuntimeError, got IndexError: \[embedding/C3\]",
          "of rows without elements 2.15.0 refuses an index as another error; the page embedding names one",
          trait="empty"),
    Known(r"FAIL: index_put: IndexError: \[index/C5\]",
          "2.15.0 looks at no index where it writes nothing; the page index says that each is refused", trait="empty"),
    Known(r"FAIL: arg(max|min): NotImplementedError: \[argmax/C3\]",
          "2.15.0 takes float8 along a dim of size 1, where it compares nothing; the page argmax says that it is "
          "refused", trait="float8"),
    Known(r"FAIL: (matmul: RuntimeError: \[matmul/C4\] matmul|bmm: RuntimeError: \[mm/C3\] bmm): self and \w+ must have "
          "one dtype",
          "2.15.0 compares no dtypes where there is nothing to add up; the pages matmul and mm say that they agree",
          trait="empty"),
    Known(r"FAIL: sum: NotImplementedError: \[sum/C3\] sum: not implemented for dtype",
          "2.15.0 forgets to refuse a float8 sum for some layouts; the page sum says that all are refused",
          trait="float8"),
    Known(r"FAIL: (arg)?sort: NotImplementedError: \[sort/C2\]",
          "2.15.0 takes float8 along a dim of stride 0 and in 0-dim tensors, where it sorts nothing; the page sort says "
          "that it is refused", trait="float8"),
    Known(r"FAIL: \w*: x(\[\])?: expected strides \[\], got \[\]",
          "2.15.0 adds nothing where sgn's gradient is one of the summands and keeps the other's layout; the page abs "
          "promises none of such a sum", line=r"^expect\(([gh]\d+|\w+\.grad)\b", before=r"\bsgn\("),
    Known(r"FAIL: abs: x(\[\])?: (expected a zero exactly, got the other|another digest than the golden file says)",
          "2.15.0 keeps the sign of a zero in abs of some float8 tensors; the page abs says that it drops it",
          trait="float8"),
    Known(r"FAIL: MulBackward0: RuntimeError: \[autograd/C4\] MulBackward0: backward through this graph a second time",
          "2.15.0 keeps nothing for a derivative's own product with alpha, so that another backward goes through; the "
          "page autograd says that it is refused", before=r"\balpha="),
    Known(r"FAIL: (softmax|log_softmax|floor_divide|arange|linspace|eye|bitwise_\w+): RuntimeError: \[autograd/C14\]",
          "2.15.0 lets out= of these through, with a derivative that is not implemented", line="out="),
    Known(r"FAIL: (flip|fliplr|flipud|rot90): error: expected NotImplementedError",
          "2.15.0 flips float8 or not by where the innermost dim lies; the page flip promises nothing of that",
          trait="float8"),
    Known(r"FAIL: tri[lu]: x", "2.15.0 walks the batch dims of an out of four dims or more as one, with the last one's "
          "stride; the page tril says that it is written through its strides", before=r"\btri[lu]\(.*out="),
    Known(r"FAIL: (topk|kthvalue|median|mode|-): x(\[\])?: (expected #|another digest)",
          "of equal elements which one an index names, and which gets the gradient, is not promised; the pages topk and "
          "median say so", line=r"^expect\(\w+(\[1\]|\.indices|\.grad)", before=r"\b(topk|kthvalue|median|mode)\("),
    Known(r"FAIL: (min|max): RuntimeError: \[max/C2\]",
          "2.15.0 forgets to refuse a tensor without elements beside out=; the page max says that it is refused",
          trait="empty", line="out="),
    Known(r"FAIL: cumm(ax|in): facts: x.requires_grad",
          "2.15.0 gives a tensor without elements for its own gradient; the page cummax promises nothing of that",
          trait="empty"),
]


def explained(found):
    """Why a difference, as fuzz.py found it, is none; or None."""
    verdict, kind, op = found["what"]
    text = f"{verdict}: {op}: {kind}"
    return next((k.why for k in EXPLAINED if k.is_it(text, found)), None)
