# SPDX-License-Identifier: Apache-2.0
"""The page as a file: what the program puts into it, and what it says of bad results files.

    test_writer.py PROGRAM ARGS...      run as PROGRAM ARGS... OUT RESULTS...
"""
import base64
import json
import re
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import make_results  # noqa: E402

COMMAND = []
ELEMENT = re.compile(r'<script type="text/plain" id="([^"]+)">([A-Za-z0-9+/=]*)</script>')


def data_of(page):
    return {name: json.loads(zlib.decompress(base64.b64decode(text)))
            for name, text in ELEMENT.findall(page)}


class Writer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, *results):
        out = self.folder / "page.html"
        run = subprocess.run([*COMMAND, out, *results], capture_output=True, text=True)
        return run, out

    def results(self, text, name="results.json"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def refused(self, text, *said):
        run, out = self.write(self.results(text))
        self.assertEqual(run.returncode, 2, run.stderr)
        for words in said:
            self.assertIn(words, run.stderr)
        self.assertFalse(out.exists())
        self.assertEqual(list(self.folder.glob("page.html*")), [], "a draft was left behind")

    def test_every_case_is_in_the_page_once(self):
        path = self.folder / "a.json"
        make_results.main(300, 1, path)
        run, out = self.write(path)
        self.assertEqual(run.returncode, 0, run.stderr)
        data = data_of(out.read_text())
        wanted = [json.loads(line) for line in path.read_text().splitlines()]
        index = data["i0"]
        self.assertEqual(index["id"], [c["id"] for c in wanted[:-1]])
        for key, value in wanted[-1]["summary"].items():
            if isinstance(value, float):
                self.assertAlmostEqual(index["summary"][key], value, delta=1e-5 * value)
            else:
                self.assertEqual(index["summary"][key], value)
        chunks = [c for k in range(len(index["chunks"])) for c in data[f"c0.{k}"]]
        self.assertEqual([c["id"] for c in chunks], index["id"])
        self.assertEqual(index["chunks"][-1], 300)
        self.assertEqual(chunks[3]["verdict"], "FAIL")
        self.assertEqual(chunks[3], wanted[3], "a failing case keeps every digit")
        self.assertEqual([u is None for u in index["used"]],
                         [all(e["class"] != "bound" for e in c["expect"]) for c in wanted[:-1]])
        for got, case in zip(index["worst"], wanted):
            worst = [e["worst"] for e in case["expect"] if e["class"] == "bound"]
            if not worst:
                self.assertIsNone(got)
            elif any(isinstance(w, str) for w in worst):
                self.assertEqual(got, "inf")
            else:
                self.assertAlmostEqual(got, max(worst), delta=1e-5 * max(worst))

    def test_text_of_a_case_cannot_end_its_element(self):
        nasty = "</script><script>alert(1)</script><!-- \\ \" \u2028 ]]>"
        path = self.results(json.dumps({"id": nasty, "verdict": "PASS", "program": nasty,
                                        "rules": [nasty]}) + "\n")
        plain = self.results('{"id":"a","verdict":"PASS"}\n', "plain.json")
        run, out = self.write(path)
        self.assertEqual(run.returncode, 0, run.stderr)
        page = out.read_text()
        self.assertNotIn("alert(1)", page)
        self.assertEqual(data_of(page)["c0.0"][0]["program"], nasty)
        self.write(plain)
        self.assertEqual(page.count("<script"), out.read_text().count("<script"))

    def test_the_page_asks_for_nothing_outside_itself(self):
        run, out = self.write(self.results('{"id":"a","verdict":"PASS"}\n'))
        page = ELEMENT.sub("", out.read_text())
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r"https?://|@import|<link|\bsrc=|\bfetch\(|XMLHttpRequest")

    def test_several_runs(self):
        one = self.results('{"id":"a","verdict":"PASS"}\n', "one.json")
        two = self.results('{"id":"a","verdict":"FAIL"}\n', "two.json")
        run, out = self.write(one, two)
        self.assertEqual(run.returncode, 0, run.stderr)
        data = data_of(out.read_text())
        self.assertEqual([data["i0"]["name"], data["i1"]["name"]], ["one.json", "two.json"])
        self.assertEqual(data["c1.0"][0]["verdict"], "FAIL")

    def test_long_lines_and_no_final_newline(self):
        many = {"id": "a", "verdict": "FAIL", "program": "x\n" * 400000}
        run, out = self.write(self.results(json.dumps(many)))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(data_of(out.read_text())["c0.0"], [many])

    def test_refused(self):
        good = '{"id":"a","verdict":"PASS"}\n'
        rows = [
            ("", "results.json:1:1"),
            (good + '{"id":"b",\n', "results.json:2:"),
            (good + "[1]\n", "results.json:2:1", "neither a case"),
            ('{"id":1,"verdict":"PASS"}\n', "results.json:1:1", "neither a case"),
            ('{"id":"a","verdict":"FINE"}\n', "results.json:1:1", "known \"verdict\""),
            ('{"id":"a"}\n', "results.json:1:1", "verdict"),
            ('{"id":"a","id":"b","verdict":"PASS"}\n', "results.json:1:", "duplicate"),
            ('{"id":"a","verdict":"PASS","ms":NaN}\n', "results.json:1:"),
            (good.encode() + b'{"id":"\xff","verdict":"PASS"}\n', "results.json:2:",
             "byte 0xff"),
            (b"\0" * 64 + b"\n", "results.json:1:"),
        ]
        for text, *said in rows:
            with self.subTest(text=text):
                self.refused(text, *said)

    def test_missing_file_and_folder(self):
        run, _ = self.write(self.folder / "none.json")
        self.assertEqual(run.returncode, 2)
        self.assertIn("none.json: No such file", run.stderr)
        path = self.results('{"id":"a","verdict":"PASS"}\n')
        run = subprocess.run([*COMMAND, self.folder / "no/page.html", path],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("no/page.html: No such file", run.stderr)

    def test_an_older_page_survives_a_bad_file(self):
        _, out = self.write(self.results('{"id":"a","verdict":"PASS"}\n'))
        before = out.read_bytes()
        run, _ = self.write(self.results("{\n", "bad.json"))
        self.assertEqual(run.returncode, 2)
        self.assertEqual(out.read_bytes(), before)


if __name__ == "__main__":
    COMMAND += sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
