# SPDX-License-Identifier: Apache-2.0
"""What the cases cover of the spec.

    coverage.py json  SPEC GOLDEN_DATA OUT.json  by scope id, and by page and rule
    coverage.py check SPEC GOLDEN_DATA           fails on a rule that nothing serves, and on a
                                                 case that cites a rule no page has

It also fails on a value class of golden/values.py (special, pairs, subnormal, incoming; extreme, large)
that no case puts to an op with a kernel, unless the op's page says why: `unvalued = {pairs = "why"}`.

And it fails on a rule that no kill proves (reports/record; kills.py): one that is new has a mutant found out
by `conformance/mutants/run.py --rules`, which adds it to what is recorded.

A rule is served by golden cases that name it, or by a unit test that does (`tensors/C7` in a file
of a folder `tests`): what no program can show, the judge's own rules above all, is tested there.
"""
import json
import re
import sys
from html import escape
from pathlib import Path

import kills
import pages as spec_pages

SCOPE_IN_TEXT = re.compile(r"\b[TOADEMGC]-[0-9]{2}\b")
LABEL = re.compile(r"\b[a-z][a-z0-9_]*/[SCG][1-9][0-9]*\b")
CASE = re.compile(r"^# case (\S+)$")
HEADER = re.compile(r"^# ([a-z]+): (.*)$")


def read_cases(data):
    """id -> (rules, dtype or "") of every case in the golden files; only headers are read."""
    cases = {}
    for path in sorted(data.glob("*.cases")):
        case_id = None
        for line in path.read_text(encoding="utf-8").splitlines():
            if m := CASE.match(line):
                case_id = m.group(1)
                part = (case_id.split("/") + [""])[1]
                cases[case_id] = ([], part if part in spec_pages.DTYPES else "")
            elif case_id and (m := HEADER.match(line)) and m.group(1) == "rules":
                cases[case_id][0].extend(m.group(2).split())
            elif case_id and not line.startswith("#"):
                case_id = None  # the program began
    return cases


def read_tests(root):
    """rule -> the unit tests' files that name it."""
    found = {}
    for room in ("ref", "conformance", "golden"):
        for path in sorted((root / room).glob("**/tests/*")):
            if path.suffix not in (".c", ".py") or ".venv" in path.parts:
                continue
            for label in set(LABEL.findall(path.read_text(encoding="utf-8"))):
                found.setdefault(label, []).append(path.relative_to(root).as_posix())
    return found


def build(spec, data):
    """Everything the coverage page shows, as plain JSON values."""
    pages = spec_pages.read_all(spec)
    by_rule, unknown = {}, {}
    labels = {f"{p.name}/{n}" for p in pages.values() for n in p.rules}
    cases, tests = read_cases(data), read_tests(spec.parent)
    proofs = kills.by_rule(spec.parent)
    for case_id, (names, dtype) in cases.items():
        for name in names:
            (by_rule if name in labels else unknown).setdefault(name, []).append(
                (case_id, dtype))

    values = value_classes(spec, cases)
    out_pages, scopes = {}, {}
    for p in pages.values():
        table = {}
        for n, (_, text) in p.rules.items():
            found = by_rule.get(f"{p.name}/{n}", [])
            table[n] = {"text": text, "cases": len(found),
                        "tests": tests.get(f"{p.name}/{n}", []),
                        "kills": proofs.get(f"{p.name}/{n}", {}),
                        "dtypes": in_order({d for _, d in found if d})}
            # A rule serves the scope ids it names, or else all those of its page.
            for s in SCOPE_IN_TEXT.findall(text) or p.raw["scope"]:
                scope = scopes.setdefault(s, {"rules": [], "pages": set(), "ops": set(),
                                              "dtypes": set(), "cases": set()})
                scope["rules"].append(f"{p.name}/{n}")
                scope["dtypes"] |= {d for _, d in found if d}
                scope["cases"] |= {c for c, _ in found}
        for s in p.raw["scope"]:
            scope = scopes.setdefault(s, {"rules": [], "pages": set(), "ops": set(),
                                          "dtypes": set(), "cases": set()})
            scope["pages"].add(p.name)
            scope["ops"] |= {o.name for o in p.ops}
        out_pages[p.name] = {"level": p.raw["level"], "scope": p.raw["scope"],
                             "ops": [o.name for o in p.ops], "rules": table}
    lacking = sorted(f"{p}/{n}" for p, x in out_pages.items()
                     for n, r in x["rules"].items() if not r["cases"] and not r["tests"])
    return {
        "cases": len(cases),
        "rules": len(labels),
        "rules_without_cases": lacking,
        "rules_without_kills": sorted(labels - set(proofs)),
        "unknown_rules": {k: [c for c, _ in v] for k, v in sorted(unknown.items())},
        "scope": {s: {"rules": sorted(x["rules"]), "pages": sorted(x["pages"]),
                      "ops": sorted(x["ops"]), "dtypes": in_order(x["dtypes"]),
                      "cases": len(x["cases"])} for s, x in sorted(scopes.items())},
        "pages": out_pages,
        "values": values,
    }


