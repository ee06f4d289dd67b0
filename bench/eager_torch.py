# SPDX-License-Identifier: Apache-2.0
"""PyTorch's half of bench/eager.py: the same calls, from its C++ interface and from Python.

usage: eager_torch.py program FOLDER   compile the C++ program into FOLDER, print its path
       eager_torch.py about            PyTorch's version and thread count, as JSON
       eager_torch.py serve            the calls from Python: answer "ROW TIMES" with ns a call

The C++ program is one translation unit made from the statements below; it is compiled with the
headers and linked with the libraries of the PyTorch that this interpreter imports, and answers the
same lines as `eager --serve`. Its loop is that of torch.utils.benchmark.Timer(language="c++"), with
one compilation for all rows and a clock that counts this thread alone.
"""
import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

# row -> (key, name, guard, C++ statement) of each peer, and the Python statement.
PLAIN, BELOW, INFERENCE = "", "at::AutoDispatchBelowAutograd guard;", "c10::InferenceMode guard;"


def guarded(row, statement):
    return [(row, "C++", PLAIN, statement),
            (f"{row}_below", "C++ below autograd", BELOW, statement),
            (f"{row}_inference", "C++ inference mode", INFERENCE, statement)]


ROWS = {
    # checks and metadata like ours, then nothing to do; and the bare dispatcher, which has neither
    "empty": ([("empty", "C++, add out= of no elements", PLAIN,
                "at::add_out(s.none[0], s.none[1], s.none[2]);"),
               ("hollow", "C++, operator with an empty kernel", PLAIN, "hollow(s.a, s.b, s.out);")],
              "torch.add(none[1], none[2], out=none[0])"),
    "add_out": (guarded("add_out", "at::add_out(s.out, s.a, s.b);"), "torch.add(a, b, out=out)"),
    "add": (guarded("add", "at::add(s.a, s.b);"), "torch.add(a, b)"),
    "view": (guarded("view", "s.a.view({4, s.n / 4});"), "a.view(4, n4)"),
    "mul_grad": ([("mul_grad", "C++", PLAIN, "at::mul(s.leaf, s.b);")], "torch.mul(leaf, b)"),
    "mul_backward": ([("mul_backward", "C++", PLAIN,
                       "at::mul(s.leaf, s.b).backward(s.seed); s.leaf.mutable_grad().reset();")],
                     "torch.mul(leaf, b).backward(seed); leaf.grad = None"),
}

PROGRAM = r"""
// PyTorch %(version)s
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/library.h>

#include <cstdio>
#include <cstring>
#include <ctime>

namespace {

at::Tensor &hollow_kernel(const at::Tensor &, const at::Tensor &, at::Tensor &out)
{
    return out;
}

TORCH_LIBRARY(touchstone_bench, m)
{
    m.def("hollow(Tensor a, Tensor b, *, Tensor(a!) out) -> Tensor(a!)");
}

TORCH_LIBRARY_IMPL(touchstone_bench, CPU, m)
{
    m.impl("hollow", hollow_kernel);
}

TORCH_LIBRARY_IMPL(touchstone_bench, Autograd, m)
{
    m.impl("hollow", torch::CppFunction::makeFallthrough());
}

at::Tensor &hollow(const at::Tensor &a, const at::Tensor &b, at::Tensor &out)
{
    static const auto op =
        c10::Dispatcher::singleton()
            .findSchemaOrThrow("touchstone_bench::hollow", "")
            .typed<at::Tensor &(const at::Tensor &, const at::Tensor &, at::Tensor &)>();

    return op.call(a, b, out);
}

struct state {
    int64_t n;
    at::Tensor a, b, out, leaf, seed, none[3];

    explicit state(int64_t n) : n(n)
    {
        const at::Tensor wave = at::arange(n, at::kFloat).sin();

        a = wave + 1;
        b = wave + 2;
        out = at::zeros({n});
        seed = wave + 4;
        leaf = wave + 3;
        if (!c10::InferenceMode::is_enabled())
            leaf.requires_grad_();
        for (at::Tensor &t : none)
            t = at::empty({0});
    }
};

double now()
{
    timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

%(loops)s
void check(int64_t n)
{
    state s(n);

    at::add_out(s.out, s.a, s.b);
    at::mul(s.leaf, s.b).backward(s.seed);
    TORCH_CHECK(at::equal(s.out, s.a + s.b) && at::equal(s.leaf.grad(), s.seed * s.b));
}

} // namespace

// Apart and by name, for tools that count what happens in it.
extern "C" __attribute__((noinline)) void bench_loop(void (*loop)(state &s, long times), state &s,
                                                     long times)
{
    loop(s, times);
}

namespace {

double timed(void (*loop)(state &s, long times), state &s, long times)
{
    double start;

    bench_loop(loop, s, times / 10 + 1);
    start = now();
    bench_loop(loop, s, times);
    return (now() - start) / (double)times;
}

double row(const char *key, int64_t n, long times)
{
%(rows)s
    return -1;
}

} // namespace

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 16;
    char key[64];
    long times;

    at::set_num_threads(1);
    check(n);
    if (argc > 3) {
        std::printf("%%.1f\n", row(argv[2], n, atol(argv[3])));
        return 0;
    }
    std::printf("compiler %%s\n", __VERSION__);
    std::fflush(stdout);
    while (std::scanf("%%63s %%ld", key, &times) == 2) {
        std::printf("%%.4f\n", row(key, n, times));
        std::fflush(stdout);
    }
    return 0;
}
"""


