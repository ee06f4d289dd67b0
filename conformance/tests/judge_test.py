# SPDX-License-Identifier: Apache-2.0
"""The judge judged: every verdict provoked for real, every set-up error told with its place.

usage: judge_test.py TOUCHSTONE REFERENCE.so TRICKY.so EMPTY.so
"""
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOUCHSTONE, REFERENCE, TRICKY, EMPTY = sys.argv[1:5]
# A sanitizer in the build leaves signals to whom they were meant for.
ENV = {**os.environ, "TOUCHSTONE_REFERENCE": REFERENCE,
       "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"}

ADD = """\
# case t/float32/add
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
y = torch.add(x, x)
expect_equal(y, [2.0, 4.0, 6.0, 8.0])
"""
MUL = """\
# case t/float32/mul
x = torch.tensor([1.0, 2.0, 3.0])
expect_equal(torch.mul(x, x), [1.0, 4.0, 9.0])
"""
LAYOUTS = """\
# case t/float32/layouts
# variants: strided
x = integers(1, (4,), torch.float32, 1, 9)
expect_equal(torch.add(x, x), x * 2)
"""
ADDED_UP = """\
# case t/float32/added_up
x = torch.tensor([1.0, 2.0, 3.0, 4.0]).requires_grad_()
(g,) = autograd.grad([torch.mul(x, x)], [x], [torch.tensor([1.0, 1.0, 1.0, 1.0])])
expect_equal(g, [2.0, 4.0, 6.0, 8.0])
"""
VIEW = """\
# case t/float32/view
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
expect_equal(x.view(2, 2).shape, (2, 2))
"""


def safetensors(tensors):
    header, data = {}, b""
    for name, dtype, shape, raw in tensors:
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


