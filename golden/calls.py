# SPDX-License-Identifier: Apache-2.0
"""How an op is called, said once: what the size ladder, the value classes, the fuzzer and the faults
are made of.

A page's golden/cases/<page>.py states its ops' calls as CALLS, a list of Call; ops of a family have
theirs from the family (`of_family`). Dims are names: whoever makes a program chooses their sizes.
"""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Arg:
    """A tensor that a call takes.

    shape: names of dims and numbers, "B N"; "…" at the front stands for any dims, the same ones in
        every Arg of the call. A name may be followed by ? where a 1 broadcasts.
    kind: what its elements are
        "data"       numbers of the call's dtype
        "index"      int64, each below the size of the dim `below`
        "distinct"   the same without duplicates
        "mask"       bool
        "positive"   data above 0
        "weight"     data that is not the point: ordinary values also where specials are asked for
    dtype: of its own where it is not the call's ("int64", …)
    grad: whether a gradient is defined for it
    """
    shape: str
    kind: str = "data"
    below: str = ""
    dtype: str = ""
    grad: bool = True


@dataclass(frozen=True)
class Call:
    """One way to call an op.

    op: its name in the op table
    text: the expression, with {x} for the Arg x, {N} for the size of a dim, {k} for a choice
    args: name -> Arg
    dtypes: of the data; "" stands for all that the page's [[op]] takes
    choices: name -> texts, one of which is taken ("dim": ("0", "-1"))
    along: the dims whose size matters to a kernel (the ladder climbs along each of them in turn)
    exact: whether small integers give the same bits in whatever order they are added
    """
    op: str
    text: str
    args: dict
    dtypes: tuple = ()
    choices: dict = field(default_factory=dict)
    along: tuple = ("N",)
    exact: bool = False
