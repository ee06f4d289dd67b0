# SPDX-License-Identifier: Apache-2.0
"""Pages to C: typed calls, the op table, the names each op must define, the rule table.

usage: tables.py SPEC_DIR OUT_DIR
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from pages import PageError, read_all  # noqa: E402

HEADER = "/* SPDX-License-Identifier: Apache-2.0 */\n/* Generated from the pages of spec/. */\n"
KIND = {"primitive": "TS_PRIMITIVE", "view": "TS_VIEW", "composite": "TS_COMPOSITE",
        "optional": "TS_OPTIONAL"}
AUTOCAST = ("none", "lower_precision", "fp32", "fp32_dtype", "promote")
FORM = {"functional": "TS_FUNCTIONAL", "inplace": "TS_INPLACE", "out": "TS_OUT"}
ARG = {k: f"TS_ARG_{k.upper()}" for k in
       ("tensor", "tensors", "scalar", "int", "float", "bool", "ints", "dtype", "device",
        "memory_format", "string")}
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
    if p.type == "tensors":
        return [f"ts_tensor *const *{p.name}", f"int64_t n{p.name}"]
    if p.type == "ints":
        return [f"const int64_t *{p.name}", f"int64_t n{p.name}"]
    if p.optional and p.type in ("scalar", "int", "float", "bool"):
        return [f"const {PLAIN[p.type]} *{p.name}"]
    space = "" if PLAIN[p.type].endswith("*") else " "
    return [f"{PLAIN[p.type]}{space}{p.name}"]


def value_of(p, expr):
    """Assignments that put C variables `expr` into the frame's argument `a`."""
    kind = ARG[p.type]
    if p.type == "tensors":
        return f"a->kind = {kind}, a->tensors.v = {expr}, a->tensors.n = {expr_n(expr)};"
    if p.type == "ints":
        fill = f"a->kind = {kind}, a->ints.v = {expr}, a->ints.n = {expr_n(expr)};"
        return f"if ({expr}) {fill}\n    else a->kind = TS_ARG_NONE;" if p.optional else fill
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
    if p.type in ("tensor", "tensors", "ints") or (p.optional and d == "None" and
                                                   p.type in ("scalar", "int", "float", "bool")):
        if p.type == "ints" and d != "None":
            return f"o.{n} = {p.name}_default; o.n{n} = {len(ints_default(p))};"
        return f"o.{n} = NULL;" + (f" o.n{n} = 0;" if p.type in ("tensors", "ints") else "")
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
    outs = [f"ts_tensor **{n}" for n in result_names(op)]
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


def ops_h(pages):
    out = [HEADER, "#ifndef TOUCHSTONE_OPS_H\n#define TOUCHSTONE_OPS_H\n\n",
           '#include "touchstone/op.h"\n\n#ifdef __cplusplus\nextern "C" {\n#endif\n\n']
    for page in pages.values():
        if not page.ops:
            continue
        out.append(rule_comment(page))
        for op in page.ops:
            out.append(f"/* {op.schema} */\n")
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


def ops_glue_h(pages):
    out = [HEADER, "#ifndef TSI_OPS_GLUE_H\n#define TSI_OPS_GLUE_H\n\n"
           '#include "touchstone/op.h"\n\nstruct tsi_vjp;\n\n']
    for page in pages.values():
        for op in page.ops:
            if op.kind != "composite":
                out.append(f"ts_status tsi_api_{op.name}(ts_frame *f);\n")
            if op.kind in ("composite", "optional"):
                out.append(f"ts_status tsi_program_{op.name}(ts_frame *f);\n")
            if has_vjp(op):
                out.append(f"ts_status tsi_vjp_{op.name}(struct tsi_vjp *v);\n")
            if has_kernel(op):
                out.append(f"ts_status tsk_{op.name}(ts_frame *f);\n")
    out.append("\n#endif\n")
    return "".join(out)


def has_vjp(op):
    return bool(op.raw.get("differentiable")) and op.kind != "composite"


def has_kernel(op):
    return op.kind == "primitive" or (op.kind == "optional" and op.raw.get("kernel", False))


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


