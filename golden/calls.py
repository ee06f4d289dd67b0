# SPDX-License-Identifier: Apache-2.0
"""How an op is called, said once: what the size ladder, the value classes, the fuzzer and the faults
are made of.

A page's golden/cases/<page>.py states its ops' calls as CALLS, a list of Call; ops of a family that
the page says nothing of have theirs from the family. Dims are names: whoever makes a program chooses
their sizes, the elements and the form.

    calls.of_page("mm")                                   the calls of a page's ops
    calls.all_calls()                                     {page: calls}
    calls.program(call, "float32", {"N": 65}, grad=True)  a program's text
"""
import functools
import importlib.util
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from inputs import few

HERE = Path(__file__).resolve().parent
SPEC = HERE.parent / "spec"
sys.path.append(str(SPEC / "gen"))
import pages as spec_pages  # noqa: E402

FLOAT, FLOAT8, INT = (spec_pages.CLASSES[c] for c in ("FLOAT", "FLOAT8", "INT"))
NUMBER, COMMON = spec_pages.CLASSES["NUMBER"], spec_pages.CLASSES["COMMON"]
ALL = spec_pages.DTYPES


@dataclass(frozen=True)
class Arg:
    """A tensor that a call takes.

    shape: sizes, each a name, a number or a sum or product of such, "B N+1"; "…" at the front stands
        for any dims, the same ones in every Arg of the call. "" is a tensor without dims.
    kind: what its elements are
        "data"       numbers of the call's dtype
        "few"        so few different ones that equals are common
        "odd"        data among which NaN, infinities and zeros of both signs are common
        "nonzero"    data without zeros
        "positive"   data above 0
        "unit"       data within 1 of 0
        "beyond"     data above 1
        "shift"      counts of bits
        "factor"     data near 1 in size, odd integers: many of them have a product
        "sparse"     data of which about half is 0
        "rare"       0 and 1, where about one in `below` is 1; "mostly": the reverse
        "index"      int64, each below the size `below`
        "distinct"   the same without duplicates; one dim
        "mask"       bool
        "place"      data that the call writes over
        "weight"     data that is not the point: ordinary values also where specials are asked for
    dtype: of its own where it is not the call's
    grad: whether a gradient may be asked for it
    """
    shape: str
    kind: str = "data"
    below: str = ""
    dtype: str = ""
    grad: bool = True

    def sizes(self, dims, lead=()):
        out = []
        for word in self.shape.split():
            out += lead if word == "…" else [eval(word, {"__builtins__": {}}, dims)]  # noqa: S307
        return tuple(out)


@dataclass(frozen=True)
class Call:
    """One way to call an op.

    op: its name in the op table
    text: the expression, with {x} for the Arg x, {N} for the size of a dim, {k} for a choice,
        {dtype} for the call's dtype
    args: name -> Arg
    name: what tells it apart from the op's other calls
    dtypes: of the data; () stands for all that the page's [[op]] takes
    choices: name -> texts, one of which is taken ("dim": ("0", "-1"))
    along: the dims whose size matters to a kernel (the ladder climbs along each of them in turn)
    over: the dims that it adds up, sorts or mixes elements over
    exact: whether whole numbers give the same bits in whatever order they are added;
        "forward": the result does, a gradient rounds
    rules: labels that the call serves; of a family's op those of its values
    results: what of the result is a tensor: "" the whole, "[0]" the first of several
    number: the result is no tensor but a number
    reaches: further ops with a kernel that the call or its gradient runs on
    gradient: whether one is asked for (where the page's op is differentiable)
    floats: integers give float32, so that they have no in-place form
    forms: those of the page's forms in which the call can be made; () stands for all
    tiny: dtype -> (low, high) of data whose results are subnormal
    one_zero: of zeros of both signs either may come out
    most: dtype -> the largest size at which its results do not drown in their bounds
    mix: of specials, the only one whose results do not hang on the order of steps
    smooth: whether a gradient may be asked for at special values too
    steep: whether a derivative just above 1 takes the largest gradients within their error of overflow
    without: value classes that this call goes without, where another call of its op has them
    expands: whether PyTorch is right where strides of 0 repeat elements
    trivial: why an answer of zeros, or the input itself, is right
    maybe: why one may happen to be, on some data
    """
    op: str
    text: str
    args: dict
    name: str = ""
    dtypes: tuple = ()
    choices: dict = field(default_factory=dict)
    along: tuple = ("N",)
    over: tuple = ()
    exact: bool | str = False
    rules: str = ""
    results: tuple = ("",)
    number: bool = False
    reaches: tuple = ()
    gradient: bool = True
    floats: bool = False
    forms: tuple = ()
    tiny: dict = field(default_factory=dict)
    one_zero: bool = False
    most: dict = field(default_factory=dict)
    mix: str = ""
    smooth: bool = True
    steep: bool = False
    without: tuple = ()
    expands: bool = True
    trivial: str = ""
    maybe: str = ""

    def has(self, form):
        return form in op_table()[self.op].forms and form in (self.forms or (form,))

    @property
    def title(self):
        return f"{self.op}_{self.name}" if self.name else self.op


