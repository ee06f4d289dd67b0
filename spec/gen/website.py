# SPDX-License-Identifier: Apache-2.0
"""The spec as a static site: its pages, an index by level, op and scope, and coverage.

    website.py SPEC GOLDEN_DATA BASE_CSS OUT_FOLDER STAMP DEPFILE

Needs python3-markdown. Every rule is an anchor, `softmax.html#S1`.
"""
import itertools
import re
import sys
from html import escape
from pathlib import Path

import markdown

sys.path.append(str(Path(__file__).resolve().parents[2] / "conformance" / "script"))

import arguments
import coverage
import kills
import pages as spec_pages
import vocabulary

LEVELS = {"L1": "tensors", "L2": "operators", "L3": "autograd", "L4": "collectives",
          "L5": "streams, events, memory, autocast", "L6": "allocator", "L7": "graphs",
          "L8": "compiler and profiler"}
RULE_ITEM = re.compile(r"<li>\s*(<p>)?<strong>([SCG][1-9]\d*)</strong>")
TEXT = re.compile(r"(<a\b.*?</a>|<pre\b.*?</pre>|<[^>]*>)", re.S)
LABEL = re.compile(r"\b([a-z][a-z0-9_]*)/([SCG][1-9]\d*)\b")
TOKEN = re.compile(
    r"(?P<comment>#.*)|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<number>\b\d[\w.]*)|(?P<keyword>\b(?:for|in|if|elif|else|while|with|def|return|not"
    r"|and|or|is|None|True|False|as|lambda|pass|del)\b)|(?P<call>\b[A-Za-z_][\w.]*(?=\())")
SCHEMA = re.compile(r"(?P<keyword>\b(?:Tensor|Scalar|ScalarType|Device|MemoryFormat|int|float"
                    r"|bool|str)\b)|(?P<number>(?<==)[^,)]+)|(?P<call>^\w+)")
SCRIPT = """
const root = document.documentElement;
try { if (localStorage.getItem("theme")) root.dataset.theme = localStorage.getItem("theme"); }
catch (error) { /* nothing kept */ }
addEventListener("DOMContentLoaded", () => {
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  document.getElementById("theme").onclick = () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); }
    catch (error) { /* not kept */ }
  };
  const find = document.getElementById("find");
  find.oninput = () => document.querySelectorAll(".nav li").forEach((li) => {
    li.hidden = !li.dataset.find.includes(find.value.toLowerCase().trim());
  });
  find.onkeydown = (e) => {
    const first = document.querySelector(".nav li:not([hidden]) a");
    if (e.key === "Enter" && first) location.href = first.href;
  };
  addEventListener("keydown", (e) => {
    if (e.key !== "/" || /INPUT/.test(e.target.tagName)) return;
    e.preventDefault();
    find.focus();
  });
});
"""


def coloured(pattern, text):
    out, at = [], 0
    for m in pattern.finditer(text):
        out += [escape(text[at:m.start()], quote=False),
                f'<span class="{m.lastgroup}">{escape(m.group(), quote=False)}</span>']
        at = m.end()
    return "".join(out) + escape(text[at:], quote=False)


def unescape_code(text):
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace(
        "&amp;", "&")


