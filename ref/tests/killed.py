#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Criterion program with a fault built in: the named test, and it alone if need be, must fail.

usage: killed.py PROGRAM TEST
"""
import re
import subprocess
import sys

program, name = sys.argv[1:]
out = subprocess.run([program, "-j1", "--tap=-"], capture_output=True, text=True, timeout=120).stdout
results = dict((n, s == "ok") for s, n in
               re.findall(r"^(ok|not ok) - \w+::(\w+)", out, re.M))
if name not in results:
    sys.exit(f"no test {name} in:\n{out}")
failed = sorted(n for n, ok in results.items() if not ok)
print(f"{len(results)} tests, failed: {' '.join(failed) or 'none'}")
sys.exit(0 if name in failed and len(failed) < len(results) else 1)