class Judge(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.dir / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def go(self, *args, trick="", claims=""):
        env = {**ENV, "TRICK": trick, "TRICK_CLAIMS": claims}
        if trick == "exit":
            # what is alive at such an end is a leak or not, as the stack happens to lie, and a
            # sanitizer that finds one puts its own status in the place of the backend's
            env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        return subprocess.run([TOUCHSTONE, *args], env=env, capture_output=True, text=True,
                              timeout=120)

    def judged(self, text, *args, trick="", claims="", status=None):
        """{id: result} and the summary of a run of the tricky backend on one file."""
        out = str(self.dir / "out.json")
        p = self.go("run", "--backend", TRICKY, "--json", out, *args,
                    self.write("my.cases", text), trick=trick, claims=claims)
        self.assertIn(p.returncode, (0, 1), p.stderr)
        lines = [json.loads(line) for line in Path(out).read_text().splitlines()]
        self.assertFalse(list(self.dir.glob("out.json.*")))
        if status is not None:
            self.assertEqual(p.returncode, status, p.stdout)
        self.output = p.stdout
        return {r["id"]: r for r in lines[:-1]}, lines[-1]["summary"]

    def verdict(self, text, *args, **kw):
        """Verdict and reason of the first case."""
        results, _ = self.judged(text, *args, **kw)
        r = next(iter(results.values()))
        return r["verdict"], r.get("reason", "")

    def refused(self, *args, trick="", of=""):
        p = self.go(*args, trick=trick)
        self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
        self.assertIn(of, p.stderr)
        self.assertEqual(p.stdout, "")


class Verdicts(Judge):
    def test_pass(self):
        results, summary = self.judged(ADD + MUL, status=0)
        self.assertEqual([r["verdict"] for r in results.values()], ["PASS", "PASS"])
        self.assertEqual((summary["passed"], summary["failed"], summary["cases"]), (2, 0, 2))
        self.assertEqual(summary["door"], "lib")

    def test_fail_names_the_element_and_reproduces(self):
        results, summary = self.judged(ADD + MUL, trick="wrong", status=1)
        bad = results["t/float32/add"]
        self.assertEqual(bad["verdict"], "FAIL")
        self.assertEqual(results["t/float32/mul"]["verdict"], "PASS")
        self.assertIn(bad["reproduce"], self.output)
        env = {**ENV, "TRICK": "wrong"}
        again = subprocess.run(bad["reproduce"], shell=True, env=env, capture_output=True,
                               text=True)
        self.assertEqual(again.returncode, 1)
        self.assertIn("FAIL t/float32/add", again.stdout)
        self.assertIn("1 cases", again.stdout)

    def test_fail_not_written(self):
        self.assertEqual(self.verdict(ADD, trick="nothing written")[0], "FAIL")

    def test_fail_two_runs_differ(self):
        verdict, reason = self.verdict(ADD, trick="random")
        self.assertEqual(verdict, "FAIL")
        self.assertIn("second", reason)

    def test_fail_stale_memory(self):
        for device in ("cpu", "accel"):
            verdict, reason = self.verdict(ADD, "--device", device, trick="result not cleared")
            self.assertEqual(verdict, "FAIL")
            self.assertIn("stale memory is read (fresh memory held 0xFF, then 0x7B", reason)
        # what differs by itself, and what is wrong both times, is not
        for trick in ("random", "wrong"):
            self.assertNotIn("stale", self.verdict(ADD, trick=trick)[1])
        verdict, reason = self.verdict(LAYOUTS, trick="wrong where strided")
        self.assertEqual(verdict, "FAIL")
        self.assertNotIn("stale", reason)

    def test_fail_guard_zones(self):
        verdict, reason = self.verdict(ADD, trick="past end")
        self.assertEqual(verdict, "FAIL")
        self.assertIn("byte 0 past the end of a storage of 16 bytes", reason)
        verdict, reason = self.verdict(ADD, trick="before start")
        self.assertIn("byte 4 before the start of a storage of 16 bytes", reason)

    def test_fail_input_damaged(self):
        verdict, reason = self.verdict(ADD, trick="input")
        self.assertEqual(verdict, "FAIL")
        self.assertIn("add", reason)

    def test_fail_input_damaged_in_backward(self):
        verdict, reason = self.verdict(ADDED_UP, trick="input")
        self.assertEqual(verdict, "FAIL")
        self.assertIn("the kernel of add wrote to a tensor that it may only read", reason)

    def test_fail_leak(self):
        verdict, reason = self.verdict(ADD, trick="leak")
        self.assertEqual(verdict, "FAIL")
        self.assertRegex(reason, r"LEAK: [1-9]\d* tensors, 1 storages, 16 bytes, 0 nodes")

    def test_error_keeps_the_rest(self):
        for trick, reason in (("segv", "SIGSEGV"), ("abort", "SIGABRT"),
                              ("exit", "exit status 0")):
            results, summary = self.judged(MUL + ADD + VIEW, trick=trick, status=1)
            self.assertEqual(results["t/float32/add"]["verdict"], "ERROR")
            self.assertIn(reason, results["t/float32/add"]["reason"])
            self.assertEqual(results["t/float32/mul"]["verdict"], "PASS")
            self.assertEqual(results["t/float32/view"]["verdict"], "RUNTIME")

    def test_timeout_of_the_option_and_of_the_header(self):
        results, _ = self.judged(ADD + MUL, "--timeout", "0.3", trick="hang", status=1)
        self.assertEqual(results["t/float32/add"]["verdict"], "TIMEOUT")
        self.assertEqual(results["t/float32/mul"]["verdict"], "PASS")
        start = time.monotonic()
        text = ADD.replace("add\n", "add\n# timeout: 0.2\n", 1)
        self.assertIn("0.2 s", self.verdict(text, trick="hang")[1])
        self.assertLess(time.monotonic() - start, 5)

    def test_time_in_which_the_machine_stood_still_makes_no_case_late(self):
        out = self.dir / "out.json"
        p = subprocess.Popen(
            [TOUCHSTONE, "run", "--backend", TRICKY, "--json", str(out), "--jobs", "1",
             "--timeout", "2", self.write("my.cases", ADD)], stdout=subprocess.DEVNULL,
            env={**ENV, "TRICK": "hang"})
        time.sleep(0.7)  # the case is under way
        p.send_signal(signal.SIGSTOP)
        time.sleep(3)
        p.send_signal(signal.SIGCONT)
        self.assertEqual(p.wait(60), 1)
        result = json.loads(out.read_text().splitlines()[0])
        self.assertEqual(result["verdict"], "TIMEOUT")
        self.assertGreater(result["ms"], 4900)

    def test_death_at_the_close_is_told(self):
        results, summary = self.judged(ADD, trick="close abort", status=1)
        self.assertEqual(results["t/float32/add"]["verdict"], "PASS")
        self.assertIn("at its close, the backend died of SIGABRT", self.output)

    def test_three_timeouts_end_the_run(self):
        text = "".join(ADD.replace("/add", f"/add{i}") for i in range(6))
        results, summary = self.judged(text, "--timeout", "0.2", "--jobs", "1", trick="hang",
                                       status=1)
        self.assertEqual([r["verdict"] for r in results.values()],
                         ["TIMEOUT"] * 3 + ["NOT-RUN"] * 3)
        self.assertIn("three cases timed out; 3 cases were not run", self.output)
        self.assertEqual(summary["ended"], "three cases timed out")

    def test_unsupported_by_claims(self):
        self.assertEqual(self.verdict(ADD, trick="unsupported", claims="none", status=0)[0],
                         "UNSUPPORTED")
        self.assertEqual(self.verdict(ADD, trick="unsupported", claims="mul", status=0)[0],
                         "NOT-CLAIMED")
        verdict, reason = self.verdict(ADD, trick="unsupported", status=1)
        self.assertEqual(verdict, "FAIL")
        self.assertIn("claimed", reason)

    def test_runtime(self):
        results, summary = self.judged(VIEW, status=0)
        self.assertEqual(results["t/float32/view"]["verdict"], "RUNTIME")
        self.assertEqual(summary["passed"], 0)

    def test_runtime_where_no_kernel_decides(self):
        head = "# case t/float32/a\nx = torch.tensor([1.0, 2.0])\ny = torch.add(x, x)\n"
        for line in ("expect_equal(y.shape, (2,))", "expect_strides(y, (1,))",
                     "expect_error(RuntimeError, 'view/C2', y.view, 7)"):
            verdict, reason = self.verdict(head + line + "\n", status=0)
            self.assertEqual(verdict, "RUNTIME", line)
            self.assertIn("none decided", reason)
        # a refusal that is the kernel's own is its doing
        own = "# case t/float32/a\nx = torch.tensor([1.0, 2.0])\n" \
              "i = torch.tensor([0, 5])\nexpect_error(RuntimeError, None, torch.gather, x, 0, i)\n"
        self.assertEqual(self.verdict(own, status=0)[0], "PASS")

    def test_accelerators_are_known_by_the_words(self):
        late = "# case t/float32/a\ns = accel.Stream()\ne = accel.Event()\n" \
               "x = torch.tensor([1.0, 2.0])\ns.wait_stream(accel.current_stream())\n" \
               "with accel.stream(s):\n    y = x + x\n    e.record()\n    z = y + x\n" \
               "expect_equal(e.query(), False)\naccel.current_stream().wait_stream(s)\n" \
               "expect_equal(z, [3.0, 6.0])\n"
        path = self.write("a.cases", late)
        p = self.go("run", path)
        self.assertIn("SKIP 1", p.stdout)
        # looking at arguments would have waited for them
        os.environ["TOUCHSTONE_ACCEL_STREAMS"] = ENV["TOUCHSTONE_ACCEL_STREAMS"] = "lazy"
        try:
            self.assertIn("PASS 1", self.go("run", "--device", "accel", path).stdout)
        finally:
            del os.environ["TOUCHSTONE_ACCEL_STREAMS"], ENV["TOUCHSTONE_ACCEL_STREAMS"]
        put = "# case t/float32/a\nexpect_equal(torch.ones(2).to('accel') + 1, [2.0, 2.0])\n"
        self.assertIn("SKIP 1", self.go("run", self.write("a.cases", put)).stdout)
        free = "# case t/float32/a\nexpect_equal(torch.is_autocast_enabled('accel'), False)\n"
        self.assertNotIn("SKIP", self.go("run", self.write("a.cases", free)).stdout)

    def test_an_expectation_that_is_never_reached(self):
        text = ADD + "if y is x:\n    expect_equal(len(y.shape), 'n')\n#= n = 1\n"
        verdict, reason = self.verdict(text, status=1)
        self.assertEqual(verdict, "FAIL")
        self.assertIn("recorded, but never reached: n", reason)
        self.assertEqual(self.verdict(text.replace("is x", "is not x"), status=0)[0], "PASS")

    def test_a_program_that_cannot_fail(self):
        head = "# case t/float32/a\nx = torch.tensor([1.0, 2.0])\nz = normal(1, (3,))\n" \
               "y = torch.add(x, x)\n"
        for line, why in (
                ("expect_equal(y, y)", "a tensor against itself"),
                ("expect_any(y, [[1.0, 1.0], y])", "a tensor against itself"),
                ("expect_same(y, y)", "a tensor against itself"),
                ("expect_equal(torch.add(x, x), torch.add(x, x))", "an expression against"),
                ("expect_close(y[0], y[0], rtol=0.0, atol=0.0)", "an expression against"),
                ("expect_strides(y, y.stride())", "strides against themselves"),
                ("expect_close(y, [0.0, 0.0], rtol=0.0, atol=float('inf'))", "infinite"),
                ("expect_equal(x, [1.0, 2.0])", "what the program was given"),
                ("expect_equal(z, z.clone())", "what the program was given"),
                ("expect_equal((1, 2), (1, 2))", "written in the program"),
                ("", "it expects nothing"),
                ("if x is y:\n    expect_equal(y, [1.0, 1.0])", "it expects nothing")):
            verdict, reason = self.verdict(head + line + "\n", status=1)
            self.assertEqual(verdict, "MISTRUSTED", line)
            self.assertIn(why, reason)
            # with one that can fail it is an ordinary program
            can = head + line + "\nexpect_equal(torch.add(y, x), [3.0, 6.0])\n"
            self.assertEqual(self.verdict(can, status=0)[0], "PASS", line)
        for line in ("x += 1\nexpect_equal(x, [2.0, 3.0])", "expect_equal(y, torch.add(x, x) * 1)",
                     "expect_same(torch.add(x, x, out=y), y)"):
            self.assertNotEqual(self.verdict(head + line + "\n", status=0)[0], "MISTRUSTED", line)

    def test_what_pytorch_has_and_this_build_has_not(self):
        head = "# case t/float32/a\nw = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\n" \
               "i = torch.tensor([1])\n"
        for call in ("F.embedding(i, w, max_norm=1.0)", "F.embedding(i, w, None, 1.0)",
                     "torch.zeros(2, pin_memory=False)", "torch.optim_like(2)",
                     "F.relu(w, inplace=True)"):
            verdict, reason = self.verdict(head + f"expect_equal({call}, 0.0)\n", status=0)
            self.assertEqual(verdict, "UNSUPPORTED", call)
            self.assertIn("not in this build", reason)
        for call in ("F.embedding(i, w, nonsense=1.0)", "torch.zeros(2, max_norm=1.0)",
                     "torch.mul(w, w, 1.0)"):
            verdict, reason = self.verdict(head + f"expect_equal({call}, 0.0)\n", status=1)
            self.assertEqual(verdict, "FAIL", call)
            self.assertIn("TypeError", reason)

    def test_ranks(self):
        results, _ = self.judged(ADD.replace("add\n", "add\n# ranks: 3\n", 1), status=0)
        r = results["t/float32/add"]
        self.assertEqual(r["verdict"], "PASS")
        self.assertEqual([e["name"] for e in r["expect"]], ["equal1.0", "equal1.1", "equal1.2"])
        text = ADD.replace("add\n", "add\n# ranks: 2\n", 1) + \
            "if dist.get_rank() == 1:\n    expect_equal(y.sum(), 21.0)\n"
        verdict, reason = self.verdict(text, status=1)
        self.assertEqual(verdict, "FAIL")
        self.assertIn("rank 1: ", reason)

    def test_rank_that_ends_early(self):
        text = ADD.replace("add\n", "add\n# ranks: 2\n", 1) + \
            "if dist.get_rank() == 1:\n    z = x + torch.ones(3)\ndist.all_reduce(y)\n"
        verdict, reason = self.verdict(text, status=1)
        self.assertEqual(verdict, "FAIL")
        self.assertIn("[add/C1]", reason)
        self.assertIn("(rank 1)", reason)

    def test_mistrusted(self):
        zeros = "# case t/float32/zeros\nx = torch.tensor([0.0, 0.0])\n" \
                "expect_equal(torch.add(x, x), [0.0, 0.0])\n"
        verdict, reason = self.verdict(zeros, status=1)
        self.assertEqual(verdict, "MISTRUSTED")
        self.assertIn("zeros", reason)
        said = zeros.replace("zeros\n", "zeros\n# trivial: 0 + 0\n", 1)
        self.assertEqual(self.verdict(said, status=0)[0], "PASS")
        lie = ADD.replace("add\n", "add\n# trivial: no\n", 1)
        verdict, reason = self.verdict(lie, status=1)
        self.assertEqual(verdict, "MISTRUSTED")
        self.assertIn("none of them would pass", reason)

    def test_assisted(self):
        text = "# case t/float32/both\nx = torch.tensor([1.0, 2.0])\n" \
               "expect_equal(torch.add(torch.mul(x, x), x), [2.0, 6.0])\n"
        self.assertEqual(self.verdict(text, "--only", "add", status=0)[0], "ASSISTED")
        self.assertEqual(self.verdict(ADD, "--only", "add", status=0)[0], "PASS")

    def test_xfail_and_xpass(self):
        known = self.write("known", "# a comment\n\nt/*/add   # adds wrongly\n")
        verdict, reason = self.verdict(ADD, "--expected-failures", known, trick="wrong", status=0)
        self.assertEqual(verdict, "XFAIL")
        self.assertIn("adds wrongly", reason)
        self.assertEqual(self.verdict(ADD, "--expected-failures", known, status=0)[0], "XPASS")
        crash = self.write("known", "t/*/add # ERROR: dies\n")
        self.assertEqual(self.verdict(ADD, "--expected-failures", crash, trick="wrong",
                                      status=1)[0], "FAIL")

    def test_wrong_exception_is_a_failure(self):
        text = "# case t/float32/no\nx = torch.tensor([1.0])\ntorch.add(x, x, alpha=x)\n"
        self.assertEqual(self.verdict(text)[0], "FAIL")

    def test_memory_is_limited(self):
        text = "# case t/float32/much\n# memory: 1M\nx = torch.ones(1000000)\n" \
               "expect_equal(torch.add(x, x).shape, (1000000,))\n"
        verdict, reason = self.verdict(text)
        self.assertEqual(verdict, "FAIL")
        self.assertIn("OutOfMemoryError", reason)


class Whole(Judge):
    """A corpus of two cases of our own."""

    def page(self, name, cases, torch="2.15.0"):
        rest = f"# made: torch {torch}, c 4\n" + cases
        digest = hashlib.sha256(rest.encode()).hexdigest()
        self.write(f"{name}.cases", f"# touchstone cases 2\n# text: sha256:{digest}\n{rest}")

    def corpus(self, t=MUL, u=ADD.replace("t/float32/add", "u/float32/add")):
        self.page("t", t)
        self.page("u", u)
        return str(self.dir)

    def run_whole(self, *args, **kw):
        trick = kw.pop("trick", "")
        return self.go("run", "--backend", TRICKY, "--golden", self.corpus(**kw), *args,
                       trick=trick)

    def test_good(self):
        p = self.run_whole()
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)

    def test_a_page_that_is_missing(self):
        text = ADD.replace("t/", "add/")
        self.page("add", text)
        p = self.go("run", "--backend", TRICKY, "--golden", str(self.dir))
        self.assertEqual(p.returncode, 1)
        self.assertIn("the corpus has no cases of page softmax\n", p.stdout)
        self.assertNotIn("of page add\n", p.stdout)
        self.assertNotIn("of page pipe\n", p.stdout)
        p = self.go("run", "--backend", TRICKY, "--golden", str(self.dir), "--filter", "^add/")
        self.assertEqual(p.returncode, 0)

    def test_min_cases(self):
        self.assertEqual(self.run_whole("--min-cases", "3").returncode, 1)
        self.assertEqual(self.run_whole("--min-cases", "2").returncode, 0)

    def test_list_is_strict(self):
        for entry, message in (("u/float32/add # x", "take them off"),
                               ("v/* # x", "dead entry")):
            known = self.write("known", entry + "\n")
            p = self.run_whole("--expected-failures", known)
            self.assertEqual(p.returncode, 1)
            self.assertIn(message, p.stdout)
            self.assertEqual(self.run_whole("--expected-failures", known, "--shard",
                                            "1/1").returncode, 0)

    def test_broad_pattern(self):
        many = "".join(ADD.replace("/add", f"/add{i}") for i in range(21))
        known = self.write("known", "t/* # all\n")
        p = self.run_whole("--expected-failures", known, t=many, trick="wrong")
        self.assertEqual(p.returncode, 1)
        self.assertIn("matches 21 cases, more than 20", p.stdout)

    def test_corpus_that_was_touched(self):
        folder = self.corpus()
        with open(self.dir / "t.cases", "a") as f:
            f.write("# more\n")
        self.refused("run", "--golden", folder, of="SHA-256")
        # A run is held to the files that it uses; list looks at heads alone.
        p = self.go("run", "--backend", TRICKY, "--golden", folder, "--filter", "^u/")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(self.go("list", "--golden", folder).stdout,
                         "t/float32/mul\nu/float32/add\n")
        self.assertEqual(self.go("run", "--backend", TRICKY, str(self.dir / "t.cases")).returncode,
                         0)

    def test_corpus_that_was_written_wrong(self):
        for body, reason in (("x = (1,\n", "t.cases:6:1: "), ("pass\n#= y\n", "t.cases:6:5: ")):
            folder = self.corpus(t=MUL.split("\n")[0] + "\n" + body +
                                 MUL.replace("/mul", "/right"))
            p = self.go("run", "--backend", TRICKY, "--golden", folder)
            self.assertEqual(p.returncode, 1)
            self.assertIn("ERROR t/float32/mul", p.stdout)
            self.assertIn(reason, p.stdout)
            self.assertIn("PASS 2", p.stdout)

    def test_files_of_a_corpus(self):
        for name, text, message in (
                ("v", None, "no such page"),
                ("v", "", "'# text:' or '# made:' is missing"),
                ("v", "# touchstone cases 1\n", "v.cases:1:20: "),
                ("v", "# touchstone cases 2\n# made: torch 2.15.0\n", "is missing")):
            folder = self.corpus()
            if text is None:
                self.page(name, MUL)
                message = "case t/float32/mul stands in the file of page v"
            else:
                self.write(f"{name}.cases", text + MUL.replace("t/", "v/"))
            self.refused("run", "--golden", folder, of=message)
            self.refused("list", "--golden", folder, of=message)
        self.page("v", MUL.replace("t/", "v/"), torch="2.16.0")
        self.refused("run", "--golden", folder, of="made by PyTorch 2.16.0, files before it by 2.15")
        os.remove(self.dir / "v.cases")
        self.write("v.safetensors", b"")
        self.refused("run", "--golden", folder, of="v.safetensors is there without its programs")
        self.refused("run", "--golden", str(self.dir / "no"), of="golden/generate.py")
        (self.dir / "empty").mkdir()
        self.refused("run", "--golden", str(self.dir / "empty"), of="no .cases")


