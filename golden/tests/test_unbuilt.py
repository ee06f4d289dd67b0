#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each page's `unbuilt` is what PyTorch takes by name and the page does not. Runs under golden/.venv."""
import os
import sys
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent
PYTHON = GOLDEN / ".venv" / "bin" / "python"

if not PYTHON.exists():
    print("skipped: golden/.venv is not there, golden/setup makes it\n"
          "0 passed, 0 failed, 1 skipped")
    sys.exit(77)
os.execv(PYTHON, [str(PYTHON), str(GOLDEN / "unbuilt.py"), "--check"])
