# SPDX-License-Identifier: Apache-2.0
"""The differential run: which faults come to something else than the reference, and where. Each
call of a run is made once more by every fault of its op, on copies (faults.h)."""
import hashlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

SECONDS = 600


class Differ:
    def __init__(self, build, work, golden, jobs):
        self.build, self.work, self.golden, self.jobs = build, work, golden, jobs
        work.mkdir(parents=True, exist_ok=True)

    def environment(self, **more):
        return {**os.environ, **more,
                "TOUCHSTONE_REFERENCE": str(self.build / "ref/libtouchstone_reference.so")}

    def command(self, *args):
        return [self.build / "touchstone", "run", f"--golden={self.golden}",
                f"--backend={self.build / 'conformance/faults/libfaults.so'}", *args]

    def seen(self, name, faults, *args):
        """Texts of the faults that made a difference in one run of programs."""
        listed, seen = self.work / f"{name}.faults", self.work / f"{name}.seen"
        listed.write_text("".join(f"{f.text}\n" for f in faults))
        seen.unlink(missing_ok=True)
        done = subprocess.run(
            self.command("-j1", "--timeout=60", *args), capture_output=True, text=True,
            errors="replace", timeout=SECONDS * 4,
            env=self.environment(TOUCHSTONE_FAULTS=str(listed), TOUCHSTONE_FAULTS_SEEN=str(seen)))
        if done.returncode not in (0, 1):
            raise SystemExit(f"differential run of {name}: {done.stderr.strip()[-500:]}")
        return set(seen.read_text().split("\n")) - {""} if seen.exists() else set()

    def in_corpus(self, faults):
        return self.seen("corpus", faults)

    def page(self, page, text, faults):
        if not faults or not text.strip():
            return set()
        path = self.work / f"{page}.cases"
        path.write_text(text)
        return self.seen(page, faults, path)

    def pages(self, todo):
        """{page: (programs, faults)} -> texts that made a difference."""
        with ThreadPoolExecutor(self.jobs) as pool:
            done = pool.map(lambda i: self.page(i[0], *i[1]), sorted(todo.items()))
            return set().union(*done)

    def trace(self, name, *args, reference=None, runtime=None):
        """What every call and every program of a run comes to, as one number; another reference
        or runtime than the build's may take its place. How often the same call is made says
        nothing: the judge looks again where memory seems to be left."""
        calls, verdicts = self.work / f"{name}.calls", self.work / f"{name}.json"
        calls.unlink(missing_ok=True)
        env = self.environment(TOUCHSTONE_FAULTS_TRACE=str(calls))
        env |= {"TOUCHSTONE_REFERENCE": str(reference)} if reference else {}
        env |= {"LD_PRELOAD": str(runtime)} if runtime else {}
        try:
            subprocess.run(self.command("-j1", "--timeout=20", f"--json={verdicts}", *args),
                           capture_output=True, env=env, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return "timeout"
        lines = list(set(calls.read_bytes().split(b"\n"))) if calls.exists() else []
        for line in verdicts.read_text().splitlines() if verdicts.exists() else ():
            entry = json.loads(line)
            if "verdict" in entry:
                lines.append(f"{entry.get('id')} {entry['verdict']} {entry.get('reason')}".encode())
        calls.unlink(missing_ok=True)
        verdicts.unlink(missing_ok=True)
        return hashlib.sha256(b"\n".join(sorted(lines))).hexdigest()