# Sizes of dims that nobody has chosen: no two alike, so that a dim taken for another shows.
USUAL = {"N": 11, "B": 3, "C": 5, "D": 6, "K": 7, "M": 4, "S": 2, "V": 9}


# --- the calls of families ------------------------------------------------------------------------


def unary(op, fn):
    kind = op.raw.get("domain") or "data"
    yield Call(op.name, fn + "({x})", {"x": Arg("… N", kind)}, steep=op.name == "tan",
               exact=op.raw["bound"] in ("pointwise_move", "step"),
               floats=op.raw["family"] == "unary_float", maybe="near 0 it is as good as a line")


def binary(op, fn, kind="data", second=None, **more):
    second = second or (op.raw["domain"] if op.raw["domain"] == "shift" else kind)
    text = more.pop("text", fn + "({x}, {y})")
    if op.raw["bound"] == "pointwise_move":
        more = {"maybe": "one operand may be chosen throughout", "one_zero": True, **more}
    exact = more.pop("exact", op.raw["bound"] in ("arithmetic", "exact"))
    for name, x, y in (("", "… N", "… N"), ("row", "B N", "N"), ("column", "B N", "B 1"),
                       ("outer", "N 1", "B"), ("scalar", "… N", "")):
        if name == "scalar" and "float8_e5m2" in op.raw["dtypes"] and exact and kind == "data":
            more = {**more, "dtypes": COMMON}  # which 2.15.0 has no float8 for
        yield Call(op.name, text, {"x": Arg(x, kind), "y": Arg(y, second)}, name, exact=exact,
                   forms=("functional", "out") if name == "outer" else (), **more)


def ternary(op, fn):
    first = {"kind": "mask", "dtype": "bool"} if op.raw["domain"] == "condition" else {}
    exact = op.raw["bound"] == "pointwise_move"
    for name, x, y, w in (("", "… N", "… N", "… N"), ("row", "N", "B N", "B N"), ("column", "B 1", "N", "B N"),
                          ("scalar", "… N", "… N", "")):
        yield Call(op.name, fn + "({x}, {y}, {w})", {"x": Arg(x, **first), "y": Arg(y), "w": Arg(w)}, name,
                   exact=exact, mix="" if exact else "inf",
                   forms=("functional", "out") if name in ("row", "column") else ())


def comparison(op, fn):
    yield from binary(op, fn, "few", exact=True, gradient=False, maybe="few elements may all compare alike")


