# SPDX-License-Identifier: Apache-2.0
"""What a page's family still lacks, file by file; the exit status is 1 if there is anything.

    lacks.py PAGE...     or no page: all of them
"""
import re
import sys
from pathlib import Path

import coverage
import families
import pages as spec_pages

ROOT = Path(__file__).resolve().parents[2]


def wanted_files(page, cases):
    """(path, functions it must define) from the kinds of the page's ops. cases: it needs some."""
    api, kernels, grads = [], [], []
    for o in page.ops:
        if o.kind in ("composite", "optional"):
            api.append(f"tsi_program_{o.name}")
        if o.kind != "composite":
            if not families.of(o) or o.raw.get("api") == "own":
                api.append(f"tsi_api_{o.name}")
            if o.raw.get("differentiable") and o.raw.get("vjp") != "family":
                grads.append(f"tsi_vjp_{o.name}")
        if o.kind == "primitive" or o.raw.get("kernel"):
            kernels.append(f"tsk_{o.name}")
    for room, functions in (("api", api), ("ops", kernels), ("grad", grads)):
        if functions:
            yield f"ref/{room}/{page.name}.c", functions
    if cases:
        if not any(o.raw["states"] for o in page.ops):
            yield f"golden/cases/{page.name}.py", []
        yield f"golden/data/{page.name}.cases", []


def lacks(name, pages, found):
    page = pages.get(name)
    if page is None:
        return [f"spec/ops/{name}.md"]
    out = [f"{page.path.relative_to(ROOT)}: gradcheck of {o.name}" for o in page.ops
           if o.raw["differentiable"] and o.kind != "composite" and o.raw["gradcheck"] != "error"
           and not o.raw["rng"] and not list(o.gradchecks)]
    if page.ops and not re.search(r"^```python$", page.prose, re.M):
        out.append(f"{page.path.relative_to(ROOT)}: an example")
    rules = found["pages"][name]["rules"]
    for path, functions in wanted_files(page, any(not r["tests"] for r in rules.values())):
        if not (ROOT / path).is_file():
            out.append(path)
            continue
        text = (ROOT / path).read_text(encoding="utf-8")
        out += [f"{path}: {f}" for f in functions if not re.search(rf"\b{f}\b", text)]
    return out + [f"a case for {name}/{rule}" for rule, r in rules.items()
                  if not r["cases"] and not r["tests"]]


def main(*names):
    pages = spec_pages.read_all(ROOT / "spec")
    found = coverage.build(ROOT / "spec", ROOT / "golden/data")
    missing = 0
    for name in names or pages:
        here = lacks(name, pages, found)
        missing += len(here)
        if here:
            print(f"{name} lacks", *here, sep="\n    ")
        elif names:
            print(f"{name} lacks nothing")
    return 1 if missing else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except spec_pages.PageError as e:
        sys.exit(str(e))
