# SPDX-License-Identifier: Apache-2.0
"""A word of prose on a page compiles nothing; a changed schema changes its own page's files only.

usage: prose.py SPEC TABLES_PY    (as TAP)

The generators are run on a copy of the pages, before and after a change, and the files that they
rewrote are those that a build would compile.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

spec, tables = Path(sys.argv[1]), sys.argv[2]
DATA = {"rules.json"}  # what the judge reads; no C
count = 0


def tell(ok, name, why=""):
    global count
    count += 1
    print(f"{'ok' if ok else 'not ok'} {count} - {name}{'' if ok else ' # ' + why}")


def generate(work):
    """Names of the files that the generators wrote anew."""
    before = {f: f.stat().st_mtime_ns for f in (work / "out").iterdir()}
    for mode in ("pages", "shared"):
        subprocess.run([sys.executable, tables, mode, work / "spec", work / "out"], check=True)
    return {f.name for f in (work / "out").iterdir() if f.stat().st_mtime_ns != before.get(f)}


def change(work, page, pattern, by):
    path = work / "spec/ops" / page
    text = path.read_text(encoding="utf-8")
    changed = re.sub(pattern, by, text, count=1, flags=re.M)
    assert changed != text, (page, pattern)
    path.write_text(changed, encoding="utf-8")


with tempfile.TemporaryDirectory() as d:
    work = Path(d)
    shutil.copytree(spec, work / "spec", ignore=shutil.ignore_patterns("html"))
    (work / "out").mkdir()
    tell(len(generate(work)) > 100, "the first run writes everything")
    tell(not generate(work), "a second run writes nothing")
    change(work, "softmax.md", r"^- \*\*S1\*\* ", "- **S1** In other words: ")
    change(work, "softmax.md", r"^# .*$", "# another title")
    wrote = generate(work)
    tell(wrote <= DATA, "prose, a rule and a title compile no C", str(wrote - DATA))
    change(work, "softmax.md", r'^schema = "softmax\(Tensor self, int dim, ',
           'schema = "softmax(Tensor self, int dim, int other=0, ')
    wrote = generate(work)
    tell(wrote and all(n.startswith("softmax") for n in wrote), "a schema is its page's own matter",
         str(wrote))
print(f"1..{count}")
