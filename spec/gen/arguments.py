# SPDX-License-Identifier: Apache-2.0
"""An op for the reader: its arguments in words, and its facts, as HTML (website.py)."""
from html import escape

WORDS = {"tensor": "a tensor", "tensors": "a list of tensors", "scalar": "a number",
         "int": "an int", "float": "a float", "bool": "a bool", "ints": "a list of ints",
         "dtype": "a dtype", "device": "a device", "memory_format": "a memory format",
         "string": "a string", "floats": "a list of floats", "bools": "a list of bools",
         "generator": "a generator", "function": "a function"}
GROUPS = (("ALL", "all"), ("COMMON", "all but float8"), ("NUMBER", "floating and integer"),
          ("FLOAT", "floating"), ("FLOAT8", "float8"), ("INT", "integer"), ("BOOL", "bool"))
AUTOCAST = {"lower_precision": "runs in the half type", "fp32": "runs in float32",
            "fp32_dtype": "runs with dtype=float32", "promote": "promotes its tensors"}


def code(text):
    return f"<code>{escape(str(text))}</code>"


def takes(op, p):
    """What a program may pass, in words."""
    words = [WORDS[p.type] + (" or <code>None</code>s" if p.entry_optional else "")]
    if p.type == "ints" and p.name in op.raw["varargs"]:
        words[0] += ", or the ints one by one"
    elif p.varargs:
        words.append("an int")
    if p.number:
        words.append("a number")
    if p.optional:
        words.append(code("None"))
    return ", or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def table(op):
    if not op.params:
        return "<p>No arguments.</p>"
    gradients = op.raw["differentiable"] and op.kind != "composite" and op.gradchecks
    head = ["argument", "takes", "unless given"] + (["gradient"] if gradients else [])
    rows = []
    for p in op.params:
        default = code(p.default) if p.default is not None else '<span class="muted">required</span>'
        only = ' <span class="only">only by name</span>' if p.keyword_only else ""
        row = f'<th scope="row">{code(p.name)}{only}</th><td>{takes(op, p)}</td><td>{default}</td>'
        if gradients:
            row += f"<td>{'yes' if p.differentiable else '–'}</td>"
        rows.append(f"<tr>{row}</tr>")
    return ('<div class="scroll"><table class="args"><thead><tr>'
            + "".join(f'<th scope="col">{h}</th>' for h in head)
            + f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>")


def names(op):
    """The names that programs call, in every form."""
    found = op.raw["functions"] if "functional" in op.forms else []
    found = list(found) + op.raw["functions_inplace"]
    for m in op.raw["methods"]:
        found += [f"Tensor.{m}"] if "functional" in op.forms else []
        found += [f"Tensor.{m}_"] if "inplace" in op.forms else []
    found += [f"Tensor.{m}_" for m in op.raw["methods_inplace"]]
    if "out" in op.forms:
        found += [f"{f}(out=)" for f in op.raw["functions"][:1]]
    return found


def dtypes(op, classes):
    """A set of dtypes in words: the largest classes that it is made of."""
    left, out = list(op.raw["dtypes"]), []
    for name, words in GROUPS:
        if set(classes[name]) <= set(left):
            out.append(words)
            left = [d for d in left if d not in classes[name]]
    return ", ".join(out + left)


def gradient(op):
    if op.kind == "composite":
        return "as its parts have it"
    if not op.raw["differentiable"]:
        return "none"
    if op.raw["gradcheck"] == "error":
        return "refused"
    stopped = op.raw["nondifferentiable_results"]
    return "yes" + (f", not of {', '.join(map(code, stopped))}" if stopped else "")


def facts(op, classes):
    raw = op.raw
    autocast = [f"{words} on {where}" for where, words in
                (("accel", AUTOCAST.get(raw["autocast"])), ("cpu", AUTOCAST.get(raw["autocast_cpu"])))
                if words]
    found = [
        ("result", escape(raw["result"])),
        ("programs call", " ".join(map(code, names(op))) or "nothing: other ops do"),
        ("forms", ", ".join({"functional": "function", "inplace": "in place", "out": "out="}[f]
                            for f in op.forms)),
        ("dtypes on CPU", dtypes(op, classes)),
        ("kind", op.kind), ("gradient", gradient(op)), ("bound", raw["bound"]),
        ("deterministic", "yes" if raw["deterministic"] else "no"),
        ("waits for the device", "yes" if raw["synchronizing"] else "no"),
        ("in a captured graph", "yes" if raw["capturable"] else "refused"),
        ("autocast", "; ".join(autocast) or "leaves it alone"),
        ("random", "yes" if raw["rng"] else ""),
        ("devices", "may differ" if raw["crosses_devices"] else ""),
    ]
    return "<dl>" + "".join(f"<div><dt>{k}</dt><dd>{v}</dd></div>" for k, v in found if v) + "</dl>"
