# SPDX-License-Identifier: Apache-2.0
"""atan2's calls: where a sum of squares underflows its derivative takes another way, so that extremes are
given without one."""

from calls import binary, op_table

CALLS = [*binary(op_table()["atan2"], "torch.atan2", floats=True, smooth=False)]


def cases(g):
    yield from ()
