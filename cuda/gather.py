# SPDX-License-Identifier: Apache-2.0
"""The ops that the files of cuda/ops bring, for the kernel table and the claims.

    gather.py OUT FILE.c...
"""
import re
import sys
from pathlib import Path

OP = re.compile(r"^TSC_OP\((\w+), (\w+)\)$", re.M)


def main(out, *sources):
    found = {}
    for path in sources:
        ops = OP.findall(Path(path).read_text(encoding="utf-8"))
        if not ops:
            sys.exit(f"{path}: no line TSC_OP(op, dtypes)")
        for op, dtypes in ops:
            if op in found:
                sys.exit(f"{path}: TSC_OP({op}, …) stands twice")
            found[op] = dtypes
    Path(out).write_text("/* Generated from cuda/ops. */\n" + "".join(
        f"TSC_ENTRY({op}, {found[op]})\n" for op in sorted(found)), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
