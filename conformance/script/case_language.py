# SPDX-License-Identifier: Apache-2.0
"""The case language in Python: reading .cases files, checking programs, generating inputs.

The twin of the C files beside it; spec/areas/case_language.md is the law for both. Standard library
only; NumPy makes the generators faster where it is installed and changes no bit.

    for case in read_cases("golden/data/softmax.cases"):
        run = Run()
        code = compile_case(case)                  # checked against the subset first
        exec(code, {**names_of_the_host, **run.names()})

    generate("normal", 7, (4, 5), "float16", mix="nan")  -> bytes, row-major, little-endian
    layout("strided", (4, 5))                             -> Layout(sizes, strides, offset, elements)
"""
import ast
import json
import math
import re
import struct
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import vocabulary

try:
    import numpy as np
except ImportError:  # pure Python gives the same bytes, slower
    np = None

# --- limits (case_language/S12) -------------------------------------------------------------------

MAX_FILE = 64 << 20
MAX_PROGRAM = 64 << 10
MAX_NODES = 20000
MAX_DEPTH = 60
MAX_ID = 200
MAX_GENERATED = 256 << 20

# --- names ----------------------------------------------------------------------------------------

STUBS = {s.name: s for s in vocabulary.stubs()}


def spoken(stub, is_="function"):
    return tuple(w.name for w in STUBS[stub].words if w.is_ == is_)


VARIANTS = ("base", "offset", "strided", "transposed", "expanded", "channels_last")
MODULES = vocabulary.MODULES
GENERATORS = tuple(n for n in spoken("generators") if n != "data")
EXPECTATIONS = spoken("expectations")
BUILTINS = spoken("builtins")
ERRORS = spoken("builtins", "error")
BARE = frozenset(BUILTINS + GENERATORS + EXPECTATIONS + ERRORS + ("data", "Function", "once_differentiable"))
RESERVED = BARE | frozenset(MODULES)

# The float dtypes: bytes, bits of significand, least normal exponent, overflow code, NaN code.
FLOATS = {
    "float64": (8, 53, -1022, 0x7FF << 52, 0x7FF8 << 48),
    "float32": (4, 24, -126, 0x7F800000, 0x7FC00000),
    "bfloat16": (2, 8, -126, 0x7F80, 0x7FC0),
    "float16": (2, 11, -14, 0x7C00, 0x7E00),
    "float8_e4m3fn": (1, 4, -6, 0x7E, 0x7F),  # no infinity: overflow is the largest (T-11)
    "float8_e5m2": (1, 3, -14, 0x7C, 0x7F),
}
INTEGERS = {"int64": (8, True), "int32": (4, True), "int16": (2, True), "int8": (1, True),
            "uint8": (1, False)}
DTYPES = tuple(FLOATS) + tuple(INTEGERS) + ("bool",)
# PyTorch's second names.
DTYPE_ALIASES = {w.name: w.value.removeprefix("TS_").lower() for w in STUBS["torch"].words
                 if w.kinds == ("dtype",)}
SETTABLE = tuple(w.name for w in STUBS["tensor"].words if w.settable)
# What leads on to another name.
NAMESPACES = ("torch.nn", "torch.nn.functional", "torch.autograd", "torch.linalg")

HEADERS = ("rules", "needs", "provenance", "variants", "trivial", "timeout", "memory", "ranks",
           "level")
GENERAL = ("needs", "provenance", "variants", "level")  # may stand in a file's head


class CaseError(ValueError):
    """A file or program that is no case; str() is "file:line:column: what was expected"."""

    def __init__(self, file, line, column, message):
        super().__init__(f"{file}:{line}:{column}: {message}")
        self.file, self.line, self.column, self.message = file, line, column, message


# --- files ----------------------------------------------------------------------------------------


@dataclass
class Case:
    """One case. `headers` are its own over those of the file's head. `records` are dicts with
    name, class, and as the class is: dtype, shape, strides, at, used; value; error; and variant,
    where it is not for all."""
    id: str
    file: str
    line: int
    headers: dict = field(default_factory=dict)
    program: str = ""
    program_line: int = 0
    records: list = field(default_factory=list)

    @property
    def page(self):
        return self.id.split("/")[0]

    def words(self, key):
        return self.headers.get(key, "").split()

    @property
    def rules(self):
        return self.words("rules")

    @property
    def needs(self):
        return self.words("needs")

    @property
    def variants(self):
        return ["base"] + [v for v in VARIANTS if v in self.words("variants") and v != "base"]


ID = re.compile(r"[A-Za-z0-9_.+-]+(/[A-Za-z0-9_.+-]+)+")
HEADER = re.compile(r"# ([a-z]+):(?: +(.*))?$")
CHECKS = {
    "rules": r"[a-z0-9_]+/[SCG][1-9][0-9]*( +[a-z0-9_]+/[SCG][1-9][0-9]*)*",
    "needs": r"[A-Za-z_][A-Za-z0-9_.]*( +[A-Za-z_][A-Za-z0-9_.]*)*",
    "provenance": r"(run-[a-z]+@[0-9A-Za-z.+]+|documented|user)",
    "variants": r"[a-z_]+( +[a-z_]+)*",
    "trivial": r".+",
    "timeout": r"[0-9]+(\.[0-9]+)?",
    "memory": r"[0-9]+[KMG]?",
    "ranks": r"[1-9][0-9]?",
    "level": r"L[1-8]",
}


