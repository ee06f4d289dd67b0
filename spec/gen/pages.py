# SPDX-License-Identifier: Apache-2.0
"""Read the pages of spec/: prose with numbered rules, and one TOML block a program reads."""
import copy
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import families

KINDS = ("primitive", "view", "composite", "optional")
FORMS = ("functional", "inplace", "out")
DTYPES = ("float64", "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2",
          "int64", "int32", "int16", "int8", "uint8", "bool")
CLASSES = {
    "FLOAT": ("float64", "float32", "bfloat16", "float16"),
    "FLOAT8": ("float8_e4m3fn", "float8_e5m2"),
    "INT": ("int64", "int32", "int16", "int8", "uint8"),
    "BOOL": ("bool",),
}
CLASSES["ALL"] = DTYPES
CLASSES["NUMBER"] = CLASSES["FLOAT"] + CLASSES["INT"]
CLASSES["COMMON"] = CLASSES["NUMBER"] + CLASSES["BOOL"]  # all but float8
LEVELS = ("L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8")
ERRORS = ("RuntimeError", "ValueError", "TypeError", "IndexError", "AttributeError",
          "AssertionError", "OverflowError", "ZeroDivisionError", "NotImplementedError",
          "OutOfMemoryError", "DistError")

# What an [[op]] may say, and what it says by not saying it.
REQUIRED = ("schema", "kind", "result")
DEFAULTS = {
    "forms": ["functional"], "dtypes": [], "functions": [], "methods": [],
    "functions_inplace": [], "methods_inplace": [],
    "number": [], "varargs": [], "differentiable": False, "saves": {},
    "nondifferentiable_results": [], "gradcheck": [], "synchronizing": False, "capturable": True,
    "deterministic": True, "rng": False, "crosses_devices": False, "autocast": "none",
    "autocast_cpu": "none", "kernel": False, "bound": None, "ulp": {}, "family": None, "refuses": {},
    "states": {}, "again": {}, "api": None, "vjp": None, "domain": None, "identity": [], "never": [],
    "untold": [], "vmap": None, "jvp": None, "or_else": None, "unbuilt": [], "unvalued": {}, "beside": {},
    "keywords_beside": {}, "tensors_beside_out": False, "scalar_numbers": False,
}

# An argument of a gradcheck row; CONTRIBUTING.md tells them apart.
CHECKED = re.compile(r"[pubsc](\d+(x\d+)*)?|m\d+(x\d+)*|x(\d+(x\d+)*:)?\d+(,\d+)*"
                     r"|l\d+(x\d+)*(;\d+(x\d+)*)*|i(_|\d+(,\d+)*)(;(_|\d+(,\d+)*))*|\[(-?\d+(,-?\d+)*)?\]"
                     r"|-?\d+(\.\d*)?(e-?\d+)?|true|false|'[^']*'|d|_")

RULE = re.compile(r"^- \*\*([SCG][1-9][0-9]*)\*\* +(.*)$")
SCOPE = re.compile(r"^[TOADEMGC]-[0-9]{2}$")
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.M | re.S)


class PageError(Exception):
    """A page that does not follow CONTRIBUTING.md; the message starts with file:line."""


@dataclass
class Param:
    name: str
    type: str
    optional: bool = False
    default: str | None = None
    keyword_only: bool = False
    mutated: bool = False
    number: bool = False
    varargs: bool = False
    differentiable: bool = False
    entry_optional: bool = False


@dataclass
class Op:
    name: str
    schema: str
    page: str
    kind: str
    params: list
    results: list  # (type, name or "")
    raw: dict = field(default_factory=dict)  # with [common] and the defaults filled in

    @property
    def forms(self):
        return self.raw["forms"]

    @property
    def gradchecks(self):
        """(form, arguments) of each gradcheck row."""
        if self.raw["gradcheck"] == "error":
            return
        rows = self.raw["gradcheck"] or (
            families.gradchecks(self) if self.raw["differentiable"] else [])
        for row in rows:
            form, colon, arguments = row.rpartition(": ")
            yield form if colon else "functional", arguments.split()


@dataclass
class Page:
    path: Path
    name: str
    title: str
    raw: dict
    rules: dict  # label without page -> (line, text)
    ops: list
    prose: str


