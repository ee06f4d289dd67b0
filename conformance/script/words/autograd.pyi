# SPDX-License-Identifier: Apache-2.0
"""torch.autograd (spec/areas/autograd.md)."""


class autograd:
    def backward(tensors: Tensor | list, grad_tensors: Tensor | list | None = None,
                 retain_graph: bool | None = None, create_graph: bool = False): ...
    def grad(outputs: Tensor | list, inputs: Tensor | list,
             grad_outputs: Tensor | list | None = None, retain_graph: bool | None = None,
             create_graph: bool = False, allow_unused: bool | None = None): ...
    def gradcheck(func: Any, inputs: Tensor | list, eps: float = 1e-06, atol: float = 1e-05,
                  rtol: float = 0.001): ...