def check_header(file, line, key, value, headers):
    if key not in HEADERS:
        raise CaseError(file, line, 3, f"unknown header key '{key}', expected one of "
                        + ", ".join(HEADERS))
    if key in headers:
        raise CaseError(file, line, 3, f"header key '{key}' stands twice")
    column = len(key) + 5
    if value == "-" and key in GENERAL and key != "provenance":
        return
    if not re.fullmatch(CHECKS[key], value):
        raise CaseError(file, line, column, f"'{value}' is no value for '{key}'")
    if key == "variants":
        for v in value.split():
            if v not in VARIANTS:
                raise CaseError(file, line, column, f"unknown variant '{v}'")
    if key == "timeout" and not 0 < float(value) <= 86400:
        raise CaseError(file, line, column, f"'{value}' is no value for 'timeout'")


def row_major(shape):
    """Strides of a contiguous tensor; a size of 0 counts as 1."""
    return [math.prod(max(n, 1) for n in shape[i + 1:]) for i in range(len(shape))]


def column_major(shape):
    return [math.prod(max(n, 1) for n in shape[:i]) for i in range(len(shape))]


NAME = re.compile(r'[A-Za-z0-9_.+-]+|"(?:[^"\\]|\\.)*"')
ELEMENTS = re.compile(r"""(?P<dtype>[a-z0-9_]+)?(?:\[(?P<shape>[-0-9,]*)\])?
    \ *(?:\((?P<strides>[tc]|[-0-9,]*)\))?\ *(?P<at>@[0-9]*(?=\ |$))?
    \ *(?:~(?P<used>[0-9][-+.0-9e]*))?(?:\#(?P<digest>[0-9a-f]{32}))?""", re.X)
STORED = ("exact", "bound", "digest")  # the classes of records of elements


class Records:
    """The records of one case, as its lines come."""

    def __init__(self, file, case):
        self.file, self.case = file, case
        dtype = case.id.split("/")[1]
        self.dtype = dtype if dtype in DTYPES else None
        self.next = {}   # flat tensor -> past the elements named so far
        self.base = {}
        self.seen = set()

    def fail(self, n, message):
        raise CaseError(self.file, n, 4, message)

    def name(self, n, text):
        m = NAME.match(text)
        if not m:
            self.fail(n, "expected the name of a record")
        try:
            name = json.loads(m.group()) if m.group()[0] == '"' else m.group()
        except ValueError:
            self.fail(n, "a quoted name is a JSON string")
        if not name:
            self.fail(n, "no expectation has such a name")
        return name, text[m.end():]

    def line(self, n, line):
        rest = line[2:].strip(" ")
        if line[1] == "=":
            name, rest = self.name(n, rest)
            return self.one(n, name, None, rest.lstrip(" "))
        variant, _, rest = rest.partition(" ")
        if variant not in VARIANTS or variant == "base":
            self.fail(n, "unknown variant")
        rest = rest.lstrip(" ")
        if rest.startswith("*"):
            names = [k for k, r in self.base.items() if r["class"] in STORED]
            rest = rest[1:]
            if not names:
                self.fail(n, "no record holds elements")
        else:
            name, rest = self.name(n, rest)
            names = [name]
            while rest.startswith(","):
                name, rest = self.name(n, rest[1:])
                names.append(name)
        for name in names:
            self.one(n, name, variant, rest.lstrip(" "))

    def one(self, n, name, variant, rest):
        r = {"name": name}
        base = self.base.get(name) if variant else None
        if rest.startswith("="):
            try:
                r.update({"class": "value", "value": json.loads(rest[1:])})
            except ValueError as e:
                self.fail(n, f"the value is not JSON: {e}")
        elif rest[:1].isupper():
            if rest not in ERRORS:
                self.fail(n, "unknown error class")
            r.update({"class": "error", "error": rest})
        else:
            if variant and base is None:
                self.fail(n, f"'{name}' has no record that this differs from")
            self.elements(n, r, base, rest)
        if variant:
            r["variant"] = variant
        if (name, variant) in self.seen:
            self.fail(n, f"record '{name}' stands twice for variant '{variant or 'base'}'")
        self.seen.add((name, variant))
        if not variant:
            self.base[name] = r
        self.case.records.append(r)

    def integers(self, n, text, what):
        try:
            out = [int(i) for i in text.split(",")] if text else []
        except ValueError:
            out = None
        if out is None or len(out) > 64 or any(abs(i) >= 1 << 63 for i in out):
            self.fail(n, f"its {what} {'is' if what == 'shape' else 'are'} no list of integers")
        return out

    def elements(self, n, r, base, text):
        m = ELEMENTS.fullmatch(text.rstrip(" "))
        if not m:
            self.fail(n, "expected dtype[sizes] (strides) @at ~used, dtype[sizes] (strides) "
                      "#digest, an exception class, or '=' and a value")
        if base is not None and base["class"] not in STORED:
            self.fail(n, "the base record holds no elements")
        shape = m["shape"]
        if base is None and shape is None:
            self.fail(n, "expected a shape")
        r["class"] = base["class"] if base else "digest" if m["digest"] else \
            "exact" if m["used"] is None else "bound"
        r["dtype"] = m["dtype"] or (base["dtype"] if base else self.dtype)
        if r["dtype"] not in DTYPES:
            self.fail(n, "unknown dtype")
        r["shape"] = base["shape"] if shape is None else self.integers(n, shape, "shape")
        if m["strides"] is None:
            r["strides"] = base["strides"] if shape is None else row_major(r["shape"])
        elif m["strides"] in ("t", "c") and m["strides"]:
            r["strides"] = (column_major if m["strides"] == "t" else row_major)(r["shape"])
        else:
            r["strides"] = self.integers(n, m["strides"], "strides")
        if len(r["strides"]) != len(r["shape"]):
            self.fail(n, "shape and strides are not of the same length")
        if r["class"] == "digest":
            return self.digest(n, r, base, m)
        if m["digest"]:
            self.fail(n, "the base record has no digest")
        flat = "truth" if r["class"] == "bound" else r["dtype"]
        numel = math.prod(r["shape"])
        if base is not None and m["at"] is None:
            if numel and (numel != math.prod(base["shape"]) or flat !=
                          ("truth" if base["class"] == "bound" else base["dtype"])):
                self.fail(n, "expected '@': the base record's elements are others")
            r["at"] = base["at"] if numel else 0
        else:
            r["at"] = int(m["at"][1:]) if (m["at"] or "@") != "@" else \
                self.next.get(flat) if numel else 0
            if r["at"] is None:
                self.fail(n, "'@' and an index are missing: no record before says where "
                          "elements are")
            if numel:
                self.next[flat] = max(self.next.get(flat, 0), r["at"] + numel)
        if m["used"] is not None:
            if r["class"] != "bound":
                self.fail(n, "the base record has no bound")
            r["used"] = float(m["used"])

    def digest(self, n, r, base, m):
        if m["at"] is not None or m["used"] is not None:
            self.fail(n, "'@' or '~' stands in a record that has a digest")
        if m["digest"]:
            r["digest"] = m["digest"]
        elif base and (math.prod(r["shape"]), r["dtype"]) == (math.prod(base["shape"]), base["dtype"]):
            r["digest"] = base["digest"]
        else:
            self.fail(n, "expected '#': the base record's elements are others")


