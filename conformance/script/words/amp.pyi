# SPDX-License-Identifier: Apache-2.0
"""Regions of mixed precision (spec/areas/amp.md)."""


class amp:
    def autocast(device_type: str, dtype: dtype | None = None, enabled: bool = True,
                 cache_enabled: bool | None = None): ...


class torch:
    def is_autocast_enabled(device_type: str): ...
    def get_autocast_dtype(device_type: str): ...
