# SPDX-License-Identifier: Apache-2.0
"""Pages to C: typed calls, the op table, the names each op must define; and the rules' text.

usage: tables.py pages SPEC_DIR OUT_DIR        five files a page with ops
       tables.py shared SPEC_DIR OUT_DIR       what lists the pages, and rules.json
       tables.py documented SPEC_DIR OUT_DIR   the pages' headers with their rules, to install
"""
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import families  # noqa: E402
from pages import PageError, read_all  # noqa: E402

HEADER = "/* SPDX-License-Identifier: Apache-2.0 */\n/* Generated from the pages of spec/. */\n"
KIND = {"primitive": "TS_PRIMITIVE", "view": "TS_VIEW", "composite": "TS_COMPOSITE",
        "optional": "TS_OPTIONAL"}
VMAP = ("pointwise", "reduce", "view", "own")
JVP = ("linear", "product", "elementwise", "own", "default")
AUTOCAST = ("none", "lower_precision", "fp32", "fp32_dtype", "promote")
FORM = {"functional": "TS_FUNCTIONAL", "inplace": "TS_INPLACE", "out": "TS_OUT"}
ARG = {k: f"TS_ARG_{k.upper()}" for k in
       ("tensor", "tensors", "scalar", "int", "float", "bool", "ints", "dtype", "device",
        "memory_format", "string", "floats", "bools", "generator", "function")}
LISTS = {"tensors": "ts_tensor *const *", "ints": "const int64_t *", "floats": "const double *",
         "bools": "const bool *"}
HANDLES = {"generator": "ts_generator *", "function": "const ts_callable *"}
MEMORY_FORMATS = {"contiguous_format": "TS_CONTIGUOUS_FORMAT",
                  "preserve_format": "TS_PRESERVE_FORMAT", "channels_last": "TS_CHANNELS_LAST"}
PLAIN = {"scalar": "ts_scalar", "int": "int64_t", "float": "double", "bool": "bool",
         "dtype": "ts_dtype", "memory_format": "ts_memory_format", "device": "ts_device",
         "string": "const char *"}


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def declared(p):
    """The C parameter (or struct member) declarations of one argument."""
    if p.type == "tensor":
        return [f"ts_tensor *{p.name}"]
    if p.type in LISTS:
        return [f"{LISTS[p.type]}{p.name}", f"int64_t n{p.name}"]
    if p.type in HANDLES:
        return [f"{HANDLES[p.type]}{p.name}"]
    if p.optional and p.type in ("scalar", "int", "float", "bool"):
        return [f"const {PLAIN[p.type]} *{p.name}"]
    space = "" if PLAIN[p.type].endswith("*") else " "
    return [f"{PLAIN[p.type]}{space}{p.name}"]


def value_of(p, expr):
    """Assignments that put C variables `expr` into the frame's argument `a`."""
    kind = ARG[p.type]
    if p.type in LISTS:
        fill = f"a->kind = {kind}, a->{p.type}.v = {expr}, a->{p.type}.n = {expr_n(expr)};"
        return f"if ({expr}) {fill}\n    else a->kind = TS_ARG_NONE;" if p.optional else fill
    if p.type in HANDLES:
        return f"a->kind = {expr} ? {kind} : TS_ARG_NONE, a->{p.type} = {expr};"
    if p.type == "tensor":
        return f"a->kind = {expr} ? TS_ARG_TENSOR : TS_ARG_NONE, a->tensor = {expr};"
    field = {"scalar": "scalar", "int": "i", "float": "f", "bool": "b", "dtype": "dtype",
             "device": "device", "memory_format": "memory_format", "string": "string"}[p.type]
    if p.optional and p.type in ("scalar", "int", "float", "bool"):
        return (f"if ({expr}) a->kind = {kind}, a->{field} = *{expr};\n"
                "    else a->kind = TS_ARG_NONE;")
    none = {"dtype": f"{expr} == TS_DTYPE_NONE",
            "device": f"(int){expr}.type == TS_DEVICE_NONE",
            "memory_format": f"{expr} == TS_MEMORY_FORMAT_NONE",
            "string": f"!{expr}"}.get(p.type)
    if none:
        return f"a->kind = {none} ? TS_ARG_NONE : {kind}, a->{field} = {expr};"
    return f"a->kind = {kind}, a->{field} = {expr};"


