# SPDX-License-Identifier: Apache-2.0
"""The size ladder: every op at the sizes where vectorised and blocked kernels have their faults.

Made of the pages' CALLS, as cases <page>/<dtype>/ladder/<call>/<dim><size>: one dim climbs, the others stay
small; at ranks up to 8, with many batches (batch<size>), and with all dims of one size (square4), so that a
transposed result or a swapped argument has the right shape. Where a call is exact, its data is such that all bits are fixed, and every element is judged, by a
digest where they are many. Where it rounds, samples are, the last element and the sum.
"""
import functools
import hashlib
import math
from pathlib import Path

import calls
import case_language as lang

try:
    import torch
except ImportError:  # what is only read needs no seeds
    torch = None

DATA = Path(__file__).resolve().parent / "data"
SIZES = (17, 33, 65, 129, 257, 1025, 4099, 65537)
SHORT = (17, 129, 1025)
PRODUCT = (17, 33, 65, 129, 257, 1000)
# What a dim climbs to; of products, and else.
STEPS = {"N": SIZES, "B": (9, 33, 1025, 4099), "C": SHORT, "D": SHORT, "V": (17, 257, 4099), "M": (17, 65, 257, 4099)}
PRODUCT_STEPS = {"N": PRODUCT, "K": PRODUCT, "M": (17, 65, 257), "B": (9, 17, 33)}
PRODUCTS = ("mm", "bmm", "matmul", "addmm", "addmv", "baddbmm", "addbmm", "mv", "dot", "outer", "linear", "einsum")
LARGE = 10000
FEW = 128  # elements that are judged one by one where they round
LAYOUTS = ("strided", "offset", "transposed", "expanded")
LEAD = (2, 1, 3, 1, 2, 1, 2)  # of rank 8
MANY = (33, 520)  # sizes of one dim more in front: batches, and rows of them
SQUARE = 4  # every dim: one taken for another goes with the sizes
# What a sum of whole numbers may grow to: beyond it a dtype rounds (golden/whole.py).
MOST = {"float64": 1 << 53, "float32": 1 << 24, "float16": 1 << 11, "bfloat16": 1 << 8}
SUMS = ("sum", "scattered_sum", "product_added")
ACROSS = ("first", "middle")  # where PyTorch adds up one after another, which its model does not expect


def cases(g):
    """The ladder of g's page."""
    largest = set()  # ops that have had the largest size
    known = set()
    for n, call in enumerate(calls.of_page(g.page)):
        first = call.op not in known
        known.add(call.op)
        for dim in call.along:
            steps = (PRODUCT_STEPS if call.op in PRODUCTS else STEPS).get(dim, ())
            for k, size in enumerate(steps):
                if size > LARGE and (call.op in largest or sum(a.kind == "data" and bool(a.shape) for a in call.args.values()) > 2):
                    continue
                if size > LARGE:
                    largest.add(call.op)
                small = 1 if size > LARGE else 3 if dim == "B" and size > 4000 else 2
                sizes = {**dict.fromkeys(calls.USUAL, small), dim: size} if size > 1000 else {dim: size}
                if not (first or size > LARGE or kept(dim, k, size)):
                    continue
                for turn, dt in enumerate(chosen(call, k, size, first)):
                    yield from case(g, call, dt, sizes, f"{dim}{size}", n + k + turn, turn)
        if any("…" in a.shape for a in call.args.values()):
            rank = max(len(a.shape.split()) for a in call.args.values()) - 1
            for dt in chosen(call, 0, 0, first)[:2]:
                yield from case(g, call, dt, {"N": 5}, "rank8", n, 0, lead=LEAD[:8 - rank])
            for k, many in enumerate(MANY):
                for turn, dt in enumerate(chosen(call, k + 1, 10 * many, first)):
                    yield from case(g, call, dt, {"N": 5}, f"batch{many}", n + k + turn, turn, lead=(many,))
        for turn, dt in enumerate(chosen(call, n, 0, first)[:2 if first else 1]):
            lead = (SQUARE, SQUARE) if any("…" in a.shape for a in call.args.values()) else ()
            yield from case(g, call, dt, dict.fromkeys(calls.USUAL, SQUARE), f"square{SQUARE}", n + turn, turn, lead=lead)


