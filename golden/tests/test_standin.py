#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""golden/standin keeps CUDA's rules of order: holds, waits, events, frees and joins, as PyTorch's
host side sees them. Runs under golden/.venv."""
import os
import sys
from pathlib import Path

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

import ctypes  # noqa: E402

import torch  # noqa: E402

cuda = ctypes.CDLL(str(STANDIN))


def hold(s):
    cuda.standin_hold(ctypes.c_void_p(s.cuda_stream))


def release(s):
    cuda.standin_release(ctypes.c_void_p(s.cuda_stream))


def recorded(s):
    e = torch.cuda.Event()
    e.record(s)
    return e


class Held:
    """Two streams, the first held."""

    def __enter__(self):
        self.a, self.b = torch.cuda.Stream(), torch.cuda.Stream()
        hold(self.a)
        return self.a, self.b

    def __exit__(self, *error):
        release(self.a)


def held_without_work():
    with Held() as (a, _):
        assert a.query()
        e = recorded(a)
        assert not a.query() and not e.query()


def event_synchronize_passes_all_before():
    with Held() as (a, _):
        first, second, third = recorded(a), recorded(a), recorded(a)
        second.synchronize()
        assert first.query() and second.query() and not third.query()


def stream_and_device_synchronize():
    for wait in (lambda s: s.synchronize(), lambda s: torch.cuda.synchronize()):
        with Held() as (a, _):
            e = recorded(a)
            wait(a)
            assert e.query() and a.query()
            assert not recorded(a).query()  # it is still held


def waits_carry_a_hold():
    with Held() as (a, b):
        recorded(a)
        b.wait_stream(a)
        e = recorded(b)
        assert not b.query() and not e.query()
        e.synchronize()  # and what it waits for
        assert a.query() and b.query()
    with Held() as (a, b):
        recorded(a)
        b.wait_stream(a)
        release(a)
        assert b.query()


def wait_is_for_the_record_of_its_time():
    with Held() as (a, b):
        e = recorded(b)
        c = torch.cuda.Stream()
        c.wait_event(e)
        e.record(a)
        assert c.query() and not e.query()


def second_hold_leaves_the_first_ones_events():
    with Held() as (a, _):
        e = recorded(a)
        release(a)
        hold(a)
        assert e.query()


def free_waits():
    with Held() as (a, _):
        e = recorded(a)
        x = torch.empty(3 << 20, dtype=torch.uint8, device="cuda")
        del x
        assert not e.query()
        torch.cuda.empty_cache()
        assert e.query()


def capture(join, more=False):
    s, b, t = torch.cuda.Stream(), torch.cuda.Stream(), torch.zeros(4, device="cuda")
    g = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.stream(s):
        g.capture_begin()
        t.add_(1)
        b.wait_stream(s)
        with torch.cuda.stream(b):
            t.add_(1)
        if join:
            s.wait_stream(b)
        if more:
            with torch.cuda.stream(b):
                t.add_(1)
        try:
            g.capture_end()
        except RuntimeError as e:
            return str(e)
    return "joined"


def captures_are_joined():
    assert capture(True) == "joined"
    assert "unjoined work" in capture(False)
    assert "unjoined work" in capture(True, more=True)


TESTS = (held_without_work, event_synchronize_passes_all_before, stream_and_device_synchronize,
         waits_carry_a_hold, wait_is_for_the_record_of_its_time,
         second_hold_leaves_the_first_ones_events, free_waits, captures_are_joined)


def main():
    failed = 0
    torch.cuda.init()
    for test in TESTS:
        try:
            test()
        except AssertionError as e:
            line = e.__traceback__.tb_next
            while line.tb_next:
                line = line.tb_next
            print(f"FAILED {test.__name__}, line {line.tb_lineno}")
            failed += 1
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    sys.stdout.flush()
    os._exit(1 if failed else 0)  # what a refused capture left must not be torn down


if __name__ == "__main__":
    main()
