# SPDX-License-Identifier: Apache-2.0
"""Which files the build is made of. Meson has no globbing, so it asks here when it configures.

usage: listing.py PATTERN         the files' names without suffix, sorted, one a line
       listing.py --all           the same of every pattern: what a build folder remembers
       listing.py --check FILE    FILE is such a memory; fails when files came or went since
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = (
    "spec/ops/*.md", "spec/areas/*.md", "ref/*/*.c", "cuda/core/*.c", "cuda/ops/*.c",
    "cuda/ops/*.cu", "conformance/compare/*.c", "conformance/lists/*.c",
    "conformance/runner/*.c", "conformance/script/*.c", "conformance/zoo/*.c",
    "conformance/zoo/cuda/*.cu",
)
NAME = re.compile(r"[A-Za-z0-9_]+\.[a-z]+")  # not what editors leave


def files(pattern):
    return sorted(p for p in ROOT.glob(pattern) if NAME.fullmatch(p.name))


def everything():
    return [p.relative_to(ROOT).as_posix() for pattern in PATTERNS for p in files(pattern)]


def check(memory):
    now, then = set(everything()), set(Path(memory).read_text(encoding="utf-8").split())
    for path in sorted(now - then):
        print(f"{path} is new")
    for path in sorted(then - now):
        print(f"{path} is gone")
    if now != then:
        print("the build does not know it yet; run: meson setup --reconfigure "
              f"{Path(memory).parent}")
    return int(now != then)


def main(args):
    if args == ["--all"]:
        print("\n".join(everything()))
        return 0
    if len(args) == 2 and args[0] == "--check":
        return check(args[1])
    if len(args) != 1 or args[0].startswith("--"):
        sys.exit(__doc__)
    folder, _, name = args[0].rpartition("/")
    if args[0] not in PATTERNS and f"{Path(folder).parent}/*/{name}" not in PATTERNS:
        sys.exit(f"listing.py: {args[0]} is none of the PATTERNS that --check looks at")
    print("\n".join(p.stem for p in files(args[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
