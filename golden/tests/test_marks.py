#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The op table's marks are PyTorch's: `synchronizing` by its sync-debug mode over golden/standin,
`autocast` and `autocast_cpu` by what its dispatcher has registered and what comes out.

Every op of the table is called; one without a call here is a failure. Runs under golden/.venv.
"""
import os
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

GOLDEN = Path(__file__).resolve().parent.parent
PYTHON = GOLDEN / ".venv" / "bin" / "python"
STANDIN = GOLDEN / ".venv" / "standin" / "libcuda.so.1"

if os.environ.get("LD_PRELOAD") != str(STANDIN):
    if not STANDIN.exists():
        print("skipped: golden/.venv has no stand-in, golden/setup makes it\n"
              "0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    os.execve(PYTHON, [str(PYTHON), *sys.argv],
              {**os.environ, "LD_PRELOAD": str(STANDIN), "OMP_NUM_THREADS": "1"})

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

sys.path[:0] = [str(GOLDEN), str(GOLDEN.parent / "spec" / "gen")]
from modules import amp  # noqa: E402
from pages import read_all  # noqa: E402

aten = torch.ops.aten


class Inputs:
    """Arguments on one device, floats in one dtype."""

    def __init__(self, device, dtype):
        self.device, self.dtype = device, dtype
        self.x = torch.ones(4, 4, dtype=dtype, device=device)
        self.wide = torch.ones(4, 4, device=device)
        self.b = torch.ones(2, 4, 4, dtype=dtype, device=device)
        self.i = torch.zeros(4, dtype=torch.int64, device=device)
        self.j = torch.zeros(4, 4, dtype=torch.int64, device=device)
        self.m = torch.ones(4, 4, dtype=torch.bool, device=device)
        self.t = torch.ones((), dtype=dtype, device=device)
        self.r = torch.ones(4, 1, device=device)


CALLS = {
    "add": lambda a: a.x + a.x, "sub": lambda a: a.x - 1, "rsub": lambda a: 1 - a.x,
    "mul": lambda a: a.x * a.x, "div": lambda a: a.x / 2, "floor_divide": lambda a: a.x // 2,
    "arange": lambda a: torch.arange(4, device=a.device),
    "as_strided": lambda a: a.x.as_strided((2,), (1,)),
    "as_strided_backward": lambda a: a.x.clone().requires_grad_().as_strided((2,), (1,)).sum()
    .backward(),
    "cat": lambda a: torch.cat([a.x, a.x]), "clone": lambda a: a.x.clone(),
    "contiguous": lambda a: a.x.t().contiguous(),
    "copy": lambda a: a.x.copy_(a.wide), "fill": lambda a: a.x.fill_(1),
    "zero": lambda a: a.x.clone().zero_(),
    "cross_entropy": lambda a: F.cross_entropy(a.x, a.i),
    "nll_loss": lambda a: F.nll_loss(a.x, a.i),
    "nll_loss_forward": lambda a: aten.nll_loss_forward(a.x, a.i, None, 1, -100)[0],
    "nll_loss_backward": lambda a: aten.nll_loss_backward(a.t, a.x, a.i, None, 1, -100, a.t),
    "split": lambda a: a.x.split(2)[0], "split_with_sizes": lambda a: a.x.split([1, 3])[0],
    "chunk": lambda a: a.x.chunk(2)[0], "tensor_split": lambda a: a.x.tensor_split(2)[0],
    "tensor_split_indices": lambda a: a.x.tensor_split((1,))[0],
    "_foreach_add": lambda a: torch._foreach_add([a.x], [a.x])[0],
    "_foreach_add_scalar": lambda a: torch._foreach_add([a.x], 2)[0],
    "_foreach_mul": lambda a: torch._foreach_mul([a.x], [a.x])[0],
    "_foreach_mul_scalar": lambda a: torch._foreach_mul([a.x], 2)[0],
    # by numbers; a mask waits for how many of it are true
    "index": lambda a: a.x[a.i], "index_put": lambda a: a.x.index_put((a.i,), a.x[0]),
    "detach": lambda a: a.x.detach(), "embedding": lambda a: F.embedding(a.i, a.x),
    "embedding_dense_backward":
        lambda a: aten.embedding_dense_backward(a.x, a.i, 4, -1, False),
    "expand": lambda a: a.x[:1].expand(4, 4), "broadcast_to": lambda a: a.x.broadcast_to(2, 4, 4),
    "expand_as": lambda a: a.x[:1].expand_as(a.x), "unsqueeze": lambda a: a.x.unsqueeze(0),
    "squeeze": lambda a: a.x.squeeze(), "empty": lambda a: torch.empty(3, device=a.device),
    "zeros": lambda a: torch.zeros(3, device=a.device),
    "ones": lambda a: torch.ones(3, device=a.device),
    "full": lambda a: torch.full((3,), 2.0, device=a.device),
    **{n: lambda a, n=n: getattr(torch, n)(a.x) for n in ("empty_like", "zeros_like", "ones_like")},
    "full_like": lambda a: torch.full_like(a.x, 2),
    **{n: lambda a, n=n: getattr(a.x, n)((2,)) for n in ("new_empty", "new_zeros", "new_ones")},
    "new_full": lambda a: a.x.new_full((2,), 3), "gather": lambda a: a.x.gather(0, a.j),
    "scatter_add": lambda a: a.x.scatter_add(0, a.j, a.x), "gelu": lambda a: F.gelu(a.x),
    "gelu_backward": lambda a: aten.gelu_backward(a.x, a.x),
    "scatter": lambda a: a.x.scatter(0, a.j, a.x), "scatter_value": lambda a: a.x.scatter(0, a.j, 2),
    "scatter_src_reduce": lambda a: a.x.scatter(0, a.j, a.x, reduce="add"),
    "scatter_value_reduce": lambda a: a.x.scatter(0, a.j, 2, reduce="add"),
    "scatter_reduce": lambda a: a.x.scatter_reduce(0, a.j, a.x, "sum"),
    "masked_select": lambda a: a.x.masked_select(a.m),
    # of nothing: it waits in a kernel for a scan that the stand-in never runs
    "masked_scatter": lambda a: a.x[:0].masked_scatter(a.m[:0], a.x),
    "take_along_dim": lambda a: a.x.take_along_dim(a.j, 0),
    "index_fill": lambda a: a.x.index_fill(0, a.i, 0),
    "index_copy": lambda a: a.x.index_copy(0, a.i, a.x),
    "take": lambda a: a.x.take(a.i), "put": lambda a: a.x.put(a.i, a.x[0]),
    "masked_fill": lambda a: a.x.masked_fill(a.m, 0),
    "index_select": lambda a: a.x.index_select(0, a.i),
    "index_add": lambda a: a.x.index_add(0, a.i, a.x), "item": lambda a: a.t.item(),
    "layer_norm": lambda a: F.layer_norm(a.x, (4,)),
    "native_layer_norm": lambda a: torch.native_layer_norm(a.x, (4,), None, None, 1e-5)[0],
    "native_layer_norm_backward": lambda a: aten.native_layer_norm_backward(
        a.x, a.x, [4], a.r.to(a.x.dtype if a.device == "cpu" else torch.float32),
        a.r.to(a.x.dtype if a.device == "cpu" else torch.float32), None, None,
        [True, False, False])[0],
    "matmul": lambda a: a.x @ a.x, "mm": lambda a: torch.mm(a.x, a.x),
    "bmm": lambda a: torch.bmm(a.b, a.b), "nonzero": lambda a: a.x.nonzero(),
    "relu": lambda a: F.relu(a.x), "threshold_backward": lambda a: aten.threshold_backward(a.x, a.x, 0),
    "select": lambda a: a.x[1], "slice": lambda a: a.x[1:3], "narrow": lambda a: a.x.narrow(0, 1, 2),
    "select_backward": lambda a: aten.select_backward(a.x[0], [4, 4], 0, 1),
    "slice_backward": lambda a: aten.slice_backward(a.x[:2], [4, 4], 0, 0, 2, 1),
    "softmax": lambda a: torch.softmax(a.x, 0), "log_softmax": lambda a: torch.log_softmax(a.x, 0),
    "_softmax": lambda a: aten._softmax(a.x, 0, False),
    "_log_softmax": lambda a: aten._log_softmax(a.x, 0, False),
    "_softmax_backward_data": lambda a: aten._softmax_backward_data(a.x, a.x, 0, a.x.dtype),
    "_log_softmax_backward_data":
        lambda a: aten._log_softmax_backward_data(a.x, a.x, 0, a.x.dtype),
    "sort": lambda a: a.x.sort()[0], "argsort": lambda a: a.x.argsort(), "sum": lambda a: a.x.sum(),
    "mean": lambda a: a.x.mean(), "sum_to_size": lambda a: a.x.sum_to_size(1, 4),
    "to": lambda a: a.x.to(torch.float64), "_to_copy": lambda a: aten._to_copy(a.x, dtype=torch.float64),
    "transpose": lambda a: a.x.transpose(0, 1), "permute": lambda a: a.x.permute(1, 0),
    "t": lambda a: a.x.t(), "numpy_T": lambda a: a.x.T, "mT": lambda a: a.x.mT,
    "tanh_backward": lambda a: aten.tanh_backward(a.x, a.x), "sigmoid_backward": lambda a: aten.sigmoid_backward(a.x, a.x),
    "view": lambda a: a.x.view(16),
    "view_dtype": lambda a: a.wide.view(torch.int32), "_reshape_copy": lambda a: aten._reshape_copy(a.x, [16]),
    "reshape": lambda a: a.x.t().reshape(16), "flatten": lambda a: a.x.flatten(),
    "unbind": lambda a: a.x.unbind()[1],
    "where": lambda a: torch.where(a.m, a.x, a.x),
    "eye": lambda a: torch.eye(4, device=a.device), "linspace": lambda a: torch.linspace(0, 1, 4, device=a.device),
    "tril": lambda a: a.x.tril(), "triu": lambda a: a.x.triu(1),
    "stack": lambda a: torch.stack([a.x, a.x]), "repeat": lambda a: a.x.repeat(2, 1), "tile": lambda a: a.x.tile(2),
    "repeat_interleave_number": lambda a: a.x.repeat_interleave(2, 0),
    "diagonal": lambda a: a.x.diagonal(1),
    "diagonal_backward": lambda a: aten.diagonal_backward(a.x[0], [4, 4], 0, 0, 1),
    "movedim": lambda a: a.x.movedim(0, 1), "movedim_list": lambda a: a.x.movedim((0,), (1,)),
    "swapaxes": lambda a: a.x.swapaxes(0, 1), "swapdims": lambda a: a.x.swapdims(0, 1),
    "flip": lambda a: a.x.flip(0), "fliplr": lambda a: a.x.fliplr(), "flipud": lambda a: a.x.flipud(),
    "roll": lambda a: a.x.roll(1, 0), "rot90": lambda a: a.x.rot90(),
    "count_nonzero": lambda a: a.x.count_nonzero(), "prod": lambda a: a.x.prod(), "prod_dim": lambda a: a.x.prod(0),
    "max": lambda a: a.x.max(), "max_dim": lambda a: a.x.max(0)[0], "max_other": lambda a: torch.max(a.x, a.x),
    "min": lambda a: a.x.min(), "min_dim": lambda a: a.x.min(0)[0], "min_other": lambda a: torch.min(a.x, a.x),
    "aminmax": lambda a: a.x.aminmax()[0], "median": lambda a: a.x.median(), "median_dim": lambda a: a.x.median(0)[0],
    "kthvalue": lambda a: a.x.kthvalue(1)[0], "mode": lambda a: a.x.mode()[0], "topk": lambda a: a.x.topk(2)[0],
    "cummax": lambda a: a.x.cummax(0)[0], "cummin": lambda a: a.x.cummin(0)[0],
    "logcumsumexp": lambda a: a.x.logcumsumexp(0), "logsumexp": lambda a: a.x.logsumexp(0), "diff": lambda a: a.x.diff(),
    "var": lambda a: a.x.var(), "var_dim": lambda a: a.x.var(0, False), "var_unbiased": lambda a: a.x.var(False),
    "std": lambda a: a.x.std(), "std_dim": lambda a: a.x.std(0, False), "std_unbiased": lambda a: a.x.std(False),
    "var_mean": lambda a: torch.var_mean(a.x)[0], "var_mean_dim": lambda a: torch.var_mean(a.x, 0, False)[0],
    "var_mean_unbiased": lambda a: torch.var_mean(a.x, False)[0],
    "std_mean": lambda a: torch.std_mean(a.x)[0], "std_mean_dim": lambda a: torch.std_mean(a.x, 0, False)[0],
    "std_mean_unbiased": lambda a: torch.std_mean(a.x, False)[0],
    "linalg_vector_norm": lambda a: torch.linalg.vector_norm(a.x), "norm": lambda a: torch.norm(a.x),
    "norm_named": lambda a: torch.norm(a.x, "fro"),
    "searchsorted": lambda a: torch.searchsorted(a.x[0], a.x), "bucketize": lambda a: torch.bucketize(a.x, a.x[0]),
    "bincount": lambda a: torch.bincount(a.i),
    "uniform": lambda a: a.x.clone().uniform_(), "normal": lambda a: a.x.clone().normal_(),
    "random": lambda a: a.x.clone().random_(), "random_to": lambda a: a.x.clone().random_(5),
    "random_from": lambda a: a.x.clone().random_(2, 5),
    "exponential": lambda a: a.x.clone().exponential_(), "bernoulli": lambda a: torch.bernoulli(a.x * 0),
    "bernoulli_p": lambda a: a.x.clone().bernoulli_(0.5),
    "bernoulli_tensor": lambda a: a.x.clone().bernoulli_(a.x * 0),
    "randperm": lambda a: torch.randperm(4, device=a.x.device),
    "rand": lambda a: torch.rand(4, device=a.x.device), "randn": lambda a: torch.randn(4, device=a.x.device),
    "randint": lambda a: torch.randint(4, (3,), device=a.x.device),
    "randint_low": lambda a: torch.randint(1, 4, (3,), device=a.x.device),
    "rand_like": lambda a: torch.rand_like(a.x), "randn_like": lambda a: torch.randn_like(a.x),
}
# What networks are made of.
CALLS.update({
    "addmm": lambda a: torch.addmm(a.x, a.x, a.x), "addmv": lambda a: torch.addmv(a.x[0], a.x, a.x[0]),
    "baddbmm": lambda a: torch.baddbmm(a.b, a.b, a.b), "addbmm": lambda a: torch.addbmm(a.b[0], a.b, a.b),
    "dot": lambda a: torch.dot(a.x[0], a.x[0]), "mv": lambda a: torch.mv(a.x, a.x[0]),
    "outer": lambda a: torch.outer(a.x[0], a.x[0]), "linear": lambda a: F.linear(a.x, a.x),
    "dropout": lambda a: torch.dropout(a.x, 0.5, True), "nn_dropout": lambda a: F.dropout(a.x),
    "einsum": lambda a: torch.einsum("ij,jk->ik", a.x, a.x), "diagonal": lambda a: a.x.diagonal(),
    "scaled_dot_product_attention": lambda a: F.scaled_dot_product_attention(a.x, a.x, a.x),
    "_scaled_dot_product_flash_attention_for_cpu": lambda a: a.x, "_scaled_dot_product_flash_attention_for_cpu_backward": lambda a: a.x,
    "silu": lambda a: F.silu(a.x), "silu_backward": lambda a: aten.silu_backward(a.x, a.x),
    "leaky_relu": lambda a: F.leaky_relu(a.x), "leaky_relu_backward": lambda a: aten.leaky_relu_backward(a.x, a.x, 0.1, False),
    "softplus": lambda a: F.softplus(a.x), "softplus_backward": lambda a: aten.softplus_backward(a.x, a.x, 1, 20),
    "mse_loss": lambda a: F.mse_loss(a.x, a.x), "kl_div": lambda a: F.kl_div(a.x, a.x),
    "binary_cross_entropy_with_logits": lambda a: F.binary_cross_entropy_with_logits(a.x, a.x),
    "rms_norm": lambda a: F.rms_norm(a.x, (4,)), "pad": lambda a: F.pad(a.x, (1, 1)),
    "one_hot": lambda a: F.one_hot(a.i),
})
# An op of a family that is not above: its first function, called as the family is.
FAMILIES = {"unary_float": lambda f, a: f(a.x), "unary_same": lambda f, a: f(a.x),
            "predicate": lambda f, a: f(a.x),
            "binary": lambda f, a: f(a.x, a.x), "binary_float": lambda f, a: f(a.x, a.x),
            "ternary": lambda f, a: f(a.x, a.x, a.x), "comparison": lambda f, a: f(a.x, a.x),
            "reduction": lambda f, a: f(a.x, 0), "reduction_same": lambda f, a: f(a.x, 0),
            "reduction_index": lambda f, a: f(a.x, 0), "reduction_bool": lambda f, a: f(a.x, 0), "scan": lambda f, a: f(a.x, 0)}
MIXED = {"dot": lambda a: torch.dot(a.x[0], a.wide[0]), "addcmul": lambda a: torch.addcmul(a.x, a.x, a.wide),
         "addcdiv": lambda a: torch.addcdiv(a.x, a.x, a.wide),
         "atan2": lambda a: torch.atan2(a.x, a.wide),
         "scatter_add": lambda a: a.wide.scatter_add(0, a.j, a.x),
         "index_put": lambda a: a.x.index_put((a.i,), a.wide),
         "index_copy": lambda a: a.wide.index_copy(0, a.i, a.x),
         "cat": lambda a: torch.cat([a.x, a.wide]),
         "stack": lambda a: torch.stack([a.x, a.wide])}
# 2.15.0 compiles these at their first call, by a library that the stand-in has not: they are
# counted, and nothing is asked of them.
# The products ask cuBLAS for a handle, which the stand-in has not either.
COMPILED = {"exp2", "erfc", "erfinv", "addmm", "addmv", "baddbmm", "addbmm", "dot", "mv", "prod",
            "prod_dim"}
# These scan one dim by cub, which waits for what kernels write, and the stand-in's write nothing.
SCANNED = {"repeat_interleave", "repeat_interleave_counts"}
REGISTERED = {"cross_entropy": "cross_entropy_loss", "prod_dim": "prod"}  # PyTorch's own name of it

failures, passed = [], 0


def claim(holds, text):
    global passed
    passed += bool(holds)
    if not holds:
        failures.append(text)


def synchronises(call, a):
    torch.cuda.set_sync_debug_mode("error")
    try:
        call(a)
    except RuntimeError as e:
        if "synchronizing CUDA operation" not in str(e):
            raise
        return True
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return False


def registered(key):
    return {name.removeprefix("aten::").split(".")[0]
            for name in torch._C._dispatch_get_registrations_for_dispatch_key(key)}


def check_policy(op, key, device, low, names):
    """What the page says against what PyTorch has registered, and the dtypes that come out."""
    policy = op.raw.get(key, "none")
    listed = REGISTERED.get(op.name, op.name) in names
    claim(listed == (policy != "none"), f"{op.name}: {key} = {policy!r}, yet PyTorch's "
          f"dispatcher has {'an' if listed else 'no'} entry")
    if policy == "none":
        return
    want = {"lower_precision": (low, low), "promote": (low, torch.float32)}.get(
        policy, (torch.float32, torch.float32))
    with torch.autocast(device, dtype=low):
        for dtype, expected in zip((low, torch.float32), want):
            got = CALLS[op.name](Inputs(device, dtype)).dtype
            claim(got == expected, f"{op.name}: {key}: {dtype} gives {got}, not {expected}")
        if policy == "promote":
            got = MIXED[op.name](Inputs(device, low)).dtype
            claim(got == torch.float32, f"{op.name}: {key}: mixed gives {got}")


def by_family(op):
    """What calls an op of a family."""
    module, _, name = op.raw["functions"][0].partition(".")
    function = getattr({"torch": torch, "F": F}[module], name)
    if "float32" in op.raw["dtypes"]:
        return lambda a: FAMILIES[op.raw["family"]](function, a)
    return lambda a: FAMILIES[op.raw["family"]](function, SimpleNamespace(x=a.i))  # of integers


def main():
    warnings.simplefilter("ignore")
    amp.begin()
    ops = [op for page in read_all(GOLDEN.parent / "spec").values() for op in page.ops]
    lists = {key: registered(key) for key in ("AutocastCUDA", "AutocastCPU")}
    a = Inputs("cuda", torch.float32)
    for op in ops:
        if op.name not in CALLS and op.raw.get("family") and op.raw.get("functions"):
            CALLS[op.name] = by_family(op)
        if op.name in COMPILED | SCANNED:
            continue
        if op.name not in CALLS:
            claim(False, f"{op.name}: no call of it here")
            continue
        try:
            seen = synchronises(CALLS[op.name], a)
        except Exception as e:
            claim(False, f"{op.name}: {type(e).__name__}: {str(e).splitlines()[0]}")
            continue
        claim(seen == bool(op.raw.get("synchronizing")), f"{op.name}: synchronizing = "
              f"{bool(op.raw.get('synchronizing'))}, PyTorch's mode says {seen}")
        check_policy(op, "autocast", "cuda", torch.float16, lists["AutocastCUDA"])
        check_policy(op, "autocast_cpu", "cpu", torch.bfloat16, lists["AutocastCPU"])
    for f in failures:
        print("FAIL", f)
    print(f"{len(ops)} ops: {passed} passed, {len(failures)} failed, {len(COMPILED | SCANNED)} not called")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
