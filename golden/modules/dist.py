# SPDX-License-Identifier: Apache-2.0
"""dist and fc are torch.distributed over gloo, in the debug mode that compares what ranks call.

gloo reads the wrong elements of a tensor that is not contiguous; here it gets a contiguous copy, and
what it writes is copied back (dist/S12).
"""
import contextlib
import os
import pickle
import warnings
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc
from torch.utils._python_dispatch import _disable_current_modes

R = dist.ReduceOp
OPS = {"sum": R.SUM, "avg": R.AVG, "product": R.PRODUCT, "min": R.MIN, "max": R.MAX,
       "band": R.BAND, "bor": R.BOR, "bxor": R.BXOR}
TIMEOUT = timedelta(seconds=8)
MODE = None  # the Truth of the run under way, or None

# The wrapper class that waits at first use hides storages; waiting at once is what it does traced.
fc._maybe_wrap_tensor = fc.wait_tensor



# --- lanes ----------------------------------------------------------------------------------------


def lanes_of(mode, tensors, moves):
    """This rank's contribution before the call: (whether it is exact, lanes (count, elements))."""
    from models import key
    from program import Refused
    count = mode.total if moves else mode.n
    for t in tensors:
        if key(t) in mode.unstable:
            raise Refused(mode.unstable[key(t)][1])
    exact = all(mode.exact(t) for t in tensors)
    parts = [mode.look(t.detach(), count).expand(count, *t.shape).reshape(count, -1)
             for t in tensors]
    return exact, torch.cat(parts, dim=1).contiguous() if parts else torch.empty(count, 0)


def exchange(mine, group):
    """Every rank's (exact, lanes), in the order of ranks of the group."""
    exact, lanes = mine
    n = dist.get_world_size(group)
    flags = [torch.zeros(1) for _ in range(n)]
    dist.all_gather(flags, torch.ones(1) * exact, group=group)
    all_ = [torch.empty_like(lanes) for _ in range(n)]
    dist.all_gather(all_, lanes, group=group)
    return all(bool(f) for f in flags), all_


def joined(mode, op, lanes, dtype):
    """(values (n, elements), noise) of a reduction in rank order, each step rounded to dtype."""
    amp = mode.amp(dtype).view(-1, 1)
    acc, noise = lanes[0].clone(), torch.zeros_like(lanes[0][1:])
    for r, x in enumerate(lanes[1:], 1):
        if op == R.PRODUCT:
            acc, noise = acc * x, noise * x[1:].abs()
        else:
            acc = acc + x
        if r < len(lanes) - 1 or op == R.AVG:
            noise = noise + mode.xi(acc.shape[1:]) * amp * acc[1:].abs()
    if op == R.AVG:
        acc, noise = acc / len(lanes), noise / len(lanes)
    return acc, noise


def follow(mode, kind, op, mine, outs, group, source=0):
    """Lanes of what a collective wrote."""
    with torch.no_grad():
        exact, lanes = exchange(mine, group)
        ranks, me = len(lanes), dist.get_rank(group)
        extreme = op in (R.MIN, R.MAX)
        if kind in ("reduce", "scatter") and not extreme and \
                not (ranks == 2 and op in (R.SUM, R.PRODUCT)):
            exact = False
        if exact:
            for o in outs:
                if not mode.exact(o):
                    mode.place(o, o.detach().to(torch.float64).unsqueeze(0))
            return
        if kind == "scatter":
            n = lanes[0].shape[1] // ranks
            lanes = [x[:, me * n:(me + 1) * n] for x in lanes]
        noise = None
        if kind == "gather":
            values = torch.cat(lanes, dim=1)
        elif kind == "broadcast":
            values = lanes[source]
        elif extreme:
            values = torch.stack(lanes)
            values = values.amax(0) if op == R.MAX else values.amin(0)
        else:
            values, noise = joined(mode, op, lanes, outs[0].dtype)
        at = 0
        for o in outs:
            part = slice(at, at + o.numel())
            v = values[:, part].reshape(-1, *o.shape)
            if noise is None:
                mode.place(o, v)
            else:
                mode.store(o, v, noise[:, part].reshape(-1, *o.shape))
            at += o.numel()


