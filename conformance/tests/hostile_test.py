# SPDX-License-Identifier: Apache-2.0
"""Backends that harm the process they are in, and files that are no ordinary ones: the run
ends, says what was done, and nothing of it reads as a pass.

usage: hostile_test.py TOUCHSTONE REFERENCE.so HOSTILE.so
"""
import json
import os
import platform
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOUCHSTONE, REFERENCE, HOSTILE = sys.argv[1:4]
ENV = {**os.environ, "TOUCHSTONE_REFERENCE": REFERENCE,
       "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
X86 = platform.machine() == "x86_64"

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
CLOSELY = ("--paranoid", "1")


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def heed_signals():
    """Under nohup, or in the background of a shell, some are ignored from the start."""
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(s, signal.SIG_DFL)


SANITIZED = b"__asan_init" in Path(TOUCHSTONE).read_bytes()


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = Path(self.folder.name)
        self.case = self.dir / "my.cases"
        self.case.write_text(ADD + MUL)
        self.out = self.dir / "out.json"

    def tearDown(self):
        self.folder.cleanup()

    def command(self, *args, backend=HOSTILE):
        return [TOUCHSTONE, "run", "--backend", backend, "--jobs", "1", *map(str, args), str(self.case)]

    def go(self, *args, trick="", backend=HOSTILE, **kw):
        env = {**ENV, "TRICK": trick, "PIDS": str(self.dir / "pids")}
        kw = {"capture_output": True, **kw}
        return subprocess.run(self.command(*args, backend=backend), env=env, timeout=120, **kw)

    def judged(self, *args, trick="", status=None, **kw):
        """{last part of the id: (verdict, reason)}"""
        p = self.go("--json", self.out, *args, trick=trick, text=True, **kw)
        self.assertIn(p.returncode, (0, 1), p.stderr)
        if status is not None:
            self.assertEqual(p.returncode, status, p.stdout)
        lines = [json.loads(line) for line in self.out.read_text().splitlines()]
        self.summary, self.output, self.error = lines[-1]["summary"], p.stdout, p.stderr
        return {r["id"].split("/")[-1]: (r["verdict"], r.get("reason", "")) for r in lines[:-1]}

    def only_add(self, verdict, *words, args=(), **kw):
        """add's case gets the verdict, with the words in its reason, and mul's passes."""
        r = self.judged(*args, **kw)
        self.assertEqual(r["mul"], ("PASS", ""))
        self.assertEqual(r["add"][0], verdict, r["add"])
        for word in words:
            self.assertIn(word, r["add"][1])

    def refused(self, *args, of, trick="", backend=HOSTILE):
        p = self.go(*args, trick=trick, backend=backend, text=True)
        self.assertEqual((p.returncode, p.stdout), (2, ""), p.stderr)
        for word in of if isinstance(of, tuple) else (of,):
            self.assertIn(word, p.stderr)

    def no_drafts(self):
        self.assertEqual([p.name for p in self.dir.glob("out.*.??????")], [])


class Processes(Hostile):
    def test_harmless(self):
        self.only_add("PASS", status=0, args=CLOSELY)

    def all_gone(self, count):
        pids = (self.dir / "pids").read_text().split()
        self.assertEqual(len(pids), count)
        self.assertEqual([p for p in pids if alive(p)], [])

    def test_a_child_that_is_left(self):
        for trick in ("child", "daemon"):
            (self.dir / "pids").unlink(missing_ok=True)
            start = time.monotonic()
            self.only_add("PASS", trick=trick, status=1)
            self.assertLess(time.monotonic() - start, 20)
            self.assertIn("at its close, the backend left processes behind: ", self.output)
            self.all_gone(1)

    def test_a_child_of_one_that_dies(self):
        self.only_add("ERROR", "SIGABRT", "in add", trick="child, then dies", status=1)
        self.all_gone(2)

    def test_a_child_that_is_left_at_the_close(self):
        self.only_add("PASS", trick="close child", status=1)
        self.assertIn("left processes behind: ", self.output)

    def test_what_is_kept_of_every_call(self):
        for what, word in (("heap", "bytes of heap"), ("map", "bytes of mapped memory"),
                           ("thread", "threads"), ("descriptor", "open descriptors"),
                           ("process", "processes")):
            with self.subTest(what):
                # A sanitizer's heap says nothing of itself: there a pass is known for what it is.
                sanitized = what in ("heap", "map") and SANITIZED
                r = self.judged(*CLOSELY, trick="keep " + what, status=None if sanitized else 1)
                if sanitized and r["add"][0] == "PASS":
                    self.skipTest("a sanitizer's heap says nothing of itself")
                self.assertEqual((r["add"][0], r["mul"]), ("FAIL", ("PASS", "")), r["add"])
                self.assertIn(f"LEAK: every run of it leaves more {word}", r["add"][1])
                if what == "heap":
                    self.assertIn("by the kernel of add", r["add"][1])

    def test_what_is_kept_once(self):
        for what in ("heap", "map", "thread", "descriptor"):
            self.only_add("PASS", trick="once " + what, status=0, args=CLOSELY)

    def test_descriptors_left_at_the_close(self):
        self.only_add("PASS", trick="close descriptors", status=1)
        self.assertIn("left 100 descriptors open", self.output)

    def test_results_are_out_of_reach(self):
        junit = self.dir / "out.xml"
        self.only_add("PASS", trick="writes everywhere", status=0, args=("--junit", junit))
        self.assertNotIn("forged", self.out.read_text() + junit.read_text() + self.output)
        r = self.judged(trick="closes everything", status=1)
        self.assertEqual(r["add"][0], "ERROR")
        self.assertIn("closed the judge's pipe", r["add"][1])
        self.assertEqual(r["mul"], ("PASS", ""))

    def test_memory(self):
        p = self.go("--json", self.out, "--memory", "300M", trick="eats", text=True)
        if "AddressSanitizer" in p.stderr:
            self.assertEqual(p.returncode, 2)
            self.skipTest("no limit in a build with AddressSanitizer")
        self.only_add("ERROR", "in add, the memory limit of 300 MiB was reached (--memory)",
                      trick="eats", status=1, args=("--memory", "300M"))
        for text in ("x", "1", "0M", "-1M", "99999999999G", "1GB"):
            self.refused("--memory", text, of="--memory")


@unittest.skipUnless(X86, "the tricks are x86's")
class Arithmetic(Hostile):
    def test_what_a_kernel_changes(self):
        for trick, word in (
                ("up", "rounding mode (MXCSR bits 13 to 14) is 2, was 0"),
                ("flush", "flush-to-zero (MXCSR bit 15) is 1, was 0"),
                ("zero", "denormals-are-zero (MXCSR bit 6) is 1, was 0"),
                ("traps", "exception masks (MXCSR bits 7 to 12)"),
                ("single", "precision (x87 control word bits 8 to 9) is 0, was 3")):
            with self.subTest(trick):
                self.only_add("FAIL", "the kernel of add changed the floating-point environment",
                              word, trick=trick, status=1)
        self.only_add("FAIL", "MMX without emms", trick="mmx", status=1)

    def test_it_is_put_right(self):
        # PyTorch's rules for subnormals hold in the cases behind the culprit's
        tiny = "# case t/float32/tiny\nx = torch.tensor([1e-45])\n" \
               "expect_equal(torch.mul(x, torch.tensor([2.0])), [3e-45])\n"
        self.case.write_text(ADD + MUL + tiny)
        r = self.judged(trick="flush", status=1)
        self.assertEqual((r["add"][0], r["tiny"]), ("FAIL", ("PASS", "")))

    def test_elsewhere(self):
        self.only_add("FAIL", "supports() of add changed", trick="supports flush", status=1)
        self.refused(trick="open flush", of=("while it was opened", "flush-to-zero (MXCSR bit 15)"))


class Tensors(Hostile):
    def test_far_from_a_buffer(self):
        # the buffer's place is by turns; both ends are reached either way
        for trick, word in (("far past", "byte 4096 past the end of a storage of 16 bytes was written"),
                            ("far before", "byte 4096 before the start of a storage of 16 bytes"),
                            ("reads far", "past the end of a storage of 16 bytes was read")):
            with self.subTest(trick):
                r = self.judged(*CLOSELY, trick=trick, status=1)
                self.assertIn(r["add"][0], ("ERROR", "FAIL"))
                self.assertIn(word, r["add"][1])

    def test_what_is_the_runtimes(self):
        for trick, word in (("releases", "released a tensor that it was given"),
                            ("releases a storage", "released the storage of a tensor"),
                            ("reshapes", "changed the header of a tensor"),
                            ("empties", "changed the header of a tensor")):
            with self.subTest(trick):
                self.only_add("FAIL", "the kernel of add", word, trick=trick, status=1)


class Claims(Hostile):
    def test_what_is_no_op(self):
        self.refused(trick="claims", of="it claims 'frobnicate', which is no op")
        self.refused(trick="kernels", of="kernel 0 is for 'frobnicate', which is no op")
        self.refused(trick="no claims", of="has no table of them")


class Text(Hostile):
    def test_no_control_character_gets_through(self):
        p = self.go("--tap", "-", trick="paints")
        self.assertEqual(p.returncode, 1)
        for stream in (p.stdout, p.stderr):
            for bad in (b"\x1b", b"\x07", b"\xc2\x9b", b"\xff", b"\r"):
                self.assertNotIn(bad, stream)
        self.assertIn(rb"red \x1b[31m\x9b2J", p.stderr)
        self.assertIn(rb"out \x1b]0;title\x07 \x9b2J", p.stderr)
        self.assertIn(rb"error \x1b[31m\xff\x0d", p.stderr)
        self.assertNotIn(b"\nPASS everything", p.stdout + p.stderr)

    def test_names(self):
        self.judged(trick="name", status=0)
        self.assertEqual(self.summary["backend"], r"\xffname\x1b[31m")
        self.assertIn(r"backend \xffname\x1b[31m", self.output)
        self.judged(trick="long name", status=0)
        self.assertTrue(self.summary["backend"].endswith("12"))


class Files(Hostile):
    def read_fifo(self, path, into):
        into.append(path.read_bytes())

    def test_fifos_stay(self):
        names = {k: self.dir / f"out.{k}" for k in ("json", "junit", "tap", "html")}
        args, read, threads = [], {k: [] for k in names}, []
        for k, path in names.items():
            os.mkfifo(path)
            args += [f"--{k}", path]
            threads.append(threading.Thread(target=self.read_fifo, args=(path, read[k])))
            threads[-1].start()
        p = self.go(*args, text=True)
        for t in threads:
            t.join(20)
        self.assertEqual(p.returncode, 0, p.stderr)
        for path in names.values():
            self.assertTrue(stat.S_ISFIFO(path.stat().st_mode))
        lines = read["json"][0].splitlines()
        self.assertEqual(json.loads(lines[-1])["summary"]["passed"], 2)
        suite = ElementTree.fromstring(read["junit"][0]).find("testsuite")
        self.assertEqual(suite.get("tests"), "2")
        self.assertIn(b"ok 2 - ", read["tap"][0])
        self.assertIn(b"<html", read["html"][0])
        self.no_drafts()

    def test_links_are_followed(self):
        kept, link = self.dir / "kept.json", self.dir / "out.json"
        for there in (True, False):
            kept.write_text("old") if there else kept.unlink()
            link.unlink(missing_ok=True)
            link.symlink_to("kept.json")
            self.judged(status=0)
            self.assertTrue(link.is_symlink())
            self.assertFalse(kept.is_symlink())
            self.assertIn('"summary"', kept.read_text())

    def test_devices_stay(self):
        link = self.dir / "null"
        link.symlink_to("/dev/null")
        p = self.go("--json", "/dev/null", "--junit", link)
        self.assertEqual(p.returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertTrue(link.is_symlink())
        self.refused("--json", self.dir, of="Is a directory")

    def test_reports_too(self):
        self.judged(status=0)
        link, kept = self.dir / "link.html", self.dir / "kept.html"
        kept.write_text("old")
        link.symlink_to("kept.html")
        subprocess.run([TOUCHSTONE, "report", "-o", link, self.out], check=True)
        self.assertTrue(link.is_symlink())
        self.assertIn("<html", kept.read_text())

    def test_the_mode_of_a_file_stays(self):
        self.out.write_text("old")
        self.out.chmod(0o600)
        self.judged(status=0)
        self.assertEqual(self.out.stat().st_mode & 0o777, 0o600)

    def test_signals_keep_results_and_leave_no_drafts(self):
        self.case.write_text(MUL + ADD)
        for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(s.name):
                p = subprocess.Popen(self.command("--json", self.out, "--html", self.dir / "out.html",
                                                  "--timeout", 60),
                                     env={**ENV, "TRICK": "hang"}, stdout=subprocess.PIPE, text=True,
                                     preexec_fn=heed_signals)
                time.sleep(0.7)
                p.send_signal(s)
                text, _ = p.communicate(timeout=20)
                self.assertEqual(p.returncode, 1)
                verdicts = [json.loads(x).get("verdict") for x in self.out.read_text().splitlines()]
                self.assertEqual(verdicts, ["PASS", "NOT-RUN", None])
                self.no_drafts()

    def test_a_second_signal_ends_it_at_once(self):
        fifo = self.dir / "out.fifo"
        os.mkfifo(fifo)
        keep = os.open(fifo, os.O_RDWR)  # a reader that never reads: the FIFO fills up
        os.set_blocking(keep, False)
        try:
            while True:
                os.write(keep, b"x" * 4096)
        except BlockingIOError:
            pass
        p = subprocess.Popen(self.command("--tap", fifo, "--json", self.out), env=ENV,
                             stdout=subprocess.PIPE)
        time.sleep(1)
        p.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        p.send_signal(signal.SIGTERM)
        p.communicate(timeout=20)
        os.close(keep)
        self.assertEqual(p.returncode, -signal.SIGTERM)
        if self.out.exists():  # whole or not at all
            self.assertIn('"summary"', self.out.read_text().splitlines()[-1])
        self.no_drafts()

    def test_a_reader_that_goes_away(self):
        self.case.write_text("".join(ADD.replace("/add", f"/add{i}") for i in range(200)))
        reader, writer = os.pipe()
        os.close(reader)
        p = self.go("--json", self.out, trick="paints", capture_output=False, stdout=writer,
                    stderr=subprocess.DEVNULL)
        os.close(writer)
        self.assertEqual(p.returncode, 1)
        self.assertEqual(len(self.out.read_text().splitlines()), 201)
        self.case.write_text(ADD)
        reader, writer = os.pipe()
        os.close(reader)
        p = self.go("--tap", "-", capture_output=False, stdout=writer, stderr=subprocess.DEVNULL)
        os.close(writer)
        self.assertEqual(p.returncode, 2)

    def test_streams_that_are_closed(self):
        for fds in ((1,), (0, 1), (0, 1, 2), (2,)):
            with self.subTest(fds):
                p = self.go("--json", self.out, capture_output=False, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            preexec_fn=lambda: [os.close(fd) for fd in fds])
                self.assertEqual(p.returncode, 2 if 1 in fds else 0)
                lines = self.out.read_text().splitlines()
                self.assertEqual([json.loads(x).get("verdict") for x in lines], ["PASS", "PASS", None])

    def test_a_folder_is_no_list(self):
        self.refused("--expected-failures", self.dir, of="Is a directory")

    def test_shards(self):
        for text in ("1/4294967298", "4294967297/2", "99999999999999999999/1", "1/2x", " 1/2",
                     "+1/2", "1/ 2", "-1/2", "0/2", "1/0", "1", "1/", ""):
            self.refused("--shard", text, of="--shard")
        self.judged("--shard", "1/2147483647", status=0)

    def test_settings_of_the_allocator_are_put_aside(self):
        with unittest.mock.patch.dict(ENV, PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:64"):
            self.only_add("PASS", status=0)
        self.assertIn("PYTORCH_CUDA_ALLOC_CONF is put aside", self.error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