class SetUp(Judge):
    def test_backends(self):
        case = self.write("my.cases", ADD)
        for path, message in ((str(self.dir / "no.so"), "No such file"),
                              (case, "my.cases"), (EMPTY, "no symbol ts_backend_open"),
                              ("nosuch", "libtouchstone_nosuch.so")):
            self.refused("run", "--backend", path, case, of=message)
        for trick, message in (("abi", "its ABI is 99, this program speaks 2"),
                               ("size", "its ts_backend has 8 bytes"),
                               ("open abort", "while it was opened, the backend died of SIGABRT"),
                               ("open error", "no device")):
            self.refused("run", "--backend", TRICKY, case, trick=trick, of=message)

    def test_backend_that_never_opens(self):
        case = self.write("my.cases", ADD)
        self.refused("run", "--backend", TRICKY, "--timeout", "0.1", case, trick="open hang",
                     of="while it was opened, nothing came back for 5.5 s")

    def test_only_a_kernel_that_is_there(self):
        self.refused("run", "--only", "nosuch", of="no op")

    def test_case_files(self):
        for text, place in (("# case t/float32/a\nx = (1,\n", "my.cases:"),
                            ("# case t/float32/a\nx = 1 $ 2\n", "my.cases:2:7"),
                            ("# case t/float32/a\nimport os\n", "my.cases:2:1"),
                            ("# case t/float32/a\nx = 1\n" * 2, "my.cases:")):
            self.refused("run", self.write("my.cases", text), of=place)
        self.refused("run", str(self.dir / "no.cases"), of="no.cases")

    def test_same_case_in_two_files(self):
        self.refused("run", self.write("a.cases", ADD), self.write("b.cases", ADD),
                     of="t/float32/add stands at")

    def golden(self, data, record="[2] @1", digest=None):
        digest = digest or hashlib.sha256(data).hexdigest()
        self.write("t.safetensors", data)
        return self.write("t.cases", "# touchstone cases 2\n"
                          f"# data: t.safetensors sha256:{digest}\n\n"
                          "# case t/float32/add\nx = torch.tensor([1.0, 2.0])\n"
                          f'expect(torch.add(x, x), "y")\n#= y {record}\n')

    GOOD = safetensors([("exact.float32", "F32", [3], b"\0\0\x80\x7f\0\0\0\x40\0\0\x80\x40")])

    def test_golden_pair(self):
        p = self.go("run", self.golden(self.GOOD))
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)

    def test_digest_beside_other_facts(self):
        bits = hashlib.sha256(b"\0\0\0\x40\0\0\x80\x40").hexdigest()[:32]
        for record, reason in ((f"[2] #{bits}", None),
                               (f"[2](2) #{bits}", "y: expected strides [2], got [1]"),
                               (f"[1,2] #{bits}", "y: expected shape [1, 2], got [2]"),
                               (f"[2] #{bits[::-1]}", "digest than the golden file says")):
            p = self.go("run", self.golden(self.GOOD, record))
            if reason is None:
                self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
            else:
                self.assertEqual(p.returncode, 1, p.stdout + p.stderr)
                self.assertIn(reason, p.stdout)

    def test_golden_data_broken(self):
        for data, message in ((self.GOOD[:-1], "byte "), (self.GOOD[:5], "byte 5"),
                              (b"", "byte 0"), (self.GOOD + b"x", "byte ")):
            self.refused("run", self.golden(data), of=message)
        self.refused("run", self.golden(self.GOOD, digest="0" * 64), of="SHA-256")
        os.remove(self.dir / "t.safetensors")
        self.refused("run", str(self.dir / "t.cases"), of="No such file")

    def test_golden_records_broken(self):
        for record, message in (("[2] @2", "outside"), ("[2] @-1", "an index"),
                                ("float33[2] @1", "unknown dtype"),
                                ("[2,1](1) @1", "the same length"), ("[x] @1", "no list"),
                                ("[2]", "are missing"), ("[2] @1 ~0.5", "outside")):
            path = self.golden(self.GOOD, record)
            self.refused("run", path, of=message)
            self.refused("run", path, of="t.cases:7")

    def test_usage(self):
        for args in ((), ("nosuch",), ("run", "--nosuch"), ("run", "--shard", "3/2"),
                     ("run", "--jobs", "x"), ("run", "--variant", "x"), ("show",), ("report",),
                     ("run", "--filter", "(", self.write("my.cases", ADD)),
                     ("run", "--filter", "nothing", self.write("my.cases", ADD))):
            self.assertEqual(self.go(*args).returncode, 2, args)

    def test_lists(self):
        case = self.write("my.cases", ADD)
        for text, place in (("a/b\n", "known:1:4"), ("\na/b #\n", "known:2:6"),
                            ("a b # x\n", "known:1:2")):
            self.refused("run", "--expected-failures", self.write("known", text), case, of=place)
        self.refused("run", "--expected-failures", str(self.dir / "no"), case, of="no: ")

    def test_file_that_cannot_be_written(self):
        self.refused("run", "--json", "/no/such/folder/x", self.write("my.cases", ADD),
                     of="/no/such/folder/x")


