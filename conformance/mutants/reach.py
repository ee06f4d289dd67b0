# SPDX-License-Identifier: Apache-2.0
"""Which cases reach a line of the reference, or of the judge: one run of the corpus with both built
without optimisation, each of their basic blocks telling reach.c that it is entered."""
import bisect
import hashlib
import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
# (binutils 2.40 mixes up the files of DWARF 5.)
FLAGS = ["-O0", "-g1", "-gdwarf-4", "-w", "-fsanitize-coverage=trace-pc"]
# As reach.c numbers them.
LIBRARIES = ("ref/libtouchstone_reference.so", "ref/libtouchstone.so", "touchstone")
PLACES, CASES = 1 << 17, 1 << 16
CALL = re.compile(r"^\s*([0-9a-f]+):\s.*<__sanitizer_cov_trace_pc")
SKIPPED = re.compile(r"^ok \d+ - (\S+) # SKIP SKIP:", re.M)
TAP = re.compile(r"^(?:not )?ok (\d+) - (\S+)", re.M)


def only(cases):
    """The judge's filter for some cases."""
    return f"^({'|'.join(c.replace('.', '[.]') for c in cases)})$"


def bits(n):
    """Positions of the ones of a number."""
    while n:
        low = n & -n
        yield low.bit_length() - 1
        n ^= low


