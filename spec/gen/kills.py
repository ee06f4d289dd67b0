# SPDX-License-Identifier: Apache-2.0
"""What the cases have found out: seeded faults, mutants and the zoo, as reports/record holds them.

A kill proves each rule that a case which found it out serves. That is little for one rule: the
case may have found it out by another of its rules. A rule without any is one that nothing here
has tried.
"""
import json
from html import escape

import pages as spec_pages

RECORD = "reports/record"
SOURCES = ("faults", "mutants", "zoo")


def read(root, name):
    path = root / RECORD / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def files(root):
    return [p for p in (root / RECORD / f"{n}.json" for n in ("faults", "mutants")) if p.exists()]


def by_rule(root):
    """label -> {"faults": kills, "mutants": kills, "zoo": kills}, those that there are."""
    faults, mutants = read(root, "faults"), read(root, "mutants")
    found = {}
    for source, killing in (("faults", faults.get("killing", {})),
                            ("mutants", mutants.get("labels", {}).get("killing", {})),
                            ("zoo", mutants.get("zoo", {}).get("killing", {}))):
        for label, n in killing.items():
            if n:
                found.setdefault(label, {})[source] = n
    return found


def link(label):
    page, name = label.split("/")
    return f'<a href="{spec_pages.file_of(page)}.html#{name}">{name}</a>'


def section(found):
    """Of the coverage page: which kills prove each rule, and which rules none does."""
    rows = []
    for page, x in sorted(found["pages"].items()):
        proved = {n: r["kills"] for n, r in x["rules"].items() if r["kills"]}
        lacking = [n for n in x["rules"] if n not in proved]
        cells = "".join(
            f'<td class="num">{sum(k.get(s, 0) for k in proved.values()) or "–"}</td>' for s in SOURCES)
        each = " ".join(
            f'<a href="{spec_pages.file_of(page)}.html#{n}" title="' + ", ".join(f"{k[s]} of the {s}" for s in SOURCES if s in k)
            + f'">{n}</a>&nbsp;{sum(k.values())}' for n, k in proved.items())
        rows.append(f'<tr><th scope="row"><a href="{page}.html">{page}</a></th>{cells}'
                    f'<td>{each or "–"}</td><td class="num">{len(lacking) or "–"}</td>'
                    f'<td>{" ".join(link(f"{page}/{n}") for n in lacking) or "–"}</td></tr>')
    without = len(found["rules_without_kills"])
    return (f'<h2 id="kills">Rules that a kill proves: {found["rules"] - without} of {found["rules"]}</h2>'
            f'<p>A <a href="faults.html">fault, mutant or member of the zoo</a> that a case found out '
            f'proves the rules of that case. {without} rules have no such case; the last column lists '
            'them.</p><div class="scroll"><table><thead><tr><th>page</th>'
            + "".join(f'<th class="num">{s}</th>' for s in SOURCES)
            + '<th>rules and their kills</th><th class="num">none</th><th>rules without a kill</th>'
            '</tr></thead><tbody>' + "".join(rows) + "</tbody></table></div>")


def rates(name, rows, meaning=None, before=None):
    """A table; before: the rows of the first record, {} where it had none."""
    out = []
    for k, r in rows.items():
        allowed = r.get("allowed", 0)
        out.append(f'<tr><th scope="row">{escape(k)}</th>'
                   + (f"<td>{escape(meaning.get(k, ''))}</td>" if meaning else "")
                   + "".join(f'<td class="num">{v}</td>' for v in (
                       r["judged"], r["killed"], f'{r["rate"]} %', allowed or "–",
                       r["survived"] - allowed or "–",
                       *([f'{before[k]["rate"]} %' if k in before else "–"] if before else []))) + "</tr>")
    return (f'<div class="scroll"><table><thead><tr><th>{name}</th>' + ("<th>what</th>" if meaning else "")
            + "".join(f'<th class="num">{t}</th>' for t in
                      ("faults", "found out", "rate", "allowed", "missed", *(["before"] if before else [])))
            + "</tr></thead><tbody>" + "".join(out) + "</tbody></table></div>")


