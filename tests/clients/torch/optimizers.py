# SPDX-License-Identifier: MIT
"""The optimizers of torch's database (optim_db), with each set of options and each implementation (plain, foreach,
fused, differentiable, capturable): parameters after some steps on CUDA against plain steps on the CPU."""
import copy

import torch
from compare import Mismatch, check_same
from operators import attempt, first_line
from torch.testing._internal.common_optimizers import _get_optim_inputs_including_global_cliquey_kwargs, optim_db

STEPS = 4
SHAPES = ((3, 5), (7,), (2, 3, 4), (1,))


def entries(_kind):
    return list(optim_db)


def name_of(info):
    return info.name


def applies(info, dtype):
    return dtype in (torch.float32, torch.float64) and (not dtype.is_complex or info.supports_complex)


def step_many(info, options, device, dtype):
    generator = torch.Generator().manual_seed(7)
    parameters = [torch.nn.Parameter(torch.randn(shape, generator=generator, dtype=dtype).to(device)) for shape in SHAPES
                  if not (info.name == "Muon" and len(shape) != 2)]
    options = {key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in options.items()}
    optimizer = info.optim_cls(parameters, **options)
    for _ in range(STEPS):
        for parameter in parameters:
            gradient = torch.randn(parameter.shape, generator=generator, dtype=dtype).to(device)
            parameter.grad = gradient.to_sparse() if info.only_supports_sparse_grads else gradient
        optimizer.step((lambda: parameters[0].sum()) if info.step_requires_closure else None)
    return [parameter.detach() for parameter in parameters]


def check_options(info, given, dtype):
    plain = {key: value for key, value in copy.deepcopy(given.kwargs).items()
             if key not in ("foreach", "fused", "differentiable", "capturable")}
    try:
        expected = step_many(info, plain, "cpu", dtype)
    except Exception:    # no reference
        return
    try:
        with torch.set_grad_enabled(given.kwargs.get("differentiable", False)):
            actual = step_many(info, copy.deepcopy(given.kwargs), "cuda", dtype)
    except Exception as error:
        raise Mismatch(f"{given.desc}: {type(error).__name__}: {first_line(error)}") from None
    check_same(info, actual, expected, given.desc, dtype)


def check(_kind, info, dtype, _options):
    skip = ("differentiable",)    # wants parameters that are no leaves
    for given in _get_optim_inputs_including_global_cliquey_kwargs("cuda", dtype, info, skip=skip):
        yield attempt(check_options, info, given, dtype)