def ops_table_c(pages):
    out = [HEADER, '#include "touchstone/ops_glue.h"\n#include "touchstone/ops.h"\n'
           '#include "touchstone/rules.h"\n\n']
    ops = sorted((op for page in pages.values() for op in page.ops), key=lambda o: o.name)
    for op in ops:
        for p in op.params:
            if p.type == "ints" and p.default not in (None, "None"):
                values = ", ".join(map(str, ints_default(p))) or "0"
                out.append(f"static const int64_t {op.name}_{p.name}_default[] = {{{values}}};\n")
        if not op.params:
            continue
        out.append(f"static const ts_param {op.name}_params[] = {{\n")
        for p in op.params:
            flags = [f"{c_string(p.name)}", ARG[p.type]]
            flags += [str(bool(b)).lower() for b in
                      (p.optional, p.default is not None, p.keyword_only, p.number, p.varargs)]
            out.append(f"    {{{', '.join(flags)}, {default_value(p, op)}}},\n")
        out.append("};\n")
    out.append("\nstatic const ts_op ops[] = {\n")
    for op in ops:
        args, results = saved_masks(op)
        forms = " | ".join(f"TS_FORM_BIT({FORM[f]})" for f in op.forms)
        nondiff = op.raw.get("nondifferentiable_results", [])
        diff = sum(1 << i for i, n in enumerate(result_names(op)) if n not in nondiff)
        sync = str(bool(op.raw.get("synchronizing"))).lower()
        params = f"{op.name}_params" if op.params else "NULL"
        out.append(
            f"    {{.name = {c_string(op.name)}, .page = {c_string(op.page)},\n"
            f"     .schema = {c_string(op.schema)},\n"
            f"     .kind = {KIND[op.kind]}, .forms = {forms},\n"
            f"     .nparams = {len(op.params)}, .nresults = {len(op.results)},\n"
            f"     .params = {params}, .synchronizing = {sync},\n"
            f"     .differentiable = {str(bool(op.raw.get('differentiable'))).lower()}, "
            f".result_differentiable = {diff if op.raw.get('differentiable') else 0},\n"
            f"     .dtypes_cpu = {dtype_mask(op.raw['dtypes'])},\n"
            f"     .scalar_result = {str(op.results[0][0] == 'scalar').lower()},\n"
            f"     .crosses_devices = {str(bool(op.raw.get('crosses_devices'))).lower()},\n"
            f"     .deterministic = {str(bool(op.raw.get('deterministic', True))).lower()},\n"
            f"     .autocast = {autocast(op, 'autocast')}, "
            f".autocast_cpu = {autocast(op, 'autocast_cpu')},\n")
        if args:
            out.append("     .saves_arg = {" +
                       ", ".join(f"[{i}] = {m}" for i, m in sorted(args.items())) + "},\n")
        if results:
            out.append("     .saves_result = {" +
                       ", ".join(f"[{i}] = {m}" for i, m in sorted(results.items())) + "},\n")
        if op.kind != "composite":
            out.append(f"     .api = tsi_api_{op.name},\n")
        if op.kind in ("composite", "optional"):
            out.append(f"     .program = tsi_program_{op.name},\n")
        if has_vjp(op):
            out.append(f"     .vjp = tsi_vjp_{op.name},\n")
        out.append("    },\n")
    out.append("    {.name = NULL},\n};\n\n")
    index = {op.name: i for i, op in enumerate(ops)}
    bindings = {}
    for op in ops:
        for f in op.raw.get("functions", []):
            bindings.setdefault(f, (op.name, "TS_FUNCTIONAL"))
        for m in op.raw.get("methods", []):
            if "functional" in op.forms:
                bindings.setdefault(f"Tensor.{m}", (op.name, "TS_FUNCTIONAL"))
            if "inplace" in op.forms:
                bindings.setdefault(f"Tensor.{m}_", (op.name, "TS_INPLACE"))
        for f in op.raw.get("functions_inplace", []):
            bindings.setdefault(f, (op.name, "TS_INPLACE"))
    out.append("static const ts_binding bindings[] = {\n")
    for name, (op, form) in sorted(bindings.items()):
        out.append(f"    {{{c_string(name)}, &ops[{index[op]}], {form}}},\n")
    out.append("    {NULL, NULL, TS_FUNCTIONAL},\n};\n\nstatic const ts_rule rules[] = {\n")
    for page in pages.values():
        for label, (line, text) in page.rules.items():
            ids = re.findall(r"[TOADEMGC]-[0-9]{2}", text) or page.raw["scope"]
            error = page.raw.get("checks", {}).get(label)
            where = f"{page.path.parent.name}/{page.path.name}"
            out.append(f"    {{{c_string(f'{page.name}/{label}')}, {c_string(page.name)}, "
                       f"{c_string(page.raw['level'])}, {c_string(' '.join(ids))},\n     "
                       f"{c_string(error) if error else 'NULL'}, {c_string(where)}, {line},\n"
                       f"     {c_string(text)}}},\n")
    out.append(f"    {{NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL}},\n}};\n\n"
               "static const ts_page pages[] = {\n")
    for page in pages.values():
        out.append(f"    {{{c_string(page.name)}, {c_string(page.title)}, "
                   f"{c_string(page.raw['level'])}, {c_string(' '.join(page.raw['scope']))}}},\n")
    out.append("    {NULL, NULL, NULL, NULL},\n};\n\n"
               "const ts_op *const tsi_ops = ops;\n"
               f"const int tsi_op_count = {len(ops)};\n"
               "const ts_binding *const tsi_bindings = bindings;\n"
               f"const int tsi_binding_count = {len(bindings)};\n"
               "const ts_rule *const tsi_rules = rules;\n"
               f"const int tsi_rule_count = {sum(len(p.rules) for p in pages.values())};\n"
               "const ts_page *const tsi_pages = pages;\n"
               f"const int tsi_page_count = {len(pages)};\n")
    return "".join(out)


