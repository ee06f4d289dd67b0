# SPDX-License-Identifier: Apache-2.0
"""accel's streams and events: torch.cuda's over the stand-in. On the cpu they order nothing, for
there all work is done when its call returns: a program's values are those of its statements."""
import contextlib
import warnings

import torch


def over():
    """Whether this run is one over the stand-in."""
    return torch.get_default_device().type == "cuda"


def index_of(device):
    """Of a device, an index or None, on the cpu, where the names of devices are all "cpu"."""
    return device if isinstance(device, int) else Current.device


class Stream:
    def __init__(self, device=None):
        self.index = index_of(device)

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        return event if event is not None else Event()

    def query(self):
        return True

    def synchronize(self):
        pass


class Event:
    def record(self, stream=None):
        pass

    def wait(self, stream=None):
        pass

    def query(self):
        return True

    def synchronize(self):
        pass


class Current:
    device = 0
    default, now = {}, {}


@contextlib.contextmanager
def on(s):
    if s is None:
        yield
        return
    before, device = current_stream(s.index), Current.device
    Current.now[s.index], Current.device = s, s.index
    try:
        yield
    finally:
        Current.now[s.index], Current.device = before, device


@contextlib.contextmanager
def at(device):
    before, Current.device = Current.device, device
    try:
        yield
    finally:
        Current.device = before


def new_stream(device=None, priority=0):
    return torch.cuda.Stream(device, priority=priority) if over() else Stream(device)


def new_event(enable_timing=False):
    return torch.cuda.Event(enable_timing=enable_timing) if over() else Event()


def stream(stream):
    return torch.cuda.stream(stream) if over() else on(stream)


def current_stream(device=None):
    if over():
        return torch.cuda.current_stream(device)
    return Current.now.setdefault(index_of(device), default_stream(device))


def default_stream(device=None):
    if over():
        return torch.cuda.default_stream(device)
    return Current.default.setdefault(index_of(device), Stream(device))


def synchronize(device=None):
    if over():
        torch.cuda.synchronize(device)


def current_device_index():
    return torch.accelerator.current_device_index() if over() else Current.device


def set_device_index(device):
    if over():
        torch.accelerator.set_device_index(device)
    else:
        Current.device = device


def device_index(device):
    return torch.accelerator.device_index(device) if over() else at(device)


def set_sync_debug_mode(debug_mode):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "a prototype feature"
        torch.cuda.set_sync_debug_mode(debug_mode)


_record_stream = torch.Tensor.record_stream


def record_stream(tensor, s):
    if not isinstance(s, Stream):
        _record_stream(tensor, s)


torch.Tensor.record_stream = record_stream

NAMES = {"accel": {
    "Stream": new_stream, "Event": new_event, "stream": stream, "current_stream": current_stream,
    "default_stream": default_stream, "synchronize": synchronize,
    "is_available": torch.accelerator.is_available,
    "device_count": torch.accelerator.device_count,
    "current_device_index": current_device_index, "set_device_index": set_device_index,
    "device_index": device_index,
    "set_sync_debug_mode": set_sync_debug_mode,
    "get_sync_debug_mode": torch.cuda.get_sync_debug_mode,
    "race_check": contextlib.nullcontext}}


def begin():
    """Before a run over the stand-in: the modes and devices as they are at first."""
    set_sync_debug_mode(0)
    for i in reversed(range(torch.cuda.device_count())):
        torch.cuda.set_stream(torch.cuda.default_stream(i))