def reduction(op, fn, reaches=(), **more):
    one = op.raw["family"] == "reduction_index"
    exact = "forward" if op.raw["bound"] == "move" else op.raw["bound"] in ("sum", "exact")
    kind = "data"
    for name, dims, where in (("all", "… N", ""), ("last", "… B N", ", dim=-1"),
                              ("first", "N B", ", dim=0"), ("middle", "B N C", ", dim=1"),
                              ("two", "B N C", ", dim=(0, 2)"), ("kept", "B N", ", dim=1, keepdim=True")):
        if name == "two" and one:
            continue
        yield Call(op.name, f"{fn}({{x}}{where})", {"x": Arg(dims, kind)}, name, exact=exact,
                   along=("N",) if name in ("all", "kept", "two") else ("N", "B"), reaches=reaches,
                   forms=("functional",) if name == "all" else (),
                   over=("B", "C") if name == "two" else ("N",),
                   one_zero=op.raw["family"] == "reduction_same",
                   maybe="the least of many is 0" if op.name == "amin" else
                   "the first may be the one" if one and name == "all" else "", **more)


def reduction_bool(op, fn):
    kind = "mostly" if op.name == "all" else "rare"
    for name, dims, where, over in (("all", "… N", "", "N"), ("last", "… B N", ", dim=-1", "N"),
                                    ("first", "N B", ", dim=0", "N"), ("middle", "B N C", ", dim=1", "N"),
                                    ("two", "B N C", ", dim=(0, 2)", "B * C"), ("kept", "B N", ", dim=1, keepdim=True", "N")):
        yield Call(op.name, f"{fn}({{x}}{where})", {"x": Arg(dims, kind, over)}, name, exact=True,
                   along=("N",) if name in ("all", "kept", "two") else ("N", "B"),
                   forms=("functional",) if name == "all" else (), over=("B", "C") if name == "two" else ("N",),
                   maybe="few lines, all of them alike")


def scan(op, fn):
    for name, dims, dim in (("last", "… B N", -1), ("first", "N B", 0), ("middle", "B N C", 1)):
        yield Call(op.name, f"{fn}({{x}}, {dim})", {"x": Arg(dims, op.raw["domain"] or "data")}, name, exact=op.raw["bound"] == "sum",
                   along=("N", "B"), over=("N",))


FAMILIES = {"unary_float": unary, "unary_same": unary, "binary": binary, "binary_float": functools.partial(binary, floats=True),
            "ternary": ternary, "comparison": comparison,
            "predicate": lambda op, fn: [Call(op.name, fn + "({x})", {"x": Arg("… N", "odd")}, exact=True,
                                                maybe="it may hold of no element")],
            "reduction": reduction, "reduction_same": reduction, "reduction_index": reduction,
            "reduction_bool": reduction_bool, "scan": scan}


# --- of a page, of all ----------------------------------------------------------------------------


@functools.cache
def op_pages():
    """{page: spec page}."""
    return {p.stem: spec_pages.read_page(p) for p in sorted((SPEC / "ops").glob("*.md"))}


@functools.cache
def op_table():
    """{op: Op} of all pages."""
    return {op.name: op for page in op_pages().values() for op in page.ops}


def kernels():
    """{op: page} of the ops that have a kernel."""
    return {op.name: page for page, p in op_pages().items() for op in p.ops
            if op.kind == "primitive" or op.raw["kernel"]}


