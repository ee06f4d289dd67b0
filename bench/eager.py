#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one eager call costs on a few floats, beside PyTorch's C++ and Python in the same run.

Three programs answer in turn, pinned to one core and to one thread: build/bench/eager, a C++
program compiled against PyTorch's own headers, and PyTorch from Python. Every round takes each of
them once for each row, the next round in the opposite order. Times are processor time of the
thread; ratios are taken round by round, and above 1 Touchstone is the faster. Where PyTorch is not
installed the table has Touchstone's figures alone. Nothing fails by time.
"""
import argparse
import json
import os
import platform
import re
import statistics
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from eager_torch import ROWS  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
OURS = "touchstone"
COUNTED = 500  # calls whose instructions are counted
# row -> what it is called, and the goal in ns (None: PyTorch's C++ is the goal)
NAMES = {"empty": ("add out=, no kernel", 60), "add_out": ("add out=", 120), "add": ("add", 150),
         "view": ("view", 60), "mul_grad": ("mul, gradient recorded", None),
         "mul_backward": ("mul, backward", None)}


class Program:
    """A program that answers each line "KEY TIMES" with ns a call."""

    def __init__(self, name, command, core):
        threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self.name, self.command = name, command
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env=os.environ | threads, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        self.about = self.line()

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            sys.exit(f"eager.py: {self.name} ended early, exit status {self.process.wait()}")
        return text.strip()

    def time(self, key, times):
        self.process.stdin.write(f"{key} {times}\n")
        return float(self.line())

    def instructions(self, wanted):
        """Key -> instructions a call: valgrind counts what happens in the loops, dump by dump."""
        with tempfile.TemporaryDirectory() as folder:
            dumps = f"{folder}/out"
            subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={dumps}",
                 "--collect-atstart=no", "--toggle-collect=bench_loop", "--dump-after=bench_loop",
                 *self.command],
                input="".join(f"{key} {COUNTED}\n" for key in wanted), text=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            totals = [re.search(r"^totals: (\d+)", Path(f"{dumps}.{2 * i + 2}").read_text(), re.M)
                      for i in range(len(wanted))]  # odd ones: the warm-up's
        return {key: int(total[1]) / COUNTED for key, total in zip(wanted, totals)}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Series:
    """One row of one program, over all rounds."""

    def __init__(self, row, name, key, program, target_ns):
        self.row, self.name, self.key, self.program = row, name, key, program
        self.times = max(10, int(target_ns / program.time(key, 1000)))
        self.ns, self.instructions = [], None

    def measure(self):
        self.ns.append(self.program.time(self.key, self.times))

    def spread(self):
        return (max(self.ns) - min(self.ns)) / statistics.median(self.ns)


def count_instructions(programs, series):
    for p in programs:
        if p.name != "Python":
            mine = [s for s in series if s.program is p]
            counts = p.instructions([s.key for s in mine])
            for s in mine:
                s.instructions = counts[s.key]


def commit():
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout

    name = git("rev-parse", "--short=12", "HEAD").strip() or "unknown"
    return name + ("+" if git("status", "--porcelain", "--untracked-files=no").strip() else "")


def build_options(build):
    rows = json.loads((build / "meson-info/intro-buildoptions.json").read_text(encoding="utf-8"))
    return {r["name"]: r["value"] for r in rows if r["name"] in ("buildtype", "b_lto", "c_args")}


def processor():
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    return model[1] if model else platform.machine()


def find_torch(python):
    """(interpreter, what it says of PyTorch), or (None, why not)."""
    venv = ROOT / "golden/.venv/bin/python"
    python = python or (venv if venv.exists() else sys.executable)
    told = subprocess.run([python, ROOT / "bench/eager_torch.py", "about"], capture_output=True,
                          text=True)
    if told.returncode:
        return None, (f"PyTorch is not installed for {python} (golden/setup installs it, --python "
                      "names another interpreter): Touchstone's figures alone")
    return python, json.loads(told.stdout)


def start(options, python):
    """All programs, by who answers: ours first."""
    size = str(options.size)
    ours = [options.build / "bench/eager", "--serve", "--size", size]
    programs = [Program(OURS, ours, options.core)]
    if python:
        script = ROOT / "bench/eager_torch.py"
        made = subprocess.run([python, script, "program", options.build / "bench/torch"],
                              stdout=subprocess.PIPE, text=True)
        if made.returncode:
            sys.exit("eager.py: PyTorch's C++ program did not compile; --no-torch leaves it out")
        programs.append(Program("C++", [made.stdout.split()[-1], size], options.core))
        programs.append(Program("Python", [python, script, "serve", size], options.core))
    return programs


def every_series(rows, programs, target_ns):
    series = []
    for row in rows:
        series.append(Series(row, OURS, row, programs[0], target_ns))
        if len(programs) > 1:
            for key, name, _, _ in ROWS[row][0]:
                series.append(Series(row, f"PyTorch {name}", key, programs[1], target_ns))
            series.append(Series(row, "PyTorch Python", row, programs[2], target_ns))
    return series


def pairs(peer, ours):
    return [p / o for p, o in zip(peer.ns, ours.ns)]


def environment(options, programs, torch):
    head = {"perf": 1, "suite": "eager, beside PyTorch" if torch else "eager",
            "machine": f"{processor()}, {os.cpu_count()} processors",
            "build": f"reference, {build_options(options.build)['buildtype']}, "
                     f"{programs[0].about}",
            "options": build_options(options.build), "commit": commit(),
            "clock": "processor time of the thread", "kernel": platform.release()}
    if torch:
        head["pytorch"] = torch | {"program": programs[1].about, "python": programs[2].about}
    return head


def table(head, series):
    print(f"{head['machine']}; {head['build']}, commit {head['commit']}"
          + (f"; PyTorch {head['pytorch']['version']}" if "pytorch" in head else ""))
    counted = any(s.instructions for s in series)
    print(f"{'ns a call':24} {'':42} {'median':>9} {'min':>9} {'spread':>7} "
          f"{'instructions' if counted else '':>12}  "
          "Touchstone is x as fast (median, min..max of the pairs)")
    for s in series:
        name, goal = NAMES[s.row]
        ours = next(o for o in series if o.row == s.row and o.name == OURS)
        line = (f"{name if s is ours else '':24} {s.name:42} {statistics.median(s.ns):9.1f} "
                f"{min(s.ns):9.1f} {s.spread():7.0%} "
                f"{f'{s.instructions:.0f}' if s.instructions else '':>12}")
        if s is not ours:
            r = pairs(s, ours)
            line += f"  {statistics.median(r):.2f}  ({min(r):.2f}..{max(r):.2f})"
        elif goal:
            line += f"  goal {goal} ns"
        print(line)


def record(path, size, head, series):
    lines = [head]
    for s in series:
        name, goal = NAMES[s.row]
        row = {"name": name if s.name == OURS else f"{name}: {s.name}", "row": s.row,
               "who": s.name, "shape": [size], "dtype": "float32", "unit": "ns",
               "better": "lower", "median": statistics.median(s.ns), "min": min(s.ns),
               "max": max(s.ns), "repeats": len(s.ns), "calls": s.times, "checked": True}
        if s.instructions:
            row["instructions"] = s.instructions
        others = [o for o in series if o.row == s.row and o is not s]
        if s.name == OURS and goal:
            row["goal"] = goal
        if s.name == OURS and others:
            first = others[0]
            row |= {"peer": first.name, "floor": 1.0,
                    "ratio": statistics.median(first.ns) / statistics.median(s.ns),
                    "ratio_of_minima": min(first.ns) / min(s.ns),
                    "pairs": {o.name: statistics.median(pairs(o, s)) for o in others}}
        lines.append(row)
    text = "\n".join(json.dumps(round_floats(line)) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")


def round_floats(value):
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {k: round_floats(v) for k, v in value.items()}
    return value


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--build", type=Path, default=ROOT / "build",
                   help="build folder; figures that count: -Dbuildtype=release")
    p.add_argument("--rows", default=",".join(NAMES), help=f"of {','.join(NAMES)}")
    p.add_argument("--rounds", type=int, default=21)
    p.add_argument("--ms", type=float, default=4, help="one measurement's length")
    p.add_argument("--size", type=int, default=16, help="elements, a multiple of 4")
    p.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    p.add_argument("--python", help="an interpreter with PyTorch (default: golden/.venv's)")
    p.add_argument("--no-torch", action="store_true", help="Touchstone's figures alone")
    p.add_argument("--instructions", action="store_true",
                   help="count each call's instructions too (valgrind; about two minutes)")
    p.add_argument("--json", type=Path, help="write the record (bench/README.md)")
    options = p.parse_args()
    if options.instructions and not shutil.which("valgrind"):
        p.error("--instructions needs valgrind")
    options.rows = options.rows.split(",")
    for row in options.rows:
        if row not in NAMES:
            p.error(f"no row {row}; they are {', '.join(NAMES)}")
    if not (options.build / "bench/eager").exists():
        p.error(f"{options.build}/bench/eager is not built: ninja -C {options.build} bench/eager "
                "ref/libtouchstone_reference.so")
    return options


def main():
    options = arguments()
    python, torch = (None, None) if options.no_torch else find_torch(options.python)
    if python is None and torch:
        print(f"eager.py: {torch}", file=sys.stderr)
        torch = None
    buildtype = build_options(options.build)["buildtype"]
    if buildtype != "release":
        print(f"eager.py: this is a {buildtype} build, not a release build", file=sys.stderr)
    programs = start(options, python)
    series = every_series(options.rows, programs, options.ms * 1e6)
    for i in range(options.rounds):
        for s in series if i % 2 == 0 else reversed(series):
            s.measure()
    for p in programs:
        p.close()
    if options.instructions:
        count_instructions(programs, series)
    head = environment(options, programs, torch)
    table(head, series)
    if options.json:
        record(options.json, options.size, head, series)


if __name__ == "__main__":
    main()
