# SPDX-License-Identifier: Apache-2.0
"""What the rooms of the runtime call of each other, read from their static libraries.

usage: ladder.py LIB.a ...    (libtouchstone_<room>.a each; as TAP)

A room may use what is defined in the rooms that MAY names. Core uses nothing but itself: other rooms
enter themselves in its tables.
"""
import re
import subprocess
import sys

MAY = {
    "core": set(),
    "tables": {"core", "api", "grad", "family", "transform"},  # the rows name their functions
    "family": {"core"},
    "api": {"core", "family", "tables"},
    "grad": {"core", "api", "tables", "profile"},
    "transform": {"core", "api", "grad", "tables"},
    "profile": {"core", "device"},
    "amp": {"core", "grad", "tables"},
    "alloc": {"core", "device", "profile"},
    "device": {"core", "alloc", "graph", "profile", "tables"},
    "graph": {"core", "alloc", "device"},
    "dist": {"core", "device", "grad", "tables"},
}
NAME = re.compile(r"^_?tsi?d?_")


def symbols(lib, *options):
    out = subprocess.run(["nm", *options, lib], capture_output=True, text=True, check=True).stdout
    return {ln.split()[-1] for ln in out.splitlines() if len(ln.split()) > 1}


def main(libs):
    rooms = {re.search(r"touchstone_(\w+)\.a$", lib).group(1): lib for lib in libs}
    home = {s: room for room, lib in rooms.items() for s in symbols(lib, "--defined-only", "-g")
            if NAME.match(s)}
    print(f"1..{len(rooms)}")
    failed = False
    for n, (room, lib) in enumerate(sorted(rooms.items()), 1):
        wrong = {}
        for s in symbols(lib, "-u"):
            if s in home and home[s] != room and home[s] not in MAY[room]:
                wrong.setdefault(home[s], []).append(s)
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {n} - {room} calls only what stands below it")
        for other, names in sorted(wrong.items()):
            print(f"# {room} may not use {other}: {', '.join(sorted(names))}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
