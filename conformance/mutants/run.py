#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judge seeded mutants of the C sources by the golden cases: how many do they find out?

A mutant is one line changed by a rule of universalmutator. One that does not compile, or whose
code is the original's (at -O2; for a survivor at any of -O1, -Os, -O3) or another mutant's, or
that changes a message's words alone, is dropped and the next is drawn. The rest is judged by
some of the cases that reach its line (reach.py), where none fails by the whole corpus, and then by the
cases that ask for the accelerator, on it. What survives that too goes through a differential run: the corpus and the
programs of conformance/faults, each call's arguments and results and each program's end compared
with the original's. What every rule's cases found out, the zoo's included, is counted as well.

With --rules, the rules that neither these mutants nor the zoo nor the seeded faults prove are aimed
at: lines that give a rule's label, or that few other cases reach, are changed (conditions that never
or always hold, statements left out, and universalmutator's rules) until one of the rule's own cases
finds a change out (aim.py), or a unit test that names the rule (units.py).

Writes mutants.json and mutants.md into reports/record. A run that was stopped goes on where it
was; a survivor without an argument is judged again once the golden data has changed. Exit status: 0; 1 when a
survivor has no argument in survivors/, an argument has no survivor, or one says "equivalent" of
what the differential run told apart; 2 set-up.
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
try:
    import universalmutator  # noqa: F401
except ImportError:
    PYTHON = HERE / ".venv/bin/python"
    if sys.executable == str(PYTHON) or not PYTHON.exists():
        print("run.py: universalmutator is missing; run conformance/mutants/setup",
              file=sys.stderr)
        sys.exit(2)
    os.execv(PYTHON, [PYTHON, *sys.argv])
import mutate  # noqa: E402
import units  # noqa: E402
from aim import Aim  # noqa: E402
import record  # noqa: E402

sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "spec/gen"), str(ROOT / "conformance/faults")]
import coverage  # noqa: E402
import kills  # noqa: E402
import programs  # noqa: E402
from differ import Differ  # noqa: E402
from reach import Reach, only  # noqa: E402
from pages import read_all  # noqa: E402

GOLDEN = ROOT / "golden/data"
CASE_SECONDS, RUN_SECONDS = 5, 90
FIRST = 300  # of the cases that reach a line, so many judge it before the whole corpus does
# Programs of an op and dtype in a differential run: of a page's own files, of the others.
OF_PAGE, OF_ALL = 12, 1
FEW = 4000  # a differential run over so many reaching cases is of these alone
LOOK = ["--paranoid=0"]  # what is compared is the calls, not what lies beside their buffers
NOT_OK = re.compile(r"^not ok \d+ - (\S+)\n  ---\n  verdict: (\S+)\n  reason: (.*)$", re.M)
KILLS = ("FAIL", "ERROR", "TIMEOUT")


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judge(program, libraries, cases, device="cpu"):
    """[(case, verdict, reason)] of what fails, by some cases or by all."""
    command = [libraries.get("touchstone", program), "run", "-j1", "--tap=-", f"--timeout={CASE_SECONDS}",
               f"--golden={GOLDEN}", f"--device={device}"]
    env = {**os.environ, "LD_LIBRARY_PATH": f"{program.parent / 'ref'}:{program.parent / 'conformance/zoo'}"}
    if cases is not None:
        command.append(f"--filter={only(cases)}")
    reference = "ref/libtouchstone_reference.so"
    command += ["--backend", libraries.get(reference, program.parent / reference)]
    if "ref/libtouchstone.so" in libraries:
        env["LD_PRELOAD"] = str(libraries["ref/libtouchstone.so"])
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env,
                              preexec_fn=limits, timeout=RUN_SECONDS)
        said, status, last = done.stdout, done.returncode, done.stderr
    except subprocess.TimeoutExpired as e:  # what it had said until then still counts
        said, status, last = (e.stdout or b"").decode(errors="replace"), None, ""
    found = [(c, v, json.loads(r)) for c, v, r in NOT_OK.findall(said) if v in KILLS]
    if not found and status is None:
        return [("", "TIMEOUT", f"the run did not end within {RUN_SECONDS} s")]
    if not found and status not in (0, 1):
        return [("", "ERROR", last.strip()[-300:])]
    return found


