# SPDX-License-Identifier: Apache-2.0
"""The pages' gradcheck rows for ref/tests/gradcheck.c.

    gradcheck.py SPEC OUT.h
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from pages import PageError, read_all  # noqa: E402

FORMS = {"functional": "TS_FUNCTIONAL", "inplace": "TS_INPLACE"}


def rows(pages):
    ops = sorted((op for page in pages.values() for op in page.ops), key=lambda o: o.name)
    for op in ops:
        if op.raw["gradcheck"] == "error":
            yield f'{{"{op.name}", NULL, TS_FUNCTIONAL}},'
            continue
        for form, arguments in op.gradchecks:
            yield f'{{"{op.name}", "{" ".join(arguments)}", {FORMS[form]}}},'


def main(spec, out):
    text = ("/* SPDX-License-Identifier: Apache-2.0 */\n/* Generated from the pages of spec/. */\n"
            + "\n".join(rows(read_all(Path(spec)))) + "\n")
    path = Path(out)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except PageError as e:
        sys.exit(str(e))