def moves(kind, op):
    return kind in ("gather", "broadcast") or op in (R.MIN, R.MAX)


class Lanes:
    """Around one collective: the lanes before it, and after it."""

    def __init__(self, kind, op, ins, outs, group, source=0):
        self.kind, self.op, self.outs, self.group, self.source = kind, op, outs, group, source
        self.mode = MODE if ins and ins[0].dtype.is_floating_point and \
            all(t.dtype == ins[0].dtype for t in ins + outs) and member(group) else None
        if self.mode is not None:
            self.mine = lanes_of(self.mode, ins, moves(kind, op))

    def after(self):
        if self.mode is not None:
            follow(self.mode, self.kind, self.op, self.mine, self.outs, self.group, self.source)


def member(group):
    return group != dist.GroupMember.NON_GROUP_MEMBER


# --- collectives ----------------------------------------------------------------------------------


class Work:
    def __init__(self, work, after):
        self.work, self.after = work, after

    def wait(self):
        with _disable_current_modes():
            done = self.work.wait()
            if self.after:
                self.after()
                self.after = None
        return done

    def is_completed(self):
        return self.work.is_completed()


def contiguous(outs):
    """Contiguous stand-ins for tensors that are not, and what copies them back."""
    with torch.no_grad():
        there = [t.detach().contiguous() if isinstance(t, torch.Tensor) else t for t in outs]

    def back():
        with torch.no_grad():
            for t, c in zip(outs, there):
                if isinstance(t, torch.Tensor) and c.data_ptr() != t.data_ptr():
                    t.detach().copy_(c)
    return there, back


def collective(kind, call, ins, outs, op=None, group=None, async_op=False, source=0):
    """call(ins, outs, …) on contiguous tensors; `ins` may be the very `outs`."""
    with _disable_current_modes():
        lanes = Lanes(kind, op, [t for t in ins if isinstance(t, torch.Tensor)],
                      [t for t in outs if isinstance(t, torch.Tensor)], group, source) \
            if MODE is not None else None
        theirs, back = contiguous(outs)
        mine = theirs if ins is outs else contiguous(ins)[0]
        work = call(mine, theirs)

        def after():
            back()
            if lanes is not None:
                lanes.after()
        if work is None:
            if not async_op and member(group):
                after()
            return None
        return Work(work, after)


def all_reduce(tensor, op=R.SUM, group=None, async_op=False):
    ts = [tensor]
    return collective("reduce", lambda i, o: dist.all_reduce(o[0], op, group, async_op),
                      ts, ts, op, group, async_op)


