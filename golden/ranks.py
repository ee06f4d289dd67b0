# SPDX-License-Identifier: Apache-2.0
"""Worlds of processes for cases on several ranks: started once, then asked case after case.

Every rank runs the whole of a case by itself, shadows and layouts included, in step with the others
(golden/modules/dist.py); what their expectations saw is put together here.
"""
import pickle
import socket
import subprocess
import sys


# What a rank says when another did not keep up: on a busy machine it means nothing.
OUT_OF_STEP = ("timeout", "timed out", "monitoredBarrier", "Connection closed", "Connection reset")


class Ranks:
    """`size` processes of generate.py, one a rank."""

    def __init__(self, command, size, env):
        self.command, self.size, self.env = command, size, env
        self.start()

    def start(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.processes = [
            subprocess.Popen([*self.command, "--rank", f"{r}/{self.size}/{port}"], env=self.env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for r in range(self.size)]

    def answers(self, request):
        for p in self.processes:
            pickle.dump(request, p.stdin)
            p.stdin.flush()
        return [pickle.load(p.stdout) for p in self.processes]

    def ask(self, request):
        """Every rank's answer, in order. RuntimeError with the first refusal; ranks that have lost
        step are begun anew first, and asked once more."""
        answers = self.answers(request)
        if any(not ok and any(w in str(what) for w in OUT_OF_STEP) for ok, what in answers):
            self.close()
            self.start()
            answers = self.answers(request)
        for r, (ok, what) in enumerate(answers):
            if not ok:
                raise RuntimeError(f"rank {r}: {what}")
        return [what for _, what in answers]

    def close(self):
        for p in self.processes:
            p.stdin.close()
        for p in self.processes:
            p.wait()


def merged(results):
    """One result of a case out of every rank's: its expectations one rank after the other."""
    variants = {v: [s for r in results for s in r["variants"][v]]
                for v in results[0]["variants"] if all(v in r["variants"] for r in results)}
    return {"needs": set().union(*(r["needs"] for r in results)), "variants": variants}


def serve(answer):
    """A rank's side: answer(request) for every request until there is none."""
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return 0
        try:
            result = True, answer(*request)
        except Exception as e:
            result = False, str(e) or repr(e)
        pickle.dump(result, out)
        out.flush()
