# SPDX-License-Identifier: Apache-2.0
"""Count what one lane ran, as `passed failed skipped`.

usage: count.py junit MESON_LOGS_DIR    the sub-tests of the last `meson test`
       count.py results RESULTS.jsonl   the cases of one `touchstone run`
"""
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def junit(folder):
    passed = failed = skipped = 0
    for case in ET.parse(Path(folder) / "testlog.junit.xml").getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def results(path):
    last = Path(path).read_text(encoding="utf-8").splitlines()[-1]
    summary = json.loads(last)["summary"]
    skipped = summary["cases"] - summary["passed"] - summary["failed"]
    return summary["passed"], summary["failed"], skipped


if len(sys.argv) != 3 or sys.argv[1] not in ("junit", "results"):
    sys.exit(__doc__)
print(*(junit if sys.argv[1] == "junit" else results)(sys.argv[2]))
