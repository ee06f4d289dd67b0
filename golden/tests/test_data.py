#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The committed golden data is whole, agrees with its checksums, and is what golden/cases say.

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
import casefile  # noqa: E402
import generate  # noqa: E402

DATA = GOLDEN / "data"
FILES = sorted(p.name for p in DATA.iterdir() if p.suffix in (".cases", ".safetensors"))
PAGES = [n[:-len(".cases")] for n in FILES if n.endswith(".cases")]


def header(page):
    raw = (DATA / f"{page}.safetensors").read_bytes()
    n = int.from_bytes(raw[:8], "little")
    return raw, json.loads(raw[8:8 + n]), 8 + n


class Data(unittest.TestCase):

    def test_heads_are_true(self):
        for page in PAGES:
            raw = (DATA / f"{page}.cases").read_bytes()
            data = hashlib.sha256((DATA / f"{page}.safetensors").read_bytes()).hexdigest()
            version, text, rest = raw.split(b"\n", 2)
            self.assertEqual([version.decode(), text.decode()], [
                "# touchstone cases 2", f"# text: sha256:{hashlib.sha256(rest).hexdigest()}"],
                f"{page}.cases is not as it was written: golden/generate.py {page}")
            lines = rest.decode().split("\n", 2)
            self.assertEqual(lines[0], f"# data: {page}.safetensors sha256:{data}")
            self.assertTrue(lines[1].startswith(f"# made: torch {generate.torch_version()}, "),
                            f"{page}: {lines[1]}")

    def test_writing_again_changes_no_byte(self):
        for page in PAGES:
            raw = (DATA / f"{page}.cases").read_bytes()
            made = dict(part.split(" ", 1) for part in
                        raw.decode().split("\n# made: ", 1)[1].split("\n", 1)[0].split(", "))
            cases = [vars(c) for c in lang.read_cases(DATA / f"{page}.cases")]
            self.assertEqual(casefile.file_bytes(
                page, made, (DATA / f"{page}.safetensors").read_bytes(), cases), raw, page)

    def test_text_is_short(self):
        sizes = [(DATA / f"{page}.cases").stat().st_size for page in PAGES]
        cases = sum(len(lang.read_cases(DATA / f"{page}.cases")) for page in PAGES)
        self.assertLessEqual(sum(sizes), 450 * cases)

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
                    if r["class"] == "digest":
                        self.assertGreater(math.prod(r["shape"]), generate.KEPT, c.id)
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
            made = {c.id: c for c in lang.read_cases(DATA / f"{page}.cases")}
            stated = {c["id"]: c for c in generate.load(page)}
            self.assertEqual(sorted(made), sorted(stated),
                             f"{page}: golden/generate.py {page}")
            for cid, c in stated.items():
                self.assertEqual((made[cid].program, " ".join(made[cid].rules)),
                                 (c["program"], " ".join(c["rules"].split())),
                                 f"{cid}: golden/generate.py {page}")

    def test_every_page_of_cases_has_data(self):
        self.assertEqual(generate.all_pages(), PAGES)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=1).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
