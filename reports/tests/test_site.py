# SPDX-License-Identifier: Apache-2.0
"""The spec's site: every link leads somewhere, every rule is an anchor, markup is balanced.

    test_site.py SITE SPEC_GEN SPEC
"""
import sys
import unittest
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "input", "br", "hr", "img", "col"}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.open, self.faults, self.code = [], [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        if self.open:
            self.faults.append(f"never closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.links += [attrs[k] for k in ("href", "src") if k in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"line {self.getpos()[0]}: </{tag}> closes nothing")


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {p.name: Page(p) for p in SITE.glob("*.html")}

    def test_markup(self):
        for name, page in self.pages.items():
            self.assertEqual(page.faults, [], name)
            self.assertEqual(sorted(set(page.ids)), sorted(page.ids), f"{name}: an id twice")

    def test_links(self):
        for name, page in self.pages.items():
            for link in page.links:
                self.assertNotIn("//", link, f"{name} leaves the site")
                file, _, anchor = link.partition("#")
                target = file or name
                self.assertTrue((SITE / target).is_file(), f"{name}: {link}")
                if anchor:
                    self.assertIn(anchor, self.pages[target].ids, f"{name}: {link}")

    def test_rules_and_ops_are_anchors(self):
        for page in spec_pages.read_all(SPEC).values():
            ids = set(self.pages[f"{spec_pages.file_of(page.name)}.html"].ids)
            self.assertLessEqual(set(page.rules) | {f"op-{o.name}" for o in page.ops}, ids,
                                 page.name)

    def test_every_argument_has_its_row(self):
        for page in spec_pages.read_all(SPEC).values():
            text = (SITE / f"{spec_pages.file_of(page.name)}.html").read_text(encoding="utf-8")
            for o in page.ops:
                section = text.partition(f'id="op-{o.name}"')[2].partition("</section>")[0]
                for p in o.params:
                    self.assertIn(f'<th scope="row"><code>{p.name}</code>', section, o.name)

    def test_no_markdown_is_left(self):
        for path in SITE.glob("*.html"):
            text = path.read_text(encoding="utf-8")
            self.assertNotIn("```", text, path.name)
            self.assertNotRegex(text, r"\*\*[SCG]\d|(?m:^- )", path.name)


if __name__ == "__main__":
    SITE, SPEC = Path(sys.argv[1]), Path(sys.argv[3])
    sys.path.insert(0, sys.argv[2])
    import pages as spec_pages
    unittest.main(argv=sys.argv[:1])
