# SPDX-License-Identifier: Apache-2.0
"""The basic programs of every op of a family, from its page.

An [[op]] with `states` gets them under its page's own name: `states` says which rules they serve
(families.STATES), `refuses` which refusals. What is special
about an op stands in golden/cases/<page>.py; an op without anything special needs no such file.
`again` has them made once more with further arguments, and says which keys differ then.
"""
import json
import sys
import textwrap
from pathlib import Path

import calls
from inputs import few, made

HARD = json.loads((Path(__file__).resolve().parent / "hard.json").read_text(encoding="utf-8"))
SPEC = Path(__file__).resolve().parent.parent / "spec"
sys.path.append(str(SPEC / "gen"))
import pages as spec_pages  # noqa: E402


def zeros_and_ones(dt, seed, shape="(3, 4)", mostly=False):
    """As many of both; or mostly ones."""
    if mostly:
        one = f"(integers({seed}, {shape}, torch.int64, low=0, high=5) != 0)"
        return one if dt == "bool" else f"{one}.to(torch.{dt})"
    return f"bools({seed}, {shape})" if dt == "bool" else f"integers({seed}, {shape}, torch.{dt}, low=0, high=2)"


class Basics:
    """One op, as its family's programs see it. `seed` keeps the inputs of a page's ops apart."""

    def __init__(self, g, op, seed, again=None):
        self.g, self.op, self.seed = g, op, seed
        self.raw = {**op.raw, "call": "", **(op.raw["again"][again] if again else {})}
        self.name, self.title = op.name, f"{op.name}_{again}" if again else op.name
        self.fn = self.raw["functions"][0]
        self.more = self.raw["call"] and ", " + self.raw["call"]
        self.once = again is None  # what does not depend on the further arguments is made once
        self.domain = self.raw["domain"]
        self.refuses, self.states = self.raw["refuses"], self.raw["states"]
        self.taken = [dt for dt in g.ALL if dt in self.raw["dtypes"]]
        self.ops_float = [dt for dt in self.taken if dt in g.FLOAT]

    def call(self, *args):
        return f"{self.fn}({', '.join(args)}{self.more})"

    def untold(self, dt, mix):
        return not {mix, f"{dt} {mix}"}.isdisjoint(self.raw["untold"])

    def still(self):
        """Marks programs whose gradients are zeros."""
        return {"trivial": "the gradient is zeros"} if self.raw["bound"] == "step" else {}

    def rules(self, *what, other=""):
        """The labels of what the page states; `value` where it states nothing of its own."""
        said = dict.fromkeys(label for w in what
                             for label in self.states.get(w, self.states["value"]).split())
        return " ".join([f"{self.op.page}/{label}" for label in said] + other.split())

    def case(self, dt, what, rules, program, **more):
        """`what` follows the op's name in the case's id."""
        if dt in self.raw.get("identity", ()) and "trivial" not in more:
            if dt in self.g.FLOAT:
                more.setdefault("maybe", f"{self.name} leaves most of {dt} as it is")
            else:
                more["trivial"] = f"{self.name} leaves {dt} as it is"
        return self.g.case(f"{dt}/{self.title}{what}", rules, program, **more)

    def refusal(self, check, error, dtypes, call):
        """A case for each dtype in which `call` (made of dt) is refused."""
        label = self.refuses.get(check)
        for dt in dtypes if label else ():
            name = f"{self.op.page}/{label}"
            yield self.case(dt, f"_{check}_refused", name, "\n".join(
                line.replace("REFUSED", f'{error}, "{name}"') for line in call(dt).split("\n")))

    def dtype_refusals(self, call):
        apart = ("bool",) if "bool" in self.refuses else ()
        missing = [dt for dt in self.g.ALL if dt not in self.taken]
        yield from self.refusal("dtype", "NotImplementedError",
                                [dt for dt in missing if dt not in apart and not self.untold(dt, "dtype")], call)
        yield from self.refusal("bool", "NotImplementedError", apart, call)


# --- one element ----------------------------------------------------------------------------------