def broadcast(tensor, src, group=None, async_op=False):
    ts = [tensor]
    root = src if group in (None, dist.group.WORLD) else dist.get_group_rank(group, src)
    return collective("broadcast", lambda i, o: dist.broadcast(o[0], src, group, async_op),
                      ts, ts, None, group, async_op, root)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    return collective("gather", lambda i, o: dist.all_gather(o, i[0], group, async_op),
                      [tensor], tensor_list, None, group, async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    return collective(
        "gather", lambda i, o: dist.all_gather_into_tensor(o[0], i[0], group, async_op),
        [input_tensor], [output_tensor], None, group, async_op)


def reduce_scatter(output, input_list, op=R.SUM, group=None, async_op=False):
    return collective("scatter", lambda i, o: dist.reduce_scatter(o[0], i, op, group, async_op),
                      input_list, [output], op, group, async_op)


def reduce_scatter_tensor(output, input, op=R.SUM, group=None, async_op=False):
    return collective(
        "scatter", lambda i, o: dist.reduce_scatter_tensor(o[0], i[0], op, group, async_op),
        [input], [output], op, group, async_op)


def barrier(group=None, async_op=False):
    with _disable_current_modes():
        return dist.barrier(group, async_op)


def new_group(ranks=None):
    with _disable_current_modes():
        return dist.new_group(ranks)


KINDS = {"all_reduce": "reduce", "all_gather_into_tensor": "gather",
         "reduce_scatter_tensor": "scatter"}


def functional(mode, func, args):
    """A dispatched op of torch.ops._c10d_functional, followed on the lanes of `mode`."""
    name = func._schema.name.split("::")[1]
    if name not in KINDS:
        return func(*args)
    op = None if KINDS[name] == "gather" else \
        OPS.get(args[1], args[1]) if isinstance(args[1], str) else args[1]
    group = dist.distributed_c10d._resolve_process_group(args[-1])
    x = args[0]
    lanes = None
    if x.dtype.is_floating_point:
        lanes = lanes_of(mode, [x], moves(KINDS[name], op))
    out = func(*args)
    with _disable_current_modes():
        torch.ops._c10d_functional.wait_tensor(out)
        if lanes is not None:
            follow(mode, KINDS[name], op, lanes, [out], group)
    return out


NAMES = {
    "dist": {
        "all_reduce": all_reduce, "broadcast": broadcast, "all_gather": all_gather,
        "all_gather_into_tensor": all_gather_into_tensor, "reduce_scatter": reduce_scatter,
        "reduce_scatter_tensor": reduce_scatter_tensor, "barrier": barrier,
        "new_group": new_group, "group": dist.group, "ReduceOp": R,
        "is_initialized": dist.is_initialized, "get_rank": dist.get_rank,
        "get_world_size": dist.get_world_size, "get_global_rank": dist.get_global_rank,
        "get_group_rank": dist.get_group_rank},
    "fc": {name: getattr(fc, name) for name in (
        "all_reduce", "all_gather_single", "reduce_scatter_single", "wait_tensor")},
}


def begin():
    """Nothing of these lives on the stand-in."""


# --- one rank of a world --------------------------------------------------------------------------


class World:
    """This process as `rank` of `size`; the others do the same, run by run."""

    def __init__(self, rank, size, port):
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        dist.set_debug_level(dist.DebugLevel.DETAIL)
        self.rank, self.size = rank, size
        self.store = dist.TCPStore("127.0.0.1", port, is_master=rank == 0,
                                   timeout=timedelta(seconds=60))
        self.case, self.count = "", 0
        self.share(None)  # all are up: importing PyTorch may take one of them longer

    def start(self, case):
        self.case, self.count = case, 0

    def share(self, value):
        """Every rank's value."""
        self.count += 1
        at = f"{self.case}/{self.count}"
        self.store.set(f"{at}/{self.rank}", pickle.dumps(value))
        return [pickle.loads(self.store.get(f"{at}/{r}")) for r in range(self.size)]

    @contextlib.contextmanager
    def session(self, mode):
        """A process group of its own for one run; all ranks end it alike."""
        global MODE
        from program import Refused
        from truth import NeedFamily
        self.count += 1
        failed = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with _disable_current_modes():
                dist.init_process_group(
                    "gloo", store=dist.PrefixStore(f"{self.case}/{self.count}", self.store),
                    rank=self.rank, world_size=self.size, timeout=TIMEOUT)
            MODE = mode
            try:
                yield
            except Exception as e:
                failed = e
            MODE = None
            dist.destroy_process_group()
        family = isinstance(failed, NeedFamily) or "NeedFamily" in repr(failed)
        ends = self.share("family" if family else repr(failed) if failed else "")
        if "family" in ends:
            raise NeedFamily()
        if failed:
            raise failed
        for r, end in enumerate(ends):
            if end:
                raise Refused(f"rank {r}: {end}")
