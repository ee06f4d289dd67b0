# SPDX-License-Identifier: Apache-2.0
"""What no compiler checks: whitespace, licences, the ladder of includes, labels that exist.

usage: style.py ROOT    prints file:line: message for each finding; exit status 1 if there is one
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "spec/gen"))
from pages import PageError, read_all  # noqa: E402

# room -> prefixes of "..." includes it may use ("" is a file of its own folder)
LADDER = {
    "spec/include": ("touchstone/",),
    "ref/transform": ("touchstone/", "core/", "grad/", "transform/"),
    "ref/core": ("touchstone/", "core/", "device/device.h"),
    "ref/device": ("touchstone/", "core/", "device/"),
    "ref/alloc": ("touchstone/", "core/", "alloc/"),
    "ref/graph": ("touchstone/", "core/"),
    "ref/amp": ("touchstone/", "core/"),
    "ref/profile": ("touchstone/", "core/", "profile/"),
    "ref/family": ("touchstone/", "core/", "family/"),
    "ref/api": ("touchstone/", "core/", "family/", "api/"),
    "ref/ops": ("touchstone/", "ops/"),
    "ref/fast": ("touchstone/", "core/", "api/", "fast/"),
    "ref/grad": ("touchstone/", "core/", "family/", "api/", "grad/"),
    "ref/dist": ("touchstone/", "core/", "dist/", "device/device.h"),
    "ref/tests": ("touchstone/", "core/", "device/", "alloc/", "api/", "grad/", "tests/"),
    "conformance/zoo/cuda": ("touchstone/", "core/", "ops/"),
    "conformance": ("touchstone/", "runner/", "script/", "compare/", "zoo/", "faults/", "tests/"),
    "cuda": ("touchstone/", "core/", "ops/", "dist/", "sim/"),
}
INVISIBLE = re.compile("[\u00a0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
LABEL = re.compile(r'"([a-z][a-z0-9_]*)/([SCG][0-9]+)"')
findings = []


def finding(path, line, text):
    findings.append(f"{path.relative_to(ROOT)}:{line}: {text}")


def tracked():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"],
                           capture_output=True, check=True).stdout.split(b"\0")
    return [ROOT / n.decode() for n in names if n and (ROOT / n.decode()).is_file()]


def check_text(path, text):
    if not text.endswith("\n") and text:
        finding(path, text.count("\n") + 1, "no newline at the end of the file")
    for i, line in enumerate(text.split("\n"), 1):
        if "\t" in line and path.name not in (".gitmodules", "Makefile"):
            finding(path, i, "tab")
        if line.rstrip() != line:
            finding(path, i, "space at the end of the line")
        if INVISIBLE.search(line):
            finding(path, i, "invisible character")


def check_includes(path, text):
    rel = path.relative_to(ROOT).as_posix()
    room = next((r for r in LADDER if rel.startswith(r + "/")), None)
    if room is None:
        return
    for i, line in enumerate(text.split("\n"), 1):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if m and "/" in m.group(1) and not m.group(1).startswith(LADDER[room]):
            finding(path, i, f"{room} may not include {m.group(1)}")


def check_labels(path, text, labels):
    for i, line in enumerate(text.split("\n"), 1):
        for page, rule in LABEL.findall(line):
            if page in labels and f"{page}/{rule}" not in labels[page]:
                finding(path, i, f"label {page}/{rule} stands on no page")


def main():
    try:
        pages = read_all(ROOT / "spec")
    except PageError as e:
        print(e)
        return 1
    labels = {p.name: {f"{p.name}/{r}" for r in p.rules} for p in pages.values()}
    for path in tracked():
        rel = path.relative_to(ROOT).as_posix()
        if rel.startswith("golden/data/") or "/corpus/" in rel or rel == "LICENSE":
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        check_text(path, text)
        if path.suffix in (".c", ".h", ".cu", ".py", ".sh", ".js", ".css", ".def", ".build"):
            if "SPDX-License-Identifier: Apache-2.0" not in text[:200]:
                finding(path, 1, "no SPDX line")
        if path.suffix in (".c", ".h", ".cu"):
            check_includes(path, text)
        if rel.startswith(("ref/", "cuda/")) and path.suffix == ".c":
            check_labels(path, text, labels)
    print("\n".join(findings) if findings else "style: nothing to say")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
