#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes and values by construction: what the ladder and the value classes reach, and when a sum of whole
numbers is taken for exact. The last needs golden/.venv; where that is missing it is skipped."""
import os
import re
import sys
import unittest
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent
PYTHON = GOLDEN / ".venv" / "bin" / "python"

try:
    import torch
except ImportError:
    torch = None
    if PYTHON.exists() and not os.environ.get("TOUCHSTONE_GENERATE"):
        os.execve(PYTHON, [str(PYTHON), *sys.argv], {**os.environ, "TOUCHSTONE_GENERATE": "fixed",
                                                     "OMP_NUM_THREADS": "1"})

sys.path[:0] = [str(GOLDEN), str(GOLDEN.parent / "conformance" / "script")]
import calls  # noqa: E402
import generate  # noqa: E402
import ladder  # noqa: E402
import values  # noqa: E402

CASE = re.compile(r"[^/]+/[^/]+/ladder/(?P<call>[^/]+)/(?P<dim>[A-Z]+)(?P<size>\d+)")


class Reach(unittest.TestCase):
    def test_every_kernel_climbs(self):
        """To 4,099 along some dim, products to 1,000; but for those without a dim of their own."""
        reached = {}
        for page, some in calls.all_calls().items():
            by_title = {c.title: c for c in some}
            for c in ladder.cases(generate.Pages(page, Path(page))):
                m = CASE.fullmatch(c["id"].removesuffix("_in_place").removesuffix("_out"))
                call = by_title[m["call"]] if m else None
                for op in (call.op, *call.reaches) if call else ():
                    reached[op] = max(reached.get(op, 0), int(m["size"]))
        for op in calls.kernels():
            self.assertGreaterEqual(reached.get(op, 0), 1000, op)

    def test_seeds_show_every_special_value(self):
        for dt in (*calls.FLOAT, *calls.FLOAT8):
            self.assertEqual(values.missing(dt, values.seeded(dt, 1, 48), 48), [], dt)

    def test_pairs_meet(self):
        """inf - inf along a dim, 0 * inf between operands."""
        call = next(c for c in calls.of_page("sum") if c.title == "sum_last")
        dims, _ = values.sizes(call, "pairs")
        text = values.pairs(call, call.args["x"], "float32", 1, call.args["x"].sizes(dims), dims, 0)
        self.assertIn('[float("inf"), -float("inf")]', text)
        self.assertIn("[-0.0, -0.0]", text)


@unittest.skipIf(torch is None, "golden/.venv is missing")
class Whole(unittest.TestCase):
    def fixed(self, op, *args, **kwargs):
        from models import info
        from whole import fixed
        return fixed(info(op), op, args, kwargs)

    def test_sums(self):
        aten = torch.ops.aten
        sums = aten.sum.dim_IntList
        ones = torch.ones(2, 300)
        self.assertTrue(self.fixed(sums, ones, [1]))
        self.assertTrue(self.fixed(sums, -3 * ones, [1]))
        self.assertFalse(self.fixed(sums, ones * 0.5, [1]), "no whole numbers")
        self.assertFalse(self.fixed(sums, ones * 2.0 ** 20, [1]), "300 * 2^20 has more than 24 digits")
        self.assertTrue(self.fixed(sums, (ones * 2.0 ** 20).double(), [1]))
        self.assertFalse(self.fixed(sums, ones.bfloat16(), [1]), "300 is no bfloat16")
        self.assertFalse(self.fixed(sums, -0.0 * ones, [1]), "the sign of the sum is anyone's")
        self.assertFalse(self.fixed(aten.mean.dim, ones, [1]), "a mean divides")

    def test_products(self):
        mm = torch.ops.aten.mm.default
        x, y = torch.ones(2, 5), -2 * torch.ones(5, 3)
        self.assertTrue(self.fixed(mm, x, y))
        self.assertFalse(self.fixed(mm, 0 * x, y), "0 * -2 is -0")
        self.assertFalse(self.fixed(mm, x, y * 2.0 ** 23))

    def test_scattered_sums(self):
        add = torch.ops.aten.index_add.default
        x, index = torch.zeros(2, dtype=torch.bfloat16), torch.zeros(300, dtype=torch.int64)
        self.assertTrue(self.fixed(add, x, 0, index[:200], torch.ones(200, dtype=torch.bfloat16)))
        self.assertFalse(self.fixed(add, x, 0, index, torch.ones(300, dtype=torch.bfloat16)))

    def test_every_order_gives_the_bits(self):
        x = torch.randint(1, 4, (1000,), generator=torch.Generator().manual_seed(1)).float() - 5
        sums = torch.ops.aten.sum.dim_IntList
        self.assertTrue(self.fixed(sums, x, [0]))
        for k in range(20):
            order = torch.randperm(1000, generator=torch.Generator().manual_seed(k))
            total = torch.zeros(())
            for i in order.tolist():
                total = total + x[i]
            self.assertEqual(total.item(), x.sum().item())


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=1).result
    bad, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    print(f"{result.testsRun - bad - skipped} passed, {bad} failed, {skipped} skipped")
    sys.exit(bad > 0)
