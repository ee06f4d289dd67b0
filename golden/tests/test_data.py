#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The committed golden data is whole, agrees with MANIFEST.json, and is what golden/cases say.

Python's standard library only: runs where PyTorch is not.
"""
import hashlib
import json
import math
import sys
import unittest
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(GOLDEN), str(GOLDEN.parent / "conformance" / "script")]
sys.dont_write_bytecode = True

import case_language as lang  # noqa: E402
import generate  # noqa: E402

DATA = GOLDEN / "data"
FILES = sorted(p.name for p in DATA.iterdir() if p.suffix in (".cases", ".safetensors"))
PAGES = [n[:-len(".cases")] for n in FILES if n.endswith(".cases")]
MANIFEST = json.loads((DATA / "MANIFEST.json").read_text())


def header(page):
    raw = (DATA / f"{page}.safetensors").read_bytes()
    n = int.from_bytes(raw[:8], "little")
    return raw, json.loads(raw[8:8 + n]), 8 + n


class Data(unittest.TestCase):

    def test_manifest_names_every_file(self):
        self.assertEqual(sorted(MANIFEST["files"]), FILES)
        self.assertEqual(MANIFEST["torch"], generate.torch_version())

    def test_manifest_is_true(self):
        total = {"bytes": 0, "cases": 0, "executions": 0}
        for name in FILES:
            raw, entry = (DATA / name).read_bytes(), MANIFEST["files"][name]
            self.assertEqual(entry["sha256"], hashlib.sha256(raw).hexdigest(),
                             f"{name} is not the file that MANIFEST.json describes: "
                             "golden/generate.py --manifest")
            self.assertEqual(entry["bytes"], len(raw))
            if name.endswith(".cases"):
                cases = lang.parse_cases(raw.decode(), name)
                self.assertEqual(entry["cases"], len(cases))
                self.assertEqual(entry["executions"], sum(len(c.variants) for c in cases))
            for k in total:
                total[k] += entry.get(k, 0)
        self.assertEqual(MANIFEST["total"], total)

    def test_cases_name_their_data(self):
        for page in PAGES:
            lines = (DATA / f"{page}.cases").read_text().split("\n", 2)
            sha = hashlib.sha256((DATA / f"{page}.safetensors").read_bytes()).hexdigest()
            self.assertEqual(lines[:2], ["# touchstone cases 1",
                                         f"# data: {page}.safetensors sha256:{sha}"])

    def test_records_lie_inside_the_data(self):
        for page in PAGES:
            raw, tensors, start = header(page)
            tensors.pop("__metadata__")
            size = {n: t["shape"][0] for n, t in tensors.items()}
            self.assertEqual(max((t["data_offsets"][1] for t in tensors.values()), default=0),
                             len(raw) - start)
            self.assertEqual(size.get("truth"), size.get("bound"))
            for c in lang.read_cases(DATA / f"{page}.cases"):
                for r in c.records:
                    if r["class"] not in ("exact", "bound"):
                        continue
                    flat = "truth" if r["class"] == "bound" else f"exact.{r['dtype']}"
                    self.assertEqual(len(r["shape"]), len(r["strides"]), c.id)
                    self.assertLessEqual(r["at"] + math.prod(r["shape"]), size.get(flat, 0),
                                         f"{c.id} {r['name']}")

    def test_pytorch_lies_inside_every_bound(self):
        for page in PAGES:
            for c in lang.read_cases(DATA / f"{page}.cases"):
                for r in c.records:
                    self.assertLessEqual(r.get("used", 0), 1, f"{c.id} {r['name']}")

    def test_data_is_of_the_programs(self):
        for page in PAGES:
            if not (GOLDEN / "cases" / f"{page}.py").exists():
                self.fail(f"{page}: data without golden/cases/{page}.py")
            made = {c.id: c for c in lang.read_cases(DATA / f"{page}.cases")}
            stated = {c["id"]: c for c in generate.load(page)}
            self.assertEqual(sorted(made), sorted(stated),
                             f"{page}: golden/generate.py {page}")
            for cid, c in stated.items():
                self.assertEqual((made[cid].program, " ".join(made[cid].rules)),
                                 (c["program"], " ".join(c["rules"].split())),
                                 f"{cid}: golden/generate.py {page}")

    def test_every_page_of_cases_has_data(self):
        pages = sorted(p.stem for p in (GOLDEN / "cases").glob("*.py"))
        self.assertEqual(pages, PAGES)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=1).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
