# SPDX-License-Identifier: Apache-2.0
"""Which faults there are, and on what of which op each can be: all of them, before anything has
tried whether it changes something."""
import random
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "spec/gen"))
import pages  # noqa: E402

REAL = ("float64", "float32", "bfloat16", "float16")
INTS = ("int64", "int32", "int16", "int8", "uint8")
KINDS = {
    "size": "right for what is small: a last element, a block, a row or a batch beyond a size",
    "value": "NaN, infinities, minus zero, subnormals and the largest numbers lost or changed",
    "precision": "units in the last place too many, bits cut off, rounding the wrong way",
    "accumulation": "sums in too narrow a dtype, with terms lost, taken up twice or begun anew",
    "order": "elements, ties, rows or arguments in another order",
    "stride": "a layout taken for another",
    "dtype": "one dtype computed in another, integers that saturate, one dtype's kernel wrong",
    "dim": "a dim taken for another, where the sizes let that pass",
    "tail": "elements left unwritten, or one written behind the end",
    "state": "what an earlier call left behind, or every nth call wrong",
    "alias": "arguments or the gaps of a result written; in place, written before it is read",
    "index": "indices clamped, cut to some bits, duplicates lost, out of range taken",
    "argument": "an argument that is not data forgotten, or taken for another",
    "gradient": "any of the above in a derivative's kernel, or only while gradients are not recorded",
}
NARROW = ("accumulation", "dim", "index", "argument", "gradient")  # of few ops: more of each
INDEX_NAMES = ("index", "indices", "target")
DIM_NAMES = ("dim", "dims")
IN_BACKWARD = ("add", "mul", "sub", "neg", "div", "reciprocal", "sum", "mm", "bmm", "sgn", "exp",
               "where", "clone", "fill", "zero", "cat", "index_add", "scatter_add", "gather",
               "index_select", "cumsum", "_to_copy", "copy", "threshold_backward", "mean")

SUMS = ("sum", "mean", "cumsum", "mm", "bmm", "_softmax", "_log_softmax", "_softmax_backward_data",
        "_log_softmax_backward_data", "native_layer_norm", "native_layer_norm_backward",
        "index_add", "scatter_add", "embedding_dense_backward")  # those that sums.c knows
SCATTERED = ("index_add", "scatter_add", "embedding_dense_backward")
# Of the ways to add up, those that mean something to a few ops only.
ONLY_OF = {"accumulation/zero_skips": ("mm", "bmm", "_softmax_backward_data"),
           "accumulation/products_in": ("mm", "bmm", "_softmax_backward_data"),
           "accumulation/no_maximum": ("_softmax", "_log_softmax"),
           "accumulation/mean_of_squares": ("native_layer_norm",),
           "accumulation/stored_each_time": ("index_add", "scatter_add")}
NO_BOOLS = ("item",)  # whose result is a number: nobody sees how a byte says it


@dataclass(frozen=True)
class Fault:
    op: str
    name: str  # of the tables in the C files: kind/what
    parameters: str = ""
    when: str = ""  # a dtype, or "backward"

    @property
    def text(self):
        return f"{self.op}:{self.name}:{self.parameters}:{self.when}"

    @property
    def kind(self):
        return "gradient" if "backward" in self.op or self.when == "backward" else \
            self.name.split("/")[0]


def places(op, *types, names=None):
    return [i for i, p in enumerate(op.params) if p.type in types and (not names or p.name in names)]


def is_index(op, i):
    return op.params[i].name in INDEX_NAMES or op.name == "embedding" and i == 0


def results(op, op_results):
    for r in range(len(op_results)):
        yield f",{r}" if r else ""


