# SPDX-License-Identifier: Apache-2.0
"""The tier above conformance: the reference is rounded once, plain float32 conforms and is measured,
and a backend that is three ulps off is told so, op by op.

usage: quality_test.py TOUCHSTONE REFERENCE.so PLAIN.so THREE_ULPS_OFF.so
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOUCHSTONE, REFERENCE, PLAIN, OFF = sys.argv[1:5]
FILTER = "^(unary|softmax|layer_norm|gelu|mm|sum|add|mul)/"
SPOILED = {"exp", "log", "tanh", "_softmax", "native_layer_norm"}


def measured(backend, *options):
    """(exit status, what was printed, {(op, dtype): row}) of a run with --quality."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        p = subprocess.run([TOUCHSTONE, "run", "--backend", backend, "--filter", FILTER, "--json",
                            str(path), *options], capture_output=True, text=True, check=False,
                           env={**os.environ, "TOUCHSTONE_REFERENCE": REFERENCE})
        summary = json.loads(path.read_text().splitlines()[-1])["summary"]
    return p.returncode, p.stdout + p.stderr, \
        {(r["op"], r["dtype"]): r for r in summary.get("quality", [])}


class Quality(unittest.TestCase):
    def test_the_reference_is_within_half_a_unit(self):
        status, text, rows = measured(REFERENCE, "--quality=strict")
        self.assertEqual(status, 0, text)
        self.assertGreater(len(rows), 40)
        for key, r in rows.items():
            self.assertLessEqual(r["worst"], 0.5001, key)
            self.assertFalse(r["inaccurate"], key)

    def test_every_number_of_the_half_types(self):
        _, _, rows = measured(REFERENCE, "--quality")
        for dtype, finite in (("float16", 63488), ("bfloat16", 65280)):
            self.assertGreaterEqual(rows["tanh", dtype]["elements"], finite)

    def test_plain_float32_conforms(self):
        status, text, rows = measured(PLAIN, "--quality")
        self.assertEqual(status, 0, text)
        self.assertGreater(rows["_softmax", "float32"]["worst"], 0.6)

    def test_three_ulps_off_is_told(self):
        status, text, rows = measured(OFF, "--quality")
        self.assertEqual(status, 1, "it does not even conform")
        told = {op for (op, dtype), r in rows.items() if dtype == "float32" and r["inaccurate"]}
        self.assertEqual(told, SPOILED, text)
        for op in SPOILED:
            self.assertGreater(rows[op, "float32"]["bias"], 1, op)
        self.assertIn("INACCURATE", text)

    def test_strict_fails_where_nothing_else_does(self):
        options = ["--filter", "^softmax/float32/softmax_last$"]
        self.assertEqual(measured(OFF, "--quality", *options)[0], 0)
        status, text, rows = measured(OFF, "--quality=strict", *options)
        self.assertEqual(status, 1, text)
        self.assertTrue(rows["_softmax", "float32"]["inaccurate"])

    def test_nothing_is_measured_unasked(self):
        self.assertEqual(measured(REFERENCE)[2], {})

    def test_a_pipe_has_no_kernels(self):
        p = subprocess.run([TOUCHSTONE, "run", "--backend", "pipe:true", "--quality"],
                           capture_output=True, text=True, check=False)
        self.assertEqual(p.returncode, 2)
        self.assertIn("for libraries", p.stderr)


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
