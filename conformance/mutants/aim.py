# SPDX-License-Identifier: Apache-2.0
"""Mutants aimed at rules: for a rule whose cases have found nothing out yet, lines are changed that
few other cases reach, until one of its own cases finds a change out.

First come the lines that give the rule's label or have a comment that cites it, then those that its
cases have most to themselves.
A line is the rule's where at least one in SHARE of the cases that reach it serves the rule, or all
the rule's cases reach it and not more than SOME in all; what is changed elsewhere and found out says
too little of it. The rules of the judge itself (PAGES) have their lines in the judge.
"""
import bisect
import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import mutate

SHARE, SOME = 50, 500
JUDGE, PAGES = "conformance/", ("case_language", "pipe", "results", "tensor")
TRIES = 40  # mutants a rule
LINES = 20  # of its lines
ALIKE = 16  # of universalmutator's mutants of one block
USERS = 30  # objects that are compiled anew for a change of a header
MOST = 400  # cases that judge one
HEAD = re.compile(r"\b(TS_CHECK|if|while)\s*\(")
CALL = re.compile(r"^(\s*)(?:TS_TRY\(.*\)|(?:\*?[\w.>\[\]-]+\s*=\s*)?[\w.>-]+\(.*\)|"
                  r"[\w.>\[\]*-]+\s*[-+*/|&^]?=\s*[^=].*|[\w.>-]+(?:\+\+|--));$")
JUMP = re.compile(r"\n\s*(?:break|continue);$|int1_t|int0_t")  # next to none of them compiles
DECLARATION = re.compile(r"^\s*(?:const\s+)?\w+\s+\*?\w+(?:\[[^]]*\])*\s*=")


def closing(text, at):
    """Where the bracket that stands at `at` is closed, and the first comma of its own; strings and
    characters are passed over."""
    depth, comma, quote = 0, None, None
    k = at
    while k < len(text):
        c = text[k]
        if quote:
            if c == "\\":
                k += 1
            elif c == quote:
                quote = None
        elif c in "\"'":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return k, comma
        elif c == "," and depth == 1 and comma is None:
            comma = k
        k += 1
    return None, None


def designed(lines, first, last):
    """(line, lines replaced, rule, text) of a block's conditions and statements."""
    for number in range(first, last + 1):
        line = lines[number - 1]
        for m in HEAD.finditer(line):
            text = "\n".join(lines[number - 1:number + 29])
            end, comma = closing(text, m.end() - 1)
            if end is None:
                continue
            stop = comma if m[1] == "TS_CHECK" and comma else end
            before, inside, after = text[:m.end()], text[m.end():stop], text[stop:]
            span = text[:stop].count("\n") + 1
            for rule, change in (("never", "({}) && 0"), ("always", "({}) || 1"), ("not", "!({})")):
                if m[1] == "while" and rule == "always":
                    continue
                if m[1] == "TS_CHECK":  # it refuses where the condition does not hold
                    change = {"never": "({}) || 1", "always": "({}) && 0"}.get(rule, change)
                made = before + change.format(inside) + after
                kept = made.split("\n")[:span]
                yield number, span, f"condition {rule}", "\n".join(kept)
        if CALL.match(line) and not DECLARATION.match(line):
            yield number, 1, "statement left out", re.match(r"\s*", line)[0] + ";"
        m = re.match(r"(\s*return) (.*);$", line)
        if m and m[2] not in ("TS_OK", "0", "false", "NULL"):
            yield number, 1, "returns nothing", f"{m[1]} 0;"
        m = re.match(r"(\s*return) (.*);$", line)
        if m and m[2] in ("true", "false"):
            yield number, 1, "returns the other", f"{m[1]} {'false' if m[2] == 'true' else 'true'};"


def of_block(root, file, first, last, universal):
    text = mutate.without_comments((root / file).read_text())
    lines = text.split("\n")
    for number, span, rule, after in designed(lines, first, min(last, len(lines))):
        before = "\n".join(lines[number - 1:number - 1 + span])
        if before != after:
            yield mutate.Mutant(file, number, rule, before, after,
                                mutate.key_of(text, number, span, after), span)
    yield from [m for m in universal if first <= m.line <= last and not m.words
                and not JUMP.search(m.after)][:ALIKE]


def cited(text, lines, inside):
    """[(line of code, label)] of the comments in functions: of one behind code that line, else the
    next one that has code."""
    out = []
    for m in mutate.COMMENT.finditer(text):
        first, last = (text.count("\n", 0, at) + 1 for at in (m.start(), m.end()))
        behind = m[0][:2] == "/*" and lines[first - 1].strip() != ""
        n = first if behind else next((k for k in range(last, len(lines) + 1) if lines[k - 1].strip()), 0)
        if m[0][:2] == "/*" and n in inside and first in inside:
            out += [(n, label) for label in re.findall(r"\b([a-z0-9_]+/[SCG]\d+)\b", m[0])]
    return out


def is_own(own, all_, count):
    return own and (own * SHARE >= all_ or own == count and all_ <= SOME)


@dataclass
class Target:
    label: str
    cases: int  # bits
    kills: list = field(default_factory=list)  # keys of mutants
    tries: int = 0


