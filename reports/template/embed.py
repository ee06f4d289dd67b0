# SPDX-License-Identifier: Apache-2.0
"""Put the report's page, style and script into C byte arrays, called after the page.

    embed.py REPORT.html STYLE.css... SCRIPT.js OUT.c OUT.h
"""
import sys
from pathlib import Path


def array(name, data):
    rows = [",".join(map(str, data[i:i + 24])) for i in range(0, len(data), 24)]
    return (f"const unsigned char {name}[] = {{\n" + ",\n".join(rows) + "\n};\n"
            f"const size_t {name}_size = sizeof {name};\n")


def main(html, *rest):
    *styles, script, source, header = rest
    page = Path(html).read_text(encoding="utf-8")
    css = "".join(Path(s).read_text(encoding="utf-8") for s in styles)
    js = Path(script).read_text(encoding="utf-8")
    for what, text, end in (("style", css, "</style"), ("script", js, "</script")):
        if end in text:
            sys.exit(f"embed.py: the {what} holds {end!r}, which would end it")
    for mark in ("{{css}}", "{{data}}", "{{js}}"):
        if page.count(mark) != 1:
            sys.exit(f"embed.py: {html} must hold {mark} once")
    head, tail = page.split("{{data}}")
    head, tail = (t.replace("{{css}}", css).replace("{{js}}", js) for t in (head, tail))
    stem = Path(html).stem
    parts = {f"{stem}_head": head.encode(), f"{stem}_tail": tail.encode()}
    Path(source).write_text(f'#include "{Path(header).name}"\n\n'
                            + "".join(array(n, d) for n, d in parts.items()))
    Path(header).write_text(
        f"#ifndef {stem.upper()}_PAGE_H\n#define {stem.upper()}_PAGE_H\n#include <stddef.h>\n"
        + "".join(f"extern const unsigned char {n}[];\nextern const size_t {n}_size;\n"
                  for n in parts) + "#endif\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