class Unary(Basics):
    def input(self, dt, k, shape="(3, 4)"):
        """Where the function is tame."""
        if self.domain and dt in self.g.FLOAT:
            low, high = {"positive": (0.25, 4.0), "unit": (-0.875, 0.875), "beyond": (1.125, 4.0)}[self.domain]
            return f"uniform({self.seed + k}, {shape}, torch.{dt}, low={low}, high={high})"
        if dt in self.g.INT and self.raw["family"] == "unary_float":
            return f"integers({self.seed + k}, {shape}, torch.{dt}, low=0, high=20)"
        return made(dt, self.seed + k, shape)

    def whole(self, dt, k):
        """Integers and bools, extreme ones where the op keeps them."""
        if dt != "bool" and self.raw["family"] == "unary_same":
            return made(dt, self.seed + k, "(3, 4)", "extreme")
        return self.input(dt, k)

    def cases(self):
        y = self.call("x")
        for dt in self.taken:
            if dt in self.g.FLOAT:
                yield from self.floating(dt)
                if self.raw.get("differentiable"):
                    yield from self.gradient(dt)
            elif dt in self.g.FLOAT8:
                yield self.case(dt, "", self.rules("value"), f"""
            x = normal({self.seed + 1}, (5, 7), torch.{dt}, mix="special")
            expect({y}, "y")""")
            else:
                yield from self.integers(dt)
            if dt not in self.g.FLOAT8:
                yield self.case(dt, "_shapes", self.rules("value", other="tensors/S10"), f"""
            expect({self.call(self.input(dt, 6, "()"))}, "zero_dim")
            expect({self.call(self.input(dt, 7, "(0, 3)"))}, "empty")
            expect({self.call(self.input(dt, 8, "(19,)"))}, "tail")""", trivial=None)
        if not self.once:
            return
        yield from self.layout()
        yield from self.dtype_refusals(lambda dt: f"""
            x = {made(dt, self.seed + 16, "(2, 3)")}
            expect_error(REFUSED, {self.fn}, x)""" + (f"""
            expect_error(REFUSED, x.{self.name}_)""" if "inplace" in self.op.forms else ""))
        yield from self.refusal("out_dtype", "RuntimeError",
                                [dt for dt in ("int64", "uint8", "float32", "float16")
                                 if dt in self.taken], lambda dt: f"""
            x = {made(dt, self.seed + 17)}
            expect_error(REFUSED, {self.fn}, x,
                         out=torch.zeros(3, 4, dtype=torch.float64))""")
        if self.raw["family"] == "unary_float" and "inplace" in self.op.forms:
            yield self.case("int64", "_in_place", self.rules("forms", other="promotion/C1"), f"""
            x = integers({self.seed + 18}, (2, 3))
            expect_error(RuntimeError, "promotion/C1", x.{self.name}_)
            expect_error(RuntimeError, "promotion/C1", {self.fn}, x,
                         out=torch.zeros(2, 3, dtype=torch.int64))""")

    def floating(self, dt):
        value, y = self.rules("value", "special"), self.call("x")
        low, high = {"positive": (-1.0, 60.0), "unit": (-1.125, 1.125), "beyond": (0.75, 60.0)}.get(self.domain, (-9.0, 9.0))
        methods = "".join(f"""
            expect(x.{m}({self.raw['call']}), "method{k or ''}")""" for k, m in enumerate(self.raw["methods"]))
        yield self.case(dt, "", value, f"""
            x = {self.input(dt, 1)}
            expect({y}, "function")""" + methods)
        yield self.case(dt, "_spread", value, f"""
            x = uniform({self.seed + 2}, (37,), torch.{dt}, low={low}, high={high})
            expect({y}, "y")""")
        if self.raw["family"] == "unary_float" and dt in ("float64", "float32"):
            least, ball = (0.0 if self.domain == "positive" else -2.0 ** -7), 2.0 ** -7  # a result may be near 0 here
            yield self.case(dt, "_near", value, f"""
            x = uniform({self.seed + 20}, (37,), torch.{dt}, low={least}, high={ball})
            expect({y}, "zero")
            x = uniform({self.seed + 21}, (37,), torch.{dt}, low={1 - ball}, high={1 + ball})
            expect({y}, "one")""")
        eps = {"float64": 2.0 ** -52, "float32": 2.0 ** -23, "bfloat16": 2.0 ** -7, "float16": 2.0 ** -10}[dt]
        borders = [sign * v for v in (0.0, 0.5, 1 - eps / 2, 1.0, 1 + eps, 1.5, 2.0, 2.5) for sign in (1, -1)]
        yield self.case(dt, "_borders", value, f"""
            x = torch.tensor({borders}, dtype=torch.{dt})
            expect({y}, "y")""")
        for mix in ("nan", "inf", "zero", "subnormal"):
            if self.untold(dt, mix):
                continue
            yield self.case(dt, f"_{mix}", value, f"""
            x = normal({self.seed + 3}, (5, 5), torch.{dt}, mix="{mix}")
            expect({y}, "y")""")
        if "inplace" in self.op.forms:
            yield self.case(dt, "_in_place", self.rules("value", "forms"), f"""
            x = {self.input(dt, 4)}
            y = x[:, 1:3]
            z = y.{self.name}_({self.raw['call']})
            expect_same(z, y)
            expect(x, "x")""")
        if "out" in self.op.forms and not self.untold(dt, "out"):
            yield self.case(dt, "_out", self.rules("value", "forms"), f"""
            x = {self.input(dt, 5)}
            room = torch.zeros(4, 6, dtype=torch.{dt})
            out = room[:, ::2].t()
            {self.call("x", "out=out")}
            expect(room, "room")""")

        if dt == "float32" and self.title in HARD:
            rows = textwrap.fill(", ".join(map(repr, HARD[self.title])), 72).replace("\n", "\n" + 16 * " ")
            yield self.case(dt, "_hard_to_round", value, f"""
            x = torch.tensor([
                {rows}])
            expect({y}, "y")""")

    def gradient(self, dt):
        rule, y, none = self.rules("gradient"), self.call("x"), self.still()
        # rsqrt's square times x is 1
        power = " * ".join([y] * (3 if self.name == "rsqrt" else 2))
        yield self.case(dt, "_gradient", rule, f"""
            x = {self.input(dt, 9)}.requires_grad_()
            {y}.backward({made(dt, self.seed + 10)})
            expect(x.grad, "x")""", **none)
        yield self.case(dt, "_gradient_twice", rule, f"""
            x = {self.input(dt, 11)}.requires_grad_()
            (gx,) = autograd.grad(({power} * x).sum(), (x,), create_graph=True)
            (gx * gx * x).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
        refused = self.raw["refuses"].get("gradient_inplace")
        if "inplace" in self.op.forms:
            yield self.case(dt, "_gradient_in_place", f"{self.op.page}/{refused}" if refused else self.rules("gradient", "forms"), f"""
            x = {self.input(dt, 12)}.requires_grad_()
            z = x * 1
            z.{self.name}_({self.raw['call']})""" + (f"""
            expect_error(NotImplementedError, "{self.op.page}/{refused}", z.backward, {made(dt, self.seed + 13)})""" if refused else f"""
            z.backward({made(dt, self.seed + 13)})
            expect(x.grad, "x")"""), **({} if refused else none))

    def integers(self, dt):
        same, y = self.raw["family"] == "unary_same", self.call("x")
        rule = self.rules("integer") if same else self.rules("value", "integer")
        yield self.case(dt, "", rule, f"""
            x = {self.whole(dt, 1)}
            expect({y}, "y")""")
        if not same:
            yield self.case(dt, "_out", self.rules("integer", "forms"), f"""
            x = {self.whole(dt, 1)}
            out = torch.zeros(3, 4, dtype=torch.float32)
            {self.call("x", "out=out")}
            expect(out, "out")""")
        elif "inplace" in self.op.forms:
            yield self.case(dt, "_in_place", self.rules("integer", "forms"), f"""
            x = {self.whole(dt, 1)}
            x.{self.name}_({self.raw['call']})
            expect(x, "x")""", trivial=None)

    def layout(self):
        if "float32" not in self.taken:
            return
        y = self.call("x")
        x = f"{self.input('float32', 14, '(2, 3, 4, 5)')}.permute(0, 3, 1, 2)"
        yield self.case("float32", "_layout", self.rules("forms"), f"""
            x = {x}
            expect({y}, "channels_last")
            expect({self.fn}(x[:, ::2]), "gaps")
            expect({self.fn}(x.permute(1, 0, 3, 2)[0:3]), "order")""", variants=False)
        yield self.case("float32", "_expanded", self.rules("forms"), f"""
            x = {self.input("float32", 15, "(3, 1)")}.expand(3, 4)
            y = {y}
            expect(y, "y")
            expect_copy_of(y, x)""")


# --- two tensors ----------------------------------------------------------------------------------


class Binary(Basics):
    SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floor_divide": "//", "remainder": "%",
             "pow": "**"}
    REFLECTED = {"add": "+", "rsub": "-", "mul": "*", "floor_divide": "//", "remainder": "%", "pow": "**"}

    def other(self, dt, seed, shape="(3, 4)"):
        """The second operand: within the op's domain."""
        if self.domain == "shift":
            return f"integers({seed}, {shape}, torch.{dt}, low={0 if dt == 'uint8' else -1}, high=10)"
        if self.domain in ("nonzero", "power"):
            return f"uniform({seed}, {shape}, torch.{dt}, low=0.5, high=3.0)" if dt in self.g.FLOAT \
                else f"integers({seed}, {shape}, torch.{dt}, low=1, high=9)"
        return made(dt, seed, shape)

    def first(self, dt, seed, shape="(3, 4)"):
        """The first one: above 0 if it is raised to a power."""
        return self.other(dt, seed, shape) if self.domain == "power" else made(dt, seed, shape)

    def result(self, dt):
        return "float32" if self.raw["family"] == "binary_float" and dt not in self.g.FLOAT else dt

    def sort(self, dt):
        """Which rules beside `value` speak of operands of dt."""
        return "special" if dt in self.g.FLOAT else \
            "bool" if dt == "bool" and "bool" in self.states else "integer"

    def cases(self):
        call, m, common = self.call, self.more, [dt for dt in self.g.COMMON if dt in self.taken]
        for n, dt in enumerate(common):
            s = self.seed + 10 * n + 1
            methods = "".join(f"""
            expect(x.{name}(y.t()[1:2].t(){m}), "method{k or ''}")"""
                              for k, name in enumerate(self.raw["methods"]))
            yield self.case(dt, "", self.rules("value", self.sort(dt)), f"""
            x = {self.first(dt, s + 1)}
            y = {self.other(dt, s + 2)}
            expect({call("x", "y")}, "function")""" + methods + f"""
            expect({call(self.first(dt, s + 7, "(17,)"), self.other(dt, s + 8, "(17,)"))}, "tail")""")
            yield self.case(dt, "_broadcast", self.rules("value"), f"""
            x = {self.first(dt, s + 3, "(2, 1, 4)")}
            expect({call("x", self.other(dt, s + 4, "(3, 1)"))}, "column")
            expect({call("x", self.other(dt, s + 5, "()"))}, "scalar")""")
            few_enough = "(16,)" if dt == "bool" else "(4,)"  # which of bools may be alike
            yield self.case(dt, "_shapes", self.rules("value", other="tensors/S10"), f"""
            x = {made(dt, s + 5, few_enough)}
            y = {self.other(dt, s + 6, few_enough)}
            expect({call("x[2]", "y[1]")}, "zero_dim")
            expect({call("x[3]", "y[3]")}, "again")
            expect({call("x", "y")}, "tail")
            expect({call(self.first(dt, s + 5, "(3, 0)"), self.other(dt, s + 6, "(3, 1)"))}, "empty")""")
            if "inplace" in self.op.forms and self.result(dt) == dt:
                yield self.case(dt, "_in_place", self.rules("forms", other="tensors/S5"), f"""
            x = {self.first(dt, s + 1)}
            v = x._version
            z = x.{self.name}_({self.other(dt, s + 2, "(4,)")}{m})
            expect_same(z, x)
            expect(x, "x")
            expect_equal(x._version - v, 1)
            y = {self.first(dt, s + 3, "(4, 6)")}
            y[::2, 1:4].{self.name}_({self.other(dt, s + 4, "(2, 3)")}{m})
            expect(y, "y")""")
            elif "inplace" in self.op.forms:
                yield self.case(dt, "_in_place", self.rules("forms", other="promotion/C1"), f"""
            x = {self.first(dt, s + 1)}
            expect_error(RuntimeError, "promotion/C1", x.{self.name}_, {self.other(dt, s + 2)})""")
            if "out" in self.op.forms:
                yield self.case(dt, "_out", self.rules("forms", other="tensors/S8"), f"""
            x = {self.first(dt, s + 1)}
            room = torch.zeros(3, 8, dtype=torch.{self.result(dt)})
            out = room[:, 1::2]
            {call("x", self.other(dt, s + 2), "out=out")}
            expect(room, "room")""")
            if "number" in self.states:
                yield from self.numbers(dt, s)
            if dt in self.g.FLOAT:
                yield from self.floating(dt)
            for b in self.g.COMMON if "promotion" in self.states else ():
                if b != dt and b in self.op.raw["dtypes"]:
                    yield self.promotion(dt, b)
        if self.once:
            yield from self.layout_and_refusals()

    def numbers(self, dt, s):
        """Python numbers, and operators."""
        sign, back = self.SIGNS.get(self.name), self.REFLECTED.get(self.name)
        lines = [f"x = {self.other(dt, s + 6)}"]
        for name, number in (("int", "3"), ("float", "2.5"), ("bool", "True")):
            if name != "bool" or "bool" in self.taken:
                lines += [f'expect({self.call("x", number)}, "{name}")']
        if "self" in self.raw["number"]:
            lines += [f'expect({self.call("3", "x")}, "first")']
        if sign and self.once:
            lines += [f"y = {self.other(dt, s + 7)}", f'expect(x {sign} y, "operator")',
                      f'expect(x {sign} 2, "operator_int")']
        if back and self.once:
            lines += [f'expect(7 {back} x, "reflected")']
        yield self.case(dt, "_numbers", self.rules("number"), "\n".join(lines))
        if sign and self.once and self.result(dt) == dt:
            yield self.case(dt, "_augmented", self.rules("forms", other="tensors/S4"), f"""
            x = {self.first(dt, s + 1)}
            v = x._version
            x {sign}= {self.other(dt, s + 2)}
            expect(x, "x")
            expect_equal(x._version - v, 1)""")

    def promotion(self, a, b):
        low = 1 if self.domain in ("nonzero", "power") else 0
        return self.case(a, f"_with_{b}",
                         self.rules("promotion", other="promotion/S1 promotion/S2"), f"""
            x = integers(91, (2, 3), torch.{a}, low=0, high=12)
            y = integers(92, (2, 3), torch.{b}, low={low}, high={2 if b == "bool" else 12})
            s = integers(93, (), torch.{b}, low={1 if b == "bool" else 2}, high={2 if b == "bool" else 12})
            expect({self.call("x", "y")}, "tensors")
            expect({self.call("x", "s")}, "right")""" + ("" if low else f"""
            expect({self.call("s", "x")}, "left")""") + f"""
            expect({self.call("x[0, 0]", "s")}, "scalars")""", maybe="few of their bits may meet")

    def floating(self, dt):
        call, rule, none = self.call, self.rules("gradient"), self.still()
        for mix in ("special", "extreme", "subnormal", "inf"):
            if not self.untold(dt, mix):
                yield self.case(dt, f"_{mix}", self.rules("value", "special"), f"""
            x = {made(dt, 61, "(5, 7)", mix)}
            expect({call("x", made(dt, 62, "(5, 7)", mix))}, "y")""")
        if not self.raw["differentiable"] or self.raw["gradcheck"] == "error":
            return
        yield self.case(dt, "_gradient", rule, f"""
            x = {self.first(dt, 71)}.requires_grad_()
            y = {self.other(dt, 72)}.requires_grad_()
            {call("x", "y")}.backward({made(dt, 73)})
            expect(x.grad, "x")
            expect(y.grad, "y")
            z = {self.first(dt, 85)}.requires_grad_()
            {call("z", self.other(dt, 86))}.backward({made(dt, 87)})
            expect(z.grad, "one")""", **none)
        yield self.case(dt, "_gradient_broadcast", rule, f"""
            x = {self.first(dt, 74, "(3, 1)")}.requires_grad_()
            y = {self.other(dt, 75, "(2, 1, 4)")}.requires_grad_()
            s = {self.other(dt, 76, "()")}.requires_grad_()
            (gx, gy, gs) = autograd.grad({call(call("x", "y"), "s")}, (x, y, s),
                                         {made(dt, 77, "(2, 3, 4)")})
            expect(gx, "x")
            expect(gy, "y")
            expect(gs, "s")""", **none)
        weight = "" if self.domain in ("nonzero", "power") else " * y"
        yield self.case(dt, "_gradient_twice", rule, f"""
            x = {self.first(dt, 80)}.requires_grad_()
            y = {self.other(dt, 81)}.requires_grad_()
            (gx, gy) = autograd.grad(({call("x", "y")} * x{weight}).sum(), (x, y), create_graph=True)
            (gx * gx + gy * y).sum().backward()
            expect(x.grad, "x")
            expect(y.grad, "y")""", **none)
        if "inplace" in self.op.forms:
            yield self.case(dt, "_gradient_in_place", self.rules("gradient", "forms"), f"""
            x = {self.first(dt, 82)}.requires_grad_()
            y = {self.other(dt, 83, "(4,)")}.requires_grad_()
            z = x * 2
            z.{self.name}_(y{self.more})
            z.backward({made(dt, 84)})
            expect(x.grad, "x")
            expect(y.grad, "y")""", **none)
        if "number" in self.states and self.once:
            first = "" if "self" not in self.raw["number"] or self.untold(dt, "number gradient") else f"""
            {call("3", "y")}.backward({made(dt, 79)})
            expect(y.grad, "second")"""
            yield self.case(dt, "_gradient_number", rule, f"""
            x = {self.first(dt, 78)}.requires_grad_()
            y = {self.other(dt, 77)}.requires_grad_()
            {call("x", "4")}.backward({made(dt, 79)})
            expect(x.grad, "x")""" + first)

    def layout_and_refusals(self):
        dt = "float32" if "float32" in self.taken else "int32"
        yield self.case(dt, "_layout", self.rules("forms"), f"""
            x = {made(dt, 136, "(2, 3, 4, 5)")}.permute(0, 3, 1, 2)
            expect({self.fn}(x, x[:, :, 1:2]), "channels_last")
            expect({self.fn}(x, {made(dt, 137, "(2, 5, 3, 4)")}), "mixed")
            expect({self.fn}({made(dt, 138, "(5, 1, 1)")}, x), "channel")""",
                        variants=False)
        yield from self.dtype_refusals(lambda dt: f"""
            x = {made(dt, 84)}
            expect_error(REFUSED, {self.fn}, x, x)""")
        yield from self.refusal("shape", "RuntimeError", ("float32",), lambda dt: f"""
            x = normal(82, (2, 3), torch.float32)
            y = normal(83, (3, 2), torch.float32)
            expect_error(REFUSED, {self.fn}, x, y)""" + (f"""
            expect_error(REFUSED, x.{self.name}_, y)""" if "inplace" in self.op.forms else ""))


# --- three tensors --------------------------------------------------------------------------------


class Ternary(Basics):
    """The first of three is a condition where the op's domain says so."""

    def cases(self):
        for n, dt in enumerate(self.taken):
            s, small = self.seed + 10 * n + 1, dt in self.g.FLOAT8
            yield self.case(dt, "", self.rules("value", "special" if "float" in dt else "integer"), f"""
            {self.three(dt, s)}
            expect({self.call("x", "y", "z")}, "function")
            expect({self.method("x", "y", "z.t()[1:2].t()")}, "method")""")
            yield self.case(dt, "_broadcast", self.rules("value"), f"""
            {self.three(dt, s + 1, ("(4,)", "(3, 1)", "(2, 1, 1)"))}
            expect({self.call("x", "y", "z")}, "all")
            expect({self.call(self.first(dt, s + 2, "(2, 3, 1)"), "y", "z")}, "planes")
            expect({self.call(self.first(dt, s + 3, "(16,)"), "y[0]", "z[1, 0]")}, "row")
            expect({self.call(self.first(dt, s + 4, "()"), "y", "z")}, "zero_dim")
            expect({self.call(self.first(dt, s + 4, "(3, 4)"), "y", made(dt, s + 7))}, "column")""")
            yield self.case(dt, "_shapes", self.rules("value", other="tensors/S10"), f"""
            {self.three(dt, s + 2, ("()", "()", "()"))}
            expect({self.call("x", "y", "z")}, "zero_dim")
            {self.three(dt, s + 3, ("(0, 3)", "(1, 3)", "(3,)"))}
            expect({self.call("x", "y", "z")}, "empty")
            {self.three(dt, s + 4, ("(19,)", "(19,)", "(19,)"))}
            expect({self.call("x", "y", "z")}, "tail")""")
            if "inplace" in self.op.forms:
                yield self.case(dt, "_in_place", self.rules("forms", other="tensors/S5"), f"""
            {self.three(dt, s + 5, ("(3, 4)", "(4,)", "(3, 1)"))}
            v = x._version
            r = x.{self.name}_(y, z{self.more})
            expect_same(r, x)
            expect(x, "x")
            expect_equal(x._version - v, 1)""")
            if "out" in self.op.forms:
                yield self.case(dt, "_out", self.rules("forms", other="tensors/S8"), f"""
            {self.three(dt, s + 6)}
            room = torch.zeros(3, 8, dtype=torch.{dt})
            out = room[:, 1::2]
            {self.call("x", "y", "z", "out=out")}
            expect(room, "room")""")
            if "number" in self.states and not small:
                yield self.case(dt, "_numbers", self.rules("number"), "\n".join(self.numbers(dt, s + 7)))
            if dt in self.g.FLOAT:
                yield from self.floating(dt)
            for b in self.g.COMMON if "promotion" in self.states and not small else ():
                if b != dt and b in self.op.raw["dtypes"]:
                    yield self.promotion(dt, b)
        if self.once:
            yield from self.layout_and_refusals()

    def first(self, dt, seed, shape="(3, 4)", mix=""):
        return f"bools({seed}, {shape})" if self.domain == "condition" else made(dt, seed, shape, mix)

    def three(self, dt, seed, shapes=("(3, 4)",) * 3, mix="", learn=False):
        """Lines that make x, y and z."""
        wants = ".requires_grad_()" if learn else ""
        return f"""x = {self.first(dt, seed, shapes[0], mix)}{"" if self.domain else wants}
            y = {made(dt, seed + 1, shapes[1], mix)}{wants}
            z = {made(dt, seed + 2, shapes[2], mix)}{wants}"""

    def method(self, *args):
        """Of the first that is no condition."""
        args = [args[1], args[0], args[2]] if self.domain == "condition" else list(args)
        return f"{args[0]}.{self.raw['methods'][0]}({', '.join(args[1:])}{self.more})"

    def numbers(self, dt, seed):
        names = [p.name for p in self.op.params[:3]]
        yield f"x = {self.first(dt, seed)}"
        yield f"y = {made(dt, seed + 1)}"
        for name in self.raw["number"]:
            for what, number in (("int", "3"), ("float", "2.5"), ("tenth", "0.1"), ("bool", "True")):
                args = ["x", "y", "y"]
                args[names.index(name)] = number
                yield f'expect({self.call(*args)}, "{name}_{what}")'

    def promotion(self, a, b):
        return self.case(a, f"_with_{b}", self.rules("promotion", other="promotion/S1 promotion/S2"), f"""
            x = {"bools(91, (3, 4))" if self.domain else f"integers(91, (3, 4), torch.{a}, low=0, high=9)"}
            y = integers(92, (3, 4), torch.{a}, low=0, high=9)
            z = integers(93, (3, 4), torch.{b}, low=0, high=9)
            expect({self.call("x", "y", "z")}, "tensors")
            expect({self.call("x", "y", "z[0, 0]")}, "scalar")
            expect({self.call("x", "z", "y")}, "second")""")

    def floating(self, dt):
        rule, r = self.rules("gradient"), self.call("x", "y", "z")
        for mix in ("special", "extreme", "subnormal", "inf"):
            if not self.untold(dt, mix):
                yield self.case(dt, f"_{mix}", self.rules("value", "special"), f"""
            {self.three(dt, 61, ("(5, 7)",) * 3, mix)}
            expect({r}, "y")""")
        if not self.raw["differentiable"]:
            return
        learning = ["y", "z"] if self.domain else ["x", "y", "z"]
        grads = "".join(f"""
            expect({n}.grad, "{n}")""" for n in learning)
        yield self.case(dt, "_gradient", rule, f"""
            {self.three(dt, 71, learn=True)}
            {r}.backward({made(dt, 74)}){grads}""")
        yield self.case(dt, "_gradient_broadcast", rule, f"""
            {self.three(dt, 75, ("(3, 1)", "(4,)", "(2, 1, 1)"), learn=True)}
            {self.call(self.first(dt, 74, "(2, 3, 4)"), "y", "z") if self.domain else r}.backward({made(dt, 78, "(2, 3, 4)")}){grads}""")
        yield self.case(dt, "_gradient_one", rule, f"""
            {self.three(dt, 79)}
            z.requires_grad_()
            {r}.backward({made(dt, 82)})
            expect(z.grad, "last")
            w = {made(dt, 83)}.requires_grad_()
            {self.call("x", "w", "z.detach()")}.backward({made(dt, 82)})
            expect(w.grad, "second")""")
        first = learning[0]
        yield self.case(dt, "_gradient_twice", rule, f"""
            {self.three(dt, 83, learn=True)}
            r = ({r} * y * z).sum()
            (g, h) = autograd.grad(r, ({first}, z), create_graph=True)
            (g * g + h * y).sum().backward()
            expect({first}.grad, "first")
            expect(z.grad, "last")""")
        if "inplace" in self.op.forms:
            yield self.case(dt, "_gradient_in_place", self.rules("gradient", "forms"), f"""
            {self.three(dt, 86, learn=True)}
            r = x * 2
            r.{self.name}_(y, z{self.more})
            r.backward({made(dt, 89)}){grads}""")

    def layout_and_refusals(self):
        dt, wide = "float32", "(2, 3, 4, 5)"
        yield self.case(dt, "_layout", self.rules("forms"), f"""
            x = {self.first(dt, 136, wide)}.permute(0, 3, 1, 2)
            y = {made(dt, 137, wide)}.permute(0, 3, 1, 2)
            z = {made(dt, 138, "(2, 5, 3, 4)")}
            expect({self.call("x", "y", "y")}, "channels_last")
            expect({self.call("x", "z", "y")}, "first_decides")
            expect({self.call(self.first(dt, 139, "(4,)"), "y", "z")}, "row")""", variants=False)
        yield from self.dtype_refusals(lambda dt: f"""
            {self.three(dt, 84)}
            expect_error(REFUSED, {self.fn}, x, y, z)""")
        yield from self.refusal("shape", "RuntimeError", (dt,), lambda dt: f"""
            {self.three(dt, 81, ("(2, 3)", "(2, 3)", "(2, 4)"))}
            expect_error(REFUSED, {self.fn}, x, y, z)
            expect_error(REFUSED, {self.fn}, {self.first(dt, 84, "(4,)")}, y, y)""")
        yield from self.refusal("out_dtype", "RuntimeError", [d for d in ("float32", "int64") if d in self.taken],
                                lambda dt: f"""
            {self.three(dt, 85, ("(2, 3)",) * 3)}
            expect_error(REFUSED, {self.fn}, x, y, z, out=torch.zeros(2, 3, dtype=torch.float64))""")


class Predicate(Basics):
    def input(self, dt, k, shape="(5, 7)"):
        if "float" in dt:
            return made(dt, self.seed + k, shape, "special")
        return few(dt, self.seed + k, shape) if dt in ("bool", "uint8") else \
            f"integers({self.seed + k}, {shape}, torch.{dt}, low=-2, high=3)"

    def cases(self):
        fn, name = self.fn, self.name
        for dt in self.taken:
            none = {"trivial": f"{name} holds of no {dt}"} if dt in self.raw["never"] else {}
            yield self.case(dt, "", self.rules("value", "special"), f"""
            x = {self.input(dt, 1)}
            expect({fn}(x), "function")
            expect({self.input(dt, 2, "(37,)")}.{self.raw["methods"][0]}(), "tail")
            expect({fn}({self.input(dt, 3, "(3, 4, 5)")}.permute(2, 0, 1)), "permuted")""", **none)
            yield self.case(dt, "_shapes", self.rules("value", other="tensors/S10"), f"""
            expect({fn}({self.input(dt, 4, "(3,)")}[1]), "zero_dim")
            expect({fn}({self.input(dt, 5, "(0, 2)")}), "empty")""", trivial="an element at most")
            if "out" in self.op.forms:
                yield self.case(dt, "_out", self.rules("forms"), f"""
            x = {self.input(dt, 6)}
            room = torch.ones(5, 14, dtype=torch.{"bool" if "out_dtype" in self.refuses else "int8"})
            {fn}(x, out=room[:, ::2])
            expect(room, "room")""")
            if "inplace" in self.op.forms:
                yield self.case(dt, "_in_place", self.rules("forms"), f"""
            x = {self.input(dt, 7)}
            y = x[:, 1:3]
            expect_same(y.{name}_(), y)
            expect(x, "x")""")
        yield from self.dtype_refusals(lambda dt: f"""
            x = {made(dt, self.seed + 9, "(2, 3)")}
            expect_error(REFUSED, {fn}, x)""")
        yield from self.refusal("out_dtype", "RuntimeError", ("float32", "int64"), lambda dt: f"""
            x = {few(dt, self.seed + 9)}
            expect_error(REFUSED, {fn}, x, out=torch.zeros(3, 4, dtype=torch.{dt}))""")


class Comparison(Basics):
    SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

    def call(self, a, b):
        """By its sign, where it has one."""
        return f"{a} {self.SIGNS[self.name]} {b}" if self.name in self.SIGNS else f"{self.fn}({a}, {b})"

    def cases(self):
        call = self.call
        for n, dt in enumerate(dt for dt in self.taken if dt not in self.g.FLOAT8):
            s = 10 * n
            yield self.case(dt, "", self.rules("value"), f"""
            x = {few(dt, s + 1)}
            y = {few(dt, s + 2)}
            expect({self.fn}(x, y), "function")
            expect({call("x", few(dt, s + 3, "(2, 1, 4)"))}, "broadcast")""" + (f"""
            expect({call("x", 2)}, "int")
            expect({call("x", 1.5)}, "float")
            expect({call(1, "x")}, "reflected")""" if self.raw["number"] else ""))
            yield self.case(dt, "_forms", self.rules("forms"), f"""
            x = {few(dt, s + 4)}
            y = {few(dt, s + 5)}
            z = x.clone()
            z.{self.name}_(y)
            expect(z, "in_place")
            room = torch.full((3, 8), 7, dtype=torch.int8)
            out = room[:, ::2]
            {self.fn}(x, y, out=out)
            expect(room, "room")""")
            yield self.case(dt, "_shapes", self.rules("value", other="tensors/S10"), f"""
            expect({call(few(dt, s + 6, "()"), few(dt, s + 7, "()"))}, "zero_dim")
            expect({call(few(dt, s + 6, "(0, 2)"), few(dt, s + 6, "(1, 1)"))}, "empty")
            expect({call(few(dt, s + 7, "(19,)"), few(dt, s + 8, "(19,)"))}, "tail")""")
            if dt in self.g.FLOAT:
                for mix in ("special", "zero", "nan"):
                    yield self.case(dt, f"_{mix}", self.rules("value", "special"), f"""
            x = normal(71, (5, 7), torch.{dt}, mix="{mix}")
            y = normal(72, (7, 5), torch.{dt}, mix="{mix}").t()
            expect({call("x", "y")}, "two")
            expect({call("x", "x")}, "itself")""", maybe="of such numbers it may hold of none")
        yield from self.dtype_refusals(lambda dt: f"""
            x = integers(84, (3, 4), torch.{dt}, low=0, high=3)
            expect_error(REFUSED, {self.fn}, x, x)""")
        yield from self.refusal("shape", "RuntimeError", ("float32",), lambda dt: f"""
            x = normal(82, (2, 3), torch.float32)
            y = normal(83, (3, 2), torch.float32)
            expect_error(REFUSED, {self.fn}, x, y)
            expect_error(REFUSED, x.{self.name}_, y)""")


# --- along dims -----------------------------------------------------------------------------------


class Reduction(Basics):
    """Of the families whose result is an element, or where one stands."""

    MIXES = ("nan", "inf", "extreme")
    nothing = ()  # what is stated of a reduction of no elements

    def value(self, dt):
        return ("value",)

    def result(self, dt):
        return "int64" if self.raw["family"] == "reduction_index" else dt

    def made(self, dt, seed, shape="(3, 4)", mix=""):
        return made(dt, seed, shape, mix)

    def cases(self):
        made = self.made
        fn, name, where = self.fn, self.name, self.raw["family"] == "reduction_index"
        for n, dt in enumerate(dt for dt in self.taken if dt not in self.g.FLOAT8):
            s = self.seed + 20 * n
            more = "" if where else f"""
            expect(x.{name}(dim=(0, 2)), "list")
            expect(x.{name}([]), "empty_list")"""
            value = self.value(dt)
            yield self.case(dt, "", self.rules(*value, "dtype"), f"""
            x = {made(dt, s + 1, "(3, 4, 2)")}
            expect({fn}(x), "all")
            expect(x.{name}(0), "first")
            expect(x.{name}(1), "middle")
            expect(x.{name}(dim=-1), "last")
            expect(x.{name}(None), "none")""" + more)
            more = "" if where else f"""
            expect(x.{name}((2, 0), True), "list")"""
            yield self.case(dt, "_keepdim", self.rules(*value, "layout"), f"""
            x = {made(dt, s + 2, "(2, 3, 4)")}
            expect(x.{name}(1, keepdim=True), "one")
            expect(x.{name}(None, True), "all")""" + more)
            yield self.case(dt, "_shapes", self.rules(*value, "layout", *self.nothing, other="tensors/S10"), f"""
            s = {made(dt, s + 3, "()")}
            expect(s.{name}(), "zero_dim")
            expect(s.{name}(0), "zero_dim_0")
            expect(s.{name}(-1, keepdim=True), "zero_dim_kept")
            x = {made(dt, s + 4, "(2, 0, 3)")}
            expect(x.{name}(0), "empty")
            expect(x.{name}(2, keepdim=True), "empty_kept")""" + (f"""
            expect(x.{name}(), "nothing")
            expect(x.{name}(1), "of_nothing")""" if self.nothing else ""), trivial="the only element")
            yield self.case(dt, "_tail", self.rules(*value), f"""
            x = {made(dt, s + 5, "(2, 19)")}
            expect(x.{name}(1), "rows")
            expect(x.{name}(0), "columns")
            expect(x[:, 1::3].{name}(1), "steps")""")
            yield self.case(dt, "_permuted", self.rules(*value, "layout"), f"""
            x = {made(dt, s + 6, "(2, 3, 4)")}.permute(2, 0, 1)
            expect(x.{name}(), "all")
            expect(x.{name}(1), "middle")
            expect(x.{name}(0, keepdim=True), "kept")""")
            yield self.case(dt, "_out", self.rules(*value, other="tensors/S8"), f"""
            x = {made(dt, s + 7)}
            room = torch.ones(8, dtype=torch.{self.result(dt)})
            out = room[::2]
            {fn}(x, 0, out=out)
            expect(room, "room")""")
            if dt in self.g.INT:
                yield self.case(dt, "_extreme", self.rules("value", "integer"), f"""
            x = {made(dt, s + 8, "(4, 5)", "extreme")}
            expect(x.{name}(1), "rows")
            expect(x.{name}(), "all")""")
            for mix in self.MIXES if dt in self.g.FLOAT else ():
                yield self.case(dt, f"_{mix}", self.rules("value", "special"), f"""
            x = {made(dt, 71, "(6, 4)", mix)}
            expect(x.{name}(1), "rows")
            expect(x.{name}(0), "columns")
            expect(x.{name}(), "all")""")
        yield from self.refusals(where)

    def refusals(self, where):
        fn = self.fn
        yield from self.refusal("dim", "IndexError", ("float32",), lambda dt: f"""
            x = normal(81, (2, 3), torch.float32)
            expect_error(REFUSED, {fn}, x, 2)
            expect_error(REFUSED, {fn}, x, -3)
            expect_error(REFUSED, {fn}, x[0, 0], 1)""")
        yield from self.refusal("twice", "RuntimeError", ("float32",), lambda dt: f"""
            x = normal(82, (2, 3), torch.float32)
            expect_error(REFUSED, {fn}, x, (0, 0))
            expect_error(REFUSED, {fn}, x, (1, -1))""")
        yield from self.refusal("empty", "IndexError" if where else "RuntimeError", ("float32",),
                                lambda dt: f"""
            x = normal(83, (2, 0, 3), torch.float32)
            expect_error(REFUSED, {fn}, x)""" + (f"""
            expect_error(REFUSED, {fn}, x, 1)
            expect_error(REFUSED, {fn}, x, -2, keepdim=True)""" if where else f"""
            expect_error(REFUSED, {fn}, x, [])"""))
        yield from self.refusal("empty_dim", "IndexError", ("float32",), lambda dt: f"""
            x = normal(84, (2, 0, 3), torch.float32)
            expect_error(REFUSED, {fn}, x, 1)
            expect_error(REFUSED, {fn}, x, (0, 1))
            expect_error(REFUSED, {fn}, x, (0, -2), keepdim=True)""")
        yield from self.dtype_refusals(lambda dt: f"""
            x = {made(dt, 91, "(2, 3)")}
            expect_error(REFUSED, {fn}, x)
            expect_error(REFUSED, {fn}, x, 0)""")
        yield from self.out_refusal()

    def out_refusal(self):
        yield from self.refusal("out_dtype", "RuntimeError", ("float32", "int8"), lambda dt: f"""
            x = {made(dt, 85, "(2, 3)")}
            expect_error(REFUSED, {self.fn}, x, 0, out=torch.zeros(3, dtype=torch.float64))
            expect_error(REFUSED, {self.fn}, x, 0, out=torch.zeros(3, dtype=torch.int32))""")


class Deciding(Reduction):
    """Of a reduction to bool."""

    MIXES = ("nan", "inf", "zero", "subnormal")
    nothing = ("nothing",)

    def made(self, dt, seed, shape="(3, 4)", mix=""):
        """0 and 1, so often that lines differ."""
        if mix and dt in self.g.FLOAT:
            return made(dt, seed, shape, mix)
        return zeros_and_ones(dt, seed, shape, mostly=self.name == "all")

    def result(self, dt):
        return "uint8" if dt == "uint8" else "bool"

    def out_refusal(self):
        yield from self.refusal("out_dtype", "RuntimeError", self.taken, lambda dt: "".join(f"""
            expect_error(REFUSED, {self.fn}, {few(dt, 85, "(2, 3)")}, 0, out=torch.zeros(3, dtype=torch.{to}))"""
                                for to in ("float32", "int64", "int8")))


class Folding(Reduction):
    """Of a reduction whose computing dtype may be given."""

    MIXES = ("nan", "inf", "zero", "subnormal")
    nothing = ("nothing",)

    def value(self, dt):
        return ("value",) if dt in self.g.FLOAT else ("value", "integer")

    def result(self, dt):
        return dt if dt in self.g.FLOAT else "int64"

    def cases(self):
        yield from super().cases()
        for a in self.taken:
            for b in self.taken:
                yield self.case(a, f"_as_{b}", self.rules("dtype", *self.value(b)[1:]), f"""
            x = integers(501, (6, 2), torch.{a}, low=0, high={2 if b == "bool" else 3})
            expect({self.fn}(x, dtype=torch.{b}), "all")
            expect(x.{self.name}(1, dtype=torch.{b}), "rows")""")
        for dt in self.ops_float:
            yield self.case(dt, "_out_dtype", self.rules("dtype"), f"""
            x = integers(504, (3, 4), torch.float32, low=0, high=9)
            out = torch.zeros(4, dtype=torch.{dt})
            {self.fn}(x, 0, out=out)
            expect(out, "out")""")
            if self.raw["differentiable"]:
                yield from self.gradient(dt)

    def gradient(self, dt):
        rule, name = self.rules("gradient"), self.name
        yield self.case(dt, "_gradient", rule, f"""
            x = {made(dt, self.seed + 406)}.requires_grad_()
            (x.{name}() * 8 + (x.{name}(0) * {made(dt, self.seed + 407, "(4,)")}).sum()).backward()
            expect(x.grad, "x")""")
        yield self.case(dt, "_gradient_dims", rule, f"""
            x = {made(dt, self.seed + 408, "(2, 3, 4)")}.requires_grad_()
            x.{name}((0, -1)).backward({made(dt, self.seed + 409, "(3,)")})
            expect(x.grad, "x")""")
        yield self.case(dt, "_gradient_keepdim", rule, f"""
            x = {made(dt, self.seed + 410, "(2, 3, 4)")}.requires_grad_()
            x.{name}((1, 2), keepdim=True).backward({made(dt, self.seed + 411, "(2, 1, 1)")})
            expect(x.grad, "x")""")
        yield self.case(dt, "_gradient_shapes", self.rules("gradient", other="tensors/S10"), f"""
            x = {made(dt, self.seed + 412, "()")}.requires_grad_()
            (x.{name}() * x.{name}(0) * 3).backward()
            expect(x.grad, "zero_dim")
            e = {made(dt, self.seed + 413, "(0, 3)")}.requires_grad_()
            e.{name}().backward()
            expect(e.grad, "empty")""")
        yield self.case(dt, "_gradient_twice", rule, f"""
            x = {made(dt, self.seed + 414)}.requires_grad_()
            (gx,) = autograd.grad((x.{name}(1) * (x * x).{name}(1)).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(x.grad, "x")""")
        yield self.case(dt, "_gradient_dtype", rule, f"""
            x = {made(dt, self.seed + 415)}.requires_grad_()
            y = x.{name}(0, dtype=torch.float64)
            y.backward(normal({self.seed + 416}, (4,), torch.float64))
            expect(x.grad, "x")""")

    def dtype_refusals(self, call):
        whole = () if "floating" not in self.refuses else self.g.COMMON
        yield from self.refusal("dtype", "NotImplementedError",
                                [dt for dt in self.g.ALL if dt not in (*self.taken, *whole)], call)

    def refusals(self, where):
        fn = self.fn
        yield from super().refusals(where)
        yield from self.refusal("floating", "NotImplementedError",
                                [dt for dt in self.g.COMMON if dt not in self.taken], lambda dt: f"""
            x = {made(dt, 92)}
            expect_error(REFUSED, {fn}, x)
            expect_error(REFUSED, {fn}, x, 0, dtype=torch.{dt})
            expect({fn}(x, dtype=torch.float32), "y")""")

    def out_refusal(self):
        yield from self.refusal("out_dtype", "RuntimeError", ("float32",), lambda dt: f"""
            x = {made(dt, 85, "(2, 3)")}
            expect_error(REFUSED, {self.fn}, x, 0, dtype=torch.float64, out=torch.zeros(3))""")


class Scan(Basics):
    def input(self, dt, k, shape="(3, 4)"):
        """Small numbers of both signs, so that running values neither cancel nor overflow."""
        if self.domain == "factor":
            return calls.factors(dt, self.seed + k, shape, 0.25)
        if dt in self.g.FLOAT:
            return f"normal({self.seed + k}, {shape}, torch.{dt})"
        return made(dt, self.seed + k, shape)

    def cases(self):
        fn, name = self.fn, self.name
        for dt in (dt for dt in self.g.COMMON):
            rule = self.rules("value") if dt in self.g.FLOAT else self.rules("value", "integer",
                                                                          "dtype")
            yield self.case(dt, "", rule, f"""
            x = {self.input(dt, 1, "(3, 4, 2)")}
            expect({fn}(x, 0), "first")
            expect(x.{name}(1), "middle")
            expect(x.{name}(dim=-1), "last")
            expect({fn}(x.permute(2, 0, 1), 1), "permuted")""")
            yield self.case(dt, "_tail", rule, f"""
            x = {self.input(dt, 2, "(2, 19)")}
            expect({fn}(x, 1), "rows")
            expect({fn}(x.t(), 0), "columns")""")
            yield self.case(dt, "_shapes", self.rules("value", "layout", other="tensors/S10"), f"""
            expect({fn}({self.input(dt, 3, "()")}, -1), "zero_dim")
            expect({fn}({self.input(dt, 4, "(2, 0, 3)")}, 1), "empty")
            expect({fn}({self.input(dt, 5, "(5, 1)")}, 1), "one")""")
            for to in ("float64", "float32", "int32", "uint8"):
                if dt in self.g.FLOAT and to not in self.g.FLOAT:
                    continue
                yield self.case(dt, f"_as_{to}", self.rules("dtype"), f"""
            x = {few(dt, self.seed + 6)}
            expect({fn}(x, 1, dtype=torch.{to}), "y")""")
            if dt in self.taken:
                yield from self.forms(dt)
            if dt in self.g.FLOAT:
                yield from self.floating(dt)
        yield from self.refusals()

    def forms(self, dt):
        yield self.case(dt, "_in_place", self.rules("dtype"), f"""
            x = {self.input(dt, 7)}
            y = x[:, 1:3]
            z = y.{self.name}_(0)
            expect_same(z, y)
            expect(x, "x")""")
        yield self.case(dt, "_out", self.rules("dtype"), f"""
            x = {self.input(dt, 8)}
            room = torch.zeros(4, 6, dtype=torch.{dt})
            out = room[:, ::2].t()
            {self.fn}(x, 1, out=out)
            expect(room, "room")
            {self.fn}(x, 0, out=x)
            expect(x, "own")""")

    def floating(self, dt):
        for mix in ("nan", "inf"):
            yield self.case(dt, f"_{mix}", self.rules("value", "special"), f"""
            x = normal({self.seed + 9}, (5, 7), torch.{dt}, mix="{mix}")
            expect({self.fn}(x, 1), "y")""")
        rule = self.rules("gradient")
        yield self.case(dt, "_gradient", rule, f"""
            x = {self.input(dt, 10)}.requires_grad_()
            {self.fn}(x, 1).backward({made(dt, self.seed + 11)})
            expect(x.grad, "last")
            y = {self.input(dt, 12, "(4, 3, 2)")}.requires_grad_()
            {self.fn}(y, -2).backward({made(dt, self.seed + 13, "(4, 3, 2)")})
            expect(y.grad, "middle")
            z = {self.input(dt, 14, "()")}.requires_grad_()
            {self.fn}(z, 0).backward({made(dt, self.seed + 15, "()")})
            expect(z.grad, "zero_dim")""")
        yield self.case(dt, "_gradient_twice", rule, f"""
            x = {self.input(dt, 16)}.requires_grad_()
            y = {self.fn}(x, 0)
            (gx,) = autograd.grad((y * y * x).sum(), (x,), create_graph=True)
            (gx * gx).sum().backward()
            expect(gx, "gx")
            expect(x.grad, "x")""")
        yield self.case(dt, "_gradient_in_place", rule, f"""
            x = {self.input(dt, 17)}.requires_grad_()
            z = x * 1
            z.{self.name}_(1)
            z.backward({made(dt, self.seed + 18)})
            expect(x.grad, "x")""")

    def refusals(self):
        yield from self.refusal("dim", "IndexError", ("float32",), lambda dt: f"""
            x = normal({self.seed + 19}, (2, 3), torch.{dt})
            expect_error(REFUSED, {self.fn}, x, 2)
            expect_error(REFUSED, {self.fn}, x, dim=-3)
            expect_error(REFUSED, {self.fn}, x[0, 0], 1)""")
        missing = [dt for dt in self.g.ALL if dt not in self.taken]
        yield from self.refusal("dtype", "NotImplementedError", missing, lambda dt: f"""
            x = {made(dt, self.seed + 19, "(2, 3)")}
            expect_error(REFUSED, {self.fn}, x, 0, dtype=torch.{dt})
            expect_error(REFUSED, x.{self.name}_, 0)""")
        yield from self.refusal("out_dtype", "RuntimeError", ("float32", "int64"), lambda dt: f"""
            x = {made(dt, self.seed + 19, "(2, 3)")}
            expect_error(REFUSED, {self.fn}, x, 0, dtype=torch.{dt},
                         out=torch.zeros(2, 3, dtype=torch.float64))
            expect_error(REFUSED, x.{self.name}_, 0, dtype=torch.float64)""")


PROGRAMS = {"unary_float": Unary, "unary_same": Unary, "binary": Binary, "comparison": Comparison,
            "binary_float": Binary, "ternary": Ternary, "predicate": Predicate, "reduction": Folding,
            "reduction_same": Reduction, "reduction_index": Reduction, "reduction_bool": Deciding, "scan": Scan}


def page_names():
    """The pages with an op that has basic programs."""
    return sorted({op.page for page in spec_pages.read_all(SPEC).values() for op in page.ops
                   if op.raw.get("states")})


def cases(g):
    """The basic programs of the ops of g's page."""
    path = SPEC / "ops" / f"{g.page}.md"
    ops = spec_pages.read_page(path).ops if path.exists() else []
    for n, op in enumerate(ops):
        if not op.raw.get("states"):
            continue
        if op.raw["family"] not in PROGRAMS:
            sys.exit(f"{path}: {op.name} states rules, but golden/basics.py has no programs for "
                     f"{op.raw['family']}")
        for again in (None, *op.raw["again"]):
            family = op.raw["again"].get(again, {}).get("family", op.raw["family"])
            yield from PROGRAMS[family](g, op, 20 * n, again).cases()
