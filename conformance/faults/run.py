#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put seeded faults into the reference's kernels, one at a time, and count those found out.

Faults of every kind are drawn for every op with a kernel (catalog.py). One that comes to nothing
else than the reference, neither in the corpus nor in some 15,000 programs of small and large
sizes, ordinary and special data, all dtypes, forms and layouts (differ.py), is no fault and is
dropped. The rest is judged by the cases of the op's page, and where none fails by the whole
corpus. A survivor has an argument in survivors/, or is one too many.

Writes faults.json and faults.md into reports/record. A run that was stopped goes on where it was;
everything is judged again once cases, judge or reference have changed. Exit status: 0; 1 when a
survivor has no argument, an argument no survivor, or one says "equivalent" of what the
differential run told apart; 2 set-up.
"""
import argparse
import hashlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import threading
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import catalog  # noqa: E402
import record  # noqa: E402

GOLDEN = ROOT / "golden/data"
CASE_SECONDS, RUN_SECONDS, SHARE = 5, 300, 30
NOT_OK = re.compile(r"^not ok \d+ - (\S+)\n  ---\n  verdict: (\S+)\n  reason: (.*)$", re.M)
KILLS = ("FAIL", "ERROR", "TIMEOUT")


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def digest(*paths):
    return hashlib.sha256(b"".join(p.read_bytes() for p in paths)).hexdigest()


class Judge:
    def __init__(self, build):
        self.build = build
        self.program = build / "touchstone"
        self.library = build / "conformance/faults/libfaults.so"
        self.reference = build / "ref/libtouchstone_reference.so"
        self.innocent = set()

    def failures(self, fault, page):
        """[(case, verdict, reason)] with a fault on (None: the reference), by a page's cases or all."""
        env = dict(os.environ, TOUCHSTONE_REFERENCE=str(self.reference),
                   TOUCHSTONE_FAULT=fault or "")
        command = [self.program, "run", "-j1", "--tap=-", f"--timeout={CASE_SECONDS}",
                   f"--golden={GOLDEN}"]
        command += [f"--backend={self.library}"] if fault else []
        command += [f"--filter=^{page}/"] if page else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  env=env, preexec_fn=limits, timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            return [("", "TIMEOUT", f"the run did not end within {RUN_SECONDS} s")]
        found = [(c, v, r) for c, v, r in NOT_OK.findall(done.stdout)
                 if v in KILLS and c not in self.innocent]
        if not found and done.returncode not in (0, 1):
            raise SystemExit(f"run.py: {fault}: {done.stderr.strip()[-300:]}")
        return found

    def kills(self, fault, told):
        """What finds it out, of the page's cases or else of all; and whether the page's did. What
        made no difference in any call of the corpus is not asked for."""
        if told == "programs" and not fault.name.startswith("state"):
            return [], False
        found = self.failures(fault.text, self.page[fault.op])
        return (found, True) if found else (self.failures(fault.text, None), False)


class Session:
    def __init__(self, args):
        self.args = args
        self.judge = Judge(args.build.resolve())
        self.work = self.judge.build / "faults"
        self.work.mkdir(parents=True, exist_ok=True)
        ops = list(catalog.kernels())
        self.judge.page = {op.name: op.page for op in ops}
        self.drawn = [f for op in ops for f in catalog.drawn(op, args.seed, args.each)]
        self.world = digest(self.judge.program, self.judge.reference, self.judge.library,
                            self.judge.build / "ref/libtouchstone.so", HERE / "programs.py",
                            *sorted(GOLDEN.glob("*.cases")), *sorted(GOLDEN.glob("*.safetensors")))
        self.lock = threading.Lock()
        self.done, self.start, self.killed = 0, time.monotonic(), 0

    def state(self, name):
        path = self.work / f"{name}.jsonl"
        if self.args.fresh or not path.exists():
            return {}
        lines = map(json.loads, path.read_text().splitlines())
        return {e["fault"]: e for e in lines if e["world"] == self.world}

    def keep(self, name, entry):
        with self.lock, open(self.work / f"{name}.jsonl", "a") as f:
            f.write(json.dumps({**entry, "world": self.world}) + "\n")

    def tell_apart(self):
        """{fault's text: "corpus", "programs" or "" where nothing told it from the reference}"""
        import differ
        import programs
        known = {k: e["told"] for k, e in self.state("told").items()}
        todo = [f for f in self.drawn if f.text not in known]
        if not todo:
            return known
        run = differ.Differ(self.judge.build, self.work / "programs", GOLDEN, self.args.jobs)
        print(f"differential run of {len(todo)} faults", file=sys.stderr, flush=True)
        found = {t: "corpus" for t in run.in_corpus(todo)}
        pages = {}
        for f in todo:
            if f.text not in found:
                pages.setdefault(self.judge.page[f.op], []).append(f)
        texts = {p: (programs.corpus(p, self.args.seed, SHARE), some) for p, some in pages.items()}
        found |= {t: "programs" for t in run.pages(texts)}
        for f in todo:
            known[f.text] = found.get(f.text, "")
            self.keep("told", {"fault": f.text, "told": known[f.text]})
        return known

    def one(self, fault, known, told):
        entry = known.get(fault.text)
        if not entry:
            found, own = self.judge.kills(fault, told)
            entry = {"fault": fault.text, "outcome": "killed" if found else "survived"}
            if found:
                entry |= {"by": found[0][0], "verdict": found[0][1], "own": own,
                          "reason": json.loads(found[0][2])[:200] if found[0][2].startswith('"')
                          else found[0][2][:200], "cases": [c for c, _, _ in found]}
            self.keep("judged", entry)
        with self.lock:
            self.done += 1
            self.killed += entry["outcome"] == "killed"
            if self.done % 25 == 0 or self.done == self.total:
                spent = time.monotonic() - self.start
                print(f"{self.done} of {self.total} faults, {self.killed} found out, {spent:.0f} s, "
                      f"{spent / self.done * (self.total - self.done):.0f} s left",
                      file=sys.stderr, flush=True)
        return fault, entry

    def run(self):
        self.judge.innocent = {c for c, _, _ in self.judge.failures(None, None)}
        told = self.tell_apart()
        real = [f for f in self.drawn if told[f.text]]
        known, self.total = self.state("judged"), len(real)
        with ThreadPoolExecutor(self.args.jobs) as pool:
            return told, list(pool.map(lambda f: self.one(f, known, told[f.text]), real))