def source(version):
    loops, rows = [], []
    for peers, _ in ROWS.values():
        for key, _, guard, statement in peers:
            loops.append(f"__attribute__((noinline)) void loop_{key}(state &s, long times)\n"
                         f"{{\n    for (long i = 0; i < times; i++) {{\n        {statement}\n"
                         f"    }}\n}}\n")
            rows.append(f'    if (std::strcmp(key, "{key}") == 0) {{\n        {guard}\n'
                        f"        state s(n);\n\n"
                        f"        return timed(loop_{key}, s, times);\n    }}")
    return PROGRAM.lstrip() % {"version": version, "loops": "\n".join(loops),
                               "rows": "\n".join(rows)}


def program(folder):
    import torch

    folder, home = Path(folder), Path(torch.__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    text, binary = folder / "eager_torch.cpp", folder / "eager_torch"
    wanted = source(torch.__version__)
    if not binary.exists() or not text.exists() or text.read_text(encoding="utf-8") != wanted:
        print("eager_torch.py: compiling PyTorch's C++ calls, a minute", file=sys.stderr)
        binary.unlink(missing_ok=True)
        text.write_text(wanted, encoding="utf-8")
        command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-DNDEBUG",
                   f"-isystem{home}/include", f"-isystem{home}/include/torch/csrc/api/include",
                   text, "-o", binary, f"-L{home}/lib", "-Wl,--no-as-needed", "-ltorch_cpu",
                   "-lc10", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{home}/lib",
                   "-Wl,--unresolved-symbols=ignore-in-shared-libs"]
        subprocess.run(command, check=True)
    print(binary)


def serve(n):
    logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)  # no CUDA: no matter
    import torch
    from torch.utils import benchmark

    torch.set_num_threads(1)
    wave = torch.arange(n, dtype=torch.float32).sin()
    names = {"torch": torch, "a": wave + 1, "b": wave + 2, "out": torch.zeros(n),
             "leaf": (wave + 3).requires_grad_(), "seed": wave + 4, "n4": n // 4,
             "none": [torch.empty(0) for _ in range(3)]}
    timers = {row: benchmark.Timer(python, globals=names, timer=time.thread_time, num_threads=1)
              for row, (_, python) in ROWS.items()}
    torch.mul(names["leaf"], names["b"]).backward(names["seed"])
    if not torch.equal(names["leaf"].grad, names["seed"] * names["b"]):
        sys.exit("eager_torch.py: wrong gradient")
    print(f"Python {sys.version.split()[0]}", flush=True)
    for line in sys.stdin:
        row, times = line.split()
        print(f"{timers[row].timeit(int(times)).mean * 1e9:.4f}", flush=True)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "program":
        program(sys.argv[2])
    elif sys.argv[1:] == ["about"]:
        import torch
        print(json.dumps({"version": torch.__version__,
                          "capability": torch.backends.cpu.get_cpu_capability()}))
    elif len(sys.argv) == 3 and sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
