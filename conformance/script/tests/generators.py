# SPDX-License-Identifier: Apache-2.0
"""Every generator and dtype in C and in Python, bit by bit; layouts too. usage: generators.py DUMP

10**6 values each where NumPy is installed (Debian's python3-numpy; ./check installs it). Without it
pure Python makes the same bytes more slowly, and 5,000 values each are compared.
"""
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import case_language as lang  # noqa: E402

N = 1_000_000 if lang.np is not None else 5_000
FITS = {"bfloat16": 512, "float16": 4096, "float8_e4m3fn": 32, "float8_e5m2": 16, "int16": 65536,
        "int8": 256, "uint8": 256}
dump, number, failed = sys.argv[1], 0, 0


def point(name, same, why=""):
    global number, failed
    number += 1
    failed += not same
    print(f"{'ok' if same else 'not ok'} {number} - {name}")
    if not same and why:
        print(f"# {why}")


def compare(name, dtype, n, low="0", high="1", mix=None, seed=20_251_107):
    c = subprocess.run([dump, name, dtype, str(seed), str(n), str(low), str(high), mix or "-"],
                       capture_output=True, check=False)
    more = {"low": low, "high": high} if name in ("uniform", "integers") else {}
    try:
        py = lang.generate(name, seed, n, dtype if name not in ("bools", "permutation") else None,
                           mix=mix, **more)
    except (TypeError, ValueError) as e:
        py = None
        refusal = str(e)
    title = f"{name} {dtype} {n}" + (f" [{low}, {high})" if more else "") + (f" {mix}" if mix
                                                                            else "")
    if py is None:
        point(title + " is refused", c.returncode == 1, f"Python only: {refusal}")
        return
    if c.returncode:
        point(title, False, f"C refuses: {c.stderr.decode().strip()}")
        return
    where = next((i for i in range(min(len(py), len(c.stdout))) if py[i] != c.stdout[i]), None) \
        if py != c.stdout else None
    point(title, py == c.stdout, f"{len(py)} and {len(c.stdout)} bytes, first difference {where}")


for dt in lang.FLOATS:
    compare("normal", dt, N)
    compare("uniform", dt, N)
    compare("uniform", dt, N // 10, -3.75, 1e3)
    for mix in ("nan", "inf", "zero", "subnormal", "extreme", "tie", "special", "none"):
        compare("normal", dt, N if mix == "special" else 1000, mix=mix)
for dt in lang.DTYPES:
    compare("integers", dt, N, 0, 10)
    compare("integers", dt, N // 10, *{"uint8": (0, 256), "bool": (0, 2)}.get(dt, (-128, 128)))
    for mix in ("zero", "extreme", "special", "tie"):
        compare("integers", dt, N if mix == "special" else 1000, 0, 10, mix=mix)
    compare("distinct", dt, min(N, FITS.get(dt, N)))
    compare("distinct", dt, min(N, FITS.get(dt, N - 2)) + 2)
    compare("normal", dt, 10, seed=2**64 - 1)
compare("integers", "int64", N, -(2**62), 2**62 - 1)
compare("integers", "int64", 10, -(2**63), 2**63 - 1)
compare("integers", "float32", 10, 0, 2**53 + 2)
compare("integers", "int8", 10, 0, 129)
compare("integers", "int8", 10, 5, 5)
compare("uniform", "float32", 10, 2.0, 1.0)
compare("bools", "bool", N)
compare("permutation", "int64", N)

for variant in lang.VARIANTS:
    for sizes in ((), (1,), (5,), (0,), (2, 3), (1, 4, 5), (2, 0, 3), (2, 3, 4, 5), (1, 1, 6, 1),
                  (2, 3, 0, 5), (3, 1, 2, 2, 2)):
        got = subprocess.run([dump, "layout", variant, *map(str, sizes)], capture_output=True,
                             text=True, check=True).stdout.split()
        want = lang.layout(variant, sizes)
        point(f"layout {variant} {sizes}", [int(v) for v in got] ==
              [*want.strides, want.offset, want.elements, lang.numel(want.sizes)], f"{got} {want}")
print(f"1..{number}")
sys.exit(failed > 0)