def expr_n(expr):
    head, _, tail = expr.rpartition("->")
    return f"{head}->n{tail}" if head else f"n{expr}"


def number_literal(text):
    return f"ts_float({text})" if re.search(r"[.e]", text) else f"ts_int({text})"


def ints_default(p):
    d = p.default
    return [int(v) for v in d.strip("[]").split(",") if v.strip()]


def default_member(p):
    """Statements that set member p of the options struct `o` to its default."""
    d, n = p.default, p.name
    if p.type in ("tensor", *LISTS, *HANDLES) or (p.optional and d == "None" and
                                                   p.type in ("scalar", "int", "float", "bool")):
        if p.type == "ints" and d != "None":
            return f"o.{n} = {p.name}_default; o.n{n} = {len(ints_default(p))};"
        return f"o.{n} = NULL;" + (f" o.n{n} = 0;" if p.type in LISTS else "")
    if p.type == "scalar":
        return f"o.{n} = {number_literal(d)};"
    if p.type in ("int", "float"):
        return f"o.{n} = {d};"
    if p.type == "bool":
        return f"o.{n} = {d.lower()};"
    if p.type == "dtype":
        return f"o.{n} = " + ("TS_DTYPE_NONE;" if d == "None" else f"TS_{d.upper()};")
    if p.type == "device":
        return f"o.{n}.type = (ts_device_type)TS_DEVICE_NONE; o.{n}.index = 0;"
    if p.type == "memory_format":
        return f"o.{n} = {MEMORY_FORMATS.get(d, 'TS_MEMORY_FORMAT_NONE')};"
    text = "NULL" if d == "None" else c_string(d.strip("'\""))
    return f"o.{n} = {text};"


def default_value(p, op):
    """A ts_value initialiser for the op table."""
    d, kind = p.default, ARG[p.type]
    if d is None or d == "None":
        return "{.kind = TS_ARG_NONE}"
    if p.type == "ints":
        return (f"{{.kind = {kind}, .ints = {{{op.name}_{p.name}_default, "
                f"{len(ints_default(p))}}}}}")
    if p.type == "scalar":
        if d in ("True", "False"):
            return f"{{.kind = {kind}, .scalar = {{TS_SCALAR_BOOL, {int(d == 'True')}, 0}}}}"
        if re.search(r"[.e]", d):
            return f"{{.kind = {kind}, .scalar = {{TS_SCALAR_FLOAT, 0, {d}}}}}"
        return f"{{.kind = {kind}, .scalar = {{TS_SCALAR_INT, {d}, 0}}}}"
    if p.type in ("int", "float"):
        return f"{{.kind = {kind}, .{p.type[0]} = {d}}}"
    if p.type == "bool":
        return f"{{.kind = {kind}, .b = {d.lower()}}}"
    if p.type == "dtype":
        return f"{{.kind = {kind}, .dtype = TS_{d.upper()}}}"
    if p.type == "memory_format":
        return f"{{.kind = {kind}, .memory_format = {MEMORY_FORMATS[d]}}}"
    return f"{{.kind = {kind}, .string = {c_string(d.strip(chr(39) + chr(34)))}}}"


def required(op, skip_self=False):
    return [p for p in op.params if p.default is None]


def optional(op):
    return [p for p in op.params if p.default is not None]


def result_names(op):
    if len(op.results) == 1:
        return [op.results[0][1] or "result"]
    return [n or f"result{i}" for i, (_, n) in enumerate(op.results)]


