# SPDX-License-Identifier: Apache-2.0
"""The words of the language in C, in Python and on the page are those of the stubs.
usage: words.py DUMP, the interpreter's own answer to "what is this name"

A module's word without its C function does not compile; here the rest is held against the stubs.
"""
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "conformance" / "script"))
import case_language as lang  # noqa: E402
import vocabulary  # noqa: E402

PAGE = (ROOT / "spec/areas/case_language.md").read_text(encoding="utf-8")
STUBS = vocabulary.stubs()
WORDS = [w for s in STUBS for w in s.words]
number = failed = 0
# A value of each kind that a program comes by, as `o`, and where its words can be said.
START = """x = torch.ones(2, 2, requires_grad=True)
class F1(Function):
    @staticmethod
    def forward(ctx, a):
        {in_forward}
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
y = F1.apply(x)
def hook(g):
    return None
"""
VALUES = {"Tensor": "x", "finfo": "torch.finfo(torch.float32)", "iinfo": "torch.iinfo(torch.int8)",
          "dtype": "torch.int8", "device": 'torch.device("cpu")', "pair": "torch.sort(x)",
          "tuple": "(1, 2)", "list": "[1]", "GradFn": "y.grad_fn", "Function": "F1",
          "Handle": "y.register_hook(hook)"}
CALLS = {"tuple.numel": "()", "list.append": "(2)", "GradFn.name": "()", "Handle.remove": "()"}


def point(name, wrong=""):
    global number, failed
    number += 1
    failed += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    for line in str(wrong).splitlines():
        print(f"# {line}")


def differ(what, a, b):
    a, b = set(a), set(b)
    point(what, "\n".join([f"only in the first: {x}" for x in sorted(a - b)]
                          + [f"only in the second: {x}" for x in sorted(b - a)]))


def paragraph(start):
    return re.search(rf"^{start}.*?(?=\n\n)", PAGE, re.M | re.S)[0]


def spans(text):
    return [n for span in re.findall(r"`([^`]+)`", text) for n in span.split()]


def ask(dump, lines):
    out = subprocess.run([dump], input="\n".join(lines) + "\n", capture_output=True, text=True,
                         check=True).stdout
    return out.splitlines()


def main(dump):
    once = [w.full for w in WORDS if not w.owner]
    point("no bare word stands in two stubs",
          "\n".join(sorted({n for n in once if once.count(n) > 1})))
    point("every stub names its page", "\n".join(
        s.name for s in STUBS if not any(
            (ROOT / p).exists() for p in re.findall(r"spec/(?:areas|ops)/\w+\.md", s.about))))

    # C: each function and constant is known by its full name, each exception by its own.
    named = [w for w in WORDS if w.is_ in ("function", "constant", "error")]
    lacks = [f"{w.full}: {a}" for w, a in zip(named, ask(dump, [w.full for w in named]))
             if a != {"function": "word", "constant": "constant", "error": "error"}[w.is_]]
    point(f"the C interpreter knows {len(named)} names", "\n".join(lacks))
    programs, said = [], []
    for w in WORDS:
        value = VALUES.get(w.owner)
        if w.is_ not in ("attribute", "method") or w.owner not in VALUES and w.owner != "ctx":
            continue
        call = CALLS.get(w.full, "")
        programs.append(START.format(in_forward=f"v = ctx.{w.name}") if value is None else
                        START.format(in_forward="pass") + f"o = {value}\nv = o.{w.name}{call}\n")
        said.append(w)
    answers = ask(dump, ["run " + repr(p).replace("\\'", "'")[1:-1] for p in programs])
    point(f"the C interpreter has {len(said)} attributes and methods of its own values",
          "\n".join(f"{w.full}: {a}" for w, a in zip(said, answers) if a != "ok"))
    differ("every stub of values that no module makes is tried above",
           {w.owner for s in STUBS if s.name in ("objects", "tensor") for w in s.words},
           [*VALUES, "ctx"])
    none = ask(dump, ["torch.nosuch", "accel.nosuch", "nosuch",
                      "run x = torch.ones(2)\\nv = x.nosuch\\n"])
    point("and no others", "" if none[:3] == ["nothing"] * 3 and "no attribute" in none[3]
          else "\n".join(none))

    # Python: each is taken by the checker, in a program.
    refused = []
    for w in WORDS:
        program = f"f = {w.full}\n"
        if w.is_ in ("method", "attribute") or w.owner == "Tensor":
            program = f"x = 1\nf = x.{w.name}\n"
        case = lang.Case("words/x", "words", 1, program=program, program_line=1)
        try:
            lang.check(case)
        except lang.CaseError as e:
            refused.append(f"{w.full}: {e}")
    point(f"the Python twin takes {len(WORDS)} words", "\n".join(refused))
    dtypes = re.findall(r"^\w+\(\w+,\s*\"?(\w+)\"?",
                        (ROOT / "spec/include/touchstone/dtypes.def").read_text(), re.M)
    differ("dtypes: spec/include/touchstone/dtypes.def and the Python twin", dtypes, lang.DTYPES)

    # The page.
    differ("modules: the page and the stubs", [n for n in spans(paragraph("Modules: "))
                                               if n in lang.MODULES], lang.MODULES)
    builtins = re.search(r"expectations, `([^`]+)`, `Function`", PAGE)[1].split()
    differ("Python's words: the page and the stub", builtins, lang.BUILTINS)
    own = re.search(r"Attributes of tensors: (.*?)\. `ctx` takes", PAGE, re.S)[1]
    differ("tensors' own words: the page and the stub", spans(own),
           [w.name for w in WORDS if w.stub == "tensor"]
           + [w.name for w in WORDS if w.owner == "pair"])
    ctx = re.search(r"`ctx` takes any attribute, and has(.*?)\.\n", PAGE, re.S)[1]
    differ("ctx: the page and the stub", spans(ctx), [w.name for w in WORDS if w.owner == "ctx"])
    rows = re.findall(r"^\| `(\w+\([^`]*\))` \|", PAGE.split("## Generators")[1]
                      .split("## Layouts")[0], re.M)
    differ("generators with their arguments: the page and the stub", rows, [
        f"{w.name}({', '.join(p.name + (f'={p.default}' if p.default else '') for p in w.parameters)})"
        for w in WORDS if w.stub == "generators"])
    table = PAGE.split("## Expectations")[1].split("\n\nStrides")[0]
    differ("expectations: the page and the stub", re.findall(r"`(expect\w*)\(", table),
           lang.EXPECTATIONS)
    for title, have in (("Headers", lang.HEADERS), ("Layouts", lang.VARIANTS)):
        rows = re.findall(r"^\| (\w+) \|", PAGE.split(f"## {title}")[1].split("\n## ")[0], re.M)
        differ(f"{title.lower()}: the page and the Python twin",
               [r for r in rows if r not in ("key", "variant")], have)
    print(f"1..{number}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
