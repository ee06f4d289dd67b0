# SPDX-License-Identifier: Apache-2.0
"""The words of the case language, as the stubs of words/ name them (words/README.md).

    vocabulary.py --module OUT words/accel.pyi        the C table of one module's words
    vocabulary.py --language OUT words/torch.pyi …    those of the language's own, in this order
"""
import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "words"
# What a program may start a dotted name with; `Tensor` is in front of every method.
MODULES = ("torch", "F", "autograd", "func", "dist", "fc", "optim", "amp", "accel", "profiler",
           "library")
KINDS = {"Any": (), "None": ("NONE",), "bool": ("BOOL",), "int": ("INT",),
         "float": ("BOOL", "INT", "FLOAT"), "str": ("STR",), "list": ("TUPLE", "LIST"),
         "dtype": ("DTYPE",), "device": ("DEVICE",), "memory_format": ("FORMAT",),
         "function": ("DEF",), "Tensor": ("TENSOR",)}
MOST_PARAMETERS = 8


@dataclass(frozen=True)
class Parameter:
    name: str
    kinds: tuple         # of Python: ("dtype", "None")
    default: str | None  # as written; None: the argument is required
    keyword_only: bool = False

    def __str__(self):
        kinds = " | ".join(self.kinds)
        return f"{self.name}: {kinds}" + (f" = {self.default}" if self.default else "")


@dataclass
class Word:
    stub: str   # "accel"
    owner: str  # "accel", "dist.ReduceOp", "Stream"; "" of a bare word
    name: str
    is_: str    # function, method, attribute, constant, error
    parameters: list = field(default_factory=list)
    rest: bool = False        # the word sorts its arguments itself
    settable: bool = False    # an attribute
    kinds: tuple = ()         # of an attribute or constant
    value: str = ""           # of a constant, in C
    line: int = 0

    @property
    def full(self):
        return f"{self.owner}.{self.name}" if self.owner else self.name

    @property
    def c_name(self):
        return self.full.replace(".", "_")

    def signature(self):
        """The word as its stub has it, on one line."""
        if self.is_ == "error":
            return self.full
        if self.is_ in ("attribute", "constant"):
            return f"{self.full}: {' | '.join(self.kinds)}" + (
                " (can be assigned)" if self.settable else "")
        parts = [str(p) for p in self.parameters]
        only = [i for i, p in enumerate(self.parameters) if p.keyword_only]
        if only:
            parts.insert(only[0], "*")
        if self.rest:
            parts.append("*rest")
        return f"{self.full}({', '.join(parts)})"


class Stub:
    def __init__(self, path):
        self.path, self.name, self.words = Path(path), Path(path).stem, []
        tree = ast.parse(self.path.read_text(encoding="utf-8"), str(path))
        self.about = ast.get_docstring(tree) or ""
        self.body(tree.body, "", False)

    def fail(self, node, what):
        raise SystemExit(f"{self.path}:{node.lineno}: {what}")

    def kinds(self, node):
        parts = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            parts.insert(0, node.right)
            node = node.left
        found = tuple(ast.unparse(n) for n in [node] + parts)
        for n in found:
            if not re.fullmatch(r"[A-Za-z_]+", n):
                self.fail(node, f"'{n}' is no kind of value")
        return found

    def add(self, node, owner, name, is_, **more):
        word = Word(self.name, owner, name, is_, line=node.lineno, **more)
        if any(w.full == word.full for w in self.words):
            self.fail(node, f"'{word.full}' stands twice")
        self.words.append(word)

    def body(self, body, owner, object_):
        for s in body:
            if isinstance(s, ast.FunctionDef):
                self.function(s, owner, object_)
            elif isinstance(s, ast.ClassDef) and s.bases:
                self.add(s, owner, s.name, "error")
            elif isinstance(s, ast.ClassDef):
                module = not owner and s.name in MODULES + ("Tensor",)
                inner = f"{owner}.{s.name}" if owner else s.name
                self.body(s.body, inner, not owner and not module)
            elif isinstance(s, ast.AnnAssign):
                self.member(s, owner)
            elif not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)):
                self.fail(s, "a stub has functions, classes and annotated names only")

    def member(self, s, owner):
        settable = isinstance(s.annotation, ast.Subscript)
        kinds = self.kinds(s.annotation.slice if settable else s.annotation)
        if s.value is None:
            self.add(s, owner, s.target.id, "attribute", settable=settable, kinds=kinds)
        else:
            self.add(s, owner, s.target.id, "constant", kinds=kinds, value=ast.unparse(s.value))

    def function(self, s, owner, object_):
        positional = list(s.args.args)
        if object_ or owner == "Tensor":  # fc's own `self` is an argument
            if not positional or positional.pop(0).arg != "self":
                self.fail(s, "a method starts with self")
        defaults = [None] * (len(positional) - len(s.args.defaults)) + s.args.defaults
        found = [self.parameter(a, d, False) for a, d in zip(positional, defaults)]
        found += [self.parameter(a, d, True)
                  for a, d in zip(s.args.kwonlyargs, s.args.kw_defaults)]
        if len(found) > MOST_PARAMETERS:
            self.fail(s, f"more than {MOST_PARAMETERS} parameters")
        self.add(s, owner, s.name, "method" if object_ else "function", parameters=found,
                 rest=s.args.vararg is not None)

    def parameter(self, a, default, keyword_only):
        return Parameter(a.arg, self.kinds(a.annotation) if a.annotation else ("Any",),
                         ast.unparse(default) if default else None, keyword_only)


def stubs(folder=FOLDER):
    return [Stub(p) for p in sorted(Path(folder).glob("*.pyi"))]


