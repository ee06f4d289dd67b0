# SPDX-License-Identifier: Apache-2.0
"""The lib door ages: its layout is the committed one, and backends of other versions run.

usage: door_test.py TOUCHSTONE LAYOUT_PROGRAM LIB_2_0 LIB_NEWER    (as TAP)
       door_test.py --write LAYOUT_PROGRAM                         after a member was added
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LAYOUT = Path(__file__).with_name("door_layout.txt")
EXPLAIN = """The door's layout is not the committed one. A member may be added at the end of a struct
that begins with its size: then run door_test.py --write and commit door_layout.txt. Anything else
breaks every backend that is built: it needs a new TS_BACKEND_ABI and a fragment of kind breaking."""
count = 0


def tell(ok, name, why=""):
    global count
    count += 1
    print(f"{'ok' if ok else 'not ok'} {count} - {name}")
    if not ok:
        print("\n".join("# " + line for line in why.splitlines()))
    return ok


def layout(program):
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def grown_only(old, new):
    """Every old line is there still, but for sizes, which grow."""
    now = dict(line.rsplit(" ", 1) for line in new.splitlines())
    for line in old.splitlines():
        name, value = line.rsplit(" ", 1)
        size = "." not in name and name.startswith("ts_") and name not in FROZEN
        if name not in now or (int(now[name]) < int(value) if size else now[name] != value):
            return f"{name} was {value}, is {now.get(name, 'gone')}"
    return ""


FROZEN = ("ts_value", "ts_scalar", "ts_device")  # cross in arrays or by value


def run(touchstone, lib, *args):
    with tempfile.TemporaryDirectory() as d:
        out = Path(d) / "r.jsonl"
        p = subprocess.run([touchstone, "run", "--backend", lib, "--json", out, *args],
                           capture_output=True, text=True)
        rows = [json.loads(ln) for ln in out.read_text().splitlines()] if out.exists() else []
    return p, [r for r in rows if "verdict" in r]


def main(touchstone, program, old, newer):
    new = layout(program)
    was = LAYOUT.read_text(encoding="utf-8")
    tell(new == was, "the committed layout", EXPLAIN + "\n" + grown_only(was, new))

    for more in ((), ("--assist",)):
        p, rows = run(touchstone, old, "--filter", "^add/float32/", *more)
        served = {r["verdict"] for r in rows}
        tell(p.returncode == 0 and "PASS" in served and not served & {"FAIL", "ERROR"},
             f"a backend of 2.0 serves what it can {' '.join(more)}".rstrip(), p.stdout + p.stderr)
    p, rows = run(touchstone, newer, "--filter", "^add/float32/")
    verdicts = {r["id"]: r for r in rows}
    tell(p.returncode == 0 and any(r["verdict"] == "PASS" for r in rows),
         "a backend of a later version is judged", p.stdout + p.stderr)
    declined = [r for r in rows if "declines" in r.get("reason", "")]
    tell(declined and all(r["verdict"] == "NOT-CLAIMED" for r in declined),
         "what its supports() declines is not claimed", str(verdicts))
    p, rows = run(touchstone, newer, "--filter", "^autograd/float64/chain")
    tell(rows and all(r["verdict"] in ("NOT-CLAIMED", "SKIP") for r in rows),
         "a level it does not stand for is not claimed", p.stdout + p.stderr)
    p, rows = run(touchstone, newer, "--filter", "^unary/float32/neg")
    tell(any(r["verdict"] == "FAIL" for r in rows),
         "an entry at its stride is found", p.stdout + p.stderr)
    print(f"1..{count}")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--write":
        text, before = layout(sys.argv[2]), LAYOUT.read_text() if LAYOUT.exists() else ""
        problem = grown_only(before, text)
        if problem:
            sys.exit(f"{EXPLAIN}\n{problem}")
        LAYOUT.write_text(text, encoding="utf-8")
    elif len(sys.argv) == 5:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
