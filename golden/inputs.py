# SPDX-License-Identifier: Apache-2.0
"""Elements of a dtype, as an expression of the case language: what the programs of golden/cases begin with."""


def made(dt, seed, shape="(3, 4)", mix=""):
    """Ordinary numbers, integers from all over the small dtypes' range."""
    mix = f', mix="{mix}"' if mix else ""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f"normal({seed}, {shape}, torch.{dt}{mix})"
    low, high = (0, 256) if dt == "uint8" else (-100, 128) if dt == "int8" else (-30000, 30000)
    return f"integers({seed}, {shape}, torch.{dt}, low={low}, high={high}{mix})"


def few(dt, seed, shape="(3, 4)"):
    """So few values that equals are common."""
    return f"bools({seed}, {shape})" if dt == "bool" else \
        f"integers({seed}, {shape}, torch.{dt}, low=0, high=4)"


def special(dt, shape, seed=1):
    """Special values among ordinary ones: of what moves elements and changes none."""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f'normal({seed}, {shape}, torch.{dt}, mix="special")'
    return f'integers({seed}, {shape}, torch.{dt}, low={0 if dt == "uint8" else -100}, high=100, mix="extreme")'


def small(dt, seed, shape, low=-9, high=10):
    """Integers that are small: of what adds up or multiplies."""
    if dt == "bool":
        return f"bools({seed}, {shape})"
    if "float" in dt:
        return f"normal({seed}, {shape}, torch.{dt})"
    return f"integers({seed}, {shape}, torch.{dt}, {0 if dt == 'uint8' else low}, {high})"
