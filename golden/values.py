# SPDX-License-Identifier: Apache-2.0
"""Value classes by construction: every op, backward and move on the values that faults lose.

Made of the pages' CALLS, as cases <page>/<dtype>/values/<call>/<class>. Classes of floats:

    special    NaN, infinities, zeros, subnormals, extremes and ties among ordinary elements; where they
               are added up, infinities or NaN
    pairs      every two of NaN, infinities, zeros of both signs and two numbers meet: inf - inf, 0 * inf
    subnormal  the data, or the result, is all subnormal
    incoming   the gradient that comes in holds the special ones
    zeros      zeros of both signs among ordinary elements, of data and of the gradient that comes in; of a
               function that keeps the sign of zero, that too
    edges      every two of infinities, the largest numbers, the least and 0 meet: of what compares or selects;
               of integers the extremes and what fewer bits, another sign or a float take for another
    near       neighbours that differ in their last bit: of the same
    huge       the first operand is all above half of the largest number, and the result is finite
    hugelast   the last one is
    far        data far above 1: results near 0, quotients that have to be rounded
    faint      the gradient that comes in is all subnormal
    tiny       the data is all subnormal, where class subnormal has results that are

of integers:

    extreme    the smallest and the largest among others
    large      int64 beyond 2^53 that no operation wraps

Data and gradient are in one program; a call that has a gradient has them in special and pairs too. What a
class means nothing to, an op's page says with the reason: `unvalued = {subnormal = "why"}`.
"""
import functools
import math
import struct

import calls
import ladder
import case_language as lang

FLOATS, WHOLES = ("special", "pairs", "subnormal", "incoming"), ("extreme", "large")
FURTHER = ("zeros", "edges", "near", "huge", "hugelast", "far", "faint", "tiny")  # no op has to have them
CLASSES = FLOATS + WHOLES + FURTHER
PAIRED = ('float("nan")', 'float("inf")', '-float("inf")', "0.0", "-0.0", "1.0", "-2.0")
# The smallest normal number of each dtype.
MOST = {"float64": 1.7976931348623157e308, "float32": 3.4028234663852886e38,
        "bfloat16": 3.3895313892515355e38, "float16": 65504.0}
DIGITS = {"float64": 53, "float32": 24, "bfloat16": 8, "float16": 11}
LEAST = {"float64": 2.2250738585072014e-308, "float32": 1.1754943508222875e-38,
         "bfloat16": 1.1754943508222875e-38, "float16": 6.103515625e-05}
LAYOUTS = ("offset", "strided", "transposed")
TABLE = {"nan": 1, "inf": 2, "zero": 2, "subnormal": 6, "extreme": 6, "tie": 17}


# Why a trivial answer may happen to be right.
HAPPENS = {"huge": "the others count for nothing beside the huge one", "far": "far out many results are alike",
           "near": "the first of near ones may be the one", "zeros": "few numbers are left"}
HAPPENS["hugelast"] = HAPPENS["huge"]


def cases(g):
    """The value classes of g's page."""
    first = set()
    for n, call in enumerate(calls.of_page(g.page)):
        every = call.op not in first
        first.add(call.op)
        for dt in calls.dtypes(call):
            if every or dt in ("float32", "int64"):
                yield from of_dtype(g, call, dt, n, every)


def selects(call):
    """Whether the call compares or selects, and adds nothing up."""
    return call.exact in (True, "forward") and not ladder.adds(call)


def wanted(call, dt, class_):
    """Whether the class means anything to a call in dt."""
    op = calls.op_table()[call.op].raw
    if class_ in FURTHER and "all" in op["unvalued"]:
        return False
    if class_ in FURTHER and dt not in calls.FLOAT and (class_ != "edges" or dt not in calls.INT):
        return False
    if class_ in ("edges", "near"):
        shown = any(a.kind in ("few", "odd") for a in call.args.values()) or \
            selects(call) and (call.over or op["bound"] == "pointwise_move" and len(call.args) > 1)
        return shown and class_ not in call.without and any(map(taken, call.args.values()))
    if class_ == "faint" and (dt == "float64" and call.exact is not True or not calls.differentiable(call, dt)):
        return False
    if class_ == "far":
        return call.floats and dt != "float64" or op["bound"] in ("one_rounding", "arithmetic") and \
            len(call.args) == 2 and op["family"] == "binary_float" or call.op == "floor_divide" and dt == "float32"
    if class_ in ("huge", "hugelast") and (dt == "float64" and not selects(call) or op["bound"] == "exact"):
        return False
    if class_ == "huge" and op["bound"] == "step" and len(call.args) > 1:
        return False  # quotients beyond what a float tells apart
    if class_ == "hugelast" and sum(map(taken, call.args.values())) < 2:
        return False
    if class_ == "zeros" and op["bound"] in ("sum", "mean") and call.name == "kept":
        return False  # three numbers of which two are alike and one is 0
    if class_ == "tiny":
        return bool(call.tiny.get(dt)) and dt != "float64"
    if class_ in op["unvalued"] or class_ in call.without or not any(map(taken, call.args.values())):
        return False
    if class_ in WHOLES:
        return dt in calls.INT and (class_ != "large" or dt == "int64")
    if class_ == "incoming":
        return calls.differentiable(call, dt)
    if class_ in ("special", "huge", "hugelast") and dt == "float64" and call.name.endswith("accumulate"):
        return False  # nor a sum of extremes
    if class_ == "subnormal" and dt == "float64" and (ladder.adds(call) or call.exact is not True):
        return False  # a bound has float32's exponents: it would let zeros pass
    return dt in calls.FLOAT or class_ == "special" and dt in calls.FLOAT8