class Reach:
    """lines: {file: {line of a block's start: cases, one bit each}}, a line that none reaches too;
    ids: what case a bit stands for."""

    def __init__(self, make, work, golden, jobs, device="cpu", only=None):
        self.make, self.work, self.golden, self.jobs = make, work / "reach", golden, jobs
        self.device, self.only, self.bodies = device, only, {}
        self.work.mkdir(parents=True, exist_ok=True)
        text = hashlib.sha256((HERE / "reach.c").read_bytes() + " ".join(FLAGS).encode())
        for path in [make.root / f for f in sorted(make.users)] + sorted(golden.glob("*.cases")):
            if path.exists():
                text.update(path.name.encode() + path.read_bytes())
        kept = self.work / f"{device}.json"
        found = json.loads(kept.read_text()) if kept.exists() else {}
        if found.get("of") != text.hexdigest():
            found = {"of": text.hexdigest(), **self.run()}
            kept.write_text(json.dumps(found))
        self.ids, self.skipped = found["ids"], found["skipped"]
        self.lines = {f: {int(n): int(c, 16) for n, c in some.items()}
                      for f, some in found["lines"].items()}
        self.opening = {f: set(some) for f, some in found["opening"].items()}
        self.starts = {f: sorted(some) for f, some in self.lines.items()}

    def body_of(self, file):
        """Lines that stand in a function: between brackets that open and close in the first column."""
        if file not in self.bodies:
            inside, out = False, set()
            for n, text in enumerate((self.make.root / file).read_text().split("\n"), 1):
                inside = text.startswith("{") or inside and not text.startswith("}")
                if inside:
                    out.add(n)
            self.bodies[file] = out
        return self.bodies[file]

    def cases(self, file, line):
        """Bits of the cases that come to a line of a function: those that enter the block which starts
        there or next above, and the one before, since what follows a call that may fail starts at the
        call's line. 0: none, or nobody knows: what runs once only counts for the case that ran it."""
        if line not in self.body_of(file):
            return 0
        starts = self.starts.get(file, [])
        above = starts[:bisect.bisect_right(starts, line)][-2:]
        if not above or set(above) & self.opening.get(file, set()):
            return 0
        found = 0
        for start in above:
            found |= self.lines[file][start]
        return found if found.bit_count() > 1 else 0

    def names(self, cases):
        return [self.ids[i] for i in bits(cases)]

    def libraries(self):
        shim = self.work / "reach.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, HERE / "reach.c", "-ldl"], check=True)

        def compiled(name):
            words = [w for w in self.make.compile[name] if w not in ("-O2", "-g", "-Werror")]
            out = self.work / name.replace("/", "_")
            words[words.index("-o") + 1] = str(out)
            words[words.index("-MF") + 1] = f"{out}.d"
            # An object of another folder would tell that folder's paths.
            subprocess.run(["ccache"] * bool(shutil.which("ccache")) + words[:1] + FLAGS + words[1:],
                           cwd=self.make.build, check=True,
                           env={**os.environ, "CCACHE_HASHDIR": "true", "CCACHE_BASEDIR": ""})
            return str(out)

        objects = sorted({w for words in self.make.link.values() for w in words if w in self.make.compile})
        with ThreadPoolExecutor(self.jobs) as pool:
            made = dict(zip(objects, pool.map(compiled, objects)))
        out = []
        for library in LIBRARIES:
            words = [made.get(w, w) for w in self.make.link[library] if w != "-Wl,--no-undefined"]
            path = self.work / Path(library).name
            words[words.index("-o") + 1] = str(path)
            subprocess.run([*words, shim], cwd=self.make.build, check=True)
            out.append(path)
        return shim, out

    def starts_of(self, library):
        """{offset: (file, line)} of every block's start."""
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True,
                              capture_output=True, text=True).stdout
        offsets, after = [], False
        for line in text.splitlines():
            if after and ":" in line:
                offsets.append(line.split(":")[0].strip())
                after = False
            after = after or bool(CALL.match(line))
        told = subprocess.run(["addr2line", "-e", library], input="\n".join(offsets), check=True,
                              capture_output=True, text=True).stdout.splitlines()
        out = {}
        for offset, place in zip(offsets, told):
            path, _, line = place.partition(":")
            path = (self.make.build / path).resolve()
            number = re.match(r"\d+", line)
            if number and path.is_relative_to(self.make.root):
                out[int(offset, 16)] = path.relative_to(self.make.root).as_posix(), int(number[0])
        return out

    def run(self):
        shim, libraries = self.libraries()
        found = self.work / "found"
        found.unlink(missing_ok=True)
        done = subprocess.run(
            [libraries[2], "run", "-j1", "--tap=-", "--timeout=120", "--paranoid=0",
             f"--golden={self.golden}", f"--device={self.device}", "--memory=none", "--backend", libraries[0],
             *([f"--filter={only(self.only)}"] if self.only else [])],
            env={"PATH": "/usr/bin:/bin", "LD_PRELOAD": f"{shim} {libraries[1]}",
                 "TOUCHSTONE_REACH": str(found)}, capture_output=True, text=True, errors="replace")
        if done.returncode not in (0, 1):
            raise SystemExit(f"reach: {done.stderr[-500:]}")
        ids = {int(n) - 1: case for n, case in TAP.findall(done.stdout)}
        lines, opening = {}, {}
        at = [self.starts_of(library) for library in libraries]
        for starts in at:
            for file, line in starts.values():
                lines.setdefault(file, {}).setdefault(line, 0)
        with open(found, "rb") as f:
            used = int.from_bytes(f.read(4), "little")
            if used == 0:
                raise SystemExit("reach: nothing was reached")
            f.read(4)
            places = f.read(8 * PLACES)
            for k in range(used):
                library = int.from_bytes(places[8 * k:8 * k + 4], "little")
                offset = int.from_bytes(places[8 * k + 4:8 * k + 8], "little")
                f.seek(8 + 8 * PLACES + k * (CASES // 8))
                row = int.from_bytes(f.read(CASES // 8), "little")
                if offset in at[library]:
                    file, line = at[library][offset]
                    if row >> CASES - 1:  # before the first case
                        opening.setdefault(file, []).append(line)
                        row ^= 1 << CASES - 1
                    lines[file][line] |= row
        found.unlink()
        return {"skipped": SKIPPED.findall(done.stdout), "opening": opening,
                "ids": [ids.get(i, "") for i in range(max(ids) + 1)],
                "lines": {f: {n: hex(c) for n, c in some.items()} for f, some in lines.items()}}