FACTS = {"data": r"[^/. ][^/ ]* sha256:[0-9a-f]{64}", "text": r"sha256:[0-9a-f]{64}",
         "made": r"torch .+"}


def head_line(file, n, line, head):
    """A comment before the first case; `head` gets what it says of the file and all its cases."""
    m = HEADER.match(line)
    if line.startswith("# touchstone cases "):
        if line[19:] != "2":
            raise CaseError(file, n, 20, "this program reads version 2 of case files")
        head["version"] = line[19:]
    elif m and m.group(1) in FACTS and ("version" in head or m.group(1) == "data"):
        if m.group(1) in head or not re.fullmatch(FACTS[m.group(1)], (m.group(2) or "").strip()):
            raise CaseError(file, n, 9, f"expected one '# {m.group(1)}: …' as "
                            "spec/areas/case_language.md has it")
        head[m.group(1)] = m.group(2).strip()
    elif m and m.group(1) in GENERAL and "version" in head:
        check_header(file, n, m.group(1), (m.group(2) or "").strip(), head)
        head[m.group(1)] = m.group(2).strip()


def parse_cases(text, file="<text>"):
    """Every case of `text`. Programs are not checked here; see check()."""
    cases, ids, head = [], set(), {}
    case, state, records = None, "file", None

    def finish():
        if case is None:
            return
        if not case.program.strip():
            raise CaseError(file, case.line, 1, f"case '{case.id}' has no program")
        general = {k: head[k] for k in GENERAL if k in head}
        case.headers = {k: v for k, v in {**general, **case.headers}.items() if v != "-"}

    lines = text.split("\n")
    for n, line in enumerate(lines, 1):
        for column, c in enumerate(line, 1):
            if ord(c) < 32 or ord(c) == 127:
                raise CaseError(file, n, column, f"control character 0x{ord(c):02x}")
        if line.startswith("# case ") or line == "# case":
            finish()
            name = line[7:].strip()
            if not ID.fullmatch(name) or len(name) > MAX_ID:
                raise CaseError(file, n, 8, "expected a case id like 'page/dtype/what', "
                                f"got '{name}'")
            if name in ids:
                raise CaseError(file, n, 8, f"case id '{name}' stands twice")
            ids.add(name)
            case, state = Case(name, file, n), "header"
            records = Records(file, case)
            cases.append(case)
            continue
        if state == "file":
            if line.strip() and not line.startswith("#"):
                raise CaseError(file, n, 1, "expected '# case <id>' before any program")
            head_line(file, n, line, head)
            continue
        if state == "header":
            m = HEADER.match(line)
            if m:
                value = (m.group(2) or "").strip()
                check_header(file, n, m.group(1), value, case.headers)
                case.headers[m.group(1)] = value
                continue
            state = "program"
        if line.startswith(("#=", "#+")):
            state = "records"
            records.line(n, line)
            continue
        if state == "records":
            if line.strip() and not line.startswith("#"):
                raise CaseError(file, n, 1, "program text after the case's records")
            continue
        if not case.program_line:
            if not line.strip() or line.startswith("#"):
                continue
            case.program_line = n
        case.program += line + "\n"
        if len(case.program.encode()) > MAX_PROGRAM:
            raise CaseError(file, n, 1, f"program longer than {MAX_PROGRAM} bytes")
    finish()
    for c in cases:
        c.program = c.program.rstrip("\n") + "\n"
    return cases


