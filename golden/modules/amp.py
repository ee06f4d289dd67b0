# SPDX-License-Identifier: Apache-2.0
"""autocast; accel's lists are PyTorch's CUDA lists. Over the stand-in products have no cuBLAS: their
kernels, which would do nothing there anyway, are replaced by ones that make the result."""
import warnings

import torch

DEVICE = {"accel": "cuda"}


def autocast(device_type, dtype=None, enabled=True, cache_enabled=None):
    return torch.autocast(DEVICE.get(device_type, device_type), dtype=dtype, enabled=enabled,
                          cache_enabled=cache_enabled)


_enabled, _dtype = torch.is_autocast_enabled, torch.get_autocast_dtype
torch.is_autocast_enabled = lambda device_type=None: \
    _enabled(DEVICE.get(device_type, device_type)) if device_type else _enabled()
torch.get_autocast_dtype = lambda device_type: _dtype(DEVICE.get(device_type, device_type))

NAMES = {"amp": {"autocast": autocast}}
_products = []


def begin():
    if _products:
        return
    warnings.filterwarnings("ignore", "Warning only once for all operators")
    lib = torch.library.Library("aten", "IMPL")
    lib.impl("mm", lambda a, b: a.new_empty((a.shape[0], b.shape[1])), "CUDA")
    lib.impl("bmm", lambda a, b: a.new_empty((a.shape[0], a.shape[1], b.shape[2])), "CUDA")
    _products.append(lib)
