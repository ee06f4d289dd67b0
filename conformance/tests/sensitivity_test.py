# SPDX-License-Identifier: Apache-2.0
"""PASS means that a kernel decided: on a backend whose every kernel is wrong each case that passes
on the reference fails, and each that tells of the runtime only does not.

usage: sensitivity_test.py TOUCHSTONE REFERENCE.so CORRUPTING.so
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOUCHSTONE, REFERENCE, CORRUPTING = sys.argv[1:4]
FAILURES = {"FAIL", "ERROR", "TIMEOUT", "MISTRUSTED"}
ENV = {**os.environ, "TOUCHSTONE_REFERENCE": REFERENCE}


def verdicts(*options):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        p = subprocess.run([TOUCHSTONE, "run", "--json", str(out), "--variant", "base", *options],
                           env=ENV, capture_output=True, text=True)
        if p.returncode not in (0, 1):
            sys.exit(p.stderr)
        lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return {r["id"]: (r["verdict"], r.get("reason", "")) for r in lines if "id" in r}


def complaints(right, wrong):
    for case, (verdict, _) in right.items():
        fails = wrong[case][0] in FAILURES
        if verdict == "PASS" and not fails:
            yield f"{case} passes, and is {wrong[case][0]} where every kernel is wrong"
        if verdict == "RUNTIME" and fails:
            yield f"{case} is RUNTIME, and fails where every kernel is wrong: {wrong[case][1]}"


def main():
    right = verdicts()
    found = list(complaints(right, verdicts("--backend", CORRUPTING)))
    counts = {v: sum(1 for r in right.values() if r[0] == v) for v in ("PASS", "RUNTIME")}
    for text in found:
        print(text)
    print(f"{counts}, {len(found)} complaints")
    return int(bool(found) or min(counts.values()) < 500)


if __name__ == "__main__":
    sys.exit(main())
