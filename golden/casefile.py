# SPDX-License-Identifier: Apache-2.0
"""Write a file of cases in format 2: what all cases share once at its head, records as short as
case_language/S11 and S13 let them be. conformance/script/case_language.py reads it back."""
import hashlib
import json
import math
import re

import case_language as lang

WORD = re.compile(r"[A-Za-z0-9_.+-]+")


def sha(data):
    return hashlib.sha256(data).hexdigest()


def digest(bits):
    """What stands for the bits of many elements (results/S12)."""
    return sha(bits)[:32]


def compact(value):
    return json.dumps(value, separators=(",", ":"))


# --- records --------------------------------------------------------------------------------------


class Places:
    """Where elements go on by themselves: past those that the case has named so far."""

    def __init__(self):
        self.next = {}

    def at(self, r, bare):
        """What says that `r` lies at r["at"]: `bare` where it follows."""
        size = math.prod(r["shape"])
        if not size:
            return bare
        flat = "truth" if r["class"] == "bound" else r["dtype"]
        follows = self.next.get(flat) == r["at"]
        self.next[flat] = max(self.next.get(flat, 0), r["at"] + size)
        return bare if follows else f"@{r['at']}"


def strides(r, usual):
    """"(…)", or nothing where the strides are `usual`."""
    if r["strides"] == usual:
        return ""
    named = {"c": lang.row_major, "t": lang.column_major}
    for letter, of in named.items():
        if r["strides"] == of(r["shape"]):
            return f"({letter})"
    return "(" + ",".join(map(str, r["strides"])) + ")"


def used(r):
    return f"~{r['used']:.3g}" if "used" in r else ""


def name_of(r):
    return r["name"] if WORD.fullmatch(r["name"]) else compact(r["name"])


def plain(r):
    """A record without elements."""
    return r["error"] if r["class"] == "error" else "= " + compact(r["value"])


def joined(*parts):
    return " ".join(p for p in parts if p)


def base_line(r, dtype, places):
    if r["class"] in ("error", "value"):
        return f"#= {name_of(r)} {plain(r)}"
    what = ("" if r["dtype"] == dtype else r["dtype"]) + compact(r["shape"])
    what += strides(r, lang.row_major(r["shape"]))
    if r["class"] == "digest":
        return "#= " + joined(name_of(r), what, "#" + r["digest"])
    return "#= " + joined(name_of(r), what, places.at(r, ""), used(r))


def difference(r, base, places):
    """What a variant's record has otherwise than the base record."""
    if r["class"] in ("error", "value"):
        return plain(r)
    what = "" if r["dtype"] == base["dtype"] else r["dtype"]
    usual = base["strides"]
    if r["shape"] != base["shape"]:
        what += compact(r["shape"])
        usual = lang.row_major(r["shape"])
    if r["class"] == "digest":
        return joined(what, strides(r, usual),
                      "" if r["digest"] == base["digest"] else "#" + r["digest"])
    moved = (r["dtype"], r["shape"], r["at"]) != (base["dtype"], base["shape"], base["at"])
    return joined(what, strides(r, usual), places.at(r, "@") if moved else "", used(r))


def variant_lines(variant, records, base, places):
    """Neighbours that differ alike share a line; so do all, under one star."""
    runs = []
    for r in records:
        text = difference(r, base[r["name"]], places)
        if runs and runs[-1][1] == text:
            runs[-1][0].append(r)
        else:
            runs.append(([r], text))
    stored = [n for n, r in base.items() if r["class"] in lang.STORED]
    whole = len(runs) == 1 and [r["name"] for r in records] == stored
    return [joined("#+", variant, "*" if whole else ",".join(name_of(r) for r in some), text)
            for some, text in runs]


def record_lines(case_id, records):
    dtype, places, lines = case_id.split("/")[1], Places(), []
    base = {r["name"]: r for r in records if "variant" not in r}
    for r in base.values():
        lines.append(base_line(r, dtype, places))
    for variant in lang.VARIANTS[1:]:
        some = [r for r in records if r.get("variant") == variant]
        if some:
            lines += variant_lines(variant, some, base, places)
    return lines


# --- a whole file ---------------------------------------------------------------------------------


def shared(cases):
    """{key: value} of the headers that are shorter said once."""
    out = {}
    for key in lang.GENERAL:
        values = [c["headers"].get(key) for c in cases]
        if key == "provenance" and None in values:
            continue
        gain = {v: (values.count(v) - 1) * len(f"# {key}: {v}\n") -
                values.count(None) * len(f"# {key}: -\n") for v in set(values) - {None}}
        if gain:
            best = max(gain, key=lambda v: (gain[v], v))
            if gain[best] > 0:
                out[key] = best
    return out


def case_text(c, general):
    headers = {}
    for key in lang.HEADERS:
        value = c["headers"].get(key)
        if value is None and key in general:
            headers[key] = "-"
        elif value is not None and general.get(key) != value:
            headers[key] = value
    return "\n".join([f"# case {c['id']}", *(f"# {k}: {v}" for k, v in headers.items()),
                      c["program"].rstrip("\n"), *record_lines(c["id"], c["records"])]) + "\n"


def file_bytes(page, made, data, cases):
    """The bytes of <page>.cases. made: {"torch": …, …}; cases: dicts of id, headers, program,
    records as case_language gives them."""
    general = shared(cases)
    text = "\n".join(
        [f"# data: {page}.safetensors sha256:{sha(data)}",
         "# made: " + ", ".join(f"{k} {v}" for k, v in made.items()),
         *(f"# {k}: {v}" for k, v in general.items())]) + "\n"
    text += "".join("\n" + case_text(c, general) for c in cases)
    raw = text.encode()
    return f"# touchstone cases 2\n# text: sha256:{sha(raw)}\n".encode() + raw
