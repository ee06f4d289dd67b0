# SPDX-License-Identifier: Apache-2.0
"""Worlds of processes for cases on several ranks: started once, then asked case after case.

Every rank runs the whole of a case by itself, shadows and layouts included, in step with the others
(golden/modules/dist.py); what their expectations saw is put together here.
"""
import pickle
import socket
import subprocess
import sys


class Ranks:
    """`size` processes of generate.py, one a rank."""

    def __init__(self, command, size, env):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.processes = [
            subprocess.Popen([*command, "--rank", f"{r}/{size}/{port}"], env=env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for r in range(size)]

    def ask(self, request):
        """Every rank's answer, in order. RuntimeError with the first refusal."""
        for p in self.processes:
            pickle.dump(request, p.stdin)
            p.stdin.flush()
        answers = [pickle.load(p.stdout) for p in self.processes]
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