class Session:
    def __init__(self, args):
        self.args = args
        self.build = args.build.resolve()
        self.program = self.build / "touchstone"
        self.work = self.build / "mutants"
        self.work.mkdir(parents=True, exist_ok=True)
        if args.fresh:
            (self.work / "state.jsonl").unlink(missing_ok=True)
        self.make = mutate.Build(ROOT, self.build, self.work)
        self.corpus = mutate.hashlib.sha256(
            b"".join(p.read_bytes() for p in sorted(GOLDEN.glob("*.cases")))).hexdigest()
        self.arguments = read_arguments()
        self.pages = {p.stem for p in GOLDEN.glob("*.cases")}
        self.lock = threading.Lock()
        self.state = {}
        if (self.work / "state.jsonl").exists():
            for line in (self.work / "state.jsonl").read_text().splitlines():
                entry = json.loads(line)
                self.state[entry["key"]] = entry
        self.differ = Differ(self.build, self.work / "programs", GOLDEN, 1)
        self.traces, self.tracing = {}, threading.Lock()
        self.reach = Reach(self.make, self.work, GOLDEN, args.jobs)
        self.innocent = {c for c, _, _ in judge(self.program, {}, None)}
        self.judged = self.killed = self.anew = 0
        self.total, self.start = 0, time.monotonic()

    def known(self, key, mutant=None):
        entry = self.state.get(key)
        if entry and entry["outcome"] == "survived" and entry["corpus"] != self.corpus:
            argued = mutant and not self.args.again and record.argument_for(mutant, self.arguments)
            return entry if argued and not entry.get("told") else None
        return entry

    def pages_of(self, file):
        users = [file] if file.endswith(".c") else [
            o.split("/")[-1].removesuffix(".c.o") for o in self.make.users.get(file, [])]
        stems = {re.sub(r"^[a-z]+_", "", Path(u).stem) if u != file else Path(u).stem
                 for u in users}
        return sorted(stems & self.pages)

    def outcome(self, mutant, codes):
        entry = self.known(mutant.key, mutant)
        if not entry:
            work = self.work / f"work-{mutant.key}"
            entry = {"key": mutant.key}
            if mutant.words:
                return {**entry, "outcome": "words"}
            try:
                made = self.make.make(mutant, work)
                if made is None:
                    entry["outcome"] = "invalid"
                elif not made[1]:
                    entry["outcome"] = "same"
                else:
                    entry["code"] = made[0]
                    if made[0] not in codes:
                        self.judge(mutant, made[1], entry)
                        if entry["outcome"] == "survived":
                            if self.make.same_elsewhere(mutant, work):
                                entry["outcome"] = "same"
                            else:
                                entry["told"] = self.tell_apart(mutant, made[1])
            finally:
                shutil.rmtree(work, ignore_errors=True)
            if "outcome" in entry:
                self.keep(entry)
        if entry.get("code") in codes:
            return {**entry, "outcome": "duplicate"}
        return entry

    def judge(self, mutant, libraries, entry):
        reached = self.reach.names(self.reach.cases(mutant.file, mutant.line))
        # What does not reach the line comes to the same.
        stages = [reached[::max(1, len(reached) // FIRST)],
                  reached if len(reached) <= FEW else None] if reached else [None]
        found = []
        for cases in stages:
            found = [x for x in judge(self.program, libraries, cases)
                     if x[0] not in self.innocent]
            if found:
                break
        if not found:  # what a case has to be on the accelerator for
            found = [x for x in judge(self.program, libraries, self.reach.skipped, "accel")
                     if x[0] not in self.innocent]
        entry.update(outcome="survived", corpus=self.corpus)
        if found:
            entry.update(outcome="killed", by=found[0][0], verdict=found[0][1],
                         reason=found[0][2][:300], cases=[c for c, _, _ in found])

    def traced(self, name, *args):
        """What the original's run comes to, asked for once."""
        with self.tracing:
            if name not in self.traces:
                self.traces[name] = self.differ.trace(f"{name}.plain", *args)
            return self.traces[name]

    def differs(self, mutant, name, changed, *args):
        """Whether a run comes to something else than the original's, twice; a case may run out of time."""
        def once():
            return self.differ.trace(mutant.key, *LOOK, *args, **changed) != \
                self.traced(name, *LOOK, *args)
        if not once():
            return False
        self.traces.pop(name, None)
        return once()

    def tell_apart(self, mutant, libraries):
        """Which run of programs tells a survivor from the original: "corpus", "programs" or ""."""
        changed = {"reference": libraries.get("ref/libtouchstone_reference.so"),
                   "runtime": libraries.get("ref/libtouchstone.so")}
        pages = self.pages_of(mutant.file)
        name = "+".join(pages) or "all"
        path = self.differ.work / f"{name}.cases"
        with self.tracing:
            if name not in self.traces:
                path.write_text("".join(programs.corpus(p, self.args.seed, OF_PAGE if pages else
                                                        OF_ALL, large=2 if pages else 0)
                                        for p in pages or sorted(self.pages)))
        if self.differs(mutant, name, changed, path):
            return "programs"
        reached = self.reach.cases(mutant.file, mutant.line)
        few = 0 < reached.bit_count() <= FEW
        some = [f"--filter={only(self.reach.names(reached))}"] if few else []
        name = f"corpus-{hash(reached) & 0xffffffff:x}" if few else "corpus"
        return "corpus" if self.differs(mutant, name, changed, *some) else ""

    def keep(self, entry):
        with self.lock:
            self.anew += 1
            self.state[entry["key"]] = entry
            with open(self.work / "state.jsonl", "a") as f:
                f.write(json.dumps(entry) + "\n")

    def aimed(self, label):
        """How Aim has a mutant judged by cases of a rule."""
        def judged(mutant, cases, device):
            key = f"{label}:{device}:{mutant.key}"
            entry = self.known(key) or (self.args.recorded and {"key": key, "outcome": "invalid"})
            if entry:
                return entry
            entry, work = {"key": key}, self.work / f"work-{mutant.key}-{device}"
            try:
                made = self.make.make(mutant, work)
                entry["outcome"] = "invalid" if made is None else "survived" if made[1] else "same"
                if entry["outcome"] == "survived":
                    entry["corpus"] = self.corpus
                    found = [x for x in judge(self.program, made[1], cases, device)
                             if x[0] not in self.innocent]
                    if found:
                        entry.update(outcome="killed", by=found[0][0], verdict=found[0][1],
                                     reason=found[0][2][:300], cases=[c for c, _, _ in found])
                    entry["judged"] = len(cases)
            finally:
                shutil.rmtree(work, ignore_errors=True)
            self.keep(entry)
            return entry
        return judged

    def at_rules(self, labels, rules):
        """Mutants aimed at rules that nothing has found out yet."""
        skipped = self.reach.skipped
        on_device = Reach(self.make, self.work, GOLDEN, self.args.jobs, "accel", skipped)
        todo = Aim(ROOT, [self.reach, on_device], rules, self.args.seed, self.aimed)
        start, done = time.monotonic(), Counter()

        def progress(wanted):
            with self.lock:
                done["rules"] += 1
                if done["rules"] % 10 == 0 or done["rules"] == len(labels):
                    killed = sum(bool(t.kills) for t in wanted.values())
                    print(f"{done['rules']} of {len(labels)} rules tried, {killed} have a kill, "
                          f"{time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        wanted = todo.run(labels, self.args.jobs, progress)
        found = coverage.read_tests(ROOT)
        tests = units.Aim(self, {r: found[r] for r, t in wanted.items() if found.get(r) and not t.kills})
        tests.run(wanted, self.args.jobs)
        return wanted, {**todo.found, **tests.found}

    def progress(self, entry):
        with self.lock:
            self.judged += 1
            self.killed += entry["outcome"] == "killed"
            spent = time.monotonic() - self.start
            left = spent / self.judged * (self.total - self.judged)
            line = (f"{self.judged} of {self.total} mutants, {self.killed} killed, "
                    f"{self.judged - self.killed} survived, {spent:.0f} s, {left:.0f} s left")
            if sys.stderr.isatty():
                print(f"\r\033[K{line}", end="\n" if self.judged == self.total else "",
                      file=sys.stderr, flush=True)
            elif self.judged % 25 == 0 or self.judged == self.total:
                print(line, file=sys.stderr, flush=True)

    def of_file(self, file, share):
        """Draw and judge until `share` mutants are judged, or none is left."""
        counts, out, codes = Counter(), [], set()
        work = self.work / f"work-{file.replace('/', '_')}"
        if not self.args.recorded:
            self.make.check(file, work)
            shutil.rmtree(work)
        for mutant in mutate.drawn(ROOT, file, self.args.seed):
            if len(out) == share:
                break
            if self.args.recorded and not (mutant.words or self.known(mutant.key, mutant)):
                continue
            entry = self.outcome(mutant, codes)
            counts[entry["outcome"]] += 1
            if entry["outcome"] in ("killed", "survived"):
                codes.add(entry["code"])
                out.append((mutant, entry))
                self.progress(entry)
        with self.lock:
            self.total -= share - len(out)
        return file, counts, out

    def room(self, name, count):
        files = sorted(f for f in self.make.users if f.startswith(f"ref/{name}/"))
        lines = {f: mutate.code_lines((ROOT / f).read_text()) for f in files}
        share = mutate.shares(lines, count)
        self.total += sum(share.values())
        with ThreadPoolExecutor(self.args.jobs) as pool:
            # Large shares first, so that none is left to one job at the end.
            first = sorted(files, key=lambda f: -share[f])
            done = dict(zip(first, pool.map(lambda f: self.of_file(f, share[f]), first)))
            return lines, [done[f] for f in files]


def zoo(program):
    done = subprocess.run([program, "zoo", "--json", f"--golden={GOLDEN}"], capture_output=True,
                          text=True, preexec_fn=limits)
    return [json.loads(line) for line in done.stdout.splitlines()]


def read_arguments():
    """Why a mutant may survive, of a file's mutants in survivors/<the file>.toml. kind: equivalent
    (no program can tell), unseen (a program could, no case can: what would have to be built stands
    in the argument). What holds of a kind of change wherever it stands is in kinds.toml. may_die = true: some machines kill it by luck, so that a kill is no news."""
    folder = HERE / "survivors"
    out = []
    for path in sorted(folder.glob("**/*.toml")):
        file = path.relative_to(folder).with_suffix("").as_posix()
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        out += [{"file": file, "kind": "equivalent", **a}
                for a in table["kind" if file == "kinds" else "survivor"]]
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                epilog=__doc__.split("\n\n", 1)[1],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("rooms", nargs="*", default=[], metavar="ROOM[:COUNT]",
                   help="folders of ref/, each with its own count (default: ops)")
    p.add_argument("--seed", type=int, default=1, help="what is drawn (default: 1)")
    p.add_argument("--count", type=int, default=300, help="mutants a room (default: 300)")
    p.add_argument("-j", "--jobs", type=int, default=1, help="files at a time (default: 1)")
    p.add_argument("--build", type=Path, default=ROOT / "build", help="a finished build")
    p.add_argument("--output", type=Path, default=ROOT / "reports/record",
                   help="where the record goes (default: reports/record)")
    p.add_argument("--rules", action="store_true", help="then aim at the rules that no kill proves; "
                   "without a ROOM what is recorded of rooms is kept")
    p.add_argument("--again", action="store_true", help="judge survivors that are argued too where "
                   "the golden data has changed")
    p.add_argument("--recorded", action="store_true", help="judge nothing anew: what earlier runs found, "
                   "each file as far as they came")
    p.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    args = p.parse_args()
    args.rooms = args.rooms or ([] if args.rules else ["ops"])
    for file in ("touchstone", "conformance/faults/libfaults.so"):
        if not (args.build / file).exists():
            p.error(f"{args.build} holds no {file}; build first, or say --build")
    stale = subprocess.run(["ninja", "-C", args.build, "-n", "touchstone", "ref/libtouchstone.so",
                            "conformance/faults/libfaults.so"], capture_output=True, text=True)
    if "no work to do" not in stale.stdout:  # mutants would be linked of other objects
        p.error(f"{args.build} is older than the sources; build first")
    session = Session(args)
    asked = [r.partition(":") for r in args.rooms]
    rooms = {name: session.room(name, int(count or args.count)) for name, _, count in asked}
    rules = {c["id"]: c["rules"] for c in map(json.loads, subprocess.run(
        [session.program, "list", "--json", f"--golden={GOLDEN}"], check=True,
        capture_output=True, text=True).stdout.splitlines())}
    labels = [f"{page.name}/{r}" for page in read_all(ROOT / "spec").values() for r in page.rules]
    kept = args.output / "mutants.json"
    if args.rooms or not kept.exists():
        found = record.make(args, rooms, rules, labels, zoo(session.program), read_arguments())
    else:  # the mutants drawn stay as they are recorded
        found = record.again(json.loads(kept.read_text()), labels, zoo(session.program), rules)
    if args.rules:
        by_faults = kills.read(ROOT, "faults").get("killing", {})
        left = [r for r in found["labels"]["never"] if r not in by_faults]
        record.aimed(found, *session.at_rules(left, rules))
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "mutants.json").write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    (args.output / "mutants.md").write_text(record.page(found))
    for room in found["rooms"]:
        print("{room}: {judged} mutants judged, {killed} killed ({rate:.1f} %), {survived} "
              "survived, {same_to_all} of them the same to every program tried, {argued} argued"
              .format(**room))
    for a in found["dead_arguments"]:
        print(f"survivors: no such survivor: {a}")
    for m in found["refuted"]:
        print(f"survivors: not equivalent, the differential run tells it apart: {m}")
    return int(bool(found["dead_arguments"]) or bool(found["refuted"])
               or any(r["survived"] > r["argued"] for r in found["rooms"]))


if __name__ == "__main__":
    sys.exit(main())
