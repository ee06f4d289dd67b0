# SPDX-License-Identifier: Apache-2.0
"""accel's streams and events: torch.cuda's over the stand-in. On the cpu they order nothing, for
there all work is done when its call returns: a program's values are those of its statements."""
import contextlib
import warnings

import torch


def over():
    """Whether this run is one over the stand-in."""
    return torch.get_default_device().type == "cuda"


class Stream:
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
    default = Stream()
    now = default


@contextlib.contextmanager
def on(s):
    before, Current.now = Current.now, s or Current.now
    try:
        yield
    finally:
        Current.now = before


def new_stream(priority=0):
    return torch.cuda.Stream(priority=priority) if over() else Stream()


def new_event(enable_timing=False):
    return torch.cuda.Event(enable_timing=enable_timing) if over() else Event()


def stream(stream):
    return torch.cuda.stream(stream) if over() else on(stream)


def current_stream():
    return torch.cuda.current_stream() if over() else Current.now


def default_stream():
    return torch.cuda.default_stream() if over() else Current.default


def synchronize():
    if over():
        torch.cuda.synchronize()


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
    "current_device_index": torch.accelerator.current_device_index,
    "set_sync_debug_mode": set_sync_debug_mode,
    "get_sync_debug_mode": torch.cuda.get_sync_debug_mode,
    "race_check": contextlib.nullcontext}}


def begin():
    """Before a run over the stand-in: the modes as they are at first."""
    set_sync_debug_mode(0)