TYPES = {"Tensor": "tensor", "Tensor[]": "tensors", "Scalar": "scalar", "int": "int",
         "float": "float", "bool": "bool", "int[]": "ints", "ScalarType": "dtype",
         "Device": "device", "MemoryFormat": "memory_format", "str": "string", "Tensor?[]": "tensors",
         "float[]": "floats", "bool[]": "bools", "Generator": "generator",
         "Function": "function"}


def split_commas(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "([" and 1 or (c in ")]" and -1 or 0)
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts


def parse_schema(schema, where):
    """PyTorch's schema syntax, the part that ops here use."""
    m = re.fullmatch(r"(\w+)\((.*)\) -> (.+)", schema)
    if not m:
        raise PageError(f"{where}: schema {schema!r} is not 'name(args) -> results'")
    name, args, results = m.groups()
    params, keyword_only = [], False
    for part in split_commas(args):
        if part == "*":
            keyword_only = True
            continue
        pm = re.fullmatch(r"(\w+)(\([a-z]!?\))?(\?)?(\[\d*\])?(\?)? (\w+)(?:=(.+))?", part)
        if not pm:
            raise PageError(f"{where}: schema of {name}: argument {part!r} not understood")
        base, alias, entry, lst, opt, pname, default = pm.groups()
        if entry and not lst:
            entry, opt = None, "?"
        ptype = base + (entry or "") + ("[]" if lst else "")
        if ptype not in TYPES:
            raise PageError(f"{where}: schema of {name}: unknown type {ptype!r}")
        params.append(Param(pname, TYPES[ptype], opt is not None, default, keyword_only,
                            bool(alias and "!" in alias),
                            varargs=lst is not None and lst != "[]",
                            entry_optional=bool(entry)))
    if len(params) > 64:
        raise PageError(f"{where}: schema of {name}: more than 64 arguments")
    res = []
    inner = results[1:-1] if results.startswith("(") else results
    for part in split_commas(inner):
        rm = re.fullmatch(r"Tensor(\([a-z]!?\))?(?: (\w+))?", part)
        if rm:
            res.append(("tensor", rm.group(2) or ""))
        elif re.fullmatch(r"Tensor(\([a-z]!?\))?\[\]", part):
            res.append(("tensors", ""))
        elif part == "Scalar":
            res.append(("scalar", ""))
        else:
            raise PageError(f"{where}: schema of {name}: result {part!r} not understood")
    return name, params, res


def file_of(page):
    """The name of a page's file on the site, whose own front page is index.html."""
    return "index_page" if page == "index" else page


def expand_dtypes(names, where):
    out = []
    for n in names:
        for d in CLASSES.get(n, (n,)):
            if d not in DTYPES:
                raise PageError(f"{where}: unknown dtype or class {n!r}")
            if d not in out:
                out.append(d)
    return out


def op_tables(raw, where):
    """The [[op]]s, each with the page's [common] keys and the defaults."""
    common = raw.get("common", {})
    for own in raw.get("op", []):
        said = {**common, **own}
        name = str(said.get("schema", "an op")).partition("(")[0]
        for key in REQUIRED:
            if key not in said:
                raise PageError(f"{where}: {name}: key {key!r} is missing")
        for key, value in said.items():
            if key not in REQUIRED and key not in DEFAULTS:
                raise PageError(f"{where}: {name}: unknown key {key!r}")
            if key not in common and key in DEFAULTS and value == DEFAULTS[key]:
                raise PageError(f"{where}: {name}: {key} has this value unless a page says "
                                "another; leave it out")
        yield copy.deepcopy({**DEFAULTS, **said})


def read_gradchecks(op, where):
    """Check the rows; the arguments that a row takes a gradient of are the differentiable ones."""
    for form, arguments in op.gradchecks:
        if form not in op.forms or form == "out":
            raise PageError(f"{where}: {op.name}: gradcheck of a form that it has not: {form!r}")
        if len(arguments) > len(op.params):
            raise PageError(f"{where}: {op.name}: gradcheck {' '.join(arguments)!r} has more "
                            "arguments than the op")
        for p, argument in zip(op.params, arguments):
            if not CHECKED.fullmatch(argument):
                raise PageError(f"{where}: {op.name}: gradcheck argument {argument!r}")
            p.differentiable = p.differentiable or argument[0] in "psubl"


def read_page(path):
    text = path.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    if len(blocks) != 1:
        raise PageError(f"{path}:1: a page has exactly one ```toml block, found {len(blocks)}")
    first_line = text[:blocks[0].start()].count("\n") + 2
    try:
        raw = tomllib.loads(blocks[0].group(1))
    except tomllib.TOMLDecodeError as e:
        raise PageError(f"{path}:{first_line}: {e}") from None
    where = f"{path}:{first_line}"
    rules = {}
    lines = text.splitlines()
    i = 0
    while i < len(lines):
        m = RULE.match(lines[i])
        if m:
            label, body, start = m.group(1), [m.group(2)], i + 1
            while i + 1 < len(lines) and lines[i + 1].startswith("  "):
                i += 1
                body.append(lines[i].strip())
            if label in rules:
                raise PageError(f"{path}:{start}: rule {label} stands twice")
            rules[label] = (start, " ".join(body))
        i += 1
    for key in ("page", "level", "scope", "source"):
        if key not in raw:
            raise PageError(f"{where}: key {key!r} is missing")
    if raw["page"] != path.stem:
        raise PageError(f"{where}: page is {raw['page']!r}, the file {path.stem!r}")
    if raw["level"] not in LEVELS:
        raise PageError(f"{where}: level {raw['level']!r} is none of L1..L8")
    if not raw["scope"]:
        raise PageError(f"{where}: the page covers no scope id")
    for s in raw["scope"]:
        if not SCOPE.match(s):
            raise PageError(f"{where}: {s!r} is no scope id")
    checks = raw.get("checks", {})
    for label, error in checks.items():
        if error not in ERRORS:
            raise PageError(f"{where}: check {label}: unknown error class {error!r}")
        if label not in rules:
            raise PageError(f"{where}: check {label} has no '- **{label}**' line")
    for label, (line, _) in rules.items():
        if label[0] == "C" and label not in checks:
            raise PageError(f"{path}:{line}: {label} has no error class under [checks]")
    ops = []
    for o in op_tables(raw, where):
        name, params, results = parse_schema(o["schema"], where)
        if o["kind"] not in KINDS:
            raise PageError(f"{where}: {name}: kind must be one of {KINDS}")
        for dtype, ulps in o["ulp"].items():
            if dtype not in CLASSES["FLOAT"] or not isinstance(ulps, (int, float)) or ulps < 0.5:
                raise PageError(f"{where}: {name}: ulp {dtype} = {ulps!r}: a float dtype, and half a "
                                "unit at least")
        for f in o["forms"]:
            if f not in FORMS:
                raise PageError(f"{where}: {name}: unknown form {f!r}")
        for p in params:
            p.number = p.name in o["number"]
            p.varargs = p.varargs or p.name in o["varargs"]
        for key in ("dtypes", "identity", "never"):
            o[key] = expand_dtypes(o[key], where)
        for entry in o["again"].values():
            if "dtypes" in entry:
                entry["dtypes"] = expand_dtypes(entry["dtypes"], where)
        names = {p.name for p in params}
        saves = o["saves"]
        result_names = {n or (f"result{i}" if len(results) > 1 else "result"): i for i, (_, n) in enumerate(results)}
        for what, wanted in saves.items():
            if what not in names and what not in result_names:
                raise PageError(f"{where}: {name}: saves {what!r}, which is neither an "
                                "argument nor a result")
            for w in [wanted] if isinstance(wanted, str) else wanted:
                if w not in names:
                    raise PageError(f"{where}: {name}: {what} is saved for unknown {w!r}")
        op = Op(name, o["schema"], raw["page"], o["kind"], params, results, o)
        families.check(op, rules, where, PageError)
        read_gradchecks(op, where)
        ops.append(op)
    title = next((ln[2:] for ln in lines if ln.startswith("# ")), path.stem)
    prose = text[:blocks[0].start()] + text[blocks[0].end():]
    return Page(path, raw["page"], title, raw, rules, ops, prose)


def read_all(spec):
    """Every page under spec/ops and spec/areas, by name; names are unique over both."""
    pages = {}
    for path in sorted((spec / "ops").glob("*.md")) + sorted((spec / "areas").glob("*.md")):
        page = read_page(path)
        if page.name in pages:
            raise PageError(f"{path}:1: page {page.name!r} stands twice")
        pages[page.name] = page
    seen = {}
    for page in pages.values():
        for op in page.ops:
            if op.name in seen:
                raise PageError(f"{page.path}:1: op {op.name!r} stands on {seen[op.name]} too")
            seen[op.name] = page.name
    for page in pages.values():
        for op in page.ops:
            if op.raw["or_else"] not in (None, *seen):
                raise PageError(f"{page.path}:1: {op.name}: or_else names no op")
    return pages
