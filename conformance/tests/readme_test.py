# SPDX-License-Identifier: Apache-2.0
"""Run what examples/minimal_backend/README.md says, as it says it, and what it says will be found.

usage: readme_test.py SOURCE_ROOT BUILD_ROOT
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = map(Path, sys.argv[1:3])
PAGE = SOURCE / "conformance/examples/minimal_backend/README.md"


def commands():
    return [line.strip() for line in PAGE.read_text(encoding="utf-8").splitlines()
            if line.startswith("    ")]


class Readme(unittest.TestCase):
    def setUp(self):
        # the root as the page sees it, with a build folder of this test's own
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        for name in ("spec", "conformance", "golden"):
            (self.root / name).symlink_to(SOURCE / name)
        (self.root / "build").mkdir()
        for item in BUILD.iterdir():
            (self.root / "build" / item.name).symlink_to(item)

    def tearDown(self):
        self.folder.cleanup()

    def run_line(self, line, status=0):
        p = subprocess.run(line, shell=True, cwd=self.root, capture_output=True, text=True,
                           timeout=300)
        self.assertEqual(p.returncode, status, line + "\n" + p.stdout + p.stderr)
        return p.stdout

    def test_as_the_page_says(self):
        build, judge, only, show, broken = commands()
        self.run_line(build)
        self.run_line(judge)
        lines = (self.root / "build/minimal.jsonl").read_text().splitlines()
        summary = json.loads(lines[-1])["summary"]
        self.assertEqual(summary["backend"], "minimal")
        self.assertGreater(summary["verdicts"]["PASS"], 20)
        self.assertIn("<html", (self.root / "build/minimal.html").read_text())
        self.assertIn("ASSISTED", self.run_line(only))
        self.assertIn("relu/S2", self.run_line(show))
        self.run_line(broken)

    def test_the_fault_is_found(self):
        build, *_, run = commands()
        text = (SOURCE / "conformance/examples/minimal_backend/minimal.c").read_text()
        faulty = text.replace("x < 0 ? 0 : x", "x > 0 ? x : 0")
        self.assertNotEqual(text, faulty)
        (self.root / "build/minimal.c").write_text(faulty)
        self.run_line(build.replace("conformance/examples/minimal_backend", "build"))
        self.assertIn("FAIL relu/float32/", self.run_line(run, status=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