class Output(Judge):
    def test_formats_agree(self):
        names = {k: str(self.dir / f"out.{k}") for k in ("junit", "tap", "html")}
        options = [x for k, v in names.items() for x in (f"--{k}", v)]
        results, summary = self.judged(MUL + ADD + VIEW, *options, trick="wrong", status=1)
        suite = ElementTree.parse(names["junit"]).getroot().find("testsuite")
        self.assertEqual([suite.get(k) for k in ("tests", "failures", "errors", "skipped")],
                         ["3", "1", "0", "1"])
        self.assertEqual([c.get("name") for c in suite], list(results))
        tap = Path(names["tap"]).read_text()
        self.assertTrue(tap.startswith("TAP version 13\n1..3\nok 1 - t/float32/mul\nnot ok 2 - "))
        self.assertIn("ok 3 - t/float32/view # SKIP RUNTIME: ", tap)
        self.assertIn("<html", Path(names["html"]).read_text())

    def test_largest_integers_are_json(self):
        text = "# case t/int64/large\n" \
               "x = torch.tensor([9223372036854775807, -9223372036854775808, 3])\n" \
               "expect_equal(torch.add(x, 0), [9223372036854775807, -9223372036854775808, 3])\n"
        page = str(self.dir / "out.html")
        results, _ = self.judged(text, "--html", page, status=0)
        self.assertEqual(results["t/int64/large"]["expect"][0]["got"], [2.0**63, -2.0**63, 3])

    def test_order_is_that_of_the_file(self):
        text = "".join(MUL.replace("/mul", f"/mul{i}") for i in range(300))
        results, _ = self.judged(text, "--jobs", "4", status=0)
        self.assertEqual(list(results), [f"t/float32/mul{i}" for i in range(300)])

    def test_slowest(self):
        text = "".join(MUL.replace("/mul", f"/mul{i}") for i in range(5))
        for most in (2, 9):
            results, _ = self.judged(text, "--slowest", str(most), "--jobs", "1", status=0)
            told = [line.split() for line in self.output.splitlines() if " ms  " in line]
            self.assertEqual(len(told), min(most, 5))
            times = sorted((r["ms"] for r in results.values()), reverse=True)
            for shown, ms in zip((t[0] for t in told), times):
                self.assertAlmostEqual(float(shown), ms, delta=0.051)  # each rounded by itself
            self.assertTrue({t[2] for t in told} <= set(results))
            self.assertEqual(len({t[2] for t in told}), len(told))

    def test_shards_share_out_all_cases(self):
        text = "".join(MUL.replace("/mul", f"/mul{i}") for i in range(7))
        seen = [list(self.judged(text, "--shard", f"{i}/3")[0]) for i in (1, 2, 3)]
        self.assertEqual(sorted(sum(seen, [])), [f"t/float32/mul{i}" for i in range(7)])

    def test_interrupted_run_keeps_what_it_has(self):
        out = self.dir / "out.json"
        case = self.write("my.cases", MUL + ADD)
        env = {**ENV, "TRICK": "hang"}
        p = subprocess.Popen([TOUCHSTONE, "run", "--backend", TRICKY, "--json", out, "--timeout", "60",
                              case], env=env, stdout=subprocess.PIPE, text=True)
        time.sleep(0.5)
        p.send_signal(signal.SIGINT)
        text, _ = p.communicate(timeout=20)
        self.assertEqual(p.returncode, 1)
        verdicts = [json.loads(line).get("verdict") for line in out.read_text().splitlines()]
        self.assertEqual(verdicts, ["PASS", "NOT-RUN", None])
        self.assertIn("interrupted", text)

    def test_list_and_show(self):
        case = self.write("my.cases", ADD + MUL)
        self.assertEqual(self.go("list", case).stdout, "t/float32/add\nt/float32/mul\n")
        self.assertEqual(self.go("list", "--filter", "mul", case).stdout, "t/float32/mul\n")
        line = json.loads(self.go("list", "--json", "--filter", "add", case).stdout)
        self.assertEqual((line["id"], line["ops"][-1]), ("t/float32/add", "add"))
        self.assertIn("y = torch.add(x, x)", self.go("show", "t/float32/add", case).stdout)
        self.assertEqual(self.go("show", "nosuch", case).returncode, 2)

    def test_help(self):
        for verb in ("run", "list", "show", "report", "coverage", "zoo"):
            p = self.go(verb, "--help")
            self.assertEqual(p.returncode, 0)
            self.assertIn(f"touchstone {verb}", p.stdout)
        self.assertRegex(self.go("--version").stdout, r"^touchstone \d")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