def read_arguments():
    """Why faults may survive, by the page: [[survivor]] with `faults`, patterns of their texts.
    kind: allowed (the contract leaves it open), unseen (a case could see it, none does), or
    equivalent (nothing can; a differential run that tells it apart refutes that)."""
    return [{"page": path.stem, **a} for path in sorted((HERE / "survivors").glob("*.toml"))
            for a in tomllib.loads(path.read_text(encoding="utf-8"))["survivor"]]


def argue(results, told, arguments):
    """Give each survivor its argument; complaints come back."""
    complaints, used = [], set()
    for fault, entry in results:
        if entry["outcome"] != "survived":
            continue
        for i, a in enumerate(arguments):
            if any(fnmatchcase(fault.text, p) for p in a["faults"]):
                entry |= {"argument": a["argument"], "argued": a["kind"]}
                used.add(i)
                if a["kind"] == "equivalent" and told[fault.text]:
                    complaints.append(f"{fault.text}: argued to be equivalent, told apart by the "
                                      f"{told[fault.text]}")
                break
        else:
            complaints.append(f"{fault.text}: survived, without an argument")
    return complaints + [f"survivors/{a['page']}.toml: no such survivor: {a['faults'][0]}"
                         for i, a in enumerate(arguments) if i not in used]


def sample(args):
    """A few of those that the record says were found out, by their page's cases again."""
    known = json.loads((args.output / "faults.json").read_text())
    some = [f for f in known["faults"] if f["outcome"] == "killed" and f["own"]]
    judge = Judge(args.build.resolve())
    pages = {op.name: op.page for op in catalog.kernels()}
    lost, failing = 0, {}
    for f in random.Random(args.seed).sample(some, min(args.sample, len(some))):
        page = pages[f["fault"].split(":")[0]]
        if page not in failing:
            failing[page] = {c for c, _, _ in judge.failures(None, page)}
        found = [x for x in judge.failures(f["fault"], page) if x[0] not in failing[page]]
        print(f"{f['fault']:60} {found[0][1] + ' of ' + found[0][0] if found else 'SURVIVED'}")
        lost += not found
    print(f"{min(args.sample, len(some))} faults, {lost} not found out")
    return int(lost > 0 or not some)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                epilog=__doc__.split("\n\n", 1)[1],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, default=1, help="what is drawn (default: 1)")
    p.add_argument("--each", type=int, default=2, metavar="N",
                   help="faults of an op and kind, thrice that of narrow kinds (default: 2)")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1,
                   help="runs at a time (default: one a processor)")
    p.add_argument("--build", type=Path, default=ROOT / "build", help="a finished build")
    p.add_argument("--output", type=Path, default=ROOT / "reports/record",
                   help="where the record goes (default: reports/record)")
    p.add_argument("--sample", type=int, metavar="N",
                   help="judge N faults that the record says were found out, and write nothing")
    p.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    args = p.parse_args()
    if not (args.build / "conformance/faults/libfaults.so").exists():
        p.error(f"{args.build} holds no conformance/faults/libfaults.so; build first, or say --build")
    if args.sample:
        return sample(args)
    session = Session(args)
    told, results = session.run()
    complaints = argue(results, told, read_arguments())
    rules = {c["id"]: c["rules"] for c in map(json.loads, subprocess.run(
        [session.judge.program, "list", "--json", f"--golden={GOLDEN}"], check=True,
        capture_output=True, text=True).stdout.splitlines())}
    found = record.make(args, session.drawn, told, results, rules)
    args.output.mkdir(parents=True, exist_ok=True)
    found["before"] = record.before(args.output / "faults.json")
    (args.output / "faults.json").write_text(record.as_json(found))
    (args.output / "faults.md").write_text(record.page(found))
    print("\n".join(complaints[:40]))
    print(f"{found['judged']} faults, {found['killed']} found out ({found['rate']} %; "
          f"{found['rate_of_wrong']} % of those that the contract does not allow), "
          f"{len(complaints)} complaints")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