def stated(page):
    """CALLS of golden/cases/<page>.py."""
    path = HERE / "cases" / f"{page}.py"
    if not path.exists() or not re.search(r"^CALLS\b", path.read_text(encoding="utf-8"), re.M):
        return []
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    spec = importlib.util.spec_from_file_location(f"golden_calls_{page}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.CALLS)


@functools.cache
def of_page(page):
    """The calls of a page's ops: those it states, and the families' of ops it says nothing of."""
    out = stated(page)
    said = {c.op for c in out}
    for op in op_pages()[page].ops if page in op_pages() else ():
        family = FAMILIES.get(op.raw["family"])
        if family and op.name not in said and op.raw["functions"]:
            out += family(op, op.raw["functions"][0])
    titles = [c.title for c in out]
    again = {t for t in titles if titles.count(t) > 1}
    if again:
        sys.exit(f"golden/cases/{page}.py: CALLS: two calls are named {sorted(again)}")
    return tuple(out)


def all_calls():
    """{page: calls}, of the pages that have any."""
    return {page: of_page(page) for page in op_pages() if of_page(page)}


def happens(call, dt):
    """Why zeros or the input may happen to be right, or None."""
    op = op_table()[call.op]
    if dt in op.raw["identity"]:
        return f"{call.op} leaves {dt} as it is"
    if dt == "bool":
        return "there are but two bools"
    if any(a.shape == "" for a in call.args.values()):
        return "one number decides"
    return call.trivial or call.maybe or None


def dtypes(call):
    """Those that the call takes; of a call without data the ones it names."""
    return call.dtypes or tuple(dt for dt in ALL if dt in op_table()[call.op].raw["dtypes"])


def differentiable(call, dt):
    """Whether a gradient may be asked of the call on dt."""
    op = op_table()[call.op].raw
    return bool(call.gradient and dt in FLOAT and op["differentiable"] and op["gradcheck"] != "error"
                and learning(call, dt))


def learning(call, dt):
    """The Args that a gradient is defined for."""
    return [n for n, a in call.args.items() if a.grad and (a.dtype or dt) in FLOAT and
            a.kind in ("data", "few", "odd", "nonzero", "positive", "sparse", "unit", "beyond",
                       "factor", "weight")]


# --- programs -------------------------------------------------------------------------------------


ODD = ("special", "nan", "inf", "zero")


def factors(dt, seed, shape, spread):
    """Of both signs and within `spread` of 1 in size; odd integers, whose products never wrap to 0."""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f"((bools({seed + 50}, {shape}) * 2 - 1) * " \
            f"uniform({seed}, {shape}, torch.{dt}, low={1 - spread}, high={1 + spread}))"
    low, high = {"uint8": (0, 128), "int8": (-50, 64)}.get(dt, (-15000, 15000))
    return f"(integers({seed}, {shape}, torch.{dt}, low={low}, high={high}) * 2 + 1)"


def plain(arg, dt, seed, shape, dims):
    """Ordinary elements, as an expression of the case language."""
    if arg.kind == "index":
        return f"integers({seed}, {shape}, torch.int64, low=0, high={dims[arg.below]})"
    if arg.kind == "distinct":
        return f"permutation({seed}, {dims[arg.below]})" + \
            (f"[:{shape[0]}]" if shape[0] != dims[arg.below] else "")
    if arg.kind in ("rare", "mostly"):
        n = eval(arg.below, {"__builtins__": {}}, dims)  # noqa: S307
        one = f"(integers({seed}, {shape}, torch.int64, low=0, high={n}) {'=' if arg.kind == 'rare' else '!'}= 0)"
        return one if dt == "bool" else f"{one}.to(torch.{dt})"
    if arg.kind == "mask" or dt == "bool":
        return f"bools({seed}, {shape})"
    if arg.kind == "factor":
        return factors(dt, seed, shape, 0.03125)
    if arg.kind == "odd":
        if "float" in dt:
            return f'normal({seed}, {shape}, torch.{dt}, mix="{ODD[seed % len(ODD)]}")'
        return f"integers({seed}, {shape}, torch.{dt}, low={0 if dt == 'uint8' else -2}, high=3)"
    if arg.kind in ("few", "sparse"):
        low, high = (0, 4) if arg.kind == "few" else (0, 2)
        return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high})"
    if arg.kind == "shift":
        return f"integers({seed}, {shape}, torch.{dt}, low={0 if dt == 'uint8' else -1}, high=10)"
    if arg.kind == "unit":
        return f"uniform({seed}, {shape}, torch.{dt}, low=-0.875, high=0.875)" if "float" in dt else \
            f"integers({seed}, {shape}, torch.{dt}, low={0 if dt == 'uint8' else -1}, high=2)"
    if "float" in dt:
        if arg.kind in ("positive", "nonzero", "beyond"):
            low = 1.125 if arg.kind == "beyond" else 0.25
            return f"uniform({seed}, {shape}, torch.{dt}, low={low}, high=4.0)"
        return f"normal({seed}, {shape}, torch.{dt})"
    low, high = {"uint8": (0, 256), "int8": (-100, 128)}.get(dt, (-30000, 30000))
    if arg.kind in ("positive", "nonzero", "beyond"):
        low, high = 1, 20
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high})"


