# SPDX-License-Identifier: Apache-2.0
"""The python blocks of a page of the spec, which are cases: <page>/example/<n>.

A block is a program as it stands, after header lines where it needs any (`# ranks: 2`). The
rules that it serves are those that its refusals name, unless a header says others.

    examples.py                 every block is a program, every page of ops has one
    examples.py TOUCHSTONE      what comments say of expected values is so
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance/script"))
import case_language as lang  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
EXPECTED = re.compile(r'^expect\(.*, "(\w+)"\)  # (.*)$', re.M)
LABEL = re.compile(r'"([a-z][a-z0-9_]*/[SCG][1-9][0-9]*)"')


def page_path(page):
    paths = [ROOT / "spec" / room / f"{page}.md" for room in ("ops", "areas")]
    return next((p for p in paths if p.exists()), None)


def blocks(page):
    """[lang.Case] of a page's examples; CaseError names the page's line."""
    path = page_path(page)
    text = path.read_text(encoding="utf-8") if path else ""
    found = []
    for n, m in enumerate(BLOCK.finditer(text), 1):
        # The line of the fence becomes the case line, so that lines are the page's own.
        before = text[:m.start()].count("\n") * "\n"
        block = f"{before}# case {page}/example/{n}\n{m.group(1)}"
        found += lang.parse_cases(block, str(path.relative_to(ROOT)))
    return found


def cases(g):
    for c in blocks(g.page):
        h = c.headers
        rules = h.get("rules") or " ".join(dict.fromkeys(LABEL.findall(c.program)))
        yield g.case(c.id.partition("/")[2], rules, c.program, variants=False,
                     provenance=h.get("provenance", "run-cpu").partition("@")[0], needs=c.needs,
                     ranks=int(h["ranks"]) if "ranks" in h else None)


def check():
    """What is wrong with the pages' examples, one line each."""
    for path in sorted((ROOT / "spec").glob("*/*.md")):
        try:
            found = blocks(path.stem)
            for c in found:
                lang.check(c)
        except lang.CaseError as e:
            yield str(e)
            continue
        if not found and path.parent.name == "ops":
            yield f"{path.relative_to(ROOT)}:1: the page has no example, a ```python block"


def numbers(text):
    return re.findall(r"(?<![\w.])(?:-?\d+(?:\.\d+)?|-?inf|nan)(?!\w)|…", text)


def is_shown(said, value):
    """Whether a number in a comment is the value, to the digits written."""
    a, b = float(said), float(value)
    digits = len(said.partition(".")[2])
    return a == b or a != a and b != b or abs(a - b) <= 0.501 * 10.0 ** -digits


def check_comments(program):
    """What a comment says of an expected value, against the golden value as `show` prints it."""
    for path in sorted((ROOT / "spec").glob("*/*.md")):
        for c in blocks(path.stem):
            told = EXPECTED.findall(c.program)
            if not told:
                continue
            shown = subprocess.run([program, "show", c.id], capture_output=True, text=True,
                                   check=True).stdout.split("\nAnswers\n")[1]
            for name, comment in told:
                said = numbers(comment.partition(":")[0])
                m = re.search(rf"^ +{re.escape(name)}: .*\n +(.*)$", shown, re.M)
                values = [v.split(" ")[0] for v in m.group(1).split(", ")] if m else []
                n = said.index("…") if "…" in said else len(said)
                tail = said[n + 1:]
                pairs = [*zip(said[:n], values), *zip(tail, values[len(values) - len(tail):])]
                whole = len(said) == len(values) or "…" in said
                if not whole or not all(is_shown(s, v) for s, v in pairs):
                    yield f"{c.file}:{c.line}: {name} is {', '.join(values)}; said: {comment}"


if __name__ == "__main__":
    wrong = list(check_comments(sys.argv[1]) if len(sys.argv) == 2 else check())
    print("\n".join(wrong) if wrong else "nothing to say of the examples")
    sys.exit(bool(wrong))
