# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: Chromium, driven by python3-selenium and chromium-driver.

    test_report.py [--large COUNT] PROGRAM ARGS...

Pages are made as PROGRAM ARGS... OUT RESULTS...

Exit status 77, with the reason, where the browser or its driver is not installed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import make_results  # noqa: E402

COMMAND = []
LARGE = 100_000
SMALL = 400


def missing():
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        return "chromium is not installed"
    if not shutil.which("chromedriver"):
        return "chromium-driver is not installed"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "python3-selenium is not installed for " + sys.executable
    return None


def start_browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    options = Options()
    flags = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    for flag in flags:
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.a, cls.b = cls.folder / "a.json", cls.folder / "b.json"
        make_results.main(SMALL, 1, cls.a, "cpu")
        make_results.main(SMALL - 10, 7, cls.b, "other")
        cls.page = cls.make("page.html", cls.a)
        cls.both = cls.make("both.html", cls.a, cls.b)
        cls.browser = start_browser()
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def make(cls, name, *results):
        out = cls.folder / name
        subprocess.run([*COMMAND, out, *results], check=True)
        return out

    def tearDown(self):
        said = [e["message"] for e in self.browser.get_log("browser")
                if e["source"] != "rendering"]  # advice on speed, brought on by the test
        self.assertEqual(said, [], "the browser's console is not silent")

    # ---- what a test says to the page --------------------------------------------------

    def js(self, code, *args):
        return self.browser.execute_script(code, *args)

    def until(self, code, what, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.js(f"return {code}")
            if value:
                return value
            time.sleep(0.02)
        self.fail(f"never came: {what} ({code})")
        return None

    def open(self, page, hash_="", width=1280, height=900, dark=False):
        self.size(width, height)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.browser.get("about:blank")
        self.browser.get(page.as_uri())
        self.js("try { localStorage.clear(); } catch (error) {}")
        self.browser.get("about:blank")
        self.browser.get(page.as_uri() + hash_)
        self.until("document.documentElement.dataset.ready", "the page")

    def size(self, width, height):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.textContent", selector)

    def click(self, selector):
        self.browser.find_element("css selector", selector).click()

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        actions = ActionChains(self.browser)
        for key in keys:
            actions.send_keys(getattr(Keys, key, key))
        actions.perform()

    def choose(self, select, value):
        self.js("const e = document.getElementById(arguments[0]); e.value = arguments[1]; "
                "e.dispatchEvent(new Event('change'))", select, value)

    def found(self):
        return self.js("return filtered().length")

    def verdicts(self, shift=0, count=SMALL):
        wanted = {}
        for i in range(count):
            v = make_results.verdict_of(i + shift, count)
            wanted[v] = wanted.get(v, 0) + 1
        return wanted

    # ---- tests -------------------------------------------------------------------------

    def test_overview_counts(self):
        self.open(self.page)
        wanted = self.verdicts()
        failing = sum(wanted[v] for v in make_results.BAD)
        self.assertEqual(self.text("#overview h1"),
                         f"{wanted['PASS']} of {SMALL} cases pass{failing} fail")
        self.assertIn("Exit status 1", self.text("#overview .sub"))
        shown = self.js("return Object.fromEntries([...document.querySelectorAll("
                        "'#overview .chip')].map((e) => [e.dataset.verdict, "
                        "Number(e.lastChild.textContent)]))")
        self.assertEqual(shown, wanted)
        facts = self.text("#overview .facts")
        for part in ("cpu 0.1.0", "strict", "PyTorch 2.15.0"):
            self.assertIn(part, facts)
        self.assertIsNone(self.text("#overview .notice"))
        self.assertIn("PyTorch’s own", self.text("#overview"))
        tables = self.js("return [...document.querySelectorAll('#overview table')]"
                         ".slice(0, 2).map((t) => [...t.querySelectorAll('tbody tr')].map((r) => "
                         "Number(r.children[1].textContent)).reduce((a, b) => a + b))")
        self.assertEqual(tables, [SMALL, SMALL], "levels and provenances add up to all")

    def test_a_run_cut_short_says_so(self):
        cut = self.folder / "cut.json"
        cut.write_text("".join(self.a.read_text().splitlines(True)[:20]))
        self.open(self.make("cut.html", cut))
        self.assertIn("cut short", self.text("#overview .notice"))

    def test_chip_filters_and_back_returns(self):
        self.open(self.page)
        self.click("#overview .chip[data-verdict=FAIL]")
        self.until("!document.getElementById('cases').hidden", "the list")
        self.assertEqual(self.found(), self.verdicts()["FAIL"])
        self.assertIn("verdict=FAIL", self.browser.current_url)
        self.browser.back()
        self.until("!document.getElementById('overview').hidden", "the overview")

    def test_matrix_filters(self):
        self.open(self.page, "#view=matrix&rows=page")
        cells = self.js("return [...document.querySelectorAll('#matrix .cell')].map((e) => "
                        "e.textContent.match(/^(?:\\d+\\/)?(\\d+)/)).filter(Boolean)"
                        ".map((m) => Number(m[1])).reduce((a, b) => a + b)")
        self.assertEqual(cells, SMALL)
        self.click('#matrix [title^="softmax float16"]')
        kinds = self.js("return [...new Set(filtered().map((i) => run().page[i] + ' ' + "
                        "run().dtype[i]))]")
        self.assertEqual(kinds, ["softmax float16"])
        self.press("2")
        self.js("document.querySelector('#matrix [tabindex=\"0\"]').focus()")
        self.press("ARROW_DOWN", "ARROW_RIGHT", "ENTER")
        self.until("!document.getElementById('cases').hidden", "the list, by keyboard")
        self.assertIn("page=cat", self.browser.current_url)
        self.press("2")
        self.click("#matrix .choice button")
        self.click('#matrix [title^="t float32"]')
        ops = self.js("return filtered().map((i) => run().ops[i].split(' ').includes('t') && "
                      "run().dtype[i] === 'float32')")
        self.assertTrue(ops and all(ops))
        self.assertIn("op t", self.text("#found"))

    def test_failures_come_first(self):
        self.open(self.page, "#view=cases")
        order = self.js("return filtered().map((i) => run().verdict[i])")
        self.assertEqual(order, sorted(order))
        self.assertEqual(self.js("return VERDICTS[run().verdict[filtered()[0]]]"), "FAIL")

    def test_text_filter_by_keyboard(self):
        self.open(self.page)
        self.press("/")
        self.assertEqual(self.js("return document.activeElement.id"), "filter")
        self.press(*"softmax/S3 float16")
        wanted = self.js("return run().id.filter((id, i) => id.includes('float16') && "
                         "run().rules[i].includes('softmax/S3')).length")
        self.assertGreater(wanted, 0)
        self.until(f"filtered().length === {wanted}", "the filtered list")
        self.assertTrue(self.text("#found").startswith(f"{wanted} of {SMALL}"))
        self.press("ENTER")
        self.until("!document.getElementById('detail').hidden", "the first case")
        self.press("ESCAPE")
        self.until("document.getElementById('detail').hidden", "the closed case")
        self.press("ESCAPE")
        self.until(f"filtered().length === {SMALL}", "all cases again")

    def test_nothing_found(self):
        self.open(self.page, "#filter=no-such-thing")
        self.assertIn("No case", self.text("#list"))
        self.click("#clear")
        self.until(f"filtered().length === {SMALL}", "all cases again")

    def test_selects(self):
        self.open(self.page, "#view=cases")
        for key, value in (("level", "L3"), ("dtype", "int64"),
                           ("provenance", "run-cpu@2.15.0")):
            self.choose(f"f-{key}", value)
        rows = self.js("return filtered().map((i) => [run().level[i], run().dtype[i], "
                       "run().provenance[i]])")
        self.assertGreater(len(rows), 0)
        self.assertTrue(all(r == ["L3", "int64", "run-cpu@2.15.0"] for r in rows))
        self.assertIn("level=L3", self.browser.current_url)

    def test_drill_down(self):
        self.open(self.page, "#view=cases&verdict=FAIL")
        self.click("#list .row:nth-child(2)")
        self.until("document.querySelector('#detail .pic')", "the picture")
        case = self.js("return run().item(run().row(state.case))")
        self.assertEqual(self.text("#detail h1"), case["id"])
        self.assertEqual(self.text("#program"), case["program"])
        self.assertEqual(self.text("#reproduce"), case["reproduce"])
        self.assertEqual(self.text("#detail .reason"), case["reason"])
        self.assertIn("--variant transposed", self.text("#reproduce"))
        for rule in case["rules"]:
            self.assertIn(rule, self.text("#detail .rules"))
        self.assertTrue(self.text("#program .call"), "the program is coloured")
        self.assertIn("case=" + case["id"], self.browser.current_url)
        self.click("#copy")
        self.until("document.getElementById('copy').textContent === 'Copied'", "the copy")

    def test_picture(self):
        self.open(self.page, "#case=add/bfloat16/dim0_100")
        self.until("document.querySelector('#detail .pic canvas')?.width > 300", "the picture")
        p = "document.querySelector('#detail .pic').picture"
        case = self.js("return run().item(run().row(state.case))")
        e = case["expect"][0]
        self.assertEqual(self.js(f"return {p}.n"), 72)
        self.assertEqual(self.js(f"return {p}.outside"),
                         sum(isinstance(x, str) or x > 1 for x in e["error"]))
        self.assertIn(f"{self.js(f'return {p}.outside')} outside", self.text("#detail .used"))
        self.assertIn(f"PyTorch’s own result: {e['used']:.3g} ×", self.text("#detail .used"))
        read = self.text("#detail .read")
        self.assertIn("[0, 0, 4]", read)
        self.assertIn("got nan", read)
        self.js("document.querySelector('#detail .stage').focus()")
        self.press("HOME", "ARROW_RIGHT", "ARROW_DOWN")
        self.assertIn("[0, 1, 1]", self.text("#detail .read"))
        self.press("w")
        self.assertIn("[0, 0, 4]", self.text("#detail .read"))
        # A cell outside the bound is red and crossed, one inside is not.
        outside = self.js(f"return {p}.ratio.findIndex((x) => x > 1 && Number.isFinite(x))")
        inside = self.js(f"return {p}.ratio.findIndex((x) => x < .3)")
        colour = ("const p = document.querySelector('#detail .pic').picture; "
                  "const [x, y] = p.place(arguments[0]); "
                  "return [...p.map.getContext('2d').getImageData(x + 2, y + 2, 1, 1).data]")
        red, calm = self.js(colour, outside), self.js(colour, inside)
        self.assertGreater(red[0] - red[2], 80)
        self.assertLess(abs(calm[0] - calm[2]), 80)
        self.click("#detail summary")
        self.until("document.querySelectorAll('#detail details tr').length === 73", "rows")
        self.assertIn("[0, 0, 4]", self.text("#detail details tbody tr"))

    def test_list_by_keyboard(self):
        self.open(self.page, "#view=cases")
        self.press("j", "j", "j", "k")
        self.until("state.case", "a case")
        self.assertEqual(self.js("return filtered().indexOf(run().row(state.case))"), 1)
        self.js("document.getElementById('list').focus()")
        self.press("END")
        self.until(f"list.at === {SMALL - 1}", "the last row")
        selected = self.js("return document.getElementById(document.getElementById('list')"
                           ".getAttribute('aria-activedescendant')).ariaSelected")
        self.assertEqual(selected, "true")
        self.press("ENTER")
        self.until("document.activeElement.id === 'detail'", "focus in the case")
        self.press("ESCAPE")
        self.until("document.activeElement.id === 'list'", "focus in the list")

    def test_deep_link_to_what_is_not_there(self):
        self.open(self.page, "#case=no/such/case")
        self.until("document.querySelector('#detail .notice')", "the notice")
        self.assertIn("no/such/case", self.text("#detail"))
        self.open(self.page, "#view=nonsense&run=9&verdict=WHAT&sort=%00")
        self.assertFalse(self.js("return document.getElementById('cases').hidden"))

    def test_markup_in_a_case_stays_text(self):
        self.open(self.page, "#filter=out_&verdict=PASS&sort=file")
        self.press("j")
        self.until("document.querySelector('#detail .pair')", "the error expectation")
        self.assertIn("</script>", self.text("#detail .pair"))

    def test_rules(self):
        self.open(self.page, "#view=rules&rule=softmax/S3")
        target = self.js("return document.querySelector('.rule.target').id")
        self.assertEqual(target, "softmax/S3")
        self.click(".rule.target .counts button:last-child")
        self.until("state.view === 'cases'", "the cases of the rule")
        self.assertTrue(self.js("return filtered().every((i) => run().rules[i].split(' ')"
                                ".includes('softmax/S3'))"))

    def test_compare(self):
        self.open(self.both, "#view=compare")
        differing = sum(
            i >= SMALL - 10 or make_results.verdict_of(i, SMALL)
            != make_results.verdict_of(i + 13, SMALL - 10) for i in range(SMALL))
        self.assertEqual(self.text("#compare-head h1"), f"{differing} of {SMALL} cases differ")
        self.assertEqual(self.js("return compared.length"), differing)
        self.click('[data-flow^="PASS>TIMEOUT"]')
        flow = sum(make_results.verdict_of(i, SMALL) == "PASS"
                   and make_results.verdict_of(i + 13, SMALL - 10) == "TIMEOUT"
                   for i in range(SMALL - 10))
        self.assertEqual(self.js("return compared.length"), flow)
        self.js("document.getElementById('compare-list').focus()")
        self.press("ARROW_DOWN", "ENTER")
        self.until("document.querySelector('#detail h1')", "the case")
        self.until("document.querySelector('#detail header .v')?.textContent === 'TIMEOUT'",
                   "the run where it fares worst")
        self.assertIn("a.json", self.text("#detail"))
        self.choose("run", "0")
        self.until("document.querySelector('#detail header .v')?.textContent === 'PASS'",
                   "the same case in the other run")

    def test_compare_three(self):
        """A third run: each case has a verdict of every run, absent ones too."""
        c = self.folder / "c.json"
        make_results.main(SMALL, 1, c, "cpu")
        page = self.make("three.html", self.a, self.b, c)
        self.open(page, "#view=compare")
        head = self.text("#compare-head")
        for name in ("a.json", "b.json", "c.json"):
            self.assertIn(name, head + self.text("#compare-names"))
        self.assertTrue(self.js("return compared.every((c) => c.v.length === 3 && c.differs)"))
        self.assertTrue(self.js("return compared.every((c) => c.v[0] === c.v[2])"))
        self.assertTrue(self.js("return [...document.querySelectorAll('[data-flow]')].every("
                                "(e) => e.dataset.flow.endsWith('>1'))"))

    def perf(self, rows, head='{"perf":1,"suite":"mine","machine":"<b>m</b>","build":"b"}'):
        results, page = self.folder / "perf.jsonl", self.folder / "perf.html"
        results.write_text("\n".join([head, *map(json.dumps, rows)]) + "\n")
        return page, subprocess.run([*COMMAND, page, "--perf", results], capture_output=True,
                                    text=True)

    def test_perf(self):
        row = {"name": "add", "shape": [16], "dtype": "float32", "unit": "ns", "better": "lower",
               "median": 20, "min": 10, "max": 40, "repeats": 7, "checked": True}
        slow = {**row, "name": "</script>", "peer": "add", "ratio": 0.5, "floor": 0.8,
                "checked": False}
        page, made = self.perf([row, {**slow, "ratio": 1.6, "name": "good"}, slow])
        self.assertEqual(made.stderr, "")
        self.open(page)
        self.assertEqual(self.text("h1"), "1 of 2 below their floor")
        self.assertEqual(self.js("return document.querySelectorAll('tbody tr').length"), 3)
        self.assertIn("</script>", self.text("tbody tr:last-child"))
        self.assertIn("not checked", self.text("tbody tr:last-child"))
        self.assertIn("<b>m</b>", self.text("section .sub"))
        self.assertIn("150 % of 7", self.text("tbody tr"))
        width = ("const r = document.querySelectorAll('svg rect:not(.track)'); "
                 "return r[0].getBoundingClientRect().width / r[1].getBoundingClientRect().width")
        self.assertAlmostEqual(self.js(width), 3.2, places=1)
        self.assertEqual(self.js("return document.querySelectorAll('.floor').length"), 2)
        light = self.js("return getComputedStyle(document.body).backgroundColor")
        self.press("t")
        self.assertNotEqual(self.js("return getComputedStyle(document.body).backgroundColor"),
                            light)
        self.open(page, width=390)
        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), 390)

    def test_perf_refuses(self):
        row = {"name": "add", "unit": "ns", "better": "lower", "median": 20, "min": 10, "max": 40,
               "repeats": 7}
        for rows, why in (([], "no results"), ([{**row, "min": 30}], "0 < min"),
                          ([{**row, "median": "20"}], "no number"),
                          ([{"name": "add"}], 'no "unit"'),
                          ([{**row, "ratio": 2}], '"peer"'), ([{**row, "rate": 2}], '"limit"')):
            _, made = self.perf(rows)
            self.assertEqual(made.returncode, 2, why)
            self.assertIn(why, made.stderr)
        _, made = self.perf([row], head='{"summary":{}}')
        self.assertIn('no "perf": 1', made.stderr)

    def test_one_run_has_nothing_to_compare(self):
        self.open(self.page, "#view=compare")
        self.assertFalse(self.js("return document.getElementById('overview').hidden"))
        self.assertTrue(self.js("return document.getElementById('tab-compare').hidden"))

    def test_light_and_dark(self):
        light = "rgb(250, 250, 248)"
        background = "return getComputedStyle(document.body).backgroundColor"
        self.open(self.page)
        self.assertEqual(self.js(background), light)
        self.press("t")
        self.assertNotEqual(self.js(background), light)
        self.click("#theme")
        self.assertEqual(self.js(background), light)
        self.open(self.page, dark=True)
        self.assertNotEqual(self.js(background), light)

    def test_contrast(self):
        """Text on its background: at least 4.5, in both schemes."""
        code = """
          const parse = (c) => c.match(/[\\d.]+/g).map(Number);
          const light = (c) => { const [r, g, b] = c.map((x) => { x /= 255;
            return x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
            return .2126 * r + .7152 * g + .0722 * b; };
          const p = document.createElement("p"); document.body.append(p);
          const of = (name) => { p.style.color = `var(${name})`;
            return light(parse(getComputedStyle(p).color).slice(0, 3)); };
          const out = {};
          for (const back of ["--bg", "--surface"]) for (const ink of ["--ink", "--muted",
            "--accent", "--good", "--bad", "--wild", "--late", "--doubt", "--odd", "--calm",
            "--help"]) {
            const [a, b] = [of(back), of(ink)].sort((x, y) => y - x);
            out[ink + " on " + back] = (a + .05) / (b + .05);
          }
          p.remove(); return out;"""
        for dark in (False, True):
            self.open(self.page, dark=dark)
            for pair, ratio in self.js(code).items():
                self.assertGreaterEqual(ratio, 4.5, f"{pair}, dark {dark}")

    def test_phone(self):
        for hash_ in ("", "#view=matrix", "#view=cases", "#case=add/bfloat16/dim0_100",
                      "#view=rules"):
            self.open(self.page, hash_, width=390, height=800)
            width = self.js("return document.documentElement.scrollWidth")
            self.assertLessEqual(width, 390, hash_)
        self.open(self.page, "#view=cases", width=390, height=800)
        self.click("#list .row")
        self.until("document.querySelector('#detail h1')", "the case")
        self.assertFalse(self.js("return document.getElementById('list').checkVisibility()"))
        self.click("#close")
        self.until("document.getElementById('list').checkVisibility()", "the list")

    def test_roles(self):
        self.open(self.page, "#view=cases")
        self.press("j")
        unnamed = self.js("return [...document.querySelectorAll('button, input, select')]"
                          ".filter((e) => e.checkVisibility() && !(e.textContent.trim() || "
                          "e.ariaLabel || e.labels?.length)).map((e) => e.outerHTML)")
        self.assertEqual(unnamed, [])
        self.assertEqual(self.js("return document.querySelectorAll('[role=tab]"
                                 "[aria-selected=true]').length"), 1)
        self.press("?")
        self.assertTrue(self.js("return document.getElementById('help').open"))
        self.press("ESCAPE")
        self.assertFalse(self.js("return document.getElementById('help').open"))

    def test_print(self):
        self.open(self.page, "#view=cases")
        pdf = self.browser.execute_cdp_cmd("Page.printToPDF", {})["data"]
        self.assertGreater(len(pdf), 10000)
        failing = SMALL - self.verdicts()["PASS"]
        rows = self.js("return document.querySelectorAll('#print tr').length")
        self.assertEqual(rows, failing)

    def test_large(self):
        results = self.folder / "large.json"
        make_results.main(LARGE, 1, results)
        begin = time.monotonic()
        page = self.make("large.html", results)
        made = time.monotonic() - begin
        self.open(page, "#view=cases")
        ready = int(self.js("return document.documentElement.dataset.ready"))
        self.assertEqual(self.js("return filtered().length"), LARGE)
        self.assertLess(self.js("return document.querySelectorAll('.row').length"), 100)
        times = self.js("""
          const time = (f) => {
            const t = performance.now(); f(); return performance.now() - t; };
          return {filter: time(() => go({filter: "softmax/S3"}, true)),
            again: time(() => go({filter: "softmax/S3 float16"}, true)),
            sort: time(() => go({filter: "", sort: "bound"}, true)),
            matrix: time(() => go({view: "matrix"}, true))};""")
        self.open(page, "#verdict=PASS&sort=file")
        self.js("document.getElementById('list').focus()")
        self.press("END", "ENTER")
        self.until("document.querySelector('#detail h1')", "the last case")
        print(f"\n{LARGE} cases: results {results.stat().st_size >> 20} MiB, page "
              f"{page.stat().st_size >> 20} MiB made in {made:.1f} s, ready after {ready} ms; "
              + ", ".join(f"{k} {v:.0f} ms" for k, v in times.items()), file=sys.stderr)


if __name__ == "__main__":
    args = sys.argv[1:]
    if args[:1] == ["--large"]:
        LARGE, args = int(args[1]), args[2:]
    COMMAND += args
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