def signatures(op):
    """(C name, form, params, result params) of the typed functions of one op."""
    base = [d for p in required(op) for d in declared(p)]
    opts = [f"const ts_{op.name}_opts *opts"] if optional(op) else []
    outs = (["ts_tensors *result"] if list_result(op) else
            [f"ts_tensor **{n}" for n in result_names(op)])
    for form in op.forms:
        if form == "functional":
            yield f"ts_{op.name}", form, base + opts + outs
        elif form == "inplace":
            yield f"ts_{op.name}_", form, base + opts
        else:
            yield f"ts_{op.name}_out", form, base + opts + [f"ts_tensor *{n}"
                                                            for n in result_names(op)]


def rule_comment(page):
    lines = [f" * {page.title}", " *"]
    for label, (_, text) in page.rules.items():
        lines.append(f" *   {page.name}/{label}  {text}")
    lines += [" *", f" * Source: {page.raw['source']}"]
    return "/*\n" + "\n".join(ln.replace("*/", "* /") for ln in lines) + "\n */\n"


def op_id(op):
    """FNV-1a of the name: the same in every version."""
    h = 0x811C9DC5
    for byte in op.name.encode():
        h = (h ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"0x{h:08X}u"


def place(op, p):
    return f"TS_{op.name.upper()}_{p.name.upper()}"


def page_h(page, documented):
    """Typed calls. What the build compiles holds no prose: a word there compiles nothing."""
    guard = f"TOUCHSTONE_OPS_{page.name.upper()}_H"
    out = [HEADER, f"/* The rules: spec/ops/{page.name}.md, or `touchstone show {page.name}`. */\n",
           f"#ifndef {guard}\n#define {guard}\n\n",
           '#include "touchstone/op.h"\n\n#ifdef __cplusplus\nextern "C" {\n#endif\n\n']
    if documented:
        out.append(rule_comment(page))
    for op in page.ops:
        out.append(f"/* {op.schema} */\n#define TS_OP_{op.name.upper()} {op_id(op)}\n")
        if op.params:
            out.append("enum { " + ", ".join(place(op, p) for p in op.params) + " };\n")
        if optional(op):
            members = "".join(f"    {d};\n" for p in optional(op) for d in declared(p))
            out.append(f"typedef struct ts_{op.name}_opts {{\n{members}"
                       f"}} ts_{op.name}_opts;\n"
                       f"TS_API ts_{op.name}_opts ts_{op.name}_defaults(void);\n")
        for name, _, params in signatures(op):
            out.append(f"TS_API ts_status {name}({', '.join(params) or 'void'});\n")
        for name, params, _ in number_signatures(op):
            out.append(f"TS_API ts_status {name}({', '.join(params)});\n")
        out.append("\n")
    out.append("#ifdef __cplusplus\n}\n#endif\n#endif\n")
    return "".join(out)


def ops_h(pages):
    return (HEADER + "#ifndef TOUCHSTONE_OPS_H\n#define TOUCHSTONE_OPS_H\n\n" +
            "".join(f'#include "touchstone/ops/{p.name}.h"\n' for p in op_pages(pages)) +
            "\n#endif\n")


def op_pages(pages):
    return [p for p in pages.values() if p.path.parent.name == "ops"]


def number_signatures(op):
    """ts_<op>_number: the same call with a Python number for the last parameter that takes one."""
    nums = [p for p in required(op) if p.number]
    if not nums:
        return
    num = nums[-1]
    decl = [("ts_scalar " + p.name) if p is num else d
            for p in required(op) for d in (declared(p) if p is not num else [""])]
    opts = [f"const ts_{op.name}_opts *opts"] if optional(op) else []
    outs = [f"ts_tensor **{n}" for n in result_names(op)]
    call = [p.name if p is not num else "number_" for p in required(op)]
    call += ["opts"] if opts else []
    if "functional" in op.forms:
        yield f"ts_{op.name}_number", decl + opts + outs, (num, call + result_names(op), "")
    if "inplace" in op.forms and num.name != op.params[0].name:
        yield f"ts_{op.name}_number_", decl + opts, (num, call, "_")


def glue_h(page):
    """What the files of the page define, one function each for the op table."""
    guard = f"TSI_{page.name.upper()}_GLUE_H"
    out = [HEADER, f"#ifndef {guard}\n#define {guard}\n\n"
           f'#include "touchstone/ops/{page.name}.h"\n\nstruct tsi_vjp;\nstruct tsi_jvp;\n'
           "struct tsi_level;\n\n"]
    for op in page.ops:
        if has_own_api(op):
            out.append(f"ts_status tsi_api_{op.name}(ts_frame *f);\n")
        if op.kind in ("composite", "optional"):
            out.append(f"ts_status tsi_program_{op.name}(ts_frame *f);\n")
        if has_own_vjp(op):
            out.append(f"ts_status tsi_vjp_{op.name}(struct tsi_vjp *v);\n")
        if op.raw.get("vmap") == "own":
            out.append(f"ts_status tsi_vmap_{op.name}(struct tsi_level *l, ts_frame *f);\n")
        if op.raw.get("jvp") == "own":
            out.append(f"ts_status tsi_jvp_{op.name}(struct tsi_jvp *j);\n")
        if has_kernel(op):
            out.append(f"ts_status tsk_{op.name}(const ts_kernel_call *call);\n")
    out.append("\n#endif\n")
    return "".join(out)


def expr_h(page):
    """The page's functional calls of one tensor result as parts of an expression."""
    guard = f"TSI_{page.name.upper()}_EXPR_H"
    out = [HEADER, f"#ifndef {guard}\n#define {guard}\n\n"
           f'#include "core/expr.h"\n#include "touchstone/ops/{page.name}.h"\n\n']
    for op in page.ops:
        if [t for t, _ in op.results] != ["tensor"]:
            continue
        made = [(name, params) for name, form, params in signatures(op) if form == "functional"]
        made += [(name, params) for name, params, (_, _, suffix) in number_signatures(op)
                 if not suffix]
        for name, params in made:
            given = params[:-1]  # all but where the result goes
            passed = [re.search(r"\w+$", d).group() for d in given] + ["&e->made"]
            out.append(f"static inline ts_tensor *tsx_{name[3:]}({', '.join(['tsi_expr *e'] + given)})"
                       f"\n{{\n    return TSI_EXPR(e, {name}({', '.join(passed)}));\n}}\n\n")
    out.append("#endif\n")
    return "".join(out)


def has_api(op):
    return op.kind != "composite"


def has_own_api(op):
    return has_api(op) and (not families.of(op) or op.raw.get("api") == "own")


def has_vjp(op):
    return bool(op.raw.get("differentiable")) and op.kind != "composite"


def has_own_vjp(op):
    return has_vjp(op) and op.raw.get("vjp") != "family"


def has_kernel(op):
    return op.kind == "primitive" or (op.kind == "optional" and op.raw.get("kernel", False))


def rule(op, key, names):
    """How a level's rule for the op arises, by the page or by its kind."""
    name = op.raw.get(key) or getattr(families.of(op), key, None) or None
    if name is None and op.kind == "view":
        name = "view" if key == "vmap" else "linear"
    if name is None and key == "vmap" and op.kind == "primitive" and \
            [p.type for p in op.params].count("tensor") == 1 and \
            any(p.name in ("dim", "dims") for p in op.params) and \
            not any(p.type == "tensors" for p in op.params):
        name = "reduce"
    if name is not None and name not in names:
        raise PageError(f"{op.page}: {op.name}: unknown {key} {name!r}")
    return f"TS_{key.upper()}_{(name or 'default').upper()}"


def is_factory(op):
    """A program that makes a tensor of a dtype on a device, of nothing or like another."""
    return op.kind == "composite" and "(a)" not in op.schema.partition("->")[2] and \
        {"dtype", "device"} <= {p.name for p in op.params}


def autocast(op, key):
    policy = op.raw.get(key, "none")
    if policy not in AUTOCAST:
        raise PageError(f"{op.page}: {op.name}: unknown {key} {policy!r}")
    return f"TS_AUTOCAST_{policy.upper()}"


def dtype_mask(names):
    return " | ".join(f"TS_DTYPE_BIT(TS_{n.upper()})" for n in names) or "0"


def saved_masks(op):
    index = {p.name: i for i, p in enumerate(op.params)}
    names = {n: i for i, n in enumerate(result_names(op))}
    args, results = {}, {}
    for what, wanted in op.raw.get("saves", {}).items():
        mask = sum(1 << index[w] for w in ([wanted] if isinstance(wanted, str) else wanted))
        if what in index:
            args[index[what]] = mask
        else:
            results[names[what]] = mask
    return args, results


def list_result(op):
    return op.results[0][0] == "tensors"


def kept(name, masks, n):
    """The array of masks by argument or result, and the row's pointer to it."""
    if not masks:
        return "", "NULL"
    entries = ", ".join(f"[{i}] = UINT64_C({m})" for i, m in sorted(masks.items()))
    return f"static const uint64_t {name}[{n}] = {{{entries}}};\n", name


def op_row(op):
    """(what stands before the table, the row)"""
    before = []
    for p in op.params:
        if p.type == "ints" and p.default not in (None, "None"):
            values = ", ".join(map(str, ints_default(p))) or "0"
            before.append(f"static const int64_t {op.name}_{p.name}_default[] = {{{values}}};\n")
    if op.params:
        before.append(f"static const ts_param {op.name}_params[] = {{\n")
        for p in op.params:
            flags = [f"{c_string(p.name)}", ARG[p.type]]
            flags += [str(bool(b)).lower() for b in
                      (p.optional, p.default is not None, p.keyword_only, p.number, p.varargs,
                       p.entry_optional)]
            before.append(f"    {{{', '.join(flags)}, {default_value(p, op)}}},\n")
        before.append("};\n")
    args, results = saved_masks(op)
    text, args = kept(f"{op.name}_saves_arg", args, len(op.params))
    before.append(text)
    text, results = kept(f"{op.name}_saves_result", results, len(op.results))
    before.append(text)
    if families.of(op):
        labels = "".join(f"    [TSI_REFUSES_{what.upper()}] = {c_string(f'{op.page}/{label}')},\n"
                         for what, label in op.raw.get("refuses", {}).items())
        before.append(f"static const char *const {op.name}_labels[TSI_REFUSES_COUNT] = "
                      + ("{\n" + labels + "};\n" if labels else "{NULL};\n"))
    for key in ("beside", "keywords_beside"):
        before.append(beside(op, key))
    forms = " | ".join(f"TS_FORM_BIT({FORM[f]})" for f in op.forms)
    nondiff = op.raw.get("nondifferentiable_results", [])
    diff = sum(1 << i for i, n in enumerate(result_names(op)) if n not in nondiff)
    required_tensors = sum(1 << i for i, p in enumerate(op.params)
                           if p.type == "tensor" and not p.optional)

    def flag(key, default=False):
        return str(bool(op.raw.get(key, default))).lower()
    row = [
        f"    {{.name = {c_string(op.name)}, .page = {c_string(op.page)},\n"
        f"     .schema = {c_string(op.schema)},\n"
        f"     .kind = {KIND[op.kind]}, .forms = {forms},\n"
        f"     .nparams = {len(op.params)}, .nresults = {len(op.results)},\n"
        f"     .params = {op.name + '_params' if op.params else 'NULL'},\n"
        f"     .list_result = {str(list_result(op)).lower()},\n"
        f"     .scalar_result = {str(op.results[0][0] == 'scalar').lower()},\n"
        f"     .synchronizing = {flag('synchronizing')},\n"
        f"     .differentiable = {flag('differentiable')},\n"
        f"     .crosses_devices = {flag('crosses_devices')},\n"
        f"     .deterministic = {flag('deterministic', True)},\n"
        f"     .capturable = {flag('capturable', True)},\n"
        f"     .autocast = {autocast(op, 'autocast')}, "
        f".autocast_cpu = {autocast(op, 'autocast_cpu')},\n"
        f"     .result_differentiable = {diff if op.raw.get('differentiable') else 0},\n"
        f"     .dtypes_cpu = {dtype_mask(op.raw['dtypes'])},\n"
        f"     .required_tensors = UINT64_C({required_tensors}),\n"
        f"     .saves_arg = {args}, .saves_result = {results},\n"
        f"     .id = TS_OP_{op.name.upper()},\n"]
    drawn = [i for i, p in enumerate(op.params) if p.type == "generator"]
    if bool(drawn) != bool(op.raw["rng"]) or drawn == [0]:
        raise PageError(f"{op.page}: {op.name}: an op that draws (rng) has a generator, and not first")
    if drawn:
        row.append(f"     .generator = {drawn[0]},\n")
    for key in ("beside", "keywords_beside"):
        if op.raw.get(key):
            row.append(f"     .{key} = {op.name}_{key},\n")
    if op.raw["tensors_beside_out"]:
        row.append("     .tensors_beside_out = true,\n")
    if op.raw["scalar_numbers"]:
        row.append("     .scalar_numbers = true,\n")
    if families.of(op):
        row.append(f"     .family = {c_string(op.raw['family'])}, .labels = {op.name}_labels,\n")
    if has_own_api(op):
        row.append(f"     .api = tsi_api_{op.name},\n")
    elif has_api(op):
        row.append(f"     .api = tsi_family_{op.raw['family']},\n")
    if op.kind in ("composite", "optional"):
        row.append(f"     .program = tsi_program_{op.name},\n")
    if has_own_vjp(op):
        row.append(f"     .vjp = tsi_vjp_{op.name},\n")
    elif has_vjp(op):
        row.append(f"     .vjp = tsi_family_vjp_{op.raw['family']},\n")
    row.append(f"     .vmap_rule = {rule(op, 'vmap', VMAP)}, .jvp_rule = {rule(op, 'jvp', JVP)},\n"
               f"     .factory = {str(is_factory(op)).lower()},\n")
    if op.raw.get("or_else"):
        row.append(f"     .or_else = {c_string(op.raw['or_else'])},\n")
    if op.raw["unbuilt"]:
        names = ", ".join(map(c_string, op.raw["unbuilt"]))
        row.append(f"     .unbuilt = (const char *const[]){{{names}, NULL}},\n")
    for key in ("vmap", "jvp"):
        if op.raw.get(key) == "own":
            row.append(f"     .{key} = tsi_{key}_{op.name},\n")
    row.append("    },\n")
    return "".join(before), "".join(row)


def beside(op, key):
    """The masks of parameters that a page's `key` asks for beside each parameter, and beside out=."""
    said = op.raw.get(key)
    if not said:
        return ""
    bit = {p.name: 1 << i for i, p in enumerate(op.params)}
    masks = [sum(bit[n] for n in said.get(name, ())) for name in [*bit, "out"]]
    return f"static const uint64_t {op.name}_{key}[] = {{{', '.join(map(str, masks))}}};\n"


def bindings_of(page):
    """What programs call: name -> (index of the op on the page, form)."""
    out = {}
    for i, op in enumerate(page.ops):
        for f in op.raw.get("functions", []):
            out.setdefault(f, (i, "TS_FUNCTIONAL"))
        for m in op.raw.get("methods", []):
            if "functional" in op.forms:
                out.setdefault(f"Tensor.{m}", (i, "TS_FUNCTIONAL"))
            if "inplace" in op.forms:
                out.setdefault(f"Tensor.{m}_", (i, "TS_INPLACE"))
        for f in op.raw.get("functions_inplace", []):
            out.setdefault(f, (i, "TS_INPLACE"))
        for m in op.raw.get("methods_inplace", []):
            out.setdefault(f"Tensor.{m}_", (i, "TS_INPLACE"))
    return out


def page_c(page):
    """The page's rows of the op table, and its typed calls."""
    out = [HEADER, f'#include "touchstone/ops/{page.name}.h"\n\n'
           f'#include "core/table.h"\n#include "family/family.h"\n'
           f'#include "touchstone/ops/{page.name}_glue.h"\n\n']
    rows = [op_row(op) for op in page.ops]
    out += [before for before, _ in rows]
    out.append("\nstatic ts_op rows[] = {\n" + "".join(row for _, row in rows) +
               "    {.name = NULL},\n};\n\n")
    bindings = bindings_of(page)
    out.append("static const ts_binding bindings[] = {\n")
    for name, (i, form) in sorted(bindings.items()):
        out.append(f"    {{{c_string(name)}, &rows[{i}], {form}}},\n")
    out.append("    {NULL, NULL, TS_FUNCTIONAL},\n};\n\n"
               f"extern const tsi_page_part tsi_page_{page.name};\n"
               f"const tsi_page_part tsi_page_{page.name} = {{\n"
               f"    {c_string(page.name)}, rows, {len(page.ops)}, bindings, {len(bindings)}}};\n\n")
    out += [calls(op, i) for i, op in enumerate(page.ops)]
    return "".join(out)


def calls(op, index):
    """The typed functions of one op."""
    out = []
    if optional(op):
        statics = [f"    static const int64_t {p.name}_default[] = "
                   f"{{{', '.join(map(str, ints_default(p))) or '0'}}};\n"
                   for p in optional(op) if p.type == "ints" and p.default != "None"]
        out.append(f"ts_{op.name}_opts ts_{op.name}_defaults(void)\n{{\n" + "".join(statics) +
                   f"    ts_{op.name}_opts o;\n\n" +
                   "".join(f"    {default_member(p)}\n" for p in optional(op)) +
                   "    return o;\n}\n\n")
    for name, form, params in signatures(op):
        opened = list_result(op)
        out.append(f"ts_status {name}({', '.join(params) or 'void'})\n{{\n")
        if opened:
            out.append("    ts_frame f;\n    ts_status s;\n\n"
                       f"    TS_TRY(ts_frame_open(&f, &rows[{index}], {FORM[form]}));\n")
        else:
            out.append(f"    TSI_FRAME(f, &rows[{index}], {FORM[form]}, {len(op.params)}, "
                       f"{len(op.results)});\n    ts_status s;\n\n")
        for p in op.params:
            if p.default is None:
                body = value_of(p, p.name).replace("a->", f"f.args[{place(op, p)}].")
                out.append(f"    {body}\n")
        if optional(op):
            out.append("    if (opts) {\n")
            for p in optional(op):
                body = value_of(p, f"opts->{p.name}").replace("a->", f"f.args[{place(op, p)}].")
                out.append("        " + body.replace("\n", "\n    ") + "\n")
            out.append("    }")
            if not opened:
                out.append(" else {\n" + "".join(
                    f"        f.args[{place(op, p)}] = {op.name}_params[{place(op, p)}].default_value;\n"
                    for p in optional(op)) + "    }")
            out.append("\n")
        if form == "out":
            out += [f"    f.out[{i}] = {r};\n" for i, r in enumerate(result_names(op))]
        out.append("    s = ts_call(&f);\n")
        if opened:
            out.append(f"    if (s == TS_OK)\n        s = tsi_give_list(&f, {result_names(op)[0]});\n"
                       if form == "functional" else
                       "    for (int i = 0; i < f.nresults; i++)\n"
                       "        ts_release(f.results[i]);\n")
            out.append("    ts_frame_close(&f);\n    return s;\n}\n\n")
            continue
        out.append("    if (s != TS_OK)\n        return s;\n")
        for i, r in enumerate(result_names(op)):
            out.append(f"    *{r} = f.results[{i}];\n" if form == "functional"
                       else f"    ts_release(f.results[{i}]);\n")
        out.append("    return TS_OK;\n}\n\n")
    for name, params, (num, call, suffix) in number_signatures(op):
        out.append(
            f"ts_status {name}({', '.join(params)})\n{{\n    ts_tensor *number_;\n"
            "    ts_status s;\n\n"
            f"    TS_TRY(ts_wrapped_number({num.name}, &number_));\n"
            f"    s = ts_{op.name}{suffix}({', '.join(call)});\n"
            "    ts_release(number_);\n    return s;\n}\n\n")
    return "".join(out)


def all_c(pages):
    names = [p.name for p in op_pages(pages)]
    return (HEADER + '#include "core/table.h"\n\n' +
            "".join(f"extern const tsi_page_part tsi_page_{n};\n" for n in names) +
            "\nstatic const tsi_page_part *const parts[] = {\n" +
            "".join(f"    &tsi_page_{n},\n" for n in names) + "};\n\n"
            "TSI_BEFORE_MAIN(enter)\n{\n"
            f"    tsi_table_enter(parts, {len(names)});\n}}\n")


def kernels_c(page):
    """The reference's kernels of one page, for its part of the door."""
    kernels = [op.name for op in page.ops if has_kernel(op)]
    out = [HEADER, f'#include "touchstone/backend.h"\n#include "touchstone/ops/{page.name}_glue.h"\n\n'
           f"extern const ts_kernel_entry tsk_page_{page.name}[];\n"
           f"const ts_kernel_entry tsk_page_{page.name}[] = {{\n"]
    out += [f"    {{{c_string(k)}, tsk_{k}}},\n" for k in kernels]
    out.append("    {NULL, NULL},\n};\n")
    return "".join(out)


def reference_kernels_c(pages):
    names = [p.name for p in op_pages(pages)]
    return (HEADER + '#include "touchstone/backend.h"\n\n' +
            "".join(f"extern const ts_kernel_entry tsk_page_{n}[];\n" for n in names) +
            "extern const ts_kernel_entry *const tsk_pages[];\n"
            "\nconst ts_kernel_entry *const tsk_pages[] = {\n" +
            "".join(f"    tsk_page_{n},\n" for n in names) + "    NULL,\n};\n")


def rules_json(pages):
    """For the judge: pages and rules as they read, found beside the program."""
    out = {"pages": [], "rules": [], "ops": []}
    for page in pages.values():
        out["pages"].append({"name": page.name, "title": page.title, "level": page.raw["level"],
                             "scope": " ".join(page.raw["scope"])})
        out["ops"] += [{"op": op.name, "bound": op.raw["bound"], "ulp": op.raw["ulp"]}
                       for op in page.ops if op.raw["bound"]]
        for label, (line, text) in page.rules.items():
            ids = re.findall(r"[TOADEMGC]-[0-9]{2}", text) or page.raw["scope"]
            out["rules"].append({
                "label": f"{page.name}/{label}", "page": page.name, "level": page.raw["level"],
                "scope": " ".join(ids), "error": page.raw.get("checks", {}).get(label),
                "file": f"{page.path.parent.name}/{page.path.name}", "line": line, "text": text})
    return json.dumps(out, indent=0, ensure_ascii=False) + "\n"


def write(path, text):
    """Only what changed, so that nothing is compiled for it."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("pages", "shared", "documented"):
        sys.exit(__doc__)
    spec, build = map(Path, sys.argv[2:])
    try:
        pages = read_all(spec)
        if sys.argv[1] == "shared":
            made = {"ops.h": ops_h(pages), "ops_all.c": all_c(pages),
                    "reference_kernels.c": reference_kernels_c(pages),
                    "rules.json": rules_json(pages)}
        else:
            made = {}
            for page in op_pages(pages):
                if sys.argv[1] == "documented":
                    made[f"{page.name}.h"] = page_h(page, True)
                    continue
                made[f"{page.name}.h"] = page_h(page, False)
                made[f"{page.name}_glue.h"] = glue_h(page)
                made[f"{page.name}_expr.h"] = expr_h(page)
                made[f"{page.name}.c"] = page_c(page)
                made[f"{page.name}_kernels.c"] = kernels_c(page)
    except PageError as e:
        sys.exit(str(e))
    for name, text in made.items():
        write(build / name, text)


if __name__ == "__main__":
    main()