def kept(dim, k, size):
    """The steps of an op's further calls."""
    return k == 1 or dim == "N" and k == 3 or size in (1000, 4099)


def chosen(call, k, size, first):
    """float32, and at every step one or two others in turn, so that all have some; at the last ones none."""
    every = calls.dtypes(call)
    main = "float32" if "float32" in every else every[0]
    others = [dt for dt in every if dt != main]
    if size > 4000 or not others:
        return [main]
    return [main, *dict.fromkeys(others[(2 * k + j) % len(others)] for j in range(2 if size < 1000 and first else 1))]


def bounds(call):
    return {calls.op_table()[op].raw["bound"] for op in (call.op, *call.reaches)}


def adds(call):
    """Whether the data itself is added up or multiplied, so that it has to be whole."""
    return bool(bounds(call) & set(SUMS)) or call.op in ("mul", *PRODUCTS) or "alpha" in call.choices or \
        "accumulate=True" in call.text


def whole(arg, dt, seed, shape, dims, negative=False):
    """Whole numbers, none of them 0, so that no sum rounds and no zero has a sign to lose."""
    low, high = (-2, 0) if negative else (1, 3)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high})"


def maker(call):
    """The elements of a call that is exact."""
    first = next((n for n, a in call.args.items() if a.kind == "data"), "")
    count = {"n": 0}

    def make(arg, dt, seed, shape, dims):
        if dt in calls.FLOAT and (arg.kind == "weight" or adds(call) and arg.kind in ("data", "nonzero")):
            count["n"] += 1
            return whole(arg, dt, seed, shape, dims, count["n"] % 2 == 0 and arg.kind != "weight" and first)
        return plain(arg, dt, seed, shape, dims)
    return make


def plain(arg, dt, seed, shape, dims):
    """Ordinary elements; of very many rows the last ones are asked for."""
    if arg.kind == "index" and dims[arg.below] > 4000:
        return f"integers({seed}, {shape}, torch.int64, low={dims[arg.below] - 3}, high={dims[arg.below]})"
    return calls.plain(arg, dt, seed, shape, dims)


def telling(page, call, dt, sizes, more):
    """The seed at which a result of few different values shows most: the last element is not like the one
    before it, nor like the first; neither the first nor the middle one is 0."""
    if calls.op_table()[call.op].raw["bound"] not in ("exact", "step") or call.number:
        return more["seed"]
    base = hashlib.sha256(calls.program(call, dt, sizes, **more).encode()).hexdigest()[:12]
    known = seeds(page)
    if base not in known and torch is not None:
        known[base] = most_telling(call, dt, sizes, more)
    USED.setdefault(page, set()).add(base)
    return known.get(base, more["seed"])


TRIES, USED = 40, {}


@functools.cache
def seeds(page):
    """{program: seed} that were searched before: finding them needs PyTorch, reading the programs must not."""
    path = DATA / f"{page}.seeds"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {base: int(seed) for base, seed in (line.split() for line in lines if line[:1] != "#")}


def keep(page):
    """Write down the seeds of the page's programs, where it was read and has any."""
    path, used = DATA / f"{page}.seeds", USED.get(page, ())
    text = "# Seeds that golden/ladder.py searched, by the program\n" + \
        "".join(f"{base} {seed}\n" for base, seed in sorted(seeds(page).items()) if base in used)
    if used and (not path.exists() or path.read_text(encoding="utf-8") != text):
        path.write_text(text, encoding="utf-8")


def most_telling(call, dt, sizes, more):
    """By trying some, with PyTorch."""
    best, most = more["seed"], -1
    for seed in range(more["seed"], more["seed"] + TRIES):
        text = calls.program(call, dt, sizes, expect=lambda e, name: [f'expect({e}, "{name}")'], **{**more, "seed": seed})
        shown = told(text) if text else 5
        if shown > most:
            best, most = seed, shown
        if most == 5:
            break
    return best


