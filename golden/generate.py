#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make golden data: run every case of golden/cases/ under the pinned PyTorch.

golden/cases/<page>.py states programs only; this writes golden/data/<page>.cases and
<page>.safetensors beside it. golden/README.md tells how truth and bound arise.
"""
import argparse
import importlib.util
import json
import math
import os
import pickle
import re
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PYTHON = HERE / ".venv" / "bin" / "python"
# PyTorch's bits depend on the processor; these make it take the same path everywhere.
FIXED = {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE",
         "ONEDNN_MAX_CPU_ISA": "SSE41", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
         "CUDA_VISIBLE_DEVICES": "", "PYTHONHASHSEED": "0"}
STANDIN = {"LD_PRELOAD": str(HERE / ".venv" / "standin" / "libcuda.so.1"), "STANDIN_DEVICES": "2",
           "CUDA_VISIBLE_DEVICES": "0"}
KEPT = 128  # elements of an exact answer that are kept; of more a digest is
MODE = "TOUCHSTONE_GENERATE"  # "fixed", "native": set once this runs under the right settings


def settle(argv):
    """Run again under golden/.venv and the fixed settings, unless that is so already."""
    mode = os.environ.get(MODE)
    if mode:
        return mode
    if not PYTHON.exists():
        sys.exit("generate.py: golden/.venv is missing: run golden/setup first")
    env = {**os.environ, **FIXED, MODE: "fixed"}
    os.execve(PYTHON, [str(PYTHON), str(HERE / "generate.py"), *argv], env)


def native_environment():
    env = {k: v for k, v in os.environ.items() if k not in FIXED or k.endswith("_THREADS")}
    return {**env, MODE: "native"}


# --- the pages' programs --------------------------------------------------------------------------


class Pages:
    """What a page's `def cases(g)` is given."""

    FLOAT = ("float64", "float32", "bfloat16", "float16")
    FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
    INT = ("int64", "int32", "int16", "int8", "uint8")
    NUMBER = FLOAT + INT
    COMMON = FLOAT + INT + ("bool",)
    ALL = FLOAT + FLOAT8 + INT + ("bool",)

    def __init__(self, page, path):
        self.page, self.path = page, path

    def case(self, name, rules, program, *, trivial=None, timeout=None, memory=None,
             variants=True, level=None, provenance="run-cpu",
             needs=(), ranks=None, whole=False, maybe=None):
        """One case. `name` is "<dtype>/<what is special>". trivial: why a trivial answer passes.
        variants=False: the program's layout is its point, do not derive others; a tuple: try these
        alone. maybe: the reason, if a trivial answer happens to pass. whole: its data is whole numbers, so small that no sum rounds (golden/whole.py). provenance:
        "run-standin" runs it on cuda over golden/standin; "documented": what it claims is written
        on its page with the source, PyTorch is not asked. needs: more for its header. ranks: run on so many."""
        return {"id": f"{self.page}/{name}", "rules": rules, "trivial": trivial,
                "timeout": timeout, "memory": memory, "variants": variants, "level": level,
                "provenance": provenance, "needs": set(needs), "ranks": ranks,
                "whole": whole, "maybe": maybe,
                "program": textwrap.dedent(program).strip("\n").rstrip() + "\n"}


def page_level(page):
    for room in ("ops", "areas"):
        path = ROOT / "spec" / room / f"{page}.md"
        if path.exists():
            m = re.search(r'^level *= *"(L[1-8])"', path.read_text(encoding="utf-8"), re.M)
            if m:
                return m.group(1)
    return None