def ops_calls_c(pages):
    out = [HEADER, '#include "touchstone/ops.h"\n\n#include <stddef.h>\n\n'
           'static ts_status run(ts_frame *f, int n, ts_tensor **const *out)\n{\n'
           "    const ts_status s = ts_call(f);\n\n"
           "    for (int i = 0; s == TS_OK && i < n; i++)\n"
           "        *out[i] = f->results[i];\n    return s;\n}\n\n"
           "static ts_status drop(ts_frame *f, int n)\n{\n"
           "    const ts_status s = ts_call(f);\n\n"
           "    for (int i = 0; s == TS_OK && i < n; i++)\n"
           "        ts_release(f->results[i]);\n    return s;\n}\n\n"]
    ops = sorted((op for page in pages.values() for op in page.ops), key=lambda o: o.name)
    index = {op.name: i for i, op in enumerate(ops)}
    for op in ops:
        if optional(op):
            statics = [f"    static const int64_t {p.name}_default[] = "
                       f"{{{', '.join(map(str, ints_default(p))) or '0'}}};\n"
                       for p in optional(op) if p.type == "ints" and p.default != "None"]
            out.append(f"ts_{op.name}_opts ts_{op.name}_defaults(void)\n{{\n" + "".join(statics) +
                       f"    ts_{op.name}_opts o;\n\n" +
                       "".join(f"    {default_member(p)}\n" for p in optional(op)) +
                       "    return o;\n}\n\n")
        for name, form, params in signatures(op):
            out.append(f"ts_status {name}({', '.join(params) or 'void'})\n{{\n    ts_frame f;\n")
            if op.params:
                out.append("    ts_value *a;\n")
            out.append(f"\n    ts_frame_init(&f, ts_op_at({index[op.name]}), {FORM[form]});\n")
            for i, p in enumerate(op.params):
                if p.default is None:
                    out.append(f"    a = &f.args[{i}];\n    {value_of(p, p.name)}\n")
            if optional(op):
                out.append("    if (opts) {\n")
                for i, p in enumerate(op.params):
                    if p.default is not None:
                        body = value_of(p, f"opts->{p.name}").replace("\n", "\n    ")
                        out.append(f"        a = &f.args[{i}];\n        {body}\n")
                out.append("    }\n")
            n = len(op.results)
            if form == "functional":
                names = ", ".join(result_names(op))
                out.append(f"    return run(&f, {n}, (ts_tensor **const[]){{{names}}});\n}}\n\n")
            else:
                if form == "out":
                    for i, r in enumerate(result_names(op)):
                        out.append(f"    f.out[{i}] = {r};\n")
                out.append(f"    return drop(&f, {n});\n}}\n\n")
        for name, params, (num, call, suffix) in number_signatures(op):
            out.append(
                f"ts_status {name}({', '.join(params)})\n{{\n    ts_tensor *number_;\n"
                "    ts_status s;\n\n"
                f"    TS_TRY(ts_wrapped_number({num.name}, &number_));\n"
                f"    s = ts_{op.name}{suffix}({', '.join(call)});\n"
                "    ts_release(number_);\n    return s;\n}\n\n")
    return "".join(out)


def reference_kernels_c(pages):
    out = [HEADER, '#include "touchstone/backend.h"\n#include "touchstone/ops_glue.h"\n\n'
           "const ts_kernel_entry tsk_kernels[] = {\n"]
    kernels = sorted(op.name for page in pages.values() for op in page.ops if has_kernel(op))
    out += [f"    {{{c_string(k)}, tsk_{k}}},\n" for k in kernels]
    out.append(f"    {{NULL, NULL}},\n}};\n\nconst size_t tsk_kernel_count = {len(kernels)};\n")
    return "".join(out)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    spec, build = map(Path, sys.argv[1:])
    try:
        pages = read_all(spec)
    except PageError as e:
        sys.exit(str(e))
    for name, make in (("ops.h", ops_h), ("ops_glue.h", ops_glue_h),
                       ("ops_table.c", ops_table_c), ("ops_calls.c", ops_calls_c),
                       ("reference_kernels.c", reference_kernels_c)):
        (build / name).write_text(make(pages), encoding="utf-8")


if __name__ == "__main__":
    main()