def taken(arg):
    """Whether an Arg's elements may be special ones."""
    return arg.kind in ("data", "few", "odd", "nonzero", "positive", "sparse", "unit", "beyond", "rare", "mostly", "factor") and not arg.dtype


def of_dtype(g, call, dt, n, every):
    for class_ in CLASSES:
        if not wanted(call, dt, class_) or class_ in ("pairs", "subnormal", "incoming", *FURTHER) and \
                not every and dt != "float32":
            continue
        if class_ in FURTHER and dt in calls.FLOAT and (
                dt not in turns(call, n) and class_ != "far" or not every and not call.over):
            continue
        grad = calls.differentiable(call, dt) and (
            class_ in ("incoming", "faint", "zeros") or
            class_ == "huge" and (call.reaches or call.op in ladder.PRODUCTS) or call.smooth and class_ in ("special", "pairs"))
        dims, lead = sizes(call, class_)
        text = calls.program(call, dt, dims, make=maker(call, class_), lead=lead, grad=grad,
                             turn=n if "huge" not in class_ else -1 if "reduction" in call.choices else 0,
                             seed=1 + 10 * n, expect=signed if class_ == "zeros" and call.floats and dt != "float64" else None)
        layouts = (LAYOUTS[n % 3],) if class_ != "pairs" else False
        yield g.case(f"{dt}/values/{call.title}/{class_}", call.rules, text, variants=layouts,
                     maybe=calls.happens(call, dt) or HAPPENS.get(class_))
        for form in ("in_place", "out") if class_ in ("special", "large") and every else ():
            text = calls.program(call, dt, dims, make=maker(call, class_), lead=lead, turn=n, form=form,
                                 seed=1 + 10 * n)
            if text:
                yield g.case(f"{dt}/values/{call.title}/{class_}_{form}", call.rules, text,
                             variants=layouts, maybe=calls.happens(call, dt))


def turns(call, n):
    """The dtypes of the further classes: float32, and another one in turn."""
    others = [dt for dt in calls.dtypes(call) if dt in calls.FLOAT and dt != "float32"]
    return "float32", others[n % len(others)] if others else ""


def signed(e, name):
    """A bound does not tell zeros apart; what 1 is divided by them does."""
    return [f'expect({e}, "{name}")'] + ([f'expect(1 / {e}, "{name}_sign")'] if name == "r" else [])


def sizes(call, class_):
    """Dims that a call adds up over are short, so that most results are of one special value or two."""
    over = {"pairs": 2, "edges": 2, "huge": 1, "hugelast": 1}.get(class_, 3)
    dims = {name: over for name in call.over}
    names = list(dict.fromkeys(w for a in call.args.values() for w in a.shape.split()
                               if w in calls.USUAL and w not in dims))
    paired = class_ in ("pairs", "edges")
    if (class_ in ("pairs", "edges", "special", "incoming", "extreme") or class_ == "near" and call.over) and names:
        long = names[0] if not paired or "N" not in names else "N"
        dims[long] = 49 if paired else 64 if len(names) < 2 else 16
    if call.op in ("mm", "bmm", "matmul") and paired:
        dims.update(M=49, N=7, B=2)
    return {"V": 6, "M": 5, **dims} if class_ != "large" else {"N": 6, **dims}, ()


# --- elements -------------------------------------------------------------------------------------


def maker(call, class_):
    data = [n for n, a in call.args.items() if taken(a)]
    names = list(call.args)
    turn = {"k": -1}

    def make(arg, dt, seed, shape, dims):
        turn["k"] += 1
        name = names[turn["k"]] if turn["k"] < len(names) else ""
        if arg.kind == "weight":
            return weight(call, class_, dt, seed, shape)
        if name not in data:
            return calls.plain(arg, dt, seed, shape, dims)
        return MAKERS[class_](call, arg, dt, seed, shape, dims, data.index(name))
    return make


