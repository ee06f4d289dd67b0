# SPDX-License-Identifier: Apache-2.0
"""How fast the suite runs on one core: executions a second of the small op cases, all checks on.

usage: suite_rate.py [--touchstone PATH] [--filter REGEX] [--repeat N] [--json FILE]

Every repeat is a whole `touchstone run --jobs 1` over the cases that match, judged as always (guard
zones, two runs, variants, meta). The rate is executions / seconds as the run reports them; the first
repeat warms the page cache and is dropped. Exit status 1 when a run fails.
"""
import argparse
import json
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def one_run(touchstone, pattern):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.jsonl"
        command = [touchstone, "run", "--jobs", "1", "--json", out]
        if pattern:
            command += ["--filter", pattern]
        status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
        summary = json.loads(out.read_text(encoding="utf-8").splitlines()[-1])["summary"]
    return status, summary


def write(path, summary, rates):
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    head = {"perf": 1, "suite": "suite rate", "machine": model[1] if model else platform.machine(),
            "build": f"{summary['backend']} {summary['backend_version']}, one core"}
    row = {"name": "executions", "shape": [summary["executions"]], "unit": "1/s",
           "better": "higher", "median": statistics.median(rates), "min": min(rates),
           "max": max(rates), "repeats": len(rates), "checked": True}
    path.write_text(f"{json.dumps(head)}\n{json.dumps(row)}\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--touchstone", default=ROOT / "build/touchstone")
    parser.add_argument("--filter", default="", help="cases to run (default: all)")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write the result (bench/README.md)")
    options = parser.parse_args()
    rates, summary = [], {}
    for i in range(options.repeat + 1):
        status, summary = one_run(options.touchstone, options.filter)
        if status:
            sys.exit(f"the run failed with exit status {status}")
        if i:
            rates.append(summary["executions"] / summary["seconds"])
    print(f"{summary['cases']} cases, {summary['executions']} executions a run, one core")
    print(f"executions/s: median {statistics.median(rates):,.0f}, min {min(rates):,.0f}, "
          f"max {max(rates):,.0f} of {len(rates)} runs")
    if options.json:
        write(options.json, summary, rates)


if __name__ == "__main__":
    main()