FLOAT_CLASSES, INT_CLASSES = ("special", "pairs", "subnormal", "incoming"), ("extreme", "large")
VALUE_CASE = re.compile(r"(?P<page>[^/]+)/(?P<dtype>[^/]+)/values/(?P<call>[^/]+)/(?P<class_>[a-z]+)")


def value_classes(spec, cases):
    """op -> class -> how many cases put it to the op, or why none does; 0 is a hole."""
    sys.path.append(str(spec.parent / "golden"))
    import calls
    counts, called, reached, learning = {}, set(), set(), set()
    by_title = {(page, c.title): c for page, some in calls.all_calls().items() for c in some}
    for call in by_title.values():
        called.add(call.op)
        learning |= {call.op} if call.gradient else set()
        reached.update(call.reaches)
    for case_id in cases:
        m = VALUE_CASE.match(case_id)
        call = by_title.get((m["page"], m["call"])) if m else None
        for op in (call.op, *call.reaches) if call else ():
            key = op, m["class_"]
            counts[key] = counts.get(key, 0) + 1
    table = {}
    for op, page in calls.kernels().items():
        raw = calls.op_table()[op].raw
        wanted = [c for c in FLOAT_CLASSES if set(raw["dtypes"]) & set(calls.FLOAT) and
                  (c != "incoming" or op not in called or
                   raw["differentiable"] and raw["gradcheck"] != "error" and op in learning)]
        wanted += [c for c in INT_CLASSES if op in called and "int64" in raw["dtypes"]]
        why = raw["unvalued"]
        table[op] = {c: counts.get((op, c), 0) or why.get(c, why.get("all", 0)) for c in wanted}
        for c in why:
            if any(counts.get((op, w)) for w in (wanted if c == "all" else [c])) or c not in (*wanted, "all"):
                table[op][c] = -1  # an excuse for what is there
    return table


def value_holes(found):
    """Complaints about the table of value_classes."""
    for op, row in found["values"].items():
        for class_, n in row.items():
            if n == 0:
                yield f"{op}: no case of golden/values.py puts the class {class_} to it"
            elif n == -1:
                yield f"{op}: unvalued excuses {class_}, which is there or asked of nobody"


def in_order(dtypes):
    return [d for d in spec_pages.DTYPES if d in dtypes]


def rule_link(label, text=None):
    page, name = label.split("/")
    return f'<a href="{spec_pages.file_of(page)}.html#{name}">{escape(text or label)}</a>'


def scope_table(found):
    rows = []
    for s, x in found["scope"].items():
        pages = " ".join(f'<a href="{p}.html">{p}</a>' for p in x["pages"])
        missing = [r for r in x["rules"] if r in found["lacking"]]
        rows.append(
            f'<tr id="{s}"><th scope="row">{s}</th><td>{pages}</td>'
            f'<td class="num">{len(x["rules"])}</td>'
            f'<td>{" ".join(rule_link(r) for r in missing) or "–"}</td>'
            f'<td class="num">{len(x["ops"])}</td>'
            f'<td>{" ".join(x["dtypes"]) or "–"}</td><td class="num">{x["cases"]}</td></tr>')
    return ('<div class="scroll"><table><thead><tr><th>scope</th><th>pages</th>'
            '<th class="num">rules</th><th>rules without a case</th><th class="num">ops</th>'
            '<th>dtypes</th><th class="num">cases</th></tr></thead><tbody>'
            + "".join(rows) + "</tbody></table></div>")