def weight(call, class_, dt, seed, shape):
    if class_ == "faint":
        return f"uniform({seed}, {shape}, torch.{dt}, low={-LEAST[dt]!r}, high={LEAST[dt]!r})"
    if class_ == "huge":  # a product's derivative adds up five rows
        low, high = (0.12, 0.2) if call.op in ladder.PRODUCTS else (MOST[dt] * 0.55, MOST[dt] * 0.99)
        return f"uniform({seed}, {shape}, torch.{dt}, low={low!r}, high={high!r})"
    if class_ == "zeros":
        return f'normal({seed}, {shape}, torch.{dt}, mix="zero")'
    mix = f', mix="{some(call, dt, 0, incoming=True)}"' if class_ == "incoming" else ""
    if "special" in mix:
        seed = seeded(dt, seed, 64)  # the gradients that have so many elements show all of the table
    return f"normal({seed}, {shape}, torch.{dt}{mix})"


def special(call, arg, dt, seed, shape, dims, k):
    if arg.kind == "few":  # to be compared: many are equal
        return f'integers({seed}, {shape}, torch.{dt}, low=0, high=4, mix="{("special", "zero")[k]}")'
    mix = some(call, dt, k) if dt in calls.FLOAT else "special"
    if mix == "special":
        seed = seeded(dt, seed, math.prod(shape))
    return f'normal({seed}, {shape}, torch.{dt}, mix="{mix}")'


def some(call, dt, k, incoming=False):
    """The mix of an Arg: all of the table, but infinities or NaN alone where sums or derivatives of extremes
    would lie within their error of overflow."""
    if call.mix:
        return call.mix
    shapes = {a.shape for a in call.args.values() if a.kind not in ("mask", "index")}
    steep = call.steep and incoming or dt == "float64" and (call.op == "div" or ladder.bounds(call) & {"function", "one_rounding"})
    if not steep and not call.over and not ladder.adds(call) and not (incoming and len(shapes) > 1):
        return "special"
    return ("inf", "nan")[(k + calls.FLOAT.index(dt)) % 2]


@functools.cache
def seeded(dt, seed, numel):
    """A seed from here on with which every class of the table occurs, if there is room for them."""
    if numel < 40:
        return seed
    while missing(dt, seed, numel):
        seed += 1000
    return seed


def missing(dt, seed, numel):
    """Which entries of the special table no element has."""
    table = dict.fromkeys(TABLE)
    if dt == "float8_e4m3fn":
        table.pop("inf")
    size = lang.FLOATS[dt][0]
    raw = lang.generate("normal", seed, (numel,), dt, mix="special")
    codes = {raw[i:i + size] for i in range(0, len(raw), size)}
    return [mix for mix in table if not codes & entries(dt, mix)]


@functools.cache
def entries(dt, mix):
    size = lang.FLOATS[dt][0]
    raw = lang.generate("normal", 1, (400,), dt, mix=mix)
    plain = lang.generate("normal", 1, (400,), dt)
    return {raw[i:i + size] for i in range(0, len(raw), size) if raw[i:i + size] != plain[i:i + size]}


def pairs(call, arg, dt, seed, shape, dims, k, few=None):
    """Nested lists in which every two values meet: along the dims added up over, or between Args."""
    words = arg.shape.split()
    over = [i for i, w in enumerate(w for w in words if w != "…") if w in call.over]
    few = few or PAIRED
    base = len(few)
    paired = [v.replace("-0.0", "-4.0") if call.one_zero and few is PAIRED else v for v in few]

    def element(index):
        r, p = 0, 0
        for i, at in enumerate(index):
            if i in over:
                r = r * shape[i] + at
            else:
                p = p * shape[i] + at
        if over and k:
            return paired[(p + 3 * r) % base]
        return paired[p // base ** (r if over else k) % base]

    def nest(index):
        if len(index) == len(shape):
            return element(index)
        return "[" + ", ".join(nest((*index, i)) for i in range(shape[len(index)])) + "]"
    return f"torch.tensor({nest(())}, dtype=torch.{dt})"


def subnormal(call, arg, dt, seed, shape, dims, k):
    if k:
        return calls.plain(arg, dt, seed, shape, dims)
    low, high = call.tiny.get(dt, (-LEAST[dt], LEAST[dt]))
    return f"uniform({seed}, {shape}, torch.{dt}, low={low!r}, high={high!r})"


def incoming(call, arg, dt, seed, shape, dims, k):
    if call.op in ladder.PRODUCTS:  # an infinity times 0
        return f'normal({seed}, {shape}, torch.{dt}, mix="zero")'
    return calls.plain(arg, dt, seed, shape, dims)


def faint(call, arg, dt, seed, shape, dims, k):
    return calls.plain(arg, dt, seed, shape, dims)


def extreme(call, arg, dt, seed, shape, dims, k):
    if arg.kind == "nonzero":
        return calls.plain(arg, dt, seed, shape, dims)
    low = 0 if dt == "uint8" else -100
    if arg.kind == "few" and k:
        return f"integers({seed - k}, {shape}, torch.{dt}, low={low}, high=100)"
    return f'integers({seed}, {shape}, torch.{dt}, low={low}, high=100, mix="extreme")'


def large(call, arg, dt, seed, shape, dims, k):
    if arg.kind == "few":  # neighbours that float64 cannot tell apart
        low, high = 2 ** 53, 2 ** 53 + 4
    elif k and call.op in ("mul", "div", "floor_divide", "mm", "bmm", "matmul"):
        low, high = 1, 4
    else:
        low, high = -2 ** 60 - 1, 2 ** 60 + 1
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high})"


