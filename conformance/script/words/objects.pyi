# SPDX-License-Identifier: Apache-2.0
"""What values other than tensors have (spec/areas/case_language.md)."""


class finfo:
    max: float
    min: float
    eps: float
    tiny: float
    smallest_normal: float
    resolution: float
    bits: int
    dtype: str


class iinfo:
    max: int
    min: int
    bits: int
    dtype: str


class dtype:
    itemsize: int
    is_floating_point: bool


class device:
    type: str
    index: int | None


class pair:
    """Two results of one op: torch.sort(x)."""
    values: Tensor
    indices: Tensor


class tuple:
    def numel(self): ...


class list:
    def append(self, value: Any): ...


class GradFn:
    def name(self): ...


class Handle:
    """Of a hook."""
    def remove(self): ...


class Function:
    """class F(Function) of a program."""
    def apply(self, *args): ...


class ctx:
    """Of a Function's forward and backward; it takes any other attribute too."""
    saved_tensors: list
    needs_input_grad: list
    def save_for_backward(self, *tensors): ...
    def save_for_forward(self, *tensors): ...
    def mark_non_differentiable(self, *tensors): ...
    def mark_dirty(self, *tensors): ...
    def set_materialize_grads(self, value: bool): ...
