# SPDX-License-Identifier: Apache-2.0
"""Mutants aimed at rules by unit tests: what no program can show (files of cases, the pipe, a
trace) a test shows that names the rule. The lines that give the rule's label or cite it are changed first,
then lines of the files that give any label of its page, or bear the page's name."""
import ast
import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import aim
import mutate

ROOT = Path(__file__).resolve().parents[2]
TRIES, SECONDS = 40, 60
LABEL = re.compile(r"\b([a-z0-9_]+/[A-Z]\d+)\b")
FAILED = re.compile(r"^not ok - \w+::(\w+)\s.*\n((?:[ #].*\n)*)", re.M)
TEST = re.compile(r"^Test\(\w+, (\w+)[^)]*\)", re.M)


def of_c(text):
    """{test: labels}: those in its body and in the comment above it."""
    out, starts = {}, [(m.start(), m.end(), m[1]) for m in TEST.finditer(text)]
    for start, end, name in starts:
        close = text.find("\n}\n", end)
        above = text[:start].rstrip()
        comment = above[above.rfind("/*"):] if above.endswith("*/") else ""
        out[name] = set(LABEL.findall(comment + text[start:close]))
        page = next(iter(LABEL.findall(text)), "").split("/")[0]  # c1_to_c4_…, s1_s2_…
        n = [int(x) for x in re.findall(r"(?:^|_)[cs](\d+)", name)]
        kind = name[0].upper()
        if re.match(r"[cs]\d", name) and n:
            span = range(n[0], n[-1] + 1) if "_to_" in name else n
            out[name] |= {f"{page}/{kind}{k}" for k in span}
    return out


def of_python(text):
    lines, out = text.split("\n"), {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            body = "\n".join(lines[node.lineno - 1:node.end_lineno])
            out[node.name] = set(LABEL.findall(body))
    return out


class Suite:
    """A test program: what it is linked of, how it is run, which rules its tests name."""

    def __init__(self, root, build, work, file, known):
        self.root, self.file = root, file
        text = (root / file).read_text()
        self.rules = of_python(text) if file.endswith(".py") else of_c(text)
        name = file.rsplit("/", 1)[-1]
        if file.endswith(".py"):
            test = next(t for t in known if t["cmd"][1:2] and t["cmd"][1].endswith(f"/{name}"))
            self.program = "touchstone"
        else:
            test = next(t for t in known if t["cmd"][0].endswith(f"/test_{name[:-2]}"))
            self.program = os.path.relpath(test["cmd"][0], build)
        self.command, self.env = test["cmd"], test["env"]
        self.build = mutate.Build(root, build, work, (self.program,))

    def labels(self):
        return set().union(*self.rules.values())

    def run(self, program):
        """{label: tests that failed} with this program in the place of the own one, or None: none ran."""
        command = [str(program) if w.removeprefix("./") == self.program
                   or w == str(self.build.build / self.program) else w for w in self.command]
        try:
            done = subprocess.run(command, cwd=self.build.build, env={
                **os.environ, **self.env, "TOUCHSTONE_BACKEND_PATH": str(self.build.build / "ref")},
                                  capture_output=True, text=True, errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None
        if self.file.endswith(".py"):
            failed = {name: "" for name in re.findall(
                r"^(?:FAIL|ERROR): (test\w+) ", done.stderr, re.M)}
        else:
            failed = {name: said for name, said in FAILED.findall(done.stdout)}
        out = {}
        for name, said in failed.items():
            named = set(LABEL.findall(said)) & self.rules.get(name, set())
            for label in named or self.rules.get(name, ()):
                out.setdefault(label, []).append(name)
        return out

    def files(self, label):
        """([(file, first line, last line)] that give the label, files where the rule may be broken,
        those first that are named as the test is)."""
        page, first, near, far = label.split("/")[0], [], [], []
        stem = self.file.rsplit("/", 1)[-1].split(".")[0]
        linked = {w for words in self.build.link.values() for w in words}
        for file in sorted(f for f, users in self.build.users.items() if linked & set(users)):
            path = self.root / file
            if not re.match(r"(ref|conformance)/(?!tests/)\w+/\w+\.c$", file) or not path.exists():
                continue
            for n, line in enumerate(path.read_text().split("\n"), 1):
                if re.search(rf"\b{label}\b", line):  # given there, or cited by a comment
                    first.append((file, max(1, n - 4), n + 1 + 4 * (f'"{label}"' not in line)))
            _, room, name = file.split("/")
            if room == stem or name.split(".")[0].split("_")[0] in stem.split("_"):
                near.append(file)
            elif f'/{page}.h"' in path.read_text():
                far.append(file)
        return first, near + far


class Aim:
    def __init__(self, session, tests):
        known = json.loads(subprocess.run(
            ["meson", "introspect", "--tests", session.build], check=True, capture_output=True,
            text=True).stdout)
        self.session, self.tests, self.found = session, tests, {}
        self.suites = {}
        for file in sorted({f for some in tests.values() for f in some}):
            self.suites[file] = Suite(ROOT, session.build, session.work, file, known)
        self.failing = {f: set() if session.args.recorded else set(s.run(s.build.build / s.program) or ())
                        for f, s in self.suites.items()}

    def judged(self, suite, label, mutant):
        key = f"{label}:{suite.file}:{mutant.key}"
        entry = self.session.known(key) or (self.session.args.recorded and {"outcome": "invalid"})
        if entry:
            return entry
        entry = {"key": key, "corpus": self.session.corpus}
        work = self.session.work / f"work-unit-{mutant.key}"
        try:
            made = suite.build.make(mutant, work)
            entry["outcome"] = "invalid" if made is None else "survived" if made[1] else "same"
            if entry["outcome"] == "survived":
                failed = suite.run(made[1][suite.program])
                if failed:
                    by = {r: t for r, t in failed.items() if r not in self.failing[suite.file]}
                    entry.update(outcome="killed" if by else "survived", tests=by)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        self.session.keep(entry)
        return entry

    def mutants(self, suite, label):
        first, rest = suite.files(label)
        universal = {}
        for file, start, end in first:
            universal[file] = list(mutate.drawn(suite.root, file, self.session.args.seed))
            yield from aim.of_block(suite.root, file, start, end, universal[file])
        order = [iter(mutate.drawn(suite.root, f, self.session.args.seed)) for f in rest]
        while order:  # of each file by turns
            for some in list(order):
                m = next(some, None)
                if m is None:
                    order.remove(some)
                elif not m.words:
                    yield m

    def aim(self, target, wanted):
        for file in self.tests[target.label]:
            suite = self.suites[file]
            if target.label not in suite.labels() or target.label in self.failing[file]:
                continue
            for mutant in self.mutants(suite, target.label):
                if target.kills or target.tries >= TRIES:
                    return
                entry = self.judged(suite, target.label, mutant)
                if entry["outcome"] in ("invalid", "same"):
                    continue
                target.tries += 1
                credit = {r: len(t) for r, t in entry.get("tests", {}).items() if r in wanted}
                if credit:
                    test = next(iter(entry["tests"].values()))[0]
                    self.found[mutant.key] = (mutant, {
                        "by": f"{file}: {test}", "verdict": "FAIL", "judged": len(suite.rules),
                        "cases": sorted({t for some in entry["tests"].values() for t in some})}, credit)
                for r in credit:
                    if mutant.key not in wanted[r].kills:
                        wanted[r].kills.append(mutant.key)

    def run(self, wanted, jobs):
        def one(label):
            if not wanted[label].kills:
                self.aim(wanted[label], wanted)
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, [r for r in wanted if self.tests.get(r)]))
