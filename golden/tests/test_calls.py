#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every op with a kernel has a Call, each Call's programs are of the case language, and PyTorch runs
them on the ops that they say. The last needs golden/.venv; where that is missing it is skipped."""
import os
import sys
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent
PYTHON = GOLDEN / ".venv" / "bin" / "python"
sys.path[:0] = [str(GOLDEN), str(GOLDEN.parent / "conformance" / "script")]

try:
    import torch
except ImportError:
    torch = None
    if PYTHON.exists() and not os.environ.get("TOUCHSTONE_GENERATE"):
        os.execve(PYTHON, [str(PYTHON), *sys.argv], {**os.environ, "TOUCHSTONE_GENERATE": "fixed",
                                                     "OMP_NUM_THREADS": "1"})

import calls  # noqa: E402
import case_language as lang  # noqa: E402

FORMS = ("function", "in_place", "out")


def parsed(name, text):
    return lang.parse_cases(f"# case {name}\n{text}", "test_calls")[0]


def programs():
    """(page, call, id, text) of every call, dtype, choice, form and gradient."""
    for page, some in calls.all_calls().items():
        for call in some:
            for dt in calls.dtypes(call):
                for turn in range(calls.rows(call)):
                    for form in FORMS:
                        for grad in (False, True)[:1 + calls.differentiable(call, dt)]:
                            text = calls.program(call, dt, turn=turn, form=form, grad=grad, lead=(2,))
                            if text is not None:
                                yield page, call, f"{page}/{dt}/{call.title}_{form}_{turn}_{grad}", text


def missing():
    """The ops with a kernel that no call names."""
    named = {op for some in calls.all_calls().values() for c in some for op in (c.op, *c.reaches)}
    return sorted(set(calls.kernels()) - named)


def ran(name, text):
    """The aten ops that PyTorch runs the program on; no value is judged."""
    from program import Program
    from torch.utils._python_dispatch import TorchDispatchMode

    class Trace(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.ops = set()

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.ops.add(func._schema.name.split("::")[1].removesuffix("_"))
            return func(*args, **(kwargs or {}))
    program, trace = Program(parsed(name, text)), Trace()
    with trace:
        program.run()
    return trace.ops


# What aten calls otherwise than the op table.
ATEN = {"nll_loss_backward": ("nll_loss_backward", "nll_loss2d_backward")}


def main():
    failures, passed, reached = [], 0, {}
    failures += [f"{op}: an op with a kernel without a Call in golden/cases/{calls.kernels()[op]}.py"
                 for op in missing()]
    for page, call, name, text in programs():
        try:
            lang.compile_case(parsed(name, text))
            if torch is not None:
                reached.setdefault((page, call.title), (call, set()))[1].update(ran(name, text))
            passed += 1
        except Exception as e:
            failures.append(f"{name}: {type(e).__name__}: {str(e).splitlines()[0]}\n{text}")
    for (page, title), (call, ops) in reached.items():
        for op in call.reaches:
            if not ops & set(ATEN.get(op, (op,))):
                failures.append(f"{page}: {title} reaches no {op}: {' '.join(sorted(ops))}")
    for f in failures:
        print(f"FAIL {f}")
    print(f"{passed} passed, {len(failures)} failed" + (", 1 skipped" if torch is None else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
