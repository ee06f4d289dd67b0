# SPDX-License-Identifier: Apache-2.0
"""Programs for the differential run: every op's calls (golden/calls.py) at small, large and many
sizes, on ordinary and special data, in every form and with gradients. They expect nothing."""
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "golden"))
import calls  # noqa: E402

VARIANTS = "# variants: offset strided transposed expanded\n"
WIDE = {"int64": (2**53 + 1, 2**53 + 9999), "int32": (2**24 + 1, 2**24 + 9999),
        "int16": (200, 30000), "int8": (-128, 128), "uint8": (100, 256)}
LARGE = re.compile(r"\b(5000|40000|70000)\b")
MOST = 150_000  # elements of a program's largest tensor


def is_data(arg):
    return arg.kind in ("data", "few", "odd", "nonzero", "positive", "sparse", "weight", "place")


def special(arg, dt, seed, shape, dims):
    if not is_data(arg) or dt == "bool":
        return calls.plain(arg, dt, seed, shape, dims)
    if "float" in dt:
        return f'normal({seed}, {shape}, torch.{dt}, mix="special")'
    low, high = WIDE[dt]
    return f'integers({seed}, {shape}, torch.{dt}, low={low}, high={high}, mix="special")'


def wide(arg, dt, seed, shape, dims):
    """Integers that narrower dtypes do not hold; small and subnormal floats."""
    if not is_data(arg) or dt == "bool":
        return calls.plain(arg, dt, seed, shape, dims)
    if "float" in dt:
        return f'normal({seed}, {shape}, torch.{dt}, mix="subnormal")'
    low, high = WIDE[dt]
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high})"


def ties(arg, dt, seed, shape, dims):
    if not is_data(arg) or dt == "bool" or "float8" in dt:
        return calls.plain(arg, dt, seed, shape, dims)
    return f"integers({seed}, {shape}, torch.{dt}, low=0, high=3)"


def repeated(arg, dt, seed, shape, dims):
    """Few different indices: every one many times."""
    if arg.kind == "index":
        return f"integers({seed}, {shape}, torch.int64, low=0, high={min(2, dims[arg.below])})"
    return calls.plain(arg, dt, seed, shape, dims)


def outside(arg, dt, seed, shape, dims):
    """One index that is out of range, below or above."""
    if arg.kind in ("index", "distinct"):
        low, high = (-2, dims[arg.below]) if seed % 2 else (0, dims[arg.below] + 3)
        return f"integers({seed}, {shape}, torch.int64, low={low}, high={high})"
    return calls.plain(arg, dt, seed, shape, dims)


def work(call, dims, lead):
    """How much a kernel has to do: a product of all dims, in units of ten multiplications."""
    most = 1
    for d in dims_of(call):
        most *= dims[d]
    most //= 10
    for arg in call.args.values():
        n = 1
        for size in arg.sizes(dims, lead):
            n *= size
        most = max(most, n)
    return most


def dims_of(call):
    return {w for a in call.args.values() for w in a.shape.replace("*", " ").split() if w in calls.USUAL}


def ladder(call, dt):
    """(sizes, lead): large along each dim, many of each dim, and ranks."""
    yield {}, ()
    large = dt in ("float32", "int64")  # as large as the size faults reach, on two dtypes
    for d in sorted(dims_of(call)):
        for n in (37, 300, 2100) + ((5000, 40000, 70000) if large else ()):
            yield {d: n}, ()
    yield {d: 13 for d in dims_of(call)}, ()  # squares: where one dim passes for another
    yield {d: 4 for d in dims_of(call)}, (4, 4)
    yield {d: 40 for d in dims_of(call)}, ()
    for lead in ((3,), (20,), (2, 2, 2), (2, 1, 3, 2, 2, 2)):
        yield {}, lead


def texts(call, dt):
    def program(**more):
        try:
            return calls.program(call, dt, expect=lambda e, name: [f"seen = {e}"], **more)
        except (KeyError, ValueError, IndexError, ZeroDivisionError):
            return None  # sizes that the call's shapes do not go with

    grads = (False, True) if calls.differentiable(call, dt) else (False,)
    for k, (sizes, lead) in enumerate(ladder(call, dt)):
        dims = {**calls.USUAL, **sizes}
        if lead and not any("…" in a.shape for a in call.args.values()) or \
                work(call, dims, lead) > MOST:
            continue
        for grad in grads:
            yield program(sizes=sizes, lead=lead, grad=grad, turn=k, seed=k + 1)
            if work(call, dims, lead) < 20000:
                for make in (special, ties, repeated):
                    yield program(sizes=sizes, lead=lead, grad=grad, turn=k + 1, seed=k + 5, make=make)
    for turn in range(min(8, calls.rows(call))):
        for grad in grads:
            for form in ("function", "in_place", "out"):
                for make in (calls.plain, special, wide):
                    yield program(turn=turn, seed=turn + 40, make=make, grad=grad, form=form)
        for seed in (1, 2):
            yield program(turn=turn, seed=seed, make=outside)


def corpus(page, seed, share, large=8):
    """A file of cases: of each op and dtype so many large programs, and `share` of the others."""
    out, n = [], 0
    found = {}
    for call in calls.of_page(page) if page in calls.op_pages() else ():
        for dt in calls.dtypes(call):
            some = found.setdefault((call.op, dt), {})
            for text in texts(call, dt):
                if text is not None:
                    some[text.replace('expect_equal(y, "y")\n', "")] = call.title
    for (op, dt), some in found.items():
        drawn = list(some)
        random.Random(f"{seed}:{op}:{dt}").shuffle(drawn)
        others = [t for t in drawn if not LARGE.search(t)]
        for text in [t for t in drawn if LARGE.search(t)][:large] + others[:share]:
            n += 1
            variants = VARIANTS if n % 2 and not LARGE.search(text) else ""
            out.append(f"# case {page}/{dt}/{some[text]}.{n}\n{variants}{text}")
    return "\n".join(out) + "\n"
