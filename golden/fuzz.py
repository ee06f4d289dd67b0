#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch against the C reference, on random programs.

    golden/fuzz.py --seed 1 --programs 10000 --jobs 2

Program n of a seed is the same on every machine. Each is run under PyTorch with its shadows, which
give truth and bound as for golden data (golden/README.md), and then judged by build/touchstone. What
differs is shrunk and lies in DIR/found/<page>.cases afterwards; copied to golden/found/, it is a case of
its page from then on. Exit status 1 when there is a difference.
"""
import argparse
import functools
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import types
from collections import Counter
from pathlib import Path

from fuzz_explained import explained

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PYTHON = HERE / ".venv" / "bin" / "python"
BATCH = 500          # programs that one run of the judge gets
SECONDS = 20         # that one program may take under PyTorch
GOOD = ("PASS", "RUNTIME", "MISTRUSTED")  # the last two say of the program, not of the reference
SKIPPED = 77


# --- kinds: of refusals, of differences -----------------------------------------------------------


def kind_of(text):
    """A message without what differs from one program to the next."""
    text = text.split("\n")[0].replace("tsi_", "")
    text = re.sub(r"\b(error|view_of|copy_of)\d+", r"\1", text)
    text = re.sub(r"\b[a-z]{1,3}\d+((\.\w+)|(\[\d+\]))*", "x", text)
    text = re.sub(r"'[^']*'", "''", text)
    text = re.sub(r"expected -?0 exactly, got -?0(?=;|$)", "expected a zero exactly, got the other", text)
    text = re.sub(r"\[[-\d, ]*\]|\([-\d, ]*\)", "[]", text)
    text = re.sub(r"-?\b\d[\d.e+-]*|\bnan\b|-?\binf\b", "#", text)
    text = re.sub(r"\b(u?int\d*|float\d*(_e\dm\d(fn)?)?|bfloat16|bool)\b", "dtype", text)
    return re.sub(r"\b(dtype|#|x)( \1\b)+", r"\1", text)[:110]


# --- one process's work ---------------------------------------------------------------------------


class TooSlow(Exception):
    pass


class JudgeFailed(Exception):
    pass


def prepare():
    sys.path[:0] = [str(HERE), str(ROOT / "conformance" / "script")]
    import generate
    generate.prepare()
    import torch
    import case_language as lang
    torch.manual_seed = torch.default_generator.manual_seed  # the CPU's alone: a tenth of the time
    lang.generate = functools.lru_cache(256)(lang.generate)  # each input is made twice

    def late(*_):
        raise TooSlow()
    signal.signal(signal.SIGALRM, late)


def case_of(name, text):
    dt = re.search(r"torch\.(b?float\w+|u?int\d+|bool)\b", text)
    return {"id": f"fuzz/{dt[1] if dt else 'float32'}/{name}", "rules": "", "trivial": None,
            "timeout": None, "memory": None, "variants": False, "level": "L1",
            "provenance": "run-cpu", "needs": set(), "ranks": None, "program": text}


def plain_program(case):
    """The case's Program without the language's own check, which costs as much as the run: the judge
    makes it, and these programs have neither loops nor arithmetic of their own."""
    from program import Program
    p = Program.__new__(Program)
    p.case = types.SimpleNamespace(id=case["id"], program=case["program"], rules="")
    p.code = compile(case["program"], "case", "exec")
    p.devices = p.watch = False
    p.data, p.world = {}, None
    return p


def answered(case):
    """What PyTorch gives for a case; Refused, with the reason, where that can't be judged."""
    import generate
    from program import Refused
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        base, mode = generate.shadowed(plain_program(case), "base")
        if not base.seen and "expect" not in case["program"]:
            raise Refused("the case expects nothing")
        for s in base.seen:
            if s.class_ == "bound":
                s.used = generate.check_inside(s, s.bits, "")
        return {"needs": mode.needs, "variants": {"base": base.seen}}
    except Refused:
        raise
    except TooSlow:
        raise Refused("too slow") from None
    except Exception as e:
        raise Refused(f"{type(e).__name__}: {e}") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def judged(a, stem, cases, results):
    """{id: the judge's line} of cases that PyTorch answered. A program that the judge can't read is
    taken out, with a line of its own."""
    import generate
    judge, folder, unread = a.judge, Path(a.out), {}
    while True:
        cases = [c for c in cases if c["id"] in results and c["id"] not in unread]
        if not cases:
            return unread
        text, data = generate.page_text(stem, cases, results)
        path, lines = folder / f"{stem}.cases", folder / f"{stem}.json"
        path.write_bytes(text)
        (folder / f"{stem}.safetensors").write_bytes(data)
        p = subprocess.run([judge, "run", "--jobs=1", f"--backend={a.backend}", f"--json={lines}", str(path)],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if p.returncode in (0, 1):
            break
        m = re.search(r"\.cases:(\d+):(.*)", p.stdout)
        before = re.findall(r"^# case (\S+)$", "\n".join(text.decode().split("\n")[:int(m[1])]), re.M) \
            if m else []
        if not before or len(unread) > 50:
            raise JudgeFailed(f"{judge}: {p.stdout[-500:]}")
        unread[before[-1]] = {"id": before[-1], "verdict": "UNREAD", "reason": m[2], "expect": []}
    said = ["", *text.decode().split("\n")]
    out = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    return {**{r["id"]: {**r, "said": said[r["line"]]} for r in out if "id" in r}, **unread}


def facts_that_differ(reason):
    """Which of a tensor's facts a reason tells apart, as one word."""
    from fuzz_programs import FACTS
    m = re.fullmatch(r".*facts: expected \[(.*)\], got \[(.*)\]", reason)
    if not m:
        return None
    pairs = zip(FACTS, m[1].lower().split(","), m[2].lower().split(","))
    return "facts: " + " ".join(f.format("x") for f, a, b in pairs if a.strip() != b.strip())


def failed_word(line):
    """The first expectation that did not hold, by the tensor that it is about."""
    failed = [e["name"] for e in line.get("expect", ()) if not e["passed"]]
    return re.sub(r"\.(facts|grad)$", "", failed[0]) if failed else ""


def difference(line, blame):
    """(verdict, kind, op blamed) of a judge's line, or None where it is good."""
    if line["verdict"] in GOOD:
        return None
    reason, word = line.get("reason", ""), failed_word(line)
    label = re.search(r"\[\w+/C\d+\] (\w+):", reason)
    return line["verdict"], facts_that_differ(reason) or kind_of(reason), \
        blame.get(word) or (label[1] if label else "")


def traits(session, line):
    """What is special about the tensors that a difference is about: the one expected there, or those that the line
    of the program reads."""
    from fuzz_programs import DTYPES, FLOAT, FLOAT8, key_of, names_in
    word = failed_word(line)
    names = [n for n in session.tensors if key_of(n) == word]
    if not names or "facts" not in line.get("reason", ""):
        try:
            _, names = names_in(line.get("said", "").strip())
        except SyntaxError:
            names = []
    about = [t for n, t in session.tensors.items() if n in names or n.split("[")[0] in names]
    holds = {"integral": lambda t: DTYPES[t.dtype] not in FLOAT + FLOAT8,
             "float8": lambda t: DTYPES[t.dtype] in FLOAT8,
             "bool": lambda t: DTYPES[t.dtype] == "bool",
             "empty": lambda t: t.numel() == 0}
    return [word for word, has in holds.items() if any(map(has, about))]


class Worker:
    """Makes and judges batches; writes one JSON line on stdout for each."""

    def __init__(self, a):
        self.a, self.folder = a, Path(a.out)
        self.only = tuple(a.ops.split(",")) if a.ops else ()

    def one(self, n):
        """(case, session) of program n."""
        from fuzz_programs import Maker
        from program import Refused
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            session = Maker(self.a.seed, n, self.only).made()
            return case_of(f"s{self.a.seed}n{n}", session.program()), session
        except RuntimeError as e:  # by a view that 2.15.0 does not let anybody look at any more
            raise Refused(f"not made up: {e}") from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def batch(self, first, count):
        from program import Refused
        refused, cases, results, sessions, examples = Counter(), [], {}, {}, {}
        statements = errors = 0
        ops = Counter()
        note = self.folder / f"at_{first}.txt"
        at = os.open(note, os.O_CREAT | os.O_WRONLY)
        for n in range(first, first + count):
            os.pwrite(at, b"%12d" % n, 0)
            try:
                case, session = self.one(n)
                statements += len(session.statements)
                errors += session.errors
                results[case["id"]] = answered(case)
            except (Refused, TooSlow) as e:
                why = kind_of(str(e) or type(e).__name__)
                refused[why] += 1
                examples.setdefault(why, n)
                continue
            ops.update({s.op for s in session.statements if s.op})
            cases.append(case)
            sessions[case["id"]] = session
        os.close(at)
        note.unlink()
        lines = judged(self.a, f"batch{first}", cases, results)
        verdicts = Counter(line["verdict"] for line in lines.values())
        found = []
        for case in cases:
            line = lines.get(case["id"])
            if line is None:
                raise JudgeFailed(f"the judge says nothing of {case['id']}")
            what = difference(line, sessions[case["id"]].blame)
            if what is not None:
                found.append({"id": case["id"], "what": what, "reason": line.get("reason", ""),
                              "line": line.get("said", ""), "traits": traits(sessions[case["id"]], line),
                              "program": case["program"],
                              "statements": [(s.text, s.op) for s in sessions[case["id"]].statements]})
        if not self.a.keep:
            for end in ("cases", "safetensors", "json"):
                (self.folder / f"batch{first}.{end}").unlink(missing_ok=True)
        return {"programs": count, "refused": refused, "verdicts": verdicts, "found": found,
                "examples": examples, "statements": statements, "errors": errors, "ops": ops}


def work(a):
    out, sys.stdout = sys.stdout, sys.stderr
    prepare()
    w = Worker(a)
    for request in sys.stdin:
        first, count = map(int, request.split())
        try:
            answer = w.batch(first, count)
        except JudgeFailed as e:
            answer = {"failed": str(e)}
        print(json.dumps(answer), file=out, flush=True)
    return 0


# --- the whole run --------------------------------------------------------------------------------


class Crew:
    """Worker processes, each given one batch at a time."""

    def __init__(self, a):
        self.a, self.selector, self.busy = a, selectors.DefaultSelector(), {}

    def start(self):
        import generate
        env = {**os.environ, **generate.FIXED}
        p = subprocess.Popen([str(PYTHON), str(HERE / "fuzz.py"), "--worker", *self.a.raw],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.selector.register(p.stdout, selectors.EVENT_READ, p)
        return p

    def give(self, p, job):
        self.busy[p.pid] = job
        print(*job, file=p.stdin, flush=True)

    def run(self, jobs, seen):
        """seen(job, answer) for each job; answer None: that process died at work."""
        jobs = list(reversed(jobs))
        for _ in range(min(self.a.jobs, len(jobs))):
            self.give(self.start(), jobs.pop())
        while self.busy:
            for ready, _ in self.selector.select():
                p = ready.data
                line = p.stdout.readline()
                job = self.busy.pop(p.pid)
                if not line:
                    self.selector.unregister(p.stdout)
                    p.wait()
                    jobs += seen(job, None)
                    p = self.start() if jobs else None
                else:
                    seen(job, json.loads(line))
                if p and jobs:
                    self.give(p, jobs.pop())
                elif p:
                    self.selector.unregister(p.stdout)
                    p.stdin.close()
                    p.wait()


def sources():
    """The commit that was run, and whether the tree held more than it; "" where there is no git."""
    def git(*more):
        return subprocess.run(["git", "-C", str(ROOT), *more], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout.strip()
    commit = git("rev-parse", "--short=12", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "golden/*.py", "ref", "spec", "conformance")
    return commit + (" and changes" if changed else "")


class Kept:
    """What batches gave, in DIR/batches.jsonl, so that a run that was ended can go on. `done`: {(first, count): answer}
    of what an earlier run of the same programs on the same sources left there."""

    def __init__(self, a):
        self.path, self.done = Path(a.out) / "batches.jsonl", {}
        self.run = {"seed": a.seed, "ops": a.ops, "backend": a.backend, "sources": sources()}
        lines = self.path.read_text(encoding="utf-8").splitlines() if a.resume and self.path.exists() else []
        for line in map(json.loads, lines):
            if line["run"] == self.run:
                self.done[tuple(line["job"])] = line["answer"]
        if not a.resume:
            self.path.unlink(missing_ok=True)

    def keep(self, job, answer):
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(json.dumps({"run": self.run, "job": job, "answer": answer}) + "\n")


class Summary:
    def __init__(self, a):
        self.a, self.started = a, time.monotonic()
        self.total = self.statements = self.errors = 0
        self.refused, self.verdicts, self.ops = Counter(), Counter(), Counter()
        self.found, self.examples, self.explained = [], {}, Counter()

    def add(self, answer):
        self.total += answer["programs"]
        self.statements += answer["statements"]
        self.errors += answer["errors"]
        for name in ("refused", "verdicts", "ops"):
            getattr(self, name).update(answer[name])
        for f in answer["found"]:
            why = explained(f)
            if why:
                self.explained[why] += 1
            else:
                self.found.append(f)
        self.examples = {**answer.get("examples", {}), **self.examples}

    def progress(self):
        rate = self.total / (time.monotonic() - self.started)
        text = f"{self.total}/{self.a.programs} programs, {rate:.0f}/s, " \
               f"{sum(self.refused.values())} refused, {len(self.found)} differences"
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        elif self.total % (10 * BATCH) == 0:
            print(text, file=sys.stderr, flush=True)

    def groups(self):
        out = {}
        for f in self.found:
            out.setdefault(tuple(f["what"]), []).append(f)
        return sorted(out.items(), key=lambda g: -len(g[1]))

    def record(self, path):
        """One line more in the record: what was run on which sources, and what differed."""
        explained_n, found = sum(self.explained.values()), len(self.found)
        verdicts = Counter(self.verdicts)
        line = {
            "fuzz": 1, "sources": sources(), "seed": self.a.seed, "first": self.a.first,
            "programs": self.total, "statements": self.statements,
            "statements_refused_by_pytorch": self.errors, "ops": len(self.ops),
            "refused_by_truth": dict(self.refused.most_common()), "judged": sum(verdicts.values()),
            "verdicts": dict(sorted(verdicts.items())), "differences": explained_n + found,
            "explained": dict(self.explained.most_common()),
            "unexplained": [{"n": len(some), "op": op, "verdict": verdict, "kind": kind,
                             "first": some[0]["id"], "reason": some[0]["reason"][:200]}
                            for (verdict, kind, op), some in self.groups()],
            "seconds": round(time.monotonic() - self.started), "jobs": self.a.jobs}
        with open(path, "a", encoding="utf-8") as f:
            f.write(json.dumps(line) + "\n")

    def show(self):
        seconds = time.monotonic() - self.started
        if sys.stderr.isatty():
            print(file=sys.stderr)
        judged = sum(self.verdicts.values())
        print(f"seed {self.a.seed}: {self.total} programs, {self.statements} statements "
              f"({self.errors} of them refused by PyTorch), {len(self.ops)} ops, {seconds:.0f} s")
        for why, n in self.refused.most_common():
            print(f"  refused by truth {n:6}  {why} (program {self.examples.get(why, '?')})")
        print("  judged " + f"{judged:6}  " + ", ".join(f"{v} {n}" for v, n in sorted(self.verdicts.items())))
        for why, n in self.explained.most_common():
            print(f"explained {n:5}  {why}")
        for (verdict, kind, op), some in self.groups():
            print(f"different {len(some):5}  {op or '-'}: {verdict}: {kind}\n"
                  f"                 {some[0]['id']}: {some[0]['reason'][:200]}")
        explained_n = sum(self.explained.values())
        good = explained_n + sum(n for v, n in self.verdicts.items() if v in GOOD)
        print(f"{good} passed, {len(self.found)} failed, {sum(self.refused.values())} refused")


def shrink(a, summary):
    """One program of every kind of difference, made small, to DIR/found/<page>.cases."""
    jobs = Path(a.out) / "to_shrink.json"
    jobs.write_text(json.dumps([some[0] for _, some in summary.groups()]))
    import generate
    p = subprocess.run([str(PYTHON), str(HERE / "fuzz.py"), "--worker", "--shrink", *a.raw],
                       env={**os.environ, **generate.FIXED})
    if p.returncode:
        print(f"fuzz.py: shrinking ended with status {p.returncode}", file=sys.stderr)


def shrink_all(a):
    prepare()
    import calls
    from fuzz_shrink import Shrinker, case_text
    from program import Refused
    folder = Path(a.out)
    (folder / "found").mkdir(exist_ok=True)
    turn = 0

    def ask(programs):
        nonlocal turn
        cases, results, blames = [], {}, {}
        for k, (session, only) in enumerate(programs):
            case = case_of(f"t{turn}c{k}", session.program(only))
            cases.append(case)
            blames[case["id"]] = session.blame
            try:
                results[case["id"]] = answered(case)
            except Refused:
                pass
        turn += 1
        try:
            lines = judged(a, "shrinking", cases, results)
        except JudgeFailed:
            return [None] * len(cases)
        return [difference(lines[c["id"]], blames[c["id"]]) if c["id"] in lines else None
                for c in cases]

    for found in json.loads((folder / "to_shrink.json").read_text()):
        _, program = Shrinker(ask).shrink(found["statements"], found["what"])
        verdict, kind, op = found["what"]
        label = re.search(r"\[(\w+)/C\d+\]", found["reason"])
        page = calls.op_table()[op].page if op in calls.op_table() else \
            label[1] if label else "tensors"
        text = case_text(page, program)
        with open(folder / "found" / f"{page}.cases", "a", encoding="utf-8") as f:
            f.write(text + "\n")
        print(f"--- {found['id']}: {op or '-'}: {verdict}: {kind}\n{text}")
    return 0


def reproduce(a):
    """Program n, as text, with PyTorch's and the judge's answer."""
    prepare()
    from program import Refused
    w = Worker(a)
    case, session = w.one(a.show)
    print(case["program"])
    try:
        results = {case["id"]: answered(case)}
    except Refused as e:
        print(f"refused by truth: {e}")
        return 0
    line = judged(a, "shown", [case], results)[case["id"]]
    print(f"{line['verdict']} {line.get('reason', '')}")
    return 1 if difference(line, session.blame) else 0


def main(argv):
    parser = argparse.ArgumentParser(
        prog="fuzz.py", description="PyTorch against the C reference, on random programs. Exit status "
        "1 when there is a difference, 77 without golden/.venv.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=1000, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first program")
    parser.add_argument("--numbers", metavar="A,B", help="these programs alone, each in a batch of its own")
    parser.add_argument("--resume", action="store_true", help="go on with the run whose batches DIR holds")
    parser.add_argument("--ops", default="", metavar="A,B", help="calls of these ops only")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--out", metavar="DIR", help="where files are made (default: a temporary folder)")
    parser.add_argument("--judge", default=str(ROOT / "build" / "touchstone"), metavar="PROGRAM")
    parser.add_argument("--backend", default="reference", metavar="NAME", help="what is judged")
    parser.add_argument("--keep", action="store_true", help="keep every batch's files in DIR")
    parser.add_argument("--record", metavar="FILE", help="add a line on this run to FILE, reports/record/fuzz.jsonl "
                        "for one that is to be kept")
    parser.add_argument("--show", type=int, metavar="N", help="print program N with its verdict and stop")
    parser.add_argument("--no-shrink", action="store_true", help="leave what is found as it is")
    parser.add_argument("--shrink", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    a = parser.parse_args(argv)
    if a.worker:
        return shrink_all(a) if a.shrink else work(a)
    if not PYTHON.exists():
        print("skipped: golden/.venv has no PyTorch, golden/setup makes it\n"
              "0 passed, 0 failed, 1 skipped")
        return SKIPPED
    if not Path(a.judge).exists():
        sys.exit(f"fuzz.py: {a.judge} is missing: build it, or name another by --judge")
    with tempfile.TemporaryDirectory() as name:
        a.out = a.out or name
        Path(a.out).mkdir(parents=True, exist_ok=True)
        a.raw = [f"--seed={a.seed}", f"--ops={a.ops}", f"--out={a.out}", f"--judge={a.judge}",
                 f"--backend={a.backend}"] + \
            (["--keep"] if a.keep else [])
        return run(a)


def run(a):
    sys.path[:0] = [str(HERE), str(ROOT / "conformance" / "script")]
    import generate
    if a.show is not None:
        if os.environ.get("ATEN_CPU_CAPABILITY") != "default":
            os.execve(PYTHON, [str(PYTHON), str(HERE / "fuzz.py"), *a.raw, f"--show={a.show}"],
                      {**os.environ, **generate.FIXED})
        return reproduce(a)
    summary, kept = Summary(a), Kept(a)

    def seen(job, answer):
        if answer is not None and "failed" in answer:
            sys.exit(f"fuzz.py: {answer['failed']}")
        if answer is not None:
            kept.keep(job, answer)
            summary.add(answer)
            summary.progress()
            return []
        first, count = job
        note = Path(a.out) / f"at_{first}.txt"
        at = int(note.read_text()) if note.exists() else first
        died = {"programs": 1, "refused": {"PyTorch's process died": 1}, "verdicts": {},
                "ops": {}, "found": [], "statements": 0, "errors": 0}
        kept.keep((at, 1), died)
        summary.add(died)
        print(f"fuzz.py: the process died in program {at}", file=sys.stderr)
        return [j for j in ((first, at - first), (at + 1, first + count - at - 1)) if j[1] > 0]

    jobs = [(n, min(BATCH, a.first + a.programs - n))
            for n in range(a.first, a.first + a.programs, BATCH)]
    if a.numbers:
        jobs = [(int(n), 1) for n in a.numbers.split(",")]
        a.programs = len(jobs)
    jobs = [job for job in jobs if job not in kept.done]
    for answer in kept.done.values():
        summary.add(answer)

    def enough(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, enough)
    try:
        Crew(a).run(jobs, seen)
    except KeyboardInterrupt:
        print("fuzz.py: ended early", file=sys.stderr)
    summary.show()
    if a.record:
        summary.record(a.record)
    if summary.found and not a.no_shrink:
        shrink(a, summary)
    (Path(a.out) / "found.json").write_text(json.dumps(summary.found, indent=1))
    return 1 if summary.found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