def of_results(op):
    for r in results(op, op.results):
        for n in (16, 64, 256, 1024, 4096, 32768):
            yield "size/last_beyond", f"{n}{r}"
        for n in (64, 512, 2048, 16384):
            yield "size/middle_beyond", f"{n}{r}"
            yield "size/every", f"{n}{r}"
            yield "size/second_block", f"{n}{r}"
        for n in (16, 32, 128, 512, 2048):
            yield "size/row_end_beyond", f"{n}{r}"
        for n in (8, 32, 128, 512):
            yield "size/last_row_beyond", f"{n}{r}"
        for n in (2, 8, 16):
            yield "size/batch_beyond", f"{n}{r}"
        for n in (3, 4, 5, 6):
            yield "size/rank_beyond", f"{n}{r}"
        for name in ("minus_zero_lost", "nan_to_zero", "nan_to_infinity", "infinity_to_largest",
                     "infinity_to_nan", "subnormal_flushed", "large_to_infinity"):
            yield f"value/{name}", f"0{r}"
        for n in (3, 9, 17, 65, 257, 1025, 4097):
            yield "order/swapped_beyond", f"{n}{r}"
        for n in (8, 64, 512):
            yield "order/last_row_reversed", f"{n}{r}"
        yield "order/square_transposed", f"0{r}"
        for n in (4, 8, 16, 64):
            yield "tail/after_groups", f"{n}{r}"
            yield "tail/after_first_group", f"{n}{r}"
            yield "tail/of_rows", f"{n}{r}"
        for n in (32, 256, 1024, 4096):
            yield "tail/beyond", f"{n}{r}"
        for n in (0, 8, 64, 1024):
            yield "tail/overrun", f"{n}{r}"
        yield "alias/gaps_filled", f"0{r}"
    if op.name not in NO_BOOLS:
        yield "dtype/bool_not_one", ""
    for n in (1, 3, 8, 256):
        yield "state/stale_added", str(n)
    for n in (2, 3, 7, 50):
        yield "state/now_and_then", str(n)
    for name in ("cached_by_size", "cached_by_address", "last_bit_varies", "carry_kept",
                 "first_call", "scratch_longer"):
        yield f"state/{name}", ""


def of_tensors(op):
    for i in places(op, "tensor", "tensors"):
        for name in ("flat", "inner_one", "rows_packed", "inside_dense", "broadcast_first",
                     "offset_forgotten"):
            yield f"stride/{name}", str(i)
        for n in (0, 64, 1024):
            yield "alias/writes_input", f"{i},{n}"
        yield "alias/scales_input", str(i)
        if is_index(op, i):
            continue
        for name in ("minus_zero_lost", "nan_to_zero", "nan_to_infinity", "infinity_to_largest",
                     "infinity_to_nan", "subnormal_flushed", "large_to_infinity"):
            yield f"value/{name}_in", str(i)
    for r in range(len(op.results)):
        yield "stride/result_flat", str(r)
    yield "alias/cleared_first", ""
    yield "alias/reads_written", ""
    for n in (0, 16, 256, 2048):
        yield "order/arguments_swapped", f"0,{n}"
    for i in places(op, "tensors"):
        for n in (1, 2, 4, 8):
            yield "order/list_turned", f"{i},{n}"


def of_others(op):
    joins = places(op, "tensors")  # along another dim the result would have another shape
    for i in [] if joins else places(op, "int", "ints", names=DIM_NAMES):
        for n in (1, 2, 3, 4):
            yield "dim/before", f"{i},{n}"
            yield "dim/last", f"{i},{n}"
            yield "dim/first", f"{i},{n}"
        yield "dim/negative", str(i)
    for i in places(op, "scalar", "float"):
        yield "argument/forgotten", str(i)
        yield "argument/scalar_through_float", str(i)
    for i in places(op, "bool", "string"):
        if op.params[i].name not in ("keepdim", "non_blocking", "stable", "half_to_float"):
            yield "argument/forgotten", str(i)
    for i in places(op, "tensor"):
        if op.params[i].optional:
            yield "argument/tensor_forgotten", str(i)
        if is_index(op, i):
            for name in ("largest_clamped", "first_for_zero", "negative_wrapped",
                         "negative_clamped", "duplicates_apart", "unchecked"):
                yield f"index/{name}", str(i)
            for n in (4, 7, 8, 10, 12, 15):
                yield "index/through_bits", f"{i},{n}"
            for n in (4, 8, 32):
                yield "index/last_group", f"{i},{n}"
    if op.name == "sort":
        for n in (2, 16, 64, 1024):
            yield "order/ties_reversed", str(n)
    if op.name in ("argmax", "argmin"):
        for n in (2, 64, 1024):
            yield "order/last_of_equals", str(n)