def read_cases(path):
    """list[Case] of a .cases file; CaseError at its first mistake."""
    raw = Path(path).read_bytes()
    if len(raw) > MAX_FILE:
        raise CaseError(str(path), 1, 1, f"file larger than {MAX_FILE} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as e:
        line = raw.count(b"\n", 0, e.start) + 1
        column = e.start - (raw.rfind(b"\n", 0, e.start) + 1) + 1
        raise CaseError(str(path), line, column, "not UTF-8") from None
    return parse_cases(text, str(path))


# --- the subset -----------------------------------------------------------------------------------


def load_ops(spec):
    """Names that op pages bring: {"torch": {...}, "F": {...}, ..., "Tensor": {...}}."""
    names = {}
    for path in sorted((Path(spec) / "ops").glob("*.md")):
        m = re.search(r"^```toml\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
        page = tomllib.loads(m.group(1)) if m else {}
        for op in page.get("op", []):
            op = {**page.get("common", {}), **op}
            for f in op.get("functions", []):
                module, _, name = f.rpartition(".")
                names.setdefault(module, set()).add(name)
            for f in op.get("functions_inplace", []):
                module, _, name = f.rpartition(".")
                names.setdefault(module, set()).add(name)
            for method in op.get("methods", []):
                names.setdefault("Tensor", set()).add(method)
                if "inplace" in op.get("forms", []):
                    names["Tensor"].add(method + "_")
            for method in op.get("methods_inplace", []):
                names.setdefault("Tensor", set()).add(method + "_")
            if "inplace" in op.get("forms", []):
                for f in op.get("functions", []):
                    module, _, name = f.rpartition(".")
                    names[module].add(name + "_")
    return names


def load_words(stubs):
    """The same of the stubs' words; "object": what values that are no tensors have."""
    names = {"torch": set(DTYPES)}
    for word in (w for s in stubs for w in s.words):
        tensor = word.owner == "Tensor"
        member = word.is_ in ("method", "attribute") and not tensor
        names.setdefault("object" if member else word.owner, set()).add(word.name)
    return names


_OPS = None


def known_ops():
    """load_ops() of this repository's own spec, read once."""
    global _OPS
    if _OPS is None:
        _OPS = load_ops(Path(__file__).resolve().parents[2] / "spec")
    return _OPS


WORDS = load_words(STUBS.values())


BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult,
          ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
COMPARE = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot)


class Checker:
    def __init__(self, case, ops):
        self.case, self.ops = case, ops
        self.nodes = 0
        self.functions = set()
        self.classes = set()
        self.globals = set()

    def fail(self, node, message):
        raise CaseError(self.case.file, self.case.program_line + getattr(node, "lineno", 1) - 1,
                        getattr(node, "col_offset", 0) + 1, message)

    def count(self, node, depth):
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.fail(node, f"program has more than {MAX_NODES} nodes")
        if depth > MAX_DEPTH:
            self.fail(node, f"nested deeper than {MAX_DEPTH}")

    # statements

    def module(self, tree):
        self.collect(tree.body, self.globals)
        self.body(tree.body, 1, None)

    def collect(self, body, names):
        """Names that a scope binds, so that loads can be checked before anything runs."""
        for s in body:
            if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
                names.add(s.name)
            elif isinstance(s, (ast.If, ast.For, ast.With)):
                self.collect(s.body, names)
                self.collect(getattr(s, "orelse", []), names)
            for n in ast.walk(s) if isinstance(s, (ast.Assign, ast.AugAssign)) else []:
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                    names.add(n.id)
            if isinstance(s, ast.For) and isinstance(s.target, ast.Name):
                names.add(s.target.id)
            if isinstance(s, ast.With):
                for item in s.items:
                    if isinstance(item.optional_vars, ast.Name):
                        names.add(item.optional_vars.id)

    def body(self, body, depth, scope):
        for s in body:
            self.statement(s, depth, scope)

    def statement(self, s, depth, scope):
        self.count(s, depth)
        if isinstance(s, ast.Assign):
            if len(s.targets) != 1:
                self.fail(s, "one target at a time: 'a = b = c' is not part of the language")
            self.expression(s.value, depth + 1, scope)
            self.target(s.targets[0], depth + 1, scope)
        elif isinstance(s, ast.AugAssign):
            if not isinstance(s.op, BINARY):
                self.fail(s, "operator is not part of the language")
            if not isinstance(s.target, (ast.Name, ast.Subscript, ast.Attribute)):
                self.fail(s.target, "expected a name, an element or an attribute")
            self.expression(s.value, depth + 1, scope)
            self.target(s.target, depth + 1, scope)
        elif isinstance(s, ast.Expr):
            if not isinstance(s.value, ast.Call):
                self.fail(s, "an expression alone must be a call")
            self.expression(s.value, depth + 1, scope)
        elif isinstance(s, ast.Return):
            if scope is None:
                self.fail(s, "'return' outside a function")
            if s.value is not None:
                self.expression(s.value, depth + 1, scope)
        elif isinstance(s, ast.If):
            self.expression(s.test, depth + 1, scope)
            self.body(s.body, depth + 1, scope)
            self.body(s.orelse, depth + 1, scope)
        elif isinstance(s, ast.For):
            if not isinstance(s.target, ast.Name):
                self.fail(s.target, "expected a name after 'for'")
            it = s.iter
            if not (isinstance(it, ast.Call) and isinstance(it.func, ast.Name)
                    and it.func.id == "range"):
                self.fail(it, "expected range(…) after 'in'")
            if s.orelse:
                self.fail(s.orelse[0], "'else' of a loop is not part of the language")
            self.expression(it, depth + 1, scope)
            self.target(s.target, depth + 1, scope)
            self.body(s.body, depth + 1, scope)
        elif isinstance(s, ast.With):
            for item in s.items:
                if not isinstance(item.context_expr, ast.Call):
                    self.fail(item.context_expr, "expected a call after 'with'")
                self.expression(item.context_expr, depth + 1, scope)
                if item.optional_vars is not None:
                    if not isinstance(item.optional_vars, ast.Name):
                        self.fail(item.optional_vars, "expected a name after 'as'")
                    self.target(item.optional_vars, depth + 1, scope)
            self.body(s.body, depth + 1, scope)
        elif isinstance(s, ast.FunctionDef):
            if scope is not None:
                self.fail(s, "'def' inside a function is not part of the language")
            if s.decorator_list:
                self.fail(s.decorator_list[0], "only a class's methods have a decorator")
            self.bind(s, s.name)
            self.function(s, depth)
        elif isinstance(s, ast.ClassDef):
            self.class_(s, depth, scope)
        elif isinstance(s, ast.Delete):
            if len(s.targets) != 1 or not isinstance(s.targets[0], ast.Name):
                self.fail(s, "expected one name after 'del'")
            self.name(s.targets[0], scope)
        elif not isinstance(s, ast.Pass):
            self.fail(s, f"'{type(s).__name__.lower()}' is not part of the language")

    def bind(self, node, name):
        if name in RESERVED:
            self.fail(node, f"'{name}' is the language's own name")
        if name.startswith("__"):
            self.fail(node, f"name '{name}' starts with '__'")

    def function(self, s, depth):
        a = s.args
        if a.kwarg or a.kwonlyargs or a.posonlyargs or s.returns:
            self.fail(s, "only positional parameters, and '*name' last")
        params = list(a.args) + ([a.vararg] if a.vararg else [])
        scope = set()
        for p in params:
            if p.annotation:
                self.fail(p.annotation, "annotations are not part of the language")
            self.bind(p, p.arg)
            if p.arg in scope:
                self.fail(p, f"parameter '{p.arg}' stands twice")
            scope.add(p.arg)
        for d in a.defaults:
            self.expression(d, depth + 1, None)
        self.collect(s.body, scope)
        self.body(s.body, depth + 1, scope)

    def class_(self, s, depth, scope):
        if scope is not None:
            self.fail(s, "'class' inside a function is not part of the language")
        base = dotted(s.bases[0]) if len(s.bases) == 1 else None
        if base not in ("Function", "autograd.Function", "torch.autograd.Function") or s.keywords:
            self.fail(s, "expected 'class Name(Function)'")
        if s.decorator_list:
            self.fail(s.decorator_list[0], "only a class's methods have a decorator")
        self.bind(s, s.name)
        for f in s.body:
            marks = [dotted(d) for d in getattr(f, "decorator_list", ())]
            once = marks == ["staticmethod", "once_differentiable"] and f.name == "backward"
            plain = marks == ["staticmethod"] \
                and f.name in ("forward", "setup_context", "backward")
            if not isinstance(f, ast.FunctionDef) or not (once or plain):
                self.fail(f, "expected '@staticmethod' and 'def forward', 'def setup_context' or "
                          "'def backward'")
            self.function(f, depth + 1)

    def target(self, t, depth, scope):
        self.count(t, depth)
        if isinstance(t, ast.Name):
            self.bind(t, t.id)
        elif isinstance(t, (ast.Tuple, ast.List)):
            for e in t.elts:
                self.target(e, depth + 1, scope)
        elif isinstance(t, ast.Subscript):
            self.expression(t.value, depth + 1, scope)
            self.expression(t.slice, depth + 1, scope, index=True)
        elif isinstance(t, ast.Attribute):
            if t.attr not in SETTABLE and not (isinstance(t.value, ast.Name)
                                               and t.value.id == "ctx"):
                self.fail(t, f"attribute '{t.attr}' cannot be assigned")
            if t.attr.startswith("_"):
                self.fail(t, f"attribute '{t.attr}' is not part of the language")
            self.expression(t.value, depth + 1, scope)
        else:
            self.fail(t, "cannot be assigned to")

    # expressions

    def name(self, e, scope):
        if e.id in RESERVED:
            return
        if not (scope is not None and e.id in scope) and e.id not in self.globals:
            self.fail(e, f"name '{e.id}' is never assigned")

    def expression(self, e, depth, scope, index=False):
        self.count(e, depth)
        if isinstance(e, ast.Constant):
            v = e.value
            if isinstance(v, (bytes, complex)):
                self.fail(e, "expected a number, a string, True, False or None")
            if isinstance(v, int) and not -(1 << 63) <= v <= 1 << 63:
                self.fail(e, f"integer {v} does not fit in 64 bits")
            if v is ... and not index:
                pass
        elif isinstance(e, ast.Name):
            self.name(e, scope)
        elif isinstance(e, ast.Attribute):
            self.attribute(e, depth, scope)
        elif isinstance(e, ast.Call):
            self.expression(e.func, depth + 1, scope)
            for a in e.args:
                self.expression(a.value if isinstance(a, ast.Starred) else a, depth + 1, scope)
            for k in e.keywords:
                if k.arg is None:
                    self.fail(k, "'**' arguments are not part of the language")
                self.expression(k.value, depth + 1, scope)
        elif isinstance(e, ast.Subscript):
            self.expression(e.value, depth + 1, scope)
            self.expression(e.slice, depth + 1, scope, index=True)
        elif isinstance(e, ast.Slice) and index:
            for part in (e.lower, e.upper, e.step):
                if part is not None:
                    self.expression(part, depth + 1, scope)
        elif isinstance(e, (ast.Tuple, ast.List)):
            for x in e.elts:
                self.expression(x, depth + 1, scope, index=index and isinstance(e, ast.Tuple))
        elif isinstance(e, ast.BinOp) and isinstance(e.op, BINARY):
            self.expression(e.left, depth + 1, scope)
            self.expression(e.right, depth + 1, scope)
        elif isinstance(e, ast.UnaryOp):
            if isinstance(e.op, ast.USub) and isinstance(e.operand, ast.Constant):
                self.count(e.operand, depth + 1)  # a signed literal is one token
                if type(e.operand.value) is int and e.operand.value <= 1 << 63:
                    return
            self.expression(e.operand, depth + 1, scope)
        elif isinstance(e, ast.Compare):
            if len(e.ops) != 1:
                self.fail(e, "chained comparisons are not part of the language")
            if not isinstance(e.ops[0], COMPARE):
                self.fail(e, "'in' is not part of the language")
            self.expression(e.left, depth + 1, scope)
            self.expression(e.comparators[0], depth + 1, scope)
        elif isinstance(e, ast.BoolOp):
            for x in e.values:
                self.expression(x, depth + 1, scope)
        else:
            self.fail(e, f"'{type(e).__name__.lower()}' is not part of the language")
        if isinstance(e, ast.Constant) and type(e.value) is int and e.value == 1 << 63:
            self.fail(e, f"integer {e.value} does not fit in 64 bits")

    def attribute(self, e, depth, scope):
        path = dotted(e)
        root = path.split(".")[0] if path else None
        if root in MODULES:
            if path in NAMESPACES:
                return
            module, _, name = canonical(path).rpartition(".")
            if self.knows(module, name):
                return
            base = canonical(path).split(".")
            if len(base) == 3 and self.knows(base[0], base[1]) \
                    and (self.knows("object", name) or self.knows("Tensor", name)):
                return
            self.fail(e, f"'{path}' is not part of the language")
        if not self.knows("Tensor", e.attr) and not self.knows("object", e.attr) \
                and not (isinstance(e.value, ast.Name) and e.value.id == "ctx"
                         and not e.attr.startswith("_")):
            self.fail(e, f"attribute '{e.attr}' is not part of the language")
        self.expression(e.value, depth + 1, scope)

    def knows(self, module, name):
        return name in WORDS.get(module, ()) or name in self.ops.get(module, ())


def dotted(e):
    """"torch.nn.functional" of an attribute chain over a name, else None."""
    parts = []
    while isinstance(e, ast.Attribute):
        parts.append(e.attr)
        e = e.value
    if not isinstance(e, ast.Name):
        return None
    return ".".join([e.id] + parts[::-1])


def canonical(path):
    for long, short in (("torch.nn.functional.", "F."), ("torch.autograd.", "autograd.")):
        if path.startswith(long):
            return short + path[len(long):]
    return path


def check(case, ops=None):
    """The program's ast.Module, checked against the subset; CaseError where it leaves it.

    `ops` is what load_ops() returns; by default this repository's own pages.
    """
    try:
        tree = ast.parse(case.program)
    except SyntaxError as e:
        raise CaseError(case.file, case.program_line + (e.lineno or 1) - 1, e.offset or 1,
                        e.msg) from None
    except (RecursionError, MemoryError, ValueError) as e:
        raise CaseError(case.file, case.program_line, 1, f"program too deep: {e}") from None
    Checker(case, known_ops() if ops is None else ops).module(tree)
    return tree


# --- running under a host -------------------------------------------------------------------------


class Instrument(ast.NodeTransformer):
    """Make a host's Python keep the language's own rules: 64-bit integers, named iterations."""

    def wrap(self, name, node):
        call = ast.Call(ast.Name(name, ast.Load()), [node], [])
        return ast.copy_location(call, node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return self.wrap("__int64__", node)

    def visit_For(self, node):
        self.generic_visit(node)
        node.iter = self.wrap("__loop__", node.iter)
        return node


def compile_case(case, ops=None):
    """Code for exec(); its globals need Run.names() and the host's torch, F, normal, expect, …"""
    tree = ast.fix_missing_locations(Instrument().visit(check(case, ops)))
    ast.increment_lineno(tree, case.program_line - 1)
    return compile(tree, case.file, "exec")


class Run:
    """Names of expectations in one run, counted as the C interpreter counts them (S10). rank: of
    a case on several, which end the names of each."""

    def __init__(self, rank=None):
        self.rank = [] if rank is None else [rank]
        self.loops = []
        self.counts = {}

    def names(self):
        return {"__int64__": self.int64, "__loop__": self.loop, "__builtins__": {
            "__build_class__": __build_class__, "staticmethod": staticmethod, "range": range,
            "len": len, "min": min, "max": max, "int": int, "float": float, "bool": bool,
            "abs": abs, "__name__": "case"}}

    @staticmethod
    def int64(value):
        if type(value) is int and not -(1 << 63) <= value < 1 << 63:
            raise OverflowError(f"integer {value} does not fit in 64 bits")
        return value

    def loop(self, iterable):
        self.loops.append(0)
        try:
            for k, v in enumerate(iterable):
                self.loops[-1] = k
                yield v
        finally:
            self.loops.pop()

    def name(self, given):
        """expect(y, "y") in the third iteration of a loop: "y.2"."""
        return ".".join([given] + [str(k) for k in self.loops + self.rank])

    def nameless(self, kind):
        """The name of a call that gives none: "error1", "view_of2" (nth call of its kind)."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return ".".join([f"{kind}{self.counts[kind]}"] + [str(r) for r in self.rank])


# --- numbers to bytes -----------------------------------------------------------------------------


def encode_float(dtype, values):
    """Floats (or NumPy float64s) rounded once to `dtype`, to nearest, ties to even."""
    size, p, emin, overflow, nan = FLOATS[dtype]
    if np is not None:
        v = np.asarray(values, dtype=np.float64)
        if dtype == "float64":
            return np.where(np.isnan(v), nan, v.view(np.uint64)).astype("<u8").tobytes()
        finite = np.where(np.isfinite(v), v, 0.0)
        exponent = np.maximum(np.frexp(np.abs(finite))[1] - 1, emin)
        exponent = np.where(finite == 0, emin, exponent)
        r = np.rint(np.ldexp(np.abs(finite), p - 1 - exponent))
        big = exponent > 1023 - p  # r is at most 2**53; the code still fits in an int64
        code = ((exponent - emin).astype(np.int64) << (p - 1)) + r.astype(np.int64)
        code = np.where(big | np.isinf(v), overflow, np.minimum(code, overflow))
        code = np.where(np.isnan(v), nan, code)
        code = code | np.where(np.signbit(v) & ~np.isnan(v), 1 << (8 * size - 1), 0)
        return code.astype(f"<u{size}").tobytes()
    codes = [float_code(dtype, v) for v in values]
    return b"".join(c.to_bytes(size, "little") for c in codes)


def float_code(dtype, v):
    size, p, emin, overflow, nan = FLOATS[dtype]
    sign = math.copysign(1.0, v) < 0
    if math.isnan(v):
        return nan
    if dtype == "float64":
        return struct.unpack("<Q", struct.pack("<d", v))[0]
    if math.isinf(v):
        code = overflow
    elif v == 0:
        code = 0
    else:
        exponent = max(math.frexp(v)[1] - 1, emin)
        r = round(math.ldexp(abs(v), p - 1 - exponent))
        code = min(((exponent - emin) << (p - 1)) + r, overflow)
    return code | (int(sign) << (8 * size - 1))


def encode(dtype, values):
    """Numbers to `dtype`'s little-endian bytes; integers must fit, bool is value != 0."""
    if dtype in FLOATS:
        return encode_float(dtype, values)
    if dtype == "bool":
        if np is not None:
            return (np.asarray(values) != 0).astype("u1").tobytes()
        return bytes(int(v != 0) for v in values)
    size, signed = INTEGERS[dtype]
    if np is not None:
        return np.asarray(values).astype(f"<{'i' if signed else 'u'}{size}").tobytes()
    return b"".join(int(v).to_bytes(size, "little", signed=signed) for v in values)


def int_range(dtype):
    size, signed = INTEGERS[dtype]
    return (-(1 << (8 * size - 1)), (1 << (8 * size - 1)) - 1) if signed else \
        (0, (1 << (8 * size)) - 1)


# --- generators -----------------------------------------------------------------------------------

M64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix64(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
    return z ^ (z >> 31)


def words(seed, k, n):
    """word(seed, k, i) for i < n: a list of ints, or a NumPy uint64 array."""
    start = mix64((seed + GOLDEN * (k + 1)) & M64)
    if np is not None:
        with np.errstate(over="ignore"):
            i = np.arange(1, n + 1, dtype=np.uint64)
            z = np.uint64(start) + np.uint64(GOLDEN) * i
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            return z ^ (z >> np.uint64(31))
    return [mix64((start + GOLDEN * (i + 1)) & M64) for i in range(n)]


def float_table(dtype, mix):
    size, p, emin, overflow, _ = FLOATS[dtype]
    tiny = math.ldexp(1.0, emin)
    least = math.ldexp(1.0, emin - p + 1)
    if dtype == "float8_e4m3fn":
        high = 448.0
    else:
        bits = 8 * size - 1 - (p - 1)
        high = math.ldexp(2.0 - math.ldexp(1.0, 1 - p), (1 << (bits - 1)) - 1)
    eps = math.ldexp(1.0, 1 - p)
    tables = {
        "nan": [math.nan],
        "inf": [math.inf, -math.inf],
        "zero": [0.0, -0.0],
        "subnormal": [least, -least, tiny / 2, -tiny / 2, tiny - least, least - tiny],
        "extreme": [high, -high, tiny, -tiny, eps, -eps],
        "tie": [k / 2 for k in range(-8, 9)],
    }
    tables["special"] = [v for t in tables.values() for v in t]
    return tables.get(mix)


def int_table(dtype, mix):
    low, high = int_range(dtype)
    extreme = [low, high, 0, -1, 1] if low < 0 else [low, high, 0, 1]
    return {"zero": [0], "extreme": extreme, "special": [0] + extreme}.get(mix)


def apply_mix(values, seed, n, table):
    hit, pick = words(seed, 7, n), words(seed, 8, n)
    if np is not None:
        t = np.asarray(table, dtype=values.dtype)
        replace = hit % np.uint64(4) == 0
        replace[:1] = True
        return np.where(replace, t[(pick % np.uint64(len(table))).astype(np.int64)], values)
    return [table[pick[i] % len(table)] if i == 0 or hit[i] % 4 == 0 else v
            for i, v in enumerate(values)]


def permuted(seed, n):
    order = list(range(n))
    w = words(seed, 6, n)
    w = w.tolist() if np is not None else w
    for i in range(n - 1, 0, -1):
        j = w[i] % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def numel(shape):
    n = 1
    for s in shape:
        if s < 0:
            raise ValueError(f"negative size {s}")
        n *= s
    return n


def shape_of(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def generate(name, seed, shape, dtype=None, *, low=None, high=None, mix=None):
    """The generator's values for `shape`, row-major, as little-endian bytes of `dtype`.

    `dtype` is a name ("float16"); None is the generator's default. For "permutation" the shape is
    n. ValueError or TypeError where the generator does not take the arguments (C6).
    """
    seed &= M64
    shape = shape_of(shape)
    n = numel(shape)
    default = {"bools": "bool", "permutation": "int64", "integers": "int64"}.get(name, "float32")
    if name in ("bools", "permutation") and dtype not in (None, default):
        raise TypeError(f"{name}() takes no dtype")
    dtype = dtype or default
    size = FLOATS[dtype][0] if dtype in FLOATS else INTEGERS.get(dtype, (1,))[0]
    if n * size > MAX_GENERATED:
        raise ValueError(f"{name}(): {n} elements of {dtype} are more than {MAX_GENERATED} bytes")
    if mix is not None and name not in ("normal", "uniform", "integers"):
        raise TypeError(f"{name}() takes no mix")
    if name in ("normal", "uniform") and dtype not in FLOATS:
        raise TypeError(f"{name}() makes floating dtypes only, not {dtype}")

    if name == "normal":
        w = [words(seed, k, n) for k in range(3)]
        if np is not None:
            s = sum(((x >> np.uint64(b)) & np.uint64(0xFFFF)).astype(np.int64)
                    for x in w for b in (0, 16, 32, 48))
            values = (s - 393216) / 65536.0
        else:
            values = [(sum((x[i] >> b) & 0xFFFF for x in w for b in (0, 16, 32, 48)) - 393216)
                      / 65536.0 for i in range(n)]
    elif name == "uniform":
        lo = float(0.0 if low is None else low)
        hi = float(1.0 if high is None else high)
        if not (math.isfinite(lo) and math.isfinite(hi) and math.isfinite(hi - lo) and lo <= hi):
            raise ValueError(f"uniform(): [{lo}, {hi}) is no interval")
        w = words(seed, 3, n)
        if np is not None:
            values = lo + (hi - lo) * ((w >> np.uint64(40)).astype(np.float64) * 2.0 ** -24)
        else:
            values = [lo + (hi - lo) * ((x >> 40) * 2.0 ** -24) for x in w]
    elif name == "integers":
        lo = int(0 if low is None else low)
        hi = int(10 if high is None else high)
        if not lo < hi or hi - lo >= 1 << 63:
            raise ValueError(f"integers(): [{lo}, {hi}) is no interval of at most 63 bits")
        if dtype in FLOATS and max(abs(lo), abs(hi)) > 1 << 53:
            raise ValueError(f"integers(): [{lo}, {hi}) is beyond 2**53 for {dtype}")
        if dtype in INTEGERS and not (int_range(dtype)[0] <= lo and hi - 1 <= int_range(dtype)[1]):
            raise ValueError(f"integers(): [{lo}, {hi}) does not fit in {dtype}")
        w = words(seed, 4, n)
        if np is not None:
            values = (w % np.uint64(hi - lo)).astype(np.int64) + np.int64(lo)
            values = values.astype(np.float64) if dtype in FLOATS else values
        else:
            values = [lo + x % (hi - lo) for x in w]
            values = [float(v) for v in values] if dtype in FLOATS else values
    elif name == "bools":
        w = words(seed, 5, n)
        values = w >> np.uint64(63) if np is not None else [x >> 63 for x in w]
    elif name == "permutation":
        values = permuted(seed, n)
    elif name == "distinct":
        first = 0 if dtype == "uint8" else -(n // 2)
        last = first + max(n - 1, 0)
        if dtype == "bool":
            fits = False
        elif dtype in FLOATS:
            fits = -first <= 1 << FLOATS[dtype][1]
        else:
            fits = int_range(dtype)[0] <= first and last <= int_range(dtype)[1]
        if not fits:
            raise ValueError(f"distinct(): {n} values do not fit in {dtype}")
        values = [v + first for v in permuted(seed, n)]
        values = [float(v) for v in values] if dtype in FLOATS else values
    else:
        raise TypeError(f"no generator '{name}'")

    if mix is not None and n > 0:
        table = float_table(dtype, mix) if dtype in FLOATS else \
            int_table(dtype, mix) if dtype in INTEGERS else None
        if table is None:
            raise ValueError(f"{name}(): no mix '{mix}' for {dtype}")
        values = apply_mix(values, seed, n, table)
    return encode(dtype, values)


# --- layouts --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """sizes: of the values that are stored (smaller than the tensor's in `expanded`): the first
    prod(sizes) generated values, row-major; strides and offset of the tensor, in elements."""
    sizes: tuple
    strides: tuple
    offset: int
    elements: int

    def __iter__(self):
        return iter((self.sizes, self.strides, self.offset, self.elements))


def contiguous(sizes):
    strides, s = [], 1
    for n in reversed(sizes):
        strides.append(s)
        s *= max(n, 1)
    return tuple(reversed(strides))


def layout(variant, sizes):
    """Where a generated tensor of `sizes` lies in its storage under `variant` (S9)."""
    sizes = shape_of(sizes)
    n = numel(sizes)
    if variant == "base":
        return Layout(sizes, contiguous(sizes), 0, n)
    if variant == "offset":
        return Layout(sizes, contiguous(sizes), 3, 3 + n + 2)
    if variant == "strided":
        if not sizes:
            return Layout(sizes, (), 1, 3)
        double = contiguous(sizes[:-1] + (2 * sizes[-1],))
        return Layout(sizes, double[:-1] + (2,), 1, 2 * n + 1)
    if variant == "transposed":
        return Layout(sizes, contiguous(sizes[::-1])[::-1], 0, n)
    if variant == "expanded":
        for d, s in enumerate(sizes):
            if s > 1:
                stored = sizes[:d] + (1,) + sizes[d + 1:]
                strides = contiguous(stored)
                return Layout(stored, strides[:d] + (0,) + strides[d + 1:], 0, numel(stored))
        return Layout(sizes, contiguous(sizes), 0, n)
    if variant == "channels_last":
        if len(sizes) != 4:
            return Layout(sizes, contiguous(sizes), 0, n)
        _, c, h, w = sizes
        return Layout(sizes, (h * w * c, 1, w * c, c), 0, n)
    raise ValueError(f"no variant '{variant}'")