class Site:
    def __init__(self, spec, data):
        self.pages = spec_pages.read_all(spec)
        self.found = coverage.build(spec, data)
        self.root = spec.parent
        self.labels = {f"{p.name}/{n}" for p in self.pages.values() for n in p.rules}
        self.stubs = vocabulary.stubs()
        self.ops = {o.name: p.name for p in self.pages.values() for o in p.ops}

    # ---- text --------------------------------------------------------------------------

    def link(self, html):
        """Link scope ids and rule labels wherever they stand in text."""
        def text(part):
            part = coverage.SCOPE_IN_TEXT.sub(
                lambda m: f'<a class="scope" href="index.html#{m[0]}">{m[0]}</a>'
                if m[0] in self.found["scope"] else m[0], part)  # else no page serves it yet
            return LABEL.sub(lambda m: coverage.rule_link(m.group(0))
                             if m.group(0) in self.labels else m.group(0), part)
        return "".join(p if p.startswith("<") else text(p) for p in TEXT.split(html))

    def prose(self, page):
        body = markdown.markdown(page.prose, extensions=["tables", "fenced_code",
                                                           "sane_lists"])
        body = re.sub(r"<h1>.*?</h1>", lambda m: f"<h1>{inline(page.title)}</h1>", body,
                      count=1, flags=re.S)
        body = RULE_ITEM.sub(lambda m: f'<li class="rule" id="{m[2]}">{m[1] or ""}'
                          f'<a class="label" href="#{m[2]}">{m[2]}</a>'
                          + self.check(page, m[2]), body)
        examples = itertools.count(1)

        def block(m):
            text = f"<pre><code>{coloured(TOKEN, unescape_code(m[2]))}</code></pre>"
            if m[1] != ' class="language-python"':
                return text
            return text + f'<p class="case">case {page.name}/example/{next(examples)}</p>'

        body = re.sub(r"<pre><code([^>]*)>(.*?)</code></pre>", block, body, flags=re.S)
        body = body.replace("<table>", '<div class="scroll"><table>').replace(
            "</table>", "</table></div>")
        body = re.sub(r"<h2>(.*?)</h2>", lambda m: f'<h2 id="{slug(m[1])}">{m[1]}</h2>', body)
        body = re.sub(r'href="([a-z_]+)\.md(?=[#"])', lambda m: f'href="{spec_pages.file_of(m[1])}.html', body)
        return self.link(body)

    def check(self, page, name):
        error = page.raw.get("checks", {}).get(name)
        if error and error in page.rules[name][1]:
            error = None  # the text says it already
        rule = self.found["pages"][page.name]["rules"][name]
        n = rule["cases"]
        if n:
            served = f'<span class="cases">{n} case{"" if n == 1 else "s"}</span>'
        elif rule["tests"]:
            served = f'<span class="cases" title="{escape(", ".join(rule["tests"]))}">test</span>'
        else:
            served = '<span class="cases none">no case</span>'
        return (f'<code class="error">{error}</code> ' if error else "") + served

    # ---- parts -------------------------------------------------------------------------

    def op(self, o):
        return (f'<section class="op" id="op-{o.name}"><pre class="schema"><code>'
                f'{coloured(SCHEMA, o.schema)}</code></pre>{arguments.table(o)}'
                f"{arguments.facts(o, spec_pages.CLASSES)}</section>")

    def words(self, page):
        """What the stubs that name this page say of the case language."""
        stubs = [s for s in self.stubs if f"spec/areas/{page.name}.md" in s.about]
        return "".join(['<h2 id="words">Words</h2>' if stubs else ""] + [
            f"<p>{inline(s.about.split(' (spec/')[0])}</p><pre><code>"
            + coloured(TOKEN, "\n".join(w.signature() for w in s.words)) + "</code></pre>"
            for s in stubs])

    def dtypes(self, page):
        if not any(o.raw["dtypes"] for o in page.ops):
            return ""
        head = "".join(f'<th scope="col">{d}</th>' for d in spec_pages.DTYPES)
        rows = "".join(
            f'<tr><th scope="row"><a href="#op-{o.name}">{o.name}</a></th>' + "".join(
                '<td class="has">yes</td>' if d in o.raw["dtypes"]
                else '<td class="no">–</td>' for d in spec_pages.DTYPES) + "</tr>" for o in page.ops)
        return ('<h2 id="dtypes">Dtypes</h2><div class="scroll"><table class="dtypes"><thead>'
                f"<tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>")

    def page(self, page):
        scope = " ".join(f'<a class="scope" href="index.html#{s}">{s}</a>'
                         for s in page.raw["scope"])
        facts = (f'<p class="facts"><a href="index.html#{page.raw["level"]}">'
                 f'{page.raw["level"]}</a> {scope}</p>')
        title, _, rest = self.prose(page).partition("</h1>")
        ops = ('<h2 id="ops">Operators</h2>' + "".join(self.op(o) for o in page.ops)
               if page.ops else "")
        return (title + "</h1>" + facts + rest + ops + self.dtypes(page) + self.words(page)
                + f'<p class="source">Source: {escape(str(page.raw["source"]))}</p>')

    def index(self):
        lacking = len(self.found["rules_without_cases"])
        out = ["<h1>The spec</h1>",
               f'<p class="sub">{len(self.pages)} pages, {len(self.ops)} operators, '
               f'{len(self.labels)} rules, {self.found["cases"]:,} golden cases. '
               f'<a href="coverage.html">Coverage</a>: {lacking} rules without a case.</p>']
        for level, what in LEVELS.items():
            here = [p for p in self.pages.values() if p.raw["level"] == level]
            if not here:
                continue
            rows = "".join(
                f'<tr><th scope="row"><a href="{spec_pages.file_of(p.name)}.html">{p.name}</a></th>'
                f'<td>{inline(p.title)}</td>'
                f'<td class="num">{len(p.ops) or ""}</td>'
                f'<td class="num">{len(p.rules)}</td></tr>'
                for p in sorted(here, key=lambda p: p.name))
            out.append(f'<h2 id="{level}">{level} <span class="muted">{what}</span></h2>'
                       '<div class="scroll"><table class="pages"><thead><tr><th>page</th>'
                       '<th>what</th><th class="num">ops</th><th class="num">rules</th></tr>'
                       '</thead>'
                       f"<tbody>{rows}</tbody></table></div>")
        out.append('<h2 id="ops">Operators</h2><p class="ops">' + " ".join(
            f'<a href="{spec_pages.file_of(page)}.html#op-{name}">{name}</a>'
            for name, page in sorted(self.ops.items())) + "</p>")
        out.append('<h2 id="scope">Scope</h2>' + coverage.scope_table(
            dict(self.found, lacking=set(self.found["rules_without_cases"]))))
        return "".join(out)

    # ---- frame -------------------------------------------------------------------------

    def nav(self, current):
        groups = {}
        for p in sorted(self.pages.values(), key=lambda p: p.name):
            groups.setdefault(p.raw["level"], []).append(p)
        out = []
        for level, here in sorted(groups.items()):
            items = "".join(
                f'<li data-find="{escape(" ".join([p.name] + [o.name for o in p.ops]))}">'
                f'<a href="{spec_pages.file_of(p.name)}.html"{" aria-current=page" if p.name == current else ""}>'
                f"{p.name}</a></li>" for p in here)
            out.append(f"<h2>{level}</h2><ul>{items}</ul>")
        return "".join(out)

    def frame(self, title, body, current=""):
        here = {current: " aria-current=page"}
        tabs = "".join(f'<a href="{n}.html"{here.get(n, "")}>{t}</a>'
                       for n, t in (("index", "Index"), ("coverage", "Coverage"),
                                    ("faults", "Faults")))
        return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                f"<title>{escape(title)} · Touchstone spec</title>\n"
                '<link rel="stylesheet" href="style.css">\n<script src="script.js"></script>\n'
                '</head>\n<body>\n<a class="skip" href="#main">Skip to the text</a>\n'
                f'<header class="bar"><a class="brand" href="index.html">Touchstone spec</a>'
                f'<nav class="top">{tabs}</nav><span class="spacer"></span><button id="theme" '
                'class="quiet" title="Light or dark"><span aria-hidden="true">◐</span>'
                '<span class="sr">Light or dark</span></button></header>\n'
                '<div class="frame"><nav class="nav" aria-label="Pages"><input id="find" '
                'type="search" placeholder="Page or op   /" aria-label="Find a page or op">'
                f'{self.nav(current)}</nav>\n<main id="main">{body}</main></div>\n'
                "</body>\n</html>\n")

    def write(self, css, out):
        out.mkdir(parents=True, exist_ok=True)
        files = {"style.css": css, "script.js": SCRIPT.lstrip(),
                 "index.html": self.frame("Index", self.index(), "index"),
                 "coverage.html": self.frame("Coverage", coverage.page_html(self.found),
                                             "coverage"),
                 "faults.html": self.frame("Faults", kills.page_html(self.root), "faults")}
        for p in self.pages.values():
            files[f"{spec_pages.file_of(p.name)}.html"] = self.frame(p.title, self.page(p), p.name)
        for old in out.glob("*.html"):
            if old.name not in files:
                old.unlink()
        for name, text in files.items():
            (out / name).write_text(text, encoding="utf-8")


def inline(text):
    """A title: only `code` is markup, so that `new_*` stays as it is."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))


def slug(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def main(spec, data, base_css, out, stamp, depfile):
    own = Path(__file__).parent
    site = Site(Path(spec), Path(data))
    site.write(Path(base_css).read_text(encoding="utf-8")
               + (own / "website.css").read_text(encoding="utf-8"), Path(out))
    read = [p.path for p in site.pages.values()] + sorted(Path(data).glob("*.cases")) \
        + [s.path for s in site.stubs] + kills.files(Path(spec).parent)
    Path(depfile).write_text(f"{stamp}: " + " ".join(
        str(p).replace(" ", "\\ ") for p in read) + "\n")
    Path(stamp).write_text("")


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except spec_pages.PageError as e:
        sys.exit(str(e))
