# SPDX-License-Identifier: Apache-2.0
"""What the ops of a family share: the one table that generators, golden programs and adapters read.

An [[op]] with family = "<name>" has tsi_family_<name> (ref/family) for its api function; `refuses`
says which of its page's C labels stand for which of the family's checks. With api = "own" the page
has an api function of its own, which mostly calls the family's and then checks what is special.
"""
import re
from dataclasses import dataclass

# The checks that a page may give labels, by TSI_REFUSES_<NAME> of ref/family/family.h.
REFUSES = ("shape", "dtype", "bool", "out_dtype", "dim", "twice", "empty", "empty_dim", "floating",
           "gradient_inplace")
# What `states` gives the page's rules for: golden/basics.py writes programs for each.
# A state that is not said is `value`; without `number` and `promotion` there are none of these.
STATES = ("value", "integer", "bool", "special", "dtype", "layout", "forms", "gradient", "number",
          "promotion", "nothing")
# What the programs of an entry of `again` may have different: the call's further arguments first.
AGAIN = ("call", "states", "family", "dtypes", "bound", "untold")


@dataclass(frozen=True)
class Family:
    refuses: tuple   # of REFUSES, those that its api function knows
    gradcheck: tuple = ()  # rows of a differentiable op that has none of its own
    vjp: bool = False  # tsi_family_vjp_<name> is there, for ops with vjp = "family"
    jvp: str = ""    # how a page's jvp and vmap arise unless it says otherwise
    vmap: str = ""


FAMILIES = {
    # one element in, one out: a real function, integers become float32
    "unary_float": Family(("dtype", "gradient_inplace"), ("s2x3", "inplace: s2x3"), jvp="elementwise",
                          vmap="pointwise"),
    # the same, in self's dtype
    "unary_same": Family(("dtype", "bool", "out_dtype"), ("s2x3", "inplace: s2x3"),
                         jvp="elementwise", vmap="pointwise"),
    # the same, and the result is bool
    "predicate": Family(("dtype", "out_dtype"), vmap="pointwise"),
    # two tensors broadcast and promoted
    "binary": Family(("shape", "dtype", "bool"), ("s2x1 s3", "inplace: s2x3 s3"), jvp="elementwise",
                     vmap="pointwise"),
    # the same, and integers become float32
    "binary_float": Family(("shape", "dtype"), ("s2x1 p3", "inplace: s2x3 p3"), jvp="elementwise",
                           vmap="pointwise"),
    # three tensors broadcast and promoted
    "ternary": Family(("shape", "dtype", "bool", "out_dtype"), ("s2x1 s3 s2x3", "inplace: s2x3 s3 s2x1"),
                      jvp="elementwise", vmap="pointwise"),
    # of two again, and the result is bool
    "comparison": Family(("shape", "dtype"), ("inplace: s2x3 s3",), vjp=True, vmap="pointwise"),
    # (self, int[]? dim, bool keepdim, *, dtype): the computing dtype may be given; with `floating`
    # it has to be one, else integers add up in int64
    "reduction": Family(("dim", "twice", "dtype", "out_dtype", "floating"), ("s2x3 [1]", "s2x3"),
                        jvp="linear", vmap="reduce"),
    # (self, int[]? dim, bool keepdim): one of the elements, in self's dtype
    "reduction_same": Family(("dim", "twice", "dtype", "out_dtype", "empty", "empty_dim"),
                             ("s2x3 [1] true", "s2x3"), vmap="reduce"),
    # (self, int? dim, bool keepdim): where it stands, as int64
    "reduction_index": Family(("dim", "dtype", "out_dtype", "empty"), vmap="reduce"),
    # (self, int[]? dim, bool keepdim): to bool, of uint8 to uint8
    "reduction_bool": Family(("dim", "twice", "out_dtype"), vmap="reduce"),
    # (self, int dim, *, dtype): each element of a line from those before it
    "scan": Family(("dim", "dtype", "out_dtype"), ("s2x3 1", "s2x3 0"), vjp=True, jvp="linear", vmap="reduce"),
}


def check(op, rules, where, error):
    """Raise error(text) where op's keys do not fit its family or name no rule of its page."""
    name, refuses = op.raw.get("family"), op.raw.get("refuses", {})
    if name is None:
        if refuses:
            raise error(f"{where}: {op.name}: refuses is for ops of a family")
        return
    if name not in FAMILIES:
        raise error(f"{where}: {op.name}: no family {name!r} in spec/gen/families.py")
    if op.raw.get("vjp") == "family" and not FAMILIES[name].vjp:
        raise error(f"{where}: {op.name}: {name} has no derivative of its own")
    for what in refuses:
        if what not in FAMILIES[name].refuses:
            raise error(f"{where}: {op.name}: {name} refuses nothing for its {what!r}")
    states = [op.raw["states"], *(a.get("states", {}) for a in op.raw["again"].values())]
    for what in {what for table in states for what in table}:
        if what not in STATES:
            raise error(f"{where}: {op.name}: states: {what!r} is none of {STATES}")
    for what in {key for a in op.raw["again"].values() for key in a}:
        if what not in AGAIN:
            raise error(f"{where}: {op.name}: again: {what!r} is none of {AGAIN}")
    for label in [*refuses.values(), *(label for table in states for label in table.values())]:
        if not set(label.split()) <= set(rules):
            raise error(f"{where}: {op.name}: {label} is no rule of the page")


def of(op):
    return FAMILIES.get(op.raw.get("family"))


def gradchecks(op):
    """The family's rows for an op, in the forms that it has, in its domain."""
    sign = {"positive": "p", "unit": "u", "beyond": "b"}.get(op.raw.get("domain"), "s")
    for row in of(op).gradcheck if of(op) else ():
        form, colon, arguments = row.rpartition(": ")
        if (form or "functional") in op.forms and (not form or f"gradient_{form}" not in op.raw["refuses"]):
            yield form + colon + re.sub(r"\bs(?=\d)", sign, arguments)
