#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judge the zoo: every member must be found out, and every kind of fault must have one.

usage: judge.py TOUCHSTONE [--page FILE]    with --page, write what was found as a table
"""
import json
import re
import subprocess
import sys
from pathlib import Path

NEW_KIND = re.compile(r'^ZOO_NEW_KIND\(\s*"([^"]*)",\s*("[^"]*"(?:\s*"[^"]*")*)\)', re.M)


def kinds():
    """Kinds and what they mean: each one's first member says it."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("**/*.c*")):
        for kind, meaning in NEW_KIND.findall(path.read_text(encoding="utf-8")):
            if kind in found:
                sys.exit(f"{path}: another member says what the kind '{kind}' is")
            found[kind] = "".join(re.findall(r'"([^"]*)"', meaning))
    return found


def complaints(members, known):
    for m in members:
        if not m["killed"]:
            yield f"{m['member']} survived: {m['fault']}"
        if m["kind"] not in known:
            yield f"{m['member']} is of the kind '{m['kind']}', which no ZOO_NEW_KIND explains"
    for kind in known:
        if not any(m["kind"] == kind for m in members):
            yield f"no member of the kind '{kind}'"


def page(members, known):
    out = ["# The zoo", "",
           "Backends with one realistic fault each, and the case that found each of them out; cases of the",
           "rules that a member breaks come first. Made anew by",
           "`conformance/zoo/judge.py build/touchstone --page reports/record/zoo.md`.", "",
           f"{len(members)} members of {len(known)} kinds, {sum(m['killed'] for m in members)} killed.",
           "", "| kind | member | fault | rules | killed by |", "|---|---|---|---|---|"]
    for m in sorted(members, key=lambda m: (m["kind"].lower(), m["member"])):
        by = f"{m['verdict']} of {m['by']}" if m["killed"] else "nobody"
        out.append(f"| {m['kind']} | {m['member']} | {m['fault']} | {m['breaks']} | {by} |")
    out += ["", "| kind | what it is |", "|---|---|"]
    out += [f"| {k} | {text} |" for k, text in sorted(known.items(), key=lambda i: i[0].lower())]
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) not in (2, 4) or len(sys.argv) == 4 and sys.argv[2] != "--page":
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    done = subprocess.run([sys.argv[1], "zoo", "--json"], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        return 2
    members, known = [json.loads(line) for line in done.stdout.splitlines()], kinds()
    for m in members:
        print(f"{m['member']:28} {m['verdict'] or 'SURVIVED':8} {m['seconds']:6.2f} s  {m['by']}")
    found = list(complaints(members, known))
    for text in found:
        print(text)
    print(f"{len(members)} members of {len(known)} kinds, {len(found)} complaints")
    if len(sys.argv) == 4 and not found:
        Path(sys.argv[3]).write_text(page(members, known))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
