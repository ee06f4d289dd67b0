# SPDX-License-Identifier: Apache-2.0
"""JUnit, TAP and JSON lines before those who read them: xmllint with a schema, prove, and what
spec/areas/results.md promises of every line. One run has every kind of verdict.

usage: formats_test.py TOUCHSTONE REFERENCE.so TRICKY.so
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOUCHSTONE, REFERENCE, TRICKY = sys.argv[1:4]
SCHEMA = Path(__file__).resolve().parent / "junit.xsd"
MUL = 'x = torch.tensor([1.0, 2.0, 3.0])\nexpect_equal(torch.mul(x, x), [1.0, 4.0, {}])\n'
ADD = "x = torch.tensor([1.0, 2.0])\nexpect_equal(torch.add(x, x), [2.0, 4.0])\n"
CASES = f"""\
# case t/float32/right
{MUL.format("9.0")}
# case t/float32/wrong
{MUL.format("8.0")}
# case t/float32/dies
{ADD}
# case t/float32/view
x = torch.tensor([1.0, 2.0])
expect_equal(x.view(2, 1).shape, (2, 1))

# case t/float32/ranks
# ranks: 2
{MUL.format("9.0")}
# case t/float32/known
{MUL.format("7.0")}
# case t/float32/better
{MUL.format("9.0")}
# case t/float32/trivial
x = torch.tensor([0.0, 0.0])
expect_equal(torch.mul(x, x), [0.0, 0.0])
"""
# Characters that each of the formats treats in a way of its own.
KNOWN = "t/float32/known  # it's \"7\" <&> 100 % # of it, \\ – ü\nt/float32/better  # FAIL: once\n"
TEXT, COUNT, LIST = str, int, list
CASE = {"id": TEXT, "page": TEXT, "level": TEXT, "rules": LIST, "verdict": TEXT,
        "provenance": TEXT, "ms": (int, float), "executions": COUNT, "line": COUNT, "file": TEXT,
        "dtype": TEXT, "ops": LIST, "program": TEXT, "expect": LIST}
SOMETIMES = {"reason": TEXT, "reproduce": TEXT, "variant": TEXT}
SUMMARY = {"passed": COUNT, "failed": COUNT, "cases": COUNT, "executions": COUNT,
           "verdicts": dict, "provenance": dict, "levels": dict, "seconds": (int, float),
           "rate": (int, float), "backend": TEXT, "backend_version": TEXT, "profile": TEXT,
           "torch": TEXT}
NUMBER = re.compile(r"nan|-?inf")


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        d = cls.dir = Path(cls.folder.name)
        (d / "my.cases").write_text(CASES)
        (d / "known").write_text(KNOWN)
        (d / "good.cases").write_text(CASES.split("# case t/float32/wrong")[0])
        env = {**os.environ, "TOUCHSTONE_REFERENCE": REFERENCE, "TRICK": "segv",
               "TRICK_CLAIMS": ""}
        for name in ("my", "good"):
            subprocess.run([TOUCHSTONE, "run", "--backend", TRICKY, "--junit", d / f"{name}.xml",
                            "--tap", d / f"{name}.tap", "--json", d / f"{name}.json",
                            "--expected-failures", d / "known", d / f"{name}.cases"], env=env,
                           capture_output=True, timeout=60)
        lines = (d / "my.json").read_text().splitlines()
        cls.lines = [json.loads(line, parse_constant=cls.fail) for line in lines]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_verdict_is_there(self):
        self.assertEqual([r["verdict"] for r in self.lines[:-1]],
                         ["PASS", "FAIL", "ERROR", "RUNTIME", "PASS", "XFAIL", "XPASS",
                          "MISTRUSTED"])

    @unittest.skipUnless(shutil.which("xmllint"), "xmllint is not installed")
    def test_junit_by_its_schema(self):
        for name in ("my", "good"):
            p = subprocess.run(["xmllint", "--noout", "--schema", SCHEMA,
                                self.dir / f"{name}.xml"], capture_output=True, text=True)
            self.assertEqual(p.returncode, 0, p.stderr)
        bad = (self.dir / "my.xml").read_text().replace(' tests="', ' test="')
        (self.dir / "bad.xml").write_text(bad)
        p = subprocess.run(["xmllint", "--noout", "--schema", SCHEMA, self.dir / "bad.xml"],
                           capture_output=True)
        self.assertNotEqual(p.returncode, 0)

    def test_junit_counts(self):
        suite = ElementTree.parse(self.dir / "my.xml").getroot().find("testsuite")
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            self.assertEqual(int(suite.get(key)), len(suite.findall(f"testcase/{tag}")), key)
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))

    @unittest.skipUnless(shutil.which("prove"), "prove is not installed")
    def test_tap_before_prove(self):
        p = subprocess.run(["prove", "--exec", "cat", self.dir / "good.tap"],
                           capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertIn("Result: PASS", p.stdout)
        p = subprocess.run(["prove", "-v", "--exec", "cat", self.dir / "my.tap"],
                           capture_output=True, text=True)
        text = p.stdout + p.stderr
        self.assertEqual(p.returncode, 1, text)
        self.assertRegex(text, r"Failed tests?: +2-3, 8\n")
        self.assertRegex(text, r"TODO passed: +7\n")
        self.assertNotIn("Parse errors", text)

    def holds(self, value, shape, where):
        for key, kind in shape.items():
            self.assertIn(key, value, where)
            self.assertIsInstance(value[key], kind, f"{where}: {key}")
            self.assertFalse(isinstance(value[key], bool), f"{where}: {key}")

    def test_json_lines_by_the_page(self):
        *cases, last = self.lines
        for r in cases:
            self.holds(r, CASE, r.get("id"))
            self.holds(r, {k: v for k, v in SOMETIMES.items() if k in r}, r["id"])
            self.assertEqual("reason" in r, r["verdict"] != "PASS", r["id"])
            self.assertEqual("reproduce" in r, r["verdict"] in ("FAIL", "ERROR", "TIMEOUT",
                                                                "MISTRUSTED"), r["id"])
            for e in r["expect"]:
                self.holds(e, {"name": TEXT, "class": TEXT}, r["id"])
                self.assertIsInstance(e["passed"], bool)
                for key in ("got", "expected", "bound", "error"):
                    for v in e.get(key, []):
                        self.assertTrue(isinstance(v, (int, float)) or NUMBER.fullmatch(v), v)
        self.assertEqual(list(last), ["summary"])
        self.holds(last["summary"], SUMMARY, "summary")
        self.assertEqual(sum(last["summary"]["verdicts"].values()), len(cases))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