def zeros(call, arg, dt, seed, shape, dims, k):
    if call.one_zero:  # of one sign, since either may come out
        return pairs(call, arg, dt, seed, shape, dims, k, ("-0.0", "1.0", "-2.0"))
    op = calls.op_table()[call.op].raw
    if k and op["bound"] == "pointwise_move" and op["family"] == "binary":  # either of two zeros
        return calls.plain(arg, dt, seed, shape, dims)
    if arg.kind not in ("data", "few", "odd"):
        return calls.plain(arg, dt, seed, shape, dims)
    return f'normal({both_zeros(seed, math.prod(shape))}, {shape}, torch.{dt}, mix="zero")'


def both_zeros(seed, numel):
    """A seed from here on with which zeros of both signs are there."""
    while numel > 4 and not all(struct.pack("<d", z) in zeros_of(seed, numel) for z in (0.0, -0.0)):
        seed += 1000
    return seed


def zeros_of(seed, numel):
    raw = lang.generate("normal", seed, (numel,), "float64", mix="zero")
    return {raw[i:i + 8] for i in range(0, len(raw), 8)}


# What is another number, or the same as another one, in fewer bits, without a sign, or in a float.
EDGES = {"int64": (2**63 - 1, -2**63 + 1, 0, -1, 1, 2**32, 2**53 + 1), "int32": (2**31 - 1, -2**31, 0, -1, 1, 2**16, 2**24 + 1),
         "int16": (2**15 - 1, -2**15, 0, -1, 1, 256, -200), "int8": (127, -128, 0, -1, 1, 64, -64),
         "uint8": (255, 0, 1, 127, 128, 254, 64)}


def edges(call, arg, dt, seed, shape, dims, k):
    if dt in EDGES:
        return pairs(call, arg, dt, seed, shape, dims, k, tuple(map(str, EDGES[dt])))
    most, least = MOST[dt], LEAST[dt]
    return pairs(call, arg, dt, seed, shape, dims, k, ('float("inf")', repr(most), repr(most * 0.75), "0.0",
                                                       repr(least / 4), repr(-most), '-float("inf")'))


def near(call, arg, dt, seed, shape, dims, k):
    low = 2 ** (DIGITS[dt] - 1)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={low + 4})"


def huge(call, arg, dt, seed, shape, dims, k):
    if k == 0 and arg.kind != "unit":
        return f"uniform({seed}, {shape}, torch.{dt}, low={MOST[dt] * 0.55!r}, high={MOST[dt] * 0.99!r})"
    return f"uniform({seed}, {shape}, torch.{dt}, low=0.0625, high=0.125)"


def far(call, arg, dt, seed, shape, dims, k):
    if k == 0 and arg.kind != "unit":
        return f"uniform({seed}, {shape}, torch.{dt}, low=300.0, high=60000.0)"
    return f"uniform({seed}, {shape}, torch.{dt}, low=0.75, high=4.0)"


def tiny(call, arg, dt, seed, shape, dims, k):
    return f"uniform({seed}, {shape}, torch.{dt}, low={-LEAST[dt]!r}, high={LEAST[dt]!r})"


MAKERS = {f.__name__: f for f in (special, pairs, subnormal, incoming, faint, extreme, large, zeros, edges, near, huge,
                                  far, tiny)}
MAKERS["hugelast"] = lambda call, arg, dt, seed, shape, dims, k: huge(
    call, arg, dt, seed, shape, dims, k + 1 - sum(map(taken, call.args.values())))
