# SPDX-License-Identifier: Apache-2.0
"""Programs from their tree (spec/areas/pipe.md), as far as they are straight lines.

An adapter gives its tensors and ops; a statement or expression that is not here is unsupported.
"""
import operator

from peer import Unsupported

BINARY = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
PYTHON = {"+": operator.add, "-": operator.sub, "*": operator.mul, "==": operator.eq}
INPUTS = ("normal", "uniform", "integers", "bools", "permutation", "distinct", "data")


class Dtype(str):
    """torch.float32, by its name."""


class Program:
    """An adapter's own class adds Tensor, OPS, item, attribute, next_input and expectations."""

    def __init__(self, inputs, answers):
        self.inputs, self.used, self.answers, self.names = list(inputs), [], answers, {}

    def lacks(self, what):
        raise Unsupported(what, "this adapter has it not")

    def run(self, tree):
        for _, kind, *parts in tree:
            if kind == "assign" and parts[0][0] == "name":
                self.names[parts[0][1]] = self.value(parts[1])
            elif kind == "expression":
                self.value(parts[0])
            else:
                self.lacks(f"statement {kind}")

    def value(self, node):
        kind, *parts = node
        method = getattr(self, "on_" + kind, None)
        return method(*parts) if method else self.lacks(f"expression {kind}")

    def on_const(self, v):
        return float(v["float"]) if isinstance(v, dict) else v

    def on_dtype(self, name):
        return Dtype(name)

    def on_name(self, name):
        return self.names[name]

    def on_tuple(self, items):
        return tuple(self.value(i) for i in items)

    def on_list(self, items):
        return [self.value(i) for i in items]

    def on_slice(self, *parts):
        return slice(*[None if p is None else self.value(p) for p in parts])

    def on_ellipsis(self):
        return ...

    def on_index(self, of, index):
        of, index = self.value(of), self.value(index)
        parts = index if isinstance(index, tuple) else (index,)
        if not isinstance(of, self.Tensor) or any(isinstance(i, (self.Tensor, list))
                                                  for i in parts):
            self.lacks("indexing")
        return self.item(of, index)

    def on_unary(self, op, x):
        x = self.value(x)
        if op != "-":
            self.lacks("operator " + op)
        return self.OPS["neg"](x) if isinstance(x, self.Tensor) else -x

    def on_binary(self, op, a, b, names=BINARY):
        a, b = self.value(a), self.value(b)
        if isinstance(a, self.Tensor) or isinstance(b, self.Tensor):
            return self.OPS[names[op]](a, b) if op in names else self.lacks("operator " + op)
        return PYTHON[op](a, b) if op in PYTHON else self.lacks("operator " + op)

    def on_compare(self, op, a, b):
        return self.on_binary(op, a, b, COMPARE)

    def on_attribute(self, of, name):
        of = self.value(of)
        return self.attribute(of, name) if isinstance(of, self.Tensor) else self.lacks(name)

    def on_call(self, f, args, keywords):
        args = [self.value(a) for a in args]
        if f[0] == "attribute":
            args, name = [self.value(f[1])] + args, f[2]
        elif f[0] == "function":
            name = f[1].rpartition(".")[2]
        else:
            self.lacks("functions")
        if name in INPUTS:
            return self.next_input()
        if name.startswith("expect"):
            return getattr(self, name, lambda *a: self.lacks(name))(*args)
        if keywords or name not in self.OPS or not isinstance(args[0], self.Tensor):
            self.lacks(name if name not in self.OPS else "keywords")
        return self.OPS[name](*args)