def rule_matrix(found):
    names = sorted({n for x in found["pages"].values() for n in x["rules"]},
                   key=lambda n: ("SCG".index(n[0]), int(n[1:])))
    head = "".join(f"<th scope=\"col\">{n}</th>" for n in names)
    rows = []
    for page, x in sorted(found["pages"].items()):
        cells = []
        for n in names:
            r = x["rules"].get(n)
            if r is None:
                cells.append("<td></td>")
                continue
            kind, what = (("has", r["cases"]) if r["cases"] else ("has", "test")
                          if r["tests"] else ("lacks", "none"))
            cells.append(f'<td><a class="{kind}" href="{spec_pages.file_of(page)}.html#{n}" '
                         f'title="{escape(r["text"], quote=True)}">{what}</a></td>')
        rows.append(f'<tr><th scope="row"><a href="{page}.html">{page}</a></th>'
                    + "".join(cells) + "</tr>")
    return ('<div class="scroll"><table class="matrix">'
            f'<thead><tr><td></td>{head}</tr></thead>'
            f'<tbody>{"".join(rows)}</tbody></table></div>')


def page_html(found):
    """The body of the coverage page; website.py puts a frame around it."""
    found = dict(found, lacking=set(found["rules_without_cases"]))
    lacking = len(found["lacking"])
    out = [f"<h1>{found['rules'] - lacking} of {found['rules']} rules are served</h1>",
           f'<p class="sub">{found["cases"]:,} golden cases. “test”: a unit test serves the '
           "rule; “none”: nothing does.</p>"]
    if found["unknown_rules"]:
        out.append("<h2>Cases that cite a rule no page has</h2><ul>" + "".join(
            f"<li><code>{escape(r)}</code>: {escape(', '.join(c[:5]))}</li>"
            for r, c in found["unknown_rules"].items()) + "</ul>")
    return "".join(out) + ("<h2>Page by rule</h2>" + rule_matrix(found) + kills.section(found)
                           + "<h2>Op by value class</h2>" + value_table(found)
                           + "<h2>Scope</h2>" + scope_table(found))


def value_table(found):
    classes = FLOAT_CLASSES + INT_CLASSES
    rows = []
    for op, row in sorted(found["values"].items()):
        cells = []
        for c in classes:
            n = row.get(c)
            if n is None:
                cells.append("<td></td>")
            elif isinstance(n, str):
                cells.append(f'<td title="{escape(n, quote=True)}">why not</td>')
            else:
                cells.append(f'<td class="num"><span class="{"has" if n > 0 else "lacks"}">{n}</span></td>')
        rows.append(f'<tr><th scope="row">{op}</th>' + "".join(cells) + "</tr>")
    head = "".join(f'<th scope="col">{c}</th>' for c in classes)
    return ('<div class="scroll"><table class="matrix">'
            f'<thead><tr><td></td>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>')


def check(spec, data):
    found = build(spec, data)
    lines = {f"{p.name}/{n}": f"{p.path}:{line}" for p in spec_pages.read_all(spec).values()
             for n, (line, _) in p.rules.items()}
    for label in found["rules_without_cases"]:
        print(f"{lines[label]}: {label} has neither a case nor a test")
    for label, cases in found["unknown_rules"].items():
        print(f"case {cases[0]} cites {label}, which is on no page")
    holes = list(value_holes(found))
    for hole in holes:
        print(hole)
    for label in found["rules_without_kills"]:
        print(f"{lines[label]}: no kill proves {label} (conformance/mutants/run.py --rules)")
    return 1 if any(found[k] for k in ("rules_without_cases", "unknown_rules",
                                       "rules_without_kills")) or holes else 0


def main(what=None, *args):
    if what == "check" and len(args) == 2:
        sys.exit(check(Path(args[0]), Path(args[1])))
    if what == "json" and len(args) == 3:
        value, out = build(Path(args[0]), Path(args[1])), args[2]
    else:
        sys.exit(__doc__)
    try:
        Path(out).write_text(json.dumps(value, separators=(",", ":"), sort_keys=False) + "\n",
                             encoding="utf-8")
    except OSError as e:
        sys.exit(f"coverage.py: {e}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except spec_pages.PageError as e:
        sys.exit(str(e))
