# SPDX-License-Identifier: Apache-2.0
"""The pipe door with a peer that misbehaves in every way; the rules are those of spec/areas/pipe.md.

usage: pipe_test.py TOUCHSTONE REFERENCE.so
"""
import hashlib
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOUCHSTONE, REFERENCE = sys.argv[1:3]
PEER = str(Path(__file__).resolve().parent / "tricky_peer.py")


ADD = """\
x = integers(1, (3,), torch.float32, low=1, high=9)
expect_equal(torch.add(x, x), [{0}])
"""


def lives(pid):
    """Whether a process is there and has not ended."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Pipe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # what integers(1, (3,), …, 1, 9) is, told by the judge itself
        cls.env = {**os.environ, "TOUCHSTONE_REFERENCE": REFERENCE}
        with tempfile.TemporaryDirectory() as d:
            path = Path(d) / "a.cases"
            path.write_text("# case t/float32/a\n" + ADD.format("0.0, 0.0, 0.0"))
            out = subprocess.run([TOUCHSTONE, "run", "--json", "-", path], env=cls.env,
                                 capture_output=True, text=True).stdout
        got = json.loads(out.splitlines()[0])["expect"][0]["got"]
        cls.sums = [float(v) for v in got]
        cls.add = ADD.format(", ".join(str(float(v)) for v in got))

    def go(self, text, *args, hello="", jobs="1"):
        with tempfile.TemporaryDirectory() as d:
            path, out = Path(d) / "my.cases", Path(d) / "out"
            path.write_text(text)
            command = shlex.join([sys.executable, PEER] + ([hello] if hello else []))
            self.p = subprocess.run(
                [TOUCHSTONE, "run", "--backend", "pipe:" + command, "--jobs", jobs,
                 "--json", out, *args, path], env=self.env, capture_output=True, text=True,
                timeout=120)
            if self.p.returncode == 2:
                return {}
            lines = [json.loads(line) for line in out.read_text().splitlines()]
        self.summary = lines[-1]["summary"]
        return {r["id"].split("/")[-1]: (r["verdict"], r.get("reason", "")) for r in lines[:-1]}

    def cases(self, *tricks):
        return "".join(f"# case t/float32/{t}\n{self.add}" for t in tricks)

    def costs_one(self, trick, verdict, *words):
        """The trick's case gets that verdict; the ones around it pass."""
        r = self.go(self.cases("before", trick, "after"))
        self.assertEqual(r["before"], ("PASS", ""), self.p.stderr)
        self.assertEqual(r["after"], ("PASS", ""), self.p.stderr)
        self.assertEqual(r[trick][0], verdict, r[trick])
        for word in words:
            self.assertIn(word, r[trick][1])

    def test_answers_are_judged(self):  # pipe/S1 pipe/S2 pipe/S4 pipe/S5
        r = self.go(self.cases("right", "wrong"))
        self.assertEqual(r["right"], ("PASS", ""))
        self.assertEqual(r["wrong"][0], "FAIL")
        self.assertIn("expected [", r["wrong"][1])
        self.assertEqual((self.summary["backend"], self.summary["backend_version"]),
                         ("tricky", "1"))
        self.assertEqual(self.summary["door"], "pipe")
        self.assertIn("--backend 'pipe:", self.p.stdout)

    def test_a_digest_is_explained_by_the_reference(self):  # results/S12
        program = "x = integers(1, (3,), torch.float32, low=1, high=9)\nexpect(torch.add(x, x), \"y\")\n"
        bits = struct.pack("<3f", *self.sums)
        right = hashlib.sha256(bits).hexdigest()[:32]
        text = "".join(f"# case t/float32/{trick}\n{program}#= y [3] #{digest}\n"
                       for trick, digest in (("right", right), ("wrong", right), ("stale", "0" * 32)))
        r = self.go(text)
        self.assertEqual(r["right"], ("PASS", ""))
        self.assertEqual(r["wrong"][0], "FAIL")
        self.assertIn("y[0]: expected", r["wrong"][1])
        self.assertIn("by the reference, which has the golden digest", r["wrong"][1])
        self.assertIn("the reference's own differs from it too; the two agree", r["stale"][1])

    def test_inputs_come_laid_out(self):  # pipe/S3
        text = "# case t/float32/a\n# variants: offset strided\n" + self.add
        self.assertEqual(self.go(text)["a"], ("PASS", ""))
        self.assertEqual(self.summary["executions"], 3)
        refused = "# case t/float32/a\nexpect_error(ValueError, None, integers, 1, (3,), " \
                  "torch.int8, 0, 999)\n"
        self.assertIn(self.go(refused)["a"][0], ("UNSUPPORTED", "NOT-CLAIMED"))

    def test_second_run(self):  # pipe/S6
        self.costs_one("second_differs", "FAIL", "not in the second")

    def test_inputs_are_compared(self):  # pipe/S7
        self.costs_one("damage", "FAIL", "input 0: element 2 of its storage was written")
        text = "# case t/float32/gap\n# variants: offset\n" + self.add
        self.assertIn("element 0", self.go(text, "--variant", "offset")["gap"][1])

    def test_what_stands_in_the_program_is_the_judges(self):  # pipe/S8
        address = "# case t/float32/a\nx = normal(1, (3,))\np = x.data_ptr()\n" \
                  "expect_equal(x.data_ptr(), p)\n"
        self.assertEqual(self.go(address)["a"][0], "RUNTIME")  # right, and no kernel's doing
        lie = "# case t/float32/a\nx = normal(1, (3,))\nexpect_equal(x.data_ptr(), 7)\n"
        self.assertEqual(self.go(lie)["a"][0], "FAIL")

    def test_hello(self):  # pipe/C1
        for trick, words in (("protocol", "speaks protocol 2, this program 1"),
                             ("nameless", "no hello with a name"), ("claims", "float33"),
                             ("silent", "exit status 5"), ("greets", "more than")):
            self.go(self.cases("a"), hello=trick)
            self.assertEqual(self.p.returncode, 2, self.p.stdout)
            self.assertIn(words, self.p.stderr)
        self.go(self.cases("a"), "--only", "add")
        self.assertEqual(self.p.returncode, 2)

    def test_claims_that_are_none(self):  # pipe/C1
        for claims, words in (('"add"', "no list"), ('{"op": "add"}', "no list"),
                              ('["add"]', "a claim is no"), ('[{"op": 3}]', "a claim is no"),
                              ('[{"op": "add", "dtypes": []}]', "a claim is no"),
                              ('[{"op": "add", "dtypes": "float32"}]', "a claim is no"),
                              ('[{"op": "frobnicate"}]', "claims 'frobnicate', which is no op")):
            self.go(self.cases("a"), hello="claims " + claims)
            self.assertEqual(self.p.returncode, 2, self.p.stdout)
            self.assertIn(words, self.p.stderr)

    def test_a_peer_that_hangs_at_hello(self):  # pipe/C1
        with tempfile.TemporaryDirectory() as d:
            pids = Path(d) / "pids"
            self.go(self.cases("a"), "--timeout", "0.1", hello=f"hangs {pids}")
            self.assertEqual(self.p.returncode, 2, self.p.stdout)
            self.assertIn("nothing came back for 5.5 s", self.p.stderr)
            started = pids.read_text().split()
            end = time.monotonic() + 20  # a process that was killed takes a moment; this one would stay for 60 s
            while any(map(lives, started)) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertEqual((len(started), [p for p in started if lives(p)]), (2, []))

    def test_what_a_peer_says_is_shown_plainly(self):
        r = self.go(self.cases("paints"), hello="named")
        self.assertEqual(r["paints"][0], "FAIL")
        self.assertEqual(self.summary["backend"], 62 * "x")
        for text in (self.p.stdout, self.p.stderr):
            for bad in "\x1b\x07\x9b\r":
                self.assertNotIn(bad, text)
        self.assertIn(r"peer \x1b[31m\x07", self.p.stderr)
        self.assertIn(r"red \x1b[31m\x9b2J\x0d", self.p.stdout)

    def test_a_peer_that_breaks(self):  # pipe/C2
        self.costs_one("dies", "ERROR", "died of signal 11")
        self.costs_one("exits", "ERROR", "exit status 3")
        self.costs_one("floods", "ERROR")
        self.costs_one("garbage", "ERROR", "no JSON")
        self.costs_one("announces_much", "ERROR", "more than")
        self.costs_one("announces_payload", "ERROR", "payload")
        self.costs_one("negative_payload", "ERROR", "payload")
        self.costs_one("no_message", "ERROR")
        self.costs_one("other_message", "ERROR", "no result")
        self.costs_one("no_answers", "ERROR", "no result")
        self.costs_one("bad_payload", "ERROR", "safetensors")
        self.costs_one("twice", "ERROR", "bytes more than its answer has")

    def test_a_peer_that_hangs(self):  # pipe/C2
        r = self.go(self.cases("hangs", "after"), "--timeout", "1")
        self.assertEqual((r["hangs"][0], r["after"][0]), ("TIMEOUT", "PASS"))
        r = self.go(self.cases("hangs1", "hangs2", "hangs3", "after"), "--timeout", "1")
        self.assertEqual([v for v, _ in r.values()], ["TIMEOUT"] * 3 + ["NOT-RUN"])
        left = subprocess.run(["pgrep", "-f", PEER], capture_output=True, text=True)
        self.assertEqual(left.stdout, "")

    def test_answers_that_are_none(self):  # pipe/C3
        for trick, word in (("dtype", "dtype"), ("other_dtype", "another dtype"),
                            ("sizes", "one length"), ("negative", "sizes"),
                            ("huge", "sizes"), ("elsewhere", "not in the payload"),
                            ("unknown_class", "StrangeError"), ("another_class", "StrangeError"),
                            ("no_expectation", "names no expectation")):
            self.costs_one(trick, "ERROR", word)
        self.costs_one("no_elements", "FAIL", "elements")

    def test_paths(self):
        self.costs_one("fewer", "FAIL", "0 expectations only")
        self.costs_one("more", "FAIL", "answered 2 expectations, the program has 1")
        self.costs_one("other_path", "FAIL", "another path")
        self.costs_one("raises", "FAIL", "IndexError: out of it")

    def test_claims(self):
        self.costs_one("unsupported", "FAIL", "add is claimed")
        self.costs_one("feature", "NOT-CLAIMED", "has none")
        r = self.go(self.cases("feature"), hello="claims_nothing")
        self.assertEqual(r["feature"][0], "UNSUPPORTED")

    def test_jobs(self):
        r = self.go(self.cases(*(f"a{i}" for i in range(40))), jobs="3")
        self.assertEqual(list(r), [f"a{i}" for i in range(40)])
        self.assertEqual({v for v, _ in r.values()}, {"PASS"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
