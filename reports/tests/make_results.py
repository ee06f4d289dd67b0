# SPDX-License-Identifier: Apache-2.0
"""Results files with made-up cases, for testing the page at sizes no run has yet.

    make_results.py COUNT SEED OUT [BACKEND]

Same count and seed give the same file. The verdicts are fixed by position, so that a test can
know the counts: see `verdict_of`.
"""
import functools
import json
import math
import random
import sys

OPS = {"add": "L2", "cat": "L3", "layer_norm": "L2", "matmul": "L2", "softmax": "L2",
       "sort": "L3", "sum": "L2", "unary": "L2", "view": "L1", "where": "L2"}
DTYPES = ("float64", "float32", "bfloat16", "float16", "int64", "int32", "uint8", "bool")
SHAPES = ((4, 5), (8, 8), (3, 4, 6), (17,), (), (2, 3, 4, 5))
MANY_SHAPE = (3, 4)
CYCLE = {3: "FAIL", 11: "ERROR", 29: "TIMEOUT", 31: "UNSUPPORTED", 37: "NOT-CLAIMED",
         41: "RUNTIME", 43: "SKIP", 47: "MISTRUSTED", 53: "XFAIL", 59: "XPASS",
         61: "ASSISTED", 67: "NOT-RUN"}
BAD = ("FAIL", "ERROR", "TIMEOUT", "MISTRUSTED", "NOT-RUN", "XPASS")
REASONS = {
    "FAIL": "y: {n} elements outside the bound, worst {w:.1f} times at {at}",
    "ERROR": "the worker died of signal 11 (SIGSEGV)",
    "TIMEOUT": "no answer within 5.0 s; the worker was stopped",
    "UNSUPPORTED": "backend has no kernel for sort on {d}",
    "NOT-CLAIMED": "the manifest does not claim {d}",
    "RUNTIME": "no backend entry ran",
    "SKIP": "needs two devices, 1 is present",
    "MISTRUSTED": "zeros in place of the output would pass too",
    "XFAIL": "listed: rounding of the last step is under discussion",
    "XPASS": "listed as failing, but passes",
    "NOT-RUN": "three cases timed out",
    "ASSISTED": "exp ran on the reference",
}


def verdict_of(i, count):
    """One case of each verdict per 97, and 97 fewer failures when the file is large."""
    if count > 1000 and i % 970 >= 97:
        return "PASS"
    return CYCLE.get(i % 97, "PASS")


def number(x):
    return x if math.isfinite(x) else str(x)


def expectation(rng, name, dtype, shape, failing):
    numel = math.prod(shape)
    shown = min(numel, 4096 if failing else 64)
    floating = "float" in dtype
    expected = [rng.gauss(0, 1) if floating else rng.randrange(10) for _ in range(shown)]
    bound = [2.0 ** -22 * (1 + abs(e)) for e in expected]
    error = [rng.random() ** 3 * 0.8 for _ in range(shown)] if floating else [0] * shown
    if failing:
        for k in range(max(1, shown // 9)):
            error[(7 * k + 3) % shown] = 1.1 + rng.random() * 10 ** rng.randrange(0, 4)
    got = [e + r * b for e, r, b in zip(expected, error, bound)]
    if not floating:
        got = [round(e + r) for e, r in zip(expected, error)]
        error = [0 if g == e else math.inf for g, e in zip(got, expected)]
    if failing and floating and shown > 4:
        got[4], error[4] = math.nan, math.inf
    worst = max(range(shown), key=lambda k: error[k]) if shown else 0
    strides, step = [], 1
    for s in reversed(shape):
        strides.insert(0, step)
        step *= s
    out = {"name": name, "class": "bound" if floating else "exact",
           "passed": not failing, "dtype": dtype,
           "shape": list(shape), "strides": strides, "worst": number(error[worst]),
           "worst_at": worst, "expected": [number(v) for v in expected],
           "got": [number(v) for v in got], "error": [number(v) for v in error]}
    if floating:
        out["bound"] = bound
        out["used"] = rng.random() ** 2
    return out


@functools.cache
def one_of(seed, dtype, failing):
    """For large files, where making new numbers for every case would take most of the time."""
    return expectation(random.Random(seed), "y", dtype, MANY_SHAPE, failing)


def case(rng, i, count, shift):
    op = list(OPS)[i % len(OPS)]
    dtype = DTYPES[i // len(OPS) % len(DTYPES)]
    shape = SHAPES[i // 7 % len(SHAPES)] if count <= 1000 else MANY_SHAPE
    verdict = verdict_of(i + shift, count)
    special = ("dim0", "dim_last", "one_nan", "grad", "out")[i % 5] + f"_{i}"
    failing = verdict == "FAIL"
    if count <= 1000:
        y = expectation(rng, "y", dtype, shape, failing)
    else:
        y = one_of(i % 500, dtype, failing)
    program = (f'x = normal({i}, {shape}, torch.{dtype}, mix="nan")  # a NaN wins\n'
               f"for d in (0, -1):\n    y = torch.{op}(x, dim=d)\n"
               f'expect(y, "y")\nexpect_strides(y, {tuple(y["strides"])})\n')
    out = {"id": f"{op}/{dtype}/{special}", "page": op, "level": OPS[op],
           "rules": [f"{op}/S{1 + i % 4}", f"{op}/S{5 + i % 2}"], "verdict": verdict,
           "provenance": "documented" if i % 50 == 7 else "run-cpu@2.15.0",
           "ms": round(rng.random() * 2, 3), "executions": 1 + i % 6, "line": 3 + 9 * i,
           "file": f"{op}.cases", "dtype": dtype, "ops": [op] + ["t"] * (i % 3 == 0),
           "program": program,
           "reproduce": f"build/touchstone run --filter '^{op}/{dtype}/{special}$'",
           "expect": [y]}
    if verdict != "PASS":
        out["reason"] = REASONS[verdict].format(
            d=dtype, n=sum(isinstance(e, str) or e > 1 for e in y["error"]),
            w=float(y["worst"]), at=y["worst_at"])
    if verdict == "FAIL":
        out["variant"] = "transposed"
        out["reproduce"] += " --variant transposed"
    if special.startswith("out") and verdict == "PASS":
        out["expect"].append({"name": "raises", "class": "error", "expected": "IndexError",
                              "got": "IndexError: [softmax/C1] dim 2 out of range </script>"})
    return out


def main(count, seed, path, backend="cpu"):
    rng = random.Random(seed)
    totals = {"verdicts": {}, "provenance": {}, "levels": {}}
    executions = 0
    with open(path, "w", encoding="utf-8") as f:
        for i in range(count):
            c = case(rng, i, count, 0 if backend == "cpu" else 13)
            v, level = c["verdict"], totals["levels"].setdefault(c["level"], {})
            level[v] = level.get(v, 0) + 1
            totals["verdicts"][v] = totals["verdicts"].get(v, 0) + 1
            p = c["provenance"]
            totals["provenance"][p] = totals["provenance"].get(p, 0) + 1
            executions += c["executions"]
            f.write(json.dumps(c, separators=(",", ":")) + "\n")
        failed = sum(totals["verdicts"].get(v, 0) for v in BAD)
        seconds = executions / 61000
        f.write(json.dumps({"summary": {
            "passed": totals["verdicts"].get("PASS", 0), "failed": failed, "cases": count,
            "executions": executions, **totals, "seconds": seconds, "rate": 61000,
            "backend": backend, "backend_version": "0.1.0", "profile": "strict",
            "torch": "2.15.0"}}) + "\n")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
