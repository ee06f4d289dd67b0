# SPDX-License-Identifier: Apache-2.0
"""First-order error models of the aten ops: how each op's lanes follow and are disturbed.

One rule per class of op, none per case; an op's class stands on its page, as `bound`. Fused ops are taken apart in the disturbed lanes,
each step disturbed at the accumulator's unit; an op that stands nowhere here goes through PyTorch's
own decomposition, or is refused.
"""
import copy
import math
import sys
from pathlib import Path

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from floats import BITS, F32, F64, LEAST, MAX, UNIT, lossless
from program import Refused
from wider import WIDER, wider

aten = torch.ops.aten

# --- what is known of each op -----------------------------------------------------------------

# What `bound = "…"` on an op's page may say of how its result is rounded. The mathematics of each
# class stands below, once; an op of a class needs nothing here but its page. Ops taken apart step by
# step have a class of their own, by the names of the functions that are a @model.
CLASSES = {
    "exact",           # no float comes out, or none that was computed
    "pointwise_move",  # picks values element by element: no rounding, whatever the dtype
    "move",            # moves or picks whole elements: no rounding
    "factory",         # makes elements that depend on no element
    "drawn",           # makes elements that depend on the generator alone, and the rules fix how
    "arithmetic",      # one rounding of two operands, fixed by IEEE 754 where the program asked for it
    "function",        # elementwise, two units of the accumulator
    "one_rounding",    # elementwise, one unit
    "step",            # piecewise constant in its float arguments: a choice, like a comparison
    "periodic",
    "sum",             # linear in its float arguments, added in the accumulator
    "scattered_sum",   # a sum whose order is free, partial results held in the result's own dtype
}
# Ops of aten that stand on no page; a page has the last word.
ELSEWHERE = {
    "pointwise_move": "masked_fill maximum minimum clamp clamp_min clamp_max fmax fmin positive "
                      "copysign",
    "move": "contiguous stack index slice_scatter select_scatter as_strided_scatter "
            "diagonal_scatter repeat roll flip tril triu constant_pad_nd take masked_select topk max "
            "min scatter index_copy index_fill index_put unfold_copy view_copy kthvalue median "
            "split_with_sizes_copy unbind_copy take_along_dim masked_scatter masked_scatter_backward cummax cummin "
            "_unsafe_index reduced_amax reduced_amin expand_copy permute_copy transpose_copy t_copy diag_embed narrow_copy "
            "unsafe_split unsafe_chunk rot90 block_diag",
    "exact": "_unique",
    "factory": "empty_strided new_empty_strided scalar_tensor eye lift_fresh resize set tril_indices "
               "triu_indices _efficientzerotensor detach alias "
               "_new_zeros_with_same_feature_meta",
    "arithmetic": "true_divide",
    "function": "exp2 expm1 log2 log10 log1p rsqrt sigmoid sin cos tan sinh cosh asin acos atan "
                "atan2 erf erfc pow hypot",
    "one_rounding": "square ldexp",
    "step": "floor ceil round trunc sign",
    "periodic": "remainder fmod frac",
    "sum": "nansum vdot trace nll_loss2d_backward linear",
    "scattered_sum": "_index_put_impl index_put_accumulate as_strided_scatter_add unfold_backward reduced_sum",
    "reduced_prod": "reduced_prod", "reduced_mean": "reduced_mean",
    "safe_softmax": "_safe_softmax", "mse_loss_backward": "mse_loss_backward", "xlogy": "xlogy",
    "nll_loss": "nll_loss2d_forward", "sigmoid_backward": "sigmoid_backward",
}


def known_classes():
    """{aten op: class}, by the pages and ELSEWHERE."""
    spec = Path(__file__).resolve().parent.parent / "spec"
    sys.path.append(str(spec / "gen"))
    import pages
    out = {op: c for c, ops in ELSEWHERE.items() for op in ops.split()}
    for page in pages.read_all(spec).values():
        out.update((op.name.removesuffix("_"), op.raw["bound"]) for op in page.ops
                   if op.raw.get("bound"))
    return out


CLASS = known_classes()


def of_class(name):
    return {op for op, c in CLASS.items() if c == name}


MOVES_POINTWISE, MOVES, FACTORIES = map(of_class, ("pointwise_move", "move", "factory"))
EXACT = of_class("exact")
DRAWN, NORMALS = map(of_class, ("drawn", "normal"))
ADDED = of_class("product_added")
STEPS, PERIODIC = of_class("step"), of_class("periodic")
SUMS, SCATTERED = of_class("sum"), of_class("scattered_sum")
ARITHMETIC = dict.fromkeys(of_class("arithmetic"), 1)
FUNCTIONS = {**dict.fromkeys((*of_class("function"), *of_class("power")), 2), **dict.fromkeys(of_class("one_rounding"), 1)}
# What glibc or CUDA documents as off by two ulps in float64. An ulp is one unit of a number just below a power of two
# and two of one just above.
TWO_ULPS = {"tanh", "sinh", "cosh", "tan", "asin", "acos", "atan"}
# The Python functions by which a program asks for arithmetic itself.
DIRECT = {"add", "add_", "__add__", "__radd__", "__iadd__", "sub", "sub_", "__sub__", "__isub__",
          "rsub", "__rsub__", "subtract", "subtract_", "mul", "mul_", "__mul__", "__rmul__",
          "__imul__", "multiply", "multiply_", "div", "div_", "__div__", "__truediv__",
          "__itruediv__", "__idiv__", "true_divide", "true_divide_", "divide", "divide_",
          "__floordiv__", "__ifloordiv__", "__mod__", "__imod__", "remainder", "remainder_",
          "fmod", "fmod_", "floor_divide", "floor_divide_"}
# In-place forms that change the tensor's geometry and no element.
VIEWS_IN_PLACE = {"squeeze", "unsqueeze", "transpose", "t", "as_strided"}
# aten's name for what an op page calls otherwise; "" is no op of any page.
NAMES = {"_softmax": "softmax", "_log_softmax": "log_softmax", "native_layer_norm": "layer_norm",
         "nll_loss_forward": "cross_entropy", "nll_loss2d_forward": "cross_entropy",
         "nll_loss2d_backward": "cross_entropy", "_to_copy": "to", "_local_scalar_dense": "item",
         "_softmax_backward_data": "softmax", "_log_softmax_backward_data": "log_softmax",
         "_safe_softmax": "scaled_dot_product_attention",
         "_scaled_dot_product_flash_attention_for_cpu": "scaled_dot_product_attention",
         "_scaled_dot_product_flash_attention_for_cpu_backward": "scaled_dot_product_attention",
         "native_layer_norm_backward": "layer_norm", "gelu_backward": "gelu",
         "silu_backward": "silu", "leaky_relu_backward": "leaky_relu", "softplus_backward": "softplus",
         "xlogy": "kl_div", "mse_loss_backward": "mse_loss",
         "threshold_backward": "relu", "tanh_backward": "tanh",
         "nll_loss_backward": "cross_entropy", "embedding_dense_backward": "embedding",
         "slice_backward": "slice", "select_backward": "select", "diagonal_backward": "diagonal", "_unsafe_view": "view",
         "_reshape_alias": "reshape", "t": "transpose", "lift_fresh": "", "alias": "",
         "scalar_tensor": "", "empty_strided": "empty", "new_empty_strided": "empty",
         "zero": "fill_", "fill": "fill_", "copy": "copy_", "rsub": "sub", "is_nonzero": "item",
         "zeros_like": "zeros", "ones_like": "ones", "empty_like": "empty", "full_like": "full",
         "new_zeros": "zeros", "new_ones": "ones", "new_empty": "empty", "new_full": "full",
         "set": "", "resize": ""}


class Info:
    """What a schema says: computed once per overload."""

    def __init__(self, func):
        schema = func._schema
        self.packet = func._schema.name.split("::")[1]
        self.name = self.packet[:-1] if self.packet.endswith("_") and \
            not self.packet.endswith("__") else self.packet
        self.writes = [(i, a.name, a.kwarg_only) for i, a in enumerate(schema.arguments)
                       if a.alias_info is not None and a.alias_info.is_write]
        self.arguments = [a.name for a in schema.arguments]
        self.needs = NAMES.get(self.name, self.name)
        # transpose_ and its kind; and what forward mode asks of two storages
        self.geometry = torch.Tag.inplace_view in func.tags or self.name == "_has_same_storage_numel"


    def named(self, name):
        """The same with the error model of another op."""
        other = copy.copy(self)
        other.name = name
        return other


INFO = {}