class Aim:
    """judge(label)(mutant, cases, device) -> entry with "cases", those that fail."""

    def __init__(self, root, reaches, rules_of, seed, judge):
        self.root, self.reaches, self.seed, self.judge = root, reaches, seed, judge
        self.universal, self.lock = {}, threading.Lock()
        self.found = {}  # key -> (mutant, entry, {label: failing cases})
        self.rules_of = rules_of
        self.rules = []  # a reach's: label -> bits
        for reach in reaches:
            bits = Counter()
            for i, case in enumerate(reach.ids):
                for label in rules_of.get(case, ()):
                    bits[label] |= 1 << i
            self.rules.append(bits)
        self.labelled = self.labels_in_source()

    def labels_in_source(self):
        """{label: {(file, line)}}: where a statement begins that gives it, or that is said to keep it."""
        out = {}
        for file in self.reaches[0].lines:
            path = self.root / file
            if not path.exists():
                continue
            text = path.read_text()
            lines = mutate.without_comments(text).split("\n")
            given = [(n, label) for n, line in enumerate(lines, 1)
                     for label in re.findall(r'"([a-z0-9_]+/[A-Z]\d+)"', line)]
            for n, label in given + cited(text, lines, self.reaches[0].body_of(file)):
                start = n
                while start > 1 and not re.search(r"[;{}:]\s*$|^\s*$", lines[start - 2]) \
                        and not file.startswith("build/"):
                    start -= 1
                out.setdefault(label, set()).add((file, start))
        return out

    def may_be_of(self, label, file):
        if len(self.reaches[0].make.users.get(file, ())) > USERS:
            return False
        return (file.startswith(JUDGE if label.split("/")[0] in PAGES else "ref/")
                or any(f == file for f, _ in self.labelled.get(label, ())))

    def lines_of(self, label):
        """[(reach, file, first line, last line)] of a rule, best first."""
        out = []
        for k, reach in enumerate(self.reaches):
            mine = self.rules[k].get(label, 0)
            count = mine.bit_count()
            if not mine:
                continue
            for file, some in reach.lines.items():
                if not self.may_be_of(label, file):
                    continue
                starts = reach.starts[file]
                for line, bits in some.items():
                    own = (bits & mine).bit_count()
                    if not own:
                        continue
                    at = bisect.bisect_right(starts, line)
                    last = starts[at] - 1 if at < len(starts) else line + 30
                    said = any(line <= n <= last for f, n in self.labelled.get(label, ()) if f == file)
                    all_ = bits.bit_count()
                    if said or is_own(own, all_, count):
                        out.append(((not said, -own / all_, -own, file, line), (k, file, line, last)))
        # A table that a page is made into gives the label of what its family refuses.
        made = [(0, file, line, line) for file, line in sorted(self.labelled.get(label, ()))
                if file.startswith("build/") and self.rules[0].get(label)]
        return [place for _, place in sorted(out)][:LINES] + made

    def is_of(self, label, k, file, line):
        bits, mine = self.reaches[k].lines[file].get(line, 0), self.rules[k].get(label, 0)
        return self.may_be_of(label, file) and is_own((bits & mine).bit_count(), bits.bit_count(),
                                                      mine.bit_count())

    def mutants_at(self, file, first, last):
        with self.lock:
            if file not in self.universal:
                self.universal[file] = list(mutate.drawn(self.root, file, self.seed))
        return of_block(self.root, file, first, last, self.universal[file])

    def aim(self, target, wanted):
        """Try mutants until one of the rule's cases finds one out."""
        for k, file, line, last in self.lines_of(target.label):
            reach = self.reaches[k]
            reached = reach.lines[file].get(line, 0) if not file.startswith("build/") \
                else self.rules[k][target.label]
            own = list(reach.names(reached & self.rules[k][target.label]))[:MOST]
            for mutant in self.mutants_at(file, line, last):
                if target.kills or target.tries >= TRIES:
                    return
                others = [c for c in reach.names(reached) if c not in own and
                          any(r in wanted and not wanted[r].kills for r in self.rules_of.get(c, ()))]
                room = max(0, MOST - len(own))
                cases = own + others[::max(1, len(others) // room) if room else 1][:room]
                entry = self.judge(target.label)(mutant, cases, reach.device)
                if entry["outcome"] in ("invalid", "same", "words"):
                    continue
                target.tries += 1
                failing = Counter()
                for case in entry.get("cases", ()):
                    failing.update(r for r in self.rules_of.get(case, ()) if r in wanted)
                credit = {r: n for r, n in failing.items()
                          if r == target.label or self.is_of(r, k, file, line)}
                with self.lock:
                    if credit:
                        self.found[mutant.key] = (mutant, entry, credit)
                    for r in credit:
                        if mutant.key not in wanted[r].kills:
                            wanted[r].kills.append(mutant.key)

    def run(self, labels, jobs, progress):
        wanted = {r: Target(r, 0) for r in labels}

        def one(label):
            if not wanted[label].kills:
                self.aim(wanted[label], wanted)
            progress(wanted)
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, labels))
        return wanted
