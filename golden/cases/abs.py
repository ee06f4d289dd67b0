# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/abs.md: all but how abs is called come from the family."""

from calls import NUMBER, Arg, Call

# Without float8: there 2.15.0 keeps the sign of -0.0 in whole vectors and drops it in what is left.
CALLS = [
    Call("abs", "torch.abs({x})", {"x": Arg("… N")}, dtypes=NUMBER, exact=True),
]


def cases(g):
    return ()
