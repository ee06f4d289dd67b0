# SPDX-License-Identifier: Apache-2.0
"""The python blocks of a page of the spec, which are cases: <page>/example/<n>.

A block is a program as it stands, after header lines where it needs any (`# ranks: 2`). The
rules that it serves are those that its refusals name, unless a header says others.
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance/script"))
import case_language as lang  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
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


if __name__ == "__main__":
    wrong = list(check())
    print("\n".join(wrong) if wrong else "every example is a program of the case language")
    sys.exit(bool(wrong))