def change(m):
    """One line of code and what became of it."""
    def short(text):
        text = " ".join(text.split())
        return escape(text if len(text) <= 90 else text[:89] + "…")
    return (f'{escape(m["file"])}:{m["line"]}, {escape(m["rule"])}: <code>{short(m["before"])}</code> '
            f'to <code>{short(m["after"])}</code>')


def aimed(found):
    """Which change proves a rule that nothing else did: of several the one most its own."""
    best = {}
    for m in found["mutants"]:
        for r, n in m["labels"].items():
            key = (len(m["labels"]), -n / m["cases"])
            if r not in best or key < best[r][0]:
                best[r] = key, m
    rows = "".join(f'<tr><th scope="row">{link(r)}</th><td>{r.split("/")[0]}</td><td>{change(m)}</td>'
                   f'<td><code>{escape(m["by"])}</code></td></tr>'
                   for r, (_, m) in sorted(best.items()))
    return (f'<h2 id="aimed">Changes aimed at a rule</h2><p>{found["asked"]} rules had no kill by the above. '
            "Lines that few other cases reach were changed until one of the rule’s own cases, or a unit test "
            f'that names it, found a change out: {found["killed"]} of them have one now.</p>'
            '<details><summary>Which change proves which rule</summary><div class="scroll"><table><thead>'
            "<tr><th>rule</th><th>page</th><th>what was changed</th><th>found out by, among others</th></tr>"
            f"</thead><tbody>{rows}</tbody></table></div></details>")


def page_html(root):
    """The body of the page that shows what was tried and what was found out."""
    faults, mutants = read(root, "faults"), read(root, "mutants")
    out = ["<h1>What the cases find out</h1>"]
    if faults:
        old = faults.get("before") or {}
        out.append(
            f'<p class="sub">{faults["judged"]} seeded faults in the reference’s kernels, one at a time: '
            f'{faults["killed"]} found out, {faults["rate"]} %; {faults["rate_of_wrong"]} % of those that '
            'the contract does not allow.'
            + (f' Before the golden data was mended by what survived: {old["killed"]} of {old["judged"]}, '
               f'{old["rate"]} %.' if old else "") + '</p><h2 id="kinds">By kind</h2>'
            + rates("kind", faults["kinds"], faults["meaning"], old.get("kinds"))
            + '<h2 id="ops">By op</h2>' + rates("op", faults["ops"]))
        groups = {}
        for f in faults["faults"]:
            if f["outcome"] == "survived":
                groups.setdefault((f.get("argued", "not argued"), f.get("argument", "")), []).append(f)
        out.append('<h2 id="survivors">Survivors</h2>')
        for (kind, text), some in sorted(groups.items(), key=lambda g: (g[0][0], -len(g[1]))):
            out.append(f"<p><strong>{len(some)} {kind}.</strong> {escape(text)}</p><ul>" + "".join(
                f"<li><code>{escape(f['fault'])}</code></li>" for f in some) + "</ul>")
    if mutants:
        rows = "".join(
            f'<tr><th scope="row">ref/{r["room"]}</th>' + "".join(
                f'<td class="num">{v}</td>' for v in (
                    r["judged"], r["killed"], f'{r["rate"]} %', r["survived"],
                    r.get("equivalent", "–"))) + "</tr>" for r in mutants["rooms"])
        out.append('<h2 id="mutants">Mutants</h2><p>One line of the C sources changed at a time.</p>'
                   '<div class="scroll"><table><thead><tr><th>room</th>'
                   + "".join(f'<th class="num">{t}</th>' for t in
                             ("judged", "found out", "rate", "survived", "equivalent"))
                   + f"</tr></thead><tbody>{rows}</tbody></table></div>"
                   + (aimed(mutants["aimed"]) if "aimed" in mutants else "")
                   + f'<h2 id="zoo">The zoo</h2><p>{mutants["zoo"]["killed"]} of '
                   f'{mutants["zoo"]["members"]} faulty backends found out.</p>')
    return "".join(out)