def info(func):
    i = INFO.get(func)
    if i is None:
        i = INFO[func] = Info(func)
    return i


def tensors(x, out=None):
    """Every tensor among arguments, at any depth."""
    out = [] if out is None else out
    if isinstance(x, torch.Tensor):
        out.append(x)
    elif isinstance(x, (tuple, list)):
        for v in x:
            tensors(v, out)
    elif isinstance(x, dict):
        for v in x.values():
            tensors(v, out)
    return out


def replace(x, fn):
    if isinstance(x, torch.Tensor):
        return fn(x)
    if isinstance(x, (tuple, list)):
        return type(x)(replace(v, fn) for v in x)
    if isinstance(x, dict):
        return {k: replace(v, fn) for k, v in x.items()}
    if isinstance(x, torch.dtype) and x.is_floating_point:
        return F64
    return x


def key(t):
    return t.untyped_storage()._cdata


def floating(t):
    return t.dtype.is_floating_point


def exact_operand(v, dtype):
    """Whether a number or a 0-dim tensor enters arithmetic of `dtype` without a rounding of its
    own. 2.15.0 rounds it to `dtype` first or keeps it in the accumulator's precision, depending on
    the op and the order of operands."""
    if isinstance(v, torch.Tensor):
        if v.dim() or v.dtype == dtype or v.dtype == torch.bool or not dtype.is_floating_point:
            return True
        v = v.detach().item()
    if isinstance(v, bool) or not isinstance(v, (int, float)) or not dtype.is_floating_point:
        return True
    if isinstance(v, float) and not math.isfinite(v):
        return True
    if isinstance(v, int) and abs(v) > 2 ** 53:
        return False
    return float(torch.tensor(float(v), dtype=F64).to(dtype)) == float(v)


def alike(a, b):
    """Equality in which a NaN equals a NaN."""
    return a.shape == b.shape and bool(((a == b) | (torch.isnan(a) & torch.isnan(b))).all())


def common_dtype(args):
    """The dtype that two operands of an elementwise op are computed in."""
    a, b = args[0], args[1]
    if not isinstance(b, (torch.Tensor, bool, int, float)):
        return a.dtype
    d = torch.result_type(a, b)
    return d if d.is_floating_point else F32


# --- what the pages leave open ------------------------------------------------------------------

FIRST_OR_SECOND = {"maximum", "minimum", "fmax", "fmin"}


def beyond(x, dtype):
    """Whether a tensor has values whose truncation the integer dtype cannot hold."""
    if not floating(x) or dtype.is_floating_point or dtype == torch.bool:
        return False
    v, limits = x.detach().to(F64), torch.iinfo(dtype)
    return not bool((((v > float(limits.min) - 1) | (v == limits.min)) & (v < float(limits.max) + 1)).all())


def opposite_zeros(a, b):
    """Whether somewhere a zero meets one of the other sign."""
    if not all(isinstance(v, torch.Tensor) for v in (a, b)) or not (floating(a) or floating(b)):
        return False
    a, b = (v.detach().to(F64) for v in (a, b))
    return bool(((a == 0) & (b == 0) & (a.signbit() != b.signbit())).any())


def left_open(name, args, kwargs, outs):
    """Why some elements of an op's results are anybody's choice, or None."""
    if name in FIRST_OR_SECOND and opposite_zeros(args[0], args[1]):
        return f"{name} of two zeros of both signs: either (minmax)"
    if name in ("copy", "fill"):
        value = torch.tensor(args[1], dtype=F64) if isinstance(args[1], float) else args[1]
        cast = isinstance(value, torch.Tensor) and beyond(value, args[0].dtype)
    else:
        cast = kwargs.get("dtype") is not None and isinstance(args[0] if args else None, torch.Tensor) and \
            outs and beyond(args[0], outs[0].dtype)
    return "a float beyond an integer dtype's range: its cast is left open (to/S5)" if cast else None


# --- following one op ---------------------------------------------------------------------------