# --- C --------------------------------------------------------------------------------------------


def mask(kinds):
    if "Any" in kinds:
        return "0"
    bits = []
    for k in kinds:
        bits += [b for b in KINDS.get(k, ("OBJECT",)) if b not in bits]
    return " | ".join(f"TSI_KIND_BIT(V_{b})" for b in bits)


def c_signature(w):
    positional = sum(not p.keyword_only for p in w.parameters)
    params = ", ".join(f'{{"{p.name}", {mask(p.kinds)}, {str(p.default is None).lower()}}}'
                       for p in w.parameters)
    array = f"(const tsi_param[]){{{params}}}" if params else "NULL"
    return (f'{{"{w.full if w.is_ == "function" else w.name}", {array}, {len(w.parameters)}, '
            f'{positional}, {str(w.rest).lower()}}}')


def c_constants(words, name):
    kinds = {"int": ("INT", "i"), "float": ("FLOAT", "f"), "dtype": ("DTYPE", "dtype"),
             "memory_format": ("FORMAT", "format")}
    out = [f"static const tsi_constant {name}[] = {{"]
    for w in words:
        if w.is_ == "constant":
            kind, member = kinds[w.kinds[0]]
            out.append(f'    {{"{w.full}", {{.kind = V_{kind}, .{member} = {w.value}}}}},')
    return out + ["    {NULL, {.kind = V_UNBOUND}},", "};"]


def module_table(stub):
    """Declarations of the functions that module_<stub>.c has to define, and their tables."""
    functions, tables = [], []
    words = stub.words
    owners = list(dict.fromkeys(w.owner for w in words if w.is_ in ("method", "attribute")))
    for w in words:
        if w.rest:
            raise SystemExit(f"{stub.path}:{w.line}: only the language's own words take *rest")
        if w.is_ in ("function", "method"):
            self_ = "const tsi_value *self" if w.is_ == "function" else "void *self"
            functions.append(f"static ts_status {w.c_name}(tsi_interp *in, {self_},\n"
                             f"    const tsi_value *const *v, tsi_value *out);")
        elif w.is_ == "attribute":
            functions.append(f"static ts_status {w.c_name}(tsi_interp *in, void *self, "
                             "tsi_value *out);")
    tables.append("static const tsi_word words[] = {")
    for w in words:
        if w.is_ == "function":
            tables.append(f"    {{{c_signature(w)}, NATIVE_NONE, {w.c_name}}},")
    tables += ["    {{NULL, NULL, 0, 0, false}, NATIVE_NONE, NULL},", "};"]
    for o in owners:
        tables.append(f"static const tsi_module_method {o}_methods[] = {{")
        tables += [f"    {{{c_signature(w)}, {w.c_name}}}," for w in words
                   if w.owner == o and w.is_ == "method"]
        tables += ["    {{NULL, NULL, 0, 0, false}, NULL},", "};"]
        if any(w.owner == o and w.is_ == "attribute" for w in words):
            tables.append(f"static const tsi_module_attribute {o}_attributes[] = {{")
            tables += [f'    {{"{w.name}", {w.c_name}}},' for w in words
                       if w.owner == o and w.is_ == "attribute"]
            tables += ["    {NULL, NULL},", "};"]
    if any(w.is_ == "constant" for w in words):
        tables += c_constants(words, "constants")
    return functions + tables


def native_id(w):
    return "NATIVE_" + ("M_" if w.owner == "Tensor" else "") + w.name.upper()


def language_table(found):
    """What the interpreter's own files implement: X-macros for ids, tables for names.c."""
    natives = [w for s in found for w in s.words if w.is_ == "function"]
    members = {}
    for s in found:
        for w in s.words:
            if w.is_ in ("method", "attribute"):
                members.setdefault(w.name, w)
    settable = [w.name for s in found for w in s.words if w.settable]
    out = ["#ifndef TSI_WORDS_LANGUAGE_H", "#define TSI_WORDS_LANGUAGE_H",
           "typedef enum tsi_native {", "    NATIVE_NONE,"]
    out += [f"    {native_id(w)}," for w in natives]
    out += ["    NATIVE_COUNT", "} tsi_native;",
            "/* Attributes and methods of the language's own kinds of values. */",
            "typedef enum tsi_member {", "    MEMBER_NONE,"]
    out += [f"    MEMBER_{m}," for m in members]
    out += ["    MEMBER_COUNT", "} tsi_member;", "#endif", "#ifdef TSI_WORDS_TABLES"]
    out += ["static const tsi_word natives[] = {"]
    out += [f"    {{{c_signature(w)}, {native_id(w)}, NULL}}," for w in natives]
    out += ["};", "static const char *const members[] = {", '    "",']
    out += [f'    "{m}",' for m in members] + ["};"]
    out += c_constants([w for s in found for w in s.words], "constants") + ["#endif"]
    out += ["#ifdef TSI_WORDS_NAMES", "static const char *const modules[] = {"]
    out += [f'    "{m}",' for m in MODULES] + ["};", "static const char *const bare[] = {"]
    out += [f'    "{w.name}",' for w in natives if not w.owner] + ["};", "#endif"]
    out += ["#ifdef TSI_WORDS_SETTABLE", "static const char *const settable[] = {"]
    return out + [f'    "{m}",' for m in settable] + ["};", "#endif"]


def main(argv):
    kind, out, *paths = argv
    lines = ["/* SPDX-License-Identifier: Apache-2.0 */",
             "/* Made by conformance/script/vocabulary.py; see conformance/script/words. */"]
    found = [Stub(p) for p in paths]
    lines += language_table(found) if kind == "--language" else module_table(found[0])
    Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