def of_sums(op):
    if op.name not in SUMS:
        return
    for n in (8, 32, 64, 256, 1024, 4096):
        yield "accumulation/beyond", str(n)
    for n in (4, 8, 16, 32, 128):
        yield "accumulation/rest_lost", str(n)
    for n in (32, 128, 256, 1024):
        yield "accumulation/restarts", str(n)
    if op.name in SCATTERED:
        for n in (0, 16, 256):
            yield "index/duplicates_lost", str(n)
    yield "accumulation/zero_skips", ""
    yield "accumulation/no_maximum", ""
    yield "accumulation/stored_each_time", ""
    yield "accumulation/mean_of_squares", "float32"


def of_dtypes(op, exact):
    """(name, parameters, dtype)"""
    dtypes = op.raw["dtypes"]
    for r in results(op, op.results):
        for dt in REAL:
            if dt not in dtypes:
                continue
            for n in ((1, 2, 8) if exact else (3, 4, 8, 16) if dt in REAL[:2] else (1, 2)):
                yield "precision/ulp", f"{n}{r}", dt
                yield "precision/ulp_rarely", f"{n}{r}", dt
            yield "precision/near_zero", f"0{r}", dt
    for i in places(op, "tensor", "tensors"):
        if not is_index(op, i):
            for dt, bits in (("float32", 10), ("float32", 7), ("float32", 16), ("float64", 23)):
                if dt in dtypes:
                    yield "precision/bits_lost_in", f"{i},{bits}", dt
    for dt, other in (("float64", "float32"), ("float32", "bfloat16"), ("float32", "float16"),
                      ("float16", "bfloat16"), ("bfloat16", "float16")):
        if dt in dtypes:
            yield "precision/through", other, dt
            yield "accumulation/in", other, dt
            yield "accumulation/products_in", other, dt
    for dt in REAL:
        if dt in dtypes:
            yield "precision/towards_zero", "", dt
    for dt in REAL[2:]:
        if dt in dtypes:
            yield "accumulation/in", dt, dt
            yield "accumulation/products_in", dt, dt
            yield "accumulation/stored_each_time", "", dt
    for dt, other in (("int64", "float64"), ("int64", "int32"), ("int32", "float32"),
                      ("int16", "int8"), ("uint8", "int8"), ("int8", "uint8"), ("int32", "int16"),
                      ("int64", "float32")):
        if dt in dtypes:
            yield "dtype/through", other, dt
            yield "accumulation/in", other, dt
    for dt in INTS:
        if dt in dtypes:
            yield "dtype/saturates", "", dt
    for dt in dtypes:
        yield "dtype/first", "", dt


def kernels():
    """Ops that the reference has kernels for."""
    for page in pages.read_all(ROOT / "spec").values():
        for op in page.ops:
            if op.kind == "primitive" or op.raw["kernel"]:
                yield op


def of_op(op):
    exact = op.raw["bound"] in ("pointwise_move", "move", "step", "exact", "arithmetic", None)
    found = []
    for some in (of_results, of_tensors, of_others, of_sums):
        found += [Fault(op.name, *f) for f in some(op)]
    found += [Fault(op.name, *f) for f in of_dtypes(op, exact)]
    if op.name in IN_BACKWARD:
        # What is wrong in a derivative only shows where a derivative is asked for.
        found += [Fault(f.op, f.name, f.parameters, "backward") for f in found
                  if not f.when and f.name != "dtype/bool_not_one"]
    return [f for f in dict.fromkeys(found) if f.op in ONLY_OF.get(f.name, (f.op,)) and
            (f.op in SUMS or not f.name.startswith("accumulation"))]


def drawn(op, seed, each):
    """`each` faults of every kind, by the seed; of different names as long as there are any.
    Of the narrow kinds it is three times as many."""
    out = []
    for kind in KINDS:
        names = {}
        for f in of_op(op):
            if f.kind == kind:
                names.setdefault(f.name, []).append(f)
        dice = random.Random(f"{seed}:{op.name}:{kind}")
        queue = [dice.sample(some, len(some)) for some in dice.sample(list(names.values()), len(names))]
        for k in range(each * 3 if kind in NARROW else each):
            some = queue[k % len(queue)] if queue else []
            out += some[k // len(queue):][:1] if some else []
    return out