class Shadow:
    """One op on the lanes. `t` is the Truth that holds them."""

    def __init__(self, t, func, i, args, kwargs, inside, reads_rounded):
        self.t, self.func, self.i, self.args, self.kwargs = t, func, i, args, kwargs
        self.inside, self.reads_rounded = inside, reads_rounded
        self.into = None  # the dtype that a move moves into
        self.given = tensors((args, kwargs))
        if i.name in NORMALS:  # which are drawn once more, in float64
            g = kwargs.get("generator") or torch.default_generator
            self.state = g.get_state()

    def follow(self, out):
        if any(key(x) in self.t.coarse for x in self.given):
            self.t.coarse.update(key(o) for o in tensors(out) if o.dtype == F64)
        outs = tensors(out)
        name = self.i.name
        if not self.i.writes:
            held = {key(x) for x in self.given}
            if outs and all(key(o) in held for o in outs):
                return  # a view: its storage has the lanes already
        elif name in VIEWS_IN_PLACE:
            return
        if not outs:
            if self.reads_rounded:
                self.choose(out)
            return
        if name in FACTORIES and not self.i.writes:
            return
        picked = [o for o in outs if not floating(o)]
        if picked and self.reads_rounded:
            self.choose(out)
        real = [(p, o) for p, o in enumerate(outs) if floating(o)]
        if not real:
            return
        if name in STEPS or (name == "div" and self.kwargs.get("rounding_mode")):
            self.choose(out)
            for _, o in real:
                if not self.t.exact(o):
                    self.t.place(o, o.detach().to(F64).unsqueeze(0))
            return
        if name in DRAWN:  # over values that had been rounded
            for _, o in real:
                self.t.place(o, o.detach().to(F64).unsqueeze(0))
            return
        rule = RULES.get(name)
        if rule is not None:
            rule(self, outs, real)
        elif name in MOVES_POINTWISE or name in MOVES:
            self.move(real, pointwise=name in MOVES_POINTWISE)
        elif name in ARITHMETIC or name in FUNCTIONS:
            self.pointwise(real[0][1])
        elif name in SUMS or name in SCATTERED:
            self.sum(real)
        else:
            self.decompose(real)

    # --- arguments as lanes

    def acc(self, o):
        """The dtype that the op computes in: float32 at least."""
        return F64 if o.dtype == F64 else F32

    def has_lanes(self):
        """Whether any argument has lanes of its own; else one lane speaks for all."""
        return any(floating(x) and not self.t.exact(x) for x in self.given)

    def look(self, x, count):
        """x's lanes; of one that is moved into a wider dtype the store is no longer the last one, and what was
        before it is nobody's."""
        v = self.t.look(x, count)
        if self.into in (None, x.dtype) or v.shape[0] < self.t.total:
            return v
        stored = v[:self.t.n]
        return torch.cat([stored, stored, stored[:1].expand(v.shape[0] - 2 * self.t.n, *v.shape[1:])])

    def lane(self, x, k, count):
        if not floating(x):
            return x
        v = self.look(x, count)
        return v[k] if v.shape[0] > 1 else v[0]

    def call(self, args, kwargs):
        """The op on float64 arguments, leaving what it would write to alone."""
        args, kwargs = list(args), dict(kwargs)
        for p, name, keyword in self.i.writes:
            if p < len(args):
                args[p] = args[p].clone()
            elif name in kwargs and isinstance(kwargs[name], torch.Tensor):
                o = kwargs[name]
                kwargs[name] = torch.empty(0, dtype=F64 if floating(o) else o.dtype)
        return self.func(*args, **kwargs)

    def loop(self, count, change=None):
        """Results of the op per lane: a list of (lanes, *sizes), None where not floating."""
        many = range(count) if self.has_lanes() else range(1)
        per = []
        for k in many:
            fn = (lambda x: self.lane(x, k, count)) if change is None else \
                (lambda x: change(x, self.lane(x, k, count), k))
            r = self.call(replace(self.args, fn), replace(self.kwargs, fn))
            per.append(tensors(r) if not isinstance(r, (bool, int, float)) else [r])
        return [torch.stack([r[p] for r in per]) if isinstance(per[0][p], torch.Tensor)
                else [r[p] for r in per] for p in range(len(per[0]))]

    def batch(self, count, rank, masks=()):
        """The op on all lanes at once: elementwise ops only."""
        def one(x):
            if floating(x):
                v = self.look(x, count)
            else:
                v = x.unsqueeze(0)
                if not (x.dtype == torch.bool and self.i.name in ("where", "masked_fill")):
                    v = v.to(F64)
            gap = rank - x.dim()
            return v if gap <= 0 else v[(slice(None),) + (None,) * gap]
        args, kwargs = replace(self.args, one), replace(self.kwargs, one)
        if any(p < len(args) for p, _, _ in self.i.writes) and self.has_lanes():
            p = self.i.writes[0][0]
            args = list(args)
            args[p] = args[p].expand(count, *args[p].shape[1:])
        return self.call(args, kwargs)

    # --- kinds of ops

    def move(self, real, pointwise):
        """No rounding: on every lane, before and after the last store alike."""
        sources = [x.dtype for x in self.given if floating(x)]
        loss = any(not lossless(s, real[0][1].dtype) for s in sources) or \
            any(not floating(x) and self.i.name in ("fill", "cat") for x in self.given)
        count, self.into = self.t.n if loss else self.t.total, real[0][1].dtype
        if pointwise and self.i.name != "fill":  # whose value has no dims
            lanes = [self.batch(count, real[0][1].dim())]
            lanes = {real[0][0]: lanes[0]}
        else:
            r = self.loop(count)
            lanes = {p: r[p] for p, _ in real}
        for p, o in real:
            if loss:
                self.t.store(o, lanes[p], None)
            else:
                self.t.place(o, lanes[p])

    def noise(self, o, magnitude, dtype=None):
        """One independent error per element and disturbed lane, up to unit * magnitude."""
        a = self.t.amp(dtype or self.acc(o)).view((-1,) + (1,) * o.dim())
        m = magnitude[1:] if magnitude.shape[0] == self.t.n else magnitude
        return self.t.xi(o.shape) * a * m.abs()

    def computed(self, o):
        """A result before it went to an out of a wider dtype, in the operands' own; else o itself."""
        given = self.args[:2] if self.i.name in ARITHMETIC else self.args[:1]
        if "out" not in self.kwargs or not all(isinstance(x, torch.Tensor) for x in given):
            return o
        dtype = common_dtype(given) if len(given) == 2 else given[0].dtype
        dtype = dtype if dtype.is_floating_point else F32
        return o if dtype == o.dtype or not lossless(dtype, o.dtype) else o.detach().to(dtype)

    def pointwise(self, out):
        name = self.i.name
        r = self.batch(self.t.n, out.dim())
        o = self.computed(out)
        acc = self.acc(o)
        x = self.args[0] if self.args else None
        if name in FUNCTIONS and name in WIDER and not floating(x):
            r = getattr(torch, name)(x.to(o.dtype).to(F64)).unsqueeze(0)  # cast first, as the pages say
        stored = UNIT[o.dtype] / UNIT[acc]  # a rounding to the result's dtype, in units of acc
        own = r[:1].abs() * {**ARITHMETIC, **FUNCTIONS}[name]
        if acc == F64 and name in TWO_ULPS:
            own = torch.ldexp(torch.full_like(own, 2.0), torch.frexp(r[:1]).exponent)
            own = torch.where(r[:1] == 0, 0.0, own)
        plain = True
        if name in ("add", "sub", "rsub"):
            alpha = self.kwargs.get("alpha", self.args[2] if len(self.args) > 2 else 1)
            if alpha != 1:
                x = self.args[0 if name == "rsub" else 1]
                x = self.t.look(x, 1) if isinstance(x, torch.Tensor) and floating(x) \
                    else x.to(F64).unsqueeze(0) if isinstance(x, torch.Tensor) else \
                    torch.tensor([float(x)], dtype=F64)
                while x.dim() < o.dim() + 1:
                    x = x.unsqueeze(1)
                # which 2.15.0 rounds to the result's dtype, or does not
                own = own + (x * alpha).abs() * (1 + stored)
                plain = False
        if name in ARITHMETIC:
            dtype = common_dtype(self.args)
            for v in self.args[:2]:
                if not exact_operand(v, dtype):
                    v = abs(float(v))
                    m = torch.full_like(own, v) if name in ("add", "sub", "rsub") else r[:1].abs()
                    own = own + m * (UNIT[dtype] / UNIT[acc])
                    plain = False
        fine = False
        if acc == F64 and not self.has_lanes():
            fine = name in ARITHMETIC and plain
            if name in WIDER and len(self.given) == 1:
                r, fine = wider(WIDER[name], self.given[0]).unsqueeze(0), True
        self.t.store(o, r, None, own, acc, fine)
        if o is not out:
            self.into = out.dtype
            self.t.place(out, self.look(o, self.t.total))

    def terms(self, o):
        """How many products or summands go into one element."""
        name, a = self.i.name, self.args
        if name in ("mm", "bmm", "mv", "dot", "vdot", "linear"):
            return a[0].shape[-1] if a[0].dim() else 1
        if name in ADDED:
            return a[1].shape[-1] * (a[1].shape[0] if name == "addbmm" else 1)
        if name.startswith("nll_loss"):
            return max(next(x for x in a if not floating(x)).numel(), 1)
        if name in ("cumsum", "cumprod", "logcumsumexp"):
            return a[0].shape[a[1]] if a[0].dim() else 1
        return max(a[0].numel() // max(o.numel(), 1), 1)

    def scalings(self):
        """Roundings of each summand before an indexed addition, in the result's dtype."""
        if self.i.name == "index_add":
            return int(self.kwargs.get("alpha", 1) != 1)
        if self.i.name == "embedding_dense_backward":
            return 2 * int(self.args[4])  # 1 / count, and the product with it
        return 0

    def cast_first(self):
        """A sum in a dtype that was asked for is one of elements that were cast to it: sum/S3."""
        x, dtype = self.args[0], self.kwargs.get("dtype")
        if dtype is None or not dtype.is_floating_point or floating(x) and lossless(x.dtype, dtype):
            return
        y = x.detach().to(dtype)
        if floating(x) and not self.t.exact(x):
            self.t.store(y, self.t.look(x, self.t.n), None)
        self.args = (y, *self.args[1:])
        self.given = tensors((self.args, self.kwargs))

    def sum(self, real):
        name = self.i.name
        if name in ("sum", "cumsum"):
            self.cast_first()
        r = self.loop(self.t.n)
        size = self.loop(1, lambda x, v, k: v.abs() if floating(x) else v)
        if name in SCATTERED:
            count = self.loop(1, lambda x, v, k: (v != 0).to(F64) if floating(x) else v)
        for p, o in real:
            n = self.terms(o)
            if name in SCATTERED:
                factor = (count[p].abs() - 1).clamp_min(0).sqrt() + self.scalings()
                self.t.store(o, r[p], self.noise(o, size[p] * factor, o.dtype))
                continue
            if name.startswith("nll_loss"):
                factor = 2.0
            elif name in ("sum", "nansum", "cumsum", "trace"):
                factor = math.log2(n + 1)
            else:
                factor = math.sqrt(max(n, 1))
                # A product below the normal numbers is off by half the least of them.
                size[p] = torch.where(size[p] > 0, size[p] + LEAST[self.acc(o)] / 2 / UNIT[self.acc(o)], 0.0)
            fine = o.dtype == F64 and not self.has_lanes() and name in WIDER
            if fine:
                r[p] = wider(WIDER[name], *self.args, **self.kwargs).reshape((1,) + o.shape)
            self.t.store(o, r[p], self.noise(o, size[p] * factor), fine=fine)
            self.may_overflow(o, r[p], size[p])

    def may_overflow(self, o, r, size):
        """Marks a sum whose terms, in another order, go beyond float64's range on the way."""
        if bool((torch.isfinite(r[0]) & torch.isinf(size)).any()):
            self.t.unstable[key(o)] = (o.untyped_storage(), "a sum that overflows, or does not, by the order of its terms")

    def choose(self, out):
        """A choice follows the real run; another run that chose otherwise would be right too. What it
        chose is compared as it is stored, rounded to the result's dtype."""
        got = [out] if not isinstance(out, (torch.Tensor, tuple, list)) else tensors(out)
        n = self.t.n

        def far(x, v, k):
            if not floating(x) or self.t.exact(x) or k == 0:
                return v
            base = self.t.look(x, n)[0]
            return torch.where(torch.isfinite(base), base + self.t.c * (v - base), base)
        if self.i.name in ("_local_scalar_dense", "item"):
            raise Refused("item() of a rounded value: its bits would steer the program")
        if self.i.name == "signbit" and any(torch.isnan(x).any() for x in self.given
                                            if floating(x) and not self.t.exact(x)):
            for o in got:
                self.t.unstable[key(o)] = (o.untyped_storage(), "signbit: of a NaN that a function made")
        r = self.loop(n, far)
        for p, o in enumerate(got):
            if isinstance(o, torch.Tensor):
                if floating(o) and self.i.name not in STEPS and self.i.name != "div":
                    continue
                want = o.detach().to(F64) if floating(o) else o
                same = all(alike(x.to(o.dtype).to(F64) if floating(o) else x, want) for x in r[p])
                if not same:
                    why = f"{self.i.name}: a disturbed run chooses otherwise: move the " \
                          "inputs apart"
                    self.t.unstable[key(o)] = (o.untyped_storage(), why)
            elif any(x != o for x in r[p]):
                raise Refused(f"{self.i.name}: a disturbed run answers otherwise")

    def choose_side(self, x, limit, what):
        """Refuses an element of which a disturbed run takes the other side of `limit`."""
        if floating(x) and not self.t.exact(x):
            v = self.t.look(x, self.t.n)
            far = v[:1] + self.t.c * (v - v[:1])
            if not ((far > limit) == (x > limit)).all():
                raise Refused(f"{what}: a disturbed run takes the other side of {limit:g}: move the inputs apart")

    def decompose(self, real):
        from torch._decomp import decomposition_table
        fn = decomposition_table.get(self.func)
        if fn is None:
            raise Refused(f"no error model for aten.{self.i.packet}: say its bound on its page")
        n = self.t.n
        per = []
        for k in range(n):
            lane = lambda x: self.lane(x, k, n)  # noqa: E731
            args, kwargs = replace(self.args, lane), replace(self.kwargs, lane)
            if k == 0:
                per.append(tensors(self.call(args, kwargs)))
                continue
            self.t.busy = False
            try:
                with Disturb(self.t, k, self.acc(real[0][1])):
                    per.append(tensors(fn(*args, **kwargs)))
            finally:
                self.t.busy = True
        for p, o in real:
            self.t.store(o, torch.stack([r[p].reshape(o.shape) for r in per]), None)


class Disturb(TorchDispatchMode):
    """Disturbs every step of a decomposition on one lane."""

    def __init__(self, t, k, acc):
        super().__init__()
        self.t, self.unit = t, float(t.amp(acc)[k - 1])

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        r = func(*args, **kwargs)
        i = info(func)
        if self.unit == 0 or i.name in MOVES or i.name in MOVES_POINTWISE or \
                i.name in FACTORIES or func.is_view:
            return r
        for o in tensors(r):
            if not floating(o):
                continue
            m = o.abs()
            if i.name in SUMS or i.name == "mean":
                a = func(*replace(args, lambda x: x.abs() if floating(x) else x), **kwargs)
                n = max(args[0].numel() // max(o.numel(), 1), 1)
                m = tensors(a)[0].abs() * (math.log2(n + 1) + 1)
            ulps = ARITHMETIC.get(i.name, FUNCTIONS.get(i.name, 1))
            x = torch.from_numpy(self.t.rng.random(tuple(o.shape))).mul_(2).sub_(1)
            e = x * self.unit * ulps * m
            o.add_(torch.where(torch.isfinite(e) & torch.isfinite(o), e, 0.0))
        return r


MATHEMATICS = {}  # what a page's bound may name beside CLASSES


def model(f):
    MATHEMATICS[f.__name__] = f
    return f


# --- ops taken apart ------------------------------------------------------------------------------


class Steps:
    """Arithmetic on lanes (n, *sizes) in which every step is disturbed."""

    def __init__(self, s, dtype):
        self.s, self.t, self.dtype = s, s.t, dtype

    def of(self, x):
        v = self.t.look(x, self.t.n) if floating(x) else x.to(F64).unsqueeze(0)
        return v.expand(self.t.n, *v.shape[1:])

    def __call__(self, y, magnitude=None, ulps=1, alike=False):
        """y with an error of ulps units of magnitude (y itself, if not given) on each lane; alike:
        the whole of it to one side, on every second lane for all elements together."""
        a = self.t.amp(self.dtype).view((-1,) + (1,) * (y.dim() - 1))
        m = (y if magnitude is None else magnitude)[1:].abs()
        xi = self.t.xi(y.shape[1:])
        if alike:
            xi[::2] = self.t.xi((1,) * (y.dim() - 1))[::2]
            xi = torch.copysign(torch.ones_like(xi), xi)
        e = xi * a * m * ulps
        y = y.clone()
        moved = torch.isfinite(y[1:]) & torch.isfinite(e) & (e != 0)  # -0.0 keeps its sign
        y[1:] = torch.where(moved, y[1:] + e, y[1:])
        return y

    def sum(self, x, dims, keep=True):
        n = 1
        for d in dims:
            n *= x.shape[d]
        return self(x.sum(dims, keep), x.abs().sum(dims, keep), math.log2(n + 1))


def fused(s, real, *lanes):
    """Disturbed lanes come apart; lane 0 is the op itself on float64."""
    truth = tensors(s.call(replace(s.args, lambda x: s.lane(x, 0, s.t.n)),
                           replace(s.kwargs, lambda x: s.lane(x, 0, s.t.n))))
    for p, o in real:
        if lanes[p] is None or o.numel() == 0:
            s.t.store(o, truth[p].reshape((1,) + o.shape), None)
            continue
        r = lanes[p].reshape((s.t.n,) + tuple(o.shape)).clone()
        r[0] = truth[p].reshape(o.shape)
        s.t.store(o, r, None)


def dim_of(dim, x):
    """A dim of x, counted from the end, so that lanes in front do not shift it."""
    n = max(x.dim(), 1)
    return dim - n if dim >= 0 else dim


def as_rows(x):
    return x.unsqueeze(-1) if x.dim() == 1 else x


def half_steps(s, o, d):
    """Steps in the result's own dtype where 2.15.0 keeps an intermediate in it, for half types."""
    return Steps(s, o.dtype) if o.dtype in (torch.float16, torch.bfloat16) else d


@model
def softmax(s, outs, real):
    x, dim = s.args[0], dim_of(s.args[1], s.args[0])
    d = Steps(s, s.acc(outs[0]))
    # Along any dim but the last 2.15.0 stores the exponentials in the result before dividing.
    h = half_steps(s, outs[0], d) if dim != -1 else d
    if x.numel() == 0:
        return fused(s, real, None)
    v = as_rows(d.of(x))
    e = d(torch.exp(d(v - v.amax(dim, True))), ulps=2)
    y = d(h(e) / d.sum(e, [dim]))
    fused(s, real, y)


@model
def safe_softmax(s, outs, real):
    """softmax of which a row of nothing but -inf is zeros."""
    x, dim = s.args[0], dim_of(s.args[1], s.args[0])
    d = Steps(s, s.acc(outs[0]))
    if x.numel() == 0:
        return fused(s, real, None)
    v = as_rows(d.of(x))
    m, dead = row_maximum(v)
    h = half_steps(s, outs[0], d) if dim != -1 else d
    e = d(torch.exp(d(v - m)), ulps=2)
    fused(s, real, torch.where(dead, 0.0, d(h(e) / d.sum(e, [dim]))))


def row_maximum(v):
    """The largest of each row, 0 where all are -inf; and where they are."""
    m = v.amax(-1, True)
    dead = m == -math.inf
    return torch.where(dead, 0.0, m), dead


def scores_of(s, d, q, k, mask, causal, scale):
    """query @ key.T, scaled and masked, on lanes; and key with query's heads."""
    groups = q.shape[2] // max(k.shape[2], 1)
    k = k.repeat_interleave(groups, 2)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    x = d(q @ k.mT, q.abs() @ k.abs().mT, math.sqrt(q.shape[-1]))
    x = d(x * scale, ulps=2)
    if mask is not None:
        b = d.of(mask)
        x = d(x + b.view(b.shape[:1] + (1,) * (5 - b.dim()) + b.shape[1:]))
    if causal:
        seen = torch.ones(x.shape[-2:], dtype=torch.bool).tril()
        x = torch.where(seen, x, -math.inf)
    return x, k, groups, scale


def named(s, name, place, default):
    """An argument that is given by place or by name."""
    return s.args[place] if len(s.args) > place else s.kwargs.get(name, default)


@model
def flash_attention(s, outs, real):
    """Weights are rounded to a half type before they multiply, as 2.15.0 does."""
    o = outs[0]
    if o.numel() == 0:
        return fused(s, real, None, None)
    d = Steps(s, s.acc(o))
    h = half_steps(s, o, d)
    q, k, v = (d.of(x) for x in s.args[:3])
    x, _, groups, _ = scores_of(s, d, q, k, s.kwargs.get("attn_mask"), named(s, "is_causal", 4, False), s.kwargs.get("scale"))
    v = v.repeat_interleave(groups, 2)
    m, dead = row_maximum(x)
    p = d(torch.exp(d(x - m)), ulps=2)
    total = torch.where(dead, 1.0, d.sum(p, [-1]))
    p = h(p)
    y = d(d(p @ v, p @ v.abs(), math.sqrt(k.shape[-2])) / total)
    lse = d(m + d(torch.log(total), ulps=2)).squeeze(-1)
    fused(s, real, y, lse)


@model
def flash_attention_backward(s, outs, real):
    g, q, k, v, out, lse = s.args[:6]
    if q.numel() == 0 or v.numel() == 0:
        return fused(s, real, None, None, None)
    d = Steps(s, s.acc(q))
    h = half_steps(s, q, d)
    g, q, k0, v0, out, lse = (d.of(x) for x in (g, q, k, v, out, lse))
    x, k, groups, scale = scores_of(s, d, q, k0, s.kwargs.get("attn_mask"), named(s, "is_causal", 7, False), s.kwargs.get("scale"))
    v = v0.repeat_interleave(groups, 2)
    p = d(torch.exp(d(x - lse.unsqueeze(-1))), ulps=2)
    along = d.sum(d(g * out), [-1])
    ds = d(g @ v.mT, g.abs() @ v.abs().mT, math.sqrt(q.shape[-1]))
    ds = h(d(p * d(ds - along)))
    p = h(p)
    keys, queries = math.sqrt(k.shape[-2]), math.sqrt(q.shape[-2] * groups)
    dq = d(d(ds @ k, ds.abs() @ k.abs(), keys) * scale, ulps=2)
    dk = d(d(ds.mT @ q, ds.abs().mT @ q.abs(), queries) * scale, ulps=2)
    dv = d(p.mT @ g, p.mT @ g.abs(), queries)

    def summed(t, like):
        return t.reshape(t.shape[0], *like.shape[1:3], groups, *like.shape[3:]).sum(3) if groups > 1 else t
    fused(s, real, dq, summed(dk, k0), summed(dv, v0))


@model
def log_softmax(s, outs, real):
    x, dim = s.args[0], dim_of(s.args[1], s.args[0])
    d = Steps(s, s.acc(outs[0]))
    if x.numel() == 0:
        return fused(s, real, None)
    v = as_rows(d.of(x))
    c = d(v - v.amax(dim, True))
    # Along the last dim 2.15.0 keeps the rows' sums and their logarithms in the result's dtype.
    h = half_steps(s, outs[0], d) if dim == -1 else d
    lse = h(torch.log(h(d.sum(d(torch.exp(c), ulps=2), [dim]))), ulps=1 if h is not d else 2)
    fused(s, real, d(c - lse))


@model
def softmax_backward(s, outs, real):
    g, y, dim = s.args[0], s.args[1], dim_of(s.args[2], s.args[1])
    d = Steps(s, s.acc(outs[0]))
    if y.numel() == 0:
        return fused(s, real, None)
    a, b = as_rows(d.of(g)), as_rows(d.of(y))
    ab = d(a * b)
    fused(s, real, d(ab - d(b * d.sum(ab, [dim]))))


@model
def log_softmax_backward(s, outs, real):
    g, y, dim = s.args[0], s.args[1], dim_of(s.args[2], s.args[1])
    d = Steps(s, s.acc(outs[0]))
    if y.numel() == 0:
        return fused(s, real, None)
    a, b = as_rows(d.of(g)), as_rows(d.of(y))
    fused(s, real, d(a - d(d(torch.exp(b), ulps=2) * d.sum(a, [dim]))))


@model
def layer_norm(s, outs, real):
    x, shape, w, b, eps = s.args[:5]
    d = Steps(s, s.acc(outs[0]))
    if x.numel() == 0:
        return fused(s, real, None, None, None)
    dims = list(range(-len(shape), 0))
    n = math.prod(shape)
    v = d.of(x)
    mean = d(d.sum(v, dims) / n)
    c = d(v - mean)
    var = d(d.sum(d(c * c), dims) / n)
    rstd = d(torch.rsqrt(d(var + eps)), ulps=2)
    y = d(c * rstd)
    if w is not None:
        y = d(y * d.of(w).view((s.t.n,) + (1,) * (x.dim() - len(shape)) + tuple(shape)))
    if b is not None:
        y = d(y + d.of(b).view((s.t.n,) + (1,) * (x.dim() - len(shape)) + tuple(shape)))
    if infinite_rows(v[0], dims, 1):
        s.t.either[key(outs[1])] = (outs[1].untyped_storage(), "a mean of an infinity: it or NaN, by the order of steps")
    fused(s, real, y, mean, rstd)


def infinite_rows(v, dims, least=2):
    """Whether a row of at least so many elements holds an infinity and no NaN: its mean is made of infinities."""
    n = math.prod(v.shape[d] for d in dims)
    rows = v.movedim(dims, list(range(-len(dims), 0))).flatten(-len(dims))
    return n >= least and bool((rows.isinf().any(-1) & ~rows.isnan().any(-1)).any())


@model
def layer_norm_backward(s, outs, real):
    g, x, shape, mean, rstd, w, b, mask = s.args[:8]
    d = Steps(s, s.acc(x))
    if x.numel() == 0:
        return fused(s, real, None, None, None)
    k = len(shape)
    dims, rows = list(range(-k, 0)), list(range(1, x.dim() - k + 1))
    n = math.prod(shape)
    gg, c, r = d.of(g), d(d.of(x) - d.of(mean)), d.of(rstd)
    h = d(c * r)
    gw = gg
    if w is not None:
        gw = d(gg * d.of(w).view((s.t.n,) + (1,) * (x.dim() - k) + tuple(shape)))
    p = d(d.sum(d(gw * h), dims) / n)
    m = d(d.sum(gw, dims) / n)
    dx = d(r * d(d(gw - m) - d(h * p)))
    dw = d(gg * h)
    db = gg
    if rows:  # 2.15.0 adds the rows up in x's own dtype
        e = Steps(s, x.dtype)
        dw, db = e.sum(dw, rows, False), e.sum(gg, rows, False)
    if mask[0] and infinite_rows(gw[0] + 0 * h[0], dims):
        s.t.unstable[key(outs[0])] = (outs[0].untyped_storage(),
                                      "a gradient through an infinity's mean: infinite or NaN, by the order of steps")
    picked = [v for v, wanted in zip((dx, dw, db), mask) if wanted]
    fused(s, real, *picked)


ROOT_2_PI = math.sqrt(2 / math.pi)


def erf_step(d, x):
    """erf as 2.15.0's vectors have it (Abramowitz and Stegun 7.1.26): off by 1.5e-7, which is 2.5
    float32 units of 1, however small erf is; and a rounding. A polynomial is off to the same side
    over whole stretches and changes sides between them: some lanes' elements are disturbed alike,
    those of others each for itself, since a sum with weights may lose the one or the other.
    Evaluating it in float32 costs as much again, which C leaves room for."""
    y = torch.erf(x)
    return d(d(y, torch.ones_like(y), 2.5, alike=True))


@model
def gelu(s, outs, real):
    """x/2 (1 + erf(x / sqrt 2)), as the page says it: where erf is near -1 the sum cancels, and
    what is left of it is as exact as 1 is. Constants are rounded too: two units a product."""
    x, tanh = s.args[0], s.kwargs.get("approximate", "none") == "tanh"
    d = Steps(s, s.acc(outs[0]))
    v = d.of(x)
    if tanh:
        u = d(d(v + d(0.044715 * d(d(v * v) * v), ulps=2)) * ROOT_2_PI, ulps=2)
        c = d(1 + d(torch.tanh(u), ulps=2))
    else:
        c = d(1 + erf_step(d, d(v * math.sqrt(0.5), ulps=2)))
    fused(s, real, d(d(0.5 * v) * c))


@model
def gelu_backward(s, outs, real):
    g, x, tanh = s.args[0], s.args[1], s.kwargs.get("approximate", "none") == "tanh"
    d = Steps(s, s.acc(outs[0]))
    v, gg = d.of(x), d.of(g)
    if tanh:
        vv = d(v * v)
        u = d(d(v + d(0.044715 * d(vv * v), ulps=2)) * ROOT_2_PI, ulps=2)
        t = d(torch.tanh(u), ulps=2)
        left = d(0.5 * d(1 + t))
        du = d(ROOT_2_PI * d(1 + d(3 * 0.044715 * vv, ulps=2)), ulps=2)
        right = d(d(d(0.5 * v) * d(1 - d(t * t))) * du)
    else:
        left = d(0.5 * d(1 + erf_step(d, d(v * math.sqrt(0.5), ulps=2))))
        pdf = d(d(torch.exp(d(-0.5 * d(v * v))), ulps=2) / math.sqrt(2 * math.pi), ulps=2)
        right = d(v * pdf)
    fused(s, real, d(gg * d(left + right)))


def broadcast(d, x, ndim):
    """d.of(x) with dims for the ones it lacks behind the lanes."""
    v = d.of(x)
    return v.view(v.shape[:1] + (1,) * (ndim + 1 - v.dim()) + v.shape[1:])


@model
def addcmul(s, outs, real):
    d = Steps(s, s.acc(outs[0]))
    x, y, z = (broadcast(d, t, outs[0].dim()) for t in s.args[:3])
    fused(s, real, d(x + d(d(y * z) * s.kwargs.get("value", 1))))


@model
def addcdiv(s, outs, real):
    d = Steps(s, s.acc(outs[0]))
    x, y, z = (broadcast(d, t, outs[0].dim()) for t in s.args[:3])
    fused(s, real, d(x + d(d(y * s.kwargs.get("value", 1)) / z)))


@model
def lerp(s, outs, real):
    """Both ways of it, by the weight; a number as weight is rounded to the accumulator."""
    d = Steps(s, s.acc(outs[0]))
    x, y = (broadcast(d, t, outs[0].dim()) for t in s.args[:2])
    w = s.args[2]
    w = broadcast(d, w, outs[0].dim()) if isinstance(w, torch.Tensor) else d(torch.full_like(x, w))
    apart = d(y - x)
    fused(s, real, torch.where(w.abs() < 0.5, d(x + d(w * apart)), d(y - d(apart * d(1 - w)))))


@model
def power(s, outs, real):
    """By a number 2.15.0 multiplies, divides and takes roots in the result's own dtype, and the number is
    rounded to that first."""
    o, n = outs[0], s.args[1]
    if isinstance(n, torch.Tensor) or not isinstance(s.args[0], torch.Tensor):
        s.pointwise(o)
        return
    d = Steps(s, o.dtype)
    x = d.of(s.args[0])
    chain = {2: lambda: d(x * x), 3: lambda: d(d(x * x) * x), -1: lambda: d(1 / x), -2: lambda: d(1 / d(x * x)),
             0.5: lambda: d(torch.sqrt(x)), -0.5: lambda: d(1 / d(torch.sqrt(x)))}
    if n in chain:
        fused(s, real, chain[n]())
        return
    s.args = [s.args[0], torch.tensor(float(n), dtype=o.dtype).item()]
    s.pointwise(o)


@model
def tanh_backward(s, outs, real):
    d = Steps(s, s.acc(outs[0]))
    g, y = d.of(s.args[0]), d.of(s.args[1])
    fused(s, real, d(g * d(1 - d(y * y))))


@model
def erf(s, outs, real):
    """For the half types 2.15.0's vectors take the formula that gelu takes (erf_step), and another may."""
    o = outs[0]
    r = s.batch(s.t.n, o.dim())
    half = o.dtype in (torch.float16, torch.bfloat16)
    s.t.store(o, r, s.noise(o, torch.full_like(r, 2.5)) if half else None, 2 * r[:1].abs(), s.acc(o))


@model
def sigmoid(s, outs, real):
    """exp, a sum and a quotient; where exp(-x) is infinite 2.15.0 gives 0, so that what is there is no more
    exact than that."""
    o, x = outs[0], s.args[0]
    r = s.batch(s.t.n, o.dim()) if floating(x) else torch.sigmoid(x.to(o.dtype).to(F64)).unsqueeze(0)
    acc, size = s.acc(o), r[:1].abs()
    s.t.store(o, r, None, torch.where(size < 1 / MAX[acc], size / UNIT[acc], 3 * size), acc)


@model
def sigmoid_backward(s, outs, real):
    """2.15.0 rounds each step of float16 to that."""
    acc = outs[0].dtype if outs[0].dtype == torch.float16 else s.acc(outs[0])
    d = Steps(s, acc)
    g, y = d.of(s.args[0]), d.of(s.args[1])
    left = g * d(1 - y)
    fused(s, real, d(d(left, left.abs().clamp_min(LEAST[acc] / 2 / UNIT[acc])) * y))


@model
def nll_loss(s, outs, real):
    """2.15.0 adds the losses one after another, in the result's own dtype. Where many are alike its
    float64 drifts too, so the truth adds them pairwise."""
    x, target, weight, reduction, ignore = s.args[:5]
    r = s.loop(s.t.n)
    size = s.loop(1, lambda x, v, k: v.abs() if floating(x) else v)
    if reduction:
        w = None if weight is None else s.lane(weight, 0, s.t.n)
        losses = s.func(s.lane(x, 0, s.t.n), target, w, 0, ignore)[0]
        kept = target[target != ignore]
        total = torch.tensor(float(kept.numel()), dtype=F64) if w is None else w[kept].sum()
        r[0][0] = losses.sum() / (total if reduction == 1 else 1)
    n = math.sqrt(target.numel()) + 2
    for p, o in real:
        s.t.store(o, r[p], s.noise(o, size[p] * n, o.dtype))


@model
def mean(s, outs, real):
    """A sum, stored, then divided: 2.15.0 rounds twice, and so may another."""
    x, o = s.args[0], outs[0]
    r = s.loop(s.t.n)[0]
    size = s.loop(1, lambda x, v, k: v.abs() if floating(x) else v)[0]
    n = max(x.numel() // max(o.numel(), 1), 1)
    fine = o.dtype == F64 and not s.has_lanes() and x.numel() > 0
    if fine:
        r = (wider(WIDER["sum"], *s.args) / n).reshape((1,) + o.shape)
    s.t.store(o, r, s.noise(o, size * math.log2(n + 1)), r[:1].abs(), o.dtype, fine)
    s.may_overflow(o, r, size)


def reduced(x, dim):
    """The dims of a list, of all where there is none, counted from the end so that lanes do not shift them."""
    dim = [dim] if isinstance(dim, int) else list(dim or range(x.dim()))
    return sorted({dim_of(k, x) for k in dim}) if x.dim() else [-1]


@model
def variance(s, outs, real):
    """The mean, the distances from it, their squares: the distances are as exact as the mean is, each for itself,
    as where a running mean is kept (Welford), which 2.15.0 does in double."""
    x, o = s.args[0], outs[0]
    if x.numel() == 0 or o.numel() == 0:
        return fused(s, real, None, None)
    dims = reduced(x, s.args[1] if len(s.args) > 1 else None)
    correction = s.kwargs.get("correction")
    correction = 1 if correction is None else float(correction)
    d = Steps(s, s.acc(x))
    v = d.of(x) if x.dim() else d.of(x).unsqueeze(-1)
    n = math.prod(v.shape[k] for k in dims)
    mean = d(d.sum(v, dims) / n)
    c = d(v - mean, v.abs() + mean.abs())
    y = d(d.sum(d(c * c), dims) / max(n - correction, 0.0))
    if s.i.name.startswith("std"):
        y = d(torch.sqrt(y))
    if len(outs) > 1 and infinite_rows(v[0], dims, 1):
        s.t.either[key(outs[1])] = (outs[1].untyped_storage(), "a mean of an infinity: it or NaN, by the order of steps")
    fused(s, real, y, mean)


@model
def logsumexp(s, outs, real):
    """The largest off, exponentials, their sum, its logarithm, the largest on again; of half types 2.15.0 rounds
    each to the dtype."""
    x, o = s.args[0], outs[0]
    if x.numel() == 0 or o.numel() == 0:
        return fused(s, real, None)
    dims = reduced(x, s.args[1])
    d = half_steps(s, o, Steps(s, s.acc(o)))
    v = d.of(x) if x.dim() else d.of(x).unsqueeze(-1)
    most = v.amax(dims, True)
    most = torch.where(torch.isinf(most), 0.0, most)
    y = d(torch.log(d.sum(d(torch.exp(d(v - most)), ulps=2), dims)), ulps=2)
    fused(s, real, d(y + most))


@model
def logcumsumexp(s, outs, real):
    """Each step adds one more: an exponential, a logarithm and a sum in the accumulator, carried on."""
    o = outs[0]
    r = s.loop(s.t.n)[0]
    size = torch.where(torch.isfinite(r), r.abs() + 1, 0.0) * math.sqrt(s.terms(o) + 1)
    s.t.store(o, r, s.noise(o, size))


@model
def vector_norm(s, outs, real):
    """Powers, their sum, its root, in the accumulator; of an infinite order a choice, of order 0 a count."""
    x, o = s.args[0], outs[0]
    p = float(s.args[1]) if len(s.args) > 1 else 2.0
    dims = reduced(x, s.args[2] if len(s.args) > 2 else None)
    if math.isinf(p):
        return s.move(real, pointwise=False)
    if x.numel() == 0 or p == 0:
        return s.t.store(o, s.loop(s.t.n)[0], None)
    d = Steps(s, s.acc(o))
    v = (d.of(x) if x.dim() else d.of(x).unsqueeze(-1)).abs()
    if p == 1:
        y = d.sum(v, dims)
    elif p == 2:
        y = d(torch.sqrt(d.sum(d(v * v), dims)))
    else:
        y = d(torch.pow(d.sum(d(torch.pow(v, p), ulps=2), dims), 1 / p), ulps=2)
    fused(s, real, y)


@model
def product(s, outs, real, acc=None):
    """Roundings of all factors but one, in the result's own dtype: 2.15.0 multiplies half types in that."""
    o = outs[0]
    s.cast_first()
    acc, n = acc or o.dtype, s.terms(o)
    r = s.loop(s.t.n)[0]
    fine = o.dtype == F64 and not s.has_lanes()
    if fine:
        r = wider(WIDER[s.i.name], *s.args, **s.kwargs).reshape((1,) + o.shape)
    size = torch.where(torch.isfinite(r), r, 0.0) * math.sqrt(n)
    s.t.store(o, r, s.noise(o, size, acc), fine=fine)


@model
def running_product(s, outs, real):
    """The same, carried on in the accumulator."""
    product(s, outs, real, s.acc(outs[0]))


def beyond_exp(s, o, x, y):
    """The error, in units, of what is there where exp(-x) is infinite and 2.15.0 gives a zero."""
    acc = s.acc(o)
    return torch.where(x < 1 - math.log(MAX[acc]), y.abs() / UNIT[acc], 0.0)


@model
def silu(s, outs, real):
    o = outs[0]
    d = Steps(s, s.acc(o))
    v = d.of(s.args[0])
    y = d(v / d(1 + d(torch.exp(-v), ulps=2)))
    r = torch.cat([torch.nn.functional.silu(v[:1]), y[1:]])
    s.t.store(o, r, None, beyond_exp(s, o, v[:1], y[:1]), s.acc(o))


@model
def silu_backward(s, outs, real):
    o = outs[0]
    d = Steps(s, s.acc(o))
    g, v = d.of(s.args[0]), d.of(s.args[1])
    one = torch.ones_like(v)
    p = d(1 / d(1 + d(torch.exp(-v), ulps=2)))
    slope = d(one + d(v * d(one - p)), one + v.abs())
    fused(s, real, d(d(g * p) * slope))


@model
def leaky_relu(s, outs, real):
    """One rounding where it is not the element itself, and that of the slope."""
    o = outs[0]
    g, x = s.args[0], s.args[1] if isinstance(s.args[1] if len(s.args) > 1 else None, torch.Tensor) else s.args[0]
    slope = next((a for a in s.args[1:] if not isinstance(a, torch.Tensor)), s.kwargs.get("negative_slope", 0.01))
    s.choose_side(x, 0.0, "leaky_relu")
    kept, acc = x > 0, s.acc(o)
    v = s.t.look(g, s.t.n)
    r = torch.where(kept, v, v * float(slope))
    own = torch.where(kept, 0.0, r[:1].abs() * (1 + (not exact_operand(slope, acc))))
    s.t.store(o, r, None, own, acc)


def softplus_parts(s, d, x, args):
    beta, limit = (float(s.kwargs.get(n, args[k] if len(args) > k else e))
                   for k, (n, e) in enumerate((("beta", 1), ("threshold", 20))))
    v = d.of(x)
    u = v if beta == 1 else d(v * beta, ulps=2)
    return v, u, beta, limit, u[:1] > limit


@model
def softplus(s, outs, real):
    o = outs[0]
    d = Steps(s, s.acc(o))
    v, u, beta, limit, line = softplus_parts(s, d, s.args[0], s.args[1:])
    y = d(torch.log1p(d(torch.exp(u), ulps=2)), ulps=2)
    fused(s, real, torch.where(line, v, y if beta == 1 else d(y / beta, ulps=2)))


@model
def softplus_backward(s, outs, real):
    o = outs[0]
    d = Steps(s, s.acc(o))
    g = d.of(s.args[0])
    _, u, _, _, line = softplus_parts(s, d, s.args[1], s.args[2:])
    z = d(torch.exp(u), ulps=2)
    fused(s, real, torch.where(line, g, d(d(g * z) / d(z + 1))))


@model
def xlogy(s, outs, real):
    """2.15.0 rounds the logarithm to a half type."""
    d = Steps(s, s.acc(outs[0]))
    h = half_steps(s, outs[0], d)
    x, y = (broadcast(d, t, outs[0].dim()) for t in s.args[:2])
    fused(s, real, torch.where(x == 0, 0.0, d(x * h(d(torch.log(y), ulps=2)))))


def loss_reduced(s, d, h, y, reduction):
    """Losses on lanes, stored in the result's dtype, then added up and divided: 2.15.0 rounds after each."""
    if reduction == 0:
        return y
    dims = list(range(1, y.dim()))
    total = h(d.sum(y, dims, False)) if dims else y
    return h(total / y[0].numel()) if reduction == 1 and y[0].numel() else total


@model
def mse_loss(s, outs, real):
    d = Steps(s, s.acc(outs[0]))
    h = half_steps(s, outs[0], d)
    x, t = (s.args[0], s.args[1])
    if torch.broadcast_tensors(x, t)[0].numel() == 0:
        return fused(s, real, None)
    n = max(x.dim(), t.dim())
    x, t = broadcast(d, x, n), broadcast(d, t, n)
    apart = d(x - t)
    fused(s, real, loss_reduced(s, d, h, h(d(apart * apart)), named(s, "reduction", 2, 1)))


@model
def mse_loss_backward(s, outs, real):
    """Its terms may be rounded to a half type before they are scaled."""
    g, x, t, reduction = s.args[:4]
    o = outs[0]
    d = Steps(s, s.acc(o))
    h = half_steps(s, o, d)
    if o.numel() == 0:
        return fused(s, real, None)
    x, t, g = (broadcast(d, v, o.dim()) for v in (x, t, g))
    n = 2.0 / o.numel() if reduction == 1 else 2.0
    fused(s, real, h(d(d(x - t) * n) * g))


@model
def bce_with_logits(s, outs, real):
    """Each step is an op of its own, rounded to its dtype."""
    x, t, weight, positive = (named(s, n, k, None) for k, n in enumerate(("self", "target", "weight", "pos_weight")))
    d = Steps(s, s.acc(outs[0]))
    h = half_steps(s, outs[0], d)
    if x.numel() == 0:
        return fused(s, real, None)
    n = x.dim()
    v, u = d.of(x), broadcast(d, t, n)
    own = Steps(s, s.acc(x))
    log = half_steps(s, x, own)(-own(torch.nn.functional.softplus(-v, 1, 700), ulps=4))
    if positive is not None:
        log = h(log * h(h(h(broadcast(d, positive, n) - 1) * u) + 1))
    y = h(h(h(1 - u) * v) - log)
    if weight is not None:
        y = h(y * broadcast(d, weight, n))
    fused(s, real, loss_reduced(s, d, h, y, named(s, "reduction", 4, 1)))


@model
def product_added(s, outs, real):
    """beta * self + alpha * a product. 2.15.0 stores what addbmm has after each batch in the result's dtype, and
    both parts of addmv."""
    o, acc = outs[0], s.acc(outs[0])
    beta, alpha = s.kwargs.get("beta", 1), s.kwargs.get("alpha", 1)
    terms = s.terms(o)

    def magnitude(b, a):
        given, s.kwargs = s.kwargs, {**s.kwargs, "beta": abs(b), "alpha": abs(a)}
        out = s.loop(1, lambda x, v, k: v.abs() if floating(x) else v)[0]
        s.kwargs = given
        return out
    r = s.loop(s.t.n)[0]
    size, product = magnitude(beta, alpha), magnitude(0, alpha)
    size = torch.where(size > 0, size + LEAST[acc] / 2 / UNIT[acc], 0.0)
    noise = s.noise(o, size * math.sqrt(terms + 3))
    if s.i.name == "addbmm":
        noise = noise + s.noise(o, size * math.sqrt(max(s.args[1].shape[0] - 1, 0)), o.dtype)
    if s.i.name == "addmv" and o.dtype in (torch.float16, torch.bfloat16):
        noise = noise + s.noise(o, product, o.dtype) + s.noise(o, size - product, o.dtype)
    own = (size - product) * (not exact_operand(beta, acc)) + product * (not exact_operand(alpha, acc))
    s.t.store(o, r, noise, own, acc)
    s.may_overflow(o, r, size)


@model
def normal(s, outs, real):
    """Pairs of uniforms, which are exact, through a logarithm, a root and an angle: in float64 one
    pair after the other, or in the result's own dtype 16 numbers at once (random/S6, S7)."""
    o, g = outs[0], torch.Generator()
    g.set_state(s.state)
    mean, std = (s.args[1:3] + (0, 1)[len(s.args[1:3]):]) if s.i.name == "normal" else (0, 1)
    n, lanes = o.numel(), s.t.n
    at_once = n >= 16 and o.is_contiguous()
    if at_once and o.dtype in (torch.float16, torch.bfloat16):
        raise Refused("16 normals or more of a half type are not promised (random/S7)")
    d = Steps(s, o.dtype if at_once else F64)
    if at_once:
        u = torch.rand(n, generator=g, dtype=o.dtype).to(F64)
        parts = [u[:n // 16 * 16].view(-1, 2, 8)]
        if n % 16:
            parts.append(torch.rand(16, generator=g, dtype=o.dtype).to(F64).view(1, 2, 8))
        u = torch.cat(parts)
        angle, left = u[:, 1], 1 - u[:, 0]
        log = torch.log(left)
    else:
        held = bytes(s.state[5024:5044].tolist())
        held = [float(np.frombuffer(held[:8])[0])] if held[16] else []
        u = torch.rand((max(n - len(held), 0) + 1) // 2, 2, generator=g, dtype=F64)
        angle, log = u[:, 0], torch.log1p(-u[:, 1])

    def spread(x):
        return x.expand(lanes, *x.shape)
    radius = d(torch.sqrt(d(-2 * spread(log), ulps=2)))
    angle = d(2 * math.pi * spread(angle), ulps=2)
    pair = [d(radius * d(f(angle), ulps=2)) for f in (torch.cos, torch.sin)]
    if at_once:
        y = torch.stack(pair, 2).reshape(lanes, -1)
        if n % 16:
            y = torch.cat([y[:, :n - 16], y[:, -16:]], 1)
    else:
        first = d(spread(torch.tensor(held, dtype=F64)), ulps=6)
        y = torch.cat([first, torch.stack(pair, 2).reshape(lanes, -1)], 1)[:, :n]
    if (mean, std) != (0, 1):
        y = d(d(y * std) + mean)
    order = sorted(range(o.dim()), key=lambda k: -o.stride(k))
    y = y.reshape(lanes, *(o.shape[k] for k in order))
    s.t.store(o, y.permute(0, *(1 + order.index(k) for k in range(o.dim()))), None)


@model
def rsqrt(s, outs, real):
    """A root, then 1 divided by it; of the half types 2.15.0 rounds the root to the dtype."""
    o = outs[0]
    r = s.batch(s.t.n, o.dim())
    half = o.dtype in (torch.float16, torch.bfloat16)
    s.t.store(o, r, s.noise(o, r, o.dtype) if half else None, 2 * r[:1].abs(), s.acc(o))


@model
def cast(s, outs, real):
    o, x = outs[0], s.args[1] if s.i.name == "copy" else s.args[0]
    x = x if isinstance(x, torch.Tensor) else torch.tensor(x)
    free = floating(x) and lossless(x.dtype, o.dtype)
    s.into = o.dtype
    v = s.look(x, s.t.total if free else s.t.n) if floating(x) else x.to(F64).unsqueeze(0)
    while v.dim() < o.dim() + 1:
        v = v.unsqueeze(1)
    v = v.expand(v.shape[0], *o.shape)
    if free:
        s.t.place(o, v)
        return
    twice = x.dtype == F64 and BITS[o.dtype] < BITS[F32]  # by way of float32: dtypes/S5
    s.t.store(o, v, None, v[:1].abs() if twice else None, F32)


@model
def threshold_backward(s, outs, real):
    g, x, limit = s.args[0], s.args[1], s.args[2]
    kept = x > limit
    if not s.t.exact(x):
        v = s.t.look(x, s.t.n)
        far = v[:1] + s.t.c * (v - v[:1])
        if not ((far > limit) == kept).all():
            raise Refused("relu's gradient: a disturbed run takes the other side of 0: move the "
                          "inputs apart")
    v = s.t.look(g, s.t.total)
    s.t.place(outs[0], torch.where(torch.isnan(s.t.look(x, 1)) | kept, v, 0.0))


@model
def arange(s, outs, real):
    """start + i * step, one rounding each."""
    kw = {k: v for k, v in s.kwargs.items() if k not in ("pin_memory", "layout", "device", "out")}
    kw["dtype"] = F64
    r = s.func(*s.args, **kw) if "out" not in s.kwargs else \
        torch.arange(*s.args, dtype=F64)
    start = abs(float(s.args[0])) if len(s.args) > 1 else 0.0
    s.t.store(outs[0], r.unsqueeze(0), None, r.abs().unsqueeze(0) + start, s.acc(outs[0]))


@model
def linspace(s, outs, real):
    """From start in the first half, from end in the other: the step's two roundings and the product's are of what
    lies between, the sum's of the element. The numbers are the dtype's own."""
    if not outs[0].dtype.is_floating_point:
        return
    start, end, n = (*s.args, *(s.kwargs[k] for k in ("start", "end", "steps") if k in s.kwargs))[:3]
    a, b = (torch.tensor(float(v), dtype=F64).to(outs[0].dtype).to(F64).item() for v in (start, end))
    r = torch.linspace(a, b, n, dtype=F64).reshape(outs[0].shape)
    away = torch.arange(n, dtype=F64)
    away = torch.minimum(away, n - 1 - away).reshape(outs[0].shape) * (abs(b - a) / max(n - 1, 1))
    s.t.store(outs[0], r.unsqueeze(0), None, (r.abs() + 3 * away).unsqueeze(0), s.acc(outs[0]))


REDUCES = {"scatter_reduce", "index_reduce"}
WORDS = {"add": "sum", "multiply": "prod", "max": "amax", "min": "amin"}


def by_word(i, args, kwargs):
    """An op that reduces into places by the word of its argument, named by that word."""
    word = kwargs.get("reduce") or (args[4] if i.name in REDUCES else None)
    if i.name not in REDUCES and (i.name != "scatter" or word is None):
        return i
    name = "reduced_" + WORDS.get(word, word)
    return i.named(name) if name in CLASS else i


def contributions(s, o):
    """How many elements of a source go to each place, as float64."""
    dim, index = s.args[1:3]
    if s.func.__name__.startswith("index_"):
        shape = [1] * o.dim()
        if o.dim():
            shape[dim] = index.numel()
        index = index.reshape(shape).expand(s.args[3].shape if o.dim() else ())
    ones = torch.ones(index.shape, dtype=F64)
    return torch.zeros(o.shape, dtype=F64).scatter_add(dim, index.to(torch.int64), ones)


@model
def reduced_prod(s, outs, real):
    """A product whose order is free, partial results held in the result's own dtype."""
    for p, o in real:
        r = s.loop(s.t.n)[p]
        s.t.store(o, r, s.noise(o, r[:1].abs() * contributions(s, o).sqrt(), o.dtype))


@model
def reduced_mean(s, outs, real):
    """A scattered sum, stored, then divided by the count."""
    for p, o in real:
        r = s.loop(s.t.n)[p]
        size = s.loop(1, lambda x, v, k: v.abs() if floating(x) else v)[p]
        n = contributions(s, o).sqrt()
        s.t.store(o, r, s.noise(o, size * n, o.dtype), torch.where(n > 0, r[:1].abs(), 0.0), o.dtype)


RULES = {op: MATHEMATICS[c] for op, c in CLASS.items() if c in MATHEMATICS}
# Those of them that round what they make of whole numbers.
OF_NUMBERS = {op for op, c in CLASS.items() if c in ("mean", "rsqrt", "erf", "sigmoid", "logsumexp")}
UNKNOWN = sorted(f'{op}: "{c}"' for op, c in CLASS.items() if c not in CLASSES and c not in MATHEMATICS)
if UNKNOWN:
    raise ValueError(f"a page's bound is no class of golden/models.py: {', '.join(UNKNOWN)}")
