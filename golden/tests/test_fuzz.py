#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""golden/fuzz.py finds nothing in a short seeded run, finds what a faulty backend does, and shrinks it.

    test_fuzz.py JUDGE BACKEND

BACKEND: conformance/zoo/ne_by_order. Skips, and says so, where golden/.venv is missing.
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(GOLDEN)]
from fuzz_explained import explained  # noqa: E402

JUDGE, BACKEND = sys.argv.pop(1), sys.argv.pop(1)
PROGRAMS = 150


def fuzz(*more):
    return subprocess.run([sys.executable, str(GOLDEN / "fuzz.py"), f"--judge={JUDGE}", *more],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Fuzz(unittest.TestCase):

    def test_a_short_run_finds_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            p = fuzz("--seed=1", f"--programs={PROGRAMS}", f"--record={name}/fuzz.jsonl")
            (line,) = map(json.loads, (Path(name) / "fuzz.jsonl").read_text().splitlines())
        self.assertEqual(p.returncode, 0, p.stdout)
        m = re.search(r"^(\d+) passed, 0 failed, (\d+) refused$", p.stdout, re.M)
        self.assertTrue(m, p.stdout)
        self.assertEqual(int(m[1]) + int(m[2]), PROGRAMS)
        self.assertLess(int(m[2]), PROGRAMS // 10, p.stdout)
        self.assertEqual((line["programs"], line["unexplained"]), (PROGRAMS, []))
        self.assertEqual(line["judged"] + sum(line["refused_by_truth"].values()), PROGRAMS)
        self.assertEqual(line["differences"], sum(line["explained"].values()))

    def test_a_run_goes_on(self):
        with tempfile.TemporaryDirectory() as name:
            record = Path(name) / "fuzz.jsonl"
            for more in (["--numbers=3,5"], ["--numbers=3,5,8", "--resume"], ["--numbers=3,5,8", "--resume"]):
                p = fuzz("--seed=7", f"--out={name}", f"--record={record}", *more)
                self.assertEqual(p.returncode, 0, p.stdout)
            some, more, again = map(json.loads, record.read_text().splitlines())
            kept = [json.loads(line)["job"] for line in (Path(name) / "batches.jsonl").read_text().splitlines()]
        self.assertEqual((some["programs"], more["programs"], again["programs"]), (2, 3, 3))
        self.assertEqual({**more, "seconds": 0}, {**again, "seconds": 0})
        self.assertEqual(kept, [[3, 1], [5, 1], [8, 1]])

    def test_a_difference_is_explained_in_its_circumstances_alone(self):
        found = {"what": ["FAIL", "NotImplementedError: [sum/C3] sum: not implemented for dtype", "sum"],
                 "traits": ["float8"], "line": "y = x.sum()", "program": ""}
        self.assertTrue(explained(found))
        self.assertIsNone(explained({**found, "traits": ["integral"]}))
        self.assertIsNone(explained({**found, "what": ["FAIL", found["what"][1], "mean"]}))

    def test_a_program_is_the_same_again(self):
        shown = [fuzz("--seed=7", "--show=3").stdout for _ in range(2)]
        self.assertEqual(*shown)
        self.assertIn("PASS", shown[0])

    def test_a_fault_is_found_and_shrunk(self):
        with tempfile.TemporaryDirectory() as name:
            p = fuzz("--seed=1", "--programs=60", "--ops=ne", f"--out={name}", f"--backend={BACKEND}",
                     f"--record={name}/fuzz.jsonl")
            self.assertEqual(p.returncode, 1, p.stdout)
            (line,) = map(json.loads, (Path(name) / "fuzz.jsonl").read_text().splitlines())
            text = (Path(name) / "found" / "compare.cases").read_text()
        self.assertIn("# case compare/", text)
        self.assertEqual(line["differences"], sum(u["n"] for u in line["unexplained"]))
        self.assertLess(len(text.split("# case ")[1].split("\n")), 12, text)


if __name__ == "__main__":
    if not (GOLDEN / ".venv" / "bin" / "python").exists():
        count = Path(__file__).read_text().count("\n    def test_")
        print(f"skipped: golden/.venv is missing, golden/setup makes it\n"
              f"0 passed, 0 failed, {count} skipped")
        sys.exit(77)
    unittest.main(verbosity=2)
