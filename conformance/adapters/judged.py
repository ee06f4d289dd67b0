# SPDX-License-Identifier: Apache-2.0
"""Judge an adapter by the golden cases: no failure, and as many passes as it is known for.

usage: judged.py [--passed N | --all] [--every N] [--needs MODULE] TOUCHSTONE COMMAND...

--all: every case passes or is skipped, none is unsupported. --every N: each Nth case only.
--needs: exit status 77 with the reason where COMMAND, a Python, lacks the module.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--passed", type=int, default=1)
parser.add_argument("--all", action="store_true")
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--needs")
parser.add_argument("touchstone")
parser.add_argument("command", nargs=argparse.REMAINDER)
args = parser.parse_args()

if args.needs:
    there = subprocess.run([args.command[0], "-c", f"import {args.needs}"], capture_output=True,
                           text=True)
    if there.returncode:
        print(f"SKIP: {args.command[0]} has no {args.needs}:",
              (there.stderr.strip().splitlines() or ["?"])[-1])
        sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "results.jsonl")
    shard = ["--shard", f"1/{args.every}"] if args.every > 1 else []
    status = subprocess.run(
        [args.touchstone, "run", "--timeout", "60", "--jobs", "2", "--json", out, *shard,
         "--backend", "pipe:" + shlex.join(args.command)],
        env={**os.environ, "OMP_NUM_THREADS": "1"}).returncode
    if status == 2:
        sys.exit(2)
    with open(out, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
verdicts = lines[-1]["summary"]["verdicts"]
passed = verdicts.get("PASS", 0)
others = set(verdicts) - {"PASS", "RUNTIME", "SKIP"}
if args.all and others:
    print("not all passed:", verdicts)
    status = 1
if passed < args.passed:
    print(f"{passed} cases passed, {args.passed} are known to")
    status = 1
sys.exit(status)
