# SPDX-License-Identifier: Apache-2.0
"""Random programs of the case language, for golden/fuzz.py.

A program grows by statements. Each runs at once under plain PyTorch, so that the next one knows what
there is: shapes, dtypes, who wants a gradient. One that PyTorch refuses becomes an `expect_error` with
the class that was raised. What a Session was given are plain statements; its `program()` adds what is
expected of them. So a shrunk list of statements makes a program of its own, with its own answers.
"""
import ast
import contextlib
import random
import re
import types
import warnings
from dataclasses import dataclass, replace

import torch

import calls
import case_language as lang
from models import beyond
from program import DTYPES, Execution, Names, storage

FLOAT, FLOAT8, INT = ("float64", "float32", "bfloat16", "float16"), \
    ("float8_e4m3fn", "float8_e5m2"), ("int64", "int32", "int16", "int8", "uint8")
DTYPE_WEIGHTS = {"float32": 34, "float64": 12, "bfloat16": 10, "float16": 10, "int64": 12, "int32": 5,
                 "int16": 4, "int8": 5, "uint8": 5, "bool": 7, "float8_e4m3fn": 2, "float8_e5m2": 2}
SIZES = {0: 3, 1: 10, 2: 18, 3: 22, 4: 16, 5: 9, 6: 4, 7: 4, 8: 3, 11: 2, 17: 2, 33: 1, 70: 0.5}
MIXES = ("nan", "inf", "zero", "subnormal", "extreme", "tie", "special")
NUMBERS = ("0", "1", "-1", "2", "3", "0.5", "-1.5", "0.1", "True", "False", "7", "-100", "200", "300",
           "1e10", "1e-30", "1e300", "9007199254740993", "-9223372036854775808", "torch.inf",
           "-torch.inf", "torch.nan", "-0.0", "65504.0", "70000")
CALM = ("nan", "inf", "zero", "subnormal", "tie")  # of these no sum overflows by its order
MAX_ELEMENTS = 600
PRODUCTS = ("matmul", "einsum", "scaled_dot_product_attention")
# Of a gradient and of one of these nothing is promised about the work behind it: how often it was written, whose view it
# is, or where in it.
FACTS = ("{}.requires_grad", "{}.is_leaf", "{}.storage_offset()", "{}.is_contiguous()",
         "{}._version", "{}._base is None")
OF_GRADIENTS = (*FACTS[:2], FACTS[3])
# What 2.15.0 refuses by an accident of its own: writing to the gradient of sgn and of what is like it; a fill of
# integers by what wants a gradient, where fill_ and copy_ take it.
ACCIDENT = re.compile("ZeroTensors are immutable|Autograd not support dtype")
PARTS = 16  # of a list of results that are looked at: the first ones and the last

# Refusals that depend on elements, when some may have been written: on meta, which has none, there are none.
MIDWAY = re.compile(r"ZeroDivisionError|[Ii]ndex.* out of (range|bounds)")
# A refusal that meta, which has no elements, does not share: there the call counts as a write.
UNSHARED = re.compile(r"cannot be converted to type .* without overflow|refer to a single memory location")


