# SPDX-License-Identifier: Apache-2.0
"""Make what golden/fuzz.py found small, and a case of it.

Statements go, sizes fall, dtypes become float32, keywords and layouts go, as long as the difference stays
of the same kind. Every candidate is a program of its own, with PyTorch's answers to it.
"""
import hashlib
import re

import case_language as lang
from fuzz_programs import Statement, replayed

MADE = re.compile(r"\b(normal|uniform|integers|bools)\((\d+), (\([\d, ]*\))")
ROUNDS = 30
AT_ONCE = 40  # candidates that one run of the judge gets


def shape_text(shape):
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def smaller_sizes(text):
    """With one size less in every generator, all equal sizes of it alike."""
    sizes = {int(d) for m in MADE.finditer(text) for d in re.findall(r"\d+", m[3])}
    for d in sorted(sizes, reverse=True):
        for to in dict.fromkeys((1, 2, d // 2)):
            if 0 < to < d:
                yield d, to


def with_size(text, d, to):
    def one(m):
        shape = tuple(to if int(n) == d else int(n) for n in re.findall(r"\d+", m[3]))
        return f"{m[1]}({m[2]}, {shape_text(shape)}"
    return MADE.sub(one, text)


def plainer(s):
    """Texts of one statement that say less."""
    text = s.text
    if text.startswith("with torch.no_grad():\n"):
        yield text.split("\n", 1)[1].strip()
    if text.endswith(".requires_grad_()"):
        yield text.removesuffix(".requires_grad_()")
    m = re.search(r', mix="\w+"', text)
    if m:
        yield text[:m.start()] + text[m.end():]
    made = re.fullmatch(r"(\w+ = \w+\(\d+, \([\d, ]*\)[^()]*\))(.+)", text)
    if made and made[2] != ".requires_grad_()":
        yield made[1]
    if not MADE.search(text):
        for m in re.finditer(r", \w+=[^,()\[\]]+(?=[,)])", text):
            yield text[:m.start()] + text[m.end():]
    for m in re.finditer(r"torch\.(b?float\w+|u?int\d+)", text):
        if m[1] != "float32":
            yield text[:m.start()] + "torch.float32" + text[m.end():]
    for m in re.finditer(r"(?<![\w.\[:])-?\d+\.?\d*(e-?\d+)?(?![\w.:])", text):
        if not MADE.search(text) and m[0] not in ("0", "1", "2"):
            for to in ("0", "1", "2"):
                yield text[:m.start()] + to + text[m.end():]


def candidates(statements):
    """Smaller programs, the smallest first."""
    n = len(statements)
    for size in dict.fromkeys((n // 2, n // 4)):
        if size > 1:
            for k in range(n - size, -1, -size):
                yield statements[:k] + statements[k + size:]
    for k in range(n - 1, -1, -1):
        yield statements[:k] + statements[k + 1:]
    whole = "\n".join(s.text for s in statements)
    for dt in dict.fromkeys(re.findall(r"torch\.(b?float\w+|u?int\d+)", whole)):
        if dt != "float32":
            yield [Statement(s.text.replace(f"torch.{dt}", "torch.float32"), s.op) for s in statements]
    for d, to in smaller_sizes(whole):
        yield [Statement(with_size(s.text, d, to), s.op) for s in statements]
    for k, s in enumerate(statements):
        for text in plainer(s):
            yield statements[:k] + [Statement(text, s.op)] + statements[k + 1:]
        for d, to in smaller_sizes(s.text):
            yield statements[:k] + [Statement(with_size(s.text, d, to), s.op)] + statements[k + 1:]


def unknown(statements, seen):
    key = tuple(s.text for s in statements)
    fresh = key not in seen
    seen.add(key)
    return fresh and bool(statements)


class Shrinker:
    """ask(programs: [Session, only]) -> [(verdict, kind, op) or None, …]"""

    def __init__(self, ask):
        self.ask = ask

    def shrink(self, statements, what):
        """The smallest that was found, and the text of its program."""
        seen, what = set(), tuple(what)
        statements = [Statement(*s) for s in statements]
        for _ in range(ROUNDS):
            tried = [c for c in candidates(statements) if unknown(c, seen)][:AT_ONCE]
            if not tried:
                break
            sessions = [replayed(c) for c in tried]
            good = [s.statements for s, w in zip(sessions, self.ask([(s, None) for s in sessions]))
                    if w == what]
            if good:
                statements = min(good, key=weight)
        session = replayed(statements)
        small = [(session, set())] + [(session, {word}) for word, _ in session.expected()]
        for (s, only), w in zip(small, self.ask(small)):
            if w == what:
                return s, s.program(only)
        return session, session.program()


def weight(statements):
    """How much there is to read."""
    return (len(statements), sum(len(s.text) for s in statements),
            sum(int(d) for s in statements for m in MADE.finditer(s.text)
                for d in re.findall(r"\d+", m[3])))


def case_text(page, program):
    """A case of golden/found/<page>.cases."""
    dt = re.search(r"torch\.(b?float\w+|u?int\d+|bool)\b", program)
    dt = dt[1] if dt and dt[1] in lang.DTYPES else "float32"
    digest = hashlib.sha256(program.encode()).hexdigest()[:8]
    return f"# case {page}/{dt}/found_{digest}\n# rules: {page}/S1\n{program}"
