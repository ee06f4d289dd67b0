# SPDX-License-Identifier: Apache-2.0
"""accel's memory is torch.cuda's."""
import gc

import torch

NAMES = {"accel": {name: getattr(torch.cuda, name) for name in (
    "caching_allocator_alloc", "caching_allocator_delete", "empty_cache",
    "get_per_process_memory_fraction", "max_memory_allocated", "max_memory_reserved",
    "memory_allocated", "memory_reserved", "memory_snapshot", "memory_stats",
    "reset_accumulated_memory_stats", "reset_peak_memory_stats",
    "set_per_process_memory_fraction")}}


def begin():
    """Before a run over the stand-in: nothing cached, no limit, all counts at zero."""
    gc.collect()
    torch.cuda.init()
    for i in range(torch.cuda.device_count()):
        torch.cuda.synchronize(i)
        torch.cuda.set_per_process_memory_fraction(1.0, i)
    torch.cuda.empty_cache()
    for i in range(torch.cuda.device_count()):
        torch.cuda.reset_accumulated_memory_stats(i)
        torch.cuda.reset_peak_memory_stats(i)