def weighted(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


@dataclass(frozen=True)
class Statement:
    """text: one statement. op: whom it is blamed on, "" where it only makes an input."""
    text: str
    op: str = ""


def names_in(text):
    """(names it binds, names it reads), of tensors."""
    bound, read = [], []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id not in lang.RESERVED:
            (bound if isinstance(node.ctx, ast.Store) else read).append(node.id)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read.append(node.target.id)
    return list(dict.fromkeys(bound)), list(dict.fromkeys(read))


def works_first(call):
    """Whether what is called, or an argument, is made by a call or a subscript, which may be what is refused."""
    given = [call.func, *call.args, *(k.value for k in call.keywords)]
    return any(isinstance(n, (ast.Call, ast.Subscript)) for a in given for n in ast.walk(a))


def refusal(text, error, n):
    """The lines that expect `text` to be refused."""
    node = ast.parse(text).body[0]
    value = getattr(node, "value", None)
    method = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and \
        isinstance(value.func.value, ast.Name) and value.func.value.id not in lang.RESERVED
    if isinstance(node, (ast.Assign, ast.Expr)) and isinstance(value, ast.Call) and not method and \
            not works_first(value) and not any(isinstance(t, (ast.Subscript, ast.Attribute)) for t in
                    getattr(node, "targets", ())):
        inside = [ast.unparse(a) for a in value.args] + \
            [f"{k.arg}={ast.unparse(k.value)}" for k in value.keywords]
        return [", ".join([f"expect_error({error}, None, {ast.unparse(value.func)}", *inside]) + ")"]
    _, read = names_in(text)
    if isinstance(node, ast.Assign) and not any(isinstance(t, (ast.Subscript, ast.Attribute))
                                                for t in node.targets):
        text = f"return {ast.unparse(value)}"
    body = "\n".join("    " + line for line in text.split("\n"))
    return [f"def f{n}({', '.join(read)}):", body,
            ", ".join([f"expect_error({error}, None, f{n}", *read]) + ")"]


class Session:
    """Statements that have run under plain PyTorch, one after the other."""

    def __init__(self):
        self.statements, self.lines, self.blame = [], [], {}
        program = types.SimpleNamespace(watch=False, world=None, data={}, case=None)
        self.env = Names(program, Execution("base"), None).globals()
        self.versions, self.shapes, self.born = {}, {}, {}   # of tensors; by which op
        self.tensors = {}   # name -> tensor, of those that are expected in the end
        self.products = set()  # storages that one of PRODUCTS has written to
        self.torn = False   # a backward was refused midway: who knows what it freed and added up
        self.errors = 0

    def close(self):
        torch.set_grad_enabled(True)

    def run(self, s):
        """None where it ran, else the class that it raised. A statement that reads what is not
        there is left out."""
        bound, read = names_in(s.text)
        if any(n not in self.env for n in read):
            return "NameError"
        if self.torn and differentiates(s):
            return "Exception"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(s.text, "case", "exec"), self.env)
        except Exception as e:
            error = next((c.__name__ for c in type(e).__mro__ if c.__name__ in lang.ERRORS), None)
            midway = writes(s) and (MIDWAY.search(str(e)) or UNSHARED.search(str(e)) and self.tells(s, read))
            changed = self.forget_changed()
            if error is None or midway or changed or ACCIDENT.search(str(e)) or self.unheard(e, read):
                return "Exception"
            self.torn = self.torn or differentiates(s)
            self.errors += 1
            self.statements.append(s)
            self.lines += refusal(s.text, error, len(self.statements))
            self.blame[f"error{self.errors}"] = s.op
            return error
        if self.left_open(s, bound, read):
            self.forget_changed()
            for n in bound:
                if n not in read:
                    self.env.pop(n, None)
            return "Exception"
        self.statements.append(s)
        self.lines += s.text.split("\n")
        for n in bound:
            if n not in read:  # else it was written to
                self.born[n] = s.op
            self.note(n, self.env[n], s)
        for n, t in self.tensors.items():
            written = t._version != self.versions.get(n, 0)
            if written and s.op:
                self.blame[key_of(n)] = s.op
            if s.op in PRODUCTS and (written or n.split("[")[0] in bound):
                self.products.add(storage(t))
            self.versions[n], self.shapes[n] = t._version, t.shape
        self.set_aside(bound)
        return None

    def set_aside(self, names):
        """Results of which 2.15.0 makes another thing when they are read on: a gradient that it knows to be zero,
        whose zeros have no sign; one with a history that goes nowhere, to a view that was made before its base wanted a
        gradient."""
        for n in names:
            t = self.tensors.get(n)
            astray = t is not None and n[0] in "gh" and goes_astray(t)
            if astray or t is not None and t._is_zerotensor():
                self.env.pop(n, None)
            if astray:
                self.tensors.pop(n)

    def left_open(self, s, bound, read):
        """Whether what ran is a cast that no page says anything of: of floats beyond an integer dtype's range."""
        if s.op not in ("to", "copy", "fill", "sum", "cumsum"):
            return False
        sources = [t for n, t in self.tensors.items() if n.split("[")[0] in read]
        made = [self.env[n] for n in bound if isinstance(self.env.get(n), torch.Tensor)]
        written = [t for n, t in self.tensors.items() if t._version != self.versions.get(n, 0)]
        return any(beyond(x, t.dtype) for x in sources for t in made + written)

    def tells(self, s, read):
        """Whether it would show that a call went through: a version that somebody saved, an out that was resized."""
        return any(t.requires_grad for t in self.tensors.values()) or \
            "out=" in s.text and len({t.shape for n, t in self.tensors.items() if n.split("[")[0] in read}) > 1

    def unheard(self, error, read):
        """Whether 2.15.0 takes a view for a leaf because nobody has looked at its grad_fn since its
        base was written to."""
        return "a leaf Variable that requires grad" in str(error) and \
            any(self.tensors[n]._is_view() and self.tensors[n].grad_fn is not None for n in read if n in self.tensors)

    def forget_changed(self):
        """Nothing is promised of what a refused call has written to: nobody looks at it again. Whether there was any."""
        changed = [n for n, t in self.tensors.items()
                   if (t._version, t.shape) != (self.versions.get(n, 0), self.shapes.get(n, t.shape))]
        for n in changed:
            t = self.tensors.get(n)
            if t is not None:
                for other in [o for o, u in self.tensors.items() if storage(u) == storage(t)]:
                    self.tensors.pop(other)
                    self.env.pop(other, None)
        return bool(changed)

    def note(self, name, value, s):
        if isinstance(value, torch.Tensor):
            self.tensors[name] = value
            self.blame[name] = s.op
        elif isinstance(value, (tuple, list)) and value and \
                all(isinstance(v, torch.Tensor) for v in value):
            for k, v in enumerate(value):
                if PARTS // 2 <= k < len(value) - PARTS // 2:
                    continue
                self.tensors[f"{name}[{k}]"] = v
                self.blame[f"{name}.{k}"] = s.op

    def expected(self):
        """(name, word) of the tensors that the program says something about: not of inputs that
        nobody has written to."""
        for name, t in self.tensors.items():
            word = key_of(name)
            if self.blame.get(word) or t._version or self.summed(t):
                yield word, name

    def summed(self, t):
        """Whether there is a sum of gradients to be looked at."""
        return t.is_leaf and t.grad is not None and not self.torn

    def program(self, only=None):
        """The text of the whole, with what is expected of every tensor; of those in `only` alone,
        where it is given."""
        lines, seen = list(self.lines), []
        inner = self.products | {storage(t) for n, t in self.tensors.items() if n[0] in "gh"}
        wanted = list(self.expected()) or [(n, n) for n in self.tensors if "[" not in n][-1:]
        for word, name in wanted:
            t = self.tensors[name]
            if only is not None and word not in only:
                continue
            lines.append(f'expect({name}, "{word}")')
            promised = OF_GRADIENTS if storage(t) in inner else FACTS
            facts = ", ".join(f.format(name) for f in promised)
            lines.append(f'expect_equal([{facts}], "{word}.facts")')
            if self.summed(t):
                lines.append(f'expect({name}.grad, "{word}.grad")')
            if seen:
                other = seen[-1] if len(seen) % 2 else seen[0]
                same = storage(self.tensors[other]) == storage(t)
                lines.append(f"expect_{'view' if same else 'copy'}_of({name}, {other})")
            seen.append(name)
        return "\n".join(lines) + "\n"


def goes_astray(t):
    """Whether some way through the history of t ends before it has reached a leaf."""
    todo, seen = [t.grad_fn], {None}
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        before = [n for n, _ in node.next_functions if n is not None]
        if not before and not hasattr(node, "variable"):
            return True
        todo += before
    return False


def writes(s):
    """Whether a call writes to what it is given."""
    node = ast.parse(s.text).body[0]
    return "out=" in s.text or "_(" in s.text or isinstance(node, ast.AugAssign) or \
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)


def differentiates(s):
    return "backward(" in s.text or "autograd.grad(" in s.text


def replayed(statements):
    """A Session of these statements."""
    s = Session()
    try:
        for statement in statements:
            s.run(statement)
    finally:
        s.close()
    return s


# --- making them up -------------------------------------------------------------------------------