def told(text):
    """How many of five things the first result of a program shows."""
    from program import Program, values_of
    case = lang.parse_cases(f"# case ladder/float32/telling\n{text}", "ladder")[0]
    try:
        seen = Program(case).run().seen[0]
        v = values_of(seen.bits, seen.dtype)
    except Exception:  # noqa: BLE001  a program that PyTorch refuses is refused where it is run
        return 5
    if v.size < 2:
        return 5
    at = v.size // 2
    return [v[-1] == v[-2], v[-1] == v[0], v[0] == 0, v[at] == 0,
            v.size > 4097 and v[4097] == v[4096]].count(False)


def holds(call, dt, dims):
    """Whether sums of whole numbers stay whole in dt."""
    if dt not in calls.FLOAT or not adds(call):
        return dt in calls.ALL and dt not in calls.FLOAT8 or not adds(call)
    terms = max(dims.values())
    return terms * (3 if call.op in PRODUCTS else 2) <= MOST[dt]


def sampled(numel):
    """Expectations of a result that rounds: samples, the last element, a weighted sum."""
    step = numel // 24 | 1

    def expect(e, name):
        if numel <= FEW:
            return [f'expect({e}, "{name}")']
        weight = f"uniform(97, {e}.shape, torch.float64, low=-1.0, high=1.0)"
        return [f'expect({e}.flatten()[::{step}], "{name}")', f'expect({e}.flatten()[-1], "{name}_last")',
                f'expect(({e}.to(torch.float64) * {weight}).sum(), "{name}_sum")']
    return expect


def case(g, call, dt, sizes, what, turn, rank, lead=()):
    dims = {**calls.USUAL, **sizes}
    numel = max((math.prod(a.sizes(dims, lead)) for a in call.args.values()), default=dims["N"])
    exact = bool(call.exact) and (dt not in calls.FLOAT8 or not adds(call)) and holds(call, dt, sizes)
    if max(sizes.values()) > call.most.get(dt, LARGE * LARGE):
        return
    if not call.exact and sizes.get("B", 0) > 1000:
        return  # rows that take long are judged at 33 of them
    if call.exact and not exact or not call.exact and numel > LARGE and call.name in ACROSS:
        return
    form = ("function", "in_place", "out")[turn % 3] if rank else "function"
    grad = form == "function" and calls.differentiable(call, dt) and call.exact != "forward"
    more = {"make": maker(call)} if exact else {"make": plain, "expect": sampled(numel)}
    more.update(lead=lead, turn=turn, seed=2 if lead else 1)
    if exact and rank == 0:
        more["seed"] = telling(g.page, call, dt, sizes, more)
    text = calls.program(call, dt, sizes, form=form, grad=grad, **more)
    if text is None:
        form, grad = "function", calls.differentiable(call, dt) and call.exact != "forward"
        text = calls.program(call, dt, sizes, grad=grad, **more)
    name = f"{dt}/ladder/{call.title}/{what}{'' if form == 'function' else '_' + form}"
    layouts = (LAYOUTS[turn % (4 if exact and numel <= FEW else 3)],) if numel <= LARGE else ()
    if what.startswith("square"):
        layouts = ("transposed", "expanded")
    if calls.op_table()[call.op].raw["bound"] == "drawn" and layouts:
        layouts = ("offset",)  # elements are drawn in the order in which they lie
    layouts = tuple(layout for layout in layouts if call.expands or layout != "expanded")
    happens = calls.happens(call, dt) or (what.startswith("square") and "a square may stay as it is") or None
    yield g.case(name, call.rules, text, variants=layouts, whole=exact, maybe=happens)
    if call.exact == "forward" and calls.differentiable(call, dt) and rank == 0:
        text = calls.program(call, dt, sizes, lead=lead, turn=turn, grad=True, seed=5, make=plain,
                             expect=sampled(numel))
        yield g.case(f"{dt}/ladder/{call.title}/{what}_gradient", call.rules, text, variants=layouts)