def load(page):
    """[case dict] of golden/cases/<page>.py, of the families of the page's ops and of its examples."""
    path = HERE / "cases" / f"{page}.py"
    sys.dont_write_bytecode = True
    sys.path[:0] = [p for p in (str(HERE), str(ROOT / "conformance" / "script")) if p not in sys.path]
    import basics
    cases = list(basics.cases(Pages(page, path)))
    if path.exists():
        spec = importlib.util.spec_from_file_location(f"golden_cases_{page}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        cases += module.cases(Pages(page, path))
    cases += found(Pages(page, path))
    if not cases:
        sys.exit(f"generate.py: no page {page!r}: {path.relative_to(ROOT)} does not exist")
    level = page_level(page)
    import ladder
    cases += list(ladder.cases(Pages(page, path)))
    import values
    cases += list(values.cases(Pages(page, path)))
    import examples
    cases += list(examples.cases(Pages(page, path)))
    for c in cases:
        c["level"] = c["level"] or level
    return cases


def found(g):
    """The programs that golden/fuzz.py found for a page: golden/found/<page>.cases."""
    import case_language as lang
    path = HERE / "found" / f"{g.page}.cases"
    return [g.case(c.id.split("/", 1)[1], c.headers["rules"], c.program, variants=False,
                   trivial=c.headers.get("trivial"))
            for c in (lang.read_cases(path) if path.exists() else ())]


def all_pages():
    """The pages with programs: of their own, or of the families of their ops."""
    import basics
    return sorted({p.stem for p in (HERE / "cases").glob("*.py")} | set(basics.page_names()) |
                  {p.stem for p in (HERE / "found").glob("*.cases")})


def parsed(c, path):
    """The case language's own view of a case, headers checked."""
    import case_language as lang
    lines = [f"# {k}: {v}" for k, v in headers(c).items()]
    text = "\n".join([f"# case {c['id']}", *lines, c["program"]])
    return lang.parse_cases(text, str(path))[0]


def headers(c, needs=(), variants=()):
    """{key: value} of a case's header lines."""
    ran = f"@{torch_version()}" if c["provenance"] != "documented" else ""
    out = {"rules": c["rules"]} if c["rules"] else {}
    out["provenance"] = f"{c['provenance']}{ran}"
    if needs:
        out["needs"] = " ".join(sorted(needs))
    if variants:
        out["variants"] = " ".join(variants)
    for k in ("trivial", "timeout", "memory", "ranks", "level"):
        if c.get(k):
            out[k] = "yes" if c[k] is True else str(c[k])
    return out


def torch_version():
    m = re.search(r"^torch==(\S+)", (HERE / "requirements.txt").read_text(), re.M)
    return m.group(1)


# --- running one case -----------------------------------------------------------------------------


def candidates(inputs, wanted):
    """Layouts that say something new about these generated inputs, of those wanted."""
    if not inputs or not wanted:
        return []
    out = ["offset", "strided"]
    if any(len(s) >= 2 for s in inputs):
        out.append("transposed")
    if any(n > 1 for s in inputs for n in s) and not any(math.prod(s) == 0 for s in inputs):
        out.append("expanded")
    if any(len(s) == 4 for s in inputs):
        out.append("channels_last")
    return [v for v in out if wanted is True or v in wanted]


def as_by_itself(heard, program, variant):
    """PyTorch takes some other ways while a mode listens (masked_fill in a gradient): layouts are those of
    a run by itself, and what else is told must be the same."""
    from program import Refused
    alone = program.run(variant)
    for s, a in zip(heard.seen, alone.seen):
        if (s.name, s.dtype, s.shape, s.value, s.error) != (a.name, a.dtype, a.shape, a.value, a.error) or \
                (s.class_ == "exact" and s.bits != a.bits):
            raise Refused(f"{s.name}: PyTorch gives another result while it is listened to")
        s.strides = a.strides
    if len(heard.seen) != len(alone.seen):
        raise Refused("PyTorch's program ends elsewhere while it is listened to")
    return heard


def shadowed(program, variant, whole=False):
    """(Execution, Truth) of a shadowed run, with the families of lanes that it needs."""
    from truth import NeedFamily, Truth
    text = program.case.program
    guesses = [("wide",), ("low", "wide")] if "float64" in text or "double" in text \
        else [("low",), ("low", "wide")]
    for families in guesses:
        rank = f".{program.world.rank}" if program.world else ""
        mode = Truth(f"{program.case.id}#{variant}{rank}", families, whole)
        try:
            return as_by_itself(program.run(variant, mode, mode.calls), program, variant), mode
        except NeedFamily:
            continue
        except Exception as e:
            # A custom Function or hook may have carried it through the engine.
            if "NeedFamily" in repr(e) or isinstance(e.__cause__, NeedFamily):
                continue
            raise
    raise AssertionError("both families were there and one was missing")


def inside(seen, bits):
    """Largest |result - truth| / bound of `bits`; infinity where a result is no legal answer."""
    import numpy as np
    from program import values_of
    got = values_of(bits, seen.dtype)
    if got.size == 0:
        return 0.0, -1
    t, b = seen.truth, seen.bound
    same = (got == t) | (np.isnan(got) & np.isnan(t))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.where(same, 0.0, np.abs(got - t) / b)
    r = np.where(np.isnan(r), np.inf, r)
    at = int(np.argmax(r))
    return float(r[at]), at


def needed(seen, bits):
    """The least C with which `bits` would lie inside: what PyTorch itself asks for, element by element."""
    import numpy as np
    import torch
    from floats import half_ulp
    from program import values_of
    got, (dev, own) = values_of(bits, seen.dtype), seen.parts
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.abs(got - seen.truth)
        top = np.where(np.isfinite(off), np.maximum(np.abs(got), np.abs(seen.truth)), 0.0)
        rest = off - own - half_ulp(top, getattr(torch, seen.dtype))
        return np.where(np.isfinite(off) & (dev > 0), np.maximum(rest, 0) / dev, 0.0)


def trivial_passes(e):
    """Whether zeros, the first input unchanged, or the answer shifted by one element meet every expectation
    of elements (results/S5)."""
    judged = [s for s in e.seen if s.class_ in ("exact", "bound") and math.prod(s.shape)]

    def passes(s, bits):
        return bits == s.bits if s.class_ == "exact" else inside(s, bits)[0] <= 1
    if not judged or all(passes(s, bytes(len(s.bits))) for s in judged):
        return bool(judged)
    moved = [s for s in judged if not constant(s)]  # of one value all over a shift is the answer itself
    if moved and all(passes(s, shifted(s)) for s in moved):
        return True
    if e.first is None or e.first[0]._version:
        return False
    return all((s.dtype, tuple(s.shape)) == (e.first[1], tuple(e.first[2])) and passes(s, e.first[3])
               for s in judged)


def constant(s):
    from program import values_of
    v = values_of(s.bits, s.dtype) if s.class_ == "exact" else s.truth
    return bool(((v == v[0]) | ((v != v) & (v[0] != v[0]))).all())


def shifted(s):
    """The right elements, each one place too early."""
    import numpy as np
    import torch
    from program import bits_of
    if s.class_ == "exact":
        size = len(s.bits) // math.prod(s.shape)
        return s.bits[size:] + s.bits[:size]
    return bits_of(torch.from_numpy(np.roll(s.truth, -1)).to(getattr(torch, s.dtype)))


def check_inside(seen, bits, where):
    from program import Refused, values_of
    used, at = inside(seen, bits)
    if seen.parts is not None:
        seen.needs = needed(seen, bits)
    if used > 1:
        raise Refused(f"{where}{seen.name}[{at}]: PyTorch's {values_of(bits, seen.dtype)[at]:.9g} "
                      f"lies {used:.3g} bounds off the truth {seen.truth[at]:.9g} "
                      f"(bound {seen.bound[at]:.3g})")
    return used


def same_case(a, b):
    return [(s.name, s.class_ or "", s.error) for s in a] == \
        [(s.name, s.class_ or "", s.error) for s in b]


def run_case(c, path, ops=None, world=None):
    """{"needs", "variants": {variant: [Seen]}} or Refused. world: this process is a rank of it."""
    import case_language as lang
    from program import Program, Refused
    try:
        program = Program(parsed(c, path), ops, world=world)
    except lang.CaseError as e:
        raise Refused(str(e)) from None
    if c["provenance"] == "documented" and c["ranks"]:
        return {"needs": c["needs"], "variants": {"base": []}, "ran": False}
    if c["provenance"] in ("run-standin", "documented"):
        if "expect" not in c["program"]:
            raise Refused("the case expects nothing")
        e = program.run(device="cuda") if c["provenance"] == "run-standin" else \
            program.run(trust=True)
        return {"needs": {"accel"} | c["needs"], "variants": {"base": e.seen}}
    base, mode = shadowed(program, "base", c.get("whole", False))
    if c.get("maybe") and trivial_passes(base):
        c["trivial"] = c["maybe"]
    if not base.seen and "expect" not in c["program"]:
        raise Refused("the case expects nothing")
    for s in base.seen:
        if s.class_ == "bound":
            s.used = check_inside(s, s.bits, "")
    found = {"base": base.seen}
    layouts = candidates(base.inputs, c["variants"])
    if world:
        every = world.share(layouts)
        layouts = [v for v in layouts if all(v in e for e in every)]
    for variant in layouts:
        try:
            if variant == "expanded":
                e, _ = shadowed(program, variant, c.get("whole", False))
            else:
                e = program.run(variant)
        except lang.CaseError:
            raise
        except Exception:
            continue  # not legal: PyTorch, or a claim about this layout, says so
        if variant == "expanded":
            if not same_case(e.seen, base.seen):
                continue
            try:
                for s in e.seen:
                    if s.class_ == "bound":
                        s.used = check_inside(s, s.bits, "expanded: ")
            except Refused:
                raise
            found[variant] = e.seen
            continue
        if [(s.name, s.error) for s in e.seen] != [(s.name, s.error) for s in base.seen]:
            continue
        legal = True
        for s, b in zip(e.seen, base.seen):
            if b.class_ not in ("bound", "exact"):
                s.class_ = b.class_
                continue
            s.class_, s.truth, s.bound = b.class_, b.truth, b.bound
            same = (s.dtype, s.shape) == (b.dtype, b.shape) and \
                (s.bits == b.bits if b.class_ == "exact" else inside(b, s.bits)[0] <= 1)
            if not same:
                if mode.trace & {"as_strided", "set", "is_set_to"}:
                    legal = False  # the program reads between the strides
                    break
                if b.class_ == "bound" and (s.dtype, s.shape) == (b.dtype, b.shape):
                    check_inside(b, s.bits, f"{variant}: ")
                raise Refused(f"{variant}: {s.name}: PyTorch's result depends on the layout")
        if legal:
            found[variant] = e.seen
    return {"needs": mode.needs | c["needs"], "variants": found}


# --- several ranks --------------------------------------------------------------------------------


def rank_main(where):
    """One rank of a world, asked by Ranks."""
    rank, size, port = (int(n) for n in where.split("/"))
    os.environ["TORCH_CPP_LOG_LEVEL"] = "FATAL"
    prepare()
    from program import MODULES, Program
    from ranks import serve
    world = next(m for m in MODULES if hasattr(m, "World")).World(rank, size, port)
    pages = {}

    def answer(page, cid, variants):
        if page not in pages:
            pages[page] = {c["id"]: c for c in load(page)}
        c, path = pages[page][cid], (HERE / "cases" / f"{page}.py").relative_to(ROOT)
        world.start(cid)
        if variants is None:
            return run_case(c, path, world=world)
        program = Program(parsed(c, path), world=world)
        return {v: [(s.name, s.bits, s.value) for s in program.run(v).seen] for v in variants}

    return serve(answer)


class Worlds:
    """Ranks by their number, started when first asked for."""

    def __init__(self, env=None):
        self.env, self.known = env or dict(os.environ), {}

    def ask(self, size, *request):
        from ranks import Ranks
        if size not in self.known:
            self.known[size] = Ranks([str(PYTHON), str(HERE / "generate.py")], size, self.env)
        return self.known[size].ask(request)

    def close(self):
        for r in self.known.values():
            r.close()


def compare_native_ranks(results, sizes):
    """As `found` of native_main, for the cases that `sizes` gives a number of ranks."""
    worlds, found = Worlds(native_environment()), {}
    for page, cases in results.items():
        for cid in cases:
            if cid not in sizes:
                continue
            variants = list(cases[cid]["variants"])
            try:
                answers = worlds.ask(sizes[cid], page, cid, variants)
            except RuntimeError as e:
                found.update({(cid, v): str(e) for v in variants})
                continue
            for v in variants:
                found[cid, v] = [s for a in answers for s in a[v]]
    worlds.close()
    return found


# --- the second look: the processor's own settings ------------------------------------------------


def native_main(pages):
    """Real runs only, under whatever the processor brings; pickled to stdout for compare_native."""
    sys.path[:0] = [str(HERE), str(ROOT / "conformance" / "script")]
    import torch
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    from program import Program
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    jobs = pickle.load(sys.stdin.buffer)
    found = {}
    for page, legal in jobs.items():
        path = HERE / "cases" / f"{page}.py"
        for c in load(page):
            if c["id"] not in legal:
                continue
            try:
                program = Program(parsed(c, path))
            except Exception:
                continue
            for variant in legal[c["id"]]:
                try:
                    e = program.run(variant)
                except Exception as error:
                    found[c["id"], variant] = repr(error)
                    continue
                found[c["id"], variant] = [(s.name, s.bits, s.value) for s in e.seen]
    pickle.dump(found, out)


def compare_native(results, sizes):
    """{case id: why} for results that hold only under the fixed settings."""
    jobs = {page: {cid: list(r["variants"]) for cid, r in cases.items()
                   if "accel" not in r["needs"] and r.get("ran", True)}
            for page, cases in results.items()}
    alone = {page: {cid: v for cid, v in cases.items() if cid not in sizes}
             for page, cases in jobs.items()}
    p = subprocess.run([str(PYTHON), str(HERE / "generate.py"), "--native"],
                       input=pickle.dumps(alone), stdout=subprocess.PIPE,
                       env=native_environment(), check=True)
    found = pickle.loads(p.stdout)
    found.update(compare_native_ranks(
        {page: {cid: results[page][cid] for cid in cases if cid in sizes}
         for page, cases in jobs.items()}, sizes))
    refused = {}
    for page, cases in results.items():
        for cid in jobs[page]:
            for variant, seen in cases[cid]["variants"].items():
                got = found.get((cid, variant))
                if not isinstance(got, list):
                    refused[cid] = f"{variant}: native settings: {got}"
                    continue
                for s, (name, bits, value) in zip(seen, got):
                    if s.class_ == "value" and value != s.value:
                        refused[cid] = (f"{variant}: {name}: {s.value} in one run, {value} in "
                                        "another")
                    elif s.class_ == "exact" and bits != s.bits:
                        refused[cid] = (f"{variant}: {name}: exact by the rules, yet PyTorch's "
                                        "bits depend on the processor")
                    elif s.class_ == "bound":
                        used, at = inside(s, bits)
                        if used > 1:
                            refused[cid] = (f"{variant}: {name}[{at}]: under native settings "
                                            f"PyTorch lies {used:.3g} bounds off the truth")
    return refused


# --- writing --------------------------------------------------------------------------------------


SAFETENSORS = {"float64": "F64", "float32": "F32", "bfloat16": "BF16", "float16": "F16",
               "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "int64": "I64",
               "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL"}
WIDTH = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "bfloat16": 2, "float16": 2,
         "int16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1, "int8": 1, "uint8": 1, "bool": 1}


class Store:
    """The flat tensors of one page; equal runs of elements are kept once."""

    def __init__(self):
        self.flat, self.known = {}, {}

    def add(self, parts):
        """parts: {name: (dtype, bytes)} of equally many elements; the index of the first."""
        name, (dtype, raw) = next(iter(parts.items()))
        if not raw:
            return 0
        key = tuple((n, r) for n, (_, r) in parts.items())
        if key not in self.known:
            self.known[key] = len(self.flat.get(name, (0, b""))[1]) // WIDTH[dtype]
            for n, (d, r) in parts.items():
                self.flat.setdefault(n, (d, bytearray()))[1].extend(r)
        return self.known[key]

    def to_bytes(self):
        header, data = {"__metadata__": {"format": "touchstone golden 1"}}, b""
        for name, (dtype, raw) in sorted(self.flat.items(),
                                         key=lambda i: (-WIDTH[i[1][0]], i[0])):
            header[name] = {"dtype": SAFETENSORS[dtype], "shape": [len(raw) // WIDTH[dtype]],
                            "data_offsets": [len(data), len(data) + len(raw)]}
            data += bytes(raw)
        text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
        text += b" " * (-len(text) % 8)
        return len(text).to_bytes(8, "little") + text + data


def record(s, store, variant):
    import numpy as np
    from casefile import digest
    from floats import bound_codes
    r = {"name": s.name, "class": s.class_}
    if s.class_ == "value":
        r["value"] = s.value
    elif s.class_ == "error":
        r["error"] = s.error
    else:
        r.update(dtype=s.dtype, shape=list(s.shape), strides=list(s.strides))
        if s.class_ == "exact" and math.prod(s.shape) > KEPT:
            r.update({"class": "digest", "digest": digest(s.bits)})
        elif s.class_ == "exact":
            r["at"] = store.add({f"exact.{s.dtype}": (s.dtype, s.bits)})
        else:
            r["at"] = store.add({"truth": ("float64", s.truth.astype("<f8").tobytes()),
                                 "bound": ("int16", bound_codes(s.bound).tobytes())})
            if variant in ("base", "expanded"):
                r["used"] = s.used
    if variant != "base":
        r["variant"] = variant
    return r


def differs(s, b):
    """Whether a variant's record says something that the base record does not."""
    if s.class_ in ("value", "error"):
        return (s.value, s.error) != (b.value, b.error)
    if (s.dtype, s.shape, s.strides) != (b.dtype, b.shape, b.strides):
        return True
    if s.class_ == "exact":
        return s.bits != b.bits
    return s.truth is not b.truth and (s.truth.tobytes() != b.truth.tobytes() or
                                       s.bound.tobytes() != b.bound.tobytes())


def page_text(page, cases, results):
    """(<page>.cases, <page>.safetensors) as bytes."""
    from casefile import file_bytes
    from truth import C, K, SEED
    store, kept = Store(), []
    for c in cases:
        r = results.get(c["id"])
        if r is None:
            continue
        base = r["variants"]["base"]
        kept.append({"id": c["id"], "program": c["program"],
                     "headers": headers(c, r["needs"], [v for v in r["variants"] if v != "base"]),
                     "records": [record(s, store, variant)
                                 for variant, seen in r["variants"].items()
                                 for s, b in zip(seen, base)
                                 if variant == "base" or differs(s, b)]})
    data = store.to_bytes()
    made = {"torch": torch_version(), "c": C, "k": K, "seed": SEED}
    return file_bytes(page, made, data, kept), data


def write(path, data):
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(data)
    os.replace(temporary, path)


# --- checking -------------------------------------------------------------------------------------


def flat_tensors(data):
    import numpy as np
    from floats import bound_values
    n = int.from_bytes(data[:8], "little")
    head = json.loads(data[8:8 + n])
    out = {}
    for name, h in head.items():
        if name != "__metadata__":
            a, b = h["data_offsets"]
            out[name] = data[8 + n + a:8 + n + b]
    if "truth" in out:
        out["truth"] = np.frombuffer(out["truth"], "<f8")
        out["bound"] = bound_values(np.frombuffer(out["bound"], "<u2"))
    return out


def stated(text, page):
    """{case id: all that its file says of it but the share of a bound that PyTorch took}."""
    import case_language as lang
    return {c.id: (c.headers, c.program,
                   [{k: v for k, v in r.items() if k != "used"} for r in c.records])
            for c in lang.parse_cases(text, f"{page}.cases")}


def compare_page(page, old, new):
    """Complaints about freshly made (cases, data) against the committed ones."""
    import numpy as np
    a, b = (stated(c[0].decode(), page) for c in (old, new))
    for cid in list(a) + [c for c in b if c not in a]:
        if a.get(cid) != b.get(cid):
            return [f"{page}.cases: {cid} is regenerated differently"]
    a, b = flat_tensors(old[1]), flat_tensors(new[1])
    out = []
    for name in sorted(set(a) | set(b)):
        if name in ("truth", "bound"):
            continue
        if a.get(name) != b.get(name):
            out.append(f"{page}.safetensors: {name} is not the same byte for byte")
    if "truth" in a:
        x, y, bound = a["truth"], b["truth"], a["bound"]
        with np.errstate(invalid="ignore"):
            off = ~((np.abs(x - y) <= bound / 64) | (x == y) | (np.isnan(x) & np.isnan(y)))
        if off.any():
            i = int(np.argmax(off))
            out.append(f"{page}.safetensors: {off.sum()} truths moved, first at {i}: "
                       f"{x[i]:.17g} is now {y[i]:.17g}, bound {bound[i]:.3g}")
    return out


# --- the program ----------------------------------------------------------------------------------


def make_page(page, quiet, worlds):
    """(cases, {id: result}, {id: why refused}) of one page."""
    from program import Refused
    cases, results, refused = load(page), {}, {}
    path = (HERE / "cases" / f"{page}.py").relative_to(ROOT)
    started, ids = time.monotonic(), set()
    for n, c in enumerate(cases, 1):
        if c["id"] in ids:
            refused[c["id"] + " (again)"] = "the id stands twice"
            continue
        ids.add(c["id"])
        try:
            if (c["ranks"] or 1) > 1 and c["provenance"] != "documented":
                from ranks import merged
                results[c["id"]] = merged(worlds.ask(c["ranks"], page, c["id"], None))
            else:
                results[c["id"]] = run_case(c, path)
        except Refused as e:
            refused[c["id"]] = str(e)
        except Exception as e:
            refused[c["id"]] = f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
            if os.environ.get("TOUCHSTONE_TRACE"):
                import traceback
                traceback.print_exc()
        if not quiet and sys.stderr.isatty():
            rate = n / (time.monotonic() - started)
            print(f"\r{page}: {n}/{len(cases)} cases, {rate:.0f}/s, {len(refused)} refused ",
                  end="", file=sys.stderr, flush=True)
    if not quiet and sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return cases, results, refused


def prepare():
    """PyTorch as every run wants it."""
    sys.path[:0] = [str(HERE), str(ROOT / "conformance" / "script")]
    import torch
    if torch.__version__.split("+")[0] != torch_version():
        sys.exit(f"generate.py: PyTorch is {torch.__version__}, not {torch_version()}: "
                 "run golden/setup")
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    torch.use_deterministic_algorithms(True)


# put, which 2.15.0 refuses there whole, since it promises nothing of a place that is written twice.
REFUSED_WHERE_DETERMINISTIC = ("take",)


def work(pages, folder, quiet=False):
    """Make pages; write those into folder. {page: summary}."""
    prepare()
    import torch
    done, summaries, worlds = {}, {}, Worlds()
    for page in pages:
        started = time.monotonic()
        torch.use_deterministic_algorithms(True, warn_only=page in REFUSED_WHERE_DETERMINISTIC)
        done[page] = make_page(page, quiet, worlds)
        seconds = time.monotonic() - started
        if not quiet:
            print(f"{page}: {len(done[page][1])} cases in {seconds:.1f} s", file=sys.stderr)
        summaries[page] = {"seconds": seconds}
    worlds.close()
    torch.use_deterministic_algorithms(True, warn_only=bool(set(pages) & set(REFUSED_WHERE_DETERMINISTIC)))
    native = compare_native({p: r for p, (_, r, _) in done.items()},
                            {c["id"]: c["ranks"] for cases, _, _ in done.values() for c in cases
                             if (c["ranks"] or 1) > 1})
    for page, (cases, results, refused) in done.items():
        for cid in list(results):
            if cid in native:
                refused[cid] = native[cid]
                del results[cid]
        text, data = page_text(page, cases, results)
        write(folder / f"{page}.cases", text)
        write(folder / f"{page}.safetensors", data)
        bound = {cid: [s.used for seen in r["variants"].values() for s in seen
                       if s.class_ == "bound" and s.dtype != "float64" and s.bound.any()]
                 for cid, r in results.items()}
        summaries[page].update(
            cases=len(results), refused=refused,
            executions=sum(len(r["variants"]) for r in results.values()),
            bytes=len(text) + len(data),
            used=max(((max(u), cid) for cid, u in bound.items() if u), default=(0, "")),
            idle=[f"{cid} {s.name}" for cid, r in results.items()
                  for s in r["variants"]["base"] if s.class_ == "bound" and zeros_pass(s)],
            needs=[(cid, s.needs.astype("f4")) for cid, r in results.items()
                   for s in r["variants"]["base"] if s.needs is not None],
            slack=[cid for cid, u in bound.items() if u and 0 < max(u) < 0.001])
    return summaries


def zeros_pass(s):
    """Whether an answer of zeros would be accepted though the truth is none."""
    import numpy as np
    return bool(s.truth.any()) and bool((np.abs(s.truth) <= s.bound).all())


def spread(pages, folder, jobs):
    """The same in `jobs` processes; pages that want the stand-in in one of their own."""
    out, running = {}, []
    over = [p for p in pages if any(c["provenance"] == "run-standin" for c in load(p))]
    pages = [p for p in pages if p not in over]
    size = lambda p: -len(load(p))  # noqa: E731
    shares = [sorted(pages, key=size)[i::jobs] for i in range(jobs)]
    plain, standin = dict(os.environ), {**os.environ, **STANDIN}
    if over and not Path(STANDIN["LD_PRELOAD"]).exists():
        sys.exit("generate.py: golden/standin is not built: run golden/setup first")
    if jobs <= 1 and pages:
        out, shares = work(pages, folder), []
    for share, env in [(s, plain) for s in shares if s] + ([(over, standin)] if over else []):
        running.append(subprocess.Popen(
            [str(PYTHON), str(HERE / "generate.py"), "--worker", str(folder), *share],
            stdout=subprocess.PIPE, env=env))
    for p in running:
        raw = p.communicate()[0]
        if p.returncode:
            sys.exit(f"generate.py: a worker ended with status {p.returncode}")
        out.update(pickle.loads(raw))
    return out


def tell_undecided(pages):
    """Have the judge measure which of the pages' cases no kernel decides: it stores that beside them."""
    judge = ROOT / "build" / "touchstone"
    command = [str(judge), "sensitivity", "--write", "--golden", str(HERE / "data"), *pages]
    if not judge.exists() or subprocess.run(command).returncode:
        print(f"to be run with a new judge: touchstone sensitivity --write {' '.join(pages)}")


def summary(found):
    cases = sum(s["cases"] for s in found.values())
    refused = [(cid, why) for s in found.values() for cid, why in s["refused"].items()]
    seconds = sum(s["seconds"] for s in found.values())
    for cid, why in refused:
        print(f"refused {cid}: {why}")
    slack = [cid for s in found.values() for cid in s["slack"]]
    if slack:
        print(f"{len(slack)} cases use less than 0.001 of their bound (is the error model too "
              f"generous?): {' '.join(slack[:8])}{' …' if len(slack) > 8 else ''}")
    idle = [x for s in found.values() for x in s["idle"]]
    if idle:
        print(f"{len(idle)} expectations that zeros would pass (the truth drowns in its bound): "
              f"{', '.join(idle[:8])}{' …' if len(idle) > 8 else ''}")
    used, cid = max((s["used"] for s in found.values()), default=(0, ""))
    print(f"{cases} cases, {sum(s['executions'] for s in found.values())} executions, "
          f"{sum(s['bytes'] for s in found.values()) / 1e6:.2f} MB, "
          f"{cases / max(seconds, 1e-9):.0f} cases/s; largest used fraction of a bound: "
          f"{used:.3g}{' in ' + cid if cid else ''}")
    needs = [n for s in found.values() for n in s["needs"]]
    if needs:
        import numpy as np
        every = np.concatenate([a for _, a in needs])
        every = every[every > 0]
        cid = max(needs, key=lambda n: n[1].max(initial=0))[0]
        if every.size:
            print(f"deviations that PyTorch asks for, where the last store alone does not explain it: "
                  f"99 % of {every.size} elements {np.percentile(every, 99):.2f}, 99.9 % "
                  f"{np.percentile(every, 99.9):.2f}, all {every.max():.2f} in {cid}")
    if os.environ.get("TOUCHSTONE_NEEDS"):
        pickle.dump(needs, open(os.environ["TOUCHSTONE_NEEDS"], "wb"))
    print(f"{cases} passed, {len(refused)} refused")
    return 1 if refused else 0


def main(argv):
    parser = argparse.ArgumentParser(
        prog="generate.py", description="Make golden data from golden/cases/ with the pinned "
        "PyTorch. Exit status 1 when a case is refused or --check finds a difference.")
    parser.add_argument("pages", metavar="PAGE", nargs="*", help="pages to make (default: all)")
    parser.add_argument("--check", action="store_true",
                        help="make them in a temporary folder and compare with golden/data")
    parser.add_argument("--list", action="store_true", help="print the case ids and stop")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--rank", metavar="R/N/PORT", help=argparse.SUPPRESS)
    parser.add_argument("--native", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--worker", metavar="FOLDER", help=argparse.SUPPRESS)
    a = parser.parse_args(argv)
    mode = settle(argv)
    if a.rank:
        return rank_main(a.rank)
    if a.native or mode == "native":
        return native_main(a.pages)
    sys.path[:0] = [str(HERE), str(ROOT / "conformance" / "script")]
    if a.worker:
        out = sys.stdout.buffer
        sys.stdout = sys.stderr
        out.write(pickle.dumps(work(a.pages, Path(a.worker), quiet=True)))
        return 0
    data = HERE / "data"
    data.mkdir(exist_ok=True)
    pages = a.pages or all_pages()
    if a.list:
        for page in pages:
            for c in load(page):
                print(c["id"])
        return 0
    if not a.check:
        status = summary(spread(pages, data, a.jobs))
        import ladder
        for page in pages:
            ladder.keep(page)
        tell_undecided(pages)
        return status
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        status = summary(spread(pages, folder, a.jobs))
        wrong = []
        for page in pages:
            files = [f"{page}.cases", f"{page}.safetensors"]
            if not all((data / f).exists() for f in files):
                wrong.append(f"{page}: no data under golden/data")
                continue
            wrong += compare_page(page, [(data / f).read_bytes() for f in files],
                                  [(folder / f).read_bytes() for f in files])
    for w in wrong:
        print(f"different {w}")
    print(f"{len(pages)} pages checked, {len(wrong)} differences")
    return 1 if status or wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