class Maker:
    """One random program. `only`: ops to keep to, or nothing."""

    def __init__(self, seed, n, only=()):
        self.rng = random.Random(f"{seed}/{n}")
        self.session = Session()
        self.only = only
        self.count = 0
        self.dims = [weighted(self.rng, SIZES) for _ in range(3)]
        if sum(d > 16 for d in self.dims) > 1:
            self.dims[0] = 2
        self.dtype = weighted(self.rng, DTYPE_WEIGHTS)
        self.special = self.rng.random() < 0.25
        self.gradients = self.rng.random() < 0.55

    def name(self, stem="y"):
        self.count += 1
        return f"{stem}{self.count}"

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, values):
        return self.rng.choice(list(values))

    # --- what there is

    def all(self, want=lambda t: True):
        return [n for n, t in self.session.tensors.items() if n.split("[")[0] in self.session.env and want(t)]

    def get(self, name):
        return self.session.tensors[name]

    def any(self, want=lambda t: True):
        """The name of a tensor, later ones more often; a new one where there is none."""
        names = self.all(want)
        if not names or self.chance(0.12):
            return self.input()
        return self.rng.choices(names, range(1, len(names) + 1))[0]

    def shape(self):
        rank = weighted(self.rng, {0: 6, 1: 20, 2: 38, 3: 24, 4: 9, 5: 2, 6: 1})
        shape = [self.pick(self.dims) if self.chance(0.75) else weighted(self.rng, SIZES)
                 for _ in range(rank)]
        return self.fitted([1 if self.chance(0.08) else d for d in shape])

    @staticmethod
    def fitted(shape):
        shape = list(shape)
        while lang.numel(shape) > MAX_ELEMENTS:
            k = shape.index(max(shape))
            shape[k] = max(shape[k] // 2, 1)
        return tuple(shape)

    def some_dtype(self):
        return self.dtype if self.chance(0.6) else weighted(self.rng, DTYPE_WEIGHTS)

    def seed(self):
        return self.rng.randrange(1, 10000)

    def elements(self, shape, dt, mix=None):
        """An expression that makes them."""
        seed, shape = self.seed(), tuple(shape)
        if dt == "bool":
            return f"bools({seed}, {shape})"
        if mix is None and self.special and self.chance(0.5):
            mix = self.pick(MIXES)
        if dt in INT and mix not in ("zero", "extreme", "special") or self.chance(0.04):
            mix = None
        more = f', mix="{mix}"' if mix else ""
        if dt in INT:
            low, high = self.pick([(0, 4), (-5, 6), (-100, 128), (0, 2)])
            if dt == "uint8":
                low, high = max(low, 0), high
            return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{more})"
        if self.chance(0.12):
            low, high = self.pick([(0, 3), (-4, 5)])
            return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high})"
        if self.chance(0.15):
            return f"uniform({seed}, {shape}, torch.{dt}, low=0.25, high=4.0{more})"
        return f"normal({seed}, {shape}, torch.{dt}{more})"

    def calm(self, dt):
        """How to make an incoming gradient, whose sums do not overflow."""
        mix = self.pick(CALM) if self.special and self.chance(0.5) else None
        return lambda s: self.elements(s, dt, mix) if mix else \
            f"normal({self.seed()}, {tuple(s)}, torch.{dt})"

    def laid_out(self, shape, dt, make):
        """make(shape) through a view that has `shape` in another layout."""
        shape, rank = list(shape), len(shape)
        how = self.pick(("plain", "plain", "plain", "plain", "turned", "steps", "offset", "wide",
                         "last", "channels"))
        if how == "turned" and rank >= 2:
            order = list(range(rank))
            self.rng.shuffle(order)
            base = [0] * rank
            for to, source in enumerate(order):
                base[source] = shape[to]
            return f"{make(base)}.permute({', '.join(map(str, order))})"
        if how in ("steps", "offset") and rank:
            k = self.rng.randrange(rank)
            base = list(shape)
            index = [":"] * rank
            if how == "steps":
                base[k], index[k] = shape[k] * 2, self.pick(("::2", "1::2"))
            else:
                base[k], index[k] = shape[k] + 1, self.pick(("1:", ":-1"))
            if lang.numel(base) <= 2 * MAX_ELEMENTS:
                return f"{make(base)}[{', '.join(index)}]"
        if how == "wide" and rank and any(d > 1 for d in shape):
            base = [1 if self.chance(0.5) else d for d in shape]
            drop = self.rng.randrange(rank) if self.chance(0.3) else 0
            return f"{make(base[drop:] if all(b == 1 for b in base[:drop]) else base)}" \
                   f".expand({', '.join(map(str, shape))})"
        if how == "last" and rank < 5:
            return f"{make(shape + [2])}[..., {self.pick((0, 1))}]"
        if how == "channels" and rank == 4:
            n, c, h, w = shape
            return f"{make([n, h, w, c])}.permute(0, 3, 1, 2)"
        return make(shape)

    def input(self, shape=None, dt=None, make=None, grad=None):
        """A new tensor's name. make(shape): its elements, where it matters."""
        shape = self.shape() if shape is None else tuple(shape)
        dt = dt or self.some_dtype()
        text = self.laid_out(shape, dt, make or (lambda s: self.elements(s, dt)))
        wants = self.gradients and dt in FLOAT and self.chance(0.7) if grad is None else grad
        if wants and "float" in dt:
            text += ".requires_grad_()"
        name = self.name("x")
        if self.session.run(Statement(f"{name} = {text}")) is not None:
            name = self.name("x")
            self.session.run(Statement(f"{name} = {self.elements(shape, dt)}"))
        return name

    # --- arguments by their kind

    def number(self):
        return self.pick(NUMBERS) if self.chance(0.5) else str(self.rng.randrange(-3, 8))

    def int_dim(self, rank):
        r = max(rank, 1)
        if self.chance(0.04):
            return self.pick((r, -r - 1, r + 5))
        return self.rng.randrange(-r, r)

    def dims_list(self, rank):
        return [self.int_dim(rank) for _ in range(self.rng.randrange(0, min(rank, 3) + 1))]

    def companion(self, x):
        """A tensor that broadcasts with x, as a rule."""
        shape = tuple(self.get(x).shape)
        roll = self.rng.random()
        if roll < 0.5:
            def fits(t):
                try:
                    return lang.numel(torch.broadcast_shapes(t.shape, shape)) <= 4 * MAX_ELEMENTS
                except RuntimeError:
                    return False
            return self.any(fits)
        if roll < 0.56:
            return self.any()
        drop = self.rng.randrange(len(shape) + 1) if self.chance(0.3) else 0
        return self.input([1 if self.chance(0.25) else d for d in shape[drop:]])

    def index(self, shape, below, dt="int64"):
        high = max(below, 1) if self.chance(0.96) else below + 2
        low = 0 if self.chance(0.97) else -1
        seed = self.seed()
        return self.input(shape, dt, lambda s: f"integers({seed}, {tuple(s)}, torch.{dt}, "
                                               f"low={low}, high={high})", grad=False)

    def size_like(self, shape):
        """Sizes for view and reshape."""
        n = lang.numel(shape)
        roll = self.rng.random()
        if roll < 0.25 and len(shape) > 1:
            k = self.rng.randrange(len(shape) - 1)
            out = list(shape[:k]) + [shape[k] * shape[k + 1]] + list(shape[k + 2:])
        elif roll < 0.5:
            out = []
            for d in shape:
                divisors = [k for k in range(1, d + 1) if d % k == 0] or [d]
                k = self.pick(divisors)
                out += [k, d // k] if k else [d]
        elif roll < 0.65:
            out = list(shape)
            out.insert(self.rng.randrange(len(out) + 1), 1)
        elif roll < 0.75:
            out = [n]
        elif roll < 0.85 and n:
            k = self.pick([k for k in range(1, n + 1) if n % k == 0])
            out = [k, n // k]
        elif roll < 0.97:
            out = [d for d in shape if d != 1]
        else:
            out = list(self.shape())
        if out and self.chance(0.3):
            out[self.rng.randrange(len(out))] = -1
        return out

    def arguments(self, op, x):
        """Texts of the arguments after self, made up from the schema; None where it is not said how."""
        own = getattr(self, "args_" + op.name, None)
        if own is not None:
            return own(x)
        out = []
        rank = self.get(x).dim()
        for p in op.params[1:]:
            optional = p.default is not None or p.optional
            if optional and self.chance(0.5):
                out.append(None)
                continue
            if p.type == "tensor":
                out.append(self.number() if p.name in op.raw["number"] and self.chance(0.25)
                           else self.companion(x))
            elif p.type == "scalar":
                out.append(str(self.rng.randrange(-3, 8)) if p.name == "alpha" else self.number())
            elif p.type == "int":
                out.append(str(self.int_dim(rank)) if p.name.startswith("dim") or
                           p.name.endswith("dim") else str(self.rng.randrange(-2, 5)))
            elif p.type == "ints":
                out.append(self.pick((str(self.int_dim(rank)), str(tuple(self.dims_list(rank))),
                                      str(self.dims_list(rank)))) if p.name == "dim"
                           else str(list(self.shape())))
            elif p.type == "bool":
                out.append(self.pick(("True", "False")))
            elif p.type == "dtype":
                out.append("torch." + weighted(self.rng, DTYPE_WEIGHTS))
            elif p.type == "device":
                out.append(None)  # a program that names the cpu means another thing on meta
            elif p.type == "memory_format":
                out.append("torch." + self.pick(("contiguous_format", "preserve_format",
                                                 "channels_last")))
            elif p.type == "string" and p.name == "reduction":
                out.append(self.pick(("'none'", "'mean'", "'sum'", "'batchmean'")))
            elif p.type == "string":
                out.append(self.pick(("'none'", "'trunc'", "'floor'", "'tanh'", "None")))
            elif p.type == "float":
                out.append(self.pick(("1e-05", "0.1", "0.0")))
            else:
                return None
        return self.named(op, out)

    @staticmethod
    def named(op, values):
        """Values in the schema's order, None left out, as texts of a call."""
        out, keyword = [], False
        for p, v in zip(op.params[1:], values):
            if v is None:
                keyword = True
            else:
                out.append(f"{p.name}={v}" if keyword or p.keyword_only else v)
        return out

    def args_view(self, x):
        return [", ".join(map(str, self.size_like(self.get(x).shape))) or "[]"]

    def args_reshape(self, x):
        return [str(self.size_like(self.get(x).shape))]

    def args_expand(self, x):
        shape = [self.pick(self.dims) if d == 1 and self.chance(0.7) else -1 if self.chance(0.2) else d
                 for d in self.get(x).shape]
        if self.chance(0.4):
            shape = [self.pick(self.dims)] + shape
        return [str(list(self.fitted(shape) if -1 not in shape else shape))]

    args_broadcast_to = args_expand

    def args_sum_to_size(self, x):
        shape = [1 if self.chance(0.4) else d for d in self.get(x).shape]
        return [str(shape[self.rng.randrange(len(shape) + 1) if self.chance(0.4) else 0:])]

    def args_permute(self, x):
        order = list(range(self.get(x).dim()))
        self.rng.shuffle(order)
        if self.chance(0.3):
            order = [d - len(order) for d in order]
        return [str(order)]

    def args_flip(self, x):
        dims = [d for d in range(max(self.get(x).dim(), 1)) if self.chance(0.5)]
        return [str([d - max(self.get(x).dim(), 1) if self.chance(0.3) else d for d in dims])]

    def args_roll(self, x):
        n = self.rng.randrange(1, 3)
        shifts = [self.rng.randrange(-5, 6) for _ in range(n)]
        if n == 1 and self.chance(0.5):
            return [str(shifts[0])] + ([str(self.int_dim(self.get(x).dim()))] if self.chance(0.6) else [])
        return [str(shifts), str([self.int_dim(self.get(x).dim()) for _ in range(n)])]

    def args_rot90(self, x):
        dims = [self.int_dim(self.get(x).dim()) for _ in range(2)]
        return [str(self.rng.randrange(-3, 5))] + ([str(dims)] if self.chance(0.7) else [])

    def args_repeat(self, x):
        n = self.get(x).dim() + (self.rng.randrange(0, 3) if self.chance(0.4) else 0)
        return [str([self.rng.randrange(0, 4) if self.chance(0.5) else 1 for _ in range(n)])]

    args_tile = args_repeat

    def args_repeat_interleave(self, x):
        shape = list(self.get(x).shape)
        dim = self.int_dim(len(shape)) if self.chance(0.8) else None
        size = self.get(x).numel() if dim is None else \
            shape[dim] if shape and -len(shape) <= dim < len(shape) else 1
        more = [] if dim is None else [str(dim)] if self.chance(0.5) else [f"dim={dim}"]
        if self.chance(0.4):
            return [str(self.rng.randrange(0, 4)), *more]
        n = [size] if self.chance(0.8) else self.pick(([], [1], [2]))
        return [self.index(n, 4, self.pick(("int64", "int64", "int32"))), *more]

    def args_narrow(self, x):
        shape = self.get(x).shape
        dim = self.int_dim(len(shape))
        n = shape[dim] if shape and -len(shape) <= dim < len(shape) else 2
        start = self.rng.randrange(-n, n + 1) if n else 0
        return [str(dim), str(start), str(self.rng.randrange(0, n - start % max(n, 1) + 1))]

    def args_select(self, x):
        shape = self.get(x).shape
        dim = self.int_dim(len(shape))
        n = shape[dim] if shape and -len(shape) <= dim < len(shape) else 2
        return [str(dim), str(self.rng.randrange(-n - 1 if self.chance(0.05) else -n, n) if n else 0)]

    def args_as_strided(self, x):
        t = self.get(x)
        room = t.untyped_storage().nbytes() // t.element_size()
        size = [self.rng.randrange(0, 5) if self.chance(0.1) else self.rng.randrange(1, 4)
                for _ in range(self.rng.randrange(0, 4))]
        stride = [self.rng.randrange(0, 6) for _ in size]
        reach = sum((n - 1) * s for n, s in zip(size, stride) if n)
        offset = self.rng.randrange(0, max(room - reach, 1)) if self.chance(0.95) else room
        return [str(size), str(stride)] + ([str(offset)] if self.chance(0.7) else [])

    def args_cat(self, x):
        raise NotImplementedError

    def args_gather(self, x):
        shape = list(self.get(x).shape)
        dim = self.int_dim(len(shape))
        want = [self.rng.randrange(0, d + 1) if self.chance(0.3) else d for d in shape]
        if shape and -len(shape) <= dim < len(shape):
            want[dim] = self.rng.randrange(0, 6)
            below = shape[dim]
        else:
            below = 1
        return [str(dim), self.index(self.fitted(want), below)]

    def args_scatter_add(self, x):
        dim, index = self.args_gather(x)
        shape = list(self.get(index).shape)
        if self.chance(0.3):
            shape = [d + self.rng.randrange(0, 2) for d in shape]
        return [dim, index, self.input(shape, DTYPES[self.get(x).dtype] if self.chance(0.95) else None)]

    def args_scatter(self, x):
        """Of places pointed at twice one source alone is promised to stand there: a number, or a permutation."""
        dim, index = self.args_gather(x)
        return [dim, index, self.number()]

    args_scatter_value = args_scatter

    def args_scatter_reduce(self, x):
        words = ("sum", "mean", "amax", "amin") if self.chance(0.97) else ("add",)
        more = [f"include_self={self.pick(('True', 'False'))}"] if self.chance(0.5) else []
        return self.args_scatter_add(x) + [f"'{self.pick(words)}'"] + more

    def args_index_select(self, x):
        shape = list(self.get(x).shape)
        dim = self.int_dim(len(shape))
        below = shape[dim] if shape and -len(shape) <= dim < len(shape) else 1
        n = [self.rng.randrange(0, 6)] if self.chance(0.95) else self.pick(([], [2, 2]))
        return [str(dim), self.index(n, below, self.pick(("int64", "int64", "int32")))]

    def args_index_add(self, x):
        dim, index = self.args_index_select(x)
        shape = list(self.get(x).shape)
        if shape and -len(shape) <= int(dim) < len(shape):
            shape[int(dim)] = self.get(index).numel()
        if self.chance(0.05):
            shape = list(self.shape())
        out = [dim, index, self.input(shape, DTYPES[self.get(x).dtype] if self.chance(0.95) else None)]
        return out + ([f"alpha={self.rng.randrange(-3, 8)}"] if self.chance(0.3) else [])

    def mask(self, x):
        """A bool tensor that broadcasts with x, as a rule."""
        shape = tuple(self.get(x).shape)
        if self.chance(0.04):
            return self.companion(x)
        drop = self.rng.randrange(len(shape) + 1) if self.chance(0.3) else 0
        return self.input([1 if self.chance(0.2) else d for d in shape[drop:]], "bool")

    def args_masked_fill(self, x):
        return [self.mask(x), self.number() if self.chance(0.7) else self.any(lambda t: t.dim() == 0)]

    def args_masked_select(self, x):
        return [self.mask(x)]

    def args_masked_scatter(self, x):
        """The source apart: what stands in part on self's memory is in no promised order."""
        mask = self.mask(x)
        n = self.get(x).numel() + self.rng.randrange(0, 9)
        return [mask, self.input([n] if self.chance(0.9) else [], DTYPES[self.get(x).dtype])]

    def args_take_along_dim(self, x):
        shape = list(self.get(x).shape)
        if not shape or self.chance(0.2):
            return [self.index(self.shape(), self.get(x).numel())]
        dim = self.int_dim(len(shape))
        if -len(shape) <= dim < len(shape):
            shape[dim] = self.rng.randrange(0, 6)
        shape = [1 if self.chance(0.2) else d for d in shape]
        return [self.index(self.fitted(shape), 9), str(dim)]

    def args_index_fill(self, x):
        dim, index = self.args_index_select(x)
        return [dim, index, self.number()]

    def args_index_copy(self, x):
        """Each place once: which of several slices stands there is not promised."""
        shape = list(self.get(x).shape)
        dim = self.int_dim(len(shape))
        n = shape[dim] if shape and -len(shape) <= dim < len(shape) else 1
        seed = self.seed()
        index = self.input([n], "int64", lambda s: f"permutation({seed}, {n})", grad=False)
        return [str(dim), index, self.input(shape, DTYPES[self.get(x).dtype] if self.chance(0.95) else None)]

    def args_take(self, x):
        return [self.index(self.shape(), self.get(x).numel())]

    def args_put(self, x):
        """A sum, or each place once."""
        n, seed = self.get(x).numel(), self.seed()
        index = self.input([n], "int64", lambda s: f"permutation({seed}, {n})", grad=False)
        return [index, self.input([n], DTYPES[self.get(x).dtype])] + (["accumulate=True"] if self.chance(0.4) else [])

    def args_mm(self, x):
        shape = self.get(x).shape
        k = shape[-1] if shape else 2
        if self.chance(0.04):
            k += 1
        dt = DTYPES[self.get(x).dtype]
        lead = list(shape[:-2]) if self.chance(0.7) else []
        return [self.input(self.fitted(lead + [k, self.pick(self.dims)] if self.chance(0.9) else [k]),
                           dt if self.chance(0.95) else None)]

    args_bmm = args_matmul = args_mm

    def args_to(self, x):
        dt = "torch." + weighted(self.rng, DTYPE_WEIGHTS)
        out = [dt if self.chance(0.7) else self.any()]
        if self.chance(0.25):
            out.append(f"copy={self.pick(('True', 'False'))}")
        if self.chance(0.12):
            out.append("memory_format=torch." + self.pick(
                ("contiguous_format", "preserve_format", "channels_last")))
        return out

    def args_sort(self, x):
        """Where more than 16 elements are sorted equal ones stand in no promised order."""
        t = self.get(x)
        dim = self.int_dim(t.dim())
        more = [f"descending={self.pick(('True', 'False'))}"] if self.chance(0.5) else []
        if self.chance(0.4) or t.dim() and max(t.shape) > 16:
            return [f"dim={dim}", "stable=True", *more]
        return [str(dim)] + [m.split("=")[1] for m in more] if self.chance(0.5) else [f"dim={dim}", *more]

    args_argsort = args_sort

    def args_copy(self, x):
        return [self.companion(x) if self.chance(0.9) else self.number()]

    def args_fill(self, x):
        return [self.number() if self.chance(0.8) else self.any(lambda t: t.dim() == 0)]

    def args_full_like(self, x):
        return [self.number()] + ([f"dtype=torch.{self.some_dtype()}"] if self.chance(0.5) else [])

    def args_new_full(self, x):
        return [str(self.shape()), self.number()] + \
            ([f"dtype=torch.{self.some_dtype()}"] if self.chance(0.5) else [])

    # --- statements

    def first(self, op):
        """Somebody to be self."""
        ranks = {"mm": 2, "bmm": 3, "t": 2}.get(op.name)
        takes = [getattr(torch, d) for d in op.raw["dtypes"]]
        fits = lambda t: t.dtype in takes and (ranks is None or t.dim() == ranks)  # noqa: E731
        if self.chance(0.1):
            return self.any()
        if self.all(fits) and self.chance(0.8):
            return self.any(fits)
        dt = self.pick([d for d in op.raw["dtypes"]] or [self.some_dtype()])
        if self.dtype in op.raw["dtypes"] and self.chance(0.7):
            dt = self.dtype
        shape = self.shape() if ranks is None else \
            self.fitted(self.pick(self.dims) for _ in range(ranks))
        return self.input(shape, dt)

    def by_schema(self, op):
        """A call of op whose arguments its schema says."""
        if op.name in ("cat", "stack", "arange", "linspace", "eye", "zeros", "ones", "full", "empty", "where", "item",
                       "embedding", "layer_norm", "native_layer_norm", "dropout", "nn_dropout", "einsum", "cross_entropy",
                       "nll_loss", "slice"):
            own = getattr(self, "call_" + op.name, None)
            return own(op) if own else None
        functions, methods = op.raw["functions"], op.raw["methods"]
        in_place = op.raw["methods_inplace"] or [m for m in methods if m[:2] != "__"]
        if not functions and not methods:
            return None
        if not op.params or op.params[0].type != "tensor":
            return None
        x = self.first(op)
        more = self.arguments(op, x)
        if more is None:
            return None
        forms = []
        if functions and "functional" in op.forms:
            forms += ["function"] * 3
        if methods and "functional" in op.forms:
            forms += ["method"] * 3
        if "inplace" in op.forms and (in_place or op.raw["functions_inplace"]):
            forms += ["inplace"] * 3
        if "out" in op.forms and functions:
            forms += ["out"] * 2
        form = self.pick(forms)
        if form == "inplace" and op.raw["family"] == "comparison" and \
                not self.get(x).is_floating_point():
            form = "function"  # 2.15.0 lets integers require grad then
        if form == "inplace" and op.name not in ("copy", "zero") and in_place:
            name = self.pick(in_place)
        else:
            name = op.name
        if form == "method":
            return f"{x}.{self.pick(methods)}({', '.join(more)})" + \
                (".zero_()" if "empty" in op.name else "")
        if form == "inplace":
            if not in_place:
                return f"{self.pick(op.raw['functions_inplace'])}({', '.join([x, *more])})"
            return f"{x}.{name}_({', '.join(more)})"
        function = self.pick(functions)
        if function.startswith("F.") and len(functions) > 1:  # F's own signature: no out=, _stacklevel
            more = [m if "=" in m or k == 0 else f"{op.params[k + 1].name}={m}"
                    for k, m in enumerate(more)]
            form = "function"
        text = f"{function}({', '.join([x, *more])})"
        if "empty" in op.name:
            text += ".zero_()"
        return self.with_out(op, text) if form == "out" else text

    def with_out(self, op, text):
        """The call writing into a tensor of its own or one that there is."""
        roll = self.rng.random()
        many = len(op.results) > 1
        if roll < 0.12 and not many:
            out = self.any()
            looks = op.raw["family"] in ("unary_same", "unary_float", "binary", "comparison") and \
                self.fits(out, text)  # whether it overlaps; where it is resized, it may grow over what is read
            if looks or not self.shares(out, text):  # else it is resized before it is read
                return f"{text[:-1]}, out={out})"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = eval(text, dict(self.session.env))  # noqa: S307
        except Exception:
            out = self.any()
            return text if many or self.shares(out, text) else f"{text[:-1]}, out={out})"
        rooms = []
        for r in (result if many else (result,)):
            if not isinstance(r, torch.Tensor):
                return text
            shape, dt = list(r.shape), DTYPES[r.dtype]
            if self.chance(0.12):
                dt = self.some_dtype()
            if self.chance(0.12):
                shape = self.pick(([0], list(self.shape())))
            rooms.append(self.room(op, self.fitted(shape), dt))
        return f"{text[:-1]}, out={rooms[0] if not many else '(' + ', '.join(rooms) + ')'})"

    def fits(self, out, text):
        """Whether `out` has the shape of what the call gives."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = eval(text, dict(self.session.env))  # noqa: S307
        except Exception:
            return True
        return isinstance(result, torch.Tensor) and result.shape == self.get(out).shape

    def room(self, op, shape, dt):
        """An out. Only pointwise ops look whether it overlaps itself, and matmul folds its own."""
        pointwise = op.raw["family"] in ("unary_same", "unary_float", "binary", "comparison", "predicate")
        for _ in range(4):
            name = self.input(shape, dt, grad=self.chance(0.03))
            t = self.get(name)
            if (pointwise or not any(s == 0 and d > 1 for s, d in zip(t.stride(), t.shape))) and \
                    (op.name != "matmul" or t.is_contiguous()):
                return name
        name = self.name("x")
        self.session.run(Statement(f"{name} = {self.elements(shape, dt)}"))
        return name

    def shares(self, out, text):
        """Whether the call of `text` reads the memory of `out`."""
        read = names_in(text)[1]
        return any(storage(t) == storage(self.get(out)) for n, t in self.session.tensors.items()
                   if n.split("[")[0] in read)

    def call_stack(self, op):
        x = self.any()
        shape, dt = list(self.get(x).shape), self.get(x).dtype
        names = [x] + [self.input(shape, DTYPES[dt] if self.chance(0.8) else None) if self.chance(0.85) else self.any()
                       for _ in range(self.rng.randrange(0, 3))]
        text = f"torch.stack([{', '.join(names)}]"
        dim = self.int_dim(len(shape) + 1)
        text += f", {dim})" if self.chance(0.6) else f", dim={dim})" if self.chance(0.7) else ")"
        return self.with_out(op, text) if self.chance(0.15) else text

    def call_cat(self, op):
        x = self.any()
        shape, dt = list(self.get(x).shape), self.get(x).dtype
        dim = self.int_dim(len(shape))
        names = [x]
        for _ in range(self.rng.randrange(0, 3)):
            other = list(shape)
            if other and -len(other) <= dim < len(other):
                other[dim] = self.rng.randrange(0, 4)
            names.append(self.input(other, DTYPES[dt] if self.chance(0.8) else None)
                         if self.chance(0.8) else self.any())
        if self.chance(0.1):
            names.insert(0, self.input((0,)))
        text = f"{self.pick(op.raw['functions'])}([{', '.join(names)}]"
        text += f", {dim})" if self.chance(0.6) else f", dim={dim})" if self.chance(0.7) else ")"
        return self.with_out(op, text) if self.chance(0.15) else text

    def call_where(self, op):
        c = self.any(lambda t: t.dtype == torch.bool) if self.chance(0.5) else \
            self.input(dt="bool") if self.chance(0.95) else self.any()
        a = self.companion(c)
        b = self.companion(a)
        a, b = (self.number() if self.chance(0.12) else n for n in (a, b))
        text = f"torch.where({c}, {a}, {b})"
        return self.with_out(op, text) if self.chance(0.15) else text

    def call_arange(self, op):
        whole = self.chance(0.6)
        numbers = [str(self.rng.randrange(-6, 12)) if whole else
                   str(round(self.rng.uniform(-4, 8), 2)) for _ in range(self.rng.randrange(1, 3))]
        if len(numbers) == 2 and self.chance(0.5):
            numbers.append(str(self.pick((1, 2, -1, 3) if whole else (0.5, 0.25, 1.5, -0.5))))
        more = [f"dtype=torch.{self.some_dtype()}"] if self.chance(0.5) else []
        text = f"torch.arange({', '.join(numbers + more)})"
        return self.with_out(op, text) if self.chance(0.15) else text

    def call_linspace(self, op):
        ends = [str(self.rng.randrange(-6, 12)) if self.chance(0.5) else str(round(self.rng.uniform(-4, 8), 2))
                for _ in range(2)]
        more = [f"dtype=torch.{self.some_dtype()}"] if self.chance(0.5) else []
        text = f"torch.linspace({', '.join([*ends, str(self.rng.randrange(0, 12)), *more])})"
        return self.with_out(op, text) if self.chance(0.15) else text

    def call_eye(self, op):
        sizes = [str(self.rng.randrange(0, 5)) for _ in range(self.rng.randrange(1, 3))]
        more = [f"dtype=torch.{self.some_dtype()}"] if self.chance(0.5) else []
        text = f"torch.eye({', '.join(sizes + more)})"
        return self.with_out(op, text) if self.chance(0.15) else text

    def call_zeros(self, op):
        dt = [f"dtype=torch.{self.some_dtype()}"] if self.chance(0.7) else []
        size = self.shape()
        size = str(list(size)) if self.chance(0.6) or not size else ", ".join(map(str, size))
        return f"torch.{op.name}({', '.join([size, *dt])})"

    call_ones = call_zeros

    def call_full(self, op):
        dt = [f"dtype=torch.{self.some_dtype()}"] if self.chance(0.6) else []
        return f"torch.full({', '.join([str(self.shape()), self.number(), *dt])})"

    def call_slice(self, op):
        return self.subscript()

    def subscript(self):
        x = self.any()
        return f"{x}[{self.subscripts(x)}]"

    def subscripts(self, x):
        shape, items = self.get(x).shape, []
        for k, d in enumerate(shape[:self.rng.randrange(len(shape) + 1)]):
            roll = self.rng.random()
            if roll < 0.3:
                low = str(self.rng.randrange(-d - 1, d + 2)) if self.chance(0.6) else ""
                high = str(self.rng.randrange(-d - 1, d + 2)) if self.chance(0.5) else ""
                step = f":{self.rng.randrange(1, 4)}" if self.chance(0.4) else ""
                items.append(f"{low}:{high}{step}")
            elif roll < 0.6:
                items.append(str(self.rng.randrange(-d, d) if d and self.chance(0.97) else d))
            elif roll < 0.72:
                items.append("None")
            else:
                items.append(":")
        if self.chance(0.25) or not items:
            items.insert(self.rng.randrange(len(items) + 1), "...")
        return ", ".join(items)

    def by_call(self, page_calls):
        """A call as its page says it, its tensors laid out somehow."""
        call = self.pick(page_calls)
        op = calls.op_table()[call.op]
        if op.name in ("sort", "argsort") and "stable=True" not in call.text:
            return None
        taken = calls.dtypes(call) or (self.some_dtype(),)
        dt = self.dtype if self.dtype in taken and self.chance(0.7) else \
            self.pick(taken) if self.chance(0.97) else self.some_dtype()
        dims = {n: weighted(self.rng, SIZES) for n in calls.USUAL}
        lead = [self.pick(self.dims) for _ in range(self.rng.randrange(0, 3))]
        shapes = {n: a.sizes(dims, lead) for n, a in call.args.items()}
        for _ in range(8):
            if all(lang.numel(s) <= MAX_ELEMENTS for s in shapes.values()):
                break
            dims = {n: min(d, 1 + self.rng.randrange(5)) for n, d in dims.items()}
            lead = lead[1:]
            shapes = {n: a.sizes(dims, lead) for n, a in call.args.items()}
        if any(lang.numel(s) > 4 * MAX_ELEMENTS for s in shapes.values()):
            return None
        names = {}
        for name, arg in call.args.items():
            names[name] = self.argument(arg, arg.dtype or dt, shapes[name], dims)
        chosen = {n: self.pick(texts) for n, texts in call.choices.items()}
        text = call.text.format(**names, **dims, **chosen, dtype=f"torch.{dt}")
        roll = self.rng.random()
        simple = replace(call, args=dict.fromkeys(names.values(), Arg), text=text)
        if roll < 0.25 and op.raw["family"] != "comparison":
            return calls.in_place(simple, text) or text
        if roll < 0.4 and "out" in op.forms and text.endswith(")") and text.startswith("torch."):
            return self.with_out(op, text)
        return text

    def argument(self, arg, dt, shape, dims):
        if arg.kind in ("data", "few", "odd", "weight", "place", "nonzero", "sparse"):
            fits = self.all(lambda t: tuple(t.shape) == tuple(shape) and DTYPES[t.dtype] == dt)
            if fits and self.chance(0.5):
                return self.pick(fits)
            if arg.kind not in ("nonzero",) and self.chance(0.8):
                return self.input(shape, dt)
        if arg.kind in ("index", "distinct"):
            seed, below = self.seed(), dims[arg.below]
            if arg.kind == "index":
                high = max(below, 1) if self.chance(0.97) else below + 2
                return self.input(shape, "int64", lambda s: f"integers({seed}, {tuple(s)}, torch.int64, "
                                                            f"low=0, high={high})", grad=False)
            name = self.name("x")
            self.session.run(Statement(f"{name} = permutation({seed}, {below})[:{shape[0]}]"))
            return name
        return self.input(shape, "bool" if arg.kind == "mask" else dt,
                          lambda s: calls.plain(arg, dt, self.seed(), tuple(s), dims),
                          grad=None if arg.grad else False)

    def operator(self):
        """An operator of the language, and the op behind it."""
        sign, op = self.pick((("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "div"), ("//", "floor_divide"),
                              ("==", "eq"), ("!=", "ne"), ("<", "lt"), (">=", "ge"), ("@", "matmul"),
                              ("+=", "add"), ("-=", "sub"), ("*=", "mul"), ("/=", "div"), ("neg", "neg"),
                              ("//=", "floor_divide")))
        x = self.any()
        if sign == "neg":
            return f"-{x}", op
        if sign == "@":
            return f"{x} @ {self.args_mm(x)[0]}", op
        y = self.number() if self.chance(0.3) else self.companion(x)
        if sign.endswith("=") and sign not in ("==", "!=", ">="):
            if "[" in x:  # which Python writes to and then cannot assign
                sign = sign[:-1]
            return f"{x} {sign} {y}", op
        if self.chance(0.3):
            x, y = y, x
        if y.startswith("-") and self.chance(0.5):
            y = f"({y})"
        return f"{x} {sign} {y}", op

    def gradient(self):
        """Statements that ask for gradients, of one or more results, once or twice."""
        ends = self.all(lambda t: t.requires_grad and not t.is_leaf)
        starts = self.all(lambda t: t.requires_grad and t.is_leaf)
        if not ends or not starts:
            return
        ends = [ends[-1]] if self.chance(0.7) else self.rng.sample(ends, min(2, len(ends)))
        starts = self.rng.sample(starts, self.rng.randrange(1, min(3, len(starts)) + 1))
        if self.chance(0.1):
            starts += self.rng.sample(self.all(lambda t: t.requires_grad), 1)
        weights = []
        for e in ends:
            t = self.get(e)
            weights.append("None" if t.numel() == 1 and self.chance(0.5) else
                           self.input(t.shape, DTYPES[t.dtype], self.calm(DTYPES[t.dtype]),
                                      grad=self.chance(0.2)))
        if self.chance(0.35):
            # 2.15.0 adds up in the memory of the gradient it was given: give it one of its own
            given = "" if weights == ["None"] and self.chance(0.5) else \
                weights[0] if weights[0] == "None" else f"{weights[0]}.clone()"
            weights = [w if w == "None" else f"{w}.clone()" for w in weights]
            more = ["retain_graph=True"] if self.chance(0.2) else \
                ["create_graph=True"] if self.chance(0.1) else []
            for n in self.rng.sample(ends, len(ends) if self.chance(0.1) else 0):
                self.session.run(Statement(f"{n}.retain_grad()", "autograd"))
            if len(ends) == 1:
                arguments = ", ".join(([given] if given else []) + more)
                self.session.run(Statement(f"{ends[0]}.backward({arguments})",
                                           self.session.blame[key_of(ends[0])]))
            else:
                self.session.run(Statement(f"autograd.backward([{', '.join(ends)}], "
                                           f"[{', '.join(weights)}])", "autograd"))
            return
        twice = self.chance(0.45)
        gs = [self.name("g") for _ in starts]
        more = ", create_graph=True" if twice else ""
        more += ", allow_unused=True" if self.chance(0.8) else ""
        left = f"({', '.join(gs)},)" if len(gs) == 1 else f"({', '.join(gs)})"
        self.session.run(Statement(
            f"{left} = autograd.grad([{', '.join(ends)}], [{', '.join(starts)}], "
            f"[{', '.join(weights)}]{more})", self.session.blame[key_of(ends[0])]))
        known = [g for g in self.all(lambda t: t.requires_grad) if g in gs]
        if twice and known:
            g, h = self.pick(known), self.name("h")
            w = self.input(self.get(g).shape, DTYPES[self.get(g).dtype], grad=False)
            wanted = self.rng.sample(starts, 1)
            self.session.run(Statement(
                f"({h},) = autograd.grad([{g}], [{wanted[0]}], [{w}], allow_unused=True)",
                self.session.blame[key_of(ends[0])]))

    def glue(self):
        """A statement that is nobody's op: a view, a write, a switch."""
        roll = self.rng.random()
        if roll < 0.35:
            return Statement(f"{self.name()} = {self.subscript()}", "slice")
        if roll < 0.55:
            x = self.any()
            index = self.subscripts(x)
            value = self.number() if self.chance(0.4) else self.any() if self.chance(0.3) else None
            if value is None:
                try:
                    shape = list(eval(f"{x}[{index}]", dict(self.session.env)).shape)  # noqa: S307
                except Exception:
                    shape = []
                value = self.input(shape, DTYPES[self.get(x).dtype] if self.chance(0.8) else None)
            return Statement(f"{x}[{index}] = {value}", "copy")
        if roll < 0.62:
            x = self.any(lambda t: not t.requires_grad)
            return Statement(f"{x}.requires_grad_({self.pick(('', 'True', 'False'))})", "autograd")
        if roll < 0.7:
            return Statement(f"{self.name()} = {self.any()}.{self.pick(('T', 'mT', 'data'))}", "transpose")
        if roll < 0.8:
            how = self.pick(("float", "half", "double", "bfloat16", "long", "int", "short", "char", "byte",
                             "bool"))
            return Statement(f"{self.name()} = {self.any()}.{how}()", "to")
        text, op = self.operator()
        if self.chance(0.5) and "=" not in text.replace("==", "").replace("!=", "").replace(">=", ""):
            return Statement(f"with torch.no_grad():\n    {self.name()} = {text}", op)
        return self.stated(text, op)

    def stated(self, text, op):
        augmented = any(f" {s}= " in text for s in ("+", "-", "*", "/", "//"))
        return Statement(text if augmented else f"{self.name()} = {text}", op)

    def step(self, table):
        roll = self.rng.random()
        if roll < 0.18 and not (self.only and self.chance(0.7)):
            self.session.run(self.glue())
            return
        if roll < 0.3 and not self.only:
            text, op = self.operator()
            self.session.run(self.stated(text, op))
            return
        op = self.pick([table[n] for n in self.only] if self.only else list(table.values()))
        said = [c for c in calls.of_page(op.page) if c.op == op.name]
        text = self.by_call(said) if said and self.chance(0.5) else None
        text = text or self.by_schema(op)
        if text is None and said:
            text = self.by_call(said)
        if text is None:
            return
        number = op.name == "item"
        self.session.run(Statement(f"{self.name('n' if number else 'y')} = {text}", op.name))

    def made(self):
        """The Session of a whole program."""
        table = {n: op for n, op in calls.op_table().items()
                 if (op.raw["functions"] or op.raw["methods"] or n == "slice") and not op.raw["rng"]}
        try:
            for _ in range(self.rng.randrange(1, 3)):
                self.input()
            for _ in range(weighted(self.rng, {1: 3, 2: 5, 3: 4, 4: 3, 6: 2, 9: 1})):
                self.step(table)
                if self.gradients and self.chance(0.15):
                    self.gradient()
            if self.gradients and self.chance(0.8):
                self.gradient()
        finally:
            self.session.close()
        return self.session


def key_of(name):
    return name.replace("[", ".").replace("]", "")


Arg = calls.Arg("")