def text_of(call, dt, dims, chosen):
    """The call's expression."""
    names = {n: n for n in call.args}
    return call.text.format(**names, **dims, **chosen, dtype=f"torch.{dt}")


def choice(call, turn):
    """One text of each choice; another one for another turn."""
    out = {}
    for name, texts in call.choices.items():
        out[name] = texts[turn % len(texts)]
        turn //= len(texts)
    return out


def rows(call):
    """How many different choices a call has."""
    n = 1
    for texts in call.choices.values():
        n *= len(texts)
    return n


def in_place(call, text):
    """The in-place call that `text` is the function of, or None: f(x, …) becomes x.f_(…)."""
    op = op_table()[call.op]
    m = re.fullmatch(r"(torch|F)\.\w+\((\w+)(?:, (.*))?\)", text)
    if not call.has("inplace") or m is None or m[2] not in call.args or call.results != ("",):
        return None
    name = op.name + "_"
    if op.raw["functions_inplace"] and not op.raw["methods"]:
        return f"{op.raw['functions_inplace'][0]}({m[2]}{', ' + m[3] if m[3] else ''})"
    return f"{m[2]}.{name}({m[3] or ''})"


def out_form(call, text, room):
    """The call that writes into `room`, or None."""
    if not call.has("out") or not re.match(r"(torch|F)\.\w+\(", text) or not text.endswith(")"):
        return None
    return f"{text[:-1]}, out={room})"


def program(call, dt, sizes=None, *, make=plain, lead=(), turn=0, seed=1, form="function",
            grad=False, expect=None):
    """The text of a program that makes the call.

    sizes: of dims, those left out are USUAL. lead: sizes for "…". turn: which choices.
    make(arg, dt, seed, shape, dims): an Arg's elements, as text.
    form: "function", "in_place" or "out"; None comes back where the call has no such form.
    grad: a gradient for every Arg that may have one, the result's weighted with plain(…).
    expect(expression, name): the lines that state an expectation; `expect(…)` if not given.
    """
    dims = {**USUAL, **(sizes or {})}
    text = text_of(call, dt, dims, choice(call, turn))
    expect = expect or (lambda e, name: [f'expect({e}, "{name}")'])
    want = learning(call, dt) if grad else []
    lines = []
    for k, (name, arg) in enumerate(call.args.items()):
        made = make(arg, arg.dtype or dt, seed + k, arg.sizes(dims, lead), dims)
        lines.append(f"{name} = {made}{'.requires_grad_()' if name in want else ''}")
    if form == "in_place":
        written = None if call.floats and dt not in FLOAT else in_place(call, text)
        if written is None or want and "gradient_inplace" in op_table()[call.op].raw["refuses"]:
            return None
        if want:
            first = next(iter(call.args))
            lines.append(f"z = {first}.clone()")
            written = re.sub(rf"\b{first}\b", "z", written)
        lines.append(f"r = {written}")
    elif form == "out":
        written = out_form(call, text, "room" if call.results == ("",) else "(" + ", ".join(
            f"room{k}" for k in range(len(call.results))) + ")")
        if written is None or grad:
            return None
        lines.append(f"r = {text}")
        for k, part in enumerate(call.results):
            lines.append(f"room{'' if part == '' else k} = torch.empty_like(r{part})")
        lines.append(f"r = {written}")
    else:
        lines.append(f"r = {text}")
    if call.number:
        lines.append('expect_equal(r, "r")')
    else:
        for part in call.results:
            lines += expect(f"r{part}", "r" + part.strip("[].()"))
    if want:
        to = choice(call, turn).get("to", "").removeprefix("torch.") or dt  # the result's own dtype
        w = make(Arg("", "weight", grad=False), to, seed + 90, f"r{call.results[0]}.shape", dims)
        lines.append(f"r{call.results[0]}.backward({w})")
        for name in want:
            lines += expect(f"{name}.grad", f"{name}_grad")
    return "\n".join(lines) + "\n"
