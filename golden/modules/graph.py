# SPDX-License-Identifier: Apache-2.0
"""accel's graphs: torch.cuda's over the stand-in, for what the host decides. On the cpu a graph is its
ops, noted by a dispatch mode and run again: for values. What a capture wrote is put back at its end, for
a capture does nothing."""
import contextlib

import torch
from torch.autograd import _unsafe_preserve_version_counter as same_version
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def over():
    """Whether this run is one over the stand-in."""
    return torch.get_default_device().type == "cuda"


def tensors(tree):
    return [t for t in tree_leaves(tree) if isinstance(t, torch.Tensor)]


def written(func, args, kwargs):
    """The tensors that a call of func writes to."""
    out = []
    for i, a in enumerate(func._schema.arguments):
        if a.alias_info is not None and a.alias_info.is_write:
            out += tensors(args[i] if i < len(args) else kwargs.get(a.name))
    return out


def where(t):
    return t.untyped_storage()._cdata


@contextlib.contextmanager
def below(*written):
    """As the device works: autograd and version counters see nothing."""
    with torch._C._AutoDispatchBelowAutograd(), same_version(tuple(written)):
        yield


class Tape(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls, self.before = [], []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        into = written(func, args, kwargs)
        for t in into:
            self.before.append((t, t.clone()))
        out = func(*args, **kwargs)
        held = {where(t) for t in tensors((args, kwargs))}
        # A new result's memory is the graph's; a view has none of its own.
        new = [None if not isinstance(t, torch.Tensor) or where(t) in held else t
               for t in tree_leaves(out)]
        if into or any(t is not None for t in new):
            self.calls.append((func, args, kwargs, into, new))
        return out

    def undo(self):
        for t, was in reversed(self.before):
            with below(t):
                t.copy_(was)

    def replay(self):
        for func, args, kwargs, into, new in self.calls:
            with below(*into, *(t for t in new if t is not None)):
                for t, now in zip(new, tree_leaves(func(*args, **kwargs))):
                    if t is not None:
                        t.copy_(now)


class Graph:
    capturing = None

    def __init__(self):
        self.tape = None

    def capture_begin(self, pool=None, capture_error_mode="global"):
        self.tape = Tape()
        self.tape.__enter__()
        Graph.capturing = self

    def capture_end(self):
        self.tape.__exit__(None, None, None)
        self.tape.undo()
        Graph.capturing = None

    def replay(self):
        self.tape.replay()

    def reset(self):
        self.tape = None


@contextlib.contextmanager
def capture(graph):
    graph.capture_begin()
    try:
        yield
    finally:
        graph.capture_end()


def new_graph():
    return torch.cuda.CUDAGraph() if over() else Graph()


def graph(cuda_graph, pool=None, stream=None, capture_error_mode="global"):
    if not over():
        return capture(cuda_graph)
    return torch.cuda.graph(cuda_graph, pool=pool, stream=stream,
                            capture_error_mode=capture_error_mode)


def is_current_stream_capturing():
    return torch.cuda.is_current_stream_capturing() if over() else Graph.capturing is not None


def graph_pool_handle():
    return torch.cuda.graph_pool_handle() if over() else (0, 1)


NAMES = {"accel": {"Graph": new_graph, "graph": graph, "graph_pool_handle": graph_pool_handle,
                   "is_current_stream_capturing": is_current_stream_capturing}}


def begin():
    """Before a run over the stand-in: nothing to do."""
