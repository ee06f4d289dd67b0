#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A copy of a source file with one fault: usage: faulty.py FROM TO OLD NEW. OLD stands there once."""
import sys

source, target, old, new = sys.argv[1:]
text = open(source, encoding="utf-8").read()
if text.count(old) != 1:
    sys.exit(f"faulty.py: {source} has {text.count(old)} times: {old}")
with open(target, "w", encoding="utf-8") as f:
    f.write(f'#line 1 "{source}"\n' + text.replace(old, new))
