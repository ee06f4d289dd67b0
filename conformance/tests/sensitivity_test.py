# SPDX-License-Identifier: Apache-2.0
"""PASS means that a kernel decided: on a backend whose every kernel is wrong each case that passes
on the reference fails, and each that tells of the runtime only does not. And what is stored of that
beside the pages (golden/data/*.undecided) is what a measurement gives now.

usage: sensitivity_test.py TOUCHSTONE REFERENCE.so CORRUPTING.so
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOUCHSTONE, REFERENCE, CORRUPTING = sys.argv[1:4]
DATA = Path(os.environ.get("TOUCHSTONE_GOLDEN", Path(__file__).resolve().parents[2] / "golden/data"))
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


def stored():
    """Lines that tell where a stored list is missing, or another than would be measured."""
    p = subprocess.run([TOUCHSTONE, "sensitivity"], env=ENV, capture_output=True, text=True)
    if p.returncode not in (0, 1):
        sys.exit(p.stderr)
    return p.stdout.splitlines()[:-1] if p.returncode else []


def runtime(folder):
    return {case for case, (v, _) in verdicts("--golden", folder).items() if v == "RUNTIME"}


def lists_count_for_their_own_bytes():
    """A list that is another page's counts for nothing; one that says too little or too much is told."""
    with tempfile.TemporaryDirectory() as folder:
        for end in (".cases", ".safetensors"):
            shutil.copy(DATA / f"abs{end}", folder)
        measured = runtime(folder)
        sensitivity = [TOUCHSTONE, "sensitivity", "--golden", folder]
        path = Path(folder) / "abs.undecided"
        if subprocess.run([*sensitivity, "--write"], env=ENV, stdout=subprocess.DEVNULL).returncode:
            yield "the list cannot be written"
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        if runtime(folder) != measured or not measured:
            yield "a run says otherwise by the list than without it"
        path.write_text(lines[0] + lines[1][:-9] + "00000000\n", encoding="utf-8")
        if runtime(folder) != measured:
            yield "a list that was measured on other bytes is believed"
        path.write_text("".join(lines[:-1] + lines[-1:] * 2), encoding="utf-8")
        if runtime(folder) != measured:
            yield "a list that is not as it was written is believed"
        for wrong in (lines[:-1], [*lines, "zzz\n"]):
            path.write_text("".join(wrong), encoding="utf-8")
            if subprocess.run(sensitivity, env=ENV, stdout=subprocess.DEVNULL).returncode != 1:
                yield "a list that is wrong is not told"


def complaints(right, wrong):
    for case, (verdict, _) in right.items():
        fails = wrong[case][0] in FAILURES
        if verdict == "PASS" and not fails:
            yield f"{case} passes, and is {wrong[case][0]} where every kernel is wrong"
        if verdict == "RUNTIME" and fails:
            yield f"{case} is RUNTIME, and fails where every kernel is wrong: {wrong[case][1]}"


def main():
    right = verdicts()
    found = stored() + list(lists_count_for_their_own_bytes()) + list(complaints(right, verdicts("--backend", CORRUPTING)))
    counts = {v: sum(1 for r in right.values() if r[0] == v) for v in ("PASS", "RUNTIME")}
    for text in found:
        print(text)
    print(f"{counts}, {len(found)} complaints")
    return int(bool(found) or min(counts.values()) < 500)


if __name__ == "__main__":
    sys.exit(main())
